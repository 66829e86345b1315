/** `/device/ask`: a member asks the admins of their company to let a device act in its name (RFC 8628 §3.3). */

import { askAdminPage, askedAdminPage } from "../../pages/index.ts";
import type { AskAdminView } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { type Answer, type HttpRequest, page } from "../message.ts";
import { ask, askAdminView, type Wish, wishOf } from "./ask-admin.ts";
import { deviceCard } from "./cards.ts";
import { type Found, formAbout, shownChoice } from "./device.ts";
import { deviceConsentAnswer, deviceForm, placeOf } from "./device-page.ts";

/** The form for the reason. */
export function deviceAskAnswer(found: Found, wish: Wish, problem: AskAdminView["problem"], assent: Assent): Answer {
  const form = deviceForm(found, assent);
  const chrome = assent.chrome(found.http, placeOf(form, found.client));
  const { language } = chrome.words;
  const view = askAdminView(wish, problem, form, deviceCard(found.client, language), language);
  const html = askAdminPage(view, chrome);
  return page(problem === null ? 200 : 400, html, "here", found.visitor.cookies);
}

/** The device goes on waiting: an admin may be quick. */
export async function submitDeviceAsk(http: HttpRequest, assent: Assent): Promise<Answer> {
  const about = await formAbout(http, assent);
  if ("status" in about) return about;
  const { form, found } = about;
  const wish = wishOf(form, found.choices, assent);
  if (wish === undefined) return deviceConsentAnswer(found, shownChoice(found), assent, null);
  const problem = await ask(wish, { client: found.client }, found.person.personId, assent);
  if (problem !== null) return deviceAskAnswer(found, wish, problem, assent);
  const secrets = deviceForm(found, assent);
  const chrome = assent.chrome(http, placeOf(secrets, found.client));
  const client = deviceCard(found.client, chrome.words.language);
  const html = askedAdminPage({ form: secrets, client, company: wish.choice.acting?.company.name ?? "" }, chrome);
  return page(200, html, "here", found.visitor.cookies);
}
