/** Verbs of leases: work that one process does at a time, and servers that announce that they run. */

import { type DatabaseChanges, LONGEST_LEASE, type RunningServer, SERVER_LEASE } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { selectStates, stateOf } from "../database-state.ts";
import { query, type Row, sql, statement } from "../define-verbs.ts";
import { text, whole, wholeOrNull } from "../row-conversion.ts";

export interface Lease {
  readonly name: string;
  /** A text that no other process has. */
  readonly holder: string;
}

/** True: this holder has the lease until `until`, whether it is new or renewed. */
export const claimLease = statement<Lease & { readonly until: Millis; readonly now: Millis }, boolean>({
  lock: null,
  sql: sql`INSERT INTO leases AS l (name, holder, until) VALUES (:name, :holder, :until)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE l.until <= :now OR l.until > :longest OR l.holder = excluded.holder
    RETURNING holder`,
  bind: ({ name, holder, until, now }) => ({ name, holder, until, now, longest: now + LONGEST_LEASE }),
  outcome: (row) => row !== undefined,
});

export const releaseLease = statement<Lease, void>({
  lock: null,
  sql: sql`DELETE FROM leases WHERE name = :name AND holder = :holder RETURNING name`,
  bind: ({ name, holder }) => ({ name, holder }),
  outcome: () => undefined,
});

/** Reads the whole table, which has a few rows. */
export const runningServers = query<{ readonly now: Millis }, readonly RunningServer[]>({
  sql: sql`SELECT name, holder, until FROM leases WHERE until > :now AND until <= :longest ORDER BY name`,
  bind: ({ now }) => ({ now, longest: now + LONGEST_LEASE }),
  outcome: (rows) => rows.filter((row) => text(row, "name").startsWith(SERVER_LEASE)).map(serverOf),
});

function serverOf(row: Row): RunningServer {
  const said = JSON.parse(text(row, "holder")) as Pick<RunningServer, "host" | "pid" | "schema" | "since">;
  return { ...said, id: text(row, "name"), until: whole(row, "until") };
}

export const databaseChanges = query<void, DatabaseChanges>({
  sql: sql`SELECT MAX(floor) AS floor FROM migrations`,
  also: selectStates,
  bind: () => ({}),
  outcome: ([row], _, states) => {
    const { epoch, importing } = stateOf(states);
    return { floor: row === undefined ? 0 : (wholeOrNull(row, "floor") ?? 0), epochs: epoch?.count ?? 0, importing };
  },
});
