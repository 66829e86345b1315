/** What OpenID Connect adds to the server's metadata (OpenID Connect Discovery §3). It lists exactly what works. */

import { endpoints } from "../endpoints.ts";
import type { Client, SigningAlg } from "../model.ts";
import { CLAIMS_OF_SCOPE, UI_LOCALES } from "./scopes.ts";

/** In the order of preference; RS256 first, because every client must know it (§15.1). */
export const ID_TOKEN_ALGS: readonly SigningAlg[] = ["RS256", "ES256", "ES384", "EdDSA", "PS256"];

/** OpenID Connect Registration §2: clients that registered no algorithm expect RS256. */
export function idTokenAlgOf({ idTokenAlg }: Pick<Client, "idTokenAlg">): SigningAlg {
  return idTokenAlg ?? "RS256";
}

/** `ownClaims`: the names of the configuration's claims. */
export function openIdMetadata(issuer: string, ownClaims: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    userinfo_endpoint: issuer + endpoints.userInfo,
    end_session_endpoint: issuer + endpoints.endSession,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ID_TOKEN_ALGS,
    claim_types_supported: ["normal"],
    claims_supported: [
      ...["iss", "sub", "aud", "azp", "exp", "iat", "auth_time", "nonce", "acr", "amr"],
      ...["at_hash", "sid", "organization"],
      ...Object.values(CLAIMS_OF_SCOPE).flat(),
      ...ownClaims,
    ],
    claims_parameter_supported: true,
    // Pages fit a small screen. A popup can't talk to the page that opened it (Cross-Origin-Opener-Policy).
    display_values_supported: ["page", "touch"],
    ui_locales_supported: UI_LOCALES,
    request_parameter_supported: false,
    // Without this line, clients assume that it works (§3).
    request_uri_parameter_supported: false,
  };
}
