/**
 * Owners as subjects of assertions: found by a link or by the issuer's name for them, or created if the issuer may (RFC
 * 7521 §5.2).
 */

import type {
  AskedFor,
  AssertedOwner,
  AssertedOwners,
  FoundOwner,
  MappedSubject,
} from "../oauth/map-asserted-subject.ts";
import { PARTITIONS } from "../oauth/model.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuer.ts";
import type { Uses } from "../storage-subset.ts";
import { addressOfNobody, canonicalEmail, canonicalUsername, foreignSubject } from "./canonical-login.ts";
import type { CompanyConnectionStorage } from "./company-connection-storage.ts";
import type { CompanySignInStorage } from "./company-sign-in-storage.ts";
import type { CompanyStorage } from "./company-storage.ts";
import type { CreateLinkedContext, NewNames } from "./identities/create-linked-person.ts";
import type { SignInProviders } from "./identities/sign-in-provider.ts";
import type { OwnerStorage, Person } from "./storage.ts";
import type { ForeignSubject } from "./subject-link-storage.ts";

export interface AssertedOwnersContext extends CreateLinkedContext, SignInProviders {
  readonly storage: CreateLinkedContext["storage"] &
    Uses<OwnerStorage, "people.findByName" | "people.get" | "subjectLinks.findPerson" | "subjectLinks.link"> &
    Uses<OwnerStorage, "sessions.list" | "consents.find"> &
    Uses<CompanyStorage, "members.findActing" | "members.companiesOf"> &
    Uses<CompanySignInStorage, "companySignIn.get"> &
    Uses<CompanyConnectionStorage, "companyConnections.find">;
}

/** 16 bytes in base64url. */
const OWNER_ID = /^[A-Za-z0-9_-]{22}$/;

export function assertedOwners(context: AssertedOwnersContext): AssertedOwners {
  return {
    async vouchFor(asked) {
      const { vouchFor } = await import("./identities/vouch-for-person.ts");
      return vouchFor(asked, context);
    },
    find: (record, subject, asked) => find(record, subject, asked, context),
    async tie(record, subject, { partition, ownerId }) {
      const key = subjectOf(record, subject);
      if (key === undefined) return false;
      const args = { partition, personId: ownerId, subject: key, sole: true, madeBy: "first use" } as const;
      const email = record.mapSubject === "email" && subject.name !== null ? canonicalEmail(subject.name) : undefined;
      const found = email === undefined ? {} : { email };
      const { kind } = await context.storage.subjectLinks.link({ ...args, ...found, now: context.now() });
      return kind === "linked" || kind === "known";
    },
    create: (record, subject) => create(record, subject, context),
  };
}

/** A person by name or id, as the protocol knows them. */
export async function ownerNamed(
  by: "id" | "username",
  value: string,
  context: Pick<AssertedOwnersContext, "storage" | "partitionOf">,
): Promise<AssertedOwner | undefined> {
  const person = await findByName(by, value, context);
  return person && ownerOf(person);
}

/**
 * The value by which links know a subject. A value that is itself a username or an address counts in its stored form,
 * so that another spelling can't avoid a link. Undefined: the subject can't have a link.
 */
export function subjectOf(
  record: TrustedIssuer,
  { value, name, nameBelieved, lasting }: Pick<MappedSubject, "value" | "name" | "nameBelieved" | "lasting">,
): ForeignSubject | undefined {
  const { id: issuerId, mapSubject, subjectClaim: claim } = record;
  if (mapSubject === "id") return undefined;
  if (!lasting) {
    const email = mapSubject === "email" && name !== null && nameBelieved ? canonicalEmail(name) : undefined;
    return email === undefined ? undefined : { issuerId, claim: "email", subject: email };
  }
  const folded =
    mapSubject === "username" ? canonicalUsername(value) : mapSubject === "email" ? canonicalEmail(value) : undefined;
  const subject = folded ?? foreignSubject(value);
  return subject === undefined ? undefined : { issuerId, claim, subject };
}

function ownerOf({ partition, personId, status, operator }: Person): AssertedOwner {
  return { partition, ownerId: personId, active: status === "active", operator: operator.length > 0 };
}

async function find(
  record: TrustedIssuer,
  subject: MappedSubject,
  asked: AskedFor,
  context: AssertedOwnersContext,
): Promise<FoundOwner> {
  const { storage } = context;
  const key = subjectOf(record, subject);
  const linked = key && (await storage.subjectLinks.findPerson({ subject: key }));
  if (record.type === "id-jag") {
    const { ownerOfIdentityAssertion } = await import("./identities/owner-of-identity-assertion.ts");
    return ownerOfIdentityAssertion({ record, subject, asked, linked }, context);
  }
  if (linked !== undefined) return { kind: "found", owner: ownerOf(linked) };
  if (subject.name === null) return { kind: "unknown" };
  if (!subject.nameBelieved) return { kind: "unverified", by: "issuer" };
  const person = await findByName(record.mapSubject, subject.name, context);
  if (person === undefined) return { kind: "unknown" };
  if (record.mapSubject !== "email") return { kind: "found", owner: ownerOf(person) };
  if (person.emailVerifiedAt === null) return { kind: "unverified", by: "account" };
  const owner = ownerOf(person);
  // The next owner of the address comes with another value, so the first owner decides whose it is.
  return subject.lasting && subject.name !== subject.value ? { kind: "unlinked", owner } : { kind: "found", owner };
}

async function findByName(
  by: TrustedIssuer["mapSubject"],
  text: string,
  { storage, partitionOf }: Pick<AssertedOwnersContext, "storage" | "partitionOf">,
): Promise<Person | undefined> {
  if (by === "link") return undefined;
  if (by === "id") {
    if (!OWNER_ID.test(text)) return undefined;
    const partition = partitionOf(text);
    return partition < PARTITIONS ? storage.people.get({ partition, personId: text }) : undefined;
  }
  const name = by === "email" ? canonicalEmail(text) : canonicalUsername(text);
  const person = name === undefined ? undefined : await storage.people.findByName({ name });
  // A username is never an address, but the issuer must not rely on that.
  return person !== undefined && person[by] === name ? person : undefined;
}

/**
 * Creates an owner without a password. They act through assertions, and can sign in when an operator gives them a
 * password. The link is made at once, so that the subject stays theirs if their names change.
 */
async function create(
  record: TrustedIssuer,
  subject: MappedSubject,
  context: AssertedOwnersContext,
): Promise<{ readonly owner: AssertedOwner; readonly made: boolean } | undefined> {
  const key = subjectOf(record, subject);
  if (key === undefined) return undefined;
  // Most servers create no owners, so this is loaded on demand.
  const creating = await import("./identities/create-linked-person.ts");
  const namesOf = (personId: string) => namesFor(record.mapSubject, subject, personId, creating);
  const created = await creating.createLinkedPerson(key, namesOf, context);
  return created && { owner: ownerOf(created.person), made: created.made };
}

type Rules = Pick<
  typeof import("./identities/create-linked-person.ts"),
  "inventedUsername" | "namesForAddress" | "newEmail" | "newUsername"
>;

/** Pairs of names to try, the plainest first. Empty: the subject can't be a name. */
function namesFor(
  by: TrustedIssuer["mapSubject"],
  { name, email: asserted, emailBelieved: believed }: MappedSubject,
  personId: string,
  rules: Rules,
): readonly NewNames[] {
  if (name === null) return [];
  const nowhere = addressOfNobody(personId);
  switch (by) {
    case "id":
      // This server chooses ids: an issuer can only know the ids of existing owners.
      return [];
    case "email":
      return rules.namesForAddress(name, personId);
    case "link":
      // An address that nobody vouches for would keep out the person who has it.
      if (asserted !== null && believed) return rules.namesForAddress(asserted, personId);
      return [{ username: rules.inventedUsername(personId), lookAlike: null, email: nowhere, verified: false }];
    case "username": {
      const names = rules.newUsername(name);
      const email = asserted === null ? nowhere : rules.newEmail(asserted);
      const verified = asserted !== null && believed;
      return names === undefined || email === undefined ? [] : [{ ...names, email, verified }];
    }
  }
}
