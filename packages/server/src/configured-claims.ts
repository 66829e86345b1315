/** Claims of an operator's own, which code in the configuration gives (OpenID Connect Core §5.1.2). */

import { callCode, isPlain } from "./configured-code.ts";
import { refuse } from "./oauth/errors.ts";
import type { Millis } from "./oauth/model.ts";
import type { ClaimsSubject, OwnClaims } from "./oauth/openid/own-claims.ts";
import { CLAIMS_OF_SCOPE, OFFLINE_ACCESS, OPENID } from "./oauth/openid/scopes.ts";

/** The claims of one scope. The server gives them only where the owner allowed that scope. */
export interface CustomClaims {
  /** The name of the scope. Register it without an API (`assent scope create`); owners read its text. */
  readonly scope: string;
  /** The names of the claims, at most 20. They are in the metadata, and no others are given. */
  readonly claims: readonly string[];
  /** The longest time that a request waits for `give`, from 10 to 10,000 milliseconds. Absent: 1,000. */
  readonly timeout?: Millis;
  /**
   * The claims of a person, as plain JSON values of at most 4 KiB together. Leave out what is unknown. If it throws, takes
   * too long or gives anything else, the request fails with `server_error`.
   */
  give(about: ClaimsRequest): GivenClaims | Promise<GivenClaims>;
}

export type GivenClaims = Readonly<Record<string, unknown>>;

export interface ClaimsRequest extends ClaimsSubject {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
}

const TIMEOUT: Millis = 1_000;
const TIMEOUTS = { least: 10, most: 10_000 } as const;
const MOST_SCOPES = 20;
const MOST_CLAIMS = 20;
/** In bytes of JSON, for one scope. */
const MAX_BYTES = 4096;
/** Objects and lists inside each other. */
const DEEPEST = 6;

/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/;
const NAME = /^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/;

/** Names that mean something else in tokens of this server or of others, or that data of people gives. */
const RESERVED: ReadonlySet<string> = new Set([
  ...[
    "iss",
    "sub",
    "aud",
    "exp",
    "nbf",
    "iat",
    "jti",
    "nonce",
    "auth_time",
    "acr",
    "amr",
    "azp",
    "sid",
    "organization",
  ],
  ...["at_hash", "c_hash", "s_hash", "sub_jwk", "cnf", "act", "may_act", "client_id", "scope", "events", "status"],
  ...["_claim_names", "_claim_sources", "__proto__", "constructor", "prototype"],
  ...Object.values(CLAIMS_OF_SCOPE).flat(),
]);

/** All problems with the claims of a configuration, one line each. */
export function customClaimsProblems(custom: unknown): readonly string[] {
  if (!Array.isArray(custom)) return ["customClaims: found no list, wanted a list of { scope, claims, give }"];
  if (custom.length > MOST_SCOPES)
    return [`customClaims: found ${custom.length} scopes, wanted ${MOST_SCOPES} at the most`];
  const scopes = new Set<unknown>();
  const names = new Set<unknown>(RESERVED);
  return custom.flatMap((entry: unknown, at) => {
    const { scope, claims, timeout, give } = (entry ?? {}) as Partial<Record<keyof CustomClaims, unknown>>;
    const problems = [...scopeProblems(scope, scopes), ...claimProblems(claims, names)];
    const { least, most } = TIMEOUTS;
    if (timeout !== undefined && !(Number.isInteger(timeout) && Number(timeout) >= least && Number(timeout) <= most))
      problems.push(`timeout: wanted whole milliseconds from ${least} to ${most}`);
    if (typeof give !== "function") problems.push("give: wanted a function");
    return problems.map((problem) => `customClaims[${at}].${problem}`);
  });
}

/** Adds the name to `taken`. */
function scopeProblems(scope: unknown, taken: Set<unknown>): string[] {
  if (typeof scope !== "string" || !SCOPE.test(scope)) return ["scope: wanted the name of a scope"];
  // The texts that owners read of these two say nothing of data.
  if (scope === OPENID || scope === OFFLINE_ACCESS) return [`scope: ${scope} gives no claims`];
  if (taken.has(scope)) return [`scope: ${scope} is there already`];
  taken.add(scope);
  return [];
}

/** Adds the names to `taken`. */
function claimProblems(claims: unknown, taken: Set<unknown>): string[] {
  if (!Array.isArray(claims) || claims.length === 0 || claims.length > MOST_CLAIMS)
    return [`claims: wanted a list of 1 to ${MOST_CLAIMS} names`];
  return claims.flatMap((name: unknown) => {
    if (typeof name !== "string" || !NAME.test(name)) return ["claims: wanted names of visible ASCII characters"];
    if (taken.has(name)) return [`claims: ${name} is reserved, or there already`];
    taken.add(name);
    return [];
  });
}

/** The claims of a configuration, by scope and by name. */
export class ConfiguredClaims implements OwnClaims {
  readonly #entries: readonly CustomClaims[];

  constructor(entries: readonly CustomClaims[]) {
    this.#entries = entries;
  }

  scopeOf(claim: string): string | undefined {
    return this.#entries.find(({ claims }) => claims.includes(claim))?.scope;
  }

  async ofScopes(scopes: readonly string[], about: ClaimsSubject): Promise<GivenClaims> {
    const wanted = this.#entries.filter(({ scope }) => scopes.includes(scope));
    const given = await Promise.all(wanted.map((entry) => give(entry, about)));
    return Object.assign({}, ...given);
  }

  async named(names: readonly string[], about: ClaimsSubject): Promise<GivenClaims> {
    const scopes = names.flatMap((name) => this.scopeOf(name) ?? []);
    const all = await this.ofScopes(scopes, about);
    return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  }
}

/** Fails closed. */
async function give(entry: CustomClaims, about: ClaimsSubject): Promise<GivenClaims> {
  const { scope, timeout = TIMEOUT } = entry;
  const failed = (why: string) => refuse("custom_claims_failed", `the claims of the scope ${scope}: ${why}`);
  const called = await callCode((signal) => entry.give(Object.freeze({ ...about, signal })), timeout);
  if (called.kind === "failed") return failed(called.why);
  return (
    checked(called.value, entry) ?? failed("the answer is no object of the named claims with at most 4 KiB of JSON")
  );
}

/** A copy of the claims as JSON has them. Undefined: they are something else. */
function checked(found: unknown, { claims }: CustomClaims): GivenClaims | undefined {
  if (!isPlain(found)) return undefined;
  // OpenID Connect Core §5.3.2: an unknown claim is left out.
  const known = Object.entries(found).filter(([, value]) => value !== undefined && value !== null);
  if (!known.every(([name, value]) => claims.includes(name) && isJson(value, DEEPEST))) return undefined;
  const text = JSON.stringify(Object.fromEntries(known));
  return new TextEncoder().encode(text).length <= MAX_BYTES ? (JSON.parse(text) as GivenClaims) : undefined;
}

function isJson(value: unknown, levels: number): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (levels === 0 || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((one) => isJson(one, levels - 1));
  return isPlain(value) && Object.entries(value).every(([name, one]) => name.isWellFormed() && isJson(one, levels - 1));
}
