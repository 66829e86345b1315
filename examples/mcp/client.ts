/**
 * An agent that nobody registered, for the MCP server beside it:
 *
 *   node examples/mcp/client.ts
 *
 * It publishes a document about itself, whose address is its client_id. The server reads it if it runs with
 * ASSENT_CLIENT_ID_METADATA=on, and on one machine also needs ASSENT_OUTBOUND_ALLOW=127.0.0.1.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

const mcp = new URL(process.env["MCP_URL"] ?? "http://127.0.0.1:3100/mcp");
const port = Number(process.env["PORT"] ?? 3200);
const origin = `http://127.0.0.1:${port}`;

const document = {
  client_id: `${origin}/client.json`,
  client_name: "Note Agent",
  redirect_uris: [`${origin}/callback`],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

let tokens: OAuthTokens | undefined;
/** The server has answered that the access token has too few scopes. */
let needsMore = false;
let verifier = "";
let state = "";
let arrived: (code: string) => void = () => {};
let code: Promise<string>;

const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", origin);
  if (pathname === "/client.json") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  } else if (pathname === "/callback" && state !== "" && searchParams.get("state") === state) {
    state = "";
    const refused = searchParams.get("error");
    response.end(refused === null ? "You can close this page.\n" : `No access: ${refused}\n`);
    if (refused === null) arrived(searchParams.get("code") ?? "");
    else stop(1, `No access: ${refused}`);
  } else response.writeHead(404).end();
});

/** What the SDK asks its program for. A program with an https document sets `clientMetadataUrl` instead of an id. */
const provider: OAuthClientProvider = {
  redirectUrl: `${origin}/callback`,
  clientMetadata: document,
  clientInformation: () => ({ client_id: document.client_id }),
  state: () => {
    state = randomBytes(16).toString("base64url");
    return state;
  },
  // With a refresh token, the SDK would refresh. That never gives more scopes; only the owner can.
  tokens: () => (needsMore && tokens ? { ...tokens, refresh_token: undefined } : tokens),
  saveTokens: (newer) => {
    tokens = newer;
    needsMore = false;
  },
  codeVerifier: () => verifier,
  saveCodeVerifier: (newer) => {
    verifier = newer;
  },
  redirectToAuthorization: (url) => {
    code = new Promise((resolve) => {
      arrived = resolve;
    });
    console.log(`Open ${url}`);
  },
};

function aTransport(): StreamableHTTPClientTransport {
  const watched = async (url: string | URL, init?: RequestInit) => {
    const response = await fetch(url, init);
    needsMore ||= response.status === 403;
    return response;
  };
  return new StreamableHTTPClientTransport(mcp, { authProvider: provider, fetch: watched });
}

/** Does something that may need the owner's consent, and does it again after the consent. */
async function withConsent<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await code);
    return work();
  }
}

async function tool(name: string, args: Record<string, unknown> = {}): Promise<void> {
  const { content } = await withConsent(() => client.callTool({ name, arguments: args }));
  console.log(`${name}: ${(content as readonly { text: string }[])[0]?.text}`);
}

function stop(exitCode: number, text: string): void {
  console.log(text);
  process.exit(exitCode);
}

await new Promise<void>((resolve) => site.listen(port, "127.0.0.1", resolve));
const client = new Client({ name: "Note Agent", version: "1.0.0" });
let transport = aTransport();
await client.connect(transport).catch(async (error: unknown) => {
  if (!(error instanceof UnauthorizedError)) throw error;
  await transport.finishAuth(await code);
  transport = aTransport();
  await client.connect(transport);
});
console.log(`Connected: ${tokens?.scope}`);
await tool("list_notes");
await tool("add_note", { text: "Buy milk" });
console.log(`Now: ${tokens?.scope}`);
await tool("list_notes");
stop(0, "Done");
