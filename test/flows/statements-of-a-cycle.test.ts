/** How many statements PostgreSQL gets for one authorization, counted on the wire. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, authorizeUrl, consentForm, pkce, redeem, signIn } from "../support/http-browser.ts";
import { aPostgresDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let database: TestDatabase;
let proxy: TcpProxy;
let server: TestServer;
/** The text of each prepared statement. All connections of one process use the same names. */
const texts = new Map<string, string>();
/** The statements that ran, and the round trips in which they were sent. */
let ran: string[] = [];
let trips = 0;

beforeAll(async () => {
  database = await aPostgresDatabase();
  const url = new URL(database.url);
  const rests = new WeakMap<object, Buffer>();
  proxy = await startTcpProxy(Number(url.port), (data, connection) => {
    rests.set(connection, read(Buffer.concat([rests.get(connection) ?? Buffer.alloc(0), data])));
  });
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  server = await startServer({ config: { databaseUrl: url.href, secret: [randomBytes(32)] } });
});
afterAll(async () => {
  await server.stop();
  await proxy.close();
  await database.drop();
});

/** Reads whole messages of the protocol, and returns the rest. The first message of a connection has no type. */
function read(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes.length - at >= 5) {
    const first = bytes[at] === 0 ? 0 : 1;
    const end = at + first + bytes.readInt32BE(at + first);
    if (end > bytes.length) break;
    const type = first === 0 ? "" : String.fromCharCode(bytes[at] ?? 0);
    const [one = "", two = ""] = bytes.toString("utf8", at + 5, end).split("\0");
    if (type === "P") texts.set(one, two);
    if (type === "B") ran.push(texts.get(two) ?? "");
    if (type === "S") trips += 1;
    at = end;
  }
  return bytes.subarray(at);
}

const framing = /^(BEGIN|COMMIT|DISCARD)/;
/** The catalog compares versions at most every 500 ms, and the clock is measured from time to time. */
const sometimes = /catalog|clock_timestamp|outbox|standings|leases|FROM events_waiting|INTO events |event_checkpoints/;

async function counted(work: () => Promise<unknown>) {
  ran = [];
  trips = 0;
  await work();
  return { statements: ran.filter((text) => !framing.test(text) && !sometimes.test(text)).length, trips };
}

test("a whole cycle of somebody who is signed in → 16 statements at most, the decision in 3 round trips", async () => {
  const client = await server.addClient();
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const cycles: Record<"asked" | "decided" | "redeemed", Awaited<ReturnType<typeof counted>>>[] = [];
  for (let cycle = 0; cycle < 5; cycle += 1) {
    const { challenge, verifier } = pkce();
    const link = authorizeUrl(server, client, {
      prompt: "consent",
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    let page = await agent.get("/login");
    const asked = await counted(async () => (page = await agent.get(link)));
    const decided = await counted(async () => (page = await agent.submit(consentForm(page), { decision: "allow" })));
    const redeemed = await counted(async () => {
      const answer = await redeem(server, client, page.location ?? "", { code_verifier: verifier });
      expect(answer.status).toBe(200);
    });
    cycles.push({ asked, decided, redeemed });
  }
  const fewest = (part: "asked" | "decided" | "redeemed") => Math.min(...cycles.map((cycle) => cycle[part].statements));
  // The page reads what the app has beside the request: its grants and, in the same round trip, the admins.
  expect({ asked: fewest("asked"), decided: fewest("decided"), redeemed: fewest("redeemed") }).toEqual({
    asked: 4,
    decided: 11,
    redeemed: 1,
  });
  // The session, the consent with the companies, and three of the transaction.
  expect(Math.min(...cycles.map(({ decided }) => decided.trips))).toBe(5);
});
