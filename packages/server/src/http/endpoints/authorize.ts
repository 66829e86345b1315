/** The authorization endpoint (RFC 6749 §3.1): checks, then a page of ours or the answer to the client. */

import { checkAuthorizationRequest } from "../../oauth/authorization-endpoint/request.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import type { Assent } from "../../server-parts.ts";
import { isForm } from "../form-body.ts";
import { newInteraction } from "../forms.ts";
import { advance, failedSilently, refusedRequest } from "../interaction.ts";
import { type Answer, type HttpRequest, queryOf, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { visitorOf } from "../visitor.ts";

/** Longest authorization request, in characters as encoded. */
const MAX_REQUEST = 8192;

export async function authorize(request: HttpRequest, assent: Assent): Promise<Answer> {
  if (request.method === "POST" && !isForm(request)) return problemAnswer("content_type_not_form", request, assent);
  const asked = parseParameters(request.method === "POST" ? request.body : request.query);
  // Written anew as a link can hold it: a body may have raw what no URL may, line feeds among it.
  const text = queryOf(asked.single, asked.resource);
  // It has to fit in a link once it is sealed, whatever way it came.
  if (text.length > MAX_REQUEST) return problemAnswer("parameter_too_long", request, assent);
  const outcome = await checkAuthorizationRequest(asked, assent.oauth);
  if (outcome.kind === "refused") return refusedRequest(outcome, request, assent);
  // A form on another site posts without our SameSite=Lax cookies, though with others of this host; followed as a GET they come along.
  if (request.method === "POST" && assent.cookies.read(request, "browser") === undefined) {
    return redirect(303, `${assent.issuer}/authorize?${text}`);
  }
  try {
    const visitor = await visitorOf(request, assent);
    const interaction = newInteraction(text, assent.now());
    return await advance({ request: outcome.request, interaction, visitor, http: request }, assent);
  } catch (error) {
    if (!outcome.request.prompt.includes("none")) throw error;
    return failedSilently(error, outcome.request, request, assent);
  }
}
