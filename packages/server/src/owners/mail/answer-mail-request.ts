/**
 * Mail that somebody asks for. The page that takes the request shows the same to everybody; this code decides who gets
 * which message.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { canonicalLogin, isAddressOfNobody } from "../canonical-login.ts";
import type { KnownDeviceStorage } from "../known-device-storage.ts";
import { type PresentedDevice, seenDevice } from "../recognize-known-device.ts";
import { type RecoveryStorage, UNDO_TTL } from "../recovery/storage.ts";
import type { OwnerStorage, Person } from "../storage.ts";
import {
  CONFIRM_TTL,
  type MailDraft,
  type MailLinks,
  type NewMailLink,
  type Postbox,
  RECOVER_TTL,
} from "./mail-content.ts";
import { mayRecover, mayWriteTo } from "./mail-limits.ts";
import type { MailStorage } from "./storage.ts";

/** Maximum number of accounts that are looked at because they left an address in the last days. */
const MOST_LEFT = 5;

/**
 * What somebody asked for. `language`: the language of the page, for people whose own is unknown. `waiting`: what waits
 * behind the link (`keepForLink`); absent: nothing.
 */
export type MailRequest =
  | {
      readonly kind: "recover";
      readonly login: string;
      readonly language: string;
      /** The browser's device cookie, of any person. */
      readonly device: PresentedDevice | null;
      readonly waiting?: string | undefined;
    }
  | {
      readonly kind: "signUp";
      readonly email: string;
      readonly language: string;
      readonly waiting?: string | undefined;
    }
  | {
      readonly kind: "change";
      readonly email: string;
      readonly language: string;
      /** The person who asked, and when they had chosen their password: after another password, no link is made. */
      readonly personId: string;
      readonly passwordChangedAt: Millis | null;
    };

/** Accepts requests for mail. */
export interface MailDesk {
  /**
   * True: the request is stored, and its message will be made, whatever happens to this process. False: too many
   * requests wait. `from`: known devices still have room when strangers have none.
   */
  ask(request: MailRequest, from: "a known device" | "anybody"): Promise<boolean>;
}

export interface MailRequestContext {
  readonly storage: Uses<OwnerStorage, "people.findByName" | "people.get" | "attempts.count"> &
    Uses<MailStorage, "mailLinks.create" | "mail.post"> &
    Uses<RecoveryStorage, "people.owedTo"> &
    Uses<KnownDeviceStorage, "knownDevices.get">;
  readonly mail: Postbox;
  readonly links: MailLinks;
  readonly issuer: string;
  partitionOf(id: string): number;
  attemptKey(...parts: readonly string[]): string;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, string>>): void;
}

/** A stored request. */
export interface AskedMail {
  readonly request: MailRequest;
  readonly requestId: string;
  readonly askedAt: Millis;
}

/**
 * Makes the link and the message. If it is called again for the same request, because a process died in between, it
 * finds both made: their ids derive from the request's id.
 */
export async function answerMailRequest(asked: AskedMail, context: MailRequestContext): Promise<void> {
  const { request } = asked;
  switch (request.kind) {
    case "recover":
      return recover(request, asked, context);
    case "signUp":
      return signUp(request, asked, context);
    case "change":
      return change(request, asked, context);
    default:
      // A newer version on the same database stored this request. Its processes will answer it.
      throw new TypeError(
        `a request for mail of an unknown kind: ${String((request satisfies never as MailRequest).kind)}`,
      );
  }
}

/** Only to an address that is proved to be the person's, and only if they have a password. */
async function recover(
  { login, device, language, waiting }: Extract<MailRequest, { kind: "recover" }>,
  asked: AskedMail,
  context: MailRequestContext,
): Promise<void> {
  const name = canonicalLogin(login);
  const person = name === undefined ? undefined : await context.storage.people.findByName({ name });
  if (person === undefined && name !== undefined) {
    await giveBack(name, { device, except: null }, asked, context);
    return;
  }
  if (person?.status !== "active" || person.emailVerifiedAt === null || person.passwordHash === null) return;
  if (!(await mayRecover(person, await seenDevice(device ?? undefined, context.storage), context))) return;
  const { partition, personId, email, username } = person;
  const link = { partition, personId, purpose: "recover", address: email, ttl: RECOVER_TTL } as const;
  const made = context.links.make({ ...link, about: waiting ?? null }, "/recover/new", asked.requestId);
  const draft = {
    kind: "recover",
    to: email,
    language: person.language ?? language,
    values: { person: username },
  } as const;
  await sendLink(made, draft, context);
  context.event("recovery_sent", { owner: personId });
}

/**
 * Nobody has the address now, but accounts may have left it some days ago. If it is older than the account's present
 * address, it gets once more the link that gives it back, valid as long as the first one: an intruder may have read and
 * deleted the message about the change. True: there is such an account other than `except`, so nobody else can get the
 * address.
 */
async function giveBack(
  address: string,
  { device, except }: { readonly device: PresentedDevice | null; readonly except: string | null },
  asked: AskedMail,
  context: MailRequestContext,
): Promise<boolean> {
  const { storage, links, now } = context;
  let owed = false;
  for (const { person, until } of await storage.people.owedTo({ address, limit: MOST_LEFT, now: now() })) {
    const { partition, personId } = person;
    if (personId === except || person.status !== "active") continue;
    owed = true;
    const seen = await seenDevice(device ?? undefined, storage);
    if (!(await mayRecover({ personId, email: address }, seen, context))) continue;
    const about = { partition, personId, purpose: "undo", address, ttl: until + UNDO_TTL - now() } as const;
    const made = links.make(about, "/undo", `${asked.requestId} ${personId}`);
    const language = person.language ?? asked.request.language;
    const values = { person: person.username, at: made.link.expiresAt };
    await sendLink(made, { kind: "takeBack", to: address, language, values }, context, { owed: true });
    context.event("way_back_sent", { owner: personId });
  }
  return owed;
}

/** Only the mailbox learns whether an account exists. The new account will have the request's id. */
async function signUp(
  { email, language, waiting }: Extract<MailRequest, { kind: "signUp" }>,
  asked: AskedMail,
  context: MailRequestContext,
): Promise<void> {
  if (!(await mayWriteTo(email, context))) return;
  const known = await context.storage.people.findByName({ name: email });
  if (known !== undefined) return tellKnown(known, email, asked, context, waiting);
  if (await giveBack(email, { device: null, except: null }, asked, context)) return;
  const { requestId } = asked;
  const partition = context.partitionOf(requestId);
  const whose = { partition, personId: requestId, address: email };
  const link = { ...whose, purpose: "sign-up", ttl: CONFIRM_TTL, about: waiting ?? null } as const;
  const made = context.links.make(link, "/sign-up/account", requestId);
  await sendLink(made, { kind: "signUp", to: email, language, values: { email } }, context);
}

/** Only the mailbox learns whether another account has the address. */
async function change(
  { email, personId, passwordChangedAt }: Extract<MailRequest, { kind: "change" }>,
  asked: AskedMail,
  context: MailRequestContext,
): Promise<void> {
  const { storage, links, partitionOf } = context;
  const partition = partitionOf(personId);
  const person = await storage.people.get({ partition, personId });
  if (person?.status !== "active" || !(await mayWriteTo(email, context))) return;
  const known = await storage.people.findByName({ name: email });
  if (known !== undefined) return tellKnown(known, email, asked, context);
  if (await giveBack(email, { device: null, except: personId }, asked, context)) return;
  const about = { partition, personId, purpose: "change", address: email, ttl: CONFIRM_TTL } as const;
  const made = links.make(about, "/confirm/change", asked.requestId);
  const values = { person: person.username, email };
  // Without an address, there is nothing to change: a provider knows one, and nobody here has asked.
  const kind = isAddressOfNobody(person.email) ? "verify" : "change";
  const draft = { kind, to: email, language: asked.request.language, values } as const;
  await sendLink(made, draft, context, { passwordChangedAt });
}

/**
 * Tells the mailbox of an account that somebody wanted to use its address for another one. Not if the account was
 * created since. `waiting`: what waits behind the sign-in.
 */
async function tellKnown(
  known: Person,
  email: string,
  asked: AskedMail,
  context: MailRequestContext,
  waiting?: string,
): Promise<void> {
  if (known.createdAt >= asked.askedAt) return;
  const { partition, personId, username } = known;
  const language = known.language ?? asked.request.language;
  const values = { email, person: username };
  const letter = { kind: "known", to: email, language, values } as const;
  if (waiting !== undefined) {
    const link = { partition, personId, purpose: "sign-in", address: email, ttl: CONFIRM_TTL, about: waiting } as const;
    return sendLink(context.links.make(link, "/login", asked.requestId), letter, context);
  }
  const draft = { ...letter, link: `${context.issuer}/login` };
  const mails = context.mail.write(draft, { partition, cause: [asked.requestId] });
  await context.storage.mail.post({ mails, now: context.now() });
  context.mail.kick();
}

type LinkContext = Pick<MailRequestContext, "mail" | "now"> & {
  readonly storage: Uses<MailStorage, "mailLinks.create">;
};

/**
 * Stores the link and its message, and sends it. `bound`: no link is made if the person has chosen another password
 * since, or if the account no longer owes the address the link.
 */
export async function sendLink(
  { link, saltHash, url }: NewMailLink,
  draft: Omit<MailDraft, "link">,
  { storage, mail, now }: LinkContext,
  bound: { readonly passwordChangedAt?: Millis | null; readonly owed?: boolean } = {},
): Promise<void> {
  const about = { partition: link.partition, cause: [link.linkId], uselessAfter: link.expiresAt };
  const mails = mail.write({ ...draft, link: url }, about);
  await storage.mailLinks.create({ link, saltHash, ...bound, mails, now: now() });
  mail.kick();
}
