/**
 * A company in a real browser, with and without JavaScript: a member asks, an admin approves for all, then revokes for
 * all. Every page passes axe.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { consentHost } from "../../packages/server/src/oauth/redirect-uri.ts";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { addCompany, claimsOf, decide } from "../support/company-staff.ts";
import { authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import { startWebApp, type WebApp } from "../support/link-and-callback-site.ts";
import { PASSWORD, startServer, type TestServer, variants } from "../support/test-server.ts";
import { exchanging, TOKEN_EXCHANGE } from "../support/token-exchange.ts";

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
    // axe needs JavaScript, too.
    if (javaScriptEnabled) expect(await axe(page), page.url()).toEqual([]);
  };

  test("an admin connects an app with another service and removes it: nothing is chosen before, nothing goes without a question", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const offer = { audience: "https://as.chat.test", company: null, clientId: "x", scopes: ["a", "b"], resources: [] };
    const texts = { a: "Read your chats", b: "Write in your chats" };
    const name = `Wiki ${javaScriptEnabled}`;
    const client = await server.addClient({
      ...{ name, grantTypes: ["authorization_code", TOKEN_EXCHANGE] },
      tokenExchange: exchanging({ connections: [{ ...offer, status: "offered", name: "Chat", texts }] }),
    });
    const { partition, companyId } = company;
    const stored = () => server.assent.storage.companyConnections.list({ partition, companyId });

    await visit(async (page) => {
      const main = () => page.locator("main").innerText();
      const press = (name: string | RegExp) => page.locator("main").getByRole("button", { name }).click();
      await page.goto(`${server.issuer}/login`);
      await signIn(page, company.admin.username);
      await page.goto(`${server.issuer}/company/${company.slug}`);
      await page.locator(".company-places").getByRole("link", { name: "Connections" }).click();
      await check(page);
      await page.getByRole("link", { name: "Connect an app" }).click();
      await page.locator("#q").fill(name);
      await page.locator("#q").press("Enter");
      await page.waitForURL(/q=/);
      await check(page);
      await page.getByRole("link", { name: /^Choose/ }).click();
      await check(page);
      expect(await main()).toContain("as.chat.test");
      expect(await page.locator("input[name=scope]:checked").count()).toBe(0);
      // A second press of Enter in the form must not connect everything.
      await press("Connect");
      await check(page);
      expect(await main()).toContain("Choose at least one permission");
      expect(await stored()).toEqual([]);
      await page.getByLabel("Read your chats").check();
      await page.locator("select[name=duration]").selectOption("2592000");
      await press("Connect");
      await page.waitForURL(/done=connected/);
      await check(page);
      expect(await main()).not.toContain("Write in your chats");
      expect(await stored()).toMatchObject([{ clientId: client.clientId, record: { scopes: ["a"] } }]);
      await page.getByRole("link", { name: /^Remove/ }).click();
      await check(page);
      expect(await main()).toContain("no new access in");
      await page.getByRole("link", { name: "Cancel" }).click();
      expect(await stored()).toHaveLength(1);
      await page.getByRole("link", { name: /^Remove/ }).click();
      await press("Remove");
      await page.waitForURL(/done=removed/);
      await check(page);
      expect(await stored()).toEqual([]);
    });
  });

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
      await page.locator("button[name=decision][value=back]").click();
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
      await submit(page, `/apps/${client.clientId}`, "Review");
      await page.waitForURL(/\/apps\/.*request=/);
      await check(page);
      expect(await page.locator("main").innerText()).toContain("For the photos of the fair");
      expect(await page.locator("input[name=audience][value=selected]").isChecked()).toBe(true);
      await page.locator("input[name=audience][value=everybody]").check();
      await submit(page, `/apps/${client.clientId}`, "Save rule");
      await check(page);
      expect(await page.locator("main").innerText()).toContain("everybody who joins later");
      await submit(page, `/apps/${client.clientId}`, "Save rule");
      await page.waitForURL(/done=decided/);
      expect(await page.locator(".notice").innerText()).toContain("The rule is saved");
      await check(page);
    });

    let refreshToken: string | undefined;
    await visit(async (page) => {
      await page.goto(ask);
      await signIn(page, company.member.username);
      // The approval doesn't choose for the member, who still selects the company on the page.
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
      await page.locator("input[name=q]").fill(client.name.slice(0, 4));
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=/);
      await check(page);
      await page.getByRole("link", { name: client.name }).click();
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

  test("by keyboard alone, an app for one member, selected by name → no member is preselected", async () => {
    const company = await addCompany(server);
    const called = javaScriptEnabled ? "Keyboard Calendar" : "Keyboard Diary";
    const client = await server.addClient({ name: called, verified: true });
    await visit(async (page) => {
      const focused = () =>
        page.evaluate<string>(
          "document.activeElement === document.body ? '' : document.activeElement.value || document.activeElement.textContent",
        );
      const tabTo = async (wanted: string) => {
        for (let at = 0; at < 60 && !(await focused()).includes(wanted); at += 1) await page.keyboard.press("Tab");
        expect(await focused()).toContain(wanted);
      };
      await page.goto(`${server.issuer}/login`);
      await signIn(page, company.admin.username);
      await page.goto(`${server.issuer}/company/${company.slug}`);
      await page.locator("input[name=q]").focus();
      await page.keyboard.type("keyb");
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=keyb/);
      await tabTo(called);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/apps\//);
      expect(await page.locator("input[name=scope]:checked, input[name=member]:checked").count()).toBe(0);
      expect(await page.locator("input[name=audience]:checked").count()).toBe(0);
      await tabTo("default");
      await page.keyboard.press("ArrowDown");
      expect(await page.locator("input[name=rule]:checked").getAttribute("value")).toBe("allow");
      await tabTo("everybody");
      await page.keyboard.press("ArrowDown");
      await page.locator(`input[name=member][value="${company.member.personId}"]`).focus();
      await page.keyboard.press("Space");
      await page.locator("input[name=scope]").first().focus();
      await page.keyboard.press("Space");
      await check(page);
      await tabTo("Save rule");
      await page.keyboard.press("Enter");
      await page.waitForURL(/done=decided/);
      await check(page);
    });
    const { partition, companyId } = company;
    expect(await server.assent.storage.companyApps.listRules({ partition, companyId })).toMatchObject([
      { clientId: client.clientId, forSelected: true, selected: [company.member.personId] },
    ]);
  });

  test("an approval covers more → the page names it, then no page; the approval is over → the page, which says that the app has it", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const client = await server.addClient({ redirectUris: [app.redirectUri], scopes: ["read", "write"] });
    await decide(server, company, client, { scopes: ["read", "write"], hosts: [consentHost(app.redirectUri)] });
    const ask = (scope: string) => authorizeUrl(server, client, { scope });
    await visit(async (page) => {
      await page.goto(ask("read"));
      await signIn(page, company.member.username);
      const note = page.locator("#owner-notes details");
      await note.waitFor({ state: "attached" });
      expect(await note.isVisible()).toBe(false);
      await page.locator("select[name=owner]").selectOption(company.companyId);
      expect(await note.locator("summary").innerText()).toContain("can get it later without asking you");
      await note.locator("summary").click();
      expect(await note.getByText("Change your photos").isVisible()).toBe(true);
      await check(page);
      await page.locator('button[value="allow"]').click();
      await page.waitForURL(/code=/);
      await page.goto(ask("read write"));
      expect(page.url()).toContain("code=");
      await decide(server, company, client, null);
      await page.goto(ask("read write"));
      expect(await page.locator("select[name=owner]").inputValue()).toBe(company.companyId);
      expect(await page.locator(".fresh input[name=scope]").count()).toBe(0);
      expect(await page.locator("main").innerText()).toContain("Acme Corp already allows it to");
      expect(await page.locator('input[name=scope][value="write"]').count()).toBe(1);
      await check(page);
      await page.locator('button[value="allow"]').click();
      await page.waitForURL(/code=/);
    });
  });

  test("a person is invited, signs in by the link, joins, and leaves", async () => {
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
      await page.waitForURL(/\/account\/companies\?/);
      expect(await page.locator("main").innerText()).toContain("You left the company.");
      expect(await page.locator("main").innerText()).toContain("You don’t belong to a company");
    });
  });
});
