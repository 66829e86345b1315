/** What each page is given. A page is a function from one of these to a document; it reads nothing else. */

/** What a browser needs to be asked for a passkey. */
export interface PasskeyOffer {
  /** base64url. */
  readonly challenge: string;
  /** The challenge again, for the form: what it is held against when it comes back. */
  readonly sealed: string;
  /** The domain that the passkeys are of. */
  readonly rpId: string;
}

/** Hidden fields that go back with a form exactly as they came. */
export interface FormSecrets {
  /** Field `csrf`. */
  readonly csrf: string;
  /** Field `request`: the sealed authorization request; null: none is under way. */
  readonly request: string | null;
  /** Field `device`: a device's code under way, sealed; absent: none is. */
  readonly device?: string;
  /** Field `invitation`: the token of an invitation to answer after sign-in; absent: none. */
  readonly invitation?: string;
  /** Field `to`: the page of the account that the sign-in leads to; absent: the first of them. */
  readonly to?: string;
}

/** The client as an owner sees it. */
export interface ClientCard {
  readonly name: string;
  /** Path of the logo on this server; null: an initial in a tile. */
  readonly logo: string | null;
  /** The real host that gets the answer, e.g. `app.example.com`, `127.0.0.1` (this device) or `com.example.app:`; null: a device fetches it. */
  readonly host: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** The operator has looked at it. */
  readonly verified: boolean;
  readonly publisher: string | null;
  /** When it was registered; epoch milliseconds. */
  readonly since: number;
  /** How many use it: 0: fewer than ten; n: more than n; null: not said. */
  readonly people: number | null;
}

export interface SignedInAs {
  readonly name: string;
  readonly username: string;
  /** When the account is deleted; absent or null: it stays. */
  readonly deleteAt?: number | null;
}

export interface SignInView {
  readonly form: FormSecrets;
  /** Who asks, where a request is under way. */
  readonly client: ClientCard | null;
  /** What was typed, or the request's login_hint. */
  readonly username: string;
  readonly problem:
    | null
    | { readonly kind: "wrong" }
    | { readonly kind: "missing" }
    /** The passkey is unknown, or what it signed isn't right: never which. */
    | { readonly kind: "passkey" }
    /** Minutes until it may be tried again. */
    | { readonly kind: "throttled"; readonly minutes: number }
    /** The form had been open for too long, or cookies are off. */
    | { readonly kind: "stale" };
  /** Why a person who is signed in is asked again (prompt=login, max_age). */
  readonly again: SignedInAs | null;
  /** The request is one to choose an account (prompt=select_account), and somebody is signed in: what their session's forms send; absent: it isn't. */
  readonly choose?: FormSecrets;
  /** What asks for a passkey; null: they don't work at this address. */
  readonly passkey: PasskeyOffer | null;
  /** What those can do who have no password here, or don't know it any more; absent: neither. */
  readonly ways?: { readonly recover: boolean; readonly signUp: boolean };
  /** True: the sign-in leads to a device that waits. */
  readonly device?: boolean;
}

/** A device that waits for its owner: what they compare before they answer. */
export interface DeviceFacts {
  /** As the device shows it: `XXXX-XXXX`. */
  readonly userCode: string;
  /** Where the device asked from; null: unknown. */
  readonly address: string | null;
  /** The reader is on the same network. */
  readonly sameNetwork: boolean;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly now: number;
}

/** `/device`: the field for the code that a device shows. */
export interface DeviceCodeView {
  readonly form: FormSecrets;
  /** What was typed, or came with the link. */
  readonly userCode: string;
  /** It came with the link: the reader compares it and goes on. */
  readonly linked: boolean;
  readonly problem:
    | null
    /** Unknown, expired, answered, or somebody else's: never which. */
    | { readonly kind: "unknown" }
    | { readonly kind: "missing" }
    | { readonly kind: "throttled"; readonly minutes: number }
    | { readonly kind: "stale" };
}

/** The question before the question, where a device asked from another network than its owner is on. */
export interface DeviceElsewhereView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly device: DeviceFacts;
}

/** After the answer. */
export interface DeviceDoneView {
  readonly client: ClientCard;
  /** `nothing`: the person may not allow any of what it asked for. */
  readonly outcome: "allowed" | "denied" | "nothing";
}

export interface ScopeChoice {
  readonly name: string;
  readonly description: string;
  /** The API's name; null: this server itself. */
  readonly api: string | null;
  readonly required: boolean;
  readonly sensitive: boolean;
  readonly checked: boolean;
  /** What it lets the app do with the data; null: not said. */
  readonly access: "read" | "write" | "delete" | null;
  /** Its own time, where the owner had chosen one. Null: the common one, or no change. */
  readonly duration: string | null;
  /** Its present end, if it was granted before for any address (null: when it is revoked). Absent: it is new. */
  readonly endsAt?: number | null;
  /** The owner declined it before. */
  readonly declined?: boolean;
  /** The owner had granted it before: shown apart, what is new stands out. */
  readonly granted: boolean;
}

export interface DurationChoice {
  /** Seconds, `forever` or `once`. */
  readonly value: string;
  readonly selected: boolean;
}

/** One for whom the person may answer. */
export interface OwnerOption {
  /** The owner's id. */
  readonly value: string;
  readonly name: string;
  /** `ask`: an admin has to approve first. `blocked`: the company doesn't let the app in. */
  readonly kind: "self" | "company" | "ask" | "blocked";
  readonly selected: boolean;
}

export interface ConsentView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly person: SignedInAs;
  /** Absent or empty: there is nobody to choose but the person. */
  readonly owners?: readonly OwnerOption[];
  readonly scopes: readonly ScopeChoice[];
  readonly durations: readonly DurationChoice[];
  readonly now: number;
  /** The device that asks; absent: an app in a browser does. */
  readonly device?: DeviceFacts;
  /** The app's address is new to an owner who had allowed it for others (`before`), or on a device alone (none); absent: it isn't. */
  readonly newHost?: { readonly host: string; readonly before: readonly string[] };
  /** True: shown because the client or `prompt=consent` wants it although all of it is granted already. */
  readonly allGranted: boolean;
  /** What the owner may try next after a wrong answer (an offered duration was changed in the form). */
  readonly problem:
    | null
    | { readonly kind: "stale" }
    | { readonly kind: "bad_duration" }
    /** Another owner than the page offered. */
    | { readonly kind: "bad_owner" }
    | { readonly kind: "nothing" };
}

/** The form by which a member asks their company's admins to let an app in. */
export interface AskAdminView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  /** The company's name, and its id for the form. */
  readonly company: string;
  readonly owner: string;
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
  /** What was typed. */
  readonly reason: string;
  /** Characters that a reason may have. */
  readonly longest: number;
  readonly problem: null | "reason" | "too_many";
}

/** After asking. */
export interface AskedAdminView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly company: string;
}

export interface AppEntry {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  /** The hosts that it was allowed for, in plain text; empty: none, as on a device. */
  readonly hosts: readonly string[];
  readonly scopes: readonly {
    readonly name: string;
    readonly description: string;
    /** Epoch milliseconds; null: until revoked. */
    readonly expiresAt: number | null;
    /** May be taken away alone. */
    readonly removable: boolean;
    /** When the app last got access for it; null: never; absent: not known. */
    readonly usedAt?: number | null | undefined;
  }[];
  readonly grantedAt: number;
  /** Nobody was asked: the operator's rules let it in. */
  readonly byRules: boolean;
  readonly lastUsedAt: number | null;
  /** About where it was last used from, as in `203.0.113.x`; null: not known. */
  readonly usedFrom: string | null;
  /** For how many minutes more what it holds would work if it were revoked now; 0: it holds nothing. */
  readonly stopsIn: number;
  /** Some of what it may do it has never used, and it has had the time to. */
  readonly idleScopes: boolean;
  readonly expiresAt: number | null;
  /** Lengths of time that may be chosen anew: seconds or `forever`. */
  readonly durations: readonly string[];
  /** Descriptions of the permissions that the owner declined: the app does not ask for them again. */
  readonly declined: readonly string[];
  /** A grant of it ended because a spent token or code came back: when. */
  readonly theftAt: number | null;
  /** The operator switched it off: what was allowed stands, but leads nowhere until it is back. */
  readonly off: boolean;
}

export interface AppsView {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** Those that fit the search. */
  readonly apps: readonly AppEntry[];
  /** How many there are in all. */
  readonly total: number;
  /** What is searched for; empty: everything is shown. */
  readonly query: string;
  /** Now, epoch milliseconds: relative times are made from it. */
  readonly now: number;
  /** What was just done. */
  readonly notice: null | DoneNotice;
}

export type DoneNotice =
  | {
      readonly kind: "revoked" | "narrowed";
      readonly app: string;
      /** When the last of what the app held ends; null: it held nothing, or that is over. */
      readonly openUntil: number | null;
      /** The entry of the history; null: none. */
      readonly entryId: string | null;
    }
  | {
      readonly kind: "end_changed";
      readonly app: string;
      /** Null: until revoked. */
      readonly endsAt: number | null;
      readonly entryId: string | null;
    }
  | { readonly kind: "gone" };

/** What somebody decided about an app, or what the app did. */
export type Happening =
  | "allowed"
  | "allowedByDevice"
  | "allowedByPassword"
  | "allowedByPolicy"
  | "reconnected"
  | "narrowed"
  | "endChanged"
  | "revoked"
  | "revokedByOther"
  | "givenUp"
  | "alarm";

/** What else ended an app's access, while the owner's yes stood. */
export type EndedBy =
  | ("password" | "account" | "leaving" | "app" | "company" | "member" | "stopped" | "crowded")
  | "approval";

/** What became of people in a company. */
export type MemberHappening =
  | ("removed" | "left" | "joined" | "joinedAsAdmin" | "added" | "addedAsAdmin")
  | ("madeAdmin" | "madeMember" | "invited" | "invitedAsAdmin" | "withdrawn");

export interface HistoryEntryView {
  readonly entryId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly what:
    | Happening
    | { readonly endedBy: EndedBy }
    | { readonly member: MemberHappening }
    | { readonly rule: "blocked" | "unblocked" | "ask" | "none" };
  /** Of a company: the member whom it is about. */
  readonly person?: string;
  readonly app: string;
  /** In the owner's words. */
  readonly can: readonly string[];
  readonly takenAway: readonly string[];
  /** Hosts that were new to a standing consent; absent: none. */
  readonly newHosts?: readonly string[];
  /** Null: until revoked; `once`: what the app got then was all; undefined: of no concern. */
  readonly expiresAt: number | null | "once" | undefined;
}

export interface HistoryView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly entries: readonly HistoryEntryView[];
  readonly now: number;
  /** The entry behind which older ones stand; null: there are none. */
  readonly older: string | null;
  /** The newest are among them. */
  readonly first: boolean;
}

export interface SignOutView {
  readonly csrf: string;
  readonly person: SignedInAs;
}

/** After signing out. */
export interface SignedOutView {
  /** Path, below the issuer's, where one signs in again. */
  readonly signIn: string;
}

/** The page before an error travels to a client that nobody has looked at. */
export interface HeldErrorView {
  /** Fields `csrf` and `held`: the error, sealed. */
  readonly csrf: string;
  readonly held: string;
  readonly client: ClientCard;
  /** The server refused for the person; else the app's request was wrong. */
  readonly denied: boolean;
  /** For the developer of the client: the condition's name, and what it means, in English. */
  readonly condition: string;
  readonly description: string;
  /** For the operator's log search. */
  readonly requestId: string;
}

/** An authorization response on its way to the client by POST. */
export interface FormPostView {
  /** The redirect_uri. */
  readonly action: string;
  /** `code` or `error`, `state`, `iss`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page that tells what went wrong and how to go on. */
export interface ProblemView {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** For the developer of the client: the condition's name, e.g. `redirect_uri_mismatch`; null: nothing to look up. */
  readonly condition: string | null;
  /** What the developer of the client is told, in English; absent or null: nothing. */
  readonly description?: string | null;
  /** For the operator's log search. */
  readonly requestId: string;
  readonly door: { readonly href: string; readonly label: string } | null;
}

/** The choice of a language. */
export interface LanguageView {
  /** Path and query, below the issuer's, to go back to. */
  readonly back: string;
}

/** `/errors/{condition}`: for developers and operators. */
export interface ConditionView {
  readonly name: string;
  readonly error: string;
  readonly status: number;
  readonly section: string;
  readonly description: string;
  /** What went wrong and how to mend it, in paragraphs. */
  readonly help: readonly string[];
  readonly others: readonly string[];
}
