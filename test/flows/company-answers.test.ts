/** An answer for a company is about the access of the person who answers, and does what the page says. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DefaultRule } from "../../packages/server/src/owners/company-storage.ts";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, poll } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALL = ["read", "write"];
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

type Who = "admin" | "member";
type Fields = Record<string, string | readonly string[]>;

interface Story {
  readonly company: TestCompany;
  readonly client: TestClient;
  readonly key: { readonly partition: number; readonly ownerId: string; readonly clientId: string };
  readonly agents: Readonly<Record<Who, Agent>>;
}

/** A company in which members decide, or whose rule allows the app. */
async function aStory(rule?: Parameters<typeof decide>[3], defaultRule: DefaultRule = "members"): Promise<Story> {
  const company = await addCompany(server, { defaultRule: rule === undefined ? defaultRule : "ask" });
  const client = await server.addClient({ scopes: ALL });
  if (rule !== undefined) await decide(server, company, client, rule);
  const key = { partition: company.partition, ownerId: company.companyId, clientId: client.clientId };
  const agents = { admin: new Agent(server.issuer), member: new Agent(server.issuer) };
  return { company, client, key, agents };
}

const asking = ({ client }: Story, scopes: readonly string[] = ALL, more: Record<string, string> = {}) =>
  authorizeUrl(server, client, { scope: scopes.join(" "), ...more });

const pageFor = (story: Story, who: Who, scopes: readonly string[] = ALL) =>
  atConsent(story.agents[who], asking(story, scopes, { prompt: "consent" }), story.company[who].username);

/** Connects the app for the company. Returns a refresh token. */
async function connect(story: Story, who: Who, fields: Fields, scopes: readonly string[] = ALL) {
  const url = asking(story, scopes, { prompt: "consent" });
  const answer = { owner: story.company.companyId, duration: "604800", ...fields };
  const location = await authorize(story.agents[who], url, story.company[who].username, answer);
  const { body } = await redeem(server, story.client, location);
  return { token: body.refresh_token, scope: body.scope };
}

const press = ({ agents }: Story, who: Who, page: Page, fields: Fields = {}) =>
  agents[who].submit(consentForm(page), { decision: "allow", ...fields });

const scopeOf = async ({ client }: Story, token: string | undefined) =>
  (await refresh(server, client, token)).body.scope;

/** How long each scope of the newest grant lasts, in hours. Null: it has no end. */
async function hoursOf({ company }: Story, who: Who, at = 0) {
  const whose = { ...company, personId: company[who].personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  const hours = (end: number | null) => (end === null ? null : Math.round((end - server.now()) / HOUR));
  const scopes = grants.toSorted((one, other) => other.createdAt - one.createdAt)[at]?.scopes ?? [];
  return Object.fromEntries(scopes.map(({ name, expiresAt }) => [name, hours(expiresAt)]));
}

const consentOf = async ({ key }: Story) => {
  const consent = await server.assent.storage.consents.find(key);
  return Object.fromEntries((consent?.scopes ?? []).map(({ name, expiresAt }) => [name, expiresAt]));
};

/** The record of the newest answer in the company's history that took something away. */
async function lastEntry({ key: { partition, ownerId } }: Pick<Story, "key">) {
  const entries = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 9 });
  return entries.find(({ record }) => record.removed.length > 0)?.record;
}

/** The row of a permission, without its elements. */
const rowOf = ({ text }: Page, description: string) => {
  const row = text.split('<li class="permission">').find((one) => one.includes(description)) ?? "";
  return row
    .slice(0, row.indexOf('class="row-end"'))
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
};

describe("an admin's answer on a consent page", () => {
  test("without what a member has, then once more as it is → the member keeps all of it, and so does the company", async () => {
    const story = await aStory();
    const { token } = await connect(story, "member", { scope: ALL });
    await connect(story, "admin", { scope: ["read"] });
    const page = await pageFor(story, "admin");
    expect(rowOf(page, "Change your photos")).toContain("Declined before");
    await press(story, "admin", page);
    expect(await scopeOf(story, token)).toBe("read write");
    expect(Object.keys(await consentOf(story))).toEqual(ALL);
  });

  test("unticks or shortens what it has already → only the admin's own access changes, at once", async () => {
    const story = await aStory();
    const others = await connect(story, "member", { scope: ALL });
    const own = await connect(story, "admin", { scope: ALL });
    await press(story, "admin", await pageFor(story, "admin"), { scope: ["read"], "duration:read": "3600" });
    expect([await scopeOf(story, others.token), await scopeOf(story, own.token)]).toEqual(["read write", "read"]);
    expect(await hoursOf(story, "member")).toEqual({ read: 168, write: 168 });
    expect(await hoursOf(story, "admin")).toEqual({ read: 1 });
    expect(await hoursOf(story, "admin", 1)).toEqual({ read: 1 });
  });

  test("likewise under an approval without an end → members connect as before", async () => {
    const story = await aStory({ scopes: ALL });
    const { token } = await connect(story, "member", { scope: ALL, duration: "forever" });
    await connect(story, "admin", { scope: ["read"], "duration:read": "3600" });
    expect(await scopeOf(story, token)).toBe("read write");
    expect(await consentOf(story)).toEqual({ read: null, write: null });
    server.tick(2 * HOUR);
    const again = await story.agents.member.get(asking(story));
    expect((await redeem(server, story.client, again.location ?? "")).body.scope).toBe("read write");
  });

  test("resumes a paused app → for everybody with what was allowed before, whatever the admin unticks", async () => {
    const story = await aStory();
    const { company, client } = story;
    const { token } = await connect(story, "member", { scope: ALL });
    await connect(story, "admin", { scope: ALL });
    const change = { ...company, clientId: client.clientId, by: null, now: server.now() };
    await server.assent.storage.companyApps.setPaused({ ...change, paused: true });
    const page = await pageFor(story, "admin");
    expect(page.text).toContain("it resumes for everyone there with what was allowed before.");
    expect(page.text).not.toContain("except what you untick");
    await press(story, "admin", page, { scope: ["read"] });
    expect(await scopeOf(story, token)).toBe("read write");
  });

  test("lets the app in for the admin alone where members have to ask, and the page says so", async () => {
    const story = await aStory(undefined, "ask");
    const page = await pageFor(story, "admin");
    const note = "The permissions and times that you choose for Acme Corp are for you only.";
    expect(page.text.replaceAll(/<[^>]*>/g, "")).toContain(note);
    await connect(story, "admin", { scope: ALL });
    const asked = await pageFor(story, "member");
    expect(asked.text).toContain("Acme Corp (an admin has to approve)");
    expect(asked.text.replaceAll(/<[^>]*>/g, "")).not.toContain(note);
  });
});

describe("an approval, and a company's consent that covers less of it", () => {
  /** As an admin's answer left it before it was about the admin alone. */
  async function narrowed() {
    const story = await aStory({ scopes: ALL });
    const change = { ...story.key, by: "an admin", now: server.now() };
    await server.assent.storage.consents.narrow({ ...change, remove: ["write"] });
    await server.assent.storage.consents.changeEnd({ ...change, end: server.now() + DAY, ceiling: null });
    return story;
  }

  test("a member allows it → as the rule says, with the ends that the page shows", async () => {
    const story = await narrowed();
    const page = await pageFor(story, "member");
    expect(page.text).not.toContain("allows this app until");
    expect(await connect(story, "member", { scope: ALL, duration: "forever" })).toMatchObject({ scope: "read write" });
    expect(await hoursOf(story, "member")).toEqual({ read: null, write: null });
    expect(await consentOf(story)).toEqual({ read: null, write: null });
  });

  test("the approval ends → so do the consent and the token, for these scopes alone", async () => {
    const story = await narrowed();
    const endsAt = server.now() + 7 * DAY;
    await decide(server, story.company, story.client, { scopes: ["write"], endsAt });
    await server.assent.storage.consents.changeEnd({
      ...{ ...story.key, by: "an admin", now: server.now() },
      ...{ end: server.now() + DAY, ceiling: null },
    });
    await connect(story, "member", { duration: "forever" }, ["write"]);
    expect(await hoursOf(story, "member")).toEqual({ write: 168 });
    expect(await consentOf(story)).toMatchObject({ write: endsAt });
  });

  test("the app is removed from the rule while a page is open → nothing beyond the rule, and a page", async () => {
    const story = await narrowed();
    const page = await pageFor(story, "member");
    await decide(server, story.company, story.client, { scopes: ["read"] });
    const { companyId: owner } = story.company;
    const asked = await press(story, "member", page, { owner, scope: ALL, duration: "604800" });
    expect([asked.location, asked.text.includes("Ask an admin")]).toEqual([undefined, true]);
    expect(await hoursOf(story, "member")).toEqual({});
  });

  test("a device → as the rule says", async () => {
    const client = await aDeviceClient(server, { scopes: ALL });
    const company = await addCompany(server);
    await decide(server, company, client, { scopes: ALL });
    const key = { partition: company.partition, ownerId: company.companyId, clientId: client.clientId };
    const change = { ...key, by: "an admin", now: server.now() };
    await server.assent.storage.consents.narrow({ ...change, remove: ["write"] });
    const { userCode, deviceCode } = await aDevice(server, client, { scope: "read write" });
    const agent = new Agent(server.issuer);
    const page = await enter(agent, userCode, company.member.username);
    const answer = { decision: "allow", owner: company.companyId, scope: ALL, duration: "604800" };
    await agent.submit(consentForm(page), answer);
    expect((await poll(server, client, deviceCode)).body.scope).toBe("read write");
  });
});

describe("the rule changes at the moment of the answer", () => {
  test.each(["ask", "pause"] as const)(
    "%s → the page again, with what is true, and nothing for the app",
    async (how) => {
      const story = await aStory({ scopes: ALL });
      const { company, client } = story;
      const page = await pageFor(story, "member");
      const { grants } = server.assent.storage;
      const { issue } = grants;
      const change = async () => {
        if (how === "ask") return decide(server, company, client, { rule: "ask", scopes: [] });
        const { companyApps } = server.assent.storage;
        await companyApps.setPaused({
          ...company,
          clientId: client.clientId,
          by: null,
          paused: true,
          now: server.now(),
        });
      };
      Object.assign(grants, { issue: (args: Parameters<typeof issue>[0]) => change().then(() => issue(args)) });
      try {
        const after = await press(story, "member", page, { owner: company.companyId, duration: "604800" });
        expect([after.location, after.status]).toEqual([undefined, 400]);
        expect(after.text).toContain("Nothing was sent yet");
        expect(after.text).toContain(how === "ask" ? "an admin has to approve" : "An admin of");
      } finally {
        Object.assign(grants, { issue });
      }
    },
  );
});

test("an admin pauses the app at the moment of the answer to a device → the page again, and the device waits", async () => {
  const client = await aDeviceClient(server, { scopes: ALL });
  const company = await addCompany(server);
  await decide(server, company, client, { scopes: ALL });
  const { userCode, deviceCode } = await aDevice(server, client, { scope: "read write" });
  const agent = new Agent(server.issuer);
  const page = await enter(agent, userCode, company.member.username);
  const { companyApps, deviceRequests } = server.assent.storage;
  const { approve } = deviceRequests;
  const key = { ...company, clientId: client.clientId, by: null, now: server.now() };
  const paused = async (args: Parameters<typeof approve>[0]) => {
    await companyApps.setPaused({ ...key, paused: true });
    return approve(args);
  };
  Object.assign(deviceRequests, { approve: paused });
  try {
    const answer = { decision: "allow", owner: company.companyId, scope: ALL, duration: "604800" };
    const after = await agent.submit(consentForm(page), answer);
    expect([after.location, after.status]).toEqual([undefined, 400]);
    expect(after.text).toContain("Nothing was sent yet");
    expect((await poll(server, client, deviceCode)).body.error).toBe("authorization_pending");
  } finally {
    Object.assign(deviceRequests, { approve });
  }
});

describe("a permission that the member doesn't give now", () => {
  test.each([
    ["an approval", { scopes: ALL }],
    ["members decide", undefined],
  ] as const)("%s: declined before, then allowed for 1 hour → 1 hour; the row shows no end", async (_, rule) => {
    const story = await aStory(rule);
    await connect(story, "admin", { scope: ALL, duration: "forever" });
    await connect(story, "member", { scope: ["read"], duration: "forever" });
    const page = await pageFor(story, "member");
    expect(rowOf(page, "Change your photos")).not.toMatch(/ends|until/);
    await press(story, "member", page, { scope: ALL, duration: "3600" });
    expect(await hoursOf(story, "member")).toEqual({ read: null, write: 1 });
  });

  test.each([
    ["an approval", { scopes: ALL }],
    ["members decide", undefined],
  ] as const)("%s: declined with 1 hour, then allowed for 7 days → 7 days", async (_, rule) => {
    const story = await aStory(rule);
    await connect(story, "admin", { scope: ALL, duration: "3600" });
    await connect(story, "member", { scope: ["read"], duration: "3600" });
    await press(story, "member", await pageFor(story, "member"), { scope: ALL, duration: "604800" });
    expect(await hoursOf(story, "member")).toEqual({ read: 1, write: 168 });
  });

  test("covered by the approval, never answered → new on the page, and as long as chosen", async () => {
    const story = await aStory({ scopes: ALL });
    await connect(story, "member", { duration: "forever" }, ["read"]);
    const page = await pageFor(story, "member");
    expect(rowOf(page, "Change your photos")).not.toMatch(/ends|until/);
    await press(story, "member", page, { scope: ALL, duration: "3600" });
    expect(await hoursOf(story, "member")).toEqual({ read: null, write: 1 });
  });
});

test("an approval without an end; a kept permission and an ended one → only the ended one gets the new time", async () => {
  const story = await aStory({ scopes: ALL });
  await connect(story, "member", { scope: ALL, duration: "86400", "duration:write": "3600" });
  server.tick(2 * HOUR);
  const page = await story.agents.member.follow(await story.agents.member.get(asking(story)));
  expect(rowOf(page, "See your photos")).toContain("ends in 22 hours");
  await press(story, "member", page, { duration: "604800" });
  expect(await hoursOf(story, "member")).toEqual({ read: 22, write: 168 });
});

describe.each([
  ["an approval", { scopes: ALL }],
  ["members decide", undefined],
] as const)("%s: a member's answer and their older access", (_, rule) => {
  test("unticks one permission and shortens the other → the older token at once, and nobody else's", async () => {
    const story = await aStory(rule);
    const others = await connect(story, "admin", { scope: ALL, duration: "forever" });
    const { token } = await connect(story, "member", { scope: ALL, duration: "forever" });
    await press(story, "member", await pageFor(story, "member"), { scope: ["read"], "duration:read": "3600" });
    expect([await scopeOf(story, token), await scopeOf(story, others.token)]).toEqual(["read", "read write"]);
    expect([await hoursOf(story, "member", 1), await hoursOf(story, "admin")]).toEqual([
      { read: 1 },
      { read: null, write: null },
    ]);
    expect(await lastEntry(story)).toMatchObject({ personId: story.company.member.personId, removed: ["write"] });
    server.tick(HOUR);
    expect((await refresh(server, story.client, token)).body.error).toBe("invalid_grant");
  });

  test("after “Ask me next time”, 1 hour for one and not the other → the older token, too", async () => {
    const story = await aStory(rule);
    const { company, client, agents } = story;
    const { token } = await connect(story, "member", { scope: ALL });
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: client.clientId, personId: company.member.personId };
    await server.assent.storage.companyApps.forgetChoice(key);
    const page = await agents.member.follow(await agents.member.get(asking(story)));
    const shown = await press(story, "member", page, { owner: companyId, scope: ["read"], duration: "3600" });
    expect(await scopeOf(story, token)).toBe("read write");
    await press(story, "member", shown, { scope: ["read"], "duration:read": "3600" });
    expect(await scopeOf(story, token)).toBe("read");
    expect(await hoursOf(story, "member", 1)).toEqual({ read: 1 });
  });

  test("a device: likewise, before the device has fetched its token", async () => {
    const client = await aDeviceClient(server, { scopes: ALL });
    const company = await addCompany(server, { defaultRule: rule === undefined ? "members" : "ask" });
    if (rule !== undefined) await decide(server, company, client, rule);
    const answer = async (fields: Fields) => {
      const { userCode, deviceCode } = await aDevice(server, client, { scope: "read write" });
      const agent = new Agent(server.issuer);
      const page = await enter(agent, userCode, company.member.username);
      await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, ...fields });
      return deviceCode;
    };
    const first = await poll(server, client, await answer({ scope: ALL, duration: "604800" }));
    await answer({ scope: ["read"], "duration:read": "3600" });
    expect((await refresh(server, client, first.body.refresh_token)).body.scope).toBe("read");
    const key = { partition: company.partition, ownerId: company.companyId, clientId: client.clientId };
    expect(await lastEntry({ key })).toMatchObject({ personId: company.member.personId, removed: ["write"] });
  });
});

test("a page after a request to an admin says nothing of what was shared", async () => {
  const story = await aStory({ scopes: ["read"] });
  await connect(story, "member", { duration: "604800" }, ["read"]);
  const page = await pageFor(story, "member");
  const { companyId: owner } = story.company;
  const asked = await press(story, "member", page, { owner, scope: ALL, duration: "604800" });
  const form = asked.forms.find(({ action }) => action.endsWith("/ask"));
  if (form === undefined) throw new Error(asked.text.slice(0, 500));
  const done = await story.agents.member.submit(form, { reason: "For work" });
  expect(done.text).toContain("have been asked");
  expect(done.text).not.toContain("Nothing has been shared");
  expect(done.text.replaceAll(/<[^>]*>/g, "")).toContain("Until then, Photo Printer gets nothing new.");
});

describe("the company's rule or the membership changes under an answer for the company", () => {
  const selected = ({ text }: Page) => /<option value="([^"]+)" selected/.exec(text)?.[1];
  const requests = ({ company: { partition, companyId } }: Story) =>
    server.assent.storage.companyApps.listRequests({ partition, companyId, limit: 10 });
  const leave = ({ company }: Story) => {
    const { partition, companyId, member } = company;
    return server.assent.storage.members.remove({ partition, companyId, person: member, by: null, now: server.now() });
  };

  /** The form of the request to the admins, in a browser or for a device, and what its submission shows. */
  async function atAsk(where: "browser" | "device") {
    const made = await aStory(undefined, "ask");
    const isDevice = where === "device";
    const story = isDevice ? { ...made, client: await aDeviceClient(server, { scopes: ALL }) } : made;
    const agent = story.agents.member;
    const device = isDevice ? await aDevice(server, story.client, { scope: "read write" }) : undefined;
    const page =
      device === undefined
        ? await pageFor(story, "member")
        : await enter(agent, device.userCode, story.company.member.username);
    const asked = await press(story, "member", page, { owner: story.company.companyId });
    const form = asked.forms.find(({ action }) => action.endsWith("/ask"));
    if (form === undefined) throw new Error(asked.text);
    const tokenAfter = async ({ location }: Page) =>
      device === undefined
        ? await redeem(server, story.client, location ?? new URL("x:"))
        : await poll(server, story.client, device.deviceCode);
    return { story, send: () => agent.submit(form, { reason: "For the fair", decision: "ask" }), tokenAfter };
  }

  describe.each(["browser", "device"] as const)("in a %s", (where) => {
    test("an admin approves the app before the request is sent → the page says so and stays with the company", async () => {
      const { story, send, tokenAfter } = await atAsk(where);
      await decide(server, story.company, story.client, { scopes: ALL });
      const page = await send();
      expect(page.text).toContain("You don’t have to ask an admin any more. No request was sent.");
      expect([page.status, selected(page)]).toEqual([400, story.company.companyId]);
      expect(await requests(story)).toEqual([]);
      const { body } = await tokenAfter(await press(story, "member", page));
      expect(body.scope).toBe("read write");
      const { partition, companyId, member } = story.company;
      const [grant] = await server.assent.storage.companyApps.grantsOfMember({
        ...{ partition, companyId, personId: member.personId, now: server.now() },
      });
      expect(grant?.scopes.map(({ name }) => name)).toEqual(ALL);
    });

    test("an admin blocks the app before the request is sent → the page says that the company can’t be chosen", async () => {
      const { story, send } = await atAsk(where);
      await decide(server, story.company, story.client, { rule: "block", scopes: [] });
      const page = await send();
      expect([page.status, page.text.includes("You can’t answer for that owner.")]).toEqual([400, true]);
    });

    test("the member was removed before the request is sent → the page says that it is about their own account", async () => {
      const { story, send } = await atAsk(where);
      await leave(story);
      const page = await send();
      const text = "You can no longer answer for the company that you chose. Nothing was sent.";
      expect([page.status, page.text.includes(text)]).toEqual([400, true]);
    });
  });

  test("the member was removed while the page was open → Allow says so, and begins anew for their own account", async () => {
    const story = await aStory();
    const page = await pageFor(story, "member");
    await leave(story);
    const fields = { owner: story.company.companyId, scope: ALL };
    const again = await press(story, "member", page, fields);
    const text = "You can no longer answer for the company that you chose. Nothing was sent.";
    expect([again.status, again.text.includes(text)]).toEqual([400, true]);
  });
});
