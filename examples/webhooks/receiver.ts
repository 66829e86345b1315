/**
 * A receiver of webhooks. It checks the signature and the time of each message, and handles each event once.
 *
 *   npx assent webhook create --url http://127.0.0.1:9403/assent --kind 'user.*' --kind consent.revoked
 *   SECRET=… node examples/webhooks/receiver.ts
 *
 * On one machine, start the server with ASSENT_OUTBOUND_ALLOW=127.0.0.0/8. To try it out: npx assent webhook test ID.
 */

import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { SECRET: secret, PORT: port = "9403" } = process.env;
if (secret === undefined) {
  console.error("Set SECRET.");
  process.exit(2);
}
const webhook = new Webhook(secret);

interface Event {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly id: string; readonly subject: string | null };
}

// The server sends a message again if it is not sure that you have it. A real receiver stores these ids, best in the
// transaction of what it does about the event.
const handled = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  let event: Event;
  try {
    // The signature covers the bytes of the body. Check it before anything parses them.
    const headers = request.headers as Record<string, string>;
    event = webhook.verify(Buffer.concat(chunks), headers) as Event;
  } catch {
    response.writeHead(401).end();
    return;
  }
  // Answer at once, and do what takes long afterwards: after 15 seconds, the server tries again.
  response.writeHead(204).end();
  if (handled.has(event.data.id)) return;
  handled.add(event.data.id);
  console.log(`${event.timestamp} ${event.type} ${event.data.subject ?? ""}`);
});
server.listen(Number(port), "127.0.0.1", () => console.log(`Waiting at http://127.0.0.1:${port}/assent`));
