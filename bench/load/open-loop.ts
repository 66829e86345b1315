/**
 * Requests that arrive at a constant rate, even if earlier ones have no response yet. The time of a request starts when
 * it should have been sent. So if a server stops for a while, all requests of that time count. A load that waits for
 * responses would leave them out.
 */

import { type Load, type Measured, openLanes, ownCpu, sorted } from "./closed-loop.ts";

export interface OpenLoad extends Load {
  /** Arrivals a second. */
  readonly rate: number;
}

/** Milliseconds that requests without a response may still take at the end. */
const PATIENCE = 30_000;
/** Seconds at the beginning that don't count, because all connections are made then, to a process that was idle. */
export const SETTLE = 0.3;

export interface MeasuredOpen extends Measured {
  /** Number of requests that an overloaded server refused (503). Their times don't count. */
  readonly refused: number;
}

/**
 * Resolves when all requests have a response. Throws if a response has another status than expected or 503, or if the
 * server is half a minute behind.
 */
export async function runOpen({ port, connections, seconds, rate, next }: OpenLoad): Promise<MeasuredOpen> {
  const took: number[] = [];
  let refused = 0;
  const lanes = await openLanes(port, connections);
  const free = [...lanes];
  const waiting: number[] = [];
  const total = Math.floor(rate * (SETTLE + seconds));
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const countedFrom = startedAt + SETTLE * 1000;
  const deadline = countedFrom + seconds * 1000 + PATIENCE;
  try {
    await new Promise<void>((resolve, reject) => {
      let arrived = 0;
      let answered = 0;
      const send = (lane: (typeof lanes)[number], since: number) => {
        const exchange = next();
        if (exchange === undefined) reject(new Error("nothing was left to send"));
        else lane.send(exchange, since);
      };
      for (const lane of lanes) {
        const sendNext = () => {
          answered += 1;
          const since = waiting.shift();
          if (since === undefined) free.push(lane);
          else send(lane, since);
        };
        lane.onFailure = reject;
        lane.onRefused = () => {
          refused += 1;
          sendNext();
        };
        lane.onDone = (milliseconds) => {
          if (performance.now() - milliseconds >= countedFrom) took.push(milliseconds);
          sendNext();
        };
      }
      // Timers have whole milliseconds, so this loop reads the clock all the time. The core has no other work.
      const look = () => {
        for (let due = dueAt(arrived); arrived < total && due <= performance.now(); due = dueAt(arrived)) {
          arrived += 1;
          const lane = free.pop();
          if (lane === undefined) waiting.push(due);
          else send(lane, due);
        }
        if (answered === total) resolve();
        else if (performance.now() > deadline)
          reject(new Error(`${waiting.length} requests wait: the rate is beyond it`));
        else setImmediate(look);
      };
      const dueAt = (which: number) => startedAt + (which / rate) * 1000;
      look();
    });
  } finally {
    for (const lane of lanes) lane.end();
  }
  const elapsed = performance.now() - startedAt;
  return { count: took.length, seconds: elapsed / 1000, took: sorted(took), ownCpu: ownCpu(cpu, elapsed), refused };
}
