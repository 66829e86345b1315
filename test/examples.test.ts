/** The examples, run as their first lines say, against a server that has what the demo has: an owner `demo` and a scope `photos:read`. */

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "./support/free-port.ts";
import { Agent, authorize, consentForm, signIn } from "./support/http-browser.ts";
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

/** Runs all commands of an example but those that go on until somebody answers; what the last one printed. */
async function follow(example: string, input?: string): Promise<string> {
  let said = "";
  for (const command of commandsOf(example)) said = await reader.run(command, input);
  return said;
}

/** Runs the commands before the last one, and starts that. */
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
])("%s without its variables → says what to set, exit code 2", async (example) => {
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

  test("client-authentication/mutual-tls.ts, a server that ends TLS → a token by each method, bound to the certificate", async () => {
    const port = await freePort();
    const elsewhere = aReader({ ISSUER: `https://localhost:${port}`, ASSENT_ISSUER: `https://localhost:${port}` }, ran);
    try {
      const answers = [];
      for (const each of commandsOf("examples/client-authentication/mutual-tls.ts")) {
        const command = each.replaceAll(":9443", `:${port}`);
        if (command.includes("assent serve")) await elsewhere.start(command, /"event":"started"/);
        else answers.push(await elsewhere.run(command));
      }
      // The library's version, as the client that was registered last.
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

describe("an app that its owner connects", () => {
  test("authorization-code.ts, refresh.ts → tokens for their owner alone, a next one, and given back", async () => {
    const connecting = await begin("examples/authorization-code.ts", /Open (\S+)/);
    const callback = await allow(connecting.found[1] ?? "");
    // Somebody else on this machine calls first.
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

  test("libraries/authorization-code.ts → connects, refreshes, gives back", async () => {
    const connecting = await begin("examples/libraries/authorization-code.ts", /Open (\S+)/);
    await fetch(await allow(connecting.found[1] ?? ""));
    const { code, said } = await connecting.ended();
    expect(code, said).toBe(0);
    expect(said).toMatch(/Connected: photos:read[\s\S]*Refreshed: photos:read[\s\S]*Given back/);
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

  test("implicit.ts → its page asks for a token, which comes back to it in the fragment", async () => {
    const [create = "", start = ""] = commandsOf("examples/implicit.ts");
    await reader.run(create);
    const { found } = await reader.start(`PORT=0 ${start}`, /Open (\S+)/);
    const page = await (await fetch(found[1] ?? "")).text();
    const { issuer, ...asked } = JSON.parse(/settings = (.*);/.exec(page)?.[1] ?? "") as Record<string, string>;
    const query = new URLSearchParams({ response_type: "token", redirect_uri: found[1] ?? "", state: "s", ...asked });
    expect((await allow(`${issuer}/authorize?${query}`)).hash).toMatch(/^#access_token=eyJ/);
  });

  test.each(["password.ts", "libraries/password.ts"])(
    "%s, the password by standard input → a token",
    async (example) => {
      const commands = commandsOf(`examples/${example}`).map((command) => command.replace(" < password.txt", ""));
      for (const command of commands.slice(0, -1)) await reader.run(command);
      expect(await reader.run(commands.at(-1) ?? "", `${PASSWORD}\n`)).toMatch(/\{[\s\S]*scope: 'photos:read'/);
    },
  );
});

describe("a device", () => {
  test.each(["device.ts", "libraries/device.ts"])(
    "%s: the code it prints, entered and allowed in a browser → a token",
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

describe("a person whom somebody vouches for", () => {
  test.each(["assertion.ts", "saml2-bearer.ts"])("%s → a token", async (example) => {
    expect(await follow(`examples/${example}`)).toMatch(/^200 \{[\s\S]*access_token: 'eyJ/);
  });

  test("saml2-bearer.ts about nobody here → refused, exit code 1", async () => {
    const command = commandsOf("examples/saml2-bearer.ts").at(-1)?.replace("=demo", "='<&>'") ?? "";
    const stdout = expect.stringMatching(/^400 \{[\s\S]*'invalid_grant'/);
    await expect(reader.run(command)).rejects.toMatchObject({ code: 1, stdout });
    const refusal = server.log.map((line) => JSON.parse(line)).findLast(({ event }) => event === "refused");
    expect(refusal.condition).toBe("assertion_subject_unknown");
  });

  test("libraries/saml2-bearer.ts, another key of the same provider → a token", async () => {
    const [key = "", issuer = "", ...rest] = commandsOf("examples/libraries/saml2-bearer.ts");
    await reader.run(key);
    // The operator knows the provider already, by the example above.
    expect(issuer).toBe(commandsOf("examples/saml2-bearer.ts")[1]);
    await reader.run("npx assent issuer update https://idp.example.com/saml --certificate idp.pem");
    let said = "";
    for (const command of rest) said = await reader.run(command);
    expect(said).toContain("access_token: 'eyJ");
  });

  test("libraries/jwt-bearer.ts, another key of the same issuer → a token", async () => {
    const [keys = "", issuer = "", ...rest] = commandsOf("examples/libraries/jwt-bearer.ts");
    expect(await reader.run(keys)).toContain("idp.jwks.json");
    // The operator knows the issuer already, by the example above.
    expect(issuer).toBe(commandsOf("examples/assertion.ts")[1]);
    await reader.run("npx assent issuer update https://idp.example.com --jwks idp.jwks.json");
    let said = "";
    for (const command of rest) said = await reader.run(command);
    expect(said).toContain("access_token: 'eyJ");
  });
});

describe("an API that asks", () => {
  test("introspection.ts, libraries/introspection.ts → what a good token says, and nothing of a guessed one", async () => {
    const said = await follow("examples/introspection.ts");
    expect(said).toMatch(/The service sends at_\S+\nThe API lets it in: \{\n {2}active: true/);
    expect(said).toMatch(/nobody issued: \{ active: false \}\n$/);
    // The same API, permission and service.
    const commands = commandsOf("examples/libraries/introspection.ts");
    expect(commands.slice(0, -1)).toEqual(commandsOf("examples/introspection.ts").slice(0, -1));
    expect(await reader.run(commands.at(-1) ?? "")).toMatch(/active: true[\s\S]*vault:open[\s\S]*\{ active: false \}/);
  });
});

test("custom-grant.ts: the server takes it as its configuration; a printed voucher → one token, anything else → none", async () => {
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
    // Once is enough; and nobody but the desk prints vouchers.
    await expect(kiosk.run(exchange)).rejects.toMatchObject(refused);
    const other = `VOUCHER_KEY=${randomBytes(32).toString("base64")} ${commands.at(-2)}`;
    await kiosk.run(other);
    await expect(kiosk.run(exchange)).rejects.toMatchObject(refused);
  } finally {
    await kiosk.leave();
  }
});

/** Run by test/quickstart.test.ts. */
const QUICKSTART = /^quickstart\//;

test("each example was run here, and stands in examples/README.md", () => {
  const folder = join(import.meta.dirname, "../examples");
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  expect(all.filter((name) => !QUICKSTART.test(name) && !ran.has(`examples/${name}`))).toEqual([]);
  expect(all.filter((name) => !readme.includes(`](${name})`))).toEqual([]);
});
