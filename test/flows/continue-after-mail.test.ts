/**
 * People without an account or a password, on the way to an app, a device or a company. After the mail link, they
 * continue exactly there, and nobody else does.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, type TestCompany } from "../support/company-staff.ts";
import { rowsOf } from "../support/crawl-every-page.ts";
import { aDevice, aDeviceClient, decide, formWith, poll } from "../support/device-actor.ts";
import { Agent, authorizeUrl, consentForm, linksOf, type Page, redeem, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const NEW = "seven green umbrellas";
const FRESH = { password: NEW, again: NEW };
const HOUR = 3_600_000;

let server: TestServer;
let mailbox: TestMailbox;
let app: TestClient;
let company: TestCompany;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true, trustProxy: ["127.0.0.1"] } });
  app = await server.addClient({ name: "Photo Printer" });
  company = await addCompany(server);
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

let serial = 0;
/** A browser with its own network. */
function aBrowser(): Agent {
  serial += 1;
  return new Agent(server.issuer, { "x-forwarded-for": `198.51.${serial >> 8}.${serial & 255}` });
}
const aName = () => {
  serial += 1;
  return `new-${Date.now().toString(36)}-${serial}`;
};

function linkTo(page: Page, path: string): string {
  const found = linksOf(page).find((href) => new URL(href, server.issuer).pathname === path);
  if (found === undefined) throw new Error(`no link to ${path}: ${page.status} ${page.text.slice(0, 800)}`);
  return found;
}
const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ");

/** Asks for an account from this sign-in page. */
async function asksForAccount(agent: Agent, page: Page, email: string): Promise<Page> {
  const form = formWith(await agent.get(linkTo(page, "/sign-up")), "email");
  return agent.submit(form, { email });
}
async function asksForPassword(agent: Agent, page: Page, login: string): Promise<Page> {
  const form = formWith(await agent.get(linkTo(page, "/recover")), "login");
  return agent.submit(form, { login });
}
const linkFor = async (email: string) => (await mailbox.next(email)).link;
async function makesAccount(agent: Agent, link: string, username: string): Promise<Page> {
  const page = await agent.get(link);
  return agent.follow(await agent.submit(formWith(page, "username"), { username, ...FRESH }));
}
async function choosesPassword(agent: Agent, link: string): Promise<Page> {
  return agent.submit(formWith(await agent.get(link), "password"), FRESH);
}
const entersNew = (agent: Agent, page: Page, username: string) =>
  agent.submit(formWith(page, "username"), { username, password: NEW }).then((done) => agent.follow(done));

/** Allows the request. Returns the tokens that the client gets. */
async function allows(agent: Agent, page: Page): Promise<Record<string, unknown>> {
  const { location } = await agent.submit(consentForm(page), { decision: "allow" });
  if (location === undefined) throw new Error("no answer for the client");
  expect(location.searchParams.get("state")).toBe("a state");
  return (await redeem(server, app, location)).body;
}

async function invitation(addressee: string, role = "member"): Promise<string> {
  const admin = aBrowser();
  await signIn(admin, company.admin.username);
  const members = await admin.get(`/company/${company.slug}/members`);
  const made = await admin.submit(formWith(members, "addressee"), { addressee, role });
  if (addressee.includes("@")) await mailbox.next(addressee);
  return /<code class="secret-link"[^>]*>([^<]*)</.exec(made.text)?.[1] ?? "";
}

describe("a request of an app", () => {
  test("an account is made by the link, in the same browser → the consent page of that request, and its code", async () => {
    const [agent, name] = [aBrowser(), aName()];
    const email = `${name}@example.test`;
    const sent = await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), email);
    expect(textOf(sent)).toContain("Open the link in this browser to continue to Photo Printer");
    const link = await linkFor(email);
    expect(textOf(await agent.get(link))).toContain("continue to Photo Printer");
    const consent = await makesAccount(agent, link, name);
    expect(await allows(agent, consent)).toMatchObject({ scope: "read" });
  });

  test("two requests in two tabs → each link leads to its own", async () => {
    const other = await server.addClient({ name: "Other App" });
    const [agent, one, two] = [aBrowser(), aName(), aName()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), `${one}@example.test`);
    await asksForAccount(agent, await agent.get(authorizeUrl(server, other)), `${two}@example.test`);
    const second = await makesAccount(agent, await linkFor(`${two}@example.test`), two);
    expect(textOf(second)).toContain("Other App");
    const first = await makesAccount(agent, await linkFor(`${one}@example.test`), one);
    expect(textOf(first)).toContain("Photo Printer");
  });

  test("a mistake on each form on the way → the request goes along", async () => {
    const [agent, name] = [aBrowser(), aName()];
    const email = `${name}@example.test`;
    const wrong = await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), "not an address");
    await agent.submit(formWith(wrong, "email"), { email });
    const form = await agent.get(await linkFor(email));
    const again = await agent.submit(formWith(form, "username"), { username: name, password: "short", again: "short" });
    const consent = await agent.follow(await agent.submit(formWith(again, "username"), { username: name, ...FRESH }));
    await allows(agent, consent);
  });

  test("the form is sent twice, as by a double click → the second answer leads on as well", async () => {
    const [agent, name] = [aBrowser(), aName()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), `${name}@example.test`);
    const form = formWith(await agent.get(await linkFor(`${name}@example.test`)), "username");
    await agent.submit(form, { username: name, ...FRESH });
    const second = await agent.submit(form, { username: name, ...FRESH });
    expect(second.status).toBe(400);
    expect(textOf(second)).toContain("Your account was created with it");
    expect(textOf(second)).toContain("You can now continue to Photo Printer.");
    expect(textOf(second)).not.toContain("After that");
    await allows(agent, await agent.follow(await agent.get(linkTo(second, "/consent"))));
  });

  test("the link is opened again after the account was made → it says so, and leads to the sign-in of that request", async () => {
    const [agent, elsewhere, name] = [aBrowser(), aBrowser(), aName()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), `${name}@example.test`);
    const link = await linkFor(`${name}@example.test`);
    await makesAccount(elsewhere, link, name);
    const there = await aBrowser().get(link);
    expect(there.status).toBe(400);
    expect(textOf(there)).toContain("To continue to Photo Printer, go back to the browser where you started");
    expect(there.text).not.toMatch(/[?&]request=|name="request"|\/consent/);
    const page = await agent.get(link);
    expect(textOf(page)).toContain("An account with this address already exists. Sign in to it.");
    expect(textOf(page)).toContain("continue to Photo Printer");
    await allows(agent, await entersNew(agent, await agent.get(linkTo(page, "/consent")), name));
  });

  test("opened again while somebody else is signed in, who allowed the app before → they don't answer for the account", async () => {
    const [agent, elsewhere, name, other] = [aBrowser(), aBrowser(), aName(), await server.addPerson()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), `${name}@example.test`);
    const link = await linkFor(`${name}@example.test`);
    await makesAccount(elsewhere, link, name);
    await signIn(agent, other.username);
    await allows(agent, await agent.get(authorizeUrl(server, app)));
    const page = await agent.get(link);
    expect(textOf(page)).toContain("An account with this address already exists. Sign in to it.");
    expect(linksOf(page).filter((href) => href.includes("/consent"))).toEqual([]);
    const form = page.forms.find(({ action }) => action.endsWith("/login/switch"));
    if (form === undefined) throw new Error("no form to switch the account");
    const consent = await entersNew(agent, await agent.submit(form), name);
    expect(textOf(consent)).toContain(name);
    await allows(agent, consent);
  });

  test("the link has expired → it says so; a new link takes along what waits, or the request starts again", async () => {
    const [agent, name] = [aBrowser(), aName()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), `${name}@example.test`);
    const link = await linkFor(`${name}@example.test`);
    server.tick(HOUR + 60_000);
    const page = await agent.get(link);
    expect(textOf(page)).toContain("This link has expired");
    expect(textOf(page)).toContain("The request from Photo Printer has expired");
    const again = await agent.follow(await agent.get(linkTo(page, "/authorize")));
    await asksForAccount(agent, again, `${name}@example.test`);
    await allows(agent, await makesAccount(agent, await linkFor(`${name}@example.test`), name));
  });

  test("a link that is none of ours → it leads to sign-in and to a new link", async () => {
    const page = await aBrowser().get("/sign-up/account?link=ml_nothing");
    expect(page.status).toBe(400);
    expect([linkTo(page, "/sign-up"), linkTo(page, "/login")]).toHaveLength(2);
  });

  test("the link is opened in another browser → the account is ready there, the page says where to go on, and has no request", async () => {
    const [agent, elsewhere, name] = [aBrowser(), aBrowser(), aName()];
    const email = `${name}@example.test`;
    const sent = await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), email);
    const link = await linkFor(email);
    const form = await elsewhere.get(link);
    expect(textOf(form)).toContain("go back to the browser where you started");
    const done = await elsewhere.submit(formWith(form, "username"), { username: name, ...FRESH });
    expect(done.status).toBe(200);
    expect(textOf(done)).toContain("Your account is ready");
    expect(textOf(done)).toContain("Photo Printer");
    expect(form.text + done.text).not.toMatch(/[?&]request=|name="request"|\/consent/);
    // The page in the first browser continues the flow.
    const signInPage = await agent.follow(await agent.get(linkTo(sent, "/consent")));
    await allows(agent, await entersNew(agent, signInPage, name));
  });

  test("forgot the password → the link, the new password, sign-in, and the consent page of that request", async () => {
    const person = await server.addPerson();
    const agent = aBrowser();
    const sent = await asksForPassword(agent, await agent.get(authorizeUrl(server, app)), person.username);
    expect(textOf(sent)).toContain("Open the link in this browser to continue to Photo Printer");
    const link = await linkFor(person.email);
    expect(textOf(await agent.get(link))).toContain("After that, you continue to Photo Printer.");
    const done = await choosesPassword(agent, link);
    expect(textOf(done)).toContain("continue to Photo Printer");
    const signInPage = await agent.get(linkTo(done, "/consent"));
    await allows(agent, await entersNew(agent, signInPage, person.username));
  });

  test("forgot the password, the link in another browser → it says where to go on, and has no request", async () => {
    const person = await server.addPerson();
    const [agent, elsewhere] = [aBrowser(), aBrowser()];
    const sent = await asksForPassword(agent, await agent.get(authorizeUrl(server, app)), person.email);
    const done = await choosesPassword(elsewhere, await linkFor(person.email));
    expect(textOf(done)).toContain("To continue to Photo Printer, go back to the browser where you started");
    expect(done.text).not.toMatch(/[?&]request=|name="request"|\/consent/);
    const signInPage = await agent.follow(await agent.get(linkTo(sent, "/consent")));
    await allows(agent, await entersNew(agent, signInPage, person.username));
  });

  test("somebody else is signed in in the browser where the password is recovered → they don't answer for the owner", async () => {
    const [person, other] = [await server.addPerson(), await server.addPerson()];
    const agent = aBrowser();
    await asksForPassword(agent, await agent.get(authorizeUrl(server, app)), person.username);
    const link = await linkFor(person.email);
    await signIn(agent, other.username);
    const done = await choosesPassword(agent, link);
    const form = done.forms.find(({ action }) => action.endsWith("/login/switch"));
    if (form === undefined) throw new Error("no form to switch the account");
    const signInPage = await agent.submit(form);
    await allows(agent, await entersNew(agent, signInPage, person.username));
  });

  test("back to sign-in from every page on the way → the sign-in of the same request", async () => {
    for (const path of ["/sign-up", "/recover"]) {
      const person = await server.addPerson();
      const agent = aBrowser();
      const asking = await agent.get(linkTo(await agent.get(authorizeUrl(server, app)), path));
      const back = await agent.follow(await agent.get(linkTo(asking, "/consent")));
      await allows(agent, await signIn(agent, person.username, back));
    }
  });

  test("an account has the address already → the link in the message leads back, in that browser alone", async () => {
    const person = await server.addPerson();
    const [agent, elsewhere] = [aBrowser(), aBrowser()];
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), person.email);
    const link = await linkFor(person.email);
    const there = await elsewhere.follow(await elsewhere.get(link));
    expect(textOf(there)).toContain("To continue to Photo Printer, go back to the browser where you started");
    expect(there.text).not.toMatch(/[?&]request=|name="request"|\/consent/);
    const signInPage = await agent.follow(await agent.get(link));
    await allows(agent, await signIn(agent, person.username, signInPage));
  });

  test("the same while somebody else is signed in → the owner of the address signs in first", async () => {
    const [person, other] = [await server.addPerson(), await server.addPerson()];
    const agent = aBrowser();
    await asksForAccount(agent, await agent.get(authorizeUrl(server, app)), person.email);
    const link = await linkFor(person.email);
    await signIn(agent, other.username);
    const signInPage = await agent.follow(await agent.get(link));
    expect(textOf(signInPage)).toContain("Sign in to continue to Photo Printer");
    const consent = await signIn(agent, person.username, signInPage);
    expect(textOf(consent)).toContain(person.username);
    await allows(agent, consent);
    // The owner is signed in, so no question is left.
    expect((await agent.get(link)).location?.pathname).toBe("/consent");
  });

  test("the same, and the request asks to choose an account → the other person is not named, and can't go on from there", async () => {
    const [person, other] = [await server.addPerson(), await server.addPerson()];
    const agent = aBrowser();
    const url = authorizeUrl(server, app, { prompt: "select_account" });
    await asksForAccount(agent, await agent.get(url), person.email);
    const link = await linkFor(person.email);
    await signIn(agent, other.username);
    const signInPage = await agent.follow(await agent.get(link));
    expect(textOf(signInPage)).toContain("Photo Printer");
    expect(textOf(signInPage)).not.toContain(other.username);
    expect(linksOf(signInPage).filter((href) => href.includes("/consent"))).toEqual([]);
    expect(signInPage.forms.filter(({ action }) => action.endsWith("/login/switch"))).toEqual([]);
    await allows(agent, await signIn(agent, person.username, signInPage));
  });

  test("the request has expired meanwhile → the account is made, and the page says how to start again", async () => {
    const [agent, name] = [aBrowser(), aName()];
    const started = await agent.get(authorizeUrl(server, app));
    server.tick(HOUR / 2);
    await asksForAccount(agent, started, `${name}@example.test`);
    const link = await linkFor(`${name}@example.test`);
    server.tick(HOUR / 2 + 60_000);
    const form = await agent.get(link);
    expect(textOf(form)).toContain("has expired");
    const done = await agent.submit(formWith(form, "username"), { username: name, ...FRESH });
    expect(textOf(done)).toContain("Your account is ready");
    expect(textOf(done)).toContain("has expired");
    await allows(agent, await agent.follow(await agent.get(linkTo(done, "/authorize"))));
  });

  test("expired before the password is chosen → the password is changed, and the page says how to start again", async () => {
    const person = await server.addPerson();
    const agent = aBrowser();
    const started = await agent.get(authorizeUrl(server, app));
    server.tick(HOUR - 5 * 60_000);
    await asksForPassword(agent, started, person.username);
    const link = await linkFor(person.email);
    server.tick(6 * 60_000);
    const done = await choosesPassword(agent, link);
    expect(textOf(done)).toContain("has expired");
    const signInPage = await agent.get(linkTo(done, "/authorize"));
    await allows(agent, await entersNew(agent, signInPage, person.username));
  });

  test("a continuation that is cut off, or of another browser → refused before anything is sent", async () => {
    const [agent, stranger] = [aBrowser(), aBrowser()];
    const form = formWith(await agent.get(linkTo(await agent.get(authorizeUrl(server, app)), "/sign-up")), "email");
    const sealed = form.fields.get("request") ?? "";
    for (const path of ["/sign-up", "/recover"]) {
      expect((await stranger.get(`${path}?request=${sealed}`)).status).toBe(400);
      expect((await agent.get(`${path}?request=${sealed.slice(1)}`)).status).toBe(400);
    }
    const own = formWith(await stranger.get("/sign-up"), "email");
    const email = `${aName()}@example.test`;
    expect((await stranger.submit(own, { email, request: sealed })).status).toBe(400);
  });

  test("what waits stands neither in the message nor, readable, in the database or the log", async () => {
    const [agent, name] = [aBrowser(), aName()];
    const mark = server.log.length;
    const guest = `${name}@example.test`;
    const form = formWith(await agent.get(linkTo(await agent.get(await invitation(guest)), "/sign-up")), "email");
    const token = form.fields.get("invitation") ?? "";
    expect(token).toMatch(/^iv_/);
    await agent.submit(form, { email: guest });
    const message = await mailbox.next(guest);
    expect(message.raw.replaceAll("=\r\n", "")).not.toContain(token.slice(3, 60));
    expect([...new URL(message.link).searchParams.keys()]).toEqual(["link"]);
    expect(server.log.slice(mark).join("")).not.toContain(token.slice(3, 60));
    if (process.env["ASSENT_TEST_DATABASE"] === "postgres") return;
    const rows = rowsOf(server).filter((row) => row.startsWith("mail_links"));
    expect(rows.join("")).toContain("Acme Corp");
    expect(rows.join("")).not.toContain(token.slice(3, 60));
  });
});

describe("a device", () => {
  test("an account is made by the link → the device's consent page, and its tokens", async () => {
    const tv = await aDeviceClient(server);
    const { deviceCode, userCode } = await aDevice(server, tv);
    const [agent, name] = [aBrowser(), aName()];
    const field = formWith(await agent.get("/device"), "user_code");
    const signInPage = await agent.submit(field, { user_code: userCode });
    const sent = await asksForAccount(agent, signInPage, `${name}@example.test`);
    expect(textOf(sent)).toContain("to connect your device");
    const page = await makesAccount(agent, await linkFor(`${name}@example.test`), name);
    const asked = page.forms.some(({ action }) => action.endsWith("/device/elsewhere"))
      ? await agent.submit(formWith(page, "decision"), { decision: "go_on" })
      : page;
    await agent.submit(formWith(asked, "decision"), { decision: "allow" });
    expect((await poll(server, tv, deviceCode)).body.scope).toBe("read");
  });

  test("forgot the password, the link in another browser → it says where to go on; from there the device is connected", async () => {
    const tv = await aDeviceClient(server);
    const { deviceCode, userCode } = await aDevice(server, tv);
    const person = await server.addPerson();
    const [agent, elsewhere] = [aBrowser(), aBrowser()];
    const field = formWith(await agent.get("/device"), "user_code");
    const sent = await asksForPassword(agent, await agent.submit(field, { user_code: userCode }), person.username);
    const done = await choosesPassword(elsewhere, await linkFor(person.email));
    expect(textOf(done)).toContain("go back to the browser where you started, and sign in there to connect it");
    expect(done.text).not.toMatch(/[?&]device=|name="device"/);
    const signInPage = await agent.get(linkTo(sent, "/device/consent"));
    const page = await entersNew(agent, signInPage, person.username);
    const asked = page.forms.some(({ action }) => action.endsWith("/device/elsewhere"))
      ? await agent.submit(formWith(page, "decision"), { decision: "go_on" })
      : page;
    await agent.submit(formWith(asked, "decision"), { decision: "allow" });
    expect((await poll(server, tv, deviceCode)).body.scope).toBe("read");
  });

  test("the code was answered meanwhile → no page promises the device; after the sign-up, it says that it may be connected already", async () => {
    const tv = await aDeviceClient(server);
    const { userCode } = await aDevice(server, tv);
    const [agent, name] = [aBrowser(), aName()];
    const field = formWith(await agent.get("/device"), "user_code");
    const sent = await asksForAccount(
      agent,
      await agent.submit(field, { user_code: userCode }),
      `${name}@example.test`,
    );
    expect(textOf(sent)).toContain("The code on the device is valid for a few minutes only");
    const other = await server.addPerson();
    await decide(new Agent(server.issuer), userCode, other.username, {});
    const link = await linkFor(`${name}@example.test`);
    expect(textOf(await agent.get(link))).toContain("you can connect your device if it still shows its code");
    const page = await makesAccount(agent, link, name);
    expect(page.forms.some(({ action }) => action.endsWith("/device"))).toBe(true);
    expect(page.text).toContain('role="alert"');
    expect(textOf(page)).toContain("the device was connected already, or the code has expired");
  });
});

describe("an invitation", () => {
  test.each(["member", "admin"])(
    "as %s: company, inviter and role stand on every page until the person has joined",
    async (role) => {
      const name = aName();
      const email = `${name}@example.test`;
      const agent = aBrowser();
      const first = await agent.get(await invitation(email, role));
      const what = role === "admin" ? "as an admin" : "as a member";
      const says = (page: Page) => {
        expect(textOf(page)).toContain("Acme Corp");
        expect(textOf(page)).toContain(company.admin.username);
        expect(textOf(page)).toContain(what);
      };
      says(first);
      says(await agent.submit(formWith(first, "username"), { username: "nobody", password: "wrong" }));
      says(await agent.get(linkTo(first, "/recover")));
      const asking = await agent.get(linkTo(first, "/sign-up"));
      says(asking);
      says(await agent.get(linkTo(asking, "/invitation")));
      const sent = await agent.submit(formWith(asking, "email"), { email });
      expect(textOf(sent)).toContain("to join Acme Corp");
      const link = await linkFor(email);
      says(await agent.get(link));
      const invited = await makesAccount(agent, link, name);
      const form = invited.forms.find(({ action }) => action.endsWith("/invitation"));
      if (form === undefined) throw new Error(`no invitation: ${invited.text.slice(0, 400)}`);
      const joined = await agent.submit(form);
      expect(joined.location?.pathname).toBe(`/company/${company.slug}`);
    },
  );

  test("forgot the password → the link leads back to the invitation", async () => {
    const person = await server.addPerson();
    const agent = aBrowser();
    await asksForPassword(agent, await agent.get(await invitation(person.email)), person.username);
    const done = await choosesPassword(agent, await linkFor(person.email));
    const invited = await entersNew(agent, await agent.get(linkTo(done, "/invitation")), person.username);
    expect(invited.forms.some(({ action }) => action.endsWith("/invitation"))).toBe(true);
  });

  test("the link in another browser → it names the company, and the token is not there", async () => {
    const name = aName();
    const email = `${name}@example.test`;
    const [agent, elsewhere] = [aBrowser(), aBrowser()];
    await asksForAccount(agent, await agent.get(await invitation(email)), email);
    const done = await makesAccount(elsewhere, await linkFor(email), name);
    expect(textOf(done)).toContain("To join Acme Corp");
    expect(done.text).not.toContain("iv_");
  });

  test("withdrawn, or used: a visitor who is not signed in learns it before they make an account", async () => {
    const email = `${aName()}@example.test`;
    const old = await invitation(email);
    await invitation(email);
    expect((await aBrowser().get(old)).status).toBe(404);
    const token = new URL(old).searchParams.get("token") ?? "";
    for (const path of ["/sign-up", "/recover"]) {
      expect((await aBrowser().get(`${path}?invitation=${token}`)).status).toBe(404);
    }
  });

  test("signed in as somebody else → another account is one press away, and the invitation stays", async () => {
    const [person, other] = [await server.addPerson(), await server.addPerson()];
    const agent = aBrowser();
    await signIn(agent, other.username);
    const wrong = await agent.get(await invitation(person.email));
    const form = wrong.forms.find(({ action }) => action.endsWith("/login/switch"));
    if (form === undefined) throw new Error("no form to switch the account");
    const invited = await signIn(agent, person.username, await agent.submit(form));
    expect(invited.forms.some(({ action }) => action.endsWith("/invitation"))).toBe(true);
  });

  test("a new password has to be chosen first → then the invitation", async () => {
    const person = await server.addPerson({ mustChangePassword: true });
    const agent = aBrowser();
    const must = await signIn(agent, person.username, await agent.get(await invitation(person.email)));
    const form = formWith(must, "current_password");
    const invited = await agent.follow(await agent.submit(form, { current_password: PASSWORD, ...FRESH }));
    expect(invited.forms.some(({ action }) => action.endsWith("/invitation"))).toBe(true);
  });
});
