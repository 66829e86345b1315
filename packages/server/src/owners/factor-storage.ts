/**
 * The storage port of factors: passkeys, authenticators, recovery codes. Each verb is one transaction, or says that it
 * has several.
 */

import type { Millis } from "../oauth/model.ts";
import type { ByLesser, InSession } from "./change-conditions.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./storage.ts";
import type { WayIn } from "./subject-link-storage.ts";

/** Maximum number of passkeys of one person. */
export const MOST_PASSKEYS = 20;

export interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

/** Where a factor was added, and whether its owner is known to have added it. */
export interface AddedFrom {
  readonly address: string | null;
  readonly userAgent: string | null;
  /** When the browser that added the factor was first seen with this person. Null: unknown. */
  readonly deviceSince: Millis | null;
  /**
   * From this time on the factor counts as the owner's, and recovery by mail demands it (`recovery/factor-trust.ts`). Null:
   * it is not vouched for. 0: it is older than this record.
   */
  readonly vouchedFrom: Millis | null;
}

/**
 * The public half of a passkey. The authenticator has the private half (Web Authentication Level 3, §4 "public key
 * credential source").
 */
export interface Passkey extends PersonKey {
  /** base64url. */
  readonly credentialId: string;
  /** A COSE_Key, as the authenticator wrote it. */
  readonly publicKey: Uint8Array;
  /** The authenticator's own count of its signatures. Always 0: it does not count. */
  readonly counter: number;
  /** True: the key can leave its device, as when a vendor's account copies it to others. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  /** The owner's name for it. */
  readonly name: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly added: AddedFrom;
}

/** An authenticator app for one-time codes, and its recovery codes. */
export interface SecondFactor {
  readonly sealedSecret: Uint8Array;
  /** The time step of the newest accepted code. The server accepts neither this step nor an older one again. */
  readonly lastStep: number;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly added: AddedFrom;
  /** The time of the recovery codes, which may be newer than the authenticator. */
  readonly codesAt: Millis;
  readonly codesAdded: AddedFrom;
  readonly codesLeft: number;
  /**
   * The authenticator that this one replaced. Nobody can sign in with it. It is kept until the new one is vouched for,
   * because recovery by mail demands one of the two.
   */
  readonly earlier: EarlierAuthenticator | null;
  /** Number of unused recovery codes of the previous set, kept for the same reason. */
  readonly earlierCodesLeft: number;
}

/** An authenticator that was replaced. */
export interface EarlierAuthenticator {
  readonly sealedSecret: Uint8Array;
  readonly lastStep: number;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly added: AddedFrom;
}

/**
 * `taken`: the key is registered already. `full`: the person has the maximum. `unknown`: the person does not exist or
 * is disabled.
 */
export type AddPasskeyOutcome = "added" | "taken" | "full" | "unknown";
/** `stale`: the counter did not increase, so there is a copy of the key, or a response came twice. */
export type UsePasskeyOutcome = "used" | "stale" | "unknown";
/** `last`: without it, the person could not sign in any more. */
export type RemovePasskeyOutcome = "removed" | "last" | "unknown";

/**
 * `newer`: there are other codes than the person saw, for example because the form was sent twice. `ended`: there is no
 * authenticator, or the session has ended.
 */
export type SetCodesOutcome = "set" | "newer" | "ended";

/** Messages about a change, written in its transaction. */
export interface Told {
  readonly mails?: readonly StoredMail[];
}

export interface FactorStorage {
  readonly passkeys: {
    /** Several steps: it reserves the key's id among all people first. */
    add(args: { readonly passkey: Passkey; readonly now: Millis } & Told & InSession): Promise<AddPasskeyOutcome>;
    /** The person who has the key, because a passkey sign-in begins without a name. */
    find(args: {
      readonly credentialId: string;
    }): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined>;
    /** Oldest first. */
    list(args: PersonKey): Promise<readonly Passkey[]>;
    /** Records a use. Of two uses with the same count, one succeeds. */
    use(
      args: PersonKey & {
        readonly credentialId: string;
        readonly counter: number;
        readonly backedUp: boolean;
        readonly now: Millis;
      },
    ): Promise<UsePasskeyOutcome>;
    remove(
      args: PersonKey & {
        readonly credentialId: string;
        /** Absent: none. */
        readonly waysIn?: readonly WayIn[];
        readonly now: Millis;
      } & Told &
        InSession &
        ByLesser,
    ): Promise<RemovePasskeyOutcome>;
    /** From `from` on, the passkey counts as its owner's, unless it did so before. */
    vouch(args: PersonKey & { readonly credentialId: string; readonly from: Millis }): Promise<void>;
  };
  readonly secondFactors: {
    /** Undefined: the person has none. */
    get(args: PersonKey): Promise<SecondFactor | undefined>;
    /**
     * Sets the authenticator with new recovery codes. The previous ones are kept as `earlier` if they were vouched for
     * and the new ones are not, and are deleted otherwise. `step`: the step of the code that proved the new one. False:
     * the person does not exist or is disabled, or the session has ended.
     */
    set(
      args: PersonKey & {
        readonly sealedSecret: Uint8Array;
        readonly step: number;
        /** Hashes of the recovery codes. */
        readonly codes: readonly string[];
        readonly added: AddedFrom;
        readonly now: Millis;
      } & Told &
        InSession,
    ): Promise<boolean>;
    /** True: no code of this step or a later one was accepted before, and none will be again. */
    use(args: PersonKey & { readonly step: number; readonly now: Millis }): Promise<boolean>;
    /** The same for the previous authenticator. */
    useEarlier(args: PersonKey & { readonly step: number }): Promise<boolean>;
    /** Removes it with its recovery codes and with everything kept of earlier ones. */
    remove(args: PersonKey & { readonly now: Millis } & Told & InSession & ByLesser): Promise<boolean>;
    /** Replaces the unused codes; `earlier` as in `set`. */
    setRecoveryCodes(
      args: PersonKey & {
        readonly codes: readonly string[];
        /** `codesAt` of the codes that the person saw. Absent: any. */
        readonly replaces?: Millis;
        readonly added: AddedFrom;
        readonly now: Millis;
      } & Told &
        InSession,
    ): Promise<SetCodesOutcome>;
    /** True: the unused code belongs to the present set. It is not used up. */
    hasRecoveryCode(args: PersonKey & { readonly code: string }): Promise<boolean>;
    /** True: the code was valid, and is used up now. `earlier`: it belonged to the previous set. */
    useRecoveryCode(
      args: PersonKey & { readonly code: string; readonly earlier?: boolean; readonly now: Millis } & Told,
    ): Promise<boolean>;
    /**
     * From `from` on, the authenticator or its recovery codes count as the owner's, unless they did so before; earlier
     * ones are deleted. `createdAt`: the time of the factor that was used. If something newer has replaced it
     * meanwhile, nothing changes.
     */
    vouch(
      args: PersonKey & {
        readonly what: "authenticator" | "codes";
        readonly createdAt: Millis;
        readonly from: Millis;
        readonly now: Millis;
      },
    ): Promise<void>;
  };
}
