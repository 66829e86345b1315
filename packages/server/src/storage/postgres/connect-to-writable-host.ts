/** Finds the host of the address that takes writes, and fails fast while there is none. */

import type { Dialect } from "../dialect.ts";
import { StorageUnavailable } from "../errors.ts";
import { stateOf } from "./classify-errors.ts";
import { Connection, type Greeting } from "./connection.ts";
import { type Address, type Host, tlsOf } from "./database-url.ts";

/**
 * After a failure nobody tries for this time, in milliseconds. The time doubles with each failure up to a maximum, and
 * is random so that processes don't try together.
 */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;

/** The purpose of a connection. */
export type Use = "write" | "read";

/** After a failure, returns the same error for a while. */
class Pause {
  #failures = 0;
  #until = 0;
  #failure: StorageUnavailable | undefined;

  check(): void {
    if (this.#failure !== undefined && performance.now() < this.#until) throw this.#failure;
  }

  begin(message: string, cause: unknown): StorageUnavailable {
    const length = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures);
    this.#failures += 1;
    this.#until = performance.now() + length * (0.5 + Math.random() / 2);
    this.#failure = new StorageUnavailable(message, { cause });
    return this.#failure;
  }

  end(): void {
    this.#failures = 0;
    this.#failure = undefined;
  }
}

export class Connector {
  readonly #address: Address;
  /** True: a standby is enough, because nothing is written. */
  readonly #readonly: boolean;
  readonly #dialect: Dialect;
  readonly #greeted: (greeting: Greeting) => void;
  /** One pause for connections that write, and one for those that only read. */
  readonly #pauses: Readonly<Record<Use, Pause>> = { write: new Pause(), read: new Pause() };
  /** The highest timeline seen so far. A server with a lower one is a former primary. */
  #timeline = 0;
  /** The host that took writes last. */
  #primary: Host | undefined;
  /**
   * Increases when the server takes no writes any more, or another one does. Connections from before are not used
   * again.
   */
  epoch = 0;

  constructor(
    address: Address,
    options: { readonly readonly: boolean; readonly dialect: Dialect; greeted(greeting: Greeting): void },
  ) {
    this.#address = address;
    this.#readonly = options.readonly;
    this.#dialect = options.dialect;
    this.#greeted = options.greeted;
  }

  /**
   * Connects to the first host that takes writes. For reads, if there is no such host, it connects to a primary that
   * takes no writes now. Rejects with `StorageUnavailable`, at once if the last try has just failed.
   */
  async open(use: Use = "write"): Promise<Connection> {
    const pause = this.#pauses[use];
    pause.check();
    if (this.#timeline === 0 && this.#address.hosts.length > 1) await this.#lookAround();
    const reasons: string[] = [];
    let cause: unknown;
    let fallback: Connection | undefined;
    for (const host of this.#address.hosts) {
      try {
        const connection = await this.#try(host);
        if (this.#readonly || this.#isPrimary(connection, "write")) {
          await fallback?.close();
          if (!this.#readonly) this.#found(host);
          pause.end();
          this.#greeted(connection.greeting);
          return connection;
        }
        if (use === "read" && fallback === undefined && this.#isPrimary(connection, "read")) {
          fallback = connection;
          continue;
        }
        reasons.push(`${host.host}:${host.port} ${whyNot(connection.greeting)}`);
        await connection.close();
      } catch (error) {
        cause = error;
        reasons.push(`${host.host}:${host.port}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (fallback !== undefined) {
      pause.end();
      this.#greeted(fallback.greeting);
      return fallback;
    }
    throw pause.begin(`PostgreSQL cannot be reached: ${reasons.join("; ")}`, cause);
  }

  /** Another server takes the writes now, and connections to the previous one would not see them. */
  #found(host: Host): void {
    if (this.#primary !== undefined && this.#primary !== host) this.epoch += 1;
    this.#primary = host;
  }

  /** A former primary that was started again takes writes, too. They would be lost, and nobody else would see them. */
  #isPrimary({ greeting: { standby, readOnly, timeline } }: Connection, use: Use): boolean {
    // A standby can be behind: a grant that was revoked on the primary may still be active there.
    if (standby || (readOnly && use === "write") || timeline < this.#timeline) return false;
    this.#timeline = timeline;
    return true;
  }

  /** Before the first connection: finds the newest timeline. */
  async #lookAround(): Promise<void> {
    await Promise.all(
      this.#address.hosts.map(async (host) => {
        const connection = await this.#try(host).catch(() => undefined);
        this.#timeline = Math.max(this.#timeline, connection?.greeting.timeline ?? 0);
        await connection?.close();
      }),
    );
  }

  async #try(host: Host): Promise<Connection> {
    const ssl = tlsOf(this.#address, host);
    try {
      return await Connection.open(this.#address, host, ssl, this.#dialect);
    } catch (error) {
      // With `prefer`, a server on this machine that has no TLS is used without TLS.
      const refused = stateOf(error) === "" && error instanceof Error && /SSL/.test(error.message);
      if (this.#address.sslMode !== "prefer" || ssl === false || !refused) throw error;
      return Connection.open(this.#address, host, false, this.#dialect);
    }
  }
}

function whyNot({ standby, readOnly }: Greeting): string {
  if (standby) return "is a standby";
  return readOnly ? "is read-only" : "was the primary before another one was made that";
}
