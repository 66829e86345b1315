/** Apple's answer is a form from another site. Only a real browser knows which cookies come with it. */

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { withPage } from "../support/chromium.ts";
import type { Page } from "../support/http-browser.ts";
import { addProvider, aSubject, ForgingProvider, startServerForProviders } from "../support/sign-in-providers.ts";

test("a form from Apple's page, another site → sent on, and the browser that began is signed in", async () => {
  const [server, apple] = await Promise.all([startServerForProviders(), ForgingProvider.start()]);
  /** What the browser sent with the form. */
  const site = createServer((request, response) => {
    const location = new URL(request.url ?? "/", apple.issuer);
    const { origin, pathname, searchParams } = new URL(apple.callback({ location } as Page, {}, claims));
    const fields = [...searchParams, ["user", JSON.stringify({ name: { firstName: "Ada", lastName: "Byron" } })]];
    const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value?.replaceAll('"', "&quot;")}">`);
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      `<form method="post" action="${origin}${pathname}">${inputs.join("")}<button>Continue</button></form>`,
    );
  });
  const claims = aSubject();
  // By its name, this machine is another site than by its address.
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const at = `http://localhost:${(site.address() as AddressInfo).port}`;
  apple.answering = { metadata: { authorization_endpoint: `${at}/authorize` } };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await addProvider(server, apple.issuer, {
    ...{ preset: "apple", name: "Apple", signedSecret: { teamId: "ABCDE12345", keyId: "FGHIJ67890" } },
    clientSecret: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  });
  try {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.issuer}/login`);
      await page.getByRole("button", { name: "Continue with Apple" }).click();
      expect(new URL(page.url()).hostname).toBe("localhost");
      const posted = page.waitForRequest((request) => request.method() === "POST");
      await page.getByRole("button", { name: "Continue" }).click();
      expect((await (await posted).allHeaders())["cookie"]).toBeUndefined();
      await page.waitForURL(`${server.issuer}/account/apps`);
      expect(await page.textContent("body")).toContain("Ada Byron");
    });
  } finally {
    site.closeAllConnections();
    await Promise.all([server.stop(), apple.stop(), new Promise((resolve) => site.close(resolve))]);
  }
});
