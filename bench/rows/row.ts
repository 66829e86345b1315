/** A row of the table: a server, and the operations that it gets. */

import type { Exchange, Measured } from "../load/closed-loop.ts";

/** The kinds of work. Rows of several servers with the same work are compared. */
export type Operation =
  | "client-credentials"
  | "redeem"
  | "redeem-openid"
  | "refresh-kept"
  | "refresh-recorded"
  | "refresh-rotated"
  | "introspect-jwt"
  | "introspect-opaque"
  | "user-info"
  | "jwks"
  | "metadata"
  | "cycle"
  | "sign-in"
  | "nothing";

export interface Row {
  /** The name in `--only`. */
  readonly name: string;
  readonly label: string;
  /** Which of the measured servers. */
  readonly server: string;
  readonly operation: Operation;
  /** The goal: its share of the reference. */
  readonly goal?: number;
  /** The goal: its share of oidc-provider's rate. */
  readonly peerGoal?: number;
  /** The goal: 99 % of the operations take at most this number of milliseconds. */
  readonly p99Goal?: number;
  /** Requests on the wire for one operation; default 1. */
  readonly requests?: number;
  /** Called before each measurement with its length in seconds. Makes the things that the row uses up. */
  prepare?(seconds: number): void | Promise<void>;
  /** The next operation. Undefined: there is none left. */
  next(): Exchange | undefined;
  /** For rows without HTTP: does the measurement itself. */
  measure?(seconds: number): Promise<Measured>;
}

/** Things that are used once. They are made before each measurement: half more than any earlier measurement needed. */
export class Supply {
  readonly #make: (count: number) => readonly string[] | Promise<readonly string[]>;
  readonly #keeps: boolean;
  #left: readonly string[] = [];
  #at = 0;
  #rate: number;
  #met = false;
  #seconds = 0;

  /** `most`: number for the first second. `keeps`: the next measurement may use what is left. */
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

/** Returns the values in turn. */
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
