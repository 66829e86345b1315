/** Another system disables, enables, deletes or signs out a person whom it knows. */

import type { Millis } from "../../oauth/model.ts";
import type { DisabledBy, UpstreamChanged, UpstreamChangeOutcome } from "../../owners/upstream-change-storage.ts";
import { noteForCompanies, tellOf } from "../companies/membership-outbox.ts";
import { noteSystem } from "../consents/history.ts";
import { query, sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { text } from "../row-conversion.ts";
import { noteSessionEnd } from "./logout-notices.ts";
import { endGrantsOf, pauseGrantsOf } from "./people.ts";
import { disabledByOf, type PersonKey, thisPerson } from "./person-row.ts";
import { hashOfSubject } from "./subject-links.ts";

/** Changes the person first, then tells each of their companies, as an operator's change does. */
export const upstreamChanged = steps<UpstreamChanged, UpstreamChangeOutcome>(async (call, args) => {
  const outcome = await call(writeUpstreamChange, args);
  if (outcome.kind === "changed") await tellOf(call, args, args.now);
  return outcome;
});

export const writeUpstreamChange = transaction<UpstreamChanged, UpstreamChangeOutcome>(async (tx, args) => {
  const { partition, personId, subject, change, whenDisabled } = args;
  const key = { partition, personId };
  const link = hashOfSubject(subject);
  const [person, linked] = await Promise.all([
    tx.one(sql`SELECT status, disabled_by FROM people WHERE ${thisPerson} ${words.forUpdate}`, key),
    tx.one(sql`SELECT link FROM subject_links WHERE partition = :partition AND owner_id = :personId AND link = :link`, {
      ...key,
      link,
    }),
  ]);
  if (person === undefined || linked === undefined) return { kind: "unknown", sessionsEnded: 0 };
  const state = { active: text(person, "status") === "active", by: disabledByOf(person), link };
  if (change === "enabled") return enable(tx, args, state);
  return change === "signed_out" || whenDisabled === "keep" ? signOut(tx, args, state) : disable(tx, args, state);
});

/** The person before the change. An operator has disabled them if they are not active, and `by` is empty. */
interface State {
  readonly active: boolean;
  readonly by: readonly DisabledBy[];
  /** The key of the identity that changed. */
  readonly link: string;
}

async function signOut(tx: Tx, args: UpstreamChanged, { link }: State): Promise<UpstreamChangeOutcome> {
  const sessionsEnded = await endSessions(tx, args, args.wholePerson ? null : link);
  if (sessionsEnded > 0) await noteSystem(tx, args, "signed_out", args.name);
  return { kind: sessionsEnded > 0 ? "changed" : "unchanged", sessionsEnded };
}

async function disable(tx: Tx, args: UpstreamChanged, { active, by }: State): Promise<UpstreamChangeOutcome> {
  const { partition, personId, subject, change, whenDisabled, name, now } = args;
  const deleted = change === "deleted";
  const grants = deleted || whenDisabled === "end" ? "ended" : "paused";
  const before = by.find(({ source }) => source === subject.issuerId);
  const same = before?.grants === grants && (before.change === change || !deleted);
  // An operator's decision is not replaced: only an operator can enable such a person.
  if ((!active && by.length === 0) || same) return { kind: "unchanged", sessionsEnded: 0 };
  const entry: DisabledBy = {
    source: subject.issuerId,
    name,
    change: deleted ? "deleted" : "disabled",
    grants,
    at: now,
  };
  await setDisabledBy(tx, { partition, personId }, [...by.filter((one) => one !== before), entry], now);
  const sessionsEnded = await endSessions(tx, args, null);
  if (grants === "ended") {
    await endGrantsOf(tx, { partition, personId, cause: "upstream", by: "server", now });
  } else {
    await pauseGrantsOf(tx, { partition, personId }, now);
  }
  await noteSystem(tx, args, "disabled", name);
  await noteForCompanies(tx, { partition, personId }, { cutAt: grants === "ended" ? now : null, now });
  return { kind: "changed", sessionsEnded };
}

async function enable(tx: Tx, args: UpstreamChanged, { by }: State): Promise<UpstreamChangeOutcome> {
  const { partition, personId, subject, name, now } = args;
  const left = by.filter(({ source }) => source !== subject.issuerId);
  if (left.length === by.length) return { kind: "unchanged", sessionsEnded: 0 };
  await setDisabledBy(tx, { partition, personId }, left, now);
  if (left.length === 0) {
    await pauseGrantsOf(tx, { partition, personId }, null);
    await noteSystem(tx, args, "enabled", name);
  }
  await noteForCompanies(tx, { partition, personId }, { cutAt: null, now });
  return { kind: "changed", sessionsEnded: 0 };
}

function setDisabledBy(tx: Tx, key: PersonKey, by: readonly DisabledBy[], now: Millis): Promise<number> {
  return tx.run(
    sql`UPDATE people SET status = :status, disabled_by = :disabledBy, updated_at = :now WHERE ${thisPerson}`,
    {
      ...{ partition: key.partition, personId: key.personId, now },
      status: by.length === 0 ? "active" : "disabled",
      disabledBy: by.length === 0 ? null : JSON.stringify(by),
    },
  );
}

/** `link`: only sessions that began with this identity. Each browser stays a known one, as after a sign-out. */
async function endSessions(tx: Tx, { partition, personId, now }: UpstreamChanged, link: string | null) {
  const ended = await tx.all(
    sql`DELETE FROM sessions WHERE ${thisPerson} AND (upstream_link = :link OR :link IS NULL) RETURNING session_id`,
    { partition, personId, link },
  );
  for (const row of ended) await noteSessionEnd(tx, { partition, sessionId: text(row, "session_id") }, now);
  return ended.length;
}

export const personDisabledBy = query<PersonKey, readonly DisabledBy[]>({
  sql: sql`SELECT disabled_by FROM people WHERE ${thisPerson} AND status = 'disabled'`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row]) => (row === undefined ? [] : disabledByOf(row)),
});
