/** `/sign-up`: an account for a person who can read mail at an address, where the operator allows it. */

import type { Config } from "../../config.ts";
import { BY_PASSWORD } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { makeAccount, type SignUpContext } from "../../owners/account/sign-up.ts";
import { carried, opened as openedFrom } from "../../owners/authorization/continuation.ts";
import type { Postbox } from "../../owners/mail/mail-content.ts";
import { linkEnd, type OpenedLink, openLink, openSpentLink } from "../../owners/mail/open-mail-link.ts";
import { newEmail, newUsername } from "../../owners/new-username-and-email.ts";
import { accountReadyPage, createAccountPage, goneLinkPage } from "../../pages/index.ts";
import type { CreateAccountView } from "../../pages/security/views.ts";
import { formSecrets, isAnswer, onward, pageContextOf } from "../authorization/continuation-in-forms.ts";
import { behindLink, type FoundBehindLink, signInPath } from "../authorization/continue-after-mail.ts";
import { type SessionTools, startSession, type Visitor, visitorOf } from "../browser-of-request.ts";
import { originOf } from "../connections/client-address.ts";
import { problemAnswer } from "../error-page.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, later, page, redirect, waitUntil } from "../http-message.ts";
import { clientOf, stepByPolicy } from "../sign-in-policy.ts";
import { type AskTools, askAnswer, askArrival, askForMail, type MailAsk } from "./ask-for-mail-form.ts";
import { newPasswordFault } from "./change-password.ts";

const MAX_NAME = 120;

interface SignUpTools extends AskTools {
  readonly credentials: SessionTools["credentials"];
  readonly config: Pick<Config, "signUp" | "externalSignIn">;
  readonly mail: Pick<Postbox, "enabled">;
  readonly account: AskTools["account"] & SignUpContext;
}

/** True: the operator allows it, the link can be sent, and accounts are not made in the operator's application. */
export function maySignUp({ config, mail, keeper }: Pick<SignUpTools, "config" | "mail" | "keeper">): boolean {
  return config.signUp && mail.enabled && keeper?.application.signUp === undefined;
}

export async function showSignUp(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  const there = tools.keeper?.application.signUp;
  if (there !== undefined) return redirect(303, there);
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const arrival = await askArrival(http, tools, new URLSearchParams(http.query));
  return isAnswer(arrival) ? arrival : askAnswer({ what: "signUp", typed: "", fault: null }, arrival, tools);
}

export async function submitSignUp(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const arrival = await askArrival(http, tools);
  if (isAnswer(arrival)) return arrival;
  const typed = formOf(http).get("email")?.trim().slice(0, 254) ?? "";
  const email = newEmail(typed);
  const requestOf = ({ language, kept: waiting }: MailAsk) =>
    email === undefined ? undefined : ({ kind: "signUp", email, language, waiting } as const);
  return askForMail({ what: "signUp", typed, email: email ?? "" }, requestOf, arrival, tools);
}

export async function showCreateAccount(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const token = new URLSearchParams(http.query).get("link");
  const opened = await openLink(token, "sign-up", tools.account);
  const visitor = await visitorOf(http, tools);
  if (opened === undefined) return goneAnswer(token, http, visitor, tools);
  const waits = await waitsBehind(opened, visitor, http, tools);
  const shown = { token: token ?? "", email: opened.link.address, username: "", name: "", fault: null };
  return createAnswer(shown, waits, visitor, http, tools);
}

export async function submitCreateAccount(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const visitor = await visitorOf(http, tools);
  const form = formOf(http);
  const token = form.get("link");
  const opened = await openLink(token, "sign-up", tools.account);
  if (opened === undefined) return goneAnswer(token, http, visitor, tools);
  const { address: email } = opened.link;
  const waits = await waitsBehind(opened, visitor, http, tools);
  const typed = {
    username: form.get("username")?.slice(0, 254) ?? "",
    name: form.get("name")?.trim().slice(0, 500) ?? "",
  };
  const again = (fault: CreateAccountView["fault"], link = token ?? "", status = 200) =>
    createAnswer({ token: link, email, ...typed, fault }, waits, visitor, http, tools, status);
  if (!isFormToken(form, visitor, tools)) return again({ stale: true }, undefined, 403);

  const names = newUsername(typed.username.trim());
  if (names === undefined) return again({ username: "wrong" });
  const { username } = names;
  if (typed.name !== "" && displayTextProblem(typed.name, MAX_NAME) !== undefined) return again({ name: "wrong" });
  const password = form.get("password") ?? "";
  const fault = newPasswordFault(password, form.get("again") ?? "", { username, email }, tools);
  if (fault !== undefined) return again({ password: fault });
  const chosen = { ...names, name: typed.name, password, language: tools.chrome(http).words.language };
  const from = { ...originOf(http.address), address: http.address };
  const outcome = await makeAccount(opened, chosen, from, tools.account);
  switch (outcome.kind) {
    case "gone":
      return goneAnswer(token, http, visitor, tools);
    case "throttled":
      return tooManyNames(outcome.until, waits, visitor, http, tools);
    case "taken":
      return again({ username: "taken" }, outcome.token ?? undefined);
    case "made": {
      const by = { ...BY_PASSWORD, authTime: tools.now() };
      // The account stays: the person can sign in with it when the policy allows that.
      const arrival = { visitor, http, continuation: waits.continuation, flow: waits.flow };
      const step = await stepByPolicy("sign_up", outcome.person, by, arrival, tools);
      if (step !== undefined) return step;
      const session = await startSession(outcome.person, by, visitor, http, tools, {
        quietly: true,
        begins: { when: "sign_up", clientId: clientOf(arrival) },
      });
      const cookies = [...visitor.cookies, ...session];
      const { continuation, waiting } = waits;
      if (waiting === null || waiting.state === "here") {
        return redirect(303, tools.issuer + onward(continuation, visitor, tools), cookies);
      }
      const view = { person: outcome.person.username, waiting };
      return page(200, accountReadyPage(view, { ...tools.chrome(http), here: null }), "here", cookies);
    }
  }
}

function waitsBehind(
  { link }: OpenedLink,
  visitor: Visitor,
  http: HttpRequest,
  tools: SignUpTools,
): Promise<FoundBehindLink> {
  return behindLink(link.about, visitor, tools.chrome(http).words.language, tools);
}

/**
 * Behind a link that doesn't hold. What waits goes along: the link keeps it for a while, and so does the form of a
 * second press.
 */
async function goneAnswer(
  token: string | null,
  http: HttpRequest,
  visitor: Visitor,
  tools: SignUpTools,
): Promise<Answer> {
  const spent = await openSpentLink(token, "sign-up", tools.account);
  const chrome = { ...tools.chrome(http), here: null };
  const behind = await behindLink(spent?.about ?? null, visitor, chrome.words.language, tools);
  const form = formOf(http);
  const carries = openedFrom((field) => form.get(field), visitor.nonce, tools.authorization);
  const continuation = behind.continuation ?? (carries === "unknown" ? undefined : carries);
  const used = spent?.purpose === "used";
  // Somebody else may be signed in in this browser: they must not answer for the owner of the account.
  const other = used && visitor.signedIn?.person.email !== spent.address ? visitor.signedIn : undefined;
  const isOther = other !== undefined && continuation !== undefined;
  const view = {
    ...{ what: "signUp" as const, end: await linkEnd(token, "sign-up", tools.account), now: tools.now() },
    // Who used the link may have joined since, and so used up the invitation.
    waiting: used && behind.waiting?.state === "withdrawn" ? null : behind.waiting,
    signIn: signInPath(continuation, visitor, tools),
    signedIn:
      visitor.signedIn === undefined
        ? null
        : { person: visitor.signedIn.person.username, own: used && other === undefined },
    switch: isOther ? formSecrets(continuation, visitor, tools, other.session) : null,
    carried: { ...carried(continuation, visitor.nonce, tools.authorization) },
  };
  return page(400, goneLinkPage(view, chrome), isOther ? "to a client" : "here", visitor.cookies);
}

async function tooManyNames(
  until: Millis,
  { continuation, flow }: FoundBehindLink,
  visitor: Visitor,
  http: HttpRequest,
  tools: SignUpTools,
): Promise<Answer> {
  const { minutes, seconds } = waitUntil(until, tools.now());
  const fault = { kind: "throttled", minutes } as const;
  const arrival = { visitor, http, continuation, flow };
  return later(await askAnswer({ what: "signUp", typed: "", fault }, arrival, tools, 429), seconds);
}

function createAnswer(
  shown: {
    readonly token: string;
    readonly email: string;
    readonly username: string;
    readonly name: string;
    readonly fault: CreateAccountView["fault"];
  },
  { continuation, flow, waiting }: FoundBehindLink,
  visitor: Visitor,
  http: HttpRequest,
  tools: SignUpTools,
  status = 200,
): Answer {
  const { token, ...typed } = shown;
  const view = { ...typed, link: token, form: formSecrets(continuation, visitor, tools), waiting };
  const here = `/sign-up/account?link=${token}`;
  const chrome = tools.chrome(
    http,
    flow === undefined ? { here } : { ...pageContextOf({ flow, visitor }, tools), here },
  );
  return page(status, createAccountPage(view, chrome), flow === undefined ? "here" : "to a client", visitor.cookies);
}
