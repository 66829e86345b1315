/** Verbs of refused requests. Strangers cause these rows, so their number has a limit. */

import { MOST_REFUSALS, REFUSALS_KEPT, type StoredRefusal, type Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { query, type Row, sql, statement, steps, transaction } from "../define-verbs.ts";
import { partitionOfName } from "../partition.ts";
import { json, text, whole } from "../row-conversion.ts";

type Facts = Omit<StoredRefusal, "requestId" | "at" | "condition" | "clientId">;

function partitionOfRequest(requestId: string): number {
  return partitionOfName("refusal", requestId);
}

export const addRefusal = statement<{ readonly refusal: StoredRefusal }, void>({
  lock: null,
  sql: sql`INSERT INTO refusals (partition, request_id, at, condition, client_id, record)
    VALUES (:partition, :requestId, :at, :condition, :clientId, :record) ON CONFLICT (partition, request_id) DO NOTHING`,
  bind: ({ refusal: { requestId, at, condition, clientId, ...facts } }) => ({
    partition: partitionOfRequest(requestId),
    requestId,
    at,
    condition,
    clientId,
    record: JSON.stringify(facts),
  }),
  outcome: () => undefined,
});

const columns = sql`request_id, at, condition, client_id, record`;

function refusalOf(row: Row): StoredRefusal {
  return {
    requestId: text(row, "request_id"),
    at: whole(row, "at"),
    condition: text(row, "condition") as StoredRefusal["condition"],
    clientId: text(row, "client_id"),
    ...json<Facts>(row, "record"),
  };
}

export const getRefusal = query<{ readonly requestId: string }, StoredRefusal | undefined>({
  sql: sql`SELECT ${columns} FROM refusals WHERE partition = :partition AND request_id = :requestId`,
  bind: ({ requestId }) => ({ partition: partitionOfRequest(requestId), requestId }),
  outcome: ([row]) => row && refusalOf(row),
});

export interface RefusalPage {
  readonly condition: string | null;
  readonly before: Pick<StoredRefusal, "at" | "requestId"> | null;
  readonly limit: number;
}

const bound = ({ condition, before, limit }: RefusalPage) => ({
  condition,
  at: before?.at ?? Number.MAX_SAFE_INTEGER,
  requestId: before?.requestId ?? "",
  limit,
});

const fitting = sql`(at, request_id) < (:at, :requestId) AND (condition = :condition OR :condition IS NULL)
  ORDER BY at DESC, request_id DESC LIMIT :limit`;

export const refusalsOfAll = query<RefusalPage, readonly StoredRefusal[]>({
  sql: sql`SELECT ${columns} FROM refusals WHERE +partition >= 0 AND ${fitting}`,
  bind: bound,
  outcome: (rows) => rows.map(refusalOf),
});

export const refusalsOfClient = query<RefusalPage & { readonly clientId: string }, readonly StoredRefusal[]>({
  sql: sql`SELECT ${columns} FROM refusals WHERE +partition >= 0 AND client_id = :clientId AND ${fitting}`,
  bind: ({ clientId, ...page }) => ({ ...bound(page), clientId }),
  outcome: (rows) => rows.map(refusalOf),
});

export const listRefusals = steps<RefusalPage & { readonly clientId: string | null }, readonly StoredRefusal[]>(
  (call, { clientId, ...page }) =>
    clientId === null ? call(refusalsOfAll, page) : call(refusalsOfClient, { ...page, clientId }),
);

/** Deletes refusals that are too old, and the oldest ones beyond the limit of their number. */
export const collectRefusals = transaction<{ readonly now: Millis; readonly limit: number }, Swept>(
  async (tx, { now, limit }) => {
    const old = now - REFUSALS_KEPT;
    const last = await tx.one(
      sql`SELECT at FROM refusals WHERE at > :old ORDER BY at DESC, request_id DESC LIMIT 1 OFFSET :most`,
      { old, most: MOST_REFUSALS },
    );
    const before = last === undefined ? old : Math.max(old, whole(last, "at"));
    const removed = await tx.run(
      sql`DELETE FROM refusals WHERE (partition, request_id) IN
      (SELECT partition, request_id FROM refusals WHERE +partition >= 0 AND at <= :before ORDER BY at LIMIT :limit)`,
      { before, limit },
    );
    return { seen: removed, removed };
  },
);
