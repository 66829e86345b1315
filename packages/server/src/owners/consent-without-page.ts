/** What a grant without a page, by password or assertion, changes in the consent record. Pure functions. */

import { later, sooner } from "../oauth/consent-reach.ts";
import type { Consent, ConsentedScope, GrantedScope, StoppedBy } from "../oauth/model.ts";
import type { IssueDirect } from "../oauth/storage.ts";
import { byRules, consentUnder, isAhead, isPaused, latestOf, union } from "./consent-after-decision.ts";

/**
 * True: a grant without a page changes nothing of the owner's decision on a page. It only adds to a record that
 * passwords alone made.
 */
function standsAlone(before: Consent | undefined, { via }: Pick<IssueDirect, "via">): boolean {
  return via === "password" && (before === undefined || before.via === "password");
}

/**
 * What keeps a grant without a page away: the owner paused the app, the consent has ended, or the owner removed everything that
 * the grant asks for. Then only a page can give consent again. Undefined: nothing.
 */
export function stopOf(before: Consent | undefined, scopes: readonly string[]): StoppedBy | undefined {
  if (before === undefined) return undefined;
  if (isPaused(before)) return "paused";
  if (before.status === "revoked") return enderOf(before);
  return scopes.every((name) => before.removed.includes(name)) ? "scopes" : undefined;
}

/** Who else than the owner can have revoked a consent. */
const ENDERS = ["operator", "restore"] as const;

function enderOf({ revokedBy, pausedAt }: Consent): StoppedBy {
  const by = revokedBy === null ? "client" : ENDERS.find((one) => one === revokedBy);
  if (by === undefined) return "owner";
  // The owner's own pause outlasts what others end.
  return pausedAt === null ? by : "pausedBefore";
}

/**
 * The record on which a grant without a page builds. For a consent that the owner did not end, before the operator registered
 * the app again: without its scopes, but scopes that the owner removed stay removed. The operator's policy alone starts so.
 */
export function startOf(before: Consent | undefined, { via, registeredAt }: IssueDirect): Consent | undefined {
  const isOver = before?.status === "revoked" && via === "operator policy" && registeredAt !== undefined;
  if (!isOver || (before.revokedAt ?? 0) > registeredAt) return before;
  if (["owner", "pausedBefore"].includes(enderOf(before))) return before;
  return {
    ...before,
    ...{ status: "active", grantedBy: "operator", via, scopes: [], declined: [], chosenAt: null, expiresAt: 0 },
    ...{ createdAt: registeredAt, revokedAt: null, revokedBy: null, pausedAt: null },
    shown: { locale: before.shown.locale, clientName: before.shown.clientName, logo: before.shown.logo },
  };
}

/**
 * The ends of the scopes of a grant without a page. A password reaches no further than a decision on a page: a scope of
 * the record ends with the record, and any other scope with this access token. Scopes that the owner removed are left
 * out.
 */
export function directScopes(before: Consent | undefined, issued: IssueDirect): readonly GrantedScope[] {
  const { grant, via, consentUntil, accessUntil } = issued;
  const held = before && consentUnder(before, grant.ceiling);
  const ends = new Map((held?.scopes ?? []).map(({ name, expiresAt }) => [name, expiresAt]));
  const removed = new Set(before?.removed);
  const names = grant.scopes.filter((name) => !removed.has(name));
  return names.map((name) => {
    if (via !== "password" || standsAlone(before, issued)) return { name, expiresAt: consentUntil };
    return { name, expiresAt: sooner(ends.has(name) ? (ends.get(name) ?? null) : accessUntil, consentUntil) };
  });
}

/**
 * The record after a grant without a page, by password or assertion. It exists so that the owner sees the app and can
 * revoke it. But scopes that the owner never saw on a page become active ones only if passwords alone made the record.
 * The record must not be a revoked one: only a page activates that again.
 */
export function recordDirect(before: Consent | undefined, issued: IssueDirect): Consent {
  const { grant, consentUntil, now } = issued;
  const held = before && consentUnder(before, grant.ceiling);
  const kept = (held?.scopes ?? []).filter(({ expiresAt }) => isAhead(expiresAt, now));
  const granted = directScopes(before, issued);
  const scopes = !standsAlone(before, issued)
    ? kept
    : [
        ...kept.map((scope) =>
          grant.scopes.includes(scope.name)
            ? { ...scope, expiresAt: later(scope.expiresAt, consentUntil), decidedAt: now }
            : scope,
        ),
        ...granted
          .filter(({ name }) => !kept.some((scope) => scope.name === name))
          .map(
            ({ name }): ConsentedScope => ({
              name,
              expiresAt: consentUntil,
              grantedAt: now,
              decidedAt: now,
              hosts: [],
            }),
          ),
      ];
  const ends = [
    ...granted.map(({ expiresAt }) => expiresAt),
    ...scopes.map(({ expiresAt }) => expiresAt),
    ...(before === undefined ? [] : [before.expiresAt]),
  ];
  return {
    ...{ partition: grant.partition, ownerId: grant.ownerId, clientId: grant.clientId },
    status: "active",
    grantedBy: before?.grantedBy ?? (issued.via === "operator policy" ? "operator" : grant.personId),
    via: before?.via ?? issued.via,
    scopes,
    removed: before?.removed ?? [],
    declined: before?.declined ?? [],
    chosenAt: before?.chosenAt ?? null,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    expiresAt: latestOf(ends) ?? null,
    lastUsedAt: now,
    lastUsedAddress: issued.address,
    uses: (before?.uses ?? 0) + 1,
    revokedAt: null,
    revokedBy: null,
    pausedAt: before?.pausedAt ?? null,
    shown: {
      ...stillReturned(before?.shown ?? issued.shown, issued.via === "operator policy" ? granted : []),
      ...(issued.via === "operator policy"
        ? byRules(
            union(
              before?.shown.byRules ?? [],
              granted.map(({ name }) => name),
            ).slice(0, MOST_BY_RULES),
          )
        : {}),
    },
  };
}

function stillReturned(
  { returned = [], ...shown }: Consent["shown"],
  granted: readonly GrantedScope[],
): Consent["shown"] {
  const left = returned.filter((name) => granted.every((scope) => scope.name !== name));
  return left.length === 0 ? shown : { ...shown, returned: left };
}

/** Maximum number of such scopes, because each authorization reads the record. */
const MOST_BY_RULES = 100;
