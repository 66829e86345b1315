/** A consent page for a company shows what the app has in the member's name, and an answer changes only what it showed. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DefaultRule } from "../../packages/server/src/owners/company-storage.ts";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, poll } from "../support/device-actor.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, refresh, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
const ALL = ["read", "write", "health"];
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const health = { name: "health", description: "See your health", resource: "https://api.test" };
  await server.addScope({ ...health, optional: true, sensitive: true });
});
afterAll(() => server.stop());

type Who = "admin" | "member";
type Fields = Record<string, string | readonly string[]>;

interface Story {
  readonly company: TestCompany;
  readonly client: TestClient;
  readonly agents: Readonly<Record<Who, Agent>>;
}

async function aStory(rule?: Parameters<typeof decide>[3], defaultRule: DefaultRule = "members"): Promise<Story> {
  const company = await addCompany(server, { defaultRule });
  const client = await server.addClient({ scopes: ALL });
  if (rule !== undefined) await decide(server, company, client, rule);
  const agents = { admin: new Agent(server.issuer), member: new Agent(server.issuer) };
  await Promise.all([signIn(agents.admin, company.admin.username), signIn(agents.member, company.member.username)]);
  return { company, client, agents };
}

/** The response to a request: a page, or a redirect to the app. */
const request = async ({ agents, client }: Story, who: Who, scopes: readonly string[], more = {}) =>
  agents[who].follow(await agents[who].get(authorizeUrl(server, client, { scope: scopes.join(" "), ...more })));

const pageFor = (story: Story, who: Who, scopes: readonly string[] = ALL) =>
  request(story, who, scopes, { prompt: "consent" });

const press = ({ agents }: Story, who: Who, page: Page, fields: Fields = {}) =>
  agents[who].submit(consentForm(page), { decision: "allow", ...fields });

const tokensOf = async ({ client }: Story, { location }: Page) =>
  (await redeem(server, client, location ?? "no redirect")).body as { refresh_token?: string; scope?: string };

/** Connects the app for the company on a page. */
async function connect(story: Story, who: Who, fields: Fields, scopes: readonly string[] = ALL) {
  const answer = { owner: story.company.companyId, ...fields };
  return tokensOf(story, await press(story, who, await pageFor(story, who, scopes), { scope: scopes, ...answer }));
}

const scopeOf = async ({ client }: Story, token: string | undefined) =>
  (await refresh(server, client, token)).body.scope;

/** How long each scope of the member's grants lasts, in hours, the oldest grant first. Null: it has no end. */
async function hoursOf({ company }: Story, who: Who) {
  const whose = { ...company, personId: company[who].personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  const hours = (end: number | null) => (end === null ? null : Math.round((end - server.now()) / HOUR));
  return grants
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map(({ scopes }) => Object.fromEntries(scopes.map(({ name, expiresAt }) => [name, hours(expiresAt)])));
}

/** Each row of the page: its box, its words, and what its menu says at first. */
function rowsOf({ text }: Page) {
  const rows = text.split('<li class="permission">').slice(1);
  return Object.fromEntries(
    rows.map((row) => {
      const words = row.replaceAll(/<select[\s\S]*?<\/select>/g, "").replaceAll(/<[^>]*>/g, " ");
      const box = /<input type="checkbox"[^>]*>/.exec(row)?.[0] ?? "";
      const shown = {
        ticked: box.includes(" checked"),
        held: row.includes('<option value="keep"'),
        says: words.replaceAll(/\s+/g, " ").trim(),
      };
      return [/value="?([a-z]+)/.exec(box)?.[1] ?? "", shown];
    }),
  );
}

describe("the app got permissions by an approval, which the member never answered about", () => {
  async function approved() {
    const story = await aStory({ scopes: ALL }, "ask");
    await connect(story, "member", { duration: "604800" }, ["read"]);
    const { refresh_token: token } = await tokensOf(story, await request(story, "member", ALL));
    return { story, token };
  }

  test("the page shows them as given, with their end; Allow as it is → everything stays", async () => {
    const { story, token } = await approved();
    const page = await pageFor(story, "member");
    for (const name of ALL) expect(rowsOf(page)[name]).toMatchObject({ ticked: true, held: true });
    expect(rowsOf(page)["health"]?.says).toContain("ends in 7 days");
    const made = await tokensOf(story, await press(story, "member", page));
    expect([await scopeOf(story, token), made.scope]).toEqual([ALL.join(" "), ALL.join(" ")]);
    expect((await hoursOf(story, "member")).slice(1)).toEqual(
      [1, 2].map(() => ({ read: 168, write: 168, health: 168 })),
    );
  });

  test("another end for one of them → that one ends then everywhere, and the others stay", async () => {
    const { story, token } = await approved();
    await press(story, "member", await pageFor(story, "member"), { "duration:write": "3600" });
    expect(await scopeOf(story, token)).toBe(ALL.join(" "));
    expect((await hoursOf(story, "member")).slice(1)).toEqual([1, 2].map(() => ({ read: 168, write: 1, health: 168 })));
  });

  test("one of them unticked → the app loses it at once, and later requests leave it out", async () => {
    const { story, token } = await approved();
    await press(story, "member", await pageFor(story, "member"), { scope: ["read", "write"] });
    expect(await scopeOf(story, token)).toBe("read write");
    expect((await tokensOf(story, await request(story, "member", ALL))).scope).toBe("read write");
  });
});

test("an admin's permissions beyond the rule, then they are a member → the page says that the app has them, and Allow leaves them", async () => {
  const story = await aStory({ scopes: ALL }, "ask");
  const { company, client } = story;
  const { refresh_token: token } = await connect(story, "admin", { duration: "604800" });
  const { partition, companyId } = company;
  const staff = server.assent.storage.members;
  const role = { partition, companyId, by: null, now: server.now() };
  await staff.setRole({ ...role, personId: company.member.personId, role: "admin" });
  await decide(server, company, client, { scopes: ["read"] });
  await staff.setRole({ ...role, personId: company.admin.personId, role: "member" });
  if ((await scopeOf(story, token)) !== ALL.join(" ")) throw new Error("the rule took access away");
  const page = await pageFor(story, "admin");
  expect(rowsOf(page)).toMatchObject({ read: { held: true }, write: { held: false, ticked: false } });
  expect(rowsOf(page)["write"]?.says).toContain(
    "The app has this already, whatever you choose here; that ends in 7 days",
  );
  await press(story, "admin", page);
  expect(await scopeOf(story, token)).toBe(ALL.join(" "));
  // The next page still says so. An admin has to approve them, so leaving them out declined nothing.
  const next = await pageFor(story, "admin");
  for (const name of ["write", "health"]) {
    expect(rowsOf(next)[name]?.says).not.toContain("Declined before");
    expect(rowsOf(next)[name]?.says).toContain(
      "The app has this already, whatever you choose here; that ends in 7 days",
    );
  }
  await press(story, "admin", next);
  expect(await scopeOf(story, token)).toBe(ALL.join(" "));
});

test("an admin's permissions, then the approval lasts for fewer → their page says that the app has them, and Allow leaves them", async () => {
  const story = await aStory();
  const { company, client } = story;
  const { refresh_token: token } = await connect(story, "admin", { duration: "604800" });
  await decide(server, company, client, { scopes: ["read", "write"] });
  await decide(server, company, client, { scopes: ["read"] });
  if ((await scopeOf(story, token)) !== ALL.join(" ")) throw new Error("the rule took access away");
  const has = "The app has this already, whatever you choose here; that ends in 7 days";
  const page = await request(story, "admin", ALL);
  expect(rowsOf(page)).toMatchObject({ read: { held: true }, write: { held: false, ticked: false } });
  expect(rowsOf(page)["write"]?.says).toContain(has);
  await press(story, "admin", page);
  expect(await scopeOf(story, token)).toBe(ALL.join(" "));
  const next = await pageFor(story, "admin");
  expect(rowsOf(next)["write"]?.says).toContain(has);
  await press(story, "admin", next, { scope: ALL, duration: "3600" });
  expect(await scopeOf(story, token)).toBe(ALL.join(" "));
  expect((await hoursOf(story, "admin"))[0]).toMatchObject({ write: 168 });
  // Older access lasts longer than what was chosen now.
  const after = await pageFor(story, "admin");
  expect(rowsOf(after)["write"]).toMatchObject({ held: true });
  expect(rowsOf(after)["write"]?.says).toContain("ends in 7 days");
});

describe.each([
  ["an approval", { scopes: ALL }],
  ["members decide", undefined],
] as const)("%s: the page showed the person, and they select the company that has the app already", (_, rule) => {
  const again = "Nothing was sent yet, because this page showed the permissions of somebody else.";

  test("→ the page again, with the company's permissions; then Allow keeps the ends", async () => {
    const story = await aStory(rule);
    const { companyId: owner, member } = story.company;
    await connect(story, "member", { duration: "forever" });
    const forCompany = await pageFor(story, "member");
    const forSelf = await press(story, "member", forCompany, { owner: member.personId, duration: "604800" });
    expect(forSelf.text).toContain(again);
    server.tick(1000);
    await press(story, "member", forSelf, { scope: ALL, duration: "604800" });
    const page = await pageFor(story, "member");
    expect(consentForm(page).fields.get("shown_owner")).toBe(member.personId);
    const second = await press(story, "member", page, { owner, duration: "2592000" });
    expect(second.text).toContain(again);
    expect(await hoursOf(story, "member")).toEqual([{ read: null, write: null, health: null }]);
    await press(story, "member", second);
    expect(await hoursOf(story, "member")).toEqual([1, 2].map(() => ({ read: null, write: null, health: null })));
    await request(story, "member", ALL);
  });

  test("two tabs → the second answer sees the first one", async () => {
    const story = await aStory(rule);
    const { companyId: owner } = story.company;
    const [one, other] = [await pageFor(story, "member"), await pageFor(story, "member")];
    await press(story, "member", one, { owner, scope: ALL, duration: "forever" });
    const second = await press(story, "member", other, { owner, scope: ALL, duration: "once" });
    expect([second.location, second.text.includes(again)]).toEqual([undefined, true]);
    expect(await hoursOf(story, "member")).toEqual([{ read: null, write: null, health: null }]);
  });

  test("a double click on the first answer → the app gets its code", async () => {
    const story = await aStory(rule);
    const page = await pageFor(story, "member");
    const answer = { owner: story.company.companyId, scope: ALL, duration: "604800" };
    const [first, second] = [await press(story, "member", page, answer), await press(story, "member", page, answer)];
    expect(second.location?.searchParams.get("code")).toBe(first.location?.searchParams.get("code"));
  });
});

test("“Until I revoke it” under an approval that ends → after it, a colleague's answer gives the app nothing in my name", async () => {
  const story = await aStory({ scopes: ALL, endsAt: server.now() + HOUR }, "members");
  await connect(story, "admin", { duration: "604800" });
  await connect(story, "member", { duration: "forever" });
  server.tick(HOUR);
  await decide(server, story.company, story.client, null);
  await connect(story, "admin", { duration: "604800" });
  const page = await request(story, "member", ALL);
  expect([page.location, consentForm(page).fields.get("shown_owner")]).toEqual([undefined, story.company.companyId]);
});

describe.each([
  ["an approval", { scopes: ALL }],
  ["members decide", undefined],
] as const)("%s: only this once", (_, rule) => {
  test("for one of two → the page for it the next time, which says so; a permission without an answer keeps its own end", async () => {
    const story = await aStory(rule);
    await connect(story, "admin", { duration: "604800" });
    const asked = ["read", "write"];
    await connect(story, "member", { duration: "604800", "duration:write": "once" }, asked);
    const page = await request(story, "member", asked);
    expect(rowsOf(page)["write"]).toMatchObject({ held: false });
    expect(rowsOf(page)["write"]?.says).toContain("Allowed once before; that ends in 11 minutes");
    expect(rowsOf(page)["read"]).toMatchObject({ held: true });
    expect((await tokensOf(story, await request(story, "member", ["read"]))).scope).toBe("read");
    if (rule === undefined) return;
    await tokensOf(story, await request(story, "member", ["health"]));
    expect((await hoursOf(story, "member")).at(-1)).toEqual({ health: 168 });
  });

  test("then left out → the row says declined, and until when the app has it", async () => {
    const story = await aStory(rule);
    const asked = ["read", "write"];
    await connect(story, "member", { duration: "604800", "duration:write": "once" }, asked);
    await press(story, "member", await request(story, "member", asked), { scope: ["read"] });
    const says = rowsOf(await pageFor(story, "member", asked))["write"]?.says;
    expect(says).toContain("Declined before");
    expect(says).toMatch(/ends in 1[01] minutes/);
  });

  test("for all of an answer, after another answer → the page for it the next time, which says so", async () => {
    const story = await aStory(rule);
    await connect(story, "admin", { duration: "604800" });
    await connect(story, "member", { duration: "604800" }, ["read"]);
    await connect(story, "member", { duration: "once" }, ["write"]);
    const page = await request(story, "member", ["write"]);
    expect(rowsOf(page)["write"]).toMatchObject({ held: false });
    expect(rowsOf(page)["write"]?.says).toContain("Allowed once before");
    expect((await tokensOf(story, await request(story, "member", ["read"]))).scope).toBe("read");
  });
});

test("a device, one permission left out and nothing new → the page says that it continues with what was ticked", async () => {
  const client = await aDeviceClient(server, { scopes: ["read", "write"] });
  const company = await addCompany(server, { defaultRule: "members" });
  const answer = async (fields: Fields) => {
    const { userCode, deviceCode } = await aDevice(server, client, { scope: "read write" });
    const agent = new Agent(server.issuer);
    const page = await enter(agent, userCode, company.member.username);
    const done = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, ...fields });
    return { text: done.text, token: (await poll(server, client, deviceCode)).body };
  };
  await answer({ scope: ["read", "write"], duration: "604800" });
  const { text, token } = await answer({ scope: ["read"] });
  expect(text).toContain("with what you ticked, and with nothing new.");
  expect(token.scope).toBe("read");
});

test("a device alone for a company → the next page says what Allow gives the device, that the app keeps access there, and that it asks", async () => {
  const client = await aDeviceClient(server, { scopes: ["read", "write"], optionalScopes: ["write"] });
  const company = await addCompany(server, { defaultRule: "members" });
  const agent = new Agent(server.issuer);
  const opened = async (username: string) =>
    enter(agent, (await aDevice(server, client, { scope: "read write" })).userCode, username);
  const first = await aDevice(server, client, { scope: "read write" });
  const asked = await enter(agent, first.userCode, company.member.username);
  await agent.submit(consentForm(asked), {
    decision: "allow",
    owner: company.companyId,
    scope: ["read"],
    duration: "604800",
  });
  expect((await poll(server, client, first.deviceCode)).body.scope).toBe("read");
  const again = await opened("");
  const shown = await agent.submit(consentForm(again), { decision: "show", owner: company.companyId });
  const words = (text: string) => text.replaceAll(/<[^>]*>/g, "");
  expect(words(shown.text)).toContain("gives the device only what the app has already.");
  const refused = await agent.submit(consentForm(shown), { decision: "deny", owner: company.companyId });
  expect(words(refused.text)).toContain("If the app has access for Acme Corp already, it keeps it.");
  const own = words((await agent.get(`/company/${company.slug}`)).text);
  expect(own).toContain("You chose Acme Corp for this app. Next time, it asks you for whom.");
});
