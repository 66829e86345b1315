/**
 * An MCP server whose tools need different permissions:
 *
 *   npx assent resource create --identifier http://127.0.0.1:3100/mcp --name "Notes"
 *   npx assent scope create notes:read --description "Read your notes" --resource http://127.0.0.1:3100/mcp
 *   npx assent scope create notes:write --description "Add notes" --resource http://127.0.0.1:3100/mcp
 *   node examples/mcp/server.ts
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createResourceServer, ResourceServerError } from "@assent/resource-server";
import { sendRefusal, serveMetadata } from "@assent/resource-server/node";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const issuer = process.env["ISSUER"] ?? "http://localhost:9400";
const address = new URL(process.env["MCP_URL"] ?? "http://127.0.0.1:3100/mcp");

/** What a request needs. Calls of a tool that is not listed need the same as any other request. */
const SCOPE = ["notes:read"];
const SCOPE_OF_TOOL = new Map([["add_note", ["notes:read", "notes:write"]]]);

const api = createResourceServer({
  issuer,
  audience: address.href,
  metadata: { scopes: ["notes:read", "notes:write"], name: "Notes" },
  // Callers read a fixed text. The reason is for the log.
  onRefusal: ({ condition, detail }) => console.error(condition, detail ?? ""),
});
const metadata = serveMetadata(api);

/** The notes of each owner, by the `sub` of their tokens. */
const notes = new Map<string, string[]>();

/** A server for one request. It knows whose notes the tools may touch. */
function toolsFor(owner: string): McpServer {
  const mine = notes.get(owner) ?? [];
  const server = new McpServer({ name: "Notes", version: "1.0.0" });
  const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });
  server.registerTool("list_notes", { description: "Lists the notes" }, () => answer(mine.join("\n")));
  server.registerTool(
    "add_note",
    { description: "Adds a note", inputSchema: { text: z.string().min(1).max(1000) } },
    ({ text }) => {
      notes.set(owner, [...mine, text]);
      return answer("Added");
    },
  );
  return server;
}

interface Message {
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** The scopes that the messages of a body need: MCP asks for a tool by `tools/call`. */
function scopesOf(body: unknown): string[] {
  const needed = new Set(SCOPE);
  const messages = (Array.isArray(body) ? body : [body]) as readonly (Message | null)[];
  for (const message of messages) {
    if (message?.method !== "tools/call") continue;
    for (const scope of SCOPE_OF_TOOL.get(message.params?.name ?? "") ?? []) needed.add(scope);
  }
  return [...needed];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    // Before the body is read: strangers can't make this process read megabytes.
    await api.protect(request, { scope: SCOPE });
    const body = await readJson(request);
    const claims = await api.protect(request, { scope: scopesOf(body) });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await toolsFor(claims.sub).connect(transport);
    response.on("close", () => transport.close());
    await transport.handleRequest(request, response, body);
  } catch (error) {
    if (error instanceof ResourceServerError) sendRefusal(response, error);
    else if (error instanceof WrongBody) response.writeHead(error.status).end();
    else throw error;
  }
}

class WrongBody extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > 64 * 1024) throw new WrongBody(413);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new WrongBody(400);
  }
}

createServer((request, response) => {
  metadata(request, response, () => {
    const { pathname } = new URL(request.url ?? "/", address);
    if (pathname !== address.pathname) return response.writeHead(404).end();
    if (request.method !== "POST") return response.writeHead(405, { allow: "POST" }).end();
    answer(request, response).catch((error) => {
      console.error(error);
      response.writableEnded || response.writeHead(500).end();
    });
  });
}).listen(Number(address.port), address.hostname, () => console.log(`MCP server on ${address.href}`));
