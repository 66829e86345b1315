/** Runs several server processes on one port: it starts, counts, restarts and stops them. */

import cluster, { type Worker } from "node:cluster";
import { createServer } from "node:net";
import { merged, plain, type Snapshot } from "../metrics/prometheus-text.ts";
import { type Crew, type FromWorker, ours, type ToWorker } from "./messages.ts";

/** The log for workers that end. */
export interface SupervisorLog {
  info(fields: Readonly<Record<string, unknown>>, text: string): void;
  error(fields: Readonly<Record<string, unknown>>, text: string): void;
}

export interface SupervisorOptions {
  /** Number of processes, 2 or more. */
  readonly count: number;
  readonly log: SupervisorLog;
  /** The arguments of a worker after the program's file. Absent: those of this process. */
  readonly args?: readonly string[];
  /** Milliseconds for which workers still listen after the order to stop; default 0. */
  readonly drainDelay?: number;
  /** Additional environment variables for workers. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A worker ended before it served. It has written the reason to stderr. */
export class WorkersNotStarted extends Error {
  /** The worker's exit code, never 0. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("the first worker process ended before it served");
    this.name = "WorkersNotStarted";
    this.exitCode = exitCode;
  }
}

/**
 * The first pause before a restart. It doubles each time, up to the longest pause, until a worker has lived long
 * enough.
 */
const SHORTEST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
const STEADY = 60_000;
/** Longer than a worker needs to drain after it has stopped listening. */
const STOP_WITHIN = 35_000;
/** A worker that doesn't answer in this time is left out of the metrics. */
const MEASURE_WITHIN = 1_000;

/** One place among the workers. Its number stays the same when its process changes. */
interface Place {
  readonly number: number;
  worker: Worker | undefined;
  serving: boolean;
  /** The worker has stopped listening. */
  closed: boolean;
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The size of V8's young generation in MiB. Almost all new objects die with their request. By default, V8 lets each of
 * its three parts grow to 16 MiB in each worker. With 4 and 32 connections, a worker takes 25 MiB less; the processor
 * time of a request stays the same within the variation of the measurement.
 */
const YOUNG_GENERATION = "--max-semi-space-size";
const YOUNG_MIB = 4;

/** Limits the freed memory that glibc keeps for its threads. Other C libraries ignore this variable. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: process.env["MALLOC_ARENA_MAX"] ?? "2" };

/**
 * Node's flags for workers: those of this process, and a limit for the young generation unless the operator has set
 * one.
 */
function workerFlags(): string[] {
  const said = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((one) => one.includes(YOUNG_GENERATION));
  return said ? process.execArgv : [...process.execArgv, `${YOUNG_GENERATION}=${YOUNG_MIB}`];
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #places: readonly Place[];
  /** True after the first worker has served: from then on, workers that die are replaced. */
  #up = false;
  #stopping = false;
  #restarts = 0;
  #asked = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.count }, (_, at) => ({
      number: at + 1,
      worker: undefined,
      serving: false,
      closed: false,
      failures: 0,
      timer: undefined,
    }));
  }

  /**
   * Starts one worker, and the others when it serves, so that a wrong configuration is reported only once. Throws
   * `WorkersNotStarted` if the first worker can't serve. Resolves when each other worker has served or failed. The
   * supervisor starts failed workers again until they serve.
   */
  async start(): Promise<void> {
    const { args } = this.#options;
    cluster.setupPrimary({ execArgv: workerFlags(), ...(args === undefined ? {} : { args: [...args] }) });
    const [first, ...others] = this.#places;
    const code = first && (await this.#fork(first));
    if (code !== undefined) throw new WorkersNotStarted(code || 1);
    this.#up = true;
    await Promise.all(others.map((place) => this.#fork(place)));
  }

  crew(): Crew {
    return { live: this.#places.filter(({ serving }) => serving).length, of: this.#places.length };
  }

  /** Stops all workers together. Resolves when the last one has ended; true if all ended in order. */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    const endings = this.#places.map((place) => {
      clearTimeout(place.timer);
      return place.worker === undefined ? true : stopped(place.worker, STOP_WITHIN + (this.#options.drainDelay ?? 0));
    });
    return (await Promise.all(endings)).every(Boolean);
  }

  /** The merged metrics of all workers, and those of the supervisor. */
  async measure(): Promise<Snapshot> {
    const id = ++this.#asked;
    const parts = await Promise.all(
      this.#places.map(async ({ worker, serving, number }) => {
        const snapshot = worker !== undefined && serving ? await measured(worker, id) : undefined;
        return snapshot === undefined ? [] : [{ worker: String(number), snapshot }];
      }),
    );
    return [...merged(parts.flat()), ...this.#own()];
  }

  #own(): Snapshot {
    const { live, of } = this.crew();
    return [
      plain("gauge", "assent_workers_serving", "Worker processes that serve.", live),
      plain("gauge", "assent_workers_wanted", "Worker processes that there should be.", of),
      plain("counter", "assent_worker_restarts_total", "Processes started in place of one that ended.", this.#restarts),
    ];
  }

  /** Resolves when the new process serves, or with its exit code if it ended before. */
  #fork(place: Place): Promise<number | undefined> {
    const startedAt = performance.now();
    const worker = cluster.fork({ ...FEW_ARENAS, ...this.#options.env });
    place.worker = worker;
    // If the channel closes while a message is sent, the event `exit` follows, so this error needs no handling.
    worker.on("error", () => undefined);
    return new Promise((settled) => {
      worker.on("message", (message: unknown) => {
        const heard = ours<FromWorker>(message)?.assent;
        if (heard === "closed") this.#closed(place);
        if (heard !== "serving") return;
        place.serving = true;
        this.#tellCrew();
        settled(undefined);
      });
      worker.once("exit", (code: number | null, signal: string | null) => {
        place.worker = undefined;
        place.serving = false;
        place.closed = false;
        if (this.#stopping) this.#drainIfAllClosed();
        if (this.#up && !this.#stopping) {
          this.#tellCrew();
          this.#again(place, { code, signal, lived: performance.now() - startedAt });
        }
        settled(code ?? 1);
      });
    });
  }

  #again(place: Place, ended: { code: number | null; signal: string | null; lived: number }): void {
    const { code, signal, lived } = ended;
    // Somebody stopped only this worker (kill -TERM), and it ended in order: start the next one without a pause.
    const inOrder = code === 0;
    place.failures = inOrder || lived > STEADY ? 0 : place.failures + 1;
    const pause = inOrder ? 0 : Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** Math.max(0, place.failures - 1));
    const fields = { event: "worker_ended", worker: place.number, code, signal, restart_in_ms: pause };
    if (inOrder) this.#options.log.info(fields, `worker ${place.number} has stopped; another takes its place`);
    else this.#options.log.error(fields, `worker ${place.number} died; another is started in ${pause} ms`);
    place.timer = setTimeout(() => {
      this.#restarts += 1;
      void this.#fork(place);
    }, pause);
  }

  #closed(place: Place): void {
    place.closed = true;
    if (this.#stopping) this.#drainIfAllClosed();
    // If one worker stops alone, the clients of its closed connections reach the other workers.
    else if (place.worker !== undefined) say(place.worker, { assent: "drain" });
  }

  /**
   * Drains only when no worker listens. A client reconnects at once, and must not reach another worker that stops, too.
   */
  #drainIfAllClosed(): void {
    if (this.#places.some(({ worker, closed }) => worker !== undefined && !closed)) return;
    for (const { worker } of this.#places) if (worker !== undefined) say(worker, { assent: "drain" });
  }

  #tellCrew(): void {
    const crew = this.crew();
    for (const { worker } of this.#places) if (worker !== undefined) say(worker, { assent: "crew", crew });
  }
}

function say(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

async function stopped(worker: Worker, within: number): Promise<boolean> {
  const exit = new Promise<boolean>((resolve) => worker.once("exit", (code) => resolve(code === 0)));
  say(worker, { assent: "stop" });
  const force = setTimeout(() => worker.process.kill("SIGKILL"), within);
  const inOrder = await exit;
  clearTimeout(force);
  return inOrder;
}

function measured(worker: Worker, id: number): Promise<Snapshot | undefined> {
  return new Promise((resolve) => {
    const end = (snapshot?: Snapshot) => {
      clearTimeout(timeout);
      worker.off("message", hear);
      resolve(snapshot);
    };
    const hear = (message: unknown) => {
      const heard = ours<FromWorker>(message);
      if (heard?.assent === "measured" && heard.id === id) end(heard.snapshot);
    };
    const timeout = setTimeout(end, MEASURE_WITHIN);
    worker.on("message", hear);
    say(worker, { assent: "measure", id });
  });
}

/**
 * The port, or a free one for 0. Workers share it, also those that start later. Rejects as `listen` does if another
 * program uses the port: workers would not notice a program that shares ports as they do.
 */
export async function claimPort({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
