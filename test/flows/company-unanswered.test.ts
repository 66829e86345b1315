/** A member answers about each scope that an app gets for their company, unless an admin's approval covers it. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DefaultRule } from "../../packages/server/src/owners/company-storage.ts";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, poll } from "../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
const ALL = ["read", "write", "health"];
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await server.addScope({ name: "health", description: "See your health", optional: true, sensitive: true });
});
afterAll(() => server.stop());

interface Story {
  readonly company: TestCompany;
  readonly client: TestClient;
  readonly agent: Agent;
  readonly owner: string;
}

const asking = (client: TestClient, scopes: readonly string[], more: Record<string, string> = {}) =>
  authorizeUrl(server, client, { scope: scopes.join(" "), ...more });

/** A member allowed `read`. Then somebody else of the company allowed everything. */
async function somebodyAllowedMore(
  by: "admin" | "member",
  defaultRule: DefaultRule = "members",
  more: { readonly scopes?: readonly string[] } = {},
): Promise<Story> {
  const company = await addCompany(server, { defaultRule });
  const client = await server.addClient({ scopes: more.scopes ?? ALL });
  const { companyId: owner, admin, member } = company;
  const [first, second] = by === "admin" ? [member, admin] : [admin, member];
  const agent = new Agent(server.issuer);
  await authorize(agent, asking(client, ["read"]), first.username, { owner, duration: "604800" });
  const answer = { owner, scope: more.scopes ?? ALL, duration: "31536000" };
  await authorize(new Agent(server.issuer), asking(client, more.scopes ?? ALL), second.username, answer);
  return { company, client, agent, owner };
}

/** The scope of the token behind a redirect to the client. Undefined: the page is shown. */
async function given({ client }: Story, page: Page): Promise<unknown> {
  return page.location === undefined ? undefined : (await redeem(server, client, page.location)).body.scope;
}

/** The names of the boxes that the page shows as new, and those of them that are ticked. */
function asNew({ text }: Page) {
  const section = text.slice(text.indexOf('<section class="what'), text.indexOf("</section>"));
  const fresh = section.replace(/<details[\s\S]*?<\/details>/, "");
  const boxes = [...fresh.matchAll(/<input type="checkbox" name="scope" value="([^"]+)"([^>]*)>/g)];
  return {
    all: boxes.map(([, name]) => name),
    ticked: boxes.flatMap(([, name, more = ""]) => (/ checked/.test(more) ? [name] : [])),
  };
}

test.each(["admin", "member"] as const)(
  "a scope that only somebody else allowed (by the %s) → the page, as new, the sensitive one unticked; prompt=none fails",
  async (by) => {
    const story = await somebodyAllowedMore(by);
    const { client, agent, owner } = story;
    const silent = await agent.get(asking(client, ALL, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
    const page = await agent.follow(await agent.get(asking(client, ALL)));
    expect([page.location, consentForm(page).fields.get("owner")]).toEqual([undefined, owner]);
    expect(asNew(page)).toEqual({ all: ["write", "health"], ticked: ["write"] });
    const allowed = await agent.submit(consentForm(page), { decision: "allow" });
    expect(await given(story, allowed)).toBe("read write");
    // What they left unticked stays out without a page.
    expect(await given(story, await agent.follow(await agent.get(asking(client, ALL))))).toBe("read write");
    expect(await given(story, await agent.follow(await agent.get(asking(client, ["read"]))))).toBe("read");
  },
);

test("the page about what somebody else allowed → an old end stays, the new one is as chosen, and nobody else's changes", async () => {
  const { company, client, agent } = await somebodyAllowedMore("admin", "members", { scopes: ["read", "write"] });
  const key = { partition: company.partition, ownerId: company.companyId, clientId: client.clientId };
  const before = await server.assent.storage.consents.find(key);
  const url = asking(client, ["read", "write"]);
  await agent.submit(consentForm(await agent.follow(await agent.get(url))), { decision: "allow", duration: "3600" });
  const whose = { ...company, personId: company.member.personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  const grant = grants.find(({ scopes }) => scopes.length === 2);
  const hours = (grant?.scopes ?? []).map(({ name, expiresAt }) => [
    name,
    Math.round(((expiresAt ?? 0) - server.now()) / 3_600_000),
  ]);
  expect(hours).toEqual([
    ["read", 7 * 24],
    ["write", 1],
  ]);
  const after = await server.assent.storage.consents.find(key);
  expect(after?.scopes.map(({ expiresAt }) => expiresAt)).toEqual(before?.scopes.map(({ expiresAt }) => expiresAt));
});

test("an admin leaves out what a member allowed, which is new to the admin → the member's access stays", async () => {
  const story = await somebodyAllowedMore("member");
  const { company, client, agent } = story;
  const page = await agent.follow(await agent.get(asking(client, ALL)));
  expect(asNew(page).all).toEqual(["write", "health"]);
  expect(await given(story, await agent.submit(consentForm(page), { decision: "allow" }))).toBe("read write");
  const whose = { ...company, personId: company.member.personId, now: server.now() };
  const [grant] = await server.assent.storage.companyApps.grantsOfMember(whose);
  expect(grant?.scopes.map(({ name }) => name).toSorted()).toEqual([...ALL].toSorted());
});

test("answered for themselves too, then for the company, which has more by others → the page about the company, not the person's access unseen", async () => {
  const story = await somebodyAllowedMore("admin", "members", { scopes: ["read", "write"] });
  const { company, client, agent, owner } = story;
  const { member } = company;
  const own = { owner: member.personId, scope: ["read", "write"], duration: "604800" };
  const both = asking(client, ["read", "write"], { prompt: "consent" });
  server.tick(1000);
  await authorize(agent, both, member.username, own);
  server.tick(1000);
  await authorize(agent, asking(client, ["read"], { prompt: "consent" }), member.username, { owner });
  const silent = await agent.get(asking(client, ["write"], { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  const page = await agent.follow(await agent.get(asking(client, ["write"])));
  expect(consentForm(page).fields.get("owner")).toBe(owner);
  // Answered for themselves: no page any more.
  server.tick(1000);
  await authorize(agent, asking(client, ["write"]), member.username, { ...own, scope: ["write"] });
  expect(await given(story, await agent.follow(await agent.get(asking(client, ["write"]))))).toBe("write");
});

describe("an admin's approval", () => {
  test("covers the scope → no page, for members and for admins; ended → the page", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const client = await server.addClient({ scopes: ["read", "write"] });
    const { companyId: owner, member, admin } = company;
    await decide(server, company, client, { scopes: ["read", "write"], endsAt: server.now() + 30 * DAY });
    const agents = await Promise.all(
      [member, admin].map(async ({ username }) => {
        const agent = new Agent(server.issuer);
        await authorize(agent, asking(client, ["read"]), username, { owner, duration: "31536000" });
        return agent;
      }),
    );
    const more = () =>
      Promise.all(agents.map(async (agent) => agent.follow(await agent.get(asking(client, ["write"])))));
    for (const page of await more()) expect(page.location?.searchParams.has("code")).toBe(true);
    await decide(server, company, client, null);
    for (const page of await more()) expect(asNew(page).all).toEqual(["write"]);
  });

  test("and the app got more by it without a page → the company's history says which permissions, also on the same day", async () => {
    const company = await addCompany(server);
    const client = await server.addClient({ scopes: ["read", "write"] });
    const { companyId: owner, member, admin } = company;
    await decide(server, company, client, { scopes: ["read", "write"] });
    const agent = new Agent(server.issuer);
    await authorize(agent, asking(client, ["read"]), member.username, { owner });
    for (const scopes of [["read"], ["read", "write"], ["write"]])
      await agent.follow(await agent.get(asking(client, scopes)));
    const staff = new Agent(server.issuer);
    await signIn(staff, admin.username);
    const said = (await staff.get(`/company/${company.slug}/history`)).text
      .split('<li class="entry">')
      .slice(1, 4)
      .map((entry) => entry.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "));
    expect(said.map((text) => ["See your photos", "Change your photos"].map((one) => text.includes(one)))).toEqual([
      [true, true],
      [true, false],
      [true, false],
    ]);
    expect(said.map((text) => text.includes("Photo Printer connected again"))).toEqual([true, true, false]);
  });

  test("for other members only → an admin answers about what it covers", async () => {
    const company = await addCompany(server);
    const client = await server.addClient({ scopes: ["read", "write"] });
    const { companyId: owner, member, admin } = company;
    const agent = new Agent(server.issuer);
    await authorize(agent, asking(client, ["read"]), admin.username, { owner });
    await server.assent.storage.companyApps.setRule({
      ...{ partition: company.partition, companyId: owner, clientId: client.clientId, by: null, now: server.now() },
      rule: {
        rule: "allow",
        scopes: ["read", "write"],
        hosts: ["https://app.test"],
        endsAt: null,
        selected: [member.personId],
      },
      shown: { locale: "en", clientName: client.name, logo: null },
    });
    expect(asNew(await agent.follow(await agent.get(asking(client, ["write"])))).all).toEqual(["write"]);
  });

  test("and a scope that the member left out, then an answer about another one → it stays left out", async () => {
    const company = await addCompany(server);
    const client = await server.addClient({ scopes: ALL });
    const { companyId: owner, member } = company;
    await decide(server, company, client, { scopes: ALL });
    const story = { company, client, owner, agent: new Agent(server.issuer) };
    const { agent } = story;
    await authorize(agent, asking(client, ["read", "health"]), member.username, { owner, scope: ["read"] });
    const page = await agent.follow(await agent.get(asking(client, ["write"], { prompt: "consent" })));
    await agent.submit(consentForm(page), { decision: "allow" });
    expect(await given(story, await agent.follow(await agent.get(asking(client, ALL))))).toBe("read write");
  });
});

describe("a scope that an admin has to approve first, which the member leaves out", () => {
  const ASKED = ["read", "write"];

  async function leftOut(more: { readonly scopes?: readonly string[] } = {}) {
    const company = await addCompany(server);
    const client = await server.addClient({ scopes: more.scopes ?? ASKED });
    const { companyId: owner, member } = company;
    await decide(server, company, client, { scopes: ["read"] });
    const story = { company, client, owner, agent: new Agent(server.issuer) };
    await authorize(story.agent, asking(client, ASKED), member.username, { owner, scope: ["read"] });
    const again = async (scopes = ASKED, how: Record<string, string> = {}) =>
      story.agent.follow(await story.agent.get(asking(client, scopes, how)));
    return { story, again };
  }

  test("not approved yet → no page for the rest; on a page it is unticked, and not “declined before”", async () => {
    const { story, again } = await leftOut();
    expect(await given(story, await again())).toBe("read");
    const page = await again(ASKED, { prompt: "consent" });
    expect([asNew(page), page.text.includes("Declined before")]).toEqual([{ all: ["write"], ticked: [] }, false]);
    await story.agent.submit(consentForm(page), { decision: "allow" });
    expect(await given(story, await again())).toBe("read");
  });

  test("then approved → the page offers it, ticked; allowed there, the app gets it, later without a page", async () => {
    const { story, again } = await leftOut();
    await decide(server, story.company, story.client, { scopes: ASKED });
    expect(await given(story, await again(["read"]))).toBe("read");
    const silent = await again(ASKED, { prompt: "none" });
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
    const page = await again();
    expect(asNew(page)).toEqual({ all: ["write"], ticked: ["write"] });
    const allowed = await story.agent.submit(consentForm(page), { decision: "allow" });
    expect(await given(story, allowed)).toBe("read write");
    expect(await given(story, await again())).toBe("read write");
  });

  test("approved, then left out on that page → declined, as any other: no page, and the tag", async () => {
    const { story, again } = await leftOut();
    await decide(server, story.company, story.client, { scopes: ASKED });
    await story.agent.submit(consentForm(await again()), { decision: "allow", scope: ["read"] });
    expect(await given(story, await again())).toBe("read");
    expect((await again(ASKED, { prompt: "consent" })).text).toContain("Declined before");
  });

  test("approved after an answer about another scope → the page offers it", async () => {
    const { story, again } = await leftOut({ scopes: ALL });
    const { company, client, agent } = story;
    await decide(server, company, client, { scopes: ["read", "health"] });
    const page = await again(["health"], { prompt: "consent" });
    await agent.submit(consentForm(page), { decision: "allow", scope: ["health"] });
    expect(await given(story, await again())).toBe("read");
    await decide(server, company, client, { scopes: ALL });
    expect(asNew(await again())).toEqual({ all: ["write"], ticked: ["write"] });
  });

  test("declined before it needed an admin → it stays declined when it is approved again", async () => {
    const { story, again } = await leftOut();
    const { company, client, agent } = story;
    const leave = async () =>
      agent.submit(consentForm(await again(ASKED, { prompt: "consent" })), { decision: "allow", scope: ["read"] });
    await decide(server, company, client, { scopes: ASKED });
    await leave();
    await decide(server, company, client, { scopes: ["read"] });
    await leave();
    await decide(server, company, client, { scopes: ASKED });
    expect(await given(story, await again())).toBe("read");
  });
});

describe("the page says which permissions an approval lets the app get later", () => {
  const later = ({ text }: Page) =>
    /id="owner-notes">[\s\S]*?<details[^>]*>([\s\S]*?)<\/details>/
      .exec(text)?.[1]
      ?.replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();

  async function firstPage(rule: Parameters<typeof decide>[3], registered: readonly string[] = ALL): Promise<Page> {
    const company = await addCompany(server);
    const client = await server.addClient({ scopes: registered });
    await decide(server, company, client, rule);
    const agent = new Agent(server.issuer);
    await signIn(agent, company.member.username);
    return agent.follow(await agent.get(asking(client, ["read"])));
  }

  test("more than the request → their names, the sensitive one marked", async () => {
    expect(later(await firstPage({ scopes: ALL }))).toBe(
      "Acme Corp also allows 2 other permissions. Photo Printer can get them later without asking you. " +
        "Change your photos See your health Sensitive",
    );
  });

  test("only what the app is registered for; nothing more than the request → no word", async () => {
    expect(later(await firstPage({ scopes: ALL }, ["read", "write"]))).toBe(
      "Acme Corp also allows 1 other permission. Photo Printer can get it later without asking you. Change your photos",
    );
    expect(later(await firstPage({ scopes: ["read"] }))).toBeUndefined();
    expect(later(await firstPage({ scopes: ALL }, ["read"]))).toBeUndefined();
  });
});

test("a device: what only somebody else allowed is new on its page, too", async () => {
  const client = await aDeviceClient(server, { scopes: ["read", "write"] });
  const company = await addCompany(server, { defaultRule: "members" });
  const { companyId: owner, admin, member } = company;
  const allow = async (agent: Agent, username: string, scope: string, fields: Record<string, string | string[]>) => {
    const { userCode, deviceCode } = await aDevice(server, client, { scope });
    const page = await enter(agent, userCode, username);
    const answer = { decision: "allow", owner, duration: "604800", ...fields };
    const done = await agent.submit(consentForm(page), answer);
    return { page, done, token: await poll(server, client, deviceCode) };
  };
  await allow(new Agent(server.issuer), member.username, "read", {});
  await allow(new Agent(server.issuer), admin.username, "read write", {});
  const { page, token } = await allow(new Agent(server.issuer), member.username, "read write", {});
  expect(asNew(page).all).toEqual(["write"]);
  expect(token.body.scope).toBe("read write");
});
