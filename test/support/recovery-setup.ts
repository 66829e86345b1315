/**
 * The set-up of recovery tests: a server with e-mail, an owner, an intruder, and somebody who reads the owner's e-mail.
 */

import { afterAll, beforeAll } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "./authenticator-app.ts";
import { Agent, type Page } from "./http-browser.ts";
import { DAY, messageTo, OWNERS_BROWSER, recoveryLink, STRANGE_BROWSER, signedInWith } from "./recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "./smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "./test-server.ts";

export const HOUR = 3_600_000;
/** The subject of the announcement. */
export const REMOVED = "Ways to sign in to your account were removed";

/** Gives the proof on the page that asks for it. */
export const prove = async (reader: Agent, page: Page, fields: Record<string, string>): Promise<Page> => {
  const [field = ""] = Object.keys(fields);
  return reader.follow(await reader.submit(formWith(page, field), fields));
};
/** The page on which the owner decides. */
export const isDecision = (page: Page) => page.forms.some(({ fields }) => fields.has("password"));
/** The page that first asks for a proof. */
export const isProof = (page: Page) => page.text.includes("Confirm that it’s you") && !isDecision(page);

/** One server and mailbox for all tests of a file. Available from its first `beforeAll` on. */
export function recoveryStage() {
  let server: TestServer;
  let mailbox: TestMailbox;
  beforeAll(async () => {
    mailbox = await startMailbox();
    server = await startServer({ host: "localhost", config: { smtpUrl: smtpTo(mailbox) } });
  });
  afterAll(async () => {
    await server.stop();
    await mailbox.stop();
  });

  let serial = 0;
  const anAddress = () => {
    serial += 1;
    return `other-${Date.now().toString(36)}-${serial}@example.test`;
  };

  /** Somebody who has signed in with their own browser, the first of the account. */
  async function anOwner(changes: Partial<Person> = {}): Promise<{ person: Person; owner: Agent }> {
    const person = await server.addPerson(changes);
    return { person, owner: await signedInWith(OWNERS_BROWSER, person, server) };
  }

  /** The intruder's browser. It signs in as the owner, 30 days after the owner's own browser. */
  async function anIntruder(person: Person): Promise<Agent> {
    server.tick(30 * DAY);
    return signedInWith(STRANGE_BROWSER, person, server);
  }

  async function opened(person: Person): Promise<{ reader: Agent; page: Page; link: string }> {
    const link = await recoveryLink(person, server, mailbox);
    const reader = new Agent(server.issuer);
    return { reader, link, page: await reader.get(link) };
  }

  /**
   * Changes the account's address to the intruder's in a signed-in browser. `notice`: the message that the owner gets.
   */
  async function movedTo(browser: Agent, person: Person) {
    const email = anAddress();
    const form = formWith(await browser.get("/account/profile"), "email");
    await browser.submit(form, { email, current_password: PASSWORD });
    const { link } = await messageTo(email, "Your new e-mail address", mailbox);
    await browser.submit(formWith(await browser.get(link), "link"));
    return { email, notice: await messageTo(person.email, "Your e-mail address was changed", mailbox) };
  }

  return { anAddress, anOwner, anIntruder, opened, movedTo, started: () => ({ server, mailbox }) };
}
