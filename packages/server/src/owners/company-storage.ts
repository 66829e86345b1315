/** The storage port of companies: members, their apps, requests. Each verb is one transaction. */

import type { Client, Consent, ListedGrant, Millis } from "../oauth/model.ts";
import type { AnsweredScope } from "./answered-hosts.ts";
import type { PauseOutcome, Pausing } from "./change-conditions.ts";
import type { OwnChoices } from "./last-company.ts";
import type { StoredMail } from "./mail/storage.ts";

/** The rule for apps that no rule of the company names: members decide, members ask an admin, or only admins decide. */
export type DefaultRule = "members" | "ask" | "block";

/** A company that owns grants. */
export interface Company {
  readonly partition: number;
  readonly companyId: string;
  /** The company's part of URLs: unique, in lower case. */
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
  /** The name with which the person signs in. Lists show it and are sorted by it. */
  readonly username: string;
  readonly role: Role;
  readonly since: Millis;
  /** A person, `operator`, or the person who sent the invitation. */
  readonly addedBy: string;
  /** `disabled`: the person is disabled everywhere; it ends with that. */
  readonly accountStatus: "active" | "disabled";
  /**
   * Approvals by this person from before this time are no longer valid: they joined later, or their account was
   * recovered from somebody else.
   */
  readonly trustedFrom: Millis;
}

/** A rule with the people whom an `allow` for selected members names. */
export interface ListedRule extends AppRule {
  readonly selected: readonly string[];
}

/** The parts of a rule that an admin decides. `selected`: the members for whom an `allow` is; absent: for all. */
export type NewRule = Pick<AppRule, "rule" | "scopes" | "hosts" | "endsAt"> & {
  readonly selected?: readonly string[];
};

/** What a company has decided about one app. */
export interface AppRule {
  readonly clientId: string;
  /** `allow`: all members, within `scopes`, until `endsAt`. `ask`: members ask an admin. `block`: nobody. */
  readonly rule: "allow" | "ask" | "block";
  /** An `allow` for selected members: the others ask an admin. Absent: for all members. */
  readonly forSelected?: true;
  readonly scopes: readonly string[];
  /** For an `allow`: its redirect hosts, as `consentHost` writes them. Null: it was decided before hosts were recorded. */
  readonly hosts: readonly string[] | null;
  /** Null: until an admin changes it. */
  readonly endsAt: Millis | null;
  /** A person, or `operator`. */
  readonly decidedBy: string;
  readonly decidedAt: Millis;
}

/** Everything that decides whether a person may let an app act in a company's name. */
export interface Acting {
  readonly company: Company;
  readonly member: Member;
  readonly rule: AppRule | undefined;
  /** True: a rule for selected members names this person. Absent: false. */
  readonly selected?: boolean;
  readonly optedOut: boolean;
  /** True: the person chose this company for the app on a page before, and has not asked to be asked again. */
  readonly chosen: boolean;
  /** When they last chose it. Null: never. */
  readonly chosenAt: Millis | null;
  /** The shortest end that they chose then, and the only one that counts for scopes without their own. Null: none. */
  readonly chosenUntil: Millis | null;
  /** The ends that they chose for single scopes. Null: as long as the company's consent, or the approval. */
  readonly chosenEnds: ChosenEnds;
  /** Where they allowed these scopes. Absent: the answer was written before its hosts were recorded. */
  readonly answeredAt?: readonly AnsweredScope[];
  /** The optional scopes that they declined then. */
  readonly declined: readonly string[];
  /** Those that they left out because an admin had to approve them first. Absent: none. */
  readonly unapproved?: readonly string[];
}

/** Ends of single scopes, by name. Null: none. `ONCE_OVER`: the scope was for once. */
export type ChosenEnds = Readonly<Record<string, Millis | null>>;

/** The part of a member's answer for a company that later connections without a page keep to. */
export interface RememberedAnswer {
  /** The optional scopes that the member did not tick. */
  readonly declined: readonly string[];
  /** Others, which an admin has to approve first. Once they are approved, the page comes again. Absent: none. */
  readonly unapproved?: readonly string[];
  /** Those of both that older grants of the member lose. Absent: all declined. */
  readonly lost?: readonly string[];
  /** The end of each scope of the answer. */
  readonly ends: ChosenEnds;
  /** Scopes that were for this once: the next request asks again. Absent: none. */
  readonly once?: readonly string[];
  /** Scopes that end in older grants no later than the member chose now. Absent: none. */
  readonly newEnds?: readonly string[];
  /** Those of them that the member gave already: the new end can also be later. Absent: none. */
  readonly moved?: readonly string[];
}

/** One scope in the live grants that a person made for an app in a company's name. */
export interface HeldScope {
  readonly personId: string;
  /** True: the person is an admin. */
  readonly admin: boolean;
  readonly name: string;
  /** The latest end in these grants. Null: none. */
  readonly endsAt: Millis | null;
  /** The same in those with refresh tokens. Absent: no such grant has the scope. */
  readonly refreshableUntil?: Millis | null;
  /** The same in those of them without `offline_access`. */
  readonly awayUntil?: Millis | null;
}

/** A member's request that an admin approves an app. */
export interface AppRequest {
  readonly clientId: string;
  readonly personId: string;
  readonly username: string;
  /** What the member asked for. Of a refused request: what was refused. */
  readonly scopes: readonly string[];
  readonly reason: string;
  /** Each request that replaces an earlier one has a later time. */
  readonly askedAt: Millis;
  readonly status: "open" | "approved" | "refused";
  readonly decidedBy: string | null;
  readonly decidedAt: Millis | null;
  /** The receiver of the answer, as `receiverOf` writes it. Null: a device, or not recorded. */
  readonly host: string | null;
}

/** A place in a company for the person who has the link and the invited name. */
export interface Invitation {
  readonly partition: number;
  readonly invitationId: string;
  readonly companyId: string;
  /** The canonical username or e-mail address. */
  readonly addressee: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly status: "open" | "accepted" | "withdrawn";
}

/** What became of an invitation. */
export interface TracedInvitation extends Pick<Invitation, "status" | "expiresAt"> {
  readonly acceptedBy: string | null;
  /** Null: the company is not active any more. */
  readonly company: Company | null;
}

interface OfPerson {
  readonly partition: number;
  readonly personId: string;
  readonly now: Millis;
}

export interface CompanyKey {
  readonly partition: number;
  readonly companyId: string;
}

/** A member as read before a change. */
export interface TrustedSince {
  /** The `trustedFrom` of that time. If it differs now, this session has ended. Absent: no session asks. */
  readonly trustedFrom?: Millis;
}

/** Who makes the change: an admin of the company, checked in the same transaction. Null: the operator, who may. */
export interface ByAdmin extends TrustedSince {
  readonly by: string | null;
  readonly now: Millis;
}

type ActingApp = CompanyKey & { readonly clientId: string; readonly now: Millis };
type AppUnderCeiling = ActingApp & { readonly ceiling: Millis | null };

/** One app of a company. */
export interface CompanyApp {
  readonly consent: Consent;
  /** Number of live grants under it, and of people who made them. */
  readonly grants: number;
  readonly people: number;
}

/** Messages about the change, written in its transaction, in the company's partition. */
interface Told {
  readonly mails?: readonly StoredMail[];
}

export type MemberOutcome =
  | { readonly kind: "done"; readonly grantsEnded: number }
  /** The person who asks is not an admin, or not any more. */
  | { readonly kind: "not_admin" }
  /** Nobody would remain who can change the company. */
  | { readonly kind: "last_admin" }
  | { readonly kind: "unknown" };

/** A person for whom an app acts in a company's name. */
export interface ActingPerson {
  readonly personId: string;
  /** Null: the person is no member any more. */
  readonly username: string | null;
  readonly since: Millis;
  readonly lastUsedAt: Millis | null;
  /** True: another system disabled the person's account, and their access waits until it is enabled again. */
  readonly paused: boolean;
}

export type RuleOutcome =
  | { readonly kind: "done"; readonly grantsEnded: number; readonly lastUsedAt: Millis | null }
  /** `changed`: the rule is not the one that the admin saw, or a selected person is no member any more. */
  | { readonly kind: "not_admin" | "unknown" | "changed" };

/** `repeated`: it is open with the same reason. `needless`: the person may already, has left, or the app is blocked. */
export type AskOutcome = { readonly kind: "asked" | "repeated" | "needless" | "too_many" };

/** `taken`: the slug. `no_person`: the account is disabled, or the session has ended. */
export type FoundOutcome = { readonly kind: "founded" | "taken" | "too_many" | "no_person" };

export type JoinOutcome =
  /** `before`: the person's role before, null if they were no member; `role`: from now on. */
  | { readonly kind: "joined"; readonly company: Company; readonly before: Role | null; readonly role: Role }
  /**
   * `wrong_person`: the invitation is for somebody else. `changed`: the person's role is not the one that they read.
   * `unknown`: the invitation was used or withdrawn, has expired, or never existed.
   */
  | { readonly kind: "wrong_person" | "changed" | "unknown" };

/** The person of a membership, with their own partition. */
export interface PersonRef {
  readonly partition: number;
  readonly personId: string;
  readonly username: string;
}

export interface CompanyStorage {
  readonly companies: {
    /** Reserves the slug, creates the company, activates the slug. */
    create(args: { readonly company: Company; readonly now: Millis }): Promise<{
      readonly kind: "created" | "taken";
    }>;
    /** A person creates a company, and is its admin from the start. */
    found(args: {
      readonly company: Company;
      readonly person: PersonRef;
      /** If this session has ended, nothing happens. */
      readonly sessionId?: string;
      /** A new random id. */
      readonly link: string;
      /** Maximum number of companies that the person created and still belongs to. */
      readonly most: number;
      readonly now: Millis;
    }): Promise<FoundOutcome>;
    /**
     * Keeps others from creating a company whose name has one of these keys (`nameKeys`), until `releaseName` or for an
     * hour. False: somebody else does that now.
     */
    holdName(args: {
      readonly keys: readonly string[];
      readonly companyId: string;
      readonly now: Millis;
    }): Promise<boolean>;
    releaseName(args: {
      readonly keys: readonly string[];
      readonly companyId: string;
      readonly now: Millis;
    }): Promise<void>;
    find(args: { readonly slug: string }): Promise<Company | undefined>;
    get(args: CompanyKey): Promise<Company | undefined>;
    /** Oldest first. */
    list(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Company[]>;
    update(
      args: CompanyKey &
        ByAdmin & {
          readonly changes: Partial<Pick<Company, "name" | "slug" | "defaultRule">>;
          /** The record on which the changes are based. Absent: whatever it is. */
          readonly expected?: Company;
        },
    ): Promise<{ readonly kind: "updated" | "unknown" | "taken" | "not_admin" | "changed" }>;
    /** Disabling ends the company's grants (`owner_ended`) in the same transaction. */
    setStatus(args: CompanyKey & { readonly status: Company["status"]; readonly now: Millis }): Promise<boolean>;
    /** Deletes the company with memberships, rules and consents, and ends its grants. */
    delete(args: CompanyKey & { readonly now: Millis }): Promise<boolean>;
  };
  readonly members: {
    /**
     * Adds a person, or gives a member another role. `link`: a new random id. Only the operator can add somebody
     * without an invitation. `email`: as with `setRole`.
     */
    add(
      args: CompanyKey & {
        readonly person: PersonRef;
        readonly role: Role;
        readonly addedBy: string;
        /** For the history: the name of the company's provider at which they signed in. */
        readonly via?: string;
        readonly email?: string;
        readonly link: string;
        readonly now: Millis;
      },
    ): Promise<{ readonly kind: "added" | "no_company" | "no_person" }>;
    /** `email`: the address of the account. If the person is an admin no more, invitations to it end. */
    setRole(
      args: CompanyKey & ByAdmin & { readonly personId: string; readonly role: Role; readonly email?: string },
    ): Promise<MemberOutcome>;
    /**
     * In the same transaction, ends the grants that the person made in the company's name. Members may remove
     * themselves.
     */
    remove(
      args: CompanyKey &
        ByAdmin &
        Told & {
          /** `email`: open invitations to it, or to the username, are withdrawn. */
          readonly person: Pick<PersonRef, "partition" | "personId"> & { readonly email?: string };
        },
    ): Promise<MemberOutcome>;
    /** Sorted by username. `after`: the last username of the previous page. */
    list(args: CompanyKey & { readonly limit: number; readonly after: string | null }): Promise<readonly Member[]>;
    /** What a person may do in one company, with the company's rule about an app (null: about none). */
    findActing(
      args: CompanyKey & { readonly personId: string; readonly clientId: string | null },
    ): Promise<Acting | undefined>;
    /** The active companies of a person, sorted by name, each with its rule about an app. `disabled`: also disabled ones. */
    companiesOf(
      args: OfPerson & { readonly clientId: string | null; readonly disabled?: boolean },
    ): Promise<readonly Acting[]>;
    /** The active ones with the person's own consent to the app, with any status. */
    consentAndCompaniesOf(
      args: OfPerson & { readonly clientId: string },
    ): Promise<OwnChoices & { readonly companies: readonly Acting[] }>;
  };
  readonly companyApps: {
    list(args: CompanyKey & { readonly now: Millis }): Promise<readonly CompanyApp[]>;
    /** What an app can do in the company's name now, for each person (or for one) and scope. `ceiling`: as in `NewGrant`. */
    liveAccess(args: AppUnderCeiling & { readonly personId?: string }): Promise<readonly HeldScope[]>;
    /** Number of people for whom an app acts in the company's name now. */
    countPeople(args: AppUnderCeiling): Promise<number>;
    /** The people for whom an app acts in the company's name, latest use first. */
    listActing(args: AppUnderCeiling & { readonly limit: number }): Promise<readonly ActingPerson[]>;
    listRules(args: CompanyKey): Promise<readonly ListedRule[]>;
    /**
     * `allow` writes the company's consent to the app. `block` ends the consent and its grants. Null: the default
     * applies again. Requests that this answers are closed.
     */
    setRule(
      args: CompanyKey &
        ByAdmin & {
          readonly clientId: string;
          /**
           * `end`: the app's access ends for members who are not admins and whom the rule does not allow. Absent: it
           * goes on.
           */
          readonly members?: "keep" | "end";
          /**
           * Messages to the people whose requests this answers, whether in full or in part. `asked`: the scopes of the
           * request. The message is not sent if the person has asked for something else, or elsewhere, meanwhile.
           */
          readonly news?: readonly {
            readonly personId: string;
            readonly asked: readonly string[];
            readonly host: string | null;
            readonly mails: readonly StoredMail[];
          }[];
          readonly rule: NewRule | null;
          /**
           * The time of the rule that the admin saw (null: there was none). If another rule is in force now, nothing
           * changes. Absent: it is not compared.
           */
          readonly seen?: Millis | null;
          /** The longest time for which an answer to the client can hold. Absent: no limit. */
          readonly ceiling?: Millis | null;
          readonly shown: Consent["shown"];
        },
    ): Promise<RuleOutcome>;
    /**
     * Ends the company's consent to the app, every grant under it, whoever made it, and an approval for all members.
     */
    revokeForAll(args: CompanyKey & ByAdmin & { readonly clientId: string }): Promise<RuleOutcome>;
    /** Stops the app for the whole company until it is resumed, or lets it go on. */
    setPaused(args: CompanyKey & ByAdmin & Pausing): Promise<PauseOutcome | { readonly kind: "not_admin" }>;
    /** A member keeps an app from acting for them, which ends their grants, or allows it again. */
    setOptOut(
      args: CompanyKey & {
        readonly clientId: string;
        readonly personId: string;
        readonly out: boolean;
        readonly now: Millis;
      } & TrustedSince,
    ): Promise<{ readonly kind: "done"; readonly grantsEnded: number } | { readonly kind: "unknown" }>;
    /** The next request of the app asks the member for whom. Nothing ends. */
    forgetChoice(
      args: CompanyKey & { readonly clientId: string; readonly personId: string } & TrustedSince,
    ): Promise<{ readonly kind: "done" | "unknown" }>;
    /** The ids of the apps for which the member chose the company, without forgotten choices. */
    listChoices(args: CompanyKey & { readonly personId: string }): Promise<readonly string[]>;
    listStopped(args: CompanyKey & { readonly personId: string }): Promise<readonly string[]>;
    /** The live grants that one person made in the company's name. */
    grantsOfMember(
      args: CompanyKey & { readonly personId: string; readonly now: Millis },
    ): Promise<readonly ListedGrant[]>;
    askApproval(
      args: CompanyKey & {
        readonly clientId: string;
        readonly personId: string;
        readonly scopes: readonly string[];
        /** The destination of the answer. Absent: a device. */
        readonly redirectUri?: string;
        /** Maximum time for which an answer to the client holds, in milliseconds. Absent or null: no maximum. */
        readonly ceiling?: Millis | null;
        readonly reason: string;
        readonly now: Millis;
      } & Told,
    ): Promise<AskOutcome>;
    /**
     * `seen`: the `askedAt` of the request that the admin saw. `changed`: the member has replaced it since. The record keeps
     * the `refused` scopes.
     */
    refuseRequest(
      args: CompanyKey &
        ByAdmin &
        Told & {
          readonly clientId: string;
          readonly personId: string;
          readonly seen: Millis | null;
          readonly refused: readonly string[];
        },
    ): Promise<{ readonly kind: "done" | "not_admin" | "unknown" | "changed" }>;
    /** The apps that the operator has verified, sorted by client id. */
    listVerified(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Client[]>;
    /** Open requests, oldest first. */
    listRequests(args: CompanyKey & { readonly limit: number }): Promise<readonly AppRequest[]>;
    /** One member's open and refused requests, newest first. Refused ones stay for 90 days. */
    requestsOfMember(
      args: CompanyKey & { readonly personId: string; readonly limit: number },
    ): Promise<readonly AppRequest[]>;
  };
  readonly invitations: {
    create(
      args: ByAdmin & Told & { readonly invitation: Invitation; readonly saltHash: Uint8Array },
      /** `member`: the invitation names the username of a member. */
    ): Promise<{ readonly kind: "invited" | "not_admin" | "too_many" | "member" }>;
    withdraw(
      args: CompanyKey & ByAdmin & { readonly invitationId: string },
    ): Promise<{ readonly kind: "done" | "not_admin" | "unknown" }>;
    /** Open invitations that have not expired, latest first. */
    list(args: CompanyKey & { readonly now: Millis }): Promise<readonly Invitation[]>;
    /** The open invitation of a link, with its company. Undefined: there is none that is valid. */
    find(args: {
      readonly partition: number;
      readonly invitationId: string;
      readonly saltHash: Uint8Array;
      readonly now: Millis;
    }): Promise<{ readonly invitation: Invitation; readonly company: Company } | undefined>;
    /** What became of an invitation, whether it still holds or not. Undefined: it never existed, or was deleted. */
    trace(args: {
      readonly partition: number;
      readonly invitationId: string;
      readonly saltHash: Uint8Array;
    }): Promise<TracedInvitation | undefined>;
    /** Adds the person whom the invitation names. The first success uses the invitation up. */
    accept(args: {
      readonly partition: number;
      readonly invitationId: string;
      readonly saltHash: Uint8Array;
      readonly person: PersonRef & { readonly email: string; readonly createdAt: Millis };
      /** The session that accepts. If it has ended, nothing happens. */
      readonly sessionId?: string;
      /** The role that the person read to have now; null: none. If they have another one, nothing happens. */
      readonly seen?: Role | null;
      readonly link: string;
      readonly now: Millis;
    }): Promise<JoinOutcome>;
  };
  readonly membershipOutbox: {
    /** Tells companies about at most `limit` people who were disabled, removed or enabled again. Returns their number. */
    deliver(args: { readonly now: Millis; readonly limit: number }): Promise<number>;
    /** People who were disabled or removed, and of whom a company may not know yet. Null: more than `limit`. */
    undelivered(args: { readonly limit: number }): Promise<readonly string[] | null>;
  };
}
