/** After somebody refuses a request for a company, its history names the access that the app still has or can get. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { atConsent } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  formTo,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const DAY = 86_400_000;
const ALL = ["read", "write"];

const urlOf = (app: TestClient) => authorizeUrl(server, app, { scope: ALL.join(" "), prompt: "consent" });

async function connect(company: TestCompany, app: TestClient, username: string, fields: object = {}) {
  const answer = { owner: company.companyId, duration: "604800", ...fields };
  const location = await authorize(new Agent(server.issuer), urlOf(app), username, answer);
  return (await redeem(server, app, location)).body.refresh_token;
}

/** The person refuses a request for the company. Returns the newest entry: what the admin reads, and what the receipt has. */
async function refuse(company: TestCompany, app: TestClient, username = company.admin.username) {
  const agent = new Agent(server.issuer);
  const page = await atConsent(agent, urlOf(app), username);
  const { location } = await agent.submit(consentForm(page), { decision: "deny", owner: company.companyId });
  expect(location?.searchParams.get("error")).toBe("access_denied");
  const admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
  const { text } = await admin.get(`/company/${company.slug}/history`);
  const [, entry = ""] = text.split('<div class="event">');
  const plain = entry.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  expect(plain).toContain(`A request from ${app.name} was refused`);
  const link = /href="([^"]*\/history\/receipt[^"]*)"/.exec(entry)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const { body } = await admin.get(link).then(({ text: receipt }) => ({ body: JSON.parse(receipt) }));
  const claims = JSON.parse(Buffer.from(String(body.receipt).split(".")[1] ?? "", "base64url").toString());
  server.tick(1000);
  return { plain, allowed: claims.allowed.map(({ scope }: { readonly scope: string }) => scope) };
}

test("the only user stops the app, then refuses it → the history and the receipt name no access", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ALL });
  const { member } = company;
  const token = await connect(company, app, member.username);
  const using = await refuse(company, app, member.username);
  expect(using.plain).toMatch(/It can still until .*: See your photos · Change your photos/);
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  await agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  expect((await refresh(server, app, token)).status).toBe(400);
  const after = await refuse(company, app, member.username);
  expect(after.plain).not.toContain("It can");
  expect(after.allowed).toEqual([]);
});

test("the only user left the company, an admin refuses → no access; somebody else uses it still → named with their end", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const other = await server.addPerson();
  await addMember(server, company, other);
  const app = await server.addClient({ scopes: ALL });
  const { partition, companyId, member, admin } = company;
  await connect(company, app, member.username);
  await connect(company, app, other.username, { duration: "86400", scope: ["read"] });
  const remove = (person: Person) =>
    server.assent.storage.members.remove({ partition, companyId, person, by: admin.personId, now: server.now() });
  expect(await remove(member)).toMatchObject({ kind: "done" });
  const used = await refuse(company, app);
  const day = new Date(server.now() + DAY).toISOString().slice(0, 10);
  expect(used.plain).toContain("It can still until");
  expect(used.plain).toContain(`${Number(day.slice(8))},`);
  expect(used.allowed).toEqual(["read"]);
  await remove(other);
  expect((await refuse(company, app)).allowed).toEqual([]);
});

test("nobody uses it, but a member's answer gives it again without a page → named until the end of the answer; a rule against it → not", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ALL });
  const { member } = company;
  const token = await connect(company, app, member.username, { duration: "2592000" });
  expect((await postForm(server, "/revoke", app, { token })).status).toBe(200);
  expect((await refuse(company, app)).allowed).toEqual(ALL);
  await decide(server, company, app, { rule: "ask", scopes: [] });
  expect((await refuse(company, app)).allowed).toEqual([]);
});
