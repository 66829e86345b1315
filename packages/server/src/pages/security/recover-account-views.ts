/** The data for the pages on which a person recovers an account. */

import type { ProvingCodes, SeenFrom } from "../factor-views.ts";
import type { FormSecrets, PasskeyOffer } from "../views.ts";
import type { Waiting } from "../waiting-view.ts";
import type { PasswordFault } from "./views.ts";

export type TakeBackWhat = "recover" | "undo";

/** A way to sign in, with its name on the page. */
export interface NamedWay {
  readonly kind: "passkey" | "authenticator" | "codes";
  /** The name that the owner gave a passkey. Null for the other kinds. */
  readonly name: string | null;
}

export interface WayEntry extends NamedWay, SeenFrom {
  /** The value of the form field. */
  readonly value: string;
  readonly addedAt: number;
  readonly lastUsedAt: number | null;
  /** True if the server can't tell whether the owner added it. The page then offers to remove it. */
  readonly doubtful: boolean;
  readonly chosen: boolean;
  /** True if its removal restores the factor that it replaced. */
  readonly bringsBack: boolean;
}

export interface AppEntry {
  readonly value: string;
  readonly name: string;
  readonly byDevice: boolean;
  readonly connectedAt: number;
  readonly latestAt: number;
  /** Times after `latestAt` at which its end was chosen, and at which it was resumed. Null: none. */
  readonly changedAt: number | null;
  readonly resumedAt: number | null;
  readonly paused: boolean;
  readonly lastUsedAt: number | null;
  readonly chosen: boolean;
}

export interface CompanyEntry {
  readonly value: string;
  readonly name: string;
  /** The app that was connected last comes first. */
  readonly apps: readonly CompanyAppEntry[];
  /** Number of apps that are not in the list. */
  readonly hidden: number;
  /** True: the company paused all of them. */
  readonly paused: boolean;
  readonly chosen: boolean;
}

export interface CompanyAppEntry {
  readonly name: string;
  readonly connectedAt: number;
  readonly latestAt: number;
}

export interface BrowserEntry extends SeenFrom {
  readonly since: number;
}

/** `/recover/new`, `/undo`: the decision. */
export interface TakeBackView {
  readonly what: TakeBackWhat;
  readonly csrf: string;
  /** Field `link`: the token from the link in the message. */
  readonly link: string;
  /** Field `proof`, sealed. Null if the person had nothing to prove. */
  readonly proof: string | null;
  /** Field `shown`: the entries on this page and the time of the page. */
  readonly shown: string;
  readonly person: string;
  /** The address that the account has after an address change is undone. */
  readonly email: string;
  readonly now: number;
  /** When the account is to be deleted, unless it is recovered. Null: nobody asked for that. */
  readonly leavesAt: number | null;
  /** Time of the first suspicious change. Null if there is none. */
  readonly since: number | null;
  readonly ways: readonly WayEntry[];
  readonly apps: readonly AppEntry[];
  /** Number of apps that are not in the list. */
  readonly hidden: number;
  readonly companies: readonly CompanyEntry[];
  /** Minutes for which apps whose access was revoked before still have it. 0: no app has. */
  readonly endsIn: number;
  readonly waiting: Waiting | null;
  readonly browsers: readonly BrowserEntry[];
  readonly fault: PasswordFault | null;
  /** `stale`: the form was open for too long. `changed`: the account changed after the page was shown. */
  readonly problem: "stale" | "changed" | null;
}

/** The page before the decision: the person must first prove a factor. */
export interface ProveView {
  readonly what: TakeBackWhat;
  readonly csrf: string;
  readonly link: string;
  readonly person: string;
  /** True if the person can enter a code from an authenticator. */
  readonly codes: boolean;
  readonly passkey: PasskeyOffer | null;
  readonly problem:
    | null
    | { readonly kind: "wrong" | "wrongRecovery" | "untrustedRecovery" | "missing" | "stale" | "passkey" }
    /** The person's own passkey signed, but it is not vouched for. */
    | { readonly kind: "untrustedPasskey" }
    /** `expires`: before that time is over, the link expires. */
    | { readonly kind: "throttled"; readonly minutes: number; readonly expires: boolean };
}

/** The page after the recovery. */
export interface TakenBackView {
  readonly what: TakeBackWhat;
  readonly email: string;
  readonly removed: readonly NamedWay[];
  /** The kinds of the previous factors that work again. */
  readonly back: readonly Exclude<NamedWay["kind"], "passkey">[];
  readonly kept: readonly NamedWay[];
  /** Names of apps. */
  readonly ended: readonly string[];
  /** Names of companies: the access that the person gave for them. */
  readonly endedFor: readonly string[];
  /** Minutes for which the last of these still has access. 0: none has. */
  readonly endsIn: number;
  readonly apps: readonly string[];
  /** Names of apps that get nothing, because the owner paused them. */
  readonly paused: readonly string[];
  readonly keptFor: readonly string[];
  /** As `keptFor`, where the company paused all of these apps. */
  readonly pausedFor: readonly string[];
  /** True: the account was to be deleted, and stays. */
  readonly stays: boolean;
  readonly waiting: Waiting | null;
  /** Path of the sign-in, below the issuer's path. It leads to what waits. */
  readonly signIn: string;
  /** Fields of the form that ends the session of somebody else in this browser first. Null if nobody else is signed in, or nothing waits. */
  readonly switch: FormSecrets | null;
}

/** The account no longer has the address to which the link went. */
export interface MovedView {
  readonly email: string;
  readonly at: number;
  /** True: a link that is asked for with this address takes the account back to it. */
  readonly owed: boolean;
}

/** The page after a removal was undone. */
export interface RestoredView {
  /** True: the account was to be deleted, and stays. */
  readonly stays: boolean;
  /** For the form that asks for a link. */
  readonly csrf: string;
  /** Null: the account still has that address. */
  readonly moved: MovedView | null;
  readonly proving: ProvingCodes | null;
  /** Names of apps that lost all access. */
  readonly ended: readonly string[];
  /** Names of apps that lost single permissions. */
  readonly narrowed: readonly string[];
  /** Names of apps that are paused again. */
  readonly paused: readonly string[];
  /** As in `RestoreView`. */
  readonly member: boolean;
  /** Minutes for which the last of these can still use what it lost. 0: none can. */
  readonly endsIn: number;
}

/** `/recover/undo`. */
export interface RestoreView {
  readonly csrf: string;
  readonly link: string;
  readonly person: string;
  /** As in `TakeBackView`. */
  readonly leavesAt: number | null;
  readonly at: number;
  /** True: the person belongs to a company. */
  readonly member: boolean;
  readonly moved: MovedView | null;
  readonly now: number;
  readonly ways: readonly (NamedWay & SeenFrom & { readonly addedAt: number })[];
  readonly stale: boolean;
}
