/** Clients that sign: their keys, their assertions (made by jose, or byte by byte), and a site that publishes keys. */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { post } from "./back-channel.ts";
import type { TokenAnswer } from "./http-browser.ts";
import type { TestClient, TestServer } from "./test-server.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Includes the kid. */
  readonly jwk: JWK;
  readonly alg: string;
}

export async function aKeyPair(alg = "ES256", kid: string = randomUUID()): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicKey, alg, jwk: { ...(await exportJWK(publicKey)), kid } };
}

export function jwksOf(...keys: readonly { readonly jwk: JWK }[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** A client of the client credentials grant that authenticates with a key. */
export function aSigningClient(server: TestServer, key: KeyPair, client: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({
    authMethod: "private_key_jwt",
    grantTypes: ["client_credentials"],
    ownScopes: ["read"],
    secrets: [],
    jwks: jwksOf(key),
    ...client,
  });
}

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of a valid assertion, which expires after one minute. Undefined claims are left out. */
export function claimsOf(
  server: Pick<TestServer, "issuer" | "now">,
  { clientId }: Pick<Client, "clientId">,
  changes: Claims = {},
): Claims {
  const now = Math.floor(server.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: server.issuer, jti: randomUUID(), iat: now, exp: now + 60 };
  return Object.fromEntries(Object.entries({ ...claims, ...changes }).filter(([, value]) => value !== undefined));
}

/** An assertion signed by jose. `header` overrides header parameters; `alg` selects the algorithm. */
export function sign(key: KeyPair, claims: Claims, header: Record<string, unknown> = {}): Promise<string> {
  const protectedHeader = Object.fromEntries(
    Object.entries({ alg: key.alg, kid: key.jwk.kid, ...header }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(claims).setProtectedHeader(protectedHeader as { alg: string }).sign(key.privateKey);
}

/** Requests a token with the client credentials grant and this assertion. Sends no client_id unless `fields` has it. */
export function withAssertion(
  server: Pick<TestServer, "issuer">,
  assertion: string,
  fields: Record<string, string> = {},
  path = "/token",
): Promise<TokenAnswer & { text: string }> {
  const body = {
    grant_type: "client_credentials",
    client_assertion_type: JWT_BEARER,
    client_assertion: assertion,
    ...fields,
  };
  return post(server, path, `${new URLSearchParams(body)}`);
}

export interface KeySite {
  readonly uri: string;
  /** Number of requests so far. */
  asked(): number;
  /** Sets the next answers. A function may take any time. */
  answer(body: string | (() => Promise<string>), headers?: Record<string, string>, status?: number): void;
  stop(): void;
}

/** A site on this machine that publishes keys. */
export async function aKeySite(body = '{"keys":[]}'): Promise<KeySite> {
  let count = 0;
  let now: { body: string | (() => Promise<string>); headers: Record<string, string>; status: number } = {
    body,
    headers: {},
    status: 200,
  };
  const server = createServer(async (_request, response) => {
    count += 1;
    const text = typeof now.body === "string" ? now.body : await now.body();
    response.writeHead(now.status, { "content-type": "application/jwk-set+json", ...now.headers });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    asked: () => count,
    answer: (next, headers = {}, status = 200) => {
      now = { body: next, headers, status };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
