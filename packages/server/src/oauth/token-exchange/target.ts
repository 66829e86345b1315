/** The API and the scopes of an exchanged token (RFC 8693 §2.1, RFC 8707 §2.2). */

import { cappedEnd, ceilingOf } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import type { GrantRequest } from "../grants/grant-type.ts";
import type { Client, Consent, Grant, GrantedScope, Scope, TokenExchangePolicy } from "../model.ts";
import { isOpenIdScope } from "../openid/scopes.ts";
import type { OAuthContext } from "../ports.ts";
import { liveScopes, parseScope, SCOPE_MARGIN } from "../scope.ts";
import type { Exchange, Target } from "./exchange-request.ts";

/** The API that `resource` and `audience` name. Both are identifiers of APIs here. */
export async function namedTarget(
  { resource, audiences }: GrantRequest,
  policy: TokenExchangePolicy,
  { catalog, issuer }: OAuthContext,
): Promise<Target> {
  const all = new Set(resource === undefined ? audiences : [resource, ...audiences]);
  const resources = await catalog.resources();
  for (const one of all) {
    if (one !== issuer && !resources.has(one)) refuse("resource_not_allowed", "unknown");
    mustBeAllowed(one, policy);
  }
  if (all.size > 1) refuse("exchange_one_audience");
  const [named] = all;
  return { named };
}

export function mustBeAllowed(audience: string, { audiences }: TokenExchangePolicy): void {
  if (!audiences.includes(audience)) refuse("exchange_audience_not_allowed");
}

/** The scopes that an exchange can draw on. */
export interface Source {
  /** The app that the owner allowed. */
  readonly app: Client;
  /** The grant of the subject token. Absent: `own` is all. */
  readonly grant?: Grant;
  readonly own?: readonly GrantedScope[];
  readonly limit: { readonly audiences: readonly string[]; readonly scopes: readonly string[] } | null;
}

export interface ExchangedScopes {
  readonly scopes: readonly GrantedScope[];
  readonly audience: string;
  /** Names of those that come from the owner's consent to the client that asks. */
  readonly byConsent: readonly string[];
}

/**
 * The scopes of the new token: what the owner granted to the app of the subject token, within the policy of the client.
 * A named scope beyond that needs the owner's consent to the client itself.
 */
export async function scopesFrom(
  { app, grant, own, limit }: Source,
  { request, policy, target }: Exchange,
  context: OAuthContext,
): Promise<ExchangedScopes> {
  const { client, single } = request;
  const known = await context.catalog.scopes();
  const apiOf = (name: string) => known.get(name)?.resource ?? context.issuer;
  const live =
    own?.filter(({ name }) => passesUnseen(known.get(name))) ??
    liveScopes(grant?.scopes ?? [], app, known, context.now(), SCOPE_MARGIN);
  const granted = new Map(
    live
      .filter(({ name }) => mayPass(known.get(name)))
      .filter(({ name }) => limit === null || !limit.audiences.includes(apiOf(name)) || limit.scopes.includes(name))
      .map((scope) => [scope.name, scope]),
  );
  const text = single.get("scope");
  const asked = text === undefined ? undefined : parseScope(text);
  const beyond = asked?.filter((name) => !granted.has(name)) ?? [];
  const strange = asked?.find((name) => !policy.scopes.includes(name) || !mayPass(known.get(name)));
  if (strange !== undefined) refuse("exchange_scope_not_allowed", strange);
  if (beyond.length > 0) {
    // A grant of the client itself is all that the owner gave for it.
    for (const scope of grant === undefined || app.clientId === client.clientId
      ? []
      : await scopesOfClient(grant, client, known, context)) {
      if (beyond.includes(scope.name) && passesUnseen(known.get(scope.name))) granted.set(scope.name, scope);
    }
    const missing = beyond.find((name) => !granted.has(name));
    if (missing !== undefined) refuse("exchange_scope_exceeds_grant", missing);
  }
  const names = asked ?? [...granted.keys()].filter((name) => policy.scopes.includes(name));
  const fitting =
    asked === undefined && target.named !== undefined ? names.filter((name) => apiOf(name) === target.named) : names;
  if (fitting.length === 0) refuse("exchange_scope_exceeds_grant", "nothing is left");
  const apis = new Set(fitting.map(apiOf));
  const audience = target.named ?? (apis.size === 1 ? [...apis][0] : undefined) ?? refuse("resource_needed");
  if (apis.size > 1 || !apis.has(audience)) refuse("resource_not_allowed", "a scope belongs to another API");
  mustBeAllowed(audience, policy);
  return {
    scopes: fitting.flatMap((name) => granted.get(name) ?? []),
    audience,
    byConsent: beyond,
  };
}

/**
 * Scopes about a sign-in stay with the app at which the person signed in, and scopes that only people with a role may
 * grant stay with the app that they granted them to.
 */
function mayPass(scope: Scope | undefined): boolean {
  return scope !== undefined && scope.ownerRole === null && !isOpenIdScope(scope);
}

/**
 * Nobody signs in for an exchange, so a consent alone gives no scope that demands a certain sign-in. The sign-in of a grant
 * was judged when the owner granted its scopes.
 */
function passesUnseen(scope: Scope | undefined): boolean {
  return scope !== undefined && (scope.acr ?? null) === null && (scope.maxAge ?? null) === null;
}

/** What the owner of the grant allowed the client itself. */
async function scopesOfClient(
  { partition, ownerId }: Grant,
  client: Client,
  known: ReadonlyMap<string, Scope>,
  context: OAuthContext,
): Promise<readonly GrantedScope[]> {
  const consent = await context.storage.consents.find({ partition, ownerId, clientId: client.clientId });
  return consent === undefined ? [] : consentedScopes(consent, client, context, known);
}

/** The active scopes of a consent, each with its end under the client's ceiling. */
export function consentedScopes(
  { status, scopes, updatedAt, pausedAt }: Consent,
  client: Client,
  { policy, now }: OAuthContext,
  known?: ReadonlyMap<string, Scope>,
): readonly GrantedScope[] {
  if (status !== "active" || pausedAt !== null) return [];
  const ceiling = ceilingOf(client, policy);
  const ending = scopes.map(({ name, expiresAt, decidedAt = updatedAt }) => ({
    name,
    expiresAt: cappedEnd(expiresAt, decidedAt, ceiling),
  }));
  const at = now();
  const left = ending.filter(({ expiresAt }) => expiresAt === null || expiresAt >= at + SCOPE_MARGIN);
  return left.filter(({ name }) => client.scopes.includes(name) && (known === undefined || known.has(name)));
}
