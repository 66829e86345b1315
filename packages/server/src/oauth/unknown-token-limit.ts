/**
 * A limit on unknown tokens at introspection and revocation (RFC 7662 §4: token scanning). The token is checked first,
 * so that the limit never affects a valid one.
 */

import { refuse } from "./errors.ts";
import type { Client, Resource } from "./model.ts";
import type { OAuthContext } from "./ports.ts";

type MissContext = Pick<OAuthContext, "misses" | "event" | "networkOf">;

/**
 * The key under which a client's misses are counted. Anybody can use a public client's id, so its misses are counted
 * for each network.
 */
export function missKey({ clientId, type }: Client, address: string, { networkOf }: MissContext): string {
  return type === "public" ? `client ${clientId} ${networkOf(address)}` : `client ${clientId}`;
}

/** A client presented a token that is not its own. Refuses it above the limit. */
export function missedByClient(client: Client, address: string, context: MissContext): void {
  const wait = context.misses.count(missKey(client, address, context));
  if (wait !== undefined) refuse("unknown_tokens_throttled", undefined, wait);
}

/**
 * An API presented a token that is not meant for it. It is never refused: strangers can send it any number of tokens,
 * and an API that gets errors may stop asking about its users' tokens.
 */
export function missedByApi({ introspectionClientId }: Resource, { misses, event }: MissContext): void {
  if (misses.count(`api ${introspectionClientId}`) !== undefined) {
    event("unknown_tokens", { client_id: introspectionClientId });
  }
}
