/** Verbs that count and list the people for whom an app acts in a company's name. */

import type { GrantedScope, Millis } from "../../oauth/model.ts";
import type { ActingPerson, CompanyKey } from "../../owners/company-storage.ts";
import { query, type Row, sql } from "../define-verbs.ts";
import { isActive, json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { thisCompany } from "./lock-company-row.ts";

export interface ActingFor extends CompanyKey {
  readonly clientId: string;
  readonly except?: readonly string[];
  readonly lost?: readonly string[];
  readonly now: Millis;
}

export const countActing = query<ActingFor, { readonly people: number; readonly members: number }>({
  sql: sql`SELECT person_id, scopes FROM grants WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId
      AND ${isActive} AND idle_until > :now AND absolute_until > :now`,
  also: sql`SELECT person_id FROM members WHERE ${thisCompany} AND role = 'admin'`,
  bind: ({ partition, companyId, clientId, now }) => ({ partition, companyId, clientId, now }),
  outcome: (grants, { except = [], lost }, admins) => {
    const holds = (row: Row) =>
      lost === undefined || json<readonly GrantedScope[]>(row, "scopes").some(({ name }) => lost.includes(name));
    const people = new Set(grants.filter(holds).map((row) => text(row, "person_id")));
    const apart = new Set([...admins.map((row) => text(row, "person_id")), ...except]);
    return { people: people.size, members: [...people].filter((one) => !apart.has(one)).length };
  },
});

export const countPeople = query<CompanyKey & { readonly clientId: string; readonly now: Millis }, number>({
  sql: sql`SELECT COUNT(DISTINCT person_id) AS people FROM grants
    WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId
      AND ${isActive} AND idle_until > :now AND absolute_until > :now`,
  bind: ({ partition, companyId, clientId, now }) => ({ partition, companyId, clientId, now }),
  outcome: ([row]) => (row === undefined ? 0 : whole(row, "people")),
});

export const listActing = query<
  CompanyKey & { readonly clientId: string; readonly limit: number; readonly now: Millis },
  readonly ActingPerson[]
>({
  sql: sql`SELECT g.person_id, m.username, g.since, g.last_used_at FROM (
      SELECT person_id, MIN(created_at) AS since, MAX(last_used_at) AS last_used_at FROM grants
      WHERE partition = :partition AND owner_id = :companyId AND client_id = :clientId AND ${isActive}
        AND idle_until > :now AND absolute_until > :now
      GROUP BY person_id ORDER BY COALESCE(MAX(last_used_at), 0) DESC, person_id LIMIT :limit) AS g
    LEFT JOIN members m ON m.partition = :partition AND m.company_id = :companyId AND m.person_id = g.person_id
    ORDER BY COALESCE(g.last_used_at, 0) DESC, g.person_id`,
  bind: ({ partition, companyId, clientId, limit, now }) => ({ partition, companyId, clientId, limit, now }),
  outcome: (rows) =>
    rows.map((row) => ({
      personId: text(row, "person_id"),
      username: textOrNull(row, "username"),
      since: whole(row, "since"),
      lastUsedAt: wholeOrNull(row, "last_used_at"),
    })),
});
