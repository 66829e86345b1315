/**
 * What a running server does with events: one process gives them their place in the log, and any process delivers them to
 * webhooks. Both are loaded after the start.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveringParts, WebhookDelivery } from "./deliver-webhooks.ts";
import type { Sealer, SealerParts } from "./events/sealer.ts";
import type { Millis } from "./oauth/model.ts";

/** How often a process looks. An event is sealed within a second. */
const LOOK_EVERY: Millis = 500;
/** The first look is later, so that the start does not wait for it. */
const FIRST_LOOK: Millis = 2000;

export class EventSealing {
  readonly #parts: SealerParts & DeliveringParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #sealer: Sealer | undefined;
  #delivery: WebhookDelivery | undefined;

  constructor(parts: SealerParts & DeliveringParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#forever();
  }

  /** Seals what still waits. Resolves when the last round has ended, and the messages in progress are sent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#sealer !== undefined) {
      await this.#round();
      await this.#sealer.release().catch(() => undefined);
    }
    await this.#delivery?.stop();
  }

  async #forever(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    await sleep(FIRST_LOOK, undefined, { signal, ref: false }).catch(() => undefined);
    while (!signal.aborted) {
      // In an outage, a process looks less and less often.
      await sleep(LOOK_EVERY * 2 ** Math.min(failures, 5), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      failures = (await this.#round()) ? 0 : failures + 1;
    }
  }

  async #load(): Promise<Sealer> {
    const [{ Sealer }, { ClockWatch }, { WebhookDelivery }] = await Promise.all([
      import("./events/sealer.ts"),
      import("./clock-watch.ts"),
      import("./deliver-webhooks.ts"),
    ]);
    const { now, monotonic } = this.#parts;
    const clock = new ClockWatch(now, monotonic);
    const delivery = new WebhookDelivery(this.#parts);
    this.#delivery = delivery;
    if (!this.#stopping.signal.aborted) delivery.start();
    return new Sealer({ ...this.#parts, isSteady: () => clock.isSteady(), queued: () => delivery.kick() });
  }

  /** False: it failed. */
  async #round(): Promise<boolean> {
    try {
      this.#sealer ??= await this.#load();
      while ((await this.#sealer.round()) > 0);
      return true;
    } catch (error) {
      this.#parts.event("events_unsealed", { fault: error instanceof Error ? error.name : "unknown" });
      return false;
    }
  }
}
