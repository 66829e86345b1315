/** Sends all calls of one turn of the event loop to the server together. Meanwhile the next group collects calls. */

import { BatchScheduler } from "../batch-scheduler.ts";
import { StorageUnavailable } from "../errors.ts";
import { inLockOrder, type LockKey } from "../lock-order.ts";

/** Maximum number of calls in one group, so that nobody waits long behind many others. */
const GROUP = 256;
/**
 * When this many calls wait, the group is sent before the turn ends. So the server works while this process reads
 * further requests.
 */
const EARLY = 8;
/** Calls beyond this number of waiting ones are refused: a late answer is no better than a request to come again. */
const WAITING = 20_000;

export interface Member<Job, Value> {
  readonly job: Job;
  readonly lockKey: LockKey | undefined;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export class Groups<Job, Value> {
  readonly #run: (group: readonly Member<Job, Value>[]) => Promise<void>;
  readonly #lanes: number;
  readonly #observe: ((size: number, milliseconds: number) => void) | undefined;
  #queue: Member<Job, Value>[] = [];
  readonly #scheduler = new BatchScheduler(
    () => this.#queue.length,
    GROUP,
    () => this.#next(),
  );
  #running = 0;
  #closed = false;
  #drained: (() => void) | undefined;
  readonly counts = { batches: 0, verbs: 0 };

  /**
   * `run` settles every member at some time, and resolves when the next group may be sent. `lanes`: maximum number of
   * groups under way.
   */
  constructor(
    run: (group: readonly Member<Job, Value>[]) => Promise<void>,
    { lanes, observe }: { readonly lanes: number; readonly observe?: (size: number, milliseconds: number) => void },
  ) {
    this.#run = run;
    this.#lanes = lanes;
    this.#observe = observe;
  }

  /** Number of calls that wait until their group is sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  submit(job: Job, lockKey?: LockKey): Promise<Value> {
    if (this.#closed) return Promise.reject(new StorageUnavailable("the storage is closed"));
    if (this.#queue.length >= WAITING) return Promise.reject(new StorageUnavailable("too many statements are waiting"));
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, lockKey, resolve, reject });
      if (this.#running >= this.#lanes) return;
      if (this.#queue.length >= EARLY) this.#next();
      else this.#scheduler.begin();
    });
  }

  /** Sends all waiting calls, and accepts no more. */
  async drain(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length > 0 || this.#running > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #next(): void {
    if (this.#running >= this.#lanes) return;
    if (this.#queue.length === 0) {
      if (this.#running === 0) this.#drained?.();
      return;
    }
    const group = this.#queue.slice(0, GROUP).sort(inLockOrder);
    this.#queue = this.#queue.slice(GROUP);
    this.#running += 1;
    this.counts.batches += 1;
    this.counts.verbs += group.length;
    const began = performance.now();
    void this.#run(group)
      .catch((error: unknown) => {
        for (const { reject } of group) reject(error);
      })
      .then(() => {
        this.#running -= 1;
        this.#observe?.(group.length, performance.now() - began);
        this.#next();
      });
    if (this.#queue.length > 0) this.#next();
  }
}
