/** Operations on access tokens that operators make. Only the scope `admin` is enough for them. */

import { Type } from "typebox";
import {
  adminTokenRecord,
  adminTokens,
  createAdminToken,
  MAX_TOKEN_TTL,
  revokeAdminToken,
} from "../../../admin/api-access/tokens.ts";
import { userOf } from "../../../admin/people.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { body, given, ids, orNull, record, scopeText, text, time, words } from "../schemas.ts";

const tokenRecord = record({
  id: ids,
  access_token: Type.Optional(text(200, "shown only in the answer that makes it")),
  token_type: Type.Optional(text(20)),
  scope: scopeText(),
  created_by: text(300),
  created_at: time,
  expires_at: time,
});

export const tokens = [
  operation({
    ...at("tokens.current", "GET /tokens/current"),
    ...reads(null),
    anyToken: true,
    summary: "Tell whose the token of the request is, and what it may do now",
    notes: "`scope` can be less than when the token was issued, because the person lost a role.",
    command: "whoami",
    result: record({
      user_id: orNull(ids, "the person who signed in"),
      username: orNull(text(200)),
      client_id: orNull(ids, "the client that got the token in its own name"),
      token_id: orNull(ids, "the token that an operator made"),
      scope: scopeText(),
    }),
    async answer({ admin, authority: { actor, scopes } }) {
      const [kind, id] = [actor.slice(0, actor.indexOf(":")), actor.slice(actor.indexOf(":") + 1)];
      const idOf = (of: string) => (kind === of ? id : null);
      const username = kind === "user" ? (await userOf({ id }, admin)).username : null;
      return {
        record: {
          ...{ user_id: idOf("user"), username, client_id: idOf("client"), token_id: idOf("token") },
          scope: [...scopes].join(" "),
        },
      };
    },
  }),
  operation({
    ...at("tokens.list", "GET /tokens"),
    ...reads(null),
    summary: "List the tokens that commands and the API made",
    command: "admin list-tokens",
    query: listQuery({}),
    result: pageOf(tokenRecord),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("tokens", query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const all = await adminTokens(admin);
      const page = pageInMemory(all, (one) => one.tokenId, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map((one) => adminTokenRecord(one)), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("tokens.create", "POST /tokens", 201),
    ...writes(null),
    summary: "Make a token",
    notes:
      "The answer has `access_token`, which nothing shows again. The token ends when its maker loses the scope admin.",
    command: "admin create-token",
    body: body(
      {
        scope: scopeText(),
        expires_in: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_TOKEN_TTL, description: "seconds; default 3600" }),
        ),
      },
      { scope: "admin:clients:read", expires_in: 3600 },
    ),
    result: tokenRecord,
    async answer({ body: { scope, expires_in: lifetime }, admin, authority }) {
      const asked = { scopes: words(scope) ?? [], createdBy: authority.actor, ...given({ lifetime }) };
      const { token, accessToken } = await createAdminToken(asked, admin);
      return { record: adminTokenRecord(token, accessToken), location: `/tokens/${token.tokenId}` };
    },
  }),
  operation({
    ...at("tokens.revoke", "DELETE /tokens/{id}", 204),
    ...writes(null),
    summary: "End a token; its next request is refused",
    command: "admin revoke-token",
    async answer({ params, admin }) {
      await revokeAdminToken(params["id"] ?? "", admin);
      return {};
    },
  }),
];
