/** Who hears what a recovery by mail did, and who can undo it. */

import type { Millis } from "../../oauth/model.ts";
import type { MailDraft, MailKind, MailLinks, NamedApps, NamedFactor, Postbox, RecoveryNews } from "../mail.ts";
import type { MailLink, StoredMail } from "../mail-storage.ts";
import type { Person } from "../storage.ts";
import type { Decided, FoundFactor } from "./review.ts";
import { type Address, addressSince, REMOVAL_KEPT, type Removal } from "./storage.ts";

export interface AnnounceContext {
  readonly mail: Postbox;
  readonly links: MailLinks;
  readonly issuer: string;
  newId(partition: number): string;
  now(): Millis;
}

/** What is told of it. */
export interface Happened {
  readonly person: Person;
  /** The link by which the account was taken back: its address is the account's from now on. */
  readonly link: MailLink;
  readonly decided: Decided;
  /** The first sign of something suspicious, as the person was shown it; null: nothing looked like that. */
  readonly moment: Millis | null;
  readonly addresses: readonly Address[];
  /** It is taken back with a browser that was the person's own before. */
  readonly own: boolean;
  /** Of the page, for people whose own isn't known. */
  readonly language: string;
  readonly browser: string | null;
  readonly address: string;
}

/** Names of apps in one message. */
const MOST_NAMED = 20;

/**
 * What is to be removed, with the links that undo it, and the messages. A removal is told to every address that the account has or had in the last
 * weeks. The link is for an owner whose factors a thief of the mailbox removed: none is made where the owner's own browser did it, so that no thief can
 * undo that. It goes only to those that were the account's before the first sign of something suspicious, and at least as early as the address by which
 * it is taken back: the address that an intruder gave the account is not among them, whatever they did after that.
 */
export function announced(
  happened: Happened,
  context: AnnounceContext,
): { readonly removal: Removal | null; readonly mails: readonly StoredMail[] } {
  const { link, decided, addresses } = happened;
  const { removed } = decided;
  if (removed.length === 0) {
    return { removal: null, mails: letter("recovered", link.address, `${context.issuer}/recover`, happened, context) };
  }
  const removalId = context.newId(link.partition);
  const until = context.now() + REMOVAL_KEPT;
  const moment = Math.min(happened.moment ?? until, ...removed.map(firstSign));
  // An address that a change of the address is taken back to was there before the change, whenever that was noted.
  const own = addressSince(addresses, link.address) ?? 0;
  const told = new Set([link.address, ...addresses.map(({ address }) => address)]);
  const links: Removal["links"][number][] = [];
  const mails: StoredMail[] = [];
  for (const to of told) {
    const since = to === link.address ? own : addressSince(addresses, to);
    if (happened.own || since === undefined || since >= moment || since > own) {
      mails.push(...letter("factorsRemovedTold", to, `${context.issuer}/login`, happened, context));
      continue;
    }
    const { partition, personId } = link;
    const about = {
      partition,
      personId,
      purpose: "restore",
      address: to,
      ttl: REMOVAL_KEPT,
      about: removalId,
    } as const;
    const made = context.links.make(about, "/recover/undo");
    links.push({ link: made.link, saltHash: made.saltHash });
    mails.push(...letter("factorsRemoved", to, made.url, happened, context, until));
  }
  const ids = (kind: FoundFactor["kind"]) => removed.filter((one) => one.kind === kind).map(({ id }) => id);
  const removal: Removal = {
    ...{ removalId, passkeys: ids("passkey"), until, links },
    ...{ authenticator: ids("authenticator").length > 0, codes: ids("codes").length > 0 },
  };
  return { removal, mails };
}

function firstSign({ addedAt, added }: FoundFactor): Millis {
  return Math.min(addedAt, added.deviceSince ?? addedAt);
}

function letter(
  kind: MailKind,
  to: string,
  url: string,
  happened: Happened,
  { mail, now }: AnnounceContext,
  uselessAfter?: Millis,
): readonly StoredMail[] {
  const { person, link, decided, browser, address } = happened;
  const at = now();
  const values = { person: person.username, at, browser, address, recovery: newsOf(decided) };
  const draft: MailDraft = { kind, to, language: person.language ?? happened.language, link: url, values };
  const about = { partition: link.partition, cause: [link.linkId, String(at)] };
  return mail.write(draft, uselessAfter === undefined ? about : { ...about, uselessAfter });
}

function newsOf({ removed, kept, endApps, keepApps, endCompanies, keepCompanies }: Decided): RecoveryNews {
  const named = (all: readonly FoundFactor[]): readonly NamedFactor[] => all.map(({ kind, name }) => ({ kind, name }));
  return {
    ...{ removed: named(removed), kept: named(kept) },
    ended: some([...endApps, ...endCompanies]),
    keptApps: some([...keepApps, ...keepCompanies]),
  };
}

function some(all: readonly { readonly name: string }[]): NamedApps {
  const names = all.slice(0, MOST_NAMED).map(({ name }) => name);
  return { names, more: all.length - names.length };
}
