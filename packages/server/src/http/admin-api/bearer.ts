/** Bearer tokens of the admin API (RFC 6750). There are no cookies, and no other way to authenticate. */

import { ADMIN, type AdminAccess, type AdminGroup, adminScope } from "../../admin/api-access/admin-scopes.ts";
import { type Authority, authorityOf } from "../../admin/api-access/authority.ts";
import { refuse } from "../../oauth/errors.ts";
import type { HttpRequest } from "../http-message.ts";
import { ApiRefusal } from "./problem.ts";
import type { AdminApiTools } from "./tools.ts";

const CHALLENGE = 'Bearer realm="assent admin"';
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;

/** Refuses a request without a valid token. A token in the query or in the body is no token. */
export async function authenticate(http: HttpRequest, tools: AdminApiTools): Promise<Authority> {
  if (http.insecure) refuse("insecure_transport");
  const headers = http.headers("authorization");
  if (headers.length > 1) refuse("access_token_sent_twice");
  const token = BEARER.exec(headers[0] ?? "")?.[1];
  if (token === undefined) throw new ApiRefusal("access_token_missing", [], { "www-authenticate": CHALLENGE });
  const presented = { token, thumbprint: http.certificate()?.thumbprint };
  const authority = await authorityOf(presented, tools.accessTokens, tools.admin);
  if (authority !== undefined) return authority;
  throw new ApiRefusal("admin_token_invalid", [], { "www-authenticate": `${CHALLENGE}, error="invalid_token"` });
}

/** `group` null: only `admin` is enough. */
export function requireScope(authority: Authority, group: AdminGroup | null, access: AdminAccess): void {
  if (group === null ? authority.isFull : authority.may(group, access)) return;
  const needed = group === null ? ADMIN : adminScope(group, access);
  const challenge = `${CHALLENGE}, error="insufficient_scope", scope="${needed}"`;
  const problems = [{ field: null, problem: `needs the scope ${needed}` }];
  throw new ApiRefusal("admin_scope_missing", problems, { "www-authenticate": challenge });
}
