/** People whose passwords the operator's application keeps: it is asked at every sign-in, and this server stores none. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type ExistingClaims,
  type ExistingPeople,
  type ExistingPerson,
  existingPeopleProblems,
} from "../../packages/server/src/configured-people.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import {
  Agent,
  authorizeUrl,
  consentForm,
  formBehindLink,
  linksOf,
  type Page,
  postForm,
  redeem,
  signIn,
} from "../support/http-browser.ts";
import { isSignedIn } from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const APPLICATION = {
  name: "Acme",
  changePassword: "https://acme.test/password",
  forgotPassword: "https://acme.test/forgot",
  signUp: "https://acme.test/join",
};
const MINUTE = 60_000;
const EXPORT = "/account/profile/export";

interface Kept extends ExistingPerson {
  readonly username: string;
  readonly names: readonly string[];
  readonly password: string;
}

const table = new Map<string, Kept>();
/** Takes the place of the functions while it is set. */
let instead: Partial<ExistingPeople> = {};
let slowly = 0;

const known: ExistingPeople = {
  find: (login) => [...table.values()].find(({ names }) => names.includes(login)) ?? null,
  verifyPassword: async ({ id }, password) => {
    await new Promise((resolve) => setTimeout(resolve, slowly));
    return table.get(id)?.password === password;
  },
  claims: (id) => {
    const { name, email, emailVerified, locale, disabled } = table.get(id) ?? { email: undefined };
    return table.has(id)
      ? (JSON.parse(JSON.stringify({ name, email, emailVerified, locale, disabled })) as ExistingClaims)
      : null;
  },
  passwords: "keep",
  application: APPLICATION,
  timeout: 300,
};
const people: ExistingPeople = {
  ...known,
  find: (...args) => (instead.find ?? known.find)(...args),
  verifyPassword: async (...args) => (instead.verifyPassword ?? known.verifyPassword)?.(...args) ?? false,
  claims: async (...args) => (instead.claims ?? known.claims)?.(...args) as never,
};

const behindProxy = { trustProxy: ["127.0.0.1"] };
let networks = 0;
/** Each browser has its own network, so that no limit per network applies. */
function aBrowser(at = server): Agent {
  networks += 1;
  return new Agent(at.issuer, { "x-forwarded-for": `10.${networks >> 8}.${networks & 255}.1` });
}

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({
    host: "localhost",
    config: { people, ...behindProxy, smtpUrl: smtpTo(mailbox), signUp: true },
  });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});
beforeEach(() => {
  instead = {};
  slowly = 0;
});

function knows(changes: Partial<Kept> = {}): Kept {
  const username = `kept${randomBytes(4).toString("hex")}`;
  const id = `id-${username}`;
  const email = `${username}@acme.test`;
  const names = [username, email, `nick-${username}`];
  const person = { id, username, email, names, emailVerified: true, password: PASSWORD, ...changes };
  table.set(id, person);
  return person;
}
const change = (person: Kept, changes: Partial<Kept>) => table.set(person.id, { ...person, ...changes });

async function tries(login: string, password: string = PASSWORD, at = server) {
  const agent = aBrowser(at);
  const page = await agent.submit(formWith(await agent.get("/login"), "password"), { username: login, password });
  return { page, agent, isSignedIn: await isSignedIn(agent) };
}
async function signedIn(person = knows()) {
  const { agent, isSignedIn: inside } = await tries(person.username);
  expect(inside).toBe(true);
  return { kept: person, agent, person: await here(person) };
}
async function here({ username }: Pick<Kept, "username">): Promise<Person> {
  const person = await server.assent.storage.people.findByName({ name: username });
  if (person === undefined) throw new Error(`no account of ${username}`);
  return person;
}
const errorOf = ({ text }: Page) => /<p class="field-error"[^>]*>.*?<\/p>/.exec(text)?.[0];
const optionsOf = ({ text }: Page) =>
  JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "{}").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));

async function withPasskey(agent: Agent): Promise<SoftAuthenticator> {
  const key = new SoftAuthenticator(server.issuer);
  const page = await agent.get("/account/security/passkeys");
  await agent.submit(formWith(page, "credential"), { name: "A key", credential: key.create(optionsOf(page)) });
  return key;
}
async function byPasskey(key: SoftAuthenticator): Promise<boolean> {
  const agent = aBrowser();
  const page = await agent.get("/login");
  await agent.submit(formWith(page, "credential"), { credential: key.get(optionsOf(page)) });
  return isSignedIn(agent);
}

describe("wrong settings", () => {
  const find = () => null;
  const keep = { find, passwords: "keep", application: { name: "Acme", changePassword: "https://acme.test/" } };
  test.each([
    ["another word", { find, passwords: "kept" }],
    ["no application", { find, passwords: "keep" }],
    ["no name", { ...keep, application: { changePassword: "https://acme.test/" } }],
    ["a name of 61 characters", { ...keep, application: { ...keep.application, name: "x".repeat(61) } }],
    ["no address", { ...keep, application: { name: "Acme" } }],
    ["an address without TLS", { ...keep, application: { ...keep.application, changePassword: "http://acme.test/" } }],
    ["an address that runs", { ...keep, application: { ...keep.application, signUp: "javascript:alert(1)" } }],
    ["an address with a password", { ...keep, application: { ...keep.application, signUp: "https://a:b@acme.test" } }],
    ["an unknown key", { ...keep, application: { ...keep.application, logo: "x" } }],
    ["claims that are no function", { ...keep, claims: {} }],
    ["an application with imported passwords", { find, application: keep.application }],
    ["claims with imported passwords", { find, claims: () => null }],
  ])("%s → one problem", (_, given) => {
    expect(existingPeopleProblems(given)).toHaveLength(1);
  });
});

describe("no sign-in", () => {
  test("a wrong password, and a name that nobody has → the same page, and no account", async () => {
    const { username } = knows();
    const [wrong, unknown] = [await tries(username, "wrong"), await tries("nobody-at-all")];
    expect([wrong.isSignedIn, unknown.isSignedIn, wrong.page.status]).toEqual([false, false, unknown.page.status]);
    expect(errorOf(wrong.page)).toBe(errorOf(unknown.page));
    expect(errorOf(wrong.page)).toBeDefined();
    expect(await server.assent.storage.people.findByName({ name: username })).toBeUndefined();
  });

  test("50 guesses under one of their names, from as many networks → no more under any of their names", async () => {
    const { kept } = await signedIn();
    const [username, address, nickname] = kept.names;
    const guesses = Array.from({ length: 50 }, () => tries(nickname ?? "", "wrong"));
    expect(new Set((await Promise.all(guesses)).map(({ page }) => page.status))).toEqual(new Set([200]));
    for (const name of [username, address, nickname]) expect((await tries(name ?? "")).page.status).toBe(429);
  });

  test("EN-02 who checks a password, or that nobody does → not told by the time of a wrong one", async () => {
    const other = await startServer({ config: { ...behindProxy, people } });
    try {
      const [{ username }, local] = [knows(), await other.addPerson()];
      slowly = 200;
      // The first wrong passwords show how long a check takes.
      for (const login of [username, local.username]) await tries(login, "wrong", other);
      for (const login of ["nobody-else", local.username, username]) {
        const began = performance.now();
        await tries(login, "wrong", other);
        expect(performance.now() - began, login).toBeGreaterThanOrEqual(195);
      }
    } finally {
      await other.stop();
    }
  });
});

describe("the right password", () => {
  test("→ an account without a password, and the application alone decides about the next sign-in", async () => {
    const { kept, person } = await signedIn(knows({ name: "Grace Hopper", locale: "de-AT" }));
    expect(person).toMatchObject({ passwordHash: null, name: "Grace Hopper", email: kept.email });
    expect(person.details).toMatchObject({ locale: "de-AT" });
    change(kept, { password: "another password" });
    expect((await tries(kept.username)).isSignedIn).toBe(false);
    expect((await tries(kept.username, "another password")).isSignedIn).toBe(true);
    expect((await here(kept)).passwordHash).toBeNull();
  });

  test("name, address and language changed there → changed here; what is left out or unverified stays", async () => {
    const { kept, person } = await signedIn(knows({ name: "Ada" }));
    change(kept, { name: "Ada King", email: `new-${kept.email}`, locale: "en" });
    await tries(kept.username);
    expect(await here(kept)).toMatchObject({
      ...{ personId: person.personId, name: "Ada King", email: `new-${kept.email}`, details: { locale: "en" } },
      emailVerifiedAt: expect.any(Number),
    });
    change(kept, { name: null, email: "unverified@acme.test", emailVerified: false, locale: null });
    await tries(kept.username);
    expect(await here(kept)).toMatchObject({ name: "Ada King", email: `new-${kept.email}`, details: { locale: "en" } });
  });

  test("another account has the new address → signed in, and both keep theirs", async () => {
    const holder = await server.addPerson({ email: "holder@acme.test", emailVerifiedAt: 1 });
    const { kept } = await signedIn();
    change(kept, { email: "holder@acme.test" });
    expect((await tries(kept.username)).isSignedIn).toBe(true);
    expect(await here(kept)).toMatchObject({ email: kept.email });
    expect(await server.assent.storage.people.findByName({ name: "holder@acme.test" })).toMatchObject({
      personId: holder.personId,
    });
    expect(server.log.some((line) => line.includes("person_not_renewed"))).toBe(true);
  });

  test("an app → consent and tokens; the password grant too, until it is wrong there", async () => {
    const { kept, agent } = await signedIn();
    const app = await server.addClient();
    const consent = await agent.follow(await agent.get(authorizeUrl(server, app)));
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    expect((await redeem(server, app, answer.location ?? "")).status).toBe(200);
    const legacy = await server.addClient({ grantTypes: ["password"], responseTypes: [] });
    const ask = () =>
      postForm(server, "/token", legacy, {
        ...{ grant_type: "password", username: kept.username, password: PASSWORD, scope: "read" },
      });
    expect((await ask()).status).toBe(200);
    change(kept, { password: "another password" });
    expect(await ask()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("with an authenticator app here → its code as well", async () => {
    const { kept, person, agent } = await signedIn();
    const { app } = await withSecondStep(server, person);
    server.tick(31_000);
    const second = await tries(kept.username);
    expect(second.isSignedIn).toBe(false);
    await second.agent.submit(formWith(second.page, "code"), { code: app.code() });
    expect(await isSignedIn(second.agent)).toBe(true);
    expect((await agent.get("/account/security")).text).toContain("After your password");
  });
});

describe("pages about passwords → where it is changed", () => {
  test("the security page and the page for a new password; nothing is stored", async () => {
    const { agent, kept } = await signedIn();
    const security = await agent.get("/account/security");
    expect(security.text).toContain('You sign in with your <bdi class="name">Acme</bdi> password.');
    expect(linksOf(security)).toContain(APPLICATION.changePassword);
    expect(linksOf(security)).not.toContain("/account/security/password");
    const page = await agent.get("/account/security/password");
    expect([linksOf(page).includes(APPLICATION.changePassword), page.text.includes('type="password"')]).toEqual([
      true,
      false,
    ]);
    const csrf = page.forms[0]?.fields.get("csrf") ?? "";
    const password = "a long and rare new password";
    await agent.post("/account/security/password", { csrf, password, again: password });
    expect((await here(kept)).passwordHash).toBeNull();
  });

  test("the sign-in page → forgotten: both ways; a new account: there", async () => {
    const agent = aBrowser();
    const links = linksOf(await agent.get("/login"));
    expect(links).toEqual(expect.arrayContaining(["/recover", APPLICATION.signUp]));
    const recover = await agent.get("/recover");
    expect(linksOf(recover)).toContain(APPLICATION.forgotPassword);
    expect(formWith(recover, "login")).toBeDefined();
    expect((await agent.get("/sign-up")).location?.href).toBe(APPLICATION.signUp);
    expect((await agent.post("/sign-up", { email: "x@acme.test" })).status).toBe(404);
  });

  test("the profile → the name and the address are changed there", async () => {
    const { agent } = await signedIn(knows({ name: "Grace Hopper" }));
    const page = await agent.get("/account/profile");
    expect(page.text).toContain("sets your name and e-mail address");
    expect(page.forms.filter(({ action }) => /\/(email|name)$/.test(action))).toEqual([]);
    const csrf = page.forms[0]?.fields.get("csrf") ?? "";
    expect((await agent.post("/account/profile/email", { csrf, email: "x@evil.test" })).status).toBe(404);
  });

  test("somebody with a password of this server → can change it here", async () => {
    const agent = aBrowser();
    await signIn(agent, (await server.addPerson()).username);
    expect(linksOf(await agent.get("/account/security"))).toContain("/account/security/password");
    expect(formWith(await agent.get("/account/security/password"), "current_password")).toBeDefined();
  });
});

test("eleven minutes later, they confirm who they are → by their password there", async () => {
  const { agent, kept } = await signedIn();
  server.tick(11 * MINUTE);
  const page = await agent.follow(await agent.get(EXPORT));
  const form = formWith(page, "password");
  const wrong = await agent.submit(form, { username: kept.username, password: "wrong" });
  expect(errorOf(wrong)).toBeDefined();
  expect((await agent.get(EXPORT)).location?.pathname).toBe("/account/confirm");
  const back = await agent.submit(form, { username: kept.username, password: PASSWORD });
  expect(back.location?.pathname).toBe(EXPORT);
  expect((await agent.get(EXPORT)).status).toBe(200);
});

test("their last passkey → removed, because the password there remains", async () => {
  const { agent, person } = await signedIn();
  await withPasskey(agent);
  const security = await agent.get("/account/security");
  const form = await formBehindLink(agent, security, "/passkeys/remove");
  if (form === undefined) throw new Error("no form");
  const done = await agent.follow(await agent.submit(form));
  expect(done.text).toContain("The passkey was removed");
  expect(await server.assent.storage.passkeys.list(person)).toEqual([]);
});

describe("the application says that somebody", () => {
  test("is disabled → refused, and the sessions end; active again → signed in", async () => {
    const { kept, agent } = await signedIn();
    change(kept, { disabled: true });
    expect((await tries(kept.username)).isSignedIn).toBe(false);
    expect(await isSignedIn(agent)).toBe(false);
    table.set(kept.id, kept);
    expect((await tries(kept.username)).isSignedIn).toBe(true);
  });

  test("is gone → refused, also with a passkey, and the sessions end", async () => {
    const { kept, agent } = await signedIn();
    const key = await withPasskey(agent);
    expect(await byPasskey(key)).toBe(true);
    table.delete(kept.id);
    expect(await byPasskey(key)).toBe(false);
    expect(await isSignedIn(agent)).toBe(false);
    expect((await tries(kept.username)).isSignedIn).toBe(false);
  });

  test("has another name now → the old name is refused, and nothing ends", async () => {
    const { kept, agent } = await signedIn();
    change(kept, { names: ["renamed-there"] });
    expect((await tries(kept.username)).isSignedIn).toBe(false);
    expect(await isSignedIn(agent)).toBe(true);
    expect((await tries("renamed-there")).isSignedIn).toBe(true);
  });

  test("is disabled, and it tells of changes → the account is disabled, as by a call", async () => {
    const changes = { name: "Acme", clients: ["the-application"] };
    const other = await startServer({ config: { ...behindProxy, people: { ...people, changes } } });
    try {
      const kept = knows();
      expect((await tries(kept.username, PASSWORD, other)).isSignedIn).toBe(true);
      change(kept, { disabled: true });
      expect((await tries(kept.username, PASSWORD, other)).isSignedIn).toBe(false);
      expect(await other.assent.storage.people.findByName({ name: kept.username })).toMatchObject({
        status: "disabled",
      });
    } finally {
      await other.stop();
    }
  });
});

describe("LD-16 the application answers garbage, throws or hangs → 503 that offers the other ways, in time", () => {
  const hangs = () => new Promise<never>(() => undefined);
  const throws = () => Promise.reject(new Error("SELECT secret"));
  test.each<[string, Partial<ExistingPeople>]>([
    ["find throws", { find: throws }],
    ["find hangs", { find: hangs }],
    ["find: garbage", { find: () => "yes" as never }],
    ["verifyPassword hangs", { verifyPassword: hangs }],
    ["verifyPassword: 'true'", { verifyPassword: () => "true" as never }],
  ])("%s", async (_, code) => {
    const { kept } = await signedIn();
    instead = code;
    const { page, isSignedIn: inside } = await tries(kept.username);
    expect([page.status, inside, page.headers.get("retry-after")]).toEqual([503, false, "60"]);
    expect(page.text).toContain("Passwords can’t be checked at the moment");
    expect(page.text).not.toContain("SELECT");
    expect(formWith(page, "credential")).toBeDefined();
  });

  test("meanwhile → a passkey signs in, and a password of this server", async () => {
    const { agent } = await signedIn();
    const key = await withPasskey(agent);
    const local = await server.addPerson();
    instead = { find: hangs, verifyPassword: hangs, claims: hangs };
    expect(await byPasskey(key)).toBe(true);
    expect((await tries(local.username)).isSignedIn).toBe(true);
  });

  test.each<[string, unknown]>([
    ["another id", { id: "somebody-else", disabled: true }],
    ["a list", []],
    ["undefined", undefined],
    ["a flag as text", { disabled: "true" }],
  ])("claims: %s → believed nothing, the passkey signs in", async (_, value) => {
    const { agent } = await signedIn();
    const key = await withPasskey(agent);
    instead = { claims: () => value as never };
    expect(await byPasskey(key)).toBe(true);
    expect(await isSignedIn(agent)).toBe(true);
  });
});

test("imported before, kept now, imported again → each time the chosen one decides, and no old hash stays", async () => {
  const kept = knows();
  const { find, verifyPassword } = people;
  const imports = await startServer({
    config: { ...behindProxy, people: { find, ...(verifyPassword && { verifyPassword }) } },
  });
  const keeps = await startServer({ dataDir: imports.dataDir, config: { ...behindProxy, people } });
  try {
    const hash = async () =>
      (await imports.assent.storage.people.findByName({ name: kept.username }))?.passwordHash ?? null;
    const isIn = async (password: string, at: TestServer) => (await tries(kept.username, password, at)).isSignedIn;
    expect(await isIn(PASSWORD, imports)).toBe(true);
    expect(await hash()).toMatch(/^\$argon2id/);
    change(kept, { password: "another password" });
    expect([await isIn(PASSWORD, keeps), await isIn("another password", keeps)]).toEqual([false, true]);
    expect(await hash()).toBeNull();
    expect([await isIn(PASSWORD, imports), await isIn("another password", imports)]).toEqual([false, true]);
    expect(await hash()).toMatch(/^\$argon2id/);
  } finally {
    await keeps.assent.close();
    await imports.stop();
  }
});
