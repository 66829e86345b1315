/** Operations on clients (RFC 7591 names their fields). */

import { type Static, Type } from "typebox";
import { isAdminScope } from "../../../admin/api-access/admin-scopes.ts";
import type { Authority } from "../../../admin/api-access/authority.ts";
import { trustedClients } from "../../../admin/api-access/trusted-clients.ts";
import { changeClient, pkceNotes } from "../../../admin/change-notes.ts";
import {
  type ClientChanges,
  clientOf,
  clientRemarks,
  createClient,
  deleteClient,
  type OwnClientSettings,
  redirectRemarks,
  rotateSecret,
  setLogo,
  surroundings,
  updateClient,
} from "../../../admin/clients.ts";
import { impactOfClient, impactOfConnections } from "../../../admin/deletion-impact.ts";
import { listClients } from "../../../admin/directory.ts";
import { clientImpactRecord } from "../../../admin/impact-records.ts";
import { clientRecord, similarRecords } from "../../../admin/output-records.ts";
import { namesClient, similarClients } from "../../../admin/similar-client-names.ts";
import { connectionOf, NO_EXCHANGE } from "../../../admin/token-exchange-policy.ts";
import type { Client, TokenExchangePolicy } from "../../../oauth/model.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageOf } from "../lists.ts";
import { at, type Call, operation, reads, writes } from "../operation.ts";
import { ApiRefusal } from "../problem.ts";
import * as records from "../records.ts";
import {
  body,
  given,
  notesIn,
  oneOf,
  orNull,
  remarksIn,
  scopeText,
  text,
  texts,
  translated,
  translatedRecord,
  withNotes,
  words,
} from "../schemas.ts";

const maybe = Type.Optional;
const flag = Type.Boolean();
const url = text(2048);
const clearable = (maxLength: number) => maybe(orNull(text(maxLength)));

/** Members of RFC 7591, in a form that null removes. */
const metadata = {
  redirect_uris: maybe(texts(20, 2048)),
  grant_types: maybe(texts(20, 200)),
  response_types: maybe(texts(20, 200)),
  scope: maybe(scopeText("scopes for which it may ask owners")),
  optional_scope: maybe(orNull(scopeText("those of them that owners may leave out"))),
  token_endpoint_auth_method: maybe(text(100)),
  jwks: maybe(
    orNull(Type.Object({ keys: Type.Array(Type.Object({}), { maxItems: 20 }) }, { additionalProperties: false })),
  ),
  jwks_uri: maybe(orNull(url)),
  tls_client_auth_subject_dn: clearable(1000),
  tls_client_auth_san_dns: clearable(1000),
  tls_client_auth_san_uri: clearable(1000),
  tls_client_auth_san_ip: clearable(1000),
  tls_client_auth_san_email: clearable(1000),
  tls_client_certificate_bound_access_tokens: maybe(flag),
  id_token_signed_response_alg: clearable(20),
  post_logout_redirect_uris: maybe(texts(20, 2048)),
  backchannel_logout_uri: maybe(orNull(url)),
  backchannel_logout_session_required: maybe(orNull(flag)),
  client_uri: maybe(orNull(url)),
  policy_uri: maybe(orNull(url)),
  tos_uri: maybe(orNull(url)),
};

/** What only an operator decides. */
const settings = {
  own_scope: maybe(scopeText("scopes that it has for itself (client credentials)")),
  default_scope: maybe(scopeText("what a request without scope asks for; empty: such a request is refused")),
  token_exchange: maybe(
    orNull(
      body(records.tokenExchange.properties),
      "what it may exchange; fields that are left out are empty; null: nothing; needs the scope admin",
    ),
  ),
  workload_identity: maybe(
    orNull(body(records.workloadIdentity.properties), "for workload_jwt: the platform tokens that it presents"),
  ),
  require_pkce: maybe(flag),
  allow_plain_pkce: maybe(flag),
  first_party: maybe(Type.Boolean({ description: "its consent is recorded without a page; needs the scope admin" })),
  refresh: maybe(oneOf(["rotate", "keep"])),
  token_endpoint_audience: maybe(flag),
  publisher: clearable(500),
  accent: clearable(100),
  verified: maybe(Type.Boolean({ description: "needs the scope admin" })),
  reviewed: maybe(Type.Boolean({ description: "needs the scope admin" })),
  consent_ceiling: maybe(
    orNull(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("none")]), "seconds; null: the server's default"),
  ),
};

const newClient = translated(
  "client_name",
  {
    client_id: maybe(text(100, "default: a random one; needs the scope admin")),
    client_name: text(500),
    type: oneOf(["confidential", "public"]),
    ...metadata,
    ...settings,
  },
  { client_name: "Web App", type: "confidential", redirect_uris: ["https://web.example.com/callback"] },
  { client_name: "Backup", type: "confidential", grant_types: ["client_credentials"] },
);
const clientChanges = translated("client_name", { client_name: maybe(text(500)), ...metadata, ...settings });

const METADATA: ReadonlySet<string> = new Set(["client_name", ...Object.keys(metadata)]);

function metadataIn(body: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => METADATA.has(name) || name.startsWith("client_name#")),
  );
}

function exchangeIn(asked: Static<typeof clientChanges>["token_exchange"]): TokenExchangePolicy | null | undefined {
  if (asked === null || asked === undefined) return asked;
  const { scope, connections, ...lists } = asked;
  return {
    ...{ ...NO_EXCHANGE, ...given(lists), scopes: [...new Set(words(scope))] },
    ...(connections === undefined ? {} : { connections: connections.map(connectionOf) }),
  };
}

function settingsIn(body: Static<typeof clientChanges>): OwnClientSettings {
  return given({
    ownScopes: words(body.own_scope),
    defaultScopes: words(body.default_scope),
    tokenExchange: exchangeIn(body.token_exchange),
    workload: body.workload_identity && { audience: null, ...body.workload_identity },
    requirePkce: body.require_pkce,
    allowPlainPkce: body.allow_plain_pkce,
    firstParty: body.first_party,
    refresh: body.refresh,
    tokenEndpointAudience: body.token_endpoint_audience,
    publisher: body.publisher,
    accent: body.accent,
    verified: body.verified,
    reviewed: body.reviewed,
    consentCeiling: body.consent_ceiling,
  });
}

function exceeded(field: string, problem: string): never {
  throw new ApiRefusal("admin_authority_exceeded", [{ field, problem }]);
}

/** A caller with less than `admin` gives no client more than it has itself, and gets no access by another client. */
function requireAuthority(authority: Authority, scopes: readonly string[]): void {
  const beyond = scopes.filter((name) => isAdminScope(name) && !authority.covers(name));
  if (beyond.length > 0) exceeded("scope", `${beyond.slice(0, 10).join(", ")}: the token does not have this scope`);
}

function requireSettings(authority: Authority, body: Static<typeof clientChanges>): void {
  requireAuthority(authority, [...(words(body.scope) ?? []), ...(words(body.own_scope) ?? [])]);
  if (authority.isFull) return;
  for (const name of ["first_party", "verified", "reviewed", "token_exchange"] as const) {
    if (body[name] !== undefined) exceeded(name, "needs the scope admin");
  }
}

/** What an owner sees of a verified client, and where they are sent: the operator vouches for these. */
const VOUCHED: ReadonlySet<string> = new Set([
  ...["client_name", "redirect_uris", "post_logout_redirect_uris", "client_uri", "policy_uri", "tos_uri"],
  "publisher",
]);

function requireVouching({ authority, body }: Call<unknown, object>, client: Client): void {
  if (authority.isFull || !(client.verified || client.reviewed)) return;
  const named = Object.keys(body).find((name) => VOUCHED.has(name.split("#", 1)[0] ?? ""));
  if (named !== undefined) exceeded(named, "the operator vouches for this client: needs the scope admin");
}

/**
 * What the client may do limits who may change it: a secret or a redirect URI is a way to its access. The back end of the
 * operator's sign-in page can sign in as anybody, so it is worth as much as `admin`.
 */
async function requireOver(call: Call<unknown, unknown>): Promise<(client: Client) => void> {
  const { authority } = call;
  const trusted = authority.isFull ? new Set<string>() : await trustedClients(call.tools.config, call.admin);
  return (client) => {
    requireAuthority(authority, [...client.scopes, ...client.ownScopes]);
    if (authority.isFull) return;
    if (client.firstParty) exceeded("first_party", "this is a first-party client: needs the scope admin");
    if (client.tokenExchange != null)
      exceeded("token_exchange", "this client exchanges tokens of owners: needs the scope admin");
    if (trusted.has(client.clientId))
      exceeded("client_id", "this client answers for people who sign in: needs the scope admin");
  };
}

async function pathClient(call: Call<unknown, unknown>): Promise<Client> {
  const client = await clientOf(call.params["client_id"] ?? "", call.admin);
  (await requireOver(call))(client);
  return client;
}

/** For a change of the logo: people know a verified client by it. */
async function requireLogo(call: Call<unknown, unknown>): Promise<(client: Client) => void> {
  const over = await requireOver(call);
  return (client) => {
    over(client);
    if (!call.authority.isFull && (client.verified || client.reviewed))
      exceeded("logo", "the operator vouches for this client: needs the scope admin");
  };
}

function answered(client: Client, { admin }: Call<unknown, unknown>, secret: string | null = null) {
  return { record: clientRecord(client, admin.issuer, secret), tagged: clientRecord(client, admin.issuer) };
}

const remarkedClient = translatedRecord("client_name", {
  ...{ ...records.clientRecord.properties, ...records.withRemarks },
});

const notedClient = translatedRecord("client_name", {
  ...{ ...records.clientRecord.properties, ...records.withRemarks, ...withNotes },
});

export const clients = [
  operation({
    ...at("clients.list", "GET /clients"),
    ...reads("clients"),
    summary: "List clients",
    notes:
      "`name` finds clients whose name begins so, in any case. With a filter, a page can have fewer entries than `limit`; go on while `next` is not null.",
    command: "client list",
    query: listQuery({
      name: maybe(text(200, "the beginning of the name")),
      status: maybe(oneOf(["active", "disabled"])),
      type: maybe(oneOf(["confidential", "public"])),
      verified: maybe(flag),
      reviewed: maybe(flag),
      sort: maybe(oneOf(["client_id", "name", "created_at", "-created_at"])),
    }),
    result: pageOf(records.clientRecord),
    async answer({ query, admin, tools }) {
      const { limit = DEFAULT_LIMIT, after, ...filters } = query;
      const cursors = new Cursors("clients", query, tools);
      const { items, next } = await listClients({ ...filters, limit, after: cursors.open(after) }, admin);
      return { record: { items: items.map((one) => clientRecord(one, admin.issuer)), next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("clients.create", "POST /clients", 201),
    ...writes("clients"),
    summary: "Register a client",
    notes:
      "The answer has `client_secret`, which nothing shows again. `warnings` names risky or missing settings, and `notes` safer ones.",
    command: "client create",
    body: newClient,
    result: notedClient,
    tagged: true,
    async answer(call) {
      const { body, admin, authority } = call;
      requireSettings(authority, body);
      // Companies' approvals and the configuration name clients by their ids, also after a client was deleted.
      if (body.client_id !== undefined && !authority.isFull) exceeded("client_id", "needs the scope admin");
      const { client, secret } = await createClient(
        { type: body.type, metadata: metadataIn(body), ...settingsIn(body), ...given({ clientId: body.client_id }) },
        admin,
      );
      const advice = async () => ({
        ...similarRecords(await similarClients(client, admin)),
        ...remarksIn(clientRemarks(client, await surroundings(admin))),
        ...notesIn(pkceNotes(client, call.tools.config)),
      });
      return { ...answered(client, call, secret), advice, location: `/clients/${client.clientId}` };
    },
  }),
  operation({
    ...at("clients.show", "GET /clients/{client_id}"),
    ...reads("clients"),
    summary: "Read a client",
    command: "client show",
    result: remarkedClient,
    tagged: true,
    async answer(call) {
      const client = await clientOf(call.params["client_id"] ?? "", call.admin);
      const { record, tagged } = answered(client, call);
      return { record: { ...record, ...remarksIn(clientRemarks(client, await surroundings(call.admin))) }, tagged };
    },
  }),
  operation({
    ...at("clients.update", "PATCH /clients/{client_id}"),
    ...writes("clients"),
    summary: "Change a client",
    notes:
      "Fields that the body does not have stay. A list is replaced as a whole. `warnings` names risky settings; `notes` says what the change means for access that exists.",
    command: "client update",
    alsoBy: ["client exchange", "client connect"],
    body: clientChanges,
    result: notedClient,
    tagged: true,
    matches: true,
    async answer(call) {
      const { body, admin, authority, params, match } = call;
      requireSettings(authority, body);
      const changes: ClientChanges = { metadata: metadataIn(body), ...settingsIn(body) };
      const over = await requireOver(call);
      const seen: Client[] = [];
      const { client, notes } = await changeClient(params["client_id"] ?? "", changes, admin, (present) => {
        seen.push(present);
        over(present);
        requireVouching(call, present);
        match(clientRecord(present, admin.issuer));
      });
      const told = async (one: Client) => {
        const { record, tagged } = answered(one, call);
        const ofHosts = redirectRemarks(seen.at(-1) ?? one, one);
        const remarks = [...ofHosts, ...clientRemarks(one, await surroundings(admin))];
        const advice = async () => similarRecords(namesClient(body) ? await similarClients(one, admin) : []);
        return { record: { ...record, ...remarksIn(remarks), ...notesIn(notes) }, tagged, advice };
      };
      if (body.reviewed !== true && body.verified !== true) return told(client);
      const { takeLogo } = await import("../../../admin/logo-of-reviewed-client.ts");
      const taken = await takeLogo(client.clientId, call.tools.config.outboundAllow, admin);
      return told(taken.kind === "taken" ? taken.client : client);
    },
  }),
  operation({
    ...at("clients.impact", "GET /clients/{client_id}/impact"),
    ...reads("clients"),
    summary: "Count what would end with a client",
    notes: "A disabled client loses its grants and its connections; consents and approvals stay.",
    command: "client delete",
    alsoBy: ["client disable"],
    result: records.clientImpactRecord,
    async answer({ params, admin }) {
      const id = params["client_id"] ?? "";
      return { record: clientImpactRecord(await impactOfClient(id, admin), await impactOfConnections(id, admin)) };
    },
  }),
  operation({
    ...at("clients.delete", "DELETE /clients/{client_id}", 204),
    ...writes("clients"),
    summary: "Delete a client; everything that owners granted to it ends",
    command: "client delete",
    async answer(call) {
      await deleteClient((await pathClient(call)).clientId, call.admin);
      return {};
    },
  }),
  ...(["disable", "enable"] as const).map((action) =>
    operation({
      ...at(`clients.${action}`, `POST /clients/{client_id}/${action}`),
      ...writes("clients"),
      summary: action === "disable" ? "Disable a client; its grants end" : "Enable a disabled client",
      command: `client ${action}`,
      result: records.clientRecord,
      tagged: true,
      async answer(call) {
        const status = action === "disable" ? "disabled" : "active";
        const id = call.params["client_id"] ?? "";
        return answered(await updateClient(id, { status }, call.admin, await requireOver(call)), call);
      },
    }),
  ),
  operation({
    ...at("clients.rotate-secret", "POST /clients/{client_id}/rotate-secret"),
    ...writes("clients"),
    summary: "Give a client a new secret",
    notes: "The previous secrets work for `overlap` seconds more; default a day.",
    command: "client rotate-secret",
    body: Type.Object(
      {
        overlap: maybe(Type.Integer({ minimum: 0, maximum: 2_592_000, description: "seconds" })),
        client_secret: maybe(
          Type.String({ maxLength: 200, writeOnly: true, description: "the new secret; default: a random one" }),
        ),
      },
      { additionalProperties: false },
    ),
    result: records.clientRecord,
    tagged: true,
    async answer(call) {
      const id = call.params["client_id"] ?? "";
      const overlap = (call.body.overlap ?? 86_400) * 1000;
      const over = await requireOver(call);
      const { client, secret } = await rotateSecret(id, overlap, call.admin, call.body.client_secret, over);
      return answered(client, call, secret);
    },
  }),
  operation({
    ...at("clients.set-logo", "PUT /clients/{client_id}/logo"),
    ...writes("clients"),
    summary: "Set the logo of a client",
    notes: "The body is the picture: PNG, JPEG, WebP or GIF, at most 64 KiB.",
    command: "client logo",
    takes: "image/*",
    result: records.clientRecord,
    tagged: true,
    async answer(call) {
      const id = call.params["client_id"] ?? "";
      return answered(await setLogo(id, call.bytes, call.admin, await requireLogo(call)), call);
    },
  }),
  operation({
    ...at("clients.remove-logo", "DELETE /clients/{client_id}/logo"),
    ...writes("clients"),
    summary: "Remove the logo of a client",
    command: "client logo",
    result: records.clientRecord,
    tagged: true,
    async answer(call) {
      const id = call.params["client_id"] ?? "";
      return answered(await setLogo(id, null, call.admin, await requireLogo(call)), call);
    },
  }),
];
