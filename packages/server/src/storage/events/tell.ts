/** Writes events in the transactions that cause them. */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type EventValue, eventText, MOST_VALUES, type NewEvent, type StoredRecord } from "../../events/event.ts";
import type { EventKind } from "../../events/kinds.ts";
import type { Millis } from "../../oauth/model.ts";
import type { HistoryEntry, HistoryKind } from "../../owners/storage.ts";
import { sql, type Tx } from "../define-verbs.ts";
import { partitionOf, partitionOfName } from "../partition.ts";
import { thisPerson } from "../people/person-row.ts";
import { bytes } from "../row-conversion.ts";

const insertEvent = sql`INSERT INTO events_waiting (partition, event_id, at, record) VALUES (:partition, :eventId, :at, :record)
  ON CONFLICT (partition, event_id) DO NOTHING`;

let made = 0;

/** Ids of one process sort in the order of their events, where those have the same millisecond. */
function newEventId(): string {
  made = (made + 1) % 2 ** 32;
  return made.toString(16).padStart(8, "0") + randomBytes(12).toString("base64url");
}

/**
 * Writes the event with the transaction's next statement. An operator who causes the transaction is its actor. If the
 * event has facts about a person, the transaction first reads that person's key.
 */
export async function tell(tx: Tx, event: NewEvent): Promise<void> {
  const { kind, by = "server", subject = null, clientId = null, eventId = newEventId() } = event;
  const { cause } = tx;
  // Programs that call an operator's use-case themselves name no cause.
  const at = event.at ?? cause?.at ?? Date.now();
  const actor = cause?.actor ?? by;
  const [of, facts] =
    cause !== undefined && actor.startsWith("user:")
      ? [actor.slice("user:".length), { address: cause.address }]
      : [subject ?? "", event.personal];
  const personal = await sealedFor(tx, of, facts, eventId);
  const record: StoredRecord = {
    ...{ id: eventId, at, kind, actor, subject, client_id: clientId },
    details: detailsOf({ ...event.details, ...(cause === undefined ? {} : operatorsDetails(cause)) }),
    ...(personal === undefined ? {} : { personal: { of, sealed: personal } }),
  };
  const partition = partitionOf(subject ?? "");
  tx.later(insertEvent, {
    partition: partition === -1 ? partitionOfName("event", eventId) : partition,
    ...{ eventId, at, record: JSON.stringify(record) },
  });
}

/** Writes the event of a change that the person made in a session of theirs, or an operator without one. */
export function tellChange(
  tx: Tx,
  kind: EventKind,
  { personId: subject }: { readonly personId: string },
  {
    now,
    sessionId,
    personal,
  }: Pick<NewEvent, "personal"> & { readonly now: Millis; readonly sessionId?: string | undefined },
): Promise<void> {
  const by = sessionId === undefined ? "operator" : `user:${subject}`;
  const facts = personal === undefined ? {} : { personal };
  return tell(tx, { kind, at: now, by, subject, details: { session_id: sessionId }, ...facts });
}

function operatorsDetails({ door, operation, fields, requestId, actor, address }: NonNullable<Tx["cause"]>) {
  return {
    ...{ door, operation },
    ...(fields.length === 0 ? {} : { fields }),
    ...(requestId === null ? {} : { request_id: requestId }),
    // A program is no person. The address of a person is sealed.
    ...(address === null || actor.startsWith("user:") ? {} : { address }),
  };
}

function detailsOf(details: NonNullable<NewEvent["details"]>): Readonly<Record<string, EventValue>> {
  const entries = Object.entries(details).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, bounded(value)]],
  );
  return Object.fromEntries(entries);
}

function bounded(value: EventValue): EventValue {
  if (typeof value === "string") return eventText(value);
  if (typeof value !== "object" || value === null) return value;
  const cut = value.slice(0, MOST_VALUES).map((one) => eventText(one));
  return value.length > MOST_VALUES ? [...cut, "…"] : cut;
}

const KEY = 32;
const NONCE = 12;
const TAG = 16;

/** Undefined: there is nothing to seal, or no such person. */
async function sealedFor(
  tx: Tx,
  personId: string,
  facts: NewEvent["personal"],
  eventId: string,
): Promise<string | undefined> {
  const known = Object.entries(facts ?? {}).filter(([, value]) => value !== null);
  const partition = partitionOf(personId);
  if (known.length === 0 || partition === -1) return undefined;
  const key = await personsKey(tx, { partition, personId });
  if (key === undefined) return undefined;
  const plain = JSON.stringify(Object.fromEntries(known.map(([name, value]) => [name, eventText(value ?? "")])));
  return sealFacts(key, eventId, plain);
}

/** A key of the person alone. It is made at the first event, and deleted with the person's row. */
async function personsKey(
  tx: Tx,
  key: { readonly partition: number; readonly personId: string },
): Promise<Uint8Array | undefined> {
  const row = await tx.one(sql`SELECT event_key FROM people WHERE ${thisPerson}`, key);
  if (row === undefined || row["event_key"] !== null) return row && bytes(row, "event_key");
  const made = await tx.one(
    sql`UPDATE people SET event_key = COALESCE(event_key, :made) WHERE ${thisPerson} RETURNING event_key`,
    { ...key, made: randomBytes(KEY) },
  );
  return made && bytes(made, "event_key");
}

/** AES-256-GCM. A person has few events, so random nonces don't repeat. The event's id is bound to the text. */
export function sealFacts(key: Uint8Array, eventId: string, plain: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(eventId));
  return Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]).toString(
    "base64url",
  );
}

/** Undefined: the key is another one, or the text was changed. */
export function openFacts(key: Uint8Array, eventId: string, sealed: string): string | undefined {
  const all = Buffer.from(sealed, "base64url");
  if (all.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, all.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(eventId));
  decipher.setAuthTag(all.subarray(all.length - TAG));
  try {
    return Buffer.concat([decipher.update(all.subarray(NONCE, all.length - TAG)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

/**
 * Null: no event. An `alarm` is an entry when the grant's row is deleted; its event was written at its time.
 */
const KINDS: Readonly<Record<HistoryKind, EventKind | null>> = {
  allowed: "consent.given",
  connected: "consent.connected",
  reconnected: "consent.reconnected",
  delegated: "grant.exchanged",
  vouched: "identity_assertion.issued",
  refused: "consent.declined",
  narrowed: "consent.changed",
  end_changed: "consent.changed",
  paused: "consent.paused",
  resumed: "consent.resumed",
  revoked: "consent.revoked",
  given_up: "grant.given_up",
  alarm: null,
  ended: "grant.ended",
  signed_out: "session.all_ended",
  disabled: "user.disabled",
  enabled: "user.enabled",
  member_joined: "company.member_joined",
  member_role: "company.member_role_changed",
  member_left: "company.member_left",
  member_invited: "company.member_invited",
  invitation_withdrawn: "company.invitation_withdrawn",
  rule_changed: "company.rule_changed",
  own_sign_in: "company.sign_in_changed",
  connection: "company.connection_changed",
};

export async function tellDecision(
  tx: Tx,
  { entryId, ownerId, at, kind, clientId, record }: HistoryEntry,
): Promise<void> {
  const event = KINDS[kind];
  // The verbs of an operator's own change write its event, and the entry of the company has that of its connection's use.
  if (record.company !== undefined) return;
  if (event === null || ((kind === "disabled" || kind === "enabled") && record.by === "operator")) return;
  const { by, scopes, removed, expiresAt, via, asked, cause, personId, grantId, role, invitationId, rule, ownSignIn } =
    record;
  const { through, impersonation } = record;
  const words = (names: readonly string[]) => (names.length === 0 ? undefined : names.join(" "));
  const isSystems = clientId === "" && record.clientName !== null;
  await tell(tx, {
    ...{ kind: event, at, by: actorOf(by, clientId), subject: ownerId, eventId: entryId },
    clientId: clientId === "" ? null : clientId,
    details: {
      // A refusal changes nothing, so its event does not repeat what stays.
      scope: kind === "refused" ? undefined : words(scopes.map(({ name }) => name)),
      removed: words(removed),
      asked: words(asked ?? []),
      until: kind === "refused" || expiresAt === null ? undefined : new Date(expiresAt).toISOString(),
      via: via ?? undefined,
      through: through?.clientId,
      impersonation,
      ...{
        cause,
        person: personId,
        grant_id: grantId,
        role,
        invitation: invitationId,
        rule,
        step: ownSignIn ?? record.connection,
      },
      ...(isSystems ? { [kind === "own_sign_in" ? "provider" : "system"]: record.clientName } : {}),
    },
  });
}

function actorOf(by: string, clientId: string): string {
  if (by === "operator" || by === "server") return by;
  return by === "client" ? `client:${clientId}` : `user:${by}`;
}
