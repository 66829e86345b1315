/** Connects dynamic registration with the server. Loaded only where it is switched on. */

import { ClientRegistration, type RegistrationParts } from "./client-registration/index.ts";
import type { Config } from "./config.ts";
import type { OAuthContext } from "./oauth/ports.ts";

export function clientRegistration(
  config: Config,
  { oauth, ...parts }: Pick<RegistrationParts, "admin" | "attemptKey" | "changed"> & { readonly oauth: OAuthContext },
): ClientRegistration {
  const { registrationGrantTypes, registrationScopes, registrationRedirectHosts, registrationDefaultScopes } = config;
  return new ClientRegistration({
    ...parts,
    statements: {
      ...{ foreignJwts: oauth.foreignJwts, catalog: oauth.catalog, now: () => oauth.now() },
      issuer: oauth.issuer,
      issuers: config.registrationStatementIssuers,
    },
    outboundAllow: config.outboundAllow,
    mode: config.registration === "open" ? "open" : "token",
    policy: {
      grantTypes: registrationGrantTypes,
      scopes: registrationScopes,
      redirectHosts: registrationRedirectHosts,
      defaultScopes: registrationDefaultScopes,
    },
  });
}
