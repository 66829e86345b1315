/** A recovery link that has expired or was used: what waits goes on in the browser that asked for it, and nowhere else. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, authorizeUrl, consentForm, linksOf, type Page, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const NEW = "seven green umbrellas";
const MINUTE = 60_000;
let server: TestServer;
let mailbox: TestMailbox;
let app: TestClient;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox) } });
  app = await server.addClient({ name: "Photo Printer" });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const NEXT = "After that, you continue to Photo Printer.";
const START_AGAIN = "If an app or a company sent you here, go back to it and start again.";

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

/** Asks for a link on the way to the app. */
async function asked(agent: Agent, person: Person): Promise<string> {
  const page = await agent.follow(await agent.get(authorizeUrl(server, app)));
  return askedFrom(agent, person, await agent.get(linkTo(page, "/recover")));
}

async function askedFrom(agent: Agent, person: Person, page: Page): Promise<string> {
  await agent.submit(formWith(page, "login"), { login: person.username });
  for (;;) {
    const { subject, link } = await mailbox.next(person.email);
    if (subject === "Choose a new password") return link;
  }
}

const chooses = async (agent: Agent, link: string) =>
  agent.submit(formWith(await agent.get(link), "password"), { password: NEW, again: NEW });

async function enters(agent: Agent, page: Page, { username }: Person): Promise<Page> {
  return agent.follow(await agent.submit(formWith(page, "username"), { username, password: NEW }));
}

test("expired → the page says what follows, and a new link leads to the request", async () => {
  const [agent, person] = [new Agent(server.issuer), await server.addPerson()];
  const link = await asked(agent, person);
  server.tick(16 * MINUTE);
  const page = await agent.get(link);
  expect(textOf(page)).toContain("This link has expired");
  expect(textOf(page)).toContain(NEXT);
  expect(textOf(page)).not.toContain(START_AGAIN);
  const again = await agent.get(linkTo(page, "/recover"));
  expect(textOf(again)).toContain(NEXT);
  const done = await chooses(agent, await askedFrom(agent, person, again));
  const consent = await enters(agent, await agent.follow(await agent.get(linkTo(done, "/consent"))), person);
  expect(consentForm(consent)).toBeDefined();
  // So does the sign-in.
  expect((await agent.get(linkTo(page, "/consent"))).text).toContain("Photo Printer");
});

test("expired before the password was sent → the same", async () => {
  const [agent, person] = [new Agent(server.issuer), await server.addPerson()];
  const form = formWith(await agent.get(await asked(agent, person)), "password");
  server.tick(16 * MINUTE);
  const page = await agent.submit(form, { password: NEW, again: NEW });
  expect([page.status, textOf(page).includes(NEXT)]).toEqual([400, true]);
  expect(textOf(await agent.get(linkTo(page, "/recover")))).toContain(NEXT);
});

test("used → the sign-in of the request, and a new link that keeps it; signed in → on to the request", async () => {
  const [agent, person] = [new Agent(server.issuer), await server.addPerson()];
  const link = await asked(agent, person);
  await chooses(agent, link);
  const page = await agent.get(link);
  expect(textOf(page)).toContain("This link was already used");
  expect(textOf(page)).toContain(NEXT);
  expect(textOf(await agent.get(linkTo(page, "/recover")))).toContain(NEXT);
  await enters(agent, await agent.follow(await agent.get(linkTo(page, "/consent"))), person);
  const signedIn = await agent.get(link);
  expect(textOf(signedIn)).toContain("You can now continue to Photo Printer.");
  expect(consentForm(await agent.get(linkTo(signedIn, "/consent")))).toBeDefined();
});

test("used, and somebody else is signed in → they don't answer for the owner of the account", async () => {
  const [agent, person, other] = [new Agent(server.issuer), await server.addPerson(), await server.addPerson()];
  const link = await asked(agent, person);
  await chooses(agent, link);
  await signIn(agent, other.username);
  const page = await agent.get(link);
  expect(linksOf(page).filter((href) => href.includes("/consent"))).toEqual([]);
  const form = page.forms.find(({ action }) => action.endsWith("/login/switch"));
  if (form === undefined) throw new Error("no form to switch the account");
  const consent = await enters(agent, await agent.submit(form), person);
  expect(textOf(consent)).toContain(person.username);
});

test("in another browser → it says where to go on, and has no request", async () => {
  const [agent, elsewhere, person] = [new Agent(server.issuer), new Agent(server.issuer), await server.addPerson()];
  const link = await asked(agent, person);
  server.tick(16 * MINUTE);
  const page = await elsewhere.get(link);
  expect(textOf(page)).toContain("To continue to Photo Printer, go back to the browser where you started");
  expect(page.text).not.toMatch(/[?&]request=|name="request"|\/consent/);
});

test("the request has expired, too → the page says how to start again", async () => {
  const [agent, person] = [new Agent(server.issuer), await server.addPerson()];
  const link = await asked(agent, person);
  server.tick(61 * MINUTE);
  const page = await agent.get(link);
  expect(textOf(page)).toContain("The request from Photo Printer has expired");
  expect(linkTo(page, "/authorize")).toBeDefined();
});

test("nothing waited → as before: to the app, if one sent the person", async () => {
  const [agent, person] = [new Agent(server.issuer), await server.addPerson()];
  const link = await askedFrom(agent, person, await agent.get("/recover"));
  server.tick(16 * MINUTE);
  const page = await agent.get(link);
  expect(textOf(page)).toContain(START_AGAIN);
  expect(linkTo(page, "/recover")).toBe("/recover");
});
