/** The endpoint table on fastify: requests in, answers out, limits and headers that all share. */

import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  METHODS,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Assent } from "../assent.ts";
import { type ConditionName, OAuthError } from "../oauth/errors.ts";
import { clientCertificate } from "./client-certificate.ts";
import { isEncoded, isFormType } from "./form-body.ts";
import type { Answer, HttpRequest } from "./message.ts";
import type { ShedReason } from "./overload.ts";
import { problemAnswer, problemJson, refusalOf, wantsPage } from "./problem.ts";
import { metadataRoute, type Route, routes, unshed } from "./routes.ts";

export const MAX_BODY = 65_536;

/** Bounds of the HTTP server that carries the handler: slow and huge requests end early. */
export const serverOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 61_000,
  connectionsCheckingInterval: 5000,
} as const;

/** Our endpoints read their parameters themselves, no route has a schema; fastify would load its compilers all the same, a third of all modules. */
const noSchemas = { buildValidator: never, buildSerializer: never };

function never(): never {
  throw new Error("no route has a schema");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The body of a form; undefined: not UTF-8. Read loosely, bytes that are no characters would all become the same one. */
function textOf(body: Buffer, headers: IncomingHttpHeaders): string | undefined {
  // What is no form is refused as such, whatever is in it.
  if (!isFormType(headers["content-type"]) || isEncoded(headers["content-encoding"])) return "";
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

/** A node:http handler for the whole server. */
export async function createHandler(
  assent: Assent,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const app = fastify({
    bodyLimit: MAX_BODY,
    logger: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    genReqId: () => assent.requestId(),
    schemaController: { compilersFactory: noSchemas },
    frameworkErrors: (_error, request, reply) => send(fault("not_found", request, assent), reply, assent),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY }, (request, body: Buffer, done) => {
    const text = textOf(body, request.headers);
    if (text === undefined) done(new OAuthError("parameter_malformed", "the body is not UTF-8"));
    else done(null, text);
  });
  for (const method of METHODS) addMethod(app, method);
  for (const route of routes) {
    // What nothing leads to isn't there: 404, as the metadata say.
    if (route.part === undefined || assent.oauth.grants.leadsTo(route.part))
      register(app, route, assent.basePath, assent);
  }
  register(app, metadataRoute(assent.basePath), "", assent);
  app.setNotFoundHandler((request, reply) => {
    assent.metrics.answered("none", 404, 0);
    send(fault("not_found", request, assent), reply, assent);
  });
  app.setErrorHandler((error, request, reply) => send(thrown(error, request, assent), reply, assent));
  await app.ready();
  const busy = busyAnswers(assent);
  return (request, response) => {
    if (!hasOneHost(request)) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    const reason = assent.gate.refuses();
    const refusal = reason === undefined ? undefined : busy(request);
    if (reason !== undefined && refusal !== undefined) {
      shed(refusal, reason, response, assent);
      return;
    }
    assent.gate.enter();
    response.once("close", () => assent.gate.leave());
    app.routing(request, response);
  };
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
  const forPeople = problemAnswer("temporarily_unavailable", nobody, assent);
  return ({ url = "/", headers }) => {
    const [path = ""] = url.split("?", 1);
    if (always.has(path)) return undefined;
    if (open.has(path)) return forScripts;
    return headers.accept?.includes("text/html") ? forPeople : forPrograms;
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

function addMethod(app: FastifyInstance, method: string): void {
  if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false });
}

/** Every method leads to the route, so that one it doesn't take is 405 and not 404; before its body is read. */
function register(app: FastifyInstance, route: Route, base: string, assent: Assent): void {
  const path = base !== "" && route.path === "/" ? base : base + route.path;
  const config: RouteConfig = { route };
  const onRequest = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (endpointFor(route, request.method) !== undefined) {
      next();
    } else {
      const http = toRequest(request, assent);
      send(withCors(otherMethod(route, http, assent), http, route), reply, assent);
    }
  };
  app.all(path, { config, onRequest }, async (request, reply) => {
    const http = toRequest(request, assent);
    const startedAt = performance.now();
    const answer = withCors(await answerOf(route, http, assent), http, route);
    send(answer, reply, assent);
    assent.metrics.answered(route.path, answer.status, performance.now() - startedAt);
  });
}

/** What fastify keeps of a route, for faults that come before its endpoint is asked. */
interface RouteConfig {
  readonly route?: Route;
}

function endpointFor(route: Route, method: string): Route["GET"] {
  return method === "GET" || method === "HEAD" ? route.GET : method === "POST" ? route.POST : undefined;
}

async function answerOf(route: Route, http: HttpRequest, assent: Assent): Promise<Answer> {
  const endpoint = endpointFor(route, http.method);
  if (endpoint === undefined) return otherMethod(route, http, assent);
  try {
    return await endpoint(http, assent);
  } catch (error) {
    const refusal = refusalOf(error);
    assent.refused(refusal, http, error);
    return route.for === "people"
      ? problemAnswer(refusal.condition, http, assent)
      : problemJson(refusal.condition, assent.issuer);
  }
}

function otherMethod(route: Route, http: HttpRequest, assent: Assent): Answer {
  const allow = [...(route.GET ? ["GET", "HEAD"] : []), ...(route.POST ? ["POST"] : [])].join(", ");
  if (http.method === "OPTIONS" && route.cors)
    return { status: 204, headers: { allow: `${allow}, OPTIONS` }, body: "" };
  const answer =
    route.for === "people" && wantsPage(http)
      ? problemAnswer("method_not_allowed", http, assent)
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
function fault(condition: ConditionName, request: FastifyRequest, assent: Assent): Answer {
  const http = toRequest(request, assent);
  const { route } = request.routeOptions.config as RouteConfig;
  const asPage = route?.for !== "programs" && wantsPage(http);
  const answer = asPage ? problemAnswer(condition, http, assent) : problemJson(condition, assent.issuer);
  return route === undefined ? answer : withCors(answer, http, route);
}

function thrown(error: unknown, request: FastifyRequest, assent: Assent): Answer {
  const code = (error as { code?: string }).code;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return fault("body_too_large", request, assent);
  if (code?.startsWith("FST_ERR_CTP") || code === "FST_ERR_BAD_URL")
    return fault("content_type_not_form", request, assent);
  const refusal = refusalOf(error);
  assent.refused(refusal, toRequest(request, assent), error);
  return fault(refusal.condition, request, assent);
}

/** Straight to node:http: no hook looks at answers, and fastify's own way copies each header twice more. */
function send({ status, headers, cookies, body }: Answer, reply: FastifyReply, assent: Assent): void {
  reply.hijack();
  const all: OutgoingHttpHeaders = { ...assent.commonHeaders, ...headers, "x-request-id": reply.request.id };
  // RFC 9110 §8.6: these two have no body, and say nothing of its length.
  if (status !== 204 && status !== 304) all["content-length"] = Buffer.byteLength(body);
  if (cookies !== undefined && cookies.length > 0) all["set-cookie"] = [...cookies];
  if (assent.draining()) all["connection"] = "close";
  reply.raw.writeHead(status, all).end(body);
}

function toRequest(request: FastifyRequest, assent: Assent): HttpRequest {
  const { raw } = request;
  const url = raw.url ?? "/";
  const mark = url.indexOf("?");
  const forwarded = assent.proxies.resolve(raw.socket.remoteAddress ?? "", raw.headers);
  return {
    method: raw.method ?? "GET",
    path: mark === -1 ? url : url.slice(0, mark),
    params: request.params as Readonly<Record<string, string>>,
    query: mark === -1 ? "" : url.slice(mark + 1),
    body: typeof request.body === "string" ? request.body : "",
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
    id: request.id,
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
