/** What a server offers: all grant types that it knows, less those that its operator switched off (RFC 6749 §1.3, RFC 8414 §2). */

import { deviceCode } from "./device-code.ts";
import { type GrantType, grantTypes as ours } from "./index.ts";

/** Known without a token request: the authorization endpoint answers (RFC 6749 §4.2). */
const IMPLICIT = "implicit";

/** The response types, and the grant type that goes with each (RFC 7591 §2.1). */
export const RESPONSE_TYPES = { code: "authorization_code", token: IMPLICIT } as const;
/** `code`: RFC 6749 §4.1; `token`: the implicit grant, §4.2. */
export type ResponseType = keyof typeof RESPONSE_TYPES;

/** Endpoints that are there only while a grant type leads to them. */
export type GrantEndpoint = "authorization" | "token" | "deviceAuthorization";

/** The grant types of one server. */
export interface GrantRegistry {
  /** All that it knows, in the order of its metadata. */
  readonly known: readonly string[];
  /** Those of them that it offers. */
  readonly offered: readonly string[];
  offers(grantType: string): boolean;
  /** Undefined: unknown, switched off, or one without a token request. */
  redeemer(grantType: string): GrantType | undefined;
  /** Whether anything that is offered leads to it. */
  leadsTo(endpoint: GrantEndpoint): boolean;
}

/** `custom`: an embedder's own, beside ours. `offered`: what the operator's policy names; null: all. */
export function grantRegistry(
  custom: readonly GrantType[] = [],
  offered: readonly string[] | null = null,
): GrantRegistry {
  const redeemable = new Map([...ours, ...custom.map((grant) => [grant.grantType, grant] as const)]);
  const known = [...redeemable.keys(), IMPLICIT];
  const names = known.filter((name) => offered?.includes(name) ?? true);
  const set: ReadonlySet<string> = new Set(names);
  return {
    known,
    offered: names,
    offers: (grantType) => set.has(grantType),
    redeemer: (grantType) => (set.has(grantType) ? redeemable.get(grantType) : undefined),
    leadsTo(endpoint) {
      switch (endpoint) {
        case "authorization":
          return Object.values(RESPONSE_TYPES).some((grantType) => set.has(grantType));
        case "token":
          return names.some((grantType) => redeemable.has(grantType));
        case "deviceAuthorization":
          return set.has(deviceCode.grantType);
      }
    },
  };
}
