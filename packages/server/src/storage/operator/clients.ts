/**
 * Verbs of client records (RFC 6749 §2). The id of a deleted client stays for a day, so that caches learn of the
 * deletion.
 */

import { type PutOutcome, searchName, type Versioned } from "../../admin/storage.ts";
import type { NewEvent } from "../../events/event.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { query, sql, steps, type Tx, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { DAY, json, text, whole } from "../row-conversion.ts";
import { forgetConfigured, hold, raise } from "./catalog-versions.ts";
import { closeClientGate } from "./client-advisory-lock.ts";
import { finishEnding, markEnding } from "./end-grants-of-client.ts";

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

/** Sorted by client_id. */
export const listClients = query<{ readonly limit: number; readonly after: string | null }, readonly Client[]>({
  sql: sql`SELECT record FROM clients WHERE record IS NOT NULL AND client_id > :after ORDER BY client_id LIMIT :limit`,
  bind: ({ limit, after }) => ({ limit, after: after ?? "" }),
  outcome: (rows) => rows.map((row) => json<Client>(row, "record")),
});

/** The apps that the operator has verified, sorted by client_id. An index over the text of the record finds them. */
export const listVerifiedClients = query<{ readonly limit: number; readonly after: string | null }, readonly Client[]>({
  sql: sql`SELECT record FROM clients WHERE record LIKE '%"verified":true%' AND client_id > :after ORDER BY client_id LIMIT :limit`,
  bind: ({ limit, after }) => ({ limit, after: after ?? "" }),
  outcome: (rows) => rows.map((row) => json<Client>(row, "record")).filter(({ verified }) => verified === true),
});

export interface Put {
  readonly client: Client;
  readonly expect: number | null;
}

/**
 * When a client is disabled, its grants end, and they don't come back when it is enabled again. Owners see the consent
 * page again only if they have no active consent.
 */
export const putClient = steps<Put, PutOutcome>(async (call, args) => {
  for (;;) {
    const outcome = await call(writeClient, args);
    // Before the client is enabled again, or another client gets its id, all earlier grants must have ended.
    if (outcome.kind === "ending" || args.client.status === "disabled") await finishEnding(call, args.client.clientId);
    if (outcome.kind !== "ending") return outcome;
  }
});

/** `ending`: earlier grants of the client are still being ended. */
export const writeClient = transaction<Put, PutOutcome | { readonly kind: "ending" }>(
  async (tx, { client, expect }) => {
    await hold(tx);
    const { clientId } = client;
    await closeClientGate(tx, clientId);
    const row = await tx.one(sql`SELECT record, version, ending FROM clients WHERE client_id = :clientId`, {
      clientId,
    });
    const before = row === undefined || row["record"] === null ? undefined : json<Client>(row, "record");
    const found = row === undefined || before === undefined ? 0 : whole(row, "version");
    if (expect !== null && expect !== found) return { kind: "conflict" };
    const ending = row !== undefined && row["ending"] !== null;
    if (ending && (client.status === "active" || before === undefined)) return { kind: "ending" };
    const version = await raise(tx, "clients");
    await tx.run(
      sql`INSERT INTO clients (client_id, record, version, deleted_at, search_name, created_at, forget_after)
        VALUES (:clientId, :record, :version, NULL, :searchName, :createdAt, :forgetAfter)
        ON CONFLICT (client_id) DO UPDATE SET record = excluded.record, version = excluded.version, deleted_at = NULL,
          search_name = excluded.search_name, created_at = excluded.created_at,
          forget_after = CASE WHEN :isDescribed = 1 THEN excluded.forget_after ELSE clients.forget_after END`,
      {
        ...{ clientId, record: JSON.stringify(client), version },
        ...{ searchName: searchName(client.name), createdAt: client.createdAt },
        ...{ forgetAfter: forgetAfter(client), isDescribed: client.document === undefined ? 0 : 1 },
      },
    );
    if (client.status === "disabled" && before?.status !== "disabled") {
      await markEnding(tx, clientId, { version, name: client.name, at: client.updatedAt, revokes: false });
    }
    await tell(tx, changeOf(before, client));
    return { kind: "stored", version };
  },
);

/** A client that only its document describes is forgotten after this time without a use. */
const UNUSED: Millis = 30 * DAY;

/**
 * For a client that a document describes. Null: never. What an operator decided stays, also that the client is refused.
 * A use reads the document, at least once a day.
 */
function forgetAfter({ document, status, verified, reviewed, firstParty }: Client): Millis | null {
  const isJudged = status !== "active" || verified === true || reviewed !== false || firstParty;
  return document === undefined || isJudged ? null : document.checkedAt + UNUSED;
}

/** Number of clients that only documents describe, counted up to `most`. Their ids are addresses. */
export const countDescribed = query<{ readonly most: number }, number>({
  sql: sql`SELECT COUNT(*) AS n FROM
    (SELECT 1 FROM clients WHERE forget_after > 0 AND client_id LIKE 'http%://%' LIMIT :most) AS few`,
  bind: ({ most }) => ({ most }),
  outcome: ([row]) => (row === undefined ? 0 : whole(row, "n")),
});

function changeOf(before: Client | undefined, client: Client): NewEvent {
  const { clientId, updatedAt: at } = client;
  const about = { at, by: "operator", clientId } as const;
  if (before === undefined) return { ...about, kind: "client.created", details: { type: client.type } };
  if (before.status !== client.status)
    return { ...about, kind: client.status === "disabled" ? "client.disabled" : "client.enabled" };
  return { ...about, kind: "client.updated", details: { changed: changedFields(before, client) } };
}

/** Names alone, because values can be secrets. */
function changedFields(before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = new Set([...old.keys(), ...now.keys()]);
  const differs = (name: string) => JSON.stringify(old.get(name) ?? null) !== JSON.stringify(now.get(name) ?? null);
  return [...names].filter((name) => name !== "updatedAt" && differs(name));
}

type Removal = { readonly clientId: string; readonly now: Millis; readonly by?: "client" };

export const deleteClient = steps<Removal, boolean>(async (call, args) => {
  const removed = await call(removeClient, args);
  await finishEnding(call, args.clientId);
  return removed;
});

/**
 * Deletes the record first: from then on nobody is this client. If the client was being disabled, the work starts again
 * and ends its consents, too. A client that a document describes would come back with its next request, so its record
 * stays, disabled, until an operator enables it.
 */
export const removeClient = transaction<Removal, boolean>(async (tx, { clientId, now, by = "operator" }) => {
  await hold(tx);
  await closeClientGate(tx, clientId);
  const found = await tx.one(sql`SELECT record FROM clients WHERE client_id = :clientId AND record IS NOT NULL`, {
    clientId,
  });
  if (found === undefined) return false;
  const client = json<Client>(found, "record");
  const left: Client | null = client.document === undefined ? null : { ...client, status: "disabled", updatedAt: now };
  await dropClient(tx, client, { at: now, by }, left);
  return true;
});

/** The transaction must have closed the client's gate. `left`: the record that stays. Null: none. */
export async function dropClient(
  tx: Tx,
  { clientId, name }: Client,
  event: { readonly at: Millis } & Pick<NewEvent, "by" | "details">,
  left: Client | null = null,
): Promise<void> {
  const { at } = event;
  const version = await raise(tx, "clients");
  await tx.run(
    sql`UPDATE clients SET record = :left, version = :version, deleted_at = :deletedAt, forget_after = NULL
      WHERE client_id = :clientId`,
    { clientId, version, left: left && JSON.stringify(left), deletedAt: left === null ? at : null },
  );
  await markEnding(tx, clientId, {
    version,
    name,
    at,
    revokes: true,
    ...(event.by === "client" ? { by: "client" } : {}),
  });
  forgetConfigured(tx, "clients", clientId);
  await tell(tx, { ...event, kind: "client.deleted", clientId });
}
