/**
 * The lock that puts changes of a company and grants in its name into one order, and the check of who may change the
 * company.
 */

import type { ByAdmin, Company, CompanyKey } from "../../owners/company-storage.ts";
import { sql, type Tx, words } from "../define-verbs.ts";
import { whole } from "../row-conversion.ts";
import { companyColumns, companyOf } from "./company-row-conversion.ts";

export const thisCompany = sql`partition = :partition AND company_id = :companyId`;

/**
 * Locks the company alone. Changes of the company, its members or its rules run one after the other, and grants in its
 * name run between them.
 */
export async function lockCompany(tx: Tx, { partition, companyId }: CompanyKey): Promise<Company | undefined> {
  const row = await tx.one(sql`SELECT ${companyColumns} FROM companies WHERE ${thisCompany} ${words.forUpdate}`, {
    partition,
    companyId,
  });
  return row && companyOf(row);
}

/** True for the operator (null), and for an admin of an active company whose session has not ended. */
export async function isAdmin(
  tx: Tx,
  company: Company,
  { by, trustedFrom }: Pick<ByAdmin, "by" | "trustedFrom">,
): Promise<boolean> {
  if (by === null) return true;
  if (company.status !== "active") return false;
  const { partition, companyId } = company;
  const row = await tx.one(
    sql`SELECT trusted_from FROM members WHERE ${thisCompany} AND person_id = :by AND role = 'admin' AND standing = 'active'`,
    { partition, companyId, by },
  );
  return row !== undefined && (trustedFrom === undefined || whole(row, "trusted_from") === trustedFrom);
}
