/** Links in messages as they come back, who asks for them, and news of accounts. */

import { type News, type NewsKind, newsFor, uncountedNewsFor } from "../owners/account-news.ts";
import { seenDevice } from "../owners/known-device.ts";
import type { Asker } from "../owners/mail/limits.ts";
import type { MailDraft } from "../owners/mail/mail.ts";
import type { MailLinkKey, MailLinkPurpose, StoredMail } from "../owners/mail/storage.ts";
import type { Person } from "../owners/storage.ts";
import type { Assent } from "../server-parts.ts";
import { originOf } from "./connections/client-address.ts";
import { deviceCookie } from "./device-cookie.ts";
import type { HttpRequest } from "./message.ts";
import { browserName } from "./user-agent.ts";

/** What a link's text presents; undefined: it is none of ours. */
export function mailLinkKey(text: string | null, purpose: MailLinkPurpose, assent: Assent): MailLinkKey | undefined {
  const credential = assent.credentials.read("mail link", text ?? "");
  if (credential === undefined) return undefined;
  const { partition, id: linkId, saltHash } = credential;
  return { partition, linkId, saltHash, purpose, now: assent.now() };
}

/** Who asks for mail. */
export async function askerOf(http: HttpRequest, assent: Assent): Promise<Asker> {
  const device = await seenDevice(deviceCookie(http, assent), assent.sessions.storage);
  return { ...originOf(http.address), device };
}

/**
 * News of how a person signs in: which browser changed it, from where. Counted by themselves, so that nobody first uses up the day's news with
 * sign-ins, and then changes something in silence.
 */
export async function factorNews(
  person: Person,
  kind: NewsKind,
  http: HttpRequest,
  assent: Assent,
  values: MailDraft["values"] = {},
): Promise<readonly StoredMail[]> {
  const news = byThisBrowser(http, assent, values);
  const link = kind === "passwordChanged" ? "/recover" : news.link;
  return newsFor(person, kind, { ...news, link }, assent.sessions);
}

/** That a recovery code was used. There are ten of them, and only a used one is told of: nothing needs counting. */
export function recoveryNews(person: Person, http: HttpRequest, assent: Assent) {
  return (left: number): readonly StoredMail[] =>
    uncountedNewsFor(person, "recoveryUsed", byThisBrowser(http, assent, { left }), assent.sessions);
}

function byThisBrowser(http: HttpRequest, assent: Assent, values: MailDraft["values"]): News {
  const browser = browserName(http.header("user-agent")?.slice(0, 300) ?? null);
  const link = "/account/security";
  return { link, language: languageFor(http, assent), values: { ...values, browser, address: http.address } };
}

/** The language of the pages that somebody looks at. */
export function languageFor(http: HttpRequest, assent: Assent): string {
  return assent.chrome(http).words.language;
}
