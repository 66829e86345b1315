/** Verbs of sessions. */

import type { Millis } from "../../oauth/model.ts";
import type { ByLesser, InSession } from "../../owners/change-conditions.ts";
import type { DeviceSeen } from "../../owners/known-device-storage.ts";
import type { NewSession, OwnerStorage, Person, Session } from "../../owners/storage.ts";
import { isReachedByCompany } from "../companies/lock-company-row.ts";
import { noteSystem } from "../consents/history.ts";
import { query, type Row, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isOperator, mayStill } from "../factors/lock-person-row.ts";
import { post } from "../mail/outbox.ts";
import {
  MINUTE,
  personColumns,
  personOf,
  sessionColumns,
  sessionOf,
  text,
  textOrNull,
  whole,
  wholeOrNull,
} from "../row-conversion.ts";
import { accountOf, bindDevice, endedBy, revokeDeviceOf, revokeDevices, signInColumns } from "./known-devices.ts";
import { moveNotices, noteSessionEnd, noteSessionEnds } from "./logout-notices.ts";
import { thisPerson } from "./person-row.ts";
import { hashOfSubject } from "./subject-links.ts";

/** Minimum time between two recorded uses of a session. */
const SEEN_RECORDED_EVERY: Millis = 5 * MINUTE;

export interface SessionKey {
  readonly partition: number;
  readonly sessionId: string;
}

/**
 * Makes no session if the person was disabled or deleted meanwhile, has another password, or signed in at the provider
 * of a company that they no longer belong to. Their next request finds no session.
 */
export const createSession = transaction<NewSession, DeviceSeen | undefined>(
  async (tx, { replaces, amr, language, mails, passwordChangedAt, device, upstream, recorded, ...session }) => {
    // The person's row comes first: whatever ends the person's sessions locks it, too.
    const person = await tx.one(
      sql`SELECT status, language, password_changed_at, operator, ${signInColumns} FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
      { partition: session.partition, personId: session.personId },
    );
    let before: Row | undefined;
    if (replaces !== null) {
      const { partition, sessionId } = replaces;
      before = await tx.one(
        sql`DELETE FROM sessions WHERE partition = :partition AND session_id = :sessionId RETURNING person_id, upstream_link, upstream_sid`,
        { partition, sessionId },
      );
      await noteSessionEnd(tx, { partition, sessionId }, session.now);
    }
    if (person === undefined || text(person, "status") !== "active") return undefined;
    if (wholeOrNull(person, "password_changed_at") !== passwordChangedAt) return undefined;
    if (upstream?.company !== undefined) {
      const { company, subject } = upstream;
      if (!(await isReachedByCompany(tx, person, { ...session, company, providerId: subject.issuerId })))
        return undefined;
    }
    // The session that knew the provider has ended, so this one would outlast the sign-in there.
    if (upstream === undefined && replaces !== null && before === undefined && amr.includes(FEDERATED))
      return undefined;
    if (language !== undefined && person["language"] !== language) {
      await tx.run(sql`UPDATE people SET language = :language WHERE partition = :partition AND person_id = :personId`, {
        partition: session.partition,
        personId: session.personId,
        language,
      });
    }
    const account = accountOf(person);
    const seen = await bindDevice(tx, { ...session, device, passwordChangedAt, account, signsIn: true });
    await tx.run(
      sql`INSERT INTO sessions (${sessionColumns}, secret_hash, upstream_link, upstream_sid)
      VALUES (:partition, :sessionId, :personId, :authTime, :acr, :amr, :now, :now, :idleUntil, :absoluteUntil, :userAgent, :address,
        :deviceId, :secretHash, :upstreamLink, :upstreamSid)`,
      {
        ...session,
        ...upstreamOf({ amr, upstream, ...session }, before),
        amr: JSON.stringify(amr),
        deviceId: seen.deviceId,
      },
    );
    if (replaces?.partition === session.partition) {
      const { partition, sessionId: to, personId, now } = session;
      await moveNotices(tx, { partition, from: replaces.sessionId, to, personId, now });
    }
    await post(tx, mails, session.now);
    await tell(tx, {
      ...{ kind: "sign_in.succeeded", at: session.now, by: `user:${session.personId}`, subject: session.personId },
      details: {
        ...{ session_id: session.sessionId, amr: amr.join(" "), acr: session.acr },
        ...{ provider: upstream?.subject.issuerId, auth_time: session.authTime },
        ...{ when: recorded?.when ?? "continued", known_device: recorded?.knownDevice },
      },
      clientId: recorded?.clientId ?? null,
      personal: { address: session.address, user_agent: session.userAgent },
    });
    return seen;
  },
);

/** Reads once. Every 5 minutes it also writes, and then notices a session that ended after the read. */
export const useSession = steps<
  SessionKey & { readonly secretHash: Uint8Array; readonly now: Millis; readonly idleUntil: Millis },
  { readonly session: Session; readonly person: Person } | undefined
>(async (call, args) => {
  const found = await call(findSession, args);
  if (found === undefined || found.session.lastSeenAt > args.now - SEEN_RECORDED_EVERY) return found;
  const session = await call(touchSession, args);
  return session && { session, person: found.person };
});

const live = sql`partition = :partition AND session_id = :sessionId AND secret_hash = :secretHash AND idle_until > :now AND absolute_until > :now`;

/** The columns of a session whose names no column of a person has. */
const ownSessionColumns = sql`session_id, auth_time, acr, amr, last_seen_at, idle_until, absolute_until, user_agent, address, device_id`;

/** The session and its person, in one statement: every request for a page by somebody who is signed in begins with it. */
export const findSession = query<
  SessionKey & { readonly secretHash: Uint8Array; readonly now: Millis },
  { readonly session: Session; readonly person: Person } | undefined
>({
  sql: sql`SELECT ${personColumns}, ${ownSessionColumns}, session_created_at FROM people
    JOIN (SELECT person_id AS session_person, ${ownSessionColumns}, created_at AS session_created_at FROM sessions WHERE ${live}) AS s
    ON partition = :partition AND person_id = session_person WHERE status = 'active'`,
  bind: ({ partition, sessionId, secretHash, now }) => ({ partition, sessionId, secretHash, now }),
  outcome: ([row]) => {
    if (row === undefined) return undefined;
    return { session: sessionOf(row, "session_created_at"), person: personOf(row) };
  },
});

export const touchSession = statement<
  SessionKey & { readonly secretHash: Uint8Array; readonly now: Millis; readonly idleUntil: Millis },
  Session | undefined
>({
  lock: "sessionId",
  sql: sql`UPDATE sessions SET last_seen_at = :now,
      idle_until = CASE WHEN absolute_until < :idleUntil THEN absolute_until ELSE :idleUntil END
    WHERE ${live} RETURNING ${sessionColumns}`,
  bind: (args) => ({ ...args }),
  outcome: (row) => row && sessionOf(row),
});

export const endSession = transaction<SessionKey & { readonly now: Millis }, boolean>(
  async (tx, { partition, sessionId, now }) => {
    const ended = await tx.one(
      sql`DELETE FROM sessions WHERE partition = :partition AND session_id = :sessionId RETURNING person_id`,
      { partition, sessionId },
    );
    if (ended === undefined) return false;
    await noteSessionEnd(tx, { partition, sessionId }, now);
    await tellEnd(tx, text(ended, "person_id"), sessionId, now);
    return true;
  },
);

/** `by`: absent, the person themselves ended it. */
function tellEnd(tx: Tx, personId: string, sessionId: string, now: Millis, by = `user:${personId}`): Promise<void> {
  return tell(tx, { kind: "session.ended", at: now, by, subject: personId, details: { session_id: sessionId } });
}

export const endSessionsOf = transaction<
  {
    readonly partition: number;
    readonly personId: string;
    readonly keepSessionId?: string;
    readonly now: Millis;
  } & InSession &
    ByLesser,
  number
>(async (tx, { partition, personId, keepSessionId = null, now, unlessOperator = false, ...asked }) => {
  if (!(await mayStill(tx, { partition, personId }, asked))) return 0;
  if (unlessOperator && (await isOperator(tx, { partition, personId }))) return 0;
  // The person's row comes first, as at a sign-in. Also without a session: they can have signed in on devices alone.
  await tx.run(sql`UPDATE people SET signed_out_at = :now WHERE ${thisPerson}`, { partition, personId, now });
  await revokeDevices(
    tx,
    { partition, personId },
    { ...endedBy(asked.sessionId ?? keepSessionId), keepSessionId },
    now,
  );
  await noteSessionEnds(tx, { partition, personId, keepSessionId }, now);
  const count = await tx.run(
    sql`DELETE FROM sessions
      WHERE partition = :partition AND person_id = :personId AND (session_id <> :keepSessionId OR :keepSessionId IS NULL)`,
    { partition, personId, keepSessionId },
  );
  const by = asked.sessionId === undefined ? "operator" : `user:${personId}`;
  if (count > 0) await tell(tx, { kind: "session.all_ended", at: now, by, subject: personId, details: { count } });
  return count;
});

export const endOneSession = transaction<
  {
    readonly partition: number;
    readonly personId: string;
    readonly ends: string;
    readonly sessionId: string;
    readonly now: Millis;
  },
  boolean
>(async (tx, { partition, personId, ends, sessionId, now }) => {
  const key = { partition, personId };
  if (!(await mayStill(tx, key, { sessionId }))) return false;
  // Otherwise the age of a browser that its owner has signed out would go on growing until it counts as the owner's.
  await revokeDeviceOf(tx, key, { ends, keeps: sessionId, now });
  const ended = await tx.run(
    sql`DELETE FROM sessions WHERE partition = :partition AND session_id = :ends AND person_id = :personId`,
    { partition, personId, ends },
  );
  if (ended !== 1) return false;
  await noteSessionEnd(tx, { partition, sessionId: ends }, now);
  await tellEnd(tx, personId, ends, now);
  return true;
});

/** For an operator, who knows only the id. */
export const revokeSession = transaction<SessionKey & { readonly now: Millis }, boolean>(
  async (tx, { partition, sessionId, now }) => {
    const row = await tx.one(
      sql`SELECT person_id FROM sessions WHERE partition = :partition AND session_id = :sessionId`,
      { partition, sessionId },
    );
    if (row === undefined) return false;
    const key = { partition, personId: text(row, "person_id") };
    await tx.one(sql`SELECT status FROM people WHERE ${thisPerson} ${words.forUpdate}`, key);
    await revokeDeviceOf(tx, key, { ends: sessionId, keeps: null, now });
    const ended = await tx.run(sql`DELETE FROM sessions WHERE partition = :partition AND session_id = :sessionId`, {
      partition,
      sessionId,
    });
    if (ended !== 1) return false;
    await noteSessionEnd(tx, { partition, sessionId }, now);
    await tellEnd(tx, key.personId, sessionId, now, "operator");
    return true;
  },
);

/** Whether a session still exists that was live when this request began. */
export const isOpenSession = query<SessionKey, boolean>({
  sql: sql`SELECT session_id FROM sessions WHERE partition = :partition AND session_id = :sessionId`,
  bind: ({ partition, sessionId }) => ({ partition, sessionId }),
  outcome: ([row]) => row !== undefined,
});

/** Live sessions, last seen first. */
export const listSessions = query<
  { readonly partition: number; readonly personId: string; readonly now: Millis },
  readonly Session[]
>({
  sql: sql`SELECT ${sessionColumns} FROM sessions
    WHERE partition = :partition AND person_id = :personId AND idle_until > :now AND absolute_until > :now
    ORDER BY last_seen_at DESC, session_id`,
  bind: ({ partition, personId, now }) => ({ partition, personId, now }),
  outcome: (rows) => rows.map((row) => sessionOf(row)),
});

/** The value in `amr` of a sign-in at a provider. */
const FEDERATED = "fed";

interface UpstreamColumns {
  readonly upstreamLink: string | null;
  readonly upstreamSid: string | null;
}

const NOWHERE: UpstreamColumns = { upstreamLink: null, upstreamSid: null };

/**
 * The columns of a new session. `before`: the session that it replaces. A person who adds a proof to their sign-in at a
 * provider is still signed in by that provider.
 */
export function upstreamOf(
  { personId, amr, upstream }: Pick<NewSession, "personId" | "amr"> & { readonly upstream: NewSession["upstream"] },
  before: Row | undefined,
): UpstreamColumns {
  if (upstream !== undefined) {
    const { subject, sid } = upstream;
    const upstreamSid = sid === null ? null : hashOfSubject({ ...subject, subject: sid });
    return { upstreamLink: hashOfSubject(subject), upstreamSid };
  }
  if (before === undefined || !amr.includes(FEDERATED) || text(before, "person_id") !== personId) return NOWHERE;
  return { upstreamLink: textOrNull(before, "upstream_link"), upstreamSid: textOrNull(before, "upstream_sid") };
}

/** The hashes of what the provider named. Null: it did not name that. */
interface Named {
  readonly link: string | null;
  readonly sid: string | null;
}

type Ended = Awaited<ReturnType<OwnerStorage["sessions"]["endUpstream"]>>[number];

type Asked = Parameters<OwnerStorage["sessions"]["endUpstream"]>[0];

export const endUpstreamSessions = steps<Asked, readonly Ended[]>(async (call, { name, subject, sid, now }) => {
  const named = { link: subject && hashOfSubject(subject), sid: sid && hashOfSubject(sid) };
  const people = await call(named.link === null ? peopleOfUpstreamSid : peopleOfUpstreamLink, named);
  const done: Ended[] = [];
  for (const { partition, personId } of people) {
    const ended = await call(endUpstreamSessionsOf, { partition, personId, ...named, name, now });
    if (ended > 0) done.push({ personId, ended });
  }
  return done;
});

interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

const peopleOf = (rows: readonly Row[]): readonly PersonKey[] =>
  rows.map((row) => ({ partition: whole(row, "partition"), personId: text(row, "person_id") }));

/** Reads across all partitions, by an index for this purpose. */
export const peopleOfUpstreamLink = query<Named, readonly PersonKey[]>({
  sql: sql`SELECT DISTINCT partition, person_id FROM sessions WHERE +partition >= 0 AND upstream_link = :link`,
  bind: ({ link }) => ({ link }),
  outcome: peopleOf,
});

/** The same for the sessions of one session there. */
export const peopleOfUpstreamSid = query<Named, readonly PersonKey[]>({
  sql: sql`SELECT DISTINCT partition, person_id FROM sessions WHERE +partition >= 0 AND upstream_sid = :sid`,
  bind: ({ sid }) => ({ sid }),
  outcome: peopleOf,
});

/**
 * Each browser stays a known one, as after a sign-out here. A session whose ID token named no session of the provider
 * ends with any of its subject.
 */
export const endUpstreamSessionsOf = transaction<
  PersonKey & Named & { readonly name: string; readonly now: Millis },
  number
>(async (tx, { partition, personId, link, sid, name, now }) => {
  // Other ends of this person's sessions lock the same row first, so that none waits for another in turn.
  await tx.one(sql`SELECT status FROM people WHERE ${thisPerson} ${words.forUpdate}`, { partition, personId });
  const ended = await tx.all(
    sql`DELETE FROM sessions WHERE partition = :partition AND person_id = :personId AND upstream_link IS NOT NULL
        AND (upstream_link = :link OR :link IS NULL)
        AND (upstream_sid = :sid OR :sid IS NULL OR (upstream_sid IS NULL AND :link IS NOT NULL)) RETURNING session_id`,
    { partition, personId, link, sid },
  );
  for (const row of ended) await noteSessionEnd(tx, { partition, sessionId: text(row, "session_id") }, now);
  if (ended.length > 0) await noteSystem(tx, { partition, personId, now }, "signed_out", name);
  return ended.length;
});
