/** `/login/second`, `/login/passkey`, `/login/stronger`: what comes after a password, or in its place. */

import { BY_CODE } from "../../oauth/authentication-context.ts";
import { refused } from "../../owners/authorization/browser-flow.ts";
import { type SecondStepOutcome, secondStep } from "../../owners/second-step.ts";
import type { SignedInBy } from "../../owners/session.ts";
import type { Person } from "../../owners/storage.ts";
import type { SecondStepView } from "../../pages/factor-views.ts";
import type { Assent } from "../../server-parts.ts";
import { arrivalOf, type FormArrival, isAnswer, onward } from "../authorization/arrival.ts";
import { flowAnswer } from "../authorization/flow-answer.ts";
import { networkOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import { isFormToken } from "../forms.ts";
import { recoveryNews } from "../mail-links.ts";
import { type Answer, type HttpRequest, redirect } from "../message.ts";
import { openPartial, type Partial } from "../partial-sign-in.ts";
import { personOfPasskey } from "../passkeys.ts";
import { problemAnswer } from "../problem.ts";
import { startSession } from "../visitor.ts";
import { secondStepAnswer, waysFor } from "./second-step-page.ts";
import { FIRST, signInAnswer } from "./sign-in-page.ts";

const MAX_TYPED = 100;

/** The session is born, and the way goes on. */
export async function signedInAnswer(
  person: Person,
  by: SignedInBy,
  arrival: FormArrival,
  assent: Assent,
): Promise<Answer> {
  const { visitor, http } = arrival;
  const cookies = [...visitor.cookies, ...(await startSession(person, by, visitor, http, assent))];
  assent.event("signed_in", { owner: person.personId, address: http.address, by: by.amr.join(" ") });
  return redirect(303, assent.issuer + onward(arrival.continuation, visitor, assent), cookies);
}

export async function submitSecondStep(http: HttpRequest, assent: Assent): Promise<Answer> {
  const arrival = await arrivalOf(http, assent);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form } = arrival;
  const partial = await openPartial(form.get("partial"), visitor, assent);
  // Too late, or never begun: from the start.
  if (partial === undefined) return stale(arrival, assent);
  const again = async (problem: SecondStepView["problem"]) =>
    secondStepAnswer(arrival, await waysFor(partial, "mfa", assent), partial, assent, problem);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) return again({ kind: "stale" });
  const by = form.has("recovery") ? "recovery" : "code";
  const typed = (form.get(by) ?? "").slice(0, MAX_TYPED);
  if (typed.trim() === "") return again({ kind: by === "code" ? "missing" : "wrongRecovery" });
  const { person } = partial;
  const from = { network: networkOf(http.address), device: deviceCookie(http, assent) };
  const told = { recoveryNews: recoveryNews(person, http, assent) };
  const outcome = await secondStep({ person, by, typed, ...from, ...told }, assent.secondStep);
  if (outcome.kind === "passed") {
    if (by === "recovery") {
      assent.mail.kick();
      assent.event("recovery_code_used", { owner: person.personId, address: http.address, left: outcome.codesLeft });
    }
    const signedInBy = { ...BY_CODE, authTime: partial.authTime, ...(outcome.used && { used: outcome.used }) };
    return signedInAnswer(person, signedInBy, arrival, assent);
  }
  return notPassed(outcome, by, partial, again, http, assent);
}

/** Whoever gets here knows the password: that is worth more than a line of a wrong one. */
async function notPassed(
  outcome: Exclude<SecondStepOutcome, { kind: "passed" }>,
  by: "code" | "recovery",
  { person }: Partial,
  again: (problem: SecondStepView["problem"]) => Promise<Answer>,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer> {
  const { address } = http;
  if (outcome.kind === "wrong") {
    assent.event("second_step_failed", { owner: person.personId, by, reason: outcome.reason, address });
    return again({ kind: by === "code" ? "wrong" : "wrongRecovery" });
  }
  assent.event("second_step_throttled", { owner: person.personId, address });
  const wait = Math.max(1, outcome.until - assent.now());
  const answer = await again({ kind: "throttled", minutes: Math.ceil(wait / 60_000) });
  return { ...answer, headers: { ...answer.headers, "retry-after": String(Math.ceil(wait / 1000)) } };
}

function stale(arrival: FormArrival, assent: Assent): Answer {
  return signInAnswer(arrival, assent, { ...FIRST, problem: { kind: "stale" }, status: 403 });
}

/** Without a name, in place of a password; or as the second step after one. */
export async function submitPasskey(http: HttpRequest, assent: Assent): Promise<Answer> {
  const arrival = await arrivalOf(http, assent);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form } = arrival;
  const sealed = form.get("partial");
  const partial = sealed === null ? undefined : await openPartial(sealed, visitor, assent);
  if (sealed !== null && partial === undefined) return stale(arrival, assent);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) return stale(arrival, assent);
  const found = await personOfPasskey(form, visitor, http.address, assent);
  if (found !== undefined && (partial === undefined || partial.person.personId === found.person.personId)) {
    // A whole sign-in by itself: what came before it counts for nothing.
    return signedInAnswer(found.person, { ...found.by, authTime: assent.now() }, arrival, assent);
  }
  const problem = { kind: "passkey" } as const;
  if (partial === undefined) return signInAnswer(arrival, assent, { ...FIRST, problem });
  return secondStepAnswer(arrival, await waysFor(partial, "mfa", assent), partial, assent, problem);
}

/** "Don't allow", where the sign-in that an app wants can't be had (RFC 9470 §5). */
export async function refuseStronger(http: HttpRequest, assent: Assent): Promise<Answer> {
  const arrival = await arrivalOf(http, assent);
  if (isAnswer(arrival)) return arrival;
  const { flow, visitor, form } = arrival;
  if (flow === undefined || !isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) {
    return problemAnswer("form_token_invalid", http, assent);
  }
  const step = refused(flow, "authentication_unmet", http, assent.authorization);
  return flowAnswer({ kind: "flow", flow, step }, visitor, http, assent);
}
