/** The example of an own sign-in page in a real browser, with the server that it configures. Every page passes axe. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { pkce } from "../support/http-browser.ts";
import { aReader, commandsOf, type Reader } from "../support/run-commands-of-example.ts";
import { PASSWORD } from "../support/test-server.ts";

let browser: Browser;
let reader: Reader;
let issuer: string;
let own: string;

beforeAll(async () => {
  const [serverPort, pagePort] = await Promise.all([freePort(), freePort()]);
  issuer = `http://localhost:${serverPort}`;
  own = `http://localhost:${pagePort}`;
  const address = { ASSENT_ISSUER: issuer, ASSENT_LISTEN: `127.0.0.1:${serverPort}`, ISSUER: issuer };
  reader = aReader(address, new Set());
  const [migrate = "", create = "", serve = "", start = ""] = commandsOf("examples/own-sign-in-page/page.ts").map(
    (command) => command.replaceAll("4000", String(pagePort)),
  );
  await reader.run(migrate);
  await reader.run(create);
  await reader.start(serve, /"event":"started"/);
  await reader.start(start, /Page on/);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await reader?.leave();
});

const signInThere = async (page: Page, password = PASSWORD) => {
  await page.waitForURL(`${own}/sign-in**`);
  await page.fill("input[name=email]", "ada@acme.example");
  await page.fill("input[name=password]", password);
  await page.click("text=Sign in >> nth=-1");
};

test("page.ts without its variables → an error that names them, exit code 2", async () => {
  const stderr = expect.stringContaining("CLIENT_ID");
  const command = "node examples/own-sign-in-page/page.ts";
  await expect(reader.run(command)).rejects.toMatchObject({ code: 2, stderr });
});

test("the account → the page, a wrong password, the right one, the account; then everything else that leads there", async () => {
  await withPage({ browser, viewport: { width: 390, height: 800 } }, async (page) => {
    await page.goto(`${issuer}/account/apps`);
    await signInThere(page, "a wrong password");
    await page.waitForSelector("text=Wrong address or password.");
    await signInThere(page);
    await page.waitForURL(`${issuer}/account/apps`);
    await page.goto(`${issuer}/account/security`);
    expect(await axe(page)).toEqual([]);
    expect(await page.textContent("main")).not.toContain("Password");
    // A form of an account page, after the session has ended: its redirects lead to the page, which knows the person.
    await page.context().clearCookies({ name: "assent_session" });
    await page.click(
      "form[action$='/sessions'] button, form[action$='/authenticator/remove'] button, header form button",
    );
    await page.waitForURL(`${issuer}/account/apps`);
    // Signed out here: the page still knows the person.
    await page.click("header form button");
    await page.goto(`${issuer}/login`);
    await page.waitForURL(`${issuer}/account/apps`);
  });
});

test("an app's request that is cancelled at the page → the way back to it, and to the app's question", async () => {
  await reader.run(
    'npx assent client create --name "Photo Club" --type public --scope openid --redirect-uri http://127.0.0.1:9/callback',
  );
  const request = new URLSearchParams({
    ...{
      response_type: "code",
      client_id: reader.printed.get("client_id") ?? "",
      redirect_uri: "http://127.0.0.1:9/callback",
    },
    ...{ scope: "openid", state: "s", code_challenge: pkce().challenge, code_challenge_method: "S256" },
  });
  await withPage({ browser, colorScheme: "dark", javaScriptEnabled: false }, async (page) => {
    await page.goto(`${issuer}/authorize?${request}`);
    await page.waitForURL(`${own}/sign-in**`);
    expect(await page.textContent("body")).toContain("To go on to Photo Club");
    await page.click("button[name=cancel]");
    await page.waitForSelector("text=You stopped the sign-in at");
    await page.click("button[value=external]");
    await signInThere(page);
    await page.waitForSelector("button[value=allow]");
    expect(await page.textContent("main")).toContain("Ada");
  });
});
