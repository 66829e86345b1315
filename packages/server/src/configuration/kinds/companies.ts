/** Companies in a configuration, without their members. Their key is the slug. */

import { allCompanies, findCompany } from "../../admin/companies.ts";
import { companySignInRecord, signInOf } from "../../admin/company-sign-in.ts";
import { impactOfCompany } from "../../admin/deletion-impact.ts";
import { companyRecord } from "../../admin/output-records.ts";
import { statusNotes } from "../../admin/returning-access.ts";
import { canonicalSlug } from "../../owners/company-rules.ts";
import type { Company } from "../../owners/company-storage.ts";
import {
  type Context,
  entrySchema,
  type Fields,
  type Kind,
  type Operator,
  type Present,
  present,
  status,
  withDomains,
} from "../kind.ts";
import { bodyOf } from "../run-operations.ts";

const defaults = (): Fields => ({
  ...{ name: "", default_rule: "ask", status: "active", email_domains: [], own_provider: false },
});

async function presentOf(company: Company, context: Context): Promise<Present> {
  const signIn = await signInOf(company, context);
  return {
    label: company.slug,
    recordId: company.companyId,
    fields: present({ ...companyRecord(company), ...companySignInRecord(signIn) }, defaults()),
    record: { company, signIn },
  };
}

export async function companiesCalled(slugs: readonly string[] | null, { storage, ...context }: Context) {
  if (slugs === null) {
    const all: Company[] = [];
    for await (const company of allCompanies({ ...context, storage })) all.push(company);
    return all;
  }
  const found = await Promise.all([...new Set(slugs)].map((slug) => storage.companies.find({ slug })));
  return found.filter((one) => one !== undefined);
}

/** A file names a company by its slug. Records have its id, and so may a file: then the two are the same. */
export async function idOfCompany(named: string, context: Context): Promise<string> {
  return (await findCompany(named, context))?.companyId ?? named;
}

/** The slug of a record's company. A company that is gone keeps its id. */
export async function slugOfCompany(companyId: string, context: Context): Promise<string> {
  return (await findCompany({ id: companyId }, context))?.slug ?? companyId;
}

const list = (value: unknown) => value as readonly string[];

/** The fields that operations of their own change. */
async function setFurther(id: string, before: Fields, changes: Fields, operator: Operator): Promise<void> {
  const { email_domains: domains, own_provider: allowed, status: asked } = changes;
  if (domains !== undefined) {
    const [present_, wanted] = [list(before["email_domains"]), list(domains)];
    for (const domain of present_.filter((one) => !wanted.includes(one)))
      await operator.run("companies.remove-email-domain", { id, domain });
    for (const domain of wanted.filter((one) => !present_.includes(one)))
      await operator.run("companies.add-email-domain", { id, domain });
  }
  if (allowed !== undefined && allowed !== before["own_provider"])
    await operator.run("companies.set-own-provider", { id }, { allowed });
  if (asked !== undefined && asked !== before["status"])
    await operator.run(asked === "disabled" ? "companies.disable" : "companies.enable", { id });
}

export const companies: Kind = {
  section: "companies",
  noun: "company",
  keyed: "slug",
  schema: entrySchema(bodyOf("companies.create"), ["slug"], {
    status,
    email_domains: {
      ...{ type: "array", items: { type: "string", maxLength: 255 }, maxItems: 50 },
      description: "domains whose addresses are the company's",
    },
    own_provider: { type: "boolean", description: "whether its admins may connect their own sign-in provider" },
  }),
  ...{ secrets: [], documents: [], fixed: [] },
  defaults,
  canonical: withDomains,
  async find(wanted, _marks, context) {
    const found = await companiesCalled(wanted?.labels ?? null, context);
    return Promise.all(found.map((one) => presentOf(one, context)));
  },
  async create({ label, fields }, operator) {
    const { name, default_rule: defaultRule, ...further } = fields;
    const rule = defaultRule === undefined ? {} : { default_rule: defaultRule };
    const { id } = await operator.run("companies.create", {}, { name, slug: label, ...rule });
    await setFurther(String(id), defaults(), further, operator);
    return String(id);
  },
  async update({ recordId: id, fields }, { name, default_rule: defaultRule, ...further }, _entry, operator) {
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(defaultRule === undefined ? {} : { default_rule: defaultRule }),
    };
    if (Object.keys(changes).length > 0) await operator.run("companies.update", { id }, changes);
    await setFurther(id, fields, further, operator);
  },
  async remove({ recordId: id }, operator) {
    await operator.run("companies.delete", { id });
  },
  async ends({ label }, how, context) {
    const { members: memberships, grants, consents } = await impactOfCompany(label, context);
    return how === "delete" ? { memberships, grants, consents } : { grants };
  },
  async notes({ label, fields }, { status: asked }, context) {
    if (asked === undefined || asked === fields["status"]) return [];
    return statusNotes("company", asked === "disabled", (await impactOfCompany(label, context)).consents);
  },
  keyProblem: (slug) =>
    canonicalSlug(slug) === slug
      ? undefined
      : "must be a slug: 1 to 40 of a–z and 0–9, with single dashes between them",
  isEnding: (changes) => changes["status"] === "disabled",
};
