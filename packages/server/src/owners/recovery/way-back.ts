/** Links that take a change of the address back: which one a change makes, and whether one holds in the browser that follows it. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../uses.ts";
import { seenDevice } from "../known-device.ts";
import type { DeviceSeen, KnownDevice, KnownDeviceStorage } from "../known-device-storage.ts";
import type { MailLinks, NewMailLink } from "../mail/mail.ts";
import type { MailLink } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import {
  type Address,
  isOwnSinceBefore,
  leavesWayBack,
  OWN_BROWSER_ONLY,
  type RecoveryStorage,
  UNDO_TTL,
  undoHolds,
} from "./storage.ts";

export interface WayBackContext {
  readonly storage: Uses<KnownDeviceStorage, "knownDevices.get"> & Uses<RecoveryStorage, "people.addresses">;
  readonly links: MailLinks;
  now(): Millis;
}

/** What a browser's cookie says of a person; null: it has none of theirs. */
type Presented = DeviceSeen | null;

export function holdsIn(
  { link, person }: { readonly link: MailLink; readonly person: Person },
  presented: Presented,
  context: WayBackContext,
): Promise<"yes" | "another browser" | "no"> {
  return around(person, presented, context, (addresses, device, now) =>
    undoHolds(link, person.email, addresses, { device, now }),
  );
}

/**
 * For a change of the address to `to`. Whoever has a session for a moment must not get the account for good. The link to a younger address works in the
 * owner's own browser alone, and there is none if that browser makes the change: it may have found an intruder's address. Null, too, for an address
 * that nobody vouched for: it may be a stranger's, and the change be of a slip of the pen.
 */
export function undoOfChange(
  person: Person,
  to: string,
  presented: Presented,
  context: WayBackContext,
): Promise<NewMailLink | null> {
  return around(person, presented, context, (addresses, device, now) =>
    undoFrom(person, { to, addresses, device }, { links: context.links, now: () => now }),
  );
}

/** The same, of what is known of the addresses and the browser. */
export function undoFrom(
  { partition, personId, email, emailVerifiedAt }: Person,
  about: {
    readonly to: string;
    readonly addresses: readonly Address[];
    readonly device: KnownDevice | undefined;
  },
  { links, now }: Pick<WayBackContext, "links" | "now">,
): NewMailLink | null {
  const { to, addresses, device } = about;
  if (emailVerifiedAt === null || to === email) return null;
  const anywhere = leavesWayBack(addresses, email, to, now());
  if (!anywhere && isOwnSinceBefore(addresses, email, device, now())) return null;
  const link = { partition, personId, purpose: "undo", address: email, ttl: UNDO_TTL } as const;
  return links.make({ ...link, about: anywhere ? null : OWN_BROWSER_ONLY }, "/undo");
}

async function around<T>(
  { partition, personId }: Person,
  presented: Presented,
  { storage, now: clock }: WayBackContext,
  decide: (addresses: readonly Address[], device: KnownDevice | undefined, now: Millis) => T,
): Promise<T> {
  const now = clock();
  const key = { partition, personId };
  const device = presented === null ? undefined : await seenDevice({ ...key, ...presented }, storage);
  return decide(await storage.people.addresses({ ...key, now }), device, now);
}
