/**
 * Actions of people and other sites on open tabs, in a real browser: Back, double clicks, forms of other sites, markup.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { launchBrowser, type PageOptions, withPage } from "../support/chromium.ts";
import { type ClientSite, startClientSite } from "../support/client-site-in-browser.ts";
import { rowCounts } from "../support/front-channel.ts";
import { authorizeUrl, redeem } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
/** A client's site that is same-site with the server, and one that is not. */
let near: ClientSite;
let far: ClientSite;
let username: string;

beforeAll(async () => {
  [browser, server, near, far] = await Promise.all([
    launchBrowser(),
    startServer(),
    startClientSite("127.0.0.1"),
    startClientSite("localhost"),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.stop(), near?.stop(), far?.stop()]);
});
beforeEach(async () => {
  ({ username } = await server.addPerson());
});

const clientAt = (site: ClientSite) => server.addClient({ redirectUris: [`${site.origin}/cb`] });
const open = <Result>(work: (page: Page) => Promise<Result>, options: PageOptions = {}) =>
  withPage({ browser, ...options }, work);

async function signInOn(page: Page): Promise<void> {
  await page.fill("[name=username]", username);
  await page.fill("[name=password]", PASSWORD);
  await page.click("button[type=submit]");
}

const allowOn = (page: Page) => page.click("button[value=allow]");

test("SS-05, SS-14 forms of another site post to every page → nothing is done, and a tab under way goes on", async () => {
  const client = await clientAt(near);
  await open(async (page) => {
    await page.goto(authorizeUrl(server, client));
    await signInOn(page);
    await page.waitForSelector("button[value=allow]");
    const elsewhere = await page.context().newPage();
    const fields = { username, password: PASSWORD, csrf: "x", sign_out: "sign_out", client_id: client.clientId };
    for (const path of ["/login", "/consent", "/login/switch", "/account/apps/revoke", "/account/sign-out"]) {
      far.posts(`${server.issuer}${path}`, new URLSearchParams(fields));
      await elsewhere.goto(`${far.origin}/start`);
      await elsewhere.click("button");
      await elsewhere.waitForURL(`${server.issuer}/**`);
    }
    await allowOn(page);
    expect((await near.arrival()).fields.get("code")).toMatch(/^ac_/);
  });
});

test("a form of another site, or of another port of this host, with good values → told that it is not taken, and signed in nowhere", async () => {
  await open(async (page) => {
    await page.goto(`${server.issuer}/login`);
    const csrf = await page.inputValue("[name=csrf]");
    for (const site of [far, near]) {
      const elsewhere = await page.context().newPage();
      site.posts(`${server.issuer}/login`, new URLSearchParams({ username, password: PASSWORD, csrf }));
      await elsewhere.goto(`${site.origin}/start`);
      await elsewhere.click("button");
      await elsewhere.waitForURL(`${server.issuer}/**`);
      expect(await elsewhere.textContent("h1")).toBe("This form came from another site");
      await elsewhere.goto(`${server.issuer}/account/apps`);
      expect(await elsewhere.isVisible("[name=username]")).toBe(true);
    }
  });
});

test("our own form, sent again by the browser's reload → taken each time", async () => {
  await open(async (page) => {
    await page.goto(`${server.issuer}/login`);
    await page.fill("[name=username]", username);
    await page.fill("[name=password]", "wrong");
    // Waits, because a reload before the answer has arrived fails in the browser.
    await Promise.all([page.waitForEvent("load"), page.click("button[type=submit]")]);
    const posts: (string | undefined)[] = [];
    page.on("request", async (request) => {
      if (request.method() === "POST") posts.push((await request.allHeaders())["sec-fetch-site"]);
    });
    for (let times = 0; times < 2; times += 1) {
      const answer = await page.reload();
      expect([answer?.request().method(), answer?.status()]).toEqual(["POST", 200]);
    }
    expect(new Set(posts)).toEqual(new Set(["same-origin"]));
    await signInOn(page);
    await page.waitForURL(`${server.issuer}/account/apps`);
  });
});

test("a double click on Allow → one grant, one code, and the app has it", async () => {
  const client: TestClient = await clientAt(near);
  await open(async (page) => {
    await page.goto(authorizeUrl(server, client));
    await signInOn(page);
    await page.waitForSelector("button[value=allow]");
    const before = (await rowCounts(server.dataDir))["grants"] ?? 0;
    await page.dblclick("button[value=allow]", { noWaitAfter: true });
    await page.getByRole("heading", { name: "Back in the app" }).waitFor();
    const arrived = await near.arrival();
    expect((await rowCounts(server.dataDir))["grants"]).toBe(before + 1);
    expect((await redeem(server, client, arrived.fields.get("code") ?? "")).status).toBe(200);
    near.forget();
  });
});

test("Back after the answer → never a form to send again: the app once more, or a page that says it is done", async () => {
  const client = await clientAt(far);
  await open(async (page) => {
    await page.goto(authorizeUrl(server, client));
    await signInOn(page);
    await allowOn(page);
    const { fields } = await far.arrival();
    await page.getByRole("heading", { name: "Back in the app" }).waitFor();
    expect((await redeem(server, client, fields.get("code") ?? "")).status).toBe(200);
    await page.goBack();
    await page.getByRole("heading", { name: "You already answered" }).waitFor();
    await page.getByRole("link", { name: "Go to your apps" }).click();
    await expect.poll(() => page.locator(`[data-client-id="${client.clientId}"]`).count()).toBe(1);
  });
});

test("SS-13 Back after signing out → the sign-in page, not what was there", async () => {
  await open(async (page) => {
    await page.goto(`${server.issuer}/login`);
    await signInOn(page);
    await page.waitForURL("**/account/apps");
    await page.click("button[name=sign_out]");
    await page.getByRole("heading", { name: /signed out/i }).waitFor();
    await page.goBack();
    await page.waitForURL("**/login");
    expect(await page.content()).not.toContain(username);
  });
});

test("SS-26, IN-05 markup in login_hint and state → text in the field; nothing runs", async () => {
  const client = await clientAt(far);
  const payload = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
  await open(async (page) => {
    await page.goto(authorizeUrl(server, client, { login_hint: payload, state: payload }));
    expect(await page.inputValue("[name=username]")).toBe(payload);
    await page.goto(authorizeUrl(server, client, { prompt: "none", response_mode: "form_post", state: payload }));
    expect((await far.arrival()).fields.get("state")).toBe(payload);
    expect(await page.title()).not.toBe("owned");
  });
});
