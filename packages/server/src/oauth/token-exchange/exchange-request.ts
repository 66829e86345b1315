/** The request of a token exchange, and token type identifiers (RFC 8693 §§2.1, 3). */

import { refuse } from "../errors.ts";
import type { GrantRequest } from "../grants/grant-type.ts";
import type { ExchangedKind, TokenExchangePolicy } from "../model.ts";

/** One request, with the operator's settings for its client. */
export interface Exchange {
  readonly request: GrantRequest;
  readonly policy: TokenExchangePolicy;
  readonly target: Target;
}

/** The API that the request names. `named` undefined: the scopes decide. */
export interface Target {
  readonly named: string | undefined;
}

const PREFIX = "urn:ietf:params:oauth:token-type:";
const KINDS: readonly ExchangedKind[] = ["access_token", "refresh_token", "id_token", "jwt"];

/** Undefined: not a type that can be exchanged here. */
export function kindOf(type: string): ExchangedKind | undefined {
  return KINDS.find((kind) => type === PREFIX + kind);
}

/** The kind of token that is wanted. Refuses what this server does not issue by an exchange. */
export function requestedKind(type: string | undefined): "access_token" | "jwt" {
  const kind = type === undefined ? "access_token" : kindOf(type);
  return kind === "access_token" || kind === "jwt" ? kind : refuse("requested_token_type_unsupported");
}
