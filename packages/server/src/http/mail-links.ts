/** Links in messages as they come back, who asks for them, and news of accounts. */

import type { Millis } from "../oauth/model.ts";
import { seenDevice } from "../owners/known-device.ts";
import type { MailDraft, MailKind } from "../owners/mail.ts";
import type { Asker } from "../owners/mail-limits.ts";
import type { LinkKey, LinkPurpose, StoredMail } from "../owners/mail-storage.ts";
import type { Attempt, Person } from "../owners/storage.ts";
import type { Assent } from "../server-parts.ts";
import { coarseNetworkOf, networkOf } from "./client-address.ts";
import { deviceCookie } from "./device-cookie.ts";
import type { HttpRequest } from "./message.ts";
import { browserName } from "./user-agent.ts";

const HOUR: Millis = 3_600_000;
/** News of an account to its owner, a day. */
const NEWS_A_DAY = 20;

/** What a link's text presents; undefined: it is none of ours. */
export function linkKey(text: string | null, purpose: LinkPurpose, assent: Assent): LinkKey | undefined {
  const credential = assent.credentials.read("mail link", text ?? "");
  if (credential === undefined) return undefined;
  const { partition, grantId: linkId, saltHash } = credential;
  return { partition, linkId, saltHash, purpose, now: assent.now() };
}

/** Who asks for mail. */
export async function askerOf(http: HttpRequest, assent: Assent): Promise<Asker> {
  const device = await seenDevice(deviceCookie(http, assent), assent.storage);
  return { network: networkOf(http.address), provider: coarseNetworkOf(http.address), device };
}

/** What people hear of their own account. */
export type NewsKind = Extract<
  MailKind,
  | ("passwordChanged" | "signIn" | "deletion" | "passkeyAdded" | "passkeyRemoved" | "authenticatorOn")
  | ("authenticatorOff" | "recoveryRenewed" | "recoveryUsed")
>;

export interface News {
  /** A path of this server. */
  readonly link: string;
  /** Of the page that somebody looks at: for people whose own isn't known. */
  readonly language: string;
  readonly values?: MailDraft["values"];
}

/** News for a person of what has just become of their account; none to an address that nobody vouched for, and no more than twenty a day. */
export async function newsFor(
  person: Person,
  kind: NewsKind,
  news: News,
  assent: Assent,
): Promise<readonly StoredMail[]> {
  if (!hears(person, assent)) return [];
  const attempt = { key: assent.signIn.attemptKey("news", person.personId), limit: NEWS_A_DAY, window: 24 * HOUR };
  return (await allowed([attempt], assent)) ? letters(person, kind, news, assent) : [];
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
  if (!hears(person, assent)) return [];
  const key = assent.signIn.attemptKey("factor news", person.personId);
  if (!(await allowed([{ key, limit: NEWS_A_DAY, window: 24 * HOUR }], assent))) return [];
  const news = byThisBrowser(http, assent, values);
  return letters(person, kind, kind === "passwordChanged" ? { ...news, link: "/recover" } : news, assent);
}

/** That a recovery code was used. There are ten of them, and only a used one is told of: nothing needs counting. */
export function recoveryNews(person: Person, http: HttpRequest, assent: Assent) {
  return (left: number): readonly StoredMail[] =>
    hears(person, assent) ? letters(person, "recoveryUsed", byThisBrowser(http, assent, { left }), assent) : [];
}

function byThisBrowser(http: HttpRequest, assent: Assent, values: MailDraft["values"]): News {
  const browser = browserName(http.header("user-agent")?.slice(0, 300) ?? null);
  const link = "/account/security";
  return { link, language: languageFor(http, assent), values: { ...values, browser, address: http.address } };
}

function hears({ emailVerifiedAt }: Person, { mail }: Assent): boolean {
  return mail.enabled && emailVerifiedAt !== null;
}

function letters(person: Person, kind: NewsKind, news: News, assent: Assent): readonly StoredMail[] {
  const { partition, personId, email: to, username } = person;
  const at = assent.now();
  const values = { person: username, at, ...news.values };
  const draft = { kind, to, language: person.language ?? news.language, link: assent.issuer + news.link, values };
  return assent.mail.write(draft, { partition, cause: [personId, String(at), news.values?.key ?? ""] });
}

async function allowed(attempts: readonly Attempt[], assent: Assent): Promise<boolean> {
  return (await assent.storage.attempts.count({ attempts, now: assent.now() })).kind === "allowed";
}

/** The language of the pages that somebody looks at. */
export function languageFor(http: HttpRequest, assent: Assent): string {
  return assent.chrome(http).words.language;
}
