/** Rules of companies about apps in a configuration. Their keys are the company's slug and the client_id. */

import { endText, meaningOfDefault } from "../../admin/change-notes.ts";
import { companyBySlug, companyRules, usernamesOf, YEAR } from "../../admin/companies.ts";
import { ceilingFor } from "../../admin/context.ts";
import { impactOfCompanyApp } from "../../admin/deletion-impact.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { loses } from "../../owners/companies/rule-change.ts";
import { endOfRule } from "../../owners/company-rules.ts";
import type { Company, ListedRule } from "../../owners/company-storage.ts";
import {
  type Context,
  type Ended,
  type Entry,
  entrySchema,
  type Fields,
  type Kind,
  type Operator,
  type Present,
} from "../kind.ts";
import { bodyOf } from "../run-operations.ts";
import { isOperators } from "./clients.ts";
import { companiesCalled } from "./companies.ts";

/**
 * `scope` null: when an approval is given, all scopes that the client may request then. `for` is no field of a file: rules for
 * selected members name people, who are in no file.
 */
const defaults = ({ rule }: Fields): Fields => ({ rule: "ask", scope: null, for: rule === "allow" ? EVERYBODY : null });
const EVERYBODY = "everybody";

/** A rule of a company, and what it means now. */
interface Stored {
  readonly rule: ListedRule;
  /** Of an approval. Null: it has none. */
  readonly endsAt: Millis | null;
  readonly isOver: boolean;
}

/** `isListed` false: rules for selected members and approvals that are over are left out. No file describes them. */
async function rulesOf(
  company: Company,
  isListed: (label: string) => boolean,
  context: Context,
): Promise<readonly Present[]> {
  const rules = await companyRules({ id: company.companyId }, context);
  const found = rules.map(async (rule) => {
    const label = `${company.slug} ${rule.clientId}`;
    const client = (await context.storage.clients.get({ clientId: rule.clientId }))?.record;
    const stored = storedOf(rule, client, context);
    if ((rule.forSelected === true || stored.isOver) && !isListed(label)) return [];
    const names = rule.forSelected === true ? await namesOf(rule.selected, context) : EVERYBODY;
    return [{ ...presentOf(company, stored, { label, names, now: context.now() }), readToo: client }];
  });
  return (await Promise.all(found)).flat();
}

/** The app of a rule. Undefined: it is gone. */
function clientOf({ readToo }: Present): Client | undefined {
  return readToo as Client | undefined;
}

function storedOf(rule: ListedRule, client: Client | undefined, context: Context): Stored {
  if (rule.rule !== "allow") return { rule, endsAt: null, isOver: false };
  const endsAt = client === undefined ? rule.endsAt : endOfRule(rule, { ceiling: ceilingFor(client, context) });
  return { rule, endsAt, isOver: endsAt !== null && endsAt <= context.now() };
}

function presentOf(
  { companyId }: Company,
  stored: Stored,
  { label, names, now }: { readonly label: string; readonly names: string; readonly now: Millis },
): Present {
  const { rule, endsAt, isOver } = stored;
  const isApproval = rule.rule === "allow";
  return {
    label,
    recordId: `${companyId} ${rule.clientId}`,
    fields: {
      rule: isOver && endsAt !== null ? `allow, which ended on ${endText(endsAt, now)}` : rule.rule,
      scope: isApproval ? rule.scopes.join(" ") : null,
      for: isApproval ? names : null,
    },
    record: rule,
  };
}

/** Most names of members in a plan. */
const MOST_NAMES = 5;

async function namesOf(personIds: readonly string[], context: Context): Promise<string> {
  const names = await usernamesOf(personIds, context);
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

async function set(label: string, body: Fields, { run, context }: Operator): Promise<string> {
  const [slug = "", clientId = ""] = label.split(" ");
  const company = await context.storage.companies.find({ slug });
  await run("companies.set-rule", { id: company?.companyId ?? slug, client_id: clientId }, body);
  return `${company?.companyId} ${clientId}`;
}

/** The members who lose an app that is blocked. */
async function membersOf(label: string, context: Context): Promise<{ readonly members_of_app: number }> {
  const [slug = "", clientId = ""] = label.split(" ");
  return { members_of_app: (await impactOfCompanyApp(slug, clientId, context)).members };
}

/** What members' access loses at once when an approval gets other scopes. Undefined: nothing. */
async function narrowedBy(present: Present, scope: unknown, context: Context): Promise<Ended | undefined> {
  const { rule, scopes, clientId } = present.record as ListedRule;
  if (rule !== "allow" || typeof scope !== "string") return undefined;
  const kept = new Set(scope.split(" "));
  const taken = scopes.filter((name) => !kept.has(name));
  if (taken.length === 0) return undefined;
  const { partition, companyId } = await companyBySlug(present.label.split(" ")[0] ?? "", context);
  const ceiling = ceilingFor(clientOf(present), context);
  const key = { partition, companyId, clientId };
  const held = await context.storage.companyApps.liveAccess({ ...key, ceiling, now: context.now() });
  const lost = held.filter((one) => loses(one, taken));
  return lost.length === 0 ? undefined : { permissions_of_members: lost.length };
}

/** In milliseconds. */
const SECOND = 1000;

/** How an approval gets the file's lifetime. Undefined: it has that lifetime, or the file names none. `scope`: of the approval. */
function lifetimeNote(
  { label, fields: { lifetime } }: Entry,
  { record }: Present,
  { client, scope }: { readonly client: Client | undefined; readonly scope: unknown },
  context: Context,
): string | undefined {
  const approval = record as ListedRule;
  const { rule, decidedAt, endsAt } = approval;
  if (rule !== "allow" || typeof lifetime !== "number" || client === undefined) return undefined;
  const asInFile = { ...approval, endsAt: decidedAt + lifetime * SECOND };
  const given = endOfRule(asInFile, { ceiling: ceilingFor(client, context) });
  if (endsAt !== null && given !== null && Math.abs(endsAt - given) < SECOND) return undefined;
  return `The file's lifetime counts from the next approval. To renew it now, run: assent company policy ${label} --rule allow --scope "${scope}" --lifetime ${lifetime}`;
}

/** Members who use an approval that ends keep their access until the approval would have ended. */
const KEEP = { members: "keep" };

export const policies: Kind = {
  section: "policies",
  noun: "policy",
  keyed: "slug, and below it the client_id",
  schema: {
    ...entrySchema(bodyOf("companies.set-rule"), ["selected", "members", "rule", "end"], {
      rule: { type: "string", enum: ["allow", "ask", "block"] },
    }),
    required: ["rule"],
  },
  nested: true,
  ...{ secrets: [], documents: [], fixed: [] },
  defaults,
  defaultsWhenNew: ({ for: who = null }) => ({ for: who }),
  // How long an approval lasts counts when it is given.
  canonical: ({ lifetime: _, ...fields }) => fields,
  async find(wanted, _marks, context) {
    const slugs = wanted?.labels.map((label) => label.split(" ")[0] ?? "") ?? null;
    const found = await companiesCalled(slugs, context);
    const listed = new Set(wanted?.entries.map(({ label }) => label));
    const rules = found.map((one) => rulesOf(one, (label) => listed.has(label), context));
    const all = (await Promise.all(rules)).flat();
    if (wanted !== null) return all.filter(({ label }) => wanted.labels.includes(label));
    return all.filter((present) => {
      const client = clientOf(present);
      return client !== undefined && isOperators(client);
    });
  },
  async remark(entry, present, context) {
    const { endsAt } = present.record as ListedRule;
    const asked = { client: clientOf(present), scope: present.fields["scope"] };
    const howToRenew = lifetimeNote(entry, present, asked, context);
    if (howToRenew === undefined) return undefined;
    return `The approval ${endsAt === null ? "has no end" : `ends on ${endText(endsAt, context.now())}`}. ${howToRenew}`;
  },
  async told({ before, after, entry }, context) {
    const client = clientOf(after);
    const earlier = before === undefined ? undefined : storedOf(before.record as ListedRule, client, context);
    const { rule, endsAt } = storedOf(after.record as ListedRule, client, context);
    if (rule.rule !== "allow") return [];
    if (before !== undefined && earlier?.rule.rule === "allow" && !earlier.isOver) {
      // The operation's own note says when the approval ends.
      const howToRenew = lifetimeNote(entry, before, { client, scope: after.fields["scope"] }, context);
      return howToRenew === undefined ? [] : [howToRenew];
    }
    const end = endsAt === null ? null : endText(endsAt, context.now());
    const ended = earlier?.isOver === true ? endText(earlier.endsAt ?? 0, context.now()) : undefined;
    if (ended === undefined) return [end === null ? "The approval has no end." : `The approval ends on ${end}.`];
    return [`This renews the approval that ended on ${ended}: ${end === null ? "it has no end now" : `until ${end}`}.`];
  },
  question({ before, after }) {
    const who = before?.fields["for"] ?? null;
    if (who === null || who === EVERYBODY) return undefined;
    return after.fields["for"] === EVERYBODY
      ? `allows the app for all members of the company, and its admins chose to allow it only for ${who}`
      : `ends the approval that admins of the company gave only to ${who}`;
  },
  async deletionQuestion({ label, record }, context) {
    const { rule } = record as ListedRule;
    if (rule === "allow") return undefined;
    const company = await companyBySlug(label.split(" ")[0] ?? "", context);
    const removed = rule === "block" ? "lifts the block of the app" : "removes the company's rule about the app";
    return `${removed}: ${meaningOfDefault(company)}`;
  },
  exportedToo({ record }, context) {
    const { rule, endsAt, decidedAt } = record as ListedRule;
    if (rule !== "allow") return { fields: {}, comments: [] };
    if (endsAt === null) return { fields: {}, comments: ["This approval has no end. One that this file makes ends."] };
    const lifetime = Math.max(1, Math.round((endsAt - decidedAt) / SECOND));
    return {
      fields: lifetime === YEAR ? {} : { lifetime },
      comments: [`This approval ends on ${endText(endsAt, context.now())}. Applied later, this file renews it.`],
    };
  },
  create: ({ label, fields }, operator) => set(label, { ...fields, ...KEEP }, operator),
  async update(_before, _changes, { label, fields }, operator) {
    await set(label, { ...fields, ...KEEP, end: "keep" }, operator);
  },
  async remove({ label }, operator) {
    await set(label, { rule: "none", ...KEEP }, operator);
  },
  // Without the rule, members keep their access until the approval would have ended.
  async ends(present, how, context, { rule, scope }) {
    if (how === "delete") return {};
    return rule === "block" ? membersOf(present.label, context) : narrowedBy(present, scope, context);
  },
  async endsByCreation({ label, fields }, context) {
    const [slug = ""] = label.split(" ");
    const isNew = (await context.storage.companies.find({ slug })) === undefined;
    if (fields["rule"] !== "block" || isNew) return undefined;
    const ended = await membersOf(label, context);
    return ended.members_of_app === 0 ? undefined : ended;
  },
  isEnding: (changes) => changes["rule"] === "block" || "scope" in changes,
};
