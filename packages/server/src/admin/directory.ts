/** Lists for operators that cost the same at any size: filtered pages along an index. */

import type { Client } from "../oauth/model.ts";
import { canonicalLogin } from "../owners/canonical-login.ts";
import type { Company } from "../owners/company-storage.ts";
import type { Person } from "../owners/storage.ts";
import type { AdminContext } from "./context.ts";
import { type ClientSort, type CompanySort, type ListPart, type PeopleSort, searchName } from "./storage.ts";

/** Records that are read for one page. With a filter that few records pass, a page has fewer entries than its limit. */
const MOST_READ = 1000;
/** Most records fit most filters, so a page is often full after the first part. */
const READ_AT_ONCE = 100;

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins. Null: there is none. */
  readonly next: Place | null;
}

/** The last record that was looked at. */
export interface Place {
  readonly key: string | number;
  readonly id: string;
}

interface Asked {
  readonly after: Place | null;
  readonly limit: number;
}

async function filtered<T>(
  { after, limit }: Asked,
  read: (part: Asked) => Promise<readonly T[]>,
  fits: (one: T) => boolean,
  positionOf: (one: T) => Place,
  isFiltered: boolean,
): Promise<Page<T>> {
  const most = isFiltered ? MOST_READ : limit;
  const items: T[] = [];
  let place = after;
  for (let count = 0; count < most; ) {
    const wanted = Math.min(isFiltered ? READ_AT_ONCE : limit, most - count);
    const rows = await read({ after: place, limit: wanted });
    for (const [at, row] of rows.entries()) {
      place = positionOf(row);
      if (fits(row)) items.push(row);
      const isLast = at === rows.length - 1 && rows.length < wanted;
      if (items.length === limit && !isLast) return { items, next: place };
    }
    if (rows.length < wanted) return { items, next: null };
    count += rows.length;
  }
  return { items, next: place };
}

export interface PeopleFilter extends Asked {
  /** The beginning of a username, or of an address. One of them at most. */
  readonly username?: string;
  readonly email?: string;
  readonly status?: Person["status"];
  /** True: only operators; a role: only those with this role. */
  readonly operator?: true | string;
  readonly sort?: "created_at" | "-created_at" | "username" | "email";
}

export function listUsers(filter: PeopleFilter, { storage }: AdminContext): Promise<Page<Person>> {
  const { username, email, status, operator } = filter;
  const isByText = username !== undefined || email !== undefined;
  // Few people are operators or disabled, and these have indexes of their own.
  const few: PeopleSort | undefined =
    isByText || (filter.sort !== undefined && filter.sort !== "created_at")
      ? undefined
      : operator !== undefined
        ? "operators"
        : status === "disabled"
          ? "disabled"
          : undefined;
  const byText = username !== undefined ? "username" : email !== undefined ? "email" : undefined;
  const sort = few ?? filter.sort ?? byText ?? "created_at";
  const prefix = sort === "username" ? (username ?? "") : sort === "email" ? (email ?? "") : "";
  const read = (part: Asked) =>
    storage.directory.people({ ...part, sort, prefix: canonicalBeginning(prefix) } satisfies ListPart<PeopleSort>);
  const rest = [
    ...(status === undefined ? [] : [(one: Person) => one.status === status]),
    ...(operator === undefined
      ? []
      : [(one: Person) => (operator === true ? one.operator.length > 0 : one.operator.includes(operator))]),
    ...(username === undefined || sort === "username"
      ? []
      : [(one: Person) => one.username.startsWith(canonicalBeginning(username))]),
    ...(email === undefined || sort === "email"
      ? []
      : [(one: Person) => one.email.startsWith(canonicalBeginning(email))]),
  ];
  const positionOf = (one: Person): Place => ({
    key: sort === "username" ? one.username : sort === "email" ? one.email : one.createdAt,
    id: one.personId,
  });
  return filtered(filter, read, (one) => rest.every((fits) => fits(one)), positionOf, rest.length > 0);
}

/** The beginning in the form in which names are stored. */
function canonicalBeginning(text: string): string {
  return canonicalLogin(text) ?? text.normalize("NFKC").toLowerCase();
}

export interface ClientFilter extends Asked {
  /** The beginning of the name, in any case. */
  readonly name?: string;
  readonly status?: Client["status"];
  readonly type?: Client["type"];
  readonly verified?: boolean;
  readonly reviewed?: boolean;
  readonly sort?: ClientSort;
}

export function listClients(filter: ClientFilter, { storage }: AdminContext): Promise<Page<Client>> {
  const { name, status, type, verified, reviewed } = filter;
  const sort: ClientSort = filter.sort ?? (name === undefined ? "client_id" : "name");
  const beginning = name === undefined ? "" : searchName(name);
  const read = async (part: Asked) =>
    (await storage.directory.clients({ ...part, sort, prefix: sort === "name" ? beginning : "" })).map(
      ({ record }) => record,
    );
  const rest = [
    ...(status === undefined ? [] : [(one: Client) => one.status === status]),
    ...(type === undefined ? [] : [(one: Client) => one.type === type]),
    ...(verified === undefined ? [] : [(one: Client) => (one.verified ?? false) === verified]),
    ...(reviewed === undefined ? [] : [(one: Client) => (one.reviewed ?? true) === reviewed]),
    ...(name === undefined || sort === "name" ? [] : [(one: Client) => searchName(one.name).startsWith(beginning)]),
  ];
  const positionOf = ({ clientId, name: shown, createdAt }: Client): Place => ({
    key: sort === "name" ? searchName(shown) : createdAt,
    id: clientId,
  });
  return filtered(filter, read, (one) => rest.every((fits) => fits(one)), positionOf, rest.length > 0);
}

export interface CompanyFilter extends Asked {
  /** The beginning of a slug. */
  readonly slug?: string;
  readonly status?: Company["status"];
  readonly sort?: CompanySort;
}

export function listCompanies(filter: CompanyFilter, { storage }: AdminContext): Promise<Page<Company>> {
  const { slug, status } = filter;
  const sort: CompanySort = filter.sort ?? (slug === undefined ? "created_at" : "slug");
  const read = (part: Asked) =>
    storage.directory.companies({ ...part, sort, prefix: sort === "slug" ? (slug ?? "") : "" });
  const fits = (one: Company) =>
    (status === undefined || one.status === status) && (slug === undefined || one.slug.startsWith(slug));
  const positionOf = (one: Company): Place => ({ key: sort === "slug" ? one.slug : one.createdAt, id: one.companyId });
  return filtered(filter, read, fits, positionOf, status !== undefined || (slug !== undefined && sort !== "slug"));
}
