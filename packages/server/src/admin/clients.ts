/** The operator's use-cases for clients (RFC 6749 §2, RFC 7591 §2). */

import {
  AUTH_METHODS,
  type ClientMetadata,
  MAX_SCOPES,
  type RegisteredFields,
  type RegistrationDefaults,
  readRegistration,
  refreshProblem,
} from "../oauth/client-registration/metadata.ts";
import type { GrantRegistry } from "../oauth/grants/registry.ts";
import type { Client, Millis, Scope, TokenExchangePolicy } from "../oauth/model.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { withOpenIdScopes } from "../oauth/openid/scopes.ts";
import { consentHosts, redirectHost } from "../oauth/redirect-uri.ts";
import { accentText } from "../pages/branding.ts";
import { LONGEST_CONSENT } from "../setting-kinds.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { withAdminScopes } from "./api-access/admin-scopes.ts";
import { storeLogo } from "./client-logo.ts";
import { chosenSecretProblems, NO_SECRETS, secretFor, secretKind, secretsAfter, withSecret } from "./client-secrets.ts";
import type { AdminContext } from "./context.ts";
import { clientIdProblems, newClientId } from "./generated-secrets.ts";
import { changedLists, defaultScopeProblems, type ListChanges } from "./multi-valued-client-fields.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import { pagesOf } from "./read-whole-list.ts";
import { metadataOf } from "./registered-metadata.ts";
import { selfRegistration, unreviewedWeaknesses } from "./self-registered-client.ts";
import { exchangeProblems, exchangeRemarks } from "./token-exchange-policy.ts";
import { withWorkloadMethod, workloadProblems } from "./workload-identity.ts";

const DAY: Millis = 86_400_000;
/**
 * How long a client's old secret works after a new one was made, unless the operator says otherwise: long enough to
 * deploy the new one.
 */
export const DEFAULT_OVERLAP: Millis = DAY;
export const MAX_OVERLAP: Millis = 30 * DAY;
const MAX_PUBLISHER = 120;

function isConsentCeiling(seconds: number): boolean {
  return Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= LONGEST_CONSENT;
}

/** Settings that only an operator may decide, not a registration by the client itself. */
export type OwnClientSettings = Partial<
  Pick<
    Client,
    | "ownScopes"
    | "defaultScopes"
    | ("tokenExchange" | "workload")
    | "requirePkce"
    | "allowPlainPkce"
    | "firstParty"
    | "refresh"
    | "tokenEndpointAudience"
    | "publisher"
    | "accent"
    | "verified"
    | "consentCeiling"
    | "reviewed"
  >
>;

export interface NewClient extends OwnClientSettings {
  /** Absent: a random one. */
  readonly clientId?: string;
  readonly type: Client["type"];
  /** The members of RFC 7591. `token_endpoint_auth_method` and `grant_types` have defaults by type. */
  readonly metadata: ClientMetadata;
  /** A picture in PNG, JPEG, WebP or GIF. */
  readonly logo?: Uint8Array;
}

export interface ClientWithSecret {
  readonly client: Client;
  /** Shown only this once. Null: it has none. */
  readonly secret: string | null;
}

/** Registers a client. Throws an `AdminError` with all problems. */
export async function createClient(input: NewClient, context: AdminContext): Promise<ClientWithSecret> {
  const fields = await checkedFields(input.type, withWorkloadMethod(input.metadata, input.workload), input, context);
  if (input.clientId !== undefined) refuseAny(clientIdProblems(input.clientId));
  const logo = input.logo === undefined ? null : await storeLogo(input.logo, context);
  const now = context.now();
  const secret = secretFor(fields.authMethod, context);
  const clientId = input.clientId ?? newClientId(context);
  const bare = { clientId, authMethod: fields.authMethod, ...NO_SECRETS };
  const client: Client = {
    clientId,
    status: "active",
    ownScopes: input.ownScopes ?? [],
    ...(input.defaultScopes === undefined ? {} : { defaultScopes: input.defaultScopes }),
    ...(input.tokenExchange == null ? {} : { tokenExchange: input.tokenExchange }),
    ...(input.workload == null ? {} : { workload: input.workload }),
    ...(secret === null ? NO_SECRETS : withSecret(bare, secret, { now, overlap: 0 }, context)),
    tokenEndpointAudience: input.tokenEndpointAudience ?? false,
    requirePkce: input.requirePkce ?? false,
    allowPlainPkce: input.allowPlainPkce ?? false,
    firstParty: input.firstParty ?? false,
    publisher: input.publisher ?? null,
    accent: canonicalAccent(input.accent ?? null),
    verified: input.verified ?? false,
    ...(input.reviewed === undefined ? {} : { reviewed: input.reviewed }),
    ...(input.consentCeiling == null ? {} : { consentCeiling: input.consentCeiling }),
    refresh: fields.type === "public" ? "rotate" : (input.refresh ?? "keep"),
    logo,
    createdAt: now,
    updatedAt: now,
    reducedAt: null,
    ...fields,
  };
  const outcome = await context.storage.clients.put({ client, expect: 0 });
  if (outcome.kind === "conflict")
    refuse("taken", "client_id", `the client ${JSON.stringify(clientId)} already exists`);
  return { client, secret };
}

export interface ClientChanges extends OwnClientSettings {
  /** The members to change; null removes one. Other members stay. */
  readonly metadata?: ClientMetadata;
  /** The values that lists gain and lose. Name a list here or in `metadata`, not in both. */
  readonly lists?: ListChanges;
  /** Makes the new `tokenExchange` from the present one, as often as others change the client meanwhile. */
  readonly exchange?: (present: Client["tokenExchange"]) => TokenExchangePolicy | null;
  readonly status?: Client["status"];
}

/**
 * Changes a client. Throws `unknown`, or all problems of the changed client. A change between methods that send a
 * secret, sign with one, and have none deletes its secrets: `rotateSecret` makes the next one.
 */
export async function updateClient(
  clientId: string,
  changes: ClientChanges,
  context: AdminContext,
  check: Precondition<Client> = () => undefined,
): Promise<Client> {
  return rewriteClient(clientId, context, async (client) => {
    check(client);
    const { metadata: replaced, lists = {}, exchange, ...own } = changes;
    const others = exchange === undefined ? own : { ...own, tokenExchange: exchange(client.tokenExchange) };
    if (client.document !== undefined && Object.keys({ ...replaced, ...lists }).length > 0) refuseDescribed("metadata");
    const changed = changedLists(client, lists);
    const metadata = withWorkloadMethod({ ...replaced, ...changed.metadata }, others.workload);
    const settings = { ...others, ...changed.own };
    const asked = { ...client, ...settings, accent: canonicalAccent(settings.accent ?? client.accent ?? null) };
    if (settings.accent === null) asked.accent = null;
    const registration = { ...metadataOf(client), ...stillOptional(client, metadata), ...metadata };
    const { defaultScopes: chosen } = settings;
    const fields = await checkedFields(
      client.type,
      registration,
      chosen === undefined ? { ...asked, defaultScopes: [] } : asked,
      context,
      client,
    );
    const now = context.now();
    const lost = (before: readonly string[], after: readonly string[]) => before.some((one) => !after.includes(one));
    const reduced = lost(client.scopes, fields.scopes) || lost(client.grantTypes, fields.grantTypes);
    return {
      ...asked,
      ...fields,
      ...secretsAfter(client, fields.authMethod),
      ...(chosen === undefined ? stillDefault(client, [...fields.scopes, ...asked.ownScopes]) : {}),
      ...selfRegistration(client, fields),
      reducedAt: reduced ? now : client.reducedAt,
      updatedAt: now,
    };
  });
}

/** Refuses a change of a field that the client's document sets: the next fetch would undo it. */
function refuseDescribed(field: string): never {
  return refuse("invalid", field, "this client is described by the document at its client_id; change the document");
}

/** Both colours. An unreadable text stays as typed, and is refused with the other problems. */
function canonicalAccent(accent: string | null): string | null {
  return accent === null ? null : (accentText(accent) ?? accent);
}

/** A scope that the client loses also leaves its optional scopes. */
function stillOptional(client: Client, metadata: ClientMetadata | undefined): ClientMetadata {
  const scope = metadata?.["scope"];
  if (typeof scope !== "string") return {};
  const names = scope.split(" ");
  return { optional_scope: (client.optionalScopes ?? []).filter((name) => names.includes(name)).join(" ") };
}

/** A scope that the client loses also leaves its default scopes. */
function stillDefault({ defaultScopes }: Client, left: readonly string[]): Pick<Client, "defaultScopes"> {
  return defaultScopes === undefined ? {} : { defaultScopes: defaultScopes.filter((name) => left.includes(name)) };
}

/**
 * Gives a client a new secret. The previous ones work for `overlap` milliseconds more. `chosen`: by the operator; absent: a random one. Throws
 * `unknown`, `invalid`.
 */
export async function rotateSecret(
  clientId: string,
  overlap: Millis,
  context: AdminContext,
  chosen?: string,
  check?: Precondition<Client>,
): Promise<ClientWithSecret & { readonly secret: string; readonly oldUntil: Millis }> {
  if (overlap < 0 || overlap > MAX_OVERLAP) {
    refuse("invalid", "overlap", `must be 0 to ${MAX_OVERLAP / 1000} seconds (30 days)`);
  }
  refuseAny(chosenSecretProblems(chosen, "client_secret"));
  const now = context.now();
  let secret = "";
  const client = await rewriteClient(clientId, context, async (before) => {
    check?.(before);
    const made = secretFor(before.authMethod, context) ?? refuse("invalid", null, withoutSecret(before));
    secret = chosen ?? made;
    return { ...before, ...withSecret(before, secret, { now, overlap }, context), updatedAt: now };
  });
  return { client, secret, oldUntil: now + overlap };
}

function withoutSecret({ type, authMethod }: Client): string {
  return type === "public" ? "a public client has no secret" : `a client with ${authMethod} has no secret`;
}

/** Stores a picture for the consent page; null removes the present one. Throws `unknown`, `invalid`. */
export async function setLogo(
  clientId: string,
  picture: Uint8Array | null,
  context: AdminContext,
  check?: Precondition<Client>,
): Promise<Client> {
  const present = await clientOf(clientId, context);
  check?.(present);
  if (present.document !== undefined) refuseDescribed("logo");
  const logo = picture === null ? null : await storeLogo(picture, context);
  return rewriteClient(clientId, context, async (before) => {
    check?.(before);
    const registered = before.registered === undefined ? {} : selfRegistration({ ...before, logo }, before);
    return { ...before, logo, ...registered, updatedAt: context.now() };
  });
}

/**
 * Ends everything that owners granted to the client, and deletes it. A client that a document describes would come back
 * with the next request, so its record stays, disabled, until an operator enables it. Throws `unknown`.
 */
export async function deleteClient(
  clientId: string,
  { storage, now }: AdminContext,
  by: { readonly by?: "client" } = {},
): Promise<void> {
  if (!(await storage.clients.delete({ clientId, now: now(), ...by }))) unknownClient(clientId);
}

/** Throws `unknown`. */
export async function clientOf(clientId: string, { storage }: AdminContext): Promise<Client> {
  return (await storage.clients.get({ clientId }))?.record ?? unknownClient(clientId);
}

/** All clients, sorted by id, page by page. */
export function allClients({ storage }: AdminContext): AsyncGenerator<Client> {
  return pagesOf(
    (limit, after) => storage.clients.list({ limit, after }),
    ({ clientId }) => clientId,
  );
}

/** Grant types whose requests name scopes of an owner. */
const ASKING: ReadonlySet<string> = new Set([
  "authorization_code",
  "implicit",
  "password",
  "urn:ietf:params:oauth:grant-type:device_code",
]);

/** The state of a server against which a client is checked. */
export interface Surroundings {
  readonly grants: GrantRegistry;
  readonly scopes: readonly Scope[];
}

/** The present state. */
export async function surroundings({ grants, storage, issuer }: AdminContext): Promise<Surroundings> {
  return { grants, scopes: withAdminScopes(withOpenIdScopes(await storage.scopes.list()), issuer) };
}

/** Remarks for the operator about a valid client. */
export function clientRemarks(client: Client, { grants, scopes }: Surroundings): readonly Remark[] {
  const remarks: Remark[] = client.grantTypes
    .filter((name) => !grants.offers(name))
    .map((name) => ({ field: "grant_types", problem: `${name} ${whyNot(name, grants)}, so this client can't use it` }));
  const aimless = refreshProblem(client.grantTypes);
  if (aimless !== undefined) remarks.push({ field: "grant_types", problem: aimless });
  if (client.scopes.length === 0 && client.grantTypes.some((grant) => ASKING.has(grant))) {
    remarks.push({ field: "scope", problem: "this client has no scope, but every request needs one" });
  }
  if (needsSecret(client)) {
    remarks.push({ field: null, problem: "this client has no secret: to create one, run assent client rotate-secret" });
  }
  if (client.ownScopes.length === 0 && client.grantTypes.includes("client_credentials")) {
    remarks.push({
      field: "own_scope",
      problem: "this client has no scope of its own, so it can't get tokens with client_credentials",
    });
  }
  const acting = scopes.filter(({ name, ownerRole }) => ownerRole !== null && client.ownScopes.includes(name));
  if (acting.length > 0) {
    const list = acting.map(({ name, ownerRole }) => `${name} (${ownerRole})`).join(", ");
    const problem = `${list}: only people with that role may grant this scope, but the client has it without a person`;
    remarks.push({ field: "own_scope", problem });
  }
  if (client.tokenEndpointAudience) {
    const problem =
      "an assertion whose audience is the token endpoint may be meant for another server; use the issuer as the audience (RFC 7523 §3)";
    remarks.push({ field: "token_endpoint_audience", problem });
  }
  const local = client.redirectUris.filter((uri) => /^http:\/\/localhost[:/]/.test(`${uri}/`));
  if (local.length > 0) {
    const problem = `${local.join(", ")}: localhost may resolve to an address on which the app doesn't listen, and its port must match exactly; use http://127.0.0.1 (RFC 8252 §8.3)`;
    remarks.push({ field: "redirect_uris", problem });
  }
  if (client.grantTypes.includes("implicit")) {
    const problem =
      "with implicit, access tokens are in the URL, where the browser's history, scripts and the next page can read them; use authorization_code with PKCE (RFC 9700 §2.1.2)";
    remarks.push({ field: "grant_types", problem });
  }
  if (client.grantTypes.includes("password")) {
    const problem =
      "with password, this client sees owners' passwords, and the server can't ask for a second factor; use authorization_code (RFC 9700 §2.4)";
    remarks.push({ field: "grant_types", problem });
  }
  if (client.firstParty) {
    remarks.push({
      field: "first_party",
      problem: "the server does not ask owners for consent to this client",
    });
  }
  if (client.type === "public" && client.consentCeiling === "none") {
    const problem =
      "if an owner chooses no end, refresh tokens of this client never expire, and anybody who has one can use it (RFC 9700 §4.14.2)";
    remarks.push({ field: "consent_ceiling", problem });
  }
  remarks.push(...exchangeRemarks(client));
  const weak = unreviewedWeaknesses(client).join(", ");
  if (weak !== "")
    remarks.push({ field: "reviewed", problem: `nobody has reviewed this client, but it may use ${weak}` });
  if (client.allowPlainPkce) {
    remarks.push({
      field: "allow_plain_pkce",
      problem: "a plain challenge gives no protection if somebody sees the request; use S256 (RFC 7636 §7.2)",
    });
  }
  return remarks;
}

/**
 * True: a confidential client's requests may leave out PKCE, which stops a code that was injected into another session
 * (RFC 9700 §2.1.1). This is no remark, because such clients are valid, and old ones may not support PKCE.
 */
export function leavesPkceOpen(
  { type, grantTypes, requirePkce }: Client,
  server: { readonly requirePkce: boolean },
): boolean {
  return type === "confidential" && grantTypes.includes("authorization_code") && !requirePkce && !server.requirePkce;
}

/** How a change of redirect URIs affects owners who have allowed the client before. */
export function redirectRemarks(before: Client, after: Client): readonly Remark[] {
  const known = consentHosts(before.redirectUris);
  const added = consentHosts(after.redirectUris).filter((host) => !known.includes(host));
  // A first-party client asks nobody, and a client without a redirect URI got no answers before.
  if (added.length === 0 || known.length === 0 || after.firstParty) return [];
  const hosts = added.map(redirectHost).join(", ");
  const problem = `${hosts}: the server asks owners again before it sends a response there; companies that approved this client for all members must approve it again`;
  return [{ field: "redirect_uris", problem }];
}

function whyNot(grantType: string, { known }: GrantRegistry): string {
  return known.includes(grantType)
    ? "is switched off on this server (ASSENT_GRANT_TYPES)"
    : "is unknown to this server";
}

/** True: its method needs a secret, and it has none. `rotateSecret` makes one. */
export function needsSecret({ authMethod, secrets }: Client): boolean {
  return secrets.length === 0 && secretKind(authMethod) !== "none";
}

function unknownClient(clientId: string): never {
  return refuse("unknown", "client_id", `there is no client ${JSON.stringify(clientId)}`);
}

/** Changes the stored client, also while others change it. `change` can run several times. Throws `unknown`. */
export async function rewriteClient(
  clientId: string,
  { storage }: AdminContext,
  change: (before: Client) => Promise<Client>,
): Promise<Client> {
  return untilStored(async () => {
    const found = await storage.clients.get({ clientId });
    if (found === undefined) return unknownClient(clientId);
    const client = await change(found.record);
    const outcome = await storage.clients.put({ client, expect: found.version });
    return outcome.kind === "stored" ? client : undefined;
  });
}

async function checkedFields(
  type: Client["type"],
  metadata: ClientMetadata,
  settings: OwnClientSettings,
  context: AdminContext,
  before?: Client,
): Promise<RegisteredFields> {
  const defaults: RegistrationDefaults = {
    token_endpoint_auth_method: type === "public" ? "none" : "client_secret_basic",
    grant_types: type === "public" ? ["authorization_code"] : ["authorization_code", "refresh_token"],
  };
  const read = readRegistration(metadata, defaults, {
    grants: context.grants,
    had: before?.grantTypes ?? [],
    ...(before === undefined ? {} : { called: before }),
  });
  const problems: Remark[] = read.kind === "invalid" ? [...read.problems] : [];
  if (read.kind === "valid" && read.fields.type !== type) problems.push(wrongMethod(type));
  const scopes = read.kind === "valid" ? read.fields.scopes : [];
  problems.push(...settingProblems(type, settings, before?.publisher));
  problems.push(...defaultScopeProblems(settings, scopes));
  problems.push(...(await workloadProblems(settings.workload, read, before, context)));
  problems.push(...(await exchangeProblems(settings.tokenExchange, type, before?.tokenExchange, context)));
  // A scope that was deleted since is no reason to refuse another change.
  problems.push(...(await unknownScopes("scope", scopes, before?.scopes ?? [], context)));
  problems.push(...(await unknownScopes("own_scope", settings.ownScopes ?? [], before?.ownScopes ?? [], context)));
  refuseAny(problems);
  if (read.kind === "invalid") throw new Error("a registration is invalid without a problem");
  return read.fields;
}

function wrongMethod(type: Client["type"]): Remark {
  const secret = AUTH_METHODS.filter((method) => method !== "none").join(", ");
  const problem =
    type === "public"
      ? "a public client can't keep a secret, so its method must be none"
      : `a confidential client needs one of ${secret}; to use none, create a public client`;
  return { field: "token_endpoint_auth_method", problem };
}

function settingProblems(
  type: Client["type"],
  { refresh, ownScopes = [], publisher, accent, consentCeiling }: OwnClientSettings,
  named: string | null | undefined,
): readonly Remark[] {
  const problems: Remark[] = [];
  const wording = typeof publisher === "string" ? displayTextProblem(publisher, MAX_PUBLISHER, named) : undefined;
  if (wording !== undefined) problems.push({ field: "publisher", problem: wording });
  if (typeof accent === "string" && accentText(accent) === undefined) {
    const problem = `${JSON.stringify(accent.slice(0, 100))} is not a colour with enough contrast for text (4.5:1, WCAG 2.2 AA): use #rrggbb, or one colour for light and one for dark mode: #1a4fd0,#9db8ff`;
    problems.push({ field: "accent", problem });
  }
  if (typeof consentCeiling === "number" && !isConsentCeiling(consentCeiling)) {
    const problem = `must be a whole number of seconds, 1 to ${LONGEST_CONSENT}, or none`;
    problems.push({ field: "consent_ceiling", problem });
  }
  if (type === "public" && refresh === "keep") {
    problems.push({ field: "refresh", problem: "refresh tokens of a public client must rotate (RFC 9700 §4.14.2)" });
  }
  if (type === "public" && ownScopes.length > 0) {
    problems.push({
      field: "own_scope",
      problem: "a public client can't authenticate, so it can't have scopes of its own",
    });
  }
  if (ownScopes.length > MAX_SCOPES)
    problems.push({ field: "own_scope", problem: `at most ${MAX_SCOPES} scopes are allowed` });
  return problems;
}

/** Refuses an unknown scope, because it is usually a typing error. */
async function unknownScopes(
  field: "scope" | "own_scope",
  names: readonly string[],
  had: readonly string[],
  { storage, issuer }: AdminContext,
): Promise<readonly Remark[]> {
  const added = names.filter((name) => !had.includes(name));
  if (added.length === 0) return [];
  const own = withAdminScopes(await storage.scopes.list(), issuer);
  // Nobody signs in where a client asks for itself.
  const known = new Set((field === "scope" ? withOpenIdScopes(own) : own).map(({ name }) => name));
  const missing = added.filter((name) => !known.has(name)).slice(0, 10);
  if (missing.length === 0) return [];
  const list = missing.map((name) => JSON.stringify(name)).join(", ");
  return [{ field, problem: `${list}: there is no such scope; create it first` }];
}
