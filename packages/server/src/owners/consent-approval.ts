/** What the storage is told of an owner's answer. */

import type { Consent, Millis } from "../oauth/model.ts";
import type { NewGrant } from "../oauth/storage.ts";
import type { RememberedAnswer } from "./company-storage.ts";

/** How long a consent lasts: seconds, until revoked, or for this one authorization. */
export type ConsentDuration = number | "forever" | "once";

/** What operators offer. `today`: until the end of the owner's day. */
export type OfferedDuration = ConsentDuration | "today";

/** What an owner chose. `until`: the exact end that the page showed. */
export type ChosenDuration = ConsentDuration | { readonly until: Millis };

/** An owner's answer on the consent page: the consent record and the grant under it, in one transaction. */
export interface Approve {
  readonly grant: NewGrant;
  readonly grantedBy: string;
  readonly via: Consent["via"];
  /** Optional scopes that the owner left out: they leave the record and every live grant under it, unless the owner is a company. */
  readonly declined: readonly string[];
  /** Of new scopes. Active ones keep their ends. */
  readonly duration: ChosenDuration;
  /** Scopes with a duration of their own, new or active ones. Absent: none. */
  readonly durations?: Readonly<Record<string, ChosenDuration>>;
  /** The latest ends of active scopes in this grant, unless others were chosen. Absent: their own ends. */
  readonly keptEnds?: Readonly<Record<string, Millis>>;
  /** True: the page said that the app is paused, and that this answer lets it go on. */
  readonly resumes?: boolean;
  /** The description of each scope that the owner read, for the history. Absent: no page was shown. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The end of a `once`: the end of its access token. */
  readonly onceUntil: Millis;
  readonly shown: Consent["shown"];
  /** For a company: the part of the answer that later connections without a page keep to. Absent: `declined`, and no end. */
  readonly remembered?: RememberedAnswer;
  /** As in `IssueGrant`. */
  readonly trustedFrom?: Millis;
  readonly now: Millis;
}
