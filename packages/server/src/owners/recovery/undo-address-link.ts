/** Links that take a change of the address back: which one a change makes, and whether one holds in the browser that follows it. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { type DeviceSeen, type KnownDeviceStorage, presentedAmong } from "../known-device-storage.ts";
import type { MailLinks, NewMailLink } from "../mail/mail-content.ts";
import type { MailLink } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import {
  type Address,
  isOldestOwn,
  isOwed,
  leavesWayBack,
  leftAt,
  OWN_BROWSER_ONLY,
  type Presented,
  type RecoveryStorage,
  UNDO_TTL,
  undoHolds,
} from "./storage.ts";

export interface WayBackContext {
  readonly storage: Uses<KnownDeviceStorage, "knownDevices.list"> & Uses<RecoveryStorage, "people.addresses">;
  readonly links: MailLinks;
  now(): Millis;
}

/** What a browser's cookie says of a person. Null: it has none of this person. */
type Cookie = DeviceSeen | null;

export function holdsIn(
  { link, person }: { readonly link: MailLink; readonly person: Person },
  cookie: Cookie,
  context: WayBackContext,
): Promise<"yes" | "another browser" | "no"> {
  return around(person, cookie, context, (addresses, presented) => undoHolds(link, person.email, addresses, presented));
}

/**
 * The link that undoes a change of the address to `to`. A person with a session for a moment must not get the account for good. A link to a younger
 * address works only in the owner's own browser. There is no such link if that browser makes the change: it may be replacing an intruder's address.
 * Null too for an address that nobody vouched for: it may be a stranger's address, and the change may correct a typing error.
 */
export function undoOfChange(
  person: Person,
  to: string,
  cookie: Cookie,
  context: WayBackContext,
): Promise<NewMailLink | null> {
  return around(person, cookie, context, (addresses, presented) =>
    undoFrom(person, { to, addresses, presented }, context.links),
  );
}

/** The same, of what is known of the addresses and the browser. */
export function undoFrom(
  { partition, personId, email, emailVerifiedAt }: Person,
  about: {
    readonly to: string;
    readonly addresses: readonly Address[];
    readonly presented: Presented;
  },
  links: MailLinks,
): NewMailLink | null {
  const { to, addresses, presented } = about;
  if (emailVerifiedAt === null || to === email) return null;
  const anywhere = leavesWayBack(addresses, email, to, presented.now);
  if (!anywhere && isOldestOwn(addresses, email, presented)) return null;
  const link = { partition, personId, purpose: "undo", address: email, ttl: UNDO_TTL } as const;
  return links.make({ ...link, about: anywhere ? null : OWN_BROWSER_ONLY }, "/undo");
}

/** The account no longer has this address. */
export interface Moved {
  readonly email: string;
  /** When the account left it. */
  readonly at: Millis;
  /** True: a link that somebody asks for with this address takes the account back to it. */
  readonly owed: boolean;
}

/** Null: the account still has the address, or is not known to have had it. */
export function movedFrom(
  email: string,
  {
    present,
    addresses,
    now,
  }: { readonly present: string; readonly addresses: readonly Address[]; readonly now: Millis },
): Moved | null {
  const at = email === present ? undefined : leftAt(addresses, email);
  return at === undefined ? null : { email, at, owed: isOwed(addresses, email, present, now) };
}

/** When the account last left an address to which a link can take it back. Null: there is none. */
export async function lastMoved(
  { partition, personId, email }: Person,
  { storage, now: clock }: MovedContext,
): Promise<Millis | null> {
  const now = clock();
  const addresses = await storage.people.addresses({ partition, personId, now });
  const times = addresses.flatMap(({ address }) => {
    const moved = movedFrom(address, { present: email, addresses, now });
    return moved?.owed === true ? [moved.at] : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

export interface MovedContext {
  readonly storage: Uses<RecoveryStorage, "people.addresses">;
  now(): Millis;
}

async function around<T>(
  { partition, personId }: Person,
  cookie: Cookie,
  { storage, now: clock }: WayBackContext,
  decide: (addresses: readonly Address[], presented: Presented) => T,
): Promise<T> {
  const now = clock();
  const key = { partition, personId };
  const [addresses, devices] = await Promise.all([
    storage.people.addresses({ ...key, now }),
    storage.knownDevices.list(key),
  ]);
  return decide(addresses, { device: presentedAmong(devices, cookie), now });
}
