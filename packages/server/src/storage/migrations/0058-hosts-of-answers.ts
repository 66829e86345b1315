/** The redirect hosts at which a company's member answered about an app. */

import { sql, type Tx } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

export const hostsOfAnswers: Migration = {
  id: 58,
  name: "hosts of members' answers",
  phase: "expand",
  statements: [
    // NULL: a server of an earlier version wrote the answer. It holds wherever the company's consent does.
    sql`ALTER TABLE company_choices ADD COLUMN hosts TEXT`,
    {
      kind: "batches",
      what: "note for each member's answer the hosts that the company's consent holds for now",
      table: "company_choices",
      batch: noteHosts,
    },
  ],
};

/** The key of a row of `company_choices`. */
type Place = readonly [partition: number, companyId: string, clientId: string, personId: string];

async function noteHosts(tx: Tx, after: string | null, limit: number) {
  const [partition, companyId, clientId, personId] = after === null ? [-1, "", "", ""] : (JSON.parse(after) as Place);
  const rows = await tx.all(
    sql`SELECT w.partition, w.company_id, w.client_id, w.person_id, c.scopes FROM company_choices w
      LEFT JOIN consents c ON c.partition = w.partition AND c.owner_id = w.company_id AND c.client_id = w.client_id
      WHERE (w.partition, w.company_id, w.client_id, w.person_id) > (:partition, :companyId, :clientId, :personId)
      ORDER BY w.partition, w.company_id, w.client_id, w.person_id LIMIT :limit`,
    { partition, companyId, clientId, personId, limit },
  );
  for (const row of rows) {
    const scopes = JSON.parse(row["scopes"] == null ? "[]" : text(row, "scopes")) as readonly Scope[];
    await tx.run(
      sql`UPDATE company_choices SET hosts = :hosts WHERE partition = :partition AND company_id = :companyId
        AND client_id = :clientId AND person_id = :personId AND hosts IS NULL`,
      {
        partition: whole(row, "partition"),
        companyId: text(row, "company_id"),
        clientId: text(row, "client_id"),
        personId: text(row, "person_id"),
        hosts: JSON.stringify(scopes.map(({ name, hosts }) => ({ name, hosts }))),
      },
    );
  }
  const last = rows.at(-1);
  if (last === undefined) return { after: null, rows: 0 };
  const end: Place = [
    whole(last, "partition"),
    text(last, "company_id"),
    text(last, "client_id"),
    text(last, "person_id"),
  ];
  return { after: JSON.stringify(end), rows: rows.length };
}

interface Scope {
  readonly name: string;
  readonly hosts?: readonly string[];
}
