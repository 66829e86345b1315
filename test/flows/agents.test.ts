/** The page "Agents": an owner pauses an app and lets it go on. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SelfRegistered } from "../../packages/server/src/oauth/model.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { atConsent } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  formTo,
  type Page,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let bound: { readonly id: string; readonly secret: string };
const AGENTS = "/account/agents";
const REGISTERED = {
  ...({ tokenHash: "hash", initialTokenId: null, policy: null, ceiling: null, appearance: "" } as const),
  ...({ applicationType: "web", contacts: [], softwareId: null, softwareVersion: null } as const),
  ...({ statement: null, statementIssuer: null, requireAuthTime: false } as const),
};

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "Assistant", scopes: ["read", "write", "bound"] });
  bound = await server.addResource({ identifier: "https://bound.test", name: "Bound API", grantBound: true });
  await server.addScope({ name: "bound", description: "Use the bound API", resource: "https://bound.test" });
});
afterAll(() => server.stop());

/** A person who allowed the client, with its tokens. */
async function someone(scope = "read", of = client) {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, of, { scope }), person.username);
  const { body } = await redeem(server, of, callback);
  return { ...person, agent, tokens: body };
}

/** The entry of an app on the page. */
function entryOf({ text }: Page, clientId = client.clientId): string {
  return text.split("<article").find((part) => part.includes(`data-client-id="${clientId}"`)) ?? "";
}

/** Presses the button of an app. */
async function press(agent: Agent, what: "pause" | "resume", clientId = client.clientId, at = AGENTS): Promise<Page> {
  const page = await agent.get(at);
  const form = page.forms.find(
    ({ action, fields }) => action === `${at}/${what}` && fields.get("client_id") === clientId,
  );
  if (form === undefined) throw new Error(`no form to ${what}: ${page.text.slice(0, 500)}`);
  return agent.follow(await agent.submit(form));
}

const introspect = async (token: string | undefined, who: { id: string; secret: string }) =>
  (await postForm(server, "/introspect", { clientId: who.id, secret: who.secret }, { token })).body;

describe("the page", () => {
  test("nobody signed in → the sign-in page; nothing allowed → it says so", async () => {
    expect((await new Agent(server.issuer).get(AGENTS)).location?.pathname).toBe("/login");
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    expect((await agent.get(AGENTS)).text).toContain("No app can act while you’re away");
  });

  test("an app that keeps access → listed with what it may do and used; one that doesn't → not", async () => {
    const brief = await server.addClient({ name: "Brief", grantTypes: ["authorization_code"] });
    const { agent, username } = await someone("read write");
    await redeem(server, brief, await authorize(agent, authorizeUrl(server, brief), username));
    const page = await agent.get(AGENTS);
    expect(entryOf(page, brief.clientId)).toBe("");
    const entry = entryOf(page);
    expect(entry).toContain("Assistant");
    expect(entry).toContain("Keeps access until");
    expect(entry).toContain("What it used");
    // Tokens that APIs verify themselves live on for a while, and the page says for how long.
    expect(entry).toMatch(/access stops within \d+ minutes/);
  });
});

describe("the permission to keep access while the owner is away", () => {
  const answer = { duration: "2592000", "duration:offline_access": "3600" };
  let away: TestClient;
  const registered: SelfRegistered = {
    ...{ tokenHash: "hash", initialTokenId: null, policy: null, ceiling: null, appearance: "", contacts: [] },
    ...{ applicationType: "web", softwareId: null, softwareVersion: null, statement: null, statementIssuer: null },
    requireAuthTime: false,
  };

  beforeAll(async () => {
    away = await server.addClient({ name: "Away", scopes: ["read", "write", "offline_access"] });
  });

  test("ends before the others → the card says both ends; after it, the card goes", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, away, { scope: "read offline_access" });
    const { body } = await redeem(server, away, await authorize(agent, url, username, answer));
    const entry = entryOf(await agent.get(AGENTS), away.clientId);
    const [, keeps = "", last = ""] =
      /Keeps access until<\/dt><dd>(.*?)<\/dd>.*Last permission ends<\/dt><dd>(.*?)<\/dd>/s.exec(entry) ?? [];
    const timeIn = (markup: string) => Date.parse(/datetime="([^"]+)"/.exec(markup)?.[1] ?? "");
    expect(timeIn(last) - timeIn(keeps)).toBe((2_592_000 - 3600) * 1000);
    server.tick(3_601_000);
    expect((await refresh(server, away, body.refresh_token)).body.error).toBe("invalid_grant");
    expect(entryOf(await agent.get(AGENTS), away.clientId)).toBe("");
    // It keeps what else was allowed, while the owner is there.
    expect(entryOf(await agent.get("/account/apps"), away.clientId)).toContain("Away");
  });

  test("ended, of an app that registered itself → the card says that it gets nothing while the owner is away", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const own = await server.addClient({ name: "Own", scopes: ["read", "offline_access"], registered });
    const url = authorizeUrl(server, own, { scope: "read offline_access" });
    await redeem(server, own, await authorize(agent, url, username, answer));
    expect(entryOf(await agent.get(AGENTS), own.clientId)).toContain("Keeps access until");
    server.tick(3_601_000);
    const entry = entryOf(await agent.get(AGENTS), own.clientId);
    expect(entry).toContain("It gets no new access while you’re away.");
    expect(entry).not.toContain("Keeps access until");
  });
});

test("a permission for this once beside lasting ones → the card names it, as the page of apps does", async () => {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, client, { scope: "read write" });
  await redeem(server, client, await authorize(agent, url, username, { "duration:write": "once" }));
  const shown = async (at: string) =>
    entryOf(await agent.get(at)).match(/<bdi>[^<]+<\/bdi> <span class="soft small">/g);
  const apps = await shown("/account/apps");
  expect(apps).toHaveLength(2);
  expect(await shown(AGENTS)).toEqual(apps);
});

test("an app that gets access by the operator's rules alone → listed, and its assertions give nothing while it is paused", async () => {
  const issuer = aJwtIssuer("https://idp.test");
  await trust(server, { issuer: issuer.issuer, type: "jwt", jwks: issuer.jwks, scopes: ["read"] });
  const robot = await server.addClient({ name: "Robot", grantTypes: [JWT_BEARER], redirectUris: [] });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  const use = async () =>
    (await present(server, robot, JWT_BEARER, jwtOf(issuer, claimsFor(server, issuer, username)))).status;
  expect(await use()).toBe(200);
  expect(entryOf(await agent.get(AGENTS), robot.clientId)).toContain("Robot");
  await press(agent, "pause", robot.clientId);
  expect(await use()).toBe(400);
  await press(agent, "resume", robot.clientId);
  expect(await use()).toBe(200);
});

test("a paused app whose consent ends, by the operator's rules alone → stays listed and stopped until it is resumed", async () => {
  const issuer = aJwtIssuer("https://over.test");
  await trust(server, { issuer: issuer.issuer, type: "jwt", jwks: issuer.jwks, scopes: ["read"] });
  const robot = await server.addClient({
    ...{ name: "Robot", grantTypes: [JWT_BEARER], redirectUris: [], consentCeiling: 3600 },
  });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  const use = async () =>
    (await present(server, robot, JWT_BEARER, jwtOf(issuer, claimsFor(server, issuer, username)))).status;
  expect(await use()).toBe(200);
  await press(agent, "pause", robot.clientId);
  server.tick(2 * 3_600_000);
  expect(await use()).toBe(400);
  const entry = entryOf(await agent.get(AGENTS), robot.clientId);
  expect(entry).toContain("What was allowed has ended since.");
  expect(entry).not.toContain("Keeps access until");
  await press(agent, "resume", robot.clientId);
  expect(await use()).toBe(200);
});

test("resumed after what was allowed has ended → the page doesn't say that the app can use it again", async () => {
  const { agent, username, tokens } = await someone();
  const url = authorizeUrl(server, client, { scope: "read", prompt: "consent" });
  await authorize(agent, url, username, { duration: "3600", "duration:read": "3600" });
  await press(agent, "pause");
  server.tick(2 * 3_600_000);
  const { text } = await press(agent, "resume");
  expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  expect(text).not.toContain("It can use what you allowed again.");
  expect(text).toContain("was resumed. But what you allowed has ended");
});

test("an app with access to several APIs → each that it used, also one that only asked about a token", async () => {
  const { agent, username } = await someone();
  const url = authorizeUrl(server, client, { scope: "read bound", prompt: "consent" });
  const callback = await authorize(agent, url, username);
  const first = await redeem(server, client, callback, { resource: "https://bound.test" });
  await expect.poll(async () => entryOf(await agent.get(AGENTS))).toContain("Bound API");
  expect(entryOf(await agent.get(AGENTS))).toMatch(/Bound API<\/bdi>, <time[^>]*>just now/);
  server.tick(3_600_000);
  const other = await refresh(server, client, first.body.refresh_token, { resource: "https://api.test" });
  await expect.poll(async () => entryOf(await agent.get(AGENTS))).toMatch(/Bound API<\/bdi>, <time[^>]*>1 hour ago/);
  expect(other.status).toBe(200);
});

describe("paused", () => {
  test("no refresh, and a token for a grant-bound API is inactive; resumed → the same refresh token works", async () => {
    const { agent, tokens } = await someone("bound");
    expect(await introspect(tokens.access_token, bound)).toMatchObject({ active: true });
    const page = await press(agent, "pause");
    expect(page.text).toContain("is paused. The access that it already has ends by");
    expect(entryOf(page)).toContain("It gets no new access until you resume it. What you allowed stays.");
    const refused = await refresh(server, client, tokens.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
    expect(await introspect(tokens.access_token, bound)).toEqual({ active: false });
    expect(await introspect(tokens.refresh_token, { id: client.clientId, secret: client.secret })).toEqual({
      active: false,
    });
    // The owner's other pages don't look as if it were over, nor as if it had access.
    expect(entryOf(page)).not.toMatch(/Keeps access until|It may</);
    expect(entryOf(page)).toMatch(/If resumed, it may.*If resumed, keeps access until/s);
    const apps = await agent.get("/account/apps");
    expect(apps.text).toContain("You paused this app");
    expect(apps.text).toContain("1 app that you allowed is paused or turned off.");
    expect(apps.text).toContain("<dt>If resumed, access ends</dt>");
    const later = await agent.follow(await agent.submit(formTo(apps, "/end"), { duration: "forever" }));
    expect(later.text.replaceAll(/<[^>]*>/g, "")).toContain(
      `${client.name} stays paused. If you resume it, it keeps its access until you revoke it.`,
    );
    const resumed = await press(agent, "resume");
    expect(resumed.text).toContain("was resumed. It can use what you allowed again.");
    const again = await refresh(server, client, tokens.refresh_token);
    expect(again.status).toBe(200);
    expect(await introspect(tokens.access_token, bound)).toMatchObject({ active: true });
    const history = await agent.get("/account/history");
    expect(history.text).toContain("You paused");
    const entry = history.text.split('class="entry"').find((one) => one.includes("You let"));
    expect(entry?.replaceAll(/<[^>]*>/g, "")).toMatch(/go on[\s\S]*It can until revoked: Use the bound API/);
  });

  test("UserInfo refuses the token; resumed → it answers again", async () => {
    const reader = await server.addClient({ name: "Reader", scopes: ["openid", "email"] });
    const { agent, tokens, email } = await someone("openid email", reader);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const ask = async () => {
      const answer = await fetch(`${server.issuer}/userinfo`, { headers });
      return [answer.status, answer.headers.get("www-authenticate"), await answer.json()];
    };
    await press(agent, "pause", reader.clientId);
    const challenge = expect.stringContaining('error="invalid_token"');
    expect(await ask()).toEqual([401, challenge, expect.not.objectContaining({ email })]);
    await press(agent, "resume", reader.clientId);
    expect(await ask()).toMatchObject([200, null, { email }]);
  });

  test("a token that an API verifies itself → introspection tells that it still works until it expires", async () => {
    const { agent, tokens } = await someone("read");
    await press(agent, "pause");
    const api = API;
    expect(await introspect(tokens.access_token, api)).toMatchObject({ active: true });
    server.tick(3_600_000);
    expect(await introspect(tokens.access_token, api)).toEqual({ active: false });
    expect(entryOf(await agent.get(AGENTS))).not.toContain("The access that it already has");
  });

  test("another owner's or no app, a second press, an old link → nothing is paused or said", async () => {
    const { agent, tokens } = await someone();
    const stranger = await someone();
    const form = formTo(await agent.get(AGENTS), `${AGENTS}/pause`);
    expect((await agent.submit(form, { client_id: "none" })).location?.search).toBe("?done=gone");
    expect((await agent.submit(form)).location?.search).toMatch(/^\?done=[\w-]{22}$/);
    expect((await agent.submit(form)).location?.search).toBe("");
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await refresh(server, client, stranger.tokens.refresh_token)).status).toBe(200);
    const link = (await press(stranger.agent, "pause")) && (await agent.get(`${AGENTS}?done=AAAAAAAAAAAAAAAAAAAAAA`));
    expect(link.text).not.toContain("is paused. It gets");
  });

  test("the app asks again → the page says that it is paused; prompt=none → consent_required", async () => {
    const { agent, tokens } = await someone();
    const url = authorizeUrl(server, client);
    const before = await agent.get(url);
    expect(before.location?.searchParams.has("code")).toBe(true);
    const openPage = await agent.get(authorizeUrl(server, client, { prompt: "consent" }));
    await press(agent, "pause");
    // A code from before gives nothing, either.
    expect((await redeem(server, client, before.location ?? "")).body.error).toBe("invalid_grant");
    const silent = await agent.get(authorizeUrl(server, client, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
    // A page that was open before the pause lets nothing go on.
    const old = await agent.submit(consentForm(openPage), { decision: "allow" });
    expect(old.status).toBe(400);
    expect(old.text).toContain("You paused this app");
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    const page = await agent.get(url);
    expect(page.text).toContain("You paused this app");
    expect(page.text).toContain("Allow and resume");
    // Nor does a page that showed an earlier pause.
    server.tick(1000);
    await press(agent, "resume");
    await press(agent, "pause");
    expect((await agent.submit(consentForm(page), { decision: "allow" })).status).toBe(400);
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    // Neither refusing nor a form for another owner lets it go on.
    await agent.submit(consentForm(page), { decision: "deny" });
    await agent.submit(consentForm(await agent.get(url)), { decision: "allow", resume: "somebody" });
    expect((await refresh(server, client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    const allowed = await agent.submit(consentForm(await agent.get(url)), { decision: "allow" });
    expect((await redeem(server, client, allowed.location ?? "")).status).toBe(200);
    expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  });

  test("an app of the operator's → it is asked for, too, instead of connecting by itself", async () => {
    const own = await server.addClient({ name: "Own", firstParty: true });
    const { agent } = await someone("read", own);
    await press(agent, "pause", own.clientId);
    const page = await agent.get(authorizeUrl(server, own));
    expect(page.text).toContain("Allow and resume");
  });
});

describe("in a company", () => {
  let company: TestCompany;
  let admin: Agent;
  let tokens: Record<string, unknown> & { refresh_token?: string };
  let agentsOfCompany: string;
  let app: TestClient;

  beforeAll(async () => {
    company = await addCompany(server, { defaultRule: "members" });
    app = await server.addClient({ name: "Team Assistant" });
    admin = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    const callback = await authorize(admin, url, company.admin.username, { owner: company.companyId });
    tokens = (await redeem(server, app, callback)).body;
    agentsOfCompany = `/company/${company.slug}/agents`;
  });

  test("a member → the page and its forms don't exist for them", async () => {
    const member = new Agent(server.issuer);
    await signIn(member, company.member.username);
    expect((await member.get(agentsOfCompany)).status).toBe(404);
    const form = formTo(await admin.get(agentsOfCompany), `${agentsOfCompany}/pause`);
    const own = formTo(await member.get("/account/profile"), "/account/sign-out").fields.get("csrf") ?? "";
    expect((await member.submit(form, { csrf: own })).status).toBe(404);
    expect((await refresh(server, app, tokens.refresh_token)).status).toBe(200);
  });

  test("a member's own page → says that it is about the own account, and leads to the company", async () => {
    const member = new Agent(server.issuer);
    await signIn(member, company.member.username);
    const page = await member.get(AGENTS);
    expect(page.text).toContain("No app can act for your own account while you’re away");
    expect(page.text).toContain("This page is about your own account.");
    expect(page.text).toContain(`href="/company/${company.slug}"`);
    const { username } = await server.addPerson();
    const alone = new Agent(server.issuer);
    await signIn(alone, username);
    expect((await alone.get(AGENTS)).text).not.toContain("This page is about your own account.");
  });

  test("approved for more than its grants have → what the grants have; approved, and nobody connected it → not listed", async () => {
    const acme = await addCompany(server);
    const [used, unused] = [
      await server.addClient({ name: "Used", scopes: ["read", "write"] }),
      await server.addClient({ name: "Unused", scopes: ["read", "write"], registered: REGISTERED }),
    ];
    for (const one of [used, unused]) await decide(server, acme, one, { scopes: ["read", "write"] });
    const member = new Agent(server.issuer);
    const asked = await atConsent(member, authorizeUrl(server, used, { scope: "read" }), acme.member.username);
    const answer = { decision: "allow", owner: acme.companyId, duration: "86400" };
    await redeem(server, used, (await member.submit(consentForm(asked), answer)).location ?? "");
    const own = new Agent(server.issuer);
    await signIn(own, acme.admin.username);
    const page = await own.get(`/company/${acme.slug}/agents`);
    const entry = entryOf(page, used.clientId);
    expect(entry).toContain("See your photos");
    expect(entry).not.toContain("Change your photos");
    expect(entry).toMatch(/Keeps access until<\/dt><dd><time/);
    expect(entryOf(page, unused.clientId)).toBe("");
  });

  test("→ the page names the addresses of the app, and where access ends sooner, when, as the person's page does", async () => {
    const [near, far] = ["https://app.test/cb", "https://far.test/cb"];
    const moved = await server.addClient({ name: "Moved", redirectUris: [near, far] });
    const { companyId, slug, admin: person } = await addCompany(server, { defaultRule: "members" });
    const agent = new Agent(server.issuer);
    for (const owner of [companyId, person.personId])
      for (const [redirect_uri, duration] of [
        [near, "604800"],
        [far, "3600"],
      ] as const) {
        const url = authorizeUrl(server, moved, { redirect_uri, prompt: "consent" });
        const callback = await authorize(agent, url, person.username, { owner, duration });
        await redeem(server, moved, callback, { redirect_uri });
      }
    const hosts = async (path: string) =>
      [...entryOf(await agent.get(path), moved.clientId).matchAll(/<p class="soft small">(.*?)<\/p>/g)]
        .map(([, line = ""]) => line.replaceAll(/<[^>]*>/g, ""))
        .filter((line) => line.includes(".test"));
    const own = await hosts(AGENTS);
    expect(own).toMatchObject([/^app\.test$/, /^far\.test · ends /].map((line) => expect.stringMatching(line)));
    expect(await hosts(`/company/${slug}/agents`)).toEqual(own);
  });

  test("revoked for everyone → the page names it until its last token has expired; stopped by one member → not, others can go on", async () => {
    const acme = await addCompany(server, { defaultRule: "members" });
    const gone = await server.addClient({ name: "Short Lived" });
    const [agent, member] = [new Agent(server.issuer), new Agent(server.issuer)];
    const page = `/company/${acme.slug}/agents`;
    const plain = async () => (await agent.get(page)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    await signIn(agent, acme.admin.username);
    const none = "No app can act while nobody is signed in";
    const connect = async () => {
      const answer = { owner: acme.companyId };
      const url = authorizeUrl(server, gone, { prompt: "consent" });
      await redeem(server, gone, await authorize(member, url, acme.member.username, answer));
    };
    expect(await plain()).not.toContain("Recently ended");
    await connect();
    expect(await plain()).not.toContain("Recently ended");
    const key = { partition: acme.partition, companyId: acme.companyId, clientId: gone.clientId };
    const { companyApps } = server.assent.storage;
    await companyApps.setOptOut({ ...key, personId: acme.member.personId, out: true, now: server.now() });
    expect(await plain()).not.toContain("Recently ended");
    await companyApps.setOptOut({ ...key, personId: acme.member.personId, out: false, now: server.now() });
    await connect();
    await companyApps.revokeForAll({ ...key, by: acme.admin.personId, now: server.now() });
    expect(await plain()).toMatch(/Recently ended .* Short Lived ends in \d+ minutes/);
    expect(await plain()).not.toContain(none);
    server.tick(11 * 60_000);
    expect(await plain()).not.toContain("Recently ended");
    expect(await plain()).toContain(none);
  });

  test("an admin pauses it → for everyone; a member can't connect it for the company, and an admin resumes it", async () => {
    const page = await press(admin, "pause", app.clientId, agentsOfCompany);
    expect(page.text).toContain("The app is paused for everyone.");
    const paused = entryOf(page, app.clientId);
    expect(paused).toContain("It gets no new access until an admin resumes it. What was allowed stays.");
    expect((await refresh(server, app, tokens.refresh_token)).body.error).toBe("invalid_grant");
    // The person's own consents are apart.
    expect(entryOf(await admin.get(AGENTS), app.clientId)).toBe("");
    const member = new Agent(server.issuer);
    const asked = await atConsent(member, authorizeUrl(server, app), company.member.username);
    expect(asked.text).toContain("Acme Corp (an admin paused this app)");
    const answer = { decision: "allow", owner: company.companyId, resume: company.companyId };
    expect((await member.submit(consentForm(asked), answer)).status).toBe(400);
    expect((await refresh(server, app, tokens.refresh_token)).body.error).toBe("invalid_grant");
    const resumed = await press(admin, "resume", app.clientId, agentsOfCompany);
    expect(resumed.text).toContain("The app was resumed. It can use again what was allowed and has not ended.");
    expect((await refresh(server, app, tokens.refresh_token)).status).toBe(200);
  });

  test("a person pauses their own access beside the company's → the app doesn't get the company's without the page", async () => {
    const both = await server.addClient({ name: "Both" });
    const agent = new Agent(server.issuer);
    const ask = { prompt: "consent" };
    for (const owner of [company.companyId, company.admin.personId])
      await authorize(agent, authorizeUrl(server, both, ask), company.admin.username, { owner });
    expect((await agent.get(authorizeUrl(server, both))).location).toBeUndefined();
    await press(agent, "pause", both.clientId);
    expect((await agent.get(authorizeUrl(server, both))).location).toBeUndefined();
    const silent = await agent.get(authorizeUrl(server, both, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toMatch(/_required$/);
  });
});
