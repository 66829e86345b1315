/** Reads the body of a request as bytes, up to a limit. */

import type { IncomingMessage } from "node:http";
import { MAX_UNREAD } from "../connections/request-body.ts";
import type { Upload } from "../http-message.ts";

const NOTHING = { fields: new URLSearchParams() };

/** `most`: in bytes. Never resolves if the peer disconnects before the end. */
export function receiveBytes(raw: IncomingMessage, most: number): Promise<Upload> {
  return new Promise((resolve) => {
    const announced = Number(raw.headers["content-length"] ?? 0);
    let bytes: Buffer = Buffer.alloc(0);
    let length = 0;
    raw.on("data", (chunk: Buffer) => {
      const end = length + chunk.length;
      if (announced > most || end > most) {
        bytes = Buffer.alloc(0);
        if (end > most + MAX_UNREAD) raw.socket.destroy();
      } else {
        // Copied into one piece: a body of many small chunks would take far more memory than its length.
        if (end > bytes.length) bytes = grown(bytes, length, Math.min(most, Math.max(4096, 2 * end)));
        bytes.set(chunk, length);
      }
      length = end;
    });
    raw.on("end", () => {
      const tooLarge = announced > most || length > most;
      resolve({ ...NOTHING, file: tooLarge ? "too_large" : length === 0 ? "none" : bytes.subarray(0, length) });
    });
  });
}

/** The first `length` bytes in a buffer of `size`. */
function grown(bytes: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size);
  larger.set(bytes.subarray(0, length));
  return larger;
}
