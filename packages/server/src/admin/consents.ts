/** The operator's use-cases for consents: list them, revoke them for an owner, and verify their receipts. */

import { type VerifiedReceipt, verifyReceipt } from "../crypto/signed-receipts.ts";
import type { Consent } from "../oauth/model.ts";
import { refuse } from "./admin-error.ts";
import { companyBySlug, revokeForAll } from "./companies.ts";
import type { AdminContext } from "./context.ts";
import { userOf } from "./people.ts";

/** An owner: a person by username or e-mail address, or a company by slug. */
export type OwnerName = { readonly user: string } | { readonly company: string };

async function ownerOf(
  name: OwnerName,
  context: AdminContext,
): Promise<{ readonly partition: number; readonly ownerId: string }> {
  if ("user" in name) {
    const { partition, personId: ownerId } = await userOf(name.user, context);
    return { partition, ownerId };
  }
  const { partition, companyId: ownerId } = await companyBySlug(name.company, context);
  return { partition, ownerId };
}

/** Consents of one owner, one client, or all; at most `limit`. Throws `unknown` if the owner does not exist. */
export async function listConsents(
  filter: {
    readonly user?: string;
    readonly company?: string;
    readonly clientId?: string;
    readonly limit: number;
  },
  context: AdminContext,
): Promise<readonly Consent[]> {
  const { user, company, limit } = filter;
  const name = user !== undefined ? { user } : company !== undefined ? { company } : undefined;
  const ownerId = name === undefined ? null : (await ownerOf(name, context)).ownerId;
  return context.storage.consents.listAll({ ownerId, clientId: filter.clientId ?? null, limit });
}

/**
 * Ends a consent and every grant under it. Returns the number of live grants. For a company, this includes grants of
 * all members, and an approval for all members. Throws `unknown`.
 */
export async function revokeConsent(owner: OwnerName, clientId: string, context: AdminContext): Promise<number> {
  if ("company" in owner) return revokeForAll(owner.company, clientId, context);
  const key = await ownerOf(owner, context);
  const outcome = await context.storage.consents.revoke({
    ...{ ...key, clientId, revokedBy: "operator", now: context.now() },
  });
  if (outcome.kind === "revoked") return outcome.grantsEnded;
  const problem = `${JSON.stringify(owner.user)} has no active consent for ${JSON.stringify(clientId)}`;
  return refuse("unknown", "client_id", problem);
}

/** Maximum number of characters of a receipt's file: a thousand times a short one. */
export const LONGEST_RECEIPT = 1_048_576;

/** Whether this server signed the receipt, and nobody changed it. The database has the keys. */
export function receiptOf(text: string, { storage, issuer }: AdminContext): Promise<VerifiedReceipt> {
  return verifyReceipt(text, { issuer, longest: LONGEST_RECEIPT, keys: () => storage.history.listReceiptKeys() });
}
