/** Issues the row and the tokens of an entitlement (RFC 6749 §5.1). */

import { cappedEnd } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import { clientScopes, type EffectiveScopes, effectiveScopes, type Within } from "../grants/effective-scopes.ts";
import type {
  ClientEntitlement,
  EntitledOwner,
  Entitlement,
  GrantEntitlement,
  GrantRequest,
  OwnerEntitlement,
  Redemption,
  TokenEntitlement,
} from "../grants/grant-type.ts";
import { newGrant, redeemedAtOnce } from "../grants/new-grant.ts";
import {
  accessTokenTtl,
  actorOf,
  longest,
  longestAccessTtl,
  type PolicyQuestion,
  policyAbout,
  refreshLifetime,
  subjectOf,
  type TokenResponse,
  tokenResponse,
  withinPolicy,
} from "../issue-access-token.ts";
import { type Client, type Grant, type Millis, NEVER, STOPPED_BY } from "../model.ts";
import type { OAuthContext, SenderConstraint } from "../ports.ts";

/**
 * Answers the request with tokens. Scopes and API are checked before a row is changed if the request names them, or if
 * the client or the server lost a scope: a refusal because of them spends no code.
 */
export async function issue(
  entitlement: Entitlement,
  request: GrantRequest,
  constraint: SenderConstraint,
  context: OAuthContext,
): Promise<TokenResponse> {
  switch (entitlement.kind) {
    case "grant":
      return fromGrant(entitlement, request, constraint, context);
    case "owner":
      return forOwner(entitlement, request, constraint, context);
    case "client":
      return forClient(entitlement, request, constraint, context);
    case "token":
      return forToken(entitlement, request, constraint, context);
    case "foreign":
      return entitlement.respond();
  }
}

/** An empty hash, which no salt has: the row keeps its salt, or has no refresh tokens. */
const NO_SALT = { salt: new Uint8Array(), hash: new Uint8Array() };

async function fromGrant(
  entitlement: GrantEntitlement,
  request: GrantRequest,
  constraint: SenderConstraint,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { client, resource } = request;
  const asked = { scope: entitlement.scope, resource, margin: entitlement.margin };
  const check = async (grant: Pick<Grant, "scopes">) => {
    const found = await effectiveScopes(grant, client, asked, context);
    if (!found.offline && entitlement.refreshToken !== undefined) refuse("offline_access_ended");
    return found;
  };

  const { claimScopes } = context.openId;
  const claimsFirst = claimScopes.size > 0 && client.scopes.some((name) => claimScopes.has(name));
  // A policy that refuses must use nothing up: after a rotation, the client would not have the next refresh token.
  const policyFirst = context.issuePolicy !== null;
  let scopesChecked =
    entitlement.checkScopesFirst || asked.scope !== undefined || resource !== undefined || claimsFirst || policyFirst;
  const found = scopesChecked ? await entitlement.read() : undefined;
  const expected = found && (await check(found));
  const early =
    policyFirst && found && expected && isKnown(found)
      ? await policyAbout({ subject: subjectOf(found), client, ...expected, grantType: typeOf(request) }, context)
      : undefined;
  const ownClaims = claimsFirst && found && expected && (await claimsBefore(found, expected, client, context));

  const { salt, hash } = entitlement.refreshToken === undefined ? context.credentials.newSalt() : NO_SALT;
  const terms = { ...(await ends(expected?.audience, request, context)), refreshSaltHash: hash };
  let redemption: Redemption = await entitlement.redeem({ ...terms, scopesChecked });
  if (redemption.kind === "ambiguous") {
    // The grant covered several APIs. Unless narrowing has left one of them, this refuses.
    await check(redemption.grant);
    scopesChecked = true;
    redemption = await entitlement.redeem({ ...terms, scopesChecked });
    if (redemption.kind === "ambiguous") return refuse("resource_needed");
  }
  const { grant } = redemption;
  const whole = await check(grant);
  const subject = subjectOf(grant);
  const decision = early ?? (await policyAbout({ subject, client, ...whole, grantType: typeOf(request) }, context));
  const effective = { ...whole, scopes: withinPolicy(decision, whole.scopes) };
  if (asked.scope !== undefined || effective.scopes.length < whole.scopes.length) {
    const names = effective.scopes.map(({ name }) => name);
    await context.noteUse(grant, names);
  }
  // A grant for one API tells itself when that was used.
  if (grant.audience === null) context.noteApiUse(grant.grantId, effective.audience);
  // OpenID Connect Core §12.2: an ID token of a refresh needs no nonce.
  const nonce = entitlement.refreshToken === undefined ? grant.nonce : null;
  const parts = {
    ...{ subject, client, ...effective, constraint, ...longest(decision) },
    nonce,
    claims: grant.claims,
    ownClaims: ownClaims || undefined,
    sid: grant.sid,
  };
  return tokenResponse(grant.refreshable && effective.offline, parts, context, () =>
    entitlement.refreshToken === undefined
      ? context.credentials.make("refresh_token", grant.grantId, 1, salt)
      : entitlement.refreshToken(grant),
  );
}

const typeOf = ({ single }: GrantRequest): string => single.get("grant_type") ?? "";

/** True: the grant was read with everything that a policy is told. */
function isKnown(found: Pick<Grant, "scopes"> & Partial<Grant>): found is Grant {
  return found.grantId !== undefined && found.ownerId !== undefined && found.amr !== undefined;
}

/** The configuration's claims for the ID token, so that their failure uses up nothing. Undefined: it has none. */
async function claimsBefore(
  { ownerId, personId, claims }: Partial<Grant>,
  { scopes }: Pick<EffectiveScopes, "scopes">,
  client: Client,
  { openId }: OAuthContext,
) {
  if (ownerId === undefined || personId === undefined || claims === undefined || claims === null) return undefined;
  const subject = { sub: ownerId, actor: actorOf({ ownerId, personId }), person: null };
  return openId.ownClaims({ subject, client, scopes, claims });
}

/** When unused refresh tokens expire, and when the access token does. `audience`: undefined if it is not known yet. */
async function ends(audience: string | undefined, { client }: GrantRequest, context: OAuthContext) {
  const { catalog, policy } = context;
  const now = context.now();
  const ttl =
    audience === undefined
      ? await longestAccessTtl(context)
      : accessTokenTtl((await catalog.resources()).get(audience), policy.accessTtl);
  return { now, idleUntil: now + refreshLifetime(client, policy), accessUntil: now + ttl };
}

async function forOwner(
  entitlement: OwnerEntitlement,
  request: GrantRequest,
  constraint: SenderConstraint,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { client } = request;
  const within = await entitlement.within();
  const owner = await entitlement.owner(within);
  // Before the grant is stored: the owner must not see one that no token came from.
  const decision = await policyAbout(ownerQuestion(owner, within, request), context);
  const salt = context.credentials.newSalt();
  const grant = await storedGrant({ entitlement, request, owner, within, refreshSaltHash: salt.hash }, context);
  const asked = { scope: undefined, resource: request.resource };
  const effective = await effectiveScopes(grant, client, asked, context);
  context.event("grant_issued", {
    client_id: client.clientId,
    owner: owner.ownerId,
    scope: grant.scopes.map(({ name }) => name).join(" "),
  });
  const { agents } = entitlement;
  const subject = agents === undefined ? subjectOf(grant) : { ...subjectOf(grant), agents };
  const ending = endingBy(lastOf(entitlement, owner), effective);
  const scopes = withinPolicy(decision, ending.scopes);
  const parts = { subject, client, ...ending, scopes, constraint, ...longest(decision) };
  const response = await tokenResponse(grant.refreshable, parts, context, () =>
    context.credentials.make("refresh_token", grant.grantId, 1, salt.salt),
  );
  return entitlement.namesResource ? { ...response, resource: effective.audience } : response;
}

function ownerQuestion(owner: EntitledOwner, within: Within, request: GrantRequest): PolicyQuestion {
  const { ownerId, personId = ownerId, authTime, acr, amr } = owner;
  const scopes = (owner.scopes ?? within.scopes).map((name) => ({ name, expiresAt: null }));
  const subject = {
    sub: ownerId,
    actor: actorOf({ ownerId, personId }),
    grantId: null,
    person: { authTime, acr, amr },
  };
  return { subject, client: request.client, scopes, audience: within.audience, grantType: typeOf(request) };
}

async function forToken(
  entitlement: TokenEntitlement,
  request: GrantRequest,
  constraint: SenderConstraint,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { parts } = entitlement;
  const decision = await policyAbout({ ...parts, grantType: typeOf(request) }, context);
  const scopes = withinPolicy(decision, parts.scopes);
  await entitlement.record();
  if (parts.subject.grantId !== null) context.noteApiUse(parts.subject.grantId, parts.audience);
  const made = { constraint, ...parts, scopes, ...longest(decision, parts.most) };
  return tokenResponse(false, made, context, () => "");
}

/** The latest end of the access token. */
function lastOf(entitlement: OwnerEntitlement, owner: EntitledOwner): Millis {
  return Math.min(entitlement.until, owner.until ?? NEVER);
}

/** An access token ends with the first of its scopes. */
function endingBy(until: Millis, { scopes, audience }: EffectiveScopes): Omit<EffectiveScopes, "offline"> {
  const capped = scopes.map(({ name, expiresAt }) => ({ name, expiresAt: Math.min(expiresAt ?? NEVER, until) }));
  return { audience, scopes: until === NEVER ? scopes : capped };
}

interface NewGrantParts {
  readonly entitlement: OwnerEntitlement;
  readonly request: GrantRequest;
  readonly owner: EntitledOwner;
  readonly within: Within;
  readonly refreshSaltHash: Uint8Array;
}

/** The part of a new grant from which its tokens are made. */
type IssuedGrant = Pick<
  Grant,
  "grantId" | "ownerId" | "personId" | "refreshable" | "scopes" | "authTime" | "acr" | "amr"
>;

/** Stores the grant's row with its consent record, in one transaction. */
async function storedGrant(parts: NewGrantParts, context: OAuthContext): Promise<IssuedGrant> {
  const { entitlement, request, owner, within } = parts;
  const { client } = request;
  const { partition, ownerId, personId = ownerId } = owner;
  const { refusals, under } = entitlement;
  const times = await ends(within.audience, request, context);
  const accessUntil = Math.min(times.accessUntil, lastOf(entitlement, owner));
  const grantId = context.newGrantId(partition);
  const what = { scopes: owner.scopes ?? within.scopes, audience: within.audience };
  const { refreshable: mayRefresh } = entitlement;
  const grant = newGrant(
    { client, partition, grantId, ownerId, personId, ...what, refreshable: mayRefresh, signIn: owner },
    context,
  );
  const { refreshable, ceiling } = grant;
  if (under === "consent") {
    const row = redeemedAtOnce(grant, { codeUntil: times.now, accessUntil });
    const outcome = await context.storage.grants.issue({ grant: row, now: times.now });
    if (outcome.kind !== "issued") return refuse(refusals.blocked, "nothing stands for it under consent");
    return { ...grant, scopes: outcome.scopes };
  }
  const outcome = await context.storage.grants.issueWithoutCode({
    grant,
    via: under.record,
    registeredAt: client.createdAt,
    ...(owner.trustedFrom === undefined ? {} : { trustedFrom: owner.trustedFrom }),
    refreshSaltHash: refreshable ? parts.refreshSaltHash : null,
    ...times,
    accessUntil,
    idleUntil: refreshable ? times.idleUntil : accessUntil,
    consentUntil: cappedEnd(null, times.now, ceiling),
    shown: { locale: "en", clientName: client.name, logo: client.logo },
    address: entitlement.address,
  });
  switch (outcome.kind) {
    case "issued":
      return outcome.grant;
    case "blocked":
      return refuse(refusals.blocked, `${STOPPED_BY[outcome.by]} under ${under.record}`);
    case "no_owner":
      return refuse(refusals.noOwner, "disabled, deleted, or with another password since");
    case "exists":
      throw new Error("a random grant id came up twice");
  }
}

async function forClient(
  entitlement: ClientEntitlement,
  request: GrantRequest,
  constraint: SenderConstraint,
  context: OAuthContext,
): Promise<TokenResponse> {
  const { client } = request;
  const own = await clientScopes(entitlement.scopes, request, context);
  // RFC 9068 §2.2: without an owner, the client is the subject. No client id has the form of an owner's id.
  const subject = { sub: client.clientId, actor: null, grantId: null, person: null };
  const held = own.scopes.map(({ name }) => ({ name, expiresAt: entitlement.until }));
  const { audience } = own;
  const question = { subject, client, scopes: held, audience, grantType: typeOf(request) };
  const decision = await policyAbout(question, context);
  await entitlement.useUp?.();
  const scopes = withinPolicy(decision, held);
  const parts = { subject, client, scopes, audience, constraint, ...longest(decision) };
  return tokenResponse(false, parts, context, () => "");
}
