/**
 * The limit of the machine: node:http that reads a POST and answers it. It answers without a signature (`bare`), makes
 * an ES256 signature for each request (`inline`), or makes all signatures of one turn of the event loop together
 * (`batched`).
 */

import { generateKeyPairSync } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signEs256 } from "../packages/server/src/crypto/es256.ts";
import { serverOptions } from "../packages/server/src/http/connections/request-handler.ts";

type Limit = "bare" | "inline" | "batched";
const limit = process.argv[2] as Limit;
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** About as long as header and payload of one of our access tokens. */
const payload = "x".repeat(500);
const refreshToken = "r".repeat(122);

function signed(): string {
  return `${payload}.${signEs256(payload, privateKey).toString("base64url")}`;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly length: number;
}
let waiting: Waiting[] = [];

const answers: Readonly<Record<Limit, (one: Waiting) => void>> = {
  bare: (one) => answer(one, payload),
  inline: (one) => answer(one, signed()),
  batched: (one) => {
    waiting.push(one);
    if (waiting.length === 1) setImmediate(answerAll);
  },
};

function answerAll(): void {
  const batch = waiting;
  waiting = [];
  for (const one of batch) answer(one, signed());
}

function answer({ response, length }: Waiting, accessToken: string): void {
  const text = JSON.stringify({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: length,
    refresh_token: refreshToken,
    scope: "read",
  });
  response.writeHead(200, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

// It ends with its parent process.
process.on("disconnect", () => process.exit());
const server = createServer(serverOptions, (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => answers[limit]({ response, length: body.length }));
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
