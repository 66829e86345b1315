/** A client's web app on its own port: a link that starts an authorization, and the page that receives the answer. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebApp {
  readonly url: string;
  readonly redirectUri: string;
  /** The target of the link on `/`. */
  linksTo(url: string): void;
  stop(): Promise<void>;
}

export async function startWebApp(): Promise<WebApp> {
  let link = "";
  const server = createServer((request, response) => {
    const isCallback = request.url?.startsWith("/cb") === true;
    const text = isCallback
      ? "<h1>Back at the app</h1>"
      : `<h1>The app</h1><a href="${link.replaceAll("&", "&amp;")}">Connect</a>`;
    const found = /^\/(cb|$|\?)/.test(request.url ?? "");
    response.writeHead(found ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><html lang="en"><title>App</title><main>${text}</main></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    redirectUri: `${url}/cb`,
    linksTo(target) {
      link = target;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
