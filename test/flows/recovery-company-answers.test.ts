/** Apps that somebody with the password connected for a company: after the owner's recovery, each asks on a page again. */

import { beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm, postForm, redeem, refresh } from "../support/http-browser.ts";
import { aPasskeyOf, decide, messageTo, NEW_PASSWORD, passkeyOptions } from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const BOTH = "read write";

async function inACompany(person: Person, role: "admin" | "member"): Promise<TestCompany> {
  const company = await addCompany(server, { defaultRule: "members" });
  await addMember(server, company, person, role);
  return company;
}

/** Connects an app for the company on a page. Returns its refresh token. */
async function connected(agent: Agent, client: TestClient, person: Person, { companyId: owner }: TestCompany) {
  const url = authorizeUrl(server, client, { scope: BOTH });
  const answer = { owner, scope: BOTH.split(" "), duration: "forever" };
  const { body } = await redeem(server, client, await authorize(agent, url, person.username, answer));
  return body.refresh_token;
}

const lives = async (client: TestClient, token: string | undefined) =>
  (await refresh(server, client, token)).body.error === undefined;

async function silent(agent: Agent, client: TestClient) {
  const { location } = await agent.get(authorizeUrl(server, client, { scope: BOTH, prompt: "none" }));
  return location?.searchParams.get("error") ?? "code";
}

/** Whether the app's next request shows both permissions as new, and for whom. */
async function asked(agent: Agent, client: TestClient) {
  const page = await agent.follow(await agent.get(authorizeUrl(server, client, { scope: BOTH })));
  const news = page.text.slice(page.text.indexOf('<section class="what')).replace(/<details[\s\S]*?<\/details>/, "");
  const boxes = [...news.matchAll(/<input type="checkbox" name="scope" value="([^"]+)"/g)].map(([, name]) => name);
  return { boxes, owners: consentForm(page).fields.has("owner") };
}

async function backIn({ username }: Person, password: string): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await agent.submit(formWith(await agent.get("/login"), "username"), { username, password });
  return agent;
}

test.each(["admin", "member"] as const)(
  "an intruder connects an app for the company of the %s, and a recovery ends it → a page asks for whom and for what; others keep theirs",
  async (role) => {
    const { person } = await anOwner();
    const company = await inACompany(person, role);
    const client = await server.addClient({ name: "Mail Export", scopes: BOTH.split(" ") });
    const other = role === "admin" ? company.member : company.admin;
    const theirs = await connected(new Agent(server.issuer), client, other, company);
    const evil = await connected(await anIntruder(person), client, person, company);
    const { reader, page } = await opened(person);
    const done = await decide(reader, page);
    expect(done.text).toContain("Apps you connected for Acme Corp");
    expect([await lives(client, evil), await lives(client, theirs)]).toEqual([false, true]);
    const owner = await backIn(person, NEW_PASSWORD);
    expect(await silent(owner, client)).toBe("consent_required");
    expect(await asked(owner, client)).toEqual({ boxes: ["read", "write"], owners: true });
    expect(await silent(await backIn(other, PASSWORD), client)).toBe("code");
  },
);

test("the password is changed with “Revoke the access of all apps” → the app asks on a page; without → it doesn’t", async () => {
  for (const revokes of [false, true]) {
    const { person, owner } = await anOwner();
    const company = await inACompany(person, "admin");
    const client = await server.addClient({ scopes: BOTH.split(" ") });
    const token = await connected(owner, client, person, company);
    const form = formWith(await owner.get("/account/security/password"), "current_password");
    const fields = { current_password: PASSWORD, password: NEW_PASSWORD, again: NEW_PASSWORD };
    const done = await owner.submit(form, { ...fields, end_apps: revokes ? "yes" : [] });
    const told = "If you connected apps for a company, you must connect them again.";
    expect((await owner.follow(done)).text.includes(told)).toBe(revokes);
    expect(await lives(client, token)).toBe(!revokes);
    expect(await silent(owner, client)).toBe(revokes ? "consent_required" : "code");
  }
});

test("a thief of the mailbox widens the access of an app, and the owner restores their ways to sign in → a page asks", async () => {
  const { person, owner } = await anOwner();
  const company = await inACompany(person, "admin");
  const [mine, evil] = [await server.addClient(), await server.addClient({ scopes: BOTH.split(" ") })];
  await authorize(owner, authorizeUrl(server, mine), person.username, { owner: company.companyId });
  server.tick(30 * 24 * HOUR);
  const laptop = await backIn(person, PASSWORD);
  const key = await aPasskeyOf(laptop, server, "New laptop");
  const { reader, page } = await opened(person);
  await decide(reader, page, { company: [] });
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  const thief = await backIn(person, NEW_PASSWORD);
  await connected(thief, evil, person, company);
  await owner.submit(formWith(await owner.get(link), "link"));
  const again = new Agent(server.issuer);
  const login = await again.get("/login");
  await again.submit(formWith(login, "credential"), { credential: key.get(passkeyOptions(login)) });
  expect(await silent(again, evil)).toBe("consent_required");
  expect((await again.get(authorizeUrl(server, mine, { prompt: "none" }))).location?.searchParams.has("code")).toBe(
    true,
  );
});

test("an app gave up the access that an intruder had connected, so the page of the recovery doesn’t show it → a page asks", async () => {
  const { person, owner } = await anOwner();
  const company = await inACompany(person, "member");
  const [mine, evil] = [
    await server.addClient({ scopes: BOTH.split(" ") }),
    await server.addClient({ scopes: BOTH.split(" ") }),
  ];
  const kept = await connected(owner, mine, person, company);
  const token = await connected(await anIntruder(person), evil, person, company);
  await postForm(server, "/revoke", evil, { token });
  const { reader, page } = await opened(person);
  const done = await decide(reader, page);
  expect(done.text).not.toContain("Access revoked");
  const again = await backIn(person, NEW_PASSWORD);
  expect([await silent(again, evil), await silent(again, mine)]).toEqual(["consent_required", "code"]);
  expect(await lives(mine, kept)).toBe(true);
});

test("apps are connected for a company → the recovery names the company's 8 latest, each with its time, and counts the rest", async () => {
  const { person, owner } = await anOwner();
  const company = await inACompany(person, "admin");
  const names = Array.from({ length: 10 }, (_, at) => `Company App ${at}`);
  for (const name of names) {
    await connected(owner, await server.addClient({ name, scopes: BOTH.split(" ") }), person, company);
    server.tick(24 * HOUR);
  }
  const { page } = await opened(person);
  const box = page.text.slice(page.text.indexOf("Apps you connected for"), page.text.lastIndexOf("</label>"));
  expect([...box.matchAll(/Company App (\d)/g)].map(([, at]) => at)).toEqual([..."98765432"]);
  expect([box.match(/yesterday/g)?.length, box.match(/8 days ago/g)?.length]).toEqual([1, 1]);
  expect(box).toContain("and 2 more");
});

test("an admin paused the app → it is said to stay paused, not to keep access, on the page, after it and in the message", async () => {
  const { person, owner } = await anOwner();
  const company = await inACompany(person, "member");
  const clients = [
    await server.addClient({ scopes: BOTH.split(" ") }),
    await server.addClient({ scopes: BOTH.split(" ") }),
  ];
  const tokens = [];
  for (const client of clients) tokens.push(await connected(owner, client, person, company));
  const { partition, companyId: ownerId, admin } = company;
  const pauses = ({ clientId }: TestClient) => {
    const change = { partition, ownerId, clientId, by: admin.personId, now: server.now() };
    return server.assent.storage.consents.setPaused({ ...change, paused: true });
  };
  const [first, second] = clients as [TestClient, TestClient];
  await pauses(first);
  expect((await opened(person)).page.text).toContain("Keeps access");
  await pauses(second);
  const { reader, page } = await opened(person);
  expect([page.text.includes("Stays paused"), page.text.includes("Keeps access")]).toEqual([true, false]);
  const done = (await decide(reader, page)).text.replaceAll(/<[^>]*>/g, "");
  expect([await lives(first, tokens[0]), await lives(second, tokens[1])]).toEqual([false, false]);
  const { text } = await messageTo(person.email, "Your password was changed", mailbox);
  for (const said of [done, text]) {
    expect(said).toContain("Still paused: Apps you connected for Acme Corp");
    expect(said).not.toContain("Still have access");
  }
});
