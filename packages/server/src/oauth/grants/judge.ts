/** Who may use a grant type, and what a token request gets out of a grant: its scopes and its one audience (RFC 6749 §§3.3, 6; RFC 8707 §2.2). */

import { refuse } from "../errors.ts";
import type { Client, Grant, GrantedScope, Millis, Scope } from "../model.ts";
import type { ParsedParameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import { scopesOfResource } from "../resource-indicator.ts";
import { liveScopes, parseScope, scopesForClient } from "../scope.ts";
import type { GrantRequest } from "./index.ts";

/** A client may what it is registered for and the server offers. */
export function mayUse(client: Client, grantType: string, { grants }: Pick<OAuthContext, "grants">): boolean {
  return grants.offers(grantType) && client.grantTypes.includes(grantType);
}

export interface Judged {
  readonly scopes: readonly GrantedScope[];
  readonly audience: string;
}

export interface Asked {
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  /** What a scope must have left to be worth a token: something at a refresh; whatever the owner just chose at a grant's first token. */
  readonly margin?: Millis;
}

/** The `resource` of a token request; several make no sense for one token (one token, one audience). */
export function oneResource({ resource }: ParsedParameters): string | undefined {
  if (new Set(resource).size > 1) refuse("resource_needed", "several resources in one token request");
  return resource[0];
}

/**
 * The scopes of the grant that still hold, narrowed to what the request asks and to the API that it names.
 * Refuses what is wider than the grant; nothing left ends in `invalid_grant`. Writes nothing.
 */
export async function judgeGrant(
  grant: Pick<Grant, "scopes">,
  client: Client,
  asked: Asked,
  context: OAuthContext,
): Promise<Judged> {
  const known = await context.catalog.scopes();
  let scopes = liveScopes(grant.scopes, client, known, context.now(), asked.margin ?? 0);
  if (asked.scope !== undefined) {
    const wanted = new Set(parseScope(asked.scope));
    for (const name of wanted)
      if (!grant.scopes.some((scope) => scope.name === name)) refuse("scope_exceeds_grant", name);
    scopes = scopes.filter(({ name }) => wanted.has(name));
  }
  if (scopes.length === 0) return refuse("scopes_all_ended");
  const names = scopes.map(({ name }) => name);
  const audiences = new Set(names.map((name) => known.get(name)?.resource ?? context.issuer));
  const audience =
    asked.resource ?? (audiences.size === 1 ? [...audiences][0] : undefined) ?? refuse("resource_needed");
  const own = new Set(scopesOfResource(names, audience, known, context.issuer));
  if (own.size === 0) refuse("resource_exceeds_grant");
  return { scopes: scopes.filter(({ name }) => own.has(name)), audience };
}

/** What a token for an owner is for, where no page has been asked: names of scopes, all of one audience. */
export interface Within {
  readonly scopes: readonly string[];
  readonly audience: string;
}

/**
 * What a request asks for within what an operator answers for, `most`, in names of scopes; without `scope`, all of that which the client may ask for (of the
 * API named). RFC 7521 §4.1: never wider.
 */
export async function scopesWithin(
  most: readonly string[],
  { client, single }: GrantRequest,
  resource: string | undefined,
  { catalog, issuer }: OAuthContext,
): Promise<Within> {
  const known = await catalog.scopes();
  if (resource !== undefined && resource !== issuer && !(await catalog.resources()).has(resource)) {
    refuse("resource_not_allowed");
  }
  // A scope that only people with a role may grant is beyond all that comes without them.
  // Nobody signed in here, so that what asks for a certain sign-in is not to be had, either.
  const grantable = ({ name, ownerRole, acr = null, maxAge = null }: Scope) =>
    most.includes(name) && ownerRole === null && acr === null && maxAge === null;
  const text = single.get("scope");
  const asked =
    text === undefined
      ? client.scopes.map((name) => known.get(name)).filter((scope) => scope !== undefined && grantable(scope))
      : scopesForClient(text, client, known);
  const names = asked.flatMap((scope) => {
    if (scope === undefined) return [];
    if (!grantable(scope)) refuse("scope_not_allowed", `${scope.name} is beyond what is answered for`);
    return [scope.name];
  });
  if (names.length === 0) refuse("scope_not_allowed", "nothing that is answered for is the client's to ask for");
  const audiences = new Set(names.map((name) => known.get(name)?.resource ?? issuer));
  const audience = resource ?? (audiences.size === 1 ? [...audiences][0] : undefined) ?? refuse("resource_needed");
  const scopes = scopesOfResource(names, audience, known, issuer);
  if (scopes.length === 0) refuse("resource_not_allowed", "no scope belongs to it");
  return { scopes, audience };
}
