/** The log: JSON lines on stdout, pretty on a terminal. No secret, no query string, no header ever stands in it. */

import { Writable } from "node:stream";
import pino, { type Logger } from "pino";

// Loaded where there is somebody to please.
const pretty = process.stdout.isTTY ? (await import("pino-pretty")).default : undefined;

/** What a terminal obeys, or what turns text around: C1 controls, DEL, line separators, directional marks. Strangers' text may hold them. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** A line of JSON with these characters escaped: the same value, and harmless where somebody reads it on a terminal. */
export function plainLine(line: string): string {
  return line.search(STEERING) === -1
    ? line
    : line.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Takes what is laid out for a terminal, its colours included, and replaces these characters. */
export function plainTerminal(write: (text: string) => unknown): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      write(String(chunk).replace(STEERING, "\ufffd"));
      done();
    },
  });
}

/** `shared`: other processes write to the same standard output. */
export function createLogger(level: string, { shared = false } = {}): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: plainLine },
  };
  if (pretty !== undefined) {
    const destination = plainTerminal((text) => process.stdout.write(text));
    return pino(options, pretty({ colorize: true, ignore: "pid,event", translateTime: "SYS:HH:MM:ss", destination }));
  }
  // Processes that share standard output write whole lines: the system keeps apart what is written to a pipe in pieces of up to 4 KiB.
  const maxWrite = shared ? { maxWrite: 4096 } : {};
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 0, ...maxWrite }));
}
