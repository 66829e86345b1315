/** What each page of a company is given. */
import type { PasswordFault } from "../security/views.ts";
import type { DurationChoice, HistoryEntryView, SignedInAs } from "../views.ts";

/** What was just done, or could not be; an address may ask for one. */
export const COMPANY_NOTICES = [
  ...(["decided", "blocked", "revoked", "refused", "defaults", "role", "removed", "withdrawn"] as const),
  ...(["stopped", "resumed", "joined", "lastAdmin", "unknownApp", "nothing", "gone"] as const),
] as const;

export type CompanyNotice = (typeof COMPANY_NOTICES)[number];

/** What all pages of a company share. */
export interface CompanyFrame {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly company: { readonly name: string; readonly slug: string };
  /** The reader is one. */
  readonly admin: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly notice: CompanyNotice | null;
  /** With `revoked` and `blocked`: until when what the app holds still works; absent: it holds nothing. */
  readonly held?: { readonly app: string; readonly until: number };
}

export interface CompanyScope {
  readonly name: string;
  readonly description: string;
}

/** A redirect host: as the form sends it, and in plain text. */
export interface CompanyHost {
  readonly value: string;
  readonly text: string;
}

export interface CompanyAppView {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  readonly host: string | null;
  /** All that it has now. */
  readonly hosts: readonly CompanyHost[];
  /** How long an approval of it may hold. */
  readonly durations: readonly DurationChoice[];
  /** Those that an approval for all does not hold for, in plain text. */
  readonly newHosts: readonly string[];
  /** What the company's consent covers. */
  readonly scopes: readonly CompanyScope[];
  /** Null: the company has not consented. */
  readonly grantedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** Members for whom it acts. */
  readonly people: number;
  readonly rule: "allow" | "ask" | "block" | null;
  /** Members may keep it from acting for them. */
  readonly optOut: boolean;
  /** What an admin may tick: all that the app may ask for. */
  readonly choices: readonly (CompanyScope & { readonly checked: boolean })[];
  /** Of the reader: it acts for them, or they stopped it. */
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
  /** What an approval has to cover: these, and what is approved already. */
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
  /** The reader is the only admin: the company would be left without one. */
  readonly lastAdmin: boolean;
  /** The username behind which the next page begins; null: this is the last. */
  readonly next: string | null;
  readonly first: boolean;
  readonly invitations: readonly {
    readonly invitationId: string;
    readonly addressee: string;
    readonly role: "member" | "admin";
    readonly expiresAt: number;
  }[];
  /** An invitation that was just made, shown this once. `mailed`: a message with the link is in the outbox, too. */
  readonly invited: {
    readonly addressee: string;
    readonly link: string;
    readonly expiresAt: number;
    readonly mailed: boolean;
  } | null;
  /** What was typed, and what is wrong with it. */
  readonly addressee: string;
  readonly problem: null | "addressee" | "tooMany";
}

/** The question before something ends for others. */
export interface CompanyConfirmView extends CompanyFrame {
  /** `unapprove`: an approval for all is taken back. */
  readonly what: "revoke" | "block" | "unapprove" | "remove" | "leave";
  /** The app's name, the member's username, or the company's name. */
  readonly subject: string;
  /** For whom the app acts now. */
  readonly people: number;
  /** Names of the apps that act for the member. */
  readonly apps: readonly string[];
  /** For how many minutes more what is held would work if it ended now. */
  readonly stopsIn: number;
  /** When what members have ends by itself; null: never. */
  readonly endsAt: number | null;
  /** Where the answer goes, below the company's path, and what goes with it. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The admin's password, before a form is taken that decides for all. */
export interface CompanyProofView extends CompanyFrame {
  /** Where the form goes, below the company's path. */
  readonly action: "/rule" | "/default" | "/members/remove";
  /** The form as it came. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fault: Extract<PasswordFault, { readonly kind: "current" | "throttled" }> | null;
}

export interface CompanyHistoryView extends CompanyFrame {
  readonly entries: readonly (HistoryEntryView & { readonly by: string })[];
  /** The entry behind which the next page begins; null: this is the last. */
  readonly older: string | null;
  readonly first: boolean;
}

export interface CompaniesView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly companies: readonly { readonly name: string; readonly slug: string; readonly role: "member" | "admin" }[];
}

/** Somebody who followed the link of an invitation. */
export interface InvitationView {
  readonly csrf: string;
  readonly token: string;
  readonly person: SignedInAs;
  readonly company: string;
  readonly role: "member" | "admin";
  /** It names somebody else. */
  readonly wrongPerson: boolean;
}
