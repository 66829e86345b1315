/** After a database was put back: ends all that could since have been revoked, rotated or spent, and that it can't know of. */

import { type Millis, PARTITIONS } from "../oauth/model.ts";
import type { SchemaHost } from "./migrations/migrate.ts";
import { sql, type Tx } from "./sql.ts";
import { readState, STATES, type StoredEpoch, writeState } from "./state.ts";
import { ENDED_KEPT } from "./verbs/grants.ts";

export interface Ended {
  readonly grants: number;
  /** Their owners see the page again, or the app stays out. */
  readonly consents: number;
  readonly sessions: number;
}

/** A transaction takes on this many partitions: a crash between two loses no more than counting. */
const AT_ONCE = 32;

/**
 * Ends every active grant (`state_lost`), every session, device request and invitation, and every standing consent unless they are kept. In short transactions,
 * with the place noted: one that was interrupted is gone on with, under its own time and choice, before a new one begins. The numbers are those
 * of this call.
 */
export async function endAllBefore(host: SchemaHost, now: Millis, keepConsents: boolean): Promise<Ended> {
  const epoch = await host.exclusively(async (tx) => {
    const before = await readState<StoredEpoch>(tx, STATES.epoch);
    if (before !== undefined && before.next !== null) return before;
    const begun: StoredEpoch = { at: now, count: (before?.count ?? 0) + 1, next: 0, keepConsents };
    await writeState(tx, STATES.epoch, begun);
    return begun;
  });
  const ended = { grants: 0, consents: 0, sessions: 0 };
  for (let from = epoch.next ?? 0; from < PARTITIONS; from += AT_ONCE) {
    const next = from + AT_ONCE;
    const some = await host.exclusively(async (tx) => {
      const counted = { grants: 0, consents: 0, sessions: 0 };
      for (let partition = from; partition < next; partition += 1) await endPartition(tx, partition, epoch, counted);
      await writeState(tx, STATES.epoch, { ...epoch, next: next < PARTITIONS ? next : null });
      return counted;
    });
    ended.grants += some.grants;
    ended.consents += some.consents;
    ended.sessions += some.sessions;
  }
  return ended;
}

async function endPartition(
  tx: Tx,
  partition: number,
  { at, keepConsents }: StoredEpoch,
  ended: { grants: number; consents: number; sessions: number },
): Promise<void> {
  ended.grants += await tx.run(
    sql`UPDATE grants SET status = 'state_lost', ended_at = :at, collect_at = :endedKept WHERE partition = :partition AND status = 'active'`,
    { partition, at, endedKept: at + ENDED_KEPT },
  );
  if (!keepConsents) {
    ended.consents += await tx.run(
      sql`UPDATE consents SET status = 'revoked', revoked_at = :at, revoked_by = 'restore', updated_at = :at
        WHERE partition = :partition AND status = 'active'`,
      { partition, at },
    );
  }
  ended.sessions += await tx.run(sql`DELETE FROM sessions WHERE partition = :partition`, { partition });
  // Each could have been used or taken back since.
  await tx.run(sql`DELETE FROM device_requests WHERE partition = :partition`, { partition });
  await tx.run(sql`DELETE FROM invitations WHERE partition = :partition`, { partition });
}
