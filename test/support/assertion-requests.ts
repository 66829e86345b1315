/**
 * Helpers for tests of assertion grants: the record of a trusted issuer, a token request with an assertion, and the
 * expected refusal.
 */

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { expect } from "vitest";
import type { ConditionName } from "../../packages/server/src/oauth/errors.ts";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import { basic, expectRefusal, post } from "./back-channel.ts";
import type { TokenAnswer } from "./http-browser.ts";
import { settle, type TestClient, type TestServer } from "./test-server.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const SAML2_BEARER = "urn:ietf:params:oauth:grant-type:saml2-bearer";

/** Stores a trusted issuer with every permission. Tests override what they are about. */
export async function trust(
  server: TestServer,
  changes: Partial<TrustedIssuer> & Pick<TrustedIssuer, "issuer" | "type">,
): Promise<TrustedIssuer> {
  const issuer: TrustedIssuer = {
    id: `record of ${changes.issuer}`,
    status: "active",
    jwks: null,
    jwksUri: null,
    certificates: [],
    scopes: ["read", "write", "profile"],
    clients: [],
    audience: null,
    maxLifetime: 3600,
    mapSubject: "username",
    subjectClaim: null,
    emailDomains: [],
    subjects: [],
    createOwners: false,
    createdAt: server.now(),
    ...changes,
  };
  await server.assent.storage.issuers.put({ issuer, create: false });
  await settle();
  return issuer;
}

/** A token request with an assertion. The client authenticates with its registered method. */
export function present(
  server: Pick<TestServer, "issuer">,
  client: TestClient,
  grantType: string,
  assertion: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> {
  const form = new URLSearchParams({
    grant_type: grantType,
    ...(assertion === undefined ? {} : { assertion }),
    scope: "read",
    ...(client.type === "public" ? { client_id: client.clientId } : {}),
    ...more,
  });
  if (form.get("scope") === "") form.delete("scope");
  const headers = client.type === "public" ? {} : { authorization: basic(client.clientId, client.secret) };
  return post(server, "/token", form.toString(), headers);
}

/** Expects the refusal that the client gets for every wrong assertion. Only the log names the reason. */
export async function expectAssertionRefused(
  server: Pick<TestServer, "issuer" | "log">,
  answer: Promise<TokenAnswer>,
  condition: ConditionName | readonly ConditionName[],
): Promise<void> {
  const before = server.log.length;
  const got = await answer;
  expectRefusal(got, "invalid_grant");
  expect(got.body).toEqual({
    error: "invalid_grant",
    error_description: "The assertion is not accepted.",
    error_uri: `${server.issuer}/errors/assertion_refused?id=${got.headers.get("x-request-id")}`,
  });
  const lines = server.log
    .slice(before)
    .map((line) => JSON.parse(line) as { event?: string; condition?: string; detail?: string });
  const refused = lines.filter(({ event }) => event === "refused").at(-1);
  expect(typeof condition === "string" ? [condition] : condition, refused?.detail).toContain(refused?.condition);
}

/** A JWT issuer: an ES256 key and its public half as a JWK Set. */
export interface JwtIssuer {
  readonly issuer: string;
  readonly privateKey: KeyObject;
  readonly jwks: string;
}

export function aJwtIssuer(issuer: string): JwtIssuer {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig" };
  return { issuer, privateKey, jwks: JSON.stringify({ keys: [jwk] }) };
}

const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Valid claims about a subject for a server. They expire after five minutes. */
export function claimsFor(
  server: Pick<TestServer, "issuer" | "now">,
  { issuer }: Pick<JwtIssuer, "issuer">,
  sub: string,
) {
  const now = Math.floor(server.now() / 1000);
  return { iss: issuer, sub, aud: server.issuer, iat: now, exp: now + 300, jti: randomBytes(12).toString("hex") };
}

/** Signs claims (or a given payload text) with ES256. */
export function jwtOf(
  { privateKey }: Pick<JwtIssuer, "privateKey">,
  claims: unknown,
  header: Readonly<Record<string, unknown>> | string = { alg: "ES256", kid: "one", typ: "JWT" },
): string {
  const input = `${part(header)}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
}

/** The claims of an access token, unverified. */
export function claimsOf(token: string | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString()) as Readonly<
    Record<string, unknown>
  >;
}
