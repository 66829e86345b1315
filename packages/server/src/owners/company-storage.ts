/** The storage port of companies: who belongs to one, which apps may act in its name, who asked. Each verb is one transaction. */

import type { Consent, Grant, Millis } from "../oauth/model.ts";
import type { StoredMail } from "./mail/storage.ts";

/** What holds for apps that no rule of the company names: members decide, members ask an admin, or nobody but admins. */
export type DefaultRule = "members" | "ask" | "block";

/** A company that owns grants. */
export interface Company {
  readonly partition: number;
  readonly companyId: string;
  /** Its place in addresses: unique, lower case. */
  readonly slug: string;
  readonly name: string;
  readonly status: "active" | "disabled";
  readonly defaultRule: DefaultRule;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export type Role = "member" | "admin";

/** A person in a company. */
export interface Member {
  readonly companyId: string;
  readonly personId: string;
  /** As the person signs in: what a list is ordered and read by. */
  readonly username: string;
  readonly role: Role;
  readonly since: Millis;
  /** A person, `operator`, or whoever sent the invitation. */
  readonly addedBy: string;
  /** `disabled`: the person is, everywhere; back with them. */
  readonly standing: "active" | "disabled";
  /** Approvals of this person from before are no good any more: they joined later, or their account was taken back from another. */
  readonly trustedFrom: Millis;
}

/** What a company has decided about one app. */
export interface AppRule {
  readonly clientId: string;
  /** `allow`: all members, within `scopes`, until `endsAt`. `ask`: members ask an admin. `block`: nobody. */
  readonly rule: "allow" | "ask" | "block";
  readonly scopes: readonly string[];
  /** Of an `allow`: the redirect hosts that it holds for, as `consentHost` writes them. Null: it was decided before hosts were noted. */
  readonly hosts: readonly string[] | null;
  /** Null: until an admin changes it. */
  readonly endsAt: Millis | null;
  /** Members may keep the app from acting for them. */
  readonly optOut: boolean;
  /** A person, or `operator`. */
  readonly decidedBy: string;
  readonly decidedAt: Millis;
}

/** All that decides whether a person may let one app act in a company's name. */
export interface Acting {
  readonly company: Company;
  readonly member: Member;
  readonly rule: AppRule | undefined;
  readonly optedOut: boolean;
  /** On a page, the person chose this company for the app before. */
  readonly chosen: boolean;
}

/** A member's wish that an admin lets an app in. */
export interface AppRequest {
  readonly clientId: string;
  readonly personId: string;
  readonly username: string;
  readonly scopes: readonly string[];
  readonly reason: string;
  readonly askedAt: Millis;
  readonly status: "open" | "approved" | "refused";
  readonly decidedBy: string | null;
  readonly decidedAt: Millis | null;
}

/** A place in a company for whoever has the link and bears the name. */
export interface Invitation {
  readonly partition: number;
  readonly invitationId: string;
  readonly companyId: string;
  /** Canonical username or e-mail. */
  readonly addressee: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly status: "open" | "accepted" | "withdrawn";
}

export interface CompanyKey {
  readonly partition: number;
  readonly companyId: string;
}

/** A member as they were looked up before a change. */
export interface TrustedSince {
  /** From when their sessions counted then: another time since, and this one has ended. Absent: no session asks. */
  readonly trustedFrom?: Millis;
}

/** Who changes something: an admin of the company, looked up in the same transaction; null: the operator, who may. */
export interface ByAdmin extends TrustedSince {
  readonly by: string | null;
  readonly now: Millis;
}

/** One app of a company. */
export interface CompanyApp {
  readonly consent: Consent;
  /** Live grants under it, and how many people made them. */
  readonly grants: number;
  readonly people: number;
  /** When the last of these grants was used. */
  readonly lastUsedAt: Millis | null;
}

/** Messages about what is done, written with it and not without it; in the company's partition. */
interface Told {
  readonly mails?: readonly StoredMail[];
}

export type MemberOutcome =
  | { readonly kind: "done"; readonly grantsEnded: number }
  /** Whoever asks for it is no admin (any more). */
  | { readonly kind: "not_admin" }
  /** Nobody would be left who can change anything. */
  | { readonly kind: "last_admin" }
  | { readonly kind: "unknown" };

export type RuleOutcome =
  | { readonly kind: "done"; readonly grantsEnded: number; readonly lastUsedAt: Millis | null }
  | { readonly kind: "not_admin" | "unknown" };

/** `repeated`: the same wish is open already. `needless`: they may already, or it is blocked, or they left. */
export type AskOutcome = { readonly kind: "asked" | "repeated" | "needless" | "too_many" };

export type JoinOutcome =
  | { readonly kind: "joined"; readonly company: Company }
  /** `wrong_person`: it is for somebody else. `unknown`: used, withdrawn, out of time, or never there. */
  | { readonly kind: "wrong_person" | "unknown" };

/** The person of a membership, in their own partition. */
export interface PersonRef {
  readonly partition: number;
  readonly personId: string;
  readonly username: string;
}

export interface CompanyStorage {
  readonly companies: {
    /** Reserves the slug, creates, activates. */
    create(args: { readonly company: Company; readonly now: Millis }): Promise<{
      readonly kind: "created" | "taken";
    }>;
    find(args: { readonly slug: string }): Promise<Company | undefined>;
    get(args: CompanyKey): Promise<Company | undefined>;
    /** Oldest first. */
    list(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Company[]>;
    update(
      args: CompanyKey & ByAdmin & { readonly changes: Partial<Pick<Company, "name" | "slug" | "defaultRule">> },
    ): Promise<{ readonly kind: "updated" | "unknown" | "taken" | "not_admin" }>;
    /** Disabling ends the company's grants (`owner_ended`) in the same transaction. */
    setStatus(args: CompanyKey & { readonly status: Company["status"]; readonly now: Millis }): Promise<boolean>;
    /** Removes the company with memberships, rules and consents; grants end. */
    delete(args: CompanyKey & { readonly now: Millis }): Promise<boolean>;
  };
  readonly members: {
    /** Adds a person, or gives a member another role. `link`: a new random id. Only the operator adds without an invitation. */
    add(
      args: CompanyKey & {
        readonly person: PersonRef;
        readonly role: Role;
        readonly addedBy: string;
        readonly link: string;
        readonly now: Millis;
      },
    ): Promise<{ readonly kind: "added" | "no_company" | "no_person" }>;
    setRole(args: CompanyKey & ByAdmin & { readonly personId: string; readonly role: Role }): Promise<MemberOutcome>;
    /** Ends, in the same transaction, the grants that the person made in the company's name. Anybody may remove themselves. */
    remove(
      args: CompanyKey & ByAdmin & Told & { readonly person: Pick<PersonRef, "partition" | "personId"> },
    ): Promise<MemberOutcome>;
    /** By username. `after`: the last username of the page before. */
    list(args: CompanyKey & { readonly limit: number; readonly after: string | null }): Promise<readonly Member[]>;
    /** What a person is in one company, with what it decided about an app (null: about none). */
    findActing(
      args: CompanyKey & { readonly personId: string; readonly clientId: string | null },
    ): Promise<Acting | undefined>;
    /** The companies of a person, by name; with what each decided about an app. */
    companiesOf(args: {
      readonly partition: number;
      readonly personId: string;
      readonly clientId: string | null;
      readonly now: Millis;
    }): Promise<readonly Acting[]>;
  };
  readonly companyApps: {
    list(args: CompanyKey & { readonly now: Millis }): Promise<readonly CompanyApp[]>;
    /** People for whom an app acts in the company's name now, and those of them who are no admins. */
    countActing(
      args: CompanyKey & { readonly clientId: string; readonly now: Millis },
    ): Promise<{ readonly people: number; readonly members: number }>;
    listRules(args: CompanyKey): Promise<readonly AppRule[]>;
    /**
     * `allow` writes the company's consent to the app; `block` ends it and its grants; null: the default holds again. Requests that it answers
     * are marked.
     */
    setRule(
      args: CompanyKey &
        ByAdmin & {
          readonly clientId: string;
          /** `end`: what the app does for members who are no admins ends, where the rule is not `allow`; absent: it goes on. */
          readonly members?: "keep" | "end";
          /** What those are told whose requests it answers. */
          readonly news?: readonly { readonly personId: string; readonly mails: readonly StoredMail[] }[];
          readonly rule: Pick<AppRule, "rule" | "scopes" | "hosts" | "endsAt" | "optOut"> | null;
          readonly shown: Consent["shown"];
        },
    ): Promise<RuleOutcome>;
    /** Ends the company's consent to the app, every grant under it whoever made it, and an approval for all. */
    revokeForAll(args: CompanyKey & ByAdmin & { readonly clientId: string }): Promise<RuleOutcome>;
    /** A member keeps an app from acting for them (their grants end), or lets it again. */
    setOptOut(
      args: CompanyKey & {
        readonly clientId: string;
        readonly personId: string;
        readonly out: boolean;
        readonly now: Millis;
      } & TrustedSince,
    ): Promise<{ readonly kind: "done"; readonly grantsEnded: number } | { readonly kind: "unknown" }>;
    /** Live grants that one person made in the company's name. */
    grantsOfMember(args: CompanyKey & { readonly personId: string; readonly now: Millis }): Promise<readonly Grant[]>;
    askApproval(
      args: CompanyKey & {
        readonly clientId: string;
        readonly personId: string;
        readonly scopes: readonly string[];
        /** Where the answer would go; absent: to a device. */
        readonly redirectUri?: string;
        /** How long an answer to the client holds at most, in milliseconds; absent or null: as long as it says. */
        readonly ceiling?: Millis | null;
        readonly reason: string;
        readonly now: Millis;
      } & Told,
    ): Promise<AskOutcome>;
    refuseRequest(
      args: CompanyKey & ByAdmin & Told & { readonly clientId: string; readonly personId: string },
    ): Promise<{ readonly kind: "done" | "not_admin" | "unknown" }>;
    /** Open ones, oldest first. */
    listRequests(args: CompanyKey & { readonly limit: number }): Promise<readonly AppRequest[]>;
  };
  readonly invitations: {
    create(
      args: ByAdmin & Told & { readonly invitation: Invitation; readonly saltHash: Uint8Array },
    ): Promise<{ readonly kind: "invited" | "not_admin" | "too_many" }>;
    withdraw(
      args: CompanyKey & ByAdmin & { readonly invitationId: string },
    ): Promise<{ readonly kind: "done" | "not_admin" | "unknown" }>;
    /** Open ones that still hold, the latest first. */
    list(args: CompanyKey & { readonly now: Millis }): Promise<readonly Invitation[]>;
    /** The open invitation of a link, with its company; undefined: none that holds. */
    find(args: {
      readonly partition: number;
      readonly invitationId: string;
      readonly saltHash: Uint8Array;
      readonly now: Millis;
    }): Promise<{ readonly invitation: Invitation; readonly company: Company } | undefined>;
    /** Joins the person that the invitation names; used up by the first success. */
    accept(args: {
      readonly partition: number;
      readonly invitationId: string;
      readonly saltHash: Uint8Array;
      readonly person: PersonRef & { readonly email: string };
      /** That accepts: with its end, nothing is accepted. */
      readonly sessionId?: string;
      readonly link: string;
      readonly now: Millis;
    }): Promise<JoinOutcome>;
  };
  readonly membershipOutbox: {
    /** Tells companies what became of people (disabled, removed, back): at most `limit` of them. How many were told. */
    deliver(args: { readonly now: Millis; readonly limit: number }): Promise<number>;
    /** People who were disabled or removed, of whom a company may not know yet; null: more than `limit`. */
    undelivered(args: { readonly limit: number }): Promise<readonly string[] | null>;
  };
}
