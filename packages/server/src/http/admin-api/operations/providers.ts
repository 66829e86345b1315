/** Operations on providers at which people may sign in, those of companies too. */

import { type Static, Type } from "typebox";
import type { Authority } from "../../../admin/api-access/authority.ts";
import {
  type CompanySignIn,
  companyProviderImpact,
  companyProviderOf,
  companyProviderRecord,
  companyProviderRecords,
  createCompanyProvider,
  deleteCompanyProvider,
  findCompanyProvider,
  updateCompanyProvider,
} from "../../../admin/company-sign-in.ts";
import type { AdminContext } from "../../../admin/context.ts";
import { providerImpactRecord } from "../../../admin/impact-records.ts";
import { providerRecord } from "../../../admin/output-records.ts";
import { MAX_POSITION } from "../../../admin/provider-settings.ts";
import {
  allProviders,
  createProvider,
  deleteProvider,
  impactOfProvider,
  providerOf,
  type StoredProvider,
  updateProvider,
} from "../../../admin/sign-in-providers.ts";
import { PROVIDER_PRESETS } from "../../../owners/identities/provider-presets.ts";
import type { PresetName } from "../../../owners/identities/sign-in-provider.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { ApiRefusal, refuseFields } from "../problem.ts";
import * as records from "../records.ts";
import { body, given, oneOf, orNull, record, remarksIn, scopeText, text, texts, words } from "../schemas.ts";

const maybe = Type.Optional;
const flag = Type.Boolean();
const url = text(2048);
const PRESETS = Object.keys(PROVIDER_PRESETS) as PresetName[];

const roles = maybe(
  orNull(
    Type.Object(
      {
        claim: text(100),
        admin: texts(200, 500, "groups whose people are admins of the company"),
        member: texts(200, 500),
        others: oneOf(["member", "refuse"], "people in none of the groups"),
      },
      { additionalProperties: false },
    ),
    "only for a company's provider: which groups give which role; null: groups give none",
  ),
);

/** Fields that a company's own provider has, too. */
const common = {
  name: maybe(text(500)),
  client_id: maybe(text(255)),
  client_secret: maybe(
    orNull(
      Type.String({ maxLength: 4096, writeOnly: true, description: "null: this server is a public client there" }),
    ),
  ),
  scope: maybe(scopeText()),
  when_disabled: maybe(oneOf(["keep", "pause", "end"])),
  change_clients: maybe(texts(10, 200, "clients that may tell who was disabled, deleted or signed out there")),
  claims: maybe(
    Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: 200 }), {
      maxProperties: 50,
      description: "which claim becomes which field here; replaces all",
    }),
  ),
  profile: maybe(oneOf(["first", "follow"])),
  roles,
};

/** What only the operator's own providers have. */
const own = {
  issuer: maybe(text(1024)),
  authorization_endpoint: maybe(url),
  token_endpoint: maybe(url),
  user_endpoint: maybe(url),
  team_id: maybe(text(20)),
  key_id: maybe(text(20)),
  mfa_acr: maybe(texts(20, 255)),
  mfa_amr: maybe(texts(20, 255)),
  position: maybe(orNull(Type.Integer({ minimum: 0, maximum: MAX_POSITION }))),
  email_domains: maybe(texts(200, 255)),
  trust_email: maybe(flag),
  create_people: maybe(flag),
  believe_fresh: maybe(flag),
  hosted_domain: maybe(orNull(text(255), "only with the preset google")),
};

const newProvider = body(
  {
    ...common,
    ...own,
    client_id: text(255),
    company_id: maybe(text(200, "a company: the provider signs in the people of this company alone")),
    type: maybe(oneOf(["openid", "oauth"])),
    preset: maybe(oneOf(PRESETS)),
    tenant: maybe(text(100, "with the preset entra")),
    host: maybe(text(300, "with the presets github, gitlab, keycloak and assent")),
    realm: maybe(text(300, "with the preset keycloak")),
  },
  { preset: "github", client_id: "1234", client_secret: "secret" },
);
const providerChanges = body({ ...common, ...own, status: maybe(oneOf(["active", "disabled"])) });
type Changes = Static<typeof providerChanges>;

function commonIn(asked: Changes) {
  return given({
    name: asked.name,
    clientId: asked.client_id,
    clientSecret: asked.client_secret,
    scopes: words(asked.scope),
    whenDisabled: asked.when_disabled,
    changeClients: asked.change_clients,
    claims: asked.claims,
    profile: asked.profile,
  });
}

function ownIn(asked: Changes) {
  return given({
    issuer: asked.issuer,
    authorizationEndpoint: asked.authorization_endpoint,
    tokenEndpoint: asked.token_endpoint,
    userEndpoint: asked.user_endpoint,
    teamId: asked.team_id,
    keyId: asked.key_id,
    mfaAcr: asked.mfa_acr,
    mfaAmr: asked.mfa_amr,
    position: asked.position,
    emailDomains: asked.email_domains,
    trustEmail: asked.trust_email,
    createPeople: asked.create_people,
    believeFresh: asked.believe_fresh,
    hostedDomain: asked.hosted_domain,
  });
}

/** Refuses fields that the kind of provider does not have. */
function refuseFieldsOf(fields: readonly string[], asked: object, problem: string): void {
  const wrong = fields.filter((name) => (asked as Readonly<Record<string, unknown>>)[name] !== undefined);
  if (wrong.length > 0) refuseFields(wrong.map((field) => ({ field, problem })));
}

const ONLY_OPERATORS = [...Object.keys(own).filter((name) => name !== "issuer"), "type", "preset", "tenant", "host"];
const NOT_FOR_COMPANIES = "a company's own provider does not have this";
const NOT_WITHOUT_COMPANY = "only a company's own provider has this";

/**
 * Operators sign in at providers, too. With these fields, somebody who changes a provider decides who signs in there as
 * whom, or how strongly.
 */
const DECIDING = [
  ...["authorization_endpoint", "token_endpoint", "user_endpoint", "claims", "mfa_acr", "mfa_amr"],
  "believe_fresh",
] as const;

function requireAuthority(authority: Authority, asked: object): void {
  if (authority.isFull) return;
  const beyond = DECIDING.filter((name) => Object.hasOwn(asked, name));
  if (beyond.length === 0) return;
  throw new ApiRefusal(
    "admin_authority_exceeded",
    beyond.map((field) => ({ field, problem: "to change this, the token needs the scope admin" })),
  );
}

const shown = record({ ...records.providerRecord.properties, ...records.withRemarks });

function answered({ provider, remarks }: StoredProvider, { issuer }: AdminContext) {
  const told = providerRecord(provider, issuer);
  return { record: { ...told, ...remarksIn(remarks) }, tagged: told };
}

/** The provider of a company with that id. Undefined: no company's provider has it. */
async function ofCompany(id: string, admin: AdminContext) {
  const found = await findCompanyProvider(id, admin);
  return found === undefined ? undefined : companyProviderRecord(found, admin);
}

export const providers = [
  operation({
    ...at("providers.list", "GET /providers"),
    ...reads("providers"),
    summary: "List sign-in providers, those of companies too",
    command: "provider list",
    query: listQuery({ status: maybe(oneOf(["active", "disabled"])) }),
    result: pageOf(records.providerRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("providers", query, tools);
      const { limit = DEFAULT_LIMIT, status } = query;
      const all = [
        ...(await allProviders(admin)).map((one) => providerRecord(one, admin.issuer)),
        ...(await companyProviderRecords(admin)),
      ].filter((one) => status === undefined || one["status"] === status);
      const page = pageInMemory(all, (one) => String(one["id"]), { limit, after: cursors.open(query.after) });
      return { record: { items: page.items, next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("providers.create", "POST /providers", 201),
    ...writes("providers"),
    summary: "Let people sign in at a provider; this server is its client",
    notes:
      "Register `redirect_uri` of the answer at the provider. Without `preset`, `name` and `issuer` are needed. With `company_id`, it is a company's own provider. `warnings` names risky settings.",
    command: "provider create",
    body: newProvider,
    result: shown,
    tagged: true,
    async answer({ body: asked, admin }) {
      const { company_id: companyId, client_id: clientId, issuer, name } = asked;
      const location = (id: unknown) => `/providers/${String(id)}`;
      if (companyId !== undefined) {
        refuseFieldsOf([...ONLY_OPERATORS, "realm"], asked, NOT_FOR_COMPANIES);
        if (issuer === undefined || name === undefined)
          return refuseFields([{ field: issuer === undefined ? "issuer" : "name", problem: "is missing" }]);
        const input = { ...commonIn(asked), name, issuer, clientId, ...given({ roles: asked.roles }) };
        const made = await createCompanyProvider({ id: companyId }, input, admin);
        const told = (await companyProviderRecord(made, admin)) ?? {};
        return { record: told, tagged: told, location: location(told["id"]) };
      }
      refuseFieldsOf(["roles"], asked, NOT_WITHOUT_COMPANY);
      const { type, preset, tenant, host, realm } = asked;
      if (preset === undefined && (issuer === undefined || name === undefined))
        return refuseFields([
          { field: issuer === undefined ? "issuer" : "name", problem: "is missing: name a preset, or this" },
        ]);
      const stored = await createProvider(
        { ...commonIn(asked), ...ownIn(asked), clientId, ...given({ type, preset, tenant, host, realm }) },
        admin,
      );
      return { ...answered(stored, admin), location: location(stored.provider.id) };
    },
  }),
  operation({
    ...at("providers.show", "GET /providers/{id}"),
    ...reads("providers"),
    summary: "Read a provider; its client secret is never shown",
    command: "provider show",
    result: records.providerRecord,
    tagged: true,
    async answer({ params, admin }) {
      const id = params["id"] ?? "";
      const told = (await ofCompany(id, admin)) ?? providerRecord(await providerOf(id, admin), admin.issuer);
      return { record: told, tagged: told };
    },
  }),
  operation({
    ...at("providers.update", "PATCH /providers/{id}"),
    ...writes("providers"),
    summary: "Change a provider",
    notes:
      "Fields that the body does not have stay. At an issuer with another host, the stored secret is deleted. Only the scope admin changes endpoints, claims, and what counts as a second factor or a fresh sign-in.",
    command: "provider update",
    body: providerChanges,
    result: shown,
    tagged: true,
    matches: true,
    async answer({ params, body: asked, admin, authority, match }) {
      const id = params["id"] ?? "";
      requireAuthority(authority, asked);
      const company = await ofCompany(id, admin);
      if (company !== undefined) {
        refuseFieldsOf(Object.keys(own), asked, NOT_FOR_COMPANIES);
        const changes = { ...commonIn(asked), ...given({ roles: asked.roles, status: asked.status }) };
        const slug = String(company["company"]);
        const check = (present: CompanySignIn) => match(companyProviderOf(present, slug, admin.issuer));
        const changed = await updateCompanyProvider(id, changes, admin, check);
        const told = (await companyProviderRecord(changed, admin)) ?? {};
        return { record: told, tagged: told };
      }
      refuseFieldsOf(["roles"], asked, NOT_WITHOUT_COMPANY);
      const changes = { ...commonIn(asked), ...ownIn(asked), ...given({ status: asked.status }) };
      return answered(
        await updateProvider(id, changes, admin, (present) => match(providerRecord(present, admin.issuer))),
        admin,
      );
    },
  }),
  operation({
    ...at("providers.impact", "GET /providers/{id}/impact"),
    ...reads("providers"),
    summary: "Count who signs in at a provider",
    command: "provider delete",
    result: records.providerImpactRecord,
    async answer({ params, admin }) {
      const id = params["id"] ?? "";
      const own = await companyProviderImpact(id, admin);
      return { record: providerImpactRecord(own ?? (await impactOfProvider(id, admin)), own !== undefined) };
    },
  }),
  operation({
    ...at("providers.delete", "DELETE /providers/{id}", 204),
    ...writes("providers"),
    summary: "Delete a provider and its connections to people; accounts stay",
    notes: "With a company's own provider, sessions that began there end.",
    command: "provider delete",
    async answer({ params, admin }) {
      const id = params["id"] ?? "";
      if ((await findCompanyProvider(id, admin)) !== undefined) await deleteCompanyProvider(id, admin);
      else await deleteProvider(id, admin);
      return {};
    },
  }),
];
