/** The endpoint table on node:http: requests in, answers out, limits and headers that all share. */

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Assent } from "../assent.ts";
import type { ConditionName } from "../oauth/errors.ts";
import { clientCertificate } from "./client-certificate.ts";
import type { Answer, HttpRequest } from "./message.ts";
import type { ShedReason } from "./overload.ts";
import { problemJson, refusalOf, wantsPage } from "./refusal.ts";
import { readBody } from "./request-body.ts";
import { type Match, Router, splitTarget } from "./router.ts";
import { type Endpoint, metadataRoute, type Route, routes, unshed } from "./routes.ts";

/** Bounds of the HTTP server that carries the handler: slow and huge requests end early. */
export const serverOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 61_000,
  connectionsCheckingInterval: 5000,
} as const;

/** A request on its way to its answer. */
interface Exchange {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly id: string;
}

/** A node:http handler for the whole server. */
export function createHandler(assent: Assent): (request: IncomingMessage, response: ServerResponse) => void {
  const router = routerOf(assent);
  const busy = busyAnswers(assent);
  return (raw, response) => {
    if (!hasOneHost(raw)) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    const reason = assent.gate.refuses();
    const refusal = reason === undefined ? undefined : busy(raw);
    if (reason !== undefined && refusal !== undefined) {
      shed(refusal, reason, response, assent);
      return;
    }
    assent.gate.enter();
    response.once("close", () => assent.gate.leave());
    const target = splitTarget(raw.url ?? "/");
    const exchange = { raw, response, ...target, id: assent.requestId() };
    void respond(exchange, router.find(target.path), assent);
  };
}

function routerOf(assent: Assent): Router<Route> {
  const router = new Router<Route>();
  for (const route of routes) {
    // What nothing leads to isn't there: 404, as the metadata say.
    if (route.part !== undefined && !assent.oauth.grants.leadsTo(route.part)) continue;
    const { basePath } = assent;
    router.add(basePath !== "" && route.path === "/" ? basePath : basePath + route.path, route);
  }
  const metadata = metadataRoute(assent.basePath);
  router.add(metadata.path, metadata);
  return router;
}

/** Never rejects: where even telling of a fault goes wrong, the connection ends. */
async function respond(exchange: Exchange, match: Match<Route> | undefined, assent: Assent): Promise<void> {
  try {
    if (match === undefined) {
      assent.metrics.answered("none", 404, 0);
      send(await fault("not_found", toRequest(exchange, assent), undefined, assent), exchange, assent);
    } else {
      await serve(match, exchange, assent);
    }
  } catch (error) {
    assent.refused(refusalOf(error), toRequest(exchange, assent), error);
    assent.metrics.answered(match?.to.path ?? "none", 500, 0);
    if (exchange.response.headersSent) exchange.response.destroy();
    else send(problemJson("server_error", assent.issuer), exchange, assent);
  }
}

async function serve({ to: route, params }: Match<Route>, exchange: Exchange, assent: Assent): Promise<void> {
  const { method } = exchange.raw;
  const endpoint = endpointFor(route, method);
  // A method that the route doesn't take is told so before its body is read.
  if (endpoint === undefined) {
    const http = toRequest(exchange, assent);
    send(withCors(await otherMethod(route, http, assent), http, route), exchange, assent);
    return;
  }
  const body = method === "POST" ? await readBody(exchange.raw) : "";
  if (typeof body !== "string") {
    const http = toRequest(exchange, assent);
    if (body.condition !== "body_too_large") assent.refused(refusalOf(body), http, body);
    send(await fault(body.condition, http, route, assent), exchange, assent);
    return;
  }
  const http = toRequest(exchange, assent, params, body);
  const startedAt = performance.now();
  const answer = withCors(await answerOf(route, endpoint, http, assent), http, route);
  send(answer, exchange, assent);
  assent.metrics.answered(route.path, answer.status, performance.now() - startedAt);
}

/** For an answer that is made before anybody asks. */
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

/** What is said to whom there is no time for: made once, since making it is the work that is to be spared. Undefined: always answered. */
function busyAnswers(assent: Assent): (request: IncomingMessage) => Answer | undefined {
  const always = new Set(unshed.map((path) => assent.basePath + path).concat(metadataRoute(assent.basePath).path));
  const open = new Set(routes.filter(({ cors }) => cors).map(({ path }) => assent.basePath + path));
  const forPrograms = problemJson("temporarily_unavailable", assent.issuer);
  const forScripts = { ...forPrograms, headers: { ...forPrograms.headers, "access-control-allow-origin": "*" } };
  let page: Answer | undefined;
  const forPeople = () => {
    // Nothing is loaded for those whom there is no time for.
    page ??= assent.people.loaded?.problemAnswer("temporarily_unavailable", nobody, assent);
    return page ?? forPrograms;
  };
  return ({ url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    if (always.has(path)) return undefined;
    if (open.has(path)) return forScripts;
    return headers.accept?.includes("text/html") ? forPeople() : forPrograms;
  };
}

function shed({ status, headers, body }: Answer, reason: ShedReason, response: ServerResponse, assent: Assent): void {
  assent.metrics.shed(reason);
  const all: OutgoingHttpHeaders = { ...assent.commonHeaders, ...headers, "content-length": Buffer.byteLength(body) };
  if (assent.draining()) all["connection"] = "close";
  response.writeHead(status, all).end(body);
}

/** Two Host lines: whoever stands in front may have read the other one (RFC 9112 §3.2). */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts <= 1;
}

function endpointFor(route: Route, method = "GET"): Endpoint | undefined {
  return method === "GET" || method === "HEAD" ? route.GET : method === "POST" ? route.POST : undefined;
}

async function answerOf(route: Route, endpoint: Endpoint, http: HttpRequest, assent: Assent): Promise<Answer> {
  try {
    return await endpoint(http, assent);
  } catch (error) {
    const refusal = refusalOf(error);
    assent.refused(refusal, http, error);
    return route.for === "people"
      ? (await assent.people.load()).problemAnswer(refusal.condition, http, assent)
      : problemJson(refusal.condition, assent.issuer);
  }
}

async function otherMethod(route: Route, http: HttpRequest, assent: Assent): Promise<Answer> {
  const allow = [...(route.GET ? ["GET", "HEAD"] : []), ...(route.POST ? ["POST"] : [])].join(", ");
  if (http.method === "OPTIONS" && route.cors)
    return { status: 204, headers: { allow: `${allow}, OPTIONS` }, body: "" };
  const answer =
    route.for === "people" && wantsPage(http)
      ? (await assent.people.load()).problemAnswer("method_not_allowed", http, assent)
      : problemJson("method_not_allowed", assent.issuer);
  return { ...answer, headers: { ...answer.headers, allow } };
}

/** `*`, never with credentials (RFC 9700 §2.6): what these endpoints need is in the request itself. */
function withCors(answer: Answer, http: HttpRequest, route: Route): Answer {
  if (route.cors !== true) return answer;
  const preflight = {
    "access-control-allow-methods": route.POST ? "POST" : "GET",
    "access-control-allow-headers": "authorization, content-type, accept",
    "access-control-max-age": "86400",
  };
  const headers = {
    ...answer.headers,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "www-authenticate, retry-after",
    ...(http.method === "OPTIONS" ? preflight : {}),
  };
  return { ...answer, headers };
}

/** A fault that no endpoint saw: no route, a body that is too large. */
async function fault(
  condition: ConditionName,
  http: HttpRequest,
  route: Route | undefined,
  assent: Assent,
): Promise<Answer> {
  const asPage = route?.for !== "programs" && wantsPage(http);
  const answer = asPage
    ? (await assent.people.load()).problemAnswer(condition, http, assent)
    : problemJson(condition, assent.issuer);
  return route === undefined ? answer : withCors(answer, http, route);
}

function send({ status, headers, cookies, body }: Answer, { response, id }: Exchange, assent: Assent): void {
  const all: OutgoingHttpHeaders = { ...assent.commonHeaders, ...headers, "x-request-id": id };
  // RFC 9110 §8.6: these two have no body, and say nothing of its length.
  if (status !== 204 && status !== 304) all["content-length"] = Buffer.byteLength(body);
  if (cookies !== undefined && cookies.length > 0) all["set-cookie"] = [...cookies];
  if (assent.draining()) all["connection"] = "close";
  response.writeHead(status, all).end(body);
}

function toRequest(
  { raw, path, query, id }: Exchange,
  assent: Assent,
  params: Readonly<Record<string, string>> = {},
  body = "",
): HttpRequest {
  const forwarded = assent.proxies.resolve(raw.socket.remoteAddress ?? "", raw.headers);
  return {
    method: raw.method ?? "GET",
    path,
    params,
    query,
    body,
    header: (name) => joined(raw.headers[name]),
    headers: (name) => occurrences(raw.rawHeaders, name),
    address: forwarded.address,
    insecure: forwarded.proto === "http" && assent.issuer.startsWith("https:"),
    certificate: () =>
      clientCertificate(raw, {
        fromProxy: assent.proxies.trusts(raw.socket.remoteAddress ?? ""),
        headers: occurrences(raw.rawHeaders, "client-cert"),
        authorities: assent.clientAuthorities,
        now: assent.now(),
      }),
    id,
  };
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** node:http drops the second of some headers; the raw list has them all. */
function occurrences(raw: readonly string[], name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const one = raw[at];
    // Names are seldom of the same length: few are put into lower case.
    if (one?.length === name.length && one.toLowerCase() === name) found.push(raw[at + 1] ?? "");
  }
  return found;
}
