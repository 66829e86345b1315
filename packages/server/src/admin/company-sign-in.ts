/** The operator's use-cases for how the people of a company sign in: its domains, and its own provider. */

import { sealProviderSecret } from "../crypto/sign-in-provider-secrets.ts";
import { canonicalDomain } from "../owners/canonical-login.ts";
import { signInProviderOf } from "../owners/company-rules.ts";
import type { Company } from "../owners/company-storage.ts";
import type { CompanyProvider, CompanySignIn } from "../owners/identities/company-provider.ts";
import {
  MAX_COMPANY_PROVIDERS,
  type ProviderSettings,
  providerWith,
  SETTING_FAULTS,
  settingFaults,
} from "../owners/identities/company-provider-settings.ts";
import type { RoleMapping, SignInProvider } from "../owners/identities/sign-in-provider.ts";
import type { WhenDisabled } from "../owners/upstream-change-storage.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { type CompanyRef, companyBySlug } from "./companies.ts";
import type { AdminContext } from "./context.ts";
import { providerRecord, type WireRecord } from "./output-records.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import {
  changeClientProblems,
  DEFAULT_PROVIDER_SCOPES,
  impactOf,
  newProviderId,
  type ProviderImpact,
} from "./sign-in-providers.ts";

export type { CompanySignIn } from "../owners/identities/company-provider.ts";
export type { RoleMapping } from "../owners/identities/sign-in-provider.ts";

/** Domains of one company. */
const MAX_DOMAINS = 50;

export interface CompanySignInChanges {
  /** Whether the company's admins may connect their own provider. */
  readonly ownProvider?: boolean;
  readonly addDomains?: readonly string[];
  readonly removeDomains?: readonly string[];
}

/** Throws `unknown`, `invalid`, or `taken` if another company or provider has a domain. */
export async function updateCompanySignIn(
  ref: CompanyRef,
  { ownProvider, addDomains = [], removeDomains = [] }: CompanySignInChanges,
  context: AdminContext,
): Promise<CompanySignIn> {
  const { partition, companyId, slug } = await companyBySlug(ref, context);
  const before = await signInOf({ partition, companyId }, context);
  const added = addDomains.map((one) => canonicalDomain(one) ?? one);
  const removed = removeDomains.map((one) => canonicalDomain(one) ?? one);
  const wrong = added.find((one) => canonicalDomain(one) === undefined);
  const absent = removed.find((one) => !before.emailDomains.includes(one));
  const problems: (Remark | false)[] = [
    wrong !== undefined && { field: "add_email_domain", problem: `${quoted(wrong)} is not a domain` },
    absent !== undefined && { field: "remove_email_domain", problem: `the company has no ${quoted(absent)}` },
    new Set([...before.emailDomains, ...added]).size > MAX_DOMAINS && {
      field: "add_email_domain",
      problem: `a company can have at most ${MAX_DOMAINS} domains`,
    },
  ];
  refuseAny(problems.filter((one) => one !== false));
  const outcome = await context.storage.companySignIn.set({
    ...{ partition, companyId, addDomains: added, removeDomains: removed },
    now: context.now(),
    ...(ownProvider === undefined ? {} : { ownProvider }),
  });
  if (outcome.kind === "stored") return outcome.record;
  if (outcome.kind === "unknown") return refuse("unknown", "slug", `there is no company ${quoted(slug)}`);
  return refuse(
    "taken",
    "add_email_domain",
    `${quoted(outcome.domain)} belongs to another company or sign-in provider`,
  );
}

/** The company's record. */
export async function signInOf(
  { partition, companyId }: Pick<Company, "partition" | "companyId">,
  { storage }: Pick<AdminContext, "storage">,
): Promise<CompanySignIn> {
  const none = { partition, companyId, ownProvider: false, emailDomains: [], provider: null };
  return (await storage.companySignIn.get({ companyId })) ?? none;
}

export interface NewCompanyProvider {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | null;
  readonly scopes?: readonly string[];
  readonly roles?: RoleMapping | null;
  /** Replaces all of the earlier choices. */
  readonly claims?: Readonly<Record<string, string>>;
  readonly profile?: "first" | "follow";
  readonly whenDisabled?: WhenDisabled;
  readonly changeClients?: readonly string[];
}

/** Switched on at once. Throws `unknown`, `invalid`, `taken` if the company has one, or `conflict` if there are too many. */
export async function createCompanyProvider(
  ref: CompanyRef,
  { whenDisabled, changeClients, ...input }: NewCompanyProvider,
  context: AdminContext,
): Promise<CompanySignIn> {
  const company = await companyBySlug(ref, context);
  const { slug } = company;
  const before = await signInOf(company, context);
  if (before.provider !== null)
    return refuse("taken", "company", `${quoted(slug)} has the provider ${before.provider.id} already`);
  const { clientSecret = null, scopes = DEFAULT_PROVIDER_SCOPES, roles = null, ...named } = input;
  const { claims = {}, profile = "first" } = input;
  const settings: ProviderSettings = { ...named, clientSecret, scopes, roles, claims, profile };
  const remarks: Remark[] = problemsOf(settings, null, context);
  if (before.emailDomains.length === 0) {
    const problem = `the company has no e-mail domain: first confirm one with assent company update ${slug} --add-email-domain DOMAIN`;
    remarks.push({ field: "company", problem });
  }
  refuseAny([...remarks, ...(await changeClientProblems(changeClients ?? [], context))]);
  const id = newProviderId(context);
  const sealedSecret = sealed(id, clientSecret, context);
  const made: CompanyProvider = {
    ...providerWith(settings, { before: null, id, sealedSecret, now: context.now() }),
    ...(whenDisabled && { whenDisabled }),
    ...(changeClients && { changeClients }),
    status: "active",
  };
  return (await put(before, made, "connected", context)) ?? refuseChanged();
}

export type CompanyProviderChanges = Partial<Omit<NewCompanyProvider, "issuer">> & {
  readonly status?: CompanyProvider["status"];
};

/** Ends the sessions that began there if it is switched off. Throws `unknown`, `invalid`, `conflict`. */
export function updateCompanyProvider(
  id: string,
  changes: CompanyProviderChanges,
  context: AdminContext,
  check: Precondition<WithProvider> = () => undefined,
): Promise<CompanySignIn> {
  return untilStored(async () => {
    const record = await companySignInWith(id, context);
    check(record);
    return changedProvider(record, changes, context);
  });
}

/** Undefined: the stored provider is not the one in `record` any more. */
async function changedProvider(
  record: WithProvider,
  { status, whenDisabled, changeClients, ...changes }: CompanyProviderChanges,
  context: AdminContext,
): Promise<CompanySignIn | undefined> {
  const before = record.provider;
  const { id } = before;
  const { name, issuer, clientId, scopes, roles, claims = {}, profile = "first" } = { ...before, ...changes };
  const { clientSecret } = changes;
  const settings = { name, issuer, clientId, clientSecret, scopes, roles, claims, profile };
  refuseAny([...problemsOf(settings, before, context), ...(await changeClientProblems(changeClients ?? [], context))]);
  const sealedSecret = clientSecret === undefined ? before.sealedSecret : sealed(id, clientSecret, context);
  const after: CompanyProvider = {
    ...providerWith(settings, { before, id, sealedSecret, now: context.now() }),
    ...(whenDisabled && { whenDisabled }),
    ...(changeClients && { changeClients }),
    status: status ?? before.status,
  };
  const switched = after.status === before.status ? "changed" : after.status === "active" ? "on" : "off";
  const stored = await put(record, after, switched, context);
  if (stored !== undefined && switched === "off")
    await context.storage.companySignIn.endSessions({ provider: after, now: context.now() });
  return stored;
}

/** Ends the sessions that began there, and deletes its connections. Throws `unknown`. */
export async function deleteCompanyProvider(id: string, context: AdminContext): Promise<void> {
  const { partition, companyId } = await companySignInWith(id, context);
  const args = { partition, companyId, by: null, seen: null, now: context.now() };
  await context.storage.companySignIn.removeProvider(args);
}

export type WithProvider = CompanySignIn & { readonly provider: CompanyProvider };

/** The company whose provider has that id. Undefined: none. */
export async function findCompanyProvider(id: string, { storage }: AdminContext): Promise<WithProvider | undefined> {
  const found = (await storage.companySignIn.list()).find(({ provider }) => provider?.id === id);
  return found?.provider ? { ...found, provider: found.provider } : undefined;
}

async function companySignInWith(id: string, context: AdminContext): Promise<WithProvider> {
  return (
    (await findCompanyProvider(id, context)) ??
    refuse("unknown", "provider", `there is no provider ${quoted(id)} of a company`)
  );
}

/** Throws nothing: undefined if no company has a provider with that id. */
export async function companyProviderImpact(id: string, context: AdminContext): Promise<ProviderImpact | undefined> {
  const record = await findCompanyProvider(id, context);
  const provider = record && signInProviderOf(record);
  return provider && impactOf(provider, context);
}

/** The providers of companies, as those of the operator's are shown, each with its company's slug. */
export async function companyProviderRecords(context: AdminContext): Promise<readonly WireRecord[]> {
  const all = await context.storage.companySignIn.list();
  const records = await Promise.all(all.map((one) => companyProviderRecord(one, context)));
  return records.filter((one) => one !== undefined);
}

export async function companyProviderRecord(
  record: CompanySignIn,
  { storage, issuer }: AdminContext,
): Promise<WireRecord | undefined> {
  return companyProviderOf(record, (await storage.companies.get(record))?.slug ?? null, issuer);
}

/** The same, for a company of that slug. */
export function companyProviderOf(record: CompanySignIn, slug: string | null, issuer: string): WireRecord | undefined {
  const provider: SignInProvider | undefined = signInProviderOf(record);
  if (provider === undefined) return undefined;
  const { claim, admin, member, others } = provider.company?.roles ?? {};
  const roles = claim === undefined ? null : { claim, admin, member, others };
  return { ...providerRecord(provider, issuer), company: slug, roles };
}

/** The part of a company's record about sign-in. */
export function companySignInRecord({ ownProvider, emailDomains, provider }: CompanySignIn): WireRecord {
  return { own_provider: ownProvider, email_domains: emailDomains, provider: provider?.id ?? null };
}

/** Undefined: the stored provider is not the one in the record any more. */
async function put(
  { partition, companyId, provider: before }: CompanySignIn,
  provider: CompanyProvider,
  step: "connected" | "changed" | "on" | "off",
  context: AdminContext,
): Promise<CompanySignIn | undefined> {
  const now = context.now();
  const seen = before?.changedAt ?? null;
  const args = { partition, companyId, by: null, provider, seen, most: MAX_COMPANY_PROVIDERS, step, now };
  switch (await context.storage.companySignIn.putProvider(args)) {
    case "stored":
      return signInOf({ partition, companyId }, context);
    case "full":
      return refuse("conflict", null, `${MAX_COMPANY_PROVIDERS} companies have a provider already, which is the most`);
    case "changed":
      return undefined;
    default:
      return refuseChanged();
  }
}

function refuseChanged(): never {
  return refuse("conflict", null, "somebody else changed the provider at the same time: check it, and try again");
}

const FIELDS = {
  name: "name",
  issuer: "issuer",
  own: "issuer",
  clientId: "client_id",
  clientSecret: "client_secret",
  scope: "scope",
  claim: "role_claim",
  claims: "claim",
  groups: "admin_group",
} as const;

function problemsOf(settings: ProviderSettings, before: CompanyProvider | null, { issuer }: AdminContext): Remark[] {
  return settingFaults(settings, issuer, before).map((fault) => ({
    field: FIELDS[fault],
    problem: SETTING_FAULTS[fault],
  }));
}

function sealed(id: string, secret: string | null | undefined, { secrets }: AdminContext): string | null {
  if (secret == null) return null;
  const sealing = secrets?.() ?? refuse("conflict", null, "there is no key to encrypt the secret with");
  return sealProviderSecret(sealing, id, secret);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
