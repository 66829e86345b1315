/**
 * An MCP server, or any other API, that calls a second API for its caller: it must not pass the caller's token on. It
 * exchanges the token, and the second API learns who acts (MCP authorization, token passthrough; RFC 8693).
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResourceServer, ResourceServerError } from "../../packages/resource-server/src/index.ts";
import { sendRefusal } from "../../packages/resource-server/src/node.ts";
import { startServer, type TestServer } from "../support/test-server.ts";
import { API1, API2, addApis, aScene, exchange, type Scene } from "../support/token-exchange.ts";

let server: TestServer;
let scene: Scene;
let first: Api;
let second: Api;
/** How the first API calls the second one. */
let passesOn = false;
/** The text of every refusal that the APIs' own logs have. */
const logged: string[] = [];
/** The tokens that the second API was sent. */
const sent: string[] = [];

interface Api {
  readonly url: string;
  readonly http: Server;
}

beforeAll(async () => {
  server = await startServer();
  scene = await aScene(server, await addApis(server));
  second = await anApi(API2, "mail:read", async (request, response) => {
    response.end(JSON.stringify(decodeJwt(tokenOf(request))));
  });
  first = await anApi(API1, "read", async (request, response) => {
    const token = passesOn ? tokenOf(request) : await exchanged(tokenOf(request));
    const answer = await fetch(second.url, { headers: { authorization: `Bearer ${token}` } });
    response.writeHead(answer.status, { "x-challenge": answer.headers.get("www-authenticate") ?? "" });
    response.end(await answer.text());
  });
});
afterAll(async () => {
  for (const { http } of [first, second]) http.close();
  await server.stop();
});

const tokenOf = ({ headers }: IncomingMessage) => headers.authorization?.slice("Bearer ".length) ?? "";

async function exchanged(token: string): Promise<string> {
  const { status, body } = await exchange(server, scene.agent, token, { audience: API2, scope: "mail:read" });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.access_token ?? "";
}

async function anApi(
  audience: string,
  scope: string,
  work: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Api> {
  const api = createResourceServer({ issuer: server.issuer, audience });
  const http = createServer(async (request, response) => {
    if (audience === API2) sent.push(tokenOf(request));
    try {
      await api.protect(request, { scope });
      await work(request, response);
    } catch (error) {
      if (!(error instanceof ResourceServerError)) throw error;
      logged.push(`${error.name} ${error.message} ${error.stack} ${JSON.stringify(error)}`);
      sendRefusal(response, error);
    }
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`, http };
}

const call = () => fetch(first.url, { headers: { authorization: `Bearer ${scene.subject}` } });

test("PM-17 the caller's token is passed on → the second API refuses the foreign audience; exchanged → accepted, with the actor; no log has a token", async () => {
  passesOn = true;
  const refused = await call();
  expect(refused.status).toBe(401);
  expect(refused.headers.get("x-challenge")).toContain('error="invalid_token"');
  expect(sent).toEqual([scene.subject]);

  passesOn = false;
  const accepted = await call();
  expect(accepted.status).toBe(200);
  expect(await accepted.json()).toMatchObject({
    ...{ aud: API2, scope: "mail:read", sub: scene.owner.personId },
    act: { sub: scene.agent.clientId },
  });
  expect(sent).toHaveLength(2);
  expect(sent[1]).not.toBe(scene.subject);

  const lines = [...server.log, ...logged].join("\n");
  expect(logged).toHaveLength(1);
  for (const token of sent) for (const part of token.split(".").slice(1)) expect(lines).not.toContain(part);
  expect(lines).not.toContain(scene.agent.secret);
});
