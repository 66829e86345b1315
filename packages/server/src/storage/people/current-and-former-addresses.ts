/**
 * Verbs of the present and former addresses of an account: which of them get news, and which account a former address
 * still belongs to.
 */

import type { Millis } from "../../oauth/model.ts";
import {
  ADDRESS_TOLD,
  type Address,
  addressSince,
  isOldestOwn,
  isOwed,
  OWN_BROWSER_ONLY,
  type Presented,
  type RecoveryStorage,
  UNDO_TTL,
} from "../../owners/recovery/storage.ts";
import { type Call, query, type Row, sql, steps, type Tx } from "../define-verbs.ts";
import { text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { getPerson, type PersonKey, thisPerson } from "./person-row.ts";
import type { NameArgs } from "./unique-names.ts";

const current = sql`SELECT email AS address, email_since AS since, CAST(NULL AS INTEGER) AS until, 0 AS ended FROM people
  WHERE ${thisPerson} AND email_verified_at IS NOT NULL`;
const former = sql`SELECT address, since, until, ended FROM former_addresses WHERE ${thisPerson} AND until > :told ORDER BY until DESC`;

function addressOf(row: Row): Address {
  const address = { address: text(row, "address"), since: wholeOrNull(row, "since"), until: wholeOrNull(row, "until") };
  return whole(row, "ended") === 1 ? { ...address, ended: true } : address;
}

export const addressesOf = query<Parameters<RecoveryStorage["people"]["addresses"]>[0], readonly Address[]>({
  sql: current,
  also: former,
  bind: ({ partition, personId, now }) => ({ partition, personId, told: now - ADDRESS_TOLD }),
  outcome: (rows, _, others) => [...rows, ...others].map(addressOf),
});

/** Accounts that have left an address since then, in the order in which they first left it. `until`: the last time. */
export const whoLeft = query<
  { readonly address: string; readonly since: Millis; readonly limit: number },
  readonly (PersonKey & { readonly until: Millis })[]
>({
  sql: sql`SELECT partition, person_id, MAX(until) AS until FROM former_addresses
    WHERE +partition >= 0 AND address = :address AND until > :since GROUP BY partition, person_id ORDER BY MIN(until) LIMIT :limit`,
  bind: ({ address, since, limit }) => ({ address, since, limit }),
  outcome: (rows) =>
    rows.map((row) => ({
      ...{ partition: whole(row, "partition"), personId: text(row, "person_id"), until: whole(row, "until") },
    })),
});

/** Maximum number of accounts that left an address in the last days and are looked at. */
const MOST_LEFT = 20;

type OwedTo = RecoveryStorage["people"]["owedTo"];

export const owedTo = steps<Parameters<OwedTo>[0], Awaited<ReturnType<OwedTo>>>(
  async (call, { address, limit, now }) => {
    const left = await call(whoLeft, { address, since: now - UNDO_TTL, limit });
    const owed = await Promise.all(
      left.map(async ({ until, ...key }) => {
        const person = await call(getPerson, key);
        if (person === undefined) return [];
        const known = await call(addressesOf, { ...key, now });
        return isOwed(known, address, person.email, now) ? [{ person, until }] : [];
      }),
    );
    return owed.flat();
  },
);

/**
 * True if another account left the address in the last days for a younger one. Call this after the name was reserved:
 * an account records a former address before it releases the name. Otherwise an intruder could give the account another
 * address, and take the owner's address for an account of their own.
 */
export async function isOwedToAnother(call: Call, { value, ownerId, now }: NameArgs): Promise<boolean> {
  const owed = await call(owedTo, { address: value, limit: MOST_LEFT, now });
  return owed.some(({ person }) => person.personId !== ownerId);
}

/**
 * Records a person's present address before the person gets another one. An address that is not vouched for is not
 * recorded, because nobody writes to it.
 */
export async function noteFormer(
  tx: Tx,
  { partition, personId }: PersonKey,
  { from, to }: { readonly from: string; readonly to: string },
  now: Millis,
): Promise<void> {
  if (from === to) return;
  await tx.run(
    sql`INSERT INTO former_addresses (partition, person_id, address, since, until)
      SELECT partition, person_id, email, email_since, :now FROM people WHERE ${thisPerson} AND email = :from AND email_verified_at IS NOT NULL
      ON CONFLICT (partition, person_id, address, until) DO NOTHING`,
    { partition, personId, from, now },
  );
}

/**
 * The operator ended all ways back: addresses that the person has left get no other link. Otherwise, somebody who reads
 * a former mailbox could ask for one. The addresses still get messages. Call this after the person's row was locked,
 * because a change of the address waits for that lock.
 */
export async function endOwed(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  await tx.run(sql`UPDATE former_addresses SET ended = 1 WHERE ${thisPerson} AND ended = 0`, { partition, personId });
}

/** All known addresses of a person, in a transaction. */
export async function knownAddresses(
  tx: Tx,
  { partition, personId }: PersonKey,
  now: Millis,
): Promise<readonly Address[]> {
  const key = { partition, personId };
  const rows = [...(await tx.all(current, key)), ...(await tx.all(former, { ...key, told: now - ADDRESS_TOLD }))];
  return rows.map(addressOf);
}

/** Since when a new address counts as the person's: since they first had it, if they had it within the last weeks. */
export async function sinceWhen(tx: Tx, key: PersonKey, address: string, now: Millis): Promise<Millis> {
  return addressSince(await knownAddresses(tx, key, now), address) ?? now;
}

/**
 * Ends the links in the person's messages when `address` took the account back, or has become the account's.
 *
 * - A link that takes a change of the address back stays if the address that it restores is older than `address`. An
 *   intruder who gave the account their own address can't end it by a recovery there. If its address is younger, it
 *   stays for the owner's oldest browser alone, and only that browser ends it.
 * - A link that undoes a removal stays unless it went to a younger address: that may be the intruder's, and the removal
 *   one that they made to undo it. `restores`: it ends all the same, because the account was taken back with the
 *   owner's own browser.
 *
 * `given`: the account has this address now. False: a link to the address undid a removal, which gives the account no
 * address; so the address keeps its own link that takes a change back. `own`: the browser that took the account back.
 */
export async function dropMailLinks(
  tx: Tx,
  key: PersonKey,
  address: string,
  ends: { readonly given: boolean; readonly restores: boolean; readonly own?: Presented },
  now: Millis,
): Promise<void> {
  const { partition, personId } = key;
  const rows = await tx.all(
    sql`SELECT link_id, purpose, address, about FROM mail_links WHERE ${thisPerson} AND purpose <> 'used'`,
    { partition, personId },
  );
  const known = await knownAddresses(tx, key, now);
  const since = addressSince(known, address) ?? 0;
  for (const row of rows) {
    const its = addressSince(known, text(row, "address")) ?? now;
    const purpose = text(row, "purpose");
    if ((purpose === "restore" && its <= since && !ends.restores) || (purpose === "undo" && its < since)) continue;
    if (purpose === "undo" && its === since && !ends.given) continue;
    const linkKey = { partition, linkId: text(row, "link_id") };
    const isLimited = textOrNull(row, "about") === OWN_BROWSER_ONLY;
    if (purpose === "undo" && (isLimited || its > since)) {
      const isOldest = ends.own !== undefined && isOldestOwn(known, text(row, "address"), ends.own);
      if (!isOldest && !isLimited) {
        await tx.run(sql`UPDATE mail_links SET about = :about WHERE partition = :partition AND link_id = :linkId`, {
          ...linkKey,
          about: OWN_BROWSER_ONLY,
        });
      }
      if (!isOldest) continue;
    }
    await tx.run(sql`DELETE FROM mail_links WHERE partition = :partition AND link_id = :linkId`, linkKey);
  }
}

/**
 * For a recovered account: identities that were linked by their first use, or by whoever was signed in, since then no
 * longer belong to the owner. The names that remain lead nowhere and keep nobody out.
 */
export async function dropFirstUses(tx: Tx, { partition, personId }: PersonKey, since: Millis): Promise<void> {
  await tx.run(
    sql`DELETE FROM subject_links WHERE partition = :partition AND owner_id = :personId AND made_by IN ('first use', 'person') AND created_at >= :since`,
    { partition, personId, since },
  );
}
