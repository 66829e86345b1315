/** Verbs of the company that a person chose last for an app. The rows are in the person's partition. */

import type { LastCompany, LastCompanyStorage } from "../../owners/last-company.ts";
import { query, sql, transaction, words } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";

type Note = Parameters<LastCompanyStorage["lastCompanies"]["note"]>[0];

/** The lock makes it wait for the deletion of the account, or the other way round. A deleted person gets no row. */
export const note = transaction<Note, void>(async (tx, { partition, personId, clientId, companyId, chosenAt }) => {
  const person = await tx.one(
    sql`SELECT person_id FROM people WHERE partition = :partition AND person_id = :personId ${words.forShare}`,
    { partition, personId },
  );
  if (person === undefined) return;
  await tx.run(
    sql`INSERT INTO last_companies (partition, person_id, client_id, company_id, chosen_at)
      VALUES (:partition, :personId, :clientId, :companyId, :chosenAt)
      ON CONFLICT (partition, person_id, client_id) DO UPDATE SET company_id = excluded.company_id, chosen_at = excluded.chosen_at`,
    { partition, personId, clientId, companyId, chosenAt },
  );
});

export const list = query<{ readonly partition: number; readonly personId: string }, ReadonlyMap<string, LastCompany>>({
  sql: sql`SELECT client_id, company_id, chosen_at FROM last_companies
    WHERE partition = :partition AND person_id = :personId ORDER BY client_id`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) =>
    new Map(
      rows.map((row) => [
        text(row, "client_id"),
        { companyId: text(row, "company_id"), chosenAt: whole(row, "chosen_at") },
      ]),
    ),
});
