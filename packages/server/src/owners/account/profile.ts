/** A person changes their name, proves their address, or asks for another one. */

import type { Uses } from "../../storage-subset.ts";
import type { SignedIn } from "../authorization/context.ts";
import { isAddressOfNobody } from "../canonical-login.ts";
import { type MailDesk, sendLink } from "../mail/answer-mail-request.ts";
import { CONFIRM_TTL, type MailLinks, type Postbox } from "../mail/mail-content.ts";
import { type MailLimitContext, mayAskForAddress, mayProve } from "../mail/mail-limits.ts";
import type { MailStorage } from "../mail/storage.ts";
import type { Person } from "../person.ts";
import type { DetailChanges, OwnerStorage } from "../storage.ts";

export interface ProfileContext extends MailLimitContext {
  readonly storage: MailLimitContext["storage"] &
    Uses<OwnerStorage, "people.update"> &
    Uses<MailStorage, "mailLinks.create">;
  readonly mail: Postbox;
  readonly mailDesk: MailDesk;
  readonly links: MailLinks;
}

/** `name`: as it was checked; empty: the person has none any more. If the session has ended meanwhile, nothing is changed. */
export async function changeName(
  { person: { partition, personId }, session: { sessionId } }: SignedIn,
  name: string,
  { storage, now }: ProfileContext,
): Promise<void> {
  const changes = { name: name === "" ? null : name.normalize("NFC") };
  await storage.people.update({ partition, personId, sessionId, changes, now: now() });
}

/** `changes`: as they were checked. Nobody's own word verifies a phone number. */
export async function changeDetails(
  { person: { partition, personId }, session: { sessionId } }: SignedIn,
  { phoneVerified: _, ...details }: DetailChanges,
  { storage, now }: ProfileContext,
): Promise<void> {
  await storage.people.update({ partition, personId, sessionId, changes: { details }, now: now() });
}

/** Sends a link that proves the person's address. `language`: of the page that they read. `not_needed`: it is proved, or no mail is sent here. */
export async function sendVerification(
  { partition, personId, email, username, emailVerifiedAt }: Person,
  language: string,
  context: ProfileContext,
): Promise<"sent" | "not_needed" | "too_many"> {
  if (!context.mail.enabled || emailVerifiedAt !== null || isAddressOfNobody(email)) return "not_needed";
  if (!(await mayProve(personId, context))) return "too_many";
  const about = { partition, personId, purpose: "verify", address: email, ttl: CONFIRM_TTL } as const;
  const made = context.links.make(about, "/confirm/verify");
  const values = { person: username, email };
  await sendLink(made, { kind: "verify", to: email, language, values }, context);
  return "sent";
}

/**
 * Has a link sent to the new address. Only that mailbox hears whether another account has the address. `full`: too much mail waits, and nothing was
 * taken.
 */
export async function askForNewEmail(
  { personId, passwordChangedAt }: Person,
  email: string,
  language: string,
  context: ProfileContext,
): Promise<"asked" | "too_many" | "full"> {
  if (!(await mayAskForAddress(personId, context))) return "too_many";
  const request = { kind: "change", email, language, personId, passwordChangedAt } as const;
  return (await context.mailDesk.ask(request, "a known device")) ? "asked" : "full";
}
