/** The response to requests for which the server has no time (RFC 9110 §15.6.4). */

import type { IncomingMessage } from "node:http";
import type { Served } from "../lazy-pages.ts";
import type { Answer, HttpRequest } from "../message.ts";
import { problemJson } from "../refusal.ts";
import { metadataRoute, routes, unshed } from "../routes.ts";

/** Used for a response that is made before anybody asks. */
const nobody: HttpRequest = {
  method: "GET",
  path: "/",
  params: {},
  query: "",
  body: "",
  header: () => undefined,
  headers: () => [],
  address: "",
  insecure: false,
  certificate: () => undefined,
  id: "busy",
};

/** A response with all of its headers, as it is sent. */
export interface Busy {
  readonly status: number;
  /** Names and values alternate. */
  readonly lines: readonly string[];
  readonly body: string | Uint8Array;
}

/** Makes the responses once, because making them is the work to save. Undefined: a path that is always served. */
export function busyAnswers(assent: Served): (request: IncomingMessage) => Busy | undefined {
  const always = new Set(unshed.map((path) => assent.basePath + path).concat(metadataRoute(assent.basePath).path));
  const open = new Set(routes.filter(({ cors }) => cors).map(({ path }) => assent.basePath + path));
  const whole = ({ status, headers, body }: Answer): Busy => ({
    status,
    lines: assent.headerLines.of(headers).concat("content-length", String(Buffer.byteLength(body))),
    body,
  });
  const forPrograms = whole(problemJson("temporarily_unavailable", assent.issuer));
  const forScripts = { ...forPrograms, lines: [...forPrograms.lines, "access-control-allow-origin", "*"] };
  let page: Busy | undefined;
  const forPeople = () => {
    // The server loads nothing for requests for which it has no time.
    const answer = page === undefined && assent.people.loaded?.problemAnswer("temporarily_unavailable", nobody, assent);
    if (answer) page = whole(answer);
    return page ?? forPrograms;
  };
  return ({ url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    if (always.has(path)) return undefined;
    if (open.has(path)) return forScripts;
    return headers.accept?.includes("text/html") ? forPeople() : forPrograms;
  };
}
