/**
 * From the first consent to revocation in a real browser: by mouse, by keyboard, and without JavaScript. Every page
 * passes axe.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { withPage } from "../support/chromium.ts";
import { redeem, refresh } from "../support/http-browser.ts";
import type { WebApp } from "../support/link-and-callback-site.ts";
import { type Hands, keys, mouse, signInBy } from "../support/mouse-and-keyboard.ts";
import { type OwnerStage, startOwnerStage } from "../support/owner-story-setup.ts";
import { type TestClient, type TestServer, variants } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
let app: WebApp;
let client: TestClient;

let stage: OwnerStage | undefined;
beforeAll(async () => {
  stage = await startOwnerStage();
  ({ browser, server, app, client } = stage);
});
afterAll(() => stage?.stop());

const entry = (page: Page) => page.locator(`[data-client-id="${client.clientId}"]`);
const heading = (page: Page) => page.locator("h1").innerText();

/** The app's last use on the dashboard. */
const lastUsed = (page: Page) =>
  entry(page).locator(".facts div").filter({ hasText: "Last used" }).locator("dd").innerText();

/** From the app's link to the code and its redemption. */
async function connect(page: Page, hands: Hands, person: Person): Promise<string> {
  await page.goto(app.url);
  await hands.press("a");
  await page.waitForURL(/\/authorize/);
  expect(await heading(page)).toBe("Sign in to continue to Photo Printer");
  await signInBy(page, hands, person);
  expect(await heading(page)).toBe("Photo Printer wants access to your account");
  await hands.look();
  await hands.toggle("input[name=scope][value=write]");
  await hands.chooseOneDay();
  await hands.press("button[name=decision][value=allow]");
  await page.waitForURL(/\/cb\?/);
  expect(await heading(page)).toBe("Back at the app");
  const callback = new URL(page.url());
  await page.goto(`${server.issuer}/account/apps`);
  expect(await lastUsed(page)).toBe("Not used yet");
  const answer = await redeem(server, client, callback);
  await page.reload();
  expect(await lastUsed(page)).toBe("just now, from 127.0.0.x");
  await page.goto(`${server.issuer}/account/history`);
  expect(await page.locator(".event").first().innerText()).toMatch(
    /It can until .*: (?:See your albums · See your photos|See your photos · See your albums)/,
  );
  expect(answer.body.scope?.split(" ").sort()).toEqual(["albums", "read"]);
  const [consent] = await server.assent.storage.consents.list({
    ...person,
    ownerId: person.personId,
    now: server.now(),
  });
  expect((consent?.consent.expiresAt ?? 0) - server.now()).toBeLessThanOrEqual(86_400_000);
  return answer.body.refresh_token ?? "";
}

async function narrow(page: Page, hands: Hands, token: string): Promise<void> {
  await page.goto(`${server.issuer}/account/apps`);
  expect(await entry(page).locator("ul.can").first().innerText()).toMatch(/See your photos\s+See your albums/);
  await hands.look();
  await hands.press("details.narrow summary");
  await hands.look();
  await hands.toggle("input[name=keep][value=albums]");
  await hands.press("button[name=narrow]");
  await page.locator("[role=status]").waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain("Photo Printer has fewer permissions now");
  await hands.look();
  expect((await refresh(server, client, token)).body.scope).toBe("read");
}

async function revoke(page: Page, hands: Hands, token: string): Promise<void> {
  await hands.press("button[name=revoke]");
  await page.getByText("These apps get no new access.").waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain("You revoked");
  expect(await entry(page).count()).toBe(0);
  await hands.look();
  const { status, body } = await refresh(server, client, token);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
}

async function signOut(page: Page, hands: Hands): Promise<void> {
  await hands.press("button[name=sign_out]");
  await page.getByRole("heading", { name: "You’re signed out" }).waitFor();
  await hands.look();
  await page.goto(`${server.issuer}/account/apps`);
  expect([new URL(page.url()).pathname, await heading(page)]).toEqual(["/login", "Sign in"]);
}

async function story(page: Page, hands: Hands): Promise<void> {
  const person = await server.addPerson();
  const token = await connect(page, hands, person);
  await narrow(page, hands, token);
  await revoke(page, hands, token);
  await signOut(page, hands);
}

const WAYS = [
  [
    "by mouse, light and wide, clean for axe",
    { colorScheme: "light", viewport: { width: 1280, height: 800 } },
    (page: Page) => mouse(page, true),
  ],
  [
    "by mouse, dark and 320 px, clean for axe",
    { colorScheme: "dark", viewport: { width: 320, height: 640 } },
    (page: Page) => mouse(page, true),
  ],
  ["by keys alone, the focus always in sight", {}, keys],
  ["without JavaScript", { javaScriptEnabled: false }, (page: Page) => mouse(page, false)],
] as const;

test.each(variants(WAYS))(
  "sign in, consent, narrow, revoke, sign out: %s",
  { timeout: 60_000 },
  async (_, look, hands) => {
    await withPage({ browser, ...look }, (page) => story(page, hands(page)));
  },
);
