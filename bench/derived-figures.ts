/** The figures outside the table: relations between its rows, computed within each round. */

import { against, type Figure } from "./report-as-json.ts";
import { ON_POSTGRES } from "./rows/assent-rows.ts";
import { STATEMENTS } from "./rows/redemption-statements-row.ts";
import type { Windows } from "./take-turns.ts";

const relations = [
  {
    name: "client-credentials-of-batched",
    label: "client credentials, secret in the form : bare + ES256 batched",
    own: "client-credentials-post",
    other: "batched",
    goal: { least: 0.85 },
  },
  { name: "jwks-of-bare", label: "JWK Set : bare", own: "jwks", other: "bare", goal: { least: 0.95 } },
  {
    name: "redeem-postgres-of-sqlite",
    label: "code redemption, PostgreSQL : SQLite",
    own: `${ON_POSTGRES}redeem`,
    other: "redeem",
    goal: null,
  },
  {
    name: "redeem-postgres-of-statements",
    label: "code redemption on PostgreSQL : its statements alone, at the same durability",
    own: `${ON_POSTGRES}redeem`,
    other: STATEMENTS,
    goal: { least: 0.5 },
  },
] as const;

/** The relations whose two rows were measured. */
export function relationFigures(windows: Windows): Figure[] {
  return relations.flatMap(({ name, label, own, other, goal }) => {
    const value = against(windows.get(own), windows.get(other));
    return value === null ? [] : [{ name, label, value, unit: "×" as const, goal }];
  });
}

/** The maximum memory of the server on SQLite at the end of any measurement. */
export function memoryFigure(windows: Windows, rows: readonly { name: string; server: string }[]): Figure[] {
  const own = rows.filter(({ server }) => server === "assent").flatMap(({ name }) => windows.get(name) ?? []);
  if (own.length === 0) return [];
  const most = Math.max(...own.map(({ rss }) => rss)) / 2 ** 20;
  return [
    {
      name: "memory-most",
      label: "memory, maximum at the end of any row, sign-ins included",
      value: { median: most, min: most, max: most },
      unit: "MiB",
      goal: null,
    },
  ];
}
