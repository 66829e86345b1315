/** The implicit grant type (RFC 6749 §4.2): an access token instead of a code. */

import type { GrantTypeDescriptor } from "./grant-type.ts";

/** The token endpoint has no part in it: the authorization endpoint sends the token. */
export const implicit: GrantTypeDescriptor = {
  grantType: "implicit",
  parameters: {},
  refreshable: false,
  startsAt: "authorization",
};
