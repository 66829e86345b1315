/** After a restore: ends everything that could have been revoked, rotated or spent since the backup. */

import { type Millis, PARTITIONS } from "../oauth/model.ts";
import { endOfAll } from "./consents/consents.ts";
import { note } from "./consents/history.ts";
import { readState, STATES, type StoredEpoch, writeState } from "./database-state.ts";
import { named, sql, type Tx } from "./define-verbs.ts";
import { lastGrantUse } from "./grants/uses.ts";
import type { SchemaHost } from "./migrations/migration.ts";
import { consentColumns, consentOf, ENDED_KEPT, isActive } from "./row-conversion.ts";
import { TABLES } from "./tables.ts";

export interface Ended {
  readonly grants: number;
  /** Number of consents that ended. Their owners see the consent page again, or the app gets no access. */
  readonly consents: number;
  readonly sessions: number;
}

/** Maximum number of partitions in one transaction. A crash between two transactions loses only the counts. */
const AT_ONCE = 32;
/** If a transaction took longer than this, the next one takes half as many partitions. */
const LONG: Millis = 5_000;

/**
 * Ends every active grant (`state_lost`), every session and everything else that works once (`afterRestore` of
 * `TABLES`). Unless `keepConsents` is set, it also ends every active consent and every approval of a company. It works
 * in short transactions and stores its position. If it was interrupted, the next call first finishes that run, with
 * that run's time and choice. The counts are those of this call.
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
  let atOnce = AT_ONCE;
  for (let from = epoch.next ?? 0; from < PARTITIONS; ) {
    const next = Math.min(PARTITIONS, from + atOnce);
    const began = performance.now();
    const some = await host.exclusively(async (tx) => {
      const counted = { grants: 0, consents: 0, sessions: 0 };
      for (let partition = from; partition < next; partition += 1) await endPartition(tx, partition, epoch, counted);
      await writeState(tx, STATES.epoch, { ...epoch, next: next < PARTITIONS ? next : null });
      return counted;
    });
    ended.grants += some.grants;
    ended.consents += some.consents;
    ended.sessions += some.sessions;
    from = next;
    if (performance.now() - began > LONG) atOnce = Math.max(1, Math.floor(atOnce / 2));
  }
  return ended;
}

/** Does the same in the caller's transaction. `epoch` is the new epoch, with nothing left to do. */
export async function endAllAtOnce(tx: Tx, epoch: StoredEpoch): Promise<Ended> {
  const ended = { grants: 0, consents: 0, sessions: 0 };
  for (let partition = 0; partition < PARTITIONS; partition += 1) await endPartition(tx, partition, epoch, ended);
  await writeState(tx, STATES.epoch, epoch);
  return ended;
}

async function endPartition(
  tx: Tx,
  partition: number,
  { at, keepConsents }: StoredEpoch,
  ended: { grants: number; consents: number; sessions: number },
): Promise<void> {
  await tx.run(
    sql`UPDATE consents SET last_used_at = ${lastGrantUse}
      WHERE partition = :partition AND ${lastGrantUse} > COALESCE(last_used_at, 0)`,
    { partition },
  );
  ended.grants += await tx.run(
    sql`UPDATE grants SET status = 'state_lost', ended_at = :at, collect_at = :endedKept WHERE partition = :partition AND ${isActive}`,
    { partition, at, endedKept: at + ENDED_KEPT },
  );
  await tx.run(sql`UPDATE known_devices SET revoked = 1 WHERE partition = :partition`, { partition });
  if (!keepConsents) ended.consents += await endConsents(tx, partition, at);
  for (const { name, empty } of EMPTIED) {
    const rows = await tx.run(empty, { partition });
    if (name === "sessions") ended.sessions += rows;
  }
}

const EMPTIED = TABLES.filter(({ afterRestore }) => afterRestore === "emptied").map(({ name }) => {
  const table = named(name);
  return { name, empty: sql`DELETE FROM ${table} WHERE partition = :partition` };
});

/** Ends the answers of owners and the approvals of companies: the server asks for all of them again. */
async function endConsents(tx: Tx, partition: number, at: Millis): Promise<number> {
  const consents = await tx.all(
    sql`UPDATE consents SET status = 'revoked', revoked_at = :at, revoked_by = 'restore', updated_at = :at
      WHERE partition = :partition AND status = 'active' RETURNING ${consentColumns}`,
    { partition, at },
  );
  for (const consent of consents.map(consentOf)) {
    const { ownerId, clientId } = consent;
    await note(tx, { partition, ownerId, clientId, at, kind: "revoked", record: endOfAll(consent, "server") });
  }
  await tx.run(
    sql`UPDATE company_rules SET rule = 'ask', audience = 'everybody'
      WHERE partition = :partition AND (rule = 'allow' OR audience = 'selected')`,
    { partition },
  );
  await tx.run(sql`DELETE FROM company_rule_members WHERE partition = :partition`, { partition });
  await tx.run(sql`DELETE FROM company_choices WHERE partition = :partition`, { partition });
  return consents.length;
}
