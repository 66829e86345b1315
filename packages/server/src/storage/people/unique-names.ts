/**
 * Verbs of names that are unique across owners: reserved first, then active. Usernames and e-mail addresses share one
 * namespace, because both sign in. Subjects of trusted issuers, companies' slugs and passkeys have one each.
 */

import type { Millis } from "../../oauth/model.ts";
import { query, sql, statement } from "../define-verbs.ts";
import { partitionOfName } from "../partition.ts";
import { HOUR, text } from "../row-conversion.ts";

export type NameKind = "sign-in" | "subject" | "slug" | "passkey";

/** How long a reservation keeps others out. After that, its process counts as crashed. */
export const RESERVED_FOR: Millis = HOUR;

export interface Name {
  /** Default: `sign-in`. */
  readonly kind?: NameKind;
  readonly value: string;
}

export interface NameArgs extends Name {
  readonly ownerId: string;
  readonly now: Millis;
}

function nameKey({ kind = "sign-in", value }: Name) {
  return { partition: partitionOfName(kind, value), kind, value };
}

const thisName = sql`partition = :partition AND kind = :kind AND value = :value`;

/**
 * True: the owner has the name, reserved now or before. A reservation of somebody else that is too old is taken over.
 */
export const reserveName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`INSERT INTO names AS n (partition, kind, value, owner_id, status, reserved_at)
    VALUES (:partition, :kind, :value, :ownerId, 'reserved', :now)
    ON CONFLICT (partition, kind, value) DO UPDATE SET owner_id = :ownerId, reserved_at = :now
    WHERE n.owner_id = :ownerId OR (n.status = 'reserved' AND n.reserved_at < :stale)
    RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...nameKey(name), ownerId, now, stale: now - RESERVED_FOR }),
  outcome: (row) => row !== undefined,
});

/** True: the owner has the name for good. */
export const activateName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`UPDATE names SET status = 'active' WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...nameKey(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** True: the owner has the name for good. False: somebody else has or reserves it. */
export const claimName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`INSERT INTO names AS n (partition, kind, value, owner_id, status, reserved_at)
    VALUES (:partition, :kind, :value, :ownerId, 'active', :now)
    ON CONFLICT (partition, kind, value) DO UPDATE SET status = 'active' WHERE n.owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...nameKey(name), ownerId, now }),
  outcome: (row) => row !== undefined,
});

/**
 * Turns an active name into a reservation. If the process then crashes, housekeeping reads the owner's record to
 * decide.
 */
export const unreserveName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`UPDATE names SET status = 'reserved', reserved_at = :now WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...nameKey(name), ownerId, now }),
  outcome: (row) => row !== undefined,
});

/** Frees a reservation of the owner. An active name stays. */
export const dropName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`DELETE FROM names WHERE ${thisName} AND owner_id = :ownerId AND status = 'reserved' RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...nameKey(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** Frees the name of an owner who was deleted or has no right to it any more. */
export const forgetName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`DELETE FROM names WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...nameKey(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** The owner who has the name (`active`) or reserves it (`reserved`). */
export const holderOfName = query<
  Name,
  { readonly ownerId: string; readonly status: "active" | "reserved" } | undefined
>({
  sql: sql`SELECT owner_id, status FROM names WHERE ${thisName}`,
  bind: nameKey,
  outcome: ([row]) => row && { ownerId: text(row, "owner_id"), status: text(row, "status") as "active" | "reserved" },
});

/** Reservations whose process crashed. */
export const staleNames = query<
  { readonly now: Millis; readonly limit: number },
  readonly { readonly kind: NameKind; readonly value: string; readonly ownerId: string }[]
>({
  sql: sql`SELECT kind, value, owner_id FROM names
    WHERE +partition >= 0 AND status = 'reserved' AND reserved_at < :stale ORDER BY reserved_at LIMIT :limit`,
  bind: ({ now, limit }) => ({ stale: now - RESERVED_FOR, limit }),
  outcome: (rows) =>
    rows.map((row) => ({
      kind: text(row, "kind") as NameKind,
      value: text(row, "value"),
      ownerId: text(row, "owner_id"),
    })),
});
