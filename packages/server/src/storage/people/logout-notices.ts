/**
 * Clients that learn when a session ends (OpenID Connect Back-Channel Logout §2). A row waits as long as its session
 * lives. The transaction that ends the session makes the row due, and any process tells the client.
 */

import type { Millis } from "../../oauth/model.ts";
import type { DueNotice, NoticeKey } from "../../owners/logout-notice-storage.ts";
import { query, type Row, sql, statement, steps, type Tx } from "../define-verbs.ts";
import { partitionOf } from "../partition.ts";
import { DAY, text, whole } from "../row-conversion.ts";

/** A day longer than any session. */
export const NOTICES_KEPT: Millis = 15 * DAY;

/** Notes that this client gets an ID token in this session. If the session has ended meanwhile, the notice is due. */
export async function expectNotice(
  tx: Tx,
  { sid, clientId, personId }: { readonly sid: string; readonly clientId: string; readonly personId: string },
  now: Millis,
): Promise<void> {
  const key = { partition: partitionOf(sid), sid };
  const session = await tx.one(
    sql`SELECT session_id FROM sessions WHERE partition = :partition AND session_id = :sid`,
    key,
  );
  await tx.run(
    sql`INSERT INTO logout_notices (partition, sid, client_id, session_id, person_id, created_at, ended_at, due_at, tries)
      VALUES (:partition, :sid, :clientId, :sid, :personId, :now, :endedAt, :endedAt, 0)
      ON CONFLICT (partition, sid, client_id) DO NOTHING`,
    { ...key, clientId, personId, now, endedAt: session === undefined ? now : null },
  );
}

/** Makes the notices of one session due. */
export async function noteSessionEnd(
  tx: Tx,
  { partition, sessionId }: { readonly partition: number; readonly sessionId: string },
  now: Millis,
): Promise<void> {
  await tx.run(
    sql`UPDATE logout_notices SET due_at = :now, ended_at = :now
      WHERE partition = :partition AND session_id = :sessionId AND due_at IS NULL`,
    { partition, sessionId, now },
  );
}

/** Makes the notices of all sessions of a person due, except those of one session. */
export async function noteSessionEnds(
  tx: Tx,
  {
    partition,
    personId,
    keepSessionId = null,
  }: { readonly partition: number; readonly personId: string; readonly keepSessionId?: string | null | undefined },
  now: Millis,
): Promise<void> {
  await tx.run(
    sql`UPDATE logout_notices SET due_at = :now, ended_at = :now
      WHERE partition = :partition AND person_id = :personId AND due_at IS NULL
        AND (session_id <> :keepSessionId OR :keepSessionId IS NULL)`,
    { partition, personId, keepSessionId, now },
  );
}

/**
 * A person who signs in again in the same browser is not signed out: the clients of the earlier session learn of the end
 * of the new one. Their ID tokens name the earlier session, so the notices keep its `sid`.
 */
export async function moveNotices(
  tx: Tx,
  moved: {
    readonly partition: number;
    readonly from: string;
    readonly to: string;
    readonly personId: string;
    readonly now: Millis;
  },
): Promise<void> {
  await tx.run(
    sql`UPDATE logout_notices SET session_id = :to, due_at = NULL, ended_at = NULL, created_at = :now
      WHERE partition = :partition AND session_id = :from AND person_id = :personId AND tries = 0 AND ended_at = :now`,
    moved,
  );
}

export interface NoticeClaim {
  readonly now: Millis;
  readonly limit: number;
  readonly until: Millis;
}

/** Reads first: usually nothing is due, and then nothing is written. */
export const claimNotices = steps<NoticeClaim, readonly DueNotice[]>(async (call, args) => {
  const due = await call(dueNotices, args);
  const claimed = await Promise.all(due.map((one) => call(claimNotice, { ...one, now: args.now, until: args.until })));
  return claimed.filter((one) => one !== undefined);
});

export const dueNotices = query<NoticeClaim, readonly NoticeKey[]>({
  sql: sql`SELECT partition, sid, client_id FROM logout_notices WHERE +partition >= 0 AND due_at <= :now ORDER BY due_at LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) => rows.map(keyOf),
});

/** Of several callers, one moves the due time and gets the notice. */
export const claimNotice = statement<
  NoticeKey & { readonly now: Millis; readonly until: Millis },
  DueNotice | undefined
>({
  lock: "sid",
  sql: sql`UPDATE logout_notices SET due_at = :until, tries = tries + 1
    WHERE partition = :partition AND sid = :sid AND client_id = :clientId AND due_at <= :now
    RETURNING partition, sid, client_id, person_id, ended_at, tries`,
  bind: ({ partition, sid, clientId, now, until }) => ({ partition, sid, clientId, now, until }),
  outcome: (row) =>
    row && {
      ...keyOf(row),
      personId: text(row, "person_id"),
      endedAt: whole(row, "ended_at"),
      tries: whole(row, "tries"),
    },
});

function keyOf(row: Row): NoticeKey {
  return { partition: whole(row, "partition"), sid: text(row, "sid"), clientId: text(row, "client_id") };
}

/** Delivered, or given up. */
export const removeNotice = statement<NoticeKey, boolean>({
  lock: "sid",
  sql: sql`DELETE FROM logout_notices WHERE partition = :partition AND sid = :sid AND client_id = :clientId RETURNING sid`,
  bind: ({ partition, sid, clientId }) => ({ partition, sid, clientId }),
  outcome: (row) => row !== undefined,
});

/** Another try at `at`, unless another process has taken the notice since. */
export const postponeNotice = statement<NoticeKey & { readonly tries: number; readonly at: Millis }, boolean>({
  lock: "sid",
  sql: sql`UPDATE logout_notices SET due_at = :at
    WHERE partition = :partition AND sid = :sid AND client_id = :clientId AND tries = :tries RETURNING sid`,
  bind: ({ partition, sid, clientId, tries, at }) => ({ partition, sid, clientId, tries, at }),
  outcome: (row) => row !== undefined,
});
