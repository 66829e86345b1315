/** What an operator sees of consents, and takes back for an owner. */

import type { Consent } from "../oauth/model.ts";
import type { AdminContext } from "./context.ts";
import { userOf } from "./people.ts";
import { refuse } from "./problem.ts";

/** Consents of one person, one client, or any; `limit` of them at most. Throws `unknown` for a person who isn't there. */
export async function listConsents(
  filter: { readonly user?: string; readonly clientId?: string; readonly limit: number },
  context: AdminContext,
): Promise<readonly Consent[]> {
  const ownerId = filter.user === undefined ? null : (await userOf(filter.user, context)).personId;
  const clientId = filter.clientId ?? null;
  return context.storage.listAllConsents({ ownerId, clientId, limit: filter.limit });
}

/** Ends a consent and every grant under it; how many live grants that were. Throws `unknown`. */
export async function revokeConsent(user: string, clientId: string, context: AdminContext): Promise<number> {
  const { partition, personId } = await userOf(user, context);
  const outcome = await context.storage.revokeConsent({
    partition,
    ownerId: personId,
    clientId,
    revokedBy: "operator",
    now: context.now(),
  });
  if (outcome.kind === "unknown") {
    return refuse(
      "unknown",
      "client_id",
      `${JSON.stringify(user)} has no active consent for ${JSON.stringify(clientId)}`,
    );
  }
  return outcome.grantsEnded;
}
