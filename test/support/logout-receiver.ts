/** A client's endpoint for logout tokens: keeps what arrives, and answers as it is told. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface LogoutReceiver {
  readonly uri: string;
  /** The logout tokens so far. */
  readonly tokens: readonly string[];
  /** Content types of the requests so far. */
  readonly types: readonly string[];
  /** The status of the next answers. `never`: it doesn't answer. */
  answer(status: number | "never"): void;
  /** Resolves with the tokens when there are that many. */
  until(count: number): Promise<readonly string[]>;
  stop(): void;
}

export async function aLogoutReceiver(): Promise<LogoutReceiver> {
  const tokens: string[] = [];
  const types: string[] = [];
  let status: number | "never" = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      tokens.push(new URLSearchParams(body).get("logout_token") ?? "");
      types.push(`${request.method} ${request.headers["content-type"]}`);
      if (status !== "never") response.writeHead(status, { location: "/elsewhere" }).end("x".repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`,
    tokens,
    types,
    answer: (next) => {
      status = next;
    },
    until: async (count) => {
      const last = performance.now() + 20_000;
      while (tokens.length < count) {
        if (performance.now() > last) throw new Error(`${tokens.length} of ${count} logout tokens arrived`);
        await sleep(10);
      }
      return tokens;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
