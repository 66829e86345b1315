/** The operator's use-cases for scopes (RFC 6749 §3.3) and their APIs (RFC 8707). */

import { hashes } from "../crypto/node-hashes.ts";
import { base64url } from "../crypto/random.ts";
import { SIGNING_ALGS, signingAlgOf } from "../crypto/signing-algs.ts";
import { DEFAULT_ALG, ensureKeys } from "../crypto/signing-keys.ts";
import { ACR_VALUES } from "../oauth/authentication-context.ts";
import { isLanguageTag, MAX_TRANSLATIONS } from "../oauth/client-registration/metadata.ts";
import type { Millis, Resource, Scope, ScopeAccess } from "../oauth/model.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { openIdScopes, withOpenIdScopes } from "../oauth/openid/scopes.ts";
import { ownAudience } from "../oauth/resource-indicator.ts";
import { isScopeName } from "../oauth/scope.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { adminApiIdentifier, isAdminScope, withAdminScopes } from "./api-access/admin-scopes.ts";
import { chosenSecretProblems } from "./client-secrets.ts";
import { allClients } from "./clients.ts";
import type { AdminContext } from "./context.ts";
import { counted } from "./counted.ts";
import { newSecret } from "./generated-secrets.ts";
import { LONGEST_DEFAULT } from "./multi-valued-client-fields.ts";
import { OPERATOR_ROLES } from "./people.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import type { ScopeCounts } from "./storage.ts";

/** Consents and approvals that name a scope are counted up to here. */
const MOST_NAMED = 100_000;
const MAX_DESCRIPTION = 200;
const MAX_RESOURCE_NAME = 120;
/** In seconds. Keys stay published for 25 hours after their last signature, so no token may live longer. */
export const MAX_TOKEN_LIFETIME = 86_400;

/** The roles that a scope can require of its owner: one of the operators' roles, or any of them. */
export const OWNER_ROLES: readonly string[] = [...OPERATOR_ROLES, "operator"];

/** The maximum lifetime of a session. */
const MAX_AGE = 14 * 86_400;

/** What a scope lets an app do with data. */
export const SCOPE_ACCESS: readonly ScopeAccess[] = ["read", "write", "delete"];

export type NewScope = Pick<Scope, "name" | "description"> & Partial<Omit<Scope, "name" | "description">>;

/**
 * `reuse`: it means the same as a deleted scope of that name, so consents and approvals that name it hold again. Without
 * it, such a name is refused: owners would have allowed something that they never read. Throws `invalid` with all
 * problems, `unknown` (the API), `taken`.
 */
export async function createScope(input: NewScope, context: AdminContext, { reuse = false } = {}): Promise<Scope> {
  const scope: Scope = { resource: null, optional: false, sensitive: false, ownerRole: null, ...input };
  if (isAdminScope(input.name)) refuse("taken", "name", `the scope ${JSON.stringify(input.name)} is built in`);
  if (!reuse && !isBuiltInScope(input.name)) await refuseFormerName(input.name, context);
  const made = await putScope(scope, null, context);
  return made ?? refuse("taken", "name", `the scope ${JSON.stringify(input.name)} already exists`);
}

/** Consents and approvals keep the names of deleted scopes. The name of a scope that exists is refused later. */
async function refuseFormerName(name: string, context: AdminContext): Promise<void> {
  if ((await context.storage.scopes.list()).some((scope) => scope.name === name)) return;
  const { consents, approvals } = await namesOfScope(name, context);
  if (consents === 0 && approvals === 0) return;
  const which = namedBy({ consents, approvals });
  const problem = `${which} still ${consents + approvals === 1 ? "names" : "name"} a deleted scope ${JSON.stringify(name)}, and would allow the new one without asking anybody: use another name. If both mean the same, add --reuse (in the admin API, reuse: true)`;
  refuse("taken", "name", problem);
}

/** `2 consents of owners and 1 approval of companies`. Empty: neither. */
export function namedBy({ consents, approvals }: ScopeCounts): string {
  return [
    ...(consents === 0 ? [] : [`${counted(consents, "consent")} of owners`]),
    ...(approvals === 0 ? [] : [`${counted(approvals, "approval")} of companies`]),
  ].join(" and ");
}

/** How many active consents and approvals name the scope. */
export function namesOfScope(name: string, { storage, now }: AdminContext): Promise<ScopeCounts> {
  return storage.consents.countOfScope({ name, now: now(), most: MOST_NAMED });
}

/** Throws `unknown`, `invalid`. */
export function updateScope(
  name: string,
  changes: Partial<Omit<Scope, "name">>,
  context: AdminContext,
  check: Precondition<Scope> = () => undefined,
): Promise<Scope> {
  return untilStored(async () => {
    const before = await scopeOf(name, context);
    check(before);
    // A named translation replaces the previous one; an empty one removes it.
    const descriptions = { ...before.descriptions, ...changes.descriptions };
    const kept = Object.fromEntries(Object.entries(descriptions).filter(([, text]) => text !== ""));
    return putScope({ ...before, ...changes, descriptions: kept }, before, context);
  });
}

/**
 * The operator's scopes, then the built-in ones of OpenID Connect that the operator has not replaced, and those of the
 * admin API.
 */
export async function listScopes({
  storage,
  issuer,
}: AdminContext): Promise<readonly { readonly scope: Scope; readonly builtIn: boolean }[]> {
  const own = await storage.scopes.list();
  return withAdminScopes(withOpenIdScopes(own), issuer).map((scope) => ({ scope, builtIn: !own.includes(scope) }));
}

/** Throws `unknown`. */
export async function scopeOf(name: string, { storage }: AdminContext): Promise<Scope> {
  return (await storage.scopes.list()).find((scope) => scope.name === name) ?? unknownScope(name);
}

/**
 * Deletes a scope: no new token has it. Returns the clients that stay registered for it; if the scope is created again,
 * they may ask for it at once.
 */
export async function deleteScope(name: string, context: AdminContext): Promise<readonly string[]> {
  if (!(await context.storage.scopes.delete({ name, now: context.now() }))) return nothingToDelete(name);
  return clientsNaming(name, context);
}

/** The ids of the clients that are registered for a scope of this name. */
export async function clientsNaming(name: string, context: AdminContext): Promise<readonly string[]> {
  const naming: string[] = [];
  for await (const { clientId, scopes, ownScopes } of allClients(context)) {
    if (scopes.includes(name) || ownScopes.includes(name)) naming.push(clientId);
  }
  return naming;
}

/** True: the server has a scope of this name also without the operator's, for example email. */
export function isBuiltInScope(name: string): boolean {
  return openIdScopes.some((one) => one.name === name);
}

/** As `scopeOf`, for a caller that wants to delete the scope: nobody is told to create one. */
export async function scopeToDelete(name: string, { storage }: AdminContext): Promise<Scope> {
  return (await storage.scopes.list()).find((scope) => scope.name === name) ?? nothingToDelete(name);
}

function nothingToDelete(name: string): never {
  if (!isBuiltInScope(name)) return unknownScope(name);
  const how = `to take it from a client: assent client update CLIENT_ID --remove-scope ${name}`;
  return refuse("unknown", "name", `${name} is built into the server and can't be deleted; ${how}`);
}

/** Undefined: a scope of that name exists already, or is not the expected one any more. */
async function putScope(scope: Scope, before: Scope | null, { storage }: AdminContext): Promise<Scope | undefined> {
  const { name, description, ownerRole } = scope;
  const problems: Remark[] = [];
  if (!isScopeName(name)) {
    const problem = `${JSON.stringify(name.slice(0, 150))}: use 1 to 128 printable ASCII characters without spaces, quotes and backslashes (RFC 6749 §3.3)`;
    problems.push({ field: "name", problem });
  }
  const wording = displayTextProblem(description, MAX_DESCRIPTION, before?.description);
  if (wording !== undefined) problems.push({ field: "description", problem: wording });
  for (const [tag, text] of Object.entries(scope.descriptions ?? {})) {
    const problem = isLanguageTag(tag)
      ? displayTextProblem(text, MAX_DESCRIPTION, before?.descriptions?.[tag])
      : "the language tag is missing, for example de";
    if (problem !== undefined) problems.push({ field: "description_lang", problem: `${tag}: ${problem}` });
  }
  if (Object.keys(scope.descriptions ?? {}).length > MAX_TRANSLATIONS)
    problems.push({ field: "description_lang", problem: `at most ${MAX_TRANSLATIONS} languages are allowed` });
  if (scope.resource !== null && isBuiltInScope(name)) {
    const problem = `${name} is a scope of OpenID Connect, so it can't belong to an API: leave out the API, or use another name`;
    problems.push({ field: "resource", problem });
  }
  if (scope.acr != null && !ACR_VALUES.includes(scope.acr)) {
    problems.push({ field: "acr", problem: `${JSON.stringify(scope.acr)} is not one of ${ACR_VALUES.join(", ")}` });
  }
  if (scope.maxAge != null && !(Number.isSafeInteger(scope.maxAge) && scope.maxAge >= 0 && scope.maxAge <= MAX_AGE)) {
    problems.push({ field: "max_age", problem: `must be a whole number of seconds, at most ${MAX_AGE}` });
  }
  if (scope.access != null && !SCOPE_ACCESS.includes(scope.access)) {
    problems.push({
      field: "access",
      problem: `${JSON.stringify(scope.access)} is not one of ${SCOPE_ACCESS.join(", ")}`,
    });
  }
  if (ownerRole !== null && !OWNER_ROLES.includes(ownerRole)) {
    problems.push({
      field: "owner_role",
      problem: `${JSON.stringify(ownerRole)} is not one of ${OWNER_ROLES.join(", ")}`,
    });
  }
  refuseAny(problems);
  const outcome = await storage.scopes.put({
    ...{ scope, create: before === null },
    ...(before === null ? {} : { expected: before }),
  });
  if (outcome.kind === "conflict") return undefined;
  if (outcome.kind === "unknown_resource") {
    refuse("unknown", "resource", `there is no API ${JSON.stringify(scope.resource ?? "")}; create it first`);
  }
  return scope;
}

/** The formats of access tokens: a JWT, which an API verifies itself, or a text about which it asks this server. */
export const TOKEN_FORMATS: readonly Resource["tokenFormat"][] = ["jwt", "opaque"];

/** The requested kind of an API's tokens. */
interface TokenKind {
  readonly tokenFormat?: string;
  /** The algorithm that signs them, if they are JWTs. */
  readonly alg?: string;
}

export interface NewResource extends TokenKind {
  readonly identifier: string;
  readonly name: string;
  /** In seconds. */
  readonly tokenLifetime?: number | null;
  readonly grantBound?: boolean;
  /** As in `Resource`. Default: true. */
  readonly userInfo?: boolean;
  /** As in `Resource`. They may be created later, because a scope belongs to an API that exists. */
  readonly defaultScopes?: readonly string[];
  /** The secret with which it introspects. Absent: a random one. */
  readonly newSecret?: string;
}

export interface ResourceWithSecret {
  readonly resource: Resource;
  /** The secret with which this API introspects tokens; shown only this once. */
  readonly secret: string;
}

/** Throws `invalid` with all problems, `taken`. */
export async function createResource(input: NewResource, context: AdminContext): Promise<ResourceWithSecret> {
  const secret = input.newSecret ?? newSecret(context);
  const resource: Resource = {
    identifier: input.identifier,
    name: input.name,
    ...tokenKind(input, { tokenFormat: "jwt", alg: DEFAULT_ALG }),
    tokenLifetime: input.tokenLifetime ?? null,
    grantBound: input.grantBound ?? false,
    ...(input.userInfo === false ? { userInfo: false } : {}),
    ...(input.defaultScopes === undefined ? {} : { defaultScopes: input.defaultScopes }),
    introspectionClientId: `rs_${base64url(context.randomBytes(16))}`,
    introspectionSecretHash: hashes.sha256(secret),
    createdAt: context.now(),
  };
  refuseAny([
    ...chosenSecretProblems(input.newSecret, "introspection_client_secret"),
    ...identifierProblems(input.identifier, context.issuer),
    ...tokenProblems(input),
    ...resourceProblems(resource, null),
    ...defaultScopeProblems(resource, null, await context.storage.scopes.list()),
  ]);
  const outcome = await context.storage.resources.put({ resource, create: true });
  if (outcome.kind === "conflict") {
    refuse("taken", "identifier", `the API ${JSON.stringify(input.identifier)} already exists`);
  }
  await makeItsKey(resource, context);
  return { resource, secret };
}

export interface ResourceChanges extends TokenKind {
  readonly name?: string;
  /** In seconds. Null: the server's default. */
  readonly tokenLifetime?: number | null;
  readonly grantBound?: boolean;
  readonly userInfo?: boolean;
  /** Replaces the list. */
  readonly defaultScopes?: readonly string[];
  /** True: makes a new introspection secret, and the old one stops working at once. A text: it becomes the secret. */
  readonly newSecret?: boolean | string;
}

/** Throws `unknown`, `invalid`. `secret`: null unless a new one was requested. */
export function updateResource(
  identifier: string,
  changes: ResourceChanges,
  context: AdminContext,
  check: Precondition<Resource> = () => undefined,
): Promise<{ readonly resource: Resource; readonly secret: string | null }> {
  return untilStored(async () => {
    const before = await resourceOf(identifier, context);
    check(before);
    return changedResource(before, changes, context);
  });
}

/** Undefined: the stored API is not `before` any more. */
async function changedResource(
  before: Resource,
  { newSecret: renew = false, tokenFormat, alg, ...changes }: ResourceChanges,
  context: AdminContext,
): Promise<{ readonly resource: Resource; readonly secret: string | null } | undefined> {
  const secret = typeof renew === "string" ? renew : renew ? newSecret(context) : null;
  const kind = { ...(tokenFormat === undefined ? {} : { tokenFormat }), ...(alg === undefined ? {} : { alg }) };
  const resource: Resource = {
    ...before,
    ...changes,
    ...tokenKind(kind, before),
    ...earlierLifetime(before, changes.tokenLifetime, context.now()),
    ...(before.grantBound && changes.grantBound === false ? { grantBoundUntil: context.now() } : {}),
    ...(secret === null ? {} : { introspectionSecretHash: hashes.sha256(secret) }),
  };
  refuseAny([
    ...chosenSecretProblems(typeof renew === "string" ? renew : undefined, "introspection_client_secret"),
    ...tokenProblems(kind),
    ...resourceProblems(resource, before.name),
    ...defaultScopeProblems(resource, before, await context.storage.scopes.list()),
  ]);
  const outcome = await context.storage.resources.put({ resource, create: false, expected: before });
  if (outcome.kind === "conflict") return undefined;
  await makeItsKey(resource, context);
  return { resource, secret };
}

/** Tokens that were issued before live as long as they were issued for, and pages say so. */
function earlierLifetime(
  { tokenLifetime: before }: Resource,
  after: number | null | undefined,
  now: Millis,
): Pick<Resource, "earlierLifetime"> {
  return after === undefined || after === before ? {} : { earlierLifetime: { lifetime: before, changedAt: now } };
}

/** Throws `unknown`; `in_use` while scopes belong to it. */
export async function deleteResource(identifier: string, context: AdminContext): Promise<void> {
  const outcome = await context.storage.resources.delete({ identifier });
  if (outcome === "unknown") unknownResource(identifier);
  if (outcome === "in_use") refuseWithScopes(await scopesOfResource(identifier, context));
}

/** The names of the scopes that belong to an API. */
export async function scopesOfResource(identifier: string, { storage }: AdminContext): Promise<readonly string[]> {
  return (await storage.scopes.list()).filter(({ resource }) => resource === identifier).map(({ name }) => name);
}

/** Throws `in_use` if scopes belong to an API that is to be deleted. */
export function refuseWithScopes(names: readonly string[]): void {
  if (names.length === 0) return;
  refuse("in_use", "identifier", `scopes belong to it (${names.slice(0, 10).join(", ")}): delete or move them first`);
}

/** Throws `unknown`. */
export async function resourceOf(identifier: string, { storage }: AdminContext): Promise<Resource> {
  const found = (await storage.resources.list()).find((resource) => resource.identifier === identifier);
  return found ?? unknownResource(identifier);
}

/** RFC 8707 §2: an absolute URI without a fragment. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[\u0021\u0024-\u003b\u003d\u003f-\u005b\u005d\u005f\u0061-\u007a\u007e]+$/;

function identifierProblems(identifier: string, issuer: string): readonly Remark[] {
  const wrong = (problem: string): Remark[] => [{ field: "identifier", problem }];
  const shown = JSON.stringify(identifier.slice(0, 150));
  if (identifier.length > 2048 || !ABSOLUTE_URI.test(identifier)) {
    return wrong(`${shown} is not an absolute URI without a fragment; example: https://api.example.com (RFC 8707 §2)`);
  }
  if (/^https?:/.test(identifier) && !/^https?:\/\/[^/?]/.test(identifier)) return wrong(`${shown} has no host`);
  if (identifier === ownAudience(true, issuer))
    return wrong("this is the server's own UserInfo endpoint: no API can have its tokens");
  if (identifier === adminApiIdentifier(issuer)) return wrong("this is the server's own admin API");
  if (identifier === issuer)
    return wrong("this is the issuer's own identifier: a scope without an API already belongs to the issuer");
  return [];
}

function tokenProblems({ tokenFormat, alg }: TokenKind): readonly Remark[] {
  const problem = (allowed: readonly string[]) => `must be one of ${allowed.join(", ")}`;
  return [
    ...(tokenFormat === undefined || formatOf(tokenFormat) !== undefined
      ? []
      : [{ field: "token_format", problem: problem(TOKEN_FORMATS) }]),
    ...(alg === undefined || signingAlgOf(alg) !== undefined ? [] : [{ field: "alg", problem: problem(SIGNING_ALGS) }]),
  ];
}

function formatOf(text: string): Resource["tokenFormat"] | undefined {
  return TOKEN_FORMATS.find((format) => format === text);
}

/** The requested values that are valid; `tokenProblems` reports the others. */
function tokenKind(
  { tokenFormat, alg }: TokenKind,
  before: Pick<Resource, "tokenFormat" | "alg">,
): Pick<Resource, "tokenFormat" | "alg"> {
  return {
    tokenFormat: formatOf(tokenFormat ?? "") ?? before.tokenFormat,
    alg: signingAlgOf(alg ?? "") ?? before.alg,
  };
}

/** Makes the first key of its alg, so that no token request waits for it. Otherwise a server would make it. */
async function makeItsKey(resource: Resource, { storage, secrets, now }: AdminContext): Promise<void> {
  const { tokenFormat, alg } = resource;
  if (secrets !== undefined && tokenFormat === "jwt" && alg !== DEFAULT_ALG) {
    await ensureKeys(storage, secrets(), now(), [alg]);
  }
}

function resourceProblems({ name, tokenLifetime }: Resource, stands: string | null): readonly Remark[] {
  const problems: Remark[] = [];
  const naming = displayTextProblem(name, MAX_RESOURCE_NAME, stands);
  if (naming !== undefined) problems.push({ field: "name", problem: naming });
  const fits =
    tokenLifetime === null ||
    (Number.isInteger(tokenLifetime) && tokenLifetime >= 1 && tokenLifetime <= MAX_TOKEN_LIFETIME);
  if (!fits) problems.push({ field: "token_lifetime", problem: `must be 1 to ${MAX_TOKEN_LIFETIME} seconds` });
  return problems;
}

/** `before`: null for a new API, whose scopes can't exist yet. A scope that was deleted since is no problem. */
function defaultScopeProblems(
  { identifier, defaultScopes = [] }: Resource,
  before: Resource | null,
  scopes: readonly Scope[],
): readonly Remark[] {
  const field = "default_scope";
  const problems: Remark[] = [];
  const known = new Map(withOpenIdScopes(scopes).map((scope) => [scope.name, scope]));
  for (const name of defaultScopes) {
    const shown = JSON.stringify(name.slice(0, 150));
    const scope = known.get(name);
    if (!isScopeName(name)) problems.push({ field, problem: `${shown} is not a valid scope name (RFC 6749 §3.3)` });
    else if (scope !== undefined && scope.resource !== identifier)
      problems.push({ field, problem: `${shown} is not a scope of this API` });
    else if (scope === undefined && before !== null && !before.defaultScopes?.includes(name))
      problems.push({ field, problem: `${shown}: there is no such scope; create it first` });
  }
  if (defaultScopes.join(" ").length > LONGEST_DEFAULT)
    problems.push({ field, problem: `at most ${LONGEST_DEFAULT} characters are allowed` });
  return problems.slice(0, 10);
}

function unknownScope(name: string): never {
  if (isAdminScope(name)) return refuse("unknown", "name", `${name} is built into the server and can't be changed`);
  if (isBuiltInScope(name)) {
    const how = `to change its texts, create a scope of this name: assent scope create ${name} --description TEXT`;
    return refuse("unknown", "name", `${name} is built into the server; ${how}`);
  }
  return refuse("unknown", "name", `there is no scope ${JSON.stringify(name)}: to list all, run assent scope list`);
}

function unknownResource(identifier: string): never {
  return refuse(
    "unknown",
    "identifier",
    `there is no API ${JSON.stringify(identifier)}: to list all, run assent resource list`,
  );
}
