/** The endpoint table on node:http: requests in, answers out, limits and headers that all share. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Assent } from "../assent.ts";
import type { ConditionName, OAuthError } from "../oauth/errors.ts";
import type { Answer, HttpRequest } from "./message.ts";
import { NodeRequest } from "./node-request.ts";
import type { ShedReason } from "./overload.ts";
import { problemJson, refusalOf, wantsPage } from "./refusal.ts";
import { readBody, skipBody } from "./request-body.ts";
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
  const left = () => assent.gate.leave();
  return (raw, response) => {
    if (!hasOneHost(raw)) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    const reason = assent.gate.refuses();
    const refusal = reason === undefined ? undefined : busy(raw);
    if (reason !== undefined && refusal !== undefined) {
      skipBody(raw);
      shed(refusal, reason, response, assent);
      return;
    }
    assent.gate.enter();
    response.on("close", left);
    const { path, query } = splitTarget(raw.url ?? "/");
    const exchange = { raw, response, path, query, id: assent.requestId() };
    respond(exchange, router.find(path), assent);
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

/** Never throws. */
function respond(exchange: Exchange, match: Match<Route> | undefined, assent: Assent): void {
  if (match === undefined) {
    skipBody(exchange.raw);
    assent.metrics.answered("none", 404, 0);
    void say(() => fault("not_found", requestOf(exchange, assent), undefined, assent), exchange, undefined, assent);
    return;
  }
  const { to: route, params } = match;
  const { method } = exchange.raw;
  const endpoint = endpointFor(route, method);
  if (method !== "POST" || endpoint === undefined) skipBody(exchange.raw);
  if (endpoint === undefined) {
    // A method that the route doesn't take is told so before its body is read.
    const http = requestOf(exchange, assent);
    void say(async () => withCors(await otherMethod(route, http, assent), http, route), exchange, route, assent);
  } else if (method === "POST") {
    readBody(exchange.raw, (body) => {
      if (typeof body === "string")
        void serve(route, endpoint, requestOf(exchange, assent, params, body), exchange, assent);
      else void say(() => bodyRefused(body, route, exchange, assent), exchange, route, assent);
    });
  } else {
    void serve(route, endpoint, requestOf(exchange, assent, params), exchange, assent);
  }
}

/** Never rejects. */
async function serve(
  route: Route,
  endpoint: Endpoint,
  http: HttpRequest,
  exchange: Exchange,
  assent: Assent,
): Promise<void> {
  try {
    const startedAt = performance.now();
    let answer: Answer;
    try {
      answer = await endpoint(http, assent);
    } catch (error) {
      answer = await refused(error, route, http, assent);
    }
    send(withCors(answer, http, route), exchange, assent);
    assent.metrics.answered(route.path, answer.status, performance.now() - startedAt);
  } catch (error) {
    failed(error, exchange, route, assent);
  }
}

/** What no endpoint says. Never rejects. */
async function say(
  make: () => Promise<Answer>,
  exchange: Exchange,
  route: Route | undefined,
  assent: Assent,
): Promise<void> {
  try {
    send(await make(), exchange, assent);
  } catch (error) {
    failed(error, exchange, route, assent);
  }
}

async function refused(error: unknown, route: Route, http: HttpRequest, assent: Assent): Promise<Answer> {
  const refusal = refusalOf(error);
  assent.refused(refusal, http, error);
  return route.for === "people"
    ? (await assent.people.load()).problemAnswer(refusal.condition, http, assent)
    : problemJson(refusal.condition, assent.issuer);
}

function bodyRefused(error: OAuthError, route: Route, exchange: Exchange, assent: Assent): Promise<Answer> {
  const http = requestOf(exchange, assent);
  if (error.condition !== "body_too_large") assent.refused(refusalOf(error), http, error);
  return fault(error.condition, http, route, assent);
}

/** Where even telling of a fault goes wrong, the connection ends. */
function failed(error: unknown, exchange: Exchange, route: Route | undefined, assent: Assent): void {
  assent.refused(refusalOf(error), requestOf(exchange, assent), error);
  assent.metrics.answered(route?.path ?? "none", 500, 0);
  if (exchange.response.headersSent) exchange.response.destroy();
  else send(problemJson("server_error", assent.issuer), exchange, assent);
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

/** An answer with all of its headers, as it is sent. */
interface Busy {
  readonly status: number;
  /** Names and values in turn. */
  readonly lines: readonly string[];
  readonly body: string | Uint8Array;
}

/** What is said to whom there is no time for: made once, since making it is the work that is to be spared. Undefined: always answered. */
function busyAnswers(assent: Assent): (request: IncomingMessage) => Busy | undefined {
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
    // Nothing is loaded for those whom there is no time for.
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

function shed({ status, lines, body }: Busy, reason: ShedReason, response: ServerResponse, assent: Assent): void {
  assent.metrics.shed(reason);
  response.writeHead(status, assent.draining() ? [...lines, "connection", "close"] : [...lines]).end(body);
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
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "www-authenticate, retry-after",
};

/** Frozen headers with those for scripts: as few of the one as of the other. */
const opened = new WeakMap<object, Answer["headers"]>();

function withCors(answer: Answer, { method }: HttpRequest, route: Route): Answer {
  if (route.cors !== true) return answer;
  if (method === "OPTIONS") {
    const preflight = {
      "access-control-allow-methods": route.POST ? "POST" : "GET",
      "access-control-allow-headers": "authorization, content-type, accept",
      "access-control-max-age": "86400",
    };
    return { ...answer, headers: { ...answer.headers, ...CORS, ...preflight } };
  }
  let headers = opened.get(answer.headers);
  if (headers === undefined) {
    headers = { ...answer.headers, ...CORS };
    if (Object.isFrozen(answer.headers)) opened.set(answer.headers, Object.freeze(headers));
  }
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
  const lines = assent.headerLines.of(headers).concat("x-request-id", id);
  const length = Buffer.byteLength(body);
  // RFC 9110 §8.6: these two have no body, and say nothing of its length.
  if (status !== 204 && status !== 304) lines.push("content-length", String(length));
  if (cookies !== undefined) for (const cookie of cookies) lines.push("set-cookie", cookie);
  if (assent.draining()) lines.push("connection", "close");
  response.writeHead(status, lines);
  // As many bytes as characters: ASCII, which is written as it lies in memory.
  if (length === body.length) response.end(body, "latin1");
  else response.end(body);
}

function requestOf(
  { raw, path, query, id }: Exchange,
  assent: Assent,
  params: Match<Route>["params"] = {},
  body = "",
): HttpRequest {
  return new NodeRequest(raw, { path, params, query, body, id }, assent);
}
