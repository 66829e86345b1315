/**
 * Verbs of names that are unique across owners: reserved, then active. One namespace for usernames and e-mails: both sign in. Another one for
 * the subjects of trusted issuers, another for companies' slugs,
 * another for passkeys.
 */

import type { Millis } from "../../oauth/model.ts";
import { partitionOfName } from "../partition.ts";
import { HOUR, text } from "../rows.ts";
import { query, sql, statement } from "../sql.ts";

export type NameKind = "sign-in" | "subject" | "slug" | "passkey";

/** How long a reservation keeps others out; after that, whoever made it has crashed. */
export const RESERVED_FOR: Millis = HOUR;

export interface NamePlace {
  /** `sign-in` unless it says otherwise. */
  readonly kind?: NameKind;
  readonly value: string;
}

export interface NameArgs extends NamePlace {
  readonly ownerId: string;
  readonly now: Millis;
}

function place({ kind = "sign-in", value }: NamePlace) {
  return { partition: partitionOfName(kind, value), kind, value };
}

const thisName = sql`partition = :partition AND kind = :kind AND value = :value`;

/** True: the name is the owner's, reserved now or before. A stale reservation of another is taken over. */
export const reserveName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`INSERT INTO names AS n (partition, kind, value, owner_id, status, reserved_at)
    VALUES (:partition, :kind, :value, :ownerId, 'reserved', :now)
    ON CONFLICT (partition, kind, value) DO UPDATE SET owner_id = :ownerId, reserved_at = :now
    WHERE n.owner_id = :ownerId OR (n.status = 'reserved' AND n.reserved_at < :stale)
    RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...place(name), ownerId, now, stale: now - RESERVED_FOR }),
  outcome: (row) => row !== undefined,
});

/** True: the name is the owner's for good. */
export const activateName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`UPDATE names SET status = 'active' WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...place(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** True: the name is the owner's for good, unless another has it or is about to. */
export const claimName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`INSERT INTO names AS n (partition, kind, value, owner_id, status, reserved_at)
    VALUES (:partition, :kind, :value, :ownerId, 'active', :now)
    ON CONFLICT (partition, kind, value) DO UPDATE SET status = 'active' WHERE n.owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...place(name), ownerId, now }),
  outcome: (row) => row !== undefined,
});

/** Back to a reservation: if what comes next is cut short, housekeeping asks the owner's record who is right. */
export const unreserveName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`UPDATE names SET status = 'reserved', reserved_at = :now WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, now, ...name }) => ({ ...place(name), ownerId, now }),
  outcome: (row) => row !== undefined,
});

/** Lets a reservation of the owner go; an active name stays. */
export const dropName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`DELETE FROM names WHERE ${thisName} AND owner_id = :ownerId AND status = 'reserved' RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...place(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** Takes the name away from an owner who is gone or has no claim to it any more. */
export const forgetName = statement<NameArgs, boolean>({
  lock: "value",
  sql: sql`DELETE FROM names WHERE ${thisName} AND owner_id = :ownerId RETURNING status`,
  bind: ({ ownerId, ...name }) => ({ ...place(name), ownerId }),
  outcome: (row) => row !== undefined,
});

/** Who has the name (`active`), or is about to (`reserved`). */
export const holderOfName = query<
  NamePlace,
  { readonly ownerId: string; readonly status: "active" | "reserved" } | undefined
>({
  sql: sql`SELECT owner_id, status FROM names WHERE ${thisName}`,
  bind: place,
  outcome: ([row]) => row && { ownerId: text(row, "owner_id"), status: text(row, "status") as "active" | "reserved" },
});

/** Reservations whose maker gave up. */
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
