/** The parameter `claims`: single claims that a client asks for (OpenID Connect Core §5.5). */

import { ACR_VALUES } from "../authentication-context.ts";
import { refuse } from "../errors.ts";
import type { Acr } from "../model.ts";
import type { RequestedClaims } from "../ports.ts";
import { CLAIMS_OF_SCOPE } from "./scopes.ts";

/** Objects and lists inside each other. A valid request needs four: the whole, a member, a claim, its values. */
const DEEPEST = 6;

type Members = Readonly<Record<string, unknown>>;

/** The scope of each claim. Other claims have no effect (§5.5). */
const SCOPE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(CLAIMS_OF_SCOPE).flatMap(([scope, claims]) => claims.map((claim) => [claim, scope] as const)),
);

/** The scope that gives a claim of people's data. Undefined: the claim is none of these. */
export function scopeOfClaim(claim: string): string | undefined {
  return SCOPE_OF.get(claim);
}

/** Reads the parameter, or refuses it. Its length is bounded already. `ownScopeOf`: the scope of a configured claim. */
export function readClaims(text: string, ownScopeOf: (claim: string) => string | undefined): RequestedClaims {
  const whole = parsed(text);
  if (!isObject(whole)) return refuse("claims_invalid", "no JSON object");
  if (!isShallow(whole, DEEPEST)) return refuse("claims_invalid", "too deep, or with a member __proto__");
  const userInfo = claimsIn(whole, "userinfo");
  const idToken = claimsIn(whole, "id_token");
  const scopeOf = (name: string) => SCOPE_OF.get(name) ?? ownScopeOf(name);
  const known = (claims: Members) => Object.keys(claims).filter((name) => scopeOf(name) !== undefined);
  const [inUserInfo, inIdToken] = [known(userInfo), known(idToken)];
  const scopes = [...inUserInfo, ...inIdToken].flatMap((name) => scopeOf(name) ?? []);
  return {
    scopes: [...new Set(scopes)],
    idToken: inIdToken,
    people: peopleIn([userInfo, idToken]),
    ...acrIn(idToken),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0 || Object.hasOwn(value, "__proto__")) return false;
  return Object.values(value).every((one) => isShallow(one, levels - 1));
}

/** The claims of one member. Each is null or an object (§5.5.1). */
function claimsIn(whole: Members, member: string): Members {
  if (!Object.hasOwn(whole, member)) return {};
  const claims = whole[member];
  if (!isObject(claims)) return refuse("claims_invalid", `${member} is no object`);
  for (const claim of Object.values(claims)) {
    if (claim === null) continue;
    if (!isObject(claim)) return refuse("claims_invalid", "a claim is neither null nor an object");
    const { essential = false, values = [] } = claim;
    if (typeof essential !== "boolean") return refuse("claims_invalid", "essential is no boolean");
    if (!Array.isArray(values)) return refuse("claims_invalid", "values is no list");
  }
  return claims;
}

/** What `value` and `values` of a claim name. */
function wantedValues(claim: unknown): readonly unknown[] {
  if (!isObject(claim)) return [];
  const { value, values } = claim;
  return [...(value === undefined ? [] : [value]), ...(Array.isArray(values) ? (values as readonly unknown[]) : [])];
}

/** One of the values is enough (§5.5.1). If both members name people, a person must be in both. */
function peopleIn(members: readonly Members[]): readonly string[] | null {
  const lists = members.map(({ sub }) => wantedValues(sub)).filter((values) => values.length > 0);
  const [first, ...others] = lists;
  if (first === undefined) return null;
  return first.filter((value) => typeof value === "string").filter((sub) => others.every((list) => list.includes(sub)));
}

/** §5.5.1.1. The weakest level is enough. Without `essential`, levels that the server doesn't know have no effect. */
function acrIn({ acr: claim }: Members): Pick<RequestedClaims, "acr" | "acrUnknown"> {
  const wanted = wantedValues(claim);
  const acr: Acr | null = ACR_VALUES.find((one) => wanted.includes(one)) ?? null;
  const essential = isObject(claim) && claim["essential"] === true;
  return { acr, acrUnknown: essential && wanted.length > 0 && acr === null };
}
