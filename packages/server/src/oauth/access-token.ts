/** Access tokens for a grant: lifetime, scope, audience (RFC 6749 §§1.4, 5.1; RFC 9068). */

import type { Judged } from "./grants/judge.ts";
import type { Client, Grant, GrantedScope, Millis, Resource } from "./model.ts";
import type { OAuthContext } from "./ports.ts";

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

/**
 * Signs an access token for some scopes of a grant. It ends with the first of them: no token outlives its consent.
 * `audience`: the API's identifier, or the issuer.
 */
async function issueAccessToken(
  grant: Grant,
  client: Client,
  scopes: readonly GrantedScope[],
  audience: string,
  context: OAuthContext,
): Promise<{ token: string; expiresIn: number; scope: string }> {
  const now = context.now();
  const ttl = accessTokenTtl((await context.catalog.resources()).get(audience), context.policy.accessTtl);
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
    ...(grant.refreshable ? { refresh_token: makeRefreshToken() } : {}),
    scope,
  };
}
