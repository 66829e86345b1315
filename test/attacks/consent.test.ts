/**
 * Consent: the server grants only what the page showed and the owner allowed, and a revocation takes effect at once.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
let server: TestServer;
let client: TestClient;
let other: { id: string; secret: string };

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "Photo Printer", scopes: ["read", "write", "profile", "bills", "drafts"] });
  other = await server.addResource({ identifier: "https://bills.test", name: "Bills", grantBound: true });
  await server.addScope({ name: "bills", description: "See your bills", resource: "https://bills.test" });
  await server.addScope({
    name: "drafts",
    description: "See your drafts",
    resource: "https://bills.test",
    optional: true,
  });
});
afterAll(() => server.stop());

/** A new person in a new browser. */
async function anOwner() {
  return { agent: new Agent(server.issuer), ...(await server.addPerson()) };
}
type Owner = Awaited<ReturnType<typeof anOwner>>;

const ask = (changes: Record<string, string | undefined> = {}) => authorizeUrl(server, client, changes);

/** The consent page of a request. Signs in if necessary. */
async function atConsent({ agent, username }: Owner, url = ask()): Promise<Page> {
  const page = await agent.follow(await agent.get(url));
  return page.forms.some(({ fields }) => fields.has("username")) ? signIn(agent, username, page) : page;
}

/** Allows the request, and redeems the code. */
async function granted(owner: Owner, url = ask(), answer: Record<string, string | string[]> = {}) {
  const { body, status } = await redeem(server, client, await authorize(owner.agent, url, owner.username, answer));
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

function asksFor(page: Page): string[] {
  return [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, name = ""]) => name);
}

const grantsOf = ({ partition, personId }: Owner) =>
  server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() });

async function expectDead(token: string | undefined): Promise<void> {
  const { status, body } = await refresh(server, client, token);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
}

describe("the page", () => {
  test("CN-01 a new client and person → app, its real host, scopes in words with their API, how long, as whom", async () => {
    const owner = await anOwner();
    const page = await atConsent(owner, ask({ scope: "read write profile" }));
    for (const shown of [
      "Photo Printer",
      "app.test",
      "See your photos",
      "Change your photos",
      "See your name",
      "Photos",
      "Alice Example",
      owner.username,
      "How long",
      "90 days",
    ])
      expect(page.text).toContain(shown);
    expect(asksFor(page).sort()).toEqual(["profile", "read", "write"]);
    expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).not.toMatch(/\bscope\b(?!")|\bgrant\b|\btoken\b/i);
  });

  test("CN-03 consent for a, asked for a and b → the page, with b as new; the same again → no page", async () => {
    const owner = await anOwner();
    await granted(owner, ask({ scope: "read" }));
    expect((await owner.agent.get(ask({ scope: "read" }))).location?.searchParams.has("code")).toBe(true);
    const page = await owner.agent.get(ask({ scope: "read profile" }));
    expect(page.status).toBe(200);
    expect(page.text).toMatch(
      /It also asks to[\s\S]*See your name[\s\S]*It also asks for 1 permission that you already gave/,
    );
    const silent = await owner.agent.get(ask({ scope: "read profile", prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  });

  test("CN-03 a scope that the owner unticked → not given by the standing consent, nor by Allow on the page that comes back", async () => {
    const owner = await anOwner();
    await granted(owner, ask({ scope: "read write" }), { scope: [] });
    const next = await owner.agent.get(ask({ scope: "read write" }));
    expect((await redeem(server, client, next.location ?? "")).body.scope).toBe("read");
    const page = await owner.agent.get(ask({ scope: "read write", prompt: "consent" }));
    expect(asksFor(page)).toEqual(["write", "read"]);
    expect(consentForm(page).fields.getAll("scope")).toEqual([]);
  });

  test("CN-04 consent for one API, resource of another → the page", async () => {
    const owner = await anOwner();
    await granted(owner, ask({ scope: "read", resource: "https://api.test" }));
    const same = await owner.agent.get(ask({ scope: "read", resource: "https://api.test" }));
    expect(same.location?.searchParams.has("code")).toBe(true);
    const page = await owner.agent.get(ask({ scope: "bills", resource: "https://bills.test" }));
    expect([page.status, asksFor(page)]).toEqual([200, ["bills"]]);
  });

  test("CN-04 consent for one API, its scope with another's resource → invalid_target or invalid_scope, never a code", async () => {
    const owner = await anOwner();
    await granted(owner, ask({ scope: "read" }));
    const page = await owner.agent.get(ask({ scope: "read", resource: "https://bills.test" }));
    expect(["invalid_target", "invalid_scope"]).toContain(page.location?.searchParams.get("error"));
    expect(page.location?.searchParams.has("code")).toBe(false);
  });

  test("CN-09 another client of the same redirect_uri, in a signed-in browser → the page", async () => {
    const owner = await anOwner();
    await granted(owner);
    const stranger = await server.addClient({ name: "Stranger" });
    expect((await owner.agent.get(authorizeUrl(server, stranger))).status).toBe(200);
    expect((await owner.agent.get(ask())).status).toBe(302);
  });

  test("CN-17 no scope → invalid_scope to the client, not some scopes by default", async () => {
    const owner = await anOwner();
    for (const scope of [undefined, ""]) {
      const { location } = await owner.agent.get(ask({ scope }));
      expect(location?.searchParams.get("error")).toBe("invalid_scope");
    }
  });
});

describe("the answer", () => {
  test.each([
    ["a scope more", { scope: ["read", "profile", "write", "admin"] }],
    ["another client_id", { client_id: "c-other" }],
    ["another redirect_uri", { redirect_uri: "https://evil.test/cb" }],
    ["another person", { username: "mallory", sub: "x", person_id: "x" }],
    ["another state, challenge, response type", { state: "evil", code_challenge: "x", response_type: "token" }],
  ])("CN-06 %s in the posted form → counts for nothing", async (_, tampered) => {
    const owner = await anOwner();
    const page = await atConsent(owner);
    const { location } = await owner.agent.submit(consentForm(page), { decision: "allow", ...tampered });
    expect(location?.href.startsWith("https://app.test/cb?")).toBe(true);
    expect(location?.searchParams.get("state")).toBe("a state");
    const { body } = await redeem(server, client, location ?? "");
    expect(body.scope).toBe("read");
    const [consent] = await grantsOf(owner);
    expect(consent?.consent).toMatchObject({ clientId: client.clientId, ownerId: owner.personId });
    expect(consent?.consent.scopes.map(({ name }) => name)).toEqual(["read"]);
  });

  test.each([
    ["cut", (text: string) => text.slice(0, -2)],
    ["changed in the middle", (text: string) => `${text.slice(0, 40)}${text[40] === "A" ? "B" : "A"}${text.slice(41)}`],
    ["gone", () => ""],
  ])("CN-06 the sealed request %s → 400, nothing granted", async (_, spoil) => {
    const owner = await anOwner();
    const form = consentForm(await atConsent(owner));
    const page = await owner.agent.submit(form, {
      decision: "allow",
      request: spoil(form.fields.get("request") ?? ""),
    });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(await grantsOf(owner)).toEqual([]);
    expect((await owner.agent.submit(form, { decision: "allow" })).status).toBe(302);
  });

  test("CN-06 the sealed request of another browser → 400: mallory's request is not alice's answer", async () => {
    const alice = await anOwner();
    const mallory = await anOwner();
    const hers = consentForm(await atConsent(alice));
    const his = consentForm(await atConsent(mallory));
    const page = await alice.agent.submit(hers, { decision: "allow", request: his.fields.get("request") ?? "" });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect([...(await grantsOf(alice)), ...(await grantsOf(mallory))]).toEqual([]);
  });

  test.each([
    ["without", ""],
    ["another session's", "other"],
    ["the sign-in form's", "login"],
  ])("CN-06 %s form token → 403, the page again, nothing granted", async (_, which) => {
    const owner = await anOwner();
    const form = consentForm(await atConsent(owner));
    const csrf =
      which === "other"
        ? consentForm(await atConsent(await anOwner())).fields.get("csrf")
        : which === "login"
          ? (await new Agent(server.issuer).get("/login")).forms[0]?.fields.get("csrf")
          : "";
    const page = await owner.agent.submit(form, { decision: "allow", csrf: csrf ?? "" });
    expect([page.status, page.location]).toEqual([403, undefined]);
    expect(await grantsOf(owner)).toEqual([]);
    expect((await owner.agent.submit(consentForm(page), { decision: "allow" })).status).toBe(302);
  });

  test.each([
    ["no decision", {}],
    ["an unknown decision", { decision: "maybe" }],
    ["a duration that isn't offered", { decision: "allow", duration: "99999999999" }],
    ["no duration", { decision: "allow", duration: [] }],
    ["a duration with a sign", { decision: "allow", duration: "-1" }],
    ["an owner whom the page does not offer", { decision: "allow", owner: "x" }],
  ])("CN-06 %s → the page again, nothing granted", async (_, answer) => {
    const owner = await anOwner();
    const page = await owner.agent.submit(consentForm(await atConsent(owner)), answer);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(await grantsOf(owner)).toEqual([]);
  });

  test("a GET with the answer in its query → the page, nothing granted", async () => {
    const owner = await anOwner();
    const { fields } = consentForm(await atConsent(owner));
    fields.set("decision", "allow");
    const page = await owner.agent.get(`/consent?${fields}`);
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(await grantsOf(owner)).toEqual([]);
  });

  test("CN-07 deny → access_denied with state and iss, no grant, one event; nothing was remembered", async () => {
    const owner = await anOwner();
    const { location } = await owner.agent.submit(consentForm(await atConsent(owner)), { decision: "deny" });
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      error: "access_denied",
      state: "a state",
      iss: server.issuer,
    });
    expect(location?.searchParams.has("code")).toBe(false);
    expect(await grantsOf(owner)).toEqual([]);
    expect(server.log.filter((line) => /"event":"authorization_denied".*access_denied/.test(line))).not.toEqual([]);
    expect((await owner.agent.get(ask())).status).toBe(200);
  });

  test("CN-08 an optional scope unticked → the token says what is left; a required one stays whatever is unticked", async () => {
    const owner = await anOwner();
    expect((await granted(owner, ask({ scope: "read write" }), { scope: [] })).scope).toBe("read");
    expect((await granted(await anOwner(), ask({ scope: "read write" }), { scope: ["write"] })).scope).toBe(
      "read write",
    );
  });

  test("everything unticked where all is optional → asked again, nothing granted", async () => {
    const owner = await anOwner();
    const page = await owner.agent.submit(consentForm(await atConsent(owner, ask({ scope: "drafts" }))), {
      decision: "allow",
      scope: [],
    });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(await grantsOf(owner)).toEqual([]);
  });

  test("CN-16 only this once → no refresh token, and the next authorization asks again", async () => {
    const owner = await anOwner();
    const body = await granted(owner, ask(), { duration: "once" });
    expect(body.refresh_token).toBeUndefined();
    expect((await owner.agent.get(ask())).status).toBe(200);
    expect((await granted(owner, ask(), { duration: "3600" })).refresh_token).toMatch(/^rt_/);
  });

  test("the form sent twice at once → one grant, the same code", async () => {
    const owner = await anOwner();
    const form = consentForm(await atConsent(owner));
    const pages = await Promise.all([1, 2, 3].map(() => owner.agent.submit(form, { decision: "allow" })));
    expect(new Set(pages.map(({ location }) => location?.searchParams.get("code"))).size).toBe(1);
    expect((await grantsOf(owner)).flatMap(({ grants }) => grants)).toHaveLength(1);
  });

  test("signed out in another tab → the sign-in form, nothing granted", async () => {
    const owner = await anOwner();
    const form = consentForm(await atConsent(owner));
    owner.agent.cookies.delete("assent_session");
    const page = await owner.agent.submit(form, { decision: "allow" });
    expect(page.forms.some(({ fields }) => fields.has("username"))).toBe(true);
    expect(await grantsOf(owner)).toEqual([]);
  });

  test("another person signed in meanwhile in another tab → asked again as that person, nothing granted", async () => {
    const owner = await anOwner();
    const form = consentForm(await atConsent(owner));
    const second = await server.addPerson({ name: "Bob Second" });
    owner.agent.cookies.delete("assent_session");
    await signIn(owner.agent, second.username);
    const page = await owner.agent.submit(form, { decision: "allow" });
    expect([page.status, page.location]).toEqual([403, undefined]);
    expect(page.text).toContain("Bob Second");
    expect(await grantsOf(owner)).toEqual([]);
  });
});

describe("taking it back", () => {
  const appsForm = async ({ agent }: Owner, action: string) => {
    const form = (await agent.get("/account/apps")).forms.find((one) => one.action.endsWith(action));
    if (form === undefined) throw new Error(`no form ${action}`);
    return form;
  };
  const active = async (api: { id: string; secret: string }, token: string | undefined) =>
    (await postForm(server, "/introspect", { clientId: api.id, secret: api.secret }, { token })).body["active"];

  test("CN-11 revoked in the dashboard → refresh is invalid_grant, the next authorization asks, a bound API is told within 1 s", async () => {
    const owner = await anOwner();
    const bound = await granted(owner, ask({ scope: "bills" }));
    const free = await granted(owner, ask({ scope: "read" }));
    expect([await active(other, bound.access_token), await active(API, free.access_token)]).toEqual([true, true]);
    const answer = await owner.agent.submit(await appsForm(owner, "/revoke"), { revoke: "revoke" });
    const page = await owner.agent.follow(answer);
    expect(page.text).toContain("You revoked");
    expect(await active(other, bound.access_token)).toBe(false);
    // An access token can't be revoked: other APIs accept it until it expires.
    expect(await active(API, free.access_token)).toBe(true);
    await expectDead(bound.refresh_token);
    await expectDead(free.refresh_token);
    expect((await owner.agent.get(ask())).status).toBe(200);
    expect((await owner.agent.get(ask({ prompt: "none" }))).location?.searchParams.get("error")).toBe(
      "consent_required",
    );
  });

  test("CN-11 revoked between the code and its redemption → invalid_grant", async () => {
    const owner = await anOwner();
    const callback = await authorize(owner.agent, ask(), owner.username);
    await owner.agent.submit(await appsForm(owner, "/revoke"), { revoke: "revoke" });
    const { status, body } = await redeem(server, client, callback);
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
  });

  test("CN-11 narrowed → the next refresh has less, and the page asks for it again", async () => {
    const owner = await anOwner();
    const body = await granted(owner, ask({ scope: "read write" }));
    await owner.agent.submit(await appsForm(owner, "/narrow"), { keep: ["read"], narrow: "narrow" });
    const after = await refresh(server, client, body.refresh_token);
    expect([after.status, after.body.scope]).toEqual([200, "read"]);
    expect((await owner.agent.get(ask({ scope: "read write" }))).status).toBe(200);
  });

  test.each(["revoke", "narrow"])("CN-12 %s by another person, with A's ids → no effect on A", async (action) => {
    const a = await anOwner();
    const b = await anOwner();
    const body = await granted(a, ask({ scope: "read write" }));
    await granted(b, ask({ scope: "read write" }));
    const form = await appsForm(b, `/${action}`);
    // B revokes their own access first, so that this request could only end A's.
    await b.agent.submit(await appsForm(b, "/revoke"), { revoke: "revoke" });
    const answer = await b.agent.submit(form, {
      client_id: client.clientId,
      owner: a.personId,
      owner_id: a.personId,
      partition: String(a.partition),
    });
    const page = await b.agent.follow(answer);
    expect([answer.status, page.status]).toEqual([303, 200]);
    const after = await refresh(server, client, body.refresh_token);
    expect([after.status, after.body.scope]).toEqual([200, "read write"]);
    expect((await b.agent.get("/account/apps")).text).not.toContain(`data-client-id="${client.clientId}"`);
    expect((await a.agent.get("/account/apps")).text).toContain(`data-client-id="${client.clientId}"`);
  });

  test.each(["", "other"])("CN-12 a posted revocation with the form token %j → 403, nothing revoked", async (which) => {
    const a = await anOwner();
    const b = await anOwner();
    const body = await granted(a);
    await granted(b);
    const csrf = which === "" ? "" : ((await appsForm(b, "/revoke")).fields.get("csrf") ?? "");
    const page = await a.agent.submit(await appsForm(a, "/revoke"), { csrf });
    expect(page.status).toBe(403);
    expect((await refresh(server, client, body.refresh_token)).status).toBe(200);
  });

  test("CN-19 revoked while a refresh is under way, 200 rounds → revoking wins: no token lives after both", {
    timeout: 60_000,
  }, async () => {
    const owner = await anOwner();
    const rotating = await server.addClient({ refresh: "rotate" });
    const key = { partition: owner.partition, ownerId: owner.personId, clientId: rotating.clientId };
    const seen = { before: 0, after: 0 };
    for (let round = 0; round < 200; round += 1) {
      const callback = await authorize(owner.agent, authorizeUrl(server, rotating), owner.username);
      const { body } = await redeem(server, rotating, callback);
      const revoking = async () => {
        // The delay varies, so that the revocation comes before, during or after the refresh.
        await new Promise((resolve) => setTimeout(resolve, round % 8));
        return server.assent.storage.consents.revoke({ ...key, revokedBy: owner.personId, now: server.now() });
      };
      const [answer] = await Promise.all([refresh(server, rotating, body.refresh_token), revoking()]);
      seen[answer.status === 200 ? "before" : "after"] += 1;
      for (const token of [answer.body.refresh_token ?? body.refresh_token, body.refresh_token]) {
        const last = await refresh(server, rotating, token);
        expect([last.status, last.body.error], `round ${round}`).toEqual([400, "invalid_grant"]);
      }
    }
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.after).toBeGreaterThan(0);
  });

  test("CN-20 the consent's end passes → refresh is invalid_grant, the next authorization asks; no token outlives it", async () => {
    const owner = await anOwner();
    const body = await granted(owner, ask(), { duration: "86400" });
    server.tick(DAY - 120_000);
    const late = await refresh(server, client, body.refresh_token);
    expect(late.status).toBe(200);
    expect(late.body.expires_in).toBeLessThanOrEqual(120);
    server.tick(121_000);
    await expectDead(body.refresh_token);
    const page = await owner.agent.follow(await owner.agent.get(ask()));
    expect([page.status, page.location]).toEqual([200, undefined]);
  });
});
