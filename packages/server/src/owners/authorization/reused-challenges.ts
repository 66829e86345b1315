/**
 * Detects apps that send one code_challenge in several authorizations (RFC 9700 §2.1.1): PKCE protects none of their
 * codes.
 */

import type { LRUCache } from "lru-cache";
import { leastRecentlyUsed } from "../../least-recently-used.ts";
import type { AuthorizationContext } from "./context.ts";

/** Number of recent challenges that this process remembers. */
const REMEMBERED = 2_000;
/** From this number of authorizations with one challenge on, the log names the app. */
const SUSPICIOUS = 3;

/** The authorizations with this challenge, each by values that do not change when a page is loaded again. */
type Authorizations = Set<string>;

const reused = new WeakMap<AuthorizationContext, LRUCache<string, Authorizations>>();

export interface IssuedCode {
  readonly clientId: string;
  readonly codeChallenge: string | null;
  readonly ownerId: string;
  readonly state: string | null;
}

/**
 * Logs `pkce_challenge_reused` once for a client's challenge, at the third authorization with another owner or another
 * `state`.
 */
export function noteChallenge(
  { clientId, codeChallenge, ownerId, state }: IssuedCode,
  context: AuthorizationContext,
): void {
  if (codeChallenge === null) return;
  let remembered = reused.get(context);
  if (remembered === undefined) {
    remembered = leastRecentlyUsed(REMEMBERED);
    reused.set(context, remembered);
  }
  const key = JSON.stringify([clientId, codeChallenge]);
  const seen = remembered.get(key) ?? new Set();
  if (seen.size === SUSPICIOUS) return;
  seen.add(context.oauth.hashes.sha256(JSON.stringify([ownerId, state])));
  remembered.set(key, seen);
  if (seen.size === SUSPICIOUS) context.event("pkce_challenge_reused", { client_id: clientId });
}
