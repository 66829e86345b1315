/** Many failures: the log has the first ones and a count of the others. It has every fault of the server itself. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, authorizeUrl, postForm } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { postgresOf, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeEach(async () => {
  mailbox = await startMailbox();
  const config = { smtpUrl: smtpTo(mailbox), trustProxy: ["127.0.0.1"], logLevel: "info" } as const;
  server = await startServer({ config });
});
afterEach(async () => {
  await server.stop();
  await mailbox.stop();
});

const PINO_ERROR = 50;

interface Line {
  readonly event?: string;
  readonly level?: number;
  readonly condition?: string;
  readonly reason?: string;
  readonly path?: string;
  readonly network?: string;
  readonly sources?: number;
  readonly repeated?: number;
}

/** The lines of the log after the server has stopped. */
async function logOf(of: (line: Line) => boolean): Promise<{ whole: Line[]; sums: Line[]; repeated: number }> {
  await server.assent.close();
  const lines = server.log.map((line) => JSON.parse(line) as Line).filter(of);
  const sums = lines.filter(({ repeated }) => repeated !== undefined);
  const whole = lines.filter(({ repeated }) => repeated === undefined);
  return { whole, sums, repeated: sums.reduce((sum, { repeated = 0 }) => sum + repeated, 0) };
}

/** Presents an invalid token from this address, without a client's name. The server refuses it before any counter. */
const wrong = (from: string) =>
  postForm(server, "/token", null, { grant_type: "refresh_token", refresh_token: "x" }, { "x-forwarded-for": from });

async function inTurns(times: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 20)
    await Promise.all(Array.from({ length: Math.min(20, times - done) }, (_, at) => work(done + at)));
}

describe("refusals", () => {
  test("1,000 for one cause from one network → the first five whole, then one line with the count", async () => {
    await inTurns(1000, (at) => wrong(`2001:db8:1:1::${at.toString(16)}`));
    const { whole, sums, repeated } = await logOf(({ event }) => event === "refused");
    expect(whole).toHaveLength(5);
    expect(repeated).toBe(995);
    expect(sums.length).toBeLessThanOrEqual(2);
    expect(sums[0]).toMatchObject({ event: "refused", condition: whole[0]?.condition, network: "2001:db8:1:1::/64" });
    expect(sums[0]).not.toHaveProperty("detail");
  });

  test("another cause, or another network → lines of its own", async () => {
    await inTurns(100, () => wrong("192.0.2.1"));
    await wrong("192.0.2.2");
    const nobody = { clientId: "nobody-at-all", secret: "x" };
    await postForm(server, "/token", nobody, { grant_type: "refresh_token" }, { "x-forwarded-for": "192.0.2.1" });
    const { whole } = await logOf(({ event }) => event === "refused");
    expect(whole).toHaveLength(7);
  });

  test("one each from 1,000 networks → a hundred whole lines, a few that count, all of them counted", async () => {
    await inTurns(1000, (at) => wrong(`10.${at >> 8}.${at & 255}.1`));
    const { whole, sums, repeated } = await logOf(({ event }) => event === "refused");
    expect(whole).toHaveLength(100);
    expect(repeated).toBe(900);
    expect(sums.length).toBeLessThanOrEqual(42);
    expect(sums.at(-1)?.sources).toBeGreaterThan(500);
  });

  test("the figures count every one of them", async () => {
    await inTurns(200, () => wrong("192.0.2.1"));
    const families = await server.assent.measure();
    const refusals = families.find(({ name }) => name === "assent_refusals_total");
    expect(refusals?.samples.reduce((sum, { value }) => sum + value, 0)).toBe(200);
  });
});

test("a path with 1,800 characters of escapes → the line has the first 200 characters of it", async () => {
  const foreign = { "sec-fetch-site": "cross-site" };
  await fetch(`${server.url}/company/${"%E3%81%82".repeat(200)}/revoke`, { method: "POST", headers: foreign });
  const { whole } = await logOf(({ event }) => event === "refused");
  expect(whole.map(({ path }) => path)).toEqual([`/company/${"%E3%81%82".repeat(22).slice(0, 191)}…`]);
});

describe("events", () => {
  test("300 wrong sign-ins and throttled ones → five whole of each reason, the rest counted, in the figures, too", async () => {
    const agent = new Agent(server.issuer);
    const form = formWith(await agent.get("/login"), "username");
    await inTurns(300, () => agent.submit(form, { username: "nobody-at-all", password: "not it" }));
    const families = await server.assent.measure();
    const { whole, repeated } = await logOf(({ event }) => event?.startsWith("sign_in_") === true);
    expect(whole.filter(({ event }) => event === "sign_in_failed")).toHaveLength(5);
    expect(whole.filter(({ event }) => event === "sign_in_throttled")).toHaveLength(5);
    expect(repeated).toBe(290);
    const failures = families.find(({ name }) => name === "assent_failures_total");
    expect(failures?.samples).toContainEqual({ labels: { event: "sign_in_failed" }, value: 10 });
    expect(failures?.samples).toContainEqual({ labels: { event: "sign_in_throttled" }, value: 290 });
  });
});

test("200 authorizations that no session answers (prompt=none) → five whole lines for an app, the rest counted", async () => {
  const client = await server.addClient();
  await inTurns(200, () => new Agent(server.issuer).get(authorizeUrl(server, client, { prompt: "none" })));
  const { whole, repeated } = await logOf(({ event }) => event === "authorization_denied");
  expect(whole).toHaveLength(5);
  expect(repeated).toBe(195);
});

describe("what is never left out", () => {
  test("50 faults of ours from one network → 50 lines", async () => {
    const url = postgresOf(server.dataDir) ?? `sqlite:${server.dataDir}/assent.db`;
    await byHand(url, ["ALTER TABLE mail_requests RENAME TO elsewhere"]);
    const agent = new Agent(server.issuer, { "x-forwarded-for": "192.0.2.3" });
    for (let at = 0; at < 50; at += 1) {
      const from = new Agent(server.issuer, { "x-forwarded-for": `10.1.${at}.1` });
      const form = formWith(await from.get("/recover"), "login");
      expect((await from.submit(form, { login: "ada" })).status).toBe(500);
    }
    expect((await agent.get("/login")).status).toBe(200);
    const faults = await logOf(({ event, level }) => event === "refused" && level === PINO_ERROR);
    expect(faults.whole).toHaveLength(50);
    await byHand(url, ["ALTER TABLE elsewhere RENAME TO mail_requests"]);
  });

  test("ASSENT_LOG_LEVEL=debug → every refusal is written", async () => {
    await server.stop();
    server = await startServer({ config: { trustProxy: ["127.0.0.1"], logLevel: "debug" } });
    await inTurns(100, () => wrong("192.0.2.1"));
    const { whole, sums } = await logOf(({ event }) => event === "refused");
    expect([whole.length, sums.length]).toEqual([100, 0]);
  });
});
