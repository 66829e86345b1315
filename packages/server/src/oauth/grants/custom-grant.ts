/**
 * Grant types of an embedder: their input, their decision, and how a decision becomes a token (RFC 6749 §§4.5, 8.3).
 */

import { CLOCK_SKEW, SHORTEST_TOKEN } from "../assertion.ts";
import { type ConditionName, refuse } from "../errors.ts";
import { NEVER } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import {
  type CustomGrant,
  type CustomGrantError,
  type CustomGrantRequest,
  type Decided,
  readDecision,
  type TokenForClient,
  type TokenForOwner,
} from "./custom-grant-interface.ts";
import { scopesWithin } from "./effective-scopes.ts";
import type { ClientEntitlement, EntitledOwner, GrantRequest, GrantType, OwnerEntitlement } from "./grant-type.ts";

const REFUSALS: Readonly<Record<CustomGrantError, ConditionName>> = {
  invalid_grant: "custom_grant_refused",
  invalid_request: "custom_grant_malformed",
  temporarily_unavailable: "temporarily_unavailable",
};

/** Maximum length of a detail from an embedder's code in the log. */
const MAX_DETAIL = 300;

/** An embedder's grant type in the form of the built-in ones. */
export function customGrant(grant: CustomGrant): GrantType {
  const { grantType } = grant;
  const parameters = Object.entries(grant.parameters).map(
    ([name, kind]) => [name, kind === "required" ? "custom_parameter_missing" : null] as const,
  );
  return {
    grantType,
    parameters: Object.fromEntries(parameters),
    refreshable: false,
    startsAt: null,

    async entitle(request, context) {
      const now = context.now();
      const decision = readDecision(await grant.redeem(asSeen(grant, request, context)), grantType, now);
      const until = Math.min(decision.expiresAt ?? NEVER, decision.once?.until ?? NEVER);
      if (until < now + SHORTEST_TOKEN) refuse("custom_grant_refused", "expiresAt or once.until is over");
      return decision.for === "client"
        ? forClient(decision, grant, request, context)
        : forOwner(decision, grant, request, context);
    },
  };
}

/** It has no secret of the client, and no parameter that was not declared. */
function asSeen({ parameters }: CustomGrant, { client, single, address }: GrantRequest, context: OAuthContext) {
  const { clientId, name, type } = client;
  const seen: CustomGrantRequest = {
    parameter(wanted) {
      if (!Object.hasOwn(parameters, wanted)) throw new Error(`the parameter ${wanted} isn't declared`);
      return single.get(wanted) ?? "";
    },
    client: { clientId, name, type },
    address,
    now: context.now(),
    refuse(error, detail) {
      if (!Object.hasOwn(REFUSALS, error)) throw new TypeError(`${String(error)} is no error of a custom grant`);
      return refuse(REFUSALS[error], detail?.slice(0, MAX_DETAIL));
    },
  };
  return Object.freeze(seen);
}

function forClient(
  { scopes: most, expiresAt = NEVER, once }: TokenForClient,
  grant: CustomGrant,
  { client: { ownScopes } }: GrantRequest,
  context: OAuthContext,
): ClientEntitlement {
  return {
    kind: "client",
    scopes: most === undefined ? ownScopes : ownScopes.filter((name) => most.includes(name)),
    until: expiresAt,
    useUp: () => useUp(once, grant, context),
  };
}

function forOwner(
  decision: TokenForOwner,
  grant: CustomGrant,
  request: GrantRequest,
  context: OAuthContext,
): OwnerEntitlement {
  const { under, scopes, expiresAt = NEVER } = decision;
  return {
    kind: "owner",
    within: () => scopesWithin(scopes, request, context),
    owner: () => ownerOf(decision, grant, context),
    under: under === "consent" ? under : { record: under },
    refreshable: false,
    until: expiresAt,
    address: request.address,
    refusals: { blocked: "custom_grant_refused", noOwner: "custom_grant_refused" },
  };
}

async function ownerOf(
  { owner: { by, value }, authTime, once }: TokenForOwner,
  grant: CustomGrant,
  context: OAuthContext,
): Promise<EntitledOwner> {
  const owner = await context.findOwner(by, value);
  if (owner === undefined) return refuse("custom_grant_refused", "no such owner");
  if (owner.operator) return refuse("custom_grant_refused", "the owner is an operator");
  if (!owner.active) return refuse("custom_grant_refused", "the owner is disabled");
  await useUp(once, grant, context);
  const { partition, ownerId } = owner;
  return { partition, ownerId, authTime: authTime ?? null, acr: null, amr: [] };
}

async function useUp(once: Decided["once"], { grantType }: CustomGrant, context: OAuthContext): Promise<void> {
  if (once === undefined) return;
  const { restoredAt } = context;
  if (restoredAt > 0 && once.madeAt < restoredAt + CLOCK_SKEW) {
    refuse("custom_grant_refused", "it is from before the database was restored, and may have been used");
  }
  const key = context.hashes.sha256(JSON.stringify([grantType, once.id]));
  const first = await context.storage.replayCache.useOnce({
    kind: "custom grant",
    key,
    until: once.until,
    now: context.now(),
  });
  if (!first) refuse("custom_grant_refused", "used before");
}
