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
  /** See `OpenedCheckpoint`. */
  readonly unproven?: number;
}

/** What a signed text says. */
export interface OpenedCheckpoint extends Checkpoint {
  /**
   * Events up to this one may be forged: when the log went on after it, its checkpoint was not signed with a known
   * secret. Each later checkpoint repeats this. 0: there is no such event.
   */
  readonly unproven: number;
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
  sign(kind: Checkpoint["kind"], { seq, hash }: Head, at: Millis, unproven = 0): Checkpoint {
    const [first] = this.#keys;
    if (first === undefined) throw new Error("the list of secrets is empty");
    const about = { type: TYPE, iss: this.#issuer, kind, seq, at: new Date(at).toISOString(), hash } as const;
    const facts: Signed = unproven === 0 ? about : { ...about, unproven };
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

  /** The last event that may be forged although this checkpoint is good. */
  unprovenBefore(checkpoint: Checkpoint): number {
    const opened = this.open(checkpoint.signed);
    return opened === undefined || opened === "unknown_key" ? checkpoint.seq : opened.unproven;
  }

  /** The same checkpoint, signed with the present secret. Undefined: it is already, or nobody with a known secret signed it. */
  renewed(checkpoint: Checkpoint): Checkpoint | undefined {
    const isPresent = checkpoint.signed.split(".")[1] === this.#keys[0]?.id;
    if (isPresent || this.check(checkpoint) !== true) return undefined;
    const { kind, at } = checkpoint;
    return this.sign(kind, checkpoint, at, this.unprovenBefore(checkpoint));
  }

  /** True: earlier secrets are in the list, too. */
  get hasEarlier(): boolean {
    return this.#keys.length > 1;
  }

  /** The facts of a signed text. */
  open(text: string): OpenedCheckpoint | "unknown_key" | undefined {
    const [payload = "", keyId, signature = "", ...rest] = text.split(".");
    if (rest.length > 0) return undefined;
    const key = this.#keys.find(({ id }) => id === keyId);
    if (key === undefined) return "unknown_key";
    const bytes = Buffer.from(signature, "base64url");
    if (!verify(null, Buffer.from(payload), createPublicKey(key.key), bytes)) return undefined;
    const facts = JSON.parse(Buffer.from(payload, "base64url").toString()) as Signed;
    const { type, iss, kind, seq, at, hash, unproven = 0 } = facts;
    if (type !== TYPE || iss !== this.#issuer) return undefined;
    return { kind, seq, at: Date.parse(at), hash, signed: text, unproven };
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

/** Walks the log in its order, from its beginning or from the last event that retention has deleted. */
export class ChainWalk {
  #last: Head;
  count = 0;

  constructor(start: Head) {
    this.#last = { seq: start.seq, hash: start.hash };
  }

  /** The last event that was checked. */
  get head(): Head {
    return this.#last;
  }

  /** Takes the next event. Returns what is wrong with it. */
  next(event: SealedEvent): ChainFault | undefined {
    const { seq, record, hash } = event;
    const expected = this.#last.seq + 1;
    if (seq !== expected) {
      const missing = seq - expected;
      return { seq: expected, problem: missing > 0 ? missingText(missing) : "an event is there twice" };
    }
    if (hashOf(this.#last.hash, seq, record) !== hash)
      return { seq, problem: "the event does not fit its hash: it was changed, or put in another place" };
    if (!isConsistent(event)) return { seq, problem: "a column says something else than the event" };
    this.#last = { seq, hash };
    this.count += 1;
    return undefined;
  }
}

const missingText = (count: number) => (count === 1 ? "1 event is missing" : `${count} events are missing`);

function isConsistent({ record, ...event }: SealedEvent): boolean {
  try {
    const facts = factsOf(record);
    return Object.entries(facts).every(([name, value]) => event[name as keyof typeof facts] === value);
  } catch {
    return false;
  }
}
