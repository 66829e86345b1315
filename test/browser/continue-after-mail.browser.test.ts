/**
 * People without an account or a password come to an app, a device or a company, in a real browser. They continue
 * afterwards, also if they open the mail link in another browser.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { addCompany, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, formWith, poll } from "../support/device-actor.ts";
import { Agent, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startWebApp, type WebApp } from "../support/link-and-callback-site.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestClient, type TestServer, variants } from "../support/test-server.ts";

const NEW = "seven green umbrellas";

let browser: Browser;
let server: TestServer;
let mailbox: TestMailbox;
let app: WebApp;
let client: TestClient;
let company: TestCompany;

beforeAll(async () => {
  mailbox = await startMailbox();
  const config = { smtpUrl: smtpTo(mailbox), signUp: true };
  [browser, server, app] = await Promise.all([launchBrowser(), startServer({ config }), startWebApp()]);
  client = await server.addClient({ name: "Photo Printer", redirectUris: [app.redirectUri] });
  company = await addCompany(server);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await server?.stop();
  await mailbox?.stop();
});

let serial = 0;
const aName = () => {
  serial += 1;
  return `new-${Date.now().toString(36)}-${serial}`;
};
const linkFor = async (email: string) => (await mailbox.next(email)).link;

async function asksForAccount(page: Page, email: string): Promise<void> {
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.fill("#email", email);
  await page.press("#email", "Enter");
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
}
async function asksForPassword(page: Page, login: string): Promise<void> {
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.fill("#login", login);
  await page.press("#login", "Enter");
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
}
async function makesAccount(page: Page, link: string, username: string): Promise<void> {
  await page.goto(link);
  await page.fill("#username", username);
  await choosesPassword(page);
}
async function choosesPassword(page: Page): Promise<void> {
  await page.fill("#password", NEW);
  await page.fill("#again", NEW);
  await page.press("#again", "Enter");
}
async function entersNew(page: Page, username: string): Promise<void> {
  await page.fill("#username", username);
  await page.fill("#password", NEW);
  await page.press("#password", "Enter");
}
async function allows(page: Page): Promise<void> {
  await page.locator("button[name=decision][value=allow]").click();
  await page.waitForURL(/[?&]code=/);
  const callback = new URL(page.url());
  expect(callback.searchParams.get("state")).toBe("a state");
  expect((await redeem(server, client, callback)).body.scope).toBe("read");
}

describe.each(
  variants([
    ["with JavaScript", true],
    ["without JavaScript", false],
  ] as const),
)("%s", (_, javaScriptEnabled) => {
  const visit = (steps: (page: Page) => Promise<void>) =>
    withPage({ browser, javaScriptEnabled, viewport: { width: 390, height: 800 } }, steps);
  const check = async (page: Page) => {
    if (javaScriptEnabled) expect(await axe(page), page.url()).toEqual([]);
  };

  test("an app → an account, by the link in a second tab → the consent of that request, and the code at the app", async () => {
    const name = aName();
    await visit(async (page) => {
      await page.goto(authorizeUrl(server, client));
      await asksForAccount(page, `${name}@example.test`);
      await page.getByText("Open the link in this browser to continue to Photo Printer").waitFor();
      await check(page);
      const tab = await page.context().newPage();
      await makesAccount(tab, await linkFor(`${name}@example.test`), name);
      await allows(tab);
    });
  });

  test("an app → an account, by the link in another browser → ready there; back in the first one, the code at the app", async () => {
    const name = aName();
    await visit(async (page) => {
      await page.goto(authorizeUrl(server, client));
      await asksForAccount(page, `${name}@example.test`);
      await visit(async (phone) => {
        await makesAccount(phone, await linkFor(`${name}@example.test`), name);
        await phone.getByRole("heading", { name: "Your account is ready" }).waitFor();
        await phone.getByText("To continue to Photo Printer, go back to the browser where you started").waitFor();
        await check(phone);
        expect(
          await phone.locator("a, form").evaluateAll((all) => all.map((one) => one.outerHTML).join("")),
        ).not.toMatch(/request=|\/consent/);
      });
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await entersNew(page, name);
      await allows(page);
    });
  });

  test("an app → forgot the password, link → sign in → the consent of that request, and the code at the app", async () => {
    const person = await server.addPerson();
    await visit(async (page) => {
      await page.goto(authorizeUrl(server, client));
      await asksForPassword(page, person.username);
      await page.goto(await linkFor(person.email));
      await choosesPassword(page);
      await page.getByText("After that, you continue to Photo Printer").waitFor();
      await check(page);
      await page.getByRole("link", { name: "Sign in" }).click();
      await entersNew(page, person.username);
      await allows(page);
    });
  });

  test("an app → forgot the password, link in another browser → back in the first one, the code at the app", async () => {
    const person = await server.addPerson();
    await visit(async (page) => {
      await page.goto(authorizeUrl(server, client));
      await asksForPassword(page, person.username);
      await visit(async (phone) => {
        await phone.goto(await linkFor(person.email));
        await choosesPassword(phone);
        await phone.getByText("To continue to Photo Printer, go back to the browser where you started").waitFor();
        await check(phone);
      });
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await entersNew(page, person.username);
      await allows(page);
    });
  });

  test("a device → an account, by the link → the device is connected", async () => {
    const tv = await aDeviceClient(server);
    const { deviceCode, userCode } = await aDevice(server, tv);
    const name = aName();
    await visit(async (page) => {
      await page.goto(`${server.issuer}/device`);
      await page.fill("#user_code", userCode);
      await page.press("#user_code", "Enter");
      await asksForAccount(page, `${name}@example.test`);
      await page.getByText("Open the link in this browser to connect your device").waitFor();
      await makesAccount(page, await linkFor(`${name}@example.test`), name);
      await page.locator("button[name=decision][value=allow]").click();
      await page.getByText("is connected").waitFor();
    });
    expect((await poll(server, tv, deviceCode)).body.scope).toBe("read");
  });

  test("a device → forgot the password, link in another browser → back in the first one, the device is connected", async () => {
    const tv = await aDeviceClient(server);
    const { deviceCode, userCode } = await aDevice(server, tv);
    const person = await server.addPerson();
    await visit(async (page) => {
      await page.goto(`${server.issuer}/device`);
      await page.fill("#user_code", userCode);
      await page.press("#user_code", "Enter");
      await asksForPassword(page, person.username);
      await visit(async (phone) => {
        await phone.goto(await linkFor(person.email));
        await choosesPassword(phone);
        await phone.getByText("go back to the browser where you started, and sign in there to connect it").waitFor();
      });
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await entersNew(page, person.username);
      await page.locator("button[name=decision][value=allow]").click();
      await page.getByText("is connected").waitFor();
    });
    expect((await poll(server, tv, deviceCode)).body.scope).toBe("read");
  });

  async function invited(email: string): Promise<string> {
    const admin = new Agent(server.issuer);
    await signIn(admin, company.admin.username);
    const members = await admin.get(`/company/${company.slug}/members`);
    await admin.submit(formWith(members, "addressee"), { addressee: email });
    return linkFor(email);
  }

  async function joins(page: Page): Promise<void> {
    await page.getByRole("button", { name: /Join as/ }).click();
    await page.waitForURL(/done=joined/);
  }

  test("an invitation → company, inviter and role on the way → an account, by the link → joined", async () => {
    const name = aName();
    const email = `${name}@example.test`;
    await visit(async (page) => {
      await page.goto(await invited(email));
      const line = page.getByText(
        `Alice Example (${company.admin.username}) invited you to join Acme Corp as a member.`,
      );
      await page.getByRole("heading", { name: "Sign in to join Acme Corp" }).waitFor();
      await line.waitFor();
      await check(page);
      await page.getByRole("link", { name: "Create an account" }).click();
      await line.waitFor();
      await check(page);
      await page.fill("#email", email);
      await page.press("#email", "Enter");
      await makesAccount(page, await linkFor(email), name);
      await joins(page);
    });
  });

  test("an invitation → an account, by the link in another browser → back in the first one, joined", async () => {
    const name = aName();
    const email = `${name}@example.test`;
    await visit(async (page) => {
      await page.goto(await invited(email));
      await asksForAccount(page, email);
      await visit(async (phone) => {
        await makesAccount(phone, await linkFor(email), name);
        await phone.getByText("To join Acme Corp, go back to the browser where you started").waitFor();
        await check(phone);
      });
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await entersNew(page, name);
      await joins(page);
    });
  });
});
