/**
 * Verbs of links in messages. Each link has one purpose and works once, while the person's account is as it was when
 * the link was made.
 */

import type { Millis } from "../../oauth/model.ts";
import type {
  FollowLinkOutcome,
  MailLink,
  MailLinkKey,
  MailLinkPurpose,
  StoredMail,
} from "../../owners/mail/storage.ts";
import { isOwed, leavesWayBack, leftAt, OWN_BROWSER_ONLY } from "../../owners/recovery/storage.ts";
import { type Call, query, type Row, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import {
  dropFirstUses,
  dropMailLinks,
  isOwedToAnother,
  knownAddresses,
  noteFormer,
  sinceWhen,
} from "../people/current-and-former-addresses.ts";
import { settleName } from "../people/name-reconciliation.ts";
import { giveBack } from "../people/people.ts";
import { getPerson } from "../people/person-row.ts";
import { dropName, reserveName, unreserveName } from "../people/unique-names.ts";
import { personColumns, personOf, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { post } from "./outbox.ts";

const mailLinkColumns = sql`partition, link_id, person_id, purpose, address, expires_at, about`;
const held = sql`partition = :partition AND link_id = :linkId AND salt_hash = :saltHash AND purpose = :purpose AND expires_at > :now`;

export type UnpurposedKey = Omit<MailLinkKey, "purpose">;

function mailLinkOf(row: Row): MailLink {
  return {
    partition: whole(row, "partition"),
    linkId: text(row, "link_id"),
    personId: text(row, "person_id"),
    purpose: text(row, "purpose") as MailLinkPurpose,
    address: text(row, "address"),
    expiresAt: whole(row, "expires_at"),
    about: textOrNull(row, "about"),
  };
}

const boundKey = ({ partition, linkId, saltHash, purpose, now }: MailLinkKey) => ({
  ...{ partition, linkId, saltHash, purpose, now },
});

/** False: a link with this id exists. */
export async function insertMailLink(tx: Tx, link: MailLink, saltHash: Uint8Array, now: Millis): Promise<boolean> {
  const inserted = await tx.run(
    sql`INSERT INTO mail_links (${mailLinkColumns}, salt_hash, created_at)
      VALUES (:partition, :linkId, :personId, :purpose, :address, :expiresAt, :about, :saltHash, :now)
      ON CONFLICT (partition, link_id) DO NOTHING`,
    { ...link, saltHash, now },
  );
  return inserted > 0;
}

export const createMailLink = transaction<
  {
    readonly link: MailLink;
    readonly saltHash: Uint8Array;
    readonly passwordChangedAt?: Millis | null;
    readonly owed?: boolean;
    readonly mails: readonly StoredMail[];
    readonly now: Millis;
  },
  void
>(async (tx, { link, saltHash, passwordChangedAt, owed = false, mails, now }) => {
  if (passwordChangedAt !== undefined && !(await hasPasswordOf(tx, link, passwordChangedAt))) return;
  if (owed && !(await isStillOwed(tx, link, now))) return;
  if (await insertMailLink(tx, link, saltHash, now)) await post(tx, mails, now);
});

/** Locks the row, so that a recovery either finds the link and deletes it, or happened before. */
async function hasPasswordOf(tx: Tx, { partition, personId }: MailLink, at: Millis | null): Promise<boolean> {
  const row = await tx.one(
    sql`SELECT password_changed_at FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
    { partition, personId },
  );
  return row !== undefined && wholeOrNull(row, "password_changed_at") === at;
}

/** Locks the row, so that a link that takes the account back either was followed before, or finds this one and ends it. */
async function isStillOwed(tx: Tx, { partition, personId, address }: MailLink, now: Millis): Promise<boolean> {
  const row = await tx.one(
    sql`SELECT email FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
    { partition, personId },
  );
  if (row === undefined) return false;
  return isOwed(await knownAddresses(tx, { partition, personId }, now), address, text(row, "email"), now);
}

export const findMailLink = query<MailLinkKey, MailLink | undefined>({
  sql: sql`SELECT ${mailLinkColumns} FROM mail_links WHERE ${held}`,
  bind: boundKey,
  outcome: ([row]) => row && mailLinkOf(row),
});

export const takeMailLink = statement<MailLinkKey, MailLink | undefined>({
  lock: "linkId",
  sql: sql`UPDATE mail_links SET purpose = 'used' WHERE ${held} RETURNING ${mailLinkColumns}`,
  bind: boundKey,
  outcome: (row, { purpose }) => row && { ...mailLinkOf(row), purpose },
});

/** Reads the link inside another verb's transaction. */
export async function peekMailLink(
  tx: Tx,
  key: UnpurposedKey,
  purpose: MailLinkPurpose,
): Promise<MailLink | undefined> {
  const row = await tx.one(sql`SELECT ${mailLinkColumns} FROM mail_links WHERE ${held}`, boundKey({ ...key, purpose }));
  return row && mailLinkOf(row);
}

/**
 * Locks the link inside another verb's transaction, so that nobody else can use it. Returns it only if it is still
 * valid.
 */
export async function lockMailLink(
  tx: Tx,
  key: UnpurposedKey,
  purpose: MailLinkPurpose,
): Promise<MailLink | undefined> {
  const row = await tx.one(sql`SELECT ${mailLinkColumns} FROM mail_links WHERE ${held} ${words.forUpdate}`, {
    ...boundKey({ ...key, purpose }),
  });
  return row && mailLinkOf(row);
}

/** Uses the link up inside another verb's transaction. Its record stays, so that the page can say that it was used. */
async function take(tx: Tx, key: UnpurposedKey, purpose: MailLinkPurpose): Promise<MailLink | undefined> {
  const row = await tx.one(
    sql`UPDATE mail_links SET purpose = 'used' WHERE ${held} RETURNING ${mailLinkColumns}`,
    boundKey({ ...key, purpose }),
  );
  return row && { ...mailLinkOf(row), purpose };
}

export const verifyEmail = transaction<UnpurposedKey, FollowLinkOutcome>(async (tx, args) => {
  const { partition, now } = args;
  const link = await take(tx, args, "verify");
  if (link === undefined) return { kind: "unknown" };
  const row = await tx.one(
    sql`UPDATE people SET email_verified_at = :now, updated_at = :now
      WHERE partition = :partition AND person_id = :personId AND status = 'active' AND email = :address
      RETURNING ${personColumns}`,
    { partition, personId: link.personId, address: link.address, now },
  );
  if (row === undefined) return { kind: "unknown" };
  await tell(tx, {
    ...{ kind: "user.email_verified", at: now, by: `user:${link.personId}`, subject: link.personId },
  });
  return { kind: "done", person: personOf(row) };
});

type Change = UnpurposedKey & {
  readonly before: string;
  readonly undo: { readonly link: MailLink; readonly saltHash: Uint8Array } | null;
  readonly mails: readonly StoredMail[];
};

export const changeEmail = steps<Change, FollowLinkOutcome>(async (call, args) => {
  const { before, now } = args;
  const link = await call(findMailLink, { ...args, purpose: "change" });
  if (link === undefined) return { kind: "unknown" };
  if (link.address === before) return call(writeEmail, args);
  return moving(call, { link, before, now }, () => call(writeEmail, args));
});

export const writeEmail = transaction<Change, FollowLinkOutcome>(async (tx, args) => {
  const { partition, before, undo, mails, now } = args;
  const link = await take(tx, args, "change");
  if (link === undefined) return { kind: "unknown" };
  const key = { partition, personId: link.personId };
  const addresses = await knownAddresses(tx, key, now);
  const hasWayBack = leavesWayBack(addresses, before, link.address, now);
  const since = await sinceWhen(tx, key, link.address, now);
  await noteFormer(tx, key, { from: before, to: link.address }, now);
  const row = await tx.one(
    sql`UPDATE people SET email = :address, email_verified_at = :now,
        email_since = CASE WHEN email = :address THEN email_since ELSE :since END, updated_at = :now
      WHERE partition = :partition AND person_id = :personId AND status = 'active' AND email = :before
      RETURNING ${personColumns}`,
    { ...key, address: link.address, before, since, now },
  );
  if (row === undefined) return { kind: "unknown" };
  // The person who changed the account's address in between may have linked identities by that address.
  if (!hasWayBack) await dropFirstUses(tx, key, leftAt(addresses, link.address) ?? now);
  // Deletes links to the previous mailbox. Links that take a change back stay, unless they went to a younger address.
  await dropMailLinks(tx, key, link.address, { given: true, restores: false }, now);
  if (undo !== null && (hasWayBack || undo.link.about === OWN_BROWSER_ONLY))
    await insertMailLink(tx, undo.link, undo.saltHash, now);
  await post(tx, mails, now);
  await tell(tx, { kind: "user.email_changed", at: now, by: `user:${link.personId}`, subject: link.personId });
  return { kind: "done", person: personOf(row) };
});

interface Move {
  readonly link: MailLink;
  /** The person's address before the change. */
  readonly before: string;
  readonly now: Millis;
}

/**
 * Reserves the new address before the transaction that changes a person's address, and releases the old one after it.
 */
export async function moving<O extends { readonly kind: string }>(
  call: Call,
  { link, before, now }: Move,
  write: () => Promise<O>,
): Promise<O | { readonly kind: "taken" }> {
  const ownerId = link.personId;
  const name = { value: link.address, ownerId, now };
  if (!(await call(reserveName, name))) return { kind: "taken" };
  if (link.purpose === "change" && (await isOwedToAnother(call, name))) {
    await call(dropName, name);
    return { kind: "taken" };
  }
  const old = { value: before, ownerId, now };
  await call(unreserveName, old);
  const person = await call(getPerson, { partition: link.partition, personId: ownerId });
  const outcome = await write();
  const taken = !(await settleName(call, name)) && outcome.kind === "done";
  // A person who recovers the account does not need the address that the intruder had set.
  const goesBack = taken && link.purpose === "change";
  if (goesBack && person?.email === before) await giveBack(call, person, name);
  await settleName(call, old);
  return goesBack ? { kind: "taken" } : outcome;
}
