/**
 * Runs the examples by the commands in their first lines, against a server with the demo's owner `demo` and scope
 * `photos:read`.
 */

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { Agent, authorize, consentForm, signIn } from "./support/http-browser.ts";
import { aPostgresDatabase } from "./support/postgres-database.ts";
import { aReader, commandsOf, type Reader } from "./support/run-commands-of-example.ts";
import { PASSWORD, startServer, type TestServer } from "./support/test-server.ts";

const ran = new Set<string>();
let server: TestServer;
let reader: Reader;

beforeAll(async () => {
  server = await startServer({ config: { deviceInterval: 1000 } });
  await server.addResource({ identifier: "https://photos.test" });
  await server.addScope({ name: "photos:read", description: "See your photos", resource: "https://photos.test" });
  await server.addPerson({ username: "demo" });
  reader = aReader({ ISSUER: server.issuer, ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir }, ran);
});
afterAll(async () => {
  await reader.leave();
  await server.stop();
});

/** Runs all commands of an example that end by themselves. Returns the output of the last one. */
async function follow(example: string, input?: string): Promise<string> {
  let said = "";
  for (const command of commandsOf(example)) said = await reader.run(command, input);
  return said;
}

/** Runs all commands except the last, and starts the last. */
async function begin(example: string, said: RegExp) {
  const commands = [...commandsOf(example)];
  const last = commands.pop() ?? "";
  for (const command of commands) await reader.run(command);
  return reader.start(last, said);
}

const allow = (url: string) => authorize(new Agent(server.issuer), url, "demo");

test.each([
  "client-credentials.ts",
  "authorization-code.ts",
  "client-authentication/mutual-tls.ts",
  "libraries/client-credentials.ts",
])("%s without its variables → an error that names them, exit code 2", async (example) => {
  const stderr = expect.stringContaining("CLIENT_ID");
  await expect(reader.run(`node examples/${example}`)).rejects.toMatchObject({ code: 2, stderr });
});

test("client-credentials.ts with a wrong secret → the error, exit code 1", async () => {
  await follow("examples/client-credentials.ts");
  const command = "CLIENT_ID=… CLIENT_SECRET=wrong node examples/client-credentials.ts";
  const stdout = expect.stringMatching(/^401 \{[\s\S]*'invalid_client'/);
  await expect(reader.run(command)).rejects.toMatchObject({ code: 1, stdout });
});

describe("a service in its own name", () => {
  test.each([
    "client-credentials.ts",
    "client-authentication/client-secret-basic.ts",
    "client-authentication/client-secret-post.ts",
    "client-authentication/client-secret-jwt.ts",
    "client-authentication/private-key-jwt.ts",
  ])("%s → a token", async (example) => {
    expect(await follow(`examples/${example}`)).toMatch(/^200 \{[\s\S]*access_token: 'eyJ[\s\S]*scope: 'photos:read'/);
  });

  test("libraries/client-credentials.ts, by each method → a token", async () => {
    const answers = [];
    for (const command of commandsOf("examples/libraries/client-credentials.ts")) {
      const said = await reader.run(command);
      if (command.startsWith("AUTH_METHOD=")) answers.push(said);
    }
    expect(answers).toHaveLength(4);
    for (const answer of answers) expect(answer).toMatch(/access_token: 'eyJ[\s\S]*scope: 'photos:read'/);
  });

  test("client-authentication/mutual-tls.ts, a server that terminates TLS → a token by each method, bound to the certificate", async () => {
    const port = await freePort();
    const elsewhere = aReader({ ISSUER: `https://localhost:${port}`, ASSENT_ISSUER: `https://localhost:${port}` }, ran);
    try {
      const answers = [];
      for (const each of commandsOf("examples/client-authentication/mutual-tls.ts")) {
        const command = each.replaceAll(":9443", `:${port}`);
        if (command.includes("assent serve")) await elsewhere.start(command, /"event":"started"/);
        else answers.push(await elsewhere.run(command));
      }
      // The same with the library, for the client that was registered last.
      const [withLibrary = ""] = commandsOf("examples/libraries/mutual-tls.ts");
      const self = withLibrary.replaceAll("import.", "self.");
      expect(await elsewhere.run(self)).toMatch(/access_token: 'eyJ[\s\S]*scope: 'reports:write'/);
      const got = answers.filter((answer) => answer.startsWith("200"));
      expect(got.map((answer) => /SHA-256 ([\w-]{43})$/m.exec(answer)?.[1])).toEqual([
        expect.any(String),
        expect.any(String),
      ]);
      expect(new Set(got).size).toBe(2);
      const others = "CERT=import.pem KEY=import.key NODE_EXTRA_CA_CERTS=server.pem";
      const stdout = expect.stringMatching(/^401 \{[\s\S]*'invalid_client'/);
      await expect(
        elsewhere.run(`CLIENT_ID=… ${others} node examples/client-authentication/mutual-tls.ts`),
      ).rejects.toMatchObject({ code: 1, stdout });
    } finally {
      await elsewhere.leave();
    }
  }, 60_000);
});

describe("an app that acts for an owner", () => {
  test("authorization-code.ts, refresh.ts → tokens that only their owner can read, new ones, and a revocation", async () => {
    const connecting = await begin("examples/authorization-code.ts", /Open (\S+)/);
    const callback = await allow(connecting.found[1] ?? "");
    // Another program on this machine sends a request first.
    const forged = new URL(callback);
    forged.searchParams.set("state", "guessed");
    expect((await fetch(forged)).status).toBe(404);
    expect((await fetch(callback)).status).toBe(200);
    expect(await connecting.ended()).toMatchObject({
      code: 0,
      said: expect.stringContaining("Connected: photos:read"),
    });

    const file = join(reader.folder, "tokens.json");
    const stored = () => (JSON.parse(readFileSync(file, "utf8")) as { refresh_token: string }).refresh_token;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = stored();
    const [refresh = "", revoke = ""] = commandsOf("examples/refresh.ts");
    expect(await reader.run(refresh)).toContain("Refreshed: photos:read");
    expect(stored()).not.toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await reader.run(revoke)).toContain("Given back");
    expect(() => statSync(file)).toThrow("ENOENT");
  });

  test("authorization-code.ts, denied → access_denied", async () => {
    const connecting = await begin("examples/authorization-code.ts", /Open (\S+)/);
    const url = connecting.found[1] ?? "";
    await fetch(await authorize(new Agent(server.issuer), url, "demo", { decision: "deny" }));
    expect(await connecting.ended()).toMatchObject({ code: 1, said: expect.stringContaining("access_denied") });
  });

  test("libraries/authorization-code.ts → tokens, a refresh, a revocation", async () => {
    const connecting = await begin("examples/libraries/authorization-code.ts", /Open (\S+)/);
    await fetch(await allow(connecting.found[1] ?? ""));
    const { code, said } = await connecting.ended();
    expect(code, said).toBe(0);
    expect(said).toMatch(/Connected: photos:read[\s\S]*Refreshed: photos:read[\s\S]*Given back/);
  });

  test("libraries/openid-connect.ts → who signed in, and their claims", async () => {
    const connecting = await begin("examples/libraries/openid-connect.ts", /Open (\S+)/);
    await fetch(await allow(connecting.found[1] ?? ""));
    const { code, said } = await connecting.ended();
    expect(code, said).toBe(0);
    expect(said).toMatch(/Signed in: \S{22}, at \d+\nName: .*, address: \S+@\S+, verified: (?:true|false)/);
  });

  test.each([
    ["libraries/passport.ts", "4000"],
    ["libraries/simple-oauth2.ts", "4001"],
  ])("%s → the visitor is connected", async (example, usual) => {
    const port = await freePort();
    const [create = "", start = ""] = commandsOf(`examples/${example}`).map((each) =>
      each.replaceAll(usual, `${port}`),
    );
    await reader.run(create);
    await reader.start(start, /App on/);
    const visitor = new Agent(`http://127.0.0.1:${port}`);
    const begun = await visitor.get("/");
    const callback = await allow(begun.location?.href ?? "");
    const page = await visitor.get(callback.href);
    expect(JSON.parse(page.text)).toEqual({ connected: { scope: "photos:read", expires_in: 600 } });
  });

  test("implicit.ts → its page asks for a token and gets it in the fragment", async () => {
    const [create = "", start = ""] = commandsOf("examples/implicit.ts");
    await reader.run(create);
    const { found } = await reader.start(`PORT=0 ${start}`, /Open (\S+)/);
    const page = await (await fetch(found[1] ?? "")).text();
    const { issuer, ...asked } = JSON.parse(/settings = (.*);/.exec(page)?.[1] ?? "") as Record<string, string>;
    const query = new URLSearchParams({ response_type: "token", redirect_uri: found[1] ?? "", state: "s", ...asked });
    expect((await allow(`${issuer}/authorize?${query}`)).hash).toMatch(/^#access_token=eyJ/);
  });

  test.each(["password.ts", "libraries/password.ts"])(
    "%s, the password from standard input → a token",
    async (example) => {
      const commands = commandsOf(`examples/${example}`).map((command) => command.replace(" < password.txt", ""));
      for (const command of commands.slice(0, -1)) await reader.run(command);
      expect(await reader.run(commands.at(-1) ?? "", `${PASSWORD}\n`)).toMatch(/\{[\s\S]*scope: 'photos:read'/);
    },
  );
});

describe("a device", () => {
  test.each(["device.ts", "libraries/device.ts"])(
    "%s: the printed code is entered and allowed in a browser → a token",
    async (example) => {
      const device = await begin(`examples/${example}`, /enter ([A-Z]{4}-[A-Z]{4})/);
      const agent = new Agent(server.issuer);
      await signIn(agent, "demo");
      const page = await agent.get("/device");
      const form = page.forms.find(({ fields }) => fields.has("user_code"));
      if (form === undefined) throw new Error(page.text);
      const consent = await agent.follow(await agent.submit(form, { user_code: device.found[1] ?? "" }));
      const asked = consent.forms.find(({ fields }) => fields.has("duration")) ?? consentForm(consent);
      await agent.follow(await agent.submit(asked, { decision: "allow" }));
      expect(await device.ended()).toMatchObject({ code: 0, said: expect.stringContaining("eyJ") });
    },
  );
});

describe("an assertion of a trusted issuer", () => {
  test.each(["assertion.ts", "saml2-bearer.ts"])("%s → a token", async (example) => {
    expect(await follow(`examples/${example}`)).toMatch(/^200 \{[\s\S]*access_token: 'eyJ/);
  });

  test("saml2-bearer.ts about an unknown person → refused, exit code 1", async () => {
    const command = commandsOf("examples/saml2-bearer.ts").at(-1)?.replace("=demo", "='<&>'") ?? "";
    const stdout = expect.stringMatching(/^400 \{[\s\S]*'invalid_grant'/);
    await expect(reader.run(command)).rejects.toMatchObject({ code: 1, stdout });
    const refusal = server.log.map((line) => JSON.parse(line)).findLast(({ event }) => event === "refused");
    expect(refusal.condition).toBe("assertion_subject_unknown");
  });

  test("libraries/saml2-bearer.ts, another key of the same provider → a token", async () => {
    const [key = "", issuer = "", ...rest] = commandsOf("examples/libraries/saml2-bearer.ts");
    await reader.run(key);
    // The example above has registered the provider already.
    expect(issuer).toBe(commandsOf("examples/saml2-bearer.ts")[1]);
    await reader.run("npx assent issuer update https://idp.example.com/saml --certificate idp.pem");
    let said = "";
    for (const command of rest) said = await reader.run(command);
    expect(said).toContain("access_token: 'eyJ");
  });

  test("libraries/jwt-bearer.ts, another key of the same issuer → a token", async () => {
    const [keys = "", issuer = "", ...rest] = commandsOf("examples/libraries/jwt-bearer.ts");
    expect(await reader.run(keys)).toContain("idp.jwks.json");
    // The example above has registered the issuer already.
    expect(issuer).toBe(commandsOf("examples/assertion.ts")[1]);
    await reader.run("npx assent issuer update https://idp.example.com --jwks idp.jwks.json");
    let said = "";
    for (const command of rest) said = await reader.run(command);
    expect(said).toContain("access_token: 'eyJ");
  });
});

describe("an API with introspection", () => {
  test("introspection.ts, libraries/introspection.ts → the claims of a valid token; inactive for a guessed one", async () => {
    const said = await follow("examples/introspection.ts");
    expect(said).toMatch(/The service sends at_\S+\nThe API lets it in: \{\n {2}active: true/);
    expect(said).toMatch(/nobody issued: \{ active: false \}\n$/);
    // The API, scope and service are the same as in the other example.
    const commands = commandsOf("examples/libraries/introspection.ts");
    expect(commands.slice(0, -1)).toEqual(commandsOf("examples/introspection.ts").slice(0, -1));
    expect(await reader.run(commands.at(-1) ?? "")).toMatch(/active: true[\s\S]*vault:open[\s\S]*\{ active: false \}/);
  });
});

test("custom-grant.ts as the server's configuration → a token for a printed voucher, none for anything else", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const kiosk = aReader(
    {
      ...{ ISSUER: `http://${address}`, ASSENT_ISSUER: `http://${address}`, ASSENT_LISTEN: address },
      ...{ ASSENT_CONFIG: "examples/custom-grant.ts", VOUCHER_KEY: randomBytes(32).toString("base64") },
    },
    ran,
  );
  try {
    const [serve = "", ...commands] = commandsOf("examples/custom-grant.ts");
    const exchange = commands.at(-1) ?? "";
    await kiosk.start(serve, /"event":"started"/);
    let said = "";
    for (const command of commands) said = await kiosk.run(command);
    expect(said).toMatch(/^200 \{[\s\S]*access_token: 'eyJ[\s\S]*scope: 'records:read'/);
    const refused = { code: 1, stdout: expect.stringMatching(/^400 \{[\s\S]*'invalid_grant'/) };
    // A voucher works once, and only the desk can make vouchers.
    await expect(kiosk.run(exchange)).rejects.toMatchObject(refused);
    const other = `VOUCHER_KEY=${randomBytes(32).toString("base64")} ${commands.at(-2)}`;
    await kiosk.run(other);
    await expect(kiosk.run(exchange)).rejects.toMatchObject(refused);
  } finally {
    await kiosk.leave();
  }
});

test("custom-claims.ts as the server's configuration → UserInfo has what the directory says; without the directory, it fails", async () => {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const asked: string[] = [];
  const directory = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end(JSON.stringify({ team: "surgery" }));
  }).listen(0, "127.0.0.1");
  await once(directory, "listening");
  const { port } = directory.address() as AddressInfo;
  const operator = aReader(
    {
      ...{ ASSENT_ISSUER: issuer, ASSENT_LISTEN: new URL(issuer).host, STAFF: `http://127.0.0.1:${port}/people` },
      ASSENT_CONFIG: "examples/custom-claims.ts",
    },
    ran,
  );
  try {
    const [serve = "", scope = "", user = "", client = ""] = commandsOf("examples/custom-claims.ts");
    await operator.start(serve, /"event":"started"/);
    await operator.run(scope);
    const alice = JSON.parse(await operator.run(user));
    const { client_id } = JSON.parse(await operator.run(client));
    const redirect = { redirect_uri: "https://rota.clinic.example/cb", client_id };
    const verifier = "v".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const ask = {
      response_type: "code",
      scope: "openid team",
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    const agent = new Agent(issuer);
    const page = await agent.follow(await agent.get(`/authorize?${new URLSearchParams({ ...redirect, ...ask })}`));
    const [form] = page.forms.filter(({ fields }) => fields.has("username"));
    const { username, password } = alice;
    const question = await agent.follow(await agent.submit(form ?? fail("no sign-in form"), { username, password }));
    expect(question.text).toContain("See your team");
    const { location } = await agent.submit(consentForm(question), { decision: "allow" });
    const code = location?.searchParams.get("code") ?? "";
    const fields = { grant_type: "authorization_code", code_verifier: verifier, code, ...redirect };
    const tokens = await fetch(`${issuer}/token`, { method: "POST", body: new URLSearchParams(fields) });
    const { access_token } = (await tokens.json()) as { access_token: string };
    const userInfo = () => fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await (await userInfo()).json()).toEqual({ sub: alice.id, team: "surgery" });
    expect(asked).toEqual([`/people/${alice.id}`]);
    directory.closeAllConnections();
    directory.close();
    expect((await userInfo()).status).toBe(500);
    // Its commands name it in a variable.
    ran.add("examples/custom-claims.ts");
  } finally {
    directory.close();
    await operator.leave();
  }
});

test("existing-people.ts as the server's configuration → a person of that table signs in; without the table, nobody new", async () => {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const database = await aPostgresDatabase("empty");
  const application = new Client({ connectionString: database.url });
  await application.connect();
  await application.query(
    "CREATE TABLE users (id bigint PRIMARY KEY, username text, email text, email_confirmed boolean, full_name text, password_hash text, active boolean)",
  );
  await application.query(
    "INSERT INTO users VALUES (7, 'Grace', 'grace@app.example', true, 'Grace Hopper', $1, true), (8, 'gone', 'gone@app.example', true, null, $1, false)",
    ["$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa"],
  );
  const operator = aReader(
    {
      ...{ ASSENT_ISSUER: issuer, ASSENT_LISTEN: new URL(issuer).host, APP_DATABASE_URL: database.url },
      ASSENT_CONFIG: "examples/existing-people.ts",
    },
    ran,
  );
  const password = "correct horse battery staple";
  const tries = async (username: string, typed = password) => {
    const agent = new Agent(issuer);
    const [form] = (await agent.get("/login")).forms;
    const { status } = await agent.submit(form ?? fail("no sign-in form"), { username, password: typed });
    return status;
  };
  try {
    const [serve = ""] = commandsOf("examples/existing-people.ts");
    await operator.start(serve, /"event":"started"/);
    expect(await tries("gone")).toBe(200);
    expect(await tries("GRACE@app.example", "another")).toBe(200);
    expect(await tries("GRACE@app.example")).toBe(303);
    await application.query("DROP TABLE users");
    expect(await tries("grace")).toBe(303);
    expect(await tries("somebody-new")).toBe(503);
    ran.add("examples/existing-people.ts");
  } finally {
    await operator.leave();
    await application.end();
    await database.drop();
  }
});

function fail(why: string): never {
  throw new Error(why);
}

/** test/quickstart, test/existing-app, test/sign-in-examples, test/browser/own-sign-in-page, test/flows and test/mcp-example run these. */
const ELSEWHERE = /^(?:quickstart|existing-app|sign-in|own-sign-in-page|webhooks|mcp|policies)\//;

test("each example → was run by this file, and is in examples/README.md", () => {
  const folder = join(import.meta.dirname, "../examples");
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  expect(all.filter((name) => !ELSEWHERE.test(name) && !ran.has(`examples/${name}`))).toEqual([]);
  expect(all.filter((name) => !readme.includes(`](${name})`))).toEqual([]);
});
