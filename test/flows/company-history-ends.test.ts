/** A company's history names no end of access that is later than what its members have. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { atConsent } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  formTo,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
const ALL = ["read", "write"];
const RESUMED = "goes on for everyone";
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const urlOf = (app: TestClient) => authorizeUrl(server, app, { scope: ALL.join(" "), prompt: "consent" });

async function connect(company: TestCompany, app: TestClient, fields: object) {
  const answer = { owner: company.companyId, ...fields };
  const location = await authorize(new Agent(server.issuer), urlOf(app), company.member.username, answer);
  return (await redeem(server, app, location)).body.refresh_token;
}

/** An app that is approved for 90 days, and an admin. */
async function aStory() {
  const company = await addCompany(server);
  const app = await server.addClient({ scopes: ALL });
  await decide(server, company, app, { scopes: ALL, endsAt: server.now() + 90 * DAY });
  const admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
  const at = `/company/${company.slug}`;
  const press = async (what: "pause" | "resume") => {
    server.tick(1000);
    await admin.submit(formTo(await admin.get(`${at}/agents`), `${at}/agents/${what}`));
  };
  /** The newest entry with this headline: its words with ends as days from now, and the receipt's permissions. */
  const entryOf = async (headline: string) => {
    const { text } = await admin.get(`${at}/history`);
    const entry = text.split('<div class="event">').find((one) => one.includes(headline)) ?? "";
    const inDays = (_: string, when: string) => `${Math.round((Date.parse(when) - server.now()) / DAY)} days`;
    const dated = entry.replaceAll(/<time datetime="([^"]+)"[^>]*>[^<]*<\/time>/g, inDays);
    const link = /href="([^"]*\/history\/receipt[^"]*)"/.exec(entry)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const allowed = JSON.parse((await admin.get(link)).text).content.allowed as { readonly scope: string }[];
    return {
      said: dated.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "),
      allowed: allowed.map(({ scope }) => scope),
    };
  };
  return { company, app, admin, press, entryOf };
}

test("an approved app is paused and resumed, a member has less → the entry names what the member has, with its end", async () => {
  const { company, app, press, entryOf } = await aStory();
  const token = await connect(company, app, { scope: ["read"], duration: "604800" });
  await press("pause");
  await press("resume");
  expect((await refresh(server, app, token)).body.scope).toBe("read");
  const { said, allowed } = await entryOf(RESUMED);
  expect(said).toContain("It can until 7 days: See your photos");
  expect(said).not.toMatch(/Change your photos|90 days/);
  expect(allowed).toEqual(["read"]);
});

test("the only member was removed before → the entry names no access", async () => {
  const { company, app, press, entryOf } = await aStory();
  await connect(company, app, { scope: ALL, duration: "604800" });
  await press("pause");
  const { partition, companyId, member: person, admin } = company;
  await server.assent.storage.members.remove({ partition, companyId, person, by: admin.personId, now: server.now() });
  await press("resume");
  const { said, allowed } = await entryOf(RESUMED);
  expect(said).not.toContain("It can");
  expect(allowed).toEqual([]);
});

test("an admin resumes it by their answer on the page → the entry names that answer and members' access, with their ends", async () => {
  const { company, app, admin, press, entryOf } = await aStory();
  await connect(company, app, { scope: ["read"], duration: "604800" });
  await press("pause");
  const page = await atConsent(admin, urlOf(app), company.admin.username);
  const answer = { decision: "allow", owner: company.companyId, scope: ["write"], duration: "86400" };
  const shown = await admin.submit(consentForm(page), answer);
  const done = shown.location === undefined ? await admin.submit(consentForm(shown), answer) : shown;
  expect(done.location?.searchParams.has("code")).toBe(true);
  const { said } = await entryOf(RESUMED);
  expect(said).toContain("It can until 7 days: See your photos");
  expect(said).toContain("It can until 1 days: Change your photos");
  expect(said).not.toContain("90 days");
});

test("an approval loses a permission → the entry names what members keep, with their ends", async () => {
  const { company, app, entryOf } = await aStory();
  await connect(company, app, { scope: ALL, duration: "604800" });
  server.tick(1000);
  await decide(server, company, app, { scopes: ["read"], endsAt: server.now() + 90 * DAY });
  const { said } = await entryOf("taken away");
  expect(said).toContain("It can until 7 days: See your photos");
  expect(said).not.toContain("90 days");
});
