/** One-time codes and recovery codes: setting up, use after the password, single use, removal (RFC 6238). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { AUTHENTICATOR, appOf, formWith, recoveryCodesOf, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

/** A browser on the page of the second step. */
async function atSecondStep(
  username: string,
  headers: Record<string, string> = {},
): Promise<{ agent: Agent; page: Page }> {
  const agent = new Agent(server.issuer, headers);
  return { agent, page: await signIn(agent, username) };
}

describe("setting up an authenticator", () => {
  test("without a sign-in of the last ten minutes → signed in once more first, and back to it", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const before = agent.cookies.get("assent_session");
    const open = await agent.get(AUTHENTICATOR);
    server.tick(11 * 60_000);
    const late = await agent.submit(formWith(open, "code"), { code: "123456" });
    expect(late.location?.pathname).toBe("/account/confirm");
    const confirm = await agent.get(late.location?.href ?? "");
    expect(confirm.text).toContain("Sign in again");
    const back = await signIn(agent, person.username, confirm);
    expect(back.text).toContain("Set up an authenticator app");
    expect(agent.cookies.get("assent_session")).not.toBe(before);
    expect((await agent.get(AUTHENTICATOR)).text).toContain('<svg class="qr"');
  });

  test("a wrong code → the same secret again, and nothing is set up", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const page = await agent.get(AUTHENTICATOR);
    const app = appOf(page, server);
    const again = await agent.submit(formWith(page, "code"), { code: app.code(5) });
    expect(again.text).toContain("That code is wrong");
    expect(appOf(again, server).code()).toBe(app.code());
    expect(await server.assent.storage.secondFactors.get(person)).toBeUndefined();
  });

  test("set up for an app, and the page with the codes is loaded again → they are shown once; on to the app's request", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const page = await agent.get(`${AUTHENTICATOR}?request=sealed`);
    const [form, fields] = [formWith(page, "code"), { code: appOf(page, server).code() }];
    expect(recoveryCodesOf(await agent.submit(form, fields))).toHaveLength(10);
    const again = await agent.submit(form, fields);
    expect(again.status).toBe(403);
    expect(again.text).toContain("Recovery codes are shown only once.");
    expect(again.text).toContain('href="/consent?request=sealed"');
  });

  test("the form of another session, or one that is half an hour old → a new secret", async () => {
    const [one, other] = await Promise.all(
      [0, 1].map(async () => {
        const agent = new Agent(server.issuer);
        await signIn(agent, (await server.addPerson()).username);
        return { agent, page: await agent.get(AUTHENTICATOR) };
      }),
    );
    if (one === undefined || other === undefined) throw new Error("two browsers were opened");
    const sealed = formWith(other.page, "code").fields.get("sealed") ?? "";
    const stolen = await one.agent.submit(formWith(one.page, "code"), {
      sealed,
      code: appOf(other.page, server).code(),
    });
    expect(stolen.text).toContain("open too long");
    expect(appOf(stolen, server).code()).not.toBe(appOf(other.page, server).code());
  });

  test("the right code → ten recovery codes, once; the session has another id and both steps", async () => {
    const { agent, person, recoveryCodes } = await withSecondStep(server);
    expect(new Set(recoveryCodes).size).toBe(10);
    const page = await agent.get("/account/security");
    expect(page.text).toContain("10 codes left");
    for (const code of recoveryCodes) expect(page.text).not.toContain(code);
    const [session] = await server.assent.storage.sessions.list({ ...person, now: server.now() });
    expect(session).toMatchObject({ acr: "mfa", amr: ["pwd", "otp", "mfa"] });
    expect(server.log.join("")).not.toContain(recoveryCodes[0]);
  });
});

describe("signing in with a second step", () => {
  test("the password alone → no session, whatever page is asked for", async () => {
    const { person } = await withSecondStep(server);
    const { agent, page } = await atSecondStep(person.username);
    expect(page.status).toBe(200);
    expect(page.text).toContain("One more step");
    expect(agent.cookies.has("assent_session")).toBe(false);
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
  });

  test("no code, a wrong one → the step again; the right one → signed in, and on to where it led", async () => {
    const { person, app } = await withSecondStep(server);
    const { agent, page } = await atSecondStep(person.username);
    const empty = await agent.submit(formWith(page, "code"), { code: " " });
    expect(empty.text).toContain("Enter the code.");
    const wrong = await agent.submit(formWith(empty, "code"), { code: app.code(7) });
    expect(wrong.text).toContain("That code is wrong");
    const typed = app.code();
    const right = await agent.submit(formWith(wrong, "code"), { code: `${typed.slice(0, 3)} ${typed.slice(3)}` });
    expect([right.status, right.location?.pathname]).toEqual([303, "/account/apps"]);
    expect((await agent.get("/account/apps")).status).toBe(200);
  });

  test.each([-1, 1])("a clock that is %i step off → signed in", async (later) => {
    const { person, app } = await withSecondStep(server);
    const { agent, page } = await atSecondStep(person.username);
    // The clock stands still, because at the end of a 30-second step the app and the server could compute different
    // codes.
    onTestFinished(server.stand());
    expect((await agent.submit(formWith(page, "code"), { code: app.code(later) })).status).toBe(303);
  });

  test("a recovery code, however it is typed → signed in, once; the count goes down", async () => {
    const { person, recoveryCodes } = await withSecondStep(server);
    const typed = ` ${recoveryCodes[0]?.toUpperCase().replaceAll("-", " ").replaceAll("0", "O").replaceAll("1", "l")} `;
    const { agent, page } = await atSecondStep(person.username);
    expect((await agent.submit(formWith(page, "recovery"), { recovery: typed })).status).toBe(303);
    expect((await agent.get("/account/security")).text).toContain("9 codes left");
    const other = await atSecondStep(person.username);
    const again = await other.agent.submit(formWith(other.page, "recovery"), { recovery: typed });
    expect(again.text).toContain("isn’t one of your recovery codes");
  });

  test("on the way to an app → its token says how: acr, amr, and when the first step was", async () => {
    const { person, app } = await withSecondStep(server);
    const agent = new Agent(server.issuer);
    const login = await agent.follow(await agent.get(authorizeUrl(server, client)));
    const step = await signIn(agent, person.username, login);
    const consent = await agent.follow(await agent.submit(formWith(step, "code"), { code: app.code() }));
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answer.location?.searchParams.get("code") ?? "");
    const claims = decodeJwt(String(body.access_token));
    expect(claims).toMatchObject({ acr: "mfa", amr: ["pwd", "otp", "mfa"] });
  });

  test("an owner without one → acr 1fa, amr pwd", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const login = await agent.follow(await agent.get(authorizeUrl(server, client)));
    const consent = await agent.follow(await signIn(agent, username, login));
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answer.location?.searchParams.get("code") ?? "");
    expect(decodeJwt(String(body.access_token))).toMatchObject({ acr: "1fa", amr: ["pwd"] });
  });
});

describe("the form that creates recovery codes", () => {
  async function renewal() {
    const { agent, person } = await withSecondStep(server);
    const form = (await agent.get("/account/security")).forms.find(({ action }) => action.endsWith("/recovery-codes"));
    if (form === undefined) throw new Error("no way to new codes");
    return { agent, person, form };
  }
  const factorOf = (person: Person) => server.assent.storage.secondFactors.get(person);

  test("without the codes that it replaces, or with others → nothing changes", async () => {
    const { agent, person, form } = await renewal();
    const before = await factorOf(person);
    for (const replaces of ["", "0", "x", "1e3", "-1", String((before?.codesAt ?? 0) + 1)]) {
      const { location } = await agent.submit(form, { replaces });
      expect(location?.searchParams.get("done")).toBe("codes-newer");
    }
    expect(await factorOf(person)).toEqual(before);
  });

  test("sent again, as by a reload of the page with the codes → the codes stay, and the page says so", async () => {
    const { agent, person, form } = await renewal();
    server.tick(1000);
    const shown = recoveryCodesOf(await agent.submit(form));
    expect(shown).toHaveLength(10);
    server.tick(1000);
    const said = await agent.follow(await agent.submit(form));
    expect(recoveryCodesOf(said)).toEqual([]);
    expect(said.text).toContain("This time, nothing was changed. Your newest recovery codes still work");
    const { agent: browser, page: step } = await atSecondStep(person.username);
    expect((await browser.submit(formWith(step, "recovery"), { recovery: shown[0] ?? "" })).status).toBe(303);
    const again = said.forms.find(({ action }) => action.endsWith("/recovery-codes"));
    expect(again && recoveryCodesOf(await agent.submit(again))).toHaveLength(10);
  });

  test("sent five times at once → one set of codes is shown, and it works", async () => {
    const { agent, person, form } = await renewal();
    server.tick(1000);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => agent.submit(form)));
    const shown = answers.map(recoveryCodesOf).filter((codes) => codes.length > 0);
    expect(shown).toHaveLength(1);
    const { agent: browser, page: step } = await atSecondStep(person.username);
    expect((await browser.submit(formWith(step, "recovery"), { recovery: shown[0]?.[9] ?? "" })).status).toBe(303);
  });
});

describe("taking it away", () => {
  test("new recovery codes → the old ones are none any more", async () => {
    const { agent, person, recoveryCodes } = await withSecondStep(server);
    const page = await agent.get("/account/security");
    const form = page.forms.find(({ action }) => action.endsWith("/recovery-codes"));
    if (form === undefined) throw new Error("no way to new codes");
    const renewed = recoveryCodesOf(await agent.submit(form));
    expect(renewed).toHaveLength(10);
    const { agent: browser, page: step } = await atSecondStep(person.username);
    const old = await browser.submit(formWith(step, "recovery"), { recovery: recoveryCodes[1] ?? "" });
    expect(old.status).toBe(200);
    expect((await browser.submit(formWith(old, "recovery"), { recovery: renewed[1] ?? "" })).status).toBe(303);
  });

  test("removed at the page → the password alone signs in", async () => {
    const { agent, person } = await withSecondStep(server);
    expect((await agent.get("/account/security")).text).toContain('href="/account/security/authenticator/remove"');
    const page = await agent.get("/account/security/authenticator/remove");
    const form = page.forms.find(({ action }) => action.endsWith("/authenticator/remove"));
    if (form === undefined) throw new Error("no way to remove it");
    expect((await agent.follow(await agent.submit(form))).text).toContain("was removed");
    const { agent: again } = await atSecondStep(person.username);
    expect(again.cookies.has("assent_session")).toBe(true);
  });
});
