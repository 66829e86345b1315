/** A person proves an address by the link that went there, and perhaps it takes the place of the one before. */

import type { Uses } from "../../storage-subset.ts";
import type { DeviceSeen } from "../known-device-storage.ts";
import type { NewMailLink, Postbox } from "../mail/mail-content.ts";
import { type MailLimitContext, mayTell } from "../mail/mail-limits.ts";
import type { FollowedLink } from "../mail/open-mail-link.ts";
import type { MailStorage, StoredMail } from "../mail/storage.ts";
import { undoOfChange, type WayBackContext } from "../recovery/undo-address-link.ts";
import type { Person } from "../storage.ts";

export interface ConfirmContext extends MailLimitContext, WayBackContext {
  readonly storage: MailLimitContext["storage"] &
    WayBackContext["storage"] &
    Uses<MailStorage, "mailLinks.verifyEmail" | "mailLinks.changeEmail">;
  readonly mail: Postbox;
  readonly issuer: string;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** The browser that follows the link. */
export interface FollowedFrom {
  /** What its cookie says of the person; null: it has none of theirs. */
  readonly device: DeviceSeen | null;
  /** Of the page that the person reads. */
  readonly language: string;
  readonly address: string;
}

/** `gone`: the link does not hold any more. `taken`: another account has the address. */
export type AddressConfirmed = { readonly kind: "done"; readonly person: Person } | { readonly kind: "gone" | "taken" };

export async function confirmAddress(
  what: "verify" | "change",
  followed: FollowedLink,
  from: FollowedFrom,
  context: ConfirmContext,
): Promise<AddressConfirmed> {
  const { storage, event } = context;
  const verifies = what === "verify";
  const outcome = verifies
    ? await storage.mailLinks.verifyEmail(followed.key)
    : await changeEmail(followed, from, context);
  if (outcome.kind !== "done") return { kind: outcome.kind === "taken" ? "taken" : "gone" };
  event(verifies ? "email_verified" : "email_changed", { owner: outcome.person.personId, address: from.address });
  return outcome;
}

/** The address before hears of it, with a way back; not one that nobody vouched for, as it gets no recovery either. */
async function changeEmail(followed: FollowedLink, { device, language }: FollowedFrom, context: ConfirmContext) {
  const { key, link, person } = followed;
  const undo = await undoOfChange(person, link.address, device, context);
  const mails = person.emailVerifiedAt === null ? [] : await newsOfChange(followed, undo, language, context);
  const outcome = await context.storage.mailLinks.changeEmail({ ...key, before: person.email, undo, mails });
  context.mail.kick();
  return outcome;
}

async function newsOfChange(
  { link, person }: FollowedLink,
  undo: NewMailLink | null,
  pageLanguage: string,
  context: ConfirmContext,
): Promise<readonly StoredMail[]> {
  const { mail, issuer } = context;
  const { partition, email: to, username } = person;
  const language = person.language ?? pageLanguage;
  const at = context.now();
  if (undo === null) {
    if (!(await mayTell(to, "emailReturned", context))) return [];
    const values = { person: username, at };
    const draft = { kind: "emailReturned", to, language, link: `${issuer}/login`, values } as const;
    return mail.write(draft, { partition, cause: [link.linkId] });
  }
  const goesBack = undo.link.about !== null;
  const values = goesBack ? { person: username, at } : { person: username, email: link.address };
  const draft = { kind: goesBack ? "emailReturnedUndo" : "changed", to, language, link: undo.url, values } as const;
  return mail.write(draft, { partition, cause: [undo.link.linkId], uselessAfter: undo.link.expiresAt });
}
