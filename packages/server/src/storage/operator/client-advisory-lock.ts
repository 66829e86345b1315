/**
 * The order of transactions that rely on a client's record and transactions that change it. The first ones run at the
 * same time and write nothing for it: a lock of the client's row would write to that row for each consent.
 */

import { createHash } from "node:crypto";
import { type Params, sql, type Tx, words } from "../define-verbs.ts";

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

/** True: the client was deleted, perhaps before this process's catalog learned it. Keeps it from being deleted until the transaction ends. */
export async function isDeletedClient(tx: Tx, clientId: string): Promise<boolean> {
  await passClientGate(tx, clientId);
  const row = await tx.one(sql`SELECT record FROM clients WHERE client_id = :clientId`, { clientId });
  return row !== undefined && row["record"] === null;
}
