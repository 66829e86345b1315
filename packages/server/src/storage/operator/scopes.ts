/** Verbs of the operator's scopes (RFC 6749 §3.3). */

import type { AdminStorage, PutOutcome } from "../../admin/storage.ts";
import type { Millis, Scope } from "../../oauth/model.ts";
import { query, sql, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isStill, json } from "../row-conversion.ts";
import { forgetConfigured, hold, raise } from "./catalog-versions.ts";

/** Sorted by name. */
export const listScopes = query<void, readonly Scope[]>({
  sql: sql`SELECT record FROM scopes ORDER BY name`,
  bind: () => ({}),
  outcome: (rows) => rows.map((row) => json<Scope>(row, "record")),
});

export const putScope = transaction<
  Parameters<AdminStorage["scopes"]["put"]>[0],
  PutOutcome | { readonly kind: "unknown_resource" }
>(async (tx, { scope, create, expected }) => {
  await hold(tx);
  const { name, resource } = scope;
  if (resource !== null) {
    const found = await tx.one(sql`SELECT identifier FROM resources WHERE identifier = :resource`, { resource });
    if (found === undefined) return { kind: "unknown_resource" };
  }
  const present = await tx.one(sql`SELECT record FROM scopes WHERE name = :name`, { name });
  if (create && present !== undefined) return { kind: "conflict" };
  if (expected !== undefined && !(present && isStill(json<Scope>(present, "record"), expected)))
    return { kind: "conflict" };
  await tx.run(
    sql`INSERT INTO scopes (name, resource, record) VALUES (:name, :resource, :record)
      ON CONFLICT (name) DO UPDATE SET resource = excluded.resource, record = excluded.record`,
    { name, resource, record: JSON.stringify(scope) },
  );
  const kind = present === undefined ? "scope.created" : "scope.updated";
  await tell(tx, { kind, by: "operator", details: { scope: name } });
  return { kind: "stored", version: await raise(tx, "scopes") };
});

/** Grants from before this moment may still name the scope; a refresh of such a grant checks its scopes. */
export const deleteScope = transaction<{ readonly name: string; readonly now: Millis }, boolean>(
  async (tx, { name, now }) => {
    if ((await tx.run(sql`DELETE FROM scopes WHERE name = :name`, { name })) === 0) return false;
    await raise(tx, "scopes");
    await tx.run(sql`UPDATE catalog SET reduced_at = :now WHERE kind = 'scopes'`, { now });
    forgetConfigured(tx, "scopes", name);
    await tell(tx, { kind: "scope.deleted", at: now, by: "operator", details: { scope: name } });
    return true;
  },
);
