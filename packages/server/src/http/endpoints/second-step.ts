/** `/login/second`, `/login/passkey`, `/login/stronger`: the steps after a password, or instead of it. */

import { withCode } from "../../oauth/authentication-context.ts";
import { refused } from "../../owners/authorization/browser-flow.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import { type SecondStepOutcome, secondStep } from "../../owners/second-step.ts";
import type { SignedInBy } from "../../owners/session-lifetime-and-level.ts";
import type { SignInContext } from "../../owners/sign-in.ts";
import type { Person } from "../../owners/storage.ts";
import type { SecondStepView } from "../../pages/factor-views.ts";
import { type Arrival, arrivalOf, type FormArrival, isAnswer, onward } from "../authorization/continuation-in-forms.ts";
import { flowAnswer } from "../authorization/show-browser-step.ts";
import { type SessionTools, startSession } from "../browser-of-request.ts";
import { networkOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { recoveryNews } from "../factor-change-input.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, type HttpRequest, later, redirect, waitUntil } from "../http-message.ts";
import { openPartial, type Partial } from "../partial-sign-in.ts";
import { type PasskeyTools, personOfPasskey } from "../passkey-forms.ts";
import { clientOf, stepByPolicy } from "../sign-in-policy.ts";
import { secondStepAgain } from "./second-step-page.ts";
import { FIRST, signInAnswer } from "./sign-in-page.ts";

const MAX_TYPED = 100;

/** The tools of a sign-in. */
export interface SignInTools extends FlowTools {
  readonly credentials: SessionTools["credentials"];
  readonly factors: PasskeyTools["factors"];
  readonly signIn: Pick<SignInContext, "existing">;
}

/** False: the application that keeps the person's password says that they are gone or disabled. */
export async function isStillThere(person: Person, { keeper, signIn }: SignInTools): Promise<boolean> {
  if (keeper === null || signIn.existing === undefined) return true;
  return (await signIn.existing()).stillThere(person);
}

/** Makes the session and continues, if the operator's policy has nothing against it. */
export async function signedInAnswer(
  person: Person,
  by: SignedInBy,
  arrival: Arrival,
  tools: SignInTools,
): Promise<Answer> {
  const { visitor, http } = arrival;
  const step = await stepByPolicy("sign_in", person, by, arrival, tools);
  if (step !== undefined) return step;
  const begins = { when: "sign_in", clientId: clientOf(arrival) } as const;
  const cookies = [...visitor.cookies, ...(await startSession(person, by, visitor, http, tools, { begins }))];
  tools.event("signed_in", { owner: person.personId, address: http.address, by: by.amr.join(" ") });
  return redirect(303, tools.issuer + onward(arrival.continuation, visitor, tools), cookies);
}

export async function submitSecondStep(http: HttpRequest, tools: SignInTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form } = arrival;
  const partial = await openPartial(form.get("partial"), visitor, tools);
  // The first step is too old, or was never done: start again.
  if (partial === undefined) return stale(arrival, tools);
  const again = (problem: SecondStepView["problem"]) => secondStepAgain(arrival, partial, problem, tools);
  if (!isFormToken(form, visitor, tools)) return again({ kind: "stale" });
  const by = form.has("recovery") ? "recovery" : "code";
  const typed = (form.get(by) ?? "").slice(0, MAX_TYPED);
  if (typed.trim() === "") return again({ kind: by === "code" ? "missing" : "wrongRecovery" });
  const { person } = partial;
  const from = { network: networkOf(http.address), device: deviceCookie(http, tools) };
  const told = { recoveryNews: recoveryNews(person, http, tools) };
  const outcome = await secondStep({ person, by, typed, ...from, ...told }, tools.secondStep);
  if (outcome.kind === "passed") {
    if (by === "recovery") {
      tools.sessions.mail.kick();
      tools.event("recovery_code_used", { owner: person.personId, address: http.address, left: outcome.codesLeft });
    }
    const signedInBy = {
      ...withCode(partial.amr),
      authTime: partial.authTime,
      ...(outcome.used && { used: outcome.used }),
      ...(partial.upstream && { upstream: partial.upstream }),
    };
    return signedInAnswer(person, signedInBy, arrival, tools);
  }
  return notPassed(outcome, by, partial, again, http, tools);
}

/** The caller knows the password, so this failure is more important than a wrong password. */
async function notPassed(
  outcome: Exclude<SecondStepOutcome, { kind: "passed" }>,
  by: "code" | "recovery",
  { person }: Partial,
  again: (problem: SecondStepView["problem"]) => Promise<Answer>,
  http: HttpRequest,
  tools: SignInTools,
): Promise<Answer> {
  const { address } = http;
  if (outcome.kind === "wrong") {
    tools.event("second_step_failed", { owner: person.personId, by, reason: outcome.reason, address });
    return again({ kind: by === "code" ? "wrong" : "wrongRecovery" });
  }
  tools.event("second_step_throttled", { owner: person.personId, address });
  const { minutes, seconds } = waitUntil(outcome.until, tools.now());
  const answer = await again({ kind: "throttled", minutes });
  return later(answer, seconds);
}

function stale(arrival: FormArrival, tools: SignInTools): Promise<Answer> {
  return signInAnswer(arrival, tools, { ...FIRST, problem: { kind: "stale" }, status: 403 });
}

/** Without a username, instead of a password; or as the second step after one. */
export async function submitPasskey(http: HttpRequest, tools: SignInTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form } = arrival;
  const sealed = form.get("partial");
  const partial = sealed === null ? undefined : await openPartial(sealed, visitor, tools);
  if (sealed !== null && partial === undefined) return stale(arrival, tools);
  if (!isFormToken(form, visitor, tools)) return stale(arrival, tools);
  // As a second step, passkeys still work.
  if (partial === undefined && isReplaced(tools.config.externalSignIn)) return stale(arrival, tools);
  const used = await personOfPasskey(form, visitor, http.address, tools);
  const found = used !== undefined && (await isStillThere(used.person, tools)) ? used : undefined;
  if (found !== undefined && (partial === undefined || partial.person.personId === found.person.personId)) {
    // A passkey is a whole sign-in, so earlier steps don't count.
    return signedInAnswer(found.person, { ...found.by, authTime: tools.now() }, arrival, tools);
  }
  const problem = { kind: "passkey" } as const;
  if (partial === undefined) return signInAnswer(arrival, tools, { ...FIRST, problem });
  return secondStepAgain(arrival, partial, problem, tools);
}

/** "Don't allow", if the sign-in that an app demands is not possible (RFC 9470 §5). */
export async function refuseStronger(http: HttpRequest, tools: SignInTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { flow, visitor, form } = arrival;
  if (flow === undefined || !isFormToken(form, visitor, tools)) {
    return problemAnswer("form_token_invalid", http, tools);
  }
  const step = refused(
    flow,
    "authentication_unmet",
    { address: http.address, requestId: http.id },
    tools.authorization,
  );
  return flowAnswer({ kind: "flow", flow, step }, visitor, http, tools);
}
