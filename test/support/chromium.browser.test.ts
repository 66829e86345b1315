import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, findChromium, launchBrowser, withPage } from "./chromium.ts";

const GOOD = `<!doctype html><html lang="en"><title>Good</title><main><h1>Good</h1><p>Text</p></main></html>`;
const BAD = `<!doctype html><html lang="en"><title>Bad</title>
  <main><h1>Bad</h1><input name="nameless"><p style="color:#bbb;background:#fff">Faint</p></main></html>`;
const BLOCKED = `<!doctype html><html lang="en"><title>Blocked</title><main><h1>B</h1></main><script>1</script></html>`;
const THROWS = `<!doctype html><html lang="en"><title>Throws</title><main><h1>T</h1></main><script src="/throw.js"></script></html>`;

const pages: Record<string, string> = { "/good": GOOD, "/bad": BAD, "/blocked": BLOCKED, "/throws": THROWS };

const server = createServer((request, response) => {
  const body = pages[request.url ?? ""] ?? `throw new Error("thrown by the page")`;
  const type = body.startsWith("<") ? "text/html" : "text/javascript";
  response.writeHead(200, {
    "content-type": type,
    "content-security-policy": "default-src 'self'; style-src 'unsafe-inline'",
  });
  response.end(body);
});
let origin = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("ASSENT_TEST_CHROMIUM", () => {
  test("names no executable → the launch fails and says which", async () => {
    process.env.ASSENT_TEST_CHROMIUM = "/nonexistent/chromium";
    try {
      await expect(launchBrowser()).rejects.toThrow("/nonexistent/chromium");
    } finally {
      delete process.env.ASSENT_TEST_CHROMIUM;
    }
  });

  test("names a path → that one is taken as it is", () => {
    process.env.ASSENT_TEST_CHROMIUM = "/opt/own/chromium";
    expect(findChromium()).toEqual({ path: "/opt/own/chromium", env: {}, from: "named" });
    delete process.env.ASSENT_TEST_CHROMIUM;
  });
});

const kinds = process.arch === "x64" ? ["default", "bundled"] : ["default"];

describe.each(kinds)("Chromium: %s", (kind) => {
  let browser: Browser;

  beforeAll(async () => {
    if (kind === "bundled") process.env.ASSENT_TEST_CHROMIUM = "bundled";
    browser = await launchBrowser();
    delete process.env.ASSENT_TEST_CHROMIUM;
  });
  afterAll(() => browser.close());

  const visit = (path: string, extra = {}) =>
    withPage({ browser, ...extra }, async (page) => {
      await page.goto(origin + path);
      return axe(page);
    });

  test("a nameless field and faint text → one line for each, with the place", async () => {
    const found = await visit("/bad");
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^color-contrast \(serious\).*: p: .*1\.91/);
    expect(found[1]).toMatch(/^label \(critical\).*: input: /);
  });

  test("a script that the policy forbids → the page fails its test", async () => {
    await expect(visit("/blocked")).rejects.toThrow(/policy: .*script/s);
  });

  test("a script that throws → the page fails its test, unless that is expected", async () => {
    await expect(visit("/throws")).rejects.toThrow("script: thrown by the page");
    expect(await visit("/throws", { tolerate: [/thrown by the page/] })).toEqual([]);
  });

  test("a clean page, under a policy without inline scripts → no violations", async () => {
    expect(await visit("/good")).toEqual([]);
  });

  test("a page without JavaScript → axe refuses at once, and the text is drawn all the same", async () => {
    await withPage({ browser, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${origin}/good`);
      await expect(axe(page)).rejects.toThrow("needs a page with JavaScript");
      expect((await page.locator("p").boundingBox())?.height).toBeGreaterThan(10);
    });
  });
});

test("no browser given → one is opened and closed again", async () => {
  const page = await withPage({}, async (page) => {
    await page.goto(`${origin}/good`);
    expect(await page.title()).toBe("Good");
    return page;
  });
  expect(page.isClosed()).toBe(true);
});
