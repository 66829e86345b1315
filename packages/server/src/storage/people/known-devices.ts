/** Verbs of browsers that people have signed in with. */

import type { Millis } from "../../oauth/model.ts";
import { forgottenDevices } from "../../owners/excess-known-devices.ts";
import {
  type DeviceSeen,
  type DeviceSighting,
  type KnownDevice,
  type KnownDeviceKey,
  type KnownDeviceStorage,
  presentedAmong,
} from "../../owners/known-device-storage.ts";
import { isOwners, STILL_OWN } from "../../owners/recovery/factor-trust.ts";
import { query, type Row, sql, type Tx, transaction, words } from "../define-verbs.ts";
import { text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { type PersonKey, thisPerson } from "./person-row.ts";

const thisDevice = sql`${thisPerson} AND device_id = :deviceId`;

/** When the newest passkey or authenticator was added. 0: there is none. */
const newestFactor = sql`COALESCE((SELECT MAX(f.at) FROM (
      SELECT created_at AS at FROM passkeys WHERE ${thisPerson} UNION ALL SELECT created_at AS at FROM second_factors WHERE ${thisPerson}) AS f), 0)`;

const columns = sql`partition, person_id, device_id, generation, is_first, first_seen_at, last_seen_at, address, user_agent,
  COALESCE(appeared_at, first_seen_at) AS appeared_at,
  CASE WHEN COALESCE(appeared_at, first_seen_at) = (SELECT p.oldest_browser_at FROM people AS p WHERE p.partition = :partition AND p.person_id = :personId)
    THEN 1 ELSE 0 END AS oldest,
  CASE WHEN revoked = 0 THEN NULL ELSE COALESCE(revoked_at, 0) END AS ended_at,
  CASE WHEN revoked = 0 AND factors_at >= ${newestFactor}
    AND COALESCE(password_changed_at, 0) = COALESCE((SELECT p.password_changed_at FROM people AS p WHERE p.partition = :partition AND p.person_id = :personId), 0)
    THEN 1 ELSE 0 END AS bound`;

/**
 * A value of `first_sign_in_at`: nobody has signed in yet, and a link in a message set the password. Somebody else may
 * have read that message.
 */
const BY_MAIL = -1;
export const byMail = sql`first_sign_in_at = CASE WHEN first_sign_in_at = 0 THEN -1 ELSE first_sign_in_at END`;

/** A value of `is_first`: the first sign-in used a password that somebody else had chosen. */
const HANDED_OUT = 2;

/** The value 2 of `revoked`: a younger device signed this one out. Its age stays if its owner signs in again soon. */
const byYounger = sql`2`;

/** `is_first` is negative after a recovery bound the device, until somebody signs in with it: -1 for 0, -2 for 1. */
const unusedFirst = (first: number) => -1 - first;

function deviceOf(row: Row): KnownDevice {
  const isFirst = whole(row, "is_first");
  const used = isFirst >= 0;
  const first = used ? isFirst : unusedFirst(isFirst);
  return {
    partition: whole(row, "partition"),
    personId: text(row, "person_id"),
    deviceId: text(row, "device_id"),
    generation: whole(row, "generation"),
    first: first > 0,
    handedOut: first === HANDED_OUT,
    firstSeenAt: whole(row, "first_seen_at"),
    appearedAt: whole(row, "appeared_at"),
    oldest: whole(row, "oldest") === 1,
    endedAt: wholeOrNull(row, "ended_at"),
    lastSeenAt: whole(row, "last_seen_at"),
    address: textOrNull(row, "address"),
    userAgent: textOrNull(row, "user_agent"),
    bound: whole(row, "bound") === 1,
    used,
  };
}

export const getKnownDevice = query<KnownDeviceKey, KnownDevice | undefined>({
  sql: sql`SELECT ${columns} FROM known_devices WHERE ${thisDevice}`,
  bind: ({ partition, personId, deviceId }) => ({ partition, personId, deviceId }),
  outcome: ([row]) => row && deviceOf(row),
});

export const listKnownDevices = query<PersonKey, readonly KnownDevice[]>({
  sql: sql`SELECT ${columns} FROM known_devices WHERE ${thisPerson} ORDER BY last_seen_at DESC, device_id`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map(deviceOf),
});

export const rememberDevice = transaction<
  Parameters<KnownDeviceStorage["knownDevices"]["remember"]>[0],
  DeviceSeen | undefined
>(async (tx, { passwordChangedAt, ...seen }) => {
  const { partition, personId } = seen;
  const person = await tx.one(
    sql`SELECT status, password_changed_at, ${signInColumns} FROM people WHERE ${thisPerson} ${words.forUpdate}`,
    { partition, personId },
  );
  if (person === undefined || text(person, "status") !== "active") return undefined;
  if (wholeOrNull(person, "password_changed_at") !== passwordChangedAt) return undefined;
  return bindDevice(tx, { ...seen, passwordChangedAt, account: accountOf(person), signsIn: false });
});

/** The columns of a person's row about their sign-ins. */
export const signInColumns = sql`first_sign_in_at, oldest_browser_at, must_change_password`;

interface Account {
  /** 0 or `BY_MAIL`: not yet. Null: unknown, because the account is older than this column. */
  readonly firstSignInAt: Millis | null;
  /** When the account's oldest browser appeared. Null: the next sign-in notes it. */
  readonly oldestBrowserAt: Millis | null;
  /**
   * True: the first sign-in may be by somebody other than the owner, because the password was handed out and must be
   * changed, or a link in a message set it.
   */
  readonly handedOut: boolean;
}

/** Reads a row with `signInColumns`. */
export function accountOf(row: Row): Account {
  return {
    firstSignInAt: wholeOrNull(row, "first_sign_in_at"),
    oldestBrowserAt: wholeOrNull(row, "oldest_browser_at"),
    handedOut: whole(row, "must_change_password") === 1 || wholeOrNull(row, "first_sign_in_at") === BY_MAIL,
  };
}

interface Binding extends PersonKey {
  readonly device: DeviceSighting;
  readonly signsIn: boolean;
  readonly passwordChangedAt: Millis | null;
  readonly account: Account;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly now: Millis;
}

/**
 * Runs in the transaction of a sign-in, which locks the person's row. Binds the device to the present password and
 * factors.
 */
export async function bindDevice(tx: Tx, { device, account, ...seen }: Binding): Promise<DeviceSeen> {
  const { partition, personId, now } = seen;
  const isFirst = account.firstSignInAt === 0 || account.firstSignInAt === BY_MAIL;
  if (isFirst) {
    await tx.run(sql`UPDATE people SET first_sign_in_at = :now WHERE ${thisPerson}`, { partition, personId, now });
  }
  const first = isFirst ? (account.handedOut ? HANDED_OUT : 1) : 0;
  const again = await bindAgain(tx, device, seen);
  const bound = again ?? (await bindFirst(tx, device.freshId, first, seen));
  if (account.oldestBrowserAt === null) await noteOldest(tx, seen);
  if (again === undefined) await forgetExcess(tx, bound.deviceId, seen);
  return bound;
}

/**
 * The time stays in the person's row, so that somebody who makes the server forget that browser doesn't make another
 * one the oldest. Browsers that were signed out for good don't count: an operator has set a new password.
 */
async function noteOldest(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  await tx.run(
    sql`UPDATE people SET oldest_browser_at = (SELECT MIN(COALESCE(d.appeared_at, d.first_seen_at)) FROM known_devices AS d
      WHERE d.partition = :partition AND d.person_id = :personId AND (d.revoked = 0 OR d.revoked_at IS NOT NULL)) WHERE ${thisPerson}`,
    { partition, personId },
  );
}

async function forgetExcess(tx: Tx, current: string, { partition, personId, now }: Seen): Promise<void> {
  for (const deviceId of forgottenDevices(await devicesOf(tx, { partition, personId }), current, now)) {
    await tx.run(sql`DELETE FROM known_devices WHERE ${thisDevice}`, { partition, personId, deviceId });
  }
}

type Seen = Omit<Binding, "device" | "account">;

const isNew = sql`(revoked = 1 OR (revoked = ${byYounger} AND revoked_at <= :stillOwn))`;

/** Undefined: the cookie belongs to no known device, or has been replaced since. */
async function bindAgain(tx: Tx, { presented }: DeviceSighting, seen: Seen): Promise<DeviceSeen | undefined> {
  if (presented === null) return undefined;
  const { partition, personId, now, signsIn } = seen;
  const { deviceId } = presented;
  const row = await tx.one(sql`SELECT ${columns} FROM known_devices WHERE ${thisDevice}`, {
    ...{ partition, personId, deviceId },
  });
  if (row === undefined) return undefined;
  const before = deviceOf(row);
  if (before.generation !== presented.generation) return undefined;
  // Somebody else may have a copy of the cookie, which had no effect until now.
  const generation = before.bound ? before.generation : before.generation + 1;
  // A device that was signed out with all others may be an intruder's, so its age starts again, unless a younger device
  // signed it out in the last days.
  await tx.run(
    sql`UPDATE known_devices SET generation = :generation, last_seen_at = :now, address = :address, user_agent = :userAgent,
        appeared_at = COALESCE(appeared_at, first_seen_at), first_seen_at = CASE WHEN ${isNew} THEN :now ELSE first_seen_at END,
        is_first = CASE WHEN ${isNew} THEN :asNew WHEN is_first < 0 AND :signsIn = 1 THEN -1 - is_first ELSE is_first END,
        password_changed_at = :passwordChangedAt, factors_at = ${newestFactor}, revoked = 0, revoked_at = NULL
      WHERE ${thisDevice}`,
    {
      ...seen,
      signsIn: signsIn ? 1 : 0,
      asNew: signsIn ? 0 : unusedFirst(0),
      deviceId,
      generation,
      stillOwn: now - STILL_OWN,
    },
  );
  return { deviceId, generation };
}

async function bindFirst(tx: Tx, deviceId: string, first: number, { signsIn, ...seen }: Seen): Promise<DeviceSeen> {
  const { partition, personId } = seen;
  // A read of its own, because Citus inserts no row with a subquery.
  const newest = await tx.one(sql`SELECT ${newestFactor} AS factors_at FROM people WHERE ${thisPerson}`, {
    ...{ partition, personId },
  });
  const factorsAt = newest === undefined ? 0 : whole(newest, "factors_at");
  await tx.run(
    sql`INSERT INTO known_devices (partition, person_id, device_id, generation, is_first, first_seen_at, last_seen_at, address, user_agent,
        password_changed_at, factors_at, revoked, appeared_at)
      VALUES (:partition, :personId, :deviceId, 0, :first, :now, :now, :address, :userAgent, :passwordChangedAt, :factorsAt, 0, :now)`,
    { ...seen, deviceId, first: signsIn ? first : unusedFirst(first), factorsAt },
  );
  return { deviceId, generation: 0 };
}

/** Who signs devices out. An operator counts as older than all devices. */
export type EndedBy = "operator" | { readonly sessionId: string } | { readonly own: KnownDevice | undefined };

/**
 * `endsFor`: the end is final for devices that were first seen later, because an older device that counts as the
 * owner's signed them out. `youngerThan`: devices first seen before keep their age, because the newer device that signs
 * them out may be an intruder's.
 */
interface Ending {
  readonly endsFor: Millis | null;
  readonly youngerThan: Millis | null;
}

async function endingBy(tx: Tx, { partition, personId }: PersonKey, by: EndedBy, now: Millis): Promise<Ending> {
  if (by === "operator") return { endsFor: -1, youngerThan: null };
  if ("own" in by) return { endsFor: by.own?.firstSeenAt ?? null, youngerThan: null };
  const row = await tx.one(
    sql`SELECT ${columns} FROM known_devices WHERE ${thisPerson} AND device_id =
      (SELECT s.device_id FROM sessions AS s WHERE s.partition = :partition AND s.session_id = :sessionId AND s.person_id = :personId)`,
    { partition, personId, sessionId: by.sessionId },
  );
  if (row === undefined) return { endsFor: null, youngerThan: null };
  const device = deviceOf(row);
  const since = device.firstSeenAt;
  return { endsFor: isOwners(device, now, now) ? since : null, youngerThan: since };
}

/** If the end is final, the time is not stored: the browser is nobody's any more. */
const ended = sql`revoked = CASE WHEN first_seen_at < CAST(:youngerThan AS ${words.whole}) THEN ${byYounger} ELSE 1 END,
  revoked_at = CASE WHEN first_seen_at > CAST(:endsFor AS ${words.whole}) THEN NULL ELSE CAST(:now AS ${words.whole}) END`;

/**
 * From now on no device of the person is bound, except that of the session that is kept. This also decides again about
 * devices that had been signed out before.
 */
export async function revokeDevices(
  tx: Tx,
  { partition, personId }: PersonKey,
  { by, keepSessionId = null }: { readonly by: EndedBy; readonly keepSessionId?: string | null },
  now: Millis,
): Promise<void> {
  const ending = await endingBy(tx, { partition, personId }, by, now);
  await tx.run(
    sql`UPDATE known_devices SET revoked = 1, revoked_at = CASE WHEN first_seen_at > CAST(:endsFor AS ${words.whole}) THEN NULL ELSE revoked_at END
      WHERE ${thisPerson} AND revoked > 0 AND first_seen_at >= COALESCE(CAST(:youngerThan AS ${words.whole}), 0)`,
    { partition, personId, ...ending },
  );
  await tx.run(
    sql`UPDATE known_devices SET ${ended} WHERE ${thisPerson} AND revoked = 0 AND device_id NOT IN
      (SELECT s.device_id FROM sessions AS s WHERE s.partition = :partition AND s.session_id = :keepSessionId AND s.device_id IS NOT NULL)`,
    { partition, personId, keepSessionId, ...ending, now },
  );
}

/** The session that asks, which is kept. Null: an operator asks. */
export function endedBy(sessionId: string | null): Parameters<typeof revokeDevices>[2] {
  return { by: sessionId === null ? "operator" : { sessionId }, keepSessionId: sessionId };
}

/**
 * The device that is presented, if it was the person's own browser at `before` already (`recovery/factor-trust.ts`).
 */
export async function ownDevice(
  tx: Tx,
  key: PersonKey,
  presented: DeviceSeen | null,
  { before, now }: { readonly before: Millis; readonly now: Millis },
): Promise<KnownDevice | undefined> {
  const device = presentedAmong(await devicesOf(tx, key), presented);
  return device !== undefined && isOwners(device, before, now) ? device : undefined;
}

/** All devices of a person, as `listKnownDevices` has them. */
export async function devicesOf(tx: Tx, { partition, personId }: PersonKey): Promise<readonly KnownDevice[]> {
  const rows = await tx.all(sql`SELECT ${columns} FROM known_devices WHERE ${thisPerson}`, { partition, personId });
  return rows.map(deviceOf);
}

/** The device keeps its age although all devices are signed out, because the person took the account back with it. */
export async function keepAge(tx: Tx, { partition, personId, deviceId }: KnownDeviceKey): Promise<void> {
  await tx.run(sql`UPDATE known_devices SET revoked = 0, revoked_at = NULL WHERE ${thisDevice}`, {
    ...{ partition, personId, deviceId },
  });
}

/** Unbinds the device of one session, unless the asking session has the same device. `keeps`: null: an operator asks. */
export async function revokeDeviceOf(
  tx: Tx,
  { partition, personId }: PersonKey,
  { ends, keeps, now }: { readonly ends: string; readonly keeps: string | null; readonly now: Millis },
): Promise<void> {
  const ending = await endingBy(tx, { partition, personId }, endedBy(keeps).by, now);
  await tx.run(
    sql`UPDATE known_devices SET ${ended} WHERE ${thisPerson} AND revoked = 0
      AND device_id IN (SELECT s.device_id FROM sessions AS s WHERE s.partition = :partition AND s.session_id = :ends AND s.person_id = :personId)
      AND device_id NOT IN (SELECT s.device_id FROM sessions AS s WHERE s.partition = :partition AND s.session_id = :keeps AND s.device_id IS NOT NULL)`,
    { partition, personId, ends, keeps, ...ending, now },
  );
}

/** Deletes all devices when the account is deleted. */
export async function eraseDevices(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  await tx.run(sql`DELETE FROM known_devices WHERE ${thisPerson}`, { partition, personId });
}
