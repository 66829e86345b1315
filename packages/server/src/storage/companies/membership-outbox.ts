/** What becomes of people, told to their companies: an outbox in the person's partition, emptied by any process, in any order, as often as it takes. */

import type { Millis } from "../../oauth/model.ts";
import type { CompanyKey } from "../../owners/company-storage.ts";
import { StorageUnavailable } from "../errors.ts";
import { partitionOf } from "../partition.ts";
import { text, whole, wholeOrNull } from "../rows.ts";
import { type Call, query, type Row, sql, statement, steps, type Tx, transaction } from "../sql.ts";
import { lockCompany } from "./company-lock.ts";
import { endGrantsOfMember, forgetMember, putStanding } from "./members.ts";

/** One company that is to be told of one person. */
interface Untold {
  /** Of the person. */
  readonly partition: number;
  readonly personId: string;
  readonly companyId: string;
  readonly version: number;
  readonly standing: string;
  readonly cutAt: Millis | null;
  readonly keptBefore: Millis | null;
}

const untoldColumns = sql`partition, person_id, company_id, version, standing, cut_at, kept_before`;

function untoldOf(row: Row): Untold {
  return {
    partition: whole(row, "partition"),
    personId: text(row, "person_id"),
    companyId: text(row, "company_id"),
    version: whole(row, "version"),
    standing: text(row, "standing"),
    cutAt: wholeOrNull(row, "cut_at"),
    keptBefore: wholeOrNull(row, "kept_before"),
  };
}

/**
 * Notes, in the transaction that changes a person, what their companies have to hear. `gone`: the person is being removed. `cutAt`: what the
 * person did in their names up to then ends, whatever the standing; `keeps`: in all companies but these, what
 * was done before `keeps.before` stays, and only what the person began before the cut and finished since ends.
 */
export async function noteStanding(
  tx: Tx,
  { partition, personId }: { readonly partition: number; readonly personId: string },
  {
    gone = false,
    cutAt,
    keeps,
    now,
  }: {
    readonly gone?: boolean;
    readonly cutAt: Millis | null;
    readonly keeps?: { readonly before: Millis; readonly butIn: readonly string[] };
    readonly now: Millis;
  },
): Promise<void> {
  const row = await tx.one(
    sql`UPDATE people SET standing_version = standing_version + 1 WHERE partition = :partition AND person_id = :personId
      RETURNING standing_version, status`,
    { partition, personId },
  );
  if (row === undefined) return;
  const standing = gone ? "gone" : text(row, "status");
  const version = whole(row, "standing_version");
  const links = await tx.all(
    sql`SELECT company_id FROM member_links WHERE partition = :partition AND person_id = :personId`,
    { partition, personId },
  );
  for (const link of links) {
    const companyId = text(link, "company_id");
    const keptBefore = keeps === undefined || keeps.butIn.includes(companyId) ? null : keeps.before;
    await putStanding(tx, { partition, personId, companyId, version, standing, cutAt, keptBefore, now });
  }
}

/** Tells the companies of one person at once; what can't be told now is told later. */
export async function tellOf(
  call: Call,
  { partition, personId }: { readonly partition: number; readonly personId: string },
  now: Millis,
): Promise<void> {
  try {
    await tell(call, await call(untoldOfPerson, { partition, personId }), now);
  } catch (error) {
    // The person's change is committed: it must not look as if it had failed.
    if (!(error instanceof StorageUnavailable)) throw error;
  }
}

async function tell(call: Call, news: readonly Untold[], now: Millis): Promise<void> {
  for (const one of news) {
    const { companyId, personId, version, standing, cutAt, keptBefore } = one;
    await call(applyStanding, {
      ...{ partition: partitionOf(companyId), companyId, personId, version, standing, cutAt, keptBefore, now },
    });
    await call(forgetStanding, one);
  }
}

export const tellCompanies = steps<{ readonly now: Millis; readonly limit: number }, number>(
  async (call, { now, limit }) => {
    const news = await call(untold, { limit });
    await tell(call, news, now);
    return news.length;
  },
);

export const untold = query<{ readonly limit: number }, readonly Untold[]>({
  sql: sql`SELECT ${untoldColumns} FROM standings WHERE +partition >= 0 AND written_at >= 0 ORDER BY written_at LIMIT :limit`,
  bind: ({ limit }) => ({ limit }),
  outcome: (rows) => rows.map(untoldOf),
});

export const untoldOfPerson = query<{ readonly partition: number; readonly personId: string }, readonly Untold[]>({
  sql: sql`SELECT ${untoldColumns} FROM standings WHERE partition = :partition AND person_id = :personId`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map(untoldOf),
});

/** Whom a company may still take for active: those with news that aren't good. */
export const untoldPeople = query<{ readonly limit: number }, readonly string[] | null>({
  sql: sql`SELECT person_id, standing, cut_at FROM standings WHERE +partition >= 0 AND written_at >= 0 ORDER BY written_at LIMIT :more`,
  bind: ({ limit }) => ({ more: limit + 1 }),
  outcome: (rows, { limit }) =>
    rows.length > limit
      ? null
      : rows.filter((row) => text(row, "standing") !== "active").map((row) => text(row, "person_id")),
});

/** In the company's partition. News older than what it has heard change nothing; told twice, they are heard once. */
export const applyStanding = transaction<
  CompanyKey & {
    readonly personId: string;
    readonly version: number;
    readonly standing: string;
    readonly cutAt: Millis | null;
    readonly keptBefore?: Millis | null;
    readonly now: Millis;
  },
  boolean
>(async (tx, { partition, companyId, personId, version, standing, cutAt, keptBefore = null, now }) => {
  const key = { partition, companyId, personId };
  if ((await lockCompany(tx, key)) === undefined) return false;
  const heard = await tx.run(
    sql`UPDATE members SET standing = :standing, standing_version = :version,
        trusted_from = CASE WHEN :from > trusted_from THEN :from ELSE trusted_from END
      WHERE partition = :partition AND company_id = :companyId AND person_id = :personId AND standing_version < :version`,
    { ...key, version, standing: standing === "active" ? "active" : "disabled", from: cutAt ?? 0 },
  );
  if (heard === 0) return false;
  if (cutAt !== null && keptBefore !== null && standing === "active") {
    await endGrantsOfMember(tx, { ...key, by: "server", since: { madeFrom: keptBefore, signedInBefore: cutAt }, now });
  } else if (cutAt !== null || standing !== "active") {
    await endGrantsOfMember(tx, { ...key, by: "server", now });
  }
  if (standing === "gone") await forgetMember(tx, key);
  return true;
});

/** Told, unless there is newer news since. */
export const forgetStanding = statement<Pick<Untold, "partition" | "personId" | "companyId" | "version">, boolean>({
  lock: "personId",
  sql: sql`DELETE FROM standings WHERE partition = :partition AND person_id = :personId AND company_id = :companyId AND version = :version
    RETURNING company_id`,
  bind: ({ partition, personId, companyId, version }) => ({ partition, personId, companyId, version }),
  outcome: (row) => row !== undefined,
});
