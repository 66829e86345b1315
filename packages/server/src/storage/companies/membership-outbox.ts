/**
 * Tells companies when their members are disabled or removed, by an outbox in the person's partition. Any process may
 * send its entries, in any order and more than once.
 */

import { type Millis, NEVER } from "../../oauth/model.ts";
import type { CompanyKey } from "../../owners/company-storage.ts";
import type { EndCause } from "../../owners/storage.ts";
import { noteMember } from "../consents/history.ts";
import { type Call, query, type Row, sql, statement, steps, type Tx, transaction } from "../define-verbs.ts";
import { StorageUnavailable } from "../errors.ts";
import { pauseGrants, pausingOf } from "../grants/end-in-batches.ts";
import { partitionOf } from "../partition.ts";
import { accountStanding } from "../people/person-row.ts";
import { text, whole, wholeOrNull } from "../row-conversion.ts";
import { endGrantsOfMember } from "./acting-members.ts";
import { lockCompany, thisCompany } from "./lock-company-row.ts";
import { type CutBy, forgetMember, putInOutbox } from "./members.ts";

/** One company that has to be told about one person. */
interface OutboxEntry {
  /** The partition of the person. */
  readonly partition: number;
  readonly personId: string;
  readonly companyId: string;
  readonly version: number;
  readonly standing: string;
  readonly cutAt: Millis | null;
  readonly cutBy: CutBy | null;
  readonly keptBefore: Millis | null;
  readonly invitedSince: Millis | null;
}

const outboxColumns = sql`partition, person_id, company_id, version, standing, cut_at, cut_by, kept_before, invited_since`;

function outboxEntryOf(row: Row): OutboxEntry {
  return {
    partition: whole(row, "partition"),
    personId: text(row, "person_id"),
    companyId: text(row, "company_id"),
    version: whole(row, "version"),
    standing: text(row, "standing"),
    cutAt: wholeOrNull(row, "cut_at"),
    cutBy: cutByOf(row["cut_by"]),
    keptBefore: wholeOrNull(row, "kept_before"),
    invitedSince: wholeOrNull(row, "invited_since"),
  };
}

/** Null also for values of a later version. */
function cutByOf(value: unknown): CutBy | null {
  return value === "leaving" || value === "revoked" || value === "restored" ? value : null;
}

/**
 * Stores, in the transaction that changes a person, what their companies have to learn. `gone`: the person is being
 * removed. `cutAt`: grants that the person made in companies' names before this time end, whatever the standing.
 * `cutBy`: why, as in the outbox. `keeps`: in all companies except these, grants made before `keeps.before` stay, and only grants that the person began
 * before `cutAt` and finished after it end; in these, the person revokes the access of the apps. `invitedSince`: invitations that the person made since then are withdrawn.
 */
export async function noteForCompanies(
  tx: Tx,
  { partition, personId }: { readonly partition: number; readonly personId: string },
  {
    gone = false,
    cutAt,
    cutBy = null,
    keeps,
    invitedSince,
    now,
  }: {
    readonly gone?: boolean;
    readonly cutAt: Millis | null;
    readonly cutBy?: CutBy | null;
    readonly keeps?: { readonly before: Millis; readonly butIn: readonly string[] };
    readonly invitedSince?: Millis;
    readonly now: Millis;
  },
): Promise<void> {
  const row = await tx.one(
    sql`UPDATE people SET standing_version = standing_version + 1 WHERE partition = :partition AND person_id = :personId
      RETURNING standing_version, status, disabled_by`,
    { partition, personId },
  );
  if (row === undefined) return;
  const standing = gone ? "gone" : accountStanding(row);
  const version = whole(row, "standing_version");
  const links = await tx.all(
    sql`SELECT company_id FROM member_links WHERE partition = :partition AND person_id = :personId`,
    { partition, personId },
  );
  for (const link of links) {
    const companyId = text(link, "company_id");
    const isRevoked = keeps?.butIn.includes(companyId) ?? false;
    const keptBefore = keeps === undefined || isRevoked ? null : keeps.before;
    const why = { cutAt, cutBy: isRevoked ? "revoked" : cutBy } as const;
    const news = { version, standing, ...why, keptBefore, invitedSince: invitedSince ?? null };
    await putInOutbox(tx, { partition, personId, companyId, ...news, now });
  }
}

/** Tells the companies of one person at once. If a company can't be told now, it is told later. */
export async function tellOf(
  call: Call,
  { partition, personId }: { readonly partition: number; readonly personId: string },
  now: Millis,
): Promise<void> {
  try {
    await tellNow(call, { partition, personId }, now);
  } catch (error) {
    // The change of the person is committed, so this error must not make it look like a failure.
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}

/** The same, for a decision that needs the news: if a company can't be told now, this throws `StorageUnavailable`. */
export async function tellNow(
  call: Call,
  { partition, personId }: { readonly partition: number; readonly personId: string },
  now: Millis,
): Promise<void> {
  await tell(call, await call(untoldOfPerson, { partition, personId }), now);
}

async function tell(call: Call, news: readonly OutboxEntry[], now: Millis): Promise<void> {
  for (const one of news) {
    await call(applyOutboxEntry, { ...one, partition: partitionOf(one.companyId), now });
    await call(removeFromOutbox, one);
  }
}

export const tellCompanies = steps<{ readonly now: Millis; readonly limit: number }, number>(
  async (call, { now, limit }) => {
    const news = await call(untold, { limit });
    await tell(call, news, now);
    return news.length;
  },
);

export const untold = query<{ readonly limit: number }, readonly OutboxEntry[]>({
  sql: sql`SELECT ${outboxColumns} FROM standings WHERE +partition >= 0 AND written_at >= 0 ORDER BY written_at LIMIT :limit`,
  bind: ({ limit }) => ({ limit }),
  outcome: (rows) => rows.map(outboxEntryOf),
});

export const untoldOfPerson = query<{ readonly partition: number; readonly personId: string }, readonly OutboxEntry[]>({
  sql: sql`SELECT ${outboxColumns} FROM standings WHERE partition = :partition AND person_id = :personId`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map(outboxEntryOf),
});

/**
 * People whom a company may still take for active although they are not: those with news about a disabled or removed
 * person.
 */
export const untoldPeople = query<{ readonly limit: number }, readonly string[] | null>({
  sql: sql`SELECT person_id, standing, cut_at FROM standings WHERE +partition >= 0 AND written_at >= 0 ORDER BY written_at LIMIT :more`,
  bind: ({ limit }) => ({ more: limit + 1 }),
  outcome: (rows, { limit }) =>
    rows.length > limit
      ? null
      : rows.filter((row) => text(row, "standing") !== "active").map((row) => text(row, "person_id")),
});

/**
 * Runs in the company's partition. News that are older than the last ones change nothing, so news that arrive twice
 * take effect once.
 */
export const applyOutboxEntry = transaction<
  CompanyKey & {
    readonly personId: string;
    readonly version: number;
    readonly standing: string;
    readonly cutAt: Millis | null;
    readonly cutBy?: CutBy | null;
    readonly keptBefore?: Millis | null;
    readonly invitedSince?: Millis | null;
    readonly now: Millis;
  },
  boolean
>(async (tx, { partition, companyId, personId, version, standing, cutAt, now, ...news }) => {
  const { cutBy = null, keptBefore = null, invitedSince = null } = news;
  const key = { partition, companyId, personId };
  if ((await lockCompany(tx, key)) === undefined) return false;
  const heard = await tx.run(
    sql`UPDATE members SET standing = :standing, standing_version = :version,
        trusted_from = CASE WHEN :from > trusted_from THEN :from ELSE trusted_from END
      WHERE partition = :partition AND company_id = :companyId AND person_id = :personId AND standing_version < :version`,
    { ...key, version, standing: standing === "active" ? "active" : "disabled", from: cutAt ?? 0 },
  );
  if (heard === 0) return false;
  if (invitedSince !== null) await withdrawSince(tx, key, invitedSince, now);
  const lasts = standing === "active" || standing === "paused";
  if (cutAt !== null && keptBefore !== null && lasts) {
    const since = { madeFrom: keptBefore, signedInBefore: cutAt };
    // Ways to sign in were restored: nobody has a new password.
    const cause = cutBy === "restored" ? "member_recent" : causeOf(standing, cutBy);
    await endGrantsOfMember(tx, { ...key, by: "server", cause, since, now });
  } else if (cutAt !== null || !lasts) {
    await endGrantsOfMember(tx, { ...key, by: "server", cause: causeOf(standing, cutBy), now });
  }
  if (cutAt !== null) {
    const all = cutBy !== null && keptBefore === null;
    const from = all ? 0 : Math.min(keptBefore ?? NEVER, invitedSince ?? NEVER);
    if (from < NEVER) await forgetAnswers(tx, key, from);
  }
  if (lasts) await pauseGrantsOfMember(tx, key, standing === "paused" ? now : null);
  if (standing === "gone") {
    await forgetMember(tx, key);
    await noteMember(tx, { ...key, kind: "member_left", by: "server", cause: "member_deleted", now });
  }
  return true;
});

/**
 * The answers that the person gave since then. Otherwise an app whose access ends, or that gave it up before, would get it
 * again without a page. What they allowed is forgotten, too: a later answer about another permission would bring it back. What they declined stays.
 */
async function forgetAnswers(tx: Tx, key: CompanyKey & { readonly personId: string }, from: Millis): Promise<void> {
  await tx.run(
    sql`UPDATE company_choices SET since = -ABS(since), ends = '{}', ends_at = NULL
      WHERE ${thisCompany} AND person_id = :personId AND ABS(since) >= :from`,
    { ...key, from },
  );
}

/** Why the news end the person's grants. */
function causeOf(standing: string, cutBy: CutBy | null): EndCause {
  if (standing === "gone") return "member_deleted";
  if (standing !== "active" && standing !== "paused") return "member_disabled";
  return cutBy === "leaving" ? "member_leaving" : "member_password";
}

const waiting = pausingOf(
  sql`partition = :partition AND owner_id = :companyId AND person_id = :personId AND person_id <> owner_id`,
);

/** The person's grants in the company's name give no tokens from `at` on. Null: they go on. */
function pauseGrantsOfMember(
  tx: Tx,
  { partition, companyId, personId }: CompanyKey & { readonly personId: string },
  at: Millis | null,
): Promise<number> {
  return pauseGrants(tx, waiting, { partition, companyId, personId }, at);
}

/** For an account that is taken back: withdraws the invitations that it made since then. */
async function withdrawSince(
  tx: Tx,
  key: CompanyKey & { readonly personId: string },
  since: Millis,
  now: Millis,
): Promise<void> {
  const { partition, companyId, personId: by } = key;
  const rows = await tx.all(
    sql`UPDATE invitations SET status = 'withdrawn'
      WHERE ${thisCompany} AND invited_by = :by AND status = 'open' AND created_at >= :since RETURNING invitation_id`,
    { partition, companyId, by, since },
  );
  for (const row of rows) {
    const invitationId = text(row, "invitation_id");
    await noteMember(tx, { partition, companyId, kind: "invitation_withdrawn", by, invitationId, now });
  }
}

/** Deletes the entry after the company was told, unless there are newer news. */
export const removeFromOutbox = statement<
  Pick<OutboxEntry, "partition" | "personId" | "companyId" | "version">,
  boolean
>({
  lock: "personId",
  sql: sql`DELETE FROM standings WHERE partition = :partition AND person_id = :personId AND company_id = :companyId AND version = :version
    RETURNING company_id`,
  bind: ({ partition, personId, companyId, version }) => ({ partition, personId, companyId, version }),
  outcome: (row) => row !== undefined,
});
