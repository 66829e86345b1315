/** Limits on messages that somebody can cause, counted in the database for all processes. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { KnownDevice } from "../known-device-storage.ts";
import { isYoung } from "../recognize-known-device.ts";
import type { Attempt, OwnerStorage } from "../storage.ts";
import type { MailKind } from "./mail-content.ts";

const HOUR: Millis = 3_600_000;
const QUARTER: Millis = HOUR / 4;

/** Maximum number of messages an hour that strangers can cause to one mailbox: of recovery, and of all other kinds. */
const TO_A_MAILBOX = 5;
/** Maximum number of recovery messages an hour from one known device, in addition to those of strangers. */
const FROM_A_DEVICE = 3;
/** The same for all young devices of a person together. */
const FROM_YOUNG_DEVICES = 5;
/** Maximum number of requests in a quarter of an hour from one network. */
const FROM_A_NETWORK = 20;
/** The same for an IPv4 /24 or an IPv6 /48, because the holder of a /48 has 65,536 networks. */
const FROM_A_PROVIDER = 200;
/** The same for all known devices of one person, whatever network they are in. */
const FROM_THE_DEVICES_OF_A_PERSON = 10;
/** Maximum number of messages an hour that one person can cause to addresses that they type. */
const BY_A_PERSON = 10;

/**
 * Maximum number of usernames an hour that can be tried behind one sign-up link, because the form says which are taken.
 */
const NAMES_BEHIND_A_LINK = 20;
/** The same in a quarter of an hour from one network, behind all links. */
const NAMES_FROM_A_NETWORK = 60;

export interface MailLimitContext {
  readonly storage: Uses<OwnerStorage, "attempts.count">;
  /** Hashes the keys of counters, so that the table has no name or address. */
  attemptKey(...parts: readonly string[]): string;
  now(): Millis;
}

/**
 * False: strangers have caused enough messages to that mailbox for now. Recovery has a counter of its own; otherwise
 * messages without a way in would use up those with one.
 */
export function mayWriteTo(address: string, context: MailLimitContext): Promise<boolean> {
  return allowed([{ key: context.attemptKey("mailbox", address), limit: TO_A_MAILBOX, window: HOUR }], context);
}

/**
 * Whether a recovery message may go to this person's mailbox. Their known devices have a limit of their own, so that
 * strangers can't use up all messages. The device does not have to be bound: an intruder who changed the password has
 * unbound all of them.
 */
export async function mayRecover(
  { personId, email }: { readonly personId: string; readonly email: string },
  device: KnownDevice | undefined,
  context: MailLimitContext,
): Promise<boolean> {
  if (device?.personId === personId && (await allowed(ofDevice(device, context), context))) return true;
  return allowed([{ key: context.attemptKey("recovery mailbox", email), limit: TO_A_MAILBOX, window: HOUR }], context);
}

function ofDevice(device: KnownDevice, context: MailLimitContext): readonly Attempt[] {
  const { personId, deviceId } = device;
  const { attemptKey, now } = context;
  const own = { key: attemptKey("recovery", personId, deviceId), limit: FROM_A_DEVICE, window: HOUR };
  if (!isYoung(device, now())) return [own];
  return [own, { key: attemptKey("recovery", personId), limit: FROM_YOUNG_DEVICES, window: HOUR }];
}

/** The source of a request for mail, as far as it is known before anybody is looked up. */
export interface Asker {
  readonly network: string;
  /** The provider of the network. */
  readonly provider: string;
  /** The browser's own device, whichever person the request is about. */
  readonly device: KnownDevice | undefined;
}

/** When this source may ask again. Undefined: now. Counts the request, whatever it is about. */
export async function askedTooOften(
  { network, provider, device }: Asker,
  context: MailLimitContext,
): Promise<Millis | undefined> {
  const { attemptKey } = context;
  if (device !== undefined) {
    const key = attemptKey("asks for mail from a device of", device.personId);
    if (await allowed([{ key, limit: FROM_THE_DEVICES_OF_A_PERSON, window: QUARTER }], context)) return undefined;
  }
  const attempts = [
    { key: attemptKey("asks for mail", network), limit: FROM_A_NETWORK, window: QUARTER },
    { key: attemptKey("asks for mail", provider), limit: FROM_A_PROVIDER, window: QUARTER },
  ];
  return throttledUntil(attempts, context);
}

/** When somebody who creates an account may try another username. Undefined: now. Counts the try. */
export function askedTooManyNames(
  linkId: string,
  network: string,
  context: MailLimitContext,
): Promise<Millis | undefined> {
  const { attemptKey } = context;
  const attempts = [
    { key: attemptKey("usernames behind", linkId), limit: NAMES_BEHIND_A_LINK, window: HOUR },
    { key: attemptKey("usernames in", network), limit: NAMES_FROM_A_NETWORK, window: QUARTER },
  ];
  return throttledUntil(attempts, context);
}

/**
 * False: this person has been sent enough links to prove their address. These are not counted with messages of
 * strangers, because it is their own address, and they are signed in.
 */
export function mayProve(personId: string, context: MailLimitContext): Promise<boolean> {
  return allowed(
    [{ key: context.attemptKey("proof of address", personId), limit: TO_A_MAILBOX, window: HOUR }],
    context,
  );
}

/** False: this person has caused enough messages to addresses that they typed. Counts the request. */
export function mayAskForAddress(personId: string, context: MailLimitContext): Promise<boolean> {
  const key = context.attemptKey("asks for mail by", personId);
  return allowed([{ key, limit: BY_A_PERSON, window: HOUR }], context);
}

/** Maximum number of invitations an hour that one person can make on pages, whatever became of earlier ones. */
const INVITATIONS_BY_A_PERSON = 50;
/** The same a day for one company. */
const INVITATIONS_FOR_A_COMPANY = 200;

/** False: this person, or the company, has invited enough people. Counts the invitation. */
export function mayInvite(personId: string, companyId: string, context: MailLimitContext): Promise<boolean> {
  const { attemptKey } = context;
  const attempts = [
    { key: attemptKey("invites", personId), limit: INVITATIONS_BY_A_PERSON, window: HOUR },
    { key: attemptKey("invites for", companyId), limit: INVITATIONS_FOR_A_COMPANY, window: 24 * HOUR },
  ];
  return allowed(attempts, context);
}

/** Maximum number of messages of one kind a day, without a link, to an account's former address. The address may now belong to a stranger. */
const TO_A_FORMER_ADDRESS = 20;

/** False: an address that an account has left has heard enough of it today. Messages with a link are not counted: nobody may use up the owner's. */
export function mayTell(address: string, kind: MailKind, context: MailLimitContext): Promise<boolean> {
  const key = context.attemptKey("former address", kind, address);
  return allowed([{ key, limit: TO_A_FORMER_ADDRESS, window: 24 * HOUR }], context);
}

type CountContext = Pick<MailLimitContext, "storage" | "now">;

async function allowed(attempts: readonly Attempt[], context: CountContext): Promise<boolean> {
  return (await throttledUntil(attempts, context)) === undefined;
}

/** Undefined: now. */
async function throttledUntil(
  attempts: readonly Attempt[],
  { storage, now }: CountContext,
): Promise<Millis | undefined> {
  const outcome = await storage.attempts.count({ attempts, now: now() });
  return outcome.kind === "throttled" ? outcome.until : undefined;
}
