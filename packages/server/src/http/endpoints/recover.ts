/** `/recover`: a new password for whoever can read the account's mail. Asking looks the same whoever exists. */

import type { Assent } from "../../assent.ts";
import { hashPassword } from "../../crypto/password.ts";
import type { LinkKey, LinkPurpose, MailLink } from "../../owners/mail-storage.ts";
import type { Person } from "../../owners/storage.ts";
import { askPage, donePage, newPasswordPage, sentPage } from "../../pages/index.ts";
import type { AskView, DoneView, PasswordFault } from "../../pages/security/views.ts";
import { formToken, isFormToken } from "../forms.ts";
import { askedTooOften, languageFor, linkKey, newsFor } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { newPasswordFault } from "./password.ts";

/** Seconds in which a full queue has sent much of what waits. */
export const QUEUE_RETRY = "120";

export async function showRecover(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!assent.mail.enabled) return problemAnswer("not_found", http, assent);
  return askAnswer({ what: "recover", typed: "", fault: null }, await visitorOf(http, assent), http, assent);
}

export async function submitRecover(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!assent.mail.enabled) return problemAnswer("not_found", http, assent);
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const typed = form.get("login")?.slice(0, 254) ?? "";
  const refused = await mayAsk("recover", typed, visitor, http, assent);
  if (refused !== undefined) return refused;
  const taken = await assent.mailDesk.ask({ kind: "recover", login: typed, language: languageFor(http, assent) });
  if (!taken) return fullAnswer("recover", typed, visitor, http, assent);
  return page(200, sentPage({ email: null }, { ...assent.chrome(http), here: null }), "here", visitor.cookies);
}

/** The look and the limits of a form that has mail sent; undefined: it may. */
export async function mayAsk(
  what: AskView["what"],
  typed: string,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer | undefined> {
  const again = (fault: AskView["fault"], status: number) =>
    askAnswer({ what, typed, fault }, visitor, http, assent, status);
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, formOf(http).get("csrf")))
    return again({ kind: "stale" }, 403);
  if (typed.trim() === "") return again({ kind: "missing" }, 200);
  const until = await askedTooOften(http, assent);
  if (until === undefined) return undefined;
  const wait = Math.max(1000, until - assent.now());
  const answer = again({ kind: "throttled", minutes: Math.ceil(wait / 60_000) }, 429);
  return { ...answer, headers: { ...answer.headers, "retry-after": String(Math.ceil(wait / 1000)) } };
}

/** Too much mail waits: nothing was taken, and the form says so. */
export function fullAnswer(
  what: AskView["what"],
  typed: string,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Answer {
  const answer = askAnswer({ what, typed, fault: { kind: "full" } }, visitor, http, assent, 503);
  return { ...answer, headers: { ...answer.headers, "retry-after": QUEUE_RETRY } };
}

export function askAnswer(
  asked: Pick<AskView, "what" | "typed" | "fault">,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
  status = 200,
): Answer {
  const view = { ...asked, csrf: formToken(assent.secrets, `browser:${visitor.nonce}`) };
  const here = asked.what === "recover" ? "/recover" : "/sign-up";
  return page(status, askPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}

/** A link that holds, and whose it is. */
interface Followed {
  readonly key: LinkKey;
  readonly link: MailLink;
  readonly person: Person;
}

/** What a link's page begins with; undefined: the link doesn't hold. */
export async function follow(
  token: string | null,
  purpose: LinkPurpose,
  assent: Assent,
): Promise<Followed | undefined> {
  const key = linkKey(token, purpose, assent);
  const link = key && (await assent.storage.findMailLink(key));
  if (key === undefined || link === undefined) return undefined;
  const person = await assent.storage.getPerson({ partition: link.partition, personId: link.personId });
  // A link to another address than the person has proves nothing any more.
  const holds = purpose !== "recover" && purpose !== "verify" ? true : person?.email === link.address;
  return person?.status === "active" && holds ? { key, link, person } : undefined;
}

export function doneAnswer(view: DoneView, http: HttpRequest, assent: Assent, visitor?: Visitor): Answer {
  const chrome = { ...assent.chrome(http), here: null };
  return page(
    view.what === "gone" || view.what === "taken" ? 400 : 200,
    donePage(view, chrome),
    "here",
    visitor?.cookies,
  );
}

type NewPassword = "recover" | "undo";

const again = (what: NewPassword) => (what === "recover" ? "/recover" : null);

/** `GET /recover/new`, `GET /undo`. */
export function showNewPassword(what: NewPassword): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const token = new URLSearchParams(http.query).get("link");
    const followed = await follow(token, what, assent);
    const visitor = await visitorOf(http, assent);
    if (followed === undefined) return doneAnswer({ what: "gone", again: again(what) }, http, assent, visitor);
    return formAnswer({ what, token, followed, fault: null, stale: false }, visitor, http, assent);
  };
}

/** `POST /recover/new`, `POST /undo`: everything that the account had open ends. */
export function submitNewPassword(what: NewPassword): (http: HttpRequest, assent: Assent) => Promise<Answer> {
  return async (http, assent) => {
    const visitor = await visitorOf(http, assent);
    const form = formOf(http);
    const token = form.get("link");
    const followed = await follow(token, what, assent);
    if (followed === undefined) return doneAnswer({ what: "gone", again: again(what) }, http, assent, visitor);
    const { person, key, link } = followed;
    const retry = (fault: PasswordFault | null, stale: boolean) =>
      formAnswer({ what, token, followed, fault, stale }, visitor, http, assent);
    if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf")))
      return { ...retry(null, true), status: 403 };
    const password = form.get("password") ?? "";
    const fault = newPasswordFault(password, form.get("again") ?? "", person, assent);
    if (fault !== undefined) return retry(fault, false);
    const passwordHash = await hashPassword(password);
    const news = { link: "/recover", language: languageFor(http, assent) };
    const mails = await newsFor({ ...person, email: link.address }, "passwordChanged", news, assent);
    const args = { ...key, passwordHash, mails };
    const outcome =
      what === "recover" ? await assent.storage.recoverPassword(args) : await assent.storage.undoEmail(args);
    if (outcome.kind === "taken") return doneAnswer({ what: "taken" }, http, assent, visitor);
    if (outcome.kind === "unknown") return doneAnswer({ what: "gone", again: again(what) }, http, assent, visitor);
    assent.mail.kick();
    assent.event(what === "recover" ? "password_recovered" : "email_change_undone", {
      owner: person.personId,
      address: http.address,
    });
    const done: DoneView = what === "recover" ? { what: "recovered" } : { what: "undone", email: link.address };
    return doneAnswer(done, http, assent, visitor);
  };
}

function formAnswer(
  shown: {
    readonly what: NewPassword;
    readonly token: string | null;
    readonly followed: Followed;
    readonly fault: PasswordFault | null;
    readonly stale: boolean;
  },
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Answer {
  const { what, token, followed, fault, stale } = shown;
  const view = {
    ...{ what, fault, stale, link: token ?? "", person: followed.person.username, email: followed.link.address },
    csrf: formToken(assent.secrets, `browser:${visitor.nonce}`),
  };
  const here = `${what === "recover" ? "/recover/new" : "/undo"}?link=${token ?? ""}`;
  return page(200, newPasswordPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}
