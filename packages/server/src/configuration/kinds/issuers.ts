/** Issuers of assertions in a configuration. Their key is the issuer's own name. */

import { impactOfIssuer } from "../../admin/deletion-impact.ts";
import { issuerRecord } from "../../admin/output-records.ts";
import { DEFAULT_ASSERTION_LIFETIME, limitsLost } from "../../admin/trusted-issuers.ts";
import type { TrustedIssuer } from "../../oauth/trusted-issuer.ts";
import { type Context, entrySchema, type Fields, type Kind, type Present, present, withDomains } from "../kind.ts";
import { bodyOf } from "../run-operations.ts";
import { idOfCompany, slugOfCompany } from "./companies.ts";

const defaults = (): Fields => ({
  ...{ type: "jwt", jwks: null, jwks_uri: null, certificate: null },
  ...{ scope: "", clients: [], audience: null, max_lifetime: DEFAULT_ASSERTION_LIFETIME },
  ...{ map_subject: "username", subject_claim: null, email_domains: [], subjects: [] },
  ...{ create_owners: false, token_exchange: false, status: "active" },
  ...{ company: null, tenant: null },
});

async function presentOf(issuer: TrustedIssuer, context: Context): Promise<Present> {
  const { company = null, ...record } = issuerRecord(issuer);
  const certificate = issuer.certificates.length === 0 ? null : issuer.certificates.join("");
  return {
    label: issuer.issuer,
    recordId: issuer.issuer,
    fields: present(
      {
        ...record,
        ...{ subject_claim: issuer.subjectClaim, certificate },
        company: typeof company === "string" ? await slugOfCompany(company, context) : null,
      },
      defaults(),
    ),
    record: issuer,
  };
}

async function withCompanyId(fields: Fields, context: Context): Promise<Fields> {
  const { company } = fields;
  return typeof company === "string" ? { ...fields, company: await idOfCompany(company, context) } : fields;
}

/** Keys are sent as one of them, never as null. */
async function body(changes: Fields, context: Context): Promise<Fields> {
  const keys = ["jwks", "jwks_uri", "certificate"];
  return Object.fromEntries(
    Object.entries(await withCompanyId(changes, context)).filter(
      ([name, value]) => !(keys.includes(name) && value === null),
    ),
  );
}

export const issuers: Kind = {
  section: "issuers",
  noun: "issuer",
  keyed: "issuer",
  schema: entrySchema(bodyOf("issuers.create"), ["issuer", "saml_metadata"]),
  ...{ secrets: [], documents: ["certificate"], fixed: ["type"] },
  defaults,
  canonical: withDomains,
  async find(wanted, _marks, context) {
    const all = await context.storage.issuers.list();
    const found = all.filter(({ issuer }) => wanted === null || wanted.labels.includes(issuer));
    return Promise.all(found.map((one) => presentOf(one, context)));
  },
  async create({ label, fields }, operator) {
    await operator.run("issuers.create", {}, { ...(await withCompanyId(fields, operator.context)), issuer: label });
    return label;
  },
  async update({ label }, changes, _entry, operator) {
    await operator.run("issuers.update", { issuer: label }, await body(changes, operator.context));
  },
  async remove({ label }, operator) {
    await operator.run("issuers.delete", { issuer: label });
  },
  question({ before, after }) {
    if (before === undefined) return undefined;
    const lost = limitsLost(before.record as TrustedIssuer, after.record as TrustedIssuer).join(" ");
    return lost === "" ? undefined : `takes away a limit. ${lost.replace(/\.$/, "")}`;
  },
  ends: async ({ label }, _how, context) => ({ subject_links: (await impactOfIssuer(label, context)).links }),
};
