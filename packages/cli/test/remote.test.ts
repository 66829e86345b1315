/** `assent login`, and commands that work on a server over the network. */

import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminToken } from "../../../test/support/admin-api.ts";
import { decide, enter, formWith } from "../../../test/support/device-actor.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { Agent } from "../../../test/support/http-browser.ts";
import { aCertificate } from "../../../test/support/make-certificates.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { allowLogin } from "../../server/src/admin/api-access/command-client.ts";
import { adminOf } from "../../server/src/admin/context.ts";
import { setUserStatus } from "../../server/src/admin/people.ts";
import { aWorkspace, type RunOptions, type Workspace } from "./support/run-command.ts";

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startServer({ config: { deviceInterval: 1000 } });
  token = await adminToken(server);
});
afterAll(() => server.stop());

let at: Workspace;
const listening: Server[] = [];
beforeEach(() => {
  at = aWorkspace();
});
afterEach(() => {
  at.remove();
  for (const one of listening.splice(0)) one.close();
});

/** As a script runs commands. */
const withToken = (own = token): RunOptions => ({ env: { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: own } });

/** A server that answers every request like this, and keeps what it was sent. */
async function impostor(status: number, headers: Record<string, string> = {}) {
  const requests: string[] = [];
  const made = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
    response.writeHead(status, headers).end("{}");
  });
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  listening.push(made);
  return { requests, address: `http://127.0.0.1:${(made.address() as AddressInfo).port}` };
}

const signInsFile = () => join(at.folder, ".config", "assent", "sign-ins.json");
const context = () => adminOf(server.assent.storage, server.issuer, server.now);

/** Signs in as a person does: the command shows a code, and the person types it in a browser. */
async function login(username: string, scope: string, answer: typeof enter = decide) {
  const command = at.start(["login", server.issuer, "--scope", scope]);
  let code: string | undefined;
  await expect
    .poll(
      () => {
        code = /type the code {2}(\S+)/.exec(command.stderr())?.[1];
        return code;
      },
      { timeout: 20_000 },
    )
    .toBeDefined();
  const answered = await answer(new Agent(server.issuer), code ?? "", username);
  expect(answered.status, answered.text.slice(0, 500)).toBeLessThan(400);
  return command.ended();
}

describe("wrong servers", () => {
  test.each([
    ["http:// to another machine", "http://login.example.com", /must have https/],
    ["another protocol", "ftp://login.example.com", /must have https/],
    ["a password in the address", "https://me:secret@login.example.com", /no user, query or fragment/],
    ["no address", "login.example.com", /must be an address/],
    ["no scheme", "localhost:9400", /with https:\/\/ at its beginning/],
  ])("AP-15 %s → wrong usage, and nothing is sent", async (_, address, text) => {
    for (const words of [
      ["client", "list", "--server", address],
      ["login", address],
    ]) {
      const { code, stderr } = await at.run(words, { env: { ASSENT_TOKEN: token } });
      expect([code, stderr]).toEqual([2, expect.stringMatching(text)]);
      expect(stderr).not.toContain("secret");
    }
  });

  test("AP-15 metadata that names another issuer, or endpoints of another server → refused, and no token is asked for", async () => {
    const requests: string[] = [];
    let document: Record<string, string> = {};
    const made = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    listening.push(made);
    const address = `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
    const endpoints = (of: string) => ({
      ...{ device_authorization_endpoint: `${of}/device_authorization`, token_endpoint: `${of}/token` },
      revocation_endpoint: `${of}/revoke`,
    });
    for (const [found, text] of [
      [{ issuer: server.issuer, ...endpoints(server.issuer) }, "calls itself"],
      [{ issuer: `${address}/`, ...endpoints(address) }, "calls itself"],
      [{ issuer: address, ...endpoints(server.issuer) }, "has no device authorization endpoint"],
    ] as const) {
      document = found;
      const { code, stderr } = await at.run(["login", address]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
    }
    expect(new Set(requests)).toEqual(new Set(["GET /.well-known/oauth-authorization-server"]));
    expect(() => statSync(signInsFile())).toThrow(/ENOENT/);
  });

  test("nothing listens → says so; no Assent server, a redirect → not followed, says what answered", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const run = async (to: string) => at.run(["client", "list"], { env: { ASSENT_SERVER: to, ASSENT_TOKEN: token } });
    expect(await run(address)).toMatchObject({ code: 1, stderr: expect.stringContaining("no server answers") });
    const other = await impostor(404);
    expect((await run(other.address)).stderr).toContain("is it an Assent server?");
    const thief = await impostor(200);
    const redirecting = await impostor(307, { location: `${thief.address}/x` });
    expect((await run(redirecting.address)).stderr).toContain("answered 307");
    expect(thief.requests).toEqual([]);
  });

  test("a server that sends escape sequences → they don't reach the terminal", async () => {
    const made = createServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/problem+json" });
      response.end(
        JSON.stringify({ title: "\u001b[2J", code: "x", errors: [{ field: "\u001b]0;", problem: "\u0007" }] }),
      );
    });
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    listening.push(made);
    const address = `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
    const { code, stderr } = await at.run(["key", "list"], { env: { ASSENT_SERVER: address, ASSENT_TOKEN: token } });
    expect([code, stderr]).toEqual([1, "error: �]0;: �\n"]);
  });

  test("a certificate that nobody vouches for → refused before anything is sent", async () => {
    const { key, cert } = aCertificate({ subject: "/CN=localhost", names: "DNS:localhost" });
    let requests = 0;
    const made = createTlsServer({ key, cert }, (_request, response) => {
      requests += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    listening.push(made as unknown as Server);
    const address = `https://localhost:${(made.address() as AddressInfo).port}`;
    const { code, stderr } = await at.run(["user", "list"], { env: { ASSENT_SERVER: address, ASSENT_TOKEN: token } });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/certificate is not trusted[\s\S]*NODE_EXTRA_CA_CERTS/)]);
    expect(requests).toBe(0);
  });

  test("https to a server that has http → says what to change, without words of OpenSSL", async () => {
    const address = server.issuer.replace("http://", "https://");
    const { code, stderr } = await at.run(["login", address]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("it doesn't speak TLS")]);
  });

  test("the token of one server → is not sent to another one", async () => {
    const other = await impostor(200);
    const { code, stderr } = await at.run(["client", "list", "--server", other.address], withToken());
    expect([code, stderr]).toEqual([1, expect.stringContaining("you are not signed in")]);
    expect(other.requests).toEqual([]);
  });
});

describe("tokens that are not enough", () => {
  test("a revoked, expired or invented token → says how to get another; the token is in no output", async () => {
    const { stderr, stdout, code } = await at.run(["client", "list"], withToken(`aat_${"x".repeat(43)}`));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/refused the token[\s\S]*assent login/);
    expect(stderr).not.toContain("xxxx");
  });

  test("a narrower scope → reads, and says which scope a change needs", async () => {
    const narrow = withToken(await adminToken(server, "admin:companies:read"));
    expect((await at.run(["company", "list"], narrow)).code).toBe(0);
    const { code, stderr } = await at.run(["company", "create", "--name", "A", "--slug", "a"], narrow);
    expect([code, stderr]).toEqual([1, expect.stringContaining("admin:companies:write")]);
  });

  test("AP-15 signed out while the server is away → the file is gone, and a note says that the access goes on there", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const kept = {
      access_token: "at_secret",
      refresh_token: "rt_secret",
      expires_at: Date.now() + 60_000,
      scope: "admin",
    };
    execFileSync("mkdir", ["-p", join(at.folder, ".config", "assent")]);
    writeFileSync(signInsFile(), JSON.stringify({ current: address, servers: { [address]: kept } }), { mode: 0o600 });
    const { code, stdout, stderr } = await at.run(["logout"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("the access ends there when its consent does")]);
    expect(stdout + stderr).not.toContain("secret");
    expect(() => statSync(signInsFile())).toThrow(/ENOENT/);
  });

  test("AP-15 a file with tokens that others may read → is not used; a damaged one → says so", async () => {
    const folder = join(at.folder, ".config", "assent");
    execFileSync("mkdir", ["-p", folder]);
    writeFileSync(signInsFile(), JSON.stringify({ current: server.issuer, servers: {} }), { mode: 0o600 });
    chmodSync(signInsFile(), 0o644);
    expect((await at.run(["client", "list"])).stderr).toContain("chmod 600");
    chmodSync(signInsFile(), 0o600);
    writeFileSync(signInsFile(), "{");
    expect(await at.run(["client", "list"])).toMatchObject({ code: 1, stderr: expect.stringContaining("damaged") });
  });

  test("commands of the machine alone with a server → wrong usage", async () => {
    for (const words of [["db", "status"], ["doctor"], ["export", "x.json"]]) {
      const { code, stderr } = await at.run([...words, "--server", server.issuer], {});
      expect([code, stderr], words.join(" ")).toEqual([2, expect.stringContaining("only on the machine")]);
    }
  });

  test("login where no operator allowed it → says which command does", async () => {
    const { code, stderr } = await at.run(["login", server.issuer]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("assent admin allow-login")]);
  });
});

describe("a script with a token", () => {
  const json = (words: readonly string[]) => at.json<Record<string, unknown>>(words, withToken());

  test("clients, scopes and APIs are created, changed and deleted as on the machine", async () => {
    const api = await json([
      "resource",
      "create",
      "--identifier",
      "https://r.test",
      "--name",
      "R",
      "--token-lifetime",
      "60",
    ]);
    expect(api).toMatchObject({ token_lifetime: 60, introspection_client_secret: expect.stringMatching(/^cs_/) });
    await json([
      "scope",
      "create",
      "r:view",
      "--description",
      "See",
      "--description-lang",
      "de=Sehen",
      "--resource",
      "https://r.test",
    ]);
    const made = await json([
      ...["client", "create", "--name", "App", "--type", "confidential", "--redirect-uri", "https://app.test/cb"],
      ...["--scope", "r:view", "--require-pkce"],
    ]);
    expect(made).toMatchObject({ scope: "r:view", require_pkce: true, client_secret: expect.stringMatching(/^cs_/) });
    const id = String(made["client_id"]);
    const changed = await json(["client", "update", id, "--add-redirect-uri", "https://app.test/2", "--name", "App 2"]);
    expect(changed).toMatchObject({
      client_name: "App 2",
      redirect_uris: ["https://app.test/cb", "https://app.test/2"],
    });
    expect(
      await json(["client", "update", id, "--remove-redirect-uri", "https://app.test/cb", "--remove-scope", "r:view"]),
    ).toMatchObject({
      redirect_uris: ["https://app.test/2"],
      scope: "",
    });
    expect(await json(["scope", "update", "r:view", "--description-lang", "de=", "--sensitive"])).not.toHaveProperty(
      "description#de",
    );
    const wrong = await at.run(["client", "update", id, "--redirect-uri", "nonsense"], withToken());
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("--redirect-uri")]);
    expect(await json(["client", "disable", id, "--yes"])).toMatchObject({ status: "disabled" });
    expect((await at.run(["client", "delete", id], withToken())).code).toBe(2);
    expect(await json(["client", "delete", id, "--yes"])).toMatchObject({ deleted: true });
    expect(await json(["scope", "delete", "r:view", "--yes"])).toMatchObject({ deleted: true });
    expect(await json(["resource", "delete", "https://r.test", "--yes"])).toMatchObject({ deleted: true });
  });

  test("what a client may exchange → refused, changed and taken away as on the machine, with the same remarks", async () => {
    const api = "https://mail.remote.test";
    await json(["resource", "create", "--identifier", api, "--name", "Mail"]);
    await json(["scope", "create", "mail:remote", "--description", "Read mail", "--resource", api]);
    const kind = ["--type", "confidential", "--grant-type", "token-exchange"];
    const id = String((await json(["client", "create", "--name", "Agent", ...kind]))["client_id"]);
    const exchange = (flags: readonly string[], own = token) =>
      at.run(["client", "exchange", id, ...flags, "--json"], withToken(own));
    for (const [flags, code, words] of [
      [[], 2, /name at least one setting, or --off alone/],
      [["--off", "--scope", "mail:remote"], 2, /--off alone/],
      [["--subject", "saml"], 1, /--subject: "saml": use access_token, refresh_token, id_token, jwt/],
      [["--audience", "https://x.test"], 1, /--audience: "https:\/\/x.test": there is no such API/],
      [["--scope", "openid"], 1, /--scope: "openid": scopes about a sign-in/],
    ] as const) {
      const said = await exchange(flags);
      expect([said.code, said.stderr]).toEqual([code, expect.stringMatching(words)]);
    }
    const narrow = await exchange(["--audience", api], await adminToken(server, "admin:clients:write"));
    expect([narrow.code, narrow.stderr]).toEqual([1, expect.stringContaining("needs the scope admin")]);
    expect(await json(["client", "show", id])).not.toHaveProperty("token_exchange");
    const first = await exchange(["--subject", "access_token", "--audience", api, "--scope", "mail:remote"]);
    expect(first.stderr).toMatch(/--source: it may exchange access tokens of no API/);
    const second = await exchange(["--source", api, "--impersonation"]);
    expect(JSON.parse(second.stdout)).toMatchObject({
      token_exchange: {
        ...{ subjects: ["access_token"], sources: [api], audiences: [api], scope: "mail:remote" },
        impersonation: true,
      },
    });
    expect(second.stderr).toMatch(/--impersonation: APIs can't tell/);
    expect(JSON.parse((await exchange(["--no-impersonation"])).stdout).token_exchange).not.toHaveProperty(
      "impersonation",
    );
    expect(JSON.parse((await exchange(["--off"])).stdout)).not.toHaveProperty("token_exchange");
  });

  test("people and companies are found by the names that people type; lists filter and page", async () => {
    const made = await json([
      "user",
      "create",
      "--username",
      "bea",
      "--email",
      "bea@old.test",
      "--generate-password",
      "--nickname",
      "B",
    ]);
    expect(made).toMatchObject({ nickname: "B", password: expect.any(String) });
    expect(await json(["user", "update", "bea@old.test", "--nickname", "", "--name", "Bea"])).toMatchObject({
      name: "Bea",
    });
    await json(["company", "create", "--name", "Acme", "--slug", "acme"]);
    expect(await json(["company", "add-member", "acme", "bea", "--role", "admin"])).toMatchObject({ role: "admin" });
    expect(await json(["company", "show", "acme"])).toMatchObject({ members: [{ username: "bea" }], rules: [] });
    expect(await json(["user", "disable", "bea"])).toMatchObject({ status: "disabled" });
    const disabled = await json(["user", "list", "--filter", "status=disabled", "--limit", "5"]);
    expect(disabled).toMatchObject([{ username: "bea" }]);
    const none = await at.run(["user", "list", "--filter", "username=zz"], withToken());
    expect([none.stdout, none.stderr]).toEqual(["", "Nothing fits the filter.\n"]);
    const nobody = await at.run(["user", "show", "nobody"], withToken());
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('there is no user "nobody"')]);
    const wrong = await at.run(["user", "list", "--filter", "id=1"], withToken());
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("The field is one of username")]);
    writeFileSync(join(at.folder, "people.ndjson"), '{"username":"cleo","email":"cleo@old.test"}\nno json\n');
    const imported = await at.run(["user", "import", "people.ndjson"], withToken());
    expect([imported.code, imported.stdout]).toEqual([
      1,
      expect.stringContaining("Imported 1 people. 0 existed already. 1 refused."),
    ]);
    expect(await json(["session", "revoke", "--user", "bea"])).toMatchObject({ sessions_ended: 0 });
    expect(await json(["user", "delete", "bea", "--yes"])).toMatchObject({ deleted: true });
  });

  test("issuers, providers, keys, events, refusals, settings and tokens → as on the machine", async () => {
    const uri = "https://idp.test";
    await json([
      "issuer",
      "create",
      "--type",
      "jwt",
      "--issuer",
      uri,
      "--jwks-uri",
      `${uri}/jwks`,
      "--map-subject",
      "email",
    ]);
    expect(await json(["issuer", "update", uri, "--max-lifetime", "60"])).toMatchObject({ max_lifetime: 60 });
    await json(["issuer", "delete", uri, "--yes"]);
    const provider = await json(["provider", "create", "--preset", "github", "--client-id", "1"]);
    const id = String(provider["id"]);
    expect(await json(["provider", "update", id, "--add-email-domain", "b.test"])).toMatchObject({
      email_domains: ["b.test"],
    });
    await json(["provider", "delete", id, "--yes"]);
    expect(await json(["key", "rotate"])).toMatchObject({ status: "next" });
    for (const words of [
      ["key", "list"],
      ["events", "list", "--limit", "2"],
      ["refusal", "list"],
      ["setting", "list"],
      ["consent", "list"],
      ["webhook", "list"],
      ["registration", "list"],
      ["admin", "list-tokens"],
      ["issuer", "list"],
      ["provider", "list"],
      ["scope", "list"],
      ["resource", "list"],
    ])
      expect(await json(words), words.join(" ")).toEqual(expect.any(Array));
    const first = await json([
      "registration",
      "create-token",
      "--uses",
      "2",
      "--scope",
      "read",
      "--grant-type",
      "authorization_code",
    ]);
    expect(first).toMatchObject({ uses: 2, initial_access_token: expect.any(String) });
    expect(await json(["registration", "revoke", String(first["id"])])).toMatchObject({ revoked: true });
    const hook = await json(["webhook", "create", "--url", "https://hooks.test/in", "--kind", "user.*"]);
    expect(hook).toMatchObject({ kinds: ["user.*"], secret: expect.any(String) });
    expect(await json(["webhook", "update", String(hook["id"]), "--status", "disabled"])).toMatchObject({
      status: "disabled",
    });
    const made = await json(["admin", "create-token", "--scope", "admin:keys:read", "--expires", "60"]);
    expect(made).toMatchObject({ scope: "admin:keys:read", access_token: expect.stringMatching(/^aat_/) });
    expect(await json(["admin", "revoke-token", String(made["id"])])).toMatchObject({ revoked: true });
  });
});

test("an operator signs in, works, lets the token end, and signs out", async () => {
  await allowLogin(context());
  await server.addPerson({ username: "olga", operator: ["admin"] });
  const done = await login("olga", "admin", async (agent, code, username) => {
    const page = await enter(agent, code, username);
    expect(page.text).toContain("Part of Assent: the command line of its operators");
    expect(page.text).not.toContain("Not verified");
    return agent.submit(formWith(page, "decision"), { decision: "allow" });
  });
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`Signed in to ${server.issuer}`)]);
  expect(statSync(signInsFile()).mode & 0o777).toBe(0o600);
  expect(statSync(join(at.folder, ".config", "assent")).mode & 0o077).toBe(0);
  expect(await at.json(["whoami"])).toMatchObject({ server: server.issuer, username: "olga", scope: "admin" });
  const listed = await at.run(["company", "list"]);
  expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(`On ${server.issuer}`)]);
  expect((await at.run(["company", "list", "--local"])).stderr).toContain("there is no Assent database");

  const saved = JSON.parse(readFileSync(signInsFile(), "utf8"));
  const [before] = Object.values(saved.servers) as {
    access_token: string;
    refresh_token: string;
    expires_at: number;
  }[];
  if (before === undefined) throw new Error("nothing saved");
  before.expires_at = Date.now() - 1;
  writeFileSync(signInsFile(), JSON.stringify(saved));
  expect((await at.run(["user", "list"])).code).toBe(0);
  const [after] = Object.values(JSON.parse(readFileSync(signInsFile(), "utf8")).servers) as (typeof before)[];
  expect(after?.refresh_token).not.toBe(before.refresh_token);

  await setUserStatus("olga", "disabled", context());
  const disabled = await at.run(["whoami"]);
  expect([disabled.code, disabled.stderr]).toEqual([1, expect.stringContaining("refused the token")]);
  expect(await at.json(["logout"])).toEqual({ server: server.issuer, access_ended: true });
  expect(() => statSync(signInsFile())).toThrow(/ENOENT/);
  const late = await fetch(`${server.issuer}/admin/api/v1/clients`, {
    headers: { authorization: `Bearer ${after?.access_token}` },
  });
  expect(late.status).toBe(401);
  expect(await at.json(["whoami"])).toEqual({ server: null });
}, 60_000);

test("login by somebody who is no operator, with a scope that does not exist → says what is missing", async () => {
  await allowLogin(context());
  const { username } = await server.addPerson();
  const { code, stderr } = await login(username, "admin", enter);
  expect([code, stderr]).toEqual([1, expect.stringContaining("you have no role for this scope")]);
  const wrong = await at.run(["login", server.issuer, "--scope", "admin:client:read"]);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("has no such scope: use admin")]);
}, 60_000);

test("completion for bash → nouns, verbs, options and their choices; for the others → a script", async () => {
  const { stdout } = await at.run(["completion", "bash"]);
  writeFileSync(join(at.folder, "completion.sh"), stdout);
  const complete = (...words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `source completion.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _assent; echo "\${COMPREPLY[*]}"`,
        "-",
        "assent",
        ...words,
      ],
      {
        cwd: at.folder,
        encoding: "utf8",
      },
    ).trim();
  expect(complete("cli")).toBe("client");
  expect(complete("client", "rot")).toBe("rotate-secret");
  expect(complete("client", "create", "--redirect")).toBe("--redirect-uri");
  expect(complete("client", "create", "--type", "p")).toBe("public");
  for (const shell of ["zsh", "fish"]) expect((await at.run(["completion", shell])).stdout).toContain("rotate-secret");
  expect((await at.run(["completion", "tcsh"])).code).toBe(2);
});
