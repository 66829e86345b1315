/** The implicit grant in a real browser (RFC 6749 §4.2): only the client's page can read the fragment. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchBrowser, withPage } from "../support/chromium.ts";
import { type ClientSite, startClientSite } from "../support/client-site-in-browser.ts";
import { authorizeUrl, postForm } from "../support/http-browser.ts";
import { API, PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
let site: ClientSite;
let client: TestClient;
let username: string;

beforeAll(async () => {
  [browser, server, site] = await Promise.all([launchBrowser(), startServer(), startClientSite("localhost")]);
  const redirectUris = [`${site.origin}/cb`];
  client = await server.addClient({ type: "public", grantTypes: ["implicit"], responseTypes: ["token"], redirectUris });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([server?.stop(), site?.stop()]);
});
beforeEach(async () => {
  ({ username } = await server.addPerson());
});

const urlOf = (changes: Record<string, string> = {}) =>
  authorizeUrl(server, client, { response_type: "token", ...changes });

async function signInAndAllow(page: Page): Promise<void> {
  await page.fill("[name=username]", username);
  await page.fill("[name=password]", PASSWORD);
  await page.click("button[type=submit]");
  await page.click("button[value=allow]");
}

const active = async (token: string | null) => {
  const asApi = { clientId: API.id, secret: API.secret };
  return (await postForm(server, "/introspect", asApi, { token: token ?? "" })).body["active"];
};

describe("a token in the fragment", () => {
  test("the app's script reads it; its server gets neither token nor Referer, nor does the next page", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(urlOf());
      await signInAndAllow(page);
      const { fields, headers } = await site.arrival();
      expect([...fields.keys()]).toEqual([]);
      expect(headers["referer"]).toBeUndefined();
      await page.getByRole("heading", { name: "Back in the app" }).waitFor();
      const hash = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
      expect([hash.get("state"), hash.get("iss")]).toEqual(["a state", server.issuer]);
      expect(await active(hash.get("access_token"))).toBe(true);
      await page.evaluate(() => {
        const link = document.body.appendChild(document.createElement("a"));
        link.href = "/cb?next";
        link.click();
      });
      const next = await site.arrival();
      expect(String(next.headers["referer"] ?? "")).not.toContain("access_token");
    });
  });

  test("examples/implicit.ts → connects, says what it got, and leaves no token in the address", async () => {
    const redirectUris = ["http://127.0.0.1/"];
    const of = { type: "public", grantTypes: ["implicit"], responseTypes: ["token"], redirectUris } as const;
    const { clientId } = await server.addClient(of);
    const env = { ...process.env, ISSUER: server.issuer, CLIENT_ID: clientId, SCOPE: "read", PORT: "0" };
    const example = join(import.meta.dirname, "../../examples/implicit.ts");
    const app = spawn(process.execPath, [example], { env, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = (await once(app.stdout, "data")) as [Buffer];
      await withPage({ browser }, async (page) => {
        await page.goto(/http\S+/.exec(line.toString())?.[0] ?? "");
        await page.click("text=Connect");
        await signInAndAllow(page);
        await page.getByText("A token for read, good for 300 seconds.").waitFor();
        expect(new URL(page.url()).hash).toBe("");
      });
    } finally {
      app.kill();
    }
  });

  test("denied → the error in the fragment", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(urlOf());
      await page.fill("[name=username]", username);
      await page.fill("[name=password]", PASSWORD);
      await page.click("button[type=submit]");
      await page.click("button[value=deny]");
      expect([...(await site.arrival()).fields.keys()]).toEqual([]);
      await page.getByRole("heading", { name: "Back in the app" }).waitFor();
      expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("error")).toBe("access_denied");
    });
  });

  test("form_post → the page posts it by itself, and no address has it", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(urlOf({ response_mode: "form_post" }));
      await signInAndAllow(page);
      const { method, fields, headers } = await site.arrival();
      expect([method, headers["referer"]]).toEqual(["POST", undefined]);
      expect(await active(fields.get("access_token"))).toBe(true);
      await page.getByRole("heading", { name: "Back in the app" }).waitFor();
      expect(page.url()).toBe(`${site.origin}/cb`);
    });
  });
});
