/**
 * Verbs of links from a trusted issuer's subjects to owners (RFC 7521 §5.2). A name of kind `subject` ensures that a
 * subject has at most one owner. The row in the owner's partition decides: it is written and deleted with the owner,
 * and a name without it leads nowhere.
 */

import { createHash } from "node:crypto";
import type { Millis } from "../../oauth/model.ts";
import type { ByLesser } from "../../owners/change-conditions.ts";
import type { OwnerStorage, Person } from "../../owners/storage.ts";
import type {
  CreateLinkedOutcome,
  ForeignSubject,
  LinkSubjectOutcome,
  RemoveIdentityOutcome,
  SubjectLink,
} from "../../owners/subject-link-storage.ts";
import { type Call, query, type Row, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isOperator, lockPerson, signsInElsewhere } from "../factors/lock-person-row.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { personColumns, personOf, text, textOrNull, whole } from "../row-conversion.ts";
import { noteSessionEnd } from "./logout-notices.ts";
import { settleName } from "./name-reconciliation.ts";
import { eraseWholly, insertPerson, makePerson, namesOf } from "./people.ts";
import { dropName, holderOfName, reserveName } from "./unique-names.ts";

/** The key of a subject. All keys have the same length, and no two subjects share one, however they are spelled. */
export function hashOfSubject({ issuerId, claim, subject }: ForeignSubject): string {
  return createHash("sha256")
    .update(JSON.stringify([issuerId, claim, subject]))
    .digest("base64url");
}

interface SubjectLinkKey {
  readonly partition: number;
  readonly personId: string;
  readonly link: string;
}

const thisSubjectLink = sql`partition = :partition AND owner_id = :personId AND link = :link`;
const subjectLinkColumns = sql`partition, owner_id, link, issuer_id, claim, subject, made_by, created_at`;

type Port = OwnerStorage["subjectLinks"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

export const findPersonBySubject = steps<Args<"findPerson">, Person | undefined>(async (call, { subject }) => {
  const link = hashOfSubject(subject);
  const holder = await call(holderOfName, { kind: "subject", value: link });
  if (holder === undefined) return undefined;
  return call(linkedPerson, { partition: partitionOf(holder.ownerId), personId: holder.ownerId, link });
});

/** The owner, if the owner has the link. */
export const linkedPerson = query<SubjectLinkKey, Person | undefined>({
  sql: sql`SELECT ${personColumns} FROM people WHERE partition = :partition AND person_id = :personId
    AND EXISTS (SELECT 1 FROM subject_links WHERE ${thisSubjectLink})`,
  bind: ({ partition, personId, link }) => ({ partition, personId, link }),
  outcome: ([row]) => row && personOf(row),
});

/** Writes the link, then the name that activates it. If it is called again after a crash, it continues. */
export const linkSubject = steps<Args<"link">, LinkSubjectOutcome>(async (call, args) => {
  const { partition, personId, subject, sole, madeBy, email, mails = [], now } = args;
  const link = hashOfSubject(subject);
  const name = { kind: "subject", value: link, ownerId: personId, now } as const;
  if (await othersHave(call, name)) return { kind: "taken" };
  const outcome = await call(insertSubjectLink, {
    ...{ partition, personId, link, subject, sole, madeBy, mails, now },
    ...(email === undefined ? {} : { email }),
  });
  if (outcome.kind === "unknown" || outcome.kind === "other") return outcome;
  if (await settleName(call, name)) return outcome;
  await call(eraseSubjectLink, { partition, personId, link });
  return { kind: "taken" };
});

interface SubjectName {
  readonly kind: "subject";
  readonly value: string;
  readonly ownerId: string;
  readonly now: Millis;
}

/** True if another owner has or reserves the subject. A name that remains without its link keeps nobody out. */
async function othersHave(call: Call, name: SubjectName): Promise<boolean> {
  const holder = await call(holderOfName, name);
  if (holder === undefined || holder.ownerId === name.ownerId) return false;
  if (holder.status === "reserved") return true;
  const { ownerId } = holder;
  const linked = await call(linkedPerson, { partition: partitionOf(ownerId), personId: ownerId, link: name.value });
  if (linked !== undefined) return true;
  await settleName(call, { ...name, ownerId });
  return othersHave(call, name);
}

const newSubjectLink = sql`INSERT INTO subject_links (${subjectLinkColumns})
  VALUES (:partition, :personId, :link, :issuerId, :claim, :subject, :madeBy, :now)`;

type NewSubjectLink = SubjectLinkKey & Pick<Args<"link">, "subject" | "sole" | "madeBy" | "email" | "mails" | "now">;

/**
 * Locks the person's row, so that the person is not deleted meanwhile, and so that two subjects can't both become the
 * only one.
 */
export const insertSubjectLink = transaction<NewSubjectLink, Exclude<LinkSubjectOutcome, { readonly kind: "taken" }>>(
  async (tx, { partition, personId, link, subject: { issuerId, claim, subject }, sole, madeBy, email, mails, now }) => {
    const key = { partition, personId, link };
    const person = await tx.one(
      sql`SELECT email FROM people WHERE partition = :partition AND person_id = :personId ${words.forUpdate}`,
      { partition, personId },
    );
    if (person === undefined || text(person, "email") !== (email ?? text(person, "email"))) return { kind: "unknown" };
    if ((await tx.one(sql`SELECT link FROM subject_links WHERE ${thisSubjectLink}`, key)) !== undefined)
      return { kind: "known" };
    if (sole) {
      const other = await tx.one(
        sql`SELECT link FROM subject_links WHERE partition = :partition AND owner_id = :personId AND issuer_id = :issuerId LIMIT 1`,
        { partition, personId, issuerId },
      );
      if (other !== undefined) return { kind: "other" };
    }
    await tx.run(newSubjectLink, { ...key, issuerId, claim, subject, madeBy, now });
    await post(tx, mails ?? [], now);
    await tellLinked(tx, key, { issuerId, madeBy, now });
    return { kind: "linked" };
  },
);

/** The subject's name there is a personal fact, so the event doesn't have it. */
function tellLinked(
  tx: Tx,
  { personId }: SubjectLinkKey,
  { issuerId, madeBy, now }: { readonly issuerId: string; readonly madeBy: string; readonly now: Millis },
): Promise<void> {
  const by = madeBy === "operator" ? "operator" : `user:${personId}`;
  const details = { issuer: issuerId, made_by: madeBy };
  return tell(tx, { kind: "user.identity_linked", at: now, by, subject: personId, details });
}

type LinkedPerson = Pick<NewSubjectLink, "link" | "subject" | "now"> & { readonly person: Person };

/** Inserts owner and link together: neither exists without the other, and a deletion of the owner finds both. */
export const insertLinkedPerson = transaction<LinkedPerson, boolean>(async (tx, { person, link, subject, now }) => {
  if ((await tx.one(insertPerson.sql, insertPerson.bind(person))) === undefined) return false;
  const { partition, personId } = person;
  await tx.run(newSubjectLink, { ...subject, partition, personId, link, madeBy: "first use", now });
  await tell(tx, {
    kind: "user.created",
    at: now,
    by: `user:${personId}`,
    subject: personId,
    details: { via: subject.issuerId },
  });
  await tellLinked(tx, { partition, personId, link }, { issuerId: subject.issuerId, madeBy: "first use", now });
  return true;
});

export const eraseSubjectLink = statement<SubjectLinkKey, boolean>({
  lock: "personId",
  sql: sql`DELETE FROM subject_links WHERE ${thisSubjectLink} RETURNING link`,
  bind: ({ partition, personId, link }) => ({ partition, personId, link }),
  outcome: (row) => row !== undefined,
});

/**
 * Reserves the subject first, so that one of several simultaneous first uses makes the owner. A call that finds the
 * subject reserved continues: either the owner exists and the name has to become active, or the caller gets the id that
 * the owner was to have.
 */
export const createLinkedPerson = steps<Args<"createPerson">, CreateLinkedOutcome>(
  async (call, { people, subject, now }) => {
    const [first] = people;
    if (first === undefined) throw new Error("an owner without a name can't be made");
    const { partition, personId } = first;
    const link = hashOfSubject(subject);
    const name = { kind: "subject", value: link, ownerId: personId, now } as const;
    if ((await othersHave(call, name)) || !(await call(reserveName, name))) return underWay(call, name);
    for (const person of people) {
      // Checks the names before it reserves them: another call may be making the same owner, and a refusal here would
      // release its reservations.
      if (await isAnothers(call, person.email, personId)) break;
      if (await isAnothers(call, person.username, personId)) continue;
      if (person.lookAlike != null && (await isAnothers(call, person.lookAlike, personId))) continue;
      let isNew = false;
      const insert = async () => {
        isNew = await call(insertLinkedPerson, { person, link, subject, now });
      };
      const outcome = await makePerson(call, { person, now }, insert);
      if (outcome.kind === "taken") {
        // If somebody else has the address, another username does not help.
        if (outcome.what === "email") break;
        continue;
      }
      // Another call that made the same owner may have found other names free.
      if (!isNew) await settleNames(call, person, now);
      const stored = await call(linkedPerson, { partition, personId, link });
      if (stored !== undefined && (await settleName(call, name))) return { kind: "created", person: stored };
      // The reservation was so old that another call took it over, or an operator has unlinked the subject meanwhile.
      if (isNew) await eraseWholly(call, person, now);
      break;
    }
    await call(dropName, name);
    return { kind: "taken" };
  },
);

async function isAnothers(call: Call, value: string, personId: string): Promise<boolean> {
  const holder = await call(holderOfName, { value });
  return holder !== undefined && holder.ownerId !== personId && holder.status === "active";
}

async function underWay(call: Call, name: SubjectName): Promise<CreateLinkedOutcome> {
  const holder = await call(holderOfName, name);
  if (holder === undefined) return { kind: "begun", personId: name.ownerId };
  const { ownerId: personId } = holder;
  const person = await call(linkedPerson, { partition: partitionOf(personId), personId, link: name.value });
  // A person who had the subject and was unlinked a moment ago is an owner already, so this call can't continue with
  // them.
  if (person === undefined) return { kind: "begun", personId: holder.status === "active" ? name.ownerId : personId };
  return (await settleName(call, { ...name, ownerId: personId })) ? { kind: "linked", person } : { kind: "taken" };
}

async function settleNames(call: Call, person: Person, now: Millis): Promise<void> {
  const { personId: ownerId } = person;
  for (const value of namesOf(person)) await settleName(call, { value, ownerId, now });
}

/** The same, with an event. Links that go with their issuer have none. */
export const eraseToldLink = transaction<SubjectLinkKey & ByLesser & { readonly now: Millis }, boolean>(
  async (tx, { partition, personId, link, now, unlessOperator = false }) => {
    if (unlessOperator && (await isOperator(tx, { partition, personId }))) return false;
    const row = await tx.one(eraseSubjectLink.sql, eraseSubjectLink.bind({ partition, personId, link }));
    if (row === undefined) return false;
    await tell(tx, { kind: "user.identity_unlinked", at: now, by: "operator", subject: personId });
    return true;
  },
);

/**
 * Deletes the link first: from then on the subject leads nowhere, unless somebody links it again at the same moment.
 */
export const unlinkSubject = steps<Args<"unlink">, string | undefined>(
  async (call, { subject, now, unlessOperator = false }) => {
    const value = hashOfSubject(subject);
    const holder = await call(holderOfName, { kind: "subject", value });
    if (holder === undefined) return undefined;
    const { ownerId } = holder;
    const key = { partition: partitionOf(ownerId), personId: ownerId, link: value };
    if (!(await call(eraseToldLink, { ...key, unlessOperator, now }))) return undefined;
    await settleName(call, { kind: "subject", value, ownerId, now });
    return ownerId;
  },
);

async function unlink(call: Call, key: SubjectLinkKey, now: Millis): Promise<boolean> {
  if (!(await call(eraseSubjectLink, key))) return false;
  await settleName(call, { kind: "subject", value: key.link, ownerId: key.personId, now });
  return true;
}

/** Erases the link first, as `unlinkSubject` does. */
export const removeSubjectLink = steps<Args<"remove">, RemoveIdentityOutcome>(async (call, args) => {
  const { personId, link, now } = args;
  const outcome = await call(eraseOwnSubjectLink, args);
  if (outcome === "removed") await settleName(call, { kind: "subject", value: link, ownerId: personId, now });
  return outcome;
});

export const eraseOwnSubjectLink = transaction<Args<"remove">, RemoveIdentityOutcome>(
  async (tx, { partition, personId, link, waysIn, sessionId, mails, now }) => {
    const person = await lockPerson(tx, { partition, personId }, sessionId);
    if (person === undefined) return "unknown";
    const key = { partition, personId, link };
    if ((await tx.one(sql`SELECT link FROM subject_links WHERE ${thisSubjectLink}`, key)) === undefined)
      return "unknown";
    const passkey = sql`SELECT credential_id FROM passkeys WHERE partition = :partition AND person_id = :personId LIMIT 1`;
    const alone = !person.knowsPassword && (await tx.one(passkey, { partition, personId })) === undefined;
    if (alone && !(await signsInElsewhere(tx, key, waysIn, link))) return "last";
    await tx.run(sql`DELETE FROM subject_links WHERE ${thisSubjectLink}`, key);
    await endOtherSessions(tx, { ...key, sessionId, now });
    await post(tx, mails, now);
    const details = { session_id: sessionId };
    await tell(tx, { kind: "user.identity_unlinked", at: now, by: `user:${personId}`, subject: personId, details });
    return "removed";
  },
);

/** Somebody else may have signed in there. The session in which the person removes the identity stays. */
async function endOtherSessions(
  tx: Tx,
  { now, ...key }: SubjectLinkKey & { readonly sessionId: string; readonly now: Millis },
): Promise<void> {
  const ended = await tx.all(
    sql`DELETE FROM sessions WHERE partition = :partition AND person_id = :personId AND upstream_link = :link
      AND session_id <> :sessionId RETURNING session_id`,
    { ...key },
  );
  for (const row of ended) await noteSessionEnd(tx, { ...key, sessionId: text(row, "session_id") }, now);
}

/** Number of links that one call deletes. */
const SWEEP = 100;

/** Deletes all links of an issuer, and returns their number. */
export async function unlinkAll(call: Call, issuerId: string, now: Millis): Promise<number> {
  let removed = 0;
  for (;;) {
    const links = await call(listSubjectLinks, { issuerId, limit: SWEEP, after: null });
    const done = await Promise.all(
      links.map(({ partition, ownerId, link }) => unlink(call, { partition, personId: ownerId, link }, now)),
    );
    removed += done.filter((one) => one).length;
    if (links.length < SWEEP) return removed;
  }
}

function subjectLinkOf(row: Row): SubjectLink {
  return {
    partition: whole(row, "partition"),
    ownerId: text(row, "owner_id"),
    link: text(row, "link"),
    issuerId: text(row, "issuer_id"),
    claim: textOrNull(row, "claim"),
    subject: text(row, "subject"),
    madeBy: text(row, "made_by") as SubjectLink["madeBy"],
    createdAt: whole(row, "created_at"),
  };
}

export const subjectsOf = query<Args<"ofPerson">, readonly SubjectLink[]>({
  sql: sql`SELECT ${subjectLinkColumns} FROM subject_links WHERE partition = :partition AND owner_id = :personId ORDER BY created_at, link`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map(subjectLinkOf),
});

/** Reads across all partitions, by an index for this purpose. */
export const listSubjectLinks = query<Args<"list">, readonly SubjectLink[]>({
  sql: sql`SELECT ${subjectLinkColumns} FROM subject_links
    WHERE +partition >= 0 AND issuer_id = :issuerId AND (created_at, link) > (:createdAt, :link) ORDER BY created_at, link LIMIT :limit`,
  bind: ({ issuerId, limit, after }) => ({
    issuerId,
    limit,
    createdAt: after?.createdAt ?? -1,
    link: after?.link ?? "",
  }),
  outcome: (rows) => rows.map(subjectLinkOf),
});
