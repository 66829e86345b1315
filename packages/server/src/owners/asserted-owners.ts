/**
 * Owners as subjects of assertions: found by a link or by the issuer's name for them, or created if the issuer may (RFC
 * 7521 §5.2).
 */

import type { AssertedOwner, AssertedOwners, FoundOwner, MappedSubject } from "../oauth/asserted-subject.ts";
import { type Millis, PARTITIONS, type TrustedIssuer } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { canonicalEmail, canonicalUsername, foreignSubject } from "./canonical-login.ts";
import type { NewUsername } from "./new-username-and-email.ts";
import type { ForeignSubject, OwnerStorage, Person } from "./storage.ts";

export interface AssertedOwnersContext {
  readonly storage: Uses<
    OwnerStorage,
    "people.findByName" | "people.get" | "subjectLinks.findPerson" | "subjectLinks.link" | "subjectLinks.createPerson"
  >;
  /** A new owner's random id. */
  newOwnerId(): string;
  /** The partition that an id begins with. */
  partitionOf(id: string): number;
  now(): Millis;
}

/** 16 bytes in base64url. */
const OWNER_ID = /^[A-Za-z0-9_-]{22}$/;
/** Number of characters of an owner's id that distinguish two people with one name. */
const SUFFIX = 8;
/** How often a creation continues the work of another call. Once is enough, but that call may end between two reads. */
const TURNS = 5;

export function assertedOwners(context: AssertedOwnersContext): AssertedOwners {
  return {
    find: (record, subject) => find(record, subject, context),
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
  context: AssertedOwnersContext,
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
  context: AssertedOwnersContext,
): Promise<FoundOwner> {
  const { storage } = context;
  const key = subjectOf(record, subject);
  const linked = key && (await storage.subjectLinks.findPerson({ subject: key }));
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
  { storage, partitionOf }: AssertedOwnersContext,
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
  { storage, newOwnerId, partitionOf, now }: AssertedOwnersContext,
): Promise<{ readonly owner: AssertedOwner; readonly made: boolean } | undefined> {
  const key = subjectOf(record, subject);
  if (key === undefined) return undefined;
  // Most servers create no owners, so the rules of new names are loaded on demand.
  const rules = await import("./new-username-and-email.ts");
  const own = newOwnerId();
  let personId = own;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const at = now();
    const nobody = newcomer(personId, partitionOf(personId), at);
    const people = namesOf(record.mapSubject, subject, personId, rules).map((names) => ({
      ...nobody,
      ...names,
      emailVerifiedAt: names.verified ? at : null,
    }));
    if (people.length === 0) return undefined;
    const outcome = await storage.subjectLinks.createPerson({ people, subject: key, now: at });
    switch (outcome.kind) {
      case "created":
        return { owner: ownerOf(outcome.person), made: personId === own };
      case "linked":
        return { owner: ownerOf(outcome.person), made: false };
      case "begun":
        personId = outcome.personId;
        break;
      case "taken":
        return undefined;
    }
  }
  return undefined;
}

function newcomer(personId: string, partition: number, now: Millis): Omit<Person, keyof NewUsername | "email"> {
  return {
    partition,
    personId,
    emailVerifiedAt: null,
    name: null,
    status: "active",
    passwordHash: null,
    passwordChangedAt: null,
    mustChangePassword: false,
    operator: [],
    createdAt: now,
    updatedAt: now,
  };
}

interface Names extends NewUsername {
  readonly email: string;
  /** Whether the address is verified. */
  readonly verified: boolean;
}

type Rules = Pick<typeof import("./new-username-and-email.ts"), "newEmail" | "newUsername">;

/** Pairs of names to try, the plainest first. Empty: the subject can't be a name. */
function namesOf(
  by: TrustedIssuer["mapSubject"],
  { name, email: asserted, emailBelieved: believed }: MappedSubject,
  personId: string,
  rules: Rules,
): readonly Names[] {
  if (name === null) return [];
  // RFC 2606 §2: an address under .invalid belongs to nobody, and no mail reaches it.
  const nowhere = `${personId.toLowerCase()}@users.invalid`;
  switch (by) {
    case "id":
      // This server chooses ids: an issuer can only know the ids of existing owners.
      return [];
    case "email":
      return namesFor(rules.newEmail(name), personId, rules);
    case "link":
      // An address that nobody vouches for would keep out the person who has it.
      if (asserted !== null && believed) return namesFor(rules.newEmail(asserted), personId, rules);
      return [{ username: `user-${suffixOf(personId)}`, lookAlike: null, email: nowhere, verified: false }];
    case "username": {
      const names = rules.newUsername(name);
      const email = asserted === null ? nowhere : rules.newEmail(asserted);
      const verified = asserted !== null && believed;
      return names === undefined || email === undefined ? [] : [{ ...names, email, verified }];
    }
  }
}

/** A verified address, and usernames made from it. */
function namesFor(email: string | undefined, personId: string, rules: Rules): readonly Names[] {
  if (email === undefined) return [];
  const local = email.slice(0, email.indexOf("@")).replace(/[^\p{L}\p{M}\p{N}._-]/gu, "-");
  const candidates = [local, `${local.slice(0, 40)}-${suffixOf(personId)}`, `user-${suffixOf(personId)}`];
  return candidates
    .map(rules.newUsername)
    .filter((names) => names !== undefined)
    .map((names) => ({ ...names, email, verified: true }));
}

function suffixOf(personId: string): string {
  return personId.slice(-SUFFIX).toLowerCase();
}
