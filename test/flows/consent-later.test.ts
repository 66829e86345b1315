/** The effect of a later answer on an earlier consent: only what the owner chose changes (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, decide, enter, formWith } from "../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

type Owner = Awaited<ReturnType<TestServer["addPerson"]>> & { readonly agent: Agent };

/** A person who allowed `read` for an hour. */
async function someone(): Promise<Owner> {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  await authorize(agent, authorizeUrl(server, client), person.username, { duration: "3600" });
  return { ...person, agent };
}

/** The hours that each scope has left. Null: until revoked. */
async function hoursLeft(ownerId: string, partition: number, { clientId } = client) {
  const consent = await server.assent.storage.consents.find({ partition, ownerId, clientId });
  const left = (end: number | null) => (end === null ? null : Math.round((end - server.now()) / HOUR));
  return Object.fromEntries((consent?.scopes ?? []).map(({ name, expiresAt }) => [name, left(expiresAt)]));
}

const more = { scope: "read write" };
const ask = async ({ agent }: Owner, changes: Record<string, string> = {}) =>
  agent.get(authorizeUrl(server, client, changes));
const allow = async ({ agent }: Owner, page: Page, answer: Record<string, string | string[]> = {}) =>
  agent.submit(consentForm(page), { decision: "allow", ...answer });

describe("an app that asks for more", () => {
  test.each(["86400", "forever", "once"])(
    "allowed for %s → what was granted before ends as before",
    async (duration) => {
      const owner = await someone();
      const page = await ask(owner, more);
      expect(page.text).toContain("ends <time");
      expect(page.text).toContain("How long (new permissions)");
      expect((await allow(owner, page, { duration })).location?.searchParams.has("code")).toBe(true);
      const { read, write } = await hoursLeft(owner.personId, owner.partition);
      const chosen = new Map<string, number | null>([
        ["86400", 24],
        ["forever", null],
      ]);
      expect([read, write]).toEqual([1, chosen.get(duration)]);
    },
  );

  test("another end in the row of what was granted before → that one, and only it", async () => {
    const owner = await someone();
    await allow(owner, await ask(owner, more), { duration: "3600", "duration:read": "86400" });
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 24, write: 1 });
  });

  test("a time that isn't offered, in that row → asked again, and nothing changes", async () => {
    const owner = await someone();
    const again = await allow(owner, await ask(owner, more), { "duration:read": "123" });
    expect([again.status, again.text.includes("Choose a length of time from the list")]).toEqual([400, true]);
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 1 });
  });

  test("what was granted before ends while the page is open → asked again, not granted anew", async () => {
    const owner = await someone();
    const page = await ask(owner, more);
    server.tick(HOUR - 20_000);
    const again = await allow(owner, page, { duration: "forever" });
    expect(again.status).toBe(400);
    expect(again.text).not.toContain("(new permissions)");
    expect(consentForm(again).fields.get("duration:read")).toBe("");
  });
});

describe("an app that asks for the same again, with prompt=consent", () => {
  test("the page shows the present end, and no time for what is new; allowed → the same end", async () => {
    const owner = await someone();
    const page = await ask(owner, { prompt: "consent" });
    const form = consentForm(page);
    expect([form.fields.has("duration"), form.fields.get("duration:read")]).toEqual([false, "keep"]);
    expect(page.text).toContain("ends <time");
    expect((await allow(owner, page)).location?.searchParams.has("code")).toBe(true);
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 1 });
    // A field that isn't on the page changes nothing either.
    await allow(owner, await ask(owner, { prompt: "consent" }), { duration: "forever" });
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 1 });
  });

  test("a wrong time in a row → asked again, saying so", async () => {
    const owner = await someone();
    const again = await allow(owner, await ask(owner, { prompt: "consent" }), { "duration:read": "123" });
    expect([again.status, again.text.includes("Choose a length of time from the list")]).toEqual([400, true]);
  });

  test("another end in its row → that one, sooner or later", async () => {
    const owner = await someone();
    await allow(owner, await ask(owner, { prompt: "consent" }), { "duration:read": "forever" });
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: null });
    await allow(owner, await ask(owner, { prompt: "consent" }), { "duration:read": "86400" });
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 24 });
  });

  test("revoked in another tab meanwhile → nothing stands but what this answer needs", async () => {
    const owner = await someone();
    const page = await ask(owner, { prompt: "consent" });
    const { personId: ownerId, partition } = owner;
    const key = { partition, ownerId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: ownerId, now: server.now() });
    const again = await allow(owner, page);
    expect([again.status, again.location]).toEqual([400, undefined]);
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 1 });
    expect((await server.assent.storage.consents.find(key))?.status).toBe("revoked");
  });
});

describe("a company", () => {
  test("more for a company → what it granted before ends as before; less than was chosen for the person → no longer than chosen", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const agent = new Agent(server.issuer);
    const forCompany = { owner: company.companyId };
    await authorize(agent, authorizeUrl(server, client), company.admin.username, { ...forCompany, duration: "86400" });
    const page = await agent.get(authorizeUrl(server, client, more));
    await agent.submit(consentForm(page), { decision: "allow", ...forCompany, duration: "forever" });
    const ends = await hoursLeft(company.companyId, company.partition);
    expect(ends).toEqual({ read: 24, write: null });
    // A member, whose page shows that they allowed nothing themselves, chooses an hour.
    const member = new Agent(server.issuer);
    const url = authorizeUrl(server, client);
    await authorize(member, url, company.member.username, { ...forCompany, duration: "3600" });
    expect(await hoursLeft(company.companyId, company.partition)).toEqual(ends);
    const [own] = await server.assent.storage.companyApps.grantsOfMember({
      ...{ partition: company.partition, companyId: company.companyId, personId: company.member.personId },
      now: server.now(),
    });
    expect(Math.round(((own?.absoluteUntil ?? 0) - server.now()) / HOUR)).toBe(1);
  });
});

describe("a device", () => {
  test("asks for more → what was granted before ends as before; for once → the device gets it no longer", async () => {
    const device = await aDeviceClient(server);
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    const first = await aDevice(server, device);
    await decide(agent, first.userCode, person.username, { duration: "3600" });
    for (const duration of ["86400", "once"]) {
      const { userCode } = await aDevice(server, device, more);
      const page = await enter(agent, userCode, person.username);
      expect(page.text).toContain("ends <time");
      await agent.submit(formWith(page, "decision"), { decision: "allow", duration });
      expect(await hoursLeft(person.personId, person.partition, device)).toEqual({ read: 1, write: 24 });
    }
  });

  test("asks for the same again → the page shows the end, and keeps it unless another one is chosen", async () => {
    const device = await aDeviceClient(server);
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    const first = await aDevice(server, device);
    await decide(agent, first.userCode, person.username, { duration: "3600" });
    for (const [answer, end] of [
      [{}, 1],
      [{ "duration:read": String((7 * DAY) / 1000) }, 168],
    ] as const) {
      const { userCode } = await aDevice(server, device);
      const page = await enter(agent, userCode, person.username);
      const form = formWith(page, "decision");
      expect([form.fields.has("duration"), form.fields.get("duration:read")]).toEqual([false, "keep"]);
      await agent.submit(form, { decision: "allow", ...answer });
      expect(await hoursLeft(person.personId, person.partition, device)).toEqual({ read: end });
    }
  });
});

describe("a page that was opened before another answer", () => {
  const CHANGED = "What you allow this app changed while this page was open";

  async function twoTabs(changes: Record<string, string> = {}) {
    const person = await server.addPerson();
    const owner: Owner = { ...person, agent: new Agent(server.issuer) };
    await signIn(owner.agent, person.username);
    return { owner, one: await ask(owner, changes), two: await ask(owner, changes) };
  }

  test.each([{}, more])("%j: allowed for longer in the other tab → asked again; then as chosen", async (changes) => {
    const { owner, one, two } = await twoTabs(changes);
    await allow(owner, one, { duration: "forever" });
    const again = await allow(owner, two, { duration: "3600" });
    expect([again.status, again.text.includes(CHANGED)]).toEqual([400, true]);
    expect(again.text).toContain("wants access to your account again");
    expect((await hoursLeft(owner.personId, owner.partition))["read"]).toBe(null);
    const answered = await allow(owner, again, { "duration:read": "3600" });
    expect(answered.location?.searchParams.has("code")).toBe(true);
    expect((await hoursLeft(owner.personId, owner.partition))["read"]).toBe(1);
  });

  test("a time of its own in the second tab → that one", async () => {
    const { owner, one, two } = await twoTabs(more);
    await allow(owner, one, { duration: "forever" });
    const times = { "duration:read": "3600", "duration:write": "86400" };
    expect((await allow(owner, two, times)).location?.searchParams.has("code")).toBe(true);
    expect(await hoursLeft(owner.personId, owner.partition)).toEqual({ read: 1, write: 24 });
  });

  test("the same button pressed twice → one code", async () => {
    const { owner, one } = await twoTabs();
    const [first, second] = [await allow(owner, one), await allow(owner, one)];
    expect(second.location?.searchParams.get("code")).toBe(first.location?.searchParams.get("code"));
  });

  test("revoked in the other tab → the page says that it changed, and nothing is given", async () => {
    const owner = await someone();
    const page = await ask(owner, { prompt: "consent" });
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    await server.assent.storage.consents.revoke({ ...key, revokedBy: owner.personId, now: server.now() });
    const again = await allow(owner, page);
    expect([again.status, again.text.includes(CHANGED)]).toEqual([400, true]);
    expect(again.text).not.toContain("open too long");
  });

  test("paused in the other tab → the title says that nothing is new", async () => {
    const owner = await someone();
    const page = await ask(owner, { prompt: "consent" });
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: client.clientId };
    await server.assent.storage.consents.setPaused({ ...key, paused: true, by: owner.personId, now: server.now() });
    const again = await allow(owner, page);
    expect(again.text).toContain("This app is paused, and allowing it would also resume it");
    expect([
      again.text.includes("wants more access"),
      again.text.includes("wants access to your account again"),
    ]).toEqual([false, true]);
  });

  test("a device's page → asked again", async () => {
    const device = await aDeviceClient(server);
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const codes = [await aDevice(server, device), await aDevice(server, device)];
    const pages: Page[] = [];
    for (const { userCode } of codes) pages.push(await enter(agent, userCode, username));
    const [one, two] = pages.map((page) => formWith(page, "decision"));
    if (one === undefined || two === undefined) throw new Error("no page");
    await agent.submit(one, { decision: "allow", duration: "86400" });
    const again = await agent.submit(two, { decision: "allow", duration: "3600" });
    expect([again.status, again.text.includes(CHANGED)]).toEqual([400, true]);
  });

  test("for a company → asked again", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const agent = new Agent(server.issuer);
    await signIn(agent, company.member.username);
    const first = await agent.get(authorizeUrl(server, client));
    const answer = { decision: "allow", owner: company.companyId };
    await agent.submit(consentForm(first), { ...answer, duration: "3600" });
    // Both pages show the company's permissions from now on.
    const pages = [
      await agent.get(authorizeUrl(server, client, { ...more, prompt: "consent" })),
      await agent.get(authorizeUrl(server, client, { ...more, prompt: "consent" })),
    ];
    const [one, two] = pages.map(consentForm);
    if (one === undefined || two === undefined) throw new Error("no page");
    await agent.submit(one, { ...answer, duration: "forever" });
    const again = await agent.submit(two, { ...answer, duration: "86400" });
    expect([again.status, again.text.includes(CHANGED)]).toEqual([400, true]);
  });
});

test("a permission that is for once and still runs, left unticked on the next page → the history says that it was removed", async () => {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  const once = { duration: "forever", "duration:write": "once" };
  await authorize(agent, authorizeUrl(server, client, more), person.username, once);
  const again = authorizeUrl(server, client, { ...more, prompt: "consent" });
  await authorize(agent, again, person.username, { scope: [] });
  const history = (await agent.get("/account/history")).text.replaceAll(/<[^>]*>/g, "");
  expect(history).toContain("Removed: Change your photos");
  // Its grant has lost it, so the next answer removes nothing.
  await authorize(agent, again, person.username, { scope: [] });
  const later = (await agent.get("/account/history")).text.replaceAll(/<[^>]*>/g, "");
  expect(later.split("Removed: ").length).toBe(2);
});
