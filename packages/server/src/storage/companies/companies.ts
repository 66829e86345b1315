/**
 * Verbs of companies. A slug is stored in another partition than its company, so a verb that changes a slug consists of
 * several verbs.
 */

import type { Millis } from "../../oauth/model.ts";
import type { ByAdmin, Company, CompanyKey } from "../../owners/company-storage.ts";
import { eraseHistory, note, noteEnded } from "../consents/history.ts";
import { type Call, named, query, type Row, sql, statement, steps, type Tx, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { eraseDelegations } from "../grants/delegations.ts";
import { endGrants, endingOf, inPieces } from "../grants/end-in-batches.ts";
import { eraseScopeUses, keepLastUse } from "../grants/uses.ts";
import { forgetConfigured } from "../operator/catalog-versions.ts";
import { partitionOf } from "../partition.ts";
import { settleName } from "../people/name-reconciliation.ts";
import { activateName, forgetName, holderOfName, reserveName, unreserveName } from "../people/unique-names.ts";
import { isStill, text } from "../row-conversion.ts";
import { companyColumns, companyOf } from "./company-row-conversion.ts";
import { forgetCompanySignIn } from "./company-sign-in.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";
import { doubtCompanyLink } from "./members.ts";

export const getCompany = query<CompanyKey, Company | undefined>({
  sql: sql`SELECT ${companyColumns} FROM companies WHERE ${thisCompany}`,
  bind: ({ partition, companyId }) => ({ partition, companyId }),
  outcome: ([row]) => row && companyOf(row),
});

/** The slug's row leads to a company. The result counts only if that company has this slug. */
export const findCompany = steps<{ readonly slug: string }, Company | undefined>(async (call, { slug }) => {
  const holder = await call(holderOfName, { kind: "slug", value: slug });
  if (holder === undefined) return undefined;
  const companyId = holder.ownerId;
  const company = await call(getCompany, { partition: partitionOf(companyId), companyId });
  return company?.slug === slug ? company : undefined;
});

/**
 * Reserves the slug, creates the company and activates it. If it is called again with the same company after a crash,
 * it continues.
 */
export const createCompany = steps<
  { readonly company: Company; readonly now: Millis },
  { readonly kind: "created" | "taken" }
>(async (call, { company, now }) => {
  const name = { kind: "slug", value: company.slug, ownerId: company.companyId, now } as const;
  if (!(await call(reserveName, name))) return { kind: "taken" };
  await call(writeNewCompany, { company, now });
  if (await call(activateName, name)) return { kind: "created" };
  // The reservation was so old that another creation took it over. This creation came too late.
  await call(eraseCompany, { ...company, now });
  return { kind: "taken" };
});

export const writeNewCompany = transaction<{ readonly company: Company; readonly now: Millis }, boolean>(
  async (tx, { company, now }) => {
    if ((await tx.one(insertCompany.sql, insertCompany.bind(company))) === undefined) return false;
    await tell(tx, { kind: "company.created", at: now, by: "operator", subject: company.companyId });
    return true;
  },
);

export const insertCompany = statement<Company, boolean>({
  lock: "companyId",
  sql: sql`INSERT INTO companies (${companyColumns})
    VALUES (:partition, :companyId, :slug, :name, :status, :defaultRule, :createdAt, :updatedAt)
    ON CONFLICT (partition, company_id) DO NOTHING RETURNING company_id`,
  bind: (company) => ({ ...company }),
  outcome: (row) => row !== undefined,
});

/** Oldest first. `after`: the last id of the previous page. If that company was deleted, the result is empty. */
export const listCompanies = steps<{ readonly limit: number; readonly after: string | null }, readonly Company[]>(
  async (call, { limit, after }) => {
    if (after === null) return call(companiesAfter, { createdAt: 0, companyId: "", limit });
    const last = await call(getCompany, { partition: partitionOf(after), companyId: after });
    return last === undefined ? [] : call(companiesAfter, { createdAt: last.createdAt, companyId: after, limit });
  },
);

export const companiesAfter = query<
  { readonly createdAt: Millis; readonly companyId: string; readonly limit: number },
  readonly Company[]
>({
  sql: sql`SELECT ${companyColumns} FROM companies
    WHERE +partition >= 0 AND (created_at, company_id) > (:createdAt, :companyId) ORDER BY created_at, company_id LIMIT :limit`,
  bind: ({ createdAt, companyId, limit }) => ({ createdAt, companyId, limit }),
  outcome: (rows) => rows.map(companyOf),
});

type CompanyUpdate = CompanyKey &
  ByAdmin & {
    readonly changes: Partial<Pick<Company, "name" | "slug" | "defaultRule">>;
    readonly expected?: Company;
  };
type UpdateOutcome = { readonly kind: "updated" | "unknown" | "taken" | "not_admin" | "changed" };

/** The verb reserves a new slug first and releases the old one. After the change it settles both. */
export const updateCompany = steps<CompanyUpdate, UpdateOutcome>(async (call, args) => {
  const { partition, companyId, changes, now } = args;
  const before = await call(getCompany, { partition, companyId });
  if (before === undefined) return { kind: "unknown" };
  const slug = changes.slug ?? before.slug;
  const moves = slug !== before.slug;
  const next = { kind: "slug", value: slug, ownerId: companyId, now } as const;
  const old = { ...next, value: before.slug };
  if (moves && !(await call(reserveName, next))) return { kind: "taken" };
  if (moves) await call(unreserveName, old);
  const written = await call(writeCompany, { ...args, slugBefore: before.slug });
  const taken = moves && !(await settleName(call, next)) && written === "updated";
  // Another company has the new slug, because a change that failed had released it. This company gets its own slug
  // again, if it is still free.
  if (taken && (await call(reserveName, old)))
    await call(writeCompany, {
      ...{ partition, companyId, now, by: null, changes: { slug: old.value }, slugBefore: slug },
    });
  if (moves) await settleName(call, old);
  return { kind: taken ? "taken" : written };
});

export const writeCompany = transaction<
  CompanyUpdate & { readonly slugBefore: string },
  "updated" | "unknown" | "not_admin" | "changed"
>(async (tx, { partition, companyId, changes, slugBefore, expected, by, now, ...asked }) => {
  const company = await lockCompany(tx, { partition, companyId });
  if (company !== undefined && !isStill(company, expected)) return "changed";
  // Somebody changed the slug meanwhile, so these changes were based on an old record.
  if (company === undefined || company.slug !== slugBefore) return "unknown";
  if (!(await isAdmin(tx, company, { by, ...asked }))) return "not_admin";
  const { slug, name, defaultRule } = { ...company, ...changes };
  await tx.run(
    sql`UPDATE companies SET slug = :slug, name = :name, default_rule = :defaultRule, updated_at = :now WHERE ${thisCompany}`,
    { partition, companyId, slug, name, defaultRule, now },
  );
  if (defaultRule !== company.defaultRule) {
    const nothing = { clientName: null, via: null, scopes: [], removed: [], expiresAt: null };
    await note(tx, {
      ...{ partition, ownerId: companyId, clientId: "", at: now, kind: "rule_changed" },
      record: { ...nothing, by: by ?? "operator", rule: `default_${defaultRule}` },
    });
  }
  await tell(tx, {
    ...{ kind: "company.updated", at: now, by: by === null ? "operator" : `user:${by}`, subject: companyId },
    details: { changed: Object.keys(changes) },
  });
  return "updated";
});

export const setCompanyStatus = transaction<
  CompanyKey & { readonly status: Company["status"]; readonly now: Millis },
  boolean
>(async (tx, { partition, companyId, status, now }) => {
  if ((await lockCompany(tx, { partition, companyId })) === undefined) return false;
  await tx.run(sql`UPDATE companies SET status = :status, updated_at = :now WHERE ${thisCompany}`, {
    partition,
    companyId,
    status,
    now,
  });
  if (status === "disabled") {
    await keepLastUse(tx, partition, companyId);
    const ended = await endGrantsOfCompany(tx, { partition, companyId }, now);
    await noteEnded(tx, { partition, ownerId: companyId, cause: "company", by: "operator", now }, ended);
  }
  const kind = status === "disabled" ? "company.disabled" : "company.enabled";
  await tell(tx, { kind, at: now, by: "operator", subject: companyId });
  return true;
});

const ofCompany = endingOf(sql`partition = :partition AND owner_id = :companyId`);

function endGrantsOfCompany(tx: Tx, { partition, companyId }: CompanyKey, now: Millis): Promise<readonly Row[]> {
  return endGrants(tx, ofCompany, { partition, companyId }, { status: "owner_ended", now });
}

/**
 * The company's own partition comes first: from then on nobody can act in its name. Rows that remain in other
 * partitions lead nowhere.
 */
export const deleteCompany = steps<CompanyKey & { readonly now: Millis }, boolean>(
  async (call, { partition, companyId, now }) => {
    const company = await call(getCompany, { partition, companyId });
    if (company === undefined) return false;
    const name = { kind: "slug", value: company.slug, ownerId: companyId, now } as const;
    await call(unreserveName, name);
    await forgetCompanySignIn(call, { partition, companyId }, now);
    const { members, slug } = await call(eraseCompany, { partition, companyId, now });
    await forget(call, members, { companyId, now });
    // The slug may have changed meanwhile, so release both.
    for (const value of new Set([company.slug, ...slug])) await call(forgetName, { ...name, value });
    return true;
  },
);

async function forget(
  call: Call,
  members: readonly Member[],
  { companyId, now }: { readonly companyId: string; readonly now: Millis },
): Promise<void> {
  for (const { personId, link } of members) {
    await call(doubtCompanyLink, { partition: partitionOf(personId), personId, companyId, link, now });
  }
}

interface Member {
  readonly personId: string;
  readonly link: string;
}

interface Erased {
  readonly members: readonly Member[];
  /** Empty if the company did not exist any more. */
  readonly slug: readonly string[];
}

/** Tables that can hold rows for each member and app. */
const OF_MEMBERS = ["company_rule_members", "company_opt_outs", "company_choices", "company_requests"].map(named).map(
  (table) =>
    sql`DELETE FROM ${table} WHERE ${thisCompany} AND (client_id, person_id) IN
      (SELECT client_id, person_id FROM ${table} WHERE ${thisCompany} LIMIT :most)`,
);

/** Deletes all rows of the company in its partition. Returns its members and its slug. */
export const eraseCompany = transaction<CompanyKey & { readonly now: Millis }, Erased>(
  async (tx, { partition, companyId, now }) => {
    const key = { partition, companyId };
    await lockCompany(tx, key);
    const members = await tx.all(sql`DELETE FROM members WHERE ${thisCompany} RETURNING person_id, link`, key);
    await tx.run(sql`DELETE FROM company_rules WHERE ${thisCompany}`, key);
    for (const statement of OF_MEMBERS) await inPieces(tx, statement, key);
    await tx.run(sql`DELETE FROM company_connections WHERE ${thisCompany}`, key);
    await tx.run(sql`DELETE FROM invitations WHERE ${thisCompany}`, key);
    await tx.run(sql`DELETE FROM consents WHERE partition = :partition AND owner_id = :companyId`, key);
    // As with people: a transaction that ends one of these grants at the same moment writes its history entry before.
    await endGrantsOfCompany(tx, key, now);
    await eraseHistory(tx, partition, companyId);
    await eraseScopeUses(tx, partition, companyId);
    await eraseDelegations(tx, partition, companyId);
    forgetConfigured(tx, "companies", companyId);
    const slug = await tx.all(sql`DELETE FROM companies WHERE ${thisCompany} RETURNING slug`, key);
    if (slug.length > 0) await tell(tx, { kind: "company.deleted", at: now, by: "operator", subject: companyId });
    return {
      members: members.map((row) => ({ personId: text(row, "person_id"), link: text(row, "link") })),
      slug: slug.map((row) => text(row, "slug")),
    };
  },
);
