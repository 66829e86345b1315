/** A link of a message, as somebody comes back with it. */

import type { Millis } from "../../oauth/model.ts";
import type { Credential } from "../../oauth/ports.ts";
import type { Uses } from "../../storage-subset.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { MailLink, MailLinkKey, MailLinkPurpose, MailStorage } from "./storage.ts";

export interface OpenLinkContext {
  readonly storage: Uses<MailStorage, "mailLinks.find">;
  readonly credentials: {
    read(kind: "mail link", token: string): Pick<Credential, "partition" | "id" | "saltHash"> | undefined;
  };
  now(): Millis;
}

export interface OpenedLink {
  readonly key: MailLinkKey;
  readonly link: MailLink;
}

/** Undefined: it is none of ours, or it does not hold. The link still holds afterwards. */
export async function openLink(
  token: string | null,
  purpose: MailLinkPurpose,
  { storage, credentials, now }: OpenLinkContext,
): Promise<OpenedLink | undefined> {
  const credential = credentials.read("mail link", token ?? "");
  if (credential === undefined) return undefined;
  const { partition, id: linkId, saltHash } = credential;
  const key = { partition, linkId, saltHash, purpose, now: now() };
  const link = await storage.mailLinks.find(key);
  return link && { key, link };
}

/**
 * A link that was used, or has expired, for as long as the database has it. Undefined: it is none of ours, it holds, or
 * it was deleted.
 */
export async function openSpentLink(
  token: string | null,
  purpose: MailLinkPurpose,
  context: OpenLinkContext,
): Promise<MailLink | undefined> {
  if ((await openLink(token, purpose, context)) !== undefined) return undefined;
  // Every expiry is after the time 0.
  const whenever = { ...context, now: () => 0 };
  return ((await openLink(token, "used", whenever)) ?? (await openLink(token, purpose, whenever)))?.link;
}

/** A link that holds, and the person whose it is. */
export interface FollowedLink extends OpenedLink {
  readonly person: Person;
}

export interface FollowContext extends OpenLinkContext {
  readonly storage: OpenLinkContext["storage"] & Uses<OwnerStorage, "people.get">;
}

/** The same for a link of a person who exists. Undefined also: the person is disabled, or has another address than the one that the link proves. */
export async function followLink(
  token: string | null,
  purpose: MailLinkPurpose,
  context: FollowContext,
): Promise<FollowedLink | undefined> {
  const opened = await openLink(token, purpose, context);
  if (opened === undefined) return undefined;
  const { partition, personId, address } = opened.link;
  const person = await context.storage.people.get({ partition, personId });
  if (person?.status !== "active") return undefined;
  const provesAddress = purpose === "recover" || purpose === "verify";
  return provesAddress && person.email !== address ? undefined : { ...opened, person };
}
