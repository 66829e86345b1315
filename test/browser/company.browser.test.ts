/** A company's story in a real browser: a member asks, an admin approves for all, then revokes for all; with and without JavaScript, clean for axe. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/browser.ts";
import { authorizeUrl, redeem, refresh } from "../support/browser-like.ts";
import { addCompany, claimsOf } from "../support/companies.ts";
import { PASSWORD, startServer, type TestServer, variants } from "../support/server.ts";
import { startWebApp, type WebApp } from "../support/web-app.ts";

let browser: Browser;
let server: TestServer;
let app: WebApp;

beforeAll(async () => {
  [browser, server, app] = await Promise.all([launchBrowser(), startServer(), startWebApp()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await server?.stop();
});

async function signIn(page: Page, username: string): Promise<void> {
  await page.locator("input[name=username]").fill(username);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.locator("button[type=submit]").first().click();
}

const submit = (page: Page, action: string, text: string) =>
  page.locator(`form[action$="${action}"]`, { hasText: text }).locator("button[type=submit]").first().click();

describe.each(
  variants([
    ["with JavaScript", true],
    ["without JavaScript", false],
  ]),
)("%s", (_, javaScriptEnabled) => {
  const visit = (steps: (page: Page) => Promise<void>) => withPage({ browser, javaScriptEnabled }, steps);
  const check = async (page: Page) => {
    // axe itself is a script.
    if (javaScriptEnabled) expect(await axe(page), page.url()).toEqual([]);
  };

  test("a member asks, an admin approves for all members, then revokes for everyone", async () => {
    const company = await addCompany(server);
    const client = await server.addClient({ redirectUris: [app.redirectUri] });
    const ask = authorizeUrl(server, client);

    await visit(async (page) => {
      await page.goto(ask);
      await signIn(page, company.member.username);
      await page.locator("select[name=owner]").selectOption(company.companyId);
      await check(page);
      await page.locator("button[name=decision][value=allow]").click();
      await check(page);
      await page.locator("textarea[name=reason]").fill("For the photos of the fair");
      await submit(page, "/consent/ask", "");
      await check(page);
      expect(await page.locator("h1").innerText()).toContain("have been asked");
      await page.locator("button[name=decision][value=deny]").click();
      await page.waitForURL(/error=access_denied/);
    });

    await visit(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await signIn(page, company.admin.username);
      await page.locator('nav a[href$="/account/companies"]').click();
      await check(page);
      await page.getByRole("link", { name: "Acme Corp" }).click();
      await check(page);
      expect(await page.locator("blockquote").innerText()).toContain("For the photos of the fair");
      await submit(page, "/rule", "Approve for all members");
      await page.waitForURL(/done=decided/);
      expect(await page.locator(".notice").innerText()).toContain("holds from now on");
      await check(page);
    });

    let refreshToken: string | undefined;
    await visit(async (page) => {
      await page.goto(ask);
      await signIn(page, company.member.username);
      // The app is approved for all, and still the member chooses for whom they act.
      await page.locator("select[name=owner]").selectOption(company.companyId);
      await check(page);
      await page.locator("button[name=decision][value=allow]").click();
      await page.waitForURL(/[?&]code=/);
      const { body } = await redeem(server, client, new URL(page.url()));
      expect(claimsOf(body.access_token)).toMatchObject({
        sub: company.companyId,
        act: { sub: company.member.personId },
      });
      refreshToken = body.refresh_token;
    });

    await visit(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await signIn(page, company.admin.username);
      await page.goto(`${server.issuer}/company/${company.slug}`);
      await submit(page, "/revoke", "Revoke for everyone");
      await page.waitForURL(/\/revoke\?client_id=/);
      await check(page);
      expect(await page.locator("h2").first().innerText()).toContain("for everyone?");
      await submit(page, "/revoke", "Revoke for everyone");
      await page.waitForURL(/done=revoked/);
      await check(page);
      await page.goto(`${server.issuer}/company/${company.slug}/history`);
      await check(page);
      expect(await page.locator("main").innerText()).toMatch(
        /was revoked for everyone[\s\S]*was approved for all members/,
      );
    });
    expect((await refresh(server, client, refreshToken)).body.error).toBe("invalid_grant");
  });

  test("somebody is invited, signs in by the link, joins, and leaves", async () => {
    const company = await addCompany(server);
    const guest = await server.addPerson();
    let link = "";
    await visit(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await signIn(page, company.admin.username);
      await page.goto(`${server.issuer}/company/${company.slug}/members`);
      await check(page);
      await page.locator("input[name=addressee]").fill(guest.email);
      await submit(page, "/members/invite", "");
      await check(page);
      link = await page.locator(".secret-link").innerText();
    });
    await visit(async (page) => {
      await page.goto(link);
      await signIn(page, guest.username);
      await check(page);
      expect(await page.locator("h1").innerText()).toContain("Acme Corp invites you");
      await submit(page, "/invitation", "Join as");
      await page.waitForURL(/done=joined/);
      await check(page);
      await submit(page, "/leave", "Leave");
      await page.waitForURL(/\/leave\??$/);
      await check(page);
      await submit(page, "/leave", "Leave");
      await page.waitForURL(/\/account\/companies$/);
      expect(await page.locator("main").innerText()).toContain("You don’t belong to a company");
    });
  });
});
