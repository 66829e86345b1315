/** Optional permissions: a declined one is never granted and not asked for again (RFC 6749 §3.3). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeClient } from "../support/back-channel.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({
    scopes: ["read", "write", "profile", "admin:photos"],
    optionalScopes: ["write", "profile", "admin:photos"],
  });
  await server.addScope({
    name: "admin:photos",
    description: "Delete photos for good",
    optional: true,
    sensitive: true,
  });
});
afterAll(() => server.stop());

const both = { scope: "read write" };
const isConsent = ({ forms }: Page) => forms.some(({ action }) => action === "/consent");
const ticked = (page: Page) => consentForm(page).fields.getAll("scope");
const ask = (agent: Agent, changes: Record<string, string> = both, app = client) =>
  agent.get(authorizeUrl(server, app, changes));

async function answer(agent: Agent, page: Page, scope: readonly string[], more: Record<string, string> = {}) {
  return agent.submit(consentForm(page), { decision: "allow", scope: [...scope], duration: "86400", ...more });
}

async function scopeOf({ location }: Page, app = client): Promise<string | undefined> {
  return (await redeem(server, app, location ?? "")).body.scope;
}

async function signedIn(username?: string) {
  const person = username === undefined ? await server.addPerson() : { username, personId: "", partition: 0 };
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { agent, ...person };
}

/** A person who allowed `read` and declined `write`. */
async function someone(app = client) {
  const owner = await signedIn();
  await answer(owner.agent, await ask(owner.agent, both, app), []);
  return owner;
}

describe("the first time", () => {
  test("an optional permission → ticked; a sensitive one → not: Allow alone doesn't grant it", async () => {
    const { agent } = await signedIn();
    const page = await ask(agent, { scope: "read write admin:photos" });
    expect(page.text).toMatch(/name="scope" value="write" checked\/>/);
    expect(page.text).toMatch(/name="scope" value="admin:photos"\/>/);
    expect(await scopeOf(await agent.submit(consentForm(page), { decision: "allow" }))).toBe("read write");
  });

  test("a sensitive one that was granted → ticked when the page is shown again", async () => {
    const { agent } = await signedIn();
    const wanted = { scope: "read admin:photos" };
    await answer(agent, await ask(agent, wanted), ["admin:photos"]);
    expect(ticked(await ask(agent, { ...wanted, prompt: "consent" }))).toContain("admin:photos");
  });
});

describe("declined", () => {
  test("asked again → no page, and what was granted; prompt=none too", async () => {
    const { agent } = await someone();
    for (const prompt of [{}, { prompt: "none" }]) {
      const page = await ask(agent, { ...both, ...prompt });
      expect(isConsent(page)).toBe(false);
      expect(await scopeOf(page)).toBe("read");
    }
  });

  test("prompt=consent → the page, with the box unticked and marked; ticked now → granted, and no longer declined", async () => {
    const { agent } = await someone();
    const page = await ask(agent, { ...both, prompt: "consent" });
    expect(page.text).toContain("Declined before");
    expect(ticked(page)).not.toContain("write");
    // The unchanged form keeps the permission declined.
    expect(await scopeOf(await agent.submit(consentForm(page), { decision: "allow" }))).toBe("read");
    expect(await scopeOf(await ask(agent))).toBe("read");
    await answer(agent, await ask(agent, { ...both, prompt: "consent" }), ["write"]);
    expect(await scopeOf(await ask(agent))).toBe("read write");
    expect((await ask(agent, { ...both, prompt: "consent" })).text).not.toContain("Declined before");
  });

  test("nothing but that is asked for → the page; prompt=none → consent_required", async () => {
    const { agent } = await someone();
    expect(isConsent(await ask(agent, { scope: "write" }))).toBe(true);
    const none = await ask(agent, { scope: "write", prompt: "none" });
    expect(none.location?.searchParams.get("error")).toBe("consent_required");
  });

  test("another optional permission with it → the page: that one isn't decided", async () => {
    const { agent } = await someone();
    const page = await ask(agent, { scope: "read write profile" });
    expect([isConsent(page), ticked(page)]).toEqual([true, ["profile"]]);
  });

  test("the app can't do without it any more → the page, where it is required", async () => {
    const app = await server.addClient({ scopes: ["read", "profile"], optionalScopes: ["profile"] });
    const { agent } = await signedIn();
    const wanted = { scope: "read profile" };
    await answer(agent, await ask(agent, wanted, app), []);
    expect(await scopeOf(await ask(agent, wanted, app), app)).toBe("read");
    await changeClient(server, app, { optionalScopes: [] });
    const page = await ask(agent, wanted, app);
    expect(page.text).toMatch(/name="scope" value="profile" checked disabled\/>/);
    expect(page.text).not.toContain("Declined before");
  });

  test("the consent ends, by itself or by the owner → declined no more", async () => {
    for (const end of ["expires", "revoked"]) {
      const { agent, personId, partition, username } = await someone();
      const key = { partition, ownerId: personId, clientId: client.clientId };
      if (end === "revoked")
        await server.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: server.now() });
      else server.tick(86_400_000);
      const shown = await ask(agent);
      const page = isConsent(shown) ? shown : await signIn(agent, username, shown);
      expect(page.text, end).not.toContain("Declined before");
      expect(ticked(page), end).toEqual(["write"]);
      await agent.submit(consentForm(page), { decision: "allow" });
      expect((await server.assent.storage.consents.find(key))?.declined, end).toEqual([]);
    }
  });

  test("undone in the dashboard → asked again; another person's, or a forged form → nothing happens", async () => {
    const { agent, personId, partition } = await someone();
    const page = await agent.get("/account/apps");
    const form = page.forms.find(({ action }) => action.endsWith("/ask-again"));
    if (form === undefined) throw new Error("no way to undo it");
    expect(page.text).toContain("You declined:");
    const other = await signedIn();
    expect((await other.agent.submit(form)).status).toBe(403);
    const key = { partition, ownerId: personId, clientId: client.clientId };
    expect((await server.assent.storage.consents.find(key))?.declined).toEqual(["write"]);
    // A link must not say so before it is true.
    const claimed = await agent.get(`/account/apps?done=asks_again&app=${client.clientId}`);
    expect(claimed.text).not.toContain("can ask you again for");
    const done = await agent.follow(await agent.submit(form));
    expect(done.text).toContain("can ask you again for what you declined.");
    expect((await agent.get("/account/apps")).text).not.toContain("You declined:");
    const asked = await ask(agent);
    expect([isConsent(asked), asked.text.includes("Declined before")]).toEqual([true, false]);
  });
});

describe("an app of the operator's own", () => {
  test("declined on a page → not granted without one", async () => {
    const app = await server.addClient({ scopes: ["read", "write"], optionalScopes: ["write"], firstParty: true });
    const { agent } = await signedIn();
    await answer(agent, await ask(agent, { ...both, prompt: "consent" }, app), []);
    expect(await scopeOf(await ask(agent, both, app), app)).toBe("read");
  });
});

describe("a company", () => {
  test("what one member declines → that member's choice: others are asked, and what the company has stays", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const second = await server.addPerson();
    await addMember(server, company, second);
    const forCompany = { owner: company.companyId };
    const first = await signedIn(company.member.username);
    await answer(first.agent, await ask(first.agent), [], forCompany);
    expect(await scopeOf(await ask(first.agent))).toBe("read");
    const other = await signedIn(second.username);
    await answer(other.agent, await ask(other.agent), ["write"], forCompany);
    expect(await scopeOf(await ask(other.agent))).toBe("read write");
    // The company has allowed it now, but the first member still declines it.
    expect(await scopeOf(await ask(first.agent))).toBe("read");
  });

  test("an admin answers for the company on a page that shows their own boxes → nothing is taken from the company", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const member = await signedIn(company.member.username);
    const wanted = { scope: "read admin:photos" };
    const forCompany = { owner: company.companyId };
    await answer(member.agent, await ask(member.agent, wanted), ["admin:photos"], forCompany);
    const admin = await signedIn(company.admin.username);
    // The permission is sensitive, so its box isn't ticked.
    await admin.agent.submit(consentForm(await ask(admin.agent, wanted)), { decision: "allow", ...forCompany });
    const { partition, companyId: ownerId } = company;
    const consent = await server.assent.storage.consents.find({ partition, ownerId, clientId: client.clientId });
    expect(consent?.scopes.map(({ name }) => name).toSorted()).toEqual(["admin:photos", "read"]);
  });
});
