/** The load: some keep-alive connections, each with one request under way, written and read as bytes so that it costs far less than what it measures. */

import { connect, type Socket } from "node:net";

export interface Exchange {
  /** The whole request, as it goes over the wire. */
  readonly request: string;
  /** Is given the body of the answer; answers that nobody asks for are counted and dropped. */
  readonly answered?: (body: string) => void;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The next request; undefined: there is none left, and the measurement ends. */
  next(): Exchange | undefined;
}

export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of one core that this process used, 0–1. */
  readonly ownCpu: number;
}

/** Sends until the time is over or nothing is left. Throws at the first answer that isn't a 200: what fails fast is not fast. */
export async function run(load: Load): Promise<Measured> {
  const measurement = new Measurement(load);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const lanes = Array.from({ length: load.connections }, () => new Lane(load, measurement));
  try {
    await Promise.all(lanes.map((lane) => lane.done));
  } finally {
    for (const lane of lanes) lane.end();
  }
  const elapsed = performance.now() - startedAt;
  const used = process.cpuUsage(cpu);
  return {
    ...measurement.result(),
    seconds: elapsed / 1000,
    ownCpu: (used.user + used.system) / 1000 / elapsed,
  };
}

class Measurement {
  readonly until: number;
  readonly #latencies: number[] = [];

  constructor({ seconds }: Load) {
    this.until = performance.now() + seconds * 1000;
  }

  count(milliseconds: number): void {
    this.#latencies.push(milliseconds);
  }

  result(): { requests: number; p50: number; p99: number } {
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { requests: sorted.length, p50: at(0.5), p99: at(0.99) };
  }
}

/** One connection. */
class Lane {
  readonly done: Promise<void>;
  readonly #load: Load;
  readonly #measurement: Measurement;
  readonly #socket: Socket;
  #sentAt = 0;
  #exchange: Exchange | undefined;
  #pending: Buffer | undefined;
  #finish: () => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(load: Load, measurement: Measurement) {
    this.#load = load;
    this.#measurement = measurement;
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    this.#socket = connect({
      port: load.port,
      host: "127.0.0.1",
      noDelay: true,
      // One buffer for all that comes: nothing is allocated for an answer that nobody reads.
      onread: {
        buffer: Buffer.allocUnsafeSlow(65_536),
        callback: (size, buffer) => {
          this.#read((buffer as Buffer).subarray(0, size));
          return true;
        },
      },
    });
    this.#socket.once("connect", () => this.#send());
    this.#socket.once("error", (error) => this.#fail(error));
    this.#socket.once("close", () => this.#fail(new Error("the server closed a connection")));
  }

  end(): void {
    this.#socket.destroy();
  }

  #send(): void {
    const now = performance.now();
    this.#exchange = now < this.#measurement.until ? this.#load.next() : undefined;
    this.#sentAt = now;
    if (this.#exchange === undefined) this.#finish();
    else this.#socket.write(this.#exchange.request, "latin1");
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    const body = bodyOf(bytes);
    if (body === undefined) {
      this.#pending = Buffer.from(bytes);
      return;
    }
    this.#pending = undefined;
    if (bytes[9] !== 0x32 || bytes[10] !== 0x30 || bytes[11] !== 0x30) {
      this.#fail(
        new Error(`answered ${bytes.toString("latin1", 9, 12)}: ${bytes.toString("latin1", body, bytes.length)}`),
      );
      return;
    }
    this.#measurement.count(performance.now() - this.#sentAt);
    this.#exchange?.answered?.(bytes.toString("latin1", body, bytes.length));
    this.#send();
  }
}

const LENGTH = /content-length: (\d+)/i;

/** Where the body begins, once all of it is there. */
function bodyOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n", 0, "latin1");
  if (end === -1) return undefined;
  const length = Number(LENGTH.exec(bytes.toString("latin1", 0, end))?.[1]);
  if (!(length >= 0)) throw new Error("an answer without Content-Length");
  return bytes.length >= end + 4 + length ? end + 4 : undefined;
}
