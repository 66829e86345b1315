/** `/recover`: a new password for whoever can read the account's mail. Asking looks the same whoever exists. */

import type { Assent } from "../../assent.ts";
import { hashPassword } from "../../crypto/password.ts";
import type { PresentedDevice } from "../../owners/known-device.ts";
import type { KnownDevice } from "../../owners/known-device-storage.ts";
import type { Asker } from "../../owners/mail-limits.ts";
import type { LinkKey, LinkPurpose, MailLink } from "../../owners/mail-storage.ts";
import type { Person } from "../../owners/storage.ts";
import { donePage, newPasswordPage, sentPage } from "../../pages/index.ts";
import type { DoneView, PasswordFault } from "../../pages/security/views.ts";
import { formToken, isFormToken } from "../forms.ts";
import { languageFor, linkKey, newsFor } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { askAnswer, askForMail } from "./ask-mail.ts";
import { newPasswordFault } from "./password.ts";

export async function showRecover(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!assent.mail.enabled) return problemAnswer("not_found", http, assent);
  return askAnswer({ what: "recover", typed: "", fault: null }, await visitorOf(http, assent), http, assent);
}

export async function submitRecover(http: HttpRequest, assent: Assent): Promise<Answer> {
  if (!assent.mail.enabled) return problemAnswer("not_found", http, assent);
  const visitor = await visitorOf(http, assent);
  const typed = formOf(http).get("login")?.slice(0, 254) ?? "";
  const language = languageFor(http, assent);
  const requestOf = ({ device }: Asker) =>
    typed.trim() === ""
      ? undefined
      : ({ kind: "recover", login: typed, language, device: presentedAs(device) } as const);
  const refused = await askForMail({ what: "recover", typed }, requestOf, visitor, http, assent);
  if (refused !== undefined) return refused;
  return page(200, sentPage({ email: null }, { ...assent.chrome(http), here: null }), "here", visitor.cookies);
}

/** What a request keeps of a device. */
function presentedAs(device: KnownDevice | undefined): PresentedDevice | null {
  if (device === undefined) return null;
  const { partition, personId, deviceId, generation } = device;
  return { partition, personId, deviceId, generation };
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
