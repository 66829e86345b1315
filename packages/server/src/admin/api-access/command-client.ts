/** The client by which operators sign in with `assent login` (RFC 8628). It exists only where an operator made it. */

import { deviceCode } from "../../oauth/grants/device-code.ts";
import type { Client } from "../../oauth/model.ts";
import { NO_SECRETS } from "../client-secrets.ts";
import { updateClient } from "../clients.ts";
import type { AdminContext } from "../context.ts";
import { adminScopes, COMMAND_CLIENT } from "./admin-scopes.ts";

/**
 * Makes the client, or enables it. A server has none by default: a stranger could otherwise send an operator a code and
 * ask for their access (RFC 8628 §5.4).
 */
export async function allowLogin(context: AdminContext): Promise<Client> {
  const { storage, now } = context;
  const known = (await storage.clients.get({ clientId: COMMAND_CLIENT }))?.record;
  if (known !== undefined) {
    return known.status === "active" ? known : updateClient(COMMAND_CLIENT, { status: "active" }, context);
  }
  const at = now();
  const client: Client = {
    clientId: COMMAND_CLIENT,
    name: "Assent command line",
    type: "public",
    status: "active",
    redirectUris: [],
    grantTypes: [deviceCode.grantType, "refresh_token"],
    responseTypes: [],
    scopes: adminScopes(context.issuer).map(({ name }) => name),
    ownScopes: [],
    authMethod: "none",
    ...NO_SECRETS,
    jwks: null,
    jwksUri: null,
    tlsSubject: null,
    certificateBound: false,
    tokenEndpointAudience: false,
    requirePkce: false,
    allowPlainPkce: false,
    firstParty: false,
    refresh: "rotate",
    logo: null,
    clientUri: null,
    policyUri: null,
    tosUri: null,
    createdAt: at,
    updatedAt: at,
    reducedAt: null,
  };
  const outcome = await storage.clients.put({ client, expect: 0 });
  // Somebody else made it at the same moment.
  if (outcome.kind === "conflict") return allowLogin(context);
  return client;
}
