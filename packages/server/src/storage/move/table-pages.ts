/** Reads a table in the order of its primary key, page by page. */

import { listed, named, placed, type Row, type Sql, sql, type Tx } from "../define-verbs.ts";
import type { Table } from "../tables.ts";

const PAGE = 500;

/** All rows, in pages of one transaction's snapshot. */
export async function* pagesOf(tx: Tx, { name, key }: Table): AsyncGenerator<readonly Row[]> {
  const { first, next } = statements(name, key);
  let rows = await tx.all(first, { page: PAGE });
  for (;;) {
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    const after = Object.fromEntries(key.map((column) => [`after_${column}`, last[column] ?? null]));
    rows = await tx.all(next, { ...after, page: PAGE });
  }
}

function statements(name: string, key: readonly string[]): { first: Sql; next: Sql } {
  const table = named(name);
  const order = listed(key.map(named));
  const place = listed(key.map(named), { enclosed: true });
  const after = listed(
    key.map((column) => placed(`after_${column}`)),
    { enclosed: true },
  );
  return {
    first: sql`SELECT * FROM ${table} ORDER BY ${order} LIMIT :page`,
    next: sql`SELECT * FROM ${table} WHERE ${place} > ${after} ORDER BY ${order} LIMIT :page`,
  };
}

/** The columns in an order that does not depend on the database. */
export function columnsOf(row: Row): readonly string[] {
  return Object.keys(row).sort();
}
