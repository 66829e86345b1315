/** The one place where a new grant is put together (RFC 6749 §1.3): who allowed what to which client, and how far it may go. */

import { ceilingOf } from "../consent-reach.ts";
import type { Client, Millis } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import type { NewGrant } from "../storage.ts";
import { mayUse } from "./registry.ts";

/** A new grant without the way to redeem it. */
export type GrantTerms = Omit<
  NewGrant,
  "codeSaltHash" | "redirectUri" | "codeChallenge" | "codeChallengeMethod" | "codeUntil" | "accessUntil"
>;

/** What somebody allowed. */
export interface Granted extends Pick<GrantTerms, "partition" | "grantId" | "ownerId" | "scopes" | "audience"> {
  readonly client: Client;
  /** Who acted for the owner; absent: the owner did. */
  readonly personId?: string;
  /** False: whatever the client may use, this grant gives no refresh token. */
  readonly refreshable: boolean;
  /** How the person was recognized. */
  readonly signIn: Pick<GrantTerms, "authTime" | "acr" | "amr">;
}

export function newGrant(
  { client, partition, grantId, ownerId, personId = ownerId, scopes, audience, refreshable, signIn }: Granted,
  context: Pick<OAuthContext, "grants" | "policy">,
): GrantTerms {
  const { authTime, acr, amr } = signIn;
  return {
    ...{ partition, grantId, clientId: client.clientId, ownerId, personId },
    refreshable: refreshable && mayUse(client, "refresh_token", context),
    ...{ scopes, audience, authTime, acr, amr },
    ceiling: ceilingOf(client, context.policy),
  };
}

/** A grant whose row is born redeemed: no code leads to it, since the hash of no salt does. `accessUntil`: the end of its last access token. */
export function redeemedAtOnce(terms: GrantTerms, { codeUntil, accessUntil }: RedeemedUntil): NewGrant {
  const none = { codeSaltHash: new Uint8Array(), redirectUri: "", codeChallenge: null, codeChallengeMethod: null };
  return { ...terms, ...none, codeUntil, accessUntil };
}

interface RedeemedUntil {
  /** As of `NewGrant`. */
  readonly codeUntil: Millis;
  readonly accessUntil: Millis;
}
