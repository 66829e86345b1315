/** The client credentials grant: a client in its own name (RFC 6749 §4.4; RFC 9068 §2.2). */

import { accessTokenKind, accessTokenTtl, type TokenResponse } from "../access-token.ts";
import { refuse } from "../errors.ts";
import { type Client, type Millis, NEVER, type Scope } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import { audienceOf } from "../resource-indicator.ts";
import { parseScope } from "../scope.ts";
import type { GrantRequest, GrantType } from "./index.ts";
import { oneResource } from "./judge.ts";

/** No owner, so no grant and no consent: nothing is stored, and there is nothing to refresh (§4.4.3). */
export const clientCredentials: GrantType = {
  grantType: "client_credentials",

  async redeem(request, context): Promise<TokenResponse> {
    const own = await ownScopesOf(request, request.client.ownScopes, context);
    return signForClient(own, request.client, context);
  },
};

/** What a token of the client's own is for. */
export interface Own {
  readonly scopes: readonly Scope[];
  /** The API's identifier, or the issuer. */
  readonly audience: string;
}

/** What a request asks for, within `held`, names of what the client holds for itself; refused for public clients. */
export async function ownScopesOf(request: GrantRequest, held: readonly string[], context: OAuthContext): Promise<Own> {
  const { client, single } = request;
  // §4.4: whatever its registration says.
  if (client.type !== "confidential") refuse("grant_needs_confidential_client");
  const resource = oneResource(request);
  const known = await context.catalog.scopes();
  const resources = await context.catalog.resources();
  const scopes = ownScopes(single.get("scope"), held, known);
  const asked = single.has("scope") || resource === undefined ? scopes : scopesOf(scopes, resource, context);
  const named = resource === undefined ? [] : [resource];
  const audience = audienceOf(asked, named, resources, context.issuer) ?? refuse("resource_needed");
  return { scopes: asked, audience };
}

/** The scopes asked for, each of them the client's own; without `scope`, all that it holds and that still exist (§3.3 leaves that to us). */
function ownScopes(
  text: string | undefined,
  own: readonly string[],
  known: ReadonlyMap<string, Scope>,
): readonly Scope[] {
  if (text !== undefined) {
    return parseScope(text).map((name) => {
      const scope = own.includes(name) ? known.get(name) : undefined;
      return scope ?? refuse("scope_not_allowed", `${name} is not the client's own`);
    });
  }
  const held = own.map((name) => known.get(name)).filter((scope) => scope !== undefined);
  return held.length > 0 ? held : refuse("scope_not_allowed", "the client holds no scope of its own");
}

/** Those that belong to the API named: without `scope`, a resource narrows what is meant. */
function scopesOf(scopes: readonly Scope[], resource: string, { issuer }: OAuthContext): readonly Scope[] {
  const own = scopes.filter((scope) => (scope.resource ?? issuer) === resource);
  return own.length > 0 ? own : refuse("resource_not_allowed", "the client holds no scope of that API");
}

/** The token, whose subject is the client. `until`: when it ends at the latest, in epoch milliseconds. */
export async function signForClient(
  { scopes, audience }: Own,
  client: Client,
  context: OAuthContext,
  until: Millis = NEVER,
): Promise<TokenResponse> {
  const resource = (await context.catalog.resources()).get(audience);
  const ttl = accessTokenTtl(resource, context.policy.accessTtl);
  const iat = Math.floor(context.now() / 1000);
  const exp = Math.min(iat + Math.floor(ttl / 1000), Math.floor(until / 1000));
  const scope = scopes.map(({ name }) => name).join(" ");
  // RFC 9068 §2.2: without an owner the client is the subject. No id of a client is of the shape of an owner's.
  const claims = { sub: client.clientId, aud: audience, clientId: client.clientId, scope, iat, exp };
  const token = await context.accessTokens.sign({
    ...claims,
    ...accessTokenKind(resource),
    grantId: null,
    actor: null,
    person: null,
  });
  return { access_token: token, token_type: "Bearer", expires_in: exp - iat, scope };
}
