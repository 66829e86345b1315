/**
 * Whom an ID-JAG is about: a person who is linked to its subject, who signs in here at the same provider, or whose address
 * belongs to the issuer's company. Never an operator, and for a company only its own members, within its rules about apps.
 */

import { reachOf } from "../../oauth/consent-reach.ts";
import type { AskedFor, AssertedOwner, FoundOwner, MappedSubject } from "../../oauth/map-asserted-subject.ts";
import type { Millis } from "../../oauth/model.ts";
import type { TrustedIssuer } from "../../oauth/trusted-issuer.ts";
import type { Uses } from "../../storage-subset.ts";
import { canonicalEmail, foreignSubject } from "../canonical-login.ts";
import { approvalFor, endOfRule, verdictOn } from "../company-rules.ts";
import type { CompanySignInStorage } from "../company-sign-in-storage.ts";
import type { CompanyStorage } from "../company-storage.ts";
import { isPaused } from "../consent-after-decision.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import { claimOf } from "./claim-names.ts";
import { belongsToItAlone } from "./sign-in-at-company.ts";
import type { SignInProviders } from "./sign-in-provider.ts";

export interface IdentityAssertionContext extends SignInProviders {
  readonly storage: Uses<OwnerStorage, "people.findByName" | "subjectLinks.findPerson" | "consents.find"> &
    Uses<CompanyStorage, "members.findActing" | "members.companiesOf"> &
    Uses<CompanySignInStorage, "companySignIn.get">;
  partitionOf(id: string): number;
  now(): Millis;
}

interface Presented {
  readonly record: TrustedIssuer;
  readonly subject: MappedSubject;
  readonly asked: AskedFor;
  /** The person whom a link of the record names. */
  readonly linked: Person | undefined;
}

export async function ownerOfIdentityAssertion(
  presented: Presented,
  context: IdentityAssertionContext,
): Promise<FoundOwner> {
  const { record, subject, linked } = presented;
  const known = linked ?? (await whoSignsInThere(record, subject, context));
  const person = known ?? (await byAddress(record, subject, context));
  if ("kind" in person) return person;
  const under = await underCompany(person, presented, context);
  if ("kind" in under) return under;
  const { partition, personId, status, mustChangePassword, operator } = person;
  const active = status === "active" && !mustChangePassword;
  const owner = { partition, ownerId: personId, active, operator: operator.length > 0, ...under };
  // The next owner of an address comes with another subject, so the first one decides whose it is.
  const isTied = known !== undefined || !subject.lasting || subject.name === subject.value;
  return { kind: isTied ? "found" : "unlinked", owner };
}

/** §3.1: the subject is the same as in an ID token for this server. */
async function whoSignsInThere(
  { issuer, company = null, tenant = null, subjectClaim }: TrustedIssuer,
  { value }: MappedSubject,
  { storage, providers }: IdentityAssertionContext,
): Promise<Person | undefined> {
  const text = foreignSubject(value);
  // A sign-in says nothing of a tenant, so the same subject can be somebody else of another tenant (§6.1).
  if (subjectClaim !== null || tenant !== null || text === undefined) return undefined;
  for (const provider of (await providers()).values()) {
    const isSame =
      provider.type === "openid" &&
      provider.status === "active" &&
      provider.issuer === issuer &&
      // A company's administrators wrote its provider: it must not speak for anybody else.
      (provider.company?.companyId ?? null) === company &&
      claimOf("subject", provider) === "sub";
    if (!isSame) continue;
    const subject = { issuerId: provider.id, claim: issuer, subject: text };
    const person = await storage.subjectLinks.findPerson({ subject });
    if (person !== undefined) return person;
  }
  return undefined;
}

async function byAddress(
  record: TrustedIssuer,
  { name, emailVerified }: MappedSubject,
  { storage }: IdentityAssertionContext,
): Promise<Person | Extract<FoundOwner, { readonly kind: "unknown" | "unverified" }>> {
  const address = record.mapSubject === "email" && name !== null ? canonicalEmail(name) : undefined;
  if (address === undefined) return { kind: "unknown" };
  const domains = await domainsOf(record, storage);
  const isTheirs = domains.includes(address.slice(address.lastIndexOf("@") + 1));
  if (!isTheirs || emailVerified === false) return { kind: "unverified", by: "issuer" };
  const person = await storage.people.findByName({ name: address });
  if (person?.email !== address) return { kind: "unknown" };
  return person.emailVerifiedAt === null ? { kind: "unverified", by: "account" } : person;
}

/** Domains whose addresses the issuer may name: for a company, never one that the operator has not found to be its own. */
async function domainsOf(
  { company = null, emailDomains }: TrustedIssuer,
  storage: IdentityAssertionContext["storage"],
): Promise<readonly string[]> {
  if (company === null) return emailDomains;
  const { emailDomains: own = [] } = (await storage.companySignIn.get({ companyId: company })) ?? {};
  return emailDomains.length === 0 ? own : own.filter((domain) => emailDomains.includes(domain));
}

/** Whether the company for which the issuer speaks lets its member use the app, and until when. Without a company: it does. */
async function underCompany(
  person: Person,
  { record: { company = null }, asked: { client, scopes, ceiling } }: Presented,
  context: IdentityAssertionContext,
): Promise<Extract<FoundOwner, { readonly kind: "refused" }> | Pick<AssertedOwner, "until">> {
  if (company === null) return {};
  const { storage, partitionOf, now } = context;
  const key = { partition: partitionOf(company), companyId: company };
  const { personId } = person;
  const acting = await storage.members.findActing({ ...key, personId, clientId: client.clientId });
  const reach = reachOf(client, null, ceiling);
  const verdict = verdictOn(acting, scopes, reach, now());
  if (verdict === "stranger" || !(await belongsToItAlone(person, key, context)))
    return { kind: "refused", condition: "assertion_owner_outside_company", why: "no member of this company alone" };
  if (acting?.optedOut === true)
    return { kind: "refused", condition: "assertion_app_not_approved", why: "the member stopped the app" };
  // An admin stopped the app for the whole company.
  if (isPaused(await storage.consents.find({ ...key, ownerId: company, clientId: client.clientId })))
    return { kind: "refused", condition: "assertion_app_not_approved", why: "the company paused the app" };
  if (verdict === "decides") return {};
  const approval = approvalFor(acting, reach, now());
  const until = approval === undefined ? null : endOfRule(approval, reach);
  if (verdict === "approved") return until === null ? {} : { until };
  return { kind: "refused", condition: "assertion_app_not_approved", why: `the company's rule: ${verdict}` };
}
