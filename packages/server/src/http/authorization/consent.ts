/** `/consent`, `/consent/ask`: the owner's answer to a client, or a member's wish to their admins (RFC 6749 §4.1.1 (B)). */

import { answer, answerToAdmins, goOn } from "../../owners/authorization/browser-flow.ts";
import { forVisitor, type Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { isFormToken } from "../form-token.ts";
import { formOf } from "../http-message.ts";
import { adminFormOf, answerFormOf } from "./consent-form.ts";
import { readerOf } from "./continuation-in-forms.ts";
import { flowAnswer } from "./show-browser-step.ts";

/** Where a sign-in leads: the page, or straight on. */
export const showConsent = forVisitor<FlowTools>(async (visitor, http, tools) => {
  const sealed = new URLSearchParams(http.query).get("request");
  return flowAnswer(await goOn(sealed, readerOf({ visitor, http }, tools), tools.authorization), visitor, http, tools);
});

export const submitConsent = forVisitor<FlowTools>(async (visitor, http, tools) => {
  const form = formOf(http);
  const given = { ...answerFormOf(form), genuine: isOwn(form, visitor, tools) };
  const reader = readerOf({ visitor, http }, tools);
  const outcome = await answer(given, form.get("request"), reader, tools.authorization);
  return flowAnswer(outcome, visitor, http, tools, { status: given.genuine ? 400 : 403, form });
});

export const submitAsk = forVisitor<FlowTools>(async (visitor, http, tools) => {
  const form = formOf(http);
  const wish = { ...adminFormOf(form), genuine: isOwn(form, visitor, tools) };
  const reader = readerOf({ visitor, http }, tools);
  const outcome = await answerToAdmins(wish, form.get("request"), reader, tools.authorization);
  return flowAnswer(outcome, visitor, http, tools, { status: 400, form });
});

/** True: the form is one of the session's. */
function isOwn(form: URLSearchParams, { signedIn }: Visitor, tools: FlowTools): boolean {
  return signedIn !== undefined && isFormToken(form, signedIn.session, tools);
}
