/** Connects dynamic registration with the server. Loaded only where it is switched on. */

import { ClientRegistration, type RegistrationParts } from "./client-registration/index.ts";
import type { Config } from "./config.ts";

export function clientRegistration(
  config: Config,
  parts: Pick<RegistrationParts, "admin" | "attemptKey" | "changed">,
): ClientRegistration {
  const { registrationGrantTypes, registrationScopes, registrationRedirectHosts, registrationDefaultScopes } = config;
  return new ClientRegistration({
    ...parts,
    mode: config.registration === "open" ? "open" : "token",
    policy: {
      grantTypes: registrationGrantTypes,
      scopes: registrationScopes,
      redirectHosts: registrationRedirectHosts,
      defaultScopes: registrationDefaultScopes,
    },
  });
}
