/** `assent client connect` and issuers of ID-JAGs on a server over the network. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { adminToken } from "../../../test/support/admin-api.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspace, type RunOptions, type Workspace } from "./support/run-command.ts";

let server: TestServer;
let token: string;
let at: Workspace;
beforeAll(async () => {
  server = await startServer();
  token = await adminToken(server);
  at = aWorkspace();
});
afterAll(async () => {
  at.remove();
  await server.stop();
});

const withToken = (own = token): RunOptions => ({ env: { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: own } });

async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const said = await at.run([...args, "--json"], withToken());
  if (said.code !== 0) throw new Error(said.stderr);
  return JSON.parse(said.stdout) as Record<string, unknown>;
}

test("cross-app access: a company's provider is trusted, an app is connected; other settings keep the connection", async () => {
  const company = (await json(["company", "create", "--name", "Jag", "--slug", "jag"]))["id"];
  const uri = "https://jag.idp.test";
  const kind = ["--type", "id-jag", "--issuer", uri, "--jwks-uri", `${uri}/jwks`, "--company", "jag"];
  expect(await json(["issuer", "create", ...kind])).toMatchObject({ type: "id-jag", company, map_subject: "link" });
  expect(await json(["issuer", "update", uri, "--no-company", "--tenant", "t", "--yes"])).toMatchObject({
    ...{ company: null, tenant: "t" },
  });
  const made = ["--type", "confidential", "--grant-type", "token-exchange"];
  const id = String((await json(["client", "create", "--name", "Wiki", ...made]))["client_id"]);
  const there = ["--audience", "https://as.test", "--company", "jag"];
  const connect = ["client", "connect", id, ...there, "--client-id-there", "w", "--scope", "chat:read", "--json"];
  const narrow = await at.run(connect, withToken(await adminToken(server, "admin:clients:write admin:companies:read")));
  expect([narrow.code, narrow.stderr]).toEqual([1, expect.stringContaining("needs the scope admin")]);
  const connection = { audience: "https://as.test", company, client_id: "w", scope: "chat:read", resources: [] };
  const connected = { token_exchange: { connections: [{ ...connection, status: "active" }] } };
  expect(await json(connect.slice(0, -1))).toMatchObject(connected);
  expect(await json(["client", "exchange", id, "--subject", "id_token"])).toMatchObject(connected);
  expect(await json(["client", "connect", id, ...there, "--pause"])).toMatchObject({
    token_exchange: { subjects: ["id_token"], connections: [{ ...connection, status: "paused" }] },
  });
});

test("an offer → it stays one when its scopes change, can't be paused, and lacks nothing; a company sees it when an admin connects it", async () => {
  const made = ["--type", "confidential", "--grant-type", "token-exchange"];
  const id = String((await json(["client", "create", "--name", "Wiki", ...made]))["client_id"]);
  const there = ["client", "connect", id, "--audience", "https://as.offer.test"];
  const offer = [...there, "--client-id-there", "w", "--scope", "chat:read", "--offer", "Chat"];
  for (const [args, said] of [
    [[...offer, "--scope-text", "chat:write=Write"], "--scope-text"],
    [[...offer, "--scope-text", "=x"], "write SCOPE=TEXT"],
    [[...offer.slice(0, -1), "Ch\u202eat"], "--offer"],
    [[...offer, "--pause"], "can't be paused"],
  ] as const) {
    const { code, stderr } = await at.run(args, withToken());
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said)]);
  }
  const record = {
    audience: "https://as.offer.test",
    company: null,
    client_id: "w",
    scope: "chat:read",
    resources: [],
  };
  const words = { "chat:read": "Read your chats" };
  expect(await json([...offer, "--scope-text", "chat:read=Read your chats"])).toMatchObject({
    token_exchange: { connections: [{ ...record, status: "offered", name: "Chat", scope_texts: words }] },
  });
  expect(await json([...there, "--scope", "chat:read chat:write"])).toMatchObject({
    token_exchange: {
      connections: [{ ...record, scope: "chat:read chat:write", status: "offered", name: "Chat", scope_texts: words }],
    },
  });
  const paused = await at.run([...there, "--pause"], withToken());
  expect([paused.code === 0, paused.stderr]).toEqual([false, expect.stringContaining("can't be paused")]);

  await json(["company", "create", "--name", "Offered", "--slug", "offered"]);
  expect(await json(["company", "show", "offered"])).toMatchObject({ connections: [] });
  const company = await server.assent.storage.companies.find({ slug: "offered" });
  if (company === undefined) throw new Error("no company");
  const { partition, companyId } = company;
  const now = server.now();
  await server.assent.storage.companyConnections.put({
    ...{
      partition,
      companyId,
      clientId: id,
      audience: "https://as.offer.test",
      endsAt: now + 1e9,
      seen: null,
      by: null,
      now,
    },
    record: {
      ...{ clientIdThere: "w", scopes: ["chat:read"], resources: [], clientName: "Wiki", serverName: "Chat" },
      texts: {},
    },
  });
  const listed = { client_id: id, client_name: "Wiki", server_name: "Chat", scope: "chat:read", client_id_there: "w" };
  expect(await json(["company", "show", "offered"])).toMatchObject({ connections: [{ ...listed, state: "on" }] });
  await json([...there, "--off"]);
  expect(await json(["company", "show", "offered"])).toMatchObject({
    connections: [{ ...listed, state: "withdrawn" }],
  });
});

test("over the network, one for a company whose admins connected the offer → it replaces theirs; without it, theirs counts again", async () => {
  const made = ["--type", "confidential", "--grant-type", "token-exchange"];
  const id = String((await json(["client", "create", "--name", "Wiki", ...made]))["client_id"]);
  await json(["company", "create", "--name", "Own", "--slug", "own"]);
  const audience = "https://as.own.test";
  const there = ["client", "connect", id, "--audience", audience];
  await json([...there, "--client-id-there", "w", "--scope", "chat:read", "--offer", "Chat"]);
  const company = await server.assent.storage.companies.find({ slug: "own" });
  if (company === undefined) throw new Error("no company");
  const { partition, companyId } = company;
  const now = server.now();
  await server.assent.storage.companyConnections.put({
    ...{ partition, companyId, clientId: id, audience, endsAt: now + 1e9, seen: null, by: null, now },
    record: {
      ...{
        clientIdThere: "w",
        scopes: ["chat:read"],
        resources: [],
        clientName: "Wiki",
        serverName: "Chat",
        texts: {},
      },
    },
  });
  await json([...there, "--scope", "chat:read chat:send"]);
  const narrowed = await at.run([...there, "--scope", "chat:send"], withToken());
  expect(narrowed.stderr).toContain(
    "their admins must connect it again. Disconnected: 1 company with 0 members. The access",
  );
  await json([...there, "--scope", "chat:read"]);
  const forOwn = [...there, "--company", "own"];
  expect((await at.run([...forOwn, "--client-id-there", "w2", "--scope", "chat:send"], withToken())).stderr).toBe(
    `At ${audience}, the connection for Own (own) counts instead of the one that its admins made: chat:read. If you delete it, theirs counts again.\n`,
  );
  const { code, stderr } = await at.run([...forOwn, "--off", "--yes"], withToken());
  expect(code).toBe(0);
  expect(stderr).toContain(`At ${audience}, the connection that admins of Own (own) made counts again: chat:read.`);
  expect(stderr).not.toContain("isconnected: ");
});

test("an offer withdrawn over the network → says the same as on the server's machine", async () => {
  const made = ["--type", "confidential", "--grant-type", "token-exchange"];
  const id = String((await json(["client", "create", "--name", "Mail Wiki", ...made]))["client_id"]);
  const there = ["client", "connect", id, "--audience", "https://as.mail.test"];
  await json([...there, "--client-id-there", "w", "--scope", "mail:read", "--offer", "Mail"]);
  expect((await at.run([...there, "--off"], withToken())).stderr).toContain(
    "The offer is withdrawn: the app gets no new",
  );
});

test("access that ends over the network → what ended and what still works is said there, too", async () => {
  const made = ["--type", "confidential", "--grant-type", "client_credentials"];
  await json(["scope", "create", "w:own", "--description", "Own"]);
  const id = String((await json(["client", "create", "--name", "Job", ...made, "--own-scope", "w:own"]))["client_id"]);
  await json(["user", "create", "--username", "wendy", "--email", "wendy@x.test", "--generate-password"]);
  const tokens = "Issued access tokens work until they expire.";
  for (const [args, said] of [
    [["client", "rotate-secret", id, "--overlap", "0"], "The old secret no longer works."],
    [["client", "rotate-secret", id], "The old secret works for 86400 seconds."],
    [
      ["client", "disable", id, "--yes"],
      `Disabled Job (${id}). No access had to end. The client gets no more tokens. ${tokens}`,
    ],
    [["client", "enable", id], "Sessions and grants that ended stay ended."],
    [["user", "disable", "wendy"], `Disabled wendy (wendy@x.test). No access had to end. ${tokens}`],
    [["user", "enable", "wendy"], "Sessions and grants that ended stay ended."],
    [["user", "set-password", "wendy", "--generate-password"], `All sessions and grants have ended. ${tokens}`],
  ] as const) {
    const { code, stderr } = await at.run(args, withToken());
    expect([args, code, stderr]).toEqual([args, 0, expect.stringContaining(said)]);
  }
  const gone = await at.run(["client", "delete", id, "--yes"], withToken());
  expect(gone.stdout).toBe(`Deleted Job (${id}). Ended no access. ${tokens}\n`);
});
