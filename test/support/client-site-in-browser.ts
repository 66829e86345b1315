/**
 * A client's site for a real browser: a page that sends people to the server, and the redirect_uri that they return to.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrival {
  readonly method: string;
  /** Parameters of the query and, for POST, of the body. */
  readonly fields: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ClientSite {
  readonly origin: string;
  /** From now on, `/start` is a form that posts these parameters to this address when its button is pressed. */
  posts(action: string, parameters: URLSearchParams): void;
  /** Returns what `/cb` received, one request per call, in order. Waits if there is none yet. */
  arrival(): Promise<Arrival>;
  /** Forgets all requests so far. */
  forget(): void;
  stop(): Promise<void>;
}

/** `host`: for a browser, `localhost` and `127.0.0.1` are different sites. The port doesn't make another site. */
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
