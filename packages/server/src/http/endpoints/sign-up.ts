/** `/sign-up`: an account for whoever can read mail at an address, where the operator allows it. */

import { hashPassword } from "../../crypto/password.ts";
import { BY_PASSWORD } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import { askedTooManyNames } from "../../owners/mail/limits.ts";
import type { MailLink } from "../../owners/mail/storage.ts";
import { type NewUsername, newEmail, newUsername } from "../../owners/new-names.ts";
import type { Person } from "../../owners/storage.ts";
import { createAccountPage, sentPage } from "../../pages/index.ts";
import type { CreateAccountView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { originOf } from "../connections/client-address.ts";
import { formToken, isFormToken } from "../forms.ts";
import { languageFor, mailLinkKey } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { startSession, type Visitor, visitorOf } from "../visitor.ts";
import { askAnswer, askForMail } from "./ask-mail.ts";
import { newPasswordFault } from "./password.ts";
import { doneAnswer } from "./recover.ts";

const MAX_NAME = 120;

/** True: the operator allows it, and the link can be sent. */
export function maySignUp({ config, mail }: Assent): boolean {
  return config.signUp && mail.enabled;
}

export async function showSignUp(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!maySignUp(assent)) return problemAnswer("not_found", http, assent);
  return askAnswer({ what: "signUp", typed: "", fault: null }, await visitorOf(http, assent), http, assent);
}

export async function submitSignUp(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!maySignUp(assent)) return problemAnswer("not_found", http, assent);
  const visitor = await visitorOf(http, assent);
  const typed = formOf(http).get("email")?.trim().slice(0, 254) ?? "";
  const email = newEmail(typed);
  const language = languageFor(http, assent);
  const request = email === undefined ? undefined : ({ kind: "signUp", email, language } as const);
  const refused = await askForMail({ what: "signUp", typed }, () => request, visitor, http, assent);
  if (refused !== undefined) return refused;
  return page(200, sentPage({ email: email ?? "" }, { ...assent.chrome(http), here: null }), "here", visitor.cookies);
}

export async function showCreateAccount(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!maySignUp(assent)) return problemAnswer("not_found", http, assent);
  const token = new URLSearchParams(http.query).get("link");
  const key = mailLinkKey(token, "sign-up", assent);
  const link = key && (await assent.storage.mailLinks.find(key));
  const visitor = await visitorOf(http, assent);
  if (link === undefined) return doneAnswer({ what: "gone", again: "/sign-up" }, http, assent, visitor);
  const shown = { token: token ?? "", link, username: "", name: "", fault: null };
  return createAnswer(shown, visitor, http, assent);
}

export async function submitCreateAccount(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!maySignUp(assent)) return problemAnswer("not_found", http, assent);
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const key = mailLinkKey(form.get("link"), "sign-up", assent);
  const link = key && (await assent.storage.mailLinks.find(key));
  const gone = () => doneAnswer({ what: "gone", again: "/sign-up" }, http, assent, visitor);
  if (key === undefined || link === undefined) return gone();
  const typed = {
    username: form.get("username")?.slice(0, 254) ?? "",
    name: form.get("name")?.trim().slice(0, 500) ?? "",
  };
  const again = (fault: CreateAccountView["fault"], token = form.get("link") ?? "", status = 200) =>
    createAnswer({ token, link, ...typed, fault }, visitor, http, assent, status);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf")))
    return again({ stale: true }, undefined, 403);

  const names = newUsername(typed.username.trim());
  if (names === undefined) return again({ username: "wrong" });
  const { username } = names;
  if (typed.name !== "" && displayTextProblem(typed.name, MAX_NAME) !== undefined) return again({ name: "wrong" });
  const password = form.get("password") ?? "";
  const fault = newPasswordFault(password, form.get("again") ?? "", { username, email: link.address }, assent);
  if (fault !== undefined) return again({ password: fault });
  const until = await askedTooManyNames(link.linkId, originOf(http.address).network, assent.signIn);
  if (until !== undefined) return tooManyNames(until, visitor, http, assent);
  for (const name of [username, names.lookAlike])
    if (name !== null && (await assent.storage.people.findByName({ name })) !== undefined)
      return again({ username: "taken" });

  const passwordHash = await hashPassword(password, { ...originOf(http.address), account: link.address, known: false });
  // From here on the link is used up: of two who send the form at once, one makes the account.
  if ((await assent.storage.mailLinks.take(key)) === undefined) return gone();
  const person = aPerson(
    link,
    { ...names, name: typed.name, passwordHash, language: languageFor(http, assent) },
    assent,
  );
  const outcome = await assent.storage.people.create({ person, now: assent.now() });
  if (outcome.kind === "taken") {
    if (outcome.what === "email") return gone();
    return again({ username: "taken" }, await renewed(link, assent));
  }
  assent.event("signed_up", { owner: person.personId, address: http.address });
  const by = { ...BY_PASSWORD, authTime: assent.now() };
  const cookies = [...visitor.cookies, ...(await startSession(person, by, visitor, http, assent, "quietly"))];
  return redirect(303, `${assent.issuer}/account/apps`, cookies);
}

function tooManyNames(until: Millis, visitor: Visitor, http: HttpRequest, assent: Assent): Answer {
  const wait = Math.max(1000, until - assent.now());
  const fault = { kind: "throttled", minutes: Math.ceil(wait / 60_000) } as const;
  const answer = askAnswer({ what: "signUp", typed: "", fault }, visitor, http, assent, 429);
  return { ...answer, headers: { ...answer.headers, "retry-after": String(Math.ceil(wait / 1000)) } };
}

/** The same link once more, for a form whose username went to another in the last moment. */
async function renewed(link: MailLink, assent: Assent): Promise<string> {
  const made = assent.links.make({ ...link, ttl: Math.max(1, link.expiresAt - assent.now()) }, "/sign-up/account");
  await assent.storage.mailLinks.create({ link: made.link, saltHash: made.saltHash, mails: [], now: assent.now() });
  return made.token;
}

function aPerson(
  { partition, personId, address }: MailLink,
  chosen: NewUsername & {
    readonly name: string;
    readonly passwordHash: string;
    readonly language: string;
  },
  { now }: Assent,
): Person {
  const at = now();
  return {
    ...{
      partition,
      personId,
      username: chosen.username,
      lookAlike: chosen.lookAlike,
      email: address,
      emailVerifiedAt: at,
    },
    name: chosen.name === "" ? null : chosen.name.normalize("NFC"),
    status: "active",
    ...{ passwordHash: chosen.passwordHash, passwordChangedAt: at, mustChangePassword: false, operator: [] },
    ...{ language: chosen.language, deleteAt: null, createdAt: at, updatedAt: at },
  };
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
  assent: Assent,
  status = 200,
): Answer {
  const { token, link, username, name, fault } = shown;
  const csrf = formToken(assent.secrets, `browser:${visitor.nonce}`);
  const view = { csrf, link: token, email: link.address, username, name, fault };
  const here = `/sign-up/account?link=${token}`;
  return page(status, createAccountPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}
