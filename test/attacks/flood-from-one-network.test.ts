/**
 * One host keeps the event loop busy with complete requests. Other hosts can still connect and get answers (decision
 * 0023).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { REFUSED_AFTER } from "../../packages/server/src/http/connections/load-shedding.ts";
import { type AssentServer, configOf, createAssent, type Listening, listen } from "../../packages/server/src/index.ts";

let assent: AssentServer;
let listening: Listening;
let dataDir: string;
/** The clock moves by this number of milliseconds at each reading, as if requests took longer. */
let step = 0;
let ahead = 0;
let clients: Client[];

beforeEach(async () => {
  [step, ahead, clients] = [0, 0, []];
  dataDir = mkdtempSync(join(tmpdir(), "assent-"));
  const config = configOf({ dataDir, listen: { host: "127.0.0.1", port: 0 } });
  const monotonic = () => {
    ahead += step;
    return performance.now() + ahead;
  };
  assent = await createAssent(config, { log: pino({ level: "silent" }), monotonic });
  listening = await listen(assent);
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await listening.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

class Client {
  readonly socket: Socket;
  refusal = "";
  /** The duration of each answer in milliseconds, by status. */
  readonly waited = new Map<number, number[]>();
  #askedAt = 0;

  constructor(localAddress: string) {
    this.socket = connect({ port: listening.port, host: "127.0.0.1", localAddress });
    this.socket.on("error", () => undefined);
    clients.push(this);
  }

  /** Sends the next request as soon as there is an answer. */
  insist(): void {
    this.socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      const status = Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1]);
      if (status === 503) this.refusal = text;
      const list = this.waited.get(status) ?? [];
      this.waited.set(status, [...list.slice(-100), performance.now() - this.#askedAt]);
      this.#ask();
    });
    this.#ask();
  }

  #ask(): void {
    this.#askedAt = performance.now();
    this.socket.write(REQUEST);
  }
}

/** The request of an unknown client. The server refuses it synchronously. */
const FORM = "grant_type=x";
const REQUEST = `POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${FORM.length}\r\n\r\n${FORM}`;

const open = () => assent.connections.open;

async function shed(): Promise<number> {
  const family = (await assent.measure()).find(({ name }) => name === "assent_requests_shed_total");
  return (family?.samples ?? []).reduce((sum, { value }) => sum + value, 0);
}

test("64 new connections at once → taken up in far fewer turns of the event loop than one each", async ({ skip }) => {
  if (process.platform !== "linux") skip("only Linux deals connections out to several sockets of one port");
  for (let at = 0; at < 64; at += 1) new Client("127.0.0.2");
  let turns = 0;
  while (open() < 64) {
    await new Promise((resolve) => setImmediate(resolve));
    if (open() > 0) turns += 1;
  }
  expect(turns).toBeLessThan(32);
});

test("a network fills every turn → others are answered; the refused of that network learn it a second later, and may go on", async () => {
  const flood = Array.from({ length: 200 }, () => new Client("127.0.0.2"));
  const other = new Client("127.1.1.1");
  await expect.poll(open).toBe(201);
  step = 0.2;
  for (const one of flood) one.insist();
  await expect.poll(shed, { timeout: 10_000 }).toBeGreaterThan(50);
  other.insist();
  await expect.poll(() => other.waited.get(401), { timeout: 10_000 }).toBeDefined();
  const refused = () => flood.filter(({ waited }) => Math.max(0, ...(waited.get(503) ?? [])) > REFUSED_AFTER - 50);
  await expect.poll(() => refused().length, { timeout: 10_000 }).toBeGreaterThan(50);
  step = 0;
  const [one] = refused();
  expect(one?.refusal).toMatch(/\r\nretry-after: \d+\r\n/i);
  one?.waited.clear();
  await expect.poll(() => one?.waited.get(401), { timeout: 10_000 }).toBeDefined();
});
