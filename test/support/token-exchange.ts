/** Helpers for tests of token exchange (RFC 8693). */

import { expect } from "vitest";
import type { Client, ExchangedKind, TokenExchangePolicy } from "../../packages/server/src/oauth/model.ts";
import { type Asking, expectRefusal, type SignedInPerson, signedInPerson, tokensOf } from "./back-channel.ts";
import { postForm, refresh, type TokenAnswer } from "./http-browser.ts";
import type { TestClient, TestServer } from "./test-server.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

export const typeOf = (kind: ExchangedKind) => `urn:ietf:params:oauth:token-type:${kind}`;

/** A policy that allows nothing but what is named. */
export function exchanging(policy: Partial<TokenExchangePolicy>): TokenExchangePolicy {
  return { subjects: [], sources: [], audiences: [], scopes: [], actors: [], impersonation: false, ...policy };
}

/** A request with an access token as the subject, unless `more` says otherwise. */
export function exchange(
  server: Pick<TestServer, "issuer">,
  client: Pick<TestClient, "clientId" | "secret"> | null,
  subject: string | undefined,
  more: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const fields = { subject_token: subject, subject_token_type: typeOf("access_token"), ...more };
  return postForm(server, "/token", client, { grant_type: TOKEN_EXCHANGE, ...fields }, headers);
}

export const API1 = "https://api.test";
export const API2 = "https://api2.test";
export const API3 = "https://api3.test";

/** An owner who allowed the app Assistant, whose token for `API1` a Calendar agent presents. */
export interface Scene {
  readonly owner: SignedInPerson;
  readonly assistant: TestClient;
  readonly agent: TestClient;
  /** An access token of the Assistant: `read` of `API1`. */
  readonly subject: string;
  readonly refreshToken: string;
  /** The introspection credentials of `API2`, which wants to know when a grant ends. */
  readonly api2: TestClient;
}

/** Three APIs: the owner granted the Assistant `read` and `write` of the first, and `mail:read` of the second. */
export async function addApis(server: TestServer): Promise<TestClient> {
  const { id, secret } = await server.addResource({ identifier: API2, name: "Mail", grantBound: true });
  await server.addResource({ identifier: API3, name: "Files" });
  for (const [name, resource] of [
    ["mail:read", API2],
    ["mail:write", API2],
    ["files:read", API3],
  ] as const)
    await server.addScope({ name, description: `Do ${name}`, resource });
  return { clientId: id, secret } as TestClient;
}

const ALL = ["read", "write", "mail:read", "mail:write", "files:read"];

export function addAssistant(server: TestServer, client: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({ name: "Assistant", scopes: ALL, ...client });
}

/** A client that may exchange access tokens for `API1` for tokens for `API2`. */
export function addAgent(
  server: TestServer,
  policy: Partial<TokenExchangePolicy> = {},
  client: Partial<Client> = {},
): Promise<TestClient> {
  return server.addClient({
    name: "Calendar agent",
    grantTypes: [TOKEN_EXCHANGE, "client_credentials", "authorization_code", "refresh_token"],
    ...{ scopes: ALL, ownScopes: ["read", "write"] },
    tokenExchange: exchanging({
      ...{ subjects: ["access_token"], sources: [API1], audiences: [API2], scopes: ["mail:read", "mail:write"] },
      ...policy,
    }),
    ...client,
  });
}

/** The tokens of the Assistant: `scope` of all that is asked. */
export function assistantTokens(
  server: TestServer,
  assistant: TestClient,
  owner: SignedInPerson,
  asking: Asking & { readonly fields?: Record<string, string> } = {},
) {
  return tokensOf(server, assistant, owner, {
    ask: { scope: "read write mail:read" },
    answer: { scope: ["read", "write", "mail:read"] },
    fields: { resource: API1 },
    ...asking,
  });
}

export async function aScene(server: TestServer, api2: TestClient): Promise<Scene> {
  const [owner, assistant, agent] = [await signedInPerson(server), await addAssistant(server), await addAgent(server)];
  const { refresh: refreshToken } = await assistantTokens(server, assistant, owner);
  const { body } = await refresh(server, assistant, refreshToken, { scope: "read", resource: API1 });
  return { owner, assistant, agent, api2, refreshToken, subject: body.access_token ?? "" };
}

export async function isActive(server: TestServer, asker: TestClient, token: string | undefined): Promise<boolean> {
  const { body } = await postForm(server, "/introspect", asker, { token });
  return body["active"] === true;
}

const CONDITION = /\/errors\/([a-z_]+)/;
export const conditionOf = ({ body }: TokenAnswer) => CONDITION.exec(String(body["error_uri"]))?.[1];

/** Expects the one text for a subject token that is not accepted. */
export async function expectSubjectRefused(answer: Promise<TokenAnswer>): Promise<void> {
  const got = await answer;
  expectRefusal(got, "invalid_request");
  expect([got.body["error_description"], conditionOf(got)]).toEqual([
    "The subject token is not accepted.",
    "subject_token_refused",
  ]);
}
