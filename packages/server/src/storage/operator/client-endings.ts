/**
 * What becomes of all that was granted to a client that was disabled or removed. However many owners it has, no transaction is long: the change writes
 * a marker into the client's own row, and the grants end in batches that note in it how far they came. From the marker on the client is told no, since
 * its record says so, and nothing is granted to it; as long as the marker stands it can't be enabled again.
 */

import type { Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { noteForOwners } from "../consents/history.ts";
import { ENDED_KEPT, json, text, whole } from "../rows.ts";
import { type Call, query, sql, type Tx, transaction, words } from "../sql.ts";

/** As the client's row keeps it. */
interface Ending {
  /** Of the client, by the change that ends its grants: with an owner's id it names an entry of the history. */
  readonly version: number;
  readonly name: string;
  readonly at: Millis;
  /** The client was removed: what was consented to it goes, too. */
  readonly revokes: boolean;
  /** The last owner who is done with; null: none yet. */
  readonly after: { readonly partition: number; readonly ownerId: string } | null;
}

/** Owners of one batch, where the caller has no wish of its own. */
const OWNERS = 500;
/** Grants of one batch: a company may have more of one client than there are people in most. */
const GRANTS = 2000;

/** Begins: to be called in the transaction that disables or removes the client, behind which no grant of it is born. */
export async function markEnding(tx: Tx, clientId: string, ending: Omit<Ending, "after">): Promise<void> {
  await writeEnding(tx, clientId, { ...ending, after: null });
}

async function writeEnding(tx: Tx, clientId: string, ending: Ending | null): Promise<void> {
  await tx.run(sql`UPDATE clients SET ending = :ending WHERE client_id = :clientId`, {
    clientId,
    ending: ending && JSON.stringify(ending),
  });
}

/** Every grant has its consent record, and that table has an index by client. */
const someOwners = sql`SELECT partition, owner_id, client_id FROM consents
  WHERE client_id = :clientId AND (partition, owner_id) > (:partition, :ownerId) ORDER BY partition, owner_id LIMIT :limit`;

/** By an expression, since SQLite would walk all grants to spare the sort. */
const someGrants = sql`SELECT partition, grant_id FROM grants
  WHERE status = 'active' AND (partition, owner_id, client_id) IN (${someOwners}) ORDER BY partition + 0, grant_id || '' LIMIT :most`;

/** One batch; false: nothing is left to do. Any number of callers at once: they come one after the other, and go on where the last one stopped. */
export const endGrantsOfClient = transaction<{ readonly clientId: string; readonly limit: number }, boolean>(
  async (tx, { clientId, limit }) => {
    const row = await tx.one(
      sql`SELECT ending FROM clients WHERE client_id = :clientId AND ending IS NOT NULL ${words.forUpdate}`,
      { clientId },
    );
    if (row === undefined) return false;
    const ending = json<Ending>(row, "ending");
    const { partition, ownerId } = ending.after ?? { partition: -1, ownerId: "" };
    const page = { clientId, partition, ownerId, limit };
    const last = (await tx.all(someOwners, page)).at(-1);
    if (last === undefined) {
      await writeEnding(tx, clientId, null);
      return false;
    }
    const ended = await endSome(tx, page, ending);
    const after = { partition: whole(last, "partition"), ownerId: text(last, "owner_id") };
    if (ended < GRANTS) await writeEnding(tx, clientId, { ...ending, after });
    return true;
  },
);

interface Page {
  readonly clientId: string;
  readonly partition: number;
  readonly ownerId: string;
  readonly limit: number;
}

/** Consents first, then grants: the order in which whoever makes a grant takes them. How many grants. */
async function endSome(tx: Tx, page: Page, { at, name, version, revokes }: Ending): Promise<number> {
  const some = { ...page, most: GRANTS };
  if (revokes) {
    await tx.run(
      sql`UPDATE consents SET status = 'revoked', revoked_at = :at, updated_at = :at
        WHERE (partition, owner_id, client_id) IN (${someOwners}) AND status = 'active'`,
      { ...page, at },
    );
  }
  // In the order in which groups of refreshes lock them.
  await tx.all(sql`${someGrants} ${words.forUpdate}`, some);
  const ended = await tx.run(
    sql`UPDATE grants SET status = 'client_ended', ended_at = :at, collect_at = :endedKept WHERE (partition, grant_id) IN (${someGrants})`,
    { ...some, at, endedKept: at + ENDED_KEPT },
  );
  if (ended === 0) return 0;
  const none = { via: null, scopes: [], removed: [], expiresAt: null };
  const record = { clientName: name, by: "operator", ...none, cause: "app" } as const;
  await noteForOwners(tx, someOwners, { ...page }, { at, version, record });
  return ended;
}

/** To the end, however far a caller before had come. */
export async function finishEnding(call: Call, clientId: string): Promise<void> {
  while (await call(endGrantsOfClient, { clientId, limit: OWNERS }));
}

/** For housekeeping: one batch of each client whose operator's command was cut short; a large one, since this is waited for. */
export async function goOnEnding(call: Call, limit: number): Promise<Swept> {
  let seen = 0;
  for (const clientId of await call(endingClients, { limit })) {
    if (await call(endGrantsOfClient, { clientId, limit: OWNERS })) seen = limit;
  }
  return { seen, removed: 0 };
}

export const endingClients = query<{ readonly limit: number }, readonly string[]>({
  sql: sql`SELECT client_id FROM clients WHERE ending IS NOT NULL ORDER BY client_id LIMIT :limit`,
  bind: ({ limit }) => ({ limit }),
  outcome: (rows) => rows.map((row) => text(row, "client_id")),
});
