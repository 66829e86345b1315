/** The log: JSON lines on stdout, pretty on a terminal. No secret, no query string, no header ever stands in it. */

import pino, { type Logger } from "pino";

// Loaded where there is somebody to please.
const pretty = process.stdout.isTTY ? (await import("pino-pretty")).default : undefined;

/** `shared`: other processes write to the same standard output. */
export function createLogger(level: string, { shared = false } = {}): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (pretty !== undefined)
    return pino(options, pretty({ colorize: true, ignore: "pid,event", translateTime: "SYS:HH:MM:ss" }));
  // Processes that share standard output write whole lines: the system keeps apart what is written to a pipe in pieces of up to 4 KiB.
  const maxWrite = shared ? { maxWrite: 4096 } : {};
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 0, ...maxWrite }));
}
