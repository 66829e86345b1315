/** Access tokens for a grant: lifetime, scope, audience (RFC 6749 §§1.4, 5.1; RFC 9068). */

import { refuse } from "./errors.ts";
import type { Client, Grant, GrantedScope, Millis, Resource } from "./model.ts";
import { OPENID } from "./openid/scopes.ts";
import type { AccessTokenClaims, IssueDecision, OAuthContext, Policy, SenderConstraint } from "./ports.ts";
import { ownAudience } from "./resource-indicator.ts";

/** The body of a successful token response (RFC 6749 §5.1). */
export interface TokenResponse {
  readonly access_token: string;
  /** `N_A`: it is no access token (RFC 8693 §2.2.1). */
  readonly token_type: "Bearer" | "N_A";
  /** In the response to a token exchange (RFC 8693 §2.2.1). */
  readonly issued_token_type?: string;
  /** In seconds. */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
  /** In the response to an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant-03 §4.4.1): the API of the token. */
  readonly resource?: string;
  /** With the scope `openid`, if a person signed in (OpenID Connect Core §3.1.3.3). */
  readonly id_token?: string;
}

/** How long tokens for an API live: the API's own lifetime, or the server's default. */
export function accessTokenTtl(resource: Resource | undefined, accessTtl: Millis): Millis {
  const own = resource?.tokenLifetime;
  return own === null || own === undefined ? accessTtl : own * 1000;
}

/** The longest lifetime of any API's access token: after this time, an ended grant has no live token. */
export async function longestAccessTtl({ catalog, policy }: Pick<OAuthContext, "catalog" | "policy">): Promise<Millis> {
  const resources = [...(await catalog.resources()).values()];
  return Math.max(policy.accessTtl, ...resources.map((resource) => accessTokenTtl(resource, policy.accessTtl)));
}

/** The kind of an API's tokens. Tokens of the server itself (`undefined`) are JWTs. */
export function accessTokenKind(resource: Resource | undefined): Pick<AccessTokenClaims, "format" | "alg"> {
  return { format: resource?.tokenFormat ?? "jwt", alg: resource?.alg ?? "ES256" };
}

/** How long a refresh token lives without use. */
export function refreshLifetime({ type }: Client, policy: Policy): Millis {
  return type === "public" ? policy.refreshIdlePublic : policy.refreshIdleConfidential;
}

/** The subject of an access token. */
export type TokenSubject = Pick<AccessTokenClaims, "sub" | "actor" | "agents" | "grantId" | "person">;

/** The person who acted, if that is not the owner: for a company, a person always acts. Null: the owner acted. */
export function actorOf({ ownerId, personId }: Pick<Grant, "ownerId" | "personId">): string | null {
  return personId === ownerId ? null : personId;
}

/**
 * The clients in the chain of the claim `act` (RFC 8693 §4.1), the latest first. `person`: the innermost actor of a token for
 * a company.
 */
export function agentsIn(claim: unknown, person: string | null): readonly string[] {
  const agents: string[] = [];
  for (let act: unknown = claim; typeof act === "object" && act !== null; ) {
    const { sub, act: inner } = act as { readonly sub?: unknown; readonly act?: unknown };
    if (typeof sub === "string" && (inner !== undefined || sub !== person)) agents.push(sub);
    act = inner;
  }
  return agents;
}

/** False: the owner has removed, paused or blocked one of these clients, or it is disabled. */
export async function mayAllAct(
  clientIds: ReadonlySet<string>,
  { partition, ownerId, personId }: Pick<Grant, "partition" | "ownerId" | "personId">,
  { catalog, storage }: Pick<OAuthContext, "catalog" | "storage">,
): Promise<boolean> {
  const answers = [...clientIds].map(async (clientId) => {
    if ((await catalog.client(clientId))?.status !== "active") return false;
    return !(await storage.delegations.isStopped({ partition, ownerId, personId, clientId }));
  });
  return (await Promise.all(answers)).every((may) => may);
}

/** True: a token with this `aud` is for this audience. */
export function isFor(aud: string | readonly string[], audience: string): boolean {
  return typeof aud === "string" ? aud === audience : aud.includes(audience);
}

/** The owner of a grant, and who acted. */
export function subjectOf(
  grant: Pick<Grant, "grantId" | "ownerId" | "personId" | "authTime" | "acr" | "amr">,
): TokenSubject {
  const { grantId, ownerId, authTime, acr, amr } = grant;
  return { sub: ownerId, grantId, actor: actorOf(grant), person: { authTime, acr, amr } };
}

/** Everything that an access token depends on. */
export interface TokenParts {
  readonly subject: TokenSubject;
  readonly client: Client;
  /** The token ends with the first of these scopes: no token outlives its consent. */
  readonly scopes: readonly GrantedScope[];
  /** The identifier of the API, or the issuer. */
  readonly audience: string;
  /** Maximum lifetime in milliseconds, whatever the API's own lifetime. Absent: the API's lifetime. */
  readonly most?: Millis;
  readonly constraint?: SenderConstraint;
  /** As in `Grant`, for the first ID token of a grant. Absent or null: none. */
  readonly nonce?: string | null;
  /** As in `Grant`. */
  readonly claims?: readonly string[] | null;
  /** As in `IdTokenParts`. */
  readonly ownClaims?: Readonly<Record<string, unknown>> | undefined;
  /** As in `Grant`, for ID tokens. Absent or null: none. */
  readonly sid?: string | null;
}

/**
 * The `aud` of a token: with `openid`, the API and the UserInfo endpoint, unless the operator has switched that off for
 * the API.
 */
function audienceClaim(
  audience: string,
  scopes: readonly GrantedScope[],
  resource: Resource | undefined,
  issuer: string,
): string | readonly string[] {
  if (resource === undefined || resource.userInfo === false) return audience;
  return scopes.some(({ name }) => name === OPENID) ? [audience, ownAudience(true, issuer)] : audience;
}

/** Makes an access token. */
export async function issueAccessToken(
  { subject, client, scopes, audience, most = Number.POSITIVE_INFINITY, constraint }: TokenParts,
  context: OAuthContext,
): Promise<{ token: string; expiresIn: number; scope: string }> {
  const now = context.now();
  const resource = (await context.catalog.resources()).get(audience);
  const ttl = Math.min(most, accessTokenTtl(resource, context.policy.accessTtl));
  const iat = Math.floor(now / 1000);
  const ends = scopes.map(({ expiresAt }) => expiresAt).filter((end) => end !== null);
  const exp = Math.min(iat + Math.floor(ttl / 1000), ...ends.map((end) => Math.floor(end / 1000)));
  const scope = scopes.map(({ name }) => name).join(" ");
  const token = await context.accessTokens.sign({
    ...subject,
    ...constraint,
    aud: audienceClaim(audience, scopes, resource, context.issuer),
    clientId: client.clientId,
    scope,
    iat,
    exp,
    ...accessTokenKind(resource),
  });
  return { token, expiresIn: exp - iat, scope };
}

/** What the policy is asked about. */
export interface PolicyQuestion {
  readonly subject: TokenSubject;
  readonly client: Client;
  readonly grantType: string;
  readonly scopes: readonly GrantedScope[];
  readonly audience: string;
}

/** Undefined: there is no policy. Refuses what the policy refuses. */
export async function policyAbout(
  { subject, client, grantType, scopes, audience }: PolicyQuestion,
  { issuePolicy }: Pick<OAuthContext, "issuePolicy">,
): Promise<IssueDecision | undefined> {
  if (issuePolicy === null) return undefined;
  const { acr = null, amr = [], authTime = null } = subject.person ?? {};
  return issuePolicy.decide({
    ...{ clientId: client.clientId, clientName: client.name, grantType, audience },
    ...{ sub: subject.sub, actor: subject.actor, scopes: scopes.map(({ name }) => name), acr, amr, authTime },
  });
}

/** The scopes that the policy leaves. Another request can have changed the grant since the decision. */
export function withinPolicy(
  decision: IssueDecision | undefined,
  scopes: readonly GrantedScope[],
): readonly GrantedScope[] {
  if (decision === undefined) return scopes;
  const left = scopes.filter(({ name }) => decision.scopes.includes(name));
  return left.length > 0 ? left : refuse("issue_policy_denied", "no scope is left");
}

/** The longest lifetime that the policy leaves. */
export function longest(
  decision: IssueDecision | undefined,
  most: number = Number.POSITIVE_INFINITY,
): { readonly most?: number } {
  const least = Math.min(decision?.most ?? Number.POSITIVE_INFINITY, most);
  return least === Number.POSITIVE_INFINITY ? {} : { most: least };
}

/** The token response for a grant. Calls `makeRefreshToken` only if the grant has refresh tokens. */
export async function tokenResponse(
  refreshable: boolean,
  parts: TokenParts,
  context: OAuthContext,
  makeRefreshToken: () => string,
): Promise<TokenResponse> {
  const { token, expiresIn, scope } = await issueAccessToken(parts, context);
  const identity = parts.scopes.some(({ name }) => name === OPENID)
    ? await context.openId.idToken(parts, token)
    : undefined;
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: expiresIn,
    // The operator may have switched refresh tokens off since the grant was made: then the server would refuse the
    // token.
    ...(refreshable && context.grants.offers("refresh_token") ? { refresh_token: makeRefreshToken() } : {}),
    scope,
    ...(identity === undefined ? {} : { id_token: identity }),
  };
}
