/** An owner's whole story in a real browser: by mouse, by keys alone, and without JavaScript; every page on the way is clean for axe. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { withPage } from "../support/browser.ts";
import { redeem, refresh } from "../support/browser-like.ts";
import { type Hands, keys, mouse, signInBy } from "../support/hands.ts";
import { type OwnerStage, startOwnerStage } from "../support/owner-stage.ts";
import { type TestClient, type TestServer, variants } from "../support/server.ts";
import type { WebApp } from "../support/web-app.ts";

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

/** From the app's link to the code, and its tokens. */
async function connect(page: Page, hands: Hands, person: Person): Promise<string> {
  await page.goto(app.url);
  await hands.press("a");
  await page.waitForURL(/\/authorize/);
  expect(await heading(page)).toBe("Sign in to continue to Photo Printer");
  await signInBy(page, hands, person);
  expect(await heading(page)).toBe("Photo Printer wants to use your account");
  await hands.look();
  await hands.toggle("input[name=scope][value=write]");
  await hands.chooseOneDay();
  await hands.press("button[name=decision][value=allow]");
  await page.waitForURL(/\/cb\?/);
  expect(await heading(page)).toBe("Back at the app");
  const answer = await redeem(server, client, new URL(page.url()));
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
  expect(await page.locator("[role=status]").innerText()).toContain("Photo Printer can do less now");
  await hands.look();
  expect((await refresh(server, client, token)).body.scope).toBe("read");
}

async function revoke(page: Page, hands: Hands, token: string): Promise<void> {
  await hands.press("button[name=revoke]");
  await page.getByText("No app uses your account").waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain("gets nothing new any more");
  expect(await entry(page).count()).toBe(0);
  await hands.look();
  const { status, body } = await refresh(server, client, token);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
}

async function signOut(page: Page, hands: Hands): Promise<void> {
  await hands.press("button[name=sign_out]");
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
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
