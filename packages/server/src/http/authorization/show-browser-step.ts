/** The next step of an authorization request, as the browser gets it. */

import type { FlowOutcome, NotResumed } from "../../owners/authorization/browser-flow.ts";
import { carried } from "../../owners/authorization/continuation.ts";
import type { Visitor } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { stepUpAnswer } from "../endpoints/second-step-page.ts";
import { signInAnswer } from "../endpoints/sign-in-page.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, type HttpRequest, redirect } from "../http-message.ts";
import { adminsAskedAnswer, askAdminAnswer } from "./ask-admin-page.ts";
import { toClient } from "./authorization-response.ts";
import { type Again, consentAnswer } from "./consent-page.ts";
import { notResumed } from "./continuation-in-forms.ts";
import { errorRedirectAnswer } from "./error-redirect-page.ts";

/** `again`: the form that the step answers. */
export async function flowAnswer(
  outcome: FlowOutcome | NotResumed,
  visitor: Visitor,
  http: HttpRequest,
  tools: FlowTools,
  again?: Omit<Again, "problem">,
): Promise<Answer> {
  if (outcome.kind !== "flow") return notResumed(outcome, http, tools);
  const { flow, step } = outcome;
  const arrival = { visitor, http, flow, continuation: flow.continuation };
  const { signedIn } = visitor;
  switch (step.kind) {
    case "sign_in":
      return signInAnswer(arrival, tools, null);
    case "change_password": {
      // The request goes along, and on once a password has been chosen.
      const { request = "" } = carried(flow.continuation, visitor.nonce, tools.authorization);
      return redirect(303, `${tools.issuer}/account/security/password?request=${request}`, visitor.cookies);
    }
    case "respond":
      return toClient(step.response, tools, http, visitor.cookies);
    case "hold": {
      const { client } = flow.request;
      return errorRedirectAnswer({ client, target: flow.request, condition: step.condition }, visitor, http, tools);
    }
    case "forged":
      return problemAnswer("form_token_invalid", http, tools);
    case "finished":
      return problemAnswer("interaction_finished", http, tools);
  }
  const { status = 400, form = new URLSearchParams() } = again ?? {};
  // The steps below are for a signed-in person alone.
  if (signedIn === undefined) return signInAnswer(arrival, tools, null);
  switch (step.kind) {
    case "step_up":
      return stepUpAnswer(arrival, signedIn, step.acr, tools);
    case "ask":
      return consentAnswer(step, arrival, signedIn, tools, null);
    case "unclear": {
      const problem = { kind: step.problem };
      return consentAnswer(step.asking, arrival, signedIn, tools, { problem, status, form });
    }
    case "ask_admin":
      return askAdminAnswer({ ...step, form, problem: null }, arrival, tools);
    case "asked_admin":
      return step.problem === null
        ? adminsAskedAnswer(step, arrival, tools)
        : askAdminAnswer({ ...step, form }, arrival, tools);
  }
}
