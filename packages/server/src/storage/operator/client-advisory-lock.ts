/**
 * The order of transactions that rely on a client's record and transactions that change it. The first ones run at the
 * same time and write nothing for it: a lock of the client's row would write to that row for each consent.
 */

import { createHash } from "node:crypto";
import type { Client } from "../../oauth/model.ts";
import { type Params, sql, type Tx, words } from "../define-verbs.ts";
import { json } from "../row-conversion.ts";

/** "gate" as a number: separates these advisory locks of PostgreSQL from others of two numbers. */
const GATE = 0x67617465;

/** Two clients with one number only wait for each other. */
function gateOf(clientId: string): Params {
  return { gate: GATE, client: createHash("sha256").update(clientId).digest().readInt32BE() };
}

/**
 * Until the transaction ends, nobody changes the record of the client. Read the record by a later statement: it sees what
 * was committed before it began.
 */
export async function passClientGate(tx: Tx, clientId: string): Promise<void> {
  await tx.one(sql`SELECT ${words.sharedGate} AS gate`, gateOf(clientId));
}

/** Waits until no transaction relies on the client's record, and keeps others from relying on it. */
export async function closeClientGate(tx: Tx, clientId: string): Promise<void> {
  await tx.one(sql`SELECT ${words.exclusiveGate} AS gate`, gateOf(clientId));
}

/**
 * Undefined: there was never such a client, or it was deleted long ago. Keeps the client's record as it is until the
 * transaction ends. The catalog of this process can be older.
 */
export async function statusOfClient(tx: Tx, clientId: string): Promise<Client["status"] | "deleted" | undefined> {
  await passClientGate(tx, clientId);
  const row = await tx.one(sql`SELECT record FROM clients WHERE client_id = :clientId`, { clientId });
  if (row === undefined) return undefined;
  return row["record"] === null ? "deleted" : json<Client>(row, "record").status;
}
