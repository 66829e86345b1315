/**
 * The operator's name and colours: served by this server, cached by content, under the same content security policy as
 * other files.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aDevice, aDeviceClient, enter, formWith } from "../support/device-actor.ts";
import { Agent, authorizeUrl, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    config: { brandName: "Acme Konto", brandColors: { light: "#1a4fd0", dark: "#9db8ff" } },
  });
});
afterAll(() => server.stop());

test("name and colours → on every page, in a style sheet whose path contains a hash of its content", async () => {
  const page = await new Agent(server.issuer).get("/login");
  expect(page.text).toContain("<title>Sign in · Acme Konto</title>");
  const [, theirs = ""] = [...page.text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path);
  const sheet = await fetch(`${server.issuer}${theirs}`);
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(sheet.headers.get("cache-control")).toContain("immutable");
  expect(await sheet.text()).toContain("--accent:#1a4fd0");
  expect(page.headers.get("content-security-policy")).toContain("style-src 'self'");
});

test("the path with another hash → 404", async () => {
  expect((await fetch(`${server.issuer}/assets/AAAAAAAAAAAAAAAA/brand.css`)).status).toBe(404);
});

test("an app's accent → added after the server's colours on the pages of its requests, and on no others", async () => {
  const accent = "#8a2be2,#d0a8ff";
  const [app, plain] = [await server.addClient({ accent }), await server.addClient()];
  const sheets = (text: string) => [...text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path);
  const own = "/assets/accent/8a2be2-d0a8ff.css";
  const agent = new Agent(server.issuer);
  const login = await agent.follow(await agent.get(authorizeUrl(server, app)));
  expect(sheets(login.text).at(-1)).toBe(own);
  const consent = await signIn(agent, (await server.addPerson()).username, login);
  expect([consent.forms.some(({ action }) => action === "/consent"), sheets(consent.text).at(-1)]).toEqual([true, own]);
  for (const path of ["/account/apps", authorizeUrl(server, plain)])
    expect(sheets((await agent.follow(await agent.get(path))).text)).not.toContain(own);
  const sheet = await fetch(server.issuer + own);
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(await sheet.text()).toMatch(/--accent:#8a2be2;[\s\S]*prefers-color-scheme: dark[\s\S]*--accent:#d0a8ff;/);
});

test("an app's accent → on a device's pages as soon as the code is known", async () => {
  const tv = await aDeviceClient(server, { accent: "#8a2be2,#d0a8ff" });
  const own = "/assets/accent/8a2be2-d0a8ff.css";
  const { userCode } = await aDevice(server, tv);
  const agent = new Agent(server.issuer);
  expect((await agent.get("/device")).text).not.toContain(own);
  const asked = await enter(agent, userCode, (await server.addPerson()).username);
  expect(asked.text).toContain(own);
  expect((await agent.submit(formWith(asked, "decision"), { decision: "allow" })).text).toContain(own);
});

test.each(["ffff00-ffff00", "8a2be2", "8a2be2-d0a8ff;", "8A2BE2-D0A8FF", "..%2f..-x", "8a2be2-8a2be2"])(
  "an accent path with colours that are invalid or have too little contrast (%s) → 404",
  async (name) => {
    expect((await fetch(`${server.issuer}/assets/accent/${name}.css`)).status).toBe(404);
  },
);
