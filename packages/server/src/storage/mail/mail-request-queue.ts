/**
 * Verbs of requests for mail. The server stores a request before the page says that a message is on its way. Any
 * process answers it.
 */

import type { Millis } from "../../oauth/model.ts";
import type { ClaimedMailRequest, StoredMailRequest } from "../../owners/mail/storage.ts";
import { query, sql, statement, steps, words } from "../define-verbs.ts";
import { bytes, text, whole } from "../row-conversion.ts";

export interface Request {
  readonly request: StoredMailRequest;
  readonly most: number;
  readonly now: Millis;
}

type Key = Pick<StoredMailRequest, "partition" | "requestId">;

/**
 * The count across partitions comes first, so the limit is not exact: each of several simultaneous callers may find
 * room.
 */
export const requestMail = steps<Request, boolean>(async (call, args) => {
  if ((await call(mailWaiting, args)) >= args.most) return false;
  await call(insertMailRequest, args);
  return true;
});

/** Number of waiting requests and of waiting messages, each counted up to `most`. */
export const mailWaiting = query<Pick<Request, "most">, number>({
  sql: sql`SELECT
      (SELECT COUNT(*) FROM (SELECT 1 FROM mail_requests WHERE +partition >= 0 AND due_at >= 0 LIMIT :most) AS few)
      + (SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE +partition >= 0 AND status = 'waiting' AND due_at >= 0 LIMIT :most) AS few)
      AS waiting`,
  bind: ({ most }) => ({ most }),
  outcome: ([row]) => (row === undefined ? 0 : whole(row, "waiting")),
});

export const insertMailRequest = statement<Request, void>({
  lock: "requestId",
  sql: sql`INSERT INTO mail_requests (partition, request_id, sealed, tries, due_at, created_at)
    VALUES (:partition, :requestId, :sealed, 0, :now, :now)`,
  bind: ({ request: { partition, requestId, sealed }, now }) => ({ partition, requestId, sealed, now }),
  outcome: () => undefined,
});

export interface Claim {
  readonly now: Millis;
  readonly limit: number;
  readonly pause: Millis;
}

/** Reads first: usually nothing is due, and then nothing is written. */
export const claimMailRequests = steps<Claim, readonly ClaimedMailRequest[]>(async (call, args) => {
  const due = await call(dueMailRequests, args);
  const claimed = await Promise.all(
    due.map((one) => call(claimMailRequest, { ...one, now: args.now, pause: args.pause })),
  );
  return claimed.filter((one) => one !== undefined);
});

export const dueMailRequests = query<Claim, readonly Key[]>({
  sql: sql`SELECT partition, request_id FROM mail_requests WHERE +partition >= 0 AND due_at <= :now ORDER BY due_at LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) => rows.map((row) => ({ partition: whole(row, "partition"), requestId: text(row, "request_id") })),
});

/**
 * Of several callers, one moves the due time and gets the request. Each try waits longer than the last, so that a
 * request that always fails costs little.
 */
export const claimMailRequest = statement<
  Key & { readonly now: Millis; readonly pause: Millis },
  ClaimedMailRequest | undefined
>({
  lock: "requestId",
  sql: sql`UPDATE mail_requests SET due_at = CAST(:now AS ${words.whole}) + CAST(:pause AS ${words.whole}) * (tries + 1), tries = tries + 1
    WHERE partition = :partition AND request_id = :requestId AND due_at <= :now
    RETURNING partition, request_id, sealed, tries, created_at`,
  bind: ({ partition, requestId, now, pause }) => ({ partition, requestId, now, pause }),
  outcome: (row) =>
    row && {
      partition: whole(row, "partition"),
      requestId: text(row, "request_id"),
      sealed: bytes(row, "sealed"),
      tries: whole(row, "tries"),
      createdAt: whole(row, "created_at"),
    },
});

export const removeMailRequest = statement<Key & Pick<ClaimedMailRequest, "tries">, boolean>({
  lock: "requestId",
  sql: sql`DELETE FROM mail_requests WHERE partition = :partition AND request_id = :requestId AND tries = :tries
    RETURNING request_id`,
  bind: ({ partition, requestId, tries }) => ({ partition, requestId, tries }),
  outcome: (row) => row !== undefined,
});
