/** EN-02, EN-09, DV-22: neither the text of an answer nor its duration shows whether a name, address or code exists. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany } from "../support/company-staff.ts";
import { type Service, startService } from "../support/crawl-every-page.ts";
import { aDevice, aDeviceClient, decide, poll } from "../support/device-actor.ts";
import { Agent, type Form, type Page, signIn } from "../support/http-browser.ts";
import { hashPasswordsAtRealCost } from "../support/real-password-cost.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

hashPasswordsAtRealCost();

let service: Service;
let server: TestServer;
beforeAll(async () => {
  service = await startService();
  ({ server } = service);
});
afterAll(() => service.stop());

const MINUTE = 60_000;
let networks = 0;
/** Each browser has its own network, so that no limit per network applies. */
function aBrowser(): Agent {
  networks += 1;
  return new Agent(server.issuer, { "x-forwarded-for": `10.${networks >> 8}.${networks & 255}.1` });
}

/** A request, and the name, address or code in it. */
interface Asked {
  readonly about: string;
  readonly ask: () => Promise<Page>;
}

const ROUNDS = 15;
const sorted = (list: readonly number[]) => list.toSorted((a, b) => a - b);
const quantile = (list: readonly number[], at: number) => sorted(list)[Math.floor(list.length * at)] ?? 0;

/**
 * Sends both kinds of request in turn. The answers must be equal. The medians of their durations must differ by less
 * than the spread of one kind (20th to 80th percentile), or by less than 3 ms.
 */
async function expectTheSame(known: () => Promise<Asked>, unknown: () => Promise<Asked>): Promise<void> {
  const took: [number[], number[]] = [[], []];
  const said = [new Set<string>(), new Set<string>()] as const;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { about, ask } = await (which === 0 ? known : unknown)();
      const started = performance.now();
      const page = await ask();
      took[which].push(performance.now() - started);
      said[which].add(told(page, about));
      // Waits, so that the server's work after an answer doesn't delay the next request.
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }
  expect([...said[0]].sort()).toEqual([...said[1]].sort());
  const [one, other] = [quantile(took[0], 0.5), quantile(took[1], 0.5)];
  const noise = took.map((list) => quantile(list, 0.8) - quantile(list, 0.2));
  expect(Math.abs(one - other), `${one} ms and ${other} ms, noise ${noise.join(" and ")} ms`).toBeLessThan(
    Math.max(3, ...noise),
  );
}

/** The page without the input, and without values that differ in each answer. */
function told({ status, headers, text, location }: Page, about: string): string {
  const plain = text
    .replaceAll(about, "…")
    .replace(/(name="(?:csrf|device|partial|request|challenge)" value=")[^"]*/g, "$1")
    .replace(/data-options="[^"]*"/g, "")
    .replace(/back=[^"]*/g, "")
    .replaceAll(headers.get("x-request-id") ?? "no number", "…");
  return JSON.stringify([status, location?.pathname, headers.get("set-cookie")?.replace(/=[^;]*/g, ""), plain]);
}

const form = async (agent: Agent, path: string, field: string): Promise<Form> => formWith(await agent.get(path), field);

/** Sends one field of a page that strangers can see. */
function typed(path: string, field: string, more: Record<string, string> = {}) {
  return async (value: string): Promise<Asked> => {
    const agent = aBrowser();
    const shown = await form(agent, path, field);
    return { about: value, ask: () => agent.submit(shown, { [field]: value, ...more }) };
  };
}

let nobodies = 0;
const nobody = () => {
  nobodies += 1;
  return `nobody-${nobodies}@example.test`;
};
const somebody = async () => (await server.addPerson()).email;

test("EN-02 sign-up: an address with an account and one without", { ...byTheClock, timeout: 60_000 }, async () => {
  const signUp = typed("/sign-up", "email");
  await expectTheSame(
    async () => signUp(await somebody()),
    () => signUp(nobody()),
  );
});

test("EN-02 recovery: an account and none", { ...byTheClock, timeout: 60_000 }, async () => {
  const recover = typed("/recover", "login");
  await expectTheSame(
    async () => recover(await somebody()),
    () => recover(nobody()),
  );
});

test("EN-09 sign-in: a disabled person with the right password, and nobody", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const enter = typed("/login", "username", { password: PASSWORD });
  const disabled = async () => {
    const person = await server.addPerson();
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    return person.email;
  };
  await expectTheSame(
    async () => enter(await disabled()),
    () => enter(nobody()),
  );
});

test("EN-02 change of e-mail: an address that somebody has, and one that nobody has", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const agent = aBrowser();
  await signIn(agent, (await server.addPerson()).username);
  const shown = await form(agent, "/account/profile", "email");
  const change = async (email: string): Promise<Asked> => ({
    about: email,
    ask: () => agent.submit(shown, { email, current_password: PASSWORD }),
  });
  await expectTheSame(
    async () => change(await somebody()),
    () => change(nobody()),
  );
});

test("EN-02 invitation: an address that somebody has, and one that nobody has", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const invite = async (addressee: string): Promise<Asked> => {
    // Each invitation goes to a different company, because the page lists earlier invitations.
    const { slug, admin } = await addCompany(server);
    const agent = aBrowser();
    await signIn(agent, admin.username);
    const shown = await form(agent, `/company/${slug}/members`, "addressee");
    return { about: addressee, ask: async () => plain(await agent.submit(shown, { addressee }), slug, addressee) };
  };
  const plain = (page: Page, slug: string, addressee: string): Page => ({
    ...page,
    text: page.text
      .replaceAll(slug, "acme")
      .replaceAll(addressee, "…")
      .replaceAll(/iv_[\w-]+|alice-\w+|(?<=name="(?:person_id|invitation)" value=")[\w-]+/g, "…")
      .replaceAll(/<time.*?<\/time>/g, "…"),
  });
  await expectTheSame(
    async () => invite(await somebody()),
    () => invite(nobody()),
  );
});

test("DV-22 device: a code that was never given out, and one that has run out or was used", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const tv = await aDeviceClient(server);
  const codes: string[] = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    const { userCode, deviceCode } = await aDevice(server, tv, {}, { "x-forwarded-for": `10.200.${at}.1` });
    codes.push(userCode);
    if (at % 3 > 0) continue;
    const agent = aBrowser();
    await decide(agent, userCode, (await server.addPerson()).username);
    await poll(server, tv, deviceCode);
  }
  server.tick(11 * MINUTE);
  const enter = async (code: string): Promise<Asked> => {
    const agent = aBrowser();
    await signIn(agent, (await server.addPerson()).username);
    const shown = await form(agent, "/device", "user_code");
    return { about: code, ask: () => agent.submit(shown, { user_code: code }) };
  };
  let next = 0;
  await expectTheSame(
    () => enter(codes[next++] ?? ""),
    () => enter("BCDF-GHJK"),
  );
});

test("CN-12 a company's address: one that is there, and one that isn't, for a stranger", {
  ...byTheClock,
  timeout: 60_000,
}, async () => {
  const { slug } = await addCompany(server);
  const agent = aBrowser();
  await signIn(agent, (await server.addPerson()).username);
  const open = async (name: string): Promise<Asked> => ({ about: name, ask: () => agent.get(`/company/${name}`) });
  await expectTheSame(
    () => open(slug),
    () => open("acme-nobody"),
  );
});
