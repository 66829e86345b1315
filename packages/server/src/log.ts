/** The log: JSON lines on stdout, formatted on a terminal. It never has a secret, a query string or a header. */

import { Writable } from "node:stream";
import pino, { type Logger } from "pino";

// Loaded only for a terminal.
const pretty = process.stdout.isTTY ? (await import("pino-pretty")).default : undefined;

/**
 * Characters that control a terminal or change the direction of text: C1 controls, DEL, line separators, directional
 * marks. Strangers' text may have them.
 */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** A line of JSON with these characters escaped: the same value, and harmless on a terminal. */
export function plainLine(line: string): string {
  return line.search(STEERING) === -1
    ? line
    : line.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Takes text for a terminal with its colours, and replaces these characters. */
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
  // Processes that share standard output must write whole lines: the system keeps pieces of up to 4 KiB in a pipe
  // together.
  const maxWrite = shared ? { maxWrite: 4096 } : {};
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 0, ...maxWrite }));
}
