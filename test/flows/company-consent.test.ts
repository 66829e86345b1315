/** What the consent page says about a company's approval before a member answers for the company (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messages } from "../../packages/server/src/pages/messages/index.ts";
import { exact } from "../../packages/server/src/pages/shown-time.ts";
import { addCompany, claimsOf, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.addScope({ name: "share", description: "Share your photos", optional: false });
});
afterAll(() => server.stop());

const DAY = 86_400_000;

/** The text of a part of a page, without its elements. */
function textIn({ text }: Page, part: RegExp): string {
  const [, found = ""] = part.exec(text) ?? [];
  return found
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,])/g, "")
    .trim();
}
const notesOn = (page: Page) => textIn(page, /id="owner-notes">([\s\S]*?)<\/div>/);
const durationNotesOn = (page: Page) => textIn(page, /id="duration-notes">([\s\S]*?)<\/div>/);
const nextOn = (page: Page) => textIn(page, /<p class="next">([\s\S]*?)<\/p>/);

async function pageFor(company: TestCompany, who: "admin" | "member", changes = {}) {
  const app = await server.addClient(changes);
  const agent = new Agent(server.issuer);
  const open = async (scope = "read") => atConsent(agent, authorizeUrl(server, app, { scope }), company[who].username);
  return { app, agent, open };
}

describe("under How long", () => {
  test("the approval ends in a week, the page offers longer → the day of its end; not for an admin, who can choose longer", async () => {
    const company = await addCompany(server);
    for (const [who, endsAt] of [
      ["member", server.now() + 7 * DAY],
      ["admin", server.now() + 7 * DAY],
      ["member", null],
    ] as const) {
      const { app, open } = await pageFor(company, who);
      await decide(server, company, app, { endsAt });
      const says =
        "Acme Corp allows this app until {when}. If you choose a longer time, access for Acme Corp still ends then.";
      const when = endsAt === null || who === "admin" ? undefined : exact(messages("en"), endsAt);
      expect(durationNotesOn(await open())).toBe(when === undefined ? "" : says.replace("{when}", when));
    }
  });

  /** Somebody answers for the company. */
  async function chooses(
    company: TestCompany,
    who: "admin" | "member",
    app: TestClient,
    fields: Record<string, string>,
  ) {
    const agent = new Agent(server.issuer);
    const page = await atConsent(agent, authorizeUrl(server, app, { prompt: "consent" }), company[who].username);
    await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, ...fields });
  }

  async function endForMember({ partition, companyId, member }: TestCompany) {
    const whose = { partition, companyId, personId: member.personId, now: server.now() };
    const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
    return grants.toSorted((one, other) => other.createdAt - one.createdAt)[0]?.scopes[0]?.expiresAt;
  }

  test.each(["an approval without an end", "members decide"])(
    "%s, and an admin chose a week for themselves → nothing of it for a member, who chooses longer",
    async (rule) => {
      const company = await addCompany(server, { defaultRule: "members" });
      const { app, agent, open } = await pageFor(company, "member");
      if (rule !== "members decide") await decide(server, company, app, {});
      await chooses(company, "admin", app, { duration: "604800" });
      const page = await open();
      expect(durationNotesOn(page)).toBe("");
      await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, duration: "31536000" });
      expect(await endForMember(company)).toBeGreaterThan(server.now() + 364 * DAY);
    },
  );

  test("the member allows it for a week already, the page shows the person's own boxes → the day of that end, and where it can be changed", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const { app, agent, open } = await pageFor(company, "member");
    await chooses(company, "member", app, { duration: "604800" });
    const until = await endForMember(company);
    const { partition, companyId, member } = company;
    const choice = { partition, companyId, clientId: app.clientId, personId: member.personId };
    await server.assent.storage.companyApps.forgetChoice(choice);
    const page = await open();
    expect(durationNotesOn(page)).toBe(
      `You already allowed some of this for Acme Corp, until ${exact(messages("en"), until ?? 0)} at the latest. When you continue, this page first shows that part, and you can change its end there.`,
    );
    const answer = { decision: "allow", owner: company.companyId, duration: "31536000" };
    const shown = await agent.submit(consentForm(page), answer);
    await agent.submit(consentForm(shown), { decision: "allow" });
    expect(await endForMember(company)).toBe(until);
    // Now the page shows the company's boxes, each with its end.
    const again = await agent.get(authorizeUrl(server, app, { prompt: "consent" }));
    expect([consentForm(again).fields.get("owner"), durationNotesOn(again)]).toEqual([company.companyId, ""]);
    await agent.submit(consentForm(again), { decision: "allow", "duration:read": "31536000" });
    expect(await endForMember(company)).toBeGreaterThan(server.now() + 364 * DAY);
  });

  test("the app has more for the owner whom the page shows → said about that owner alone, and hidden while another is selected", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const { app, agent, open } = await pageFor(company, "member");
    const keeps = (page: Page) =>
      /<p class="small" data-option="(\d)">Apart from this request[\s\S]*?<\/p>/.exec(page.text);
    const place = (page: Page, owner: string) =>
      [...page.text.matchAll(/<option value="([^"]*)"/g)].findIndex(([, value]) => value === owner) + 1;
    const says = "Apart from this request, the app keeps for ";
    const { companyId, member } = company;
    await agent.submit(consentForm(await open("write")), {
      decision: "allow",
      owner: member.personId,
      duration: "forever",
    });
    const own = await open();
    expect(keeps(own)?.[0]).toContain(`${says}your own account: `);
    expect(keeps(own)?.[1]).toBe(String(place(own, member.personId)));
    const first = await agent.submit(consentForm(own), { decision: "allow", owner: companyId });
    expect(first.status).toBe(302);
    const page = await agent.get(authorizeUrl(server, app, { scope: "write", prompt: "consent" }));
    expect(consentForm(page).fields.get("owner")).toBe(companyId);
    expect(textIn(page, /(<p class="small" data-option[\s\S]*?<\/p>)/)).toContain(`${says}Acme Corp : See your photos`);
    expect(keeps(page)?.[1]).toBe(String(place(page, companyId)));
  });

  test("the member can only ask → the admins decide how long; nothing of it where members decide, or the app is blocked", async () => {
    for (const [defaultRule, said] of [
      [
        "ask",
        "An admin of Acme Corp decides whether to allow it, and for how long. Before that, the app gets nothing new there.",
      ],
      ["members", ""],
      ["block", ""],
    ] as const) {
      const company = await addCompany(server, { defaultRule });
      expect(durationNotesOn(await (await pageFor(company, "member")).open())).toBe(said);
    }
  });

  test("a device → likewise", async () => {
    const company = await addCompany(server);
    const app = await aDeviceClient(server);
    await decide(server, company, app, { endsAt: server.now() + 7 * DAY });
    const { userCode } = await aDevice(server, app);
    const page = await enter(new Agent(server.issuer), userCode, company.member.username);
    expect(durationNotesOn(page)).toContain("Acme Corp allows this app until");
  });
});

test("where access is revoked → in the person's apps; with a company to choose, its access in their companies", async () => {
  const alone = await server.addPerson();
  const app = await server.addClient();
  const page = await atConsent(new Agent(server.issuer), authorizeUrl(server, app), alone.username);
  expect(nextOn(page)).toContain("You can revoke access at any time in Your apps.");
  const company = await addCompany(server, { defaultRule: "members" });
  const admin = await pageFor(company, "admin");
  expect(nextOn(await admin.open())).toContain(
    "You can revoke access at any time: your own in Your apps, access for a company in Your companies.",
  );
  const member = await pageFor(company, "member");
  expect(nextOn(await member.open())).toContain(
    "You can end access at any time: revoke your own in Your apps. For a company, stop the app for yourself in Your companies.",
  );
});

test("a refusal for the company → in its history, by the member; going back after asking an admin → nowhere", async () => {
  const company = await addCompany(server);
  const { app, agent, open } = await pageFor(company, "member");
  const { partition, companyId: ownerId, member } = company;
  const told = async () => {
    const entries = await server.assent.storage.history.list({ partition, ownerId, before: null, limit: 50 });
    return entries.filter(({ kind }) => kind === "refused").map(({ record }) => record.by);
  };
  const asked = await agent.submit(consentForm(await open()), { decision: "allow", owner: ownerId });
  const ask = asked.forms.find(({ action }) => action.endsWith("/ask")) ?? consentForm(asked);
  const sent = await agent.submit(ask, { reason: "For the fair" });
  for (const page of [asked, sent]) {
    // On the first page, the button stands beside the other answer, outside its own form.
    expect(page.text).toContain('name="decision" value="back"');
    const back = page.forms.find(({ action }) => action.endsWith("/consent"));
    const { location } = await agent.submit(back ?? consentForm(sent), { decision: "back" });
    expect(location?.searchParams.get("error")).toBe("access_denied");
  }
  expect(await told()).toEqual([]);
  const { location } = await agent.submit(consentForm(await open()), { decision: "deny", owner: ownerId });
  expect(location?.searchParams.get("error")).toBe("access_denied");
  expect(await told()).toEqual([member.personId]);
  const admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
  const { text } = await admin.get(`/company/${company.slug}/history`);
  expect(textIn({ text } as Page, /<h2>([\s\S]*?)<\/h2>/)).toBe(`A request from ${app.name} was refused`);
});

describe("a permission that the approval leaves out", () => {
  const BOTH = { scopes: ["read", "write"] };

  test("optional → named; asked for all the same → the page names it, and goes on without it for as long as chosen", async () => {
    const company = await addCompany(server);
    const { app, agent, open } = await pageFor(company, "member", BOTH);
    await decide(server, company, app, {});
    const page = await open("read write");
    expect(notesOn(page)).toMatch(
      /^Acme Corp hasn’t approved these permissions\. Leave them out, or “Allow” takes you to .*: \S/,
    );
    const answer = { decision: "allow", owner: company.companyId, scope: ["read", "write"], duration: "86400" };
    const asked = await agent.submit(consentForm(page), answer);
    expect(textIn(asked, /<p class="soft">([\s\S]*?)<\/p>/)).toMatch(
      /^Acme Corp has approved .* for other permissions/,
    );
    const goOn = asked.forms.find(({ action, fields }) => action.endsWith("/consent") && fields.has("owner"));
    if (goOn === undefined) throw new Error("no way to go on");
    const { location } = await agent.submit(goOn, { decision: "allow" });
    const { body } = await redeem(server, app, location ?? "");
    expect(claimsOf(body.access_token)).toMatchObject({ sub: company.companyId, scope: "read" });
    const { partition, companyId, member } = company;
    const [grant] = await server.assent.storage.companyApps.grantsOfMember({
      ...{ partition, companyId, personId: member.personId, now: server.now() },
    });
    expect(grant?.absoluteUntil).toBeLessThanOrEqual(server.now() + DAY);
  });

  test("required → marked as required, and no way to go on without it; the request names all permissions", async () => {
    const company = await addCompany(server);
    const { app, agent, open } = await pageFor(company, "member", { scopes: ["read", "share"] });
    await decide(server, company, app, {});
    const page = await open("read share");
    expect(notesOn(page)).toMatch(/^Acme Corp has approved this app, but not for these permissions\./);
    const asked = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    expect(asked.text).toContain("for other permissions");
    expect(textIn(asked, /<ul class="can not-yet">([\s\S]*?)<\/ul>/)).toMatch(/ Required$/);
    expect(asked.text).not.toContain("Continue with");
    const form = asked.forms.find(({ action }) => action.endsWith("/consent/ask"));
    if (form === undefined) throw new Error("no form for the reason");
    // Without a reason the page comes again and says the same.
    expect((await agent.submit(form, { reason: "", decision: "ask" })).text).toContain("for other permissions");
    await agent.submit(form, { reason: "For the fair.", decision: "ask" });
    const { partition, companyId } = company;
    const requests = await server.assent.storage.companyApps.listRequests({ partition, companyId, limit: 9 });
    expect(requests.map(({ scopes }) => scopes)).toEqual([["read", "share"]]);
  });

  test("all of them, or the app is new here → the whole app needs an admin, as before", async () => {
    const company = await addCompany(server);
    const { app, agent, open } = await pageFor(company, "member", BOTH);
    await decide(server, company, app, {});
    const page = await open("write");
    expect([notesOn(page), durationNotesOn(page)]).toEqual([
      "",
      "An admin of Acme Corp decides whether to allow it, and for how long. Before that, the app gets nothing new there.",
    ]);
    const asked = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    expect(asked.text).toContain("an admin has to approve it. The app would be able to:");
  });
});

test("a second request for an app → its form says that it replaces the open one, and what is no longer asked for", async () => {
  const company = await addCompany(server);
  const redirectUris = ["https://app.test/cb", "https://new.app.test/cb"];
  const { app, agent, open } = await pageFor(company, "member", { scopes: ["read", "write", "share"], redirectUris });
  await open();
  const owner = company.companyId;
  const formFor = async (scope: string, redirectUri = redirectUris[0]) => {
    const page = await agent.get(authorizeUrl(server, app, { scope, redirect_uri: redirectUri }));
    const form = await agent.submit(consentForm(page), { decision: "allow", owner, scope: scope.split(" ") });
    const ask = form.forms.find(({ action }) => action.endsWith("/consent/ask"));
    if (ask === undefined) throw new Error(form.text.slice(0, 500));
    const notice = textIn(form, /<div class="notice [^>]*>([\s\S]*?)<\/div>/);
    const host = textIn(form, /<div class="stack close">[\s\S]*?<p class="client-host">([\s\S]*?)<\/p>/);
    return { ask, notice, host, lost: textIn(form, /<ul class="can lost">([\s\S]*?)<\/ul>/) };
  };
  const first = await formFor("read write");
  expect([first.notice, first.lost]).toEqual(["", ""]);
  await agent.submit(first.ask, { reason: "For the fair", decision: "ask" });
  const replaces = "This request replaces your open request for Photo Printer.";
  const again = await formFor("read write");
  expect([again.notice, again.lost]).toEqual([replaces, ""]);
  await agent.submit(again.ask, { reason: "For the catalogue", decision: "ask" });
  const requests = await server.assent.storage.companyApps.listRequests({ ...company, limit: 9 });
  expect(requests.map(({ reason }) => reason)).toEqual(["For the catalogue"]);
  const narrower = await formFor("read share");
  const dropped = `${replaces} You then no longer ask for these permissions:`;
  expect([narrower.notice, narrower.host, narrower.lost]).toEqual([dropped, "", "Change your photos"]);
  expect((await formFor("read write share")).notice).toBe(replaces);
  const there = await formFor("read write", redirectUris[1]);
  expect(there.notice).toBe(`${replaces} You then no longer ask for these permissions at this address:`);
  expect([there.host, there.lost]).toEqual(["app.test", "See your photos Change your photos"]);
  // A permission that was approved meanwhile is not lost.
  await decide(server, company, app, { scopes: ["write"] });
  const after = await formFor("share");
  expect([after.notice, after.lost]).toEqual([dropped, "See your photos"]);
});

test("the page says nothing of access while away, which another chosen owner would give → the page again, and it says so", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ["read", "write", "offline_access"] });
  const { companyId, member } = company;
  const agent = new Agent(server.issuer);
  const first = authorizeUrl(server, app, { scope: "read offline_access" });
  await authorize(agent, first, member.username, { scope: ["read"], owner: member.personId });
  const page = await agent.get(authorizeUrl(server, app, { scope: "write" }));
  expect(page.text).not.toMatch("keeps its access while you’re away");
  const again = await agent.submit(consentForm(page), { decision: "allow", owner: companyId });
  expect(again.status).toBe(400);
  expect(again.text).toMatch("keeps its access while you’re away");
  const { location } = await agent.submit(consentForm(again), { decision: "allow", owner: companyId });
  const { body } = await redeem(server, app, location ?? "");
  expect([claimsOf(body.access_token)["sub"], typeof body.refresh_token]).toEqual([companyId, "string"]);
});

test("only admins decide: the note says so, and that the app keeps what the member gave it; a block stays a block", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const { partition, companyId, member } = company;
  const { app, agent, open } = await pageFor(company, "member");
  await open();
  const url = authorizeUrl(server, app, { scope: "read", prompt: "consent" });
  await authorize(agent, url, member.username, { owner: companyId });
  const [changes, now] = [{ defaultRule: "block" } as const, server.now()];
  await server.assent.storage.companies.update({ partition, companyId, changes, by: null, now });
  const page = await agent.get(url);
  const kept =
    "Only admins can choose Acme Corp for this app. The app keeps the access that you gave it for Acme Corp.";
  expect(notesOn(page)).toBe(kept);
  expect(page.text).toContain("Acme Corp (only admins can choose it)</option>");
  expect(page.text).not.toContain("doesn’t let this app in");

  const device = await aDeviceClient(server);
  const asked = await enter(agent, (await aDevice(server, device)).userCode, member.username);
  expect(notesOn(asked)).toBe("Only admins can choose Acme Corp for this app.");

  await decide(server, company, app, { rule: "block" });
  expect(notesOn(await agent.get(url))).toBe("Acme Corp doesn’t let this app in.");
});
