/** Who gets a message about a recovery by mail, and who can undo it. */

import type { Millis } from "../../oauth/model.ts";
import type {
  MailDraft,
  MailKind,
  MailLinks,
  NamedApps,
  NamedFactor,
  NewMailLink,
  Postbox,
  RecoveryNews,
} from "../mail/mail-content.ts";
import { type MailLimitContext, mayTell } from "../mail/mail-limits.ts";
import type { MailLink, StoredMail } from "../mail/storage.ts";
import type { Person } from "../storage.ts";
import type { Decided, FoundFactor } from "./review-factors-and-apps.ts";
import { type Address, addressSince, leftSince, REMOVAL_KEPT, type Removal, UNDO_TTL } from "./storage.ts";

export interface AnnounceContext extends MailLimitContext {
  readonly mail: Postbox;
  readonly links: MailLinks;
  readonly issuer: string;
  newId(partition: number): string;
  now(): Millis;
}

/** The facts for these messages. */
export interface Happened {
  readonly person: Person;
  /** The link by which the account was recovered: its address is the account's from now on. */
  readonly link: MailLink;
  readonly decided: Decided;
  /** Minutes for which the apps that lose access still have it. 0: none has. */
  readonly endsIn: number;
  /** The first sign of something suspicious that the person was shown. Null: there was none. */
  readonly moment: Millis | null;
  readonly addresses: readonly Address[];
  /** True: the recovery was made in a browser that was the person's own before. */
  readonly own: boolean;
  /** For the address that the account has until then; null: it gets none. */
  readonly wayBack: NewMailLink | null;
  /** The language of the page, for people whose own is unknown. */
  readonly language: string;
  readonly browser: string | null;
  readonly address: string;
}

/** Maximum number of app names in one message. */
const MOST_NAMED = 20;

/**
 * The removal, the links that undo it, and the messages. Every address that the account has, or had in the last weeks,
 * gets a message. Only the present address, and addresses that get a link, learn what was removed: an intruder's former
 * address must not learn more about the owner.
 */
export async function announced(
  happened: Happened,
  context: AnnounceContext,
): Promise<{ readonly removal: Removal | null; readonly mails: readonly StoredMail[] }> {
  const { link, decided, addresses, wayBack } = happened;
  const { removed } = decided;
  const returned = wayBack === null ? [] : returnedLetter(wayBack, happened, context);
  const others = [...new Set(addresses.map(({ address }) => address))].filter((address) => address !== link.address);
  if (removed.length === 0) {
    const told = link.purpose === "undo" ? others.filter((to) => to !== wayBack?.link.address) : [];
    const mails = [
      ...letter("recovered", link.address, `${context.issuer}/recover`, happened, context),
      ...(await bareLetters("emailReturned", told, happened, context)),
      ...returned,
    ];
    return { removal: null, mails };
  }
  const removalId = context.newId(link.partition);
  const until = context.now() + REMOVAL_KEPT;
  const linked = linkedAddresses(happened, until, context);
  const links: Removal["links"][number][] = [];
  const mails: StoredMail[] = [...returned];
  for (const to of [link.address, ...others]) {
    if (linked.has(to)) {
      const { partition, personId } = link;
      const about = { partition, personId, purpose: "restore", address: to, ttl: REMOVAL_KEPT } as const;
      const made = context.links.make({ ...about, about: removalId }, "/recover/undo");
      links.push({ link: made.link, saltHash: made.saltHash });
      mails.push(...letter("factorsRemoved", to, made.url, happened, context, until));
    } else if (to === link.address) {
      mails.push(...letter("factorsRemovedTold", to, `${context.issuer}/login`, happened, context));
    } else {
      mails.push(...(await bareLetters("factorsRemovedTold", [to], happened, context)));
    }
  }
  const ids = (kind: FoundFactor["kind"]) => removed.filter((one) => one.kind === kind).map(({ id }) => id);
  const removal: Removal = {
    ...{ removalId, passkeys: ids("passkey"), until, links },
    ...{ authenticator: ids("authenticator").length > 0, codes: ids("codes").length > 0 },
  };
  return { removal, mails };
}

/**
 * The link helps an owner whose factors a thief of the mailbox removed. If the owner's own browser made the removal,
 * there is no link, so that no thief can undo it. The link goes only to addresses that the account had before the first
 * sign of something suspicious: the one by which it is recovered, and older ones that the account left a few days ago.
 * These never include an address that an intruder gave the account, whatever the intruder did afterwards, nor a mailbox
 * that the owner gave up long ago.
 */
function linkedAddresses(
  { link, decided, addresses, moment: noticed, own: ownBrowser }: Happened,
  until: Millis,
  { now }: AnnounceContext,
): ReadonlySet<string> {
  if (ownBrowser) return new Set();
  const moment = Math.min(noticed ?? until, ...decided.removed.map(firstSign));
  // An address that a change of the address is taken back to was there before the change, whenever that was noted.
  const own = addressSince(addresses, link.address) ?? 0;
  const linked = addresses.flatMap(({ address }) => {
    const since = addressSince(addresses, address) ?? 0;
    return since < moment && since < own && leftSince(addresses, address, now() - UNDO_TTL) ? [address] : [];
  });
  return new Set([...(own < moment ? [link.address] : []), ...linked]);
}

function firstSign({ addedAt, added }: FoundFactor): Millis {
  return Math.min(addedAt, added.deviceSince ?? addedAt);
}

/** For the address that the account loses: how the owner gets it back, if it was the owner's. */
function returnedLetter(
  { link, url }: NewMailLink,
  { person, language }: Happened,
  { mail, now }: AnnounceContext,
): readonly StoredMail[] {
  const values = { person: person.username, at: now() };
  const to = link.address;
  const draft = { kind: "emailReturnedUndo", to, language: person.language ?? language, link: url, values } as const;
  return mail.write(draft, { partition: link.partition, cause: [link.linkId], uselessAfter: link.expiresAt });
}

/** That it happened, and nothing of it: for addresses that the account no longer has. */
async function bareLetters(
  kind: MailKind,
  told: readonly string[],
  { person, link, language }: Happened,
  context: AnnounceContext,
): Promise<readonly StoredMail[]> {
  const { mail, issuer, now } = context;
  const at = now();
  const values = { person: person.username, at };
  const mails: StoredMail[] = [];
  for (const to of told) {
    if (!(await mayTell(to, kind, context))) continue;
    const draft: MailDraft = { kind, to, language: person.language ?? language, link: `${issuer}/login`, values };
    mails.push(...mail.write(draft, { partition: link.partition, cause: [link.linkId, String(at)] }));
  }
  return mails;
}

function letter(
  kind: MailKind,
  to: string,
  url: string,
  happened: Happened,
  { mail, now }: AnnounceContext,
  uselessAfter?: Millis,
): readonly StoredMail[] {
  const { person, link, decided, endsIn, browser, address } = happened;
  const at = now();
  const accountStays = (person.deleteAt ?? null) !== null;
  const who = { person: person.username, at, browser, address };
  const values = { ...who, recovery: newsOf(decided), appsEndIn: endsIn, accountStays };
  const draft: MailDraft = { kind, to, language: person.language ?? happened.language, link: url, values };
  const about = { partition: link.partition, cause: [link.linkId, String(at)] };
  return mail.write(draft, uselessAfter === undefined ? about : { ...about, uselessAfter });
}

function newsOf(decided: Decided): RecoveryNews {
  const { removed, back, kept, endApps, keepApps, pausedApps, endCompanies, keepCompanies, pausedCompanies } = decided;
  const named = (all: readonly FoundFactor[]): readonly NamedFactor[] => all.map(({ kind, name }) => ({ kind, name }));
  return {
    ...{ removed: named(removed), back, kept: named(kept) },
    ended: some(endApps, endCompanies),
    keptApps: some(keepApps, keepCompanies),
    paused: some(pausedApps, pausedCompanies),
  };
}

/** The names that fit into a message. */
export function some(apps: readonly Named[], companies: readonly Named[]): NamedApps {
  const names = apps.slice(0, MOST_NAMED).map(({ name }) => name);
  const others = companies.slice(0, MOST_NAMED - names.length).map(({ name }) => name);
  return { names, companies: others, more: apps.length + companies.length - names.length - others.length };
}

interface Named {
  readonly name: string;
}
