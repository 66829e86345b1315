/** Verbs of the company that a person chose last for an app. The rows are in the person's partition. */

import type { LastCompany, LastCompanyStorage } from "../../owners/last-company.ts";
import { query, sql, transaction } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";

type Note = Parameters<LastCompanyStorage["lastCompanies"]["note"]>[0];

export const note = transaction<Note, void>(async (tx, { partition, personId, clientId, companyId, chosenAt }) => {
  await tx.run(
    sql`INSERT INTO last_companies (partition, person_id, client_id, company_id, chosen_at)
      SELECT :partition, person_id, :clientId, :companyId, :chosenAt FROM people
        WHERE partition = :partition AND person_id = :personId
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
