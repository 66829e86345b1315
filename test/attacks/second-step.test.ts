/**
 * Attacks on the second step: skipping, replay, guessing, races, fixation (groups SS, EN and AD; CVE-2018-14657,
 * CVE-2025-64102).
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AUTHENTICATOR, appOf, formWith, type WithSecondStep, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, type Page, postForm, signIn, unnumbered } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let victim: WithSecondStep;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"] } });
});
afterAll(() => server.stop());
beforeEach(async () => {
  victim = await withSecondStep(server);
});

let next = 1;
const from = (address = `198.51.100.${next++}`) => ({ "x-forwarded-for": address });

/** A browser that isn't a known device, after the password was accepted. */
async function behindPassword(headers: Record<string, string> = from()): Promise<{ agent: Agent; page: Page }> {
  const agent = new Agent(server.issuer, headers);
  return { agent, page: await signIn(agent, victim.person.username) };
}
const isIn = (agent: Agent) => agent.cookies.has("assent_session");
const wrong = () => victim.app.code(50);

describe("the second step skipped", () => {
  test.each([
    ["without what the first step gave", { partial: "" }],
    ["with something made up", { partial: "A".repeat(120) }],
  ])("%s → the sign-in page, no session", async (_, fields) => {
    const { agent, page } = await behindPassword();
    const answer = await agent.submit(formWith(page, "code"), { ...fields, code: victim.app.code() });
    expect([answer.status, isIn(agent)]).toEqual([403, false]);
    expect(answer.text).toContain('name="username"');
  });

  test("with another browser's first step → the sign-in page, no session", async () => {
    const { page } = await behindPassword();
    const thief = new Agent(server.issuer, from());
    await thief.get("/login");
    const answer = await thief.submit(formWith(page, "code"), { code: victim.app.code() });
    expect([answer.status, isIn(thief)]).toEqual([403, false]);
  });

  test("with one of another person's in the same browser → that person's alone", async () => {
    const other = await withSecondStep(server);
    const { agent, page } = await behindPassword();
    const mixed = await agent.submit(formWith(page, "code"), { code: other.app.code() });
    expect([mixed.status, isIn(agent)]).toEqual([200, false]);
  });

  test("more than ten minutes later, after a change of password, of a disabled person → no session", async () => {
    const { agent, page } = await behindPassword();
    server.tick(10 * 60_000 + 1);
    await agent.submit(formWith(page, "code"), { code: victim.app.code() });
    expect(isIn(agent)).toBe(false);

    const second = await behindPassword();
    const { partition, personId } = victim.person;
    const storage = server.assent.storage;
    await storage.people.rehashPassword({
      partition,
      personId,
      from: victim.person.passwordHash ?? "",
      to: "$argon2id$other",
    });
    await second.agent.submit(formWith(second.page, "code"), { code: victim.app.code() });
    expect(isIn(second.agent)).toBe(false);
    await storage.people.rehashPassword({
      partition,
      personId,
      from: "$argon2id$other",
      to: victim.person.passwordHash ?? "",
    });

    const third = await behindPassword();
    await storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
    await third.agent.submit(formWith(third.page, "code"), { code: victim.app.code() });
    expect(isIn(third.agent)).toBe(false);
  });

  test.each(["", "forged"])("with the form's token %j → refused, and the code is not used up", async (csrf) => {
    const { agent, page } = await behindPassword();
    const code = victim.app.code();
    const refused = await agent.submit(formWith(page, "code"), { code, csrf });
    expect([refused.status, isIn(agent)]).toEqual([403, false]);
    expect((await agent.submit(formWith(refused, "code"), { code })).status).toBe(303);
  });

  test("by a password grant → invalid_grant, the same words as for a wrong password", async () => {
    const client = await server.addClient({ grantTypes: ["password"], responseTypes: [] });
    const ask = (password: string) => {
      const fields = { grant_type: "password", username: victim.person.username, password, scope: "read" };
      return postForm(server, "/token", client, fields, from());
    };
    const [right, bad] = [await ask(PASSWORD), await ask("wrong")];
    const plain = (answer: typeof right) => unnumbered(JSON.stringify(answer.body));
    expect([right.status, plain(right)]).toEqual([400, plain(bad)]);
    expect(right.body.error).toBe("invalid_grant");
  });

  test("by GET → 405", async () => {
    for (const path of ["/login/second", "/login/passkey", "/login/stronger", "/account/security/sessions"]) {
      expect([path, (await new Agent(server.issuer).get(path)).status]).toEqual([path, 405]);
    }
  });
});

describe("EN-10 a code replayed", () => {
  test("the one that set it up, the one just used, one of a step before → refused", async () => {
    const one = await behindPassword();
    const code = victim.app.code();
    const before = victim.app.code(-1);
    expect((await one.agent.submit(formWith(one.page, "code"), { code })).status).toBe(303);
    const two = await behindPassword();
    const again = await two.agent.submit(formWith(two.page, "code"), { code });
    expect([again.status, isIn(two.agent)]).toEqual([200, false]);
    await two.agent.submit(formWith(again, "code"), { code: before });
    expect(isIn(two.agent)).toBe(false);
  });

  test("one code in 5 browsers at once, several times → one is in", async () => {
    for (let round = 0; round < 5; round += 1) {
      server.tick(60_000);
      const browsers = await Promise.all(Array.from({ length: 5 }, () => behindPassword()));
      const code = victim.app.code();
      await Promise.all(browsers.map(({ agent, page }) => agent.submit(formWith(page, "code"), { code })));
      expect(browsers.filter(({ agent }) => isIn(agent))).toHaveLength(1);
      // The failed attempt was a replay, which counts. So this starts a new window for the next round.
      server.tick(61 * 60_000);
    }
  });

  test("one recovery code sent 20 times at once → one is in, one code is gone", async () => {
    const { agent, page } = await behindPassword(from());
    const [recovery = ""] = victim.recoveryCodes;
    const known = { ...formWith(page, "recovery") };
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.submit(known, { recovery })));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    const factor = await server.assent.storage.secondFactors.get(victim.person);
    expect(factor?.codesLeft).toBe(9);
  });
});

describe("EN-10 codes guessed", () => {
  test("the sixth from one network → 429 with the time to wait, for the right one, too; then served again", async () => {
    const headers = from();
    const { agent, page } = await behindPassword(headers);
    let shown = page;
    for (let tries = 0; tries < 5; tries += 1) shown = await agent.submit(formWith(shown, "code"), { code: wrong() });
    expect(shown.status).toBe(200);
    const sixth = await agent.submit(formWith(shown, "code"), { code: victim.app.code() });
    expect([sixth.status, isIn(agent)]).toEqual([429, false]);
    const wait = Number(sixth.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(60);
    server.tick(wait * 1000);
    const { agent: later, page: step } = await behindPassword(headers);
    expect((await later.submit(formWith(step, "code"), { code: victim.app.code() })).status).toBe(303);
  });

  test("from many networks, in new sign-ins each time, by codes of both kinds → ten in an hour, all told", async () => {
    let looked = 0;
    for (let tries = 0; tries < 14; tries += 1) {
      const { agent, page } = await behindPassword();
      const field = tries % 2 === 0 ? "code" : "recovery";
      const answer = await agent.submit(formWith(page, field), {
        [field]: tries % 2 === 0 ? wrong() : "0000-0000-0000-0000",
      });
      if (answer.status === 200) looked += 1;
    }
    expect(looked).toBe(10);
    const { agent, page } = await behindPassword();
    expect((await agent.submit(formWith(page, "code"), { code: victim.app.code() })).status).toBe(429);
  });

  test("40 at once → no more than the limit are looked at", async () => {
    const { agent, page } = await behindPassword(from());
    const form = formWith(page, "code");
    const answers = await Promise.all(Array.from({ length: 40 }, () => agent.submit(form, { code: wrong() })));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
  });

  test("by a stranger who knows the password → the owner's own browser is not kept out", async () => {
    for (let tries = 0; tries < 11; tries += 1) {
      const { agent, page } = await behindPassword();
      await agent.submit(formWith(page, "code"), { code: wrong() });
    }
    const step = await signIn(victim.agent, victim.person.username, await freshLogin(victim.agent));
    expect((await victim.agent.submit(formWith(step, "code"), { code: victim.app.code() })).status).toBe(303);
  });

  test("the log → who and why, and no code", async () => {
    const mark = server.log.length;
    const { agent, page } = await behindPassword();
    const code = wrong();
    await agent.submit(formWith(page, "code"), { code });
    const lines = server.log.slice(mark).join("");
    expect(lines).toContain('"second_step_failed"');
    expect(lines).not.toContain(`"${code}"`);
  });
});

async function freshLogin(agent: Agent): Promise<Page> {
  agent.cookies.delete("assent_session");
  return agent.get("/login");
}

describe("sessions", () => {
  test("a made-up session cookie before the sign-in → another one after it", async () => {
    const { agent, page } = await behindPassword();
    agent.cookies.set("assent_session", "fixed");
    await agent.submit(formWith(page, "code"), { code: victim.app.code() });
    expect(agent.cookies.get("assent_session")).not.toBe("fixed");
    expect((await agent.get("/account/apps")).status).toBe(200);
  });

  test("another person's session, passkey, or an id that nobody has → nothing happens to it", async () => {
    const stranger = await server.addPerson();
    const agent = new Agent(server.issuer, from());
    await signIn(agent, stranger.username);
    const [session] = await server.assent.storage.sessions.list({ ...victim.person, now: server.now() });
    const page = await agent.get("/account/security");
    const form = page.forms.find(({ action }) => action.endsWith("/sessions"));
    if (form === undefined || session === undefined) throw new Error("no form, or no session");
    for (const end of [session.sessionId, "nobody", ""]) {
      const answer = await agent.submit(form, { end });
      expect([answer.status, answer.location?.search]).toEqual([303, ""]);
    }
    expect((await victim.agent.get("/account/apps")).status).toBe(200);
    const csrf = form.fields.get("csrf") ?? "";
    const removed = await agent.post("/account/security/authenticator/remove", { csrf });
    expect(removed.status).toBe(303);
    expect(await server.assent.storage.secondFactors.get(victim.person)).toBeDefined();
  });

  test.each([
    "/account/security/sessions",
    "/account/security/passkeys",
    "/account/security/passkeys/remove",
    "/account/security/authenticator",
    "/account/security/authenticator/remove",
    "/account/security/recovery-codes",
  ])(
    "%s without a token, with a forged one, with another session's → 403; without a session → sign-in",
    async (path) => {
      const other = new Agent(server.issuer, from());
      await signIn(other, (await server.addPerson()).username);
      const csrf = formWith(await other.get("/account/security"), "csrf").fields.get("csrf") ?? "";
      for (const fields of [{}, { csrf: "" }, { csrf: "AAAA" }, { csrf }]) {
        expect((await victim.agent.post(path, { ...fields, end: "all" })).status).toBe(403);
      }
      expect((await new Agent(server.issuer).post(path, { end: "all" })).location?.pathname).toBe("/login");
      expect(await server.assent.storage.secondFactors.get(victim.person)).toMatchObject({ codesLeft: 10 });
    },
  );

  test("signed in by password just before the second step was set up → can't take it away, nor add a passkey", async () => {
    const person = await server.addPerson();
    const thief = new Agent(server.issuer, from());
    await signIn(thief, person.username);
    const csrf = formWith(await thief.get("/account/security"), "csrf").fields.get("csrf") ?? "";
    const owner = new Agent(server.issuer, from());
    await signIn(owner, person.username);
    const setup = await owner.get(AUTHENTICATOR);
    const app = appOf(setup, server);
    await owner.submit(formWith(setup, "code"), { code: app.code() });
    for (const path of ["authenticator/remove", "recovery-codes", "passkeys", "authenticator"]) {
      const answer = await thief.post(`/account/security/${path}`, { csrf });
      expect([path, answer.location?.pathname]).toEqual([path, "/account/confirm"]);
    }
    const change = formWith(await thief.get("/account/security/password"), "current_password");
    const other = "seven green umbrellas";
    const changed = await thief.submit(change, { current_password: PASSWORD, password: other, again: other });
    expect([changed.status, changed.location?.pathname]).toEqual([303, "/account/confirm"]);
    expect(await server.assent.storage.secondFactors.get(person)).toMatchObject({ codesLeft: 10 });
    const confirm = await thief.get("/account/confirm?to=security");
    expect((await signIn(thief, person.username, confirm)).text).toContain("One more step");
  });

  test("signed out everywhere else → the other browser is out, this one and the apps' access go on", async () => {
    const { agent, page } = await behindPassword();
    await agent.submit(formWith(page, "code"), { code: victim.app.code() });
    const security = await agent.get("/account/security");
    expect(security.text).toContain("198.51.100.x");
    const form = security.forms.find(({ action }) => action.endsWith("/sessions"));
    if (form === undefined) throw new Error("no form of sessions");
    const after = await agent.follow(await agent.submit(form, { end: "others" }));
    expect(after.text).toContain("signed out everywhere else");
    expect((await victim.agent.get("/account/apps")).location?.pathname).toBe("/login");
    const out = await agent.submit(form, { end: "all" });
    expect(out.text).toContain("You’re signed out");
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
  });
});
