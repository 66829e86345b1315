/** Serves the endpoint table on node:http, with the limits and headers that all endpoints share. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConditionName, OAuthError } from "../../oauth/errors.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import { metadataRoute, type Route, routes } from "../endpoint-table.ts";
import { checkFormOrigin } from "../form-origin.ts";
import type { Answer, HttpRequest, Upload } from "../http-message.ts";
import type { Endpoint, Served } from "../lazy-pages.ts";
import { problemJson, refusalOf, wantsPage } from "../refusal.ts";
import { type Match, Router } from "../router.ts";
import { connectionOf } from "./connection.ts";
import { REFUSED_AFTER } from "./load-shedding.ts";
import { bodyComes, readBody, skipBody } from "./request-body.ts";
import { Exchange, type Site } from "./request-lifecycle.ts";
import { busyAnswers } from "./service-unavailable.ts";

/** Limits of the HTTP server for the handler: slow and huge requests end early. */
export const serverOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 61_000,
  connectionsCheckingInterval: 1000,
  // Node.js would answer a request without a Host itself, outside the connection's order. The handler refuses it.
  requireHostHeader: false,
} as const;

/**
 * Maximum number of header lines. Node.js has a limit of its own, but some versions silently drop the lines beyond it,
 * also one that a proxy added at the end.
 */
const MAX_HEADERS = 200;

/** A site with everything that its endpoints are given. */
interface WholeSite extends Site {
  readonly assent: Served;
}

/** A node:http handler for the whole server. */
export function createHandler(assent: Served): (request: IncomingMessage, response: ServerResponse) => void {
  const router = routerOf(assent);
  const site: WholeSite = {
    tools: assent,
    assent,
    busy: busyAnswers(assent),
    begin: (exchange) => begin(exchange, site, router),
    tooSlow: (exchange) => {
      const route = router.find(exchange.path)?.to;
      exchange.enter();
      void say(() => fault("body_too_slow", exchange.request(), route, assent), exchange, route, assent);
    },
  };
  return (raw, response) => {
    const { socket } = raw;
    if (socket.destroyed) return;
    const connection = connectionOf(socket);
    const exchange = new Exchange(raw, response, connection, site);
    if (connection.take(exchange)) {
      if (!exchange.started) exchange.wait();
      return;
    }
    assent.metrics.connectionClosed("pipelined");
    socket.destroy();
  };
}

/** Never throws. */
function begin(exchange: Exchange, site: WholeSite, router: Router<Route>): void {
  const { raw } = exchange;
  const { assent } = site;
  const fault = headerFault(raw);
  if (fault !== undefined) {
    exchange.reject(fault);
    return;
  }
  if (bodyComes(raw.headers)) assent.unread.watch(exchange);
  const reason = assent.gate.refuses(() => exchange.client());
  const refusal = reason === undefined ? undefined : site.busy(raw);
  if (reason !== undefined && refusal !== undefined) {
    skipBody(raw);
    // A proxy's connection is needed for its other clients.
    const crowding = !exchange.fromProxy && assent.gate.isCrowding(exchange.client());
    if (crowding) exchange.shedLater(refusal, reason, REFUSED_AFTER);
    else exchange.shed(refusal, reason);
    return;
  }
  respond(exchange, router.find(exchange.path), site);
}

function routerOf(assent: Served): Router<Route> {
  const router = new Router<Route>();
  for (const route of routes) {
    // An endpoint that no offered grant type needs does not exist: 404, as in the metadata.
    if (route.part !== undefined && !assent.oauth.grants.leadsTo(route.part)) continue;
    if (route.builtIn === true && isReplaced(assent.config.externalSignIn)) continue;
    if (route.registers === true && assent.registration === null) continue;
    const { basePath } = assent;
    if (route.all !== undefined) router.addBelow(basePath + route.path, route);
    router.add(basePath !== "" && route.path === "/" ? basePath : basePath + route.path, route);
  }
  const metadata = metadataRoute(assent.basePath);
  router.add(metadata.path, metadata);
  return router;
}

/** Never throws. */
function respond(exchange: Exchange, match: Match<Route> | undefined, site: WholeSite): void {
  const { raw } = exchange;
  const { assent } = site;
  const endpoint = match && endpointFor(match.to, raw.method);
  if (match !== undefined && endpoint !== undefined && takesBody(match.to, raw.method)) {
    if (match.to.upload !== undefined) void receive(match.to.upload, exchange, match, endpoint, site);
    else readBody(raw, (body) => afterBody(body, exchange, match, endpoint, site));
    return;
  }
  skipBody(raw);
  exchange.enter();
  if (match === undefined) {
    assent.metrics.answered("none", 404, 0);
    void say(() => fault("not_found", exchange.request(), undefined, assent), exchange, undefined, assent);
    return;
  }
  const { to: route, params } = match;
  if (endpoint !== undefined) {
    void serve(route, endpoint, exchange.request(params), exchange, assent);
    return;
  }
  // If the route does not support the method, the server says so before it reads the body.
  const http = exchange.request();
  void say(async () => withCors(await otherMethod(route, http, assent), http, route), exchange, route, assent);
}

/** Never rejects. */
async function receive(
  read: NonNullable<Route["upload"]>,
  exchange: Exchange,
  match: Match<Route>,
  endpoint: Endpoint,
  site: WholeSite,
): Promise<void> {
  const { raw, response } = exchange;
  const over = (callback: () => void) => {
    if (response.closed) callback();
    else response.once("close", callback);
  };
  try {
    const upload = await read(raw, exchange.request(match.params), over, site.assent);
    afterBody("", exchange, match, endpoint, site, upload);
  } catch (error) {
    skipBody(raw);
    afterBody("", exchange, match, () => Promise.reject(error), site);
  }
}

/** The request is complete, or its body is refused. */
function afterBody(
  body: string | OAuthError,
  exchange: Exchange,
  { to: route, params }: Match<Route>,
  endpoint: Endpoint,
  { assent, busy }: WholeSite,
  upload?: Upload,
): void {
  if (exchange.abandoned) return;
  // Other requests may have taken the last place while the body arrived.
  const refusal = assent.gate.full ? busy(exchange.raw) : undefined;
  if (refusal !== undefined) {
    exchange.shed(refusal, "under_way");
    return;
  }
  exchange.enter();
  if (typeof body === "string") void serve(route, endpoint, exchange.request(params, body, upload), exchange, assent);
  else void say(() => bodyRefused(body, route, exchange, assent), exchange, route, assent);
}

/** Never rejects. */
async function serve(
  route: Route,
  endpoint: Endpoint,
  http: HttpRequest,
  exchange: Exchange,
  assent: Served,
): Promise<void> {
  try {
    const startedAt = performance.now();
    let answer: Answer;
    try {
      if (http.method === "POST" && route.for === "people" && !route.fromAnySite) checkFormOrigin(http, assent.issuer);
      answer = await endpoint(http, assent);
    } catch (error) {
      answer = await refused(error, route, http, assent);
    }
    exchange.send(withCors(answer, http, route));
    assent.metrics.answered(route.path, answer.status, performance.now() - startedAt);
  } catch (error) {
    failed(error, exchange, route, assent);
  }
}

/** Handles requests without an endpoint. Never rejects. */
async function say(
  make: () => Promise<Answer>,
  exchange: Exchange,
  route: Route | undefined,
  assent: Served,
): Promise<void> {
  try {
    exchange.send(await make());
  } catch (error) {
    failed(error, exchange, route, assent);
  }
}

async function refused(error: unknown, route: Route, http: HttpRequest, assent: Served): Promise<Answer> {
  const refusal = refusalOf(error);
  assent.refused(refusal, http, error);
  return route.for === "people"
    ? (await assent.people.load()).refusedAnswer(refusal.condition, error, http, assent)
    : problemJson(refusal.condition, assent.issuer, http.id);
}

function bodyRefused(error: OAuthError, route: Route, exchange: Exchange, assent: Served): Promise<Answer> {
  const http = exchange.request();
  if (error.condition !== "body_too_large") assent.refused(refusalOf(error), http, error);
  return fault(error.condition, http, route, assent);
}

/** If even the response about a fault fails, the connection ends. */
function failed(error: unknown, exchange: Exchange, route: Route | undefined, assent: Served): void {
  assent.refused(refusalOf(error), exchange.request(), error);
  assent.metrics.answered(route?.path ?? "none", 500, 0);
  if (exchange.response.headersSent) exchange.destroy();
  else exchange.send(problemJson("server_error", assent.issuer, exchange.id));
}

/** The status for headers that this server can't act on. */
function headerFault(raw: IncomingMessage): number | undefined {
  const { rawHeaders, headers, httpVersion } = raw;
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431;
  // Node.js also accepts other versions (RFC 9110 §15.6.6).
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return 505;
  if (!hasValidHost(raw)) return 400;
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) {
    // RFC 9112 §6.1: HTTP/1.0 has no transfer codings. A server in front may have found another end of this body.
    if (httpVersion === "1.0") return 400;
    // §6.1, §6.3: the server supports no other codings before the last one. If the last one is another, the end of the
    // body is unknown.
    if (coding.toLowerCase() !== "chunked") return /[,\s]chunked$/i.test(coding) ? 501 : 400;
  }
  const { expect } = headers;
  // RFC 9110 §10.1.1: only one expectation is defined, and HTTP/1.0 has none.
  return expect === undefined || httpVersion === "1.0" || expect.toLowerCase() === "100-continue" ? undefined : 417;
}

/** A host as in RFC 3986 §3.2.2, possibly with a port. It may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * RFC 9112 §3.2: one Host line with a valid value, because a server in front may have read another one. HTTP/1.0 needs
 * none.
 */
function hasValidHost({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return host === undefined ? httpVersion === "1.0" : hosts === 1 && HOST.test(host);
}

function takesBody({ all }: Route, method = "GET"): boolean {
  return method === "POST" || (all !== undefined && method !== "GET" && method !== "HEAD");
}

function endpointFor(route: Route, method = "GET"): Endpoint | undefined {
  if (route.all !== undefined) return route.all;
  return method === "GET" || method === "HEAD" ? route.GET : method === "POST" ? route.POST : undefined;
}

async function otherMethod(route: Route, http: HttpRequest, assent: Served): Promise<Answer> {
  const allow = [...(route.GET ? ["GET", "HEAD"] : []), ...(route.POST ? ["POST"] : [])].join(", ");
  if (http.method === "OPTIONS" && route.cors)
    return { status: 204, headers: { allow: `${allow}, OPTIONS` }, body: "" };
  const answer =
    route.for === "people" && wantsPage(http)
      ? (await assent.people.load()).problemAnswer("method_not_allowed", http, assent)
      : problemJson("method_not_allowed", assent.issuer, http.id);
  return { ...answer, headers: { ...answer.headers, allow } };
}

/** `*`, never with credentials (RFC 9700 §2.6): these endpoints need only the request itself. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "www-authenticate, retry-after",
};

/** Frozen headers, each with its version for scripts, so that both are made once. */
const opened = new WeakMap<object, Answer["headers"]>();

function withCors(answer: Answer, { method }: HttpRequest, route: Route): Answer {
  if (route.cors !== true) return answer;
  if (method === "OPTIONS") {
    const preflight = {
      "access-control-allow-methods": route.all ? "GET, POST, PUT, DELETE" : route.POST ? "POST" : "GET",
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

/** An error outside of endpoints: no route, or a body that is too large. */
async function fault(
  condition: ConditionName,
  http: HttpRequest,
  route: Route | undefined,
  assent: Served,
): Promise<Answer> {
  const asPage = route?.for !== "programs" && wantsPage(http);
  const answer = asPage
    ? (await assent.people.load()).problemAnswer(condition, http, assent)
    : problemJson(condition, assent.issuer, http.id);
  return route === undefined ? answer : withCors(answer, http, route);
}
