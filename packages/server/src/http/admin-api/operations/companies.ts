/** Operations on companies, their members, and their rules about apps. */

import { Type } from "typebox";
import { AdminError } from "../../../admin/admin-error.ts";
import { changeAppPolicy, changeCompany, changeMember, endMembership } from "../../../admin/change-notes.ts";
import {
  APP_RULES,
  type CompanyRef,
  companyBySlug,
  companyConnections,
  companyRules,
  createCompany,
  DEFAULT_RULES,
  deleteCompany,
  membersPage,
  ROLES,
  revokeForAll,
} from "../../../admin/companies.ts";
import {
  type CompanySignInChanges,
  companySignInRecord,
  signInOf,
  updateCompanySignIn,
} from "../../../admin/company-sign-in.ts";
import type { AdminContext } from "../../../admin/context.ts";
import { impactOfCompany, impactOfCompanyApp, impactOfMember } from "../../../admin/deletion-impact.ts";
import { listCompanies } from "../../../admin/directory.ts";
import { companyAppImpactRecord, companyImpactRecord, memberImpactRecord } from "../../../admin/impact-records.ts";
import { companyConnectionRecord, companyRecord, memberRecord, ruleRecord } from "../../../admin/output-records.ts";
import { refuse } from "../../../oauth/errors.ts";
import { canonicalDomain } from "../../../owners/canonical-login.ts";
import type { Company } from "../../../owners/company-storage.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, type Call, operation, reads, writes } from "../operation.ts";
import * as records from "../records.ts";
import { body, given, notesIn, oneOf, orNull, record, scopeText, text, texts, withNotes, words } from "../schemas.ts";

const maybe = Type.Optional;
const refOf = ({ params }: Pick<Call<unknown, unknown>, "params">): CompanyRef => ({ id: params["id"] ?? "" });
/** The use-cases call a person's id `id`, which is the company's in these requests. */
async function naming<T>(user: Promise<T>): Promise<T> {
  try {
    return await user;
  } catch (error) {
    if (!(error instanceof AdminError) || !error.problems.some(({ problem }) => problem.startsWith("there is no user")))
      throw error;
    throw new AdminError(
      error.kind,
      error.problems.map(({ problem }) => ({ field: "user_id", problem })),
    );
  }
}
const signInIn = async (company: Company, admin: AdminContext) => companySignInRecord(await signInOf(company, admin));
const answered = (company: Company) => ({ record: companyRecord(company), tagged: companyRecord(company) });

const signInFields = {
  own_provider: Type.Boolean({ description: "whether its admins may connect their own sign-in provider" }),
  email_domains: texts(50, 255, "domains whose addresses are the company's"),
  provider: orNull(text(200), "id of its own sign-in provider"),
};
const signInRecord = record(signInFields);

async function changeSignIn(call: Call<unknown, unknown>, changes: CompanySignInChanges) {
  return { record: companySignInRecord(await updateCompanySignIn(refOf(call), changes, call.admin)) };
}

const domainOperations = [
  operation({
    ...at("companies.add-email-domain", "PUT /companies/{id}/email-domains/{domain}"),
    ...writes("companies"),
    summary: "Confirm that the addresses of a domain are a company's",
    command: "company update",
    result: signInRecord,
    answer: (call) => changeSignIn(call, { addDomains: [call.params["domain"] ?? ""] }),
  }),
  operation({
    ...at("companies.remove-email-domain", "DELETE /companies/{id}/email-domains/{domain}"),
    ...writes("companies"),
    summary: "Take a domain from a company; its own provider makes no more accounts for it",
    command: "company update",
    result: signInRecord,
    async answer(call) {
      const domain = call.params["domain"] ?? "";
      const company = await companyBySlug(refOf(call), call.admin);
      const { emailDomains } = await signInOf(company, call.admin);
      if (!emailDomains.includes(canonicalDomain(domain) ?? domain)) refuse("record_unknown");
      return changeSignIn(call, { removeDomains: [domain] });
    },
  }),
  operation({
    ...at("companies.set-own-provider", "PUT /companies/{id}/own-provider"),
    ...writes("companies"),
    summary: "Decide whether the admins of a company may connect their own sign-in provider",
    notes: "To connect one for them, create a provider with `company_id`.",
    command: "company update",
    body: body({ allowed: Type.Boolean() }),
    result: signInRecord,
    answer: (call) => changeSignIn(call, { ownProvider: call.body.allowed }),
  }),
];

export const companies = [
  operation({
    ...at("companies.list", "GET /companies"),
    ...reads("companies"),
    summary: "List companies",
    command: "company list",
    query: listQuery({
      slug: maybe(text(100, "the beginning of the slug")),
      status: maybe(oneOf(["active", "disabled"])),
      sort: maybe(oneOf(["created_at", "slug"])),
    }),
    result: pageOf(records.companyRecord),
    async answer({ query, admin, tools }) {
      const { limit = DEFAULT_LIMIT, after, ...filters } = query;
      const cursors = new Cursors("companies", query, tools);
      const page = await listCompanies({ ...filters, limit, after: cursors.open(after) }, admin);
      return { record: { items: page.items.map(companyRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("companies.create", "POST /companies", 201),
    ...writes("companies"),
    summary: "Create a company without members",
    command: "company create",
    body: body(
      { name: text(500), slug: text(100), default_rule: maybe(oneOf(DEFAULT_RULES)) },
      { name: "Acme", slug: "acme-inc" },
    ),
    result: records.companyRecord,
    tagged: true,
    async answer({ body: { name, slug, default_rule: defaultRule }, admin }) {
      const company = await createCompany({ name, slug, ...given({ defaultRule }) }, admin);
      return { ...answered(company), location: `/companies/${company.companyId}` };
    },
  }),
  operation({
    ...at("companies.show", "GET /companies/{id}"),
    ...reads("companies"),
    summary: "Read a company, its e-mail domains, and the id of its own sign-in provider",
    command: "company show",
    result: record({ ...records.companyRecord.properties, ...signInFields }),
    tagged: true,
    async answer(call) {
      const company = await companyBySlug(refOf(call), call.admin);
      const { record: told, tagged } = answered(company);
      return { record: { ...told, ...(await signInIn(company, call.admin)) }, tagged };
    },
  }),
  operation({
    ...at("companies.update", "PATCH /companies/{id}"),
    ...writes("companies"),
    summary: "Change a company",
    command: "company update",
    body: body({ name: maybe(text(500)), slug: maybe(text(100)), default_rule: maybe(oneOf(DEFAULT_RULES)) }),
    result: record({ ...records.companyRecord.properties, ...withNotes }),
    tagged: true,
    matches: true,
    async answer(call) {
      const { name, slug, default_rule: defaultRule } = call.body;
      const changes = given({ name, slug, defaultRule });
      const check = (present: Company) => call.match(companyRecord(present));
      const { company, notes } = await changeCompany(refOf(call), changes, call.admin, check);
      const { record: told, tagged } = answered(company);
      return { record: { ...told, ...notesIn(notes) }, tagged };
    },
  }),
  operation({
    ...at("companies.impact", "GET /companies/{id}/impact"),
    ...reads("companies"),
    summary: "Count what would end with a company",
    notes: "A disabled company loses its grants; members and consents stay.",
    command: "company delete",
    alsoBy: ["company update"],
    result: records.companyImpactRecord,
    answer: async (call) => ({ record: companyImpactRecord(await impactOfCompany(refOf(call), call.admin)) }),
  }),
  operation({
    ...at("companies.delete", "DELETE /companies/{id}", 204),
    ...writes("companies"),
    summary: "Delete a company with memberships, rules and consents; its grants end",
    command: "company delete",
    async answer(call) {
      await deleteCompany(refOf(call), call.admin);
      return {};
    },
  }),
  ...(["disable", "enable"] as const).map((action) =>
    operation({
      ...at(`companies.${action}`, `POST /companies/{id}/${action}`),
      ...writes("companies"),
      summary: action === "disable" ? "Disable a company; its grants end" : "Enable a disabled company",
      command: "company update",
      result: records.companyRecord,
      tagged: true,
      async answer(call) {
        const status = action === "disable" ? "disabled" : "active";
        return answered((await changeCompany(refOf(call), { status }, call.admin)).company);
      },
    }),
  ),
  operation({
    ...at("companies.members", "GET /companies/{id}/members"),
    ...reads("companies"),
    summary: "List the members of a company, sorted by username",
    command: "company show",
    query: listQuery({}),
    result: pageOf(records.memberRecord),
    async answer(call) {
      const { query, admin, tools, params } = call;
      const cursors = new Cursors(`members of ${params["id"]}`, query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const place = cursors.open(query.after);
      const items = await membersPage(refOf(call), { limit, after: place === null ? null : String(place.key) }, admin);
      const last = items.at(-1);
      const next = last === undefined || items.length < limit ? null : { key: last.username, id: "" };
      return { record: { items: items.map(memberRecord), next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("companies.add-member", "POST /companies/{id}/members"),
    ...writes("companies"),
    summary: "Make a person a member or an admin of a company; a present member gets the role",
    command: "company add-member",
    body: body({ user_id: text(200), role: oneOf(ROLES) }),
    result: record({ ...records.memberRecord.properties, ...withNotes }),
    async answer(call) {
      const { user_id: id, role } = call.body;
      const { member, notes } = await naming(changeMember(refOf(call), { id }, role, call.admin));
      return { record: { ...memberRecord(member), ...notesIn(notes) } };
    },
  }),
  operation({
    ...at("companies.member-impact", "GET /companies/{id}/members/{user_id}/impact"),
    ...reads("companies"),
    summary: "Count what would end with a membership",
    command: "company remove-member",
    result: records.memberImpactRecord,
    async answer(call) {
      const person = { id: call.params["user_id"] ?? "" };
      return { record: memberImpactRecord(await naming(impactOfMember(refOf(call), person, call.admin))) };
    },
  }),
  operation({
    ...at("companies.remove-member", "DELETE /companies/{id}/members/{user_id}"),
    ...writes("companies"),
    summary: "Remove a member; their grants in the company's name end",
    command: "company remove-member",
    result: record({ grants_ended: Type.Integer(), ...withNotes }),
    async answer(call) {
      const person = { id: call.params["user_id"] ?? "" };
      const { grantsEnded, notes } = await naming(endMembership(refOf(call), person, call.admin));
      return { record: { grants_ended: grantsEnded, ...notesIn(notes) } };
    },
  }),
  operation({
    ...at("companies.rules", "GET /companies/{id}/rules"),
    ...reads("companies"),
    summary: "List the rules of a company about apps",
    command: "company show",
    query: listQuery({}),
    result: pageOf(records.ruleRecord),
    async answer(call) {
      const { query, admin, tools, params } = call;
      const cursors = new Cursors(`rules of ${params["id"]}`, query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const all = await companyRules(refOf(call), admin);
      const page = pageInMemory(all, (one) => one.clientId, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(ruleRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("companies.connections", "GET /companies/{id}/connections"),
    ...reads("companies"),
    summary: "List the apps that are connected with other servers for the members of a company, and who connected them",
    command: "company show",
    query: listQuery({}),
    result: pageOf(records.companyConnectionRecord),
    async answer(call) {
      const { query, admin, tools, params } = call;
      const cursors = new Cursors(`connections of ${params["id"]}`, query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const all = await companyConnections(refOf(call), admin);
      const keyOf = (one: (typeof all)[number]) =>
        JSON.stringify([one.clientName, one.clientId, one.audience, one.made === undefined]);
      const sorted = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      const page = pageInMemory(sorted, keyOf, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(companyConnectionRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("companies.set-rule", "PUT /companies/{id}/rules/{client_id}"),
    ...writes("companies"),
    summary: "Decide about an app for all members of a company",
    notes:
      "`none` removes the rule. With `end` `keep`, an approval that still holds keeps its end; `lifetime` then counts only for a new one. `members` says whether members who use the app keep their access. `notes` of the answer says which access stays.",
    command: "company policy",
    body: body({
      rule: oneOf(APP_RULES),
      scope: maybe(scopeText("the scopes that members can grant at most")),
      lifetime: maybe(Type.Integer({ minimum: 1, maximum: 3_153_600_000, description: "seconds; default a year" })),
      end: maybe(oneOf(["keep"])),
      selected: maybe(texts(1000, 300, "usernames of the members for whom the app is allowed; default all")),
      members: maybe(oneOf(["keep", "end"])),
    }),
    result: record({
      grants_ended: Type.Integer(),
      meaning: text(100_000, "what the rule means for members now"),
      ...withNotes,
    }),
    async answer(call) {
      const { rule, scope, lifetime, end, selected, members } = call.body;
      const policy = {
        ...{ clientId: call.params["client_id"] ?? "", rule },
        ...given({ scopes: words(scope), lifetime, selected, members }),
        ...(end === "keep" ? { keepsEnd: true } : {}),
      };
      const { grantsEnded, meaning, notes } = await changeAppPolicy(refOf(call), policy, call.admin);
      return { record: { grants_ended: grantsEnded, meaning, ...notesIn(notes) } };
    },
  }),
  operation({
    ...at("companies.rule-impact", "GET /companies/{id}/rules/{client_id}/impact"),
    ...reads("companies"),
    summary: "Count what would end if a company revokes or blocks an app",
    command: "company revoke",
    alsoBy: ["company policy"],
    result: records.companyAppImpactRecord,
    async answer(call) {
      const id = call.params["client_id"] ?? "";
      return { record: companyAppImpactRecord(await impactOfCompanyApp(refOf(call), id, call.admin)) };
    },
  }),
  operation({
    ...at("companies.revoke", "POST /companies/{id}/revoke"),
    ...writes("companies"),
    summary: "End the consent of a company to an app, all its grants, and its approval",
    notes: "The company's rule about the app stays, so members may allow it again if the rule lets them.",
    command: "company revoke",
    body: body({ client_id: text(200) }),
    result: record({ grants_ended: Type.Integer() }),
    answer: async (call) => ({
      record: { grants_ended: await revokeForAll(refOf(call), call.body.client_id, call.admin) },
    }),
  }),
  ...domainOperations,
];
