/** Lists and counts of people, clients and companies for operators. Each page reads along one index, from where the last one ended. */

import type {
  ClientCounts,
  ClientSort,
  CompanySort,
  ConsentPart,
  ListPart,
  OwnerCounts,
  PeopleSort,
  ScopeCounts,
  Versioned,
} from "../../admin/storage.ts";
import type { Client, Consent, Millis } from "../../oauth/model.ts";
import type { Company } from "../../owners/company-storage.ts";
import type { Person } from "../../owners/storage.ts";
import { companiesAfter } from "../companies/companies.ts";
import { companyColumns, companyOf } from "../companies/company-row-conversion.ts";
import { findConsent } from "../consents/consents.ts";
import { query, type Row, sql, steps, words } from "../define-verbs.ts";
import { usedConsentColumns, usedConsentColumnsAnywhere, usedConsentOf } from "../grants/uses.ts";
import { partitionOf } from "../partition.ts";
import { peopleAfter } from "../people/people.ts";
import { isActive, json, personColumns, personOf, whole } from "../row-conversion.ts";

/** No text comes after it, byte by byte. */
const LAST = "\u{10ffff}";
const LAST_TIME = Number.MAX_SAFE_INTEGER;

interface ByText {
  readonly prefix: string;
  readonly after: string;
  readonly limit: number;
}
interface ByTime {
  readonly at: number;
  readonly id: string;
  readonly limit: number;
}

const bindText = ({ prefix, after, limit }: ByText) => ({ prefix, after, end: prefix + LAST, limit });

export const peopleByUsername = query<ByText, readonly Person[]>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND username ${words.bytewise} >= :prefix AND username ${words.bytewise} > :after
      AND username ${words.bytewise} < :end ORDER BY username ${words.bytewise} LIMIT :limit`,
  bind: bindText,
  outcome: (rows) => rows.map(personOf),
});

export const peopleByEmail = query<ByText, readonly Person[]>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND email ${words.bytewise} >= :prefix AND email ${words.bytewise} > :after
      AND email ${words.bytewise} < :end ORDER BY email ${words.bytewise} LIMIT :limit`,
  bind: bindText,
  outcome: (rows) => rows.map(personOf),
});

export const newestPeople = query<ByTime, readonly Person[]>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND (created_at, person_id) < (:at, :id) ORDER BY created_at DESC, person_id DESC LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(personOf),
});

export const disabledPeople = query<ByTime, readonly Person[]>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND status = 'disabled' AND (created_at, person_id) > (:at, :id)
    ORDER BY created_at, person_id LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(personOf),
});

export const operators = query<ByTime, readonly Person[]>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND operator <> '[]' AND (created_at, person_id) > (:at, :id)
    ORDER BY created_at, person_id LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(personOf),
});

export const directoryPeople = steps<ListPart<PeopleSort>, readonly Person[]>((call, part) => {
  switch (part.sort) {
    case "created_at": {
      const { at, id, limit } = fromTime(part);
      return call(peopleAfter, { createdAt: at, personId: id, limit });
    }
    case "-created_at":
      return call(newestPeople, beforeTime(part));
    case "username":
      return call(peopleByUsername, fromText(part));
    case "email":
      return call(peopleByEmail, fromText(part));
    case "disabled":
      return call(disabledPeople, fromTime(part));
    case "operators":
      return call(operators, fromTime(part));
  }
});

const versioned = (row: Row): Versioned<Client> => ({
  record: json<Client>(row, "record"),
  version: whole(row, "version"),
});

export const clientsById = query<{ readonly after: string; readonly limit: number }, readonly Versioned<Client>[]>({
  sql: sql`SELECT record, version FROM clients WHERE record IS NOT NULL AND client_id > :after ORDER BY client_id LIMIT :limit`,
  bind: ({ after, limit }) => ({ after, limit }),
  outcome: (rows) => rows.map(versioned),
});

export const clientsByName = query<
  { readonly key: string; readonly id: string; readonly end: string; readonly limit: number },
  readonly Versioned<Client>[]
>({
  sql: sql`SELECT record, version FROM clients
    WHERE record IS NOT NULL AND (search_name, client_id) > (:key, :id) AND search_name < :end
    ORDER BY search_name, client_id LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(versioned),
});

export const clientsByAge = query<ByTime, readonly Versioned<Client>[]>({
  sql: sql`SELECT record, version FROM clients
    WHERE record IS NOT NULL AND (created_at, client_id) > (:at, :id) ORDER BY created_at, client_id LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(versioned),
});

export const newestClients = query<ByTime, readonly Versioned<Client>[]>({
  sql: sql`SELECT record, version FROM clients
    WHERE record IS NOT NULL AND (created_at, client_id) < (:at, :id) ORDER BY created_at DESC, client_id DESC LIMIT :limit`,
  bind: (args) => ({ ...args }),
  outcome: (rows) => rows.map(versioned),
});

export const directoryClients = steps<ListPart<ClientSort>, readonly Versioned<Client>[]>((call, part) => {
  const { prefix, after, limit } = part;
  switch (part.sort) {
    case "client_id":
      return call(clientsById, { after: after?.id ?? "", limit });
    case "name":
      return call(clientsByName, {
        ...{ key: after === null ? prefix : String(after.key), id: after?.id ?? "", end: prefix + LAST, limit },
      });
    case "created_at":
      return call(clientsByAge, fromTime(part));
    case "-created_at":
      return call(newestClients, beforeTime(part));
  }
});

export const companiesBySlug = query<ByText, readonly Company[]>({
  sql: sql`SELECT ${companyColumns} FROM companies
    WHERE +partition >= 0 AND slug >= :prefix AND slug > :after AND slug < :end ORDER BY slug LIMIT :limit`,
  bind: bindText,
  outcome: (rows) => rows.map(companyOf),
});

export const directoryCompanies = steps<ListPart<CompanySort>, readonly Company[]>((call, part) => {
  if (part.sort === "slug") return call(companiesBySlug, fromText(part));
  const { at, id, limit } = fromTime(part);
  return call(companiesAfter, { createdAt: at, companyId: id, limit });
});

interface AfterConsent {
  readonly ownerId: string;
  readonly clientId: string;
  readonly limit: number;
}

/** The partition that an owner's id begins with; before all others if there is none. */
const bindConsent = ({ ownerId, clientId, limit }: AfterConsent) => ({
  ...{ partition: ownerId === "" ? -1 : partitionOf(ownerId), ownerId, clientId, limit },
});

export const ownersConsents = query<AfterConsent, readonly Consent[]>({
  sql: sql`SELECT ${usedConsentColumns} FROM consents
    WHERE partition = :partition AND owner_id = :ownerId AND client_id > :clientId ORDER BY client_id LIMIT :limit`,
  bind: bindConsent,
  outcome: (rows) => rows.map(usedConsentOf),
});

export const clientsConsents = query<AfterConsent, readonly Consent[]>({
  sql: sql`SELECT ${usedConsentColumnsAnywhere} FROM consents
    WHERE +partition >= 0 AND client_id = :clientId AND (partition, owner_id) > (:partition, :ownerId)
    ORDER BY partition, owner_id LIMIT :limit`,
  bind: bindConsent,
  outcome: (rows) => rows.map(usedConsentOf),
});

export const everyConsent = query<AfterConsent, readonly Consent[]>({
  sql: sql`SELECT ${usedConsentColumnsAnywhere} FROM consents
    WHERE (partition, owner_id, client_id) > (:partition, :ownerId, :clientId)
    ORDER BY partition, owner_id, client_id LIMIT :limit`,
  bind: bindConsent,
  outcome: (rows) => rows.map(usedConsentOf),
});

export const directoryConsents = steps<ConsentPart, readonly Consent[]>(
  async (call, { ownerId, clientId, after, limit }) => {
    if (ownerId === null) {
      const place = { ownerId: after?.ownerId ?? "", limit };
      if (clientId !== null) return call(clientsConsents, { ...place, clientId });
      return call(everyConsent, { ...place, clientId: after?.clientId ?? "" });
    }
    if (clientId === null) return call(ownersConsents, { ownerId, clientId: after?.clientId ?? "", limit });
    if (after !== null) return [];
    const found = await call(findConsent, { partition: partitionOf(ownerId), ownerId, clientId });
    return found === undefined ? [] : [found];
  },
);

function fromText({ prefix, after, limit }: ListPart<string>): ByText {
  return { prefix, after: after === null ? "" : String(after.key), limit };
}

function fromTime({ after, limit }: ListPart<string>): ByTime {
  return { at: after === null ? 0 : Number(after.key), id: after?.id ?? "", limit };
}

function beforeTime({ after, limit }: ListPart<string>): ByTime {
  return { at: after === null ? LAST_TIME : Number(after.key), id: after?.id ?? LAST, limit };
}

/** Counts along the index of one client's consents, for at most `most` steps. */
export const countOwners = query<{ readonly clientId: string; readonly most: number }, number>({
  sql: sql`SELECT COUNT(*) AS owners FROM
    (SELECT 1 FROM consents WHERE +partition >= 0 AND client_id = :clientId AND status = 'active' LIMIT :most) AS few`,
  bind: (args) => ({ ...args }),
  outcome: ([row]) => (row === undefined ? 0 : whole(row, "owners")),
});

const lastingConsent = sql`status = 'active' AND (expires_at IS NULL OR expires_at > :now)`;
const lastingApproval = sql`(rule = 'allow' OR audience = 'selected') AND (ends_at IS NULL OR ends_at > :now)`;
const liveGrant = sql`${isActive} AND idle_until > :now AND absolute_until > :now`;

export interface Counted {
  readonly now: Millis;
  readonly most: number;
}

export const countOfClient = query<Counted & { readonly clientId: string }, ClientCounts>({
  sql: sql`SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM consents
      WHERE +partition >= 0 AND client_id = :clientId AND ${lastingConsent} LIMIT :most) AS few) AS consents,
    (SELECT COUNT(*) FROM (SELECT 1 FROM grants WHERE ${liveGrant} AND (partition, owner_id, client_id) IN
      (SELECT partition, owner_id, client_id FROM consents WHERE +partition >= 0 AND client_id = :clientId) LIMIT :most) AS few) AS grants,
    (SELECT COUNT(*) FROM (SELECT 1 FROM company_rules WHERE ${lastingApproval} AND (partition, company_id, client_id) IN
      (SELECT partition, owner_id, client_id FROM consents WHERE +partition >= 0 AND client_id = :clientId) LIMIT :most) AS few) AS approvals,
    (SELECT COUNT(*) FROM (SELECT 1 FROM company_connections WHERE client_id = :clientId AND ends_at > :now LIMIT :most) AS few) AS connections`,
  bind: (args) => ({ ...args }),
  outcome: ([row]) => {
    const count = (name: string) => (row === undefined ? 0 : whole(row, name));
    return {
      ...{ consents: count("consents"), grants: count("grants") },
      ...{ approvals: count("approvals"), connections: count("connections") },
    };
  },
});

/**
 * Reads all consents and rules, so only a change of the scope itself may ask. A name holds no quotes and no backslashes,
 * so its JSON text is exact. A consent counts while the scope in it lasts.
 */
export const countOfScope = query<Counted & { readonly name: string }, ScopeCounts>({
  sql: sql`SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM consents WHERE (partition, owner_id, client_id) > (-1, '', '') AND ${lastingConsent}
      AND REPLACE(scopes, :granted, '') <> scopes LIMIT :most) AS few) AS consents,
    (SELECT COUNT(*) FROM (SELECT 1 FROM company_rules WHERE (partition, company_id, client_id) > (-1, '', '') AND ${lastingApproval}
      AND REPLACE(scopes, :named, '') <> scopes LIMIT :most) AS few) AS approvals`,
  bind: ({ name, now, most }) => ({
    granted: `"name":${JSON.stringify(name)}`,
    named: JSON.stringify(name),
    now,
    most,
  }),
  outcome: ([row]) => ({
    consents: row === undefined ? 0 : whole(row, "consents"),
    approvals: row === undefined ? 0 : whole(row, "approvals"),
  }),
});

/** The id can be a person's or a company's: a person has no members, and a company no sessions. */
export const countOfOwner = query<Counted & { readonly partition: number; readonly ownerId: string }, OwnerCounts>({
  sql: sql`SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM consents
      WHERE partition = :partition AND owner_id = :ownerId AND ${lastingConsent} LIMIT :most) AS few) AS consents,
    (SELECT COUNT(*) FROM (SELECT 1 FROM grants
      WHERE partition = :partition AND owner_id = :ownerId AND ${liveGrant} LIMIT :most) AS few) AS grants,
    (SELECT COUNT(*) FROM (SELECT 1 FROM sessions
      WHERE partition = :partition AND person_id = :ownerId AND idle_until > :now AND absolute_until > :now LIMIT :most) AS few) AS sessions,
    (SELECT COUNT(*) FROM (SELECT 1 FROM members WHERE partition = :partition AND company_id = :ownerId LIMIT :most) AS few) AS members,
    (SELECT COUNT(*) FROM (SELECT 1 FROM member_links
      WHERE partition = :partition AND person_id = :ownerId AND status = 'active' LIMIT :most) AS few) AS companies`,
  bind: (args) => ({ ...args }),
  outcome: ([row]) => {
    const count = (name: string) => (row === undefined ? 0 : whole(row, name));
    return {
      ...{ consents: count("consents"), grants: count("grants"), sessions: count("sessions") },
      ...{ members: count("members"), companies: count("companies") },
    };
  },
});
