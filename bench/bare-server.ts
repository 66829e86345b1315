/** What the machine gives: node:http that reads a POST and answers it, with one ES256 signature (`signature`) or without (`bare`). */

import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serverOptions } from "../packages/server/src/http/server.ts";
import { onMessages } from "./server-control.ts";

const signs = process.argv[2] === "signature";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** About as long as header and payload of one of our access tokens. */
const payload = "x".repeat(500);
const refreshToken = "r".repeat(122);

function accessToken(): string {
  if (!signs) return payload;
  const signature = sign("sha256", Buffer.from(payload), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${payload}.${signature.toString("base64url")}`;
}

const server = createServer(serverOptions, (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const answer = JSON.stringify({
      access_token: accessToken(),
      token_type: "Bearer",
      expires_in: body.length,
      refresh_token: refreshToken,
      scope: "read",
    });
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => onMessages((server.address() as AddressInfo).port));
