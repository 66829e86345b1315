/**
 * Attacks on passkeys: of another site, of another person, replayed, copied, without user verification (Web
 * Authentication Level 3 §§7.1, 7.2, 13).
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, type Form, type Page, signIn } from "../support/http-browser.ts";
import { type Bent, SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const ADD = "/account/security/passkeys";

let server: TestServer;
let person: Person;
let agent: Agent;
let key: SoftAuthenticator;
beforeAll(async () => {
  server = await startServer({ host: "localhost" });
});
afterAll(() => server.stop());
beforeEach(async () => {
  person = await server.addPerson();
  agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  key = new SoftAuthenticator(server.issuer);
});

/** The options that the page gives to the script. */
function optionsOf(
  page: Page,
): { challenge: string; user: { id: string }; excludeCredentials?: { id: string }[] } & Record<string, unknown> {
  const found = /data-options="([^"]*)"/.exec(page.text)?.[1];
  if (found === undefined) throw new Error(`no options: ${page.status} ${page.text.slice(0, 300)}`);
  return JSON.parse(found.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

async function add(bent: Bent = {}, by = agent, name = "A key"): Promise<Page> {
  const page = await by.get(ADD);
  return by.submit(formWith(page, "credential"), { name, credential: key.create(optionsOf(page), bent) });
}
const passkeys = (of = person) => server.assent.storage.passkeys.list(of);

/** A browser on the sign-in page, its passkey form, and the challenge. */
async function atLogin(): Promise<{ browser: Agent; form: Form; challenge: { challenge: string } }> {
  const browser = new Agent(server.issuer);
  const page = await browser.get("/login");
  return { browser, form: formWith(page, "credential"), challenge: optionsOf(page) };
}
const isIn = (browser: Agent) => browser.cookies.has("assent_session");

describe("registration", () => {
  test.each<[string, Bent]>([
    ["for another site", { rpId: "evil.example" }],
    ["at another origin", { origin: "https://evil.example" }],
    ["at another port", { origin: "http://localhost:1" }],
    ["inside another site's frame", { crossOrigin: true, origin: "https://evil.example" }],
    ["with another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["of the wrong kind", { type: "webauthn.get" }],
    ["without a look at who holds it", { userVerified: false }],
    ["without anybody there", { userPresent: false, userVerified: false }],
    // COSE numbers of ES384 and RS1. Browsers use only offered algorithms, but attackers can use others.
    ["for an algorithm that was not offered", { algorithm: -35 }],
    ["for one that is broken", { algorithm: -65535 }],
  ])("%s → refused", async (_, bent) => {
    const page = await add(bent);
    expect([page.status, (await passkeys()).length]).toEqual([200, 0]);
    expect(page.text).toContain("could not be added");
  });

  test.each(["", "{}", "[]", "null", '{"response":null}', '{"response":{}}', `{"response":"${"x".repeat(30_000)}"}`])(
    "garbage for an answer, %# → refused",
    async (credential) => {
      const page = await agent.submit(formWith(await agent.get(ADD), "credential"), { name: "x", credential });
      expect([page.status, (await passkeys()).length]).toEqual([200, 0]);
    },
  );

  test("with the challenge of another session, or of the sign-in page → refused", async () => {
    const stranger = new Agent(server.issuer);
    await signIn(stranger, (await server.addPerson()).username);
    const theirs = await stranger.get(ADD);
    const mine = await agent.get(ADD);
    for (const page of [theirs, await new Agent(server.issuer).get("/login")]) {
      const challenge = formWith(page, "credential").fields.get("challenge") ?? "";
      const credential = key.create({ ...optionsOf(mine), challenge: optionsOf(page).challenge });
      await agent.submit(formWith(mine, "credential"), { name: "x", challenge, credential });
    }
    expect(await passkeys()).toEqual([]);
  });

  test("the same answer twice → added once, and the page says so; removed meanwhile, or a key that another has → refused, and nobody learns whose it is", async () => {
    const page = await agent.get(ADD);
    const credential = key.create(optionsOf(page));
    const form = formWith(page, "credential");
    expect((await agent.submit(form, { name: "One", credential })).status).toBe(303);
    expect((await agent.submit(form, { name: "Two", credential })).location?.search).toBe("?done=passkey-added");
    expect((await passkeys()).map(({ name }) => name)).toEqual(["One"]);
    const another = new SoftAuthenticator(server.issuer).create(optionsOf(page));
    expect((await agent.submit(form, { name: "Two", credential: another })).text).toContain("could not be added");
    expect((await passkeys()).map(({ name }) => name)).toEqual(["One"]);
    const other = new Agent(server.issuer);
    const stranger = await server.addPerson();
    await signIn(other, stranger.username);
    expect((await add({}, other)).text).toContain("You already added this passkey");
    expect(await passkeys(stranger)).toEqual([]);
  });

  test("without a name, or with one that is too long → asked for it; no key is kept", async () => {
    for (const name of ["", "  ", "x".repeat(61)]) expect((await add({}, agent, name)).text).toContain("1 to 60");
    expect(await passkeys()).toEqual([]);
  });

  test("ten minutes after the sign-in → signed in once more first", async () => {
    const page = await agent.get(ADD);
    server.tick(11 * 60_000);
    const credential = key.create(optionsOf(page));
    const late = await agent.submit(formWith(page, "credential"), { name: "x", credential });
    expect(late.location?.pathname).toBe("/account/confirm");
    expect(await passkeys()).toEqual([]);
  });

  test("all right → kept, with what it said of itself; the next form leaves it out", async () => {
    expect((await add({ backupEligible: true })).location?.search).toBe("?done=passkey-added");
    expect(await passkeys()).toMatchObject([
      { credentialId: key.id, backupEligible: true, backedUp: false, counter: 0 },
    ]);
    const options = optionsOf(await agent.get(ADD));
    expect(options.excludeCredentials?.map(({ id }) => id)).toEqual([key.id]);
    expect(options).toMatchObject({
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  });
});

describe("sign-in", () => {
  beforeEach(async () => {
    await add();
  });

  test.each<[string, Bent]>([
    ["for another site", { rpId: "evil.example" }],
    ["passed on by a look-alike", { origin: "https://1ocalhost.example" }],
    ["with another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
    ["of the wrong kind", { type: "webauthn.create" }],
    ["without a look at who holds it", { userVerified: false }],
    ["without anybody there", { userPresent: false }],
    ["with a wrong signature", { signature: Buffer.alloc(70, 1) }],
    ["by a key that nobody has", { id: "AAAAAAAAAAAAAAAAAAAAAA" }],
    ["by a key that suddenly may leave its device", { backupEligible: true }],
    ["in the name of somebody else", { userHandle: "AAAAAAAAAAAAAAAAAAAAAA" }],
    ["in nobody's name", { userHandle: "" }],
  ])("%s → one page for all of them, no session", async (_, bent) => {
    const { browser, form, challenge } = await atLogin();
    const page = await browser.submit(form, { credential: key.get(challenge, bent) });
    expect([page.status, isIn(browser)]).toEqual([200, false]);
    expect(page.text).toContain("This passkey can’t be used here");
  });

  test("all right → signed in, without a name; how is said in the session", async () => {
    const { browser, form, challenge } = await atLogin();
    const page = await browser.submit(form, { credential: key.get(challenge) });
    expect([page.status, page.location?.pathname]).toEqual([303, "/account/apps"]);
    const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
    expect(sessions.find(({ acr }) => acr === "phr")).toMatchObject({ amr: ["hwk", "user", "mfa"] });
    expect(await passkeys()).toMatchObject([{ counter: 1 }]);
  });

  test("the same answer again, in the same browser → refused", async () => {
    const { browser, form, challenge } = await atLogin();
    const credential = key.get(challenge);
    expect((await browser.submit(form, { credential })).status).toBe(303);
    browser.cookies.delete("assent_session");
    expect((await browser.submit(form, { credential })).status).toBe(200);
    expect(isIn(browser)).toBe(false);
  });

  test("the same answer 20 times at once, of a key that keeps no count → one session", async () => {
    const { browser, form, challenge } = await atLogin();
    const credential = key.get(challenge, { counter: 0 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.submit(form, { credential })));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  test("in another browser, or an hour later → refused", async () => {
    const { form, challenge } = await atLogin();
    const thief = await atLogin();
    const stolen = await thief.browser.submit(form, { credential: key.get(challenge) });
    expect([stolen.status, isIn(thief.browser)]).toEqual([403, false]);
    const late = await atLogin();
    server.tick(3_600_001);
    await late.browser.submit(late.form, { credential: key.get(late.challenge) });
    expect(isIn(late.browser)).toBe(false);
  });

  test("a copy, whose count lags behind → refused, and the log says so", async () => {
    const one = await atLogin();
    await one.browser.submit(one.form, { credential: key.get(one.challenge, { counter: 9 }) });
    const two = await atLogin();
    const mark = server.log.length;
    const page = await two.browser.submit(two.form, { credential: key.get(two.challenge, { counter: 9 }) });
    expect([page.status, isIn(two.browser)]).toEqual([200, false]);
    expect(server.log.slice(mark).join("")).toContain('"passkey_copied"');
  });

  test("of somebody who was disabled → as a key that nobody has", async () => {
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    const { browser, form, challenge } = await atLogin();
    const page = await browser.submit(form, { credential: key.get(challenge) });
    expect([page.status, isIn(browser)]).toEqual([200, false]);
  });

  test("the sign-in page → says nothing of who has passkeys, whatever name it is asked about", async () => {
    const shown = async (username: string) => {
      const browser = new Agent(server.issuer);
      const page = await signIn(browser, username, await browser.get("/login"));
      return page.text;
    };
    const nobody = (await atLogin()).challenge;
    expect(Object.keys(nobody)).not.toContain("allowCredentials");
    const stranger = await server.addPerson({ passwordHash: null });
    const { partition, personId } = stranger;
    const [passkey] = await passkeys();
    if (passkey === undefined) throw new Error("no passkey to copy");
    const theirs = { ...passkey, partition, personId, credentialId: "AAAAAAAAAAAAAAAA" };
    expect(await server.assent.storage.passkeys.add({ passkey: theirs, now: server.now() })).toBe("added");
    const cleared = (text: string) =>
      text
        .replace(/value="[^"]{30,}"|challenge&quot;:&quot;[\w-]+/g, "")
        .replaceAll(stranger.username, "")
        .replaceAll("nobody-at-all", "");
    expect(cleared(await shown(stranger.username))).toBe(cleared(await shown("nobody-at-all")));
  });

  test("as the second step: another person's → refused; one's own → signed in", async () => {
    const { person: other } = await withSecondStep(server);
    const browser = new Agent(server.issuer);
    const owner = new Agent(server.issuer);
    const step = await signIn(browser, other.username);
    expect(step.text).not.toContain("data-passkey");
    const own = await withSecondStep(server, person);
    expect(own.recoveryCodes).toHaveLength(10);
    const mine = await signIn(owner, person.username);
    const answer = await owner.submit(formWith(mine, "credential"), { credential: key.get(optionsOf(mine)) });
    expect(answer.status).toBe(303);

    const another = new Agent(server.issuer);
    const theirs = await signIn(another, person.username);
    const partial = formWith(step, "partial").fields.get("partial") ?? "";
    const swapped = await another.submit(formWith(theirs, "credential"), {
      partial,
      credential: key.get(optionsOf(theirs)),
    });
    expect([swapped.status, isIn(another)]).toEqual([403, false]);
  });
});

describe("removal", () => {
  test("another's → it stays; one's own → it signs nobody in; the only way in → it stays, and the page says why", async () => {
    await add();
    const form = async (by: Agent) => {
      const found = (await by.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
      return found?.fields.get("csrf") ?? "";
    };
    const stranger = new Agent(server.issuer);
    await signIn(stranger, (await server.addPerson()).username);
    await stranger.post(`${ADD}/remove`, { csrf: await form(stranger), id: key.id });
    expect(await passkeys()).toHaveLength(1);
    await agent.post(`${ADD}/remove`, { csrf: await form(agent), id: key.id });
    expect(await passkeys()).toEqual([]);
    const { browser, form: login, challenge } = await atLogin();
    expect((await browser.submit(login, { credential: key.get(challenge) })).status).toBe(200);
  });
});

test("a server whose name is an address → no word of passkeys, and none is made", async () => {
  const plain = await startServer();
  try {
    const one = new Agent(plain.issuer);
    await signIn(one, (await plain.addPerson()).username);
    expect((await one.get("/login")).text).not.toContain("data-passkey");
    expect((await one.get(ADD)).text).toContain("can’t be used at this address");
  } finally {
    await plain.stop();
  }
});
