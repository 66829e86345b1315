/** The data that each page gets. A page is a function from one of these views to a document. It reads nothing else. */

import type { NotSignedInElsewhere, NoWayIn, ProviderButton } from "./elsewhere-view.ts";
import type { HistoryEntryView } from "./history-entry-view.ts";
import type { EndedAccess, HeldPermission, ScopeEnds } from "./parts/access-ends.ts";
import type { InvitedTo, Waiting } from "./waiting-view.ts";

export type { ElsewhereProblem, NotSignedInElsewhere, NoWayIn, ProviderButton } from "./elsewhere-view.ts";
export type * from "./history-entry-view.ts";

/** The data with which a page asks the browser for a passkey. */
export interface PasskeyOffer {
  /** base64url. */
  readonly challenge: string;
  /** Form field: the same challenge, sealed. The server compares the browser's answer with it. */
  readonly sealed: string;
  /** The domain that the passkeys belong to (WebAuthn's RP ID). */
  readonly rpId: string;
}

/** Hidden fields. The browser sends them back unchanged with a form. */
export interface FormSecrets {
  /** Field `csrf`. */
  readonly csrf: string;
  /** Field `request`: the sealed authorization request. Null if no request is pending. */
  readonly request: string | null;
  /** Field `device`: the sealed code of a device that waits. Absent if no device waits. */
  readonly device?: string;
  /** Field `invitation`: the token of an invitation that the person answers after sign-in. Absent if there is no invitation. */
  readonly invitation?: string;
  /** Field `to`: the account page to open after sign-in. Absent for the first account page. */
  readonly to?: string;
  /** Field `switch`: the form is for another account than the one that is signed in. */
  readonly switch?: "yes";
}

/** The client as an owner sees it. */
export interface ClientCard {
  readonly name: string;
  /** Path of the logo on this server. If it is null, the page shows the initial in a tile. */
  readonly logo: string | null;
  /**
   * The real host that gets the answer: `app.example.com`, `127.0.0.1` (this device), `com.example.app:`. Null for a device.
   */
  readonly host: string | null;
  /** The host of the document that describes a client that nobody registered. Absent or null for all others. */
  readonly document?: string | null;
  /** True if the client registered itself, and no operator has reviewed it. */
  readonly registeredItself?: boolean;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** True if the operator has checked the client. */
  readonly verified: boolean;
  /** True if it is the command line of this server's operators, which is a part of the product. */
  readonly isCommand?: boolean;
  readonly publisher: string | null;
  /** Time of registration, in epoch milliseconds. Null if nobody registered it. */
  readonly since: number | null;
  /** How many people use the client. 0 means fewer than ten, n means more than n. Null if the page doesn't say it. */
  readonly people: number | null;
}

export interface SignedInAs {
  readonly name: string;
  readonly username: string;
  /** Path of their picture on this server. Absent or null if they have none. */
  readonly picture?: string | null;
  /** When the server deletes the account. Absent or null if no deletion is planned. */
  readonly deleteAt?: number | null;
}

export interface SignInView {
  readonly form: FormSecrets;
  /** The client that asks. Null if no request is pending. */
  readonly client: ClientCard | null;
  /** The username that the person typed, or the request's login_hint. */
  readonly username: string;
  readonly problem:
    | null
    | { readonly kind: "wrong" }
    | { readonly kind: "missing" }
    /** The operator's application, which checks the password, doesn't answer. */
    | { readonly kind: "unchecked" }
    /** The passkey is unknown, or its signature is wrong. The page never says which. */
    | { readonly kind: "passkey" }
    /** Minutes until the person may try again. */
    | { readonly kind: "throttled"; readonly minutes: number }
    /** The form was open for too long, or cookies are off. */
    | { readonly kind: "stale" }
    /** The sign-in at a provider did not lead to one here. */
    | NotSignedInElsewhere;
  /** The other providers at which people can sign in. Absent: none. */
  readonly providers?: readonly ProviderButton[];
  /** True: a work address without a password leads to the provider of its organization. Absent: false. */
  readonly workAddress?: boolean;
  /** False: the person who signs in again has no password, so the page has no fields. Absent: true. */
  readonly asksPassword?: boolean;
  /** True: the person of `again` has no password. Absent: false. */
  readonly noPassword?: boolean;
  /** Why the person of `again` can't sign in again. Absent: they can. */
  readonly noWay?: NoWayIn;
  /** The signed-in person, if the request makes them sign in again (prompt=login, max_age). */
  readonly again: SignedInAs | null;
  /** True: the app expects another person than `again`. Absent: false. */
  readonly unexpected?: true;
  /** Who stays signed in until another account is, and the path back to what waits. Null: nobody. */
  readonly stays: { readonly person: SignedInAs; readonly back: string } | null;
  /** Fields for the forms of the current session, if somebody is signed in and the request asks to choose an account. */
  readonly choose?: FormSecrets;
  /** Fields of the form for another account than the one that is signed in. Absent: `choose`, or none. */
  readonly other?: FormSecrets;
  /** The data with which the page asks for a passkey. Null if passkeys don't work at this address. */
  readonly passkey: PasskeyOffer | null;
  /**
   * Links for people who forgot their password (`recover`) or have no account (`signUp`; a text: the address where the operator's application makes
   * accounts). Absent if there are none.
   */
  readonly ways?: { readonly recover: boolean; readonly signUp: boolean | string };
  /** What waits for this sign-in: a device, an invitation; the company at whose own address the person signs in. Absent: none. */
  readonly device?: boolean;
  readonly invited?: InvitedTo;
  readonly company?: string;
  /** What waits in another browser. Absent or null if there is nothing. */
  readonly waiting?: Waiting | null;
}

/** A device that waits for its owner. The owner compares these facts before they answer. */
export interface DeviceFacts {
  /** The code as the device shows it: `XXXX-XXXX`. */
  readonly userCode: string;
  /** The network address that the device asked from. Null if unknown. */
  readonly address: string | null;
  /** True if the reader is on the same network. */
  readonly sameNetwork: boolean;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  readonly now: number;
}

/** `/device`: the field for the code that a device shows. */
export interface DeviceCodeView {
  readonly form: FormSecrets;
  /** The code that the person typed or that the link contained. */
  readonly userCode: string;
  /** True if the link contained the code. The reader then compares the code and continues. */
  readonly linked: boolean;
  readonly problem:
    | null
    /** The code is unknown, expired, already answered, or belongs to somebody else. The page never says which. */
    | { readonly kind: "unknown" }
    | { readonly kind: "missing" }
    | { readonly kind: "throttled"; readonly minutes: number }
    | { readonly kind: "stale" };
}

/** A first question if the device asked from another network than the owner's. The consent question follows. */
export interface DeviceElsewhereView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly device: DeviceFacts;
}

/** The page after the owner has answered a device. */
export interface DeviceDoneView {
  readonly client: ClientCard;
  /** `allowed_before`: with nothing new. `denied_keeps`: earlier access stays. `nothing`: the person may allow none of it. */
  readonly outcome: "allowed" | "allowed_before" | "denied" | "denied_keeps" | "nothing";
  /** With `denied_keeps`, a company for which the app may have access. Absent: it keeps some for the person. */
  readonly company?: string;
}

export interface ScopeChoice extends ScopeEnds {
  readonly name: string;
  readonly description: string;
  /** The API's name. Null for this server itself. */
  readonly api: string | null;
  readonly required: boolean;
  readonly sensitive: boolean;
  readonly checked: boolean;
  /** True: it only lets the app know who signs in (the scope `openid`). */
  readonly signIn?: boolean;
  /** What the app can do with the data. Null if the API doesn't declare it. */
  readonly access: "read" | "write" | "delete" | null;
  /** The scope's own duration, if the owner chose one. Null if the scope uses the common duration or doesn't change. */
  readonly duration: string | null;
  /** True if the owner declined the scope before. */
  readonly declined?: boolean;
  /** True if the owner granted the scope before. The page shows such scopes apart, so that new ones stand out. */
  readonly granted: boolean;
}

export interface DurationChoice {
  /** Seconds, `forever` or `once`. */
  readonly value: string;
  readonly selected: boolean;
}

/** A person or company for whom the reader may answer. */
export interface OwnerOption {
  /** The owner's id. */
  readonly value: string;
  readonly name: string;
  /** `ask`: an admin has to approve first. `blocked`: the company blocks the app. `adminsOnly`: for members alone. */
  readonly kind: "self" | "company" | "ask" | "blocked" | "adminsOnly" | "paused";
  readonly selected: boolean;
  /** True: the person chose this owner for the app last time. */
  readonly last: boolean;
  /** When the company's approval ends, if that is before the longest time on the page. Absent: nothing ends sooner than chosen. */
  readonly endsBy?: number;
  /** When permissions end that the person gives for the company already, if the page shows other ends. Absent: none. */
  readonly standsUntil?: number;
  /** Descriptions of permissions that the company's approval of the app leaves out. Absent: there are none. */
  readonly beyond?: readonly string[];
  /** True: the person is an admin of the company; or stopped the app for it. Absent: false. */
  readonly admin?: true;
  readonly stopped?: true;
  /** With `adminsOnly`: the app keeps access that the person gave it for the company. Absent: false. */
  readonly keeps?: true;
  /** Permissions beyond the request that the company's approval lets the app get without asking. Absent: there are none. */
  readonly later?: readonly { readonly text: string; readonly sensitive: boolean }[];
  /** Other services in which the app may act for members of the company. Absent: there are none. */
  readonly services?: readonly { readonly name: string; readonly can: readonly string[] }[];
}

export interface ConsentView {
  readonly form: FormSecrets;
  readonly client: ClientCard;
  readonly person: SignedInAs;
  /** Absent or empty if the person can only answer for themselves. */
  readonly owners?: readonly OwnerOption[];
  readonly scopes: readonly ScopeChoice[];
  readonly durations: readonly DurationChoice[];
  /** How long access with the duration `once` lasts at most after the client connects. */
  readonly onceSeconds: number;
  /** With the duration `today`: the end of the day of UTC in epoch milliseconds. A script replaces it by that of the reader. */
  readonly todayUntil?: number;
  readonly now: number;
  /** The device that asks. Absent if an app in a browser asks. */
  readonly device?: DeviceFacts;
  /** The name with which the owner allowed the client before it changed its name or logo. Absent if it did not. */
  readonly formerName?: string;
  /** Present if this owner has not allowed the app's address yet. `before`: those that they allowed; empty if only a device was allowed. */
  readonly newHost?: { readonly host: string; readonly before: readonly string[] };
  /** True: the owner allowed this address, and that has ended. What they allowed for other addresses has not. */
  readonly endedHere?: true;
  /** The app's other addresses with the permissions that the page shows as given. A change of those is for all addresses. */
  readonly otherHosts?: readonly string[];
  /** True: the app has access of the shown owner already, for whatever permissions and addresses. */
  readonly keepsAccess?: boolean;
  /** True: the app gets some of that by the operator's policy, so that a refusal does not stop it. */
  readonly keepsByPolicy?: boolean;
  /** What the app has of the shown owner, or gets back from a pause, although the request doesn't ask for it. Absent: nothing. */
  readonly notAsked?: readonly HeldPermission[];
  /** What the app gets back for everybody in a company for which it is paused, asked for or not. Absent: it isn't, or nothing. */
  readonly backForAll?: readonly HeldPermission[];
  /** Since when the shown owner has paused the app. An answer that allows it also resumes it. Absent: it is not paused. */
  readonly pausedAt?: number;
  /** When the person's account will be deleted, as they asked. Absent: it won't. */
  readonly leavesAt?: number;
  /** True: the sign-in at a provider made the person's account. */
  readonly isNewcomer?: boolean;
  /** With `pausedAt`: the mark of this pause, for the form. */
  readonly resume?: string;
  /**
   * The app keeps access while the owner is away. `scope`: with a permission of the list that can be left out. `always`:
   * whatever the owner selects. Absent: it doesn't.
   */
  readonly away?: "scope" | "always";
  /** True if all scopes are granted already, and the page is shown because the client or `prompt=consent` requires it. */
  readonly allGranted: boolean;
  /** Why the server refused the last answer. The page says what the owner can do next. */
  readonly problem:
    | null
    /** `meanwhile`: what the owner allows changed behind the page. */
    | { readonly kind: "stale" | "bad_duration" | "meanwhile" | "nothing" }
    /** The form names an owner that the page does not offer. `owner`: that owner's id. */
    | { readonly kind: "bad_owner"; readonly owner?: string }
    /** The answer was for another owner than the page showed, who has allowed less so far. */
    | { readonly kind: "other_owner" }
    /** The owner has paused the app, which the page did not show; or what the person may allow changed at that moment. */
    | { readonly kind: "paused" | "changed" }
    /** The member wanted to ask an admin, and doesn't have to any more. */
    | { readonly kind: "needless" };
}

export interface AppEntry {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  /** The hosts that the owner allowed, in plain text. Empty if there are none, as on a device. */
  readonly hosts: readonly string[];
  /** The ends of hosts whose access ends sooner than that of others. Epoch milliseconds. */
  readonly hostEnds?: Readonly<Record<string, number>>;
  readonly scopes: readonly {
    readonly name: string;
    readonly description: string;
    /** Epoch milliseconds. Null: until revoked. */
    readonly expiresAt: number | null;
    /** True if the owner can revoke this permission without the others. */
    readonly removable: boolean;
    /** True: it was for this once, so that the owner can't change its end. Absent: false. */
    readonly endStays?: boolean;
    /** When the app last got access with this permission. Null: never. Absent: unknown. */
    readonly usedAt?: number | null | undefined;
    /** True: the operator no longer offers it. Absent: false. */
    readonly gone?: boolean;
  }[];
  /** Since when the owner has paused it. Null: it is not paused. */
  readonly pausedAt: number | null;
  readonly grantedAt: number;
  /** True if the operator's rules allowed the app, and nobody was asked. */
  readonly byRules: boolean;
  /** Its name when it was allowed. Null: the same. */
  readonly formerName: string | null;
  readonly lastUsedAt: number | null;
  /** The approximate address of the last use, e.g. `203.0.113.x`. Null if unknown. */
  readonly usedFrom: string | null;
  /** True: the app was used again after it connected from there. */
  readonly usedSince: boolean;
  /** Other apps that get access through it, the latest use first. */
  readonly through: readonly { readonly name: string; readonly lastUsedAt: number }[];
  /** Minutes for which the app's tokens still work if the owner revokes access now. 0 if the app has no valid token. */
  readonly stopsIn: number;
  /** True if the app has never used some of its permissions although it had enough time. */
  readonly idleScopes: boolean;
  readonly expiresAt: number | null;
  /** When the last token expires that outlives `expiresAt`, which was sooner since. Null: none does. */
  readonly openUntil: number | null;
  /** When the last token expires that has a permission that the owner removed since. Null: none has. */
  readonly removedUntil: number | null;
  /** Durations that the owner can choose: seconds or `forever`. */
  readonly durations: readonly string[];
  /** The permissions that the owner declined, for the app or for these hosts alone. The app does not ask for them again. */
  readonly declined: readonly { readonly description: string; readonly hosts: readonly string[] }[];
  /** When a grant of the app ended because somebody presented a used token or code again. Null if that never happened. */
  readonly theftAt: number | null;
  /** For whom the app acts the next time that it connects. Null: the person belongs to no company, or the app gets nothing next time. */
  readonly next: NextOwner | null;
  /** True: it gets access without a page only, so it can't ask the owner for anything. Absent: false. */
  readonly neverAsks?: boolean;
  /** True if the operator switched the app off. The permissions stay, but they don't work until the operator switches it on again. */
  readonly off: boolean;
}

/** For whom an app acts next time: it asks, or connects without a question for the person or for a company, or for one of several where only that one allows what it wants. */
export type NextOwner =
  | { readonly kind: "asks" }
  | { readonly kind: "self" }
  | { readonly kind: "company"; readonly company: string }
  | { readonly kind: "several"; readonly self: boolean; readonly companies: readonly string[] };

/** An app that the person allowed for companies only. What it may do is on their pages. */
export interface CompanyAppEntry {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly companies: readonly { readonly name: string; readonly slug: string }[];
  /** Null: the app can't ask any more. */
  readonly next: NextOwner | null;
}

export interface AppsView extends EndedAccess {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** The apps that match the search. */
  readonly apps: readonly AppEntry[];
  readonly forCompanies: readonly CompanyAppEntry[];
  /** True: some app holds a token that still works, or may hold one. */
  readonly holds: boolean;
  /** The number of all apps, and of those that are paused or turned off. */
  readonly total: number;
  readonly halted: number;
  /** The search text. If it is empty, the page shows all apps. */
  readonly query: string;
  /** The current time in epoch milliseconds. The page computes relative times from it. */
  readonly now: number;
  /** The action that the owner has just taken. */
  readonly notice: null | DoneNotice;
}

export type DoneNotice =
  | ({
      readonly app: string;
      /** When the app's last token of the time before expires. Null: it has none, or not after a new end. */
      readonly openUntil: number | null;
      /** The entry in the history. Null if there is none. */
      readonly entryId: string | null;
    } & (
      | { readonly kind: "narrowed" }
      /** `neverAsks`: as in `AppEntry`. */
      | { readonly kind: "revoked"; readonly neverAsks?: boolean }
      /** `endsAt`: null: until revoked. `paused`: the app has no access until it is resumed. */
      | { readonly kind: "end_changed"; readonly endsAt: number | null; readonly paused: boolean }
    ))
  /** The app can ask for what the owner declined. */
  | { readonly kind: "asks_again"; readonly app: string }
  /** The app asks next time for whom. Null: the page does not list it any more. */
  | { readonly kind: "asks_for_whom"; readonly app: string | null }
  | { readonly kind: "gone" };

export interface HistoryView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly entries: readonly HistoryEntryView[];
  readonly now: number;
  /** The last entry of this page; the link to older entries starts behind it. Null if there are no older entries. */
  readonly older: string | null;
  /** True if this page contains the newest entries. */
  readonly first: boolean;
  /** True if the person belongs to a company, which has a history of its own. */
  readonly inCompany: boolean;
}

export interface SignOutView {
  readonly csrf: string;
  readonly person: SignedInAs;
}

/** An app wants to sign the person out. */
export interface LogoutView {
  /** The fields of the form. */
  readonly fields: Readonly<Record<string, string | null>>;
  /** False: no app is known to ask, as where somebody opens the address by hand. */
  readonly byApp: boolean;
  /** The host to which the person goes after sign-out. Null: the person stays here. */
  readonly host: string | null;
}

/** The page before the server sends an error to a client that nobody has verified. */
export interface HeldErrorView {
  /** Fields `csrf` and `held`. `held` is the sealed error. */
  readonly csrf: string;
  readonly held: string;
  readonly client: ClientCard;
  /** True if the error is `access_denied`. Otherwise the app's request was wrong. */
  readonly denied: boolean;
  /** For the developer of the client, in English: the condition's name and its meaning. */
  readonly condition: string;
  readonly description: string;
  /** For the operator, to search the log. */
  readonly requestId: string;
}

/** An authorization response that the browser sends to the client by POST. */
export interface FormPostView {
  /** The redirect_uri. */
  readonly action: string;
  /** `code` or `error`, `state`, `iss`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page that says what went wrong and what the reader can do. */
export interface ProblemView {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** The condition's name for the developer of the client, e.g. `redirect_uri_mismatch`. Null if there is no condition to look up. */
  readonly condition: string | null;
  /** An explanation for the developer of the client, in English. Absent or null if there is none. */
  readonly description?: string | null;
  /** For the operator, to search the log. */
  readonly requestId: string;
  readonly door: { readonly href: string; readonly label: string } | null;
}

/** The page for choosing a language. */
export interface LanguageView {
  /** Path and query of the page to return to, below the issuer's path. */
  readonly back: string;
}

/** `/errors/{condition}`: for developers and operators. */
export interface ConditionView {
  readonly name: string;
  readonly error: string;
  readonly status: number;
  readonly section: string;
  readonly description: string;
  /** What went wrong and how to fix it, in paragraphs. */
  readonly help: readonly string[];
  readonly others: readonly string[];
}
