/** Group commit: write verbs that arrive together are committed together, and answered after their commit. */

import { getCompileCacheDir } from "node:module";
import { Worker } from "node:worker_threads";
import { BatchScheduler } from "../batch-scheduler.ts";
import { StorageUnavailable } from "../errors.ts";
import { inLockOrder, type LockKey } from "../lock-order.ts";
import { type Answer, type Job, runBatch } from "./batch.ts";
import type { Connection } from "./connection.ts";
import { type Parcel, packJobs, unpackAnswers } from "./job-codec.ts";

/** What one transaction holds at most, so that nobody waits long behind a crowd. */
const BATCH = 512;
/** Verbs waiting beyond this are refused: answering late is no better than asking to come again. */
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

/** Told of each group when it is over: how many verbs, how many milliseconds. */
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
  /** Groups committed or tried, and verbs in them. */
  readonly counts = { batches: 0, verbs: 0 };

  constructor(runner: Runner, observe?: BatchObserver) {
    this.#runner = runner;
    this.#observe = observe;
  }

  /** Verbs that wait for their group. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The verb's result, once it is committed. */
  submit(job: Job, lockKey: LockKey | undefined): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StorageUnavailable("the storage is closed"));
    if (this.#queue.length >= WAITING) return Promise.reject(new StorageUnavailable("too many writes are waiting"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, lockKey, resolve, reject });
      if (this.#running === undefined) this.#scheduler.begin();
    });
  }

  /** Everything submitted is answered; nothing more is taken. */
  async drain(): Promise<void> {
    this.#closed = true;
    while (this.#queue.length > 0 || this.#running !== undefined) {
      await (this.#running ?? new Promise((resolve) => setImmediate(resolve)));
    }
  }

  /** After `drain`: lets go of the file. */
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
    // The next group sets out before this one's callers go on: the writer's thread needn't wait for them.
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

/** Runs groups on the thread that calls: the highest peak, but the event loop waits for each fsync. */
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

/** What the writer's thread is told, and what it tells. */
export type ToThread = { readonly jobs: Parcel } | { readonly close: true };
export type FromThread = { readonly ready: true } | { readonly answers: Parcel };

const threadFile = import.meta.url.endsWith(".ts") ? "./writer-thread.ts" : "./writer-thread.js";

/** Runs groups on a thread of its own. If that dies, what it was doing is uncertain, and the next group gets a new one. */
export class ThreadRunner implements Runner {
  readonly #path: string;
  #thread: Promise<Worker> | undefined;
  #inFlight: { resolve(answers: readonly Answer[]): void; reject(error: Error): void } | undefined;
  /** Threads started so far. */
  starts = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the thread has opened the file; throws `StorageUnavailable` if it can't. */
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
      // What it allocates dies at once: a small young generation is collected in microseconds and leaves the memory to others.
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
