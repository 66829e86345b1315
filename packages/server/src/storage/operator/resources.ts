/** Verbs of resource servers, the APIs (RFC 8707 §2). */

import type { AdminStorage, PutOutcome } from "../../admin/storage.ts";
import type { Resource } from "../../oauth/model.ts";
import { query, sql, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isStill, json } from "../row-conversion.ts";
import { forgetConfigured, hold, raise } from "./catalog-versions.ts";

/** Sorted by identifier. */
export const listResources = query<void, readonly Resource[]>({
  sql: sql`SELECT record FROM resources ORDER BY identifier`,
  bind: () => ({}),
  outcome: (rows) => rows.map((row) => json<Resource>(row, "record")),
});

export const putResource = transaction<Parameters<AdminStorage["resources"]["put"]>[0], PutOutcome>(
  async (tx, { resource, create, expected }) => {
    await hold(tx);
    const { identifier } = resource;
    const found = await tx.one(sql`SELECT record FROM resources WHERE identifier = :identifier`, { identifier });
    if (create && found !== undefined) return { kind: "conflict" };
    if (expected !== undefined && !(found && isStill(json<Resource>(found, "record"), expected)))
      return { kind: "conflict" };
    await tx.run(
      sql`INSERT INTO resources (identifier, record) VALUES (:identifier, :record)
        ON CONFLICT (identifier) DO UPDATE SET record = excluded.record`,
      { identifier, record: JSON.stringify(resource) },
    );
    const kind = found === undefined ? "resource.created" : "resource.updated";
    await tell(tx, { kind, by: "operator", details: { resource: identifier } });
    return { kind: "stored", version: await raise(tx, "resources") };
  },
);

export const deleteResource = transaction<{ readonly identifier: string }, "deleted" | "unknown" | "in_use">(
  async (tx, { identifier }) => {
    await hold(tx);
    if (await tx.one(sql`SELECT name FROM scopes WHERE resource = :identifier LIMIT 1`, { identifier }))
      return "in_use";
    if ((await tx.run(sql`DELETE FROM resources WHERE identifier = :identifier`, { identifier })) === 0)
      return "unknown";
    await raise(tx, "resources");
    forgetConfigured(tx, "resources", identifier);
    await tell(tx, { kind: "resource.deleted", by: "operator", details: { resource: identifier } });
    return "deleted";
  },
);
