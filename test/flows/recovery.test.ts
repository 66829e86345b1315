/** Links in messages: a forgotten password, a new account, a new address, the deletion of an account. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { withSecondStep } from "../support/authenticator-app.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  type Form,
  type Page,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { type Received, smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const NEW = "seven green umbrellas";
const FRESH = { password: NEW, again: NEW };
const MINUTE = 60_000;
let serial = 0;
const anAddress = () => {
  serial += 1;
  return `new-${Date.now().toString(36)}-${serial}@example.test`;
};

function form(page: Page, field: string): Form {
  const found = page.forms.find(({ fields }) => fields.has(field));
  if (found === undefined) throw new Error(`no form with ${field}: ${page.status} ${page.text.slice(0, 400)}`);
  return found;
}
const anAgent = () => new Agent(server.issuer, { "x-none": "" });

async function ask(login: string, agent = anAgent()): Promise<Page> {
  return agent.submit(form(await agent.get("/recover"), "login"), { login });
}

async function recoveryOf(person: Person): Promise<Received> {
  await ask(person.username);
  return mailbox.next(person.email);
}

async function follow(link: string, fields: Record<string, string>, agent = anAgent(), field = "link"): Promise<Page> {
  const page = await agent.get(link);
  return page.forms.some(({ fields: own }) => own.has(field)) ? agent.submit(form(page, field), fields) : page;
}

async function signsIn(login: string, password: string): Promise<boolean> {
  const agent = anAgent();
  const page = await agent.submit(form(await agent.get("/login"), "username"), { username: login, password });
  return page.status === 303;
}

async function signedIn(person: Person): Promise<Agent> {
  const agent = anAgent();
  await signIn(agent, person.username);
  await mailbox.next(person.email);
  return agent;
}

/** Moves the clock, so that a test doesn't reach the limits of another. */
const pause = () => server.tick(61 * MINUTE);

describe("recovery", () => {
  test("the whole way → a new password; sessions end, apps that are ticked end, the news arrives", async () => {
    const person = await server.addPerson();
    const agent = await signedIn(person);
    const client = await server.addClient();
    const answer = await redeem(server, client, await authorize(agent, authorizeUrl(server, client), person.username));
    const message = await recoveryOf(person);
    expect(message.subject).toBe("Choose a new password");
    expect(message.link).toMatch(new RegExp(`^${server.issuer}/recover/new\\?link=ml_`));
    const kept = await server.addClient();
    const other = await redeem(server, kept, await authorize(agent, authorizeUrl(server, kept), person.username));
    const reader = anAgent();
    const shown = await reader.get(message.link);
    const boxes = [...shown.text.matchAll(/name="app" value="([^"]+)"/g)].map(([, value = ""]) => value);
    expect(boxes).toHaveLength(2);
    const decided = form(shown, "password");
    expect(decided.fields.getAll("app")).toEqual([]);
    // The newest app is first in the list.
    const page = await reader.submit(decided, { ...FRESH, app: boxes.slice(1) });
    expect(page.text).toContain("Your password was changed");
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    expect((await refresh(server, client, answer.body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refresh(server, kept, other.body.refresh_token)).status).toBe(200);
    expect([await signsIn(person.username, PASSWORD), await signsIn(person.username, NEW)]).toEqual([false, true]);
    expect((await mailbox.next(person.email)).subject).toBe("Your password was changed");
    pause();
  });

  test("SS-24, LG-08: the link twice, for another purpose, of nobody, none; too late → 400, the password as it was", async () => {
    const person = await server.addPerson();
    const { link } = await recoveryOf(person);
    const token = new URL(link).searchParams.get("link") ?? "";
    for (const path of ["/undo", "/confirm/verify", "/confirm/change", "/sign-up/account"])
      expect((await anAgent().get(`${path}?link=${token}`)).status, path).toBe(400);
    const changed = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.slice(-1)}`;
    for (const wrong of ["", "ml_", token.slice(0, -1), changed, `rt_${token.slice(3)}`])
      expect((await anAgent().get(`/recover/new?link=${wrong}`)).status, wrong).toBe(400);
    expect((await anAgent().get("/recover/new")).status).toBe(400);
    expect((await anAgent().post("/recover/new", { ...FRESH, csrf: "x", link: "" })).status).toBe(400);
    expect(await signsIn(person.username, PASSWORD)).toBe(true);
    expect((await follow(link, FRESH)).status).toBe(200);
    expect((await follow(link, { password: "eight yellow boats", again: "eight yellow boats" })).status).toBe(400);
    expect(await signsIn(person.username, NEW)).toBe(true);
    const late = await server.addPerson();
    const second = await recoveryOf(late);
    server.tick(15 * MINUTE);
    expect((await anAgent().get(second.link)).status).toBe(400);
    pause();
  });

  test("a form token that is missing, forged or another browser's → 403, and the link still holds", async () => {
    const person = await server.addPerson();
    const { link } = await recoveryOf(person);
    const other = form(await anAgent().get("/recover"), "login").fields.get("csrf") ?? "";
    for (const csrf of ["", "AAAA", other]) expect((await follow(link, { ...FRESH, csrf })).status).toBe(403);
    expect((await follow(link, { password: "short", again: "short" })).text).toContain("Too short");
    expect((await follow(link, FRESH)).status).toBe(200);
    const agent = anAgent();
    await agent.get("/recover");
    expect((await agent.post("/recover", { login: person.username, csrf: other })).status).toBe(403);
    pause();
  });

  test("SS-25: another Host → the link is the issuer's", async () => {
    const person = await server.addPerson();
    const agent = anAgent();
    const asked = form(await agent.get("/recover"), "login");
    const headers = { "x-forwarded-host": "evil.test", forwarded: "host=evil.test" };
    await agent.post("/recover", { ...Object.fromEntries(asked.fields), login: person.username }, headers);
    expect((await mailbox.next(person.email)).link.startsWith(`${server.issuer}/`)).toBe(true);
    pause();
  });

  test("EN-02: unknown, disabled, without a verified address, without a password → the same page, and no message", async () => {
    const known = await server.addPerson();
    const off = await server.addPerson();
    await server.assent.storage.people.setStatus({ ...off, status: "disabled", now: server.now() });
    const doubtful = await server.addPerson({ emailVerifiedAt: null });
    const foreign = await server.addPerson({ passwordHash: null });
    const shapes = await Promise.all(
      [known, off, doubtful, foreign, { username: "nobody-at-all" }].map(async ({ username }) => {
        const { status, text } = await ask(username);
        return [status, text];
      }),
    );
    expect(new Set(shapes.map((one) => JSON.stringify(one))).size).toBe(1);
    await mailbox.next(known.email);
    for (const { email } of [off, doubtful, foreign]) expect(mailbox.to(email)).toEqual([]);
    pause();
  });

  test("a mailbox gets five an hour, whoever asks; a network asks twenty times in a quarter of an hour", async () => {
    const person = await server.addPerson();
    for (let count = 0; count < 8; count += 1) await ask(person.email);
    await expect.poll(() => mailbox.to(person.email).length).toBe(5);
    for (let count = 0; count < 12; count += 1) await ask("nobody-at-all");
    const page = await ask("nobody-at-all");
    expect(page.status).toBe(429);
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(60);
    pause();
  });

  test("with a one-time code as a second step → asked for before, and still asked for after: the mailbox alone is no way in", async () => {
    const { person, app } = await withSecondStep(server);
    // Takes the messages about the sign-in and the authenticator.
    for (let each = 0; each < 2; each++) await mailbox.next(person.email);
    const reader = anAgent();
    const proof = form(await reader.get((await recoveryOf(person)).link), "code");
    const shown = await reader.follow(await reader.submit(proof, { code: app.code() }));
    expect((await reader.submit(form(shown, "password"), FRESH)).text).toContain("Your password was changed");
    server.tick(MINUTE);
    const agent = anAgent();
    const login = form(await agent.get("/login"), "username");
    const page = await agent.follow(await agent.submit(login, { username: person.username, password: NEW }));
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    const done = await agent.submit(form(page, "code"), { code: app.code() });
    expect(done.status).toBe(303);
    pause();
  });

  test("no link and no address in the log", async () => {
    const person = await server.addPerson();
    const { link } = await recoveryOf(person);
    await follow(link, FRESH);
    const log = server.log.join("\n");
    // Ids can contain the start of a secret by chance, so this matches its whole length.
    expect(log).not.toMatch(/ml_[\w-]{23}/);
    expect(log).not.toContain(person.email);
    pause();
  });
});

describe("sign-up", () => {
  const asked = async (email: string, agent = anAgent()) =>
    agent.submit(form(await agent.get("/sign-up"), "email"), { email });

  test("the whole way → an account with that verified address, signed in; the link is used up", async () => {
    const email = anAddress();
    const username = `fresh${Date.now()}`;
    await asked(email);
    const { link } = await mailbox.next(email);
    const agent = anAgent();
    const fields = (await agent.get(link)).text;
    expect([fields.includes("Confirm password"), fields.includes("New password")]).toEqual([true, false]);
    const page = await follow(link, { username, name: "Ada Lovelace", ...FRESH }, agent);
    expect(page.location?.pathname).toBe("/account/apps");
    expect((await agent.get("/account/profile")).text).toContain("Ada Lovelace");
    expect(await server.assent.storage.people.findByName({ name: email })).toMatchObject({ username, operator: [] });
    expect((await server.assent.storage.people.findByName({ name: email }))?.emailVerifiedAt).not.toBeNull();
    expect((await follow(link, { username: "other-one", ...FRESH })).status).toBe(400);
    pause();
  });

  test.each([
    ["an address that is none", "not-an-address", "Enter an e-mail address such as"],
    ["nothing", "", "Enter an e-mail address such as"],
  ])("%s → the form says so", async (_, email, said) => {
    expect((await asked(email)).text).toContain(said);
  });

  test("EN-02: a known address → the same page; its mailbox hears that there is an account", async () => {
    const person = await server.addPerson();
    const email = anAddress();
    const [one, other] = [await asked(person.email), await asked(email)];
    expect(one.text.replaceAll(person.email, "…")).toBe(other.text.replaceAll(email, "…"));
    expect((await mailbox.next(person.email)).subject).toBe("You already have an account");
    expect((await mailbox.next(email)).subject).toBe("Finish creating your account");
    pause();
  });

  test("a username that is wrong, taken, a weak password, a name of two lines, a missing token → said, and the link holds", async () => {
    const person = await server.addPerson();
    const email = anAddress();
    await asked(email);
    const { link } = await mailbox.next(email);
    const valid = { username: `valid${Date.now()}`, name: "", ...FRESH };
    for (const [fields, said] of [
      [{ ...valid, username: "a b" }, "Use only letters"],
      [{ ...valid, username: person.username.toUpperCase() }, "That username is taken"],
      [{ ...valid, username: `p\u0430ul${Date.now()}` }, "from one alphabet"],
      [{ ...valid, username: `paul\u034f${Date.now()}` }, "from one alphabet"],
      [{ ...valid, password: "qwertyuiop", again: "qwertyuiop" }, "Too common"],
      [{ ...valid, name: "Ada\u202e" }, "This name can’t be used"],
      [{ ...valid, name: "A\u200dda" }, "visible characters on one line"],
      [{ ...valid, name: "Аda" }, "in one alphabet"],
    ] as const)
      expect((await follow(link, fields)).text).toContain(said);
    expect((await follow(link, { ...valid, csrf: "x" })).status).toBe(403);
    expect((await follow(link, valid)).status).toBe(303);
    pause();
  });

  test("a username that looks like another's → taken, whoever came first; the link holds", async () => {
    // Only Cyrillic letters, each of which looks like a Latin one.
    const cyrillic = (latin: string) => latin.replace(/[aceopxy]/g, (one) => "асеорху"["aceopxy".indexOf(one)] ?? one);
    const letters = (length: number) => Array.from({ length }, () => "aceopxy"[Math.floor(Math.random() * 7)]).join("");
    const [plain, other] = [letters(20), letters(20)];
    await server.addPerson({ username: plain });
    const email = anAddress();
    await asked(email);
    const { link } = await mailbox.next(email);
    const valid = { name: "", ...FRESH };
    expect((await follow(link, { ...valid, username: cyrillic(plain) })).text).toContain("That username is taken");
    expect((await follow(link, { ...valid, username: cyrillic(other) })).status).toBe(303);
    const second = anAddress();
    await asked(second);
    const next = await mailbox.next(second);
    const page = await follow(next.link, { ...valid, username: other });
    expect(page.text).toContain("That username is taken");
    expect(page.forms.length).toBeGreaterThan(0);
    pause();
  });

  test("one link followed ten times at once → one account", async () => {
    const email = anAddress();
    await asked(email);
    const { link } = await mailbox.next(email);
    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, at) => follow(link, { username: `race${Date.now()}x${at}`, name: "", ...FRESH })),
    );
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
    pause();
  });

  test("not allowed by the operator, or without mail → 404, and nothing leads there", async () => {
    for (const config of [{ signUp: true }, { smtpUrl: smtpTo(mailbox) }]) {
      const closed = await startServer({ config });
      const agent = new Agent(closed.issuer);
      expect((await agent.get("/sign-up")).status).toBe(404);
      expect((await agent.post("/sign-up", { email: "a@b.test" })).status).toBe(404);
      expect((await agent.get("/login")).text).not.toContain("/sign-up");
      expect((await agent.get("/recover")).status).toBe("smtpUrl" in config ? 200 : 404);
      await closed.stop();
    }
  });
});

describe("another address", () => {
  const change = async (agent: Agent, email: string, current = PASSWORD) =>
    agent.submit(form(await agent.get("/account/profile"), "email"), { email, current_password: current });

  test("the whole way → the address changes on the link alone; the old one hears, and can take it back", async () => {
    const person = await server.addPerson();
    const agent = await signedIn(person);
    const email = anAddress();
    expect((await change(agent, email, "not it at all")).text).toContain("isn’t your current password");
    expect((await change(agent, email)).text).toContain("We’ve sent a message");
    const { link } = await mailbox.next(email);
    expect(await signsIn(email, PASSWORD)).toBe(false);
    expect((await follow(link, { csrf: "forged" })).status).toBe(403);
    expect((await follow(link, {})).text).toContain("is now the verified address");
    expect((await follow(link, {})).status).toBe(400);
    expect([await signsIn(email, PASSWORD), await signsIn(person.email, PASSWORD)]).toEqual([true, false]);
    const notice = await mailbox.next(person.email);
    expect(notice.subject).toBe("Your e-mail address was changed");
    server.tick(6 * 24 * 60 * MINUTE);
    expect((await follow(notice.link, FRESH)).text).toContain("yours again");
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    expect([await signsIn(email, NEW), await signsIn(person.email, NEW)]).toEqual([false, true]);
    expect((await follow(notice.link, FRESH)).status).toBe(400);
    pause();
  });

  test("another's address → the same page; that mailbox hears, nothing changes", async () => {
    const other = await server.addPerson();
    const person = await server.addPerson();
    const agent = await signedIn(person);
    expect((await change(agent, other.email)).text).toContain("We’ve sent a message");
    expect((await mailbox.next(other.email)).subject).toBe("You already have an account");
    expect((await change(agent, person.email)).text).toContain("That is already your address");
    expect((await change(agent, "nonsense")).text).toContain("Enter an e-mail address such as");
    pause();
  });

  test("an unverified address → a link to it, then it is verified", async () => {
    const person = await server.addPerson({ emailVerifiedAt: null });
    const agent = anAgent();
    await signIn(agent, person.username);
    const verify = (await agent.get("/account/profile")).forms.find(({ action }) => action.endsWith("/verify"));
    if (verify === undefined) throw new Error("no form to verify");
    await agent.submit(verify);
    const { link } = await mailbox.next(person.email);
    expect((await follow(link, {}, agent)).text).toContain("is now the verified address");
    expect((await agent.get("/account/profile")).text).toContain(">Verified<");
    pause();
  });
});

describe("a sign-in", () => {
  test("with a browser that is new with a person → they hear; with the same one again → they don't", async () => {
    const person = await server.addPerson({ language: "de" });
    const agent = new Agent(server.issuer, { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0" });
    await signIn(agent, person.username);
    const message = await mailbox.next(person.email);
    expect(message.subject).toBe("Neue Anmeldung bei Ihrem Konto");
    expect(message.text).toContain("Firefox, Linux");
    await agent.submit(form(await agent.get("/account/sign-out"), "csrf"));
    await signIn(agent, person.username);
    await ask(person.email);
    expect((await mailbox.next(person.email)).subject).toBe("Choose a new password");
    pause();
  });
});

describe("the end of an account", () => {
  const remove = async (agent: Agent, current = PASSWORD) =>
    agent.submit(form(await agent.get("/account/profile/delete"), "current_password"), { current_password: current });

  test("asked for → apps and other sessions end now, it goes in two weeks; kept → it stays", async () => {
    const person = await server.addPerson();
    const [agent, elsewhere] = [await signedIn(person), await signedIn(person)];
    expect((await remove(agent, "not it at all")).text).toContain("isn’t your current password");
    expect(
      (await agent.submit(form(await agent.get("/account/profile/delete"), "current_password"), { csrf: "x" })).status,
    ).toBe(403);
    expect((await agent.follow(await remove(agent))).text).toContain("Your account will be deleted");
    expect((await mailbox.next(person.email)).subject).toBe("Your account will be deleted");
    expect((await elsewhere.get("/account/apps")).location?.pathname).toBe("/login");
    const keep = (await agent.get("/account/profile")).forms.find(({ action }) => action.endsWith("/keep"));
    if (keep === undefined) throw new Error("no way to keep it");
    expect((await agent.follow(await agent.submit(keep))).text).toContain("Your account will be kept");
    await remove(agent);
    server.tick(14 * 24 * 60 * MINUTE);
    await server.assent.storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
    expect(await server.assent.storage.people.get(person)).toBeUndefined();
    expect(await signsIn(person.username, PASSWORD)).toBe(false);
  });

  test("one's data → a file with what is kept, without what proves who one is, and nobody else's", async () => {
    const person = await server.addPerson();
    const agent = await signedIn(person);
    const download = (await agent.get("/account/profile/export")).forms.find(({ action }) =>
      action.endsWith("/export"),
    );
    if (download === undefined) throw new Error("no download");
    expect((await agent.submit(download, { csrf: "x" })).status).toBe(403);
    const page = await agent.submit(download);
    expect(page.headers.get("content-disposition")).toContain("attachment");
    const data = JSON.parse(page.text) as { account: Record<string, unknown>; sessions: unknown[] };
    expect(data.account).toMatchObject({ username: person.username, email: person.email });
    expect(data.sessions).toHaveLength(1);
    // The check uses names of members, because receipts and ids can contain any four letters by chance.
    expect(page.text).not.toMatch(/argon2|"[^"]*(?:hash|salt|secret)[^"]*":/i);
  });
});
