/** The body of a request, read once and never beyond its limit (RFC 9112 §6). */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { OAuthError } from "../oauth/errors.ts";
import { isEncoded, isFormType } from "./form-body.ts";

/** Bytes; the greatest of our forms is a consent with a long reason, a tenth of it. */
export const MAX_BODY = 65_536;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The form's text (empty where there is none), or the refusal: `body_too_large` as soon as that is known, `parameter_malformed`. Stays open where the
 * peer goes away before the end: nobody is left to answer.
 */
export function readBody(request: IncomingMessage): Promise<string | OAuthError> {
  const { headers } = request;
  if (Number(headers["content-length"]) > MAX_BODY) return Promise.resolve(new OAuthError("body_too_large"));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY) {
        request.off("data", onData).off("end", onEnd);
        resolve(new OAuthError("body_too_large"));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      const [only] = chunks;
      resolve(textOf(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length), headers));
    };
    request.on("data", onData).on("end", onEnd);
  });
}

/** Read loosely, bytes that are no characters would all become the same one. */
function textOf(body: Buffer, headers: IncomingHttpHeaders): string | OAuthError {
  // What is no form is refused as such, whatever is in it.
  if (body.length === 0 || !isFormType(headers["content-type"]) || isEncoded(headers["content-encoding"])) return "";
  try {
    return utf8.decode(body);
  } catch {
    return new OAuthError("parameter_malformed", "the body is not UTF-8");
  }
}
