/** A company's admins connect, change, try, switch and remove the company's own sign-in provider. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { signInProviderOf } from "../company-rules.ts";
import type { CompanySignInStorage } from "../company-sign-in-storage.ts";
import type { CompanyProvider, CompanySignIn } from "../identities/company-provider.ts";
import {
  MAX_COMPANY_PROVIDERS,
  type ProviderSettings,
  providerWith,
  type SettingFault,
  settingFaults,
} from "../identities/company-provider-settings.ts";
import { hasOtherWayIn, type ImpactStorage, impactOfProvider } from "../identities/provider-impact.ts";
import type { SignInProvider, SignInProviders } from "../identities/sign-in-provider.ts";
import type { OwnSignInStep } from "../storage.ts";
import { type AsMember, askedBy, type CompanyContext, toldOf } from "./context.ts";

export interface OwnProviderContext
  extends SignInProviders,
    Pick<CompanyContext, "noticeLetters" | "notify" | "attemptKey" | "event" | "now"> {
  readonly storage: ImpactStorage &
    Pick<CompanyContext["storage"], "attempts"> &
    Uses<
      CompanySignInStorage,
      "companySignIn.get" | "companySignIn.putProvider" | "companySignIn.removeProvider" | "companySignIn.endSessions"
    >;
  /** This server's. */
  readonly issuer: string;
  newProviderId(): string;
  /** The client secret, sealed for the provider with that id. */
  sealSecret(id: string, secret: string): Promise<string>;
}

const HOUR: Millis = 3_600_000;
/** Tries of one company in an hour: each makes this server send requests to an address that an admin chose. */
const TRIES_AN_HOUR = 10;

/** The record of the member's company. */
export async function ownSignInOf({ key }: AsMember, { storage }: OwnProviderContext): Promise<CompanySignIn> {
  const none = { ...key, ownProvider: false, emailDomains: [], provider: null };
  return (await storage.companySignIn.get(key)) ?? none;
}

/** `not_admin`, `denied`, `changed`, `full`, `unknown`: as in the storage. */
export type OwnSignInOutcome =
  | { readonly kind: "done" }
  | { readonly kind: "faults"; readonly faults: readonly (SettingFault | "fixed")[] }
  | {
      readonly kind: "refused";
      readonly reason: "not_admin" | "denied" | "changed" | "full" | "unknown" | "not_ready";
    };

/** `seen`: `changedAt` of the provider that the form showed. Null: it showed none. */
export async function saveOwnProvider(
  at: AsMember,
  settings: ProviderSettings,
  seen: Millis | null,
  context: OwnProviderContext,
): Promise<OwnSignInOutcome> {
  const { provider: before } = await ownSignInOf(at, context);
  const { issuer, clientId, clientSecret } = settings;
  const faults = settingFaults(settings, context.issuer, before);
  const moved = before !== null && (before.issuer !== issuer || before.clientId !== clientId);
  const fixed = moved && before.status === "active";
  if (faults.length > 0 || fixed) return { kind: "faults", faults: fixed ? [...faults, "fixed"] : faults };
  const id = before?.id ?? context.newProviderId();
  // The server must not send the stored secret to a new host.
  const kept = before !== null && new URL(before.issuer).origin === new URL(issuer).origin ? before.sealedSecret : null;
  const sealedSecret =
    clientSecret === undefined ? kept : clientSecret === null ? null : await context.sealSecret(id, clientSecret);
  const provider = providerWith(settings, { before, id, sealedSecret, now: context.now() });
  return put(at, provider, { seen, step: before === null ? "connected" : "changed" }, context);
}

async function put(
  at: AsMember,
  provider: CompanyProvider,
  { seen, step }: { readonly seen: Millis | null; readonly step: OwnSignInStep | null },
  context: OwnProviderContext,
): Promise<OwnSignInOutcome> {
  const { storage, now, event } = context;
  const notice = { kind: "company_sign_in", ...toldOf(at), provider: provider.name } as const;
  const mails = step === null ? [] : await context.noticeLetters(notice);
  const outcome = await storage.companySignIn.putProvider({
    ...{ ...at.key, ...askedBy(at), provider, seen, step, mails, most: MAX_COMPANY_PROVIDERS, now: now() },
  });
  if (outcome !== "stored") return { kind: "refused", reason: outcome };
  if (step !== null) {
    context.notify(notice);
    const { companyId: company } = at.key;
    event("company_sign_in_changed", { company, provider: provider.id, step, by: at.person.personId });
  }
  return { kind: "done" };
}

/** Why it can't be switched on now. Null: it can. */
export type NotReady = "try" | "domain" | "way_in";

export async function notReady(
  { person }: AsMember,
  { provider, emailDomains }: CompanySignIn,
  context: OwnProviderContext,
): Promise<NotReady | null> {
  if (provider === null || provider.triedAt === null) return "try";
  if (emailDomains.length === 0) return "domain";
  // The admin must still get in if the provider fails.
  const { partition, personId } = person;
  const known = signInProviderOf({ ...person, companyId: "", emailDomains, ownProvider: true, provider });
  const others = await othersThan(known, context);
  return (await hasOtherWayIn({ partition, ownerId: personId }, others, context.storage)) ? null : "way_in";
}

/** The operator's active providers. */
async function othersThan(_: SignInProvider | undefined, context: SignInProviders): Promise<readonly SignInProvider[]> {
  return [...(await context.providers()).values()].filter(
    ({ status, company }) => status === "active" && company === undefined,
  );
}

export async function switchOwnProvider(
  at: AsMember,
  on: boolean,
  seen: Millis | null,
  context: OwnProviderContext,
): Promise<OwnSignInOutcome> {
  const record = await ownSignInOf(at, context);
  const { provider: before } = record;
  if (before === null) return { kind: "refused", reason: "changed" };
  if (on && (await notReady(at, record, context)) !== null) return { kind: "refused", reason: "not_ready" };
  const now = context.now();
  const status = on ? "active" : "disabled";
  const provider: CompanyProvider = { ...before, status, changedAt: Math.max(now, before.changedAt + 1) };
  const outcome = await put(at, provider, { seen, step: on ? "on" : "off" }, context);
  if (outcome.kind === "done" && !on) await context.storage.companySignIn.endSessions({ provider, now });
  return outcome;
}

export async function removeOwnProvider(
  at: AsMember,
  seen: Millis | null,
  context: OwnProviderContext,
): Promise<OwnSignInOutcome> {
  const { storage, now, event } = context;
  const { provider } = await ownSignInOf(at, context);
  if (provider === null || seen === null) return { kind: "refused", reason: "changed" };
  const notice = { kind: "company_sign_in", ...toldOf(at), provider: provider.name } as const;
  const mails = await context.noticeLetters(notice);
  const removal = { ...at.key, ...askedBy(at), seen, mails, now: now() };
  const outcome = await storage.companySignIn.removeProvider(removal);
  if (outcome !== "removed") return { kind: "refused", reason: outcome };
  context.notify(notice);
  const { companyId: company } = at.key;
  event("company_sign_in_changed", { company, provider: provider.id, step: "removed", by: at.person.personId });
  return { kind: "done" };
}

/** How many people sign in with it, and how many of them have no other way in. */
export async function impactOfOwnProvider(record: CompanySignIn, context: OwnProviderContext) {
  const provider = signInProviderOf(record);
  return provider && impactOfProvider(provider, await othersThan(provider, context), context.storage);
}

/** False: the company has tried often in the last hour. */
export async function mayTry({ key }: AsMember, { storage, attemptKey, now }: OwnProviderContext): Promise<boolean> {
  const attempts = [{ key: attemptKey("try of provider", key.companyId), limit: TRIES_AN_HOUR, window: HOUR }];
  return (await storage.attempts.count({ attempts, now: now() })).kind === "allowed";
}

/** A sign-in with the settings of this record worked. */
export function recordTry(
  at: AsMember,
  provider: CompanyProvider,
  context: OwnProviderContext,
): Promise<OwnSignInOutcome> {
  const tried = { ...provider, triedAt: context.now() };
  return put(at, tried, { seen: provider.changedAt, step: null }, context);
}
