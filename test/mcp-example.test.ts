/**
 * The MCP server and the agent of examples/mcp, by their commands, and the MCP SDK's own client against that server:
 * discovery, client ID metadata document, code, step-up, refresh, revocation.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aDocumentSite, type DocumentSite, LOOPBACK } from "./support/document-site.ts";
import { freePort } from "./support/free-port.ts";
import { Agent, authorize, authorizeUrl, pkce, postForm, redeem, refresh } from "./support/http-browser.ts";
import { aReader, commandsOf, type Reader } from "./support/run-commands-of-example.ts";
import { startServer, type TestServer } from "./support/test-server.ts";

const MCP = "examples/mcp/server.ts";
let server: TestServer;
let site: DocumentSite;
let reader: Reader;
let mcp: string;

beforeAll(async () => {
  [server, site] = await Promise.all([
    startServer({ fetchFromLoopback: true, config: { clientIdMetadata: "on" } }),
    aDocumentSite(),
  ]);
  await server.addPerson({ username: "demo" });
  const port = await freePort();
  mcp = `http://127.0.0.1:${port}/mcp`;
  const env = { ISSUER: server.issuer, ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir, MCP_URL: mcp };
  reader = aReader(env, new Set());
  const commands = commandsOf(MCP).map((command) => command.replaceAll(":3100", `:${port}`));
  for (const command of commands.slice(0, -1)) await reader.run(command);
  await reader.start(commands.at(-1) ?? "", /MCP server on/);
});
afterAll(async () => {
  await reader.leave();
  await server.stop();
  await site.close();
});

test("docs/integrate/mcp.md has the commands of both examples", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/integrate/mcp.md"), "utf8");
  for (const command of [...commandsOf(MCP), ...commandsOf("examples/mcp/client.ts")])
    expect(page).toContain(`\n${command}\n`);
});

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(mcp, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The tokens that the person `demo` allows a client with a document at this path. */
async function tokensFor(path: string, scope: string, agent = new Agent(server.issuer)) {
  const client = site.publish(`/${path}.json`);
  const proof = pkce();
  const challenge = { code_challenge: proof.challenge, code_challenge_method: "S256" };
  const url = authorizeUrl(server, client, { ...challenge, scope, resource: mcp });
  const callback = await authorize(agent, url, "demo");
  const { body } = await redeem(server, client, callback, { code_verifier: proof.verifier });
  return { client, access: body.access_token ?? "", refresh: body.refresh_token ?? "" };
}

const aToken = async (path: string, scope = "notes:read") => (await tokensFor(path, scope)).access;
const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const refusal = async (token: string) => {
  const { status, headers } = await post(PING, { ...bearer(token), accept: "application/json, text/event-stream" });
  return [status, headers.get("www-authenticate")];
};

describe("requests that the MCP server refuses", () => {
  test("no token → 401, which names the document and the scope", async () => {
    const answer = await post("{}");
    expect(answer.status).toBe(401);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    const document = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(challenge).toContain('scope="notes:read"');
    expect(await (await fetch(document)).json()).toMatchObject({
      resource: mcp,
      authorization_servers: [server.issuer],
      scopes_supported: ["notes:read", "notes:write"],
    });
  });

  test("a token in the query → 401", async () => {
    const token = await aToken("query");
    const answer = await fetch(`${mcp}?access_token=${token}`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
  });

  test("a token for another API → 401 invalid_token", async () => {
    await server.addResource({ identifier: "https://other.test" });
    await server.addScope({ name: "other:read", description: "Read others", resource: "https://other.test" });
    const other = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["other:read"] });
    const { body } = await postForm(server, "/token", other, { grant_type: "client_credentials", scope: "other:read" });
    expect(body.scope).toBe("other:read");
    const answer = await post("{}", bearer(body.access_token ?? ""));
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  });

  test("a genuine token that has expired → 401 invalid_token; a live one of the same client → answered", async () => {
    // The clock of the MCP server is right.
    server.tick(-3_600_000);
    const expired = await aToken("expired");
    server.tick(3_600_000);
    expect(await refusal(expired)).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(await refusal(await aToken("expired"))).toEqual([200, null]);
  });

  test("a genuine token without the scope that every request needs → 403, which names it", async () => {
    const refused = await refusal(await aToken("writer", "notes:write"));
    expect(refused).toEqual([403, expect.stringMatching(/error="insufficient_scope".*scope="notes:read"/)]);
  });

  test("the owner removed the access → no new token; the last one → 401 when its 10 minutes are over", async () => {
    const agent = new Agent(server.issuer);
    server.tick(-3_600_000);
    const { client, access, refresh: token } = await tokensFor("removed", "notes:read", agent);
    await removeAccess(agent, client.clientId);
    const { status, body } = await refresh(server, client, token);
    server.tick(3_600_000);
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
    expect(await refusal(access)).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  test("a tool beyond the token's scopes, also inside a batch → 403 insufficient_scope, with all that it needs", async () => {
    const token = await aToken("narrow");
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add_note", arguments: { text: "x" } },
    };
    for (const body of [call, [{ jsonrpc: "2.0", id: 0, method: "ping" }, call]]) {
      const answer = await post(JSON.stringify(body), bearer(token));
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        403,
        expect.stringMatching(/^(?=.*error="insufficient_scope")(?=.*scope="notes:read notes:write")/),
      ]);
    }
  });

  test.each([
    ["a body that is no JSON → 400", "{", 400],
    ["a body of 70 kB → 413", `"${"x".repeat(70_000)}"`, 413],
  ] as const)("%s", async (_, body, status) => {
    const token = await aToken("body");
    expect((await post(body, bearer(token))).status).toBe(status);
  });
});

test("client.ts → allowed once for reading, once more for writing; the tools answer", async () => {
  const started = await reader.start(
    `PORT=${await freePort()} ${commandsOf("examples/mcp/client.ts")[0]}`,
    /Open (\S+)/,
  );
  const agent = new Agent(server.issuer);
  const first = new URL(started.found[1] ?? "");
  expect(first.searchParams.get("scope")).toBe("notes:read");
  expect(first.searchParams.get("resource")).toBe(mcp);
  await fetch(await authorize(agent, first.href, "demo"));
  const second = await started.says(/Open \S+[\s\S]*Open (\S+)/);
  await fetch(await authorize(agent, second[1] ?? "", "demo"));
  const { code, said } = await started.ended();
  expect(code, said).toBe(0);
  expect(said).toMatch(
    /Connected: notes:read\nlist_notes: \n[\s\S]*add_note: Added\nNow: notes:read notes:write\nlist_notes: Buy milk/,
  );
});

/** The owner removes the access of the client with this id. */
async function removeAccess(agent: Agent, clientId: string): Promise<void> {
  const { forms } = await agent.get("/account/apps");
  const form = forms.find(({ action, fields }) => action.endsWith("/revoke") && fields.get("client_id") === clientId);
  if (form === undefined) throw new Error("the app is not in the list");
  await agent.submit(form, {});
}

describe("the SDK's own client", () => {
  test("an access token that the API refuses → a refresh without the owner; access removed → the owner is asked again", async () => {
    const { clientId } = site.publish("/sdk.json");
    let tokens: OAuthTokens | undefined;
    let verifier = "";
    let asked: URL | undefined;
    const refused: string[] = [];
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(mcp), {
        authProvider: {
          redirectUrl: LOOPBACK,
          clientMetadata: { client_name: "Code Tool", redirect_uris: [LOOPBACK] },
          clientInformation: () => ({ client_id: clientId }),
          tokens: () => tokens,
          saveTokens: (newer) => {
            tokens = newer;
          },
          codeVerifier: () => verifier,
          saveCodeVerifier: (newer) => {
            verifier = newer;
          },
          redirectToAuthorization: (url) => {
            asked = url;
          },
          invalidateCredentials: (what) => {
            refused.push(what);
            tokens = undefined;
          },
        },
      });
    const connect = async () => {
      const client = new Client({ name: "test", version: "1" });
      const used = transport();
      await client.connect(used as Transport);
      return client;
    };

    await expect(connect()).rejects.toBeInstanceOf(UnauthorizedError);
    const agent = new Agent(server.issuer);
    const callback = await authorize(agent, asked?.href ?? "", "demo");
    await transport().finishAuth(callback.searchParams.get("code") ?? "");
    const first = tokens;
    await (await connect()).close();

    tokens = { ...(first as OAuthTokens), access_token: "not.valid" };
    const client = await connect();
    expect(tokens.access_token).not.toBe("not.valid");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["list_notes", "add_note"]);
    await client.close();

    await removeAccess(agent, clientId);
    tokens = { ...tokens, access_token: "not.valid" };
    asked = undefined;
    await expect(connect()).rejects.toBeInstanceOf(UnauthorizedError);
    expect([refused, new URL(`${asked}`).pathname]).toEqual([["tokens"], "/authorize"]);
  });
});
