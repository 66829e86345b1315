/** Rules of companies about apps in a configuration. Their keys are the company's slug and the client_id. */

import { endText } from "../../admin/change-notes.ts";
import { companyRules } from "../../admin/companies.ts";
import { ceilingFor } from "../../admin/context.ts";
import { impactOfCompanyApp } from "../../admin/deletion-impact.ts";
import { endOfRule } from "../../owners/company-rules.ts";
import type { Company, ListedRule } from "../../owners/company-storage.ts";
import { type Context, entrySchema, type Fields, type Kind, type Operator, type Present } from "../kind.ts";
import { bodyOf } from "../run-operations.ts";
import { isOperators } from "./clients.ts";
import { companiesCalled } from "./companies.ts";

/** `scope` null: when an approval is given, all scopes that the client may request then. */
const defaults = (): Fields => ({ rule: "ask", scope: null });

/** Rules for selected members name people, who are in no file. An approval that has expired is none. */
async function rulesOf(company: Company, context: Context): Promise<readonly Present[]> {
  const rules = await companyRules({ id: company.companyId }, context);
  return rules
    .filter((rule) => rule.forSelected !== true && (rule.endsAt === null || rule.endsAt > context.now()))
    .map((rule) => presentOf(company, rule));
}

function presentOf({ slug, companyId }: Company, rule: ListedRule): Present {
  const { clientId } = rule;
  return {
    label: `${slug} ${clientId}`,
    recordId: `${companyId} ${clientId}`,
    fields: { ...defaults(), rule: rule.rule, scope: rule.rule === "allow" ? rule.scopes.join(" ") : null },
    record: rule,
  };
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

/** In milliseconds. */
const SECOND = 1000;

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
  // How long an approval lasts counts when it is given.
  canonical: ({ lifetime: _, ...fields }) => fields,
  async find(wanted, _marks, context) {
    const slugs = wanted?.labels.map((label) => label.split(" ")[0] ?? "") ?? null;
    const found = await companiesCalled(slugs, context);
    const all = (await Promise.all(found.map((one) => rulesOf(one, context)))).flat();
    if (wanted !== null) return all.filter(({ label }) => wanted.labels.includes(label));
    const clientIds = all.map(({ record }) => (record as ListedRule).clientId);
    const clients = await Promise.all(clientIds.map((clientId) => context.storage.clients.get({ clientId })));
    return all.filter((_, index) => {
      const client = clients[index]?.record;
      return client !== undefined && isOperators(client);
    });
  },
  async remark({ label, fields: { lifetime } }, { record, fields }, context) {
    const approval = record as ListedRule;
    const { rule, clientId, decidedAt, endsAt } = approval;
    const client = (await context.storage.clients.get({ clientId }))?.record;
    if (rule !== "allow" || typeof lifetime !== "number" || client === undefined) return undefined;
    const asInFile = { ...approval, endsAt: decidedAt + lifetime * 1000 };
    const given = endOfRule(asInFile, { ceiling: ceilingFor(client, context) });
    if (endsAt !== null && given !== null && Math.abs(endsAt - given) < SECOND) return undefined;
    const end = endsAt === null ? "has no end" : `ends on ${endText(endsAt, context.now())}`;
    return `The approval ${end}. The file's lifetime counts from the next approval. To renew it now, run: assent company policy ${label} --rule allow --scope "${fields["scope"]}" --lifetime ${lifetime}`;
  },
  create: ({ label, fields }, operator) => set(label, { ...fields, ...KEEP }, operator),
  async update(_before, _changes, { label, fields }, operator) {
    await set(label, { ...fields, ...KEEP, end: "keep" }, operator);
  },
  async remove({ label }, operator) {
    await set(label, { rule: "none", ...KEEP }, operator);
  },
  // Without the rule, members keep their access until the approval would have ended.
  ends: async ({ label }, how, context) => (how === "delete" ? {} : membersOf(label, context)),
  async endsByCreation({ label, fields }, context) {
    const [slug = ""] = label.split(" ");
    const isNew = (await context.storage.companies.find({ slug })) === undefined;
    if (fields["rule"] !== "block" || isNew) return undefined;
    const ended = await membersOf(label, context);
    return ended.members_of_app === 0 ? undefined : ended;
  },
  isEnding: (changes) => changes["rule"] === "block",
};
