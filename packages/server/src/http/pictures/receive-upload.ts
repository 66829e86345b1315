/**
 * Reads a form with a file (RFC 7578). Only people who are signed in can make the server keep more than it keeps of
 * other forms.
 */

import type { IncomingMessage } from "node:http";
import { MAX_PICTURE_BYTES } from "../../pictures/picture-of-person.ts";
import { type VisitorContext, visitorOf } from "../browser-of-request.ts";
import type { HttpRequest, Upload } from "../http-message.ts";
import { readMultipart } from "./multipart-form.ts";

/** In bytes: the file, and room for the other fields. */
const MAX_FORM = MAX_PICTURE_BYTES + 16_384;
/**
 * Number of bytes after which the connection ends. A browser shows a response only after it has sent everything, so the
 * server reads a file that is too large, and discards it.
 */
export const MAX_DISCARDED = 67_108_864;
/** Forms with a file that are in memory at once: of this process, and of one person. */
const MOST_AT_ONCE = 8;
const MOST_OF_A_PERSON = 2;

/** Forms that arrive now, by person. */
export class Uploads {
  readonly #of = new Map<string, number>();
  #all = 0;

  /** Undefined: there are too many. Otherwise, call the result once, when the form is no longer in memory. */
  enter(personId: string): (() => void) | undefined {
    const own = this.#of.get(personId) ?? 0;
    if (this.#all >= MOST_AT_ONCE || own >= MOST_OF_A_PERSON) return undefined;
    this.#all += 1;
    this.#of.set(personId, own + 1);
    return () => {
      this.#all -= 1;
      const left = (this.#of.get(personId) ?? 1) - 1;
      if (left === 0) this.#of.delete(personId);
      else this.#of.set(personId, left);
    };
  }
}

/** Of this process, because they are in its memory. */
const uploads = new Uploads();

const NOTHING: Upload = { fields: new URLSearchParams(), file: "none" };

/** `over`: calls back when the request has been answered, or its connection has ended. */
export async function receiveUpload(
  raw: IncomingMessage,
  http: HttpRequest,
  over: (callback: () => void) => void,
  tools: VisitorContext,
): Promise<Upload> {
  const { signedIn } = await visitorOf(http, tools);
  const leave = signedIn && uploads.enter(signedIn.person.personId);
  if (leave !== undefined) over(leave);
  const body = await bodyOf(raw, leave !== undefined);
  if (body === "too_large") return { ...NOTHING, file: "too_large" };
  if (body === null) return signedIn === undefined ? NOTHING : { ...NOTHING, file: "busy" };
  return readMultipart(body, http.header("content-type") ?? "") ?? NOTHING;
}

/** Null: nothing was kept. Never resolves if the peer disconnects before the end. */
function bodyOf(raw: IncomingMessage, keep: boolean): Promise<Buffer | "too_large" | null> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    let length = 0;
    raw.on("data", (chunk: Buffer) => {
      const end = length + chunk.length;
      if (end > MAX_DISCARDED) raw.socket.destroy();
      if (keep && end <= MAX_FORM) {
        // Copied into one piece: a body of many small chunks would take far more memory than its length.
        if (end > bytes.length) bytes = grown(bytes, length, end);
        bytes.set(chunk, length);
      } else bytes = Buffer.alloc(0);
      length = end;
    });
    raw.on("end", () => resolve(length > MAX_FORM ? "too_large" : keep ? bytes.subarray(0, length) : null));
  });
}

/** The first `length` bytes in a buffer with room for `least`, and for as much again. */
function grown(bytes: Buffer, length: number, least: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(MAX_FORM, Math.max(65_536, 2 * least)));
  larger.set(bytes.subarray(0, length));
  return larger;
}
