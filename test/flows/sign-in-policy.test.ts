/** The operator's policy about sign-ins: it refuses and demands more, never less, and fails closed. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Policies, SignInAnswer, SignInFacts } from "../../packages/server/src/index.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { aDevice, aDeviceClient, decide, enter, poll } from "../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, postForm, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const asked: SignInFacts[] = [];
const all = (): unknown => ({ allow: true });
let answer: (about: SignInFacts) => unknown = all;
const policies: Policies = {
  signIn: {
    timeout: 200,
    decide(about) {
      asked.push(about);
      return answer(about) as SignInAnswer;
    },
  },
};

let server: TestServer;
let app: TestClient;
let person: Person;
beforeAll(async () => {
  server = await startServer({ config: { policies } });
  app = await server.addClient({ grantTypes: ["authorization_code", "refresh_token", "password"] });
  person = await server.addPerson();
});
afterAll(() => server.stop());
afterEach(() => {
  answer = all;
  asked.length = 0;
});

const browser = () => new Agent(server.issuer);
const url = (changes: Record<string, string> = {}) => authorizeUrl(server, app, changes);
/** The policy says no about apps that use a session, and yes about every sign-in. */
const noToRequests = ({ when }: SignInFacts) =>
  when === "request" ? { allow: false, message: "Not this app." } : all();
const signedIn = (agent: Agent) => agent.cookies.has("assent_session");
const errorOf = ({ location }: Page) => location?.searchParams.get("error");

describe("what is wrong → a page with status 500, and nobody is signed in", () => {
  test.each<[string, (about: SignInFacts) => unknown, string]>([
    ["it throws", () => Promise.reject(new TypeError("no")), "the code threw TypeError"],
    ["it never answers", () => new Promise(() => undefined), "no answer after 200 ms"],
    ["nothing", () => undefined, "the answer has no allow"],
    ["true", () => true, "the answer has no allow"],
    ["allow is a text", () => ({ allow: "yes" }), "the answer has no allow"],
    ["a level that is none", () => ({ allow: true, require: "1fa" }), "require is neither mfa nor phr"],
    ["the question is changed", (about) => Object.assign(about, { acr: "phr" }), "the code threw TypeError"],
    ["a list of the question is changed", (about) => (about.amr as string[]).push("mfa"), "the code threw TypeError"],
  ])("%s", async (_, gives, why) => {
    answer = gives;
    const [agent, from] = [browser(), server.log.length];
    const page = await signIn(agent, person.username);
    expect([page.status, signedIn(agent)]).toEqual([500, false]);
    expect(page.text).toContain("Your sign-in could not be checked");
    expect(page.text).not.toContain(why);
    expect(server.log.slice(from).find((line) => line.includes("sign_in_policy_failed"))).toContain(why);
  });
});

test("asked after the right password with what is known; a wrong password asks nothing", async () => {
  const agent = browser();
  await agent.get(url());
  const form = formWith(await agent.get(url()), "password");
  await agent.submit(form, { username: person.username, password: "wrong" });
  expect(asked).toEqual([]);
  await signIn(agent, person.username, await agent.get(url()));
  const { signal: _, ...about } = asked[0] as SignInFacts;
  expect(about).toEqual({
    ...{ when: "sign_in", sub: person.personId, username: person.username, companies: [], acr: "1fa", amr: ["pwd"] },
    ...{ provider: null, authTime: expect.any(Number), clientId: app.clientId, address: "127.0.0.1" },
    ...{ knownDevice: false, at: expect.any(Number) },
  });
  // The page of the app asks again, about the session.
  expect(asked.map(({ when, knownDevice }) => [when, knownDevice])).toEqual([
    ["sign_in", false],
    ["request", true],
  ]);
});

test("refused → 403 with the message alone, no session, an event and a ticket with the reason", async () => {
  answer = () => ({ allow: false, message: "Only from the <office>.", reason: "address\nis abroad" });
  const agent = browser();
  const page = await signIn(agent, person.username, await agent.get(url()));
  expect([page.status, signedIn(agent)]).toEqual([403, false]);
  expect(page.text).toContain("Only from the &lt;office>.");
  expect(page.text).not.toContain("abroad");
  const { storage } = server.assent;
  const found = () =>
    storage.refusals.list({ condition: "sign_in_policy_denied", clientId: null, before: null, limit: 1 });
  await expect.poll(found).toMatchObject([{ detail: "address is abroad", path: "/login" }]);
  const { chain } = storage.events;
  const events = async () => (await chain({ after: 0, limit: 1000 })).filter(({ kind }) => kind === "sign_in.refused");
  const details = { step: "policy", reason: "denied", network: "127.0.0.1" };
  await expect
    .poll(async () => (await events()).map(({ record }) => JSON.parse(record)), { timeout: 10_000 })
    .toContainEqual(
      expect.objectContaining({
        subject: person.personId,
        client_id: app.clientId,
        details: expect.objectContaining(details),
      }),
    );
});

test("refused without a message → the server's text, in the reader's language", async () => {
  answer = () => ({ allow: false });
  const page = await signIn(new Agent(server.issuer, { "accept-language": "de" }), person.username);
  expect(page.text).toContain("So können Sie sich nicht anmelden");
});

describe("more is required", () => {
  test("of somebody with a second step → it is asked for, and the policy is asked after it", async () => {
    const { person: two, app: codes } = await withSecondStep(server);
    asked.length = 0;
    answer = () => ({ allow: true, require: "mfa" });
    const agent = browser();
    const page = await signIn(agent, two.username);
    expect(signedIn(agent)).toBe(false);
    server.tick(30_000);
    await agent.submit(formWith(page, "code"), { code: codes.code() });
    expect([signedIn(agent), asked.map(({ acr }) => acr)]).toEqual([true, ["mfa"]]);
  });

  test("a level above the second step, without a passkey → refused after the code, too", async () => {
    const { person: two, app: codes } = await withSecondStep(server);
    answer = () => ({ allow: true, require: "phr" });
    const agent = browser();
    const page = await signIn(agent, two.username);
    server.tick(30_000);
    const after = await agent.submit(formWith(page, "code"), { code: codes.code() });
    expect([after.status, signedIn(agent)]).toEqual([403, false]);
    expect(after.text).toContain("needs a second step");
  });

  test("of somebody without one → a page that says so, and no session", async () => {
    answer = () => ({ allow: true, require: "mfa" });
    const agent = browser();
    const page = await signIn(agent, person.username);
    expect([page.status, signedIn(agent)]).toEqual([403, false]);
    expect(page.text).toContain("needs a second step");
  });

  test("a server that demands a second step itself, and a policy that allows all → the step is still demanded", async () => {
    const { person: two } = await withSecondStep(server);
    asked.length = 0;
    const agent = browser();
    await signIn(agent, two.username);
    expect([signedIn(agent), asked]).toEqual([false, []]);
  });
});

describe("somebody who is signed in already", () => {
  test("the policy refuses the app → a page, no code; prompt=none → access_denied for the app", async () => {
    const agent = browser();
    await authorize(agent, url(), person.username);
    answer = noToRequests;
    const page = await agent.get(url());
    expect([page.status, page.location]).toEqual([403, undefined]);
    expect(page.text).toContain("Not this app.");
    const silent = await agent.get(url({ prompt: "none" }));
    expect(errorOf(silent)).toBe("access_denied");
    expect(silent.location?.href).not.toContain("Not%20this");
  });

  test("the answer of the policy changes while the consent page is open → no code", async () => {
    const agent = browser();
    const page = await signIn(agent, (await server.addPerson()).username, await agent.get(url()));
    const form = consentForm(page);
    answer = noToRequests;
    const after = await agent.submit(form, { decision: "allow" });
    expect([after.status, after.location]).toEqual([403, undefined]);
  });

  test("a standing consent does not go past the policy, nor one that throws", async () => {
    const agent = browser();
    await authorize(agent, url(), person.username);
    expect((await agent.get(url())).location?.searchParams.has("code")).toBe(true);
    answer = noToRequests;
    expect((await agent.get(url())).status).toBe(403);
    answer = () => Promise.reject(new Error("down"));
    expect((await agent.get(url())).status).toBe(500);
    expect(errorOf(await agent.get(url({ prompt: "none" })))).toBe("server_error");
  });

  test("more is required for the app → the way to set it up; prompt=none → login_required", async () => {
    const agent = browser();
    await signIn(agent, person.username);
    answer = ({ when }) => ({ allow: true, ...(when === "request" && { require: "mfa" }) });
    expect((await agent.get(url())).text).toContain("more secure sign-in");
    expect(errorOf(await agent.get(url({ prompt: "none" })))).toBe("login_required");
  });
});

test("a device: refused at the sign-in and for a session that exists; the device gets no token", async () => {
  const tv = await aDeviceClient(server);
  const device = await aDevice(server, tv);
  answer = noToRequests;
  const agent = browser();
  const page = await enter(agent, device.userCode, person.username);
  expect(page.status).toBe(403);
  expect(asked.at(-1)).toMatchObject({ when: "request", clientId: tv.clientId });
  answer = all;
  await decide(agent, device.userCode, person.username);
  expect((await poll(server, tv, device.deviceCode)).status).toBe(200);
});

test("the password grant: refused, more required or broken → exactly the answer of a wrong password", async () => {
  const ask = (password = PASSWORD) =>
    postForm(server, "/token", app, { grant_type: "password", username: person.username, password, scope: "read" });
  const wrong = await ask("wrong");
  const seen = ({ status, body }: typeof wrong) => [status, body["error"], body["error_description"]];
  for (const gives of [{ allow: false }, { allow: true, require: "mfa" }, undefined]) {
    answer = () => gives;
    expect(seen(await ask())).toEqual(seen(wrong));
  }
  answer = all;
  expect((await ask()).status).toBe(200);
  expect(asked.at(-1)).toMatchObject({ when: "password_grant", clientId: app.clientId, amr: ["pwd"] });
});
