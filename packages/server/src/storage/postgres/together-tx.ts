/** A transaction whose statements go to the server together where none waits for another's answer. */

import type { Cause } from "../../events/event.ts";
import { type Params, type Row, type Sql, sql, type Tx } from "../define-verbs.ts";
import { endsConnection, isReadOnly, told } from "./classify-errors.ts";
import type { Connection } from "./connection.ts";
import type { Ask, Result } from "./pipeline.ts";

const commit: Ask = { sql: sql`COMMIT`, params: {} };

interface Waiting {
  readonly ask: Ask;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const ignore = () => undefined;

export class TogetherTx implements Tx {
  readonly #connection: Connection;
  readonly #beginning: Sql;
  #waiting: Waiting[] = [];
  #sending = false;
  /** True: BEGIN was sent. */
  begun = false;

  readonly cause: Cause | undefined;

  constructor(connection: Connection, beginning: Sql, cause?: Cause) {
    this.cause = cause;
    this.#connection = connection;
    this.#beginning = beginning;
  }

  async one(statement: Sql, params?: Params): Promise<Row | undefined> {
    return (await this.#ask(statement, params)).rows[0];
  }

  async all(statement: Sql, params?: Params): Promise<readonly Row[]> {
    return (await this.#ask(statement, params)).rows;
  }

  async run(statement: Sql, params?: Params): Promise<number> {
    return (await this.#ask(statement, params)).count;
  }

  later(sql: Sql, params: Params = {}): void {
    this.#waiting.push({ ask: { sql, params }, resolve: ignore, reject: ignore });
  }

  /** Also sends the statements that still wait. After a lost connection it is unknown whether the server has committed. */
  async commit(): Promise<void> {
    const rest = this.#take();
    if (rest.length === 0 && !this.begun) return;
    try {
      await this.#connection.run([...this.#beginnings(), ...rest.map(({ ask }) => ask), commit]);
    } catch (error) {
      throw endsConnection(error) && !isReadOnly(error) ? told(error, true) : error;
    }
  }

  #ask(sql: Sql, params: Params = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ask: { sql, params }, resolve, reject });
      if (this.#sending) return;
      this.#sending = true;
      queueMicrotask(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    this.#sending = false;
    const group = this.#take();
    const first = this.#beginnings();
    try {
      const results = await this.#connection.run([...first, ...group.map(({ ask }) => ask)]);
      group.forEach(({ resolve }, at) => void resolve(results[first.length + at] ?? { rows: [], count: 0 }));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  #take(): readonly Waiting[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  #beginnings(): readonly Ask[] {
    if (this.begun) return [];
    this.begun = true;
    return [{ sql: this.#beginning, params: {} }];
  }
}
