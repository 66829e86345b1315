/** The subject of an assertion: what identifies it, what we call it, and which of its addresses is believed (RFC 7521 §5.2; RFC 7523 §3 item 2). */

import { refuse } from "./errors.ts";
import type { TrustedIssuer } from "./model.ts";

/** Who an assertion is about, as its issuer says it. */
export interface AssertedSubject {
  /** `sub` or the NameID, or the value of the claim or attribute that the record names in their place. */
  readonly value: string;
  readonly email: string | null;
  /** Null: not said. */
  readonly emailVerified: boolean | null;
  /** False: the issuer makes up another value each time (SAML Core §8.3.8). */
  readonly lasting: boolean;
}

/** What of it leads to an owner. */
export interface MappedSubject extends AssertedSubject {
  /** The username, address or id that the record's mapping looks for, with `link` the value itself; null: no address, where it looks for one. */
  readonly name: string | null;
  /** False: an address that isn't believed to be the subject's. A link needs none. */
  readonly nameBelieved: boolean;
  readonly emailBelieved: boolean;
}

/** An owner as the subject of an assertion. */
export interface AssertedOwner {
  readonly partition: number;
  readonly ownerId: string;
  readonly active: boolean;
  /** Operators don't act through assertions: whoever holds an issuer's key would be one of them. */
  readonly operator: boolean;
}

/** `unlinked`: found by what the subject is not identified by, so that `tie` has to make it theirs. `unverified`: there is an address, unproved by one of both. */
export type FoundOwner =
  | { readonly kind: "found"; readonly owner: AssertedOwner }
  | { readonly kind: "unlinked"; readonly owner: AssertedOwner }
  | { readonly kind: "unknown" }
  | { readonly kind: "unverified"; readonly by: "issuer" | "account" };

/** The owners that assertions speak of. */
export interface AssertedOwners {
  /** By a link of the subject's first, then by name. */
  find(record: TrustedIssuer, subject: MappedSubject): Promise<FoundOwner>;
  /** Links the subject to an owner whom it was not known to be. False: the owner is another subject of that issuer, or the subject another owner. */
  tie(record: TrustedIssuer, subject: MappedSubject, owner: AssertedOwner): Promise<boolean>;
  /**
   * Makes an owner without a password, linked to the subject. `made`: false, if somebody else was faster. Undefined: the subject can't be one's name, or
   * its names are others'.
   */
  create(
    record: TrustedIssuer,
    subject: MappedSubject,
  ): Promise<{ readonly owner: AssertedOwner; readonly made: boolean } | undefined>;
}

/** What the subject is looked for by. Refuses one that is missing, or that the operator doesn't let the issuer speak for. */
export function mappedSubject(record: TrustedIssuer, subject: AssertedSubject): MappedSubject {
  const { value, email } = subject;
  if (value === "") refuse("assertion_subject_missing");
  const byEmail = record.mapSubject === "email";
  const name = byEmail && !value.includes("@") ? email : value;
  if (!mayAssert(record.subjects, name ?? value)) refuse("assertion_subject_not_allowed");
  const believed = (address: string | null) => address !== null && believes(record, subject, address);
  return { ...subject, name, nameBelieved: !byEmail || believed(name), emailBelieved: believed(email) };
}

/** Subjects by name, or `@domain`: all addresses of that domain. */
function mayAssert(subjects: readonly string[], name: string): boolean {
  if (subjects.length === 0) return true;
  const folded = name.toLowerCase();
  const domain = folded.slice(folded.lastIndexOf("@"));
  return subjects.some((one) =>
    one.startsWith("@") ? folded.includes("@") && one.toLowerCase() === domain : one === name,
  );
}

/**
 * A profile's address is what its person typed until somebody proved it. Where the record names domains, the issuer gives those addresses out itself,
 * and no others are believed. Where it names none, the issuer must say that it has verified the address, unless the operator said that the issuer's very
 * subjects are addresses.
 */
function believes(record: TrustedIssuer, subject: AssertedSubject, address: string): boolean {
  const folded = address.toLowerCase();
  const isProfile = subject.email?.toLowerCase() === folded;
  if (subject.emailVerified === false && (isProfile || subject.email === null)) return false;
  if (record.emailDomains.length > 0) return record.emailDomains.includes(folded.slice(folded.lastIndexOf("@") + 1));
  if (isProfile && subject.emailVerified === true) return true;
  return record.mapSubject === "email" && record.subjectClaim === null && address === subject.value;
}
