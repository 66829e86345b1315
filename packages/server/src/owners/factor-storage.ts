/** The storage port of what people sign in with beside a password. Each verb is one transaction, or says that it is several. */

import type { Millis } from "../oauth/model.ts";
import type { InSession } from "./asked-in-session.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./storage.ts";

/** As many as anybody has devices. */
export const MOST_PASSKEYS = 20;

export interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

/** Where a factor was added from, and whether anything says that its owner added it. */
export interface AddedFrom {
  readonly address: string | null;
  readonly userAgent: string | null;
  /** When the browser that added it was first seen with this person; null: not known. */
  readonly deviceSince: Millis | null;
  /**
   * From then on the factor counts as the owner's, and recovery by mail demands it (`recovery/vouching.ts`); null: nothing vouches for it. 0: it is
   * older than this record.
   */
  readonly vouchedFrom: Millis | null;
}

/** A key pair of which an authenticator has the private half (Web Authentication Level 3, §4 "public key credential source"). */
export interface Passkey extends PersonKey {
  /** base64url. */
  readonly credentialId: string;
  /** COSE_Key, as the authenticator wrote it. */
  readonly publicKey: Uint8Array;
  /** The authenticator's own count of its signatures; 0 for good: it keeps none. */
  readonly counter: number;
  /** It may leave its device, as those do that a vendor's account carries to others. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly transports: readonly string[];
  /** What its owner calls it. */
  readonly name: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly added: AddedFrom;
}

/** One-time codes by an authenticator app, with the recovery codes that stand in for it. */
export interface SecondFactor {
  readonly sealedSecret: Uint8Array;
  /** The time step of the newest code that was accepted: neither it nor an older one is accepted again. */
  readonly lastStep: number;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly added: AddedFrom;
  /** Of the recovery codes, which may be newer than the authenticator. */
  readonly codesAt: Millis;
  readonly codesAdded: AddedFrom;
  readonly codesLeft: number;
  /**
   * The authenticator that this one took the place of. It signs nobody in. It is kept while nothing vouches for the new one, since recovery by mail
   * demands one of the two.
   */
  readonly earlier: EarlierAuthenticator | null;
  /** Recovery codes of the set before, kept for the same reason. */
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

/** `taken`: the key is registered already. `full`: there are as many as there may be. `unknown`: there is no such person, or they are disabled. */
export type AddPasskeyOutcome = "added" | "taken" | "full" | "unknown";
/** `stale`: its counter didn't go up, so that there are two of it, or an answer came twice. */
export type UsePasskeyOutcome = "used" | "stale" | "unknown";
/** `last`: without it, nothing would be left to sign in with. */
export type RemovePasskeyOutcome = "removed" | "last" | "unknown";

/** Messages about a change, written with it. */
export interface Told {
  readonly mails?: readonly StoredMail[];
}

export interface FactorStorage {
  readonly passkeys: {
    /** Several steps: the key's id is reserved among those of all people first. */
    add(args: { readonly passkey: Passkey; readonly now: Millis } & Told & InSession): Promise<AddPasskeyOutcome>;
    /** Whose it is: nobody has said a name yet. */
    find(args: {
      readonly credentialId: string;
    }): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined>;
    /** Oldest first. */
    list(args: PersonKey): Promise<readonly Passkey[]>;
    /** Records a use; of two with the same count, one. */
    use(
      args: PersonKey & {
        readonly credentialId: string;
        readonly counter: number;
        readonly backedUp: boolean;
        readonly now: Millis;
      },
    ): Promise<UsePasskeyOutcome>;
    remove(
      args: PersonKey & { readonly credentialId: string; readonly now: Millis } & Told & InSession,
    ): Promise<RemovePasskeyOutcome>;
    /** From `from` on the passkey counts as its owner's, unless it did so before. */
    vouch(args: PersonKey & { readonly credentialId: string; readonly from: Millis }): Promise<void>;
  };
  readonly secondFactors: {
    /** Undefined: this person has none. */
    get(args: PersonKey): Promise<SecondFactor | undefined>;
    /**
     * With new recovery codes. The authenticator and the codes before are kept as `earlier` where something vouched for them and nothing vouches for the new
     * ones, and are erased otherwise. `step`: of the code that proved it. False: no such person, disabled, or the session has ended.
     */
    set(
      args: PersonKey & {
        readonly sealedSecret: Uint8Array;
        readonly step: number;
        /** Hashes. */
        readonly codes: readonly string[];
        readonly added: AddedFrom;
        readonly now: Millis;
      } & Told &
        InSession,
    ): Promise<boolean>;
    /** True: no code of this step or a later one was accepted before, and none will be again. */
    use(args: PersonKey & { readonly step: number; readonly now: Millis }): Promise<boolean>;
    /** The same of the authenticator before. */
    useEarlier(args: PersonKey & { readonly step: number }): Promise<boolean>;
    /** With its recovery codes, and with what is kept of earlier ones. */
    remove(args: PersonKey & { readonly now: Millis } & Told & InSession): Promise<boolean>;
    /** In place of those that are left; `earlier` as in `setSecondFactor`. False: there is no second factor that they could stand in for, or the session has ended. */
    setRecoveryCodes(
      args: PersonKey & { readonly codes: readonly string[]; readonly added: AddedFrom; readonly now: Millis } & Told &
        InSession,
    ): Promise<boolean>;
    /** True: it was one, and is none any more. `earlier`: one of the set before. */
    useRecoveryCode(
      args: PersonKey & { readonly code: string; readonly earlier?: boolean; readonly now: Millis } & Told,
    ): Promise<boolean>;
    /**
     * From `from` on the authenticator, or its recovery codes, count as their owner's, unless they did so before; earlier ones are erased. `createdAt`: of
     * what was used. If something newer has taken its place meanwhile, nothing changes.
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
