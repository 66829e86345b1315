/** The implicit grant type (RFC 6749 §4.2): an access token in place of a code. */

import type { GrantTypeDescriptor } from "./grant-type.ts";

/** The token endpoint never sees it: the authorization endpoint answers. */
export const implicit: GrantTypeDescriptor = {
  grantType: "implicit",
  parameters: {},
  refreshable: false,
  startsAt: "authorization",
};
