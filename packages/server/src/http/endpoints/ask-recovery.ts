/**
 * `/recover`: a new password for the person who can read the account's mail. The response to a request is the same
 * whether an account exists or not.
 */

import type { Millis } from "../../oauth/model.ts";
import { carried } from "../../owners/authorization/continuation.ts";
import type { KnownDevice } from "../../owners/known-device-storage.ts";
import type { Postbox } from "../../owners/mail/mail-content.ts";
import {
  type FollowContext,
  type FollowedLink,
  followLink,
  linkEnd,
  openSpentLink,
} from "../../owners/mail/open-mail-link.ts";
import type { MailLinkPurpose } from "../../owners/mail/storage.ts";
import type { PresentedDevice } from "../../owners/recognize-known-device.ts";
import { holdsIn } from "../../owners/recovery/undo-address-link.ts";
import { donePage, goneLinkPage } from "../../pages/index.ts";
import type { TakeBackWhat } from "../../pages/security/recover-account-views.ts";
import type { DoneView } from "../../pages/security/views.ts";
import { formSecrets, isAnswer } from "../authorization/continuation-in-forms.ts";
import { behindLink, signInPath } from "../authorization/continue-after-mail.ts";
import type { Visitor } from "../browser-of-request.ts";
import { presentedBy } from "../device-cookie.ts";
import type { PageTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, formOf, type HttpRequest, page } from "../http-message.ts";
import type { RecoveryTools } from "../recovery-context.ts";
import { type AskTools, askAnswer, askArrival, askForMail, type MailAsk } from "./ask-for-mail-form.ts";

interface RecoverTools extends AskTools {
  readonly mail: Pick<Postbox, "enabled">;
}

export async function showRecover(http: HttpRequest, tools: RecoverTools): Promise<Answer> {
  if (!tools.mail.enabled && tools.keeper === null) return problemAnswer("not_found", http, tools);
  const arrival = await askArrival(http, tools, new URLSearchParams(http.query));
  return isAnswer(arrival) ? arrival : askAnswer({ what: "recover", typed: "", fault: null }, arrival, tools);
}

export async function submitRecover(http: HttpRequest, tools: RecoverTools): Promise<Answer> {
  if (!tools.mail.enabled) return problemAnswer("not_found", http, tools);
  const arrival = await askArrival(http, tools);
  if (isAnswer(arrival)) return arrival;
  const typed = formOf(http).get("login")?.slice(0, 254) ?? "";
  const requestOf = ({ asker: { device }, language, kept: waiting }: MailAsk) =>
    typed.trim() === ""
      ? undefined
      : ({ kind: "recover", login: typed, language, device: presentedAs(device), waiting } as const);
  return askForMail({ what: "recover", typed, email: null }, requestOf, arrival, tools);
}

/** The part of a device that a request stores. */
function presentedAs(device: KnownDevice | undefined): PresentedDevice | null {
  if (device === undefined) return null;
  const { partition, personId, deviceId, generation } = device;
  return { partition, personId, deviceId, generation };
}

/** The same for a link that recovers an account. A page: the link is not valid, or not in this browser. */
export async function followBack(
  token: string | null,
  { what, http, visitor }: { readonly what: TakeBackWhat; readonly http: HttpRequest; readonly visitor: Visitor },
  tools: RecoveryTools,
): Promise<FollowedLink | Answer> {
  const followed = await followLink(token, what, tools.account);
  if (followed === undefined) return goneBackAnswer(what, token, { http, visitor }, tools);
  if (what === "recover") return followed;
  switch (await holdsIn(followed, presentedBy(followed.person.personId, http, tools), tools.recovery)) {
    case "yes":
      return followed;
    case "another browser":
      return doneAnswer({ what: "anotherBrowser" }, http, tools, visitor);
    case "no":
      return goneAnswer(what, token, { http, visitor }, tools);
  }
}

/**
 * The page of a link that recovers an account and is not valid. In the browser that asked for a link by `/recover`, the
 * request that waited goes on.
 */
export async function goneBackAnswer(
  what: TakeBackWhat,
  token: string | null,
  { http, visitor }: { readonly http: HttpRequest; readonly visitor: Visitor },
  tools: RecoveryTools,
): Promise<Answer> {
  const spent = what === "recover" ? await openSpentLink(token, what, tools.account) : undefined;
  const chrome = { ...tools.chrome(http), here: null };
  const behind = await behindLink(spent?.about ?? null, visitor, chrome.words.language, tools);
  const { continuation, waiting } = behind;
  if (spent === undefined || waiting === null) return goneAnswer(what, token, { http, visitor }, tools);
  const { signedIn } = visitor;
  const own = signedIn?.person.personId === spent.personId;
  // If another person is signed in in this browser, they must not continue the flow of this account's owner.
  const isOther = signedIn !== undefined && !own && continuation !== undefined;
  const view = {
    ...{ what: "recover" as const, end: await linkEnd(token, what, tools.account), now: tools.now() },
    ...{ waiting, signIn: signInPath(continuation, visitor, tools) },
    signedIn: signedIn === undefined ? null : { person: signedIn.person.username, own },
    switch: isOther ? formSecrets(continuation, visitor, tools, signedIn.session) : null,
    carried: { ...carried(continuation, visitor.nonce, tools.authorization) },
  };
  return page(400, goneLinkPage(view, chrome), isOther ? "to a client" : "here", visitor.cookies);
}

export function doneAnswer(view: DoneView, http: HttpRequest, tools: PageTools, visitor?: Visitor): Answer {
  const chrome = { ...tools.chrome(http), here: null };
  return page(view.what === "confirmed" ? 200 : 400, donePage(view, chrome), "here", visitor?.cookies);
}

/**
 * The pages where people ask for another link, or for a new password after a removal that they can't undo. Elsewhere, they
 * do so in their profile.
 */
const ASK_AGAIN: Partial<Readonly<Record<MailLinkPurpose, "/recover">>> = { recover: "/recover", restore: "/recover" };

/** The page of a link that is not valid. It says why, as far as the server knows. */
export async function goneAnswer(
  purpose: Exclude<MailLinkPurpose, "used">,
  token: string | null,
  { http, visitor }: { readonly http: HttpRequest; readonly visitor: Visitor },
  tools: PageTools & { readonly account: FollowContext; now(): Millis },
): Promise<Answer> {
  const end = await linkEnd(token, purpose, tools.account);
  const signedIn = visitor.signedIn !== undefined;
  const again = ASK_AGAIN[purpose] ?? null;
  const restores = purpose === "restore";
  const view = { what: "gone", again, restores, end, now: tools.now(), signedIn } as const;
  return doneAnswer(view, http, tools, visitor);
}
