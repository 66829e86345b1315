/** The storage port of what people sign in with beside a password. Each verb is one transaction, or says that it is several. */

import type { Millis } from "../oauth/model.ts";
import type { StoredMail } from "./mail-storage.ts";
import type { Person } from "./storage.ts";

/** As many as anybody has devices. */
export const MOST_PASSKEYS = 20;

export interface PersonKey {
  readonly partition: number;
  readonly personId: string;
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
}

/** One-time codes by an authenticator app, with the recovery codes that stand in for it. */
export interface SecondFactor {
  readonly sealedSecret: Uint8Array;
  /** The time step of the newest code that was accepted: neither it nor an older one is accepted again. */
  readonly lastStep: number;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
  readonly codesLeft: number;
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
  /** Several steps: the key's id is reserved among those of all people first. */
  addPasskey(args: { readonly passkey: Passkey; readonly now: Millis } & Told): Promise<AddPasskeyOutcome>;
  /** Whose it is: nobody has said a name yet. */
  findPasskey(args: {
    readonly credentialId: string;
  }): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined>;
  /** Oldest first. */
  listPasskeys(args: PersonKey): Promise<readonly Passkey[]>;
  /** Records a use; of two with the same count, one. */
  usePasskey(
    args: PersonKey & {
      readonly credentialId: string;
      readonly counter: number;
      readonly backedUp: boolean;
      readonly now: Millis;
    },
  ): Promise<UsePasskeyOutcome>;
  removePasskey(
    args: PersonKey & { readonly credentialId: string; readonly now: Millis } & Told,
  ): Promise<RemovePasskeyOutcome>;

  /** Undefined: this person has none. */
  getSecondFactor(args: PersonKey): Promise<SecondFactor | undefined>;
  /** With new recovery codes; what there was before goes. `step`: of the code that proved it. False: no such person, or disabled. */
  setSecondFactor(
    args: PersonKey & {
      readonly sealedSecret: Uint8Array;
      readonly step: number;
      /** Hashes. */
      readonly codes: readonly string[];
      readonly now: Millis;
    } & Told,
  ): Promise<boolean>;
  /** True: no code of this step or a later one was accepted before, and none will be again. */
  useSecondFactor(args: PersonKey & { readonly step: number; readonly now: Millis }): Promise<boolean>;
  /** With its recovery codes. */
  removeSecondFactor(args: PersonKey & { readonly now: Millis } & Told): Promise<boolean>;
  /** In place of those that are left. False: there is no second factor that they could stand in for. */
  setRecoveryCodes(
    args: PersonKey & { readonly codes: readonly string[]; readonly now: Millis } & Told,
  ): Promise<boolean>;
  /** True: it was one, and is none any more. */
  useRecoveryCode(args: PersonKey & { readonly code: string; readonly now: Millis } & Told): Promise<boolean>;
}
