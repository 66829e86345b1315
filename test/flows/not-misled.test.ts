/** What pages say about companies, ends and links is true for the reader. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { formWith } from "../support/device-actor.ts";
import { atConsent } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  formTo,
  linksOf,
  type Page,
  signIn,
} from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({
    config: {
      smtpUrl: smtpTo(mailbox),
      signUp: true,
      trustProxy: ["127.0.0.1"],
      consentDurations: ["once", 3600, 604_800, 7_776_000, "forever"],
    },
  });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:])/g, "");
const headingOf = ({ text }: Page) => textOf({ text: /<h1>[\s\S]*?<\/h1>/.exec(text)?.[0] ?? "" } as Page).trim();

async function as({ username }: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  return agent;
}

async function invited(): Promise<{
  link: string;
  admin: string;
  guest: Awaited<ReturnType<TestServer["addPerson"]>>;
}> {
  const company = await addCompany(server);
  const guest = await server.addPerson();
  const agent = await as(company.admin);
  const members = await agent.get(`/company/${company.slug}/members`);
  const made = await agent.submit(formWith(members, "addressee"), { addressee: guest.username, role: "admin" });
  const link = /<code class="secret-link"[^>]*>([^<]*)</.exec(made.text)?.[1] ?? "";
  return { link, admin: company.admin.username, guest };
}

test("an invitation, opened by its addressee, by somebody else, by nobody → who invited, to what, as what", async () => {
  const { link, admin, guest } = await invited();
  const said = new RegExp(`Alice Example \\( ${admin} \\) invited you to join Acme Corp as an admin`);
  expect(textOf(await new Agent(server.issuer).get(link))).toMatch(said);
  expect(textOf(await (await as(await server.addPerson())).get(link))).toMatch(said);
  expect(textOf(await (await as(guest)).get(link))).toMatch(said);
});

describe("the title of the consent page", () => {
  test("a person without a company → their account; with one to choose → nobody, because it can't follow the choice", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient({ name: "Photo Printer" });
    const url = authorizeUrl(server, app, { prompt: "consent" });
    const alone = await atConsent(new Agent(server.issuer), url, (await server.addPerson()).username);
    expect(headingOf(alone)).toBe("Photo Printer wants access to your account");
    const agent = new Agent(server.issuer);
    const first = await atConsent(agent, url, company.member.username);
    expect(headingOf(first)).toBe("Photo Printer wants access");
    expect(textOf(first)).not.toContain("your account");
    await agent.submit(consentForm(first), { decision: "allow", owner: company.companyId, duration: "604800" });
    const again = await agent.follow(await agent.get(url));
    expect(headingOf(again)).toBe("Photo Printer wants access");
    expect(textOf(again)).not.toContain("your account");
    expect(textOf(again)).toContain("Acme Corp already allows it to");
  });
});

test.each([
  ["a week", { rule: "allow", audience: "everybody", duration: "604800" }, /It holds until .*UTC/],
  ["no end", { rule: "allow", audience: "everybody", duration: "forever" }, /It holds until an admin changes it/],
  ["on request", { rule: "ask" }, /It holds until an admin changes it/],
])(
  "a company's rule for %s → once it is saved, the page says one time until when it holds",
  async (_, fields, said) => {
    const company = await addCompany(server);
    const app = await server.addClient({ verified: true });
    const agent = await as(company.admin);
    const place = `/apps/${app.clientId}`;
    const page = await agent.get(`/company/${company.slug}${place}`);
    const asked = await agent.submit(formTo(page, place), { scope: "read", ...fields });
    const done = asked.status === 303 ? asked : await agent.submit(formTo(asked, place), { confirmed: "yes" });
    const saved = textOf(await agent.follow(done));
    expect(saved).toContain("The rule is saved.");
    expect(saved).toMatch(said);
    expect(saved.split("It holds until")).toHaveLength(2);
  },
);

test("/logout by hand → asks, and speaks of no app; with an app's ID → the app's wish", async () => {
  const agent = await as(await server.addPerson());
  const plain = textOf(await agent.get("/logout"));
  expect(plain).toContain("You’ll be signed out in this browser");
  expect(plain).not.toContain("An app wants");
  const app = await server.addClient();
  expect(textOf(await agent.get(`/logout?client_id=${app.clientId}`))).toContain("An app wants to sign you out");
});

describe("a used link to make an account", () => {
  async function anAccount() {
    const name = `new-${Math.random().toString(36).slice(2)}`;
    const agent = new Agent(server.issuer, { "x-forwarded-for": `198.51.100.${Math.floor(Math.random() * 250)}` });
    const email = `${name}@example.test`;
    await agent.submit(formWith(await agent.get("/sign-up"), "email"), { email });
    const { link } = await mailbox.next(email);
    await agent.submit(formWith(await agent.get(link), "username"), {
      username: name,
      password: PASSWORD,
      again: PASSWORD,
    });
    return { agent, link, name };
  }

  test("nobody is signed in → sign in; its owner is → their account; somebody else is → sign out first", async () => {
    const { agent, link, name } = await anAccount();
    const stranger = await new Agent(server.issuer).get(link);
    expect(textOf(stranger)).toContain("Sign in to it");
    expect(linksOf(stranger).join()).toContain("/login");
    const own = await agent.get(link);
    expect(textOf(own)).toContain(`Your account was created with it. You are signed in as ${name}`);
    expect(linksOf(own).join()).not.toContain("/login");
    expect(linksOf(own).join()).toContain("/account/apps");
    const other = await (await as(await server.addPerson())).get(link);
    expect(textOf(other)).toContain("To use it, sign out first");
    expect(linksOf(other).join()).toContain("/account/sign-out");
    expect(linksOf(other).join()).not.toContain("/login");
  });
});

test("Don't allow for something that was allowed before → page and history say that it stays, until when", async () => {
  const person = await server.addPerson();
  const app = await server.addClient({ name: "Photo Printer" });
  const agent = new Agent(server.issuer);
  await authorize(agent, authorizeUrl(server, app), person.username, { duration: "604800" });
  const again = await agent.follow(await agent.get(authorizeUrl(server, app, { prompt: "consent" })));
  expect(textOf(again)).toContain("nothing changes: the app keeps the access that it has");
  await agent.submit(consentForm(again), { decision: "deny" });
  const history = textOf(await agent.get("/account/history"));
  const { events } = await server.assent.storage.events.waiting({ limit: 500 });
  const kinds = events.map(({ record }) => JSON.parse(record) as { kind: string; details: unknown });
  expect(kinds.find(({ kind }) => kind === "consent.declined")?.details).toEqual({ asked: "read", via: "browser" });
  expect(history).toMatch(
    /You refused a request from Photo Printer .*It can still until .*UTC: See your photos .*It asked to:/,
  );
});

test("an account that will be deleted, at an app → the page says when everything ends", async () => {
  const person = await server.addPerson();
  const app = await server.addClient();
  const url = authorizeUrl(server, app);
  const agent = new Agent(server.issuer);
  expect(textOf(await atConsent(agent, url, person.username))).not.toContain("will be deleted");
  const form = formWith(await agent.get("/account/profile/delete"), "current_password");
  await agent.submit(form, { current_password: PASSWORD });
  expect(textOf(await agent.follow(await agent.get(url)))).toMatch(
    /Your account will be deleted on .* UTC\. Everything that you allow ends then\./,
  );
});

test("an app with two ends → each permission has its own, the last line says so; one has ended → it is gone", async () => {
  await server.addScope({ name: "share", description: "Share your photos", optional: false });
  const person = await server.addPerson();
  const app = await server.addClient({ name: "Photo Printer", scopes: ["read", "share"] });
  const agent = new Agent(server.issuer);
  const answer = { scope: ["read", "share"], duration: "7776000", "duration:share": "3600" };
  await authorize(agent, authorizeUrl(server, app, { scope: "read share" }), person.username, answer);
  const before = textOf(await agent.get("/account/apps"));
  expect(before).toMatch(/Share your photos ends in (60 minutes|1 hour)/);
  expect(before).toMatch(/Last permission ends in/);
  onTestFinished(server.stand());
  server.tick(2 * HOUR);
  const after = textOf(await agent.get("/account/apps"));
  expect(after).not.toContain("Share your photos");
  expect(after).not.toContain("Last permission ends");
  expect(after).toMatch(/Ends in (\d+ days|3 months)/);
});
