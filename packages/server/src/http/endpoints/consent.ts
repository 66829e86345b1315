/** `/consent`, `/consent/ask`: the owner's answer to a client, or a member's wish to their admins (RFC 6749 §4.1.1 (B)). */

import { advance, answer, answerToAdmins, openFlow } from "../../owners/authorization/browser-flow.ts";
import { type FlowArrival, isAnswer, notResumed, readerOf, withFlow } from "../arrival.ts";
import type { FlowTools } from "../contexts.ts";
import { flowAnswer } from "../flow-answer.ts";
import { isFormToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { visitorOf } from "../visitor.ts";
import { adminFormOf, answerFormOf } from "./answer-form.ts";

async function flowOf(sealed: string | null, http: HttpRequest, tools: FlowTools): Promise<FlowArrival | Answer> {
  const visitor = await visitorOf(http, tools);
  const resumed = await openFlow(sealed, visitor.nonce, tools.authorization);
  return resumed.kind === "resumed" ? withFlow(resumed.flow, visitor, http) : notResumed(resumed, http, tools);
}

/** Where a sign-in leads: the page, or straight on. */
export async function showConsent(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const arrival = await flowOf(new URLSearchParams(http.query).get("request"), http, tools);
  return isAnswer(arrival) ? arrival : goOn(arrival, tools);
}

async function goOn(arrival: FlowArrival, tools: FlowTools): Promise<Answer> {
  return flowAnswer(await advance(arrival.flow, readerOf(arrival, tools), tools.authorization), arrival, tools);
}

export async function submitConsent(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const form = formOf(http);
  const arrival = await flowOf(form.get("request"), http, tools);
  if (isAnswer(arrival)) return arrival;
  const session = arrival.visitor.signedIn?.session;
  const genuine = isFormToken(tools.secrets, `session:${session?.sessionId ?? ""}`, form.get("csrf"));
  const given = { ...answerFormOf(form), genuine };
  const step = await answer(given, arrival.flow, readerOf(arrival, tools), tools.authorization);
  return flowAnswer(step, arrival, tools, { status: genuine ? 400 : 403, form });
}

export async function submitAsk(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const form = formOf(http);
  const arrival = await flowOf(form.get("request"), http, tools);
  if (isAnswer(arrival)) return arrival;
  const { signedIn } = arrival.visitor;
  if (signedIn === undefined) return goOn(arrival, tools);
  if (!isFormToken(tools.secrets, `session:${signedIn.session.sessionId}`, form.get("csrf"))) {
    return problemAnswer("form_token_invalid", http, tools);
  }
  const reader = { ...readerOf(arrival, tools), signedIn };
  const step = await answerToAdmins(adminFormOf(form), arrival.flow, reader, tools.authorization);
  return flowAnswer(step, arrival, tools);
}
