/** Load that doesn't wait for answers: a constant number of requests per second over kept connections. */

import { connect, type Socket } from "node:net";

export interface OpenLoad {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Number of connections. A connection that waits for an answer takes no other request. */
  readonly connections: number;
  /** The bytes of the next request. */
  next(): string;
}

export interface Arrived {
  /** Milliseconds that answers of each status took. */
  readonly took: ReadonlyMap<number, number[]>;
  /** Number of requests that were due while every connection was waiting, and weren't sent. */
  readonly unsent: number;
  /** Number of connections that broke. */
  readonly broken: number;
  readonly seconds: number;
}

/** Every few milliseconds, sends the requests that are due. Resolves shortly after the last one was sent. */
export async function openLoop({ port, rate, seconds, connections, next }: OpenLoad): Promise<Arrived> {
  const took = new Map<number, number[]>();
  const counts = { unsent: 0, broken: 0 };
  const lanes = await Promise.all(Array.from({ length: connections }, () => Lane.open(port, took, counts)));
  const startedAt = performance.now();
  let sent = 0;
  let turn = 0;
  for (;;) {
    const elapsed = (performance.now() - startedAt) / 1000;
    if (elapsed > seconds) break;
    // If this process itself is late, it doesn't send the missed requests, because the server would get them all at
    // once.
    sent = Math.max(sent, Math.floor(elapsed * rate) - Math.ceil(rate / 20));
    for (; sent < elapsed * rate; sent += 1) {
      let lane: Lane | undefined;
      for (let tried = 0; tried < lanes.length && lane === undefined; tried += 1) {
        turn = (turn + 1) % lanes.length;
        if (lanes[turn]?.free) lane = lanes[turn];
      }
      if (lane === undefined) counts.unsent += 1;
      else lane.send(next());
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const took_ = (performance.now() - startedAt) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  for (const lane of lanes) lane.end();
  return { took, ...counts, seconds: took_ };
}

class Lane {
  free = true;
  readonly #socket: Socket;
  #sentAt = 0;
  #text = "";
  #ended = false;

  private constructor(socket: Socket, took: Map<number, number[]>, counts: { broken: number }) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.free = false;
      if (!this.#ended) counts.broken += 1;
    });
    socket.on("data", (text: string) => {
      this.#text += text;
      const head = this.#text.indexOf("\r\n\r\n");
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(this.#text.slice(0, head))?.[1] ?? 0);
      if (this.#text.length < head + 4 + length) return;
      const status = Number(this.#text.slice(9, 12));
      const list = took.get(status) ?? [];
      took.set(status, list);
      list.push(performance.now() - this.#sentAt);
      this.#text = "";
      this.free = true;
    });
  }

  static open(port: number, took: Map<number, number[]>, counts: { broken: number }): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Lane(socket, took, counts)));
    });
  }

  send(bytes: string): void {
    this.free = false;
    this.#sentAt = performance.now();
    this.#socket.write(bytes, "latin1");
  }

  end(): void {
    this.#ended = true;
    this.#socket.destroy();
  }
}
