/** A receiver of webhooks: keeps what arrives, and answers as it is told. */

import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";

export interface ReceivedMessage {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly version: number;
    readonly issuer: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export interface WebhookReceiver {
  readonly url: string;
  readonly messages: readonly ReceivedMessage[];
  /** How it answers from now on, after it has read the message. */
  answer(does: RequestListener): void;
  /** Resolves with the messages when there are that many. */
  until(count: number): Promise<readonly ReceivedMessage[]>;
  stop(): void;
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ""): RequestListener =>
  (_, response) =>
    void response.writeHead(code, headers).end(body);

export async function aWebhookReceiver(): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  let does = status(204);
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += String(part);
    const id = String(request.headers["webhook-id"]);
    messages.push({ id, headers: request.headers, text, body: JSON.parse(text) as ReceivedMessage["body"] });
    does(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    answer: (next) => {
      does = next;
    },
    until: async (count) => {
      await expect.poll(() => messages.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
      return messages;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
