/**
 * Housekeeping of a running server: makes signing keys in time, and deletes rows that are no longer needed without
 * disturbing anybody.
 */

import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type AdminStorage, COLLECTED, type Collected } from "./admin/storage.ts";
import type { ClockWatch } from "./clock-watch.ts";
import type { Millis } from "./oauth/model.ts";
import type { Uses } from "./storage-subset.ts";

type Source = Uses<AdminStorage, "housekeeping.collect" | "leases.claim" | "leases.release">;

export interface HousekeepingParts {
  readonly storage: Source;
  readonly now: () => Millis;
  /** A clock that nobody sets. Default: the process's. */
  readonly monotonic?: () => Millis;
  readonly log: Logger;
  /** Other work of each round, on every node. */
  readonly alsoDue: () => Promise<void>;
}

/** Time between two rounds, plus or minus half, so that nodes that started together don't stay in step. */
const EVERY: Millis = 60_000;
/** After this time, another node takes over from one that died. */
const LEASE: Millis = 120_000;
const LEASE_NAME = "housekeeping";

const LARGEST_BATCH = 1000;
const SMALLEST_BATCH = 50;
/**
 * Target duration of a batch. It waits in line with other writes, so under load it takes longer, and the next batch is
 * smaller.
 */
const UNNOTICED: Millis = 4;
/**
 * A long way to the database does not count, however few the rows are. If batches take this much longer several times
 * in a row, they are too large.
 */
const FAR: Millis = UNNOTICED / 2;
const TOO_LONG_IN_A_ROW = 3;
/**
 * Short batches take a twenty-fifth of the time. Their deletions also fill SQLite's log, and others wait while the log
 * is written into the file.
 */
const PAUSES_PER_BATCH = 24;
const SHORTEST_PAUSE: Millis = 10;
/** On a busy machine batches take long, and would never finish otherwise: they take a fifth of the time. */
const LONG_PAUSE: Millis = 60;
const PAUSES_PER_LONG_BATCH = 4;

/**
 * Starts some time after `start`, then runs for ever. No node leads: the first one takes a lease for two minutes and
 * renews it while there is work; the others skip the round. The lease only saves work: two nodes at once would each
 * delete rows that the other has not.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #clock: ClockWatch | undefined;
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

  /** Resolves when the current batch is done. */
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

  /** False: it must stop. */
  async #wait(time: Millis): Promise<boolean> {
    await sleep(time, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
    return !this.#stopping.signal.aborted;
  }

  /** Deletes everything that is due now, unless another node does. Returns the number of rows. */
  async round(): Promise<number> {
    const { storage, now, log } = this.#parts;
    this.#clock ??= await this.#watch();
    if (!this.#clock.isSteady()) {
      const text = "the clock has jumped ahead: nothing is deleted until it is right, or an hour has passed";
      log.warn({ event: "clock_jumped", now: new Date(now()).toISOString() }, text);
      return 0;
    }
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

  async #watch(): Promise<ClockWatch> {
    const { now, monotonic = () => performance.now() } = this.#parts;
    // A start does without this module.
    const { ClockWatch } = await import("./clock-watch.ts");
    return new ClockWatch(now, monotonic);
  }

  #claim(): Promise<boolean> {
    const now = this.#parts.now();
    this.#claimedAt = performance.now();
    return this.#parts.storage.leases.claim({ name: LEASE_NAME, holder: this.#holder, until: now + LEASE, now });
  }

  /** Batches of one kind with pauses, until none are left or another node has taken over. */
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
