/** What the pages of a recovery are made with, and where they are. */

import { relyingPartyOf } from "../crypto/passkeys.ts";
import type { FollowContext } from "../owners/mail/open-mail-link.ts";
import type { RecoveryContext } from "../owners/recovery/recover-account.ts";
import type { SessionTools, VisitorContext } from "./browser-of-request.ts";
import type { EventTools, FlowTools, FormTools } from "./endpoint-contexts.ts";

export interface RecoveryTools extends FormTools, VisitorContext, EventTools {
  readonly credentials: SessionTools["credentials"];
  readonly account: FollowContext;
  /** For the request that waits behind a link. */
  readonly authorization: FlowTools["authorization"];
  readonly recovery: Omit<RecoveryContext, "passkeysWork">;
}

export function recoveryContext({ recovery, issuer }: Pick<RecoveryTools, "recovery" | "issuer">): RecoveryContext {
  return { ...recovery, passkeysWork: relyingPartyOf(issuer) !== undefined };
}

/** The pages where an account is recovered, below the issuer. */
export const TAKE_BACK_PATHS = { recover: "/recover/new", undo: "/undo" } as const;
