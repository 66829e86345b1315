/** Opens links of messages. */

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

/** Undefined: the link is unknown, expired or used. Opening doesn't use the link up. */
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

/** Returns a link that was used or has expired. Undefined: the link is unknown, still valid, or already deleted. */
export async function openSpentLink(
  token: string | null,
  purpose: MailLinkPurpose,
  context: OpenLinkContext,
): Promise<MailLink | undefined> {
  if ((await openLink(token, purpose, context)) !== undefined) return undefined;
  // At time 0, no link has expired.
  const whenever = { ...context, now: () => 0 };
  return ((await openLink(token, "used", whenever)) ?? (await openLink(token, purpose, whenever)))?.link;
}

/**
 * Why a link is not valid. `ended`: it was used or has expired, and its record is deleted. `overtaken`: the same, or a
 * change of the account ended it.
 */
export type LinkEnd =
  | { readonly kind: "incomplete" | "used" | "ended" | "overtaken" }
  | { readonly kind: "expired"; readonly at: Millis };

/** Only somebody with the whole link learns more than `incomplete`. */
export async function linkEnd(
  token: string | null,
  purpose: MailLinkPurpose,
  context: OpenLinkContext,
): Promise<LinkEnd> {
  if (context.credentials.read("mail link", token ?? "") === undefined) return { kind: "incomplete" };
  const spent = await openSpentLink(token, purpose, context);
  // A link to make an account belongs to no account yet, so no change ends it.
  if (spent === undefined) return { kind: purpose === "sign-up" ? "ended" : "overtaken" };
  return spent.purpose === "used" ? { kind: "used" } : { kind: "expired", at: spent.expiresAt };
}

/** A valid link, and the person that it was sent to. */
export interface FollowedLink extends OpenedLink {
  readonly person: Person;
}

export interface FollowContext extends OpenLinkContext {
  readonly storage: OpenLinkContext["storage"] & Uses<OwnerStorage, "people.get">;
}

/**
 * The same for a link of an existing person. Also undefined if the person is disabled, or if their address is no longer
 * the one that the link proves.
 */
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
