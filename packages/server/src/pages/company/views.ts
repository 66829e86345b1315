/** The data for the pages of a company. */
import type { PasswordFault } from "../security/views.ts";
import type { DurationChoice, HistoryEntryView, SignedInAs } from "../views.ts";

/** Actions that succeeded or failed. An address can name one of them. */
export const COMPANY_NOTICES = [
  ...(["decided", "blocked", "revoked", "refused", "defaults", "role", "removed", "withdrawn"] as const),
  ...(["stopped", "resumed", "joined", "lastAdmin", "unknownApp", "nothing", "gone"] as const),
] as const;

export type CompanyNotice = (typeof COMPANY_NOTICES)[number];

/** Data that all pages of a company share. */
export interface CompanyFrame {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly company: { readonly name: string; readonly slug: string };
  /** True if the reader is an admin. */
  readonly admin: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly notice: CompanyNotice | null;
  /** With `revoked` and `blocked`: when the app's last token expires. Absent if the app has no valid token. */
  readonly held?: { readonly app: string; readonly until: number };
}

export interface CompanyScope {
  readonly name: string;
  readonly description: string;
}

/** A redirect host: `value` for the form, `text` for the reader. */
export interface CompanyHost {
  readonly value: string;
  readonly text: string;
}

export interface CompanyAppView {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  /** All hosts that the app has now. */
  readonly hosts: readonly CompanyHost[];
  /** Durations that an admin can choose for an approval. */
  readonly durations: readonly DurationChoice[];
  /** Hosts that the approval for all members does not cover, in plain text. */
  readonly newHosts: readonly string[];
  /** The scopes that the company's consent covers. */
  readonly scopes: readonly CompanyScope[];
  /** Null if the company has not consented. */
  readonly grantedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** Number of members for whom the app acts. */
  readonly people: number;
  readonly rule: "allow" | "ask" | "block" | null;
  /** True if members can stop the app from acting for them. */
  readonly optOut: boolean;
  /** The scopes that an admin can tick: all scopes that the app may request. */
  readonly choices: readonly (CompanyScope & { readonly checked: boolean })[];
  /** The reader's own state: the app acts for them, or they stopped it. Null if neither is true. */
  readonly mine: "acts" | "stopped" | null;
}

export interface CompanyRequestView {
  readonly clientId: string;
  readonly app: string;
  readonly logo: string | null;
  readonly host: string | null;
  readonly hosts: readonly CompanyHost[];
  readonly durations: readonly DurationChoice[];
  readonly personId: string;
  readonly username: string;
  readonly scopes: readonly CompanyScope[];
  /** The scopes that an approval must cover: the requested ones and those that are already approved. */
  readonly ceiling: readonly string[];
  readonly reason: string;
  readonly askedAt: number;
}

export interface CompanyAppsView extends CompanyFrame {
  readonly apps: readonly CompanyAppView[];
  /** Empty unless the reader is an admin. */
  readonly requests: readonly CompanyRequestView[];
  readonly defaultRule: "members" | "ask" | "block";
}

export interface CompanyMembersView extends CompanyFrame {
  readonly members: readonly {
    readonly personId: string;
    readonly username: string;
    readonly role: "member" | "admin";
    readonly since: number;
    readonly disabled: boolean;
    readonly self: boolean;
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
  } | null;
  /** The name that the admin typed. `problem` says what is wrong with it. */
  readonly addressee: string;
  readonly problem: null | "addressee" | "tooMany";
}

/** The question before access ends for other people. */
export interface CompanyConfirmView extends CompanyFrame {
  /** `unapprove`: an admin withdraws an approval for all members. */
  readonly what: "revoke" | "block" | "unapprove" | "remove" | "leave";
  /** The app's name, the member's username, or the company's name. */
  readonly subject: string;
  /** Number of people for whom the app acts now. */
  readonly people: number;
  /** Names of the apps that act for the member. */
  readonly apps: readonly string[];
  /** Minutes for which the tokens still work if access ends now. */
  readonly stopsIn: number;
  /** When the members' access expires. Null: never. */
  readonly endsAt: number | null;
  /** Target of the form, below the company's path. `fields` are its hidden fields. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Asks for the admin's password before the server accepts a form that decides for all members. */
export interface CompanyProofView extends CompanyFrame {
  /** Target of the form, below the company's path. */
  readonly action: "/rule" | "/default" | "/members/remove";
  /** The fields of the form as the server received them. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fault: Extract<PasswordFault, { readonly kind: "current" | "throttled" }> | null;
}

export interface CompanyHistoryView extends CompanyFrame {
  readonly entries: readonly (HistoryEntryView & { readonly by: string })[];
  /** The last entry of this page; the next page starts behind it. Null on the last page. */
  readonly older: string | null;
  readonly first: boolean;
}

export interface CompaniesView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly companies: readonly { readonly name: string; readonly slug: string; readonly role: "member" | "admin" }[];
}

/** The page for a person who followed the link of an invitation. */
export interface InvitationView {
  readonly csrf: string;
  readonly token: string;
  readonly person: SignedInAs;
  readonly company: string;
  readonly role: "member" | "admin";
  /** True if the invitation is for somebody else. */
  readonly wrongPerson: boolean;
}
