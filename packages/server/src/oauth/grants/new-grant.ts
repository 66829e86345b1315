/** Builds every new grant (RFC 6749 §1.3): who allowed which scopes to which client, and until when. */

import { ceilingOf } from "../consent-reach.ts";
import type { Client, Millis } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import type { NewGrant } from "../storage.ts";
import { mayUse } from "./registry.ts";

/** A new grant, without the data with which it is redeemed. */
export type GrantTerms = Omit<
  NewGrant,
  "codeSaltHash" | "redirectUri" | "codeChallenge" | "codeChallengeMethod" | "codeUntil" | "accessUntil"
>;

/** The owner's or operator's decision. */
export interface Granted extends Pick<GrantTerms, "partition" | "grantId" | "ownerId" | "scopes" | "audience"> {
  readonly client: Client;
  /** The person who acted for the owner. Absent: the owner acted. */
  readonly personId?: string;
  /** False: this grant gives no refresh token, whatever the client may use. */
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

/**
 * A grant whose row begins as redeemed: no salt has an empty hash, so no code leads to it. `accessUntil`: the end of
 * its last access token.
 */
export function redeemedAtOnce(terms: GrantTerms, { codeUntil, accessUntil }: RedeemedUntil): NewGrant {
  const none = { codeSaltHash: new Uint8Array(), redirectUri: "", codeChallenge: null, codeChallengeMethod: null };
  return { ...terms, ...none, codeUntil, accessUntil };
}

interface RedeemedUntil {
  /** As in `NewGrant`. */
  readonly codeUntil: Millis;
  readonly accessUntil: Millis;
}
