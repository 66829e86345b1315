/**
 * The storage port of recovery: recovering an account, the factors that it removed, and the addresses of an account.
 */

import type { Millis } from "../../oauth/model.ts";
import type { ByLesser } from "../change-conditions.ts";
import type { AddedFrom, PersonKey } from "../factor-storage.ts";
import type { DeviceSeen, KnownDevice } from "../known-device-storage.ts";
import type { FollowLinkOutcome, MailLink, MailLinkKey, StoredMail } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import { isOwners, type ProvingCodes } from "./factor-trust.ts";

/** How long a removal can be undone. */
export const REMOVAL_KEPT: Millis = 72 * 3_600_000;
/** How long a change of the address can be taken back. */
export const UNDO_TTL: Millis = 7 * 86_400_000;
/** How long an address that an account no longer has still gets a message about a removal. */
export const ADDRESS_TOLD: Millis = 30 * 86_400_000;

/** An address that is or was proved to be the person's. */
export interface Address {
  readonly address: string;
  /**
   * Null: since the account was created. Negative: the operator gave it. Such an address counts as older than any
   * other; the later the operator gave it, the older it counts.
   */
  readonly since: Millis | null;
  /** Null: it is the present address. */
  readonly until: Millis | null;
  /** True: the operator has ended the ways back. The address gets messages, but no links that take something back. */
  readonly ended?: boolean;
}

export type FactorKind = "passkey" | "authenticator" | "codes";

/** A factor that a recovery removed and that can still come back. */
export interface RemovedFactor {
  readonly kind: FactorKind;
  /** The owner's name for a passkey; otherwise null. */
  readonly name: string | null;
  readonly createdAt: Millis;
  readonly added: AddedFrom;
  readonly removedAt: Millis;
  /** The time at which it is deleted. */
  readonly until: Millis;
}

/** What a recovery removes. */
export interface Removal {
  readonly removalId: string;
  /** Ids of passkeys. */
  readonly passkeys: readonly string[];
  /** True: the authenticator with its recovery codes. The previous one comes back. */
  readonly authenticator: boolean;
  /** True: the recovery codes only. The previous ones come back. */
  readonly codes: boolean;
  readonly until: Millis;
  /** Links that undo the removal. */
  readonly links: readonly { readonly link: MailLink; readonly saltHash: Uint8Array }[];
}

/** A new password for an account, by a link in a message. */
export interface TakeBack extends Omit<MailLinkKey, "purpose"> {
  readonly passwordHash: string;
  /** The person's device cookie as the browser presents it. Null: it has none of this person. */
  readonly device: DeviceSeen | null;
  /** The account's factors when the decision was made (`marksOf`). Unvouched ones that were added since are removed, too. */
  readonly seen: readonly string[];
  /** Null: nothing is removed. */
  readonly removal: Removal | null;
  /** Apps whose access to the person's own account ends. */
  readonly endApps: readonly string[];
  /** Those among them that the person chose. The server ends the others. */
  readonly chosenApps: readonly string[];
  /** Companies in whose names the person's grants end. */
  readonly endCompanies: readonly string[];
  /** When the person saw the review: apps that were connected since then lose access. */
  readonly shownAt: Millis;
  /**
   * Identities at trusted issuers that were linked by their first use since then end, because an intruder may have had
   * the account's address.
   */
  readonly identitiesSince: Millis;
  /** A link that takes this back in turn, for the address that the account has until then; null: there is none. */
  readonly wayBack: NewUndo | null;
  readonly mails: readonly StoredMail[];
}

/** A link that takes a change of the address back, as it is stored. */
export interface NewUndo {
  readonly link: MailLink;
  readonly saltHash: Uint8Array;
}

/** `changed`: another factor is vouched for, and may have to be proved first. Nothing was done, and the link is still valid. */
export type TakeBackOutcome = FollowLinkOutcome | { readonly kind: "changed" };

export interface RecoveryStorage {
  readonly recovery: {
    /**
     * By a link to the person's verified address: sets a new password, ends all sessions and other links, and does what
     * the person decided. If the browser was the person's own before, it stays so, and links that undo a removal end.
     */
    recoverPassword(args: TakeBack): Promise<TakeBackOutcome>;
    /**
     * The same with a link that restores the person's earlier address. If the link works in the owner's own browser only, the restored address
     * counts as older than the one that it replaces. Otherwise, a person who reads the replaced address could take the account back in turn.
     */
    undoEmail(args: TakeBack): Promise<TakeBackOutcome>;
    /**
     * Undoes a removal: the factors come back. They count as their owner's if the browser was the owner's own before
     * the removal, and was not yet signed out when they were added. All sessions end. `passwordHash` (of a password
     * that nobody knows) replaces the password. Factors and connections that were added since the removal end, unless a
     * known device vouches for them. Apps that were paused then are paused again.
     */
    restoreFactors(
      args: Omit<MailLinkKey, "purpose"> & {
        readonly passwordHash: string;
        readonly device: DeviceSeen | null;
        readonly mails: readonly StoredMail[];
        /** Sent instead of `mails` if these recovery codes prove who recovers the account, once the factors are back. */
        readonly mailsIf?: readonly { readonly proving: ProvingCodes; readonly mails: readonly StoredMail[] }[];
      },
    ): Promise<FollowLinkOutcome>;
    /** Factors of one removal, or of all; oldest first. */
    removedFactors(
      args: PersonKey & { readonly removalId: string | null; readonly now: Millis },
    ): Promise<readonly RemovedFactor[]>;
    /**
     * Ends all links that take something back, recover the account, or change its address, and deletes removed factors.
     * No address that the account has left is owed another link.
     */
    endWaysBack(args: PersonKey & ByLesser & { readonly now: Millis }): Promise<void>;
    /** Ends the links that recover the account or change its address. */
    endLinks(args: PersonKey & ByLesser): Promise<void>;
  };
  readonly people: {
    /** The present address, and those of the last `ADDRESS_TOLD`. Addresses that nobody vouched for are left out. */
    addresses(args: PersonKey & { readonly now: Millis }): Promise<readonly Address[]>;
    /**
     * Accounts that have left an address within `UNDO_TTL` for a younger one, in the order in which they left it; of
     * the first `limit` that have left it. `until`: when they last left it. Each account is there once.
     */
    owedTo(args: {
      readonly address: string;
      readonly limit: number;
      readonly now: Millis;
    }): Promise<readonly { readonly person: Person; readonly until: Millis }[]>;
  };
}

/**
 * Whether the account had one address before another one. An address that nobody vouched for has no age, so nothing is
 * older.
 */
export function isOlder(addresses: readonly Address[], one: string, other: string): boolean {
  const [its, others] = [addressSince(addresses, one), addressSince(addresses, other)];
  return its !== undefined && its < (others ?? 0);
}

/** Whether the account had no address before this one, as far as is known. */
export function isOldest(addresses: readonly Address[], address: string): boolean {
  const since = addressSince(addresses, address);
  return since !== undefined && addresses.every((other) => (other.since ?? 0) >= since);
}

/**
 * Whether a link that gives the account `address` back is valid while it has `present`: only if `present` is younger.
 * So an intruder who gave the account their own address can't undo that the owner took it back. An address that was
 * left before these times were recorded counts as older.
 */
export function mayTakeBack(addresses: readonly Address[], address: string, present: string): boolean {
  return addressSince(addresses, address) === undefined || isOlder(addresses, address, present);
}

/** The same before a change from `before` to `to`: whether a link to the previous address will be valid after it. */
export function leavesWayBack(addresses: readonly Address[], before: string, to: string, now: Millis): boolean {
  const since = addressSince(addresses, to) ?? now;
  return mayTakeBack([...addresses, { address: to, since, until: null }], before, to);
}

/** Whether the account had an address, left it only after `at`, and no operator ended the way back to it since. */
export function leftSince(addresses: readonly Address[], address: string, at: Millis): boolean {
  return addresses.some((one) => one.address === address && one.ended !== true && (one.until ?? at) > at);
}

/**
 * In `about` of a link that takes a change back: it works only in the oldest of the browsers that were the owner's own
 * before the account first had the link's address.
 */
export const OWN_BROWSER_ONLY = "own browser";

/** The browser that makes a change or follows a link. */
export interface Presented {
  /** Undefined: the account does not know it. */
  readonly device: KnownDevice | undefined;
  readonly now: Millis;
}

/**
 * Whether the browser is the account's oldest, and was the owner's own before the account first had that address. An
 * intruder may wait for a week before they change the address: the owner's browser is older still. If the oldest is
 * forgotten, or not the owner's own any more, no browser is.
 */
export function isOldestOwn(addresses: readonly Address[], address: string, { device, now }: Presented): boolean {
  const since = Math.abs(addressSince(addresses, address) ?? 0);
  return device?.oldest === true && isOwners(device, since, now);
}

/** Whether a link that takes a change back is valid while the account has `present`. `presented`: the browser that follows it. */
export function undoHolds(
  { address, about }: Pick<MailLink, "address" | "about">,
  present: string,
  addresses: readonly Address[],
  presented: Presented,
): "yes" | "another browser" | "no" {
  if (about !== OWN_BROWSER_ONLY) return mayTakeBack(addresses, address, present) ? "yes" : "no";
  if (address === present) return "no";
  return isOldestOwn(addresses, address, presented) ? "yes" : "another browser";
}

/** When the account last left an address that it does not have now. Undefined: it is not known to have left it. */
export function leftAt(addresses: readonly Address[], address: string): Millis | undefined {
  const times = addresses.filter((one) => one.address === address).map(({ until }) => until ?? 0);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Whether the account last left the address within `UNDO_TTL`, for a younger one. An address from which the account went
 * back to an older one may be an intruder's, and is not owed. Nor is one whose way back the operator ended since.
 */
export function isOwed(addresses: readonly Address[], address: string, present: string, now: Millis): boolean {
  const left = leftAt(addresses, address) ?? 0;
  if (left <= now - UNDO_TTL || address === present) return false;
  if (addresses.some((one) => one.address === address && one.until === left && one.ended === true)) return false;
  const wentBack = addresses.some((one) => (one.until ?? now) > left && isOlder(addresses, one.address, address));
  return !wentBack && isOlder(addresses, address, present);
}

/** Since when an address has been the account's, whatever came in between. Undefined: it is not known to have been. */
export function addressSince(addresses: readonly Address[], address: string): Millis | undefined {
  const times = addresses.filter((one) => one.address === address).map(({ since }) => since ?? 0);
  return times.length === 0 ? undefined : Math.min(...times);
}
