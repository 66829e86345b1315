/** An entry of a history on a page, and a receipt of one. */

import type { Messages } from "./messages/index.ts";

/** A decision about an app, or an action of the app. */
export type Happening =
  | ("allowed" | "allowedByDevice" | "allowedByPassword" | "allowedByPolicy" | "reconnected" | "connected")
  | ("delegated" | "vouched" | "vouchedByCompany" | "paused" | "resumed")
  | ("refused" | "narrowed" | "endChanged" | "revoked" | "revokedByOther" | "givenUp" | "givenUpFor" | "alarm");

/** Other reasons why an app's access ended while the owner's consent was active. */
export type EndedBy =
  | ("password" | "account" | "leaving" | "app" | "unregistered" | "company" | "member" | "stopped" | "crowded")
  | ("approval" | "upstream" | "recent" | "restore")
  | ("recovery" | "recoveryNarrowed" | "recoveryPaused")
  | ("member_left" | "member_removed" | "member_disabled" | "member_deleted")
  | ("member_password" | "member_leaving" | "member_recent");

/** Changes to the members of a company. */
export type MemberHappening =
  | ("removed" | "left" | "deleted" | "joined" | "joinedAsAdmin" | "added" | "addedAsAdmin")
  | ("madeAdmin" | "acceptedAdmin" | "madeMember" | "invited" | "invitedAsAdmin" | "withdrawn");

export interface HistoryEntryView {
  readonly entryId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly what:
    | Happening
    | { readonly endedBy: EndedBy }
    | { readonly member: MemberHappening }
    /** What another system did to the account, or what happened to the company's own provider. Its name is in place of an app's. */
    | { readonly account: "signedOut" | "disabled" | "enabled" | "enabledByOperator" }
    | { readonly signIn: "connected" | "changed" | "on" | "off" | "removed" }
    | { readonly connection: "connected" | "changed" | "removed" }
    | { readonly rule: keyof Messages["company"]["ruleEvents"] };
  /** In a company's history: the member that the entry is about. */
  readonly person?: string;
  readonly app: string;
  /** The app whose access another one used, or the other server at which an app may act. Absent: its own. */
  readonly through?: string;
  /** The company that let the app act for the person. Absent: none. */
  readonly company?: string;
  /** The permissions that the app has from then on. */
  readonly can: readonly PermissionThen[];
  /** The app was paused then: it could do this only once it was resumed. */
  readonly paused?: true;
  readonly takenAway: readonly string[];
  /** Only members of the company lost it. Absent: everybody whom the entry is about. */
  readonly takenFrom?: "members";
  /** The permissions that the owner refused. Absent if there are none. */
  readonly refused?: readonly string[];
  /** Hosts that were added to an active consent. Absent if there are none. */
  readonly newHosts?: readonly string[];
  /** The end of earlier access that this answer left as it was. Null: until revoked. Absent: there was none. */
  readonly earlierUntil?: number | null;
}

export interface PermissionThen {
  /** In words for owners. */
  readonly text: string;
  /** When it ends, in epoch milliseconds. Null: until revoked. `once`: it was for one time only. */
  readonly end: number | null | "once";
}

/** Why a pasted receipt is not shown as genuine. `stale`: the form is too old. */
export type ReceiptProblem =
  | ("missing" | "too_long" | "malformed" | "other_type" | "other_issuer")
  | ("unknown_key" | "altered" | "stale");

export interface VerifyReceiptView {
  readonly csrf: string;
  /** The text that was pasted. Empty: none, or too much of it. */
  readonly typed: string;
  /** `issuer`: for `other_issuer`, the issuer that the receipt names without proof. */
  readonly fault: { readonly kind: ReceiptProblem; readonly issuer?: string } | null;
}

export type ReceiptVia =
  | ("browser" | "device" | "first party" | "company policy")
  | ("password" | "operator policy" | "admin");

/** What a genuine receipt says. */
export interface ReceiptView {
  readonly what: HistoryEntryView["what"];
  /** Null: it is about no app. */
  readonly app: { readonly clientId: string; readonly name: string | null } | null;
  /** Another system that it is about. Null: none. */
  readonly system: string | null;
  readonly server?: { readonly issuer: string; readonly name: string | null };
  /** The owner's ID. */
  readonly account: string;
  readonly by: "owner" | "operator" | "client" | "server" | { readonly personId: string };
  /** The ID of the company's member that it is about. */
  readonly member: string | null;
  /** How an `allowed` came about. Null for other events. */
  readonly via: ReceiptVia | null;
  readonly can: readonly PermissionThen[];
  readonly paused?: true;
  readonly takenAway: readonly string[];
  readonly takenFrom?: "members";
  readonly refused: readonly string[];
  readonly hosts: readonly string[];
  readonly earlierUntil?: number | null;
  /** Epoch milliseconds: the event, and the receipt. */
  readonly at: number;
  readonly made: number;
}
