/** Verbs of the outbox. Messages are written in the transaction of their cause, and any process sends them. */

import type { Millis } from "../../oauth/model.ts";
import type { ClaimedMail, SettledMail, StoredMail } from "../../owners/mail/storage.ts";
import { query, type Row, sql, statement, steps, type Tx, transaction } from "../define-verbs.ts";
import { bytes, text, whole } from "../row-conversion.ts";

/** Writes messages in the transaction of their cause. */
export async function post(tx: Tx, mails: readonly StoredMail[] = [], now: Millis): Promise<void> {
  for (const { partition, mailId, kind, sealed, uselessAfter } of mails) {
    await tx.run(
      sql`INSERT INTO outbox (partition, mail_id, kind, sealed, status, tries, due_at, useless_after, created_at)
        VALUES (:partition, :mailId, :kind, :sealed, 'waiting', 0, :now, :uselessAfter, :now)
        ON CONFLICT (partition, mail_id) DO NOTHING`,
      { partition, mailId, kind, sealed, uselessAfter, now },
    );
  }
}

export const postMail = transaction<{ readonly mails: readonly StoredMail[]; readonly now: Millis }, void>(
  (tx, { mails, now }) => post(tx, mails, now),
);

export interface Claim {
  readonly now: Millis;
  readonly limit: number;
  readonly until: Millis;
}

/** Reads first: usually nothing is due, and then nothing is written. */
export const claimMail = steps<Claim, readonly ClaimedMail[]>(async (call, args) => {
  const due = await call(dueMail, args);
  const claimed = await Promise.all(due.map((one) => call(claimOne, { ...one, now: args.now, until: args.until })));
  return claimed.filter((one) => one !== undefined);
});

export const dueMail = query<Claim, readonly Pick<StoredMail, "partition" | "mailId">[]>({
  sql: sql`SELECT partition, mail_id FROM outbox WHERE +partition >= 0 AND status = 'waiting' AND due_at <= :now ORDER BY due_at LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) => rows.map((row) => ({ partition: whole(row, "partition"), mailId: text(row, "mail_id") })),
});

/**
 * Of several callers, one moves the due time and gets the message. The try is counted before it is made, so that a
 * message that makes processes crash also reaches its limit.
 */
export const claimOne = statement<
  Pick<StoredMail, "partition" | "mailId"> & { readonly now: Millis; readonly until: Millis },
  ClaimedMail | undefined
>({
  lock: "mailId",
  sql: sql`UPDATE outbox SET due_at = :until, tries = tries + 1
    WHERE partition = :partition AND mail_id = :mailId AND status = 'waiting' AND due_at <= :now
    RETURNING partition, mail_id, kind, sealed, useless_after, tries`,
  bind: ({ partition, mailId, now, until }) => ({ partition, mailId, now, until }),
  outcome: (row) => row && claimedOf(row),
});

function claimedOf(row: Row): ClaimedMail {
  return {
    partition: whole(row, "partition"),
    mailId: text(row, "mail_id"),
    kind: text(row, "kind"),
    sealed: bytes(row, "sealed"),
    uselessAfter: whole(row, "useless_after"),
    tries: whole(row, "tries"),
  };
}

/**
 * Deletes the content of a sent message and keeps the row, so that its cause sends no second one. The statement uses
 * the key alone, because it would otherwise read the index of waiting messages.
 */
export const settleMail = statement<
  Pick<ClaimedMail, "partition" | "mailId" | "tries"> & { readonly outcome: SettledMail },
  boolean
>({
  lock: "mailId",
  sql: sql`UPDATE outbox SET status = :status, fault = :fault,
      due_at = CASE WHEN :status = 'waiting' THEN :at ELSE due_at END,
      sealed = CASE WHEN :status = 'waiting' THEN sealed ELSE :nothing END
    WHERE partition = :partition AND mail_id = :mailId AND status NOT IN ('sent', 'dead') AND tries = :tries RETURNING mail_id`,
  bind: ({ partition, mailId, tries, outcome }) => ({
    partition,
    mailId,
    tries,
    status: outcome.kind === "again" ? "waiting" : outcome.kind,
    fault: outcome.kind === "sent" ? null : outcome.fault.slice(0, 200),
    at: outcome.kind === "again" ? outcome.at : 0,
    nothing: new Uint8Array(),
  }),
  outcome: (row) => row !== undefined,
});
