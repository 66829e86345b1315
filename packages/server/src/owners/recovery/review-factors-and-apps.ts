/**
 * What a recovery by mail shows: which factor the person must prove, what may be an intruder's, and what stays. Pure
 * functions.
 */

import type { Grant, Millis } from "../../oauth/model.ts";
import type { Acting } from "../company-storage.ts";
import { isPaused, lastDecided } from "../consent-after-decision.ts";
import type { AddedFrom, Passkey, SecondFactor } from "../factor-storage.ts";
import type { KnownDevice } from "../known-device-storage.ts";
import type { ConsentWithGrants } from "../storage.ts";
import { isVouched, type ProvingCodes, provingCodes, SETTLED } from "./factor-trust.ts";
import type { FactorKind } from "./storage.ts";

/** A factor that the server keeps while nothing vouches for the one that replaced it. */
export type SecondFactorKind = Exclude<FactorKind, "passkey">;

/** The parts of an account that a recovery shows. */
export interface Holdings {
  readonly passkeys: readonly Passkey[];
  /** False: no passkey works at this server's address. */
  readonly passkeysWork: boolean;
  readonly factor: SecondFactor | undefined;
  readonly devices: readonly KnownDevice[];
  readonly consents: readonly ConsentWithGrants[];
  /** When paused apps were last resumed, by client id. */
  readonly resumed: ReadonlyMap<string, Millis>;
  /** The person's live grants in companies' names. `paused`: the ids of the clients that the company paused. */
  readonly companies: readonly {
    readonly acting: Acting;
    readonly grants: readonly Grant[];
    readonly paused: ReadonlySet<string>;
  }[];
  /** When the address was changed, if a link takes that change back; otherwise null. */
  readonly changedAt: Millis | null;
}

/**
 * A factor that the person proved before they see the review. `earlier`: the previous authenticator. `earlierCodes`: a
 * recovery code of the previous set. `since`: when the factor was added; for earlier codes, when the present set was. So
 * the proof does not count for a factor that has replaced the proved one.
 */
export type Proof = { readonly since: Millis } & (
  | { readonly kind: "authenticator" | "earlier" | "codes" | "earlierCodes" }
  | { readonly kind: "passkey"; readonly credentialId: string }
);

/** The ways to prove a factor that is vouched for. */
export interface Ways {
  /** Codes of the present authenticator, and of the previous one. */
  readonly authenticator: boolean;
  readonly earlier: boolean;
  /** Recovery codes of the present set, and of the previous one. */
  readonly codes: boolean;
  readonly earlierCodes: boolean;
  /** Ids of passkeys. */
  readonly passkeys: readonly string[];
}

export interface FoundFactor {
  /** The id of a passkey; for other factors, the kind. */
  readonly id: string;
  readonly kind: FactorKind;
  /** The owner's name for a passkey; otherwise null. */
  readonly name: string | null;
  readonly addedAt: Millis;
  readonly added: AddedFrom;
  readonly lastUsedAt: Millis | null;
  /** True: the factor is not vouched for, and can be removed. */
  readonly doubtful: boolean;
  /** The kinds of the previous factors that come back if it is removed. */
  readonly bringsBack: readonly SecondFactorKind[];
}

/** `doubtful`: connected, changed or resumed since something suspicious happened. */
export interface FoundApp {
  readonly clientId: string;
  /** The app's name when it was allowed. */
  readonly name: string;
  readonly byDevice: boolean;
  readonly connectedAt: Millis;
  /** When it was last connected or got another permission. */
  readonly latestAt: Millis;
  /** When the owner last chose its end, after `latestAt`. Null: they did not. */
  readonly changedAt: Millis | null;
  /** When it was last resumed, after `latestAt`. Null: it was not. */
  readonly resumedAt: Millis | null;
  /** The same, whatever came later. */
  readonly lastResumedAt: Millis | null;
  /** When the oldest of its permissions was allowed, or its end was chosen. */
  readonly heldSince: Millis;
  /** True: it gets nothing until the owner resumes it. */
  readonly paused: boolean;
  readonly lastUsedAt: Millis | null;
  readonly doubtful: boolean;
}

export interface FoundCompany {
  readonly partition: number;
  readonly companyId: string;
  readonly name: string;
  /** The app that was connected last comes first. */
  readonly apps: readonly FoundCompanyApp[];
  /** When the oldest of the connections was made. */
  readonly firstAt: Millis;
  /** True: the company paused all of these apps. */
  readonly paused: boolean;
  readonly doubtful: boolean;
}

/** An app that the person connected for a company, and when its oldest and its latest connection were made. */
export interface FoundCompanyApp {
  readonly clientId: string;
  readonly connectedAt: Millis;
  readonly latestAt: Millis;
}

export interface Review {
  /** Null: the person has to prove nothing. */
  readonly ways: Ways | null;
  /** True: nothing has to be proved, or it has been proved. */
  readonly proved: boolean;
  /** The time since which an intruder may have acted. Null: nothing is suspicious. */
  readonly moment: Millis | null;
  readonly factors: readonly FoundFactor[];
  /** Doubtful ones first, then the latest. */
  readonly apps: readonly FoundApp[];
  readonly companies: readonly FoundCompany[];
  /** Browsers that were new since then. All of them are signed out in any case. */
  readonly browsers: readonly KnownDevice[];
}

/** Maximum number of apps to choose from. Doubtful apps beyond it lose access. */
export const MOST_APPS = 300;

/** `proof`: the factor that the person has proved. Undefined: none yet. */
export function review(held: Holdings, given: Proof | undefined, now: Millis): Review {
  const proof = given !== undefined && stands(given, held) ? given : undefined;
  const ways = waysOf(held, now);
  const factors = factorsOf(held, proof, now);
  const moment = momentOf(held, factors, now);
  const since = (at: Millis) => moment !== null && at >= moment;
  const apps = held.consents.map((one) => appOf(one, held.resumed, since));
  const companies = held.companies.flatMap((one) => companyOf(one, since));
  return {
    ways,
    proved: ways === null || isProved(proof, ways),
    moment,
    factors,
    apps: apps.sort((one, other) => Number(other.doubtful) - Number(one.doubtful) || lastOf(other) - lastOf(one)),
    companies,
    browsers: held.devices.filter(({ appearedAt }) => since(appearedAt)),
  };
}

function waysOf({ passkeys, passkeysWork, factor }: Holdings, now: Millis): Ways | null {
  const usable = passkeysWork ? passkeys : [];
  const vouched = usable.filter(({ added }) => isVouched(added, now)).map(({ credentialId }) => credentialId);
  const authenticator = factor !== undefined && (isVouched(factor.added, now) || factor.earlier !== null);
  const earlier = factor?.earlier ?? null;
  if (vouched.length === 0 && !authenticator) return null;
  const { codes = false, earlierCodes = false } = provingCodes(factor, now) ?? {};
  return { authenticator, earlier: earlier !== null, codes, earlierCodes, passkeys: vouched };
}

/** The same for the codes after the person has replaced them, with a browser that counts as `added` says. */
export function provingAfterRenewal(
  before: SecondFactor | undefined,
  added: AddedFrom,
  now: Millis,
): ProvingCodes | undefined {
  if (before === undefined) return undefined;
  const kept = isVouched(before.codesAdded, now) ? before.codesLeft : before.earlierCodesLeft;
  const earlierCodesLeft = isVouched(added, now) ? 0 : kept;
  return provingCodes({ ...before, codesAt: now, codesAdded: added, earlierCodesLeft }, now);
}

/** Whether the proved factor is still there, and no other has replaced it. */
function stands(proof: Proof, { passkeys, factor }: Holdings): boolean {
  switch (proof.kind) {
    case "passkey":
      return passkeys.some((one) => one.credentialId === proof.credentialId && one.createdAt === proof.since);
    case "authenticator":
      return factor?.createdAt === proof.since;
    case "earlier":
      return factor?.earlier?.createdAt === proof.since;
    case "codes":
    case "earlierCodes":
      return factor?.codesAt === proof.since;
    default:
      // Sealed by an older version.
      return false;
  }
}

/** Whether the proved factor is still one of the ways. */
function isProved(proof: Proof | undefined, ways: Ways): boolean {
  switch (proof?.kind) {
    case undefined:
      return false;
    case "passkey":
      return ways.passkeys.includes(proof.credentialId);
    // The proof may have used the last code of the set.
    case "authenticator":
    case "earlier":
    case "codes":
    case "earlierCodes":
      return ways.authenticator;
  }
}

function factorsOf({ passkeys, factor }: Holdings, proof: Proof | undefined, now: Millis): readonly FoundFactor[] {
  const doubtful = (added: AddedFrom, proved: boolean) => !isVouched(added, now) && !proved;
  const keys = passkeys.map(({ credentialId, name, createdAt, added, lastUsedAt }) => ({
    ...{ id: credentialId, kind: "passkey" as const, name, addedAt: createdAt, added, lastUsedAt },
    ...{ doubtful: doubtful(added, false), bringsBack: [] },
  }));
  if (factor === undefined) return keys;
  const { createdAt, added, lastUsedAt, codesAt, codesAdded, earlier, codesLeft } = factor;
  const inOneGo = codesAt === createdAt;
  const proved = proof?.kind === "authenticator" || (proof?.kind === "codes" && inOneGo);
  const earlierCodes: readonly SecondFactorKind[] = factor.earlierCodesLeft > 0 ? ["codes"] : [];
  const authenticator: FoundFactor = {
    ...{ id: "authenticator", kind: "authenticator", name: null, addedAt: createdAt, added, lastUsedAt },
    ...{ doubtful: doubtful(added, proved), bringsBack: earlier === null ? [] : ["authenticator", ...earlierCodes] },
  };
  const codes: FoundFactor = {
    ...{ id: "codes", kind: "codes", name: null, addedAt: codesAt, added: codesAdded, lastUsedAt: null },
    ...{ doubtful: doubtful(codesAdded, proof?.kind === "codes"), bringsBack: earlierCodes },
  };
  // Codes that came with a doubtful authenticator, or that are all used, are not listed separately.
  const apart = codesLeft > 0 && codes.doubtful && !(authenticator.doubtful && inOneGo);
  return [...keys, authenticator, ...(apart ? [codes] : [])];
}

/**
 * The first sign of something suspicious: when the browser that added a doubtful factor first appeared; when a browser
 * other than the account's first signed in for the first time within the last week; or the change of the address that
 * is being taken back.
 */
function momentOf({ devices, changedAt }: Holdings, factors: readonly FoundFactor[], now: Millis): Millis | null {
  const signs = [
    ...factors
      .filter(({ doubtful }) => doubtful)
      .map(({ addedAt, added }) => Math.min(addedAt, added.deviceSince ?? addedAt)),
    ...devices.filter(({ first, appearedAt }) => !first && appearedAt + SETTLED > now).map((one) => one.appearedAt),
    ...(changedAt === null ? [] : [changedAt]),
  ];
  return signs.length === 0 ? null : Math.min(...signs);
}

function appOf(
  { consent, grants }: ConsentWithGrants,
  resumed: Holdings["resumed"],
  since: (at: Millis) => boolean,
): FoundApp {
  const live = grants.filter(({ status }) => status === "active");
  const times = [...consent.scopes.map(({ grantedAt }) => grantedAt), ...live.map(({ createdAt }) => createdAt)];
  const latestAt = Math.max(consent.createdAt, ...times);
  const after = (at: Millis) => (at > latestAt ? at : null);
  const app = {
    ...{ clientId: consent.clientId, name: consent.shown.clientName, byDevice: consent.via === "device" },
    ...{ connectedAt: consent.createdAt, latestAt, lastUsedAt: consent.lastUsedAt, paused: isPaused(consent) },
    changedAt: after(Math.max(0, ...consent.scopes.map(({ decidedAt = consent.updatedAt }) => decidedAt))),
    resumedAt: after(resumed.get(consent.clientId) ?? 0),
    lastResumedAt: resumed.get(consent.clientId) ?? null,
    heldSince: heldSince(consent, live),
  };
  return { ...app, doubtful: since(lastOf(app)) };
}

/** A permission that only grants hold is as old as the oldest of these. */
function heldSince({ scopes, createdAt }: ConsentWithGrants["consent"], live: readonly Grant[]): Millis {
  const names = new Set(scopes.map(({ name }) => name));
  const others = live.filter((grant) => grant.scopes.some(({ name }) => !names.has(name)));
  const all = [...scopes.map(lastDecided), ...others.map((grant) => grant.createdAt)];
  return all.length === 0 ? createdAt : Math.min(...all);
}

function lastOf({ latestAt, changedAt, resumedAt }: Pick<FoundApp, "latestAt" | "changedAt" | "resumedAt">): Millis {
  return Math.max(latestAt, changedAt ?? 0, resumedAt ?? 0);
}

function companyOf(
  { acting: { company }, grants, paused: ids }: Holdings["companies"][number],
  since: (at: Millis) => boolean,
): readonly FoundCompany[] {
  if (grants.length === 0) return [];
  const apps = [...Map.groupBy(grants, ({ clientId }) => clientId)].map(([clientId, all]) => {
    const times = all.map(({ createdAt }) => createdAt);
    return { clientId, connectedAt: Math.min(...times), latestAt: Math.max(...times) };
  });
  const firstAt = Math.min(...apps.map(({ connectedAt }) => connectedAt));
  const doubtful = apps.some(({ latestAt }) => since(latestAt));
  const paused = apps.every(({ clientId }) => ids.has(clientId));
  const { partition, companyId, name } = company;
  apps.sort((one, other) => other.latestAt - one.latestAt);
  return [{ partition, companyId, name, apps, firstAt, paused, doubtful }];
}

/** The boxes that the person ticked, by their names on the page. */
export interface Choice {
  readonly factors: readonly string[];
  readonly apps: readonly string[];
  readonly companies: readonly string[];
}

/** The result of a choice. */
export interface Decided {
  readonly removed: readonly FoundFactor[];
  /** The kinds of the previous factors that come back. */
  readonly back: readonly SecondFactorKind[];
  readonly kept: readonly FoundFactor[];
  readonly endApps: readonly FoundApp[];
  /** Without those that stay paused. */
  readonly keepApps: readonly FoundApp[];
  readonly pausedApps: readonly FoundApp[];
  readonly endCompanies: readonly FoundCompany[];
  readonly keepCompanies: readonly FoundCompany[];
  readonly pausedCompanies: readonly FoundCompany[];
}

/** The preselected boxes. */
export function suggested({ factors, apps, companies }: Review): Choice {
  const doubtful = (one: { readonly doubtful: boolean }) => one.doubtful;
  return {
    factors: factors.filter(doubtful).map(({ id }) => id),
    apps: apps.filter(doubtful).map(({ clientId }) => clientId),
    companies: companies.filter(doubtful).map(({ companyId }) => companyId),
  };
}

/**
 * Only items of the review can be chosen: no factor that is vouched for, and no app that the person does not have. What was
 * connected or resumed after the person saw the page loses access. So does an app of which every permission is younger: the
 * transaction takes these permissions away.
 */
export function decide({ factors, apps, companies }: Review, choice: Choice, shownAt: Millis): Decided {
  const goes = ({ id, doubtful }: FoundFactor) => doubtful && choice.factors.includes(id);
  // Recovery codes are removed with their authenticator.
  const allOf = factors.some((one) => one.kind === "authenticator" && goes(one));
  const [removed, kept] = split(factors, (one) => goes(one) || (one.kind === "codes" && allOf));
  const offered = new Set(apps.slice(0, MOST_APPS).map(({ clientId }) => clientId));
  const chosen = new Set(choice.apps);
  const [endApps, others] = split(apps, ({ clientId, connectedAt, lastResumedAt, heldSince: since, doubtful }) => {
    if (Math.max(connectedAt, lastResumedAt ?? 0, since) >= shownAt) return true;
    return offered.has(clientId) ? chosen.has(clientId) : doubtful;
  });
  const [pausedApps, keepApps] = split(others, ({ paused }) => paused);
  const [endCompanies, otherCompanies] = split(
    companies,
    ({ companyId, firstAt }) => firstAt >= shownAt || choice.companies.includes(companyId),
  );
  const [pausedCompanies, keepCompanies] = split(otherCompanies, ({ paused }) => paused);
  const back = [...new Set(removed.flatMap(({ bringsBack }) => bringsBack))];
  return { removed, back, kept, endApps, keepApps, pausedApps, endCompanies, keepCompanies, pausedCompanies };
}

function split<T>(all: readonly T[], is: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
