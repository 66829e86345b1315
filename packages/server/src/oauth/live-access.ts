/** Whether the access behind an access token has ended, before the token expires (RFC 7662 §4). */

import { ceilingOf, underCeiling } from "./consent-reach.ts";
import type { Grant } from "./model.ts";
import type { OAuthContext } from "./ports.ts";

type LiveAccessContext = Pick<OAuthContext, "catalog" | "credentials" | "now" | "policy" | "storage">;

/**
 * False: the grant has ended or is paused, or a client is disabled. `clientId`: the client of the token, which can have
 * exchanged the token of another client (RFC 8693).
 */
export async function accessIsLive(grantId: string, clientId: string, context: LiveAccessContext): Promise<boolean> {
  // A client that was disabled a moment ago may have more grants than could be ended since.
  const asker = await context.catalog.client(clientId);
  if (asker?.status !== "active") return false;
  const partition = context.credentials.partitionOf(grantId);
  const found = await context.storage.grants.find({ partition, grantId, saltHash: null });
  if (found === undefined) return false;
  const exchanged = found.clientId !== clientId;
  const client = exchanged ? await context.catalog.client(found.clientId) : asker;
  if (client?.status !== "active") return false;
  if (exchanged && (await accessWasRemoved(found, clientId, context))) return false;
  // The ceiling may be lower now than when the token was issued.
  const grant = underCeiling(found, ceilingOf(client, context.policy));
  const now = context.now();
  return grant.status === "active" && grant.pausedAt === null && grant.idleUntil > now && grant.absoluteUntil > now;
}

/** True: the owner has removed or paused the access of the client that exchanged the token. */
async function accessWasRemoved({ partition, ownerId }: Grant, clientId: string, { storage }: LiveAccessContext) {
  const consent = await storage.consents.find({ partition, ownerId, clientId });
  return consent !== undefined && (consent.status === "revoked" || consent.pausedAt !== null);
}
