/** Operations on initial access tokens, with which clients register themselves. */

import { Type } from "typebox";
import {
  createRegistrationToken,
  MAX_INITIAL_TOKEN_TTL,
  MAX_TOKEN_USES,
  registrationTokenRecord,
  registrationTokens,
  revokeRegistrationToken,
} from "../../../admin/registration-tokens.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { ApiRefusal } from "../problem.ts";
import { body, given, ids, record, scopeText, text, texts, time, words } from "../schemas.ts";

const maybe = Type.Optional;

const policy = {
  grant_types: maybe(texts(100, 200, "for which its clients may register; default: the server's setting")),
  scope: maybe(scopeText("for which its clients may register; default: the server's setting")),
  redirect_hosts: maybe(texts(100, 255, "the only hosts of their redirect URIs; default: the server's setting")),
  default_scope: maybe(scopeText("of their requests that name none; default: the server's setting")),
  reviewed: maybe(Type.Boolean({ description: "as if you had reviewed its clients; default false" })),
  require_pkce: maybe(Type.Boolean({ description: "false: confidential clients may leave out PKCE; default true" })),
  token_endpoint_audience: maybe(
    Type.Boolean({ description: "true: assertions may name the token endpoint as audience; default false" }),
  ),
};

const tokenRecord = record({
  id: ids,
  initial_access_token: maybe(text(200, "shown only in the answer that makes it")),
  uses: Type.Integer({ description: "for how many clients" }),
  used: Type.Integer(),
  ...policy,
  created_by: text(300),
  created_at: time,
  expires_at: time,
});

export const registrations = [
  operation({
    ...at("registration_tokens.list", "GET /registration_tokens"),
    ...reads("clients"),
    summary: "List the initial access tokens",
    command: "registration list",
    query: listQuery({}),
    result: pageOf(tokenRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("registration tokens", query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const all = await registrationTokens(admin);
      const page = pageInMemory(all, (one) => one.tokenId, { limit, after: cursors.open(query.after) });
      return {
        record: { items: page.items.map((one) => registrationTokenRecord(one)), next: cursors.seal(page.next) },
      };
    },
  }),
  operation({
    ...at("registration_tokens.create", "POST /registration_tokens", 201),
    ...writes("clients"),
    summary: "Make an initial access token",
    notes: "The answer has `initial_access_token`, which nothing shows again.",
    command: "registration create-token",
    body: body({
      uses: maybe(Type.Integer({ minimum: 1, maximum: MAX_TOKEN_USES, description: "default 1" })),
      expires_in: maybe(
        Type.Integer({ minimum: 1, maximum: MAX_INITIAL_TOKEN_TTL, description: "seconds; default 86400" }),
      ),
      ...policy,
    }),
    result: tokenRecord,
    async answer({ body, admin, authority }) {
      if (body.reviewed === true && !authority.isFull)
        throw new ApiRefusal("admin_authority_exceeded", [{ field: "reviewed", problem: "needs the scope admin" }]);
      const policy = given({
        grantTypes: body.grant_types,
        scopes: words(body.scope),
        redirectHosts: body.redirect_hosts,
        defaultScopes: words(body.default_scope),
        reviewed: body.reviewed,
        requirePkce: body.require_pkce,
        tokenEndpointAudience: body.token_endpoint_audience,
      });
      const asked = { policy, createdBy: authority.actor, ...given({ uses: body.uses, lifetime: body.expires_in }) };
      const { token, initialAccessToken } = await createRegistrationToken(asked, admin);
      const location = `/registration_tokens/${token.tokenId}`;
      return { record: registrationTokenRecord(token, initialAccessToken), location };
    },
  }),
  operation({
    ...at("registration_tokens.revoke", "DELETE /registration_tokens/{id}", 204),
    ...writes("clients"),
    summary: "End an initial access token; clients that it registered stay",
    command: "registration revoke",
    async answer({ params, admin }) {
      await revokeRegistrationToken(params["id"] ?? "", admin);
      return {};
    },
  }),
];
