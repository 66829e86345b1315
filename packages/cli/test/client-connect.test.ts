/** `assent client connect`: wrong settings are refused; settings that are omitted stay. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage } from "../../server/src/storage/open.ts";
import { partitionOf } from "../../server/src/storage/partition.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let id: string;
const AS = "https://as.chat.example";
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  const made = await at.json([
    ...["client", "create", "--name", "Wiki", "--type", "confidential", "--grant-type", "token-exchange"],
  ]);
  id = String(made["client_id"]);
});
afterAll(() => at.remove());

const connect = (...flags: readonly string[]) => at.run(["client", "connect", id, ...flags, "--json"]);

test.each([
  [["--audience", AS], 2, /needs --client-id-there/],
  [["--audience", AS, "--off"], 2, /no such connection/],
  [["--audience", AS, "--client-id-there", "w"], 1, /^error: --scope: missing/m],
  [["--audience", "chat", "--client-id-there", "w", "--scope", "read"], 1, /^error: --audience: must be/m],
  [["--audience", AS, "--client-id-there", "w", "--scope", 'a"b'], 1, /^error: --scope: not scopes/m],
  [
    ["--audience", AS, "--client-id-there", "w", "--scope", "read", "--resource", "x"],
    1,
    /^error: --resource: must be/m,
  ],
  [["--audience", AS, "--client-id-there", "w", "--scope", "read", "--company", "globex"], 1, /globex/],
])("%j → refused, nothing is changed", async (flags, code, words) => {
  const said = await connect(...flags);
  expect([said.code, said.stdout]).toEqual([code, ""]);
  expect(said.stderr).toMatch(words);
  expect(await at.json(["client", "show", id])).not.toHaveProperty("token_exchange");
});

test("connected → a record without warnings; single settings → the others stay; --pause; --off → gone", async () => {
  const there = ["--audience", AS, "--company", "acme"];
  const first = await connect(...there, "--client-id-there", "wiki-at-chat", "--scope", "chat:read chat:write");
  expect(first.stderr).toBe("");
  const connectionsOf = (text: string) =>
    (JSON.parse(text) as { token_exchange?: { connections?: unknown[] } }).token_exchange?.connections;
  const [made] = connectionsOf(first.stdout) ?? [];
  const { id: company } = await at.json(["company", "show", "acme"]);
  expect(made).toEqual({
    ...{ audience: AS, company, client_id: "wiki-at-chat", scope: "chat:read chat:write" },
    ...{ resources: [], status: "active" },
  });
  const paused = await connect(...there, "--pause", "--resource", "https://chat.example/mcp");
  expect(connectionsOf(paused.stdout)).toEqual([
    { ...(made as object), resources: ["https://chat.example/mcp"], status: "paused" },
  ]);
  expect(connectionsOf((await connect(...there, "--off")).stdout)).toBeUndefined();
});

test("offered, changed, withdrawn → says what companies get by it, and what lasts", async () => {
  const there = ["client", "connect", id, "--audience", "https://as.mail.example"];
  const said = async (...flags: readonly string[]) => (await at.run([...there, ...flags])).stderr;
  expect(await said("--client-id-there", "w", "--scope", "mail:read", "--offer", "Mail")).toBe(
    "Offered: it counts for a company when its admins connect it, or if they connected the same offer before.\n",
  );
  expect(await said("--scope", "mail:read mail:send")).toBe("");
  expect(await said("--off")).toBe(
    "The offer is withdrawn: the app gets no new access through it. No company had connected it. The access that it already has there lasts until https://as.mail.example ends it.\n",
  );
});

describe("a connection or an offer that somebody has → said who loses it; asked on a terminal, and done elsewhere", () => {
  const MAIL = "https://as.mail.example";
  const offer = ["--audience", MAIL, "--client-id-there", "w", "--scope", "mail:read", "--offer", "Mail"];
  const connected = async () => {
    const { connections } = ((await at.json(["client", "show", id]))["token_exchange"] ?? {}) as {
      connections?: { audience: string; status: string }[];
    };
    return (connections ?? []).map(({ audience, status }) => `${audience} ${status}`);
  };

  /** An admin of the company connects the app with the server of the offer. */
  async function aConnectedCompany() {
    for (const username of ["ada", "bob"]) {
      await at.run(["user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password"]);
      await at.json(["company", "add-member", "acme", username]);
    }
    const companyId = String((await at.json(["company", "show", "acme"]))["id"]);
    const storage = await openStorage({ url: `sqlite:${join(at.dataDir, "assent.db")}`, writer: "main" });
    const now = storage.now();
    const key = { partition: partitionOf(companyId), companyId, clientId: id, audience: MAIL };
    const seen = (await storage.companyConnections.find(key))?.connectedAt ?? null;
    const record = {
      clientIdThere: "w",
      scopes: ["mail:read"],
      resources: [],
      clientName: "Wiki",
      serverName: "Mail",
      texts: {},
    };
    const put = await storage.companyConnections.put({ ...key, endsAt: now + 3_600_000, seen, by: null, now, record });
    expect(put).toBe("stored");
    await storage.close();
  }

  async function refusedOnTerminal(args: readonly string[], question: RegExp) {
    const before = await connected();
    const { code, stderr } = await at.run(args, { input: "n\n", terminal: true });
    expect([code, stderr]).toEqual([1, expect.stringMatching(question)]);
    expect(await connected()).toEqual(before);
  }

  test("an offer", async () => {
    await at.json(["client", "connect", id, ...offer]);
    await aConnectedCompany();
    const there = ["client", "connect", id, "--audience", MAIL];
    await refusedOnTerminal(
      [...there, "--off"],
      /Withdrawing this offer disconnects 1 company with 2 members: Wiki \(.*\) gets no new access at https:\/\/as\.mail\.example for them\. .* If you make the same offer again, they are connected again\./,
    );
    await refusedOnTerminal(
      [...there, "--client-id-there", "other"],
      /Another client ID at that server disconnects 1 company with 2 members/,
    );
    await at.json([...there, "--scope", "mail:read mail:send"]);
    await refusedOnTerminal(
      [...there, "--scope", "mail:send"],
      /This change of the offer disconnects 1 company with 2 members: .* Companies' admins can connect it again\./,
    );
    const narrowed = await at.run([...there, "--scope", "mail:send"]);
    expect([narrowed.code, narrowed.stderr]).toEqual([
      0,
      `The offer has nothing left of what some companies connected: their admins must connect it again. Disconnected: 1 company with 2 members. The access that it already has there lasts until ${MAIL} ends it.\n`,
    ]);
    expect((await at.run([...there, "--scope", "mail:send mail:all"])).stderr).toBe("");
    await at.json([...there, "--scope", "mail:read mail:send"]);
    expect((await at.run([...there, "--resource", "https://mail.example/api"])).stderr).toBe(
      `The offer gives less to 1 company with 2 members. The access that it already has there lasts until ${MAIL} ends it.\n`,
    );
    const { code, stderr } = await at.run([...there, "--off"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("Disconnected: 1 company with 2 members. Companies that connected it are no longer"),
    ]);
    expect(await connected()).toEqual([]);
  });

  test("one for a company whose admins connected the offer → says that it replaces theirs, and that theirs counts again", async () => {
    await at.json(["client", "connect", id, ...offer]);
    const there = ["client", "connect", id, "--audience", MAIL];
    const forAcme = [...there, "--company", "acme"];
    const replaced = await at.run([...forAcme, "--client-id-there", "w2", "--scope", "mail:send"]);
    expect(replaced.stderr).toBe(
      `At ${MAIL}, the connection for Acme (acme) counts instead of the one that its admins made: mail:read. If you delete it, theirs counts again.\n`,
    );
    // The offer gives Acme nothing now.
    const impact = await at.run([...there, "--off"], { input: "n\n", terminal: true });
    expect(impact.stderr).not.toContain("Withdrawing this offer disconnects");
    await at.json(["client", "connect", id, ...offer]);
    const { code, stderr } = await at.run([...forAcme, "--off"], { terminal: true });
    expect(code).toBe(0);
    expect(stderr).not.toContain("isconnect");
    expect(stderr).toContain(
      `At ${MAIL}, the connection that admins of Acme (acme) made counts again: mail:read. To prevent that, pause the connection for acme instead, or withdraw the offer.`,
    );
    expect(stderr).toContain("The connection is deleted: the app gets no new access through it. The access");
    await at.run([...there, "--off"]);
  });

  test("one for a company, and one for everybody → without the first, the second counts for members", async () => {
    const there = ["client", "connect", id, "--audience", "https://as.both.example", "--client-id-there", "w"];
    await at.json([...there, "--scope", "both:read"]);
    await at.json([...there, "--scope", "both:send", "--company", "acme"]);
    const counts =
      "At https://as.both.example, the connection for everybody counts for members of Acme (acme) who sign in for themselves, unless the company blocks or pauses the app: both:read.";
    expect((await at.run([...there, "--company", "acme", "--pause"])).stderr).toContain(counts);
    await at.run([...there, "--company", "acme"]);
    expect((await at.run([...there, "--company", "acme", "--off"])).stderr).toContain(counts);
    await at.run([...there, "--off"]);
  });

  test("a connection for a company, for everybody: paused, made an offer, deleted", async () => {
    const there = ["client", "connect", id, "--audience", MAIL];
    await at.json([...there, "--client-id-there", "w", "--scope", "mail:read", "--company", "acme"]);
    await refusedOnTerminal(
      [...there, "--company", "acme", "--off"],
      /Deleting this connection disconnects Acme \(acme\) with 2 members/,
    );
    expect((await at.run([...there, "--company", "acme", "--pause"])).stderr).toMatch(
      /^Paused: the app gets no new access there until you connect it again without --pause\./,
    );
    expect((await at.run([...there, "--company", "acme", "--off"], { terminal: true })).code).toBe(0);
    await at.json([...there, "--client-id-there", "w", "--scope", "mail:read"]);
    await refusedOnTerminal(
      [...there, "--offer", "Mail"],
      /Making an offer of this connection disconnects everybody here \(0 people or companies allowed the app\)/,
    );
    expect((await at.run([...there, "--offer", "Mail"])).stderr).toContain(
      "The connection has ended, and is an offer now",
    );
    expect(await connected()).toEqual([`${MAIL} offered`]);
  });

  test("client delete and client disable → who is disconnected, before and after", async () => {
    const who = "1 company with 2 members at https://as.mail.example. The access that the app already has there lasts";
    await refusedOnTerminal(["client", "delete", id], new RegExp(`It disconnects ${who}`));
    await refusedOnTerminal(["client", "disable", id], new RegExp(`Until you enable it, this disconnects ${who}`));
    await refusedOnTerminal(
      ["client", "delete", id],
      /It ends 1 connection of a company with other servers: if you register the app again, their admins must connect it again\. The client/,
    );
    const { code, stderr } = await at.run(["client", "disable", id, "--yes"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`this disconnects ${who}`)]);
    await at.run(["client", "enable", id]);
    const twin = String(
      (
        await at.json([
          "client",
          "create",
          "--name",
          "Twin",
          "--type",
          "confidential",
          "--grant-type",
          "token-exchange",
        ])
      )["client_id"],
    );
    await at.json([
      ...["client", "connect", twin, "--audience", MAIL, "--client-id-there", "t", "--scope", "mail:read"],
      ...["--company", "acme"],
    ]);
    const deleted = await at.run(["client", "delete", twin, "--yes"]);
    expect(deleted.stdout + deleted.stderr).toContain("Disconnected: Acme (acme) with 2 members at");
  });

  test("client exchange --off → its connections end, too", async () => {
    await refusedOnTerminal(
      ["client", "exchange", id, "--off"],
      /This also ends the connections with other servers: 1 company with 2 members at https:\/\/as\.mail\.example/,
    );
    const { code, stderr } = await at.run(["client", "exchange", id, "--off"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "has no connections with other servers. Issued access tokens work until they expire. Disconnected: 1 company with 2 members",
      ),
    ]);
    expect(await connected()).toEqual([]);
  });
});
