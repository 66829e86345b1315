/** The next step of an authorization request, as the browser gets it. */

import type { FlowStep } from "../owners/authorization/browser-flow.ts";
import { carried } from "../owners/authorization/continuation.ts";
import type { FlowArrival } from "./arrival.ts";
import { toClient } from "./client-answer.ts";
import type { FlowTools } from "./contexts.ts";
import { adminsAskedAnswer, askAdminAnswer } from "./endpoints/ask-admin-page.ts";
import { type Again, consentAnswer } from "./endpoints/consent-page.ts";
import { heldErrorAnswer } from "./endpoints/held-error-page.ts";
import { stepUpAnswer } from "./endpoints/second-step-page.ts";
import { signInAnswer } from "./endpoints/sign-in-page.ts";
import { type Answer, redirect } from "./message.ts";
import { problemAnswer } from "./problem.ts";

/** `again`: the form that an unclear answer came with. */
export async function flowAnswer(
  step: FlowStep,
  arrival: FlowArrival,
  tools: FlowTools,
  again?: Omit<Again, "problem">,
): Promise<Answer> {
  const { flow, visitor, http } = arrival;
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
      return heldErrorAnswer({ client, target: flow.request, condition: step.condition }, visitor, http, tools);
    }
    case "finished":
      return problemAnswer("interaction_finished", http, tools);
  }
  // Whoever is asked for something is signed in.
  if (signedIn === undefined) return signInAnswer(arrival, tools, null);
  switch (step.kind) {
    case "step_up":
      return stepUpAnswer(arrival, signedIn, step.acr, tools);
    case "ask":
      return consentAnswer(step, arrival, signedIn, tools, null);
    case "unclear": {
      const { status = 400, form = new URLSearchParams() } = again ?? {};
      const problem = { kind: step.problem };
      return consentAnswer(step.asking, arrival, signedIn, tools, { problem, status, form });
    }
    case "ask_admin":
      return askAdminAnswer({ ...step, problem: null }, arrival, tools);
    case "asked_admin":
      return step.problem === null ? adminsAskedAnswer(step, arrival, tools) : askAdminAnswer(step, arrival, tools);
  }
}
