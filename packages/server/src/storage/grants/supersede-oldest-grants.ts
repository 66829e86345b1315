/** The limit on the active grants of one owner, person and client: a new one ends the oldest. */

import type { Millis } from "../../oauth/model.ts";
import type { NewGrant } from "../../oauth/storage.ts";
import { noteEnded } from "../consents/history.ts";
import { sql, type Tx } from "../define-verbs.ts";
import { isActive, supersededUntil, text, whole } from "../row-conversion.ts";
import { endedColumns, keepUses } from "./uses.ts";

/** Maximum number of active grants of one owner, person and client. */
export const LIVE_GRANTS = 50;

/**
 * Ends active grants of an owner and client beyond 50, with the new one: those that have expired first, then those
 * unused for longest. So no statement about an app finds more than 50. In a company, each person has 50, so that no
 * member pushes out another's grant.
 */
export async function supersede(
  tx: Tx,
  grant: Pick<NewGrant, "partition" | "ownerId" | "personId" | "clientId" | "grantId">,
  clientName: string,
  now: Millis,
): Promise<void> {
  const { partition, ownerId, personId, clientId, grantId } = grant;
  const ended = await tx.all(
    sql`UPDATE grants SET status = 'superseded', ended_at = :now, collect_at = ${supersededUntil}
      WHERE partition = :partition AND grant_id IN (
        SELECT grant_id FROM grants
        WHERE partition = :partition AND owner_id = :ownerId AND client_id = :clientId AND ${isActive}
          AND person_id = :personId AND grant_id <> :grantId
        ORDER BY CASE WHEN idle_until > :now AND absolute_until > :now THEN 0 ELSE 1 END,
          COALESCE(last_used_at, created_at) DESC, grant_id LIMIT 1000 OFFSET :others)
      RETURNING grant_id, refreshable, ${endedColumns}`,
    { partition, ownerId, personId, clientId, grantId, now, others: LIVE_GRANTS - 1 },
  );
  await keepUses(tx, grant, ended);
  // A grant that ends with its access token is a connection that nobody would miss: a program with a password makes one
  // each time.
  for (const row of ended.filter((row) => whole(row, "refreshable") === 1)) {
    const which = { grantId: text(row, "grant_id"), ...(ownerId === personId ? {} : { personId }) };
    await noteEnded(tx, { partition, ownerId, cause: "crowded", by: "server", ...which, now, clientName }, [row]);
  }
}
