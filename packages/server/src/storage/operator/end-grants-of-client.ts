/**
 * Ends all grants of a client that was disabled or deleted. No transaction is long, however many owners the client has:
 * the change writes a marker into the client's own row, and the grants end in batches that record their position in the
 * marker. From the change on, the server refuses the client because of its record, and grants it nothing. While the
 * marker exists, the client can't be enabled again.
 */

import type { Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { removeConnectionsOfClient } from "../companies/company-connections.ts";
import { note, noteForOwners } from "../consents/history.ts";
import { type Call, named, query, sql, type Tx, transaction, words } from "../define-verbs.ts";
import { lastGrantUseAnywhere } from "../grants/uses.ts";
import { ENDED_KEPT, isActive, json, text, whole } from "../row-conversion.ts";

/** The marker as the client's row stores it. */
interface Ending {
  /**
   * The client's version, from the change that ends its grants. With an owner's id it names an entry of the history.
   */
  readonly version: number;
  readonly name: string;
  readonly at: Millis;
  /** True: the client was deleted, so its consents and companies' connections of it end, too. */
  readonly revokes: boolean;
  /** The client unregistered itself. Absent: an operator disabled or deleted it. */
  readonly by?: "client" | "operator";
  /** The last owner whose grants have ended; null: none yet. */
  readonly after: { readonly partition: number; readonly ownerId: string } | null;
}

/** Number of owners, or of companies' connections, in one batch, unless the caller names another. */
const OWNERS = 500;
/** Number of grants in one batch: a company may have more grants of one client than most clients have owners. */
const GRANTS = 2000;

/**
 * Writes the marker. Call it in the transaction that disables or deletes the client; after that, no grant of the client
 * is made.
 */
export async function markEnding(tx: Tx, clientId: string, ending: Omit<Ending, "after">): Promise<void> {
  await writeEnding(tx, clientId, { ...ending, after: null });
}

async function writeEnding(tx: Tx, clientId: string, ending: Ending | null): Promise<void> {
  await tx.run(sql`UPDATE clients SET ending = :ending WHERE client_id = :clientId`, {
    clientId,
    ending: ending && JSON.stringify(ending),
  });
}

/** Every grant has its consent record, and the table of consents has an index by client. */
const someOwners = sql`SELECT partition, owner_id, client_id FROM consents
  WHERE client_id = :clientId AND (partition, owner_id) > (:partition, :ownerId) ORDER BY partition, owner_id LIMIT :limit`;

/** The sort is by an expression, because SQLite would otherwise read all grants to avoid sorting. */
const someGrants = sql`SELECT partition, grant_id FROM grants
  WHERE ${isActive} AND (partition, owner_id, client_id) IN (${someOwners}) ORDER BY partition + 0, grant_id || '' LIMIT :most`;

/**
 * Runs one batch. False: nothing is left to do. Simultaneous callers run one after the other, and each continues where
 * the last one stopped.
 */
export const endGrantsOfClient = transaction<{ readonly clientId: string; readonly limit: number }, boolean>(
  async (tx, { clientId, limit }) => {
    const row = await tx.one(
      sql`SELECT ending FROM clients WHERE client_id = :clientId AND ending IS NOT NULL ${words.forUpdate}`,
      { clientId },
    );
    if (row === undefined) return false;
    const ending = json<Ending>(row, "ending");
    const { at, by = "operator" } = ending;
    // Before the consents: whoever uses a connection locks it first. They are gone then, so no position is needed.
    if (ending.revokes && (await removeConnectionsOfClient(tx, { clientId, limit }, { at, by })) > 0) return true;
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

/**
 * Locks consents first, then grants: the same order as the transactions that make a grant. Returns the number of
 * grants.
 */
async function endSome(tx: Tx, page: Page, { at, name, version, revokes, by = "operator" }: Ending): Promise<number> {
  const some = { ...page, most: GRANTS };
  if (revokes) {
    await endApprovals(tx, page, { at, name, by });
    await tx.run(
      sql`UPDATE consents SET status = 'revoked', revoked_at = :at, updated_at = :at
        WHERE (partition, owner_id, client_id) IN (${someOwners}) AND status = 'active'`,
      { ...page, at },
    );
  }
  await tx.run(
    sql`UPDATE consents SET last_used_at = ${lastGrantUseAnywhere}
      WHERE (partition, owner_id, client_id) IN (${someOwners}) AND ${lastGrantUseAnywhere} > COALESCE(last_used_at, 0)`,
    { ...page },
  );
  // In the order in which groups of refreshes lock the rows.
  await tx.all(sql`${someGrants} ${words.forUpdateAcross}`, some);
  const ended = await tx.run(
    sql`UPDATE grants SET status = 'client_ended', ended_at = :at, collect_at = :endedKept WHERE (partition, grant_id) IN (${someGrants})`,
    { ...some, at, endedKept: at + ENDED_KEPT },
  );
  if (ended === 0) return 0;
  const none = { via: null, scopes: [], removed: [], expiresAt: null };
  const record = { clientName: name, by, ...none, cause: "app" } as const;
  await noteForOwners(tx, someOwners, { ...page }, { at, version, record });
  return ended;
}

const choicesOfMembers = ["company_rule_members", "company_choices"]
  .map(named)
  .map((table) => sql`DELETE FROM ${table} WHERE (partition, company_id, client_id) IN (${someOwners})`);

/**
 * Without this, an app that gets the client's id later would be approved by companies that never saw it. Members ask from
 * then on; blocks stay. A member's earlier choice of the company counts no more. An approval has its consent of the company,
 * so the page of consents finds it. In the order of a change of the rule: rule, choices, consent.
 */
async function endApprovals(
  tx: Tx,
  page: Page,
  { at, name, by }: Required<Pick<Ending, "at" | "name" | "by">>,
): Promise<void> {
  const approved = await tx.all(
    sql`UPDATE company_rules SET rule = 'ask', audience = 'everybody', scopes = '[]', hosts = '[]', ends_at = NULL,
        decided_by = :by, decided_at = CASE WHEN decided_at < :at THEN :at ELSE decided_at + 1 END
      WHERE (partition, company_id, client_id) IN (${someOwners}) AND (rule = 'allow' OR audience = 'selected')
      RETURNING partition, company_id`,
    { ...page, at, by },
  );
  for (const statement of choicesOfMembers) await tx.run(statement, { ...page });
  for (const row of approved) {
    const { clientId } = page;
    await note(tx, {
      ...{ partition: whole(row, "partition"), ownerId: text(row, "company_id"), clientId, at, kind: "rule_changed" },
      record: { clientName: name, by, via: null, scopes: [], removed: [], expiresAt: null, rule: "ask" },
    });
  }
}

/** Runs all batches that are left. */
export async function finishEnding(call: Call, clientId: string): Promise<void> {
  while (await call(endGrantsOfClient, { clientId, limit: OWNERS }));
}

/**
 * For housekeeping: one batch of each client whose operator's command was interrupted. The batch is large, because
 * other work waits for it.
 */
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
