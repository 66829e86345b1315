/** A limited number of connections. Each is lent to one caller at a time. */

import { StorageUnavailable } from "../errors.ts";
import { endsConnection, isReadOnly } from "./classify-errors.ts";
import type { Connector, Use } from "./connect-to-writable-host.ts";
import type { Connection } from "./connection.ts";

/** Maximum time that a caller waits for a connection, in milliseconds. */
const WAIT = 1_000;
/** Callers beyond this number of waiting ones are refused: a late answer is no better than a request to come again. */
const WAITING = 1_000;
/** A connection that is unused for this time is closed, in milliseconds. */
const IDLE = 60_000;

interface Waiter {
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

interface Idle {
  readonly connection: Connection;
  readonly epoch: number;
  readonly since: number;
}

export class Pool {
  readonly #connector: Connector;
  readonly #max: number;
  readonly #use: Use;
  readonly #waiting: Waiter[] = [];
  #idle: Idle[] = [];
  /** Number of connections that exist or are being opened. */
  #size = 0;
  #lent = 0;
  #closing = false;
  #closed: (() => void) | undefined;
  /** Number of connections opened so far. */
  opened = 0;

  constructor(connector: Connector, max: number, use: Use = "write") {
    this.#connector = connector;
    this.#max = max;
    this.#use = use;
  }

  /**
   * Does the work on a connection. Rejects with `StorageUnavailable` if none is free, or can be opened, within a
   * second.
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    const { epoch } = this.#connector;
    this.#lent += 1;
    try {
      return await work(connection);
    } catch (error) {
      if (isReadOnly(error)) this.#connector.epoch += 1;
      if (endsConnection(error)) connection.destroy();
      throw error;
    } finally {
      this.#lent -= 1;
      this.#release(connection, epoch);
    }
  }

  /** Waits for the work under way, then closes all connections. */
  async close(): Promise<void> {
    this.#closing = true;
    const idle = this.#idle;
    this.#idle = [];
    this.#size -= idle.length;
    await Promise.all(idle.map(({ connection }) => connection.close()));
    if (this.#size > 0) await new Promise<void>((resolve) => (this.#closed = resolve));
  }

  #acquire(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.connection.usable && idle.epoch === this.#connector.epoch) return Promise.resolve(idle.connection);
      this.#drop(idle.connection);
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

  /** The caller who has waited longest gets the new connection, or the error. */
  async #make(): Promise<void> {
    this.#size += 1;
    const { epoch } = this.#connector;
    try {
      const connection = await this.#connector.open(this.#use);
      this.opened += 1;
      this.#release(connection, epoch);
    } catch (error) {
      this.#size -= 1;
      this.#finish();
      // If other connections are lent, callers go on waiting for them. If there is none, all get the error.
      for (const { reject } of this.#waiting.splice(0, this.#size === 0 ? this.#waiting.length : 1)) reject(error);
    }
  }

  #release(connection: Connection, epoch: number): void {
    if (!connection.usable || epoch !== this.#connector.epoch || this.#closing) {
      this.#drop(connection);
      if (this.#waiting.length > 0 && this.#size < this.#max) void this.#make();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) waiter.resolve(connection);
    else this.#rest(connection, epoch);
  }

  #rest(connection: Connection, epoch: number): void {
    const now = performance.now();
    // The connection used last is used next, so that unneeded ones grow old at the front.
    const [oldest] = this.#idle;
    if (oldest !== undefined && now - oldest.since > IDLE) {
      this.#idle.shift();
      this.#drop(oldest.connection);
    }
    this.#idle.push({ connection, epoch, since: now });
  }

  #drop(connection: Connection): void {
    this.#size -= 1;
    void connection.close().finally(() => this.#finish());
  }

  #finish(): void {
    if (this.#size === 0 && this.#lent === 0) this.#closed?.();
  }
}
