/** The grant types that are ours (RFC 6749 §1.3): one file each; a new one is a line here. */

import type { TokenResponse } from "../access-token.ts";
import type { Client } from "../model.ts";
import type { ParsedParameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import { deviceCode } from "./device-code.ts";
import { jwtBearer } from "./jwt-bearer.ts";
import { password } from "./password.ts";
import { refreshToken } from "./refresh-token.ts";
import { saml2Bearer } from "./saml2-bearer.ts";

/** A token request whose form, client and right to the grant type the endpoint has checked. */
export interface GrantRequest extends ParsedParameters {
  readonly client: Client;
  /** Where the request came from. */
  readonly address: string;
}

/** How one grant type is exchanged for tokens. What all grants share is the endpoint's. */
export interface GrantType {
  /** The value of `grant_type`. */
  readonly grantType: string;
  /** Refuses by throwing; anything it returns is a success. */
  redeem(request: GrantRequest, context: OAuthContext): Promise<TokenResponse>;
}

export const grantTypes: ReadonlyMap<string, GrantType> = new Map(
  [authorizationCode, refreshToken, clientCredentials, password, deviceCode, jwtBearer, saml2Bearer].map((grant) => [
    grant.grantType,
    grant,
  ]),
);
