/**
 * Changes with what they mean for access that exists: sentences for the operator. Commands, the admin API and the plan of a
 * configuration give the same sentences.
 */

import { type Millis, NEVER, type Scope } from "../oauth/model.ts";
import { peopleIn } from "../owners/companies/rule-change.ts";
import type { Company, DefaultRule, HeldScope, ListedRule } from "../owners/company-storage.ts";
import { allClients } from "./clients.ts";
import { type AppPolicy, type CompanyRef, companyRules, setAppPolicy } from "./companies.ts";
import type { AdminContext } from "./context.ts";
import { counted } from "./counted.ts";
import { type CompanyAppImpact, impactOfCompanyApp } from "./deletion-impact.ts";
import type { Precondition } from "./precondition.ts";
import { namedBy, namesOfScope, updateScope } from "./scopes-and-resources.ts";

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
  if (isNew("resource")) notes.push(...(await resourceNotes(before, after, named, context)));
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

/** The scope now belongs to another API, and so does the access that owners gave. */
async function resourceNotes(
  { name, resource: old }: Scope,
  { resource: next }: Scope,
  named: string,
  context: AdminContext,
): Promise<readonly string[]> {
  let own = 0;
  for await (const { ownScopes } of allClients(context)) if (ownScopes.includes(name)) own += 1;
  const naming = [named, own === 0 ? "" : `the own scopes of ${counted(own, "client")}`].filter((one) => one !== "");
  if (naming.length === 0) return [];
  const api = (identifier: string | null) => identifier ?? "this server itself";
  const mixed =
    named === ""
      ? ""
      : " If an app now has scopes of several APIs, it gets a token only if it names one of these APIs (resource).";
  return [
    `The scope is in ${naming.join(" and ")}. From now on, apps use it to get tokens for ${api(next)}, without asking anybody, and none for ${api(old)}.${mixed} ${TOKENS}`,
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
  const heldNow = () =>
    context.storage.companyApps.liveAccess({ partition, companyId, clientId, ceiling: null, now: context.now() });
  const held = await heldNow();
  const grantsEnded = await setAppPolicy(slug, policy, context);
  if (rule === "block") return { grantsEnded, meaning: blockedText(before, clientId, grantsEnded), notes: [] };
  const set = await ruleOf();
  const some = members === "end" ? ` Ended ${counted(grantsEnded, "grant")}.` : "";
  const { company } = before;
  const meaning = `The rule of ${company.slug} for ${before.app} is now "${rule}": ${meaningOf(company, set, selected, context.now())}${some}`;
  const lost = rule === "allow" ? (earlier?.scopes ?? []).filter((one) => set?.scopes.includes(one) === false) : [];
  const notes = lost.length === 0 ? [] : [`Access that members gave no longer has ${lost.join(", ")}. ${TOKENS}`];
  if (rule === "allow") notes.push(...shortenedNotes(held, await heldNow()));
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
  members: "members decide by themselves.",
  ask: "members ask an admin before they connect the app.",
  block: "only admins can connect the app.",
};

/** What a rule that is no block means for members. `set`: as it is stored. */
function meaningOf(
  { defaultRule }: Company,
  set: ListedRule | undefined,
  selected: readonly string[] | undefined,
  now: Millis,
): string {
  if (set === undefined) return `the company's default counts, so ${DEFAULTS[defaultRule]}`;
  if (set.rule !== "allow") return DEFAULTS.ask;
  const end = set.endsAt === null ? "" : `, until ${endText(set.endsAt, now)}`;
  const who = selected === undefined ? "all members" : selected.join(", ");
  const others = selected === undefined ? "" : " Other members ask an admin.";
  return `${who} can connect the app without asking an admin, with ${set.scopes.join(", ")}${end}.${others}`;
}

/** The access that ends sooner with an approval than before it. Access of admins is no exception. */
function shortenedNotes(before: readonly HeldScope[], after: readonly HeldScope[]): readonly string[] {
  const keyOf = ({ personId, name }: HeldScope) => JSON.stringify([personId, name]);
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
function endText(at: Millis, now: Millis): string {
  return at - now >= NEAR ? new Date(at).toISOString().slice(0, 10) : timeText(at);
}

function timeText(at: Millis): string {
  const whole = new Date(at).toISOString();
  return `${whole.slice(0, 10)} ${whole.slice(11, 16)} UTC`;
}

function blockedText({ app, company, members }: CompanyAppImpact, clientId: string, ended: number): string {
  const { name, slug } = company;
  return `Blocked ${app} for ${name} (${slug}). Ended ${counted(ended, "grant")} of ${counted(members, "member")}. ${TOKENS} To lift the block, run: assent company policy ${slug} ${clientId} --rule none. The ended access doesn't come back with it.`;
}
