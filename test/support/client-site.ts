/** A client's site for a real browser: a page that sends people to the server, and the redirect_uri that they come back to. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrival {
  readonly method: string;
  /** Of the query and, by POST, of the body. */
  readonly fields: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ClientSite {
  readonly origin: string;
  /** `/start` from now on is a form that posts these parameters there when its button is pressed. */
  posts(action: string, parameters: URLSearchParams): void;
  /** What came to `/cb`, each in its turn; waits where nothing has come yet. */
  arrival(): Promise<Arrival>;
  /** As if nothing had come since the last. */
  forget(): void;
  stop(): Promise<void>;
}

/** `host`: `localhost` is another site than `127.0.0.1` for a browser; ports make no site. */
export async function startClientSite(host: "127.0.0.1" | "localhost"): Promise<ClientSite> {
  const arrivals: Arrival[] = [];
  let form = "";
  let wake: (() => void) | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      if (url.pathname === "/start") return response.end(document("Start", form));
      if (url.pathname !== "/cb") return response.writeHead(404).end();
      const fields = new URLSearchParams([...url.searchParams, ...new URLSearchParams(body)]);
      arrivals.push({ method: request.method ?? "", fields, headers: request.headers });
      wake?.();
      return response.end(document("Back in the app", "<h1>Back in the app</h1>"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    posts: (action, parameters) => {
      const inputs = [...parameters].map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', "&quot;")}">`,
      );
      form = `<form method="post" action="${action}">${inputs.join("")}<button>Connect</button></form>`;
    },
    arrival: async () => {
      for (;;) {
        const arrived = arrivals.shift();
        if (arrived !== undefined) return arrived;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    forget: () => {
      arrivals.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function document(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;
}
