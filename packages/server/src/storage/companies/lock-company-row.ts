/**
 * The lock that puts changes of a company and grants in its name into one order, and the checks of who may change the
 * company, and of whom its provider may sign in.
 */

import type { ByAdmin, Company, CompanyKey } from "../../owners/company-storage.ts";
import type { CompanySignIn } from "../../owners/identities/company-provider.ts";
import { type Row, sql, type Tx, words } from "../define-verbs.ts";
import { json, whole } from "../row-conversion.ts";
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

const member = sql`SELECT person_id FROM members JOIN companies USING (partition, company_id)
  WHERE partition = :partition AND company_id = :companyId AND person_id = :personId
    AND companies.status = 'active' AND standing = 'active'`;

const elsewhere = sql`SELECT company_id FROM member_links
  WHERE partition = :partition AND person_id = :personId AND company_id <> :companyId LIMIT 1`;

/**
 * Whether a company's own provider may still sign a person in. The caller holds the lock of the person's row. Each change that takes the person out of the company's reach ends their
 * sessions after it, under that lock. So a session that is made before that change ends with the others, and a later one
 * is not made. `person`: a row with `operator`.
 */
export async function isReachedByCompany(
  tx: Tx,
  person: Row,
  {
    company: { partition, companyId },
    providerId,
    ...key
  }: {
    readonly partition: number;
    readonly personId: string;
    readonly company: CompanyKey;
    readonly providerId: string;
  },
): Promise<boolean> {
  if (json<readonly string[]>(person, "operator").length > 0) return false;
  if ((await tx.one(member, { partition, companyId, personId: key.personId })) === undefined) return false;
  if ((await tx.one(elsewhere, { partition: key.partition, personId: key.personId, companyId })) !== undefined)
    return false;
  const row = await tx.one(sql`SELECT record FROM company_sign_in WHERE company_id = :companyId`, { companyId });
  const provider = row && json<CompanySignIn>(row, "record").provider;
  return provider?.id === providerId && provider.status === "active";
}
