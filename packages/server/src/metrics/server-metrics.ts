/**
 * The server's metrics of itself. No label value comes from a request: paths are those of the endpoint table,
 * conditions those of the catalogue.
 */

import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Counter, type Family, Histogram, plain, type Snapshot, type Tally } from "./prometheus-text.ts";

/** Seconds. The steps are small for answers without a write, and large where requests wait. */
const LATENCY = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BATCH = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
/** The resolution of the event loop's delay, in milliseconds. */
const RESOLUTION = 20;
const NANO = 1e9;

/** Values that are read only when somebody asks for the metrics. */
export interface MetricSources {
  /** Rows that are due for housekeeping, by kind. Each count stops at `most`. */
  backlog(most: number): Promise<Readonly<Record<string, number>>>;
  /** Waiting requests for mail and messages. Each count stops at `most`. */
  mailWaiting(most: number): Promise<number>;
  /** Sign-ins whose password is being hashed, and those that wait for it. */
  passwordQueue(): { readonly running: number; readonly waiting: number };
  /** Write verbs that wait for a group. */
  writesWaiting(): number;
  /** Requests in progress. */
  underWay(): number;
  /** Requests whose body has not arrived. */
  unread(): number;
  connections(): number;
  /** For each alg: the time since when its key signs, in epoch milliseconds. */
  signingKeys(): Promise<readonly { readonly alg: string; readonly since: number }[]>;
  now(): number;
}

export class ServerMetrics {
  readonly #requests = new Counter("assent_http_requests_total", "Requests answered, by endpoint and status.", [
    "endpoint",
    "status",
  ]);
  /** Endpoint → status → counter. It saves joining both to a key for each request. */
  readonly #statuses = new Map<string, Map<number, Tally>>();
  readonly #latency = new Histogram(
    "assent_http_request_duration_seconds",
    "From the moment a request was read to its answer, by endpoint.",
    ["endpoint"],
    LATENCY,
  );
  readonly #tokens = new Counter("assent_tokens_issued_total", "Access tokens issued, by grant type.", ["grant_type"]);
  readonly #refusals = new Counter("assent_refusals_total", "Requests refused, by condition.", ["condition"]);
  readonly #guessing = new Counter(
    "assent_guessing_alarms_total",
    "Accounts at which somebody guessed more than the ceilings allow, by what was guessed.",
    ["guessed"],
  );
  readonly #failures = new Counter("assent_failures_total", "Events that tell of a failed attempt, by event.", [
    "event",
  ]);
  readonly #shed = new Counter(
    "assent_requests_shed_total",
    "Requests refused before any work was done for them, by reason.",
    ["reason"],
  );
  readonly #connectionsClosed = new Counter(
    "assent_connections_closed_total",
    "Connections closed because of a bound, by reason.",
    ["reason"],
  );
  readonly #batches = new Histogram(
    "assent_storage_batch_size",
    "Write verbs that were committed together.",
    [],
    BATCH,
  );
  readonly #batchTime = new Histogram(
    "assent_storage_batch_duration_seconds",
    "From the moment a group of writes set out to its commit.",
    [],
    LATENCY,
  );
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  readonly #startedAt = Date.now();

  /** `watch`: true if somebody reads the metrics. Only then does a timer measure the event loop's delay. */
  constructor({ watch }: { readonly watch: boolean }) {
    if (watch) this.#delay.enable();
  }

  /** `endpoint`: a path of the endpoint table. `milliseconds`: the time to the answer. */
  answered(endpoint: string, status: number, milliseconds: number): void {
    let statuses = this.#statuses.get(endpoint);
    if (statuses === undefined) {
      statuses = new Map();
      this.#statuses.set(endpoint, statuses);
    }
    let tally = statuses.get(status);
    if (tally === undefined) {
      tally = this.#requests.of(endpoint, String(status));
      statuses.set(status, tally);
    }
    tally.value += 1;
    this.#latency.observe(milliseconds / 1000, endpoint);
  }

  tokenIssued(grantType: string): void {
    this.#tokens.count(grantType);
  }

  refused(condition: string): void {
    this.#refusals.count(condition);
  }

  guessing(guessed: string): void {
    this.#guessing.count(guessed);
  }

  failed(event: string): void {
    this.#failures.count(event);
  }

  shed(reason: string): void {
    this.#shed.count(reason);
  }

  connectionClosed(reason: string): void {
    this.#connectionsClosed.count(reason);
  }

  batch(size: number, milliseconds: number): void {
    this.#batches.observe(size);
    this.#batchTime.observe(milliseconds / 1000);
  }

  close(): void {
    this.#delay.disable();
  }

  async snapshot(sources: MetricSources): Promise<Snapshot> {
    const { running, waiting } = sources.passwordQueue();
    return [
      ...[this.#requests, this.#latency, this.#tokens, this.#refusals, this.#failures].map((one) => one.family()),
      ...[this.#guessing, this.#shed, this.#connectionsClosed].map((one) => one.family()),
      this.#batches.family(),
      this.#batchTime.family(),
      plain("gauge", "assent_http_requests_under_way", "Requests that are being answered.", sources.underWay()),
      plain("gauge", "assent_http_requests_unread", "Requests whose body has not arrived.", sources.unread()),
      plain("gauge", "assent_connections_open", "Connections of clients.", sources.connections()),
      plain(
        "gauge",
        "assent_storage_writes_waiting",
        "Write verbs that wait for their group.",
        sources.writesWaiting(),
      ),
      plain("gauge", "assent_password_hashes_running", "Passwords that are being hashed.", running),
      plain("gauge", "assent_password_hashes_waiting", "Sign-ins that wait to be hashed.", waiting),
      await keyAges(sources),
      await backlogOf(sources),
      await mailOf(sources),
      ...this.#ofTheProcess(),
    ];
  }

  #ofTheProcess(): Family[] {
    const delay = this.#delay;
    // The histogram holds the timer's whole period, so subtract its nominal length.
    const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / NANO - RESOLUTION / 1000);
    const lag = [
      { labels: { quantile: "0.5" }, value: beyond(delay.percentile(50)) },
      { labels: { quantile: "0.99" }, value: beyond(delay.percentile(99)) },
      { labels: { quantile: "1" }, value: beyond(delay.max) },
    ];
    delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const own = (name: string, help: string, value: number): Family => ({
      ...plain("gauge", name, help, value),
      each: true,
    });
    return [
      {
        name: "assent_event_loop_delay_seconds",
        help: "How late timers ran since the last reading.",
        type: "gauge",
        each: true,
        samples: lag,
      },
      own(
        "assent_event_loop_utilization",
        "Share of its life that the event loop was busy.",
        performance.eventLoopUtilization().utilization,
      ),
      own("process_resident_memory_bytes", "Memory in use.", rss),
      own("assent_heap_used_bytes", "Memory of JavaScript's objects.", heapUsed),
      own("process_start_time_seconds", "Start of the process, seconds since the epoch.", this.#startedAt / 1000),
      plain("counter", "process_cpu_seconds_total", "Processor time used.", (user + system) / 1e6),
    ];
  }
}

/** Maximum count of each kind. A higher number would not tell the operator more. */
const BACKLOG_COUNTED = 10_000;

async function backlogOf({ backlog }: MetricSources): Promise<Family> {
  const due = await backlog(BACKLOG_COUNTED).catch(() => ({}));
  return {
    name: "assent_storage_backlog_rows",
    help: "Rows whose time to be looked at by housekeeping has come, by kind, counted up to 10,000.",
    type: "gauge",
    each: true,
    samples: Object.entries(due).map(([kind, value]) => ({ labels: { kind }, value })),
  };
}

async function mailOf({ mailWaiting }: MetricSources): Promise<Family> {
  const waiting = await mailWaiting(BACKLOG_COUNTED).catch(() => undefined);
  return {
    name: "assent_mail_waiting",
    help: "Requests for mail and messages that wait, each counted up to 10,000.",
    type: "gauge",
    each: true,
    samples: waiting === undefined ? [] : [{ labels: {}, value: waiting }],
  };
}

async function keyAges({ signingKeys, now }: MetricSources): Promise<Family> {
  const at = now();
  const keys = await signingKeys().catch(() => []);
  return {
    name: "assent_signing_key_age_seconds",
    help: "How long the key that signs has signed, by algorithm.",
    type: "gauge",
    each: true,
    samples: keys.map(({ alg, since }) => ({ labels: { alg }, value: Math.max(0, (at - since) / 1000) })),
  };
}
