/** What the pages are given by which somebody takes an account back. */

import type { SeenFrom } from "../factor-views.ts";
import type { PasskeyOffer } from "../views.ts";
import type { PasswordFault } from "./views.ts";

export type TakeBackWhat = "recover" | "undo";

/** A way to sign in, by what a page calls it. */
export interface NamedWay {
  readonly kind: "passkey" | "authenticator" | "codes";
  /** What its owner calls a passkey; else null. */
  readonly name: string | null;
}

export interface WayEntry extends NamedWay, SeenFrom {
  /** The form's value for it. */
  readonly value: string;
  readonly addedAt: number;
  readonly lastUsedAt: number | null;
  /** It may be removed. */
  readonly doubtful: boolean;
  readonly chosen: boolean;
  /** Removed, it makes place for the one before it. */
  readonly bringsBack: boolean;
}

export interface AppEntry {
  readonly value: string;
  readonly name: string;
  readonly byDevice: boolean;
  readonly connectedAt: number;
  readonly latestAt: number;
  readonly lastUsedAt: number | null;
  readonly chosen: boolean;
}

export interface CompanyEntry {
  readonly value: string;
  readonly name: string;
  readonly apps: number;
  readonly latestAt: number;
  readonly chosen: boolean;
}

export interface BrowserEntry extends SeenFrom {
  readonly since: number;
}

/** `/recover/new`, `/undo`: the decision. */
export interface TakeBackView {
  readonly what: TakeBackWhat;
  readonly csrf: string;
  /** Field `link`: what the message's link holds. */
  readonly link: string;
  /** Field `proof`, sealed; null: nothing had to be proved. */
  readonly proof: string | null;
  /** Field `shown`: what this page shows, and when. */
  readonly shown: string;
  readonly person: string;
  /** The address that a change taken back restores. */
  readonly email: string;
  readonly now: number;
  /** The first sign of something suspicious; null: there is none. */
  readonly since: number | null;
  readonly ways: readonly WayEntry[];
  readonly apps: readonly AppEntry[];
  /** Apps that are not in the list. */
  readonly hidden: number;
  readonly companies: readonly CompanyEntry[];
  readonly browsers: readonly BrowserEntry[];
  readonly fault: PasswordFault | null;
  /** The form was open for too long; or something was changed meanwhile. */
  readonly problem: "stale" | "changed" | null;
}

/** The same: a factor is to be proved first. */
export interface ProveView {
  readonly what: TakeBackWhat;
  readonly csrf: string;
  readonly link: string;
  readonly person: string;
  /** Codes of an authenticator can be given. */
  readonly codes: boolean;
  readonly passkey: PasskeyOffer | null;
  readonly problem:
    | null
    | { readonly kind: "wrong" | "wrongRecovery" | "missing" | "stale" | "passkey" }
    | { readonly kind: "throttled"; readonly minutes: number };
}

/** After it. */
export interface TakenBackView {
  readonly what: TakeBackWhat;
  readonly email: string;
  readonly removed: readonly NamedWay[];
  readonly kept: readonly NamedWay[];
  /** Names of apps and companies. */
  readonly ended: readonly string[];
  readonly apps: readonly string[];
}

/** `/recover/undo`. */
export interface RestoreView {
  readonly csrf: string;
  readonly link: string;
  readonly person: string;
  readonly at: number;
  readonly now: number;
  readonly ways: readonly (NamedWay & SeenFrom & { readonly addedAt: number })[];
  readonly stale: boolean;
}
