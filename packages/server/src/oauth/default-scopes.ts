/** The scopes of a request that names none (RFC 6749 §3.3): the operator can set them for a client or an API. */

import { refuse } from "./errors.ts";
import type { Client, Scope } from "./model.ts";
import { isOpenIdRequest } from "./openid/scopes.ts";
import type { OAuthContext } from "./ports.ts";
import { audienceOfScope, ownAudience } from "./resource-indicator.ts";

/** A request without the parameter `scope`. */
export interface Unscoped {
  readonly client: Client;
  /** Names of the scopes that the client may get by such a request. */
  readonly allowed: readonly string[];
  /** The APIs that the request names (RFC 8707 §2). */
  readonly named: readonly string[];
}

/**
 * The names of the default scopes. A request that names an API gets the client's default scopes of that API, or if there
 * are none, the API's own. Scopes that were deleted since, and those that the client may not request, are left out.
 * Undefined: nobody set a default for such a request. Empty: of the default scopes, none is left.
 */
export async function defaultScopes(
  { client, allowed, named }: Unscoped,
  { catalog, issuer }: Pick<OAuthContext, "catalog" | "issuer">,
): Promise<readonly string[] | undefined> {
  const ofClient = (client.defaultScopes ?? []).filter((name) => allowed.includes(name));
  const resources = named.length === 0 ? undefined : await catalog.resources();
  const isSet = ofClient.length > 0 || named.some((one) => (resources?.get(one)?.defaultScopes ?? []).length > 0);
  if (!isSet) return undefined;
  const known = await catalog.scopes();
  const mine = ofClient.flatMap((name) => known.get(name) ?? []);
  if (resources === undefined) return namesOf(mine);
  const openId = isOpenIdRequest(mine);
  const audience = (scope: Scope) => audienceOfScope(scope, openId, issuer);
  const ofApis = named.flatMap((api) => {
    const own = mine.filter((scope) => audience(scope) === api);
    if (own.length > 0) return own;
    const ofApi = (resources.get(api)?.defaultScopes ?? []).filter((name) => allowed.includes(name));
    // A scope may belong to another API since.
    return ofApi.flatMap((name) => known.get(name) ?? []).filter((scope) => scope.resource === api);
  });
  // Alone, the scopes about the person make no token for an API.
  if (ofApis.length === 0 && !named.includes(ownAudience(openId, issuer))) return [];
  return namesOf([...mine.filter((scope) => audience(scope) === undefined), ...ofApis]);
}

/** The default scopes of a request to an owner, as the parameter `scope` names them. Refuses if there are none. */
export async function defaultScopeOf(
  client: Client,
  named: readonly string[],
  context: Pick<OAuthContext, "catalog" | "issuer">,
): Promise<string> {
  const names = await defaultScopes({ client, allowed: client.scopes, named }, context);
  if (names === undefined) return refuse("scope_missing");
  return names.length > 0 ? names.join(" ") : refuse("scope_missing", "of the default scopes, none is left");
}

function namesOf(scopes: readonly Scope[]): readonly string[] {
  return [...new Set(scopes.map(({ name }) => name))];
}
