/**
 * Verbs of the choice of an owner: for whom a person can answer an app, for which apps a member answered in a company's name
 * on a page, and for which company a person answered last.
 */

import { type Reach, scopesAt } from "../../oauth/consent-reach.ts";
import type { Consent, ConsentedScope, Millis } from "../../oauth/model.ts";
import { SCOPE_MARGIN } from "../../oauth/scope.ts";
import type { NewGrant } from "../../oauth/storage.ts";
import { answeredHosts } from "../../owners/answered-hosts.ts";
import { approvalFor, cappedEnds, chosenEndOf, needsNoPage, ONCE_OVER, verdictOn } from "../../owners/company-rules.ts";
import type { Acting, ChosenEnds, CompanyKey, RememberedAnswer, TrustedSince } from "../../owners/company-storage.ts";
import { latestOf } from "../../owners/consent-after-decision.ts";
import type { LastCompany, LastCompanyStorage, OwnChoices } from "../../owners/last-company.ts";
import { query, sql, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { consentColumns, consentOf, json, text, textOrNull, whole } from "../row-conversion.ts";
import { actingColumns, actingOf, shortestOf } from "./company-row-conversion.ts";
import { thisCompany } from "./lock-company-row.ts";
import { type CompanyLink, companiesBehind, lockActing, MAX_COMPANIES } from "./members.ts";

/** What still holds of the member's last answer. A consent that began since ended what they declined. */
function lastAnswer(chosen: Acting | undefined, consent: Consent | undefined): RememberedAnswer {
  const since = chosen?.chosenAt ?? null;
  const holds = since !== null && consent?.status === "active" && since >= consent.createdAt;
  const { declined = [], unapproved = [], chosenEnds: ends = {} } = chosen ?? {};
  return holds ? { declined, unapproved, ends } : { declined: [], ends };
}

/**
 * Remembers an answer for a company. One that is for this once (`lasting` false) chooses no company for later. Where the member
 * has chosen it already, the page comes again for these scopes. `chosen`: the member before; `record`: the consent before; `reach`: where
 * the answer goes.
 */
export async function rememberAnswer(
  tx: Tx,
  grant: Parameters<typeof rememberChoice>[1],
  answer: RememberedAnswer,
  {
    lasting,
    chosen,
    record,
    reach,
  }: {
    readonly lasting: boolean;
    readonly chosen: Acting | undefined;
    readonly record: Consent | undefined;
    readonly reach: Reach;
  },
  now: Millis,
): Promise<void> {
  const before = chosen?.chosen && !chosen.optedOut ? chosen.chosenAt : null;
  const at = lasting ? now : before;
  const { chosenEnds = {}, answeredAt = record?.scopes ?? [] } = chosen ?? {};
  const earlier = { ...lastAnswer(chosen, record), chosenEnds, answeredAt, reach };
  if (at !== null) await rememberChoice(tx, grant, answer, earlier, at);
}

/**
 * The person chose the company for this app on a page. The next time needs no page for the scopes of this answer, and
 * an opt-out ends. `earlier`: their last answer, which still holds for scopes that this one is not about.
 */
async function rememberChoice(
  tx: Tx,
  grant: Pick<NewGrant, "partition" | "ownerId" | "personId" | "clientId" | "scopes">,
  { declined, unapproved = [], ends, once = [], moved = [] }: RememberedAnswer,
  earlier: RememberedAnswer & Required<Pick<Acting, "chosenEnds" | "answeredAt">> & { readonly reach: Reach },
  now: Millis,
): Promise<void> {
  const { partition, ownerId: companyId, personId, clientId } = grant;
  if (companyId === personId) return;
  const key = { partition, companyId, clientId, personId };
  const answered = new Set([...grant.scopes, ...declined, ...unapproved]);
  const others = Object.entries(earlier.ends).filter(([name]) => !answered.has(name));
  // Each scope that the member allowed has a key, also without an end: the others need an answer.
  const endFor = (name: string) => (once.includes(name) ? ONCE_OVER : (ends[name] ?? null));
  const allowed = grant.scopes.map((name) => [name, endFor(name)] as const);
  const all: ChosenEnds = Object.fromEntries([...others, ...allowed]);
  const hosts = answeredHosts(earlier, { scopes: grant.scopes, moved, chosenEnds: all }, earlier.reach);
  const still = (names: readonly string[] = []) => names.filter((name) => !answered.has(name));
  const left = [...declined, ...still(earlier.declined)];
  const waiting = [...unapproved, ...still(earlier.unapproved)];
  await tx.run(
    sql`INSERT INTO company_choices (partition, company_id, client_id, person_id, since, declined, unapproved, ends_at, ends, hosts)
      VALUES (:partition, :companyId, :clientId, :personId, :now, :declined, :unapproved, :endsAt, :ends, :hosts)
      ON CONFLICT (partition, company_id, client_id, person_id) DO UPDATE SET since = excluded.since, declined = excluded.declined,
        unapproved = excluded.unapproved, ends_at = excluded.ends_at, ends = excluded.ends, hosts = excluded.hosts`,
    {
      ...{ ...key, now, endsAt: shortestOf(all), ends: JSON.stringify(all), hosts: JSON.stringify(hosts) },
      ...{ declined: JSON.stringify(left), unapproved: JSON.stringify(waiting) },
    },
  );
  await tx.run(
    sql`DELETE FROM company_opt_outs WHERE ${thisCompany} AND client_id = :clientId AND person_id = :personId`,
    key,
  );
  const given = grant.scopes.filter((name) => !once.includes(name));
  await forgetRequests(tx, key, given, earlier.reach);
}

/**
 * Deletes the member's request about the app, open or refused, once their own answer gives all of it. Otherwise admins would
 * be asked for what the app has already.
 */
async function forgetRequests(
  tx: Tx,
  key: CompanyKey & { readonly clientId: string; readonly personId: string },
  given: readonly string[],
  { host }: Pick<Reach, "host">,
): Promise<void> {
  const row = await tx.one(
    sql`SELECT scopes, host FROM company_requests
      WHERE ${thisCompany} AND client_id = :clientId AND person_id = :personId AND status <> 'approved'`,
    { ...key },
  );
  const asked = row && { scopes: json<readonly string[]>(row, "scopes"), host: textOrNull(row, "host") };
  if (asked === undefined || (asked.host !== null && asked.host !== host)) return;
  if (!asked.scopes.every((name) => given.includes(name))) return;
  await tx.run(
    sql`DELETE FROM company_requests WHERE ${thisCompany} AND client_id = :clientId AND person_id = :personId`,
    { ...key },
  );
}

/**
 * The members who chose the company for this app on a page, and have not asked since to be asked again. At most 200, because a
 * refusal reads them under a lock: of a larger company, history can name less than the app gets again.
 */
const choosing = sql`SELECT ${actingColumns}
  FROM company_choices w
  JOIN companies c ON c.partition = w.partition AND c.company_id = w.company_id
  JOIN members m ON m.partition = w.partition AND m.company_id = w.company_id AND m.person_id = w.person_id
  LEFT JOIN company_rules r ON r.partition = w.partition AND r.company_id = w.company_id AND r.client_id = w.client_id
  LEFT JOIN company_opt_outs o ON o.partition = w.partition AND o.company_id = w.company_id AND o.client_id = w.client_id
    AND o.person_id = w.person_id
  LEFT JOIN company_rule_members s ON s.partition = w.partition AND s.company_id = w.company_id AND s.client_id = w.client_id
    AND s.person_id = w.person_id
  WHERE w.partition = :partition AND w.company_id = :companyId AND w.client_id = :clientId AND w.since > 0
  LIMIT 200`;

/**
 * The consent as far as the app gets it again without a page. A company's record can have scopes that the app gets in
 * nobody's name, for example after its only user left.
 */
export async function obtainable(
  tx: Tx,
  consent: Consent,
  personId: string,
  reach: Reach | undefined,
  now: Millis,
): Promise<Consent> {
  const { partition, ownerId: companyId, clientId } = consent;
  if (companyId === personId || reach === undefined) return consent;
  const members = (await tx.all(choosing, { partition, companyId, clientId })).map(actingOf);
  const scopes = consent.scopes.flatMap((scope) => {
    const { hosts = reach.earlierHosts, hostEnds: _, ...rest } = scope;
    // Access from a device has no host.
    const places = (hosts.length === 0 ? [null] : hosts).map((host) => ({ ...reach, host }));
    const ends = members.flatMap((member) => places.flatMap((at) => endsWithoutPage(member, scope, at, now)));
    const expiresAt = latestOf(ends);
    return expiresAt === undefined ? [] : [{ ...rest, expiresAt }];
  });
  return { ...consent, scopes };
}

/** When a scope ends that the app gets in the member's name without a page. Empty: it gets none. */
function endsWithoutPage(acting: Acting, scope: ConsentedScope, reach: Reach, now: Millis): readonly (Millis | null)[] {
  const verdict = verdictOn(acting, [scope.name], reach, now);
  if (!["decides", "approved"].includes(verdict) || !needsNoPage(acting, [scope.name], reach, now)) return [];
  const chosenFor = (name: string) => chosenEndOf(acting, name, reach);
  const held = cappedEnds(scopesAt([scope], reach), chosenFor, approvalFor(acting, reach, now), reach);
  return held.map(({ expiresAt }) => expiresAt).filter((end) => end === null || end - now >= SCOPE_MARGIN);
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

/** The ids of the apps that the member stopped for themselves. */
export const listStopped = query<CompanyKey & { readonly personId: string }, readonly string[]>({
  sql: sql`SELECT client_id FROM company_opt_outs WHERE ${thisCompany} AND person_id = :personId ORDER BY client_id`,
  bind: ({ partition, companyId, personId }) => ({ partition, companyId, personId }),
  outcome: (rows) => rows.map((row) => text(row, "client_id")),
});

export interface PersonAndClient {
  readonly partition: number;
  readonly personId: string;
  readonly clientId: string;
}

/** What every page of an authorization reads: the person's own consent, and the companies that they can answer for. */
export const consentAndCompaniesOf = steps<
  PersonAndClient & { readonly now: Millis },
  OwnChoices & { readonly companies: readonly Acting[] }
>(async (call, args) => {
  const { links, ...own } = await call(consentAndLinksOf, args);
  return { ...own, companies: await companiesBehind(call, links, args) };
});

/**
 * One row for each link, each with the consent; without links, one row. No LIMIT: SQLite prepares a statement with a
 * limit in a parameter again each time, which takes ten times as long as the statement.
 */
export const consentAndLinksOf = query<PersonAndClient, OwnChoices & { readonly links: readonly CompanyLink[] }>({
  sql: sql`SELECT ${consentColumns}, linked_company, link, link_status, last_company, last_chosen_at FROM
      (SELECT person_id AS answering FROM people WHERE partition = :partition AND person_id = :personId) AS p
      LEFT JOIN (SELECT ${consentColumns} FROM consents
        WHERE partition = :partition AND owner_id = :personId AND client_id = :clientId) AS c ON owner_id = answering
      LEFT JOIN (SELECT person_id AS linked_person, company_id AS linked_company, link, status AS link_status FROM member_links
        WHERE partition = :partition AND person_id = :personId) AS l ON linked_person = answering
      LEFT JOIN (SELECT person_id AS last_person, company_id AS last_company, chosen_at AS last_chosen_at FROM last_companies
        WHERE partition = :partition AND person_id = :personId AND client_id = :clientId) AS o ON last_person = answering
    ORDER BY linked_company`,
  bind: ({ partition, personId, clientId }) => ({ partition, personId, clientId }),
  outcome: (rows) => {
    const [first] = rows;
    return {
      consent: first === undefined || first["client_id"] === null ? undefined : consentOf(first),
      lastCompany:
        first === undefined || first["last_company"] === null
          ? undefined
          : { companyId: text(first, "last_company"), chosenAt: whole(first, "last_chosen_at") },
      links: rows
        .filter((row) => row["linked_company"] !== null)
        .slice(0, MAX_COMPANIES)
        .map((row) => ({
          companyId: text(row, "linked_company"),
          link: text(row, "link"),
          pending: text(row, "link_status") === "pending",
        })),
    };
  },
});

type NoteLastCompany = Parameters<LastCompanyStorage["lastCompanies"]["note"]>[0];

/** In the person's partition. The lock makes it wait for the deletion of the account, or the other way round. A deleted person gets no row. */
export const noteLastCompany = transaction<NoteLastCompany, void>(
  async (tx, { partition, personId, clientId, companyId, chosenAt }) => {
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
  },
);

export const listLastCompanies = query<
  { readonly partition: number; readonly personId: string },
  ReadonlyMap<string, LastCompany>
>({
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
