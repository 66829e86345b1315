/** Entries in the history of a company about its members. */

import type { Millis } from "../../oauth/model.ts";
import type { CompanyKey, Role } from "../../owners/company-storage.ts";
import type { CompanyHappening } from "../../owners/storage.ts";
import { note } from "../consents/history.ts";
import type { Tx } from "../define-verbs.ts";

/** Writes the history entry of the company about one member or one invitation. */
export function noteMember(
  tx: Tx,
  {
    partition,
    companyId,
    kind,
    by,
    now,
    clientName = null,
    ...about
  }: CompanyKey & {
    readonly kind: CompanyHappening;
    readonly by: string | null;
    /** The name of the company's provider that caused it. Absent: none did. */
    readonly clientName?: string | null;
    readonly personId?: string;
    readonly role?: Role;
    readonly invitationId?: string;
    readonly now: Millis;
  },
): Promise<string> {
  const nothing = { clientName, via: null, scopes: [], removed: [], expiresAt: null };
  return note(tx, {
    ...{ partition, ownerId: companyId, clientId: "", at: now, kind },
    record: { ...nothing, by: by ?? "operator", ...about },
  });
}
