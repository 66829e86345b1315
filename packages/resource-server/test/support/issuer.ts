/**
 * A small real issuer for tests: serves metadata and keys over HTTP, and signs tokens byte by byte, so that they can be
 * invalid.
 */

import { createHmac, KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from "jose";

export const AUDIENCE = "https://photos.example/api";

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface SigningKey {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export interface TestIssuer {
  readonly issuer: string;
  readonly origin: string;
  readonly jwksUri: string;
  /** The content of the next answers. Tests may change it at any time. */
  keys: JWK[];
  cacheControl: string | undefined;
  metadata: Record<string, unknown>;
  /** Override the normal answers. */
  onMetadata: Respond | undefined;
  onJwks: Respond | undefined;
  /** Number of requests so far, by path. */
  readonly hits: { metadata: number; jwks: number; other: string[] };
  close(): Promise<void>;
}

/** `path`: the issuer's own path, such as "/tenant". `port`: the port of an earlier issuer. */
export async function startIssuer(keys: JWK[], path = "", port = 0): Promise<TestIssuer> {
  const hits = { metadata: 0, jwks: 0, other: [] as string[] };
  const server = createServer((request, response) => {
    if (request.url === `/.well-known/oauth-authorization-server${path}`) {
      hits.metadata++;
      if (self.onMetadata) self.onMetadata(request, response);
      else sendJson(response, self.metadata, self.cacheControl);
    } else if (request.url === "/keys") {
      hits.jwks++;
      if (self.onJwks) self.onJwks(request, response);
      else sendJson(response, { keys: self.keys }, self.cacheControl);
    } else {
      hits.other.push(request.url ?? "");
      response.writeHead(404).end();
    }
  });
  const origin = await listen(server, port);
  const issuer = origin + path;
  const jwksUri = `${origin}/keys`;
  const self: TestIssuer = {
    issuer,
    origin,
    jwksUri,
    keys,
    cacheControl: undefined,
    metadata: { issuer, jwks_uri: jwksUri },
    onMetadata: undefined,
    onJwks: undefined,
    hits,
    close: () => close(server),
  };
  return self;
}

export function sendJson(response: ServerResponse, body: unknown, cacheControl?: string): void {
  const headers = { "content-type": "application/json", ...(cacheControl ? { "cache-control": cacheControl } : {}) };
  response.writeHead(200, headers).end(JSON.stringify(body));
}

export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

export async function aKey(alg = "ES256", kid = `key-${alg}`): Promise<SigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return {
    alg,
    jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" },
    privateKey: KeyObject.from(pair.privateKey as CryptoKey & Parameters<typeof KeyObject.from>[0]),
    publicKey: KeyObject.from(pair.publicKey as CryptoKey & Parameters<typeof KeyObject.from>[0]),
  };
}

/** The parts of a valid token; a value of undefined leaves a member out. */
export interface TokenParts {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Exact texts in place of the objects. */
  readonly headerText?: string;
  readonly claimsText?: string;
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

export function validClaims(issuer: string): Record<string, unknown> {
  const iat = seconds();
  return {
    iss: issuer,
    sub: "alice",
    aud: AUDIENCE,
    client_id: "printer",
    scope: "photos:read photos:list",
    iat,
    exp: iat + 600,
    jti: "t-1",
  };
}

/** The signing input of a token. It is valid except for the overrides in `parts`. */
export function unsigned(issuer: string, key: SigningKey, parts: TokenParts = {}): string {
  const header = parts.headerText ?? JSON.stringify(validHeader(key, parts));
  const claims = parts.claimsText ?? JSON.stringify({ ...validClaims(issuer), ...parts.claims });
  return `${base64url(header)}.${base64url(claims)}`;
}

export function aToken(issuer: string, key: SigningKey, parts: TokenParts = {}): string {
  const input = unsigned(issuer, key, parts);
  return `${input}.${signature(input, key).toString("base64url")}`;
}

export function macToken(issuer: string, key: SigningKey, secret: string | Buffer, parts: TokenParts = {}): string {
  const input = unsigned(issuer, key, { ...parts, header: { alg: "HS256", ...parts.header } });
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

function validHeader(key: SigningKey, parts: TokenParts): Record<string, unknown> {
  return { alg: key.alg, typ: "at+jwt", kid: key.jwk.kid, ...parts.header };
}

function signature(input: string, { alg, privateKey }: SigningKey): Buffer {
  const data = Buffer.from(input);
  if (alg === "EdDSA" || alg === "Ed25519") return sign(null, data, privateKey);
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith("PS")) return sign(hash, data, { key: privateKey, padding: 6, saltLength: -1 });
  return sign(hash, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
}

export function base64url(text: string | Buffer): string {
  return Buffer.from(text).toString("base64url");
}
