/** Whether a company's own provider may still sign a person in. */

import type { CompanyKey } from "../../owners/company-storage.ts";
import type { CompanySignIn } from "../../owners/identities/company-provider.ts";
import { type Row, sql, type Tx } from "../define-verbs.ts";
import { json } from "../row-conversion.ts";

const member = sql`SELECT person_id FROM members JOIN companies USING (partition, company_id)
  WHERE partition = :partition AND company_id = :companyId AND person_id = :personId
    AND companies.status = 'active' AND standing = 'active'`;

const elsewhere = sql`SELECT company_id FROM member_links
  WHERE partition = :partition AND person_id = :personId AND company_id <> :companyId LIMIT 1`;

/**
 * The caller holds the lock of the person's row. Each change that takes the person out of the company's reach ends their
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
