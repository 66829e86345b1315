/** Messages and links, which tests can change. */

import { randomBytes } from "node:crypto";
import type { MailLink, MailLinkPurpose, StoredMail, StoredMailRequest } from "../../../src/owners/mail/storage.ts";
import type { TakeBack } from "../../../src/owners/recovery/storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { aHash, anId, DAY, MINUTE, NOW } from "./record-builders.ts";

export function aMail(partition: number, changes: Partial<StoredMail> = {}): StoredMail {
  const sealed = new Uint8Array(randomBytes(40));
  return { partition, mailId: anId(partition), kind: "recover", sealed, uselessAfter: NOW + DAY, ...changes };
}

export function aMailRequest(partition: number): StoredMailRequest {
  return { partition, requestId: anId(partition), sealed: new Uint8Array(randomBytes(40)) };
}

export function aLink(
  { partition, personId, email }: Person,
  purpose: MailLinkPurpose,
  changes: Partial<MailLink> = {},
): MailLink {
  const linkId = anId(partition);
  return {
    partition,
    linkId,
    personId,
    purpose,
    address: email,
    expiresAt: NOW + 15 * MINUTE,
    about: null,
    ...changes,
  };
}

/** Stores a link, and returns the arguments that present it. */
export async function aSentLink(storage: Storage, link: MailLink) {
  const saltHash = aHash();
  await storage.mailLinks.create({ link, saltHash, mails: [], now: NOW });
  return { partition: link.partition, linkId: link.linkId, saltHash, now: NOW };
}

/** A recovery that removes and disconnects nothing, for a person without factors. */
export function aTakeBack(key: Awaited<ReturnType<typeof aSentLink>>, changes: Partial<TakeBack> = {}): TakeBack {
  const nothing = {
    device: null,
    seen: [],
    removal: null,
    wayBack: null,
    endApps: [],
    chosenApps: [],
    endCompanies: [],
    mails: [],
  };
  return { ...key, passwordHash: "new", shownAt: key.now, identitiesSince: key.now, ...nothing, ...changes };
}
