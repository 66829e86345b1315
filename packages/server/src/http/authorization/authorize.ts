/** The authorization endpoint (RFC 6749 §3.1): checks, then a page of ours or the answer to the client. */

import { checkAuthorizationRequest } from "../../oauth/authorization-endpoint/request.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import { begin } from "../../owners/authorization/browser-flow.ts";
import { visitorOf } from "../browser-of-request.ts";
import { originOf } from "../connections/client-address.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isForm } from "../form-body.ts";
import { type Answer, type HttpRequest, later, queryOf, redirect } from "../http-message.ts";
import { failedSilently, refusedRequest } from "./authorization-response.ts";
import { readerOf } from "./continuation-in-forms.ts";
import { flowAnswer } from "./show-browser-step.ts";

/** Longest authorization request, in characters as encoded. */
const MAX_REQUEST = 8192;

export async function authorize(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const { authorization } = tools;
  if (http.method === "POST" && !isForm(http)) return problemAnswer("content_type_not_form", http, tools);
  const asked = parseParameters(http.method === "POST" ? http.body : http.query);
  // Encodes the parameters again for a link. A body may contain characters that no URL may contain, such as line feeds.
  const sent = queryOf(asked.single, asked.resource);
  // It has to fit in a link once it is sealed, whatever way it came.
  if (sent.length > MAX_REQUEST) return problemAnswer("parameter_too_long", http, tools);
  const { documents } = authorization.oauth;
  const wait = await documents?.admit(asked.single.get("client_id") ?? "", originOf(http.address));
  if (wait !== undefined) return later(problemAnswer("client_documents_throttled", http, tools), wait);
  const outcome = await checkAuthorizationRequest(asked, authorization.oauth);
  if (outcome.kind === "refused") return refusedRequest(outcome, http, tools);
  // From here on, the request names its scopes: a default that changes meanwhile adds nothing that the owner hasn't read.
  const { defaultScope } = outcome.request;
  const text =
    defaultScope === null ? sent : queryOf(new Map([...asked.single, ["scope", defaultScope]]), asked.resource);
  // A form on another site posts without our SameSite=Lax cookies, though with others of this host; followed as a GET they come along.
  if (http.method === "POST" && tools.cookies.read(http, "browser") === undefined) {
    return redirect(303, `${tools.issuer}/authorize?${text}`);
  }
  const { request } = outcome;
  try {
    const visitor = await visitorOf(http, tools);
    const outcome = await begin(request, text, readerOf({ visitor, http }, tools), authorization);
    return await flowAnswer(outcome, visitor, http, tools);
  } catch (error) {
    if (!request.prompt.includes("none")) throw error;
    return failedSilently(error, request, http, tools);
  }
}
