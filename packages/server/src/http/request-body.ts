/** The body of a request, read once and never beyond its limit (RFC 9112 §6). */

import { isAscii } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { OAuthError } from "../oauth/errors.ts";
import { isEncoded, isFormType } from "./form-body.ts";

/** Bytes; the greatest of our forms is a consent with a long reason, a tenth of it. */
export const MAX_BODY = 65_536;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Hands over the form's text (empty where there is none), or the refusal: `body_too_large` as soon as that is known, `parameter_malformed`. Never does
 * where the peer goes away before the end: nobody is left to answer.
 */
export function readBody(request: IncomingMessage, done: (body: string | OAuthError) => void): void {
  const { headers } = request;
  if (Number(headers["content-length"]) > MAX_BODY) {
    done(new OAuthError("body_too_large"));
    return;
  }
  let bytes: Buffer | undefined;
  const onData = (chunk: Buffer) => {
    bytes = bytes === undefined ? chunk : Buffer.concat([bytes, chunk]);
    if (bytes.length <= MAX_BODY) return;
    request.off("data", onData).off("end", onEnd);
    done(new OAuthError("body_too_large"));
  };
  const onEnd = () => done(bytes === undefined ? "" : textOf(bytes, headers));
  request.on("data", onData).on("end", onEnd);
}

/** Read loosely, bytes that are no characters would all become the same one. */
function textOf(body: Buffer, headers: IncomingHttpHeaders): string | OAuthError {
  // What is no form is refused as such, whatever is in it.
  if (!isFormType(headers["content-type"]) || isEncoded(headers["content-encoding"])) return "";
  if (isAscii(body)) return body.toString("latin1");
  try {
    return utf8.decode(body);
  } catch {
    return new OAuthError("parameter_malformed", "the body is not UTF-8");
  }
}
