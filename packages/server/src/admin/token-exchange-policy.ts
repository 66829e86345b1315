/** What the operator lets a client exchange (RFC 8693): checked, and in the form of a record. */

import type { Client, Connection, ExchangedKind, TokenExchangePolicy } from "../oauth/model.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { isOpenIdScope, withOpenIdScopes } from "../oauth/openid/scopes.ts";
import { tokenExchange } from "../oauth/token-exchange/index.ts";
import type { Remark } from "./admin-error.ts";
import { findCompany } from "./companies.ts";
import type { AdminContext } from "./context.ts";

export const EXCHANGED_KINDS: readonly ExchangedKind[] = ["access_token", "refresh_token", "id_token", "jwt"];

export const NO_EXCHANGE: TokenExchangePolicy = {
  ...{ subjects: [], sources: [], audiences: [], scopes: [], actors: [] },
  impersonation: false,
};

const MAX_LIST = 100;

const PUBLIC =
  "a public client can't exchange tokens, because it doesn't authenticate: create a confidential client for the app (assent client create --type confidential)";

/** All problems. Values of `before` are not judged again: an API that was deleted since is no reason to refuse another change. */
export async function exchangeProblems(
  policy: TokenExchangePolicy | null | undefined,
  type: Client["type"],
  before: TokenExchangePolicy | null | undefined,
  context: AdminContext,
): Promise<readonly Remark[]> {
  if (policy === null || policy === undefined) return [];
  if (type === "public") return [remark(null, PUBLIC)];
  const { storage, issuer } = context;
  const apis = new Set([issuer, ...(await storage.resources.list()).map(({ identifier }) => identifier)]);
  const scopes = new Map(withOpenIdScopes(await storage.scopes.list()).map((scope) => [scope.name, scope]));
  const added = (list: "sources" | "audiences" | "scopes" | "actors") =>
    policy[list].filter((one) => !(before?.[list] ?? []).includes(one));
  const problems: Remark[] = [];
  const strange = policy.subjects.filter((kind) => !EXCHANGED_KINDS.includes(kind));
  if (strange.length > 0) problems.push(remark("subjects", `${named(strange)}: use ${EXCHANGED_KINDS.join(", ")}`));
  for (const list of ["sources", "audiences"] as const) {
    const unknown = added(list).filter((one) => !apis.has(one));
    if (unknown.length > 0) problems.push(remark(list, `${named(unknown)}: there is no such API; create it first`));
  }
  const unknown = added("scopes").filter((name) => !scopes.has(name));
  if (unknown.length > 0) problems.push(remark("scope", `${named(unknown)}: there is no such scope; create it first`));
  const bound = added("scopes").filter((name) => {
    const scope = scopes.get(name);
    return scope !== undefined && (scope.ownerRole !== null || isOpenIdScope(scope));
  });
  if (bound.length > 0)
    problems.push(remark("scope", `${named(bound)}: scopes about a sign-in, or that need a role, can't be exchanged`));
  const clients = await Promise.all(added("actors").map((clientId) => storage.clients.get({ clientId })));
  const strangers = added("actors").filter((_, at) => clients[at] === undefined);
  if (strangers.length > 0) problems.push(remark("actors", `${named(strangers)}: there is no such client`));
  for (const list of ["subjects", "sources", "audiences", "scopes", "actors"] as const) {
    if (policy[list].length > MAX_LIST) problems.push(remark(list, `at most ${MAX_LIST} values are allowed`));
  }
  const { connections = [] } = policy;
  if (connections.length > MAX_LIST) problems.push(remark("connections", `at most ${MAX_LIST} values are allowed`));
  const known = before?.connections?.map(({ company }) => company) ?? [];
  for (const one of connections) problems.push(...(await connectionProblems(one, known, context)));
  const keys = connections.map(({ audience, company }) => JSON.stringify([audience, company]));
  if (new Set(keys).size < keys.length)
    problems.push(remark("connections", "two of them have the same audience and company"));
  return problems;
}

const PRINTABLE = /^[\u0021-\u007e]{1,1024}$/;
/** A scope is a part of a text that is separated by spaces (RFC 6749 §3.3). */
const SCOPE = /^[\u0021\u0023-\u005b\u005d-\u007e]{1,200}$/;
const MAX_RESOURCES = 20;
/** Maximum length of the name of another server, and of the words for one of its scopes, in characters. */
const MAX_SERVER_NAME = 60;
const MAX_SCOPE_TEXT = 200;

async function connectionProblems(
  { audience, company, clientId, scopes, resources, status, name, texts = {} }: Connection,
  knownCompanies: readonly (string | null)[],
  context: AdminContext,
): Promise<readonly Remark[]> {
  const { issuer } = context;
  const problems: Remark[] = [];
  const say = (field: string, problem: string) => problems.push(remark(`connections.${field}`, problem));
  if (!PRINTABLE.test(audience) || !URL.canParse(audience)) say("audience", "must be the other server's issuer, a URL");
  if (audience === issuer) say("audience", "this is this server's own issuer");
  if (!PRINTABLE.test(clientId)) say("client_id", "must be the client's ID at the other server");
  if (scopes.length === 0) say("scope", "missing: name the scopes of the other server that it may get");
  if (scopes.length > MAX_LIST || !scopes.every((name) => SCOPE.test(name))) say("scope", "not scopes");
  if (resources.length > MAX_RESOURCES || !resources.every((one) => PRINTABLE.test(one) && URL.canParse(one)))
    say("resources", `must be at most ${MAX_RESOURCES} URLs`);
  if (status === "offered" && name === undefined)
    say("name", "missing: an offer needs the name under which companies' admins find the other server");
  const nameProblem = name === undefined ? undefined : displayTextProblem(name, MAX_SERVER_NAME);
  if (nameProblem !== undefined) say("name", nameProblem);
  for (const [scope, words] of Object.entries(texts)) {
    const problem = scopes.includes(scope)
      ? displayTextProblem(words, MAX_SCOPE_TEXT)
      : "the connection does not have it";
    if (problem !== undefined) say("scope_texts", `${JSON.stringify(scope.slice(0, 200))}: ${problem}`);
  }
  if (company !== null && !knownCompanies.includes(company)) {
    if ((await findCompany({ id: company }, context)) === undefined) say("company", "there is no such company");
  }
  return problems;
}

/** In the form of a client's record, and of a request. */
export function connectionRecord({ audience, company, clientId, scopes, resources, status, name, texts }: Connection) {
  return {
    ...{ audience, company, client_id: clientId, scope: scopes.join(" "), resources, status },
    ...(name === undefined ? {} : { name }),
    ...(texts === undefined || Object.keys(texts).length === 0 ? {} : { scope_texts: texts }),
  };
}

export type ConnectionRecord = Partial<ReturnType<typeof connectionRecord>> & {
  readonly audience: string;
  readonly client_id: string;
};

export function connectionOf({ company = null, ...record }: ConnectionRecord): Connection {
  const {
    audience,
    client_id: clientId,
    scope = "",
    resources = [],
    status = "active",
    name,
    scope_texts: texts,
  } = record;
  const scopes = [...new Set(scope.split(" ").filter((name) => name !== ""))];
  return {
    ...{ audience, company, clientId, scopes, resources: [...new Set(resources)], status },
    ...(name === undefined ? {} : { name: name.normalize("NFC") }),
    ...(texts === undefined || Object.keys(texts).length === 0 ? {} : { texts }),
  };
}

/** Remarks for the operator about a valid policy. */
export function exchangeRemarks({
  tokenExchange: policy,
  grantTypes,
}: Pick<Client, "tokenExchange" | "grantTypes">): readonly Remark[] {
  const registered = grantTypes.includes(tokenExchange.grantType);
  if (policy === null || policy === undefined) {
    if (!registered) return [];
    return [remark(null, "this client may exchange nothing yet: to allow it, run assent client exchange")];
  }
  const remarks: Remark[] = [];
  if (!registered) {
    const problem = `this client is not registered for ${tokenExchange.grantType}, so its settings have no effect`;
    remarks.push({ field: "grant_types", problem });
  }
  // A client that only gets ID-JAGs exchanges nothing for tokens of this server.
  if ((policy.connections ?? []).length > 0 && policy.subjects.length === 0) return remarks;
  for (const [list, what] of [
    ["subjects", "it may exchange no kind of token"],
    ["audiences", "it gets tokens for no API"],
    ["scopes", "it gets no scope"],
  ] as const) {
    if (policy[list].length === 0) remarks.push(remark(list === "scopes" ? "scope" : list, what));
  }
  if (policy.subjects.includes("access_token") && policy.sources.length === 0)
    remarks.push(remark("sources", "it may exchange access tokens of no API"));
  if (policy.impersonation)
    remarks.push(remark("impersonation", "APIs can't tell this client's requests from the owner's own app"));
  return remarks;
}

function remark(field: string | null, problem: string): Remark {
  return { field: field === null ? "token_exchange" : `token_exchange.${field}`, problem };
}

function named(values: readonly string[]): string {
  const shown = values.slice(0, 10).map((one) => JSON.stringify(one.slice(0, 150)));
  return shown.join(", ");
}

/** In the form of a client's record: what is empty is left out, as in a request. */
export function exchangeRecord({ scopes, impersonation, connections = [], ...lists }: TokenExchangePolicy): object {
  return {
    ...(connections.length === 0 ? {} : { connections: connections.map(connectionRecord) }),
    ...Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0)),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    ...(impersonation ? { impersonation } : {}),
  };
}
