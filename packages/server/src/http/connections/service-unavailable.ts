/** The response to requests for which the server has no time (RFC 9110 §15.6.4). */

import type { IncomingMessage } from "node:http";
import type { PageTools } from "../endpoint-contexts.ts";
import { metadataRoute, routes, unshed } from "../endpoint-table.ts";
import type { Answer, HttpRequest } from "../http-message.ts";
import type { LazyPages } from "../lazy-pages.ts";
import { problemDetails, problemJson } from "../refusal.ts";
import type { HeaderLines } from "./response-header-lines.ts";

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

interface BusyTools extends PageTools {
  /** Path of the issuer, without its final slash. */
  readonly basePath: string;
  readonly headerLines: HeaderLines;
  readonly people: Pick<LazyPages, "loaded">;
}

/** As the admin API refuses, without its modules. */
function problemForAdministrators(issuer: string): Answer {
  const answer = problemJson("temporarily_unavailable", issuer, null);
  const headers = { ...answer.headers, "content-type": "application/problem+json; charset=utf-8" };
  return { ...answer, headers, body: JSON.stringify(problemDetails("temporarily_unavailable", issuer)) };
}

/** Makes the responses once, because making them is the work to save. Undefined: a path that is always served. */
export function busyAnswers(tools: BusyTools): (request: IncomingMessage) => Busy | undefined {
  const always = new Set(unshed.map((path) => tools.basePath + path).concat(metadataRoute(tools.basePath).path));
  const open = new Set(routes.filter(({ cors }) => cors).map(({ path }) => tools.basePath + path));
  const adminApi = `${tools.basePath}/admin/api/`;
  const whole = ({ status, headers, body }: Answer): Busy => ({
    status,
    lines: tools.headerLines.of(headers).concat("content-length", String(Buffer.byteLength(body))),
    body,
  });
  const forPrograms = whole(problemJson("temporarily_unavailable", tools.issuer, null));
  const forAdministrators = whole(problemForAdministrators(tools.issuer));
  const forScripts = { ...forPrograms, lines: [...forPrograms.lines, "access-control-allow-origin", "*"] };
  let page: Busy | undefined;
  const forPeople = () => {
    // The server loads nothing for requests for which it has no time.
    const answer = page === undefined && tools.people.loaded?.problemAnswer("temporarily_unavailable", nobody, tools);
    if (answer) page = whole(answer);
    return page ?? forPrograms;
  };
  return ({ url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    if (always.has(path)) return undefined;
    if (open.has(path)) return forScripts;
    if (path.startsWith(adminApi)) return forAdministrators;
    return headers.accept?.includes("text/html") ? forPeople() : forPrograms;
  };
}
