/** The chain of events: each hash covers the event and the hash before it. A signed checkpoint covers all events up to it. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { DerivedKey, Secrets } from "../crypto/server-secret.ts";
import type { Millis } from "../oauth/model.ts";
import type { SealedEvent, StoredRecord } from "./event.ts";
import type { Checkpoint, Head, WaitingEvent } from "./storage.ts";

function hashOf(previous: string, seq: number, record: string): string {
  return createHash("sha256")
    .update(JSON.stringify([previous, seq, record]))
    .digest("base64url");
}

/** The events in their order after the head. */
export function chained(head: Head, waiting: readonly WaitingEvent[]): readonly SealedEvent[] {
  let { seq, hash } = head;
  return waiting.map(({ record }) => {
    seq += 1;
    hash = hashOf(hash, seq, record);
    return { seq, ...factsOf(record), record, hash };
  });
}

/** The columns by which events are found, which repeat what the record says. */
function factsOf(record: string): Omit<SealedEvent, "seq" | "record" | "hash"> {
  const { id, at, kind, actor, subject, client_id: clientId } = JSON.parse(record) as StoredRecord;
  return { eventId: id, at, kind, actor, subject, clientId };
}

/** `type`: no other signed text of this server has it. */
const TYPE = "assent-event-checkpoint";

interface Signed {
  readonly type: typeof TYPE;
  readonly iss: string;
  readonly kind: Checkpoint["kind"];
  readonly seq: number;
  readonly at: string;
  readonly hash: string;
}

/** The DER encoding of an Ed25519 private key (RFC 8410 §7), up to its 32 bytes. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** A signing key from the server's secret: a person with all of the database, and without the secret, can't sign. */
function privateKeyOf({ key }: DerivedKey): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, key]), format: "der", type: "pkcs8" });
}

export class CheckpointKeys {
  readonly #issuer: string;
  readonly #keys: readonly { readonly id: string; readonly key: KeyObject }[];

  constructor(secrets: Secrets, issuer: string) {
    this.#issuer = issuer;
    this.#keys = secrets
      .keys("event checkpoint")
      .map((one) => ({ id: one.id.toString("base64url"), key: privateKeyOf(one) }));
  }

  /** `payload.keyId.signature`, each in base64url. */
  sign(kind: Checkpoint["kind"], { seq, hash }: Head, at: Millis): Checkpoint {
    const [first] = this.#keys;
    if (first === undefined) throw new Error("the list of secrets is empty");
    const facts: Signed = { type: TYPE, iss: this.#issuer, kind, seq, at: new Date(at).toISOString(), hash };
    const payload = Buffer.from(JSON.stringify(facts)).toString("base64url");
    const signature = sign(null, Buffer.from(payload), first.key).toString("base64url");
    return { kind, seq, at, hash, signed: `${payload}.${first.id}.${signature}` };
  }

  /** `unknown_key`: its secret is not in the list any more. `false`: nobody with the secret signed these facts. */
  check(checkpoint: Checkpoint): boolean | "unknown_key" {
    const opened = this.open(checkpoint.signed);
    if (opened === undefined || opened === "unknown_key") return opened ?? false;
    const { kind, seq, at, hash } = opened;
    return kind === checkpoint.kind && seq === checkpoint.seq && at === checkpoint.at && hash === checkpoint.hash;
  }

  /** The facts of a signed text. */
  open(text: string): Checkpoint | "unknown_key" | undefined {
    const [payload = "", keyId, signature = "", ...rest] = text.split(".");
    if (rest.length > 0) return undefined;
    const key = this.#keys.find(({ id }) => id === keyId);
    if (key === undefined) return "unknown_key";
    const bytes = Buffer.from(signature, "base64url");
    if (!verify(null, Buffer.from(payload), createPublicKey(key.key), bytes)) return undefined;
    const { type, iss, kind, seq, at, hash } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Signed;
    if (type !== TYPE || iss !== this.#issuer) return undefined;
    return { kind, seq, at: Date.parse(at), hash, signed: text };
  }

  /** The public key of the present secret, as a JWK: others can check checkpoints with it. */
  get publicJwk(): Readonly<Record<string, unknown>> {
    const [first] = this.#keys;
    if (first === undefined) throw new Error("the list of secrets is empty");
    return { ...createPublicKey(first.key).export({ format: "jwk" }), kid: first.id };
  }
}

/** A fault of the log: the first event at which something is wrong, and what. */
export interface ChainFault {
  readonly seq: number;
  readonly problem: string;
}

/**
 * Walks the log in its order. `next` takes the events, `checkpoint` the checkpoints at the place where they are; both
 * return the first fault.
 */
export class ChainWalk {
  /** The last event. Undefined: its hash is unknown, because the events before it were deleted by retention. */
  #last: Head | undefined;
  /** The last event that retention may have deleted. */
  readonly #dropped: Head | undefined;
  count = 0;

  constructor(start: Head | undefined, dropped: Head | undefined) {
    this.#last = start;
    this.#dropped = dropped;
  }

  get head(): Head | undefined {
    return this.#last;
  }

  next(event: SealedEvent): ChainFault | undefined {
    const { seq, record, hash } = event;
    const expected = this.#last === undefined ? undefined : this.#last.seq + 1;
    if (expected !== undefined && seq !== expected) return this.#gap(expected, seq);
    if (this.#last === undefined && seq > (this.#dropped?.seq ?? 0) + 1)
      return this.#gap((this.#dropped?.seq ?? 0) + 1, seq);
    // The first event that is left after a deletion: nothing can be said of it until the checkpoint of the deletion.
    if (this.#last !== undefined && hashOf(this.#last.hash, seq, record) !== hash) {
      return { seq, problem: "the event does not fit its hash: it was changed, or put in another place" };
    }
    if (
      this.#last === undefined &&
      this.#dropped?.seq === seq - 1 &&
      hashOf(this.#dropped.hash, seq, record) !== hash
    ) {
      return { seq, problem: "the event does not fit the last one that retention deleted" };
    }
    if (!isConsistent(event)) return { seq, problem: "a column says something else than the event" };
    if (this.#dropped?.seq === seq && this.#dropped.hash !== hash) {
      return { seq, problem: "the event is not the one up to which retention deletes" };
    }
    this.#last = { seq, hash };
    this.count += 1;
    return undefined;
  }

  #gap(expected: number, seq: number): ChainFault {
    const missing = seq - expected;
    return { seq: expected, problem: missing > 0 ? `${missing} events are missing` : "an event is there twice" };
  }
}

function isConsistent({ record, ...event }: SealedEvent): boolean {
  try {
    const facts = factsOf(record);
    return Object.entries(facts).every(([name, value]) => event[name as keyof typeof facts] === value);
  } catch {
    return false;
  }
}
