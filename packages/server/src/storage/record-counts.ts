/** How much a database holds, for somebody who is about to replace it. */

import { sql } from "./define-verbs.ts";
import type { SchemaHost } from "./migrations/migration.ts";
import { whole } from "./row-conversion.ts";

export interface Inventory {
  readonly people: number;
  readonly companies: number;
  readonly clients: number;
  /** Not ended. */
  readonly consents: number;
  /** Not ended. */
  readonly grants: number;
  readonly sessions: number;
}

export function inventory(host: Pick<SchemaHost, "reading">): Promise<Inventory> {
  return host.reading(async (tx) => {
    const row = await tx.one(sql`SELECT
      (SELECT COUNT(*) FROM people) AS people,
      (SELECT COUNT(*) FROM companies) AS companies,
      (SELECT COUNT(*) FROM clients WHERE record IS NOT NULL) AS clients,
      (SELECT COUNT(*) FROM consents WHERE status = 'active') AS consents,
      (SELECT COUNT(*) FROM grants WHERE status = 'active') AS grants,
      (SELECT COUNT(*) FROM sessions) AS sessions`);
    const count = (name: string) => (row === undefined ? 0 : whole(row, name));
    return {
      ...{ people: count("people"), companies: count("companies"), clients: count("clients") },
      ...{ consents: count("consents"), grants: count("grants"), sessions: count("sessions") },
    };
  });
}
