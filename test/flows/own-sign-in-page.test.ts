/** The operator's own sign-in page: browsers go to it, its back end answers, and what waits here goes on. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { externalSignInProblems } from "../../packages/server/src/configured-external-sign-in.ts";
import { addCompany, claimsOf } from "../support/company-staff.ts";
import { aDevice, aDeviceClient } from "../support/device-actor.ts";
import { expectRedirectError } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, redeem, signIn } from "../support/http-browser.ts";
import {
  accepted,
  anAccept,
  callAs,
  challengeOf,
  PAGE,
  pressOwnPage,
  signInAtPage,
  startWithPage,
  type WithPage,
} from "../support/own-sign-in-page.ts";
import { isSignedIn } from "../support/sign-in-providers.ts";
import { PASSWORD, type TestClient } from "../support/test-server.ts";

let at: WithPage;
let app: TestClient;

beforeAll(async () => {
  at = await startWithPage({ emailDomains: ["acme.test"] });
  app = await at.server.addClient();
});
afterAll(() => at.server.stop());

const begin = (agent: Agent, changes: Record<string, string> = {}) => agent.get(authorizeUrl(at.server, app, changes));
const read = async (challenge: string) => (await callAs(at, "challenge", { challenge })).body;
const personOf = (fields: { readonly preferred_username?: string | undefined }) =>
  at.server.assent.storage.people.findByName({ name: fields.preferred_username ?? "" });

describe("wrong settings", () => {
  const good = { url: PAGE, name: "Acme", clients: ["acme"] };
  test.each<[string, unknown]>([
    ["no object", "https://acme.test"],
    ["no address", { ...good, url: undefined }],
    ["an address without TLS", { ...good, url: "http://acme.test/" }],
    ["an address with a password", { ...good, url: "https://a:b@acme.test/" }],
    ["an address with a challenge", { ...good, url: `${PAGE}?challenge=x` }],
    ["an address with a fragment", { ...good, url: `${PAGE}#x` }],
    ["no name", { ...good, name: " " }],
    ["no clients", { ...good, clients: [] }],
    ["another word", { ...good, builtIn: "off" }],
    ["an unknown level", { ...good, acrValues: ["silver"] }],
    ["a proof with a space", { ...good, amrValues: ["a b"] }],
    ["a domain in capitals", { ...good, emailDomains: ["Acme.test"] }],
    ["a text as a flag", { ...good, createPeople: "no" }],
    ["an unknown policy", { ...good, whenDisabled: "delete" }],
    ["an unknown key", { ...good, trustEmail: true }],
  ])("%s → one problem", (_, settings) => {
    expect(externalSignInProblems(settings)).toHaveLength(1);
  });

  test("an http address on this machine, and everything else set → none", () => {
    const all = { builtIn: "beside", acrValues: ["1fa", "mfa"], amrValues: ["pwd"], emailDomains: ["acme.test"] };
    const settings = {
      ...good,
      ...all,
      url: "http://localhost:4000/in?tenant=1",
      createPeople: false,
      whenDisabled: "end",
    };
    expect(externalSignInProblems(settings)).toEqual([]);
  });
});

describe("an app's request", () => {
  test("→ the browser goes to the page, and the back end reads what it is about", async () => {
    const agent = new Agent(at.server.issuer);
    const begun = await begin(agent, {
      scope: "read profile",
      login_hint: "ada",
      ui_locales: "de en",
      acr_values: "mfa",
    });
    expect([begun.status, begun.headers.get("cache-control")]).toEqual([303, "no-store"]);
    const challenge = challengeOf(begun);
    expect(challenge.length).toBeLessThan(700);
    const about = await read(challenge);
    expect(about).toMatchObject({
      purpose: "app",
      client: { client_id: app.clientId, client_name: app.name, logo_uri: null },
      scopes: [{ name: "read" }, { name: "profile" }],
      ...{ login_hint: "ada", ui_locales: "de en", acr_values: "mfa", acr: "mfa", max_age: null, prompt: [] },
      ...{ choose_account: false, signed_in: null },
    });
    const now = Math.floor(at.server.now() / 1000);
    expect(Number(about["expires_at"]) - now).toBeGreaterThan(590);
    expect(now - Number(about["auth_time_min"])).toBeGreaterThan(6 * 86_400);
    // Another request for the same page says the same: reading changes nothing.
    expect(await read(challenge)).toEqual(about);
  });

  test("accepted → a new account, consent, tokens; the next time the same account", async () => {
    const agent = new Agent(at.server.issuer);
    const fields = anAccept(at.server, {
      name: "Grace Hopper",
      email: "Grace@Acme.test",
      email_verified: "true",
      amr: "pwd",
    });
    const consent = await signInAtPage(at, agent, await begin(agent), fields);
    const allowed = await agent.submit(consentForm(consent), { decision: "allow" });
    if (allowed.location === undefined) throw new Error("no answer for the app");
    expect((await redeem(at.server, app, allowed.location)).status).toBe(200);
    const person = await personOf(fields);
    expect(person).toMatchObject({ name: "Grace Hopper", email: "grace@acme.test", passwordHash: null, operator: [] });
    expect(person?.emailVerifiedAt).toBeTypeOf("number");
    const again = new Agent(at.server.issuer);
    await signInAtPage(at, again, await begin(again), fields);
    expect(await isSignedIn(again)).toBe(true);
    const links = await at.server.assent.storage.subjectLinks.list({ issuerId: "external", limit: 1000, after: null });
    expect(links.filter(({ subject }) => subject === fields["subject"])).toHaveLength(1);
  });

  test("LD-19 rejected with access_denied → the app gets it, and a later accept is refused", async () => {
    const agent = new Agent(at.server.issuer);
    const challenge = challengeOf(await begin(agent));
    const rejected = await callAs(at, "reject", { challenge, error: "access_denied" });
    expect(await callAs(at, "reject", { challenge, error: "access_denied" })).toEqual(rejected);
    expect(await callAs(at, "accept", { challenge, ...anAccept(at.server) })).toMatchObject({ status: 409 });
    expectRedirectError(await agent.get(String(rejected.body["redirect_to"])), at.server, "access_denied");
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("cancelled → the person reads it, and begins again with the same request", async () => {
    const agent = new Agent(at.server.issuer);
    const { body } = await callAs(at, "reject", { challenge: challengeOf(await begin(agent)), error: "cancelled" });
    const page = await agent.get(String(body["redirect_to"]));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("You stopped the sign-in at")]);
    expect(page.forms.some(({ fields }) => fields.has("password"))).toBe(false);
    const consent = await signInAtPage(at, agent, await pressOwnPage(agent, page));
    expect(consentForm(consent)).toBeDefined();
  });

  test("prompt=none → login_required at once, nobody goes to the page", async () => {
    expectRedirectError(await begin(new Agent(at.server.issuer), { prompt: "none" }), at.server, "login_required");
  });

  test("a request that is too long for an address → a page that says so", async () => {
    const state = randomBytes(3000).toString("base64url");
    const page = await begin(new Agent(at.server.issuer), { state, nonce: randomBytes(1500).toString("base64url") });
    expect([page.status, page.location]).toEqual([400, undefined]);
  });
});

describe("how recent the sign-in must be", () => {
  const signedIn = async () => {
    const agent = new Agent(at.server.issuer);
    const fields = anAccept(at.server);
    await signInAtPage(at, agent, await agent.get("/login"), fields);
    return { agent, fields };
  };
  const ago = (seconds: number) => String(Math.floor(at.server.now() / 1000) - seconds);

  test.each([
    ["prompt", "login"],
    ["max_age", "0"],
  ])("%s=%s → an older auth_time is refused, a new one goes on", async (name, value) => {
    const { agent, fields } = await signedIn();
    at.server.tick(120_000);
    const begun = await begin(agent, { [name]: value });
    const challenge = challengeOf(begun);
    expect(await read(challenge)).toMatchObject({
      ...{ signed_in: { subject: fields["subject"] }, choose_account: false },
    });
    const old = await callAs(at, "accept", { challenge, ...fields, auth_time: ago(100) });
    expect(old).toMatchObject({
      status: 400,
      body: { error_uri: expect.stringContaining("external_auth_time_not_accepted") },
    });
    const consent = await signInAtPage(at, agent, begun, { ...fields, auth_time: ago(0) });
    expect(consentForm(consent)).toBeDefined();
  });

  test("prompt=select_account → somebody else may sign in, without a password for an account that the page knows", async () => {
    const { agent } = await signedIn();
    const begun = await begin(agent, { prompt: "select_account" });
    expect(await read(challengeOf(begun))).toMatchObject({ choose_account: true });
    const other = anAccept(at.server, { auth_time: ago(3600) });
    const consent = await signInAtPage(at, agent, begun, other);
    expect(consentForm(consent)).toBeDefined();
    expect(consent.text).toContain(other["preferred_username"]);
  });

  test("somebody else than who is signed in, without a choice → nobody is replaced, and the way to the other account", async () => {
    const { agent, fields } = await signedIn();
    const page = await signInAtPage(at, agent, await begin(agent, { prompt: "login" }));
    expect([page.status, page.forms.some(({ action }) => action.endsWith("/login/switch"))]).toEqual([403, true]);
    expect((await agent.get("/account/profile")).text).toContain(fields["preferred_username"]);
  });

  test("max_age, nobody signed in → a sign-in of that age is enough", async () => {
    const agent = new Agent(at.server.issuer);
    const begun = await begin(agent, { max_age: "600" });
    expect(await read(challengeOf(begun))).toMatchObject({ max_age: 600 });
    const challenge = challengeOf(begun);
    expect(await callAs(at, "accept", { challenge, ...anAccept(at.server), auth_time: ago(700) })).toMatchObject({
      status: 400,
    });
    const consent = await signInAtPage(at, agent, begun, { ...anAccept(at.server), auth_time: ago(500) });
    expect(consentForm(consent)).toBeDefined();
  });
});

describe("pages of the account", () => {
  test("/login → leads to the page by itself, and back to the apps", async () => {
    const agent = new Agent(at.server.issuer);
    const login = await agent.get("/login");
    expect(login.headers.get("refresh")).toMatch(/^0; url=https:\/\/acme\.test\/sign-in\?challenge=/);
    expect(await read(challengeOf(login))).toMatchObject({ purpose: "account", client: null, scopes: [] });
    await signInAtPage(at, agent, login);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("a sensitive page after ten minutes → confirmed at the page, by the same person only", async () => {
    const agent = new Agent(at.server.issuer);
    const fields = anAccept(at.server);
    await signInAtPage(at, agent, await agent.get("/login"), fields);
    at.server.tick(11 * 60_000);
    const now = () => ({ auth_time: String(Math.floor(at.server.now() / 1000)) });
    const confirm = await agent.follow(await agent.get("/account/security/authenticator"));
    expect(confirm.forms.some((form) => form.fields.has("password"))).toBe(false);
    const begun = await pressOwnPage(agent, confirm);
    const challenge = challengeOf(begun);
    expect(await read(challenge)).toMatchObject({ purpose: "confirm", signed_in: { subject: fields["subject"] } });
    expect(await callAs(at, "accept", { challenge, ...fields })).toMatchObject({ status: 400 });
    const other = await agent.get(
      String((await callAs(at, "accept", { challenge, ...anAccept(at.server) })).body["redirect_to"]),
    );
    expect([other.status, other.text]).toEqual([
      403,
      expect.stringContaining("isn’t connected to the account that you use here"),
    ]);
    const page = await signInAtPage(at, agent, await pressOwnPage(agent, other), { ...fields, ...now() });
    expect(page.text).toContain("Set up an authenticator app");
  });

  test("the page is the only way in → nobody disconnects it, not even with a passkey or password left from before", async () => {
    const agent = new Agent(at.server.issuer);
    const fields = anAccept(at.server);
    await signInAtPage(at, agent, await agent.get("/login"), fields);
    const security = await agent.get("/account/security");
    expect(security.text).toContain("Connected");
    expect(security.text).not.toContain("/identities/remove");
    const person = await personOf(fields);
    const [link] = person === undefined ? [] : await at.server.assent.storage.subjectLinks.ofPerson(person);
    const confirm = await agent.get(`/account/security/identities/remove?id=${link?.link}`);
    const form = confirm.forms.find(({ action }) => action.endsWith("/identities/remove"));
    if (form !== undefined) await agent.submit(form);
    expect(person && (await at.server.assent.storage.subjectLinks.ofPerson(person))).toHaveLength(1);
  });

  test("the built-in ways in are closed: the password, mail, other providers", async () => {
    const person = await at.server.addPerson();
    const agent = new Agent(at.server.issuer);
    const login = await agent.get("/login");
    expect(login.forms.flatMap(({ fields }) => [...fields.keys()])).not.toContain("password");
    const [form] = login.forms;
    const csrf = form?.fields.get("csrf") ?? "";
    await agent.post("/login", { csrf, username: person.username, password: PASSWORD });
    expect(await isSignedIn(agent)).toBe(false);
    for (const path of ["/recover", "/sign-up"]) expect((await agent.get(path)).status, path).toBe(404);
  });
});

describe("a page that says how strong the sign-in was, beside the built-in one", () => {
  let beside: WithPage;
  let own: TestClient;
  beforeAll(async () => {
    beside = await startWithPage({
      builtIn: "beside",
      acrValues: ["1fa", "mfa"],
      amrValues: ["pwd", "otp"],
      emailDomains: ["there.test"],
    });
    own = await beside.server.addClient();
  });
  afterAll(() => beside.server.stop());
  const viaButton = async (agent: Agent, path: string) => pressOwnPage(agent, await agent.get(path));
  const asks = (changes: Record<string, string> = {}) => authorizeUrl(beside.server, own, changes);

  test("the password, and the button to the page → each signs in", async () => {
    const person = await beside.server.addPerson();
    const agent = new Agent(beside.server.issuer);
    await signIn(agent, person.username);
    expect(await isSignedIn(agent)).toBe(true);
    const other = new Agent(beside.server.issuer);
    await signInAtPage(beside, other, await viaButton(other, "/login"), anAccept(beside.server));
    expect(await isSignedIn(other)).toBe(true);
  });

  test("a stronger sign-in is demanded → the page is asked once; 1fa there → this server says what is missing", async () => {
    const fields = anAccept(beside.server);
    const agent = new Agent(beside.server.issuer);
    await signInAtPage(beside, agent, await viaButton(agent, "/login"), fields);
    beside.server.tick(60_000);
    const url = asks({ acr_values: "mfa" });
    const begun = await agent.get(url);
    const { body } = await callAs(beside, "challenge", { challenge: challengeOf(begun) });
    expect(body).toMatchObject({ acr: "mfa", signed_in: { subject: fields["subject"] } });
    const again = { ...fields, auth_time: String(Math.floor(beside.server.now() / 1000)) };
    const weak = await signInAtPage(beside, agent, begun, again);
    expect([weak.status, weak.forms.some(({ action }) => action.endsWith("/login/stronger"))]).toEqual([200, true]);
    beside.server.tick(1000);
    const strong = { ...again, auth_time: String(Math.floor(beside.server.now() / 1000)), acr: "mfa", amr: "pwd otp" };
    const consent = await signInAtPage(beside, agent, await agent.get(url), strong);
    const allowed = await agent.submit(consentForm(consent), { decision: "allow" });
    if (allowed.location === undefined) throw new Error("no answer for the app");
    const { body: tokens } = await redeem(beside.server, own, allowed.location);
    expect(claimsOf(tokens.access_token)).toMatchObject({ acr: "mfa", amr: ["fed", "pwd", "otp"] });
  });

  test("a person with an account connects the page to it: both are proved, and the question names both", async () => {
    const person = await beside.server.addPerson({ name: "Ada Here" });
    const agent = new Agent(beside.server.issuer);
    await signIn(agent, person.username);
    const security = await agent.get("/account/security");
    const form = security.forms.find(({ action }) => action.endsWith("/connect/begin"));
    if (form === undefined) throw new Error("no way to connect");
    const begun = await agent.submit(form, { provider: "external" });
    const fields = anAccept(beside.server, { email: "ada@there.test" });
    expect((await callAs(beside, "challenge", { challenge: challengeOf(begun) })).body).toMatchObject({
      purpose: "connect",
    });
    const to = await accepted(beside, begun, fields);
    // Another browser's session can't finish it.
    const stranger = new Agent(beside.server.issuer);
    expect((await stranger.get(to)).status).toBe(400);
    const question = await agent.follow(await agent.get(to));
    expect(question.text).toContain("ada@there.test");
    const answer = question.forms.find(({ action }) => action.endsWith("/security/connect"));
    if (answer === undefined) throw new Error("no question");
    await agent.follow(await agent.submit(answer));
    const other = new Agent(beside.server.issuer);
    await signInAtPage(beside, other, await viaButton(other, "/login"), fields);
    expect((await other.get("/account/profile")).text).toContain("Ada Here");
  });

  test("a device that waits → the page doesn't learn which app, and the device's question comes after it", async () => {
    const tv = await aDeviceClient(beside.server);
    const { userCode } = await aDevice(beside.server, tv, { scope: "read" });
    const agent = new Agent(beside.server.issuer);
    const device = await agent.get("/device");
    const typed = device.forms.find(({ fields }) => fields.has("user_code"));
    if (typed === undefined) throw new Error("no field for the code");
    const begun = await pressOwnPage(agent, await agent.submit(typed, { user_code: userCode }));
    const { body } = await callAs(beside, "challenge", { challenge: challengeOf(begun) });
    expect(body).toMatchObject({ purpose: "device", client: null, scopes: [] });
    expect((await signInAtPage(beside, agent, begun)).text).toContain(userCode);
  });

  test("a device that needs a second factor → the way to the page, which reads the level and may prove it", async () => {
    await beside.server.addScope({ name: "pay", description: "Pay", resource: "https://api.test", acr: "mfa" });
    const tv = await aDeviceClient(beside.server, { scopes: ["pay"] });
    const { userCode } = await aDevice(beside.server, tv, { scope: "pay" });
    const fields = anAccept(beside.server);
    const agent = new Agent(beside.server.issuer);
    await signInAtPage(beside, agent, await viaButton(agent, "/login"), fields);
    const typed = (await agent.get("/device")).forms.find((form) => form.fields.has("user_code"));
    if (typed === undefined) throw new Error("no field for the code");
    const begun = await pressOwnPage(agent, await agent.follow(await agent.submit(typed, { user_code: userCode })));
    const { body } = await callAs(beside, "challenge", { challenge: challengeOf(begun) });
    expect(body).toMatchObject({ purpose: "device", client: null, scopes: [], acr: "mfa" });
    const again = () => ({ ...fields, auth_time: String(Math.floor(beside.server.now() / 1000)) });
    const weak = await signInAtPage(beside, agent, begun, again());
    expect(weak.text).not.toContain(userCode);
    beside.server.tick(1000);
    const strong = { ...again(), acr: "mfa", amr: "pwd otp" };
    expect((await signInAtPage(beside, agent, await pressOwnPage(agent, weak), strong)).text).toContain(userCode);
  });

  test("a company's invitation → the person comes back to it", async () => {
    const { admin, slug } = await addCompany(beside.server);
    const adminAgent = new Agent(beside.server.issuer);
    await signIn(adminAgent, admin.username);
    const members = await adminAgent.get(`/company/${slug}/members`);
    const invite = members.forms.find(({ action }) => action.endsWith("/members/invite"));
    if (invite === undefined) throw new Error("no form to invite");
    const invited = await adminAgent.submit(invite, { addressee: "new@there.test", role: "member" });
    const link = /http[^"<\s]*\/invitation\?token=[\w-]+/.exec(invited.text)?.[0] ?? "";
    const agent = new Agent(beside.server.issuer);
    const begun = await viaButton(agent, link);
    expect((await callAs(beside, "challenge", { challenge: challengeOf(begun) })).body).toMatchObject({
      purpose: "invitation",
    });
    const fields = anAccept(beside.server, { email: "new@there.test", email_verified: "true" });
    const page = await signInAtPage(beside, agent, begun, fields);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Acme Corp")]);
    expect(page.forms.some(({ action }) => action.endsWith("/invitation"))).toBe(true);
  });

  test("the back end says that somebody signed out, or was disabled → sessions end, and no sign-in", async () => {
    const fields = anAccept(beside.server);
    const agent = new Agent(beside.server.issuer);
    await signInAtPage(beside, agent, await viaButton(agent, "/login"), fields);
    const say = async (change: string) => {
      const { clientId, secret } = beside.backEnd;
      const asked = { provider: "external", subject: fields["subject"] ?? "", change };
      const answer = await fetch(`${beside.server.issuer}/upstream/change`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}` },
        body: new URLSearchParams(asked),
      });
      return answer.status;
    };
    expect(await say("signed_out")).toBe(200);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await say("disabled")).toBe(200);
    const page = await signInAtPage(beside, agent, await viaButton(agent, "/login"), fields);
    expect([page.status, await isSignedIn(agent)]).toEqual([403, false]);
  });
});
