/** The storage port of recovery: taking an account back, the factors that this removed, and the addresses that an account had. */

import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom, PersonKey } from "../factor-storage.ts";
import type { DeviceSeen, KnownDevice } from "../known-device-storage.ts";
import type { FollowLinkOutcome, MailLink, MailLinkKey, StoredMail } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import { isOwners } from "./factor-trust.ts";

/** How long a removal can be undone. */
export const REMOVAL_KEPT: Millis = 72 * 3_600_000;
/** For how long a change of the address can be taken back. */
export const UNDO_TTL: Millis = 7 * 86_400_000;
/** For how long an address that an account no longer has still hears of a removal. */
export const ADDRESS_TOLD: Millis = 30 * 86_400_000;

/** An address of an account that is or was known to be the person's. */
export interface Address {
  readonly address: string;
  /** Null: since the account was made. Negative: the operator gave it. That is older than any other, and the later the operator gave it, the older. */
  readonly since: Millis | null;
  /** Null: the account has it now. */
  readonly until: Millis | null;
}

export type FactorKind = "passkey" | "authenticator" | "codes";

/** A factor that a recovery removed and that can still come back. */
export interface RemovedFactor {
  readonly kind: FactorKind;
  /** Of a passkey what its owner called it; else null. */
  readonly name: string | null;
  readonly createdAt: Millis;
  readonly added: AddedFrom;
  readonly removedAt: Millis;
  /** It is erased then. */
  readonly until: Millis;
}

/** What a recovery removes. */
export interface Removal {
  readonly removalId: string;
  /** Ids. */
  readonly passkeys: readonly string[];
  /** With its recovery codes; an earlier one comes back. */
  readonly authenticator: boolean;
  /** The recovery codes alone; earlier ones come back. */
  readonly codes: boolean;
  readonly until: Millis;
  /** Links that undo it. */
  readonly links: readonly { readonly link: MailLink; readonly saltHash: Uint8Array }[];
}

/** A new password for an account, by a link in a message. */
export interface TakeBack extends Omit<MailLinkKey, "purpose"> {
  readonly passwordHash: string;
  /** The person's device cookie, as the browser presents it; null: it has none of theirs. */
  readonly device: DeviceSeen | null;
  /** The account's factors as the person saw them (`marksOf`). */
  readonly seen: readonly string[];
  /** Null: nothing. */
  readonly removal: Removal | null;
  /** Apps whose access to the person's own account ends. */
  readonly endApps: readonly string[];
  /** Companies in whose names nothing goes on that the person began. */
  readonly endCompanies: readonly string[];
  /** When the person was shown what they decided about: what was connected since then ends. */
  readonly shownAt: Millis;
  /** Identities at other issuers that were linked by their first use since then end: whoever had the account may have had its address. */
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

/** `changed`: the factors are not what the person saw; nothing was done, and the link holds. */
export type TakeBackOutcome = FollowLinkOutcome | { readonly kind: "changed" };

export interface RecoveryStorage {
  readonly recovery: {
    /**
     * By a link to the person's verified address: a new password; all sessions and other links end, and what else the person decided. Links that undo a
     * removal end if the browser was the person's own before; it stays that.
     */
    recoverPassword(args: TakeBack): Promise<TakeBackOutcome>;
    /**
     * The same by a link that gives the person the address back that they had. If the link works in the owner's own browser only, the address is from then on
     * older than the one that it takes the place of: else whoever reads that one could take the account back in turn.
     */
    undoEmail(args: TakeBack): Promise<TakeBackOutcome>;
    /**
     * Undoes a removal: the factors come back. They count as their owner's if the browser was the owner's own before the removal, and was not yet signed out
     * when they were added. All sessions end, `passwordHash` (of a password that nobody knows) takes the place of
     * the password, and factors and connections that were added since the removal end, unless a known device vouches for them.
     */
    restoreFactors(
      args: Omit<MailLinkKey, "purpose"> & {
        readonly passwordHash: string;
        readonly device: DeviceSeen | null;
        readonly mails: readonly StoredMail[];
      },
    ): Promise<FollowLinkOutcome>;
    /** Of one removal, or of all; oldest factors first. */
    removedFactors(
      args: PersonKey & { readonly removalId: string | null; readonly now: Millis },
    ): Promise<readonly RemovedFactor[]>;
    /** Ends all links that take something back, and erases removed factors: whoever holds such a link has nothing of it any more. */
    endWaysBack(args: PersonKey & { readonly now: Millis }): Promise<void>;
  };
  readonly people: {
    /** The one of now, and those of the last `ADDRESS_TOLD`; none that nobody vouched for. */
    addresses(args: PersonKey & { readonly now: Millis }): Promise<readonly Address[]>;
    /**
     * Accounts that have left an address within `UNDO_TTL` for a younger one, those first that left it first; of the first `limit` that have left it.
     * `until`: when they left it.
     */
    owedTo(args: {
      readonly address: string;
      readonly limit: number;
      readonly now: Millis;
    }): Promise<readonly { readonly person: Person; readonly until: Millis }[]>;
  };
}

/** Whether an address was the account's before another one was. An address that nobody vouched for has no age: nothing is older. */
export function isOlder(addresses: readonly Address[], one: string, other: string): boolean {
  const [its, others] = [addressSince(addresses, one), addressSince(addresses, other)];
  return its !== undefined && its < (others ?? 0);
}

/**
 * Whether a link that gives the account `address` back holds while it has `present`: only if that is younger. An intruder who gave the account their
 * own address can't undo that the owner took it back. An address that was left before such times were noted is older.
 */
export function mayTakeBack(addresses: readonly Address[], address: string, present: string): boolean {
  return addressSince(addresses, address) === undefined || isOlder(addresses, address, present);
}

/** The same before a change from `before` to `to`: whether a link to the address before will hold after it. */
export function leavesWayBack(addresses: readonly Address[], before: string, to: string, now: Millis): boolean {
  const since = addressSince(addresses, to) ?? now;
  return mayTakeBack([...addresses, { address: to, since, until: null }], before, to);
}

/** Whether the account had an address, and has left it only after `at`. */
export function leftSince(addresses: readonly Address[], address: string, at: Millis): boolean {
  return addresses.some((one) => one.address === address && (one.until ?? at) > at);
}

/** In `about` of a link that takes a change back: it works only in a browser that was the owner's own before the account first had the link's address. */
export const OWN_BROWSER_ONLY = "own browser";

/** Whether a browser was the owner's own before the account first had that address: whoever gave it the address later had none. */
export function isOwnSinceBefore(
  addresses: readonly Address[],
  address: string,
  device: KnownDevice | undefined,
  now: Millis,
): boolean {
  const since = Math.abs(addressSince(addresses, address) ?? 0);
  return device !== undefined && isOwners(device, since, now);
}

/** Whether a link that takes a change back holds while the account has `present`. `device`: of the browser that follows it. */
export function undoHolds(
  { address, about }: Pick<MailLink, "address" | "about">,
  present: string,
  addresses: readonly Address[],
  { device, now }: { readonly device: KnownDevice | undefined; readonly now: Millis },
): "yes" | "another browser" | "no" {
  if (about !== OWN_BROWSER_ONLY) return mayTakeBack(addresses, address, present) ? "yes" : "no";
  if (address === present) return "no";
  return isOwnSinceBefore(addresses, address, device, now) ? "yes" : "another browser";
}

/** Since when an address has been the account's, with whatever came in between; undefined: it never was, as far as is known. */
export function addressSince(addresses: readonly Address[], address: string): Millis | undefined {
  const times = addresses.filter((one) => one.address === address).map(({ since }) => since ?? 0);
  return times.length === 0 ? undefined : Math.min(...times);
}
