/** The data for the pages of a company. */
import type { PersonNames } from "../parts/person-names.ts";
import type { PasswordFault } from "../security/views.ts";
import type { ClientCard, DurationChoice, FormSecrets, HistoryEntryView, SignedInAs } from "../views.ts";

/** Actions that succeeded or failed. An address can name one of them. */
export const COMPANY_NOTICES = [
  ...([
    "decided",
    "blocked",
    "revoked",
    "refused",
    "defaults",
    "role",
    "roleMember",
    "roleSelf",
    "removed",
    "removedReturns",
    "withdrawn",
  ] as const),
  ...([
    "stopped",
    "resumed",
    "asksNext",
    "joined",
    "promoted",
    "founded",
    "lastAdmin",
    "changed",
    "nothing",
    "gone",
  ] as const),
  ...(["requestChanged", "appPaused", "appResumed"] as const),
] as const;

export type CompanyNotice = (typeof COMPANY_NOTICES)[number];

/** Data that all pages of a company share. */
export interface CompanyFrame {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly company: { readonly name: string; readonly slug: string };
  /** True if the reader is an admin. */
  readonly admin: boolean;
  /** True: the company has its own sign-in provider, or may have one. Absent: false. */
  readonly ownSignIn?: boolean;
  /** True: the company has connections of apps with other services, or may have some. Absent: false. */
  readonly connections?: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly notice: CompanyNotice | null;
  /** With `revoked`, `blocked`, `stopped` and `appPaused`: when the app's last token expires. Absent if the app has no valid token. */
  readonly held?: { readonly app: string; readonly until: number };
}

export interface CompanyScope {
  readonly name: string;
  readonly description: string;
  /** When it ends in the reader's own grants. Null: until revoked. Absent: they have none. */
  readonly expiresAt?: number | null;
  /** True: the operator no longer offers it. Absent: false. */
  readonly gone?: boolean;
}

/** A permission with its latest end. Null: none. */
export interface EndingScope extends CompanyScope {
  readonly expiresAt: number | null;
}

/** A redirect host: `value` for the form, `text` for the reader. */
export interface CompanyHost {
  readonly value: string;
  readonly text: string;
}

/** The rule about an app. `selected`: allowed for selected members. Null: none, so the company's default applies. */
export type RuleState = "allow" | "selected" | "ask" | "block" | null;

type DefaultRuleShown = "members" | "ask" | "block";

/** One app in a list. */
export interface CompanyAppView {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  readonly state: RuleState;
  /** Number of members for whom the app acts. */
  readonly people: number;
  /** Number of open requests for the app. */
  readonly requests: number;
  /** True: hosts were registered after the approval. */
  readonly hasNewHosts: boolean;
  /** The scopes that the app can use for the reader. */
  readonly scopes: readonly CompanyScope[];
  /** When the reader or an admin allowed them. Null if there are none. */
  readonly grantedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** The reader's own state: the app acts for them, or they stopped it. Null if neither is true. */
  readonly mine: "acts" | "stopped" | null;
  /** True: the reader chose the company for the app last time. */
  readonly chosen: boolean;
  /** What the app does next time. With `several`, it may ask, because the reader also allowed it for others. Absent: `connects`. */
  readonly nextTime?: "connects" | "several" | "asks";
  /** When an admin paused it for everyone. Null or absent: it is not paused. */
  readonly pausedAt?: number | null;
  /** True: the operator turned it off or removed it. */
  readonly off?: boolean;
  /** The other services in which it may act for the company's members. Absent: none. */
  readonly connections?: readonly ConnectedService[];
}

/** What an app may do in another service. */
export interface ConnectedService {
  readonly name: string;
  readonly host: string;
  /** In words for owners. */
  readonly can: readonly string[];
  /** Null: until the operator changes it. */
  readonly endsAt: number | null;
  /** True: the company's admins connected it, so that it gives nothing new for members who may not connect the app. */
  readonly byAdmins: boolean;
  /** True: the reader is such a member. Absent: false. */
  readonly uncovered?: boolean;
}

/** An app, and another service in which it may act. Both are names. */
export interface AppAtService {
  readonly app: string;
  readonly server: string;
}

/** A member's request that an admin allows an app. */
export interface CompanyRequestView {
  readonly clientId: string;
  readonly app: string;
  readonly logo: string | null;
  /** The address from which the app asked. For a device: an address of the app. */
  readonly host: string | null;
  /** True: the approval in force does not cover this address. Absent: false. */
  readonly isNewHost?: boolean;
  /** True: by the company's default, members decide about the app now, so nobody has to answer. Absent: false. */
  readonly mayDecide?: true;
  readonly personId: string;
  readonly username: string;
  readonly personName: string | null;
  readonly scopes: readonly CompanyScope[];
  readonly reason: string;
  readonly askedAt: number;
  /** The requested permissions that are approved for the reader already. `scopes` are the others. Absent on admins' pages. */
  readonly approved?: readonly CompanyScope[];
  /** When the admins refused the request. Null or absent: the request is open. */
  readonly refusedAt?: number | null;
}

export interface CompanyAppsView extends CompanyFrame {
  readonly apps: readonly CompanyAppView[];
  /** The text that the admin searches for; empty: none. */
  readonly query: string;
  /** Verified apps that the search found and that the company does not know. */
  readonly found: readonly Pick<CompanyAppView, "clientId" | "name" | "logo" | "host">[];
  /** True: the search found others. */
  readonly more: boolean;
  /** For an admin the open ones of all members, for a member their own open and refused ones. */
  readonly requests: readonly CompanyRequestView[];
  readonly defaultRule: DefaultRuleShown;
}

/** The form with an admin's rule about one app. */
export interface CompanyRuleForm {
  /** Null: none is chosen. */
  readonly rule: "allow" | "ask" | "block" | "default" | null;
  readonly audience: "everybody" | "selected" | null;
  readonly members: readonly {
    readonly personId: string;
    readonly username: string;
    readonly personName: string | null;
    readonly checked: boolean;
  }[];
  /** True: the company has other members, whom the admin names by username. */
  readonly more: boolean;
  readonly others: string;
  readonly scopes: readonly (CompanyScope & {
    readonly checked: boolean;
    readonly asked: boolean;
    readonly sensitive: boolean;
    /** A member who leaves it out can't connect an app that asks for it. */
    readonly required: boolean;
  })[];
  readonly hosts: readonly CompanyHost[];
  /** `same`: the end of the present rule. */
  readonly durations: readonly DurationChoice[];
  /** The end of the present rule. Null: none. */
  readonly endsNow: number | null;
  /** The time of the rule that this page shows. Null: there is none. */
  readonly seen: number | null;
  /** `about`: the name that no member has. */
  readonly problem: null | {
    readonly kind: "rule" | "audience" | "members" | "unknownMember" | "tooMany" | "scopes" | "duration";
    readonly about: string;
  };
}

/** The page about one app of a company. */
export interface CompanyAppPageView extends CompanyFrame {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  readonly verified: boolean;
  readonly publisher: string | null;
  /** True: the operator turned it off. Absent: false. */
  readonly off?: boolean;
  readonly state: RuleState;
  /** When the rule was made, and by whom (null: not known). Null: there is no rule. */
  readonly decided: { readonly at: number; readonly by: string | null } | null;
  /** When the rule ends. Null: when an admin changes it. Absent: no rule of the app's own applies. */
  readonly endsAt?: number | null;
  /** When the approval that `decided` names ended. Null or absent: it has not ended, or the rule is no approval. */
  readonly endedAt?: number | null;
  /** Hosts that the approval does not cover, in plain text. */
  readonly newHosts: readonly string[];
  /** The other services in which it may act for the company's members. */
  readonly services: readonly ConnectedService[];
  /** Null: the app has no access. */
  readonly access: null | {
    /** What it can do now, each with its end. Empty: nobody has access now. */
    readonly scopes: readonly EndingScope[];
    /** What the company's consent allows: members who chose the company before can connect the app again without a page. */
    readonly standing: readonly EndingScope[];
    /** The beginning of this consent. */
    readonly grantedAt: number;
    readonly lastUsedAt: number | null;
    /** When an admin paused it for everyone. Null or absent: it is not paused. */
    readonly pausedAt?: number | null;
    readonly people: number;
    readonly shown: readonly {
      /** Null: the person is no member any more. */
      readonly username: string | null;
      readonly personName: string | null;
      readonly since: number;
      readonly lastUsedAt: number | null;
      /** True: their access is paused, because another system disabled their account. */
      readonly paused: boolean;
    }[];
    /** Other apps that get access through it, the latest use first. */
    readonly through: readonly { readonly name: string; readonly clientId: string; readonly lastUsedAt: number }[];
  };
  /** If it is paused or nobody uses it: minutes for which its tokens still work. Absent or 0: it has no valid token. */
  readonly stopsIn?: number;
  /** Other apps through which it gets access, the latest use first. */
  readonly actsThrough: readonly UsedApp[];
  /** The company's identity providers that give it access to members' accounts without a page. Absent: none. */
  readonly vouched?: {
    readonly hosts: readonly string[];
    /** How long such access lasts at most. */
    readonly minutes: number;
    /** True: the app is blocked or paused, so they can't. */
    readonly stopped: boolean;
    /** True: an admin can pause the app. */
    readonly pausable: boolean;
  };
  readonly requests: readonly CompanyRequestView[];
  /** Null: the app was deleted. */
  readonly form: CompanyRuleForm | null;
  /** As of `CompanyAppView`. */
  readonly mine: "acts" | "stopped" | null;
  readonly chosen: boolean;
  readonly nextTime?: NonNullable<CompanyAppView["nextTime"]>;
  readonly defaultRule: DefaultRuleShown;
}

/** An app whose access another app used. */
export interface UsedApp {
  readonly name: string;
  readonly lastUsedAt: number;
}

/** The question before a rule is saved that takes access from somebody, or lets everybody in. */
export interface CompanyReviewView extends CompanyFrame {
  readonly app: string;
  /** Target of the form, below the company's path. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The rule for apps that have none of their own. */
  readonly defaultRule: DefaultRuleShown;
  /** An admin paused the app for the company. No rule resumes it. */
  readonly paused: boolean;
  /** For an approval: the members whom it names (null: all), its permissions, and its end (null: none). */
  readonly allows: null | {
    readonly members: readonly { readonly username: string; readonly personName: string | null }[] | null;
    readonly scopes: readonly string[];
    readonly endsAt: number | null;
  };
  /** The permissions that all members can give the app; empty: all that it asks for. Null: that does not change. */
  readonly opens: readonly string[] | null;
  /** Everybody's access ends, and what it gets through other apps. */
  readonly blocks: {
    readonly people: number;
    readonly scopes: readonly string[];
    readonly through: readonly UsedApp[];
  } | null;
  /** Members who use the app and whom the rule doesn't allow. `endsAt`: when their access ends by itself; null: never. */
  readonly withdraws: { readonly people: number; readonly endsAt: number | null } | null;
  /** Members' access loses these permissions. */
  readonly loses: { readonly people: number; readonly scopes: readonly string[] } | null;
  /** Access to these permissions ends sooner. `scopes`: with the ends until now. */
  readonly shortens: {
    readonly people: number;
    readonly to: number;
    readonly scopes: readonly EndingScope[];
  } | null;
  /** The permissions that an approval leaves as they are. */
  readonly stays: readonly EndingScope[];
  /** Minutes for which tokens still work if access ends now. */
  readonly stopsIn: number;
  /** Services where it keeps the access that it has there, if its access here ends. */
  readonly lasting: readonly AppAtService[];
  /** Services where it gets new access only for members who may connect it. */
  readonly onlyCovered: readonly AppAtService[];
}

export interface CompanyMembersView extends CompanyFrame {
  readonly members: readonly {
    readonly personId: string;
    readonly username: string;
    /** Null: the person has no name but the username. */
    readonly personName: string | null;
    readonly role: "member" | "admin";
    readonly since: number;
    readonly disabled: boolean;
    readonly self: boolean;
    /** The company's own provider, if groups there decide the role at each sign-in. */
    readonly roleFrom: string | null;
  }[];
  /** True if the reader is the only admin, so that the company would have no admin without them. */
  readonly lastAdmin: boolean;
  /** The last username of this page; the next page starts behind it. Null on the last page. */
  readonly next: string | null;
  readonly first: boolean;
  readonly invitations: readonly {
    readonly invitationId: string;
    readonly addressee: string;
    readonly role: "member" | "admin";
    readonly expiresAt: number;
  }[];
  /** A new invitation, shown only once. `mailed`: the server also sends a message with the link. */
  readonly invited: {
    readonly addressee: string;
    readonly link: string;
    readonly expiresAt: number;
    readonly mailed: boolean;
    /**
     * Null: the invitation is for an address. Otherwise it is for a username: whether an account has it is not said.
     * `mail`: the server sends messages, so an account may get the link by e-mail, too.
     */
    readonly username: "mail" | "noMail" | null;
  } | null;
  /** The name that the admin typed. `problem` says what is wrong with it. */
  readonly addressee: string;
  readonly problem: null | "addressee" | "member" | "tooMany" | "tooOften";
}

/** The question before access ends for other people. */
export interface CompanyConfirmView extends CompanyFrame {
  readonly what: "revoke" | "remove" | "leave";
  /** The app's name, the member's username, or the company's name. */
  readonly subject: string;
  /** Number of people for whom the app acts now. */
  readonly people: number;
  /** The rule that holds for a revoked app. Null: its own rule, or the question is another one. */
  readonly rule: DefaultRuleShown | null;
  /** True: the app has no page, and gets access by the company's identity provider. Absent: false. */
  readonly asksNobody?: boolean;
  /** The company's own provider at which the next sign-in makes the person a member again. Null: none does. */
  readonly returnsBy: string | null;
  /** Names of the apps that act for the member. */
  readonly apps: readonly string[];
  /** Minutes for which the tokens still work if access ends now. */
  readonly stopsIn: number;
  /** Services where these apps keep the access that they have there. */
  readonly lasting: readonly AppAtService[];
  /** Target of the form, below the company's path. `fields` are its hidden fields. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The page of a company to which a form belongs. `action`: the target of the form, below the company's path. */
export function placeOfForm(action: string): "apps" | "members" | "connections" {
  return (["members", "connections"] as const).find((place) => action.startsWith(`/${place}/`)) ?? "apps";
}

/** Asks for the admin's password before the server accepts a form that decides for all members. */
export interface CompanyProofView extends CompanyFrame {
  /** Target of the form, below the company's path. */
  readonly action: string;
  /** The fields of the form as the server received them. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fault: Extract<PasswordFault, { readonly kind: "current" | "noCurrent" | "throttled" }> | null;
}

export interface CompanyHistoryView extends CompanyFrame {
  readonly entries: readonly (HistoryEntryView & { readonly by: string })[];
  /** The last entry of this page; the next page starts behind it. Null on the last page. */
  readonly older: string | null;
  readonly first: boolean;
}

export interface CreateCompanyView {
  /** The person's only company, and the hosts of its identity providers, which lose the person with a second one. Absent: none. */
  readonly losesVouchers?: { readonly company: string; readonly hosts: readonly string[] };
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly name: string;
  readonly slug: string;
  readonly problem: null | "name" | "similar" | "slug" | "taken" | "tooMany";
}

export interface CompaniesView {
  /** True: the reader has just left a company. */
  readonly hasLeft: boolean;
  /** True: the reader may create a company. */
  readonly mayCreate: boolean;
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly companies: readonly {
    readonly name: string;
    readonly slug: string;
    readonly role: "member" | "admin";
    /** True: the operator disabled it. */
    readonly off: boolean;
  }[];
}

/** The page for a person who followed the link of an invitation. */
export interface InvitationView {
  readonly csrf: string;
  readonly token: string;
  readonly person: SignedInAs;
  readonly company: string;
  readonly slug: string;
  readonly role: "member" | "admin";
  /** The reader's role in the company. Null: none, or the invitation is for somebody else. */
  readonly before: "member" | "admin" | null;
  /** The person who invited. Null: the operator invited. */
  readonly by: PersonNames | null;
  /** True if the invitation is for somebody else. */
  readonly wrongPerson: boolean;
}

export interface AskedScope {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** True: the company's approval of the app covers it. */
  readonly approved: boolean;
}

/** The form with which a member asks the company's admins to approve an app. */
export interface AskAdminView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  /** The company's name. `owner` is the company's id for the form. */
  readonly company: string;
  readonly owner: string;
  readonly scopes: readonly AskedScope[];
  /** True: the app has access already that the member gave it for the company. It stays. */
  readonly keeps: boolean;
  /**
   * The member's open request, which this one replaces: what only that one asked for, and its address. Null: the same
   * address. Absent: there is none.
   */
  readonly replaces?: { readonly lost: readonly string[]; readonly host: string | null };
  /** The answer that gives the app only what is approved. Absent: nothing is, or the app requires more. */
  readonly goOn?: { readonly scopes: readonly string[] };
  /** The lengths of time that the member chose, as fields of the form. */
  readonly chosen: Readonly<Record<string, string>>;
  /** The text that the member typed. */
  readonly reason: string;
  /** Maximum length of a reason, in characters. */
  readonly longest: number;
  readonly problem: null | "reason" | "too_many";
}

/** The page after the member has asked. */
export interface AskedAdminView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly company: string;
}
