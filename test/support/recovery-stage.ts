/** A server with mail, and the people of a recovery: an owner, an intruder, a reader of the mail. */

import { afterAll, beforeAll } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, type Page } from "./browser-like.ts";
import { DAY, messageTo, OWNERS_BROWSER, recoveryLink, STRANGE_BROWSER, signedInWith } from "./recovery.ts";
import { formWith } from "./second-step.ts";
import { PASSWORD, startServer, type TestServer } from "./server.ts";
import { smtpTo, startMailbox, type TestMailbox } from "./smtp.ts";

export const HOUR = 3_600_000;
/** Subject of the announcement. */
export const REMOVED = "Ways to sign in to your account were removed";

/** Proves it on the page that asks for it. */
export const prove = async (reader: Agent, page: Page, fields: Record<string, string>): Promise<Page> => {
  const [field = ""] = Object.keys(fields);
  return reader.follow(await reader.submit(formWith(page, field), fields));
};
/** The page at which the owner decides. */
export const isDecision = (page: Page) => page.forms.some(({ fields }) => fields.has("password"));
/** The page that asks for a proof first. */
export const isProof = (page: Page) => page.text.includes("Confirm that it is you") && !isDecision(page);

/** One server and mailbox for all tests of a file; there from its first `beforeAll` on. */
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

  /** Somebody who has signed in with their own browser, the account's first. */
  async function anOwner(changes: Partial<Person> = {}): Promise<{ person: Person; owner: Agent }> {
    const person = await server.addPerson(changes);
    return { person, owner: await signedInWith(OWNERS_BROWSER, person, server) };
  }

  /** Signed in as the owner, with a browser that is new, weeks after the owner. */
  async function anIntruder(person: Person): Promise<Agent> {
    server.tick(30 * DAY);
    return signedInWith(STRANGE_BROWSER, person, server);
  }

  async function opened(person: Person): Promise<{ reader: Agent; page: Page; link: string }> {
    const link = await recoveryLink(person, server, mailbox);
    const reader = new Agent(server.issuer);
    return { reader, link, page: await reader.get(link) };
  }

  /** The account gets an address of theirs, by a browser that is signed in. `notice`: what the owner hears of it. */
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
