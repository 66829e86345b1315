/**
 * Gives events their place in the log. Every process looks, and one of them at a time holds the lease and appends. So no
 * transaction of a person waits for a common row.
 */

import { randomUUID } from "node:crypto";
import { type AdminStorage, LONGEST_LEASE } from "../admin/storage.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { CheckpointKeys, chained } from "./chain.ts";
import { GENESIS, SEALER_LEASE } from "./event.ts";
import type { Checkpoint, EventStorage } from "./storage.ts";

export interface SealerParts {
  readonly storage: EventStorage & Uses<AdminStorage, "leases.claim" | "leases.release">;
  readonly secrets: Secrets;
  readonly issuer: string;
  /** How long events are kept. Null: for ever. */
  readonly keptFor: Millis | null;
  readonly now: () => Millis;
  /** False: the clock has jumped, so nothing is deleted now. Absent: it is always right. */
  readonly isSteady?: () => boolean;
  /** True: events wait if the newest checkpoint was signed with another secret, because this may be the wrong one. */
  readonly onlyKnown?: boolean;
  /** Deliveries to webhooks wait. */
  readonly queued?: () => void;
  readonly event: (name: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

/** After this time, another process takes over from one that died. */
const LEASE: Millis = 10_000;
/** Number of events that one transaction appends. */
const BATCH = 500;
/** How often the holder looks for events that are too old, and how many it deletes at once. */
const RETIRE_EVERY: Millis = 3_600_000;
const DROPPED_AT_ONCE = 500;
/**
 * How often the log of the server has a checkpoint, so that a copy is outside of the database. A server that has just
 * started writes one only if the hour has none yet.
 */
const ANNOUNCE_EVERY: Millis = 3_600_000;
/** Number of checkpoints that one transaction signs again. */
const RENEWED_AT_ONCE = 500;

export class Sealer {
  readonly #parts: SealerParts;
  readonly #holder = randomUUID();
  readonly #keys: CheckpointKeys;
  #retiredAt = 0;
  #announcedAt: Millis | undefined;
  #holds = false;
  #renewed = false;
  /** The last checkpoint of this process. */
  #last: Checkpoint | undefined;

  constructor(parts: SealerParts) {
    this.#parts = parts;
    this.#keys = new CheckpointKeys(parts.secrets, parts.issuer);
  }

  /** Appends the events that wait now. Returns their number; 0 also if another process does it. */
  async round(): Promise<number> {
    const { storage, now } = this.#parts;
    const { waiting, holder, until } = await storage.events.due();
    if (!waiting && !(this.#holds && this.#mayRetire())) return 0;
    if (holder !== null && holder !== this.#holder && until > now() && until <= now() + LONGEST_LEASE) {
      this.#holds = false;
      return 0;
    }
    this.#holds = await storage.leases.claim({
      ...{ name: SEALER_LEASE, holder: this.#holder, until: now() + LEASE, now: now() },
    });
    if (!this.#holds) return 0;
    await this.#renew();
    const sealed = await this.#seal();
    if (this.#mayRetire()) await this.#retire();
    return sealed;
  }

  /** The clock may have been set back since. */
  #mayRetire(): boolean {
    return Math.abs(this.#parts.now() - this.#retiredAt) >= RETIRE_EVERY;
  }

  /** Lets another process take over at once. */
  async release(): Promise<void> {
    if (this.#holds) await this.#parts.storage.leases.release({ name: SEALER_LEASE, holder: this.#holder });
    this.#holds = false;
  }

  async #seal(): Promise<number> {
    const { storage, now } = this.#parts;
    const { newest, events: waiting } = await storage.events.waiting({ limit: BATCH });
    if (waiting.length === 0) return 0;
    const head = newest ?? GENESIS;
    const isGood = newest === null ? true : this.#keys.check(newest);
    if (isGood === "unknown_key" && this.#parts.onlyKnown === true) return 0;
    this.#watch(newest, isGood);
    // All later checkpoints say that this server can't prove the events up to here.
    const unproven = newest === null ? 0 : isGood === true ? this.#keys.unprovenBefore(newest) : newest.seq;
    const events = chained(
      head,
      waiting.filter(({ known }) => !known),
    );
    const last = events.at(-1);
    const at = now();
    const checkpoint = last === undefined ? null : this.#keys.sign("sealed", last, at, unproven);
    const done = waiting.map(({ partition, eventId }) => ({ partition, eventId }));
    // A checkpoint that is not good stays as it is, as evidence for `assent events verify`.
    const replaces = isGood === true ? newest : null;
    const outcome = await storage.events.seal({
      ...{ holder: this.#holder, now: at, head: { seq: head.seq, hash: head.hash } },
      ...{ events, done, checkpoint, replaces },
    });
    if (outcome === "lost") this.#holds = false;
    else if (checkpoint !== null) {
      this.#last = checkpoint;
      this.#announce(checkpoint, newest?.at ?? at);
    }
    if (outcome === "queued") this.#parts.queued?.();
    return outcome === "lost" ? 0 : waiting.length;
  }

  /** Tells the log of the server what nobody without access to the database can cause. */
  #watch(newest: Checkpoint | null, isGood: boolean | "unknown_key"): void {
    const { event } = this.#parts;
    if (isGood === false) event("event_checkpoint_invalid", { seq: newest?.seq ?? 0 });
    if (isGood === "unknown_key") event("event_checkpoint_unknown_key", { seq: newest?.seq ?? 0 });
    const last = this.#last;
    if (last !== undefined && (newest === null || newest.seq < last.seq))
      event("event_log_cut", { seq: last.seq, hash: last.hash, signed: last.signed });
  }

  /** Signs checkpoints of earlier secrets with the present one, so that an earlier secret can be removed. Once. */
  async #renew(): Promise<void> {
    if (this.#renewed) return;
    if (this.#keys.hasEarlier) {
      const { storage, now } = this.#parts;
      for (const kind of ["sealed", "dropped"] as const) {
        for (let after = -1; ; ) {
          const some = await storage.events.checkpoints({ kind, after, limit: RENEWED_AT_ONCE });
          const renewed = some.map((one) => this.#keys.renewed(one)).filter((one) => one !== undefined);
          const write = { holder: this.#holder, now: now(), checkpoints: renewed };
          if (renewed.length > 0 && !(await storage.events.renew(write))) return;
          const last = some.at(-1);
          if (last === undefined || some.length < RENEWED_AT_ONCE) break;
          after = last.seq;
        }
      }
    }
    this.#renewed = true;
  }

  /** `before`: the time of the checkpoint before it. */
  #announce({ seq, hash, signed, at }: Checkpoint, before: Millis) {
    const hour = (time: Millis) => Math.floor(time / ANNOUNCE_EVERY);
    this.#announcedAt ??= at;
    if (hour(before) === hour(at) && at < this.#announcedAt + ANNOUNCE_EVERY) return;
    this.#announcedAt = at;
    this.#parts.event("event_checkpoint", { seq, hash, signed });
  }

  /** A signed note first says up to where events are gone. Then they are deleted. */
  async #retire(): Promise<void> {
    const { storage, keptFor, now } = this.#parts;
    this.#retiredAt = now();
    if (keptFor === null || this.#parts.isSteady?.() === false) return;
    const last = await storage.events.lastCheckpoint({ kind: "sealed", at: now() - keptFor });
    if (last === undefined) return;
    // Otherwise somebody who can write to the database could choose what is deleted.
    if (this.#keys.check(last) !== true) {
      this.#parts.event("events_not_dropped", { seq: last.seq });
      return;
    }
    const note = this.#keys.sign("dropped", last, now());
    if (!(await storage.events.retire({ holder: this.#holder, now: now(), note }))) return;
    let deleted = 0;
    for (;;) {
      const some = await storage.events.drop({ limit: DROPPED_AT_ONCE });
      deleted += some;
      if (some < DROPPED_AT_ONCE) break;
      // Another process may append meanwhile. What is deleted here stays deleted.
      await storage.leases.claim({ name: SEALER_LEASE, holder: this.#holder, until: now() + LEASE, now: now() });
    }
    if (deleted > 0) this.#parts.event("events_dropped", { up_to: last.seq, deleted });
  }
}
