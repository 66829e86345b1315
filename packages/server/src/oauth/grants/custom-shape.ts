/** The shape of an embedder's grant types, held at the start and at each decision (RFC 6749 §4.5). */

import type { Client, Millis } from "../model.ts";

/**
 * A grant type of your own. It says for whom a token is, and how far it may reach; the server authenticates the client, checks that it is registered for
 * the grant, judges scope and resource, asks the consent record, and issues. There is never a refresh token: the client comes again.
 */
export interface CustomGrant {
  /** The value of `grant_type`: an absolute URI, at most 200 characters, of a name that is yours (RFC 6749 §4.5). */
  readonly grantType: string;
  /**
   * What its requests carry beside `scope`, `resource` and the client's own credentials. A request without a required one is refused before
   * `redeem` is asked. Names are like `voucher_code`; at most 20.
   */
  readonly parameters: Readonly<Record<string, "required" | "optional">>;
  /**
   * Looks at what was presented, and decides; refuses by `request.refuse`. Anything else that it throws is a fault: the client gets
   * `server_error`, the log the error. The client waits for it, so bound what it waits for.
   */
  redeem(request: CustomGrantRequest): CustomGrantDecision | Promise<CustomGrantDecision>;
}

/** A token request of an authenticated client that is registered for the grant. */
export interface CustomGrantRequest {
  /**
   * The value of a declared parameter, as the token endpoint takes it: valid Unicode without control characters, at most 2,048 characters long (one that is
   * called `assertion` 65,536, `token` 16,384); "" where an optional one was left out. Throws for one that isn't declared.
   */
  parameter(name: string): string;
  readonly client: Readonly<Pick<Client, "clientId" | "name" | "type">>;
  /** Where the request came from: an IP address. */
  readonly address: string;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Refuses the request. `detail` is for the log alone: never a secret, nor what the client presented. `invalid_grant`: what was presented isn't accepted;
   * `invalid_request`: it can't be read; `temporarily_unavailable`: nobody can say now, and another try makes sense.
   */
  refuse(error: CustomGrantError, detail?: string): never;
}

export type CustomGrantError = "invalid_grant" | "invalid_request" | "temporarily_unavailable";

/** For whom a token is. */
export type CustomGrantDecision = TokenForOwner | TokenForClient;

export interface Decided {
  /** When the token ends at the latest, in whole milliseconds since the epoch; left out: the API's lifetime decides alone. */
  readonly expiresAt?: number;
  /**
   * What may be accepted once: an id of at most 512 characters, among those of this grant type, and when it was made. The first request with it gets a
   * token, on all processes; later ones are refused until `until`. A request that is refused for its form, its scope, its API or its
   * owner uses nothing up; one that then lacks a consent has used it. One that was made before the database was
   * put back to an earlier time is refused: whether it was used is forgotten. Both in whole milliseconds since the epoch, `until` at most 366 days ahead.
   */
  readonly once?: { readonly id: string; readonly madeAt: number; readonly until: number };
}

/** A token for a person. Operators and scopes that need a role are beyond it. */
export interface TokenForOwner extends Decided {
  readonly for: "owner";
  /** `id`: the `sub` of this server's tokens. */
  readonly owner: { readonly by: "id" | "username"; readonly value: string };
  /**
   * `consent`: what the owner allowed this client on a page, and still holds, must cover the request. `operator policy`: you answer for it; it is put
   * on record, the owner sees it on the page of their apps, and once they took it back it is refused.
   */
  readonly under: "consent" | "operator policy";
  /** The most that the token may have, in names of scopes; what the client may not ask for is never in it. */
  readonly scopes: readonly string[];
  /** When the person last proved who they are, in whole milliseconds since the epoch; left out: the token doesn't say. */
  readonly authTime?: number;
}

/** A token for the client itself, within the scopes that it holds for itself; a confidential one (RFC 6749 §4.4). */
export interface TokenForClient extends Decided {
  readonly for: "client";
  /** The most that the token may have; left out: all of its own. */
  readonly scopes?: readonly string[];
}

/** Of an id that is remembered. */
const MAX_ID = 512;
const LONGEST_MEMORY: Millis = 366 * 86_400_000;

/** What an embedder's code answered, held to its shape: a slip in it must never become a token that lives for ever or reaches further. */
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

/** RFC 3986 §4.3, without what lists of them are separated by. */
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[\w.~:/?@!$&'()*+;=%-]+$/i;
const MAX_NAME = 200;
const PARAMETER = /^[a-z][a-z0-9_]{0,39}$/;
/** What every token request may carry, and no grant can take for its own. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["grant_type", "scope", "resource", "audience", "authorization_details"],
  ...["client_id", "client_secret", "client_assertion", "client_assertion_type", "dpop_jkt"],
]);
const MAX_GRANTS = 50;
const MAX_PARAMETERS = 20;

/** All that is wrong with what an embedder calls its grant types, one line each. `ours`: names that are taken. */
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
