/** The operator's use-cases for consents: list them, revoke them for an owner, and verify their receipts. */

import { type VerifiedReceipt, verifyReceipt } from "../crypto/signed-receipts.ts";
import type { Consent } from "../oauth/model.ts";
import { consentUnder } from "../owners/consent-after-decision.ts";
import { refuse } from "./admin-error.ts";
import { type CompanyRef, companyBySlug, revokeForAll } from "./companies.ts";
import { type AdminContext, ceilingFor } from "./context.ts";
import type { Page, Place } from "./directory.ts";
import { type UserRef, userOf } from "./people.ts";

/** An owner: a person or a company. */
export type OwnerName = { readonly user: UserRef } | { readonly company: CompanyRef };

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

/** The consents with the ends that they have under the present limits of their clients. */
async function underCeilings(consents: readonly Consent[], context: AdminContext): Promise<readonly Consent[]> {
  const ids = [...new Set(consents.map(({ clientId }) => clientId))];
  const clients = await Promise.all(ids.map((clientId) => context.storage.clients.get({ clientId })));
  const ceilings = new Map(ids.map((id, at) => [id, ceilingFor(clients[at]?.record, context)]));
  return consents.map((consent) => consentUnder(consent, ceilings.get(consent.clientId) ?? null));
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
  return underCeilings(
    await context.storage.consents.listAll({ ownerId, clientId: filter.clientId ?? null, limit }),
    context,
  );
}

/** A page of consents, of one owner, one client, or all. Throws `unknown` if the owner does not exist. */
export async function consentsPage(
  filter: {
    readonly owner?: OwnerName;
    readonly clientId?: string;
    readonly limit: number;
    readonly after: Place | null;
  },
  context: AdminContext,
): Promise<Page<Consent>> {
  const { owner, clientId = null, limit, after } = filter;
  const ownerId = owner === undefined ? null : (await ownerOf(owner, context)).ownerId;
  const place = after === null ? null : { ownerId: after.id, clientId: String(after.key) };
  const items = await context.storage.directory.consents({ ownerId, clientId, after: place, limit });
  const last = items.at(-1);
  const isLast = last === undefined || items.length < limit;
  return { items: await underCeilings(items, context), next: isLast ? null : { key: last.clientId, id: last.ownerId } };
}

/**
 * Ends a consent and every grant under it. Returns the number of live grants. For a company, this includes grants of
 * all members, and an approval for all members. Throws `unknown`.
 */
export async function revokeConsent(owner: OwnerName, clientId: string, context: AdminContext): Promise<number> {
  if ("company" in owner) return revokeForAll(owner.company, clientId, context);
  const { partition, personId: ownerId, username } = await userOf(owner.user, context);
  const outcome = await context.storage.consents.revoke({
    ...{ partition, ownerId, clientId, revokedBy: "operator", now: context.now() },
  });
  if (outcome.kind === "revoked") return outcome.grantsEnded;
  const problem = `${JSON.stringify(username)} has no active consent for ${JSON.stringify(clientId)}`;
  return refuse("unknown", "client_id", problem);
}

/** Maximum number of characters of a receipt's file: a thousand times a short one. */
export const LONGEST_RECEIPT = 1_048_576;

/** Whether this server signed the receipt, and nobody changed it. The database has the keys. */
export function receiptOf(text: string, { storage, issuer }: AdminContext): Promise<VerifiedReceipt> {
  return verifyReceipt(text, { issuer, longest: LONGEST_RECEIPT, keys: () => storage.history.listReceiptKeys() });
}
