/** A person has their account deleted: in two weeks, unless they sign in and keep it. What others can do in their name ends at once. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import { type NewsContext, newsFor } from "../account-change-mail.ts";
import { type AllAppsContext, allAppsEndIn } from "../apps/remaining-token-lifetime.ts";
import type { SignedIn } from "../authorization/context.ts";
import { DELETION_DELAY } from "../mail/mail-content.ts";
import type { MailStorage } from "../mail/storage.ts";
import type { Person } from "../person.ts";

export interface DeletionContext extends NewsContext, AllAppsContext {
  readonly storage: NewsContext["storage"] &
    AllAppsContext["storage"] &
    Uses<MailStorage, "people.setDeletion" | "people.soleAdminOf">;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** When an account goes whose person asks for it now, and the names of the companies whose only admin they are: with one of these it stays. */
export async function deletionOf(
  { partition, personId }: Person,
  { storage, now }: DeletionContext,
): Promise<{ readonly at: Millis; readonly soleAdminOf: readonly string[] }> {
  const companies = await storage.people.soleAdminOf({ partition, personId });
  return { at: now() + DELETION_DELAY, soleAdminOf: companies.map(({ name }) => name) };
}

/** `language`: of the page that the person reads. False: overtaken by a recovery, which has ended this session and keeps the account. */
export async function askForDeletion(
  { person, session: { sessionId } }: SignedIn,
  { address, language }: { readonly address: string; readonly language: string },
  context: DeletionContext,
): Promise<boolean> {
  const { partition, personId, passwordChangedAt } = person;
  const now = context.now();
  const at = now + DELETION_DELAY;
  const values = { person: person.username, at, appsEndIn: await allAppsEndIn(person, context) };
  const news = { link: "/account/profile", language, values };
  const mails = await newsFor(person, "deletion", news, context);
  const asked = { sessionId, passwordChangedAt };
  const key = { partition, personId, keepSessionId: sessionId };
  if (!(await context.storage.people.setDeletion({ ...key, ...asked, at, mails, now }))) return false;
  context.mail.kick();
  context.event("deletion_asked", { owner: personId, address });
  return true;
}

/** False: the session has ended meanwhile, and the account still goes. */
export async function keepAccount(
  { person: { partition, personId }, session: { sessionId } }: SignedIn,
  address: string,
  { storage, event, now }: DeletionContext,
): Promise<boolean> {
  const key = { partition, personId, sessionId };
  const kept = await storage.people.setDeletion({ ...key, at: null, keepSessionId: null, mails: [], now: now() });
  if (kept) event("deletion_withdrawn", { owner: personId, address });
  return kept;
}
