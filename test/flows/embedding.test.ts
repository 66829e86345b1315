/** The server inside another app: `createAssent(config).handler` below a path of the app. */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AssentServer, configOf, createAssent } from "../../packages/server/src/index.ts";
import { Agent, authorize, authorizeUrl, redeem } from "../support/http-browser.ts";
import { registering } from "../support/test-server.ts";

const dataDir = mkdtempSync(join(tmpdir(), "assent-embedded-"));
let server: Server;
let assent: AssentServer;
let issuer: string;

beforeAll(async () => {
  const app = express();
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`;
  assent = await createAssent(configOf({ issuer, dataDir }), { log: pino({ level: "silent" }) });
  app.get("/", (_request, response) => void response.send("the app's own page"));
  // Express removes the mount path from `url`, but the handler needs the original path.
  app.use(["/auth", "/.well-known/oauth-authorization-server/auth"], (request, response) => {
    request.url = request.originalUrl;
    assent.handler(request, response);
  });
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await assent.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("an issuer with a path → metadata at the host's root with the path behind it (RFC 8414 §3.1), everything else below it", async () => {
  const root = new URL(issuer).origin;
  const metadata = (await (await fetch(`${root}/.well-known/oauth-authorization-server/auth`)).json()) as Record<
    string,
    string
  >;
  expect(metadata).toMatchObject({
    issuer,
    token_endpoint: `${issuer}/token`,
    authorization_endpoint: `${issuer}/authorize`,
  });
  expect((await fetch(`${issuer}/.well-known/oauth-authorization-server`)).status).toBe(404);
  expect((await fetch(metadata["jwks_uri"] ?? "")).status).toBe(200);
  expect(await (await fetch(root)).text()).toBe("the app's own page");
});

test("the whole flow below the path → tokens of that issuer; forms and files of pages lie below it, too", async () => {
  const { addClient, addPerson, addStandardScopes } = registering(assent, Date.now);
  await addStandardScopes();
  const [client, person] = [await addClient(), await addPerson()];
  const page = await new Agent(issuer).get("/auth/login");
  expect(page.forms[0]?.action).toBe("/auth/login");
  const sheet = /href="([^"]+assent\.css)"/.exec(page.text)?.[1] ?? "";
  expect((await fetch(new URL(sheet, issuer))).status).toBe(200);

  const callback = await authorize(new Agent(issuer), authorizeUrl({ issuer }, client), person.username);
  expect(callback.searchParams.get("iss")).toBe(issuer);
  const answer = await redeem({ issuer }, client, callback);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
});
