/** The decision about a token exchange (RFC 8693 §2.1). */

import { SHORTEST_TOKEN } from "../assertion.ts";
import { refuse } from "../errors.ts";
import type { ForeignEntitlement, GrantRequest, OwnerEntitlement, TokenEntitlement } from "../grants/grant-type.ts";
import { accessTokenKind, subjectOf } from "../issue-access-token.ts";
import { type Client, NEVER } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import { actorsOf } from "./actor.ts";
import { type Exchange, kindOf, requestedKind } from "./exchange-request.ts";
import type { RecordDelegation } from "./storage.ts";
import { externalSubject } from "./subject-of-issuer.ts";
import { type GrantSubject, grantOfAccessToken, grantOfRefreshToken, signedInSubject } from "./subject-token.ts";
import { namedTarget, scopesFrom } from "./target.ts";

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** Checks first what the request alone shows, then the tokens, and writes nothing. */
export async function entitle(
  request: GrantRequest,
  context: OAuthContext,
): Promise<OwnerEntitlement | TokenEntitlement | ForeignEntitlement> {
  const { client, single } = request;
  if (client.type !== "confidential") refuse("grant_needs_confidential_client");
  const policy = client.tokenExchange ?? refuse("exchange_not_allowed");
  if (single.get("requested_token_type") === ID_JAG) {
    const { issueIdentityAssertion } = await import("../identity-assertion/issue.ts");
    return issueIdentityAssertion(request, policy, context);
  }
  const kind = kindOf(single.get("subject_token_type") ?? "") ?? refuse("subject_token_type_unsupported");
  const asJwt = requestedKind(single.get("requested_token_type")) === "jwt";
  if (!policy.subjects.includes(kind)) refuse("subject_token_type_not_allowed", kind);
  const target = await namedTarget(request, policy, context);
  const exchange: Exchange = { request, policy, target };
  const token = single.get("subject_token") ?? "";
  if (asJwt && target.named !== undefined) await mustTakeJwts(target.named, context);
  switch (kind) {
    case "access_token":
      return underGrant(await grantOfAccessToken(token, exchange, context), asJwt, exchange, context);
    case "refresh_token":
      return underGrant(await grantOfRefreshToken(token, exchange, context), asJwt, exchange, context);
    case "id_token":
      return signedInSubject(token, exchange, context);
    case "jwt":
      return externalSubject(token, exchange, context);
  }
}

/** RFC 8693 §3: a token of an API that takes opaque texts is no JWT. */
async function mustTakeJwts(audience: string, { catalog }: OAuthContext): Promise<void> {
  const { format } = accessTokenKind((await catalog.resources()).get(audience));
  if (format !== "jwt") refuse("requested_token_type_unsupported", "the API takes opaque tokens");
}

async function underGrant(
  subject: GrantSubject,
  asJwt: boolean,
  exchange: Exchange,
  context: OAuthContext,
): Promise<TokenEntitlement> {
  const { request } = exchange;
  const { client } = request;
  const { grant } = subject;
  const { agents, actor } = await actorsOf(subject, exchange, context);
  const { scopes, audience, byConsent } = await scopesFrom(subject, exchange, context);
  if (asJwt) await mustTakeJwts(audience, context);
  const now = context.now();
  const until = Math.min(subject.until, grant.absoluteUntil);
  const ending = scopes.map(({ name, expiresAt }) => ({ name, expiresAt: Math.min(expiresAt ?? NEVER, until) }));
  if (ending.some(({ expiresAt }) => expiresAt < now + SHORTEST_TOKEN)) refuse("subject_token_refused", "about to end");
  const { constraint } = subject;
  return {
    kind: "token",
    parts: {
      subject: { ...subjectOf(grant), agents },
      ...{ client, scopes: ending, audience },
      ...(constraint === undefined
        ? {}
        : { constraint: client.certificateBound ? ownConstraint(request) : constraint }),
    },
    async record() {
      const impersonation = actor === null;
      const acting = { actor: actor ?? client, impersonation, byConsent, scopes: ending };
      await recorded(subject, acting, request, context);
      context.event("token_exchanged", {
        ...{ client_id: client.clientId, owner: grant.ownerId, grant_id: grant.grantId },
        ...{ subject_client_id: grant.clientId, actor: actor?.clientId ?? null, audience },
        scope: ending.map(({ name }) => name).join(" "),
        kind: impersonation ? "impersonation" : "delegation",
      });
    },
  };
}

/** The endpoint has checked that the connection has the client's certificate. */
function ownConstraint(request: GrantRequest) {
  return { certificateThumbprint: request.thumbprint() ?? refuse("certificate_needed") };
}

interface Acting extends Pick<RecordDelegation, "impersonation" | "byConsent" | "scopes"> {
  readonly actor: Client;
}

async function recorded(
  { grant, app, isUse }: GrantSubject,
  { actor, ...acting }: Acting,
  { client, address }: GrantRequest,
  { storage, networkOf, now }: OAuthContext,
): Promise<void> {
  const { partition, ownerId, personId, grantId, clientId } = grant;
  const outcome = await storage.delegations.record({
    ...{ partition, ownerId, personId, grantId, clientId, ...acting },
    ...{ actorId: actor.clientId, askerId: client.clientId, actorName: actor.name, clientName: app.name },
    usedFrom: isUse ? networkOf(address) : null,
    now: now(),
  });
  if (outcome === "ended") refuse("subject_token_refused", "its grant has ended meanwhile");
  if (outcome === "blocked") refuse("subject_token_refused", "the owner removed the access of the client or the actor");
}
