/** People whom an application of the operator's knows: they get an account with their first sign-in. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ExistingPeople, ExistingPerson } from "../../packages/server/src/configured-people.ts";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
/** What the application does next. */
let application: ExistingPeople;
const asked: string[] = [];

beforeAll(async () => {
  const people: ExistingPeople = {
    find: (login, about) => {
      asked.push(login);
      return application.find(login, about);
    },
    verifyPassword: (...args) => (application.verifyPassword as NonNullable<ExistingPeople["verifyPassword"]>)(...args),
    timeout: 300,
  };
  server = await startServer({ config: { people } });
});
afterAll(() => server.stop());
beforeEach(() => {
  asked.length = 0;
});

/** The application knows one person, with the password of all tests. */
function knows(changes: Partial<ExistingPerson> = {}): ExistingPerson {
  const name = `user${randomBytes(4).toString("hex")}`;
  const person = { id: `id-${name}`, username: name, email: `${name}@app.test`, emailVerified: true, ...changes };
  application = {
    find: (login) => (login === person.username || login === person.email ? person : null),
    verifyPassword: (_, password) => password === PASSWORD,
  };
  return person;
}

async function tries(login: string, password: string = PASSWORD) {
  const agent = new Agent(server.issuer);
  const [form] = (await agent.get("/login")).forms;
  if (form === undefined) throw new Error("no sign-in form");
  const page = await agent.submit(form, { username: login, password });
  return { page, agent, isSignedIn: (await agent.get("/account/apps")).status === 200 };
}

const found = (name: string) => server.assent.storage.people.findByName({ name });

describe("no account", () => {
  test("nobody knows the name → the same page as for a wrong password", async () => {
    const { username } = knows();
    const unknown = await tries("nobody-at-all");
    const wrong = await tries(String(username), "a wrong password");
    expect([unknown.page.status, unknown.isSignedIn, wrong.page.status, wrong.isSignedIn]).toEqual([
      200,
      false,
      200,
      false,
    ]);
    const shown = ({ page }: typeof wrong) => /<p class="field-error"[^>]*>.*?<\/p>/.exec(page.text)?.[0];
    expect(shown(unknown)).toBe(shown(wrong));
    expect(shown(unknown)).toBeDefined();
    expect(await found(String(username))).toBeUndefined();
  });

  test("disabled in the application → refused, and no account", async () => {
    const { username } = knows({ disabled: true });
    expect((await tries(String(username))).isSignedIn).toBe(false);
    expect(await found(String(username))).toBeUndefined();
  });

  test("another account has the verified address → refused, and that account is untouched", async () => {
    const holder = await server.addPerson({ email: "taken@app.test", emailVerifiedAt: 1 });
    const { username } = knows({ email: "taken@app.test" });
    expect((await tries(String(username))).isSignedIn).toBe(false);
    expect(await found("taken@app.test")).toMatchObject({ personId: holder.personId });
  });
});

describe("LD-16 code that does anything else → 503 for every name alike, in time, and no account", () => {
  const garbage: readonly (readonly [string, Partial<ExistingPeople>])[] = [
    ["find: undefined", { find: () => undefined as never }],
    ["find: a list", { find: () => [] as never }],
    ["find: no id", { find: () => ({ username: "x" }) as never }],
    ["find: an id of spaces", { find: () => ({ id: "   " }) }],
    ["find: a number as name", { find: () => ({ id: "1", name: 7 }) as never }],
    ["find: 'true' as a flag", { find: () => ({ id: "1", emailVerified: "true" }) as never }],
    ["find throws", { find: () => Promise.reject(new Error("SELECT * FROM users WHERE secret")) }],
    ["find: an id that no database stores", { find: () => ({ id: "a\0b" }) }],
    [
      "find: a property that throws",
      {
        find: () => ({
          id: "1",
          get email(): string {
            throw new Error("SELECT * FROM users");
          },
        }),
      },
    ],
    [
      "find: a value whose every question throws",
      {
        find: () =>
          new Proxy(
            { id: "1" },
            {
              getPrototypeOf: () => {
                throw new Error("SELECT");
              },
            },
          ),
      },
    ],
    ["find never settles", { find: () => new Promise(() => undefined) }],
    ["verifyPassword: undefined", { verifyPassword: () => undefined as never }],
    ["verifyPassword: 'true'", { verifyPassword: () => "true" as never }],
    ["verifyPassword: 1", { verifyPassword: () => 1 as never }],
    ["verifyPassword: {}", { verifyPassword: () => ({}) as never }],
    ["verifyPassword throws", { verifyPassword: () => Promise.reject(new TypeError("no")) }],
    ["verifyPassword never settles", { verifyPassword: () => new Promise(() => undefined) }],
  ];

  test.each(garbage)("%s", async (_, code) => {
    const { username } = knows();
    application = { ...application, ...code };
    const { page, isSignedIn } = await tries(String(username));
    expect([page.status, isSignedIn]).toEqual([503, false]);
    expect(page.text).not.toContain("SELECT");
    expect(await found(String(username))).toBeUndefined();
    const logged = server.log.filter((line) => line.includes("existing_people_failed")).at(-1) ?? "";
    expect(logged).toContain("people.");
    expect(logged).not.toContain("SELECT");
  });

  test("meanwhile, people with an account sign in, and the code is not asked", async () => {
    application = { find: () => new Promise(() => undefined) };
    const person = await server.addPerson();
    await signIn(new Agent(server.issuer), person.username);
    expect(asked).toEqual([]);
  });
});

describe("the right password", () => {
  test("→ an account with the application's data, and consent and tokens as for everybody", async () => {
    const { username, email } = knows({ name: "Grace Hopper" });
    const app = await server.addClient();
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, app), String(email));
    expect((await redeem(server, app, callback)).status).toBe(200);
    expect(await found(String(username))).toMatchObject({
      ...{ email, name: "Grace Hopper", operator: [], status: "active", emailVerifiedAt: expect.any(Number) },
      passwordHash: expect.stringMatching(/^\$argon2id\$/),
    });
  });

  test("again → only the account's own password counts, by whatever name; the code's no longer does", async () => {
    const person = knows();
    await tries(String(person.username));
    const { personId } = (await found(String(person.username))) ?? {};
    application = { find: () => person, verifyPassword: () => true };
    expect((await tries("an-old-nickname", "another password")).isSignedIn).toBe(false);
    expect((await tries("an-old-nickname")).isSignedIn).toBe(true);
    expect(asked).toContain("an-old-nickname");
    asked.length = 0;
    expect((await tries(String(person.username), "another password")).isSignedIn).toBe(false);
    expect((await tries(String(person.username))).isSignedIn).toBe(true);
    expect(asked).toEqual([]);
    expect((await found(String(person.username)))?.personId).toBe(personId);
  });

  test("an unverified address → the account has none", async () => {
    const { username } = knows({ emailVerified: false });
    await tries(String(username));
    expect(await found(String(username))).toMatchObject({ email: expect.stringMatching(/@users\.invalid$/) });
  });

  test("somebody has the username → another username, the same address", async () => {
    const holder = await server.addPerson();
    const { email } = knows({ username: holder.username.toUpperCase() });
    expect((await tries(String(email))).isSignedIn).toBe(true);
    const person = await found(String(email));
    expect(person?.username).toMatch(new RegExp(`^${holder.username}-`));
  });

  test("20 sign-ins at once → one account", async () => {
    const { username } = knows();
    const all = await Promise.all(Array.from({ length: 20 }, () => tries(String(username))));
    // Some may meet the limits on guessing; none makes a second account.
    expect(all.some(({ isSignedIn }) => isSignedIn)).toBe(true);
    const links = await server.assent.storage.subjectLinks.list({
      issuerId: "existing people",
      limit: 100,
      after: null,
    });
    expect(links.filter(({ subject }) => subject === `id-${username}`)).toHaveLength(1);
  });
});

describe("without verifyPassword", () => {
  const BCRYPT = "$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa";

  async function withHash(passwordHash: string | null, password: string) {
    const people: ExistingPeople = {
      find: (login) => (login === "grace" ? { id: "1", username: "grace", passwordHash } : null),
    };
    const other = await startServer({ config: { people } });
    try {
      const agent = new Agent(other.issuer);
      const [form] = (await agent.get("/login")).forms;
      if (form === undefined) throw new Error("no sign-in form");
      const { status } = await agent.submit(form, { username: "grace", password });
      return [status, (await agent.get("/account/apps")).status];
    } finally {
      await other.stop();
    }
  }

  test.each([
    ["no hash", null, "correct horse battery staple", [200, 303]],
    ["a hash of an unknown form", "5f4dcc3b5aa765d61d8327deb882cf99", "correct horse battery staple", [503, 303]],
    ["a wrong password", BCRYPT, "correct horse battery stapl", [200, 303]],
    ["the right password", BCRYPT, "correct horse battery staple", [303, 200]],
  ] as const)("%s", async (_, hash, password, wanted) => {
    expect(await withHash(hash, password)).toEqual(wanted);
  });
});
