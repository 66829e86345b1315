/** The operator's ceiling: the longest time for which an owner's answer holds (RFC 9700 §4.14.2). */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Config, configOf } from "../../packages/server/src/config.ts";
import { addCompany, decide as decideRule } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, decide as decideDevice, enter, formWith, poll } from "../support/device-actor.ts";
import { changeClient, expectRedirectError } from "../support/front-channel.ts";
import {
  Agent,
  authorizeUrl,
  consentForm,
  type Page,
  pkce,
  postForm,
  redeem,
  refresh,
  signIn,
  type TokenAnswer,
} from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { verifier, challenge } = pkce();
const S256 = { code_challenge: challenge, code_challenge_method: "S256" };

/** The durations that the select on the page offers. */
function offered({ text }: Page, name = "duration"): readonly string[] {
  const select = new RegExp(`<select[^>]*name="${name}"[\\s\\S]*?</select>`).exec(text)?.[0] ?? "";
  return [...select.matchAll(/<option value="([^"]*)"/g)].map(([, value = ""]) => value);
}

const answered = ({ status, location }: Page) => status === 302 && location?.searchParams.has("code") === true;
const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action === "/consent");

function at(server: TestServer) {
  const url = (client: TestClient, more: Record<string, string> = {}) =>
    authorizeUrl(server, client, { ...(client.type === "public" ? S256 : {}), ...more });
  return {
    url,
    someone: async () => {
      const { username, personId, partition } = await server.addPerson();
      const agent = new Agent(server.issuer);
      await signIn(agent, username);
      return { agent, username, personId, partition };
    },
    /** The owner allows a client for this duration. Returns the answer to the code's redemption. */
    allow: async (agent: Agent, client: TestClient, duration: string, more: Record<string, string> = {}) => {
      const page = await agent.submit(consentForm(await agent.get(url(client, more))), { decision: "allow", duration });
      if (page.location === undefined || !answered(page)) throw new Error(`no code: ${page.status} ${page.text}`);
      return redeem(server, client, page.location, client.type === "public" ? { code_verifier: verifier } : {});
    },
    aPublic: (changes: Partial<TestClient> = {}) =>
      server.addClient({ type: "public", grantTypes: ["authorization_code", "refresh_token"], ...changes }),
  };
}

const expectEnded = ({ status, body }: TokenAnswer) => expect([status, body.error]).toEqual([400, "invalid_grant"]);

describe("by default", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  test("a public client → up to a year, until revoked isn't offered; a form that asks for it → the page again, nothing granted", async () => {
    const { aPublic, someone, url } = at(server);
    const client = await aPublic();
    const { agent } = await someone();
    const page = await agent.get(url(client));
    expect(offered(page)).toEqual(["once", "3600", "today", "86400", "604800", "2592000", "7776000", "31536000"]);
    for (const duration of ["forever", "31536001"]) {
      const again = await agent.submit(consentForm(page), { decision: "allow", duration });
      expect([again.status, again.location]).toEqual([400, undefined]);
    }
    const scoped = await agent.submit(consentForm(page), { decision: "allow", "duration:read": "forever" });
    expect(scoped.status).toBe(400);
  });

  test("a confidential client → until revoked is offered", async () => {
    const { someone, url } = at(server);
    const client = await server.addClient();
    expect(offered(await (await someone()).agent.get(url(client)))).toContain("forever");
  });

  test("a client with its own ceiling → it applies, lower or higher; `none` → until revoked", async () => {
    const { aPublic, someone, url } = at(server);
    const { agent } = await someone();
    const lower = await aPublic({ consentCeiling: 3600 });
    expect(offered(await agent.get(url(lower)))).toEqual(["once", "3600"]);
    const higher = await aPublic({ consentCeiling: 63_072_000 });
    expect(offered(await agent.get(url(higher))).slice(-2)).toEqual(["31536000", "63072000"]);
    const none = await aPublic({ consentCeiling: "none" });
    expect(offered(await agent.get(url(none)))).toContain("forever");
    const confidential = await server.addClient({ consentCeiling: 86_400 });
    expect(offered(await agent.get(url(confidential)))).toEqual(["once", "3600", "86400"]);
  });

  test("a first-party public client without a consent page → its refresh tokens end after a year, also if used", async () => {
    const { aPublic, someone, url } = at(server);
    const client = await aPublic({ firstParty: true });
    const { agent } = await someone();
    const { location } = await agent.get(url(client));
    let { body } = await redeem(server, client, location ?? "", { code_verifier: verifier });
    const start = server.now();
    while (server.now() + 13 * 24 * HOUR < start + 365 * 24 * HOUR) {
      server.tick(13 * 24 * HOUR);
      ({ body } = await refresh(server, client, body.refresh_token));
      expect(body.error).toBeUndefined();
    }
    server.tick(13 * 24 * HOUR);
    expectEnded(await refresh(server, client, body.refresh_token));
    server.tick(start - server.now());
  });

  test("a device → up to a year, then its grant ends", async () => {
    const client = await aDeviceClient(server);
    const { agent, username } = await at(server).someone();
    const { deviceCode, userCode } = await aDevice(server, client);
    const page = await enter(agent, userCode, username);
    expect(offered(page)).not.toContain("forever");
    const form = formWith(page, "decision");
    expect((await agent.submit(form, { decision: "allow", duration: "forever" })).status).toBe(400);
    await decideDevice(agent, userCode, username, { duration: "31536000" });
    expect((await poll(server, client, deviceCode)).status).toBe(200);
  });

  test("the page of one's apps → offers and accepts no more than the ceiling", async () => {
    const { aPublic, someone, allow } = at(server);
    const client = await aPublic();
    const { agent, personId, partition } = await someone();
    await allow(agent, client, "3600");
    const page = await agent.get("/account/apps");
    expect(offered(page)).toEqual(["keep", "3600", "86400", "604800", "2592000", "7776000", "31536000"]);
    const form = page.forms.find(({ action }) => action.endsWith("/end"));
    if (form === undefined) throw new Error("no form for the end");
    await agent.submit(form, { duration: "forever" });
    const held = await server.assent.storage.consents.find({ partition, ownerId: personId, clientId: client.clientId });
    expect(held?.scopes[0]?.expiresAt).toBeLessThanOrEqual(server.now() + HOUR);
  });

  test("a company's approval of a public client → up to a year", async () => {
    const client = await at(server).aPublic();
    const company = await addCompany(server);
    const agent = new Agent(server.issuer);
    await signIn(agent, company.admin.username);
    const asking = { partition: company.partition, companyId: company.companyId, clientId: client.clientId };
    const { personId } = company.member;
    await server.assent.storage.companyApps.askApproval({
      ...{ ...asking, personId, scopes: ["read"], reason: "For work", now: server.now() },
      ...{ redirectUri: "https://app.test/cb" },
    });
    const place = `/company/${company.slug}/apps/${client.clientId}`;
    const page = await agent.get(place);
    expect(offered(page).at(-1)).toBe("31536000");
    const form = page.forms.find(({ action }) => action.endsWith(place));
    if (form === undefined) throw new Error("no form for the rule");
    const rules = () => server.assent.storage.companyApps.listRules(company);
    const rule = { rule: "allow", audience: "everybody", scope: "read" };
    expect((await agent.submit(form, { ...rule, duration: "forever" })).status).toBe(400);
    expect(await rules()).toEqual([]);
    const question = await agent.submit(form, { ...rule, duration: "31536000" });
    const sure = question.forms.find(({ fields }) => fields.get("confirmed") === "yes");
    if (sure === undefined) throw new Error("no question");
    await agent.submit(sure);
    expect((await rules())[0]?.endsAt).toBeLessThanOrEqual(server.now() + 365 * 24 * HOUR);
  });
});

test("a ceiling lowered below an approval's age → a company's pages show no access under it; an app with a new one does", async () => {
  const server = await startServer();
  try {
    const [client, other] = [await server.addClient(), await server.addClient()];
    const company = await addCompany(server);
    const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
    await signIn(admin, company.admin.username);
    await signIn(member, company.member.username);
    const connect = async (app: TestClient) => {
      await decideRule(server, company, app, {});
      const form = consentForm(await member.get(at(server).url(app, { scope: "read" })));
      const { location } = await member.submit(form, { decision: "allow", owner: company.companyId });
      if (location === undefined) throw new Error("no code");
      return (await redeem(server, app, location)).status;
    };
    const place = `/company/${company.slug}`;
    const card = async (agent: Agent, app: TestClient) => {
      const { text } = await agent.get(place);
      return text.split('<li class="row app-row"').find((one) => one.includes(app.clientId)) ?? "";
    };
    expect(await connect(client)).toBe(200);
    const USED = ">1 member<";
    expect(await card(admin, client)).toContain(USED);
    expect((await admin.get(`${place}/apps/${client.clientId}`)).text).toContain(company.member.username);
    expect((await member.get(place)).text).toContain(client.clientId);
    server.tick(5 * MINUTE);
    for (const app of [client, other]) await changeClient(server, app, { consentCeiling: 120 });
    expect(await connect(other)).toBe(200);
    expect(await card(admin, client)).not.toContain(USED);
    const page = await admin.get(`${place}/apps/${client.clientId}`);
    expect(page.text).not.toContain(`class="user"`);
    // Its last token still works for some minutes.
    expect(page.text).toContain("The access that it already has ends within");
    expect((await member.get(place)).text).not.toContain(client.clientId);
    expect(await card(admin, other)).toContain(USED);
    expect((await member.get(place)).text).toContain(other.clientId);
  } finally {
    await server.stop();
  }
});

test("a ceiling lowered below a consent's age → a grant-bound API sees an inactive token; other APIs see an active one", async () => {
  const server = await startServer();
  try {
    const { allow, someone } = at(server);
    const bound = await server.addResource({ identifier: "https://bound.test", grantBound: true });
    await server.addScope({ name: "bound:read", description: "Read", resource: "https://bound.test" });
    const apis = { "bound:read": bound, read: API };
    for (const [scope, { id, secret }] of Object.entries(apis)) {
      const client = await server.addClient({ scopes: [scope] });
      const { body } = await allow((await someone()).agent, client, "forever", { scope });
      const token = body.access_token ?? "";
      const isActive = async () =>
        (await postForm(server, "/introspect", { clientId: id, secret }, { token })).body["active"];
      server.tick(5 * MINUTE);
      await changeClient(server, client, { consentCeiling: 360 });
      expect(await isActive()).toBe(true);
      await changeClient(server, client, { consentCeiling: 240 });
      expect(await isActive()).toBe(scope === "read");
    }
  } finally {
    await server.stop();
  }
});

describe("the operator's own durations together with the ceiling", () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  test.each<[string, Partial<Config>, readonly string[]]>([
    ["until revoked alone", { consentDurations: ["forever"] }, ["3600"]],
    ["once alone", { consentDurations: ["once"] }, ["once"]],
    ["longer times alone", { consentDurations: [7200, 86_400] }, ["3600"]],
    ["the ceiling, and longer", { consentDurations: ["once", 60, 3600, 7200] }, ["once", "60", "3600"]],
    ["shorter times alone", { consentDurations: [60, 120] }, ["60", "120"]],
  ])("%s, under a ceiling of an hour → the page offers what fits, or the ceiling", async (_what, config, durations) => {
    server = await startServer({ config: { ...config, consentCeiling: HOUR } });
    const { someone, url } = at(server);
    const client = await server.addClient();
    expect(offered(await (await someone()).agent.get(url(client)))).toEqual(durations);
  });
});

describe("answers that are older than the ceiling", () => {
  let before: TestServer;
  let server: TestServer;
  /** Two servers on one database: one without a ceiling, one with a ceiling of an hour. */
  beforeAll(async () => {
    before = await startServer({ config: { consentCeiling: "none" } });
    server = await startServer({ dataDir: before.dataDir, config: { consentCeiling: HOUR } });
  });
  afterAll(async () => {
    await server.stop();
    await before.stop();
  });

  async function forever(changes: Partial<TestClient> = {}) {
    const { someone, allow, aPublic } = at(before);
    const client = await aPublic(changes);
    const owner = await someone();
    const { body } = await allow(owner.agent, client, "forever");
    const agent = new Agent(server.issuer);
    await signIn(agent, owner.username);
    return { client, ...owner, agent, refreshToken: body.refresh_token };
  }
  const ticked = async (milliseconds: number, work: () => Promise<void>) => {
    server.tick(milliseconds);
    await work().finally(() => server.tick(-milliseconds));
  };

  test("until revoked → the refresh token ends an hour after the answer, and the last access token ends no later", async () => {
    const { client, refreshToken } = await forever();
    let token = refreshToken;
    await ticked(55 * MINUTE, async () => {
      const { body } = await refresh(server, client, token);
      expect(body.expires_in).toBeLessThanOrEqual(300);
      token = body.refresh_token;
    });
    await ticked(HOUR + MINUTE, async () => expectEnded(await refresh(server, client, token)));
    // The server without the ceiling still accepts the token, because the ceiling changed no row.
    expect((await refresh(before, client, token)).status).toBe(200);
  });

  test("kept refresh tokens of a confidential client → the same end, also in introspection", async () => {
    const { client, refreshToken } = await forever({
      ...{ type: "confidential", authMethod: "client_secret_basic", refresh: "keep" },
    });
    const introspected = async () => (await postForm(server, "/introspect", client, { token: refreshToken })).body;
    const { active, exp } = await introspected();
    expect([active, Number(exp) * 1000 <= server.now() + HOUR]).toEqual([true, true]);
    await ticked(HOUR + MINUTE, async () => {
      expect(await introspected()).toEqual({ active: false });
      expectEnded(await refresh(server, client, refreshToken));
    });
  });

  test("the page of one's apps → shows the end; afterwards the app isn't listed", async () => {
    const { client, agent } = await forever();
    const page = await agent.get("/account/apps");
    expect(page.text).toContain(`data-client-id="${client.clientId}"`);
    expect(page.text).not.toContain("When you revoke it");
    await ticked(HOUR + MINUTE, async () => {
      expect((await agent.get("/account/apps")).text).not.toContain(client.clientId);
    });
  });

  test("a request without a page → its grant ends with the answer; after that → the page", async () => {
    const { client, agent, partition, personId } = await forever();
    const { url } = at(server);
    await ticked(30 * MINUTE, async () => {
      const page = await agent.get(url(client));
      expect(answered(page)).toBe(true);
      await redeem(server, client, page.location ?? "", { code_verifier: verifier });
      const [app] = await server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() });
      const ends = app?.grants.map(({ absoluteUntil }) => absoluteUntil <= server.now() + 30 * MINUTE);
      expect(ends).toEqual([false, true]);
    });
    await ticked(HOUR + MINUTE, async () => {
      expect(asksConsent(await agent.get(url(client)))).toBe(true);
      const silent = await agent.get(url(client, { prompt: "none" }));
      expectRedirectError(silent, server, "consent_required");
    });
  });

  test("changed on the page of one's apps → the ceiling counts from the change", async () => {
    const { client, agent, refreshToken } = await forever();
    await ticked(50 * MINUTE, async () => {
      const form = (await agent.get("/account/apps")).forms.find(({ action }) => action.endsWith("/end"));
      if (form === undefined) throw new Error("no form for the end");
      await agent.submit(form, { duration: "3600" });
    });
    await ticked(100 * MINUTE, async () => {
      expect((await refresh(server, client, refreshToken)).status).toBe(200);
    });
  });

  test("fewer permissions on that page → the end doesn't move later", async () => {
    const { someone, allow, aPublic } = at(before);
    const client = await aPublic();
    const { agent, username } = await someone();
    const { body } = await allow(agent, client, "forever", { scope: "read write" });
    const here = new Agent(server.issuer);
    await signIn(here, username);
    await ticked(50 * MINUTE, async () => {
      const form = (await here.get("/account/apps")).forms.find(({ action }) => action.endsWith("/narrow"));
      if (form === undefined) throw new Error("no form to narrow");
      await here.submit(form, { keep: ["read"] });
    });
    await ticked(HOUR + MINUTE, async () => {
      expectEnded(await refresh(server, client, body.refresh_token));
      expect(asksConsent(await here.get(at(server).url(client)))).toBe(true);
    });
  });

  test("ended by the ceiling → a new consent doesn't make old tokens valid", async () => {
    const { client, agent, refreshToken } = await forever();
    await ticked(HOUR + MINUTE, async () => {
      const { body } = await at(server).allow(agent, client, "3600");
      expectEnded(await refresh(server, client, refreshToken));
      expect((await refresh(server, client, body.refresh_token)).status).toBe(200);
    });
  });

  test("an end beyond a later ceiling → cut; the ceiling raised → the old end applies", async () => {
    const { someone, allow, aPublic } = at(before);
    const client = await aPublic();
    const { agent } = await someone();
    const { body } = await allow(agent, client, "86400");
    await ticked(2 * HOUR, async () => {
      expectEnded(await refresh(server, client, body.refresh_token));
      const raised = await changeClient(server, client, { consentCeiling: 86_400 });
      expect((await refresh(server, raised, body.refresh_token)).status).toBe(200);
    });
  });
});

test("an invalid ceiling → refused, with the allowed values", () => {
  for (const consentCeiling of [0, 999, Number.NaN, -1, "forever"]) {
    expect(() => configOf({ consentCeiling: consentCeiling as number })).toThrow(/consentCeiling: .*or none/);
  }
});
