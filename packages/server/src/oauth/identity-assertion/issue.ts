/**
 * Issues ID-JAGs by token exchange (RFC 8693), for apps that an operator or a company's admin connected with another
 * authorization server
 * (draft-ietf-oauth-identity-assertion-authz-grant-03 §4.3).
 */

import { ceilingOf } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import type { ForeignEntitlement, GrantRequest } from "../grants/grant-type.ts";
import { actorOf, longest, policyAbout, withinPolicy } from "../issue-access-token.ts";
import type { OwnConnection } from "../map-asserted-subject.ts";
import { type Connection, type Grant, type Millis, NEVER, type TokenExchangePolicy } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import { OPENID } from "../openid/scopes.ts";
import type { OAuthContext } from "../ports.ts";
import { liveScopes, parseScope, SCOPE_MARGIN } from "../scope.ts";
import { kindOf } from "../token-exchange/exchange-request.ts";
import { grantOfRefreshToken } from "../token-exchange/subject-token.ts";

/** An ID-JAG is presented at once. */
const LIFETIME: Millis = 300_000;

const refused = (detail: string) => refuse("subject_token_refused", detail);

/** A sign-in of a person at the client. */
type SignIn = Pick<Grant, "ownerId" | "personId" | "authTime" | "acr" | "amr"> & {
  readonly sid: string | null;
  /** Of the ID token. Null: a refresh token was presented. */
  readonly issuedAt: Millis | null;
};

/** The endpoint has authenticated the client, which is confidential. */
export async function issueIdentityAssertion(
  request: GrantRequest,
  policy: TokenExchangePolicy,
  context: OAuthContext,
): Promise<ForeignEntitlement> {
  const { client, single } = request;
  const [audience, ...others] = new Set(request.audiences);
  const connections = policy.connections?.filter((one) => one.audience === audience) ?? [];
  // §9.3: an ID-JAG for this server itself would let the client widen what it has.
  const isConnected =
    others.length === 0 && connections.some(({ status }) => status !== "paused") && audience !== context.issuer;
  if (!isConnected) refuse("cross_app_not_connected");
  if (single.has("actor_token") || single.has("actor_token_type")) refuse("actor_token_refused", "an ID-JAG has none");
  const signIn = await signInOf(request, policy, context);
  const { ownerId, personId, sid, issuedAt } = signIn;
  const organization = ownerId === personId ? undefined : ownerId;
  const vouched = await context.assertedOwners.vouchFor({
    ...{ client, personId, organization, sid, issuedAt, connections },
    ceiling: ceilingOf(client, context.policy),
  });
  if (vouched.kind === "refused") return refused(vouched.why);
  if (vouched.kind === "unconnected") return refuse("cross_app_not_connected", "none of them is for this person");
  const { connection, email, own } = vouched;
  const asked = { scopes: scopesOf(single.get("scope"), connection), resources: resourcesOf(request, connection) };
  return { kind: "foreign", respond: () => respond({ request, connection, own, signIn, email, ...asked }, context) };
}

/** §4.3.3: the sign-in that an ID token or a refresh token of this client stands for. */
async function signInOf(request: GrantRequest, policy: TokenExchangePolicy, context: OAuthContext): Promise<SignIn> {
  const { client, single } = request;
  const token = single.get("subject_token") ?? "";
  const kind = kindOf(single.get("subject_token_type") ?? "") ?? refuse("subject_token_type_unsupported");
  if (!client.scopes.includes(OPENID)) refused("nobody signs in to the client any more");
  if (kind === "refresh_token") {
    const { grant } = await grantOfRefreshToken(token, { request, policy, target: { named: undefined } }, context);
    const live = liveScopes(grant.scopes, client, await context.catalog.scopes(), context.now(), SCOPE_MARGIN);
    if (!live.some(({ name }) => name === OPENID)) refused("nobody signed in by it, or that has ended");
    return { ...grant, issuedAt: null };
  }
  if (kind !== "id_token") return refuse("subject_token_type_not_allowed", kind);
  const claims = await context.openId.claimsOf(token);
  if (claims === undefined) return refused("not an ID token of this server");
  const { aud, sub, organization, sid, acr, amr } = claims;
  if (aud !== client.clientId || typeof sub !== "string") return refused("an ID token for another client");
  if ((timeClaim(claims, "exp") ?? 0) <= context.now()) refused("an ID token that has expired");
  const issuedAt = timeClaim(claims, "iat") ?? 0;
  if (context.restoredAt > 0 && issuedAt <= context.restoredAt) refused("from before the database was restored");
  return {
    ownerId: typeof organization === "string" ? organization : sub,
    personId: sub,
    sid: typeof sid === "string" ? sid : null,
    issuedAt,
    authTime: timeClaim(claims, "auth_time") ?? null,
    acr: typeof acr === "string" ? acr : null,
    amr: Array.isArray(amr) ? amr.filter((one) => typeof one === "string") : [],
  };
}

/** What the connection allows of the scopes that are asked for. An ID-JAG always says which: none would mean all. */
function scopesOf(text: string | undefined, { scopes }: Connection): readonly string[] {
  const asked = text === undefined ? scopes : [...new Set(parseScope(text))];
  const allowed = asked.filter((name) => scopes.includes(name));
  return allowed.length > 0 ? allowed : refuse("exchange_scope_not_allowed", "none that the connection allows");
}

function resourcesOf({ resource }: GrantRequest, { resources }: Connection): readonly string[] {
  if (resource === undefined) return resources;
  return resources.includes(resource) ? [resource] : refuse("resource_not_allowed", "not of this connection");
}

interface Assertion {
  readonly request: GrantRequest;
  readonly connection: Connection;
  readonly own: OwnConnection | undefined;
  readonly signIn: SignIn;
  /** Verified. Null: there is none. */
  readonly email: string | null;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

async function respond(
  { request: { client, single }, connection, own, signIn, email, ...asked }: Assertion,
  context: OAuthContext,
) {
  const { ownerId, personId, authTime, acr, amr } = signIn;
  const { audience, company } = connection;
  const scopes = asked.scopes.map((name) => ({ name, expiresAt: null }));
  const subject = { sub: ownerId, actor: actorOf(signIn), grantId: null, person: { authTime, acr, amr } };
  const grantType = single.get("grant_type") ?? "";
  const decision = await policyAbout({ subject, client, grantType, scopes, audience }, context);
  const scope = withinPolicy(decision, scopes)
    .map(({ name }) => name)
    .join(" ");
  const now = context.now();
  const partition = context.credentials.partitionOf(ownerId);
  const clientName = client.name;
  const use = {
    ...{ partition, ownerId, clientId: client.clientId, personId, clientName, audience, needs: OPENID, now },
    ...(connection.name === undefined ? {} : { audienceName: connection.name }),
    ...(own === undefined ? {} : { own }),
  };
  if (!(await context.storage.delegations.vouch(use))) refused("the owner does not allow the client now");
  const iat = Math.floor(now / 1000);
  const { most = LIFETIME } = longest(decision, LIFETIME);
  const exp = Math.min(iat + Math.floor(most / 1000), Math.floor((own?.endsAt ?? NEVER) / 1000));
  const [resource, ...more] = asked.resources;
  const assertion = await context.openId.identityAssertion({
    ...{
      sub: personId,
      aud: audience,
      client_id: connection.clientId,
      jti: context.newGrantId(partition),
      iat,
      exp,
      scope,
    },
    ...(resource === undefined ? {} : { resource: more.length === 0 ? resource : asked.resources }),
    ...(authTime === null ? {} : { auth_time: Math.floor(authTime / 1000) }),
    ...(acr === null ? {} : { acr }),
    ...(amr.length === 0 ? {} : { amr }),
    ...(email === null ? {} : { email, email_verified: true }),
  });
  context.event("identity_assertion_issued", {
    ...{ client_id: client.clientId, owner: ownerId, person: personId, audience, company, scope },
    made_by: own === undefined ? "operator" : "company",
  });
  return { access_token: assertion, token_type: "N_A" as const, expires_in: exp - iat, scope };
}
