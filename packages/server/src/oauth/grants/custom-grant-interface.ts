/** The shape of an embedder's grant types, checked at the start and at each decision (RFC 6749 §4.5). */

import type { Client, Millis } from "../model.ts";

/**
 * A grant type of your own. It decides for whom a token is, and with which scopes at most. The server authenticates the
 * client, checks that it is registered for the grant type, limits scope and resource, checks the consent record, and
 * issues the token. There is never a refresh token: the client comes again.
 */
export interface CustomGrant {
  /** The value of `grant_type`: an absolute URI of at most 200 characters, in a domain that you own (RFC 6749 §4.5). */
  readonly grantType: string;
  /**
   * The parameters of its requests, besides `scope`, `resource` and the client's credentials. The server refuses a
   * request without a required one before it calls `redeem`. Names look like `voucher_code`; at most 20.
   */
  readonly parameters: Readonly<Record<string, "required" | "optional">>;
  /**
   * Checks what was presented, and decides. To refuse, call `request.refuse`. Any other error that it throws is a
   * fault: the client gets `server_error`, and the log gets the error. The client waits for it, so limit how long it
   * waits for others.
   */
  redeem(request: CustomGrantRequest): CustomGrantDecision | Promise<CustomGrantDecision>;
}

/** A token request of an authenticated client that is registered for the grant. */
export interface CustomGrantRequest {
  /**
   * The value of a declared parameter: valid Unicode without control characters, at most 2,048 characters (`assertion`:
   * 65,536; `token`: 16,384). "" if an optional one was left out. Throws for a parameter that is not declared.
   */
  parameter(name: string): string;
  readonly client: Readonly<Pick<Client, "clientId" | "name" | "type">>;
  /** The IP address of the request. */
  readonly address: string;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Refuses the request. `detail` is for the log only: never put a secret, or what the client presented, into it.
   * `invalid_grant`: what was presented is not accepted. `invalid_request`: it can't be read.
   * `temporarily_unavailable`: the answer is unknown now, and another try makes sense.
   */
  refuse(error: CustomGrantError, detail?: string): never;
}

export type CustomGrantError = "invalid_grant" | "invalid_request" | "temporarily_unavailable";

/** For whom the token is. */
export type CustomGrantDecision = TokenForOwner | TokenForClient;

export interface Decided {
  /** The latest end of the token, in whole milliseconds since the epoch. Absent: the API's lifetime decides. */
  readonly expiresAt?: number;
  /**
   * A value that is accepted once: an id of at most 512 characters, unique within this grant type, and the time when it
   * was made. The first request with it gets a token, on all processes; later ones are refused until `until`. A request
   * that is refused for its form, scope, API or owner does not use it up; a request that then lacks a consent does. A
   * value that was made before the database was restored is refused, because its use may be forgotten. Both times in
   * whole milliseconds since the epoch, `until` at most 366 days ahead.
   */
  readonly once?: { readonly id: string; readonly madeAt: number; readonly until: number };
}

/** A token for a person. It can't be for an operator, and can't have scopes that need a role. */
export interface TokenForOwner extends Decided {
  readonly for: "owner";
  /** `id`: the `sub` of this server's tokens. */
  readonly owner: { readonly by: "id" | "username"; readonly value: string };
  /**
   * `consent`: the owner's active consent to this client, given on a page, must cover the request. `operator policy`:
   * you are responsible. It is recorded, the owner sees it on the page of their apps, and after they revoke it the
   * server refuses it.
   */
  readonly under: "consent" | "operator policy";
  /** The most that the token can have, in names of scopes. Scopes that the client may not ask for are never in it. */
  readonly scopes: readonly string[];
  /** When the person last proved who they are, in whole milliseconds since the epoch. Absent: the token doesn't say. */
  readonly authTime?: number;
}

/** A token for the client itself, within its own scopes; for confidential clients only (RFC 6749 §4.4). */
export interface TokenForClient extends Decided {
  readonly for: "client";
  /** The most that the token can have. Absent: all of the client's own scopes. */
  readonly scopes?: readonly string[];
}

/** Maximum length of an id. */
const MAX_ID = 512;
const LONGEST_MEMORY: Millis = 366 * 86_400_000;

/**
 * Checks the shape of a decision from an embedder's code: a mistake in it must never give a token a longer life or more
 * scopes.
 */
export function readDecision(decision: CustomGrantDecision, grantType: string, now: Millis): CustomGrantDecision {
  const wrong = (what: string): never => {
    throw new TypeError(`the grant type ${grantType} decided on something else than is known: ${what}`);
  };
  if (typeof decision !== "object" || decision === null) return wrong("no object");
  const { scopes, expiresAt, once } = decision;
  // Storage holds whole milliseconds.
  const isTime = (value: unknown) => Number.isSafeInteger(value);
  const areNames = Array.isArray(scopes) && scopes.every((name) => typeof name === "string");
  if (decision.for === "owner") {
    const { owner, under, authTime } = decision;
    if (owner?.by !== "id" && owner?.by !== "username") return wrong("owner.by");
    if (typeof owner.value !== "string") return wrong("owner.value");
    if (under !== "consent" && under !== "operator policy") return wrong("under");
    if (!areNames) return wrong("scopes");
    if (authTime !== undefined && !(isTime(authTime) && authTime >= 0 && authTime <= now)) return wrong("authTime");
  } else {
    if (decision.for !== "client") return wrong("for");
    if (scopes !== undefined && !areNames) return wrong("scopes");
  }
  if (expiresAt !== undefined && !isTime(expiresAt)) return wrong("expiresAt");
  if (once !== undefined) {
    if (typeof once?.id !== "string" || once.id === "" || once.id.length > MAX_ID) return wrong("once.id");
    if (!isTime(once.madeAt)) return wrong("once.madeAt");
    if (!isTime(once.until) || once.until > now + LONGEST_MEMORY) return wrong("once.until");
  }
  return decision;
}

/** RFC 3986 §4.3, without the characters that separate URIs in lists. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[\w.~:/?@!$&'()*+;=%-]+$/i;
const MAX_NAME = 200;
const PARAMETER = /^[a-z][a-z0-9_]{0,39}$/;
/** Parameters of every token request, which no grant type can declare as its own. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["grant_type", "scope", "resource", "audience", "authorization_details"],
  ...["client_id", "client_secret", "client_assertion", "client_assertion_type", "dpop_jkt"],
]);
const MAX_GRANTS = 50;
const MAX_PARAMETERS = 20;

/** All problems with the names of an embedder's grant types, one line each. `ours`: names that are taken. */
export function customGrantProblems(custom: unknown, ours: readonly string[]): readonly string[] {
  if (!Array.isArray(custom)) return [": found no list, wanted a list of grant types"];
  if (custom.length > MAX_GRANTS) return [`: found ${custom.length}, wanted ${MAX_GRANTS} at the most`];
  const seen = new Set(ours);
  return custom.flatMap((grant: unknown, at) => {
    const { grantType, parameters, redeem } = (grant ?? {}) as Partial<Record<keyof CustomGrant, unknown>>;
    const problems: string[] = [];
    if (typeof grantType !== "string" || grantType.length > MAX_NAME || !ABSOLUTE_URI.test(grantType)) {
      problems.push("grantType: wanted an absolute URI of at most 200 characters (RFC 6749 §4.5)");
    } else if (seen.has(grantType)) {
      problems.push(`grantType: ${grantType} is taken`);
    } else {
      seen.add(grantType);
    }
    if (typeof redeem !== "function") problems.push("redeem: wanted a function");
    problems.push(...parameterProblems(parameters));
    return problems.map((problem) => `[${at}].${problem}`);
  });
}

function parameterProblems(parameters: unknown): readonly string[] {
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    return ["parameters: wanted an object of names, each required or optional"];
  }
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS)
    return [`parameters: found ${entries.length}, wanted ${MAX_PARAMETERS} at the most`];
  return entries.flatMap(([name, kind]) => {
    if (!PARAMETER.test(name)) return [`parameters: ${JSON.stringify(name)} is not a name like voucher_code`];
    if (TAKEN.has(name)) return [`parameters: ${name} is the token endpoint's own`];
    return kind === "required" || kind === "optional" ? [] : [`parameters.${name}: wanted "required" or "optional"`];
  });
}
