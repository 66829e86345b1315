/** Access tokens for a grant: lifetime, scope, audience (RFC 6749 §§1.4, 5.1; RFC 9068). */

import type { Judged } from "./grants/judge.ts";
import type { Client, Grant, GrantedScope, Millis, Resource } from "./model.ts";
import type { AccessTokenClaims, OAuthContext } from "./ports.ts";

/** The body of a successful token response (RFC 6749 §5.1). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
}

/** How long tokens for an API live: its own lifetime, or the server's. */
export function accessTokenTtl(resource: Resource | undefined, accessTtl: Millis): Millis {
  const own = resource?.tokenLifetime;
  return own === null || own === undefined ? accessTtl : own * 1000;
}

/** The longest that an access token of any API lives: what outlasts it has nothing of a grant to guard any more. */
export async function longestAccessTtl({ catalog, policy }: Pick<OAuthContext, "catalog" | "policy">): Promise<Millis> {
  const resources = [...(await catalog.resources()).values()];
  return Math.max(policy.accessTtl, ...resources.map((resource) => accessTokenTtl(resource, policy.accessTtl)));
}

/** What the tokens of an API are; those of the server itself (`undefined`) are JWTs. */
export function accessTokenKind(resource: Resource | undefined): Pick<AccessTokenClaims, "format" | "alg"> {
  return { format: resource?.tokenFormat ?? "jwt", alg: resource?.alg ?? "ES256" };
}

/** What an access token says of the grant that it comes of. */
export type TokenGrant = Pick<Grant, "grantId" | "ownerId" | "personId" | "authTime" | "acr" | "amr">;

/** Who acted, where that isn't the owner: a company is always somebody's to act for. */
export function actorOf({ ownerId, personId }: Pick<Grant, "ownerId" | "personId">): string | null {
  return personId === ownerId ? null : personId;
}

/**
 * Makes an access token for some scopes of a grant. It ends with the first of them: no token outlives its consent.
 * `audience`: the API's identifier, or the issuer. `most`: milliseconds that it may live, whatever the API's own lifetime.
 */
export async function issueAccessToken(
  grant: TokenGrant,
  client: Client,
  scopes: readonly GrantedScope[],
  audience: string,
  context: OAuthContext,
  most: Millis = Number.POSITIVE_INFINITY,
): Promise<{ token: string; expiresIn: number; scope: string }> {
  const now = context.now();
  const resource = (await context.catalog.resources()).get(audience);
  const ttl = Math.min(most, accessTokenTtl(resource, context.policy.accessTtl));
  const iat = Math.floor(now / 1000);
  const ends = scopes.map(({ expiresAt }) => expiresAt).filter((end) => end !== null);
  const exp = Math.min(iat + Math.floor(ttl / 1000), ...ends.map((end) => Math.floor(end / 1000)));
  const scope = scopes.map(({ name }) => name).join(" ");
  const token = await context.accessTokens.sign({
    sub: grant.ownerId,
    aud: audience,
    clientId: client.clientId,
    scope,
    iat,
    exp,
    grantId: grant.grantId,
    ...accessTokenKind(resource),
    actor: actorOf(grant),
    person: { authTime: grant.authTime, acr: grant.acr, amr: grant.amr },
  });
  return { token, expiresIn: exp - iat, scope };
}

/** The token response for a grant; `makeRefreshToken` is asked only where the grant has refresh tokens. */
export async function tokenResponse(
  grant: Grant,
  { scopes, audience }: Judged,
  client: Client,
  context: OAuthContext,
  makeRefreshToken: () => string,
): Promise<TokenResponse> {
  const { token, expiresIn, scope } = await issueAccessToken(grant, client, scopes, audience, context);
  return {
    access_token: token,
    token_type: "Bearer",
    expires_in: expiresIn,
    // A grant from before refresh tokens were switched off: nobody would take the token.
    ...(grant.refreshable && context.grants.offers("refresh_token") ? { refresh_token: makeRefreshToken() } : {}),
    scope,
  };
}
