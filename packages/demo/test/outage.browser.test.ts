/**
 * The database of the demo becomes unreachable: people see an error page of ours, and everything works again when the
 * database is back.
 */

import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../../../test/support/chromium.ts";
import { type Cluster, startCluster } from "../../../test/support/postgres-server.ts";
import { type RunningDemo, removeDataDirs, startDemo } from "./support/demo.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  removeDataDirs();
});

/** The tested pages answer with these statuses. */
const tolerate = [/503 \(Service Unavailable\)/, /502 \(Bad Gateway\)/];
const SAID = /This service isn’t available right now/;
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function askedFor(page: Page, { json }: RunningDemo): Promise<void> {
  await page.goto(json.client_url);
  await page.getByRole("button", { name: "Connect with Assent" }).click();
  await page.fill("[name=username]", json.username);
  await page.fill("[name=password]", json.password);
  await button(page, "Sign in").click();
  await page.waitForSelector("button[name=decision]");
}

/** The consent page is open. Then `away` makes the service unavailable, and `back` repairs it. */
async function walk(
  demo: RunningDemo,
  { away, back }: { away: () => Promise<void> | void; back: () => Promise<void> | void },
): Promise<void> {
  await withPage({ browser, tolerate }, async (page) => {
    await askedFor(page, demo);
    const account = await page.context().newPage();
    await account.goto(`${demo.json.issuer}/account/apps`);
    await away();
    await page.click("button[name=decision][value=allow]");
    await page.waitForLoadState();
    expect(await page.locator("main").innerText()).toMatch(SAID);
    expect(new URL(page.url()).origin).toBe(demo.json.issuer);
    expect(await axe(page)).toEqual([]);
    const shown = await account.goto(`${demo.json.issuer}/account/security`);
    expect(shown?.status()).toBe(503);
    expect(shown?.headers()["retry-after"]).toMatch(/^\d+$/);
    expect(await account.locator("main").innerText()).toMatch(SAID);
    await back();
    // Uses the link on the page, without a restart.
    const door = account.getByRole("link", { name: "Start again" });
    await expect
      .poll(
        async () => {
          if (await door.isVisible()) await door.click();
          return account.title();
        },
        { timeout: 15_000 },
      )
      .not.toContain("answer");
    expect(new URL(account.url()).pathname).toBe("/account/security");
    await page.goto(demo.json.client_url);
    await page.getByRole("button", { name: "Connect with Assent" }).click();
    await page.waitForSelector("button[name=decision]");
    await page.click("button[name=decision][value=allow]");
    await page.waitForSelector(".album");
  });
}

describe("on PostgreSQL", () => {
  let cluster: Cluster;
  let demo: RunningDemo;
  beforeAll(async () => {
    cluster = await startCluster();
    demo = await startDemo({ databaseUrl: cluster.url("postgres"), secret: [randomBytes(32)] });
  });
  afterAll(async () => {
    await demo.stop();
    await cluster.remove();
  });

  test(
    "the server is killed amid a question → a page that says so; started again → it goes on",
    { timeout: 120_000 },
    () => walk(demo, { away: () => cluster.kill(), back: () => cluster.start() }),
  );
});

describe("on a SQLite file", () => {
  let demo: RunningDemo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo.stop());

  test("another program holds the file → what writes says so, and goes on afterwards", {
    timeout: 120_000,
  }, async () => {
    let other: DatabaseSync | undefined;
    await withPage({ browser, tolerate }, async (page) => {
      await askedFor(page, demo);
      other = new DatabaseSync(join(demo.dataDir, "assent.db"), { timeout: 5_000 });
      other.exec("BEGIN IMMEDIATE");
      await page.click("button[name=decision][value=allow]");
      await page.waitForLoadState();
      expect(await page.locator("main").innerText()).toMatch(SAID);
      other.exec("ROLLBACK");
      other.close();
      await page.goto(demo.json.client_url);
      await page.getByRole("button", { name: "Connect with Assent" }).click();
      await page.click("button[name=decision][value=allow]");
      await page.waitForSelector(".album");
    });
  });

  test("the file is moved away → not ready, until it is back", { timeout: 120_000 }, async () => {
    const path = join(demo.dataDir, "assent.db");
    const ready = async () => (await fetch(`${demo.json.issuer}/health/ready`)).status;
    renameSync(path, `${path}.away`);
    await expect.poll(ready, { timeout: 15_000 }).toBe(503);
    renameSync(`${path}.away`, path);
    await expect.poll(ready, { timeout: 15_000 }).toBe(200);
  });
});
