/** How long a document is used before it is fetched again (RFC 9111 §4.2; draft-ietf-oauth-client-id-metadata-document-02 §5.2). */

import type { IncomingHttpHeaders } from "node:http";
import type { Millis } from "../oauth/model.ts";

/** The bounds: a document that changes all the time causes one request a minute, and no change waits for more than a day. */
export const SHORTEST: Millis = 60_000;
export const LONGEST: Millis = 86_400_000;
/** Without Cache-Control. */
const USUAL: Millis = 300_000;

export function lifetimeOf(headers: IncomingHttpHeaders): Millis {
  const control = headers["cache-control"];
  if (headers.vary?.trim() === "*" || /\bno-(?:store|cache)\b/i.test(control ?? "")) return SHORTEST;
  if (control === undefined) return USUAL;
  const seconds = /(?:^|[\s,])max-age=(\d{1,10})(?=$|[\s,])/i.exec(control)?.[1];
  if (seconds === undefined) return /max-age/i.test(control) ? SHORTEST : USUAL;
  const age = /^\d{1,10}$/.test(headers.age ?? "") ? Number(headers.age) : 0;
  return Math.min(LONGEST, Math.max(SHORTEST, (Number(seconds) - age) * 1000));
}
