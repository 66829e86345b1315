/** The client credentials grant: a client in its own name (RFC 6749 §4.4; RFC 9068 §2.2). */

import { NEVER } from "../model.ts";
import type { GrantType } from "./grant-type.ts";

/**
 * No owner takes part, so there is no grant and no consent. The server stores nothing, and there is nothing to refresh
 * (§4.4.3).
 */
export const clientCredentials: GrantType = {
  grantType: "client_credentials",
  parameters: { scope: null },
  refreshable: false,
  startsAt: null,
  entitle: ({ client }) => ({ kind: "client", scopes: client.ownScopes, until: NEVER }),
};
