/** Verbs of client records (RFC 6749 §2). A deleted one leaves its id behind for a day, so that caches learn of it. */

import type { PutOutcome, Versioned } from "../../admin/storage.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { json, text, whole } from "../rows.ts";
import { query, sql, type Tx, transaction } from "../sql.ts";
import { hold, raise } from "./catalog.ts";
import { noteClientEnded } from "./ended.ts";
import { ENDED_KEPT } from "./grants.ts";

export const clientsChangedSince = query<{ readonly version: number }, readonly string[]>({
  sql: sql`SELECT client_id FROM clients WHERE version > :version`,
  bind: ({ version }) => ({ version }),
  outcome: (rows) => rows.map((row) => text(row, "client_id")),
});

export const getClient = query<{ readonly clientId: string }, Versioned<Client> | undefined>({
  sql: sql`SELECT record, version FROM clients WHERE client_id = :clientId AND record IS NOT NULL`,
  bind: ({ clientId }) => ({ clientId }),
  outcome: ([row]) => row && { record: json<Client>(row, "record"), version: whole(row, "version") },
});

/** By client_id. */
export const listClients = query<{ readonly limit: number; readonly after: string | null }, readonly Client[]>({
  sql: sql`SELECT record FROM clients WHERE record IS NOT NULL AND client_id > :after ORDER BY client_id LIMIT :limit`,
  bind: ({ limit, after }) => ({ limit, after: after ?? "" }),
  outcome: (rows) => rows.map((row) => json<Client>(row, "record")),
});

export const putClient = transaction<{ readonly client: Client; readonly expect: number | null }, PutOutcome>(
  async (tx, { client, expect }) => {
    await hold(tx);
    const { clientId } = client;
    const row = await tx.one(sql`SELECT version FROM clients WHERE client_id = :clientId AND record IS NOT NULL`, {
      clientId,
    });
    const found = row === undefined ? 0 : whole(row, "version");
    if (expect !== null && expect !== found) return { kind: "conflict" };
    const version = await raise(tx, "clients");
    await tx.run(
      sql`INSERT INTO clients (client_id, record, version, deleted_at) VALUES (:clientId, :record, :version, NULL)
        ON CONFLICT (client_id) DO UPDATE SET record = excluded.record, version = excluded.version, deleted_at = NULL`,
      { clientId, record: JSON.stringify(client), version },
    );
    // What it was granted ends with it and does not come back when it is enabled again; owners are asked anew only where no consent stands.
    if (client.status === "disabled") await endGrants(tx, { clientId, version, name: client.name }, client.updatedAt);
    return { kind: "stored", version };
  },
);

interface Ending {
  readonly clientId: string;
  /** Of the client, by this change. */
  readonly version: number;
  readonly name: string;
}

/** Every grant has its consent record, and that table is the one with an index by client. */
async function endGrants(tx: Tx, { clientId, version, name }: Ending, now: Millis): Promise<void> {
  const ended = await tx.run(
    sql`UPDATE grants SET status = 'client_ended', ended_at = :now, collect_at = :endedKept
      WHERE status = 'active' AND (partition, owner_id, client_id) IN
        (SELECT partition, owner_id, client_id FROM consents WHERE client_id = :clientId)`,
    { clientId, now, endedKept: now + ENDED_KEPT },
  );
  if (ended > 0) await noteClientEnded(tx, { clientId, version, name, now });
}

/** Consents first, then grants: the order in which whoever makes a grant takes them. */
export const deleteClient = transaction<{ readonly clientId: string; readonly now: Millis }, boolean>(
  async (tx, { clientId, now }) => {
    await hold(tx);
    const found = await tx.one(sql`SELECT record FROM clients WHERE client_id = :clientId AND record IS NOT NULL`, {
      clientId,
    });
    if (found === undefined) return false;
    const version = await raise(tx, "clients");
    await tx.run(
      sql`UPDATE clients SET record = NULL, version = :version, deleted_at = :now WHERE client_id = :clientId`,
      { clientId, version, now },
    );
    await tx.run(
      sql`UPDATE consents SET status = 'revoked', revoked_at = :now, updated_at = :now
        WHERE +partition >= 0 AND client_id = :clientId AND status = 'active'`,
      { clientId, now },
    );
    await endGrants(tx, { clientId, version, name: json<Client>(found, "record").name }, now);
    return true;
  },
);
