/** Runs every command of the pages in docs/integrate, in order, with a shell and curl against a server. */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aJwtIssuer, claimsFor, claimsOf, jwtOf, trust } from "./support/assertion-requests.ts";
import { freePort } from "./support/free-port.ts";
import { Agent, authorize, authorizeUrl, pkce, redeem } from "./support/http-browser.ts";
import { aCertificate } from "./support/make-certificates.ts";
import { blocksOf } from "./support/markdown-code-blocks.ts";
import { aReader, type Reader } from "./support/run-commands-of-example.ts";
import { anIdentityProvider, assertionXml, signed } from "./support/saml-idp.ts";
import { PASSWORD, settle, startServer, type TestClient, type TestServer } from "./support/test-server.ts";

const pages = join(import.meta.dirname, "../docs/integrate");
/** The server's name on the pages. */
const LOGIN = "https://login.example.com";
const jwtIssuer = aJwtIssuer("https://idp.example.com");
const samlIssuer = anIdentityProvider("https://idp.example.com/saml");

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.addResource({ identifier: "https://api.example.com" });
  for (const name of ["photos:read", "payslips:read"]) {
    await server.addScope({ name, description: "See", resource: "https://api.example.com" });
  }
  await server.addScope({ name: "reports:write", description: "Write", resource: "https://api.example.com" });
  await server.addPerson({ username: "alice" });
  const scopes = ["payslips:read"];
  await trust(server, { issuer: jwtIssuer.issuer, type: "jwt", jwks: jwtIssuer.jwks, scopes });
  await trust(server, { issuer: samlIssuer.entityId, type: "saml", certificates: [samlIssuer.certificate], scopes });
});
afterAll(() => server.stop());

/** The commands of a page with the output that it shows: the keys of the JSON that follows. */
function commandsOf(name: string) {
  const blocks = blocksOf(readFileSync(join(pages, name), "utf8"));
  return blocks.flatMap(({ language, text }, at) => {
    if (language !== "sh") return [];
    const commands = text
      .trimEnd()
      .replaceAll(/ \\\n +/g, " ")
      .split("\n");
    const next = blocks[at + 1];
    const shown = next?.language === "json" ? Object.keys(JSON.parse(next.text)).sort() : undefined;
    return commands
      .filter((command) => !command.startsWith("#"))
      .map((command, index) => ({ command, shown: index === commands.length - 1 ? shown : undefined }));
  });
}

/** The page's last client, in the form for test helpers. */
function clientOf(reader: Reader): Pick<TestClient, "clientId" | "secret" | "redirectUris"> {
  const [clientId = "", secret = ""] = ["client_id", "client_secret"].map((name) => reader.printed.get(name));
  return { clientId, secret, redirectUris: ["https://print.example.com/callback"] };
}

/** A person answers on the pages. Returns a code and its verifier. */
async function aCode(reader: Reader) {
  const { verifier, challenge } = pkce();
  const proof = { code_challenge: challenge, code_challenge_method: "S256", scope: "photos:read" };
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, clientOf(reader), proof), "alice");
  return { code: callback.searchParams.get("code") ?? "", verifier };
}

/** Values that pages take as given: each variable, and how the test makes it when a command needs it. */
const given: Readonly<Record<string, (reader: Reader, command: string) => Promise<void> | void>> = {
  OWNER: ({ printed }) => void printed.set("owner", "alice"),
  PASSWORD: ({ printed }) => void printed.set("password", PASSWORD),
  CODE: async (reader) => {
    const { code, verifier } = await aCode(reader);
    reader.printed.set("code", code).set("verifier", verifier);
  },
  REFRESH_TOKEN: async (reader) => {
    const { code, verifier } = await aCode(reader);
    const { body } = await redeem(server, clientOf(reader), code, { code_verifier: verifier });
    reader.printed.set("refresh_token", body.refresh_token ?? "");
  },
  JWT: ({ printed }, command) => {
    const id = printed.get("client_id") ?? "";
    const claims = command.includes("client_assertion")
      ? { ...claimsFor(server, { issuer: id }, id), jti: randomUUID() }
      : claimsFor(server, jwtIssuer, "alice");
    const key = command.includes("client_assertion") ? clientKey : jwtIssuer.privateKey;
    printed.set("jwt", jwtOf({ privateKey: key }, claims));
  },
  ID_TOKEN: async (reader) => {
    const { verifier, challenge } = pkce();
    const app = { ...clientOf(reader), redirectUris: ["https://wiki.example.com/callback"] };
    const asked = { code_challenge: challenge, code_challenge_method: "S256", scope: "openid photos:read" };
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, app, asked), "alice");
    const code = callback.searchParams.get("code") ?? "";
    const { body } = await redeem(server, app, code, { code_verifier: verifier });
    reader.printed.set("id_token", String(body["id_token"]));
  },
  ID_JAG: ({ printed }) => {
    const issuer = { issuer: "https://acme.idp.example" };
    const claims = { ...claimsFor(server, issuer, "00u1a2b3c4"), client_id: printed.get("client_id") };
    printed.set("id_jag", jwtOf(jwtIssuer, claims, { alg: "ES256", kid: "one", typ: "oauth-id-jag+jwt" }));
  },
  PLATFORM_TOKEN: async ({ printed }) => {
    const issuer = "https://token.actions.githubusercontent.com";
    await trust(server, { issuer, type: "jwt", jwks: jwtIssuer.jwks, scopes: [] });
    const claims = claimsFor(server, { issuer }, "repo:octo/import:ref:refs/heads/main");
    printed.set("platform_token", jwtOf(jwtIssuer, claims));
  },
  SUBJECT_TOKEN: async ({ printed }) => {
    const app = await server.addClient({ name: "Assistant", scopes: ["photos:read", "mail:read"] });
    const { verifier, challenge } = pkce();
    const asked = { code_challenge: challenge, code_challenge_method: "S256", scope: "photos:read mail:read" };
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, app, asked), "alice");
    const proof = { code_verifier: verifier, resource: "https://api.example.com" };
    printed.set("subject_token", (await redeem(server, app, callback, proof)).body.access_token ?? "");
  },
  ACCESS_TOKEN: async ({ printed }) => {
    await server.addScope({ name: "vault:open", description: "Open", resource: "https://vault.example.com" });
    const service = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["vault:open"] });
    await settle();
    const authorization = `Basic ${btoa(`${service.clientId}:${service.secret}`)}`;
    const body = new URLSearchParams({ grant_type: "client_credentials" });
    const answer = await fetch(`${server.issuer}/token`, { method: "POST", body, headers: { authorization } });
    printed.set("access_token", ((await answer.json()) as { access_token: string }).access_token);
  },
};
const { publicKey, privateKey: clientKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Writes the files that pages take as given. */
function putFiles(folder: string): void {
  const put = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);
  put("keys.json", JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one" }] }));
  put("idp-keys.json", jwtIssuer.jwks);
  put("logo.png", readFileSync(join(import.meta.dirname, "../packages/demo/assets/logo.png")));
  put("assertion.xml", signed(assertionXml(server, samlIssuer, "alice"), samlIssuer));
}

function hasCurl(): boolean {
  try {
    return execFileSync("curl", ["--version"]).length > 0;
  } catch {
    return false;
  }
}

const OF_A_CLIENT = ["code", "verifier", "refresh_token", "jwt", "device_code"];

/** Records of an earlier page are not created again. */
const ONCE = /^npx assent (?:resource|scope) create (?:--identifier )?(\S+)/;
const there = new Set(["https://api.example.com", "photos:read", "reports:write"]);

async function type(reader: Reader, command: string): Promise<string> {
  const made = ONCE.exec(command)?.[1];
  if (made !== undefined && there.has(made)) return "";
  if (made !== undefined) there.add(made);
  for (const [, name = ""] of command.matchAll(/\$\{?([A-Z_]+)/g)) {
    if (!reader.printed.has(name.toLowerCase())) await given[name]?.(reader, command);
  }
  const said = await reader.run(command.replaceAll(LOGIN, server.issuer));
  // The values of the last client don't belong to the new one.
  if (command.includes("client create")) for (const name of OF_A_CLIENT) reader.printed.delete(name);
  if (said.startsWith("{")) {
    const answer = JSON.parse(said) as Record<string, unknown>;
    for (const [name, value] of Object.entries(answer)) reader.printed.set(name, String(value));
  }
  return said;
}

/** A device that polls before its owner has answered. */
const EARLY = /grant_type=urn:ietf:params:oauth:grant-type:device_code/;
/** Needs a server that terminates TLS. */
const MUTUAL = /--cert |tls_client_auth/;

const reader = (env: Readonly<Record<string, string>> = {}) =>
  aReader({ ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir, ...env }, new Set());

/** Pages without commands, and pages whose commands other tests run. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "README.md": "has no commands",
  "agents.md": "has no commands",
  "receipts.md": "has no commands",
  "step-up.md": "has no commands",
  "client-id-metadata.md": "needs a host that publishes documents: test/flows/client-id-metadata.test.ts has one",
  "mcp.md": "has the programs of examples/mcp: test/mcp-example.test.ts",
  "dynamic-registration.md": "needs a server that lets clients register: test/flows/registration.test.ts has one",
  "existing-people.md": "needs a server with such people: test/examples.test.ts runs its example",
  "own-sign-in-page.md": "needs such a page: test/own-sign-in-page-docs.test.ts",
  "claims.md": "needs a server with those claims: the test below",
  "custom-grant.md": "needs a server with that grant: test/examples.test.ts runs its example",
};

test.for(readdirSync(pages).filter((name) => ELSEWHERE[name] === undefined))(
  "docs/integrate/%s: each command in its order → does what the page says",
  { timeout: 60_000 },
  async (name, { skip }) => {
    if (!hasCurl()) return skip("there is no curl on this machine");
    const own = reader();
    putFiles(own.folder);
    try {
      let typed = 0;
      for (const { command, shown } of commandsOf(name).filter(({ command }) => !MUTUAL.test(command))) {
        const said = await type(own, command);
        typed += 1;
        if (!command.includes("curl ")) continue;
        if (command.includes("%{redirect_url}")) expect(said, command).toContain("#error=login_required");
        else if (EARLY.test(command)) expect(JSON.parse(said)).toMatchObject({ error: "authorization_pending" });
        else expect(JSON.parse(said), command).not.toHaveProperty("error");
        if (shown !== undefined) expect(Object.keys(JSON.parse(said)).sort(), command).toEqual(shown);
      }
      expect(typed).toBeGreaterThan(1);
    } finally {
      await own.leave();
    }
  },
);

test("docs/integrate/claims.md: each command, with its file as the configuration → doctor misses the scope, then nothing", async () => {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const own = reader({
    ...{ ASSENT_ISSUER: issuer, ASSENT_LISTEN: new URL(issuer).host, ASSENT_DATA_DIR: "data" },
    ...{ ASSENT_CONFIG: "examples/custom-claims.ts", STAFF: `${issuer}/people` },
  });
  const doctor = () => own.run("npx assent doctor --json").catch((error: { stdout: string }) => error.stdout);
  try {
    await own.start("npx assent serve", /"event":"started"/);
    expect(await doctor()).toContain("team");
    const created = await own.run(
      "npx assent client create --name Rota --type public --scope openid --redirect-uri https://rota.example/cb --json",
    );
    own.printed.set("client_id", (JSON.parse(created) as { client_id: string }).client_id);
    const commands = commandsOf("claims.md").map(({ command }) => command);
    expect(commands).toHaveLength(2);
    for (const command of commands) await own.run(command);
    expect(await own.run('npx assent client show "$CLIENT_ID" --json')).toContain('"scope": "openid team"');
    expect(await doctor()).not.toContain("team");
    const document = await fetch(`${issuer}/.well-known/openid-configuration`);
    expect(await document.json()).toMatchObject({
      claims_supported: expect.arrayContaining(["team", "https://clinic.example/ward"]),
      scopes_supported: expect.arrayContaining(["team"]),
    });
  } finally {
    await own.leave();
  }
});

test("docs/integrate/client-authentication.md: both ways with a certificate, at a server that ends TLS → bound tokens", async ({
  skip,
}) => {
  if (!hasCurl()) return skip("there is no curl on this machine");
  const authority = aCertificate({ subject: "/CN=Clients CA", authority: true });
  const site = aCertificate({ subject: "/CN=localhost", names: "DNS:localhost" });
  const client = aCertificate({ subject: "/CN=import", names: "DNS:import.example.com", by: authority });
  const port = await freePort();
  const issuer = `https://localhost:${port}`;
  const own = reader({
    ...{
      ASSENT_ISSUER: issuer,
      ASSENT_LISTEN: `127.0.0.1:${port}`,
      ASSENT_DATA_DIR: "data",
      CURL_CA_BUNDLE: site.certPath,
    },
    ...{ ASSENT_TLS_CERT: site.certPath, ASSENT_TLS_KEY: site.keyPath, ASSENT_TLS_CLIENT_CA: authority.certPath },
  });
  const files = [
    ["import.pem", client.cert],
    ["import.key", client.key],
    ["keys.json", client.jwks],
  ] as const;
  for (const [name, text] of files) writeFileSync(join(own.folder, name), text);
  try {
    await own.start("npx assent serve", /"event":"started"/);
    await own.run('npx assent scope create reports:write --description "Write reports"');
    const commands = commandsOf("client-authentication.md").map(({ command }) => command);
    const [byAuthority = "", bySelf = "", ask = ""] = commands.filter((command) => MUTUAL.test(command));
    for (const create of [byAuthority, `${bySelf} --certificate-bound`]) {
      await own.run(create);
      const { access_token } = JSON.parse(await own.run(ask.replaceAll(LOGIN, issuer))) as { access_token: string };
      expect(claimsOf(access_token)["cnf"]).toEqual({ "x5t#S256": client.thumbprint });
    }
  } finally {
    await own.leave();
  }
});
