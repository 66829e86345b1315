/** Messages that somebody asks for: if the page says that a message is sent, the message arrives. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aMail } from "../../packages/server/test/storage/support/mail-builders.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true, trustProxy: ["127.0.0.1"] } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

let networks = 0;
/** A browser with its own network. */
function aBrowser(): Agent {
  networks += 1;
  return new Agent(server.issuer, { "x-forwarded-for": `10.${networks >> 8}.${networks & 255}.1` });
}

const anAddress = (at: number) => `asker-${at}-${Date.now().toString(36)}@example.test`;

/** Sends one field of a page that strangers can see. */
async function ask(path: "/recover" | "/sign-up", typed: string, agent = aBrowser()): Promise<Page> {
  const field = path === "/recover" ? "login" : "email";
  return agent.submit(formWith(await agent.get(path), field), { [field]: typed });
}

describe("many who ask at the same moment", () => {
  test("300 are told that a message was sent → each of the 300 gets it, once", { timeout: 180_000 }, async () => {
    const browsers = Array.from({ length: 300 }, (_, at) => ({ agent: aBrowser(), email: anAddress(at) }));
    const forms = [];
    for (const { agent, email } of browsers)
      forms.push({ agent, email, form: formWith(await agent.get("/sign-up"), "email") });
    const pages: Page[] = await Promise.all(forms.map(({ agent, email, form }) => agent.submit(form, { email })));
    expect(pages.filter(({ text }) => text.includes("Check your inbox"))).toHaveLength(300);
    await expect
      .poll(() => browsers.filter(({ email }) => mailbox.to(email).length > 0).length, { timeout: 120_000 })
      .toBe(300);
    expect(browsers.filter(({ email }) => mailbox.to(email).length > 1)).toEqual([]);
  });
});

describe("limits of asking", () => {
  test("a provider with many networks → after 200 in a quarter of an hour 429, for whatever is asked", async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 201; at += 1) {
      // Twenty networks, so that none of them reaches its limit.
      const agent = new Agent(server.issuer, { "x-forwarded-for": `2001:db8:77:${(at % 20).toString(16)}::1` });
      statuses.push((await ask("/recover", "nobody-at-all", agent)).status);
    }
    expect(statuses.slice(0, 200).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
    expect((await ask("/recover", "nobody-at-all")).status).toBe(200);
  });

  test("a person asks for ten new addresses in an hour → the eleventh is refused and nothing is sent", async () => {
    const person = await server.addPerson();
    const agent = aBrowser();
    await signIn(agent, person.username);
    const change = async (email: string) =>
      agent.submit(formWith(await agent.get("/account/profile"), "email"), { email, current_password: PASSWORD });
    for (let at = 0; at < 10; at += 1) expect((await change(anAddress(at))).text).toContain("We’ve sent a message");
    const late = anAddress(11);
    const refused = await change(late);
    expect([refused.status, refused.text.includes("Too many messages were requested")]).toEqual([429, true]);
    server.tick(61 * 60_000);
    const after = anAddress(12);
    expect((await change(after)).text).toContain("We’ve sent a message");
    await mailbox.next(after);
    expect(mailbox.to(late)).toEqual([]);
  });
});

describe("5,000 messages wait already", () => {
  let full: TestServer;
  beforeAll(async () => {
    full = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } });
    const mails = Array.from({ length: 5000 }, () => aMail(1));
    await full.assent.storage.mail.post({ mails, now: full.now() + 86_400_000 });
  });
  afterAll(() => full.stop());

  test.each([
    ["/recover", "login", "ada lovelace"],
    ["/sign-up", "email", "ada@example.test"],
  ] as const)(
    "%s → 503 with Retry-After, the form keeps what was typed, nothing is stored",
    async (path, field, typed) => {
      const page = await ask(path, typed, new Agent(full.issuer));
      expect(page.status).toBe(503);
      expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(10);
      expect(page.text).toContain("Too many messages are waiting");
      expect(page.text).not.toContain("Check your inbox");
      expect(formWith(page, field).fields.get(field)).toBe(typed);
      const stored = await full.assent.storage.mailRequests.claim({ now: full.now(), limit: 10, pause: 0 });
      expect(stored).toEqual([]);
    },
  );

  test("a browser that somebody has signed in with → taken; at 10,000 a new e-mail address is refused, too, and the form keeps it", async () => {
    const person = await full.addPerson();
    const agent = new Agent(full.issuer);
    await signIn(agent, person.username);
    expect((await ask("/recover", person.username, agent)).text).toContain("Check your inbox");
    const mails = Array.from({ length: 5000 }, () => aMail(1));
    await full.assent.storage.mail.post({ mails, now: full.now() + 86_400_000 });
    const form = formWith(await agent.get("/account/profile"), "email");
    const page = await agent.submit(form, { email: "new@example.test", current_password: PASSWORD });
    expect([page.status, page.text.includes("Too many messages are waiting")]).toEqual([503, true]);
    expect(formWith(page, "email").fields.get("email")).toBe("new@example.test");
  });
});
