/** A bounded number of connections, lent one at a time. */

import { StorageUnavailable } from "../errors.ts";
import type { Connector, Use } from "./connector.ts";
import { endsConnection, isReadOnly } from "./faults.ts";
import type { Link } from "./link.ts";

/** How long somebody waits for a connection at most, in milliseconds. */
const WAIT = 1_000;
/** Waiting beyond this number are refused: answering late is no better than asking to come again. */
const WAITING = 1_000;
/** What lies unused for so long is closed. */
const IDLE = 60_000;

interface Waiter {
  resolve(link: Link): void;
  reject(error: unknown): void;
}

interface Idle {
  readonly link: Link;
  readonly epoch: number;
  readonly since: number;
}

export class Pool {
  readonly #connector: Connector;
  readonly #max: number;
  readonly #use: Use;
  readonly #waiting: Waiter[] = [];
  #idle: Idle[] = [];
  /** Connections there are, or are being made. */
  #size = 0;
  #lent = 0;
  #closing = false;
  #closed: (() => void) | undefined;
  /** Connections made so far. */
  opened = 0;

  constructor(connector: Connector, max: number, use: Use = "write") {
    this.#connector = connector;
    this.#max = max;
    this.#use = use;
  }

  /** Does the work on a connection. Rejects with `StorageUnavailable` where none is free or can be made in a second. */
  async use<T>(work: (link: Link) => Promise<T>): Promise<T> {
    const link = await this.#acquire();
    const { epoch } = this.#connector;
    this.#lent += 1;
    try {
      return await work(link);
    } catch (error) {
      if (isReadOnly(error)) this.#connector.epoch += 1;
      if (endsConnection(error)) link.destroy();
      throw error;
    } finally {
      this.#lent -= 1;
      this.#release(link, epoch);
    }
  }

  /** Waits for what is under way, then closes all. */
  async close(): Promise<void> {
    this.#closing = true;
    const idle = this.#idle;
    this.#idle = [];
    this.#size -= idle.length;
    await Promise.all(idle.map(({ link }) => link.close()));
    if (this.#size > 0) await new Promise<void>((resolve) => (this.#closed = resolve));
  }

  #acquire(): Promise<Link> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.link.usable && idle.epoch === this.#connector.epoch) return Promise.resolve(idle.link);
      this.#drop(idle.link);
    }
    if (this.#waiting.length >= WAITING) {
      return Promise.reject(new StorageUnavailable("too many wait for a connection to PostgreSQL"));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new StorageUnavailable(`no connection to PostgreSQL became free within ${WAIT} ms`));
      }, WAIT);
      const settled = <V>(settle: (value: V) => void) => {
        return (value: V) => {
          clearTimeout(timer);
          settle(value);
        };
      };
      const waiter: Waiter = { resolve: settled(resolve), reject: settled(reject) };
      this.#waiting.push(waiter);
      if (this.#size < this.#max) void this.#make();
    });
  }

  /** Who has waited longest gets the new connection, or hears why there is none. */
  async #make(): Promise<void> {
    this.#size += 1;
    const { epoch } = this.#connector;
    try {
      const link = await this.#connector.open(this.#use);
      this.opened += 1;
      this.#release(link, epoch);
    } catch (error) {
      this.#size -= 1;
      this.#finish();
      // Those who wait for a connection that is lent go on waiting; where there is none, all hear of it.
      for (const { reject } of this.#waiting.splice(0, this.#size === 0 ? this.#waiting.length : 1)) reject(error);
    }
  }

  #release(link: Link, epoch: number): void {
    if (!link.usable || epoch !== this.#connector.epoch || this.#closing) {
      this.#drop(link);
      if (this.#waiting.length > 0 && this.#size < this.#max) void this.#make();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) waiter.resolve(link);
    else this.#rest(link, epoch);
  }

  #rest(link: Link, epoch: number): void {
    const now = performance.now();
    // The one used last is used next: what is too much grows old at the front.
    const [oldest] = this.#idle;
    if (oldest !== undefined && now - oldest.since > IDLE) {
      this.#idle.shift();
      this.#drop(oldest.link);
    }
    this.#idle.push({ link, epoch, since: now });
  }

  #drop(link: Link): void {
    this.#size -= 1;
    void link.close().finally(() => this.#finish());
  }

  #finish(): void {
    if (this.#size === 0 && this.#lent === 0) this.#closed?.();
  }
}
