/** Creates the account of somebody whom another system vouches for, together with the link to their identity there. */

import type { Millis, PersonDetails } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import type { Uses } from "../../storage-subset.ts";
import { addressOfNobody } from "../canonical-login.ts";
import { type NewUsername, newEmail, newUsername } from "../new-username-and-email.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";

export { newEmail, newUsername } from "../new-username-and-email.ts";

export interface CreateLinkedContext {
  readonly storage: Uses<OwnerStorage, "subjectLinks.createPerson">;
  /** A new owner's random id. */
  newOwnerId(): string;
  /** The partition that an id begins with. */
  partitionOf(id: string): number;
  now(): Millis;
}

/** The names of an account to try. */
export interface NewNames extends NewUsername {
  readonly email: string;
  /** Whether the address is verified. */
  readonly verified: boolean;
  /** What people call them. Absent: nobody says. */
  readonly name?: string | null;
  /** What else is known of them, as it was checked. */
  readonly details?: PersonDetails;
}

/** Maximum number of characters of a name, as on the profile page. */
const MAX_NAME = 120;
/** Number of characters of an owner's id that distinguish two people with one name. */
const SUFFIX = 8;
/** How often a creation continues the work of another call. Once is enough, but that call may end between two reads. */
const TURNS = 5;

/**
 * `passwordHash`: of the password that they proved to know. Absent: the account has none. The first names that are free count. Simultaneous calls for one subject make one account;
 * `made` is false for the others. Undefined: none of the names is free, or there is none.
 */
export async function createLinkedPerson(
  subject: ForeignSubject,
  namesOf: (personId: string) => readonly NewNames[],
  { storage, newOwnerId, partitionOf, now }: CreateLinkedContext,
  passwordHash: string | null = null,
): Promise<{ readonly person: Person; readonly made: boolean } | undefined> {
  const own = newOwnerId();
  let personId = own;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const at = now();
    const people = namesOf(personId).map((names) => newcomer(personId, partitionOf(personId), names, passwordHash, at));
    if (people.length === 0) return undefined;
    const outcome = await storage.subjectLinks.createPerson({ people, subject, now: at });
    switch (outcome.kind) {
      case "created":
        return { person: outcome.person, made: personId === own };
      case "linked":
        return { person: outcome.person, made: false };
      case "begun":
        personId = outcome.personId;
        break;
      case "taken":
        return undefined;
    }
  }
  return undefined;
}

function newcomer(
  personId: string,
  partition: number,
  { username, lookAlike, email, verified, name, details = {} }: NewNames,
  passwordHash: string | null,
  now: Millis,
): Person {
  return {
    ...{ partition, personId, username, lookAlike, email, emailVerifiedAt: verified ? now : null },
    ...(Object.keys(details).length === 0 ? {} : { details }),
    ...{ name: name ?? null, status: "active", passwordHash, passwordChangedAt: passwordHash === null ? null : now },
    ...{ mustChangePassword: false, operator: [], createdAt: now, updatedAt: now },
  };
}

/** A username that nobody else has. */
export function inventedUsername(personId: string): string {
  return `user-${suffixOf(personId)}`;
}

/** A verified address, and usernames made from it. */
export function namesForAddress(address: string, personId: string): readonly NewNames[] {
  const email = newEmail(address);
  if (email === undefined) return [];
  const local = email.slice(0, email.indexOf("@")).replace(/[^\p{L}\p{M}\p{N}._-]/gu, "-");
  return usernamesLike(local, personId).map((names) => ({ ...names, email, verified: true }));
}

/** Usernames that begin with a text, the plainest first, and an invented one. */
export function usernamesLike(text: string, personId: string): readonly NewUsername[] {
  const candidates = [text, `${text.slice(0, 40)}-${suffixOf(personId)}`, inventedUsername(personId)];
  return candidates.map(newUsername).filter((names) => names !== undefined);
}

/** What another system says of somebody. */
export interface Newcomer {
  readonly username: string | null;
  /** An address that gives a username if they have none. */
  readonly address: string | null;
  /** The address that counts as verified here. Null: none. */
  readonly verified: string | null;
  readonly name: string | null;
  /** What else is known of them, as it was checked. Absent: nothing. */
  readonly details?: PersonDetails;
}

/** Pairs of names to try, the plainest first. */
export function namesOfNewcomer(
  { username, address, verified, name: called, details = {} }: Newcomer,
  personId: string,
): readonly NewNames[] {
  const name = nameIn(called);
  const wanted = username !== null && !username.includes("@") ? username : (address?.split("@", 1)[0] ?? "");
  const usernames = usernamesLike(wanted, personId);
  if (verified !== null) {
    const [first] = namesForAddress(verified, personId);
    return first === undefined ? [] : usernames.map((one) => ({ ...first, ...one, name, details }));
  }
  // An address that nobody vouches for would keep out the person who has it.
  const nowhere = { email: addressOfNobody(personId), verified: false, name, details };
  return usernames.map((one) => ({ ...one, ...nowhere }));
}

/** Null: none, or one that can't be shown. */
export function nameIn(called: string | null): string | null {
  return called !== null && displayTextProblem(called, MAX_NAME) === undefined ? called.normalize("NFC") : null;
}

function suffixOf(personId: string): string {
  return personId.slice(-SUFFIX).toLowerCase();
}
