/**
 * Resources that processes used, read from the kernel (proc(5)), so that no code of the benchmark runs in a measured
 * process. Only Linux has it.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Microseconds of processor time since the start, bytes of memory. */
export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

const PAGE = 4096;

/** The sum for a process and all its running descendants. It doesn't include threads and processes that have ended. */
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
  // The first number of schedstat: nanoseconds on a processor. `stat` counts only hundredths of a second.
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

/** Empty: the process has ended in the meantime. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return "";
  }
}
