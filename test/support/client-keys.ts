/** Clients that sign: their keys, their assertions (made by jose, or byte for byte), a site that publishes keys. */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { post } from "./back-channel.ts";
import type { TokenAnswer } from "./browser-like.ts";
import type { TestClient, TestServer } from "./server.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export interface KeyPair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** With its kid. */
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

/** A client of the client credentials grant that signs with a key. */
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

/** The claims of a good assertion, for a minute; what is undefined is left out. */
export function claimsOf(
  server: Pick<TestServer, "issuer" | "now">,
  { clientId }: Pick<Client, "clientId">,
  changes: Claims = {},
): Claims {
  const now = Math.floor(server.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: server.issuer, jti: randomUUID(), iat: now, exp: now + 60 };
  return Object.fromEntries(Object.entries({ ...claims, ...changes }).filter(([, value]) => value !== undefined));
}

/** Signed by jose. `header` changes what stands in it; `alg` decides how it is signed. */
export function sign(key: KeyPair, claims: Claims, header: Record<string, unknown> = {}): Promise<string> {
  const protectedHeader = Object.fromEntries(
    Object.entries({ alg: key.alg, kid: key.jwk.kid, ...header }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(claims).setProtectedHeader(protectedHeader as { alg: string }).sign(key.privateKey);
}

/** A token by client credentials, with this assertion; no client_id unless `fields` has it. */
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
  /** How often it was asked. */
  asked(): number;
  /** What it answers from now on; a function takes as long as it likes. */
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
