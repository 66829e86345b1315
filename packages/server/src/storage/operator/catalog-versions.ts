/**
 * The catalog's counters. Every change of clients, scopes, resources, issuers, sign-in providers or keys increases one,
 * so that other processes notice the change. Also the marks that say which configuration describes a record of it.
 */

import type { CatalogVersions, ConfiguredRecord } from "../../admin/storage.ts";
import { query, sql, type Tx, transaction, words } from "../define-verbs.ts";
import { text, whole, wholeOrNull } from "../row-conversion.ts";

export type CatalogKind = "clients" | "scopes" | "resources" | "keys" | "issuers" | "providers";

/** Increases a counter and returns its new value. The row's lock puts changes of one kind into one order. */
export async function raise(tx: Tx, kind: CatalogKind): Promise<number> {
  const row = await tx.one(sql`UPDATE catalog SET version = version + 1 WHERE kind = :kind RETURNING version`, {
    kind,
  });
  if (row === undefined) throw new Error(`the catalogue has no counter of ${kind}`);
  return whole(row, "version");
}

/** Prevents other changes of these kinds until the transaction ends. */
export async function hold(tx: Tx): Promise<void> {
  await tx.all(sql`SELECT kind FROM catalog ORDER BY kind ${words.forUpdate}`);
}

export const catalogVersions = query<void, CatalogVersions>({
  sql: sql`SELECT kind, version, reduced_at FROM catalog`,
  bind: () => ({}),
  outcome: (rows) => {
    const row = (kind: CatalogKind) => {
      const found = rows.find((each) => text(each, "kind") === kind);
      if (found === undefined) throw new Error(`the catalogue has no counter of ${kind}`);
      return found;
    };
    return {
      clients: whole(row("clients"), "version"),
      scopes: whole(row("scopes"), "version"),
      resources: whole(row("resources"), "version"),
      keys: whole(row("keys"), "version"),
      issuers: whole(row("issuers"), "version"),
      providers: whole(row("providers"), "version"),
      scopesReducedAt: wholeOrNull(row("scopes"), "reduced_at"),
    };
  },
});

/** The cheapest read that proves that the database answers. */
export const ping = query<void, void>({
  sql: sql`SELECT version FROM catalog WHERE kind = 'clients'`,
  bind: () => ({}),
  outcome: () => undefined,
});

export const listConfigured = query<void, readonly ConfiguredRecord[]>({
  sql: sql`SELECT kind, record_id, configuration, label FROM configured_records ORDER BY kind, record_id`,
  bind: () => ({}),
  outcome: (rows) =>
    rows.map((row) => ({
      kind: text(row, "kind"),
      recordId: text(row, "record_id"),
      configuration: text(row, "configuration"),
      label: text(row, "label"),
    })),
});

export const putConfigured = transaction<{ readonly records: readonly ConfiguredRecord[] }, void>(
  async (tx, { records }) => {
    for (const { kind, recordId, configuration, label } of records) {
      await tx.run(
        sql`INSERT INTO configured_records (kind, record_id, configuration, label)
          VALUES (:kind, :recordId, :configuration, :label)
          ON CONFLICT (kind, record_id) DO UPDATE SET configuration = excluded.configuration, label = excluded.label`,
        { kind, recordId, configuration, label },
      );
    }
  },
);

/** Called where the record is deleted: a later record with its name belongs to nobody's file. */
export function forgetConfigured(tx: Tx, kind: string, recordId: string): void {
  tx.later(sql`DELETE FROM configured_records WHERE kind = :kind AND record_id = :recordId`, { kind, recordId });
}
