/** Reads the body of a request once, and never beyond its limit (RFC 9112 §6). */

import { isAscii } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { OAuthError } from "../../oauth/errors.ts";
import { isEncoded, isFormType } from "../form-body.ts";

/** In bytes. The largest form of this server is a consent with a long reason, a tenth of this. */
export const MAX_BODY = 65_536;
/**
 * Bytes of an unneeded body after which the connection ends. Until then the server reads them, so that a client that
 * first sends everything finds the response, and can send another request on the same connection.
 */
export const MAX_UNREAD = 1_048_576;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** True: the headers announce a body. */
export function bodyComes({ "content-length": length, "transfer-encoding": encoding }: IncomingHttpHeaders): boolean {
  return encoding !== undefined || (length !== undefined && length !== "0");
}

/**
 * Calls `done` with the form's text (empty if there is none), or with the refusal: `body_too_large` as soon as that is
 * known, or `parameter_malformed`. Never calls it if the peer disconnects before the end.
 */
export function readBody(request: IncomingMessage, done: (body: string | OAuthError) => void): void {
  const { headers } = request;
  if (Number(headers["content-length"]) > MAX_BODY) {
    skipBody(request);
    done(new OAuthError("body_too_large"));
    return;
  }
  let bytes: Buffer | undefined;
  let length = 0;
  const onData = (chunk: Buffer) => {
    const end = length + chunk.length;
    if (end > MAX_BODY) {
      request.off("data", onData).off("end", onEnd);
      skipBody(request);
      done(new OAuthError("body_too_large"));
      return;
    }
    // Most bodies come in one piece. A body in many pieces is copied a few times as a whole, not once for each piece.
    if (bytes === undefined) bytes = chunk;
    else {
      if (end > bytes.length) bytes = grown(bytes, length, end);
      bytes.set(chunk, length);
    }
    length = end;
  };
  const onEnd = () => done(bytes === undefined ? "" : textOf(bytes.subarray(0, length), headers));
  request.on("data", onData).on("end", onEnd);
}

/** Discards the rest of an unneeded body, and ends the connection if that is too much. */
export function skipBody(request: IncomingMessage): void {
  if (!bodyComes(request.headers)) return;
  let skipped = 0;
  request.on("data", (chunk: Buffer) => {
    skipped += chunk.length;
    if (skipped > MAX_UNREAD) request.socket.destroy();
  });
}

/** The first `length` bytes in a buffer with room for `least`, and for as much again. */
function grown(bytes: Buffer, length: number, least: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(MAX_BODY, 2 * least));
  larger.set(bytes.subarray(0, length));
  return larger;
}

/** A tolerant decoder would turn all invalid bytes into the same character. */
function textOf(body: Buffer, headers: IncomingHttpHeaders): string | OAuthError {
  // A body that is not a form is refused as such, whatever is in it.
  if (!isFormType(headers["content-type"]) || isEncoded(headers["content-encoding"])) return "";
  if (isAscii(body)) return body.toString("latin1");
  try {
    return utf8.decode(body);
  } catch {
    return new OAuthError("parameter_malformed", "the body is not UTF-8");
  }
}
