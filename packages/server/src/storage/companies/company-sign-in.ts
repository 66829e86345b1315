/**
 * Verbs of how the people of a company sign in. The records are a part of the catalogue, because every server has to
 * know all providers and domains. A change by an admin first locks the company, then the catalogue.
 */

import type { Millis } from "../../oauth/model.ts";
import type { CompanySignInStorage } from "../../owners/company-sign-in-storage.ts";
import type { Company, CompanyKey, MemberOutcome } from "../../owners/company-storage.ts";
import type { CompanyProvider, CompanySignIn } from "../../owners/identities/company-provider.ts";
import type { OwnSignInStep } from "../../owners/storage.ts";
import { note, noteMember } from "../consents/history.ts";
import { type Call, query, type Row, sql, steps, type Tx, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { post } from "../mail/outbox.ts";
import { hold, raise } from "../operator/catalog-versions.ts";
import { listProviders } from "../operator/sign-in-providers.ts";
import { endUpstreamSessions, endUpstreamSessionsOf } from "../people/sessions.ts";
import { hashOfSubject, listSubjectLinks, subjectsOf, unlinkAll } from "../people/subject-links.ts";
import { json, text } from "../row-conversion.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";
import { type EndOfMembership, endMembership, isLastAdmin } from "./members.ts";

type Port = CompanySignInStorage["companySignIn"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];
type Outcome<Name extends keyof Port> = Awaited<ReturnType<Port[Name]>>;

const all = sql`SELECT record FROM company_sign_in`;
const one = sql`SELECT record FROM company_sign_in WHERE company_id = :companyId`;

const recordOf = (row: Row) => json<CompanySignIn>(row, "record");

export const listCompanySignIns = query<void, readonly CompanySignIn[]>({
  sql: all,
  bind: () => ({}),
  outcome: (rows) => rows.map(recordOf).sort((a, b) => (a.companyId < b.companyId ? -1 : 1)),
});

export const getCompanySignIn = query<Pick<CompanyKey, "companyId">, CompanySignIn | undefined>({
  sql: one,
  bind: ({ companyId }) => ({ companyId }),
  outcome: ([row]) => row && recordOf(row),
});

async function read(tx: Tx, { partition, companyId }: CompanyKey): Promise<CompanySignIn> {
  const row = await tx.one(one, { companyId });
  return row === undefined
    ? { partition, companyId, ownProvider: false, emailDomains: [], provider: null }
    : recordOf(row);
}

async function write(tx: Tx, record: CompanySignIn): Promise<void> {
  await tx.run(
    sql`INSERT INTO company_sign_in (company_id, record) VALUES (:companyId, :record)
      ON CONFLICT (company_id) DO UPDATE SET record = excluded.record`,
    { companyId: record.companyId, record: JSON.stringify(record) },
  );
  await raise(tx, "providers");
}

/** A domain belongs to one company, and to none if a provider of the operator's has it. */
export const setCompanySignIn = transaction<Args<"set">, Outcome<"set">>(
  async (tx, { partition, companyId, ownProvider, addDomains, removeDomains, now }) => {
    if ((await lockCompany(tx, { partition, companyId })) === undefined) return { kind: "unknown" };
    await hold(tx);
    const before = await read(tx, { partition, companyId });
    const companies = (await tx.all(all)).map(recordOf).filter((other) => other.companyId !== companyId);
    const operators = listProviders.outcome(await tx.all(listProviders.sql), undefined, []);
    const taken = addDomains.find((domain) =>
      [...companies, ...operators].some(({ emailDomains }) => emailDomains.includes(domain)),
    );
    if (taken !== undefined) return { kind: "taken", domain: taken };
    const kept = before.emailDomains.filter((domain) => !removeDomains.includes(domain));
    const wanted = new Set([...kept, ...addDomains]);
    // The order has no meaning.
    const sameDomains = wanted.symmetricDifference(new Set(before.emailDomains)).size === 0;
    const emailDomains = sameDomains ? before.emailDomains : [...wanted];
    const record = { ...before, emailDomains, ownProvider: ownProvider ?? before.ownProvider };
    await write(tx, record);
    const changed = [
      ...(sameDomains ? [] : ["email_domains"]),
      ...(record.ownProvider === before.ownProvider ? [] : ["own_provider"]),
    ];
    if (changed.length > 0) {
      const details = { changed };
      await tell(tx, { kind: "company.updated", at: now, by: "operator", subject: companyId, details });
    }
    return { kind: "stored", record };
  },
);

export const putCompanyProvider = transaction<Args<"putProvider">, Outcome<"putProvider">>(
  async (tx, { partition, companyId, by, now, provider, seen, most, step, mails, ...asked }) => {
    const company = await lockCompany(tx, { partition, companyId });
    if (company === undefined) return "unknown";
    if (!(await isAdmin(tx, company, { by, ...asked }))) return "not_admin";
    await hold(tx);
    const before = await read(tx, company);
    // Whoever may no longer change it may still switch it off: that only takes access away.
    if (by !== null && !before.ownProvider && step !== "off") return "denied";
    if ((before.provider?.changedAt ?? null) !== seen) return "changed";
    if (before.provider === null) {
      const others = (await tx.all(all)).map(recordOf).filter((other) => other.provider !== null);
      if (others.length >= most) return "full";
    }
    await write(tx, { ...before, provider });
    if (step !== null) await noteOwnSignIn(tx, company, provider, { step, by, now });
    await post(tx, mails, now);
    return "stored";
  },
);

function noteOwnSignIn(
  tx: Tx,
  { partition, companyId }: Company,
  { name }: CompanyProvider,
  { step, by, now }: { readonly step: OwnSignInStep; readonly by: string | null; readonly now: Millis },
): Promise<string> {
  const nothing = { via: null, scopes: [], removed: [], expiresAt: null };
  return note(tx, {
    ...{ partition, ownerId: companyId, clientId: "", at: now, kind: "own_sign_in" },
    record: { ...nothing, clientName: name, by: by ?? "operator", ownSignIn: step },
  });
}

/** Deletes the record first: from then on nothing leads to its links, because ids are random. */
export const removeCompanyProvider = steps<Args<"removeProvider">, Outcome<"removeProvider">>(async (call, args) => {
  const { outcome, provider } = await call(eraseCompanyProvider, args);
  if (provider === null) return outcome;
  await endSessionsAt(call, provider, args.now);
  await unlinkAll(call, provider.id, args.now);
  return outcome;
});

export const eraseCompanyProvider = transaction<
  Args<"removeProvider">,
  { readonly outcome: Outcome<"removeProvider">; readonly provider: CompanyProvider | null }
>(async (tx, { partition, companyId, by, now, seen, mails, ...asked }) => {
  const refused = (outcome: Outcome<"removeProvider">) => ({ outcome, provider: null });
  const company = await lockCompany(tx, { partition, companyId });
  if (company === undefined) return refused("unknown");
  if (!(await isAdmin(tx, company, { by, ...asked }))) return refused("not_admin");
  await hold(tx);
  const before = await read(tx, company);
  const { provider } = before;
  if (provider === null || (seen !== null && provider.changedAt !== seen)) return refused("changed");
  await write(tx, { ...before, provider: null });
  await noteOwnSignIn(tx, company, provider, { step: "removed", by, now });
  await post(tx, mails, now);
  return { outcome: "removed", provider };
});

/** For a company that is deleted: its domains are free again, and nobody signs in at its provider. */
export async function forgetCompanySignIn(call: Call, key: CompanyKey, now: Millis): Promise<void> {
  const provider = await call(dropCompanySignIn, key);
  if (provider === null) return;
  await endSessionsAt(call, provider, now);
  await unlinkAll(call, provider.id, now);
}

export const dropCompanySignIn = transaction<CompanyKey, CompanyProvider | null>(async (tx, { companyId }) => {
  await hold(tx);
  const gone = sql`DELETE FROM company_sign_in WHERE company_id = :companyId RETURNING record`;
  const row = await tx.one(gone, { companyId });
  if (row === undefined) return null;
  await raise(tx, "providers");
  return recordOf(row).provider;
});

export const endCompanySessions = steps<Args<"endSessions">, void>(async (call, { provider, now }) => {
  await endSessionsAt(call, provider, now);
});

/** Number of identities that are read at a time. */
const SWEEP = 100;

/** Ends every session that began at the provider. */
async function endSessionsAt(call: Call, { id, name }: Pick<CompanyProvider, "id" | "name">, now: Millis) {
  let after: { readonly createdAt: Millis; readonly link: string } | null = null;
  for (;;) {
    const links: Awaited<ReturnType<typeof listed>> = await listed(call, id, after);
    await Promise.all(links.map((subject) => call(endUpstreamSessions, { name, subject, sid: null, now })));
    const last = links.at(-1);
    if (links.length < SWEEP || last === undefined) return;
    after = last;
  }
}

function listed(call: Call, issuerId: string, after: { readonly createdAt: Millis; readonly link: string } | null) {
  return call(listSubjectLinks, { issuerId, limit: SWEEP, after });
}

/** The company's admins can sign in as the person there. Such a session must not outlast the membership. */
export const removeMember = steps<EndOfMembership, MemberOutcome>(async (call, args) => {
  const outcome = await call(endMembership, args);
  if (outcome.kind !== "done") return outcome;
  const { companyId, person, now } = args;
  const provider = (await call(getCompanySignIn, { companyId }))?.provider;
  if (provider == null) return outcome;
  const { partition, personId } = person;
  const { id, name } = provider;
  const subjects = (await call(subjectsOf, { partition, personId })).filter(({ issuerId }) => issuerId === id);
  for (const subject of subjects)
    await call(endUpstreamSessionsOf, { partition, personId, link: hashOfSubject(subject), sid: null, name, now });
  return outcome;
});

/** The company never loses its last admin: that one stays an admin, whatever the groups say. */
export const followRole = transaction<Args<"followRole">, Outcome<"followRole">>(
  async (tx, { partition, companyId, personId, role, provider, now }) => {
    const key = { partition, companyId, personId };
    const company = await lockCompany(tx, key);
    const member = sql`SELECT role FROM members WHERE ${thisCompany} AND person_id = :personId`;
    const before = company?.status === "active" ? await tx.one(member, key) : undefined;
    if (before === undefined) return "unknown";
    if (text(before, "role") === role) return "same";
    if (role !== "admin" && (await isLastAdmin(tx, key))) return "kept";
    await tx.run(sql`UPDATE members SET role = :role WHERE ${thisCompany} AND person_id = :personId`, { ...key, role });
    await noteMember(tx, { ...key, kind: "member_role", by: "server", clientName: provider, role, now });
    return "changed";
  },
);
