/** Clients in a configuration. Their key is the client_id. */

import { COMMAND_CLIENT } from "../../admin/api-access/admin-scopes.ts";
import { hasCurrentSecret } from "../../admin/client-secrets.ts";
import { allClients, clientRemarks, redirectRemarks, surroundings } from "../../admin/clients.ts";
import { impactOfCeiling, impactOfClient, impactOfConnections, lossOf } from "../../admin/deletion-impact.ts";
import { clientRecord } from "../../admin/output-records.ts";
import { statusNotes } from "../../admin/returning-access.ts";
import { similarRemarks } from "../../admin/similar-client-names.ts";
import { type ConnectionRecord, connectionOf, connectionRecord } from "../../admin/token-exchange-policy.ts";
import type { Client, Connection } from "../../oauth/model.ts";
import {
  type Context,
  type Ended,
  entrySchema,
  type Fields,
  type Kind,
  type Present,
  present,
  status,
} from "../kind.ts";
import { bodyOf } from "../run-operations.ts";
import { idOfCompany, slugOfCompany } from "./companies.ts";

const SECRET = "client_secret";

/** What a client may exchange, in the form of a file. */
type Policy = { readonly connections?: readonly ConnectionRecord[] } | null | undefined;

function defaults({ type, grant_types: grants, workload_identity: workload }: Fields): Fields {
  const isPublic = type === "public";
  const grantTypes = Array.isArray(grants)
    ? (grants as readonly unknown[])
    : ["authorization_code", ...(isPublic ? [] : ["refresh_token"])];
  return {
    ...{ client_name: "", type: "confidential", status: "active", redirect_uris: [], grant_types: grantTypes },
    response_types: [
      ...(grantTypes.includes("authorization_code") ? ["code"] : []),
      ...(grantTypes.includes("implicit") ? ["token"] : []),
    ],
    ...{
      scope: "",
      optional_scope: null,
      own_scope: "",
      default_scope: "",
      token_exchange: null,
      workload_identity: null,
    },
    token_endpoint_auth_method: workload == null ? (isPublic ? "none" : "client_secret_basic") : "workload_jwt",
    ...{ jwks: null, jwks_uri: null, tls_client_auth_subject_dn: null, tls_client_auth_san_dns: null },
    ...{ tls_client_auth_san_uri: null, tls_client_auth_san_ip: null, tls_client_auth_san_email: null },
    ...{ tls_client_certificate_bound_access_tokens: false, id_token_signed_response_alg: null },
    ...{ post_logout_redirect_uris: [], backchannel_logout_uri: null, backchannel_logout_session_required: null },
    ...{ client_uri: null, policy_uri: null, tos_uri: null },
    ...{ require_pkce: isPublic, allow_plain_pkce: false, first_party: false, refresh: isPublic ? "rotate" : "keep" },
    ...{ token_endpoint_audience: false, publisher: null, accent: null, verified: false, reviewed: true },
    consent_ceiling: null,
  };
}

async function presentOf(client: Client, context: Context): Promise<Present> {
  const record: Fields = await withCompanies(clientRecord(client, context.issuer), (id) => slugOfCompany(id, context));
  return {
    label: client.clientId,
    recordId: client.clientId,
    fields: present(record, defaults(record), (name) => name.startsWith("client_name#")),
    record: client,
  };
}

/**
 * False: a document describes the client, it has registered itself, or it is the one of `assent login`. A file must not
 * open that door on another server.
 */
export function isOperators({ clientId, document, registered }: Client): boolean {
  return document === undefined && registered === undefined && clientId !== COMMAND_CLIENT;
}

async function found(labels: readonly string[] | null, context: Context): Promise<readonly Client[]> {
  if (labels !== null) {
    const records = await Promise.all(labels.map((clientId) => context.storage.clients.get({ clientId })));
    return records.flatMap((one) => one?.record ?? []);
  }
  const all: Client[] = [];
  for await (const client of allClients(context)) if (isOperators(client)) all.push(client);
  return all;
}

/** The same with another name of each company that a connection is for. */
async function withCompanies(fields: Fields, nameOf: (company: string) => Promise<string>): Promise<Fields> {
  const policy = fields["token_exchange"] as Policy;
  if (policy?.connections === undefined) return fields;
  const connections = policy.connections.map(async (one) => {
    const { company = null } = one;
    return company === null ? one : { ...one, company: await nameOf(company) };
  });
  return { ...fields, token_exchange: { ...policy, connections: await Promise.all(connections) } };
}

/** Changes as the admin API takes them. */
const asInApi = (fields: Fields, context: Context) => withCompanies(fields, (named) => idOfCompany(named, context));

/** Fields of a connection that the file leaves out have their defaults. */
function canonical(fields: Fields): Fields {
  const policy = fields["token_exchange"] as Policy;
  if (policy?.connections === undefined) return fields;
  const connections = policy.connections.map((one) => connectionRecord(connectionOf(one)));
  return { ...fields, token_exchange: { ...policy, connections } };
}

export const clients: Kind = {
  section: "clients",
  noun: "client",
  keyed: "client_id",
  schema: entrySchema(bodyOf("clients.create"), ["client_id"], { status }),
  ...{ secrets: [SECRET], documents: [], fixed: ["type"] },
  defaults,
  canonical,
  find: async (wanted, _marks, context) =>
    Promise.all((await found(wanted?.labels ?? null, context)).map((one) => presentOf(one, context))),
  hasSecret: ({ record }, _field, secret) => hasCurrentSecret(record as Client, secret),
  secretsOf: ({ record }) => ((record as Client).secrets.length > 0 ? [SECRET] : []),
  async create({ label, fields, secrets }, operator) {
    const { status: asked, token_exchange: _, ...body } = fields;
    const clientId = { client_id: label };
    await operator.run("clients.create", {}, { ...body, ...clientId });
    const secret = secrets[SECRET];
    if (secret !== undefined) await operator.run("clients.rotate-secret", clientId, { [SECRET]: secret, overlap: 0 });
    if (asked === "disabled") await operator.run("clients.disable", clientId);
    return label;
  },
  // Its actors can be clients that come later in the file.
  async settle({ label, fields: { token_exchange: policy } }, operator) {
    if (policy === undefined) return;
    const changes = await asInApi({ token_exchange: policy }, operator.context);
    await operator.run("clients.update", { client_id: label }, changes);
  },
  async update(before, { status: asked, ...changes }, { secrets }, operator) {
    const clientId = { client_id: before.label };
    if (Object.keys(changes).length > 0)
      await operator.run("clients.update", clientId, await asInApi(changes, operator.context));
    const secret = secrets[SECRET];
    // Another method can have deleted the secret.
    const changed = (await operator.context.storage.clients.get({ clientId: before.label }))?.record;
    if (secret !== undefined && changed !== undefined && !hasCurrentSecret(changed, secret))
      await operator.run("clients.rotate-secret", clientId, { [SECRET]: secret });
    if (asked !== undefined) await operator.run(asked === "disabled" ? "clients.disable" : "clients.enable", clientId);
  },
  async remove({ label }, operator) {
    await operator.run("clients.delete", { client_id: label });
  },
  async ends({ label, record }, how, context, changes) {
    const before = record as Client;
    const isStopping = how === "delete" || changes["status"] === "disabled";
    const { token_exchange: policy } = await asInApi(changes, context);
    const connections = await connectionsEnding(before, isStopping ? null : policy, context);
    if (!isStopping) {
      const limit = changes["consent_ceiling"] as Client["consentCeiling"];
      const after = limit === undefined ? before : { ...before, consentCeiling: limit };
      const { ends = 0 } = (await impactOfCeiling(before, after, context)) ?? {};
      const all = { ...(ends === 0 ? {} : { consents: ends }), ...connections };
      return Object.keys(all).length === 0 ? undefined : all;
    }
    const { grants, consents, approvals } = await impactOfClient(label, context);
    return { ...(how === "delete" ? { grants, consents, approvals } : { grants }), ...connections };
  },
  async notes({ label, fields }, { status: asked }, context) {
    if (asked === undefined || asked === fields["status"]) return [];
    const { consents } = await impactOfClient(label, context);
    return statusNotes("client", asked === "disabled", consents, " of owners");
  },
  async remarks(changed, context) {
    const around = await surroundings(context);
    return changed.map(({ before, after }) => {
      const client = after.record as Client;
      const ofHosts = before === undefined ? [] : redirectRemarks(before.record as Client, client);
      return [...ofHosts, ...clientRemarks(client, around)];
    });
  },
  advice: (changed, context) =>
    similarRemarks(
      changed.map(({ after }) => after.record as Client),
      context,
    ),
  // The default response types follow the grant types.
  defaultsWhenNew: (fields) => ({
    ...defaults(fields),
    grant_types: defaults({ ...fields, grant_types: null })["grant_types"],
  }),
  isEnding: (changes) =>
    changes["status"] === "disabled" || "consent_ceiling" in changes || "token_exchange" in changes,
};

/**
 * Connections and offers that end, stop or give less by a new policy, and the companies that lose them. `policy` undefined: it
 * stays.
 */
async function connectionsEnding(before: Client, policy: unknown, context: Context): Promise<Ended> {
  if (policy === undefined) return {};
  const after = ((policy as Policy)?.connections ?? []).map(connectionOf);
  const all = (await impactOfConnections(before.clientId, context))
    .filter(({ connection }) => connection.status !== "paused")
    .map((impact) => ({ impact, loss: narrowingOf(impact.connection, after) }));
  const lost = all.filter(({ loss }) => loss === "all").map(({ impact }) => impact);
  const narrowed = all.flatMap(({ impact: { connection, companies }, loss }) =>
    // An offer that no company connected gives nobody anything.
    loss === "all" || (connection.status === "offered" && companies === 0) ? [] : [loss],
  );
  // A company loses an offer that has nothing left of what its admins chose.
  const companies = all.reduce((sum, { impact }) => sum + lossOf(impact, after).lost.companies, 0);
  const parts = {
    connection_permissions: narrowed.reduce((sum, { scopes }) => sum + scopes, 0),
    connection_apis: narrowed.reduce((sum, { apis }) => sum + apis, 0),
    unlimited_connections: narrowed.filter(({ isLimited }) => isLimited).length,
  };
  return {
    ...(lost.length === 0 ? {} : { app_connections: lost.length }),
    ...(lost.length + companies === 0 ? {} : { connected_companies: companies }),
    ...Object.fromEntries(Object.entries(parts).filter(([, count]) => count > 0)),
  };
}

interface Narrowing {
  /** Numbers of scopes and of APIs that it no longer gives. */
  readonly scopes: number;
  readonly apis: number;
  /** True: from now on, it is only for some APIs of the other server. */
  readonly isLimited: boolean;
}

/** What is lost of a connection or an offer. */
function narrowingOf(before: Connection, after: readonly Connection[]): Narrowing | "all" {
  const now = after.find((one) => one.audience === before.audience && one.company === before.company);
  if (now === undefined || now.status !== before.status) return "all";
  const scopes = before.scopes.filter((one) => !now.scopes.includes(one));
  // Without APIs, it is for all of the other server.
  const apis = now.resources.length === 0 ? [] : before.resources.filter((one) => !now.resources.includes(one));
  const isLimited = before.resources.length === 0 && now.resources.length > 0;
  // A company's connection gives nothing if none of what its admin saw is left.
  const isOver =
    now.clientId !== before.clientId ||
    scopes.length === before.scopes.length ||
    (before.resources.length > 0 && !before.resources.some((one) => now.resources.includes(one)));
  if (before.status === "offered" && isOver) return "all";
  return { scopes: scopes.length, apis: apis.length, isLimited };
}
