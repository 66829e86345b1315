/** The subject of an assertion: its identifier, name and verified address (RFC 7521 §5.2; RFC 7523 §3 item 2). */

import { type ConditionName, refuse } from "./errors.ts";
import type { Client, Connection, Millis } from "./model.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** The subject of an assertion, as its issuer writes it. */
export interface AssertedSubject {
  /** `sub` or the NameID, or the value of the claim or attribute that the record names instead. */
  readonly value: string;
  readonly email: string | null;
  /** Null: the issuer does not say. */
  readonly emailVerified: boolean | null;
  /** False: the issuer makes a new value each time (SAML Core §8.3.8). */
  readonly lasting: boolean;
}

/** The parts of the subject that lead to an owner. */
export interface MappedSubject extends AssertedSubject {
  /**
   * The username, address or id that the record's mapping looks for; with `link`, the value itself. Null: the mapping
   * looks for an address, and there is none.
   */
  readonly name: string | null;
  /** False: the address does not count as verified. A link needs no address. */
  readonly nameBelieved: boolean;
  readonly emailBelieved: boolean;
}

/** An owner as the subject of an assertion. */
export interface AssertedOwner {
  readonly partition: number;
  readonly ownerId: string;
  readonly active: boolean;
  /** Operators don't act through assertions, because whoever holds an issuer's key could then be an operator. */
  readonly operator: boolean;
  /** When the approval ends by which a company lets them use the app. Absent: no approval limits it. */
  readonly until?: Millis;
}

/**
 * `unlinked`: found by a value that does not identify the subject, so `tie` must link the subject first. `unverified`:
 * there is an address, but the subject or the owner has not proved it. `refused`: the company for which the issuer speaks
 * does not let the owner use the app.
 */
export type FoundOwner =
  | { readonly kind: "found"; readonly owner: AssertedOwner }
  | { readonly kind: "unlinked"; readonly owner: AssertedOwner }
  | { readonly kind: "unknown" }
  | { readonly kind: "unverified"; readonly by: "issuer" | "account" }
  | { readonly kind: "refused"; readonly condition: ConditionName; readonly why: string };

/** What the assertion is presented for. */
export interface AskedFor {
  readonly client: Client;
  readonly scopes: readonly string[];
  /** As in `Reach`. */
  readonly ceiling: Millis | null;
}

/** Somebody for whom an app wants an ID-JAG. */
export interface ToVouchFor {
  readonly client: Client;
  readonly personId: string;
  /** The company for which the person signed in to the app. Undefined: for themself. */
  readonly organization: string | undefined;
  /** The session in which they signed in. Null: none, as on a device. */
  readonly sid: string | null;
  /** When the ID token was issued. Null: a grant stands for the sign-in, so what ends grants ends that. */
  readonly issuedAt: Millis | null;
  /** Connections of the app with one other server, whatever their status is. */
  readonly connections: readonly Connection[];
  /** As in `Reach`. */
  readonly ceiling: Millis | null;
}

/** A connection that a company's admin made. The limits of the `Connection` beside it are already what the admin chose. */
export interface OwnConnection {
  readonly connectedAt: Millis;
  readonly endsAt: Millis;
  /** The company, as people read it. */
  readonly company: { readonly companyId: string; readonly name: string };
}

export type Vouched =
  | {
      readonly kind: "vouched";
      readonly connection: Connection;
      readonly email: string | null;
      /** Absent: an operator made the connection. */
      readonly own?: OwnConnection;
    }
  /** No connection is for this person. */
  | { readonly kind: "unconnected" }
  | { readonly kind: "refused"; readonly why: string };

/** Finds, links and creates the owners of assertions. */
export interface AssertedOwners {
  /** Whether this server vouches for a person at another server now. */
  vouchFor(asked: ToVouchFor): Promise<Vouched>;
  /** Finds the owner by the subject's link first, then by name. */
  find(record: TrustedIssuer, subject: MappedSubject, asked: AskedFor): Promise<FoundOwner>;
  /**
   * Links the subject to an owner. False: the owner is linked to another subject of that issuer, or the subject to
   * another owner.
   */
  tie(record: TrustedIssuer, subject: MappedSubject, owner: AssertedOwner): Promise<boolean>;
  /**
   * Creates an owner without a password, linked to the subject. `made`: false if another call was faster. Undefined:
   * the subject can't be a name, or others have its names.
   */
  create(
    record: TrustedIssuer,
    subject: MappedSubject,
  ): Promise<{ readonly owner: AssertedOwner; readonly made: boolean } | undefined>;
}

/** Why an assertion about an operator is refused, for operators. */
export const AN_OPERATOR = "an operator";

/**
 * The value by which the owner is looked up. Refuses a missing subject, and one for which the operator does not let the
 * issuer speak.
 */
export function mappedSubject(record: TrustedIssuer, subject: AssertedSubject): MappedSubject {
  const { value, email } = subject;
  if (value === "") refuse("assertion_subject_missing");
  const byEmail = record.mapSubject === "email";
  const name = byEmail && !value.includes("@") ? email : value;
  if (!mayAssert(record.subjects, name ?? value)) refuse("assertion_subject_not_allowed");
  const believed = (address: string | null) => address !== null && believes(record, subject, address);
  return { ...subject, name, nameBelieved: !byEmail || believed(name), emailBelieved: believed(email) };
}

/** `subjects` has names, or `@domain` for all addresses of a domain. */
function mayAssert(subjects: readonly string[], name: string): boolean {
  if (subjects.length === 0) return true;
  const folded = name.toLowerCase();
  const domain = folded.slice(folded.lastIndexOf("@"));
  return subjects.some((one) =>
    one.startsWith("@") ? folded.includes("@") && one.toLowerCase() === domain : one === name,
  );
}

/**
 * A person types the address of a profile, so it proves nothing until somebody verifies it. If the record names
 * domains, the issuer gives out these addresses itself, and no others count as verified. Otherwise the issuer must say
 * that it has verified the address, unless the operator said that the issuer's subjects are addresses.
 */
function believes(record: TrustedIssuer, subject: AssertedSubject, address: string): boolean {
  const folded = address.toLowerCase();
  const isProfile = subject.email?.toLowerCase() === folded;
  if (subject.emailVerified === false && (isProfile || subject.email === null)) return false;
  if (record.emailDomains.length > 0) return record.emailDomains.includes(folded.slice(folded.lastIndexOf("@") + 1));
  if (isProfile && subject.emailVerified === true) return true;
  return record.mapSubject === "email" && record.subjectClaim === null && address === subject.value;
}
