/** The demo's web app: pages and buttons, its own sessions, its security headers. */

import type { AssentServer } from "@assent/server";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { CALLBACK } from "../demo-names-and-texts.ts";
import type { OpenPort } from "../open-port.ts";
import { readAsset } from "../read-asset.ts";
import type { PhotoClient } from "./client.ts";
import { albumPage, type PageFacts, startPage, wrongPage } from "./pages.ts";
import { cookieOf, NO_COOKIE, newSession, type Session, Sessions, sessionIdOf } from "./sessions.ts";

const ASSETS = new Map<string, { readonly type: string; readonly bytes: Buffer }>(
  (
    [
      ["style.css", "text/css; charset=utf-8"],
      ["countdown.js", "text/javascript; charset=utf-8"],
      ["logo.svg", "image/svg+xml"],
      ["logo.png", "image/png"],
    ] as const
  ).map(([name, type]) => [name, { type, bytes: readAsset(name) }]),
);

/** Builds the app. Its port is already open. */
export async function createApp(
  client: PhotoClient,
  facts: PageFacts,
  port: OpenPort,
  log: Pick<AssentServer["log"], "error">,
): Promise<FastifyInstance> {
  const app = Fastify({ serverFactory: port.serverFactory, bodyLimit: 1024 });
  guard(app, facts);
  addAssets(app);
  addFlow(app, client, new Sessions(), facts);
  app.setNotFoundHandler((_request, reply) => {
    const text = "There is nothing at this address.";
    return reply.code(404).type("text/html; charset=utf-8").send(wrongPage("Not here", text));
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, "the demo's app");
    const text = status >= 500 ? "The app made a mistake; the log has the reason." : "The app can’t use this request.";
    return reply.code(status).type("text/html; charset=utf-8").send(wrongPage("That didn’t work", text));
  });
  await app.ready();
  return app;
}

/** Sets the headers of every response. Refuses other host names, and forms that another site submits. */
function guard(app: FastifyInstance, { url, issuer }: PageFacts): void {
  const { host, origin } = new URL(url);
  // The Connect form posts to this app, which redirects to the server. Browsers apply `form-action` to the redirect too.
  const formAction = `form-action 'self' ${new URL(issuer).origin}`;
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({
      "content-security-policy": `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; ${formAction}`,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      // With no-referrer, browsers would hide the origin of our own forms too.
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      "cache-control": "no-store",
    });
    // Cookies belong to a host name. If the flow starts at another name (localhost), the response would not find its session.
    if (request.headers.host !== host) {
      return request.method === "GET" ? reply.redirect(`${url}/`, 302) : reply.code(421).send("Wrong host.\n");
    }
    if (request.method === "POST" && request.headers.origin !== origin) {
      const page = wrongPage("Not from here", "This button was pressed on a page that is not ours.");
      return reply.code(403).type("text/html; charset=utf-8").send(page);
    }
    return undefined;
  });
  app.removeAllContentTypeParsers();
  // The path of a button says everything, so the app ignores the body of a form.
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, _body, done) => done(null, null));
}

function addAssets(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>("/assets/:name", (request, reply) => {
    const asset = ASSETS.get(request.params.name);
    if (asset === undefined) return reply.callNotFound();
    return reply.type(asset.type).header("cache-control", "public, max-age=60").send(asset.bytes);
  });
  app.get("/favicon.ico", (_request, reply) => reply.redirect("/assets/logo.png", 302));
}

type Click = (session: Session) => Promise<void>;

function addFlow(app: FastifyInstance, client: PhotoClient, sessions: Sessions, facts: PageFacts): void {
  const find = (request: FastifyRequest) => sessions.find(sessionIdOf(request.headers.cookie));
  const page = (reply: FastifyReply, body: string) => reply.type("text/html; charset=utf-8").send(body);

  app.get("/", (request, reply) => {
    const session = find(request) ?? newSession();
    const { tokens } = session;
    return page(reply, tokens === null ? startPage(session, facts) : albumPage(session, tokens, facts));
  });

  app.post("/connect", async (request, reply) => {
    let session = find(request);
    if (session === undefined) {
      session = newSession();
      reply.header("set-cookie", cookieOf(sessions.add(session)));
    }
    return reply.redirect((await client.begin(session)).href, 303);
  });

  app.get(CALLBACK, async (request, reply) => {
    const mark = request.url.indexOf("?");
    const id = sessionIdOf(request.headers.cookie);
    const session = sessions.find(id) ?? newSession();
    await client.finish(session, mark === -1 ? "" : request.url.slice(mark));
    // The session gets tokens, so it gets a new id. An attacker who knew the old id can't use it.
    if (id !== undefined) sessions.end(id);
    reply.header("set-cookie", cookieOf(sessions.add(session)));
    return reply.redirect("/", 303);
  });

  const button = (path: string, click: Click) =>
    app.post(path, async (request, reply) => {
      const session = find(request);
      if (!session?.tokens) return reply.redirect("/", 303);
      session.notice = null;
      session.seen = session.steps.length;
      await click(session);
      return reply.redirect(latest(session), 303);
    });
  button("/call", client.callApi);
  button("/refresh", client.refresh);
  button("/forged", client.tryForged);
  button("/delete", client.tryDelete);

  app.post("/start-over", async (request, reply) => {
    const id = sessionIdOf(request.headers.cookie);
    const session = sessions.find(id);
    if (id !== undefined) sessions.end(id);
    if (session !== undefined) await client.leave(session);
    return reply.header("set-cookie", NO_COOKIE).redirect("/", 303);
  });
}

/** The path of the page, with the fragment of the last step. */
function latest({ steps }: Session): string {
  const last = steps.at(-1);
  return last === undefined ? "/" : `/#step-${last.number}`;
}
