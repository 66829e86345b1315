/** Answers on their way to a client, and why a request was refused. */

import type { ErrorTarget, RefusedRequest } from "../../oauth/authorization-endpoint/request.ts";
import {
  type AuthorizationResponse,
  errorResponse,
  travelsAtOnce,
} from "../../oauth/authorization-endpoint/response.ts";
import { formPostPage } from "../../pages/index.ts";
import { visitorOf } from "../browser-of-request.ts";
import type { FlowTools, PageTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, type HttpRequest, page, redirect } from "../http-message.ts";
import { factsOf, refusalOf } from "../refusal.ts";
import { errorRedirectAnswer } from "./error-redirect-page.ts";

/** An answer to the client: by redirect, or by a page that posts it. */
export function toClient(
  response: AuthorizationResponse,
  tools: PageTools,
  http: HttpRequest,
  cookies: readonly string[] = [],
): Answer {
  if (response.kind === "location") return redirect(302, response.location, cookies);
  return page(200, formPostPage(response, { ...tools.chrome(http), here: null }), "to a client", cookies);
}

/** A refused request: by redirect where the client and its redirect_uri are known, else by a page (RFC 6749 §4.1.2.1). */
export async function refusedRequest(
  { error, target, asked, client: named }: RefusedRequest,
  http: HttpRequest,
  tools: FlowTools,
): Promise<Answer> {
  const facts = factsOf(error.condition, asked.single.get("client_id"), asked, named);
  tools.refused({ ...refusalOf(error), facts }, http);
  if (target === undefined) return problemAnswer(error.condition, http, tools);
  const { client, silent } = target;
  if (travelsAtOnce(client, silent))
    return toClient(errorResponse(target, error.condition, tools.issuer, http.id), tools, http);
  // A form on another site posts without our cookies: nothing could bind the error to this browser, so it ends here.
  if (http.method === "POST" && tools.cookies.read(http, "browser") === undefined) {
    return problemAnswer(error.condition, http, tools);
  }
  return errorRedirectAnswer({ client, target, condition: error.condition }, await visitorOf(http, tools), http, tools);
}

/** A fault or an outage under prompt=none: nobody looks at a page, so the app is told (RFC 6749 §4.1.2.1). */
export function failedSilently(
  error: unknown,
  request: Omit<ErrorTarget, "client" | "silent">,
  http: HttpRequest,
  tools: FlowTools,
): Answer {
  const refusal = refusalOf(error);
  tools.refused(refusal, http, error);
  return toClient(errorResponse(request, refusal.condition, tools.issuer, http.id), tools, http);
}
