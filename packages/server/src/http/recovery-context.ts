/** What the use-cases of recovery are given, and where their pages are. */

import { newId } from "../crypto/id.ts";
import { relyingPartyOf } from "../crypto/passkeys.ts";
import type { RecoveryContext } from "../owners/recovery/take-back.ts";
import type { Assent } from "../server-parts.ts";

export function recoveryContext({ storage, mail, links, issuer, now, signIn }: Assent): RecoveryContext {
  return {
    attemptKey: signIn.attemptKey,
    storage,
    mail,
    links,
    issuer,
    newId,
    now,
    passkeysWork: relyingPartyOf(issuer) !== undefined,
  };
}

/** Where an account is taken back, below the issuer. */
export const TAKE_BACK_PATHS = { recover: "/recover/new", undo: "/undo" } as const;
