/** Token exchange: a token of somebody for a token of this server (RFC 8693). */

import type { GrantType } from "../grants/grant-type.ts";

export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** The code is loaded with the first exchange. */
export const tokenExchange: GrantType = {
  grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
  parameters: {
    subject_token: "subject_token_missing",
    subject_token_type: "subject_token_type_missing",
    ...{ actor_token: null, actor_token_type: null, requested_token_type: null },
    ...{ audience: null, scope: null },
  },
  refreshable: false,
  startsAt: null,

  async entitle(request, context) {
    const { entitle } = await import("./exchange.ts");
    return entitle(request, context);
  },

  issuedTokenType: ({ single }) => single.get("requested_token_type") ?? ACCESS_TOKEN_TYPE,
};
