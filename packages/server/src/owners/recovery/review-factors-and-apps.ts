/** What somebody finds who takes an account back by mail: which factor they must prove, what may be an intruder's, and what stays. Pure. */

import type { Grant, Millis } from "../../oauth/model.ts";
import type { Acting } from "../company-storage.ts";
import type { AddedFrom, Passkey, SecondFactor } from "../factor-storage.ts";
import type { KnownDevice } from "../known-device-storage.ts";
import type { ConsentWithGrants } from "../storage.ts";
import { isVouched, SETTLED } from "./factor-trust.ts";
import type { FactorKind } from "./storage.ts";

/** What an account holds. */
export interface Holdings {
  readonly passkeys: readonly Passkey[];
  /** False: none of them can be used here. */
  readonly passkeysWork: boolean;
  readonly factor: SecondFactor | undefined;
  readonly devices: readonly KnownDevice[];
  readonly consents: readonly ConsentWithGrants[];
  /** Grants that the person made in a company's name and that are alive. */
  readonly companies: readonly { readonly acting: Acting; readonly grants: readonly Grant[] }[];
  /** When the address was changed that a link takes back; null: no link does. */
  readonly changedAt: Millis | null;
}

/** A factor that somebody has proved to have before they see any of this. `earlier`: the authenticator before, or recovery codes of the set before. */
export type Proof =
  | { readonly kind: "authenticator" | "earlier" | "codes" }
  | { readonly kind: "passkey"; readonly credentialId: string };

/** Ways to prove a factor that something vouches for. */
export interface Ways {
  /** Codes of the authenticator of now, and of the one before it. */
  readonly authenticator: boolean;
  readonly earlier: boolean;
  /** Recovery codes of the set of now, and of the one before it. */
  readonly codes: boolean;
  readonly earlierCodes: boolean;
  /** Ids. */
  readonly passkeys: readonly string[];
}

export interface FoundFactor {
  /** Of a passkey its own; else the kind. */
  readonly id: string;
  readonly kind: FactorKind;
  /** What its owner calls a passkey; else null. */
  readonly name: string | null;
  readonly addedAt: Millis;
  readonly added: AddedFrom;
  readonly lastUsedAt: Millis | null;
  /** Nothing vouches for it: it may be removed. */
  readonly doubtful: boolean;
  /** Removed, it makes place for the one that was there before it. */
  readonly bringsBack: boolean;
}

/** `doubtful`: connected since something suspicious happened. */
export interface FoundApp {
  readonly clientId: string;
  /** As it called itself when it was allowed. */
  readonly name: string;
  readonly byDevice: boolean;
  readonly connectedAt: Millis;
  /** When it was last connected or allowed something more. */
  readonly latestAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly doubtful: boolean;
}

export interface FoundCompany {
  readonly companyId: string;
  readonly name: string;
  readonly apps: number;
  readonly latestAt: Millis;
  readonly doubtful: boolean;
}

export interface Review {
  /** Null: nothing has to be proved. */
  readonly ways: Ways | null;
  /** What may be an intruder's was done since then; null: nothing looks like that. */
  readonly moment: Millis | null;
  readonly factors: readonly FoundFactor[];
  /** Doubtful ones first, then the latest. */
  readonly apps: readonly FoundApp[];
  readonly companies: readonly FoundCompany[];
  /** Browsers that were new since then. All are signed out in any case. */
  readonly browsers: readonly KnownDevice[];
}

/** So many apps are offered for a choice. Of those beyond, doubtful ones end. */
export const MOST_APPS = 300;

/** `proof`: what the person has proved; undefined: nothing yet. */
export function review(held: Holdings, proof: Proof | undefined, now: Millis): Review {
  const ways = waysOf(held, now);
  const factors = factorsOf(held, proof, now);
  const moment = momentOf(held, factors, now);
  const since = (at: Millis) => moment !== null && at >= moment;
  const apps = held.consents.map((one) => appOf(one, since));
  const companies = held.companies.flatMap(({ acting, grants }) => companyOf(acting, grants, since));
  return {
    ways,
    moment,
    factors,
    apps: apps.sort((one, other) => Number(other.doubtful) - Number(one.doubtful) || other.latestAt - one.latestAt),
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
  return {
    authenticator,
    earlier: earlier !== null,
    // Codes that somebody made for an authenticator that is not theirs prove nothing; those that came with it stand in for it.
    codes:
      authenticator && (isVouched(factor.codesAdded, now) || (earlier !== null && factor.codesAt === factor.createdAt)),
    earlierCodes: authenticator && factor.earlierCodesLeft > 0,
    passkeys: vouched,
  };
}

/** Whether what was proved is one of the ways still. */
export function isProved(proof: Proof | undefined, ways: Ways): boolean {
  switch (proof?.kind) {
    case undefined:
      return false;
    case "passkey":
      return ways.passkeys.includes(proof.credentialId);
    // The last code of a set may have been used for it.
    case "authenticator":
    case "earlier":
    case "codes":
      return ways.authenticator;
  }
}

function factorsOf({ passkeys, factor }: Holdings, proof: Proof | undefined, now: Millis): readonly FoundFactor[] {
  const doubtful = (added: AddedFrom, proved: boolean) => !isVouched(added, now) && !proved;
  const keys = passkeys.map(({ credentialId, name, createdAt, added, lastUsedAt }) => ({
    ...{ id: credentialId, kind: "passkey" as const, name, addedAt: createdAt, added, lastUsedAt },
    ...{ doubtful: doubtful(added, false), bringsBack: false },
  }));
  if (factor === undefined) return keys;
  const { createdAt, added, lastUsedAt, codesAt, codesAdded, earlier, codesLeft } = factor;
  const inOneGo = codesAt === createdAt;
  const proved = proof?.kind === "authenticator" || (proof?.kind === "codes" && inOneGo);
  const authenticator: FoundFactor = {
    ...{ id: "authenticator", kind: "authenticator", name: null, addedAt: createdAt, added, lastUsedAt },
    ...{ doubtful: doubtful(added, proved), bringsBack: earlier !== null },
  };
  const codes: FoundFactor = {
    ...{ id: "codes", kind: "codes", name: null, addedAt: codesAt, added: codesAdded, lastUsedAt: null },
    ...{ doubtful: doubtful(codesAdded, proof?.kind === "codes"), bringsBack: factor.earlierCodesLeft > 0 },
  };
  // Codes that came with a doubtful authenticator, or that nobody has any more, are nothing of their own.
  const apart = codesLeft > 0 && codes.doubtful && !(authenticator.doubtful && inOneGo);
  return [...keys, authenticator, ...(apart ? [codes] : [])];
}

/**
 * The first sign of something suspicious: the browser that added a doubtful factor, as soon as it appeared; a browser that signed in for the first time within
 * the last week, but for the account's first; the change of the address that is being taken back.
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

function appOf({ consent, grants }: ConsentWithGrants, since: (at: Millis) => boolean): FoundApp {
  const live = grants.filter(({ status }) => status === "active");
  const times = [...consent.scopes.map(({ grantedAt }) => grantedAt), ...live.map(({ createdAt }) => createdAt)];
  const latestAt = Math.max(consent.createdAt, ...times);
  const uses = [consent.lastUsedAt ?? 0, ...live.map(({ lastUsedAt }) => lastUsedAt ?? 0)];
  return {
    ...{ clientId: consent.clientId, name: consent.shown.clientName, byDevice: consent.via === "device" },
    ...{ connectedAt: consent.createdAt, latestAt, lastUsedAt: Math.max(...uses) || null, doubtful: since(latestAt) },
  };
}

function companyOf(
  { company }: Acting,
  grants: readonly Grant[],
  since: (at: Millis) => boolean,
): readonly FoundCompany[] {
  if (grants.length === 0) return [];
  const latestAt = Math.max(...grants.map(({ createdAt }) => createdAt));
  const apps = new Set(grants.map(({ clientId }) => clientId)).size;
  return [{ companyId: company.companyId, name: company.name, apps, latestAt, doubtful: since(latestAt) }];
}

/** What a person ticked on the page, by what the page calls it. */
export interface Choice {
  readonly factors: readonly string[];
  readonly apps: readonly string[];
  readonly companies: readonly string[];
}

/** What a choice comes to. */
export interface Decided {
  readonly removed: readonly FoundFactor[];
  readonly kept: readonly FoundFactor[];
  readonly endApps: readonly FoundApp[];
  readonly keepApps: readonly FoundApp[];
  readonly endCompanies: readonly FoundCompany[];
  readonly keepCompanies: readonly FoundCompany[];
}

/** What is preselected. */
export function suggested({ factors, apps, companies }: Review): Choice {
  const doubtful = (one: { readonly doubtful: boolean }) => one.doubtful;
  return {
    factors: factors.filter(doubtful).map(({ id }) => id),
    apps: apps.filter(doubtful).map(({ clientId }) => clientId),
    companies: companies.filter(doubtful).map(({ companyId }) => companyId),
  };
}

/** Only what the review offers can be chosen: no factor that something vouches for, no app that the person does not have. */
export function decide({ factors, apps, companies }: Review, choice: Choice): Decided {
  const goes = ({ id, doubtful }: FoundFactor) => doubtful && choice.factors.includes(id);
  // Recovery codes go with their authenticator.
  const allOf = factors.some((one) => one.kind === "authenticator" && goes(one));
  const [removed, kept] = split(factors, (one) => goes(one) || (one.kind === "codes" && allOf));
  const offered = new Set(apps.slice(0, MOST_APPS).map(({ clientId }) => clientId));
  const chosen = new Set(choice.apps);
  const [endApps, keepApps] = split(apps, ({ clientId, doubtful }) =>
    offered.has(clientId) ? chosen.has(clientId) : doubtful,
  );
  const [endCompanies, keepCompanies] = split(companies, ({ companyId }) => choice.companies.includes(companyId));
  return { removed, kept, endApps, keepApps, endCompanies, keepCompanies };
}

function split<T>(all: readonly T[], is: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
