/** `/login`: the sign-in form, with or without a request that waits. */

import { BY_PASSWORD } from "../../oauth/authentication-context.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { accountPage } from "../../owners/authorization/continuation.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import { providerOfAddress } from "../../owners/identities/sign-in-elsewhere.ts";
import { type OpenLinkContext, openLink } from "../../owners/mail/open-mail-link.ts";
import type { MailLink } from "../../owners/mail/storage.ts";
import { MAX_PASSWORD_BYTES } from "../../owners/new-password.ts";
import { type SignInContext, type SignInOutcome, signIn } from "../../owners/sign-in.ts";
import type { SignInView } from "../../pages/views.ts";
import { showConsent } from "../authorization/consent.ts";
import { arrivalOf, type FormArrival, isAnswer, onward } from "../authorization/continuation-in-forms.ts";
import { behindLink } from "../authorization/continue-after-mail.ts";
import { type Visitor, visitorOf } from "../browser-of-request.ts";
import { originOf } from "../connections/client-address.ts";
import { deviceCookie } from "../device-cookie.ts";
import { beginSignIn } from "../elsewhere/begin.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, type HttpRequest, later, redirect, waitUntil } from "../http-message.ts";
import { type SignInTools, signedInAnswer } from "./second-step.ts";
import { secondStepAnswer, waysFor } from "./second-step-page.ts";
import { signInAnswer } from "./sign-in-page.ts";

interface PasswordTools extends SignInTools {
  readonly signIn: SignInContext;
}

interface ShowTools extends FlowTools {
  readonly account: OpenLinkContext;
}

export async function showSignIn(http: HttpRequest, tools: ShowTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const query = new URLSearchParams(http.query);
  // The person has signed in meanwhile in another tab: continue there.
  if (query.has("request")) return showConsent(http, tools);
  const opened = await openLink(query.get("link"), "sign-in", tools.account);
  if (opened !== undefined) return followSignInLink(opened.link, visitor, http, tools);
  const wanted = accountPage(query.get("to"));
  const continuation = wanted && ({ kind: "account_page", page: wanted, behind: undefined } as const);
  if (visitor.signedIn !== undefined) {
    return redirect(303, tools.issuer + onward(continuation, visitor, tools), visitor.cookies);
  }
  return signInAnswer({ visitor, http, continuation, flow: undefined }, tools, null);
}

/** The link of a message to somebody who wanted an account, and has one: they sign in, and go on. */
async function followSignInLink(
  { about, personId }: MailLink,
  visitor: Visitor,
  http: HttpRequest,
  tools: FlowTools,
): Promise<Answer> {
  const { language } = tools.chrome(http).words;
  const { continuation, flow, waiting } = await behindLink(about, visitor, language, tools);
  if (waiting?.state === "expired") return redirect(303, tools.issuer + waiting.startAgain, visitor.cookies);
  if (visitor.signedIn?.person.personId === personId) {
    return redirect(303, tools.issuer + onward(continuation, visitor, tools), visitor.cookies);
  }
  // Somebody else who is signed in in this browser must not go on with it.
  const arrival = { visitor: { ...visitor, signedIn: undefined }, http, continuation, flow };
  if (waiting?.state !== "here") return signInAnswer(arrival, tools, null, waiting);
  const { what } = waiting;
  return signInAnswer({ ...arrival, invited: what.kind === "invitation" ? what : undefined }, tools, null);
}

export async function submitSignIn(http: HttpRequest, tools: PasswordTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form } = arrival;
  const again = (problem: SignInView["problem"], status: number): Promise<Answer> =>
    signInAnswer(arrival, tools, { problem, status, username: form.get("username")?.slice(0, 254) ?? "" });

  if (!isFormToken(form, visitor, tools)) return again({ kind: "stale" }, 403);
  const username = form.get("username") ?? "";
  const password = form.get("password") ?? "";
  if (password === "") {
    // "Work address": its organization has its own sign-in.
    const closed = isReplaced(tools.config.externalSignIn);
    const provider = await providerOfAddress(username, closed, tools.elsewhere);
    if (provider !== undefined) return beginSignIn(provider, username, arrival, tools);
  }
  if (username === "" || password === "") return again({ kind: "missing" }, 200);
  // Longer than any possible password, so it is refused before anything is hashed.
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES || username.length > 254) return again({ kind: "wrong" }, 200);

  const from = { ...originOf(http.address), device: deviceCookie(http, tools) };
  const outcome = await signIn({ username, password, ...from }, tools.signIn).catch(unlessUnchecked);
  if (outcome === undefined) return later(await again({ kind: "unchecked" }, 503), UNCHECKED_RETRY);
  return signedInOrAgain(outcome, arrival, again, tools);
}

/** Seconds after which the operator's application may answer again. */
const UNCHECKED_RETRY = 60;

/** Undefined: nobody could check the password. The page offers the other ways to sign in. */
function unlessUnchecked(error: unknown): undefined {
  if (error instanceof OAuthError && error.condition === "temporarily_unavailable") return undefined;
  throw error;
}

async function signedInOrAgain(
  outcome: SignInOutcome,
  arrival: FormArrival,
  again: (problem: SignInView["problem"], status: number) => Promise<Answer>,
  tools: SignInTools,
): Promise<Answer> {
  const { http } = arrival;
  switch (outcome.kind) {
    case "wrong":
      tools.event("sign_in_failed", { reason: outcome.reason, address: http.address });
      return again({ kind: "wrong" }, 200);
    case "throttled": {
      tools.event("sign_in_throttled", { address: http.address });
      const { minutes, seconds } = waitUntil(outcome.until, tools.now());
      const answer = await again({ kind: "throttled", minutes }, 429);
      return later(answer, seconds);
    }
    case "signed_in": {
      const { person } = outcome;
      const ways = await waysFor({ person }, "mfa", tools);
      // A passkey is one way to sign in, but not a required one: a person without an authenticator app can sign in with
      // the password.
      if (!ways.codes) return signedInAnswer(person, { ...BY_PASSWORD, authTime: tools.now() }, arrival, tools);
      return secondStepAnswer(arrival, ways, { person, ...BY_PASSWORD, authTime: tools.now(), sessionId: null }, tools);
    }
  }
}

/**
 * "Switch account": shows the sign-in form of the same request. The session stays until somebody has signed in: a person
 * who goes back has lost nothing.
 */
export async function switchAccount(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { visitor, form, flow, continuation } = arrival;
  if (flow === undefined && continuation?.kind !== "device" && continuation?.kind !== "invitation")
    return problemAnswer("interaction_unknown", http, tools);
  const { signedIn } = visitor;
  if (signedIn === undefined) return signInAnswer(arrival, tools, null);
  if (!isFormToken(form, signedIn.session, tools)) {
    // The person wants another account: continuing with this one could send the app its answer.
    return signInAnswer(arrival, tools, { problem: { kind: "stale" }, username: "", status: 403 });
  }
  return signInAnswer(arrival, tools, null);
}
