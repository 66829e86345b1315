/**
 * Rules about tokens and sign-ins. The server and its commands use this file as their configuration, if it is in their working directory
 * or ASSENT_CONFIG names it.
 */

import type { Policies } from "@assent/server";

const policies: Policies = {
  issue: {
    timeout: 500,

    decide({ clientId, grantType, scopes, amr, acr }) {
      // Nobody deletes photos through an app that runs by itself.
      if (grantType === "client_credentials" && scopes.includes("photos:delete")) {
        return { allow: false, reason: `${clientId} may not delete` };
      }
      // After a sign-in with a password alone, tokens can read, for five minutes at a time.
      const strong = acr !== null && amr.length > 1;
      if (grantType !== "client_credentials" && !strong) {
        return { allow: true, scopes: scopes.filter((name) => !name.endsWith(":delete")), lifetime: 300 };
      }
      return { allow: true };
    },
  },

  signIn: {
    async decide({ when, address, knownDevice, companies }) {
      if (companies.length > 0 && !address.startsWith("192.0.2.")) {
        return { allow: false, message: "Your company lets you sign in from its offices only.", reason: "outside" };
      }
      // Somebody in an unknown browser needs a second step. A session proves a known one.
      return when === "sign_in" && !knownDevice ? { allow: true, require: "mfa" } : { allow: true };
    },
  },
};

export default { policies };
