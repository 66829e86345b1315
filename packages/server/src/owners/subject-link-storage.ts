/** Links between identities at other systems and owners: the port to the database. */

import type { Millis } from "../oauth/model.ts";
import type { ByLesser } from "./change-conditions.ts";
import type { CompanyKey } from "./company-storage.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./person.ts";

/** A subject as its issuer writes it: two that differ in any character are different. */
export interface ForeignSubject {
  /** The id of the issuer's record. */
  readonly issuerId: string;
  /** The claim or attribute whose value is the subject. Null: `sub`, or the NameID. */
  readonly claim: string | null;
  readonly subject: string;
}

/** A sign-in at a provider that a session began with. */
export interface UpstreamSignIn {
  readonly subject: ForeignSubject;
  /** The provider's own session (OpenID Connect Back-Channel Logout §2.1). Null: it named none. */
  readonly sid: string | null;
  /** The company whose own provider it is. Absent: the operator's. */
  readonly company?: CompanyKey;
}

/** A subject of an issuer that is linked to an owner of this server. */
export interface SubjectLink extends ForeignSubject {
  readonly partition: number;
  readonly ownerId: string;
  /** The key of the subject. */
  readonly link: string;
  /** `person`: its owner connected it. `first use`: a sign-in or an assertion did. */
  readonly madeBy: "operator" | "first use" | "person";
  readonly createdAt: Millis;
}

/** An issuer whose subjects can sign in now: a provider, under the issuer that it has now. */
export type WayIn = Pick<ForeignSubject, "issuerId" | "claim">;

/** `last`: the person would have no way in any more. `unknown`: no such link, or the session has ended. */
export type RemoveIdentityOutcome = "removed" | "last" | "unknown";

/**
 * `known`: the link existed before. `taken`: another owner is linked to that subject. `other`: the owner is linked to
 * another subject of that issuer. `unknown`: the person does not exist.
 */
export interface LinkSubjectOutcome {
  readonly kind: "linked" | "known" | "taken" | "other" | "unknown";
}

export type CreateLinkedOutcome =
  | { readonly kind: "created" | "linked"; readonly person: Person }
  /** Another call began before. Call again with this id. */
  | { readonly kind: "begun"; readonly personId: string }
  /** None of the names is free, or another owner got the subject. */
  | { readonly kind: "taken" };

export interface SubjectLinkStorage {
  findPerson(args: { readonly subject: ForeignSubject }): Promise<Person | undefined>;
  /**
   * `sole`: only if no other subject of that issuer is linked to this owner. `email`: the address by which the owner
   * was found; if it has changed since, nothing is linked.
   */
  link(args: {
    readonly partition: number;
    readonly personId: string;
    readonly subject: ForeignSubject;
    readonly sole: boolean;
    readonly email?: string;
    readonly madeBy: SubjectLink["madeBy"];
    /** Sent if the link is new. */
    readonly mails?: readonly StoredMail[];
    readonly now: Millis;
  }): Promise<LinkSubjectOutcome>;
  /** Creates and links the first of these people whose names are free. Simultaneous calls make one owner. */
  createPerson(args: {
    readonly people: readonly Person[];
    readonly subject: ForeignSubject;
    readonly now: Millis;
  }): Promise<CreateLinkedOutcome>;
  /** Returns the owner's id. Undefined: the subject had no link, or `unlessOperator` refuses it. */
  unlink(args: ByLesser & { readonly subject: ForeignSubject; readonly now: Millis }): Promise<string | undefined>;
  /**
   * The person removes one of their own links. A password, a passkey, or a link to one of `waysIn` must remain.
   */
  remove(args: {
    readonly partition: number;
    readonly personId: string;
    /** The key of the subject. */
    readonly link: string;
    readonly waysIn: readonly WayIn[];
    readonly sessionId: string;
    /** Messages about it, written in the same transaction. */
    readonly mails?: readonly StoredMail[];
    readonly now: Millis;
  }): Promise<RemoveIdentityOutcome>;
  /** The links of one person, oldest first. */
  ofPerson(args: { readonly partition: number; readonly personId: string }): Promise<readonly SubjectLink[]>;
  /** Oldest first. */
  list(args: {
    readonly issuerId: string;
    readonly limit: number;
    readonly after: Pick<SubjectLink, "createdAt" | "link"> | null;
  }): Promise<readonly SubjectLink[]>;
}
