/** The set-up of an owner's story in a browser: a server, an app that asks for three scopes, and the browser. */

import type { Browser } from "playwright-core";
import { launchBrowser } from "./chromium.ts";
import { authorizeUrl } from "./http-browser.ts";
import { startWebApp, type WebApp } from "./link-and-callback-site.ts";
import { startServer, type TestClient, type TestServer } from "./test-server.ts";

export interface OwnerStage {
  readonly browser: Browser;
  readonly server: TestServer;
  readonly app: WebApp;
  readonly client: TestClient;
  stop(): Promise<void>;
}

/** The app's page links to the authorization of `read`, `write` and `albums`. */
export async function startOwnerStage(): Promise<OwnerStage> {
  const [browser, server, app] = await Promise.all([launchBrowser(), startServer(), startWebApp()]);
  const client = await server.addClient({ redirectUris: [app.redirectUri], scopes: ["read", "write", "albums"] });
  await server.addScope({ name: "albums", description: "See your albums", resource: "https://api.test" });
  app.linksTo(authorizeUrl(server, client, { scope: "read write albums" }));
  const stop = async () => {
    await browser.close();
    await app.stop();
    await server.stop();
  };
  return { browser, server, app, client, stop };
}
