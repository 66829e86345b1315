/** One connection of these suites: sends bytes in pieces, and parses the answers strictly. */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "./allowed-answers.ts";

/** Milliseconds in which a connection must end. Nothing in these suites waits for a time limit of the server. */
const SILENCE = 15_000;

export interface Piece {
  readonly bytes: string;
  /** Milliseconds to wait before the piece. 0: one turn of the event loop. */
  readonly pause: number;
}

export interface Received {
  readonly text: string;
  /** The connection was reset, or a piece couldn't be sent. */
  readonly broken: boolean;
}

/** Sends all pieces, and ends this side if requested. Resolves when the server has ended its side. */
export function exchange(port: number, pieces: readonly Piece[], ends = true): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    let text = "";
    let [broken, ended] = [false, false];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection stays open; until then: ${JSON.stringify(text)}`));
    }, SILENCE);
    socket
      .on("connect", async () => {
        for (const [at, { bytes, pause }] of pieces.entries()) {
          if (at > 0) await (pause === 0 ? new Promise(setImmediate) : sleep(pause));
          if (ended) return;
          socket.write(Buffer.from(bytes, "latin1"));
        }
        if (ends) socket.end();
      })
      .on("data", (chunk) => {
        text += chunk.toString("latin1");
      })
      .on("end", () => {
        ended = true;
        socket.destroy();
      })
      .on("error", () => {
        broken = true;
      })
      .on("close", () => {
        ended = true;
        clearTimeout(timer);
        resolve({ text, broken });
      });
  });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The answer says that the connection closes after it. */
  readonly closes: boolean;
  /** `100 Continue` came before the answer. */
  readonly continued: boolean;
}

/**
 * Splits the answers by their lengths (RFC 9112 §6.3). `steps`: says which of them answer HEAD. Throws if a byte
 * belongs to no answer.
 */
export function answersIn(text: string, steps: readonly Pick<Step, "head">[]): readonly Answer[] {
  const answers: Answer[] = [];
  let at = 0;
  let continued = false;
  while (at < text.length) {
    const end = text.indexOf("\r\n\r\n", at);
    const [first = "", ...lines] = text.slice(at, end === -1 ? text.length : end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(first)?.[1] ?? Number.NaN);
    if (end === -1 || Number.isNaN(status)) throw new Error(`no answer: ${JSON.stringify(text.slice(at, at + 200))}`);
    at = end + 4;
    if (status === 100) {
      continued = true;
      continue;
    }
    const field = (name: string) =>
      lines
        .filter((line) => line.toLowerCase().startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).trim());
    const lengths = field("content-length");
    if (field("transfer-encoding").length > 0 || lengths.length > 1) throw new Error(`framing: ${lines.join(" | ")}`);
    const none = steps[answers.length]?.head === true || status === 204 || status === 304;
    if (!none && lengths.length === 0) throw new Error(`no length: ${lines.join(" | ")}`);
    const length = none ? 0 : Number(lengths[0]);
    if (at + length > text.length) throw new Error(`cut off: ${JSON.stringify(text.slice(at))}`);
    const closes = field("connection").some((value) => value.toLowerCase() === "close");
    answers.push({ status, body: text.slice(at, at + length), closes, continued });
    at += length;
    continued = false;
  }
  return answers;
}

/**
 * The reason why the model doesn't allow these answers; undefined: it allows them. `ended`: the client had ended its
 * side. A server should, but need not, tell such a client that the rest was no request (RFC 9112 §2.2).
 */
export function objection(answers: readonly Answer[], steps: readonly Step[], ended: boolean): string | undefined {
  for (const [at, { status, body, closes, continued }] of answers.entries()) {
    const step = steps[at];
    const name = `answer ${at + 1}, ${status}`;
    if (step === undefined) return `${name}: nobody asked for it`;
    if (continued && !step.continues) return `${name}: 100 Continue, which nobody waited for`;
    const last = at === answers.length - 1;
    const earned = step.known?.statuses.includes(status) === true;
    if (earned && status === 200 && !step.head && !step.known?.marker.test(body)) return `${name}: of another request`;
    if (step.refusals.includes(status) && closes) return last ? undefined : `${name}: an answer behind a refusal`;
    if (!earned) return `${name}: allowed are ${[...(step.known?.statuses ?? []), ...step.refusals]}`;
    if (step.closes === true && !last) return `${name}: an answer behind the last one`;
    if (step.closes === "maybe" && closes) return last ? undefined : `${name}: an answer behind the last one`;
    if (closes && step.closes === false) return `${name}: closes a connection that could stay`;
  }
  const missing = steps[answers.length];
  const broken = steps[answers.length - 1]?.breaks === true;
  const unsaid = ended && answers.length > 0 && missing?.known === undefined;
  return missing === undefined || missing.silent || broken || unsaid
    ? undefined
    : `answer ${answers.length + 1} is missing`;
}
