/** Housekeeping of a running server: signing keys in time, and rows that guard nothing any more removed without anybody noticing. */

import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type AdminStorage, COLLECTED, type Collected } from "./admin/storage.ts";
import type { Millis } from "./oauth/model.ts";
import type { Uses } from "./uses.ts";

type Source = Uses<AdminStorage, "housekeeping.collect" | "leases.claim" | "leases.release">;

export interface HousekeepingParts {
  readonly storage: Source;
  readonly now: () => Millis;
  readonly log: Logger;
  /** What else is due each time, on every node. */
  readonly alsoDue: () => Promise<void>;
}

/** From one round to the next, give or take half: nodes that started together don't go on together. */
const EVERY: Millis = 60_000;
/** A node that died in the middle is replaced after that. */
const LEASE: Millis = 120_000;
const LEASE_NAME = "housekeeping";

const LARGEST_BATCH = 1000;
const SMALLEST_BATCH = 50;
/** What a batch should take at most; it stands in line with everybody's writes, so that under load it takes longer, and the next is smaller. */
const UNNOTICED: Millis = 4;
/** Where the way to the database takes longer, however few the rows are, that isn't counted; there, so many in a row that took too long are too large. */
const FAR: Millis = UNNOTICED / 2;
const TOO_LONG_IN_A_ROW = 3;
/** Of the time, short batches take a twenty-fifth: what they remove fills SQLite's log, too, and whoever writes while that is folded into the file waits. */
const PAUSES_PER_BATCH = 24;
const SHORTEST_PAUSE: Millis = 10;
/** On a machine that has much to do batches are long, and would never come to an end: they take a fifth. */
const LONG_PAUSE: Millis = 60;
const PAUSES_PER_LONG_BATCH = 4;

/**
 * Starts by itself a while after `start`, then goes on for ever. No node leads: whoever comes first takes a lease for two minutes and prolongs it while there is work; the others
 * go away. The lease only spares work: two at once would each remove what the other doesn't.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  readonly #holder = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #claimedAt = 0;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#forever();
  }

  /** Resolves when the batch under way is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #forever(): Promise<void> {
    while (await this.#wait(EVERY / 2 + randomInt(EVERY))) {
      try {
        await this.#parts.alsoDue();
        await this.round();
      } catch (error) {
        this.#parts.log.warn({ err: error }, "housekeeping failed; it is tried again in a minute");
      }
    }
  }

  /** False: it is to stop. */
  async #wait(time: Millis): Promise<boolean> {
    await sleep(time, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
    return !this.#stopping.signal.aborted;
  }

  /** Removes all that is due now, unless another node is at it; the number of rows. */
  async round(): Promise<number> {
    const { storage, now, log } = this.#parts;
    if (!(await this.#claim())) return 0;
    let removed = 0;
    const began = performance.now();
    try {
      for (const what of COLLECTED) removed += await this.#sweep(what);
    } finally {
      await storage.leases.release({ name: LEASE_NAME, holder: this.#holder });
    }
    if (removed > 0) {
      const ms = Math.round(performance.now() - began);
      log.info({ event: "garbage_collected", removed, ms, until: now() }, "garbage_collected");
    }
    return removed;
  }

  #claim(): Promise<boolean> {
    const now = this.#parts.now();
    this.#claimedAt = performance.now();
    return this.#parts.storage.leases.claim({ name: LEASE_NAME, holder: this.#holder, until: now + LEASE, now });
  }

  /** Batches of one kind, with pauses, until none is left or another node has taken over. */
  async #sweep(what: Collected): Promise<number> {
    const { storage, now } = this.#parts;
    let removed = 0;
    let limit = SMALLEST_BATCH;
    let least = Number.POSITIVE_INFINITY;
    let tooLong = 0;
    for (;;) {
      const began = performance.now();
      const swept = await storage.housekeeping.collect({ what, now: now(), limit });
      const took = performance.now() - began;
      removed += swept.removed;
      if (swept.seen < limit || what === "names" || what === "member_links") return removed;
      least = Math.min(least, took);
      const [ownTime, patience] = least > FAR ? [took - least, TOO_LONG_IN_A_ROW] : [took, 1];
      tooLong = ownTime > UNNOTICED ? tooLong + 1 : 0;
      if (ownTime < UNNOTICED / 2) limit = Math.min(LARGEST_BATCH, limit * 2);
      else if (tooLong >= patience) {
        limit = Math.max(SMALLEST_BATCH, Math.floor(limit / 2));
        tooLong = 0;
      }
      if (!(await this.#wait(pauseAfter(took)))) return removed;
      if (performance.now() - this.#claimedAt > LEASE / 4 && !(await this.#claim())) return removed;
    }
  }
}

function pauseAfter(took: Millis): Millis {
  const pause = Math.max(SHORTEST_PAUSE, took * PAUSES_PER_BATCH);
  return Math.max(Math.min(pause, LONG_PAUSE), took * PAUSES_PER_LONG_BATCH);
}
