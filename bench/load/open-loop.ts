/**
 * Requests that arrive evenly, so many a second, whatever has been answered; what each took is counted from the moment it should have been sent.
 * A server that stands still for a while is so told of all who came meanwhile, which a load that waits for answers would leave out.
 */

import { type Load, type Measured, openLanes, ownCpu, sorted } from "./load.ts";

export interface OpenLoad extends Load {
  /** Arrivals a second. */
  readonly rate: number;
}

/** How long those that still wait at the end may take, in milliseconds. */
const PATIENCE = 30_000;
/** Seconds of arrivals at the beginning that aren't counted: all connections are made at once then, by a process that has been asleep. */
export const SETTLE = 0.3;

/** Resolves when all that arrived have been answered. Throws at an answer of another status than expected, or where the server falls behind by half a minute. */
export async function runOpen({ port, connections, seconds, rate, next }: OpenLoad): Promise<Measured> {
  const took: number[] = [];
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
        lane.onFailure = reject;
        lane.onDone = (milliseconds) => {
          answered += 1;
          if (performance.now() - milliseconds >= countedFrom) took.push(milliseconds);
          const since = waiting.shift();
          if (since === undefined) free.push(lane);
          else send(lane, since);
        };
      }
      // Timers know whole milliseconds; this core has nothing else to do than to look at the clock.
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
  return { count: took.length, seconds: elapsed / 1000, took: sorted(took), ownCpu: ownCpu(cpu, elapsed) };
}
