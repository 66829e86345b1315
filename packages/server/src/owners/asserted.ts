/** Owners as the subjects of assertions: found by what an issuer calls them, made where it may (RFC 7521 §5.2). */

import type { AssertedOwner, AssertedOwners } from "../oauth/assertion.ts";
import { type Millis, PARTITIONS, type TrustedIssuer } from "../oauth/model.ts";
import { canonicalEmail, canonicalUsername } from "./names.ts";
import type { OwnerStorage, Person } from "./storage.ts";

export interface AssertedOwnersContext {
  readonly storage: Pick<OwnerStorage, "findPersonByName" | "getPerson" | "createPerson">;
  /** A new owner's random id. */
  newOwnerId(): string;
  /** The partition that an id begins with. */
  partitionOf(id: string): number;
  now(): Millis;
}

type MapSubject = TrustedIssuer["mapSubject"];

/** 16 bytes of base64url. */
const OWNER_ID = /^[A-Za-z0-9_-]{22}$/;
/** How many characters of an owner's id tell two people of one name apart. */
const SUFFIX = 8;

export function assertedOwners(context: AssertedOwnersContext): AssertedOwners {
  return {
    async find(by, subject) {
      const person = await findPerson(by, subject, context);
      return person && ownerOf(person);
    },
    create: (by, subject, email) => create(by, subject, email, context),
  };
}

/** A person by name or id, as the protocol knows them. */
export async function ownerNamed(
  by: "id" | "username",
  value: string,
  context: AssertedOwnersContext,
): Promise<AssertedOwner | undefined> {
  const person = await findPerson(by, value, context);
  return person && ownerOf(person);
}

function ownerOf({ partition, personId, status, operator }: Person): AssertedOwner {
  return { partition, ownerId: personId, active: status === "active", operator: operator.length > 0 };
}

async function findPerson(
  by: MapSubject,
  subject: string,
  { storage, partitionOf }: AssertedOwnersContext,
): Promise<Person | undefined> {
  if (by === "id") {
    if (!OWNER_ID.test(subject)) return undefined;
    const partition = partitionOf(subject);
    return partition < PARTITIONS ? storage.getPerson({ partition, personId: subject }) : undefined;
  }
  const name = by === "email" ? canonicalEmail(subject) : canonicalUsername(subject);
  const person = name === undefined ? undefined : await storage.findPersonByName({ name });
  // A username is never an address, but the issuer must not depend on that.
  return person !== undefined && person[by] === name ? person : undefined;
}

/**
 * An owner without a password: they sign in once an operator gave them one, and act through assertions until then. Of the two names that an
 * account has, one is the subject; the other is what the assertion adds, or is made of the first.
 */
async function create(
  by: MapSubject,
  subject: string,
  asserted: string | null,
  { storage, newOwnerId, partitionOf, now }: AssertedOwnersContext,
): Promise<AssertedOwner | undefined> {
  const personId = newOwnerId();
  const names = namesOf(by, subject, asserted, personId);
  if (names === undefined) return undefined;
  const at = now();
  for (const { username, email } of names) {
    const person: Person = {
      partition: partitionOf(personId),
      personId,
      username,
      email,
      emailVerifiedAt: by === "email" ? at : null,
      name: null,
      status: "active",
      passwordHash: null,
      passwordChangedAt: null,
      mustChangePassword: false,
      operator: [],
      createdAt: at,
      updatedAt: at,
    };
    const outcome = await storage.createPerson({ person, now: at });
    if (outcome.kind === "created") return ownerOf(person);
    // The subject's own name is another's: nobody gets a second account under it.
    if (outcome.what === by) return undefined;
  }
  return undefined;
}

/** Pairs of names to try, the plainest first; undefined: the subject can't be a name. */
function namesOf(
  by: MapSubject,
  subject: string,
  asserted: string | null,
  personId: string,
): readonly { readonly username: string; readonly email: string }[] | undefined {
  // Ids are ours to give: an issuer can only know those of owners that are there.
  if (by === "id") return undefined;
  const suffix = personId.slice(-SUFFIX).toLowerCase();
  if (by === "email") {
    const email = canonicalEmail(subject);
    if (email === undefined) return undefined;
    const local = email.slice(0, email.indexOf("@")).replace(/[^\p{L}\p{M}\p{N}._-]/gu, "-");
    const candidates = [local, `${local.slice(0, 40)}-${suffix}`, `user-${suffix}`].map(canonicalUsername);
    return candidates.filter((username) => username !== undefined).map((username) => ({ username, email }));
  }
  const username = canonicalUsername(subject);
  if (username === undefined) return undefined;
  // RFC 2606 §2: an address under .invalid is nobody's, and no mail goes there.
  const email = asserted === null ? `${personId.toLowerCase()}@users.invalid` : canonicalEmail(asserted);
  return email === undefined ? undefined : [{ username, email }];
}
