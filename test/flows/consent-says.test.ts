/** What the consent page says about permissions, ends, companies and its button is true (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, formWith } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ config: { accessTtl: 420_000 } });
  await server.addScope({ name: "share", description: "Share your photos", optional: true, sensitive: true });
  await server.addScope({ name: "must", description: "Print your photos", optional: false });
});
afterAll(() => server.stop());

const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:)])|(?<=\() /g, "");
const partOf = ({ text }: Page, part: RegExp) => textOf({ text: part.exec(text)?.[0] ?? "" } as Page).trim();
const newOn = (page: Page) => partOf(page, /<section class="what[\s\S]*?(?=<details|<\/section>)/);
const oldOn = (page: Page) => partOf(page, /<details class="fold"[\s\S]*?<\/details>/);
const summaryOn = (page: Page) => partOf(page, /<summary>[\s\S]*?<\/summary>/);
const alertOn = (page: Page) => partOf(page, /<div class="notice danger"[\s\S]*?<\/div>/);
const noteOn = (page: Page) => partOf(page, /<p class="[^"]*nothing-new">[\s\S]*?<\/p>/);
const onceOn = (page: Page) => partOf(page, /<p [^>]*id="once-hint">[\s\S]*?<\/p>/);
const labelsOn = (page: Page) =>
  [...partOfButton(page).matchAll(/<span class="(if-\w+)">([^<]*)</g)].map(([, when, label]) => [when, label]);
const partOfButton = ({ text }: Page) => /value="allow">([\s\S]*?)<\/button>/.exec(text)?.[1] ?? "";

async function appFor(scopes: readonly string[], who?: { readonly username: string }) {
  const app = await server.addClient({ scopes });
  const { username } = who ?? (await server.addPerson());
  const agent = new Agent(server.issuer);
  const open = (scope: string, more = {}) => atConsent(agent, authorizeUrl(server, app, { scope, ...more }), username);
  return { app, agent, open };
}

/** An admin answers for the company. */
async function adminAllows(company: TestCompany, app: TestClient, scope: string, ticked: readonly string[]) {
  const agent = new Agent(server.issuer);
  const page = await atConsent(agent, authorizeUrl(server, app, { scope }), company.admin.username);
  await agent.submit(consentForm(page), {
    ...{ decision: "allow", owner: company.companyId, scope: ticked, duration: "86400" },
  });
}

async function pause(company: TestCompany, app: TestClient) {
  const { partition, companyId: ownerId, admin } = company;
  const change = { partition, ownerId, clientId: app.clientId, by: admin.personId, now: server.now() };
  await server.assent.storage.consents.setPaused({ ...change, paused: true });
}

describe("for a company whose approval leaves out a permission that the company consented to", () => {
  test("the approval is for another → that one is new and not approved, not given; the approved one is", async () => {
    const company = await addCompany(server);
    const { app, open, agent } = await appFor(["read", "share"], company.member);
    await decide(server, company, app, { scopes: ["read", "share"] });
    await adminAllows(company, app, "read share", ["share"]);
    const first = await open("read share");
    await agent.submit(consentForm(first), {
      ...{ decision: "allow", owner: company.companyId, scope: ["share"], duration: "86400" },
    });
    await decide(server, company, app, { scopes: ["read"] });
    const page = await open("read share", { prompt: "consent" });
    expect(consentForm(page).fields.get("owner")).toBe(company.companyId);
    expect(textOf(page)).toContain("Acme Corp hasn’t approved these permissions.");
    expect([newOn(page).includes("Share your photos"), oldOn(page).includes("Share your photos")]).toEqual([
      true,
      false,
    ]);
    expect(oldOn(page)).toContain("See your photos");
    // The button leads to the admins if it is ticked, whatever the end of the other one.
    const asked = await agent.submit(consentForm(page), { decision: "allow", scope: ["share"], duration: "" });
    expect(asked.text).toContain("Before the app may also do this, an admin has to approve it");
  });

  test("the approval has ended, and the company asks → nothing is given already", async () => {
    const company = await addCompany(server);
    const { app, open, agent } = await appFor(["read"], company.member);
    await decide(server, company, app, {});
    const first = await open("read");
    await agent.submit(consentForm(first), { decision: "allow", owner: company.companyId, duration: "86400" });
    await decide(server, company, app, { rule: "ask" });
    const page = await open("read", { prompt: "consent" });
    expect(textOf(page)).not.toContain("already allows it to");
    expect(newOn(page)).toContain("It asks to");
  });
});

describe("a page for more permissions", () => {
  test("all new ones can be left out → what Allow does without them; a required one, or nothing old → nothing of it", async () => {
    const { agent, open } = await appFor(["read", "must", "share"]);
    expect(noteOn(await open("read share"))).toBe("");
    await agent.submit(consentForm(await open("read")), { decision: "allow", duration: "86400" });
    expect(noteOn(await open("read share"))).toBe("If you tick none of these, “Allow” gives the app nothing new.");
    expect(noteOn(await open("read must"))).toBe("");
  });

  test("a device gets none of the new ones → the page after the answer says so; one of them → nothing of it", async () => {
    const device = await aDeviceClient(server, { scopes: ["read", "share"] });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const connects = async (scope: string, ticked: readonly string[]) => {
      const { userCode } = await aDevice(server, device, { scope });
      const page = await enter(agent, userCode, username);
      return textOf(await agent.submit(formWith(page, "decision"), { decision: "allow", scope: ticked }));
    };
    const before = "with what you ticked, and with nothing new.";
    expect(await connects("read", [])).not.toContain(before);
    expect(await connects("read", [])).not.toContain(before);
    expect(await connects("read share", [])).toContain(before);
    expect(await connects("read share", ["share"])).not.toContain(before);
  });

  test("the folded permissions say when they end: one end, the first of several, none", async () => {
    const { agent, open } = await appFor(["read", "write", "share"]);
    await agent.submit(consentForm(await open("read")), { decision: "allow", duration: "86400" });
    expect(summaryOn(await open("read share"))).toMatch(
      /^It also asks for 1 permission that you already gave\..*End: in 24 hours$/,
    );
    await agent.submit(consentForm(await open("read write")), { decision: "allow", duration: "604800" });
    expect(summaryOn(await open("read write share"))).toMatch(/Different ends, the first in 24 hours$/);
    const lasting = await appFor(["read", "share"]);
    await lasting.agent.submit(consentForm(await lasting.open("read")), { decision: "allow", duration: "forever" });
    expect(summaryOn(await lasting.open("read share"))).toMatch(/No end: until it is revoked$/);
  });
});

describe("permissions of the app that the request doesn't ask for", () => {
  const KEEPS = "Apart from this request, the app keeps: ";
  const KEEPS_FOR = "Apart from this request, the app keeps for Acme Corp: ";
  const BACK = "“Allow and resume” also gives the app back permissions that it doesn’t ask for now: ";
  const paused = (page: Page) => partOf(page, /<div class="notice warning">[\s\S]*?<\/div>/);

  async function pauseOwn({ partition, personId: by }: Person, app: TestClient) {
    const key = { partition, ownerId: by, clientId: app.clientId };
    await server.assent.storage.consents.setPaused({ ...key, by, paused: true, now: server.now() });
  }

  test("none → no word of it; some → named with their ends on each page, not those that ended, nor those asked for", async () => {
    const { agent, open } = await appFor(["read", "write", "share", "must"]);
    expect(textOf(await open("read"))).not.toContain(KEEPS);
    await agent.submit(consentForm(await open("read")), { decision: "allow", duration: "3600" });
    await agent.submit(consentForm(await open("write")), { decision: "allow", duration: "forever" });
    const answer = { decision: "allow", scope: ["share"], duration: "86400" };
    await agent.submit(consentForm(await open("share")), answer);
    const first = textOf(await open("read must", { prompt: "consent" }));
    expect(first).toContain(`${KEEPS}Change your photos (until you revoke it) · Share your photos (ends in 24 hours)`);
    const again = textOf(await open("write share", { prompt: "consent" }));
    expect(again).toContain(`${KEEPS}See your photos (ends in 60 minutes)`);
    expect(again).toContain("Of what it asks for now, the app keeps only what is ticked.");
    server.tick(2 * 3_600_000);
    const later = textOf(await open("write share", { prompt: "consent" }));
    expect(later).not.toContain(KEEPS);
    expect(later).toContain("The app keeps only what is ticked.");
  });

  test("given for once beside the request → named until its token ends; a device shows it, too", async () => {
    const device = await aDeviceClient(server, { scopes: ["read", "write"] });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = async (scope: string) => enter(agent, (await aDevice(server, device, { scope })).userCode, username);
    await agent.submit(formWith(await page("write"), "decision"), { decision: "allow", duration: "86400" });
    expect(textOf(await page("read"))).toContain(`${KEEPS}Change your photos (ends in 24 hours)`);
    const once = await appFor(["read", "write"]);
    const { location } = await once.agent.submit(consentForm(await once.open("write")), {
      ...{ decision: "allow", duration: "once" },
    });
    await redeem(server, once.app, location ?? "");
    expect(textOf(await once.open("read"))).toContain(`${KEEPS}Change your photos (ends in 7 minutes)`);
    server.tick(8 * 60_000);
    expect(textOf(await once.open("read"))).not.toContain(KEEPS);
  });

  test("a paused app asks for less → the page names what else comes back, the history too; not allowed → nothing does", async () => {
    const person = await server.addPerson();
    const { app, agent, open } = await appFor(["read", "write", "share"], person);
    await agent.submit(consentForm(await open("read share")), {
      ...{ decision: "allow", scope: ["share"], duration: "86400" },
    });
    const callback = await agent.submit(consentForm(await open("write")), { decision: "allow", duration: "forever" });
    const { body } = await redeem(server, app, callback.location ?? "");
    await pauseOwn(person, app);
    const page = await open("read");
    const others = "Share your photos (ends in 24 hours) · Change your photos (until you revoke it)";
    expect(paused(page)).toContain(`it stays paused. ${BACK}${others}`);
    expect(textOf(page)).not.toContain(KEEPS);
    await agent.submit(consentForm(page), { decision: "deny" });
    expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
    expect(textOf(await agent.get("/account/history"))).toContain("It is paused. Once resumed, it can until revoked");
    await agent.submit(consentForm(await open("read")), { decision: "allow" });
    expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
    const { text } = await agent.get("/account/history");
    const resumed = text.split('class="entry"').find((entry) => entry.includes("You let"));
    const said = textOf({ text: resumed } as Page);
    for (const one of ["See your photos", "Share your photos", "It can until revoked: Change your photos"])
      expect(said).toContain(one);
  });

  test("paused, allowed at several addresses → what comes back at the other one, also what this page asks for", async () => {
    const person = await server.addPerson();
    const redirectUris = ["https://one.test/cb", "https://two.test/cb"];
    const app = await server.addClient({ scopes: ["write", "share"], redirectUris });
    const agent = new Agent(server.issuer);
    const open = (at: number, scope: string) => {
      const url = authorizeUrl(server, app, { scope, redirect_uri: redirectUris[at], prompt: "consent" });
      return atConsent(agent, url, person.username);
    };
    const answer = { decision: "allow", scope: ["write", "share"], duration: "86400" };
    await agent.submit(consentForm(await open(0, "write share")), answer);
    const other = await open(1, "share");
    expect(newOn(other)).toContain("The app has this already, whatever you choose here; that ends in 24 hours");
    expect(textOf(other)).toContain(`${KEEPS}Change your photos (ends in 24 hours)`);
    await pauseOwn(person, app);
    const page = await open(1, "share");
    expect(newOn(page)).toContain(
      "If the app resumes, it gets this back, whatever you tick here; that ends in 24 hours",
    );
    expect(textOf(page)).toContain(`${BACK}Change your photos (ends in 24 hours)`);
  });

  test("of a company → a member's page names what they gave, an admin's page of a paused app what anybody gets back", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const { app, agent, open } = await appFor(["read", "write", "share"], company.member);
    const answer = { owner: company.companyId, decision: "allow", scope: ["share"], duration: "86400" };
    await agent.submit(consentForm(await open("read share")), answer);
    await adminAllows(company, app, "write", ["write"]);
    const forCompany = async (page: Page) => (await agent.submit(consentForm(page), { ...answer, scope: [] })) && page;
    const members = textOf(await forCompany(await open("read", { prompt: "consent" })));
    expect(members).toContain(`${KEEPS_FOR}Share your photos (ends in 24 hours)`);
    expect(members).not.toContain("Change your photos");
    await pause(company, app);
    const admin = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "write" });
    const page = await atConsent(admin, url, company.admin.username);
    expect(consentForm(page).fields.get("owner")).toBe(company.companyId);
    expect(textOf(page)).toContain("it resumes for everyone there with what was allowed before.");
    // What the admin leaves out here takes nothing from others.
    const back = ["See", "Share", "Change"].map((verb) => `${verb} your photos (ends in 24 hours)`);
    expect(textOf(page)).toContain(`For everyone there, “Allow and resume” gives the app back: ${back.join(" · ")}`);
    expect(textOf(page)).toContain("The permissions and times that you choose for Acme Corp are for you only.");
    expect(textOf(page)).not.toContain("gets only what is ticked");
  });
});

describe("only this once", () => {
  test("how long, by the lifetime of tokens; the token ends then, and nothing renews it", async () => {
    const { app, agent, open } = await appFor(["read", "write"]);
    // A refresh for another permission can still include it, until the code and its token would have ended.
    expect(onceOn(await open("read write"))).toContain("at most 8 minutes after");
    const page = await open("read");
    expect(onceOn(page)).toBe(
      "“Only this once” lasts at most 7 minutes after the app connects. The app can’t renew it.",
    );
    expect(page.text).toMatch(/<select id="duration"[^>]*aria-describedby="once-hint"/);
    const { location } = await agent.submit(consentForm(page), { decision: "allow", duration: "once" });
    const { body } = await redeem(server, app, location ?? "");
    expect([body.expires_in, body.refresh_token]).toEqual([420, undefined]);
  });

  test("an API whose tokens are shorter → as long as those; a device → likewise", async () => {
    await server.addResource({ identifier: "https://short.test", name: "Short", tokenLifetime: 90 });
    await server.addScope({ name: "short", resource: "https://short.test", description: "Look at it" });
    const { open } = await appFor(["short"]);
    expect(onceOn(await open("short"))).toContain("at most 2 minutes after");
    const device = await aDeviceClient(server);
    const { userCode } = await aDevice(server, device);
    const page = await enter(new Agent(server.issuer), userCode, (await server.addPerson()).username);
    expect(onceOn(page)).toContain("at most 7 minutes after");
  });
});

describe("a permission that was given only once", () => {
  const BEFORE = "Allowed once before; that ends in 8 minutes";

  test("beside others, or alone → new, and until when the app still has it; later → only new", async () => {
    const { app, agent, open } = await appFor(["read", "write"]);
    const answer = { decision: "allow", scope: ["write"], duration: "86400", "duration:write": "once" };
    const { location } = await agent.submit(consentForm(await open("read write")), answer);
    expect((await redeem(server, app, location ?? "")).body.scope).toBe("read write");
    const page = await open("read write");
    expect(newOn(page)).toContain(`Change your photos ${BEFORE}`);
    expect(oldOn(page)).not.toContain("Change your photos");
    const alone = await appFor(["read"]);
    await alone.agent.submit(consentForm(await alone.open("read")), { decision: "allow", duration: "once" });
    expect(newOn(await alone.open("read"))).toContain(`See your photos Required ${BEFORE}`);
    server.tick(9 * 60_000);
    for (const later of [await open("read write"), await alone.open("read")])
      expect(textOf(later)).not.toContain("Allowed once before");
  });

  test("for a company → of the member who gave it alone", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const { app, agent, open } = await appFor(["read", "write"], company.member);
    const answer = { decision: "allow", owner: company.companyId, scope: ["write"], duration: "86400" };
    await agent.submit(consentForm(await open("read write")), { ...answer, "duration:write": "once" });
    const page = await open("read write");
    expect([consentForm(page).fields.get("owner"), newOn(page).includes(BEFORE)]).toEqual([company.companyId, true]);
    await adminAllows(company, app, "read", []);
    const url = authorizeUrl(server, app, { scope: "read write" });
    const other = await atConsent(new Agent(server.issuer), url, company.admin.username);
    expect([consentForm(other).fields.get("owner"), newOn(other).includes("Change your photos")]).toEqual([
      company.companyId,
      true,
    ]);
    expect(textOf(other)).not.toContain("Allowed once before");
  });
});

describe("a company for which an admin paused the app", () => {
  async function connected(who: "admin" | "member") {
    const company = await addCompany(server, { defaultRule: "members" });
    const { app, agent, open } = await appFor(["read"], company[who]);
    const answer = { decision: "allow", owner: company.companyId, duration: "86400" };
    await agent.submit(consentForm(await open("read")), answer);
    return { company, app, agent, open, answer };
  }

  test("an admin picks it on a page that showed themselves → the page says that it is paused and what Allow does", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const other = await server.addPerson();
    await addMember(server, company, other, "admin");
    const { app, agent, open } = await appFor(["read"], other);
    await adminAllows(company, app, "read", []);
    await pause(company, app);
    const page = await open("read", { prompt: "consent" });
    expect(consentForm(page).fields.get("owner")).toBe(other.personId);
    const again = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
    expect(alertOn(again)).toMatch(/^Nothing was sent yet\. This app is paused/);
    expect(textOf(again)).toContain("This app was paused for Acme Corp");
    expect(again.text).not.toContain("out of date");
    expect(consentForm(again).fields.get("owner")).toBe(company.companyId);
    const { location } = await agent.submit(consentForm(again), { decision: "allow" });
    expect(location?.searchParams.has("code")).toBe(true);
  });

  test("a member picks it after the pause → an admin paused it, and what to do", async () => {
    const { company, app, agent, open, answer } = await connected("member");
    const page = await open("read", { prompt: "consent" });
    await pause(company, app);
    const again = await agent.submit(consentForm(page), answer);
    expect(textOf(again)).toContain(
      "An admin of Acme Corp paused this app. Ask an admin to resume it, or choose somebody else from the list.",
    );
    expect(again.text).not.toContain("out of date");
  });

  test("a member chose it before → the page selects somebody who can be selected, and promises no resuming", async () => {
    const { company, app, open } = await connected("member");
    await pause(company, app);
    const page = await open("read");
    expect(consentForm(page).fields.get("owner")).toBe(company.member.personId);
    expect(textOf(page)).not.toContain("it resumes");
    expect(textOf(page)).toContain("An admin of Acme Corp paused this app. Only an admin can resume it.");
  });
});

describe("the button, where an admin of a company has to approve", () => {
  test("a member who must ask → one label for each choice of owner, and one for both; nobody asks → Allow", async () => {
    const company = await addCompany(server);
    const { open } = await appFor(["read"], company.member);
    const page = await open("read");
    expect(labelsOn(page)).toEqual([
      ["if-either", "Allow, or ask an admin"],
      ["if-allows", "Allow"],
      ["if-asks", "Ask an admin"],
    ]);
    expect(page.text).toMatch(new RegExp(`<option value="${company.companyId}"[^>]* data-asks="yes"`));
    const alone = await (await appFor(["read"])).open("read");
    expect([labelsOn(alone), textOf({ text: partOfButton(alone) } as Page).trim()]).toEqual([[], "Allow"]);
  });

  test("approved for some permissions only → the note says where Allow leads with the others", async () => {
    const company = await addCompany(server);
    const { app, open } = await appFor(["read", "share"], company.member);
    await decide(server, company, app, {});
    expect(textOf(await open("read share"))).toContain(
      "Acme Corp hasn’t approved these permissions. Leave them out, or “Allow” takes you to a request to an admin:",
    );
  });
});
