/** `/recover`: a new password for whoever can read the account's mail. Asking looks the same whoever exists. */

import type { PresentedDevice } from "../../owners/known-device.ts";
import type { KnownDevice } from "../../owners/known-device-storage.ts";
import type { Asker } from "../../owners/mail/limits.ts";
import type { FollowedLink } from "../../owners/mail/open-link.ts";
import { followLink } from "../../owners/mail/open-link.ts";
import type { MailLinkPurpose } from "../../owners/mail/storage.ts";
import { holdsIn } from "../../owners/recovery/way-back.ts";
import { donePage, sentPage } from "../../pages/index.ts";
import type { TakeBackWhat } from "../../pages/security/take-back-views.ts";
import type { DoneView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import type { PageTools } from "../contexts.ts";
import { presentedBy } from "../device-cookie.ts";
import { languageFor } from "../mail-links.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { askAnswer, askForMail } from "./ask-mail.ts";

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

/** What a link's page begins with; undefined: the link doesn't hold. */
export function follow(
  token: string | null,
  purpose: MailLinkPurpose,
  assent: Assent,
): Promise<FollowedLink | undefined> {
  return followLink(token, purpose, assent.account);
}

/** The same of a link that takes an account back. A page: it doesn't hold, or not in this browser. */
export async function followBack(
  token: string | null,
  { what, http, visitor }: { readonly what: TakeBackWhat; readonly http: HttpRequest; readonly visitor: Visitor },
  assent: Assent,
): Promise<FollowedLink | Answer> {
  const followed = await follow(token, what, assent);
  if (followed === undefined) return goneAnswer(what, http, assent, visitor);
  if (what === "recover") return followed;
  switch (await holdsIn(followed, presentedBy(followed.person.personId, http, assent), assent)) {
    case "yes":
      return followed;
    case "another browser":
      return doneAnswer({ what: "anotherBrowser" }, http, assent, visitor);
    case "no":
      return goneAnswer(what, http, assent, visitor);
  }
}

export function doneAnswer(view: DoneView, http: HttpRequest, tools: PageTools, visitor?: Visitor): Answer {
  const chrome = { ...tools.chrome(http), here: null };
  return page(view.what === "confirmed" ? 200 : 400, donePage(view, chrome), "here", visitor?.cookies);
}

/** Behind a link that doesn't hold. `what`: a recovery can be asked for again. */
export function goneAnswer(what: "recover" | "undo", http: HttpRequest, assent: Assent, visitor: Visitor): Answer {
  return doneAnswer({ what: "gone", again: what === "recover" ? "/recover" : null }, http, assent, visitor);
}
