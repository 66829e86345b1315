/** A site on this machine that publishes client ID metadata documents, good ones and others. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestClient } from "./test-server.ts";

export interface DocumentSite {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Publishes a document with these changes at a path, and gives its client as tests use it. */
  publish(path: string, changes?: Readonly<Record<string, unknown>>, headers?: Record<string, string>): TestClient;
  /** Answers a path in another way. */
  answer(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): TestClient;
  close(): Promise<void>;
}

export async function aDocumentSite(): Promise<DocumentSite> {
  const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const asked: string[] = [];
  const site = createServer((request, response) => {
    asked.push(request.url ?? "");
    const handler = handlers.get(request.url ?? "");
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const clientAt = (path: string, redirectUris: readonly string[] = [LOOPBACK]) =>
    ({
      clientId: origin + path,
      redirectUris,
      type: "public",
      secret: "",
      authMethod: "none",
    }) as unknown as TestClient;
  return {
    origin,
    asked,
    publish(path, changes = {}, headers = {}) {
      const document = { ...aDocument, client_id: origin + path, ...changes };
      handlers.set(path, (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "cache-control": "no-store", ...headers })
          .end(JSON.stringify(document)),
      );
      return clientAt(path, document.redirect_uris);
    },
    answer(path, handler) {
      handlers.set(path, handler);
      return clientAt(path);
    },
    close: () =>
      new Promise((resolve) => {
        site.close(() => resolve());
        site.closeAllConnections();
      }),
  };
}

export const LOOPBACK = "http://127.0.0.1/cb";

export const aDocument = {
  client_name: "Code Tool",
  redirect_uris: [LOOPBACK],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
