/** The same protected API in each framework that has an adapter, over real HTTP. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import * as onFastify from "../../src/fastify.ts";
import * as onFetch from "../../src/fetch.ts";
import * as onHono from "../../src/hono.ts";
import type { Requirement, ResourceServer } from "../../src/index.ts";
import * as onNode from "../../src/node.ts";
import { close, listen } from "./issuer.ts";

export interface Running {
  readonly origin: string;
  close(): Promise<void>;
}

type Start = (api: ResourceServer, requirement: Requirement) => Promise<Running>;

async function served(listener: RequestListener): Promise<Running> {
  const server = createServer(listener);
  return { origin: await listen(server), close: () => close(server) };
}

/** A server for handlers of the Fetch standard, as runtimes other than Node.js have one. */
function bridge(handle: (request: Request) => Response | Promise<Response>): RequestListener {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const headers = new Headers();
    for (let at = 0; at < request.rawHeaders.length; at += 2)
      headers.append(request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? "");
    const target = request.url ?? "/";
    const url = target.startsWith("/") ? `http://${request.headers.host}${target}` : target;
    const answer = await handle(new Request(url, { method: request.method ?? "GET", headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
}

/** Each answers `Hello alice` at every path but that of the document. */
export const frameworks: Readonly<Record<string, Start>> = {
  "node:http": (api, requirement) => {
    const metadata = onNode.serveMetadata(api);
    const greet = onNode.withToken(api, requirement, (_, response, { sub }) => response.end(`Hello ${sub}`));
    return served((request, response) => metadata(request, response, () => void greet(request, response)));
  },
  fetch: (api, requirement) => {
    const metadata = onFetch.serveMetadata(api);
    const greet = onFetch.withToken(api, requirement, (_, { sub }) => new Response(`Hello ${sub}`));
    return served(bridge((request) => metadata(request) ?? greet(request)));
  },
  Express: (api, requirement) => {
    const app = express();
    app.use(onNode.serveMetadata(api));
    app.use(onNode.requireToken(api, requirement), (request, response) => {
      response.send(`Hello ${onNode.claimsOf(request).sub}`);
    });
    return served(app);
  },
  Fastify: async (api, requirement) => {
    const app = Fastify();
    app.addHook("onRequest", onFastify.serveMetadata(api));
    app.addHook("onRequest", onFastify.requireToken(api, requirement));
    app.all("*", async (request) => `Hello ${onFastify.claimsOf(request).sub}`);
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    return { origin: `http://127.0.0.1:${port}`, close: () => app.close() };
  },
  Hono: (api, requirement) => {
    const app = new Hono();
    app.use(onHono.serveMetadata(api));
    app.use(onHono.requireToken(api, requirement));
    app.all("*", (c) => c.text(`Hello ${onHono.claimsOf(c).sub}`));
    return served(bridge((request) => app.fetch(request)));
  },
};
