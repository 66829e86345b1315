import { listConsents, openAdmin, revokeConsent, userOf } from "@assent/server/admin";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../../../test/support/chromium.ts";
import { SCOPES } from "../src/demo-names-and-texts.ts";
import { type RunningDemo, removeDataDirs, startDemo, testConfig } from "./support/demo.ts";

let browser: Browser;
let demo: RunningDemo;

beforeAll(async () => {
  browser = await launchBrowser();
  demo = await startDemo();
});

afterAll(async () => {
  await browser.close();
  await demo.stop();
  removeDataDirs();
});

// Removes the answers of one test, so that the next one starts without any.
afterEach(async () => {
  const admin = await openAdmin(testConfig({ dataDir: demo.dataDir }));
  const owner = { user: demo.json.username };
  for (const { clientId, status } of await listConsents({ ...owner, limit: 10 }, admin)) {
    if (status === "active") await revokeConsent(owner, clientId, admin);
  }
  await admin.close();
});

const button = (page: Page, name: string, exact = false) => page.getByRole("button", { name, exact });

/** From the start page to the server's consent page. */
async function askedFor(page: Page, { json } = demo): Promise<void> {
  await page.goto(json.client_url);
  await button(page, "Connect with Assent").click();
  await page.fill("[name=username]", json.username);
  await page.fill("[name=password]", json.password);
  await button(page, "Sign in", true).click();
  await page.waitForSelector("button[name=decision]");
}

async function connected(page: Page, { declined = [] as string[], in: where = demo } = {}): Promise<void> {
  await askedFor(page, where);
  for (const { name } of SCOPES.filter(({ optional }) => optional)) {
    await page.setChecked(`input[name=scope][value="${name}"]`, !declined.includes(name));
  }
  await page.click("button[name=decision][value=allow]");
  await page.waitForSelector(".album");
}

async function revokeAt(page: Page, { json } = demo): Promise<void> {
  const account = await page.context().newPage();
  await account.goto(`${json.issuer}/account/apps`);
  await account.click("[data-client-id] button[name=revoke]");
  await expect.poll(() => account.locator("[data-client-id]").count()).toBe(0);
  await account.close();
}

/** Number of the demo owner's grants that can still be refreshed. */
async function liveGrants(): Promise<number> {
  const admin = await openAdmin(testConfig({ dataDir: demo.dataDir }));
  const { partition, personId } = await userOf(demo.json.username, admin);
  const consents = await admin.storage.consents.list({ partition, ownerId: personId, now: Date.now() });
  await admin.close();
  return consents.flatMap(({ grants }) => grants).filter(({ status }) => status === "active").length;
}

/** The last step's title and status. */
async function lastStep(page: Page): Promise<string> {
  const step = page.locator(".step").last();
  const status = await step.locator(".status").allInnerTexts();
  return [await step.locator("h3").innerText(), ...status].join(" ");
}

const text = (page: Page) => page.locator("body").innerText();

describe("the story", () => {
  test("owner declines one scope → photos, 403, renewed, taken back, refused; the old token lives on for minutes", async () => {
    await withPage({ browser, viewport: { width: 1280, height: 900 } }, async (page) => {
      await connected(page, { declined: ["photos:delete"] });
      expect(page.url()).toBe(`${demo.json.client_url}/`);
      await expect.poll(() => page.locator(".gallery img").count()).toBe(9);
      expect(await page.locator("h1").innerText()).toBe("Hello Robin");
      expect(await page.locator(".permissions .declined code").allInnerTexts()).toEqual(["photos:delete"]);
      expect(await page.locator(".countdown").first().innerText()).toMatch(/^ ?· (10:00|9:\d\d) left$/);
      expect(await axe(page)).toEqual([]);

      await button(page, "Call the API again").click();
      await expect.poll(() => lastStep(page)).toBe("The app fetches your photos 200");
      await button(page, "Try with a wrong token").click();
      await expect.poll(() => lastStep(page)).toBe("The app tries a token it has tampered with 401");
      await button(page, "Try to delete a photo").click();
      await expect.poll(() => lastStep(page)).toBe("The app tries what you declined 403");
      expect(await page.locator(".step").last().innerText()).toContain('error="insufficient_scope"');
      await expect.poll(() => page.locator(".gallery img").count()).toBe(9);
      await button(page, "Refresh the token").click();
      await expect.poll(() => lastStep(page)).toBe("The app renews its access token 200");

      await revokeAt(page);
      await button(page, "Refresh the token").click();
      await expect.poll(() => lastStep(page)).toBe("Assent refuses to renew 400");
      expect(await text(page)).toContain('"error": "invalid_grant"');
      expect(await page.locator(".notice .countdown").innerText()).toMatch(/left/);
      await button(page, "Call the API again").click();
      await expect.poll(() => lastStep(page)).toBe("The old access token still works, for now 200");
      expect(await axe(page)).toEqual([]);
      await button(page, "Connect with Assent again").click();
      await page.waitForSelector("button[name=decision]");
      expect(page.url()).toContain(demo.json.issuer);
    });
  });

  test("every step → real request, its section of an RFC, no secret in full", async () => {
    await withPage({ browser }, async (page) => {
      await connected(page, { declined: ["photos:delete"] });
      const steps = await page.locator(".step").all();
      expect(steps).toHaveLength(6);
      for (const step of steps) {
        expect(await step.locator(".rfc").first().getAttribute("href")).toMatch(
          /rfc-editor\.org\/rfc\/rfc\d+#section-/,
        );
      }
      const source = await page.content();
      expect(source).not.toMatch(/\b(?:ac|rt|cs)_[\w-]{12,}/);
      expect(source).not.toMatch(/eyJ[\w-]{20,}/);
      expect(source).not.toContain(demo.json.password);
      const token = await page.locator(".step").nth(3).innerText();
      for (const part of [
        "POST /token",
        "code_verifier",
        '"token_type": "Bearer"',
        '"typ": "at+jwt"',
        demo.json.api_url,
      ]) {
        expect(token).toContain(part);
      }
      expect(token).toContain("less than it asked for");
    });
  });

  test("owner allows everything → the app deletes a photo; a restart brings it back", async () => {
    const own = await startDemo();
    await withPage({ browser }, async (page) => {
      await connected(page, { in: own });
      await button(page, "Delete a photo").click();
      await expect.poll(() => lastStep(page)).toBe("The app deletes a photo 204");
      await expect.poll(() => page.locator(".gallery img").count()).toBe(8);
      expect(await text(page)).toContain("“First light” is gone");
      await button(page, "Call the API again").click();
      await expect.poll(() => page.locator(".gallery img").count()).toBe(8);
    });
    await own.stop();
    const again = await startDemo({ dataDir: own.dataDir });
    await withPage({ browser }, async (page) => {
      await page.goto(again.json.client_url);
      await button(page, "Connect with Assent").click();
      await page.fill("[name=username]", again.json.username);
      await page.fill("[name=password]", again.json.password);
      await button(page, "Sign in", true).click();
      // Everything was allowed before the restart, so no page asks again.
      await page.waitForSelector(".album");
      await expect.poll(() => page.locator(".gallery img").count()).toBe(9);
    });
    await again.stop();
  });

  test("owner takes one permission out → the renewed token is narrower, and the API says 403", async () => {
    await withPage({ browser }, async (page) => {
      await connected(page, { declined: ["photos:delete"] });
      await page.goto(`${demo.json.issuer}/account/apps`);
      await page.locator("details.narrow summary").click();
      await page.uncheck('input[name=keep][value="photos:read"]');
      await page.click("button[name=narrow]");
      await page.goto(demo.json.client_url);
      await button(page, "Refresh the token").click();
      expect(await page.locator(".notice").innerText()).toContain("with less in it");
      await button(page, "Call the API again").click();
      await expect.poll(() => lastStep(page)).toBe("The API misses a permission 403");
      await revokeAt(page);
    });
  });

  test("owner says no → the start page says so; the app has nothing", async () => {
    await withPage({ browser }, async (page) => {
      await askedFor(page);
      await page.click("button[name=decision][value=deny]");
      await page.waitForSelector(".notice");
      expect(await text(page)).toContain("You didn’t allow it");
      await expect.poll(() => lastStep(page)).toBe("You come back with a no");
      expect(await page.locator(".gallery").count()).toBe(0);
      expect(await axe(page)).toEqual([]);
    });
  });

  test("start over → all forgotten, the refresh token given back, what was allowed still listed", async () => {
    await withPage({ browser }, async (page) => {
      await connected(page, { declined: ["photos:delete"] });
      const before = await liveGrants();
      await button(page, "Start over").click();
      await page.waitForSelector(".hero");
      expect(await page.locator(".step").count()).toBe(0);
      expect(await liveGrants()).toBe(before - 1);
      await page.goto(`${demo.json.issuer}/account/apps`);
      await expect.poll(() => page.locator("[data-client-id]").count()).toBe(1);
    });
  });

  test("without JavaScript → the same story", async () => {
    await withPage({ browser, javaScriptEnabled: false }, async (page) => {
      await connected(page, { declined: ["photos:delete"] });
      await expect.poll(() => page.locator(".gallery img").count()).toBe(9);
      expect(await text(page)).toMatch(/valid until \d\d:\d\d:\d\d/);
      await button(page, "Refresh the token").click();
      await expect.poll(() => lastStep(page)).toBe("The app renews its access token 200");
    });
  });
});

test("a token that has timed out → 401, and a refresh mends it", async () => {
  // Long enough to press a button before the token expires, also on a busy machine.
  const short = await startDemo({ accessTtl: 6000 });
  try {
    await withPage({ browser }, async (page) => {
      await connected(page, { declined: ["photos:delete"], in: short });
      await page.locator(".countdown.over").waitFor();
      await button(page, "Call the API again").click();
      await expect.poll(() => lastStep(page)).toBe("The API turns the old token away 401");
      await button(page, "Refresh the token").click();
      await button(page, "Call the API again").click();
      await expect.poll(() => lastStep(page)).toBe("The app fetches your photos 200");
    });
  } finally {
    await short.stop();
  }
});

describe("pages", () => {
  test.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
    ["dark", 320],
  ] as const)("%s, %i px → axe finds nothing, nothing sticks out", async (colorScheme, width) => {
    await withPage({ browser, colorScheme, viewport: { width, height: 800 } }, async (page) => {
      await page.goto(demo.json.client_url);
      expect(await axe(page)).toEqual([]);
      await connected(page, { declined: ["photos:delete"] });
      await page.locator("details").evaluateAll((all) => {
        for (const each of all) each.setAttribute("open", "");
      });
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    });
  });

  test("an answer that nobody asked for → dropped, in words, and no code is redeemed", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${demo.json.client_url}/callback?code=ac_guessed&state=guessed`);
      expect(await text(page)).toContain("The app dropped an answer");
      await expect.poll(() => page.locator(".step").count()).toBe(1);
    });
  });

  test("another state than the one sent → dropped", async () => {
    await withPage({ browser }, async (page) => {
      await askedFor(page);
      await page.goto(`${demo.json.client_url}/callback?code=ac_guessed&state=guessed`);
      await expect.poll(() => lastStep(page)).toBe("An answer that the app did not ask for");
    });
  });

  test("an address that leads nowhere → 404 with a way on", async () => {
    await withPage({ browser }, async (page) => {
      const answer = await page.goto(`${demo.json.client_url}/nowhere`);
      expect(answer?.status()).toBe(404);
      expect(await axe(page)).toEqual([]);
    });
  });
});

describe("the app's own defences", () => {
  test("a button pressed by another origin, or none → 403", async () => {
    for (const headers of [{}, { origin: "http://localhost:1" }, { origin: "null" }]) {
      const answer = await fetch(`${demo.json.client_url}/connect`, { method: "POST", headers, redirect: "manual" });
      expect(answer.status).toBe(403);
    }
  });

  test("another host name → sent to the right one", async () => {
    const { port } = new URL(demo.json.client_url);
    const answer = await fetch(`http://localhost:${port}/`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${demo.json.client_url}/`]);
  });

  test("each page → no script or frame from elsewhere, no sniffing, no caching", async () => {
    const { headers } = await fetch(demo.json.client_url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});
