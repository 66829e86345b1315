/** A row of the table: a server, and the operations that it is sent. */

import type { Exchange, Measured } from "../load/load.ts";

/** What servers are compared by: rows of several servers that do the same work. */
export type Operation =
  | "client-credentials"
  | "redeem"
  | "refresh-kept"
  | "refresh-recorded"
  | "refresh-rotated"
  | "introspect-jwt"
  | "introspect-opaque"
  | "jwks"
  | "metadata"
  | "cycle"
  | "sign-in"
  | "nothing";

export interface Row {
  /** As `--only` takes it. */
  readonly name: string;
  readonly label: string;
  /** Which of the servers under measurement. */
  readonly server: string;
  readonly operation: Operation;
  /** Share of the reference that it should reach. */
  readonly goal?: number;
  /** The same, of oidc-provider's rate. */
  readonly peerGoal?: number;
  /** Milliseconds that 99 of 100 should not exceed. */
  readonly p99Goal?: number;
  /** Requests on the wire for one operation; default 1. */
  readonly requests?: number;
  /** Called before each measurement, with its length in seconds: what is used up is made then. */
  prepare?(seconds: number): void | Promise<void>;
  /** A fresh operation; undefined: none is left. */
  next(): Exchange | undefined;
  /** Where it isn't HTTP that is measured: measures in its own way. */
  measure?(seconds: number): Promise<Measured>;
}

/** Things that are used once: made before each measurement, half more than any before it needed. */
export class Supply {
  readonly #make: (count: number) => readonly string[] | Promise<readonly string[]>;
  readonly #keeps: boolean;
  #left: readonly string[] = [];
  #at = 0;
  #rate: number;
  #met = false;
  #seconds = 0;

  /** `most`: in the first second. `keeps`: what is left over is good in the next measurement. */
  constructor(make: (count: number) => readonly string[] | Promise<readonly string[]>, most: number, keeps = true) {
    this.#make = make;
    this.#rate = most;
    this.#keeps = keeps;
  }

  async prepare(seconds: number): Promise<void> {
    if (this.#seconds > 0) {
      const rate = (Math.min(this.#at, this.#left.length) / this.#seconds) * 1.5;
      this.#rate = this.#met ? Math.max(this.#rate, rate) : Math.max(200, rate);
      this.#met = true;
    }
    const left = this.#keeps ? this.#left.slice(this.#at) : [];
    const wanted = Math.ceil(this.#rate * seconds) - left.length;
    this.#left = wanted > 0 ? [...left, ...(await this.#make(wanted))] : left;
    this.#at = 0;
    this.#seconds = seconds;
  }

  next(): string | undefined {
    return this.#left[this.#at++];
  }
}

/** Each again only when all others have been. */
export function inTurn(values: readonly string[]): () => string {
  let at = 0;
  return () => values[at++ % values.length] ?? "";
}

export function mapped<T>(value: string | undefined, make: (value: string) => T): T | undefined {
  return value === undefined ? undefined : make(value);
}

export function always(request: string): () => Exchange {
  return () => ({ request });
}
