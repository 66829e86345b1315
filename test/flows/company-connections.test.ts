/**
 * A company's admin connects an app with another server, and the app gets ID-JAGs for the company's members
 * (draft-ietf-oauth-identity-assertion-authz-grant §4.3).
 */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { changeClient, expectRefusal, type SignedInPerson, signedInPerson, tokensOf } from "../support/back-channel.ts";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { Agent, authorizeUrl, type Form, type Page, signIn, type TokenAnswer } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { conditionOf, exchange, exchanging, TOKEN_EXCHANGE, typeOf } from "../support/token-exchange.ts";

const DAY = 86_400_000;
const CHAT = "https://as.chat.test";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const offer = (changes: Partial<Connection> = {}): Connection => ({
  ...{ audience: CHAT, company: null, clientId: "wiki-at-chat", scopes: ["chat:read", "chat:write"], resources: [] },
  ...{
    status: "offered",
    name: "Chat",
    texts: { "chat:read": "Read your chats", "chat:write": "Write in your chats" },
  },
  ...changes,
});

let apps = 0;
async function anApp(connections: readonly Connection[] = [offer()]): Promise<TestClient> {
  const grantTypes = ["authorization_code", "refresh_token", TOKEN_EXCHANGE];
  const tokenExchange = exchanging({ connections });
  return server.addClient({ name: `Wiki ${++apps}`, grantTypes, scopes: ["openid", "read"], tokenExchange });
}

const aCompany = () => addCompany(server, { defaultRule: "members" });

async function as(person: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

const pathOf = ({ location }: Page) => location?.href.slice(server.issuer.length);
const place = (company: TestCompany, part = "") => `/company/${company.slug}/connections${part}`;
const pair = (app: TestClient, at = CHAT) => `?${new URLSearchParams({ app: app.clientId, at })}`;
const done = (company: TestCompany, what: string) => place(company, `?done=${what}`);

function formTo(page: Page, action: string): Form {
  const form = page.forms.find((one) => one.action.endsWith(action));
  if (form === undefined) throw new Error(`no form to ${action}: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

const formOf = async (admin: Agent, company: TestCompany, app: TestClient) =>
  formTo(await admin.get(place(company, `/app${pair(app)}`)), "/connections/app");

const READ = { scope: "chat:read", duration: "2592000" };

async function connect(admin: Agent, company: TestCompany, app: TestClient, fields = {}): Promise<Page> {
  return admin.submit(await formOf(admin, company, app), { ...READ, ...fields });
}

async function remove(admin: Agent, company: TestCompany, app: TestClient): Promise<Page> {
  const question = await admin.get(place(company, `/remove${pair(app)}`));
  return admin.submit(formTo(question, "/connections/remove"));
}

const stored = ({ partition, companyId }: TestCompany) =>
  server.assent.storage.companyConnections.list({ partition, companyId });

interface SignIn {
  readonly person: SignedInPerson;
  readonly idToken: string;
  readonly refreshToken: string;
}

/** Null: for themself. */
async function signInAt(app: TestClient, person: Person, company: TestCompany | null): Promise<SignIn> {
  const signedIn = await signedInPerson(server, person);
  const owner = company === null ? person.personId : company.companyId;
  const { body, refresh } = await tokensOf(server, app, signedIn, { ask: { scope: "openid read" }, answer: { owner } });
  return { person: signedIn, idToken: String(body["id_token"]), refreshToken: refresh };
}

const ask = (app: TestClient, token: string, more: Record<string, string | undefined> = {}): Promise<TokenAnswer> =>
  exchange(server, app, token, {
    ...{ subject_token_type: typeOf("id_token"), requested_token_type: ID_JAG, audience: CHAT, ...more },
  });

async function expectNothing({ idToken, refreshToken }: SignIn, app: TestClient): Promise<void> {
  for (const answer of [
    await ask(app, idToken),
    await ask(app, refreshToken, { subject_token_type: typeOf("refresh_token") }),
  ]) {
    expect(answer.status).toBe(400);
    expect(answer.body.access_token).toBeUndefined();
    expect(["subject_token_refused", "cross_app_not_connected", "refresh_token_unknown"]).toContain(
      conditionOf(answer),
    );
  }
}

/** A company whose admin connected an app, and the sign-in of a member for the company. */
async function connected(fields: Record<string, string | string[]> = {}) {
  const [company, app] = [await aCompany(), await anApp()];
  const admin = await as(company.admin);
  const signedIn = await signInAt(app, company.member, company);
  expect(pathOf(await connect(admin, company, app, fields))).toBe(done(company, "connected"));
  return { company, app, admin, signedIn };
}

describe("IJ-01 a company's admin connects an app on the page", () => {
  test("the admin finds it by name, chooses what and until when → a member's app gets an ID-JAG with that, and both histories say so", async () => {
    const [company, app] = [await aCompany(), await anApp()];
    const admin = await as(company.admin);
    const signedIn = await signInAt(app, company.member, company);
    await expectNothing(signedIn, app);

    const list = await admin.get(place(company));
    expect(list.text).toContain("No app is connected");
    const found = await admin.get(place(company, `/find?q=${encodeURIComponent(app.name.toLowerCase())}`));
    expect(found.text).toContain(app.name);
    expect((await admin.get(place(company, "/find?q=chat"))).text).toContain(app.name);
    expect((await admin.get(place(company, `/find?q=${app.clientId}`))).text).not.toContain("/connections/app?");

    const page = await admin.get(place(company, `/app${pair(app)}`));
    for (const said of ["as.chat.test", "Read your chats", "Write in your chats", "learns who the member is"])
      expect(page.text).toContain(said);
    expect(page.text).not.toMatch(/name="scope"[^>]*checked/);
    expect(await stored(company)).toEqual([]);
    expect(pathOf(await connect(admin, company, app))).toBe(done(company, "connected"));

    const { status, body } = await ask(app, signedIn.idToken, { scope: "chat:read chat:write" });
    expect(status, JSON.stringify(body)).toBe(200);
    const claims = decodeJwt(body.access_token ?? "");
    const { personId } = company.member;
    expect(claims).toMatchObject({ sub: personId, aud: CHAT, client_id: "wiki-at-chat", scope: "chat:read" });

    const shown = await admin.get(done(company, "connected"));
    for (const said of [app.name, "Chat", "as.chat.test", "Read your chats", company.admin.username])
      expect(shown.text).toContain(said);
    expect(shown.text).not.toContain("Write in your chats");
    const history = await admin.get(`/company/${company.slug}/history`);
    expect(history.text).toMatch(/was connected with <bdi[^>]*>Chat<\/bdi> for the members/);
    expect(history.text.replaceAll(/<[^>]*>/g, "")).toContain(`may act for ${company.member.username} at `);
    const own = await signedIn.person.agent.get("/account/history");
    expect(own.text).toContain("act for you at");
    expect(own.text).toContain(company.name);
    const card = await signedIn.person.agent.get(`/company/${company.slug}`);
    for (const said of ["Chat", "as.chat.test", "Read your chats", "learns who you are"])
      expect(card.text).toContain(said);
  });

  test("an admin pauses the app for the company → it gets nothing, and the page says so; resumed → connected as before", async () => {
    const { company, app, admin, signedIn } = await connected();
    const { partition, companyId } = company;
    const pause = (paused: boolean) =>
      server.assent.storage.companyApps.setPaused({
        ...{ partition, companyId, clientId: app.clientId, paused, by: null, now: server.now() },
      });
    const plain = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    const read = async () => plain(await admin.get(place(company)));
    const readApp = async () => plain(await admin.get(`/company/${company.slug}/apps/${app.clientId}`));
    expect(await read()).toMatch(/Connected In Chat , it may Read your chats/);
    expect(await readApp()).toContain("In Chat , it may");
    await pause(true);
    await expectNothing(signedIn, app);
    expect(await read()).toMatch(
      /App paused In Chat , it could Read your chats An admin paused the app for Acme Corp \. Until an admin resumes it, the app gets nothing new by this connection\./,
    );
    expect(await readApp()).not.toContain("In Chat , it may");
    await pause(false);
    expect(await read()).toMatch(/Connected In Chat , it may Read your chats/);
    expect((await ask(app, signedIn.idToken)).status).toBe(200);
  });
});

test("a member is asked for consent → beside the company, the page says where else the app may act for them", async () => {
  const [company, app] = [await aCompany(), await anApp()];
  const plain = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const asked = async () => {
    const agent = await as(company.member);
    return plain(await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid read" }))));
  };
  expect(await asked()).not.toContain("may act for you");
  const admin = await as(company.admin);
  expect(pathOf(await connect(admin, company, app))).toBe(done(company, "connected"));
  expect(await asked()).toMatch(
    new RegExp(
      `${company.name} has connected this app with Chat . If you allow the app for ${company.name} , it may act for you there, too: Read your chats`,
    ),
  );
  await remove(admin, company, app);
  expect(await asked()).not.toContain("may act for you");
});

test("the app's access is about to end here → each page says that what it has there lasts", async () => {
  const { company, app, admin, signedIn } = await connected();
  const home = `/company/${company.slug}`;
  const plain = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
  const lasts = `The access that ${app.name} already has in Chat lasts until Chat ends it.`;
  const appPage = await admin.get(`${home}/apps/${app.clientId}`);
  expect(plain(appPage)).toMatch(/In Chat, it may *Read your chats/);
  const block = await admin.submit(formTo(appPage, `/apps/${app.clientId}`), { rule: "block" });
  const revoke = await admin.get(`${home}/revoke?client_id=${app.clientId}`);
  const remove = await admin.get(`${home}/members/remove?person_id=${company.member.personId}`);
  const { agent } = signedIn.person;
  const leave = await agent.get(`${home}/leave`);
  for (const page of [appPage, block, revoke, remove, leave, await agent.get(home)])
    expect(plain(page)).toContain(lasts);
  // Nobody acts for the admin.
  expect(plain(await admin.get(`${home}/leave`))).not.toContain(lasts);
  await agent.submit(formTo(await agent.get(home), "/opt-out"));
  expect(plain(await agent.get(home))).toContain(lasts);
});

test("an offer is withdrawn and made again → the page says before that the connection works again, and it does", async () => {
  const { company, app, admin, signedIn } = await connected();
  const change = (connections: readonly Connection[]) =>
    changeClient(server, app, { tokenExchange: exchanging({ connections }) });
  await change([]);
  await expectNothing(signedIn, app);
  const { text } = await admin.get(place(company));
  expect(text).toContain("If it is offered again, the app can use it again. To prevent that, remove it.");
  await change([offer()]);
  expect((await ask(app, signedIn.idToken)).status).toBe(200);
});

describe("IJ-02 what the admin did not connect", () => {
  test("another member's company, another server, another app, nobody's offer, a person's own sign-in → nothing", async () => {
    const { company, app } = await connected();
    const [other, otherApp] = [await aCompany(), await anApp()];
    const elsewhere = await signInAt(app, other.member, other);
    expectRefusal(await ask(app, elsewhere.idToken), "invalid_target");
    expectRefusal(await ask(otherApp, (await signInAt(otherApp, company.member, company)).idToken), "invalid_target");
    const alone = await server.addPerson();
    const stranger = await signInAt(app, alone, null);
    expectRefusal(await ask(app, stranger.idToken), "invalid_target");
    // The admin decides what acts for the company, not what acts for the member.
    const own = await signInAt(app, company.admin, null);
    expectRefusal(await ask(app, own.idToken), "invalid_target");
    const both = await signInAt(app, company.member, company);
    expect((await ask(app, both.idToken)).status).toBe(200);
    expectRefusal(await ask(app, both.idToken, { audience: "https://as.other.test" }), "invalid_target");
  });

  test("the operator's own connection for the company, active or paused, counts instead; an offer to one company is for it alone", async () => {
    const { company, app, admin, signedIn } = await connected();
    const operators = offer({ company: company.companyId, status: "active", scopes: ["chat:write"] });
    await changeClient(server, app, { tokenExchange: exchanging({ connections: [offer(), operators] }) });
    expect((await ask(app, signedIn.idToken)).body.scope).toBe("chat:write");
    const page = await admin.get(place(company));
    expect(page.text).toContain("Connected by the operator");
    expect((await admin.get(`/company/${company.slug}/apps/${app.clientId}`)).status).toBe(200);
    const paused = exchanging({ connections: [offer(), { ...operators, status: "paused" }] });
    await changeClient(server, app, { tokenExchange: paused });
    await expectNothing(signedIn, app);
    const onlyOther = exchanging({ connections: [offer({ company: (await aCompany()).companyId })] });
    await changeClient(server, app, { tokenExchange: onlyOther });
    await expectNothing(signedIn, app);
    expect((await admin.get(place(company, `/find?q=${encodeURIComponent(app.name)}`))).text).not.toContain(
      "/connections/app?",
    );
  });
});

describe("IJ-04 between the connection and the exchange", () => {
  type At = Awaited<ReturnType<typeof connected>>;
  test.each<[string, (at: At) => Promise<unknown>]>([
    [
      "the admin removed it",
      async ({ admin, company, app }) =>
        expect(pathOf(await remove(admin, company, app))).toBe(done(company, "removed")),
    ],
    ["the company blocks the app", ({ company, app }) => decide(server, company, app, { rule: "block" })],
    ["members must ask for the app now", ({ company, app }) => decide(server, company, app, { rule: "ask" })],
    [
      "the operator withdraws the offer",
      ({ app }) => changeClient(server, app, { tokenExchange: exchanging({ connections: [] }) }),
    ],
    [
      "the operator offers it for another client there",
      ({ app }) =>
        changeClient(server, app, { tokenExchange: exchanging({ connections: [offer({ clientId: "other" })] }) }),
    ],
    ["the operator takes the sign-in from the app", ({ app }) => changeClient(server, app, { scopes: ["read"] })],
    [
      "the member left",
      ({ company: { partition, companyId, member } }) =>
        server.assent.storage.members.remove({ partition, companyId, person: member, by: null, now: server.now() }),
    ],
    [
      "the member stopped the app",
      ({ company: { partition, companyId, member }, app: { clientId } }) =>
        server.assent.storage.companyApps.setOptOut({
          ...{ partition, companyId, clientId, personId: member.personId, out: true, now: server.now() },
        }),
    ],
    [
      "the member's session ended",
      ({ company: { member } }) => server.assent.storage.sessions.endAll({ ...member, now: server.now() }),
    ],
    [
      "the company is deleted",
      ({ company: { partition, companyId } }) =>
        server.assent.storage.companies.delete({ partition, companyId, now: server.now() }),
    ],
    [
      "the admins revoked the app",
      ({ company: { partition, companyId }, app: { clientId } }) =>
        server.assent.storage.companyApps.revokeForAll({ partition, companyId, clientId, by: null, now: server.now() }),
    ],
  ])("%s → nothing, with the ID token and the refresh token", async (_, happens) => {
    const at = await connected();
    expect((await ask(at.app, at.signedIn.idToken)).status).toBe(200);
    await happens(at);
    await settle();
    await expectNothing(at.signedIn, at.app);
  });

  test("a member whom the rule no longer covers → the admin's question and the member's page say that the app gets nothing new there", async () => {
    const { company, app, admin } = await connected();
    const member = await as(company.member);
    const card = async () => (await member.get(`/company/${company.slug}`)).text.replaceAll(/<[^>]*>/g, "");
    expect(await card()).toContain("There, it may act for you:");
    const place = `/company/${company.slug}/apps/${encodeURIComponent(app.clientId)}`;
    const question = await admin.submit(formTo(await admin.get(place), place), { rule: "ask" });
    expect(question.text.replaceAll(/<[^>]*>/g, "")).toContain("gets new access in Chat only for members who may");
    await decide(server, company, app, { rule: "ask" });
    expect(await card()).toContain("with Chat, but the rule about it doesn’t cover you.");
    expect(await card()).not.toContain("it may act for you");
  });

  test("its end comes → an ID-JAG ends with it, and then there is none; connected again → one", async () => {
    const { company, app, admin, signedIn } = await connected();
    const [made] = await stored(company);
    const endsAt = made?.endsAt ?? 0;
    expect(endsAt).toBeLessThanOrEqual(server.now() + 30 * DAY);
    server.tick(endsAt - server.now() - 60_000);
    const late = await signInAt(app, company.member, company);
    const { body } = await ask(app, late.idToken);
    expect(Number(decodeJwt(body.access_token ?? "").exp) * 1000).toBeLessThanOrEqual(endsAt);
    server.tick(60_001);
    await expectNothing(signedIn, app);
    await expectNothing(late, app);
    const again = await as(company.admin);
    const list = (await again.get(place(company))).text;
    expect([list.includes("Ended"), list.includes("it could"), list.includes("it may")]).toEqual([true, true, false]);
    expect(pathOf(await connect(again, company, app))).toBe(done(company, "saved"));
    const fresh = await signInAt(app, company.member, company);
    expect((await ask(app, fresh.idToken)).status).toBe(200);
    expect(admin.base).toBe(again.base);
  });
});

describe("IJ-05 never more than the admin chose, nor than is offered", () => {
  test("more scopes in the request → what was chosen; a smaller offer → less; a larger offer → not more", async () => {
    const { company, app, signedIn } = await connected({ scope: ["chat:read", "chat:write"] });
    expect((await ask(app, signedIn.idToken, { scope: "chat:read admin" })).body.scope).toBe("chat:read");
    expectRefusal(await ask(app, signedIn.idToken, { scope: "admin" }), "invalid_scope");
    expectRefusal(await ask(app, signedIn.idToken, { resource: "https://mcp.test" }), "invalid_target");
    const offering = (changes: Partial<Connection>) =>
      changeClient(server, app, { tokenExchange: exchanging({ connections: [offer(changes)] }) });
    await offering({ scopes: ["chat:write"], texts: {} });
    expect((await ask(app, signedIn.idToken)).body.scope).toBe("chat:write");
    await offering({ scopes: ["chat:read", "chat:write", "chat:admin"] });
    expect((await ask(app, signedIn.idToken)).body.scope).toBe("chat:read chat:write");
    // Without a resource, the ID-JAG would be for all of the other server.
    await offering({ resources: ["https://mcp.test"] });
    const { body } = await ask(app, signedIn.idToken);
    expect(decodeJwt(body.access_token ?? "")["resource"]).toBe("https://mcp.test");
    expect((await stored(company))[0]?.record.scopes).toEqual(["chat:read", "chat:write"]);
  });
});

describe("what an admin must never experience", () => {
  test("nothing ticked, a scope that is not offered, a time that is not offered → the form again, nothing stored", async () => {
    const [company, app] = [await aCompany(), await anApp()];
    const admin = await as(company.admin);
    for (const [fields, said] of [
      [{ scope: [] }, "Choose at least one permission"],
      [{ scope: "admin" }, "Choose at least one permission"],
      [{ duration: "" }, "Choose until when"],
      [{ duration: "forever" }, "Choose until when"],
      [{ duration: "99999999999" }, "Choose until when"],
      [{ duration: "same" }, "Choose until when"],
    ] as const) {
      const page = await connect(admin, company, app, fields);
      expect([page.status, page.text.includes(said)]).toEqual([400, true]);
    }
    const { status } = await connect(admin, company, app, { scope: ["chat:read", "admin"] });
    expect(status).toBe(303);
    expect((await stored(company))[0]?.record.scopes).toEqual(["chat:read"]);
  });

  test("an app, a server or an offer that is not what the page showed → nothing stored", async () => {
    const [company, app, other] = [await aCompany(), await anApp(), await anApp([])];
    const admin = await as(company.admin);
    expect(pathOf(await connect(admin, company, app, { at: "https://as.evil.test" }))).toBe(done(company, "gone"));
    expect(pathOf(await connect(admin, company, app, { app: other.clientId }))).toBe(done(company, "gone"));
    expect(pathOf(await connect(admin, company, app, { offer: "x" }))).toBe(done(company, "changed"));
    const form = await formOf(admin, company, app);
    await changeClient(server, app, { name: "Wíki" });
    expect(pathOf(await admin.submit(form, READ))).toBe(done(company, "changed"));
    const renamed = await formOf(admin, company, app);
    await changeClient(server, app, { tokenExchange: exchanging({ connections: [offer({ clientId: "another" })] }) });
    expect(pathOf(await admin.submit(renamed, READ))).toBe(done(company, "changed"));
    expect((await admin.get(place(company, `/app${pair(other)}`))).status).toBe(303);
    expect(await stored(company)).toEqual([]);
  });

  test("two admins → the second form changes nothing; a removal needs a question, and the connection that it showed", async () => {
    const { company, app, admin } = await connected();
    const second = await server.addPerson();
    await addMember(server, company, second, "admin");
    const other = await as(second);
    const form = await formOf(other, company, app);
    const removal = formTo(await other.get(place(company, `/remove${pair(app)}`)), "/connections/remove");
    expect(pathOf(await connect(admin, company, app, { scope: "chat:write" }))).toBe(done(company, "saved"));
    expect(pathOf(await other.submit(form, READ))).toBe(done(company, "changed"));
    expect(pathOf(await other.submit(removal))).toBe(done(company, "changed"));
    expect(pathOf(await other.submit(removal, { seen: "" }))).toBe(done(company, "gone"));
    expect((await stored(company))[0]?.record.scopes).toEqual(["chat:write"]);
    const question = await other.get(place(company, `/remove${pair(app)}`));
    expect(question.text).toContain("no new access in");
    expect(await stored(company)).toHaveLength(1);
    expect(pathOf(await remove(other, company, app))).toBe(done(company, "removed"));
    expect(pathOf(await remove(admin, company, app).catch(() => admin.get(done(company, "gone"))))).toBeUndefined();
    expect(await stored(company)).toEqual([]);
  });

  test("another company's address, a member, an operator, a form without its token → a refusal, nothing stored", async () => {
    const [company, app, other] = [await aCompany(), await anApp(), await aCompany()];
    const admin = await as(company.admin);
    const { fields } = await formOf(admin, company, app);
    const body = { ...Object.fromEntries(fields), ...READ };
    const operator = await server.addPerson({ operator: ["admin"] });
    for (const person of [company.member, operator, other.admin]) {
      const agent = await as(person);
      for (const part of ["", "/find", `/app${pair(app)}`, `/remove${pair(app)}`])
        expect([part, (await agent.get(place(company, part))).status]).toEqual([part, 404]);
      const csrf = formTo(await agent.get("/account/companies"), "/sign-out").fields.get("csrf") ?? "";
      for (const part of ["/app", "/remove"])
        expect((await agent.post(place(company, part), { ...body, csrf, seen: "1" })).status).toBe(404);
    }
    expect((await admin.post(place(other, "/app"), body)).status).toBe(404);
    for (const csrf of ["", "x"]) {
      expect((await admin.post(place(company, "/app"), { ...body, csrf })).status).toBe(403);
      expect((await admin.post(place(company, "/remove"), { ...body, csrf, seen: "1" })).status).toBe(403);
    }
    expect([...(await stored(company)), ...(await stored(other))]).toEqual([]);
  });

  test("a blocked app → no form, and no connection; a sign-in from long ago → the password first", async () => {
    const [company, app] = [await aCompany(), await anApp()];
    const admin = await as(company.admin);
    const form = await formOf(admin, company, app);
    await decide(server, company, app, { rule: "block" });
    expect(pathOf(await admin.submit(form, READ))).toBe(done(company, "blocked"));
    const page = await admin.get(place(company, `/app${pair(app)}`));
    expect(page.text).toContain("Change the rule about the app first");
    expect((await admin.get(`/company/${company.slug}/apps/${app.clientId}`)).status).toBe(200);
    await decide(server, company, app, null);
    server.tick(11 * 60_000);
    const proof = await connect(admin, company, app);
    expect(proof.status).toBe(200);
    expect(proof.text).toContain('name="current_password"');
    expect(await stored(company)).toEqual([]);
  });
});

test("more connections than one page shows → a page at a time, and the search finds those of other pages", async () => {
  const company = await aCompany();
  const connections = Array.from({ length: 25 }, (_, at) =>
    offer({
      audience: `https://as${at}.test`,
      name: `Chat ${String(at).padStart(2, "0")}`,
      company: company.companyId,
    }),
  );
  const app = await anApp(connections);
  const admin = await as(company.admin);
  const only = (page: Page) => page.text.match(/\/connections\/app\?/g)?.length ?? 0;
  const query = encodeURIComponent(app.name);
  const first = await admin.get(place(company, `/find?q=${query}`));
  const second = await admin.get(place(company, `/find?q=${query}&page=2`));
  expect([only(first), only(second)]).toEqual([20, 5]);
  expect(only(await admin.get(place(company, `/find?q=${query}&page=999`)))).toBe(5);
  expect(only(await admin.get(place(company, "/find?q=Chat%2024")))).toBe(1);
});
