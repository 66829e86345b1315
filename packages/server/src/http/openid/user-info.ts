/** The UserInfo endpoint (OpenID Connect Core §5.3), which takes bearer tokens as RFC 6750 §2 says. */

import { OAuthError, refuse } from "../../oauth/errors.ts";
import { OPENID } from "../../oauth/openid/scopes.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import { isForm } from "../form-body.ts";
import { type Answer, type HttpRequest, json } from "../http-message.ts";
import { problemJson, type Refusal, refusalOf } from "../refusal.ts";

interface UserInfoTools {
  readonly issuer: string;
  readonly oauth: Pick<OAuthContext, "openId">;
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}

const CHALLENGE = 'Bearer realm="assent"';
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;

export async function userInfo(http: HttpRequest, tools: UserInfoTools): Promise<Answer> {
  try {
    const token = presentedToken(http);
    // RFC 6750 §3.1: a request without a token learns only how to present one.
    if (token === undefined) return json(401, {}, { "www-authenticate": CHALLENGE });
    return json(200, await tools.oauth.openId.userInfo(token, http.certificate()?.thumbprint));
  } catch (error) {
    const refusal = refusalOf(error);
    tools.refused(refusal, http, error);
    const isRefused = error instanceof OAuthError && error.condition !== "custom_claims_failed";
    const challenge = isRefused ? { "www-authenticate": challengeOf(error) } : {};
    return problemJson(refusal.condition, tools.issuer, http.id, challenge);
  }
}

/** The one token of the header or of the form. A token in a query is no token: logs and histories keep queries. */
function presentedToken(http: HttpRequest): string | undefined {
  const headers = http.headers("authorization");
  if (headers.length > 1) return refuse("access_token_sent_twice");
  const [header] = headers;
  const inForm = tokenInForm(http);
  if (header === undefined) return inForm;
  if (inForm !== undefined) return refuse("access_token_sent_twice");
  return BEARER.exec(header)?.[1];
}

function tokenInForm(http: HttpRequest): string | undefined {
  if (http.method !== "POST" || !isForm(http)) return undefined;
  const { single, problem } = parseParameters(http.body);
  if (problem !== null) return refuse(problem.condition);
  return single.get("access_token");
}

function challengeOf({ condition }: OAuthError): string {
  switch (condition) {
    case "user_info_scope_missing":
      return `${CHALLENGE}, error="insufficient_scope", scope="${OPENID}"`;
    case "access_token_invalid":
      return `${CHALLENGE}, error="invalid_token"`;
    default:
      return `${CHALLENGE}, error="invalid_request"`;
  }
}
