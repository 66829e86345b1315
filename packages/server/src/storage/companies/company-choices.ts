/** Verbs of the choice of a company: for which apps a member answered in its name on a page. */

import type { Millis } from "../../oauth/model.ts";
import type { CompanyKey, TrustedSince } from "../../owners/company-storage.ts";
import { query, sql, type Tx, transaction } from "../define-verbs.ts";
import { text } from "../row-conversion.ts";
import { thisCompany } from "./lock-company-row.ts";
import { lockActing } from "./members.ts";

/** The person chose the company for this app on a page. The next time needs no page, and an opt-out ends. */
export async function rememberChoice(
  tx: Tx,
  grant: { readonly partition: number; readonly ownerId: string; readonly personId: string; readonly clientId: string },
  declined: readonly string[],
  now: Millis,
): Promise<void> {
  const { partition, ownerId: companyId, personId, clientId } = grant;
  if (companyId === personId) return;
  const key = { partition, companyId, clientId, personId };
  await tx.run(
    sql`INSERT INTO company_choices (partition, company_id, client_id, person_id, since, declined)
      VALUES (:partition, :companyId, :clientId, :personId, :now, :declined)
      ON CONFLICT (partition, company_id, client_id, person_id) DO UPDATE SET since = excluded.since, declined = excluded.declined`,
    { ...key, now, declined: JSON.stringify(declined) },
  );
  await tx.run(
    sql`DELETE FROM company_opt_outs WHERE ${thisCompany} AND client_id = :clientId AND person_id = :personId`,
    key,
  );
}

/** Forgets for whom the member answered, and keeps what they declined: a negative time is that of a forgotten choice. */
export const forgetChoice = transaction<
  CompanyKey & { readonly clientId: string; readonly personId: string } & TrustedSince,
  { readonly kind: "done" | "unknown" }
>(async (tx, { trustedFrom, ...key }) => {
  const acting = await lockActing(tx, key);
  if (!acting?.chosen || (trustedFrom ?? acting.member.trustedFrom) !== acting.member.trustedFrom)
    return { kind: "unknown" };
  await tx.run(
    sql`UPDATE company_choices SET since = -since WHERE ${thisCompany} AND client_id = :clientId AND person_id = :personId`,
    key,
  );
  return { kind: "done" };
});

/** The ids of the apps for which the member chose the company, without forgotten choices. */
export const listChoices = query<CompanyKey & { readonly personId: string }, readonly string[]>({
  sql: sql`SELECT client_id FROM company_choices WHERE ${thisCompany} AND person_id = :personId AND since > 0 ORDER BY client_id`,
  bind: ({ partition, companyId, personId }) => ({ partition, companyId, personId }),
  outcome: (rows) => rows.map((row) => text(row, "client_id")),
});
