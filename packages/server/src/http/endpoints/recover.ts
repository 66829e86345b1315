/** `/recover`: a new password for whoever can read the account's mail. Asking looks the same whoever exists. */

import type { PresentedDevice } from "../../owners/known-device.ts";
import type { KnownDevice } from "../../owners/known-device-storage.ts";
import type { Asker } from "../../owners/mail/limits.ts";
import type { LinkPurpose, MailLink } from "../../owners/mail/storage.ts";
import type { Person } from "../../owners/person.ts";
import { mayTakeBack } from "../../owners/recovery/storage.ts";
import type { FollowedLink } from "../../owners/recovery/take-back.ts";
import { donePage, sentPage } from "../../pages/index.ts";
import type { DoneView } from "../../pages/security/views.ts";
import type { Assent } from "../../server-parts.ts";
import { languageFor, linkKey } from "../mail-links.ts";
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
export async function follow(
  token: string | null,
  purpose: LinkPurpose,
  assent: Assent,
): Promise<FollowedLink | undefined> {
  const key = linkKey(token, purpose, assent);
  const link = key && (await assent.storage.mailLinks.find(key));
  if (key === undefined || link === undefined) return undefined;
  const person = await assent.storage.people.get({ partition: link.partition, personId: link.personId });
  if (person?.status !== "active") return undefined;
  return (await holds(link, person, assent)) ? { key, link, person } : undefined;
}

async function holds({ purpose, address }: MailLink, person: Person, { storage, now }: Assent): Promise<boolean> {
  const { partition, personId, email } = person;
  // A link to another address than the person has proves nothing any more.
  if (purpose === "recover" || purpose === "verify") return email === address;
  if (purpose !== "undo") return true;
  return mayTakeBack(await storage.people.addresses({ partition, personId, now: now() }), address, email);
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

/** Behind a link that doesn't hold. `what`: a recovery can be asked for again. */
export function goneAnswer(what: "recover" | "undo", http: HttpRequest, assent: Assent, visitor: Visitor): Answer {
  return doneAnswer({ what: "gone", again: what === "recover" ? "/recover" : null }, http, assent, visitor);
}
