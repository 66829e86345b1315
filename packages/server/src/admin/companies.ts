/** The operator's use-cases for companies: their records, their members, and the apps that may act in their names. */

import { newOwnerId } from "../crypto/ids.ts";
import { randomText } from "../crypto/random.ts";
import { receiversOf } from "../oauth/consent-reach.ts";
import type { Millis } from "../oauth/model.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { connectionsOf, type ListedConnection } from "../owners/companies/connections.ts";
import { peopleIn, ruleChange } from "../owners/companies/rule-change.ts";
import {
  canonicalSlug,
  endOfRule,
  isInForce,
  MAX_COMPANY_NAME,
  MAX_SELECTED,
  standingRule,
} from "../owners/company-rules.ts";
import type { Company, CompanyKey, DefaultRule, ListedRule, Member, NewRule, Role } from "../owners/company-storage.ts";
import type { Person } from "../owners/storage.ts";
import { partitionOf } from "../storage/partition.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { type AdminContext, ceilingFor } from "./context.ts";
import { counted } from "./counted.ts";
import { endCompanySessions } from "./end-company-sessions.ts";
import { type UserRef, userOf } from "./people.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import { pagesOf } from "./read-whole-list.ts";

export const ROLES = ["member", "admin"] as const satisfies readonly Role[];
export const DEFAULT_RULES = ["members", "ask", "block"] as const satisfies readonly DefaultRule[];
export const APP_RULES = ["allow", "ask", "block", "none"] as const;

/** Creates a company without members. Throws `invalid` with all problems, or `taken`. */
export async function createCompany(
  input: { readonly name: string; readonly slug: string; readonly defaultRule?: DefaultRule },
  context: AdminContext,
): Promise<Company> {
  const slug = canonicalSlug(input.slug);
  refuseAny([...nameProblems(input.name), ...slugProblems(input.slug)]);
  const now = context.now();
  const companyId = newOwnerId();
  const company: Company = {
    partition: partitionOf(companyId),
    companyId,
    slug: slug ?? "",
    name: input.name.normalize("NFC"),
    status: "active",
    defaultRule: input.defaultRule ?? "ask",
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await context.storage.companies.create({ company, now });
  if (outcome.kind === "taken") return slugTaken(company.slug);
  return company;
}

/** A company by slug or by id. */
export type CompanyRef = string | { readonly id: string };

/** Throws `unknown`. */
export async function companyBySlug(slug: CompanyRef, context: AdminContext): Promise<Company> {
  return (await findCompany(slug, context)) ?? unknownCompany(slug);
}

/** Undefined: there is none. */
export async function findCompany(slug: CompanyRef, { storage }: AdminContext): Promise<Company | undefined> {
  if (typeof slug !== "string") {
    const partition = partitionOf(slug.id);
    return partition === -1 ? undefined : storage.companies.get({ partition, companyId: slug.id });
  }
  const canonical = canonicalSlug(slug);
  return canonical === undefined ? undefined : storage.companies.find({ slug: canonical });
}

/** All companies, oldest first, page by page. */
export function allCompanies({ storage }: AdminContext): AsyncGenerator<Company> {
  return pagesOf(
    (limit, after) => storage.companies.list({ limit, after }),
    ({ companyId }) => companyId,
  );
}

/** The members of a company, sorted by username. */
export async function* companyMembers(slug: CompanyRef, context: AdminContext): AsyncGenerator<Member> {
  const { partition, companyId } = await companyBySlug(slug, context);
  yield* pagesOf(
    (limit, after) => context.storage.members.list({ partition, companyId, limit, after }),
    ({ username }) => username,
  );
}

/** A page of the members, sorted by username. `after`: the last username of the page before. Throws `unknown`. */
export async function membersPage(
  slug: CompanyRef,
  part: { readonly limit: number; readonly after: string | null },
  context: AdminContext,
): Promise<readonly Member[]> {
  const { partition, companyId } = await companyBySlug(slug, context);
  return context.storage.members.list({ partition, companyId, ...part });
}

export interface CompanyChanges {
  readonly name?: string;
  readonly slug?: string;
  readonly status?: Company["status"];
  readonly defaultRule?: DefaultRule;
}

/**
 * Changes the named fields. Disabling ends the company's grants and the sessions that its provider began. Throws `unknown`, `invalid`, `taken`,
 * `conflict`.
 */
export async function updateCompany(
  slug: CompanyRef,
  { status, ...changes }: CompanyChanges,
  context: AdminContext,
  check?: Precondition<Company>,
): Promise<Company> {
  const key = await untilStored(async () => {
    const before = await companyBySlug(slug, context);
    check?.(before);
    return changedCompany(before, changes, check !== undefined, context);
  });
  if (status !== undefined) await setStatus(key, status, context);
  return (await context.storage.companies.get(key)) ?? unknownCompany(slug);
}

/** Nobody signs in at the provider of a disabled company, so whoever did is signed out. */
async function setStatus(key: CompanyKey, status: Company["status"], { storage, now }: AdminContext): Promise<void> {
  await storage.companies.setStatus({ ...key, status, now: now() });
  if (status === "active") return;
  const provider = (await storage.companySignIn.get(key))?.provider;
  if (provider != null) await storage.companySignIn.endSessions({ provider, now: now() });
}

/** Undefined: `exact`, and the company is not `before` any more. */
async function changedCompany(
  before: Company,
  changes: Omit<CompanyChanges, "status">,
  exact: boolean,
  { storage, now }: AdminContext,
): Promise<CompanyKey | undefined> {
  const { partition, companyId, name } = before;
  const key = { partition, companyId };
  refuseAny([
    ...(changes.name === undefined ? [] : nameProblems(changes.name, name)),
    ...(changes.slug === undefined ? [] : slugProblems(changes.slug)),
  ]);
  if (Object.keys(changes).length === 0) return key;
  const next = {
    ...changes,
    ...(changes.name === undefined ? {} : { name: changes.name.normalize("NFC") }),
    ...(changes.slug === undefined ? {} : { slug: canonicalSlug(changes.slug) ?? "" }),
  };
  const outcome = await storage.companies.update({
    ...{ ...key, changes: next, by: null, now: now() },
    ...(exact ? { expected: before } : {}),
  });
  if (outcome.kind === "changed") return undefined;
  if (outcome.kind === "taken") return slugTaken(next.slug ?? "");
  if (outcome.kind === "updated") return key;
  const problem = "somebody else changed or deleted the company at the same time: check it, and try again";
  return refuse("conflict", null, problem);
}

/** Deletes the company with memberships, rules and consents, for good; its grants end. Throws `unknown`. */
export async function deleteCompany(slug: CompanyRef, context: AdminContext): Promise<Company> {
  const company = await companyBySlug(slug, context);
  const { partition, companyId } = company;
  const removed = await context.storage.companies.delete({ partition, companyId, now: context.now() });
  return removed ? company : unknownCompany(slug);
}

/** Makes a person a member or an admin; a present member gets the role. Throws `unknown`, `invalid`, `conflict`. */
export async function addMember(
  slug: CompanyRef,
  login: UserRef,
  role: string,
  context: AdminContext,
): Promise<Member> {
  const known = ROLES.find((one) => one === role);
  if (known === undefined)
    return refuse("invalid", "role", `${JSON.stringify(role)}: the roles are ${ROLES.join(", ")}`);
  const company = await companyBySlug(slug, context);
  const { partition, companyId } = company;
  const person = await userOf(login, context);
  const now = context.now();
  const link = randomText(16);
  const { personId, username, email } = person;
  const outcome = await context.storage.members.add({
    ...{ partition, companyId, role: known, addedBy: "operator", email, link, now },
    person: { partition: person.partition, personId, username },
  });
  if (outcome.kind === "no_company") return refuse("conflict", null, "the company is disabled or was deleted");
  if (outcome.kind === "no_person") {
    return refuse("conflict", "username", "the person is disabled, was deleted, or is already in 50 companies");
  }
  // The provider of another company doesn't sign them in any more.
  await endCompanySessions(person, companyId, context);
  const acting = await context.storage.members.findActing({ partition, companyId, personId, clientId: null });
  return acting?.member ?? unknownMember(person, company);
}

/** Ends a membership and the person's grants in the company's name. Returns the number of grants. Throws `unknown`. */
export async function removeMember(slug: CompanyRef, login: UserRef, context: AdminContext): Promise<number> {
  const company = await companyBySlug(slug, context);
  const { partition, companyId } = company;
  const person = await userOf(login, context);
  const { storage } = context;
  const outcome = await storage.members.remove({ partition, companyId, person, by: null, now: context.now() });
  return outcome.kind === "done" ? outcome.grantsEnded : unknownMember(person, company);
}

/** The rules of a company about apps, sorted by client id. An approval has the end that it has under its client's present limit. */
export async function companyRules(slug: CompanyRef, context: AdminContext): Promise<readonly ListedRule[]> {
  const { partition, companyId } = await companyBySlug(slug, context);
  const rules = await context.storage.companyApps.listRules({ partition, companyId });
  const clients = await Promise.all(rules.map(({ clientId }) => context.storage.clients.get({ clientId })));
  return rules.map((rule, at) => {
    const client = clients[at]?.record;
    if (rule.rule !== "allow" || client === undefined) return rule;
    return { ...rule, endsAt: endOfRule(rule, { ceiling: ceilingFor(client, context) }) };
  });
}

/** The apps that are connected with other servers for the members of a company, whoever connected them. */
export async function companyConnections(
  slug: CompanyRef,
  context: AdminContext,
): Promise<readonly ListedConnection[]> {
  const { partition, companyId } = await companyBySlug(slug, context);
  return connectionsOf({ partition, companyId }, context);
}

export interface AppPolicy {
  readonly clientId: string;
  /** `none`: the company's default applies. */
  readonly rule: (typeof APP_RULES)[number];
  /** The scopes that members can grant at most if the app is allowed. Absent: all that the client may ask for. */
  readonly scopes?: readonly string[];
  /** Seconds until the approval ends. Absent: a year. */
  readonly lifetime?: number;
  /** True: an approval that still holds keeps its end, and `lifetime` counts only for a new one. */
  readonly keepsEnd?: boolean;
  /** The usernames or addresses of the members for whom the app is allowed. Absent: all members. */
  readonly selected?: readonly string[];
  /** For the end of an approval, or one for fewer members: whether members who use the app already keep their access. */
  readonly members?: "keep" | "end";
}

export const YEAR = 31_536_000;

/**
 * Decides about one app for all members. Returns the number of grants that ended. If members use an approval, it can be
 * removed only with a decision about these members. Throws `unknown`, `invalid`.
 */
export async function setAppPolicy(slug: CompanyRef, policy: AppPolicy, context: AdminContext): Promise<number> {
  const company = await companyBySlug(slug, context);
  const { partition, companyId } = company;
  const { clientId, rule } = policy;
  const client = (await context.storage.clients.get({ clientId }))?.record;
  if (client === undefined) return refuse("unknown", "client", `there is no client ${JSON.stringify(clientId)}`);
  const scopes = policy.scopes ?? client.scopes;
  const beyond = scopes.filter((name) => !client.scopes.includes(name));
  if (beyond.length > 0) {
    return refuse(
      "invalid",
      "scope",
      `${beyond.join(" ")}: the client may not request this; to allow it, run assent client update CLIENT_ID --add-scope SCOPE`,
    );
  }
  if (rule === "allow" && scopes.length === 0)
    return refuse("invalid", "scope", "name the scopes that members may grant");
  const now = context.now();
  const key = { partition, companyId };
  const selected = await selectedMembers(company, policy, context);
  const ceiling = ceilingFor(client, context);
  const approval = policy.keepsEnd === true ? await approvalInForce(key, { clientId, ceiling }, context) : undefined;
  const endsAt = approval === undefined ? now + (policy.lifetime ?? YEAR) * 1000 : endOfRule(approval, { ceiling });
  const next: NewRule | null =
    rule === "none"
      ? null
      : {
          rule,
          scopes: rule === "allow" ? scopes : [],
          hosts: rule === "allow" ? receiversOf(client) : [],
          endsAt: rule === "allow" ? endsAt : null,
          ...(selected === undefined ? {} : { selected }),
        };
  if (policy.members === undefined) await refuseWithdrawal(company, { clientId, ceiling }, next, context);
  const outcome = await context.storage.companyApps.setRule({
    ...{ ...key, clientId, ceiling, by: null, now },
    ...(policy.members === undefined ? {} : { members: policy.members }),
    rule: next,
    shown: { locale: "en", clientName: client.name, logo: client.logo },
  });
  return outcome.kind === "done" ? outcome.grantsEnded : unknownCompany(slug);
}

/** The approval that the company gives an app now. */
async function approvalInForce(
  key: CompanyKey,
  { clientId, ceiling }: { readonly clientId: string; readonly ceiling: Millis | null },
  { storage, now }: AdminContext,
): Promise<ListedRule | undefined> {
  const rule = (await storage.companyApps.listRules(key)).find((one) => one.clientId === clientId);
  return rule !== undefined && isInForce(rule, { ceiling }, now()) ? rule : undefined;
}

/** Throws `invalid` if members would lose the approval with which an app acts for them. */
async function refuseWithdrawal(
  { partition, companyId, defaultRule }: Company,
  { clientId, ceiling }: { readonly clientId: string; readonly ceiling: Millis | null },
  next: NewRule | null,
  { storage, ...context }: AdminContext,
): Promise<void> {
  const key = { partition, companyId };
  const now = context.now();
  const [rules, held] = await Promise.all([
    storage.companyApps.listRules(key),
    storage.companyApps.liveAccess({ ...key, clientId, ceiling, now }),
  ]);
  const rule = standingRule(
    rules.find((one) => one.clientId === clientId),
    { ceiling },
    now,
  );
  const { withdraws, leftOut } = ruleChange({ rule, defaultRule, held }, next);
  if (rule?.rule !== "allow" || withdraws.length === 0) return;
  const [losing, ending] = [peopleIn(withdraws), peopleIn(leftOut)];
  const others = ending > losing ? `, also for ${ending - losing} whom it doesn't allow now either` : "";
  const problem = `${counted(losing, "member")} would lose the approval with which the app acts for them: use --members keep (until the approval ends) or --members end (now${others})`;
  refuse("invalid", "members", problem);
}

/** The ids of the members whom a policy names. Undefined: it is for all. Throws `unknown`, `invalid`. */
async function selectedMembers(
  company: Company,
  { selected }: AppPolicy,
  context: AdminContext,
): Promise<readonly string[] | undefined> {
  if (selected === undefined) return undefined;
  if (selected.length > MAX_SELECTED)
    return refuse(
      "invalid",
      "member",
      `${selected.length} members are too many: one rule can have at most ${MAX_SELECTED}`,
    );
  const { partition, companyId } = company;
  const people = await Promise.all(selected.map((login) => userOf(login, context)));
  const found = people.map(async (person) => {
    const { personId } = person;
    const acting = await context.storage.members.findActing({ partition, companyId, personId, clientId: null });
    return acting === undefined ? unknownMember(person, company) : personId;
  });
  return [...new Set(await Promise.all(found))];
}

/** Sorted, without people who are deleted. */
export async function usernamesOf(personIds: readonly string[], { storage }: AdminContext): Promise<readonly string[]> {
  const people = personIds.map((personId) => storage.people.get({ partition: partitionOf(personId), personId }));
  return (await Promise.all(people)).flatMap((person) => person?.username ?? []).sort();
}

/**
 * Ends the company's consent to an app with every grant under it, no matter who made the grant. Returns their number. Throws
 * `unknown`.
 */
export async function revokeForAll(ref: CompanyRef, clientId: string, context: AdminContext): Promise<number> {
  const { partition, companyId, slug } = await companyBySlug(ref, context);
  const args = { partition, companyId, clientId, by: null, now: context.now() };
  const outcome = await context.storage.companyApps.revokeForAll(args);
  if (outcome.kind === "done") return outcome.grantsEnded;
  const problem = `${JSON.stringify(slug)} has no active consent for ${JSON.stringify(clientId)}`;
  return refuse("unknown", "client_id", problem);
}

function unknownCompany(slug: CompanyRef): never {
  const named = typeof slug === "string" ? slug : slug.id;
  const field = typeof slug === "string" ? "slug" : "id";
  return refuse("unknown", field, `there is no company ${JSON.stringify(named.slice(0, 100))}`);
}

export function unknownMember({ username }: Pick<Person, "username">, { slug }: Pick<Company, "slug">): never {
  return refuse("unknown", "username", `${JSON.stringify(username)} is not a member of ${JSON.stringify(slug)}`);
}

function slugTaken(slug: string): never {
  return refuse("taken", "slug", `${JSON.stringify(slug)} belongs to another company`);
}

function nameProblems(name: string, stands?: string): readonly Remark[] {
  const problem = displayTextProblem(name, MAX_COMPANY_NAME, stands);
  return problem === undefined ? [] : [{ field: "name", problem }];
}

function slugProblems(slug: string): readonly Remark[] {
  if (canonicalSlug(slug) !== undefined) return [];
  const problem = `${JSON.stringify(slug.slice(0, 100))} is not a slug: use 1 to 40 of a–z and 0–9, with single dashes between them`;
  return [{ field: "slug", problem }];
}
