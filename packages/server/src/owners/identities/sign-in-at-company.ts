/**
 * Whom a company's own provider signs in. Its administrators can make it say anything, so it reaches only accounts that
 * it created, and accounts that a member connected after reading that. It never reaches an operator, a person of another
 * company, or anybody by an address.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { canonicalSlug } from "../company-rules.ts";
import type { CompanySignInStorage } from "../company-sign-in-storage.ts";
import type { Company, CompanyKey, CompanyStorage, Role } from "../company-storage.ts";
import type { Person } from "../person.ts";
import type { SignInContext } from "../sign-in.ts";
import type { OwnerStorage } from "../storage.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import { roleByGroups } from "./company-provider.ts";
import {
  type CreateLinkedContext,
  createLinkedPerson,
  type NewNames,
  namesForAddress,
  namesOfNewcomer,
  usernamesLike,
} from "./create-linked-person.ts";
import { followProvider, type Profile, profileOf } from "./profile-from-provider.ts";
import type { SignInProvider, SignInProviders } from "./sign-in-provider.ts";
import { isMadeBy } from "./upstream-change.ts";
import type { UpstreamIdentity } from "./upstream-identity.ts";

export interface AtCompanyContext extends CreateLinkedContext {
  readonly storage: CreateLinkedContext["storage"] &
    Uses<
      OwnerStorage,
      "people.findByName" | "people.update" | "subjectLinks.findPerson" | "subjectLinks.ofPerson" | "attempts.count"
    > &
    Uses<
      CompanyStorage,
      "companies.get" | "companies.find" | "members.findActing" | "members.add" | "members.companiesOf"
    > &
    Uses<CompanySignInStorage, "companySignIn.followRole">;
  readonly attemptKey: SignInContext["attemptKey"];
  randomText(bytes: number): string;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** `made`: the account is new. `follows`: what the provider says now takes the place of what the profile has. */
export interface SignedInPerson {
  readonly kind: "signed_in";
  readonly person: Person;
  readonly made: boolean;
  readonly follows: boolean;
}

export type SignedInAtCompany =
  | SignedInPerson
  /**
   * `stranger`: the company is disabled, or the person connected their account and is no member any more. `no_group`:
   * none of their groups may sign in. `other_company`: the account also belongs to another company, or to an operator.
   * `too_many`: the company's provider made many accounts today.
   */
  | {
      readonly kind: "refused";
      readonly reason: "disabled" | "stranger" | "domain" | "address_taken" | "no_group" | "other_company" | "too_many";
    };

type CompanyOwnProvider = SignInProvider & { readonly company: NonNullable<SignInProvider["company"]> };

export function isOfCompany(provider: SignInProvider): provider is CompanyOwnProvider {
  return provider.company !== undefined;
}

/** The company of a provider, or the one with that slug. Undefined: none, or it is disabled. */
export async function companyOf(
  named: Pick<SignInProvider, "company"> | { readonly slug: string },
  { storage }: { readonly storage: Uses<CompanyStorage, "companies.get" | "companies.find"> },
): Promise<Company | undefined> {
  const slug = "slug" in named ? canonicalSlug(named.slug) : undefined;
  const found =
    slug !== undefined
      ? await storage.companies.find({ slug })
      : "company" in named && named.company !== undefined
        ? await storage.companies.get(named.company)
        : undefined;
  return found?.status === "active" ? found : undefined;
}

/** Accounts that one company's provider makes a day. */
const MADE_A_DAY = 500;
const DAY: Millis = 86_400_000;

const refused = (reason: Extract<SignedInAtCompany, { readonly kind: "refused" }>["reason"]) =>
  ({ kind: "refused", reason }) as const;

/** `address`: the one that the provider vouches for, if it has a domain of the company. */
export async function signInAtCompany(
  provider: CompanyOwnProvider,
  subject: ForeignSubject,
  identity: UpstreamIdentity,
  address: string | undefined,
  context: AtCompanyContext,
): Promise<SignedInAtCompany> {
  const { storage } = context;
  const { companyId, roles } = provider.company;
  const company = await companyOf(provider, context);
  if (company === undefined) return refused("stranger");
  const role = roleByGroups(roles, identity);
  const linked = await storage.subjectLinks.findPerson({ subject });
  if (linked !== undefined) return welcomeBack(linked, { provider, subject, identity, role }, context);
  if (role === undefined) return refused("no_group");
  if (address === undefined) return refused("domain");
  // An account with that address connects the identity itself: otherwise the company could take any account over.
  // Unless it is the account that a simultaneous sign-in with this subject has just made.
  const holder = await storage.people.findByName({ name: address });
  if (holder !== undefined && !(await isMadeBy(holder, subject, context))) return refused("address_taken");
  if (!(await mayMake(companyId, context))) return refused("too_many");
  const created = await createLinkedPerson(
    subject,
    (personId) => namesAtCompany(profileOf(identity, context.now()), { address, slug: company.slug }, personId),
    context,
  );
  if (created === undefined) return refused("address_taken");
  const { person, made } = created;
  if (made) context.event("signed_up", { owner: person.personId, provider: provider.id });
  // A simultaneous sign-in may have found the account of another subject meanwhile.
  return welcomeBack(person, { provider, subject, identity, role }, context, made);
}

interface Arriving {
  readonly provider: CompanyOwnProvider;
  readonly subject: ForeignSubject;
  readonly identity: UpstreamIdentity;
  /** As `roleByGroups` says. */
  readonly role: Role | null | undefined;
}

async function welcomeBack(
  person: Person,
  { provider, subject, identity, role }: Arriving,
  context: AtCompanyContext,
  made = false,
): Promise<SignedInAtCompany> {
  const { storage, now, event } = context;
  const { partition, companyId } = provider.company;
  const key = { partition, companyId };
  const { personId } = person;
  if (person.status !== "active") return refused("disabled");
  if (!(await belongsToItAlone(person, key, context))) return refused("other_company");
  const member = (await storage.members.findActing({ ...key, personId, clientId: null }))?.member;
  // Only an account that the company's provider made comes back by itself: it is the company's.
  if (member === undefined && !(await isMadeBy(person, subject, context))) return refused("stranger");
  if (member?.accountStatus === "disabled") return refused("disabled");
  const rule = { ...key, personId, provider: provider.name };
  if (role === undefined) {
    // Whoever lost all groups must not stay an admin by another way in.
    if (member?.role === "admin") await follow({ ...rule, role: "member" }, context);
    return refused("no_group");
  }
  if (member === undefined) {
    const link = context.randomText(16);
    const joining = { ...key, person, role: role ?? "member", addedBy: "server", via: provider.name, link, now: now() };
    const { kind } = await storage.members.add(joining);
    if (kind !== "added") return refused("stranger");
    event("company_member_joined", { company: companyId, person: personId });
  } else if (role !== null) {
    await follow({ ...rule, role }, context);
  }
  // What people have typed in an account of their own is not the company's.
  const follows = !made && provider.profile === "follow" && (await isMadeBy(person, subject, context));
  if (follows) await followProvider(person, identity, context);
  return { kind: "signed_in", person, made, follows };
}

async function follow(
  args: CompanyKey & { readonly personId: string; readonly role: Role; readonly provider: string },
  { storage, event, now }: AtCompanyContext,
): Promise<void> {
  const outcome = await storage.companySignIn.followRole({ ...args, now: now() });
  const { companyId: company, personId: person, role } = args;
  if (outcome === "changed") event("company_role_changed", { company, person, role, by: "server" });
  if (outcome === "kept") event("company_role_kept", { company, person, role });
}

/** True: the person is no operator, and belongs to no other company, in which the provider could act as them. */
export async function belongsToItAlone(
  { partition, personId, operator }: Person,
  { companyId }: Pick<CompanyKey, "companyId">,
  { storage, now }: Pick<AtCompanyContext, "now"> & { readonly storage: Uses<CompanyStorage, "members.companiesOf"> },
): Promise<boolean> {
  if (operator.length > 0) return false;
  const companies = await storage.members.companiesOf({ partition, personId, clientId: null, now: now() });
  return companies.every(({ company }) => company.companyId === companyId);
}

/**
 * Whether the person may connect an account at that provider. At a company's, only its members may who belong to no other
 * company: the company can then sign in as them.
 */
export async function mayConnect(
  person: Person,
  provider: SignInProvider,
  context: Pick<AtCompanyContext, "now"> & {
    readonly storage: Uses<CompanyStorage, "members.companiesOf" | "members.findActing">;
  },
): Promise<boolean> {
  if (!isOfCompany(provider)) return true;
  const { partition, companyId } = provider.company;
  const asked = { partition, companyId, personId: person.personId, clientId: null };
  const acting = await context.storage.members.findActing(asked);
  if (acting?.company.status !== "active" || acting.member.accountStatus !== "active") return false;
  return belongsToItAlone(person, provider.company, context);
}

/** Whether another company's provider can sign in as the person. Such an account can't join a further company. */
export async function isHeldByAnother(
  { partition, personId }: Person,
  companyId: string | null,
  {
    providers,
    people: { storage },
  }: SignInProviders & {
    readonly people: { readonly storage: Uses<OwnerStorage, "subjectLinks.ofPerson"> };
  },
): Promise<boolean> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  if (links.length === 0) return false;
  const known = await providers();
  return links.some(({ issuerId }) => {
    const company = known.get(issuerId)?.company;
    return company !== undefined && company.companyId !== companyId;
  });
}

async function mayMake(companyId: string, { storage, attemptKey, now }: AtCompanyContext): Promise<boolean> {
  const attempts = [{ key: attemptKey("accounts of company", companyId), limit: MADE_A_DAY, window: DAY }];
  return (await storage.attempts.count({ attempts, now: now() })).kind === "allowed";
}

/** The usernames end with the company's slug, so that a company can't take names that others expect. */
function namesAtCompany(
  { name, details }: Profile,
  { address, slug }: { readonly address: string; readonly slug: string },
  personId: string,
): readonly NewNames[] {
  const about = { username: null, address, verified: address, name, details };
  const local = (address.split("@", 1)[0] ?? "")
    .replace(/[^\p{L}\p{M}\p{N}._-]/gu, "-")
    .slice(0, Math.max(1, 38 - slug.length));
  const [first] = namesOfNewcomer(about, personId);
  if (first === undefined || namesForAddress(address, personId).length === 0) return [];
  return usernamesLike(`${local}-${slug}`, personId).map((one) => ({ ...first, ...one }));
}
