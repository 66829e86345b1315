/** Whom a sign-in at another provider signs in here: the person with that identity, or a new one. */

import { BY_PROVIDER } from "../../oauth/authentication-context.ts";
import type { SingleUse } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";
import { type News, type NewsContext, newsFor } from "../account-change-mail.ts";
import { canonicalEmail, foreignSubject } from "../canonical-login.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage, Session } from "../storage.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import { type CreateLinkedContext, createLinkedPerson, namesOfNewcomer } from "./create-linked-person.ts";
import type { ExternalAnswerStorage } from "./external-answer-storage.ts";
import { followProvider, profileOf } from "./profile-from-provider.ts";
import {
  type AtCompanyContext,
  isOfCompany,
  type SignedInAtCompany,
  type SignedInPerson,
  signInAtCompany,
} from "./sign-in-at-company.ts";
import type { SignInProvider, SignInProviders } from "./sign-in-provider.ts";
import type { UpstreamClient, UpstreamIdentity } from "./upstream-identity.ts";

export interface ElsewhereContext extends NewsContext, CreateLinkedContext, AtCompanyContext {
  readonly storage: NewsContext["storage"] &
    AtCompanyContext["storage"] &
    Uses<
      OwnerStorage,
      "people.findByName" | "people.update" | "subjectLinks.findPerson" | "subjectLinks.link" | "subjectLinks.ofPerson"
    > &
    Uses<ExternalAnswerStorage, "externalAnswers.give" | "externalAnswers.use">;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** What the pages of this sign-in are given. */
export interface Elsewhere extends SignInProviders, UpstreamClient {
  readonly people: ElsewhereContext;
  /** True for the first of all callers, on all processes. */
  useOnce(args: SingleUse): Promise<boolean>;
  /** Takes over a picture at this address, in the background. `replaces`: also one that the person has. */
  takePicture(person: Person, address: string, replaces: boolean): void;
}

export type SignedInElsewhere =
  | SignedInPerson
  /**
   * `disabled`: the account was disabled. `stranger`: nobody here has that identity, and the provider may not create
   * accounts. `domain`: the provider may not create accounts for such an address. `address_taken`: an account has the
   * address, and has to connect the identity itself.
   */
  | { readonly kind: "refused"; readonly reason: "disabled" | "stranger" | "domain" | "address_taken" }
  | SignedInAtCompany;

/** Undefined: no subject that can be linked. */
export function subjectAt(provider: SignInProvider, { issuer, subject }: UpstreamIdentity): ForeignSubject | undefined {
  const text = foreignSubject(subject);
  // The issuer is a part of the key: if the operator changes it, no subject of the new one meets an old link.
  return text === undefined ? undefined : { issuerId: provider.id, claim: issuer, subject: text };
}

/** `news`: for a message to a person whose account was found by its address. */
export async function signInElsewhere(
  provider: SignInProvider,
  identity: UpstreamIdentity,
  news: News,
  context: ElsewhereContext,
): Promise<SignedInElsewhere> {
  const subject = subjectAt(provider, identity);
  if (subject === undefined) return { kind: "refused", reason: "stranger" };
  if (isOfCompany(provider))
    return signInAtCompany(provider, subject, identity, verifiedAddress(provider, identity), context);
  const linked = await context.storage.subjectLinks.findPerson({ subject });
  if (linked !== undefined) {
    const follows = provider.profile === "follow" && linked.status === "active";
    if (follows) await followProvider(linked, identity, context);
    return welcome(linked, false, follows);
  }
  const address = verifiedAddress(provider, identity);
  // The operator's own page has people with other addresses, too.
  if (provider.emailDomains.length > 0 && address === undefined && provider.ownPage === undefined)
    return { kind: "refused", reason: "domain" };
  const trusted = provider.trustEmail ? address : undefined;
  if (trusted !== undefined) {
    const holder = await context.storage.people.findByName({ name: trusted });
    if (holder !== undefined) return connectByAddress(holder, { provider, subject, address: trusted }, news, context);
  }
  if (!provider.createPeople) return { kind: "refused", reason: "stranger" };
  const { username, email } = identity;
  const about = { username, address: email, verified: trusted ?? null, ...profileOf(identity, context.now()) };
  const created = await createLinkedPerson(subject, (personId) => namesOfNewcomer(about, personId), context);
  if (created === undefined) return { kind: "refused", reason: "address_taken" };
  if (created.made) context.event("signed_up", { owner: created.person.personId, provider: provider.id });
  return welcome(created.person, created.made, false);
}

/** The active providers that are for everybody, in the operator's order. */
export async function offeredProviders(elsewhere: SignInProviders): Promise<readonly SignInProvider[]> {
  return (await activeProviders(elsewhere)).filter((one) => !isOfCompany(one));
}

/**
 * The provider of an address that somebody typed. `closed`: only the operator's own page signs anybody in. Undefined: no
 * provider has its domain.
 */
export async function providerOfAddress(
  typed: string,
  closed: boolean,
  elsewhere: SignInProviders,
): Promise<SignInProvider | undefined> {
  const address = canonicalEmail(typed.trim());
  if (address === undefined) return undefined;
  const domain = domainOf(address);
  return [...(await elsewhere.providers()).values()].find(
    ({ status, emailDomains, ownPage }) =>
      status === "active" && emailDomains.includes(domain) && (!closed || ownPage === "only"),
  );
}

/** The active provider of a company. */
export async function providerOfCompany(
  companyId: string,
  elsewhere: SignInProviders,
): Promise<SignInProvider | undefined> {
  return (await activeProviders(elsewhere)).find(({ company }) => company?.companyId === companyId);
}

/** The active providers, those of companies too, in the operator's order, and then in the order of their names. */
export async function activeProviders(elsewhere: SignInProviders): Promise<readonly SignInProvider[]> {
  const active = [...(await elsewhere.providers()).values()].filter(({ status }) => status === "active");
  const at = ({ position = Number.MAX_SAFE_INTEGER }: SignInProvider) => position;
  return active.sort((one, other) => at(one) - at(other) || one.name.localeCompare(other.name, "en"));
}

/** The active providers at which that person can sign in. */
export async function providersOf(
  { partition, personId }: Person,
  elsewhere: Pick<Elsewhere, "providers" | "people">,
): Promise<readonly SignInProvider[]> {
  const active = await activeProviders(elsewhere);
  if (active.length === 0) return [];
  const links = await elsewhere.people.storage.subjectLinks.ofPerson({ partition, personId });
  return active.filter(({ id, issuer }) => links.some(({ issuerId, claim }) => issuerId === id && claim === issuer));
}

/** Names of the providers, disabled ones too, at which that person has connected an account. */
export async function connectedProviderNames(
  { partition, personId }: Person,
  elsewhere: Pick<Elsewhere, "providers" | "people">,
): Promise<readonly string[]> {
  const known = await elsewhere.providers();
  const links = await elsewhere.people.storage.subjectLinks.ofPerson({ partition, personId });
  return [...new Set(links.flatMap(({ issuerId }) => known.get(issuerId)?.name ?? []))];
}

/** Names of the providers that may still sign a browser in after its session ended. None if no provider began it. */
export async function mayStillSignIn(
  { person, session }: { readonly person: Person; readonly session: Pick<Session, "amr"> },
  elsewhere: Pick<Elsewhere, "providers" | "people">,
): Promise<readonly string[]> {
  if (!BY_PROVIDER.amr.every((one) => session.amr.includes(one))) return [];
  return (await providersOf(person, elsewhere)).map(({ name }) => name);
}

/** Whether that identity is one of that person. */
export async function isIdentityOf(
  { personId }: Pick<Person, "personId">,
  provider: SignInProvider,
  identity: UpstreamIdentity,
  { storage }: Pick<ElsewhereContext, "storage">,
): Promise<boolean> {
  const subject = subjectAt(provider, identity);
  const linked = subject && (await storage.subjectLinks.findPerson({ subject }));
  return linked?.personId === personId;
}

/**
 * The address, if the provider calls it verified, it has one of the provider's domains, and it is written as it is
 * stored here, except for the case of ASCII letters.
 */
export function verifiedAddress(
  { emailDomains }: SignInProvider,
  { email, emailVerified }: UpstreamIdentity,
): string | undefined {
  const address = email === null || !emailVerified ? undefined : canonicalEmail(email);
  if (address === undefined || email === null || !emailDomains.includes(domainOf(address))) return undefined;
  // Other folding (full-width letters, ligatures, the Kelvin sign) joins mailboxes that are two people's there.
  const written = email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return written === address ? address : undefined;
}

export function domainOf(address: string): string {
  return address.slice(address.indexOf("@") + 1);
}

function welcome(person: Person, made: boolean, follows: boolean): SignedInElsewhere {
  if (person.status !== "active") return { kind: "refused", reason: "disabled" };
  return { kind: "signed_in", person, made, follows };
}

/**
 * The account with that address, if both sides have verified it. An account whose address nobody verified is not taken
 * over by its owner, and takes over nothing: somebody may have made it to wait for them. Operators connect an identity
 * themselves.
 */
async function connectByAddress(
  person: Person,
  {
    provider,
    subject,
    address: email,
  }: { readonly provider: SignInProvider; readonly subject: ForeignSubject; readonly address: string },
  news: News,
  context: ElsewhereContext,
): Promise<SignedInElsewhere> {
  const taken = { kind: "refused", reason: "address_taken" } as const;
  if (person.emailVerifiedAt === null || person.email !== email || person.operator.length > 0) return taken;
  if (person.status !== "active") return { kind: "refused", reason: "disabled" };
  const outcome = await connect(person, { provider, subject, email, madeBy: "first use" }, news, context);
  if (outcome !== "connected" && outcome !== "known") return taken;
  return { kind: "signed_in", person, made: false, follows: provider.profile === "follow" };
}

interface Connection {
  readonly provider: SignInProvider;
  readonly subject: ForeignSubject;
  /** The person's address must still be this one. Absent: any. */
  readonly email?: string;
  readonly madeBy: "first use" | "person";
}

/**
 * Connects an identity to a person, and tells them. `taken`: it is another person's. `other`: another identity of that
 * provider is connected. `unknown`: the person is gone, or has another address by now.
 */
export async function connect(
  person: Person,
  { provider, ...link }: Connection,
  news: News,
  context: ElsewhereContext,
): Promise<"connected" | "known" | "taken" | "other" | "unknown"> {
  const { partition, personId } = person;
  const told = { ...news, values: { ...news.values, key: provider.name } };
  const mails = await newsFor(person, "identityAdded", told, context);
  const asked = { ...link, partition, personId, sole: true, mails, now: context.now() };
  const { kind } = await context.storage.subjectLinks.link(asked);
  if (kind !== "linked") return kind;
  if (mails.length > 0) context.mail.kick();
  context.event("identity_connected", { owner: personId, provider: provider.id });
  return "connected";
}
