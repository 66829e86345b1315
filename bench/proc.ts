/** What processes have used, as the kernel tells it (proc(5)): nothing of ours runs in what is measured. Linux alone has it. */

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Microseconds of processor time since the start, bytes of memory. */
export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

const PAGE = 4096;

/** Of a process and all its descendants that live. Of threads and processes that have ended nothing is known. */
export function usageOf(pid: number): Usage {
  const all = familyOf(pid).map(ownUsage);
  return { cpu: all.reduce((sum, { cpu }) => sum + cpu, 0), rss: all.reduce((sum, { rss }) => sum + rss, 0) };
}

function familyOf(pid: number): number[] {
  const children = tasksOf(pid).flatMap((task) =>
    read(`${task}/children`)
      .split(" ")
      .filter((one) => one !== ""),
  );
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

function ownUsage(pid: number): Usage {
  // The first figure of schedstat: nanoseconds on a processor, where `stat` counts in hundredths of a second.
  const nanos = tasksOf(pid).reduce((sum, task) => sum + Number(read(`${task}/schedstat`).split(" ")[0]), 0);
  return { cpu: nanos / 1000, rss: Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * PAGE };
}

function tasksOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).map((task) => `${folder}/${task}`);
  } catch {
    if (existsSync("/proc/self/task")) return [];
    throw new Error("the benchmark reads /proc to know what servers use: run it on Linux");
  }
}

/** Empty: it has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return "";
  }
}
