/** The records of answers, as the commands print them with --json. */

import { Type } from "typebox";
import { EXCHANGED_KINDS } from "../../admin/token-exchange-policy.ts";
import { DETAIL_NAMES, wireName } from "../../owners/person-details.ts";
import { ids, oneOf, orNull, record, scopeText, text, texts, time, translatedRecord } from "./schemas.ts";

const flag = Type.Boolean();
const maybe = Type.Optional;
const url = text(2048);

const apis = texts(100, 2048);
export const tokenExchange = Type.Object({
  subjects: maybe(
    Type.Array(oneOf(EXCHANGED_KINDS), { maxItems: 4, description: "kinds of tokens that it may present" }),
  ),
  sources: maybe(apis),
  audiences: maybe(apis),
  scope: maybe(scopeText("the most that its tokens can have")),
  actors: maybe(texts(100, 200)),
  impersonation: maybe(flag),
  connections: maybe(
    Type.Array(
      Type.Object(
        {
          audience: text(1024, "the issuer of another authorization server"),
          company: maybe(
            orNull(
              ids,
              "the id of the company for whose members (in a configuration, the slug or the id); null: for everybody here",
            ),
          ),
          client_id: text(1024, "the app's client_id there"),
          scope: scopeText("the most that an ID-JAG can have, in scopes of that server"),
          resources: maybe(texts(20, 1024, "the APIs there that an ID-JAG can name")),
          status: maybe(
            oneOf(["active", "paused", "offered"], "offered: it counts only for companies whose admins connect it"),
          ),
          name: maybe(text(60, "what people call the other server; an offer needs it")),
          scope_texts: maybe(
            Type.Record(Type.String({ maxLength: 200 }), text(200), {
              maxProperties: 100,
              description: "what the scopes mean, in words for people",
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: 100, description: "other authorization servers for which it gets ID-JAGs" },
    ),
  ),
});

export const workloadIdentity = Type.Object({
  issuer: text(1024, "a trusted issuer of JWTs"),
  subject: text(1024, "the sub of its tokens; a * stands for one part between / and :"),
  audience: maybe(orNull(text(1024), "the only aud of its tokens; absent or null: this server's issuer")),
});

export const clientRecord = translatedRecord("client_name", {
  client_id: ids,
  client_secret: maybe(text(200, "shown only in the answer that makes it")),
  client_id_issued_at: Type.Integer(),
  client_secret_expires_at: maybe(Type.Integer()),
  client_name: text(500),
  type: oneOf(["confidential", "public"]),
  status: oneOf(["active", "disabled"]),
  redirect_uris: texts(100, 2048),
  grant_types: texts(100, 200),
  response_types: texts(100, 200),
  scope: scopeText(),
  optional_scope: maybe(scopeText()),
  own_scope: scopeText(),
  default_scope: maybe(scopeText()),
  publisher: maybe(text(500)),
  accent: maybe(text(100)),
  verified: flag,
  reviewed: flag,
  token_exchange: maybe(tokenExchange),
  token_endpoint_auth_method: text(100),
  workload_identity: maybe(workloadIdentity),
  jwks: maybe(Type.Object({})),
  jwks_uri: maybe(url),
  tls_client_auth_subject_dn: maybe(text(1000)),
  tls_client_auth_san_dns: maybe(text(1000)),
  tls_client_auth_san_uri: maybe(text(1000)),
  tls_client_auth_san_ip: maybe(text(1000)),
  tls_client_auth_san_email: maybe(text(1000)),
  tls_client_certificate_bound_access_tokens: maybe(flag),
  backchannel_logout_session_required: maybe(flag),
  token_endpoint_audience: maybe(flag),
  require_pkce: flag,
  allow_plain_pkce: flag,
  first_party: flag,
  consent_ceiling: maybe(Type.Union([Type.Integer(), Type.Literal("none")])),
  refresh: oneOf(["rotate", "keep"]),
  logo_uri: maybe(url),
  client_uri: maybe(url),
  policy_uri: maybe(url),
  tos_uri: maybe(url),
  post_logout_redirect_uris: maybe(texts(100, 2048)),
  backchannel_logout_uri: maybe(url),
  id_token_signed_response_alg: maybe(text(20)),
  default_max_age: maybe(Type.Integer()),
  registered_by: maybe(
    record({
      initial_access_token: orNull(text(100, "the id of its initial access token; null: it needed none")),
      software_statement_issuer: maybe(text(1000)),
      application_type: oneOf(["web", "native"]),
      contacts: maybe(texts(10, 300)),
      software_id: maybe(text(200)),
      software_version: maybe(text(200)),
    }),
  ),
  client_secrets: Type.Array(record({ created_at: time, expires_at: orNull(time) })),
  similar_clients: maybe(
    Type.Array(record({ client_id: ids, client_name: text(500) }), {
      description: "in the answer that makes or names it: clients that owners could take for this one",
    }),
  ),
  updated_at: time,
});

/** What else is known about a person. */
const personDetails = Object.fromEntries(DETAIL_NAMES.map((name) => [wireName(name), maybe(text(500))]));

export const userRecord = record({
  id: ids,
  username: text(200),
  email: text(300),
  email_verified: flag,
  name: orNull(text(500)),
  ...personDetails,
  phone_number_verified: maybe(flag),
  picture: maybe(url),
  status: oneOf(["active", "disabled"]),
  operator: texts(10, 50),
  has_password: flag,
  password_changed_at: orNull(time),
  deletes_at: orNull(time),
  second_factors: maybe(texts(10, 50, "only where one person is read")),
  disabled_by: maybe(texts(100, 1000, "systems that have disabled the person")),
  created_at: time,
  updated_at: time,
});

export const companyRecord = record({
  id: ids,
  slug: text(100),
  name: text(500),
  status: oneOf(["active", "disabled"]),
  default_rule: oneOf(["members", "ask", "block"]),
  created_at: time,
  updated_at: time,
});

export const memberRecord = record({
  user_id: ids,
  username: text(200),
  role: oneOf(["member", "admin"]),
  since: time,
  added_by: text(200),
  status: oneOf(["active", "disabled"]),
});

export const ruleRecord = record({
  client_id: ids,
  rule: oneOf(["allow", "ask", "block"]),
  scope: scopeText(),
  redirect_hosts: orNull(texts(100, 2048)),
  expires_at: orNull(time),
  members: orNull(texts(10_000, 200)),
  decided_by: text(200),
  decided_at: time,
});

export const companyConnectionRecord = record({
  client_id: ids,
  client_name: text(500),
  audience: text(1024, "the issuer of the other server"),
  server_name: text(1024),
  client_id_there: orNull(text(1024)),
  scope: scopeText("what an ID-JAG can have; if it gives nothing now: what it had"),
  resources: texts(20, 1024),
  state: oneOf(
    ["on", "operator", "ended", "withdrawn", "altered", "blocked", "paused"],
    "on: an admin of the company connected it; operator: you did; ended: its time is over; withdrawn: you don't offer it any more; altered: you offer something else; blocked: the company blocks the app; paused: an admin of the company paused the app",
  ),
  expires_at: orNull(time),
  connected_by: text(200, "a person's id, or operator"),
  connected_at: orNull(time),
});

export const scopeRecord = translatedRecord("description", {
  name: text(128),
  description: text(500),
  resource: orNull(url),
  access: orNull(oneOf(["read", "write", "delete"])),
  optional: flag,
  sensitive: flag,
  owner_role: orNull(text(50)),
  acr: orNull(text(20)),
  max_age: orNull(Type.Integer()),
  built_in: flag,
});

export const resourceRecord = record({
  identifier: url,
  name: text(500),
  token_format: oneOf(["jwt", "opaque"]),
  token_lifetime: orNull(Type.Integer()),
  alg: text(20),
  grant_bound: flag,
  userinfo: flag,
  default_scope: maybe(scopeText()),
  introspection_client_id: ids,
  introspection_client_secret: maybe(text(200, "shown only in the answer that makes it")),
  created_at: time,
});

/** Beside a record that was made or changed. */
export const withRemarks = {
  warnings: maybe(
    Type.Array(record({ field: orNull(text(100)), problem: text(1000) }), { description: "risky or missing settings" }),
  ),
};

export const issuerRecord = record({
  issuer: text(1024),
  type: oneOf(["jwt", "saml", "id-jag"]),
  status: oneOf(["active", "disabled"]),
  jwks: maybe(Type.Object({})),
  jwks_uri: maybe(url),
  certificates: maybe(Type.Array(Type.String())),
  scope: scopeText(),
  clients: texts(200, 200),
  audience: orNull(text(1024)),
  max_lifetime: Type.Integer(),
  map_subject: oneOf(["username", "email", "id", "link"]),
  subject_claim: maybe(orNull(text(256), "JWT")),
  subject_attribute: maybe(orNull(text(256), "SAML")),
  email_domains: texts(200, 255),
  subjects: texts(200, 254),
  create_owners: flag,
  token_exchange: flag,
  company: maybe(orNull(ids, "ID-JAG: the id of the company for whose members it speaks")),
  tenant: maybe(orNull(text(255), "ID-JAG: the value of the claim tenant")),
  created_at: time,
});

export const subjectLinkRecord = record({
  issuer: text(1024),
  claim: orNull(text(1024)),
  subject: text(255),
  user_id: ids,
  username: orNull(text(200)),
  made_by: oneOf(["operator", "first use", "person"]),
  created_at: time,
});

export const providerRecord = record({
  id: ids,
  type: oneOf(["openid", "oauth"]),
  preset: orNull(text(50)),
  name: text(500),
  issuer: url,
  client_id: text(255),
  has_secret: flag,
  team_id: maybe(text(20)),
  key_id: maybe(text(20)),
  authorization_endpoint: maybe(url),
  token_endpoint: maybe(url),
  user_endpoint: maybe(url),
  emails_endpoint: maybe(orNull(url)),
  scope: scopeText(),
  claims: Type.Record(Type.String(), Type.String()),
  profile: oneOf(["first", "follow"]),
  mfa_acr: texts(20, 255),
  mfa_amr: texts(20, 255),
  position: orNull(Type.Integer()),
  required_claims: Type.Record(Type.String(), Type.String()),
  email_domains: texts(200, 255),
  trust_email: flag,
  create_people: flag,
  believe_fresh: flag,
  when_disabled: oneOf(["keep", "pause", "end"]),
  change_clients: texts(10, 200),
  status: oneOf(["active", "disabled"]),
  company: orNull(text(100, "slug of the company whose own provider it is")),
  roles: maybe(
    orNull(
      record({
        claim: text(100),
        admin: texts(200, 500),
        member: texts(200, 500),
        others: oneOf(["member", "refuse"]),
      }),
    ),
  ),
  redirect_uri: url,
  backchannel_logout_uri: orNull(url),
  created_at: time,
});

export const identityRecord = record({
  id: text(200),
  system: oneOf(["issuer", "provider", "company provider", "application", "deleted"]),
  name: orNull(text(1024)),
  issuer_id: text(200),
  claim: orNull(text(1024)),
  subject: text(255),
  made_by: oneOf(["operator", "first use", "person"]),
  created_at: time,
});

export const settingRecord = record({
  key: text(100),
  variable: text(100),
  value: Type.Unknown({ description: "as the variable has it, a list as an array; a secret is never shown" }),
  is_default: flag,
  is_secret: flag,
  meaning: text(1000),
});

export const refusalRecord = record({
  request_id: text(100),
  at: time,
  condition: text(100),
  client_id: orNull(ids),
  method: text(20),
  path: text(2048),
  address: orNull(text(100)),
  parameter: orNull(text(100)),
  received: orNull(Type.String()),
  registered: orNull(Type.Unknown()),
  detail: orNull(Type.String()),
});

/** Of what would end. */
const count = Type.Integer({ minimum: 0, maximum: 100_001, description: "100,001 stands for more than 100,000" });
const companyOf = Type.Object({ id: ids, name: text(500), slug: text(100), status: oneOf(["active", "disabled"]) });
const userOf = Type.Object({ id: ids, username: text(200), email: text(320), status: text(50) });

export const connectionImpactRecord = record({
  audience: text(1024, "the issuer of the other authorization server"),
  status: oneOf(["active", "paused", "offered"]),
  company: orNull(ids, "the id of the company for whose members it is; null: for everybody here"),
  company_name: orNull(text(500)),
  company_slug: orNull(text(100)),
  companies: Type.Integer({ description: "companies that an offer gives something, or the company of the connection" }),
  members: Type.Integer({ description: "members of these companies" }),
  owners: Type.Integer({ ...count, description: "people and companies whose consent to the app lasts" }),
  choices: Type.Array(
    record({
      client_id_there: text(1024),
      scope: scopeText(),
      resources: texts(20, 1024),
      companies: count,
      members: Type.Integer(),
    }),
    { maxItems: 100_000, description: "what admins of companies chose of an offer of the same server" },
  ),
});

export const clientImpactRecord = record({
  client_id: ids,
  client_name: text(500),
  status: oneOf(["active", "disabled"]),
  consents: count,
  grants: count,
  approvals: Type.Integer({ ...count, description: "by companies" }),
  company_connections: Type.Integer({ ...count, description: "with other servers, made by companies' admins" }),
  connections: Type.Array(connectionImpactRecord, {
    maxItems: 100,
    description: "its connections and offers at other servers, and who would lose them",
  }),
});

export const userImpactRecord = record({
  ...userOf.properties,
  ...{ sessions: count, grants: count, consents: count },
  companies: Type.Integer({ ...count, description: "memberships" }),
  company_grants: Type.Integer({ description: "grants that the person made for companies" }),
  only_admin_of: texts(1000, 100, "slugs of the companies that have no other active admin"),
});

export const companyImpactRecord = record({
  ...companyOf.properties,
  ...{ members: count, grants: count, consents: count },
});

export const memberImpactRecord = record({
  company: companyOf,
  user: record({ id: ids, username: userOf.properties.username, status: userOf.properties.status }),
  grants: Type.Integer({ description: "that the person made for the company" }),
  returns_by: orNull(text(500), "the provider at which the next sign-in makes the person a member again"),
  only_admin: Type.Boolean({ description: "the company has no other active admin" }),
});

export const companyAppImpactRecord = record({
  company: companyOf,
  app: text(800, "its name and its id"),
  members: Type.Integer({ description: "members for whom the app acts" }),
  active: Type.Boolean({ description: "the company has a consent to the app, or an approval" }),
  approved: Type.Boolean({ description: "an admin or the operator approved the app" }),
  rule_afterwards: oneOf(["members", "ask", "block", "own"], "the rule once it is revoked; own: the app's own rule"),
  servers: Type.Array(record({ name: text(500), audience: url }), {
    description:
      "other servers at which the app gets access for members, also by a connection for everybody, until the company blocks it",
  }),
  vouching: Type.Array(url, {
    description: "the company's identity providers by which the app gets access to members' own accounts, until then",
  }),
});

export const consentImpactRecord = record({
  user_id: ids,
  app: text(800, "its name and its id"),
  grants: orNull(Type.Integer(), "null: there is no active consent"),
});

export const scopeImpactRecord = record({
  name: text(128),
  clients: Type.Array(ids, { description: "the clients that name it" }),
  consents: count,
  approvals: count,
});

export const resourceImpactRecord = record({
  identifier: url,
  name: text(500),
  introspection_client_id: ids,
  scopes: Type.Array(text(128), { description: "the scopes that belong to it: with some, it can't be deleted" }),
});

export const issuerImpactRecord = record({
  issuer: text(1024),
  links: Type.Integer({ ...count, description: "subjects that are linked to people" }),
  clients: Type.Array(text(800), { description: "clients that authenticate with its tokens: name and id" }),
});

export const providerImpactRecord = record({
  id: ids,
  name: text(500),
  own: Type.Boolean({ description: "it is a company's own: sign-ins that began there end, too" }),
  people: Type.Integer({ description: "people who can sign in there" }),
  without_another: Type.Integer({ description: "of these, people without another way to sign in" }),
  complete: Type.Boolean({ description: "false: there are more than 1,000, and only these were counted" }),
});
