/** The password grant (RFC 6749 §4.3.2): the time of a refusal doesn't tell its cause. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { withSecondStep } from "../support/authenticator-app.ts";
import { Agent, authorize, authorizeUrl, postForm } from "../support/http-browser.ts";
import { hashPasswordsAtRealCost } from "../support/real-password-cost.ts";
import { cyclesOf, figure, quantile } from "../support/reliability-cycles-and-figures.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

hashPasswordsAtRealCost();

/** Samples of each cause. */
const SAMPLES = cyclesOf(24);
/** A difference of this number of milliseconds can't be measured over a network. */
const UNSEEN = 0.5;

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"], logLevel: "warn" } });
  client = await server.addClient({ grantTypes: ["password", "authorization_code"] });
});
afterAll(() => server.stop());

let networks = 0;

/** Each request has its own network, and sometimes a day passes, so that no limit applies. */
async function timed(fields: Record<string, string>): Promise<number> {
  networks += 1;
  const headers = { "x-forwarded-for": `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}` };
  const request = { grant_type: "password", password: PASSWORD, scope: "read", ...fields };
  const started = performance.now();
  const { status, body } = await postForm(server, "/token", client, request, headers);
  const took = performance.now() - started;
  expect([fields["username"], status, body.error]).toEqual([fields["username"], 400, "invalid_grant"]);
  // Waits, so that the server's work after an answer doesn't delay the next request.
  await new Promise((resolve) => setTimeout(resolve, 2));
  return took;
}

async function withoutConsent(): Promise<Person> {
  const person = await server.addPerson();
  await authorize(new Agent(server.issuer), authorizeUrl(server, client), person.username);
  const { partition, personId } = person;
  const key = { partition, ownerId: personId, clientId: client.clientId };
  await server.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: server.now() });
  return person;
}

async function causes(): Promise<ReadonlyMap<string, Record<string, string>>> {
  const named = ({ username }: Person) => ({ username });
  return new Map<string, Record<string, string>>([
    ["unknown", { username: "nobody-at-all" }],
    ["wrong password", { ...named(await server.addPerson()), password: "wrong" }],
    ["disabled", named(await server.addPerson({ status: "disabled" }))],
    ["no password", named(await server.addPerson({ passwordHash: null }))],
    ["must change", named(await server.addPerson({ mustChangePassword: true }))],
    ["second factor", named((await withSecondStep(server)).person)],
    ["consent taken back", named(await withoutConsent())],
    ["too long", { ...named(await server.addPerson()), password: "x".repeat(1025) }],
  ]);
}

/** A random order each time. */
function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => [Math.random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
}

test("EN-02 eight causes of a refusal → none takes longer than the others", {
  ...byTheClock,
  timeout: 60_000 + SAMPLES * 4000,
}, async () => {
  const all = await causes();
  const names = [...all.keys()];
  const took = new Map<string, number[]>(names.map((cause) => [cause, []]));
  // The difference from the other causes in the same round, because a busy machine slows the whole round.
  const apart = new Map<string, number[]>(names.map((cause) => [cause, []]));
  // The first rounds don't count: they compile code and fill caches.
  for (let round = -3; round < SAMPLES; round += 1) {
    if (round % 8 === 0) server.tick(25 * 3_600_000);
    const times = new Map<string, number>();
    for (const [cause, fields] of shuffled([...all])) times.set(cause, await timed(fields));
    if (round < 0) continue;
    const usual = quantile([...times.values()], 0.5);
    for (const [cause, time] of times) {
      took.get(cause)?.push(time);
      apart.get(cause)?.push(time - usual);
    }
  }
  const differences = [...apart.values()].map((list) => quantile(list, 0.5));
  const between = Math.max(...differences) - Math.min(...differences);
  // The standard error of a median, from the middle half of the values. The largest and the smallest of eight medians
  // differ by three of them by chance.
  const errors = [...apart.values()].map(
    (list) => (0.93 * (quantile(list, 0.75) - quantile(list, 0.25))) / Math.sqrt(list.length),
  );
  const error = Math.max(...errors);
  figure("EN-02", "a refusal by password grant, median milliseconds by cause", {
    samples: SAMPLES,
    ...Object.fromEntries([...took].map(([cause, times]) => [cause, quantile(times, 0.5)])),
    "ms between the causes": between,
    "ms of standard error": error,
  });
  expect(between).toBeLessThan(UNSEEN + 6 * error);
});
