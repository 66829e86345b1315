/** Mail to people about changes of their own account. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { MailDraft, MailKind, Postbox } from "./mail/mail-content.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./person.ts";
import type { SignInContext } from "./sign-in.ts";
import type { OwnerStorage } from "./storage.ts";

export interface NewsContext {
  readonly storage: Uses<OwnerStorage, "attempts.count">;
  readonly mail: Postbox;
  readonly issuer: string;
  readonly attemptKey: SignInContext["attemptKey"];
  now(): Millis;
}

const DAY: Millis = 86_400_000;
/**
 * Maximum number of messages of one kind to an account's owner a day. Each kind has its own limit, so that an intruder
 * can't use the limit up with sign-ins and then make other changes without a message.
 */
const NEWS_A_DAY = 20;

export type NewsKind = Extract<
  MailKind,
  | (
      | "passwordChanged"
      | "signIn"
      | "deletion"
      | "passkeyAdded"
      | "passkeyRemoved"
      | "identityAdded"
      | "identityDisconnected"
      | "identityRemoved"
      | "authenticatorOn"
    )
  | ("authenticatorOff" | "recoveryRenewed" | "recoveryUsed")
>;

export interface News {
  /** A path on this server. */
  readonly link: string;
  /** The language of the current page: for people whose own language is unknown. */
  readonly language: string;
  readonly values?: MailDraft["values"];
}

/**
 * Messages to a person about a change of their account. None to an address that is not vouched for, and at most twenty
 * of a kind a day.
 */
export async function newsFor(
  person: Person,
  kind: NewsKind,
  news: News,
  context: NewsContext,
): Promise<readonly StoredMail[]> {
  if (!hears(person, context)) return [];
  const { storage, attemptKey, now } = context;
  const attempts = [{ key: attemptKey("news", kind, person.personId), limit: NEWS_A_DAY, window: DAY }];
  const { kind: outcome } = await storage.attempts.count({ attempts, now: now() });
  return outcome === "allowed" ? letters(person, kind, news, context) : [];
}

/** The same without a limit: for events that can't happen often. */
export function uncountedNewsFor(person: Person, kind: NewsKind, news: News, context: NewsContext) {
  return hears(person, context) ? letters(person, kind, news, context) : [];
}

function hears({ emailVerifiedAt }: Person, { mail }: NewsContext): boolean {
  return mail.enabled && emailVerifiedAt !== null;
}

function letters(person: Person, kind: NewsKind, news: News, context: NewsContext): readonly StoredMail[] {
  const { partition, personId, email: to, username } = person;
  const at = context.now();
  const values = { person: username, at, ...news.values };
  const draft = { kind, to, language: person.language ?? news.language, link: context.issuer + news.link, values };
  return context.mail.write(draft, { partition, cause: [personId, String(at), news.values?.key ?? ""] });
}
