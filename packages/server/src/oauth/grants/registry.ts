/**
 * The grant types of a server: all that it knows, without those that its operator switched off (RFC 6749 §1.3, RFC 8414
 * §2).
 */

import type { Client } from "../model.ts";
import type { OfferedGrants } from "../ports.ts";
import { tokenExchange } from "../token-exchange/index.ts";
import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import { deviceCode } from "./device-code.ts";
import type { GrantType, GrantTypeDescriptor, StartingEndpoint } from "./grant-type.ts";
import { implicit } from "./implicit.ts";
import { jwtBearer } from "./jwt-bearer.ts";
import { password } from "./password.ts";
import { refreshToken } from "./refresh-token.ts";
import { saml2Bearer } from "./saml2-bearer.ts";

/** The built-in grant types, in the order of the metadata. To add one, add a line here. */
const redeemed: readonly GrantType[] = [
  authorizationCode,
  refreshToken,
  clientCredentials,
  password,
  deviceCode,
  jwtBearer,
  saml2Bearer,
  tokenExchange,
];

/** Also those that the token endpoint has no part in. */
export const grantTypes: readonly GrantTypeDescriptor[] = [...redeemed, implicit];

export const grantTypeNames: readonly string[] = grantTypes.map(({ grantType }) => grantType);

/** The response types, and the grant type that each needs (RFC 7591 §2.1). */
export const RESPONSE_TYPES = { code: authorizationCode.grantType, token: implicit.grantType } as const;
/** `code`: RFC 6749 §4.1; `token`: the implicit grant, §4.2. */
export type ResponseType = keyof typeof RESPONSE_TYPES;

/** Endpoints that exist only while an offered grant type needs them. */
export type GrantEndpoint = StartingEndpoint | "token";

/** The grant types of one server. */
export interface GrantRegistry extends OfferedGrants {
  /** All that the server knows, in the order of its metadata. */
  readonly known: readonly string[];
  /** Those that it offers. */
  readonly offered: readonly string[];
  /** Undefined: it is unknown, switched off, or has no token request. */
  redeemer(grantType: string): GrantType | undefined;
  /** Whether an offered grant type needs this endpoint. */
  leadsTo(endpoint: GrantEndpoint): boolean;
}

/**
 * `custom`: grant types of an embedder, in addition to the built-in ones. `offered`: the names in the operator's
 * setting; null: all.
 */
export function grantRegistry(
  custom: readonly GrantType[] = [],
  offered: readonly string[] | null = null,
): GrantRegistry {
  const byName = new Map([...redeemed, ...custom].map((grant) => [grant.grantType, grant]));
  const known: readonly GrantTypeDescriptor[] = [...byName.values(), implicit];
  const active = known.filter(({ grantType }) => offered?.includes(grantType) ?? true);
  const names = new Set(active.map(({ grantType }) => grantType));
  return {
    known: known.map(({ grantType }) => grantType),
    offered: [...names],
    offers: (grantType) => names.has(grantType),
    redeemer: (grantType) => (names.has(grantType) ? byName.get(grantType) : undefined),
    leadsTo: (endpoint) =>
      active.some(({ grantType, startsAt }) => (endpoint === "token" ? byName.has(grantType) : startsAt === endpoint)),
  };
}

/** A client may use a grant type that it is registered for and the server offers. */
export function mayUse(client: Client, grantType: string, { grants }: { readonly grants: OfferedGrants }): boolean {
  return grants.offers(grantType) && client.grantTypes.includes(grantType);
}
