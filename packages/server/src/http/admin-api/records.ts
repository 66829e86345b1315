/** The records of answers, as the commands print them with --json. */

import { Type } from "typebox";
import { ids, oneOf, orNull, record, scopeText, text, texts, time } from "./schemas.ts";

const flag = Type.Boolean();
const maybe = Type.Optional;
const url = text(2048);

export const clientRecord = record({
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
  token_endpoint_auth_method: text(100),
  jwks: maybe(Type.Object({})),
  jwks_uri: maybe(url),
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
  client_secrets: Type.Array(record({ created_at: time, expires_at: orNull(time) })),
  updated_at: time,
});

export const userRecord = record({
  id: ids,
  username: text(200),
  email: text(300),
  email_verified: flag,
  name: orNull(text(500)),
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

export const scopeRecord = record({
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
