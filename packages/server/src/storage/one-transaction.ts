/** Runs use-cases of the operator with all their verbs in one transaction, which is kept or undone as a whole. */

import type { Cause } from "../events/event.ts";
import type { Row, Tx, Verb } from "./define-verbs.ts";
import type { SchemaHost } from "./migrations/migration.ts";
import { writeClient } from "./operator/clients.ts";
import { endGrantsOfClient, finishEnding } from "./operator/end-grants-of-client.ts";
import { aggregates, type Ports } from "./verb-registry.ts";

/** Not an error: it makes the engine roll back. */
class Undo extends Error {}

type Engine = Pick<SchemaHost, "exclusively"> & { call(verb: Verb<never, unknown>, args: never): Promise<unknown> };

export interface OneTransaction {
  readonly cause?: Cause | undefined;
  /** False: the transaction is rolled back after the work, which has seen what it would do. */
  readonly keep: boolean;
}

/** The last transaction of each engine. Two of one process can't wait for each other in the database. */
const last = new WeakMap<object, Promise<unknown>>();

/**
 * The work gets the ports, and may call them alone: other writers wait for this transaction. It may run more than once.
 * If it throws, nothing is kept. The grants of disabled and deleted clients end after the commit, in their batches;
 * if the process dies before, housekeeping does it.
 */
export async function inOneTransaction<T>(
  engine: Engine,
  args: OneTransaction,
  work: (ports: Ports) => Promise<T>,
): Promise<T> {
  const running = (last.get(engine) ?? Promise.resolve()).then(() => alone(engine, args, work));
  last.set(
    engine,
    running.catch(() => undefined),
  );
  return running;
}

async function alone<T>(
  engine: Engine,
  { cause, keep }: OneTransaction,
  work: (ports: Ports) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  let ending: ReadonlySet<string> = new Set();
  try {
    await engine.exclusively(async (tx) => {
      const run = new Within(tx, cause);
      result = { value: await work(run.ports()) };
      ending = run.ending;
      if (!keep) throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  if (result === undefined) throw new Error("the transaction ended without its work");
  if (keep) {
    const call = <A, O>(verb: Verb<A, O>, args: A) =>
      engine.call(verb as Verb<never, unknown>, args as never) as Promise<O>;
    for (const clientId of ending) await finishEnding(call, clientId);
  }
  return result.value;
}

/** Runs verbs of every kind inside one transaction. */
class Within {
  readonly #tx: Tx;
  /** Clients whose grants end after the commit. */
  readonly ending = new Set<string>();
  /** Clients that must have no grant left before their record can be written. */
  readonly #first = new Set<string>();

  constructor(tx: Tx, cause: Cause | undefined) {
    this.#tx = {
      one: (statement, params) => tx.one(statement, params),
      all: (statement, params) => tx.all(statement, params),
      run: (statement, params) => tx.run(statement, params),
      later: (statement, params) => tx.later(statement, params),
      cause,
    };
  }

  ports(): Ports {
    const bound = Object.entries(aggregates).map(([aggregate, verbs]) => [
      aggregate,
      Object.fromEntries(
        Object.entries<Verb<never, unknown>>(verbs).map(([name, verb]) => [
          name,
          (args: never) => this.call(verb, args),
        ]),
      ),
    ]);
    return Object.fromEntries(bound) as Ports;
  }

  readonly call = async <A, O>(verb: Verb<A, O>, args: A): Promise<O> => {
    const tx = this.#tx;
    const later = this.#later(verb, args);
    if (later !== undefined) return later as O;
    switch (verb.kind) {
      case "read": {
        const params = verb.bind(args);
        const rows = await tx.all(verb.sql, params);
        return verb.outcome(rows, args, verb.also === undefined ? [] : await tx.all(verb.also, params));
      }
      case "statement": {
        const params = verb.bind(args);
        const row = await tx.one(verb.sql, params);
        const why: Row | undefined =
          row === undefined && verb.why !== undefined ? await tx.one(verb.why, params) : undefined;
        return verb.outcome(row, args, why);
      }
      case "transaction": {
        const outcome = await verb.body(tx, args);
        this.#noteEnding(verb, args, outcome);
        return outcome;
      }
      case "steps":
        return verb.body(this.call, args);
    }
  };

  /** A client can have a million grants. They end after the commit, unless the client's new record needs that first. */
  #later(verb: unknown, args: unknown): unknown {
    if (verb !== endGrantsOfClient) return undefined;
    const { clientId } = args as { readonly clientId: string };
    if (this.#first.has(clientId)) return undefined;
    this.ending.add(clientId);
    return false;
  }

  #noteEnding(verb: unknown, args: unknown, outcome: unknown): void {
    if (verb !== writeClient) return;
    const { client } = args as { readonly client: { readonly clientId: string } };
    if ((outcome as { readonly kind: string }).kind === "ending") this.#first.add(client.clientId);
    else this.#first.delete(client.clientId);
  }
}
