/** The front channel in a real browser: policies on redirects, form_post, POST /authorize. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchBrowser, type PageOptions, withPage } from "../support/chromium.ts";
import { type ClientSite, startClientSite } from "../support/client-site-in-browser.ts";
import { authorizeUrl, redeem } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

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

describe.each(["near", "far"] as const)("a client of a site that is %s", (where) => {
  const site = () => (where === "near" ? near : far);

  test("HD-03 sign-in, consent, redirect → the policies let it through; next time the sign-in alone leads back", async () => {
    const client = await clientAt(site());
    await open(async (page) => {
      await page.goto(authorizeUrl(server, client));
      await signInOn(page);
      await allowOn(page);
      const { method, fields, headers } = await site().arrival();
      expect([method, fields.get("state"), fields.get("iss")]).toEqual(["GET", "a state", server.issuer]);
      // RFC 9700 §4.2.4: the client doesn't learn the address of our page.
      expect(headers["referer"]).toBeUndefined();
      await page.getByRole("heading", { name: "Back in the app" }).waitFor();
      expect((await redeem(server, client, fields.get("code") ?? "")).status).toBe(200);
    });
    await open(async (page) => {
      await page.goto(authorizeUrl(server, client, { state: "again" }));
      await signInOn(page);
      expect((await site().arrival()).fields.get("state")).toBe("again");
    });
  });

  test("form_post → the page posts by itself, fields unchanged", async () => {
    const client = await clientAt(site());
    const state = `é "quoted" <b>&amp; 'x' +%20`;
    await open(async (page) => {
      await page.goto(authorizeUrl(server, client, { response_mode: "form_post", state }));
      await signInOn(page);
      await allowOn(page);
      const { method, fields, headers } = await site().arrival();
      expect([method, fields.get("state"), fields.get("iss")]).toEqual(["POST", state, server.issuer]);
      expect([...fields.keys()]).toEqual(["code", "state", "iss"]);
      expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
      expect(headers["referer"]).toBeUndefined();
      await page.getByRole("heading", { name: "Back in the app" }).waitFor();
      expect((await redeem(server, client, fields.get("code") ?? "")).status).toBe(200);
    });
  });

  test("form_post without JavaScript → its button does; a refusal goes the same way", async () => {
    const client = await clientAt(site());
    await open(
      async (page) => {
        await page.goto(authorizeUrl(server, client, { response_mode: "form_post" }));
        await signInOn(page);
        await allowOn(page);
        await page.click("main button[type=submit]");
        const { method, fields } = await site().arrival();
        expect([method, fields.get("code")?.slice(0, 3)]).toEqual(["POST", "ac_"]);
        await page.goto(authorizeUrl(server, client, { response_mode: "form_post", scope: "nothing" }));
        await page.click("main button[type=submit]");
        expect((await site().arrival()).fields.get("error")).toBe("invalid_scope");
      },
      { javaScriptEnabled: false },
    );
  });

  test("POST /authorize from the client's page → with the session: first the consent page, then straight back", async () => {
    const client = await clientAt(site());
    await open(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await signInOn(page);
      await page.waitForURL("**/account/apps");
      const browserCookie = async () =>
        (await page.context().cookies(server.issuer)).find(({ name }) => name === "assent_browser")?.value;
      const before = await browserCookie();
      const { searchParams } = new URL(authorizeUrl(server, client, { state: 'p "o" é' }));
      site().posts(`${server.issuer}/authorize`, searchParams);
      await page.goto(`${site().origin}/start`);
      await page.click("button");
      await page.waitForSelector("button[value=allow]");
      expect(await page.locator("[name=password]").count()).toBe(0);
      await allowOn(page);
      expect((await site().arrival()).fields.get("state")).toBe('p "o" é');
      await page.goto(`${site().origin}/start`);
      await page.click("button");
      expect((await site().arrival()).fields.get("code")).toMatch(/^ac_/);
      // Other tabs depend on the cookie, so a post without cookies must not replace it.
      expect(await browserCookie()).toBe(before);
    });
  });

  test("POST /authorize from the client's page, nobody signed in → sign-in, consent, back", async () => {
    const client = await clientAt(site());
    await open(async (page) => {
      site().posts(`${server.issuer}/authorize`, new URL(authorizeUrl(server, client)).searchParams);
      await page.goto(`${site().origin}/start`);
      await page.click("button");
      await signInOn(page);
      await allowOn(page);
      expect((await site().arrival()).fields.get("code")).toMatch(/^ac_/);
    });
  });
});
