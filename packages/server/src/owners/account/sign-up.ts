/** Somebody makes an account, by the link in a message to their address. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { MailLinks } from "../mail/mail-content.ts";
import { askedTooManyNames, type MailLimitContext } from "../mail/mail-limits.ts";
import type { OpenedLink, OpenLinkContext } from "../mail/open-mail-link.ts";
import type { MailLink, MailStorage } from "../mail/storage.ts";
import type { NewUsername } from "../new-username-and-email.ts";
import type { HashRequester } from "../password-hash-requester.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";

export interface SignUpContext extends MailLimitContext, OpenLinkContext {
  readonly storage: MailLimitContext["storage"] &
    OpenLinkContext["storage"] &
    Uses<OwnerStorage, "people.create" | "people.findByName"> &
    Uses<MailStorage, "mailLinks.create" | "mailLinks.take">;
  readonly links: MailLinks;
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** What somebody has chosen for their account, checked. `name`: empty: none. `language`: of the page that they read. */
export interface Chosen extends NewUsername {
  readonly name: string;
  readonly password: string;
  readonly language: string;
}

/** Where somebody makes an account. */
export interface MadeFrom extends Pick<HashRequester, "allocation" | "provider" | "network"> {
  readonly address: string;
}

export type AccountMade =
  | { readonly kind: "made"; readonly person: Person }
  /** The link was used, or another account has its address. */
  | { readonly kind: "gone" }
  /** Too many usernames were tried. */
  | { readonly kind: "throttled"; readonly until: Millis }
  /** Another account has the username. `token`: of the link that takes the place of this one, which was used up; null: this one still holds. */
  | { readonly kind: "taken"; readonly token: string | null };

/** Of two who send the form at once, one makes the account: the link is used up after the password was hashed. */
export async function makeAccount(
  { key, link }: OpenedLink,
  chosen: Chosen,
  { address, ...from }: MadeFrom,
  context: SignUpContext,
): Promise<AccountMade> {
  const { storage } = context;
  const { username, lookAlike, password } = chosen;
  const until = await askedTooManyNames(link.linkId, from.network, context);
  if (until !== undefined) return { kind: "throttled", until };
  for (const name of [username, lookAlike])
    if (name !== null && (await storage.people.findByName({ name })) !== undefined)
      return { kind: "taken", token: null };
  const passwordHash = await context.hashPassword(password, { ...from, account: link.address, known: false });
  if ((await storage.mailLinks.take(key)) === undefined) return { kind: "gone" };
  const person = newPerson(link, chosen, passwordHash, context.now());
  const outcome = await storage.people.create({ person, now: context.now() });
  if (outcome.kind === "taken") {
    return outcome.what === "email" ? { kind: "gone" } : { kind: "taken", token: await renewed(link, context) };
  }
  context.event("signed_up", { owner: person.personId, address });
  return { kind: "made", person };
}

/** The same link once more, for a form whose username went to another in the last moment. */
async function renewed(link: MailLink, { storage, links, now }: SignUpContext): Promise<string> {
  const made = links.make({ ...link, ttl: Math.max(1, link.expiresAt - now()) }, "/sign-up/account");
  await storage.mailLinks.create({ link: made.link, saltHash: made.saltHash, mails: [], now: now() });
  return made.token;
}

function newPerson(
  { partition, personId, address }: MailLink,
  { username, lookAlike, name, language }: Chosen,
  passwordHash: string,
  now: Millis,
): Person {
  return {
    ...{ partition, personId, username, lookAlike, email: address, emailVerifiedAt: now },
    name: name === "" ? null : name.normalize("NFC"),
    status: "active",
    ...{ passwordHash, passwordChangedAt: now, mustChangePassword: false, operator: [] },
    ...{ language, deleteAt: null, createdAt: now, updatedAt: now },
  };
}
