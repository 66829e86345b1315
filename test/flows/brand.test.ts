/** The operator's look: served from here, cached by its content, under the same policy as everything else. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent } from "../support/browser-like.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    config: { brandName: "Acme Konto", brandColors: { light: "#1a4fd0", dark: "#9db8ff" } },
  });
});
afterAll(() => server.stop());

test("name and colours → on every page, from a file whose path names its content", async () => {
  const page = await new Agent(server.issuer).get("/login");
  expect(page.text).toContain("<title>Sign in · Acme Konto</title>");
  const [, theirs = ""] = [...page.text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path);
  const sheet = await fetch(`${server.issuer}${theirs}`);
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(sheet.headers.get("cache-control")).toContain("immutable");
  expect(await sheet.text()).toContain("--accent:#1a4fd0");
  expect(page.headers.get("content-security-policy")).toContain("style-src 'self'");
});

test("another content's path → 404", async () => {
  expect((await fetch(`${server.issuer}/assets/AAAAAAAAAAAAAAAA/brand.css`)).status).toBe(404);
});
