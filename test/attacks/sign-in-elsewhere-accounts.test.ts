/** Which account a sign-in at another provider leads to, and what the provider's claims can't bring about. */

import { describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;

withForgingProvider((at) => {
  ({ server, there } = at);
});

const trusted = () => addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });
const found = (name: string) => server.assent.storage.people.findByName({ name });

/** Signs in at a provider with those claims. `person`: whose account that is. */
async function enters(provider: { readonly id: string }, claims: Readonly<Record<string, unknown>>) {
  there.answering = { claims };
  const agent = new Agent(server.issuer);
  const page = await signInThere(agent, there, provider);
  const subject = { issuerId: provider.id, claim: there.issuer, subject: String(claims["sub"]) };
  const person = await server.assent.storage.subjectLinks.findPerson({ subject });
  return { agent, page, person, signedIn: await isSignedIn(agent) };
}

/** The claims of the ID token that an app gets after a sign-in there. */
async function idTokenAfter(provider: { readonly id: string }, claims: Readonly<Record<string, unknown>>) {
  const app = await server.addClient({ scopes: ["openid"] });
  there.answering = { claims };
  const agent = new Agent(server.issuer);
  const shown = await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid" })));
  const page = await signInThere(agent, there, provider, shown);
  const { location } = await agent.submit(consentForm(page), { decision: "allow" });
  const [, payload = ""] = String((await redeem(server, app, location as URL)).body.id_token).split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
}

test("UP-01 a connected person signs in → a new session, and the app reads that it was elsewhere", async () => {
  const provider = await addProvider(server, there.issuer);
  const claims = aSubject();
  const { person, agent } = await enters(provider, claims);
  const before = agent.cookies.get("assent_session");
  const again = await enters(provider, claims);
  expect([again.person?.personId, again.agent.cookies.get("assent_session") === before]).toEqual([
    ...[person?.personId, false],
  ]);
  expect(await idTokenAfter(provider, claims)).toMatchObject({ sub: person?.personId, amr: ["fed"], acr: "1fa" });
});

describe("UP-12 the subject or the address changes", () => {
  test("another subject with the address of somebody who is connected → not into their account", async () => {
    const provider = await trusted();
    const claims = { ...aSubject(), email: "first@corp.test" };
    const { person } = await enters(provider, claims);
    const other = await enters(provider, { ...aSubject(), email: "first@corp.test" });
    expect([other.page.status, other.signedIn, other.person]).toEqual([403, false, undefined]);
    const untrusted = await addProvider(server, there.issuer);
    const third = await enters(untrusted, { ...aSubject(), email: "first@corp.test" });
    expect([third.signedIn, third.person?.personId === person?.personId]).toEqual([true, false]);
    expect(third.person?.email).toMatch(/@users\.invalid$/);
  });

  test("the same subject with another address → the same account, which keeps its address", async () => {
    const provider = await trusted();
    const claims = { ...aSubject(), email: "before@corp.test" };
    const { person } = await enters(provider, claims);
    const after = await enters(provider, { ...claims, email: "after@corp.test", preferred_username: "other" });
    expect(after.person).toMatchObject({ personId: person?.personId, email: "before@corp.test" });
    expect((await enters(provider, { ...claims, email: "a@elsewhere.test" })).signedIn).toBe(true);
  });

  test("subjects that differ in case, or by an accent's form → different people", async () => {
    const provider = await addProvider(server, there.issuer);
    const ids = new Set<string | undefined>();
    for (const sub of ["Case", "case", "caf\u00e9", "cafe\u0301", "case.", "ｃase"])
      ids.add((await enters(provider, { ...aSubject(), sub })).person?.personId);
    expect([ids.size, ids.has(undefined)]).toEqual([6, false]);
  });

  test("the operator gives the provider another issuer, whose subjects are the same → other people", async () => {
    const provider = await addProvider(server, there.issuer);
    const claims = aSubject();
    const { person } = await enters(provider, claims);
    const other = await ForgingProvider.start(server.now);
    await addProvider(server, other.issuer, { ...provider, issuer: other.issuer });
    other.answering = { claims };
    const agent = new Agent(server.issuer);
    await signInThere(agent, other, provider);
    const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 10, after: null });
    expect(new Set(links.map(({ ownerId }) => ownerId)).size).toBe(2);
    expect(await isSignedIn(agent)).toBe(true);
    expect((await agent.get("/account/profile")).text).not.toContain(`"${person?.username}"`);
    await other.stop();
  });
});

describe("UP-13 an account that is disabled, or waits for its deletion", () => {
  const stateOf = async ({ personId, partition }: Person) => server.assent.storage.people.get({ partition, personId });

  test("disabled: by its identity, by its address, with another way of writing → refused, unchanged", async () => {
    const provider = await trusted();
    const claims = { ...aSubject(), email: "gone@corp.test", name: "New Name" };
    const { person } = await enters(provider, claims);
    const unconnected = await server.addPerson({ email: "idle@corp.test", emailVerifiedAt: 1, status: "disabled" });
    if (person === undefined) throw new Error("no account");
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    const before = [await stateOf(person), await stateOf(unconnected)];
    for (const tried of [
      claims,
      { ...aSubject(), email: "idle@corp.test" },
      { ...aSubject(), email: "IDLE@corp.test" },
    ]) {
      const { page, signedIn } = await enters(provider, tried);
      expect([page.status, signedIn]).toEqual([403, false]);
      expect(page.text).not.toContain("disabled");
    }
    expect([await stateOf(person), await stateOf(unconnected)]).toEqual(before);
  });

  test("to be deleted → signed in as with a password, and the deletion still stands", async () => {
    const provider = await trusted();
    const deleteAt = server.now() + 86_400_000;
    const person = await server.addPerson({ email: "leaving@corp.test", emailVerifiedAt: 1, deleteAt });
    const { signedIn } = await enters(provider, { ...aSubject(), email: "leaving@corp.test" });
    expect([signedIn, (await stateOf(person))?.deleteAt]).toEqual([true, deleteAt]);
  });

  test("has to choose a new password → still has to", async () => {
    const provider = await trusted();
    await server.addPerson({ email: "must@corp.test", emailVerifiedAt: 1, mustChangePassword: true });
    const { agent } = await enters(provider, { ...aSubject(), email: "must@corp.test" });
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/account/security/password");
  });
});

describe("UP-16 the names and roles of a new account", () => {
  test.each([
    ["an existing username", "victor"],
    ["in another case", "VICTOR"],
    ["with a letter of another script", "vi\u0441tor"],
    ["in full-width letters", "ｖｉｃｔｏｒ"],
    ["with an invisible character", "vic\u200btor"],
    ["an existing address", "victor@corp.test"],
    ["of 10 kB", "victor".repeat(1_700)],
    ["empty", ""],
    ["a path", "../../victor"],
    ["markup", "<script>alert(1)</script>"],
    ["reordered", "\u202Erotciv"],
    ["half of an emoji", `${"v".repeat(39)}\u{1F600}`],
    ["a number", 7],
    ["an operator's name", "the-operator"],
    ["a name of the server", "admin"],
  ])(
    "preferred_username is %s → another account, with a name that passes for nobody's",
    async (_, preferred_username) => {
      const victor =
        (await found("victor")) ??
        (await server.addPerson({ username: "victor", email: "victor@corp.test", emailVerifiedAt: 1 }));
      (await found("the-operator")) ?? (await server.addPerson({ username: "the-operator", operator: ["admin"] }));
      const provider = await addProvider(server, there.issuer);
      const { person, signedIn } = await enters(provider, { ...aSubject(), preferred_username });
      expect(signedIn).toBe(true);
      expect(person?.personId).not.toBe(victor.personId);
      expect(person).toMatchObject({ operator: [], emailVerifiedAt: null, passwordHash: null });
      expect(["victor", "the-operator"]).not.toContain(person?.username);
      expect(person?.username).toMatch(/^[\p{L}\p{N}._-]{1,64}$/u);
      expect((await found("victor"))?.personId).toBe(victor.personId);
    },
  );

  test("roles, groups and levels in the claims → no operator, and the token claims no more than was proven", async () => {
    const provider = await addProvider(server, there.issuer);
    const claims = {
      ...aSubject(),
      ...{ groups: ["operators"], roles: ["admin"], role: "admin", operator: ["admin"], scope: "admin" },
      ...{ acr: "mfa", amr: ["pwd", "otp", "mfa"], must_change_password: false, status: "active" },
    };
    expect((await enters(provider, claims)).person?.operator).toEqual([]);
    expect(await idTokenAfter(provider, claims)).toMatchObject({ acr: "1fa", amr: ["fed"] });
  });

  test("the address of an operator, from a provider that isn't trusted and from one that is → not the operator", async () => {
    const operator = await server.addPerson({ email: "boss@corp.test", emailVerifiedAt: 1, operator: ["admin"] });
    const open = await addProvider(server, there.issuer);
    const { person } = await enters(open, { ...aSubject(), email: "boss@corp.test" });
    expect([person?.personId === operator.personId, person?.operator]).toEqual([false, []]);
    expect((await enters(await trusted(), { ...aSubject(), email: "boss@corp.test" })).signedIn).toBe(false);
  });

  test("a display name of 10 kB, with controls, or reordered → an account without it; a plain one → with it", async () => {
    const provider = await addProvider(server, there.issuer);
    for (const name of ["n".repeat(10_000), "Ada\u0000", "\u202Eada", { first: "Ada" }, ["Ada"]])
      expect(
        (await enters(provider, { ...aSubject(), name })).person?.name,
        JSON.stringify(name).slice(0, 40),
      ).toBeNull();
    expect((await enters(provider, { ...aSubject(), name: "Ada Lovelace" })).person?.name).toBe("Ada Lovelace");
  });
});

describe("UP-17 an address that only looks like one of the domain", () => {
  test.each([
    "a@corp.test@evil.test",
    '"a@evil.test"@corp.test',
    "a@corp.test.evil.test",
    "a@evil.test#@corp.test",
    "a@c\u043Erp.test",
    "a@sub.corp.test",
    "a@evilcorp.test",
    "a@corp.test.",
    "a@corp.test,b@evil.test",
    "a@evil.test\n@corp.test",
    "a@corp.test\u0000",
    " a@corp.test",
    "@corp.test",
    "corp.test",
    "a".repeat(10_000),
  ])("%j → refused, no account", async (email) => {
    const { page, signedIn, person } = await enters(await trusted(), { ...aSubject(), email });
    expect([page.status, signedIn, person]).toEqual([403, false, undefined]);
  });

  test.each([
    ["in full-width letters", "\uFF4Dax"],
    ["with a Kelvin sign", "\u212Aim"],
    ["with a ligature", "\uFB01n"],
    ["with a superscript", "max\u00B2"],
  ])("an address %s, which folds to another person's → not their account", async (_, local) => {
    for (const name of ["max", "kim", "fin", "max2"])
      (await found(`${name}@corp.test`)) ??
        (await server.addPerson({ email: `${name}@corp.test`, emailVerifiedAt: 1 }));
    const { page, signedIn, person } = await enters(await trusted(), { ...aSubject(), email: `${local}@corp.test` });
    expect([page.status, signedIn, person]).toEqual([403, false, undefined]);
  });

  test("the domain in capitals → the account", async () => {
    const person = await server.addPerson({ email: "capital@corp.test", emailVerifiedAt: 1 });
    const entered = await enters(await trusted(), { ...aSubject(), email: "Capital@CORP.Test" });
    expect([entered.signedIn, entered.person?.personId]).toEqual([true, person.personId]);
  });

  test.each([false, "false", 1, "yes", "TRUE", null, ["true"]])("email_verified is %j → not verified", async (said) => {
    const email = `said-${typeof said}-${String(said).length}-${String(said).charCodeAt(0)}@corp.test`;
    (await found(email)) ?? (await server.addPerson({ email, emailVerifiedAt: 1 }));
    const claims = { ...aSubject(), email, email_verified: said };
    expect((await enters(await trusted(), claims)).signedIn).toBe(false);
  });
});

describe("UP-25 how recent and how strong the sign-in was", () => {
  const app = () => server.addClient({ scopes: ["openid"] });
  const seconds = () => Math.floor(server.now() / 1000);

  async function asked(changes: Record<string, string>, claims: Readonly<Record<string, unknown>>): Promise<Page> {
    const provider = await addProvider(server, there.issuer);
    const agent = new Agent(server.issuer);
    const shown = await agent.follow(
      await agent.get(authorizeUrl(server, await app(), { scope: "openid", ...changes })),
    );
    const begun = await pressProvider(agent, shown, provider);
    there.answering = { claims: { ...aSubject(), ...claims } };
    return agent.follow(await agent.get(there.callback(begun)));
  }

  test("max_age=60 and auth_time an hour ago → 400; now → the consent", async () => {
    expect((await asked({ max_age: "60" }, { auth_time: seconds() - 3_600 })).status).toBe(400);
    expect((await asked({ max_age: "60" }, { auth_time: "now" })).status).toBe(400);
    expect(consentForm(await asked({ max_age: "60" }, { auth_time: seconds() }))).toBeDefined();
  });

  test("auth_time in the future → the token's is not", async () => {
    const provider = await addProvider(server, there.issuer);
    const { auth_time: told } = await idTokenAfter(provider, { ...aSubject(), auth_time: seconds() + 86_400 });
    expect(Number(told)).toBeLessThanOrEqual(seconds() + 1);
  });

  test("the app needs two factors, and the provider claims them → this server's own second step", async () => {
    const page = await asked({ acr_values: "mfa" }, { acr: "mfa", amr: ["mfa"] });
    expect(page.forms.some(({ action }) => action.endsWith("/consent"))).toBe(false);
  });
});
