/** The shape of an embedder's grant types, held at the start and at each decision (RFC 6749 §4.5). */

import type { Millis } from "../model.ts";
import type { CustomGrant, CustomGrantDecision } from "./custom.ts";

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
