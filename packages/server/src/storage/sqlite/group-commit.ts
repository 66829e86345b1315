/** Group commit: write verbs that arrive together are committed together, and answered after the commit. */

import { getCompileCacheDir } from "node:module";
import { Worker } from "node:worker_threads";
import { BatchScheduler } from "../batch-scheduler.ts";
import { StorageUnavailable } from "../errors.ts";
import { inLockOrder, type LockKey } from "../lock-order.ts";
import type { Connection } from "./connection.ts";
import { type Parcel, packJobs, unpackAnswers } from "./job-codec.ts";
import { type Answer, type Job, runBatch } from "./run-batch.ts";

/** Maximum number of verbs in one transaction, so that nobody waits long behind many others. */
const BATCH = 512;
/** Verbs beyond this number of waiting ones are refused: a late answer is no better than a request to come again. */
const WAITING = 20_000;

/** Runs groups, one at a time. */
export interface Runner {
  run(jobs: readonly Job[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: Job;
  readonly lockKey: LockKey | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Called after each group, with the number of verbs and the duration in milliseconds. */
export type BatchObserver = (size: number, milliseconds: number) => void;

export class Writer {
  readonly #runner: Runner;
  readonly #observe: BatchObserver | undefined;
  #queue: Waiting[] = [];
  readonly #scheduler = new BatchScheduler(
    () => this.#queue.length,
    BATCH,
    () => this.#next(),
  );
  #running: Promise<void> | undefined;
  #closed = false;
  /** Number of groups committed or tried, and of verbs in them. */
  readonly counts = { batches: 0, verbs: 0 };

  constructor(runner: Runner, observe?: BatchObserver) {
    this.#runner = runner;
    this.#observe = observe;
  }

  /** Number of verbs that wait for their group. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves with the verb's result after its commit. */
  submit(job: Job, lockKey: LockKey | undefined): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StorageUnavailable("the storage is closed"));
    if (this.#queue.length >= WAITING) return Promise.reject(new StorageUnavailable("too many writes are waiting"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, lockKey, resolve, reject });
      if (this.#running === undefined) this.#scheduler.begin();
    });
  }

  /** Completes all submitted jobs, and accepts no more. */
  async drain(): Promise<void> {
    this.#closed = true;
    while (this.#queue.length > 0 || this.#running !== undefined) {
      await (this.#running ?? new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** Closes the file; call it after `drain`. */
  close(): Promise<void> {
    return this.#runner.close();
  }

  #next(): void {
    if (this.#running !== undefined || this.#queue.length === 0) return;
    const batch = this.#queue.slice(0, BATCH).sort(inLockOrder);
    this.#queue = this.#queue.slice(BATCH);
    this.#running = this.#run(batch);
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    this.counts.batches += 1;
    this.counts.verbs += batch.length;
    const startedAt = performance.now();
    let answers: readonly Answer[] = [];
    let failure: StorageUnavailable | undefined;
    try {
      answers = await this.#runner.run(batch.map(({ job }) => job));
    } catch (error) {
      if (error instanceof StorageUnavailable) failure = error;
      else failure = new StorageUnavailable("the writer failed", { cause: error, uncertain: true });
    }
    this.#running = undefined;
    this.#observe?.(batch.length, performance.now() - startedAt);
    // The next group is sent before the callers of this one continue, so that the writer's thread does not wait for
    // them.
    this.#next();
    batch.forEach((waiting, at) => {
      const answer = answers[at];
      if (answer !== undefined) settle(waiting, answer);
      else waiting.reject(failure ?? new StorageUnavailable("the writer gave no answer", { uncertain: true }));
    });
  }
}

function settle({ resolve, reject }: Waiting, answer: Answer): void {
  if (answer.ok) resolve(answer.value);
  else reject(revived(answer));
}

function revived({ unavailable, message, stack }: Answer & { readonly ok: false }): Error {
  const error = unavailable ? new StorageUnavailable(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Runs groups on the calling thread. This gives the highest throughput, but the event loop waits for each fsync. */
export class LocalRunner implements Runner {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  run(jobs: readonly Job[]): Promise<readonly Answer[]> {
    return runBatch(this.#connection, jobs);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

/** Messages to and from the writer's thread. */
export type ToThread = { readonly jobs: Parcel } | { readonly close: true };
export type FromThread = { readonly ready: true } | { readonly answers: Parcel };

const threadFile = import.meta.url.endsWith(".ts") ? "./writer-thread.ts" : "./writer-thread.js";

/**
 * Runs groups on a thread of its own. If the thread dies, the outcome of its work is uncertain, and the next group gets
 * a new thread.
 */
export class ThreadRunner implements Runner {
  readonly #path: string;
  #thread: Promise<Worker> | undefined;
  #inFlight: { resolve(answers: readonly Answer[]): void; reject(error: Error): void } | undefined;
  /** Number of threads started so far. */
  starts = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the thread has opened the file. Throws `StorageUnavailable` if it can't. */
  async start(): Promise<Worker> {
    this.#thread ??= this.#spawn();
    try {
      return await this.#thread;
    } catch (error) {
      this.#thread = undefined;
      throw error;
    }
  }

  async run(jobs: readonly Job[]): Promise<readonly Answer[]> {
    const thread = await this.start();
    return new Promise((resolve, reject) => {
      this.#inFlight = { resolve, reject };
      thread.ref();
      thread.postMessage({ jobs: packJobs(jobs) } satisfies ToThread);
    });
  }

  async close(): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined);
    if (thread === undefined) return;
    const gone = new Promise((resolve) => thread.once("exit", resolve));
    thread.ref();
    thread.postMessage({ close: true } satisfies ToThread);
    await gone;
  }

  #spawn(): Promise<Worker> {
    this.starts += 1;
    const thread = new Worker(new URL("./writer-start.js", import.meta.url), {
      workerData: {
        path: this.#path,
        program: new URL(threadFile, import.meta.url).href,
        compiled: getCompileCacheDir(),
      },
      // The thread's objects live briefly. A small young generation is collected in microseconds and leaves the memory
      // to others.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    return new Promise((resolve, reject) => {
      let cause: unknown;
      thread.on("message", (message: FromThread) => {
        if ("ready" in message) {
          // An idle thread keeps no process alive.
          thread.unref();
          resolve(thread);
          return;
        }
        thread.unref();
        this.#inFlight?.resolve(unpackAnswers(message.answers));
        this.#inFlight = undefined;
      });
      thread.on("error", (error) => {
        cause = error;
      });
      thread.on("exit", () => {
        const error = new StorageUnavailable("the writer's thread died", { cause, uncertain: true });
        this.#thread = undefined;
        this.#inFlight?.reject(error);
        this.#inFlight = undefined;
        reject(error);
      });
    });
  }
}
