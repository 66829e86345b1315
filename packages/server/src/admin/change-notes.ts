/**
 * Changes with what they mean for access that exists: sentences for the operator. Commands, the admin API and the plan of a
 * configuration give the same sentences.
 */

import { isDeepStrictEqual } from "node:util";
import { type Client, type Connection, type Millis, NEVER, type Resource, type Scope } from "../oauth/model.ts";
import { connectionsOfApp } from "../owners/companies/connections.ts";
import { peopleIn } from "../owners/companies/rule-change.ts";
import { mayExchange } from "../owners/company-connections.ts";
import type { Company, DefaultRule, HeldScope, ListedRule, Member } from "../owners/company-storage.ts";
import type { Person } from "../owners/storage.ts";
import { partitionOf } from "../storage/partition.ts";
import { allClients, type ClientChanges, leavesPkceOpen, updateClient } from "./clients.ts";
import {
  type AppPolicy,
  addMember,
  type CompanyChanges,
  type CompanyRef,
  companyBySlug,
  companyMembers,
  companyRules,
  removeMember,
  setAppPolicy,
  updateCompany,
} from "./companies.ts";
import { type AdminContext, ceilingFor } from "./context.ts";
import { counted } from "./counted.ts";
import {
  appName,
  type CompanyAppImpact,
  companiesNeeding,
  impactOfCeiling,
  impactOfCompany,
  impactOfCompanyApp,
  impactOfMember,
} from "./deletion-impact.ts";
import { blockedElsewhereText } from "./impact-records.ts";
import { setUserStatus, type UserRef, userOf } from "./people.ts";
import type { Precondition } from "./precondition.ts";
import { registeredNotes, returnNotes } from "./returning-access.ts";
import {
  createScope,
  type NewScope,
  namedBy,
  namesOfScope,
  type ResourceChanges,
  updateResource,
  updateScope,
} from "./scopes-and-resources.ts";

const TOKENS = "Issued access tokens work until they expire.";

/** Throws as `updateScope`. */
export async function changeScope(
  name: string,
  changes: Partial<Omit<Scope, "name">>,
  context: AdminContext,
  check?: Precondition<Scope>,
): Promise<{ readonly scope: Scope; readonly notes: readonly string[] }> {
  const seen: Scope[] = [];
  const scope = await updateScope(name, changes, context, (present) => {
    check?.(present);
    seen.push(present);
  });
  return { scope, notes: await scopeNotes(seen.at(-1) ?? scope, scope, context) };
}

async function scopeNotes(before: Scope, after: Scope, context: AdminContext): Promise<readonly string[]> {
  const isNew = (field: keyof Scope) => (before[field] ?? null) !== (after[field] ?? null);
  const isStricter = (["ownerRole", "acr", "maxAge"] as const).some((field) => isNew(field) && after[field] != null);
  const isShown = (["access", "sensitive", "optional"] as const).some(isNew);
  if (!isStricter && !isShown && !isNew("description") && !isNew("resource")) return [];
  const named = namedBy(await namesOfScope(after.name, context));
  const notes: string[] = [];
  if (isNew("resource"))
    notes.push(...(await resourceNotes(after, `, and none for ${apiText(before.resource)}`, named, context)));
  if (named === "") return notes;
  if (isNew("description"))
    notes.push(
      `The scope is in ${named}, given for the earlier description. There it now means what the new one says, and nobody is asked again.`,
    );
  if (isStricter)
    notes.push(
      `The new requirement is for new sign-ins and consents. Apps keep the access of grants that they have: the scope is in ${named}. To end that access, revoke the consents.`,
    );
  if (isShown)
    notes.push(
      `The consent page shows the change to owners who are asked from now on. The scope is in ${named}, and nobody is asked again.`,
    );
  return notes;
}

/**
 * Clients stay registered for a deleted scope. A scope that `reuse` brings back can belong to another API than before: nothing
 * keeps the API of a deleted scope. Throws as `createScope`.
 */
export async function makeScope(
  input: NewScope,
  context: AdminContext,
  { reuse = false } = {},
): Promise<{ readonly scope: Scope; readonly notes: readonly string[] }> {
  const scope = await createScope(input, context, { reuse });
  const notes = await registeredNotes(scope.name, context);
  if (!reuse) return { scope, notes };
  const named = namedBy(await namesOfScope(scope.name, context));
  const earlier = ", also if the deleted scope belonged to another API";
  return { scope, notes: [...notes, ...(await resourceNotes(scope, earlier, named, context))] };
}

function apiText(identifier: string | null): string {
  return identifier ?? "this server itself";
}

/** The scope now belongs to another API, and so does the access that owners gave. `earlier`: the end of the sentence. */
async function resourceNotes(
  { name, resource }: Scope,
  earlier: string,
  named: string,
  context: AdminContext,
): Promise<readonly string[]> {
  let own = 0;
  for await (const { ownScopes } of allClients(context)) if (ownScopes.includes(name)) own += 1;
  const naming = [named, own === 0 ? "" : `the own scopes of ${counted(own, "client")}`].filter((one) => one !== "");
  if (naming.length === 0) return [];
  const mixed =
    named === ""
      ? ""
      : " If an app now has scopes of several APIs, it gets a token only if it names one of these APIs (resource).";
  return [
    `The scope is in ${naming.join(" and ")}. From now on, apps use it to get tokens for ${apiText(resource)}, without asking anybody${earlier}.${mixed} ${TOKENS}`,
  ];
}

/** `meaning`: what the rule means for members now. Throws as `setAppPolicy`. */
export async function changeAppPolicy(
  slug: CompanyRef,
  policy: AppPolicy,
  context: AdminContext,
): Promise<{ readonly grantsEnded: number; readonly meaning: string; readonly notes: readonly string[] }> {
  const { clientId, rule, selected, members } = policy;
  const before = await impactOfCompanyApp(slug, clientId, context);
  const ruleOf = async () => (await companyRules(slug, context)).find((one) => one.clientId === clientId);
  const earlier = await ruleOf();
  const { partition, companyId } = before.company;
  const client = (await context.storage.clients.get({ clientId }))?.record;
  const ceiling = ceilingFor(client, context);
  const heldNow = () =>
    context.storage.companyApps.liveAccess({ partition, companyId, clientId, ceiling, now: context.now() });
  const held = await heldNow();
  const grantsEnded = await setAppPolicy(slug, policy, context);
  if (rule === "block") return { grantsEnded, meaning: blockedText(before, clientId, grantsEnded), notes: [] };
  const set = await ruleOf();
  const some = members === "end" ? ` Ended ${counted(grantsEnded, "grant")}.` : "";
  const { company } = before;
  const meaning = `The rule of ${company.slug} for ${before.app} is now "${rule}": ${meaningOf(company, set, selected, context.now())}${some}`;
  const after = await heldNow();
  const narrower = rule === "allow" ? (earlier?.scopes ?? []).filter((one) => set?.scopes.includes(one) === false) : [];
  const lost = narrower.filter((name) => lostBy(held, after).some((one) => one.name === name));
  const notes = lost.length === 0 ? [] : [`Access that members gave no longer has ${lost.join(", ")}. ${TOKENS}`];
  if (rule === "allow") notes.push(...shortenedNotes(held, after));
  if (policy.keepsEnd === true && earlier !== undefined && set?.rule === "allow" && earlier.endsAt === set.endsAt)
    notes.push(
      set.endsAt === null
        ? "The approval still has no end."
        : `The approval still ends on ${endText(set.endsAt, context.now())}.`,
    );
  if (rule === "allow" && selected === undefined) return { grantsEnded, meaning, notes };
  const { members: people } = await impactOfCompanyApp(slug, clientId, context);
  if (people > 0)
    notes.push(
      `The app still acts for ${peopleText(people)} in the company's name, until that access ends. To end it now, run: assent company revoke ${company.slug} ${clientId}`,
    );
  return { grantsEnded, meaning, notes };
}

function peopleText(count: number): string {
  return count === 1 ? "1 person" : `${count.toLocaleString("en")} people`;
}

const DEFAULTS: Readonly<Record<DefaultRule, string>> = {
  members: "members decide by themselves",
  ask: "members ask an admin before they connect the app",
  block: "only admins can connect the app",
};

/** What members may do with an app for which the company has no rule. */
export function meaningOfDefault({ defaultRule }: Company): string {
  return `the company's default counts, so ${DEFAULTS[defaultRule]}`;
}

/** What a rule that is no block means for members. `set`: as it is stored. */
function meaningOf(
  company: Company,
  set: ListedRule | undefined,
  selected: readonly string[] | undefined,
  now: Millis,
): string {
  if (set === undefined) return `${meaningOfDefault(company)}.`;
  if (set.rule !== "allow") return `${DEFAULTS.ask}.`;
  const end = set.endsAt === null ? "" : `, until ${endText(set.endsAt, now)}`;
  const who = selected === undefined ? "all members" : selected.join(", ");
  const others = selected === undefined ? "" : " Other members ask an admin.";
  return `${who} can connect the app without asking an admin, with ${set.scopes.join(", ")}${end}.${others}`;
}

const keyOf = ({ personId, name }: HeldScope) => JSON.stringify([personId, name]);

/** The access that is gone. */
function lostBy(before: readonly HeldScope[], after: readonly HeldScope[]): readonly HeldScope[] {
  const left = new Set(after.map(keyOf));
  return before.filter((one) => !left.has(keyOf(one)));
}

/** The access that ends sooner with an approval than before it. Access of admins is no exception. */
function shortenedNotes(before: readonly HeldScope[], after: readonly HeldScope[]): readonly string[] {
  const earlier = new Map(before.map((one) => [keyOf(one), one.endsAt ?? Infinity]));
  const sooner = after.filter((one) => (one.endsAt ?? Infinity) < (earlier.get(keyOf(one)) ?? 0));
  return [...Map.groupBy(sooner, ({ endsAt }) => endsAt ?? NEVER)].map(([end, some]) => {
    const names = [...new Set(some.map(({ name }) => name))];
    return `For ${peopleText(peopleIn(some))}, access to ${names.join(", ")} now ends sooner: ${timeText(end)}.`;
  });
}

/** A day is exact enough for an end that is further away. In milliseconds. */
const NEAR = 3 * 86_400_000;

/** `2027-01-31`, or `2027-01-31 12:00 UTC` if it is near. */
export function endText(at: Millis, now: Millis): string {
  return at - now >= NEAR ? new Date(at).toISOString().slice(0, 10) : timeText(at);
}

export function timeText(at: Millis): string {
  const whole = new Date(at).toISOString();
  return `${whole.slice(0, 10)} ${whole.slice(11, 16)} UTC`;
}

function blockedText(impact: CompanyAppImpact, clientId: string, ended: number): string {
  const { app, members } = impact;
  const { name, slug } = impact.company;
  return `Blocked ${app} for ${name} (${slug}). Ended ${counted(ended, "grant")} of ${counted(members, "member")}. ${TOKENS} To lift the block, run: assent company policy ${slug} ${clientId} --rule none. The ended access doesn't come back with it.${blockedElsewhereText(impact)}`;
}

/** Throws as `updateResource`. */
export async function changeResource(
  identifier: string,
  changes: ResourceChanges,
  context: AdminContext,
  check?: Precondition<Resource>,
): Promise<{ readonly resource: Resource; readonly secret: string | null; readonly notes: readonly string[] }> {
  const seen: Resource[] = [];
  const { resource, secret } = await updateResource(identifier, changes, context, (present) => {
    check?.(present);
    seen.push(present);
  });
  const before = seen.at(-1) ?? resource;
  const notes: string[] = [];
  if (secret !== null) notes.push("The old introspection secret no longer works.");
  if ((["tokenFormat", "alg", "tokenLifetime"] as const).some((field) => before[field] !== resource[field]))
    notes.push("The new settings are for new access tokens. Issued ones keep their format, algorithm and lifetime.");
  if (before.grantBound !== resource.grantBound)
    notes.push(
      resource.grantBound
        ? "Introspection reports a token as inactive as soon as its grant ends, also a token that was issued before."
        : "Tokens that were issued before still end with their grants. New ones are active until they expire.",
    );
  return { resource, secret, notes };
}

/** Throws as `updateClient`. */
export async function changeClient(
  clientId: string,
  changes: ClientChanges,
  context: AdminContext,
  check?: Precondition<Client>,
): Promise<{ readonly client: Client; readonly notes: readonly string[] }> {
  const seen: Client[] = [];
  const client = await updateClient(clientId, changes, context, (present) => {
    check?.(present);
    seen.push(present);
  });
  const earlier = seen.at(-1) ?? client;
  const connections = await connectionNotes(earlier, client, context);
  return {
    client,
    notes: [
      ...removalNotes(earlier, client),
      ...connections,
      ...(await ceilingNotes(earlier, client, context)),
      ...(await returnNotes(earlier, client, context)),
    ],
  };
}

/** What a lower limit of consents means for consents from before. */
async function ceilingNotes(before: Client, after: Client, context: AdminContext): Promise<readonly string[]> {
  const impact = await impactOfCeiling(before, after, context);
  if (impact === undefined) return [];
  const { ends, lasts, ceiling } = impact;
  const ended = ends === 0 ? "" : ` ${counted(ends, "consent")} of owners ended now, with the grants.`;
  const last = lasts === 0 ? "" : ` ${counted(lasts, "consent")} will end at this limit, or before.`;
  return [
    `The limit also counts for consents from before. If you raise it, consents that it ended hold again. It is ${(ceiling / 1000).toLocaleString("en")} seconds from the owner's last answer.${ended}${last} ${TOKENS}`,
  ];
}

/** Which connection with another server now counts for a company, or for its members' own sign-ins, instead of another one. */
async function connectionNotes(before: Client, after: Client, context: AdminContext): Promise<readonly string[]> {
  const [old, now] = [connectionsIn(before), connectionsIn(after)];
  if (!mayExchange(after) || isDeepStrictEqual(old, now)) return [];
  const audiences = new Set([...old, ...now].map(({ audience }) => audience));
  const notes: string[] = [...unlimitedNotes(old, now)];
  for (const companyId of new Set([...old, ...now].flatMap(({ company }) => company ?? []))) {
    const company = await context.storage.companies.get({ partition: partitionOf(companyId), companyId });
    if (company === undefined) continue;
    const own = await Promise.all([before, after].map((client) => scopesByAdmins(company, client, context)));
    for (const audience of audiences) {
      const [had, has] = own.map((byAudience) => byAudience.get(audience));
      const [was, is] = [old, now].map((all) =>
        all.find((one) => one.company === companyId && one.audience === audience),
      );
      const open = now.find((one) => one.company === null && one.audience === audience && one.status === "active");
      notes.push(...insteadNotes({ company, audience, had, has, was, is, open }));
    }
  }
  return notes;
}

/** Connections that were for some APIs of the other server, and are for all of them now. */
function unlimitedNotes(old: readonly Connection[], now: readonly Connection[]): readonly string[] {
  return now.flatMap(({ audience, company, resources, status }) => {
    const before = old.find((one) => one.audience === audience && one.company === company)?.resources ?? [];
    if (resources.length > 0 || before.length === 0) return [];
    const what = `${status === "offered" ? "offer" : "connection"}${company === null ? "" : ` for ${company}`}`;
    return [
      `At ${audience}, the ${what} was only for ${before.join(", ")}. Without resources, it is for every API there.`,
    ];
  });
}

function connectionsIn({ tokenExchange }: Client): readonly Connection[] {
  return tokenExchange?.connections ?? [];
}

/** What the connections that a company's admins made give now, by the other server. */
async function scopesByAdmins(
  key: Company,
  client: Client,
  context: AdminContext,
): Promise<ReadonlyMap<string, string>> {
  const connections = await connectionsOfApp(key, client, context);
  return new Map(connections.filter(({ made }) => made).map((one) => [one.audience, one.scopes.join(" ")]));
}

/**
 * `had`, `has`: the scopes that the admins' connection gave before, and gives now. `was`, `is`: the operator's connection for
 * the company. `open`: the one for everybody.
 */
function insteadNotes({
  company: { name, slug },
  audience,
  had,
  has,
  was,
  is,
  open,
}: {
  readonly company: Company;
  readonly audience: string;
  readonly had: string | undefined;
  readonly has: string | undefined;
  readonly was: Connection | undefined;
  readonly is: Connection | undefined;
  readonly open: Connection | undefined;
}): readonly string[] {
  const who = `${name} (${slug})`;
  const notes: string[] = [];
  if (was !== undefined && had === undefined && has !== undefined)
    notes.push(
      `At ${audience}, the connection that admins of ${who} made counts again: ${has}. To prevent that, pause the connection for ${slug} instead, or withdraw the offer.`,
    );
  if (is !== undefined && is.status !== "offered" && had !== undefined && has === undefined)
    notes.push(
      `At ${audience}, the connection for ${who} counts instead of the one that its admins made: ${had}. If you delete it, theirs counts again.`,
    );
  if (was?.status === "active" && is?.status !== "active" && open !== undefined)
    notes.push(
      `At ${audience}, the connection for everybody counts for members of ${who} who sign in for themselves, unless the company blocks or pauses the app: ${open.scopes.join(" ")}.`,
    );
  return notes;
}

/** What scopes and grant types that were taken from a client mean for access that it already has. */
function removalNotes(before: Client, after: Client): readonly string[] {
  const lost = (of: (client: Client) => readonly string[]) => of(before).filter((one) => !of(after).includes(one));
  const [scopes, own] = [lost((client) => client.scopes), lost((client) => client.ownScopes)];
  const notes: string[] = [];
  if (scopes.length > 0)
    notes.push(
      `New tokens don't contain ${scopes.join(", ")}, also those of existing grants. ${TOKENS} Consents still name what owners allowed: if you add a scope again, these consents count again.`,
    );
  if (own.length > 0) notes.push(`New tokens of its own don't contain ${own.join(", ")}. ${TOKENS}`);
  if (lost((client) => client.grantTypes).includes("refresh_token"))
    notes.push(
      `The refresh tokens of the client stop working now. They work again if you add the grant type refresh_token again before they expire. ${TOKENS}`,
    );
  return notes;
}

/** Throws as `updateCompany`. */
export async function changeCompany(
  slug: CompanyRef,
  changes: CompanyChanges,
  context: AdminContext,
  check?: Precondition<Company>,
): Promise<{ readonly company: Company; readonly notes: readonly string[] }> {
  const before = await companyBySlug(slug, context);
  const company = await updateCompany(slug, changes, context, check);
  if (company.defaultRule === before.defaultRule || company.defaultRule === "members") return { company, notes: [] };
  const { consents } = await impactOfCompany({ id: company.companyId }, context);
  if (consents === 0) return { company, notes: [] };
  const apps = await someAppsOf(company, context);
  const names = await Promise.all(apps.map((id) => appName(id, context)));
  const named = names.length === 0 ? "" : `, to ${names.join(", ")}${consents > names.length ? ", …" : ""}`;
  const [what, id] = consents === 1 && apps.length === 1 ? ["it", apps[0]] : ["one", "CLIENT_ID"];
  const note = `The new default rule is for new connections. Members keep the apps that they already use: ${counted(consents, "consent")}${named}. To end ${what}, run: assent company revoke ${company.slug} ${id}`;
  return { company, notes: [note] };
}

/** The ids of up to five clients to which the company has a consent that lasts. Looks only at the first consents. */
async function someAppsOf({ companyId: ownerId }: Company, { storage, now }: AdminContext): Promise<readonly string[]> {
  const page = await storage.directory.consents({ ownerId, clientId: null, after: null, limit: 1000 });
  const lasting = page.filter(({ status, expiresAt }) => status === "active" && (expiresAt ?? NEVER) > now());
  return lasting.slice(0, 5).map(({ clientId }) => clientId);
}

/** Throws as `addMember`. */
export async function changeMember(
  slug: CompanyRef,
  login: UserRef,
  role: string,
  context: AdminContext,
): Promise<{ readonly member: Member; readonly notes: readonly string[] }> {
  const member = await addMember(slug, login, role, context);
  return { member, notes: member.role === "admin" ? [] : await adminlessNotes(slug, context) };
}

/** Throws as `removeMember`. */
export async function endMembership(
  slug: CompanyRef,
  login: UserRef,
  context: AdminContext,
): Promise<{ readonly grantsEnded: number; readonly notes: readonly string[] }> {
  const { returnsBy } = await impactOfMember(slug, login, context);
  const grantsEnded = await removeMember(slug, login, context);
  const returns = returnsBy === null ? [] : [returnText(returnsBy)];
  return { grantsEnded, notes: [...returns, ...(await adminlessNotes(slug, context))] };
}

/** How a member who is removed comes back. */
export function returnText(returnsBy: string | null): string {
  return returnsBy === null
    ? "To come back, the person needs a new invitation."
    : `The next sign-in with ${returnsBy} makes the person a member again. To prevent this, remove them there first.`;
}

async function adminlessNotes(ref: CompanyRef, context: AdminContext): Promise<readonly string[]> {
  for await (const { role } of companyMembers(ref, context)) if (role === "admin") return [];
  const { name, slug } = await companyBySlug(ref, context);
  return [
    `${name} has no admin now, so nobody can change its rules. To add one, run: assent company add-member ${slug} USER --role admin`,
  ];
}

/** Throws as `setUserStatus`. */
export async function changeUserStatus(
  login: UserRef,
  status: Person["status"],
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<{ readonly person: Person; readonly notes: readonly string[] }> {
  const before = await userOf(login, context);
  const ends = status === "disabled" && before.status !== "disabled";
  const alone = ends ? await companiesNeeding(before, context) : [];
  const person = await setUserStatus(login, status, context, check);
  return { person, notes: alone.length === 0 ? [] : [withoutAdminText(alone)] };
}

/** Names the companies that have no active admin without a person. */
export function withoutAdminText(slugs: readonly string[]): string {
  return `No active admin is left in ${slugs.join(", ")}: "assent company add-member SLUG USER --role admin" makes a member an admin.`;
}

/** What the operator reads about PKCE when a client was made. */
export function pkceNotes(client: Client, server: { readonly requirePkce: boolean }): readonly string[] {
  if (!leavesPkceOpen(client, server)) return [];
  return [
    `PKCE is optional for this client. If the client uses PKCE, like every current library, require it (RFC 9700 §2.1.1): assent client update ${client.clientId} --require-pkce`,
  ];
}
