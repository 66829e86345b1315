/**
 * The load: keep-alive connections. Requests and responses are handled as bytes, so that the load costs far less than
 * the server.
 */

import { connect, type Socket } from "node:net";

export interface Exchange {
  /** The whole request, as it goes over the wire. */
  readonly request: string;
  /** The expected status; default 200. */
  readonly status?: number;
  /**
   * Gets body and head of the response. Returns the next request of the same operation, if there is one. Absent: the
   * response is counted and dropped.
   */
  readonly answered?: (body: string, head: string) => Exchange | undefined;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The first request of the next operation. Undefined: there is none left, and the measurement ends. */
  next(): Exchange | undefined;
}

export interface Measured {
  /** Number of operations: single requests, or sequences of them. */
  readonly count: number;
  readonly seconds: number;
  /** The times of all operations in milliseconds, sorted. */
  readonly took: Float64Array;
  /** The share of one core that this process used, 0–1. */
  readonly ownCpu: number;
}

/**
 * Sends one request at a time on each connection, until the time is over or no operation is left. Throws at the first
 * response with another status than expected, because errors are often fast.
 */
export async function run(load: Load): Promise<Measured> {
  const took: number[] = [];
  const lanes = await openLanes(load.port, load.connections);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + load.seconds * 1000;
  try {
    await Promise.all(
      lanes.map(
        (lane) =>
          new Promise<void>((resolve, reject) => {
            const again = () => {
              const now = performance.now();
              const exchange = now < until ? load.next() : undefined;
              if (exchange === undefined) resolve();
              else lane.send(exchange, now);
            };
            lane.onDone = (milliseconds) => {
              took.push(milliseconds);
              again();
            };
            lane.onFailure = reject;
            again();
          }),
      ),
    );
  } finally {
    for (const lane of lanes) lane.end();
  }
  const elapsed = performance.now() - startedAt;
  return { count: took.length, seconds: elapsed / 1000, took: sorted(took), ownCpu: ownCpu(cpu, elapsed) };
}

export function sorted(took: readonly number[]): Float64Array {
  return Float64Array.from(took).sort();
}

/** The share of a core since that reading, `elapsed` milliseconds ago. */
export function ownCpu(since: NodeJS.CpuUsage, elapsed: number): number {
  const used = process.cpuUsage(since);
  return (used.user + used.system) / 1000 / elapsed;
}

/** The value that this share of the times doesn't exceed. */
export function quantile(sortedValues: Float64Array, share: number): number {
  return sortedValues[Math.min(sortedValues.length - 1, Math.floor(sortedValues.length * share))] ?? Number.NaN;
}

export async function openLanes(port: number, connections: number): Promise<Lane[]> {
  const lanes = Array.from({ length: connections }, () => new Lane(port));
  await Promise.all(lanes.map((lane) => lane.connected));
  return lanes;
}

/** One connection. */
export class Lane {
  readonly connected: Promise<void>;
  /** Called with the milliseconds from `since` to the end of the operation. */
  onDone: (milliseconds: number) => void = () => undefined;
  onFailure: (error: Error) => void = () => undefined;
  /** Called when an overloaded server refuses (503). Undefined: a refusal is a failure. */
  onRefused: (() => void) | undefined;
  readonly #socket: Socket;
  #since = 0;
  #exchange: Exchange | undefined;
  #pending: Buffer | undefined;
  #ended = false;

  constructor(port: number) {
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      // One buffer for all data, so that an unread response needs no new memory.
      onread: {
        buffer: Buffer.allocUnsafeSlow(65_536),
        callback: (size, buffer) => {
          this.#read((buffer as Buffer).subarray(0, size));
          return true;
        },
      },
    });
    this.connected = new Promise((resolve, reject) => {
      this.#socket.once("connect", resolve);
      this.#socket.once("error", reject);
    });
    this.#socket.on("error", (error) => this.onFailure(error));
    this.#socket.once("close", () => {
      if (!this.#ended) this.onFailure(new Error("the server closed a connection"));
    });
  }

  /** `since`: when the request should have been sent (`performance.now()`). */
  send(exchange: Exchange, since: number): void {
    this.#since = since;
    this.#write(exchange);
  }

  end(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  #write(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#socket.write(exchange.request, "latin1");
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    const body = bodyOf(bytes);
    if (body === undefined) {
      this.#pending = Buffer.from(bytes);
      return;
    }
    this.#pending = undefined;
    const { status = 200, answered, request } = this.#exchange ?? { request: "" };
    const digit = (at: number) => (bytes[at] ?? 0) - 48;
    const got = digit(9) * 100 + digit(10) * 10 + digit(11);
    if (got === 503 && this.onRefused !== undefined) {
      this.onRefused();
      return;
    }
    if (got !== status) {
      const asked = request.slice(0, request.indexOf(" HTTP/"));
      this.onFailure(
        new Error(`${asked}: ${got} instead of ${status}: ${bytes.toString("utf8", body).slice(0, 2000)}`),
      );
      return;
    }
    const next = answered?.(bytes.toString("utf8", body), bytes.toString("latin1", 0, body));
    if (next === undefined) this.onDone(performance.now() - this.#since);
    else this.#write(next);
  }
}

const LENGTH = /content-length: (\d+)/i;

/** The start of the body, when the whole body has arrived. */
function bodyOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
  if (end === -1) return undefined;
  const length = Number(LENGTH.exec(bytes.toString("latin1", 0, end))?.[1]);
  if (!(length >= 0)) throw new Error("an answer without Content-Length");
  return bytes.length >= end + 4 + length ? end + 4 : undefined;
}
