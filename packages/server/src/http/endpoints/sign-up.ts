/** `/sign-up`: an account for whoever can read mail at an address, where the operator allows it. */

import type { Config } from "../../config.ts";
import { BY_PASSWORD } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { makeAccount, type SignUpContext } from "../../owners/account/sign-up.ts";
import type { Postbox } from "../../owners/mail/mail.ts";
import { openLink } from "../../owners/mail/open-link.ts";
import type { MailLink } from "../../owners/mail/storage.ts";
import { newEmail, newUsername } from "../../owners/new-names.ts";
import { createAccountPage, sentPage } from "../../pages/index.ts";
import type { CreateAccountView } from "../../pages/security/views.ts";
import { originOf } from "../connections/client-address.ts";
import { formToken, isFormToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, later, page, redirect, waitUntil } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type SessionTools, startSession, type Visitor, visitorOf } from "../visitor.ts";
import { type AskTools, askAnswer, askForMail } from "./ask-mail.ts";
import { newPasswordFault } from "./password.ts";
import { doneAnswer } from "./recover.ts";

const MAX_NAME = 120;

interface SignUpTools extends AskTools {
  readonly credentials: SessionTools["credentials"];
  readonly config: Pick<Config, "signUp">;
  readonly mail: Pick<Postbox, "enabled">;
  readonly account: AskTools["account"] & SignUpContext;
}

/** True: the operator allows it, and the link can be sent. */
export function maySignUp({ config, mail }: Pick<SignUpTools, "config" | "mail">): boolean {
  return config.signUp && mail.enabled;
}

export async function showSignUp(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  return askAnswer({ what: "signUp", typed: "", fault: null }, await visitorOf(http, tools), http, tools);
}

export async function submitSignUp(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const visitor = await visitorOf(http, tools);
  const typed = formOf(http).get("email")?.trim().slice(0, 254) ?? "";
  const email = newEmail(typed);
  const language = tools.chrome(http).words.language;
  const request = email === undefined ? undefined : ({ kind: "signUp", email, language } as const);
  const refused = await askForMail({ what: "signUp", typed }, () => request, visitor, http, tools);
  if (refused !== undefined) return refused;
  return page(200, sentPage({ email: email ?? "" }, { ...tools.chrome(http), here: null }), "here", visitor.cookies);
}

export async function showCreateAccount(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const token = new URLSearchParams(http.query).get("link");
  const opened = await openLink(token, "sign-up", tools.account);
  const visitor = await visitorOf(http, tools);
  if (opened === undefined) return goneAnswer(http, visitor, tools);
  const shown = { token: token ?? "", link: opened.link, username: "", name: "", fault: null };
  return createAnswer(shown, visitor, http, tools);
}

export async function submitCreateAccount(http: HttpRequest, tools: SignUpTools): Promise<Answer> {
  if (!maySignUp(tools)) return problemAnswer("not_found", http, tools);
  const visitor = await visitorOf(http, tools);
  const form = formOf(http);
  const opened = await openLink(form.get("link"), "sign-up", tools.account);
  if (opened === undefined) return goneAnswer(http, visitor, tools);
  const { link } = opened;
  const typed = {
    username: form.get("username")?.slice(0, 254) ?? "",
    name: form.get("name")?.trim().slice(0, 500) ?? "",
  };
  const again = (fault: CreateAccountView["fault"], token = form.get("link") ?? "", status = 200) =>
    createAnswer({ token, link, ...typed, fault }, visitor, http, tools, status);
  if (!isFormToken(form, visitor, tools)) return again({ stale: true }, undefined, 403);

  const names = newUsername(typed.username.trim());
  if (names === undefined) return again({ username: "wrong" });
  const { username } = names;
  if (typed.name !== "" && displayTextProblem(typed.name, MAX_NAME) !== undefined) return again({ name: "wrong" });
  const password = form.get("password") ?? "";
  const fault = newPasswordFault(password, form.get("again") ?? "", { username, email: link.address }, tools);
  if (fault !== undefined) return again({ password: fault });
  const chosen = { ...names, name: typed.name, password, language: tools.chrome(http).words.language };
  const from = { ...originOf(http.address), address: http.address };
  const outcome = await makeAccount(opened, chosen, from, tools.account);
  switch (outcome.kind) {
    case "gone":
      return goneAnswer(http, visitor, tools);
    case "throttled":
      return tooManyNames(outcome.until, visitor, http, tools);
    case "taken":
      return again({ username: "taken" }, outcome.token ?? undefined);
    case "made": {
      const by = { ...BY_PASSWORD, authTime: tools.now() };
      const session = await startSession(outcome.person, by, visitor, http, tools, "quietly");
      return redirect(303, `${tools.issuer}/account/apps`, [...visitor.cookies, ...session]);
    }
  }
}

/** Behind a link that doesn't hold. */
function goneAnswer(http: HttpRequest, visitor: Visitor, tools: SignUpTools): Answer {
  return doneAnswer({ what: "gone", again: "/sign-up" }, http, tools, visitor);
}

function tooManyNames(until: Millis, visitor: Visitor, http: HttpRequest, tools: SignUpTools): Answer {
  const { minutes, seconds } = waitUntil(until, tools.now());
  const fault = { kind: "throttled", minutes } as const;
  const answer = askAnswer({ what: "signUp", typed: "", fault }, visitor, http, tools, 429);
  return later(answer, seconds);
}

function createAnswer(
  shown: {
    readonly token: string;
    readonly link: MailLink;
    readonly username: string;
    readonly name: string;
    readonly fault: CreateAccountView["fault"];
  },
  visitor: Visitor,
  http: HttpRequest,
  tools: SignUpTools,
  status = 200,
): Answer {
  const { token, link, username, name, fault } = shown;
  const csrf = formToken(visitor, tools);
  const view = { csrf, link: token, email: link.address, username, name, fault };
  const here = `/sign-up/account?link=${token}`;
  return page(status, createAccountPage(view, tools.chrome(http, { here })), "here", visitor.cookies);
}
