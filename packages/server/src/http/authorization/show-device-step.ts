/** The next step of a device's request, as the browser gets it. */

import { carried } from "../../owners/authorization/continuation.ts";
import type { DeviceStep } from "../../owners/authorization/device-flow.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { deviceStepUpAnswer } from "../endpoints/second-step-page.ts";
import { FIRST, signInAnswer } from "../endpoints/sign-in-page.ts";
import { type Answer, later, redirect, waitUntil } from "../http-message.ts";
import { deviceAskAnswer, deviceAskedAnswer } from "./ask-admin-page.ts";
import type { Arrival } from "./continuation-in-forms.ts";
import { codeAnswer, deviceConsentAnswer, doneAnswer, elsewhereAnswer } from "./device-page.ts";

/** `form`: that the step is the answer to. */
export async function deviceAnswer(
  step: DeviceStep,
  arrival: Arrival,
  tools: FlowTools,
  form: URLSearchParams = new URLSearchParams(),
): Promise<Answer> {
  const { visitor, http } = arrival;
  switch (step.kind) {
    case "sign_in": {
      const { continuation, username = "" } = step;
      return signInAnswer({ ...arrival, continuation }, tools, { ...FIRST, username });
    }
    case "change_password": {
      const { device = "" } = carried(step.continuation, visitor.nonce, tools.authorization);
      return redirect(303, `${tools.issuer}/account/security/password?device=${device}`, visitor.cookies);
    }
    case "step_up":
      return deviceStepUpAnswer({ ...arrival, continuation: step.continuation }, step, tools);
    case "code_unknown": {
      const shown = { typed: step.continuation.userCode, status: 200, problem: { kind: "unknown" } } as const;
      return codeAnswer(shown, visitor, http, tools);
    }
    case "code_throttled": {
      const { minutes, seconds } = waitUntil(step.until, tools.now());
      const problem = { kind: "throttled", minutes } as const;
      const answer = codeAnswer({ typed: step.continuation.userCode, status: 429, problem }, visitor, http, tools);
      return later(answer, seconds);
    }
    case "done":
      return doneAnswer(step, http, tools);
    case "elsewhere":
      return elsewhereAnswer(step.flow, arrival, tools);
    case "ask":
      return deviceConsentAnswer(step.flow, step.flow.ask.owner, arrival, tools, null);
    case "unclear": {
      const again = { problem: { kind: step.problem }, status: 400, form };
      return deviceConsentAnswer(step.flow, step.owner, arrival, tools, again);
    }
    case "ask_admin":
      return deviceAskAnswer({ ...step, form }, step.flow, arrival, tools);
    case "asked_admin":
      return deviceAskedAnswer(step, step.flow, arrival, tools);
  }
}
