/** The scope `offline_access`: refresh tokens as a permission of their own (OpenID Connect Core §11). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../../packages/server/src/oauth/model.ts";
import { addCompany, decide as decideRule } from "../../support/company-staff.ts";
import { aDevice, aDeviceClient, decide, poll } from "../../support/device-actor.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  postForm,
  redeem,
  refresh,
  signIn,
} from "../../support/http-browser.ts";
import { storedRefusal } from "../../support/stored-refusal.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

const SCOPES = ["openid", "email", "offline_access", "read"];
const ASKED = "openid read offline_access";
const HOUR = 3_600_000;

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer({ config: { passwordRefresh: true } });
  app = await anApp();
});
afterAll(() => server.stop());

function anApp(changes: Partial<Client> = {}): Promise<TestClient> {
  return server.addClient({ scopes: SCOPES, ...changes });
}

/** A new person who answers the consent page, and the tokens for it. */
async function tokensFor(answer: Record<string, string | readonly string[]>, of = app, scope = ASKED) {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  const callback = await authorize(agent, authorizeUrl(server, of, { scope }), person.username, answer);
  const { status, body } = await redeem(server, of, callback);
  expect(status, JSON.stringify(body)).toBe(200);
  return { person, agent, body, key: { ...person, ownerId: person.personId, clientId: of.clientId } };
}

async function signedIn(username: string): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  return agent;
}

const allowed = { scope: ["offline_access"] };
const declined = { scope: [] };

describe("offline_access", () => {
  test("asked for → a permission of its own, ticked, and the token works for the API", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, username, await agent.get(authorizeUrl(server, app, { scope: ASKED })));
    expect(page.text).toContain("Keep access while you’re away");
    expect(consentForm(page).fields.getAll("scope")).toContain("offline_access");
    const { body } = await tokensFor(allowed);
    expect(body).toMatchObject({ scope: ASKED, refresh_token: expect.any(String), id_token: expect.any(String) });
    expect(decodeJwt(body.access_token ?? "").aud).toEqual(["https://api.test", `${server.issuer}/userinfo`]);
    expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
  });

  test("without openid → goes with the API as well", async () => {
    const { body } = await tokensFor(allowed, app, "read offline_access");
    expect(decodeJwt(body.access_token ?? "").aud).toBe("https://api.test");
    expect(body.refresh_token).toBeDefined();
  });

  test("not asked for → refresh tokens as always", async () => {
    expect((await tokensFor({}, app, "openid read")).body.refresh_token).toBeDefined();
  });

  test("OI-29 declined → no refresh token, now and by the standing consent", async () => {
    const { body, agent, person } = await tokensFor(declined);
    expect(body).not.toHaveProperty("refresh_token");
    expect(body.scope).toBe("openid read");
    const again = await authorize(agent, authorizeUrl(server, app, { scope: ASKED, prompt: "none" }), person.username);
    const { body: second } = await redeem(server, app, again);
    expect([second.scope, second.refresh_token]).toEqual(["openid read", undefined]);
  });

  test("OI-29 it ends before the rest → the refresh is refused, and the rest needs another sign-in", async () => {
    const { body } = await tokensFor({ ...allowed, duration: "7776000", "duration:offline_access": "3600" });
    const early = await refresh(server, app, body.refresh_token);
    expect([early.status, (early.body.expires_in ?? 0) <= 3600]).toEqual([200, true]);
    server.tick(HOUR);
    expect((await refresh(server, app, early.body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("OI-29 introspected by the client → active until it ends, and not after that or once it is removed", async () => {
    const { body, key } = await tokensFor({ ...allowed, duration: "7776000", "duration:offline_access": "3600" });
    const introspected = async (token: string | undefined) =>
      (await postForm(server, "/introspect", app, { token })).body as unknown as { active: boolean; exp?: number };
    const now = await introspected(body.refresh_token);
    expect([now.active, (now.exp ?? 0) * 1000 <= server.now() + HOUR]).toEqual([true, true]);
    const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
    expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
    expect(await introspected(body.refresh_token)).toEqual({ active: false });
    const { body: other } = await tokensFor({ ...allowed, duration: "7776000", "duration:offline_access": "3600" });
    server.tick(HOUR);
    expect(await introspected(other.refresh_token)).toEqual({ active: false });
  });

  test("OI-29 a narrower refresh → still under the permission; ended → refused as well", async () => {
    const { body } = await tokensFor({ ...allowed, "duration:offline_access": "3600" });
    const narrower = await refresh(server, app, body.refresh_token, { scope: "read" });
    expect([narrower.status, narrower.body.scope]).toEqual([200, "read"]);
    server.tick(HOUR);
    const late = await refresh(server, app, narrower.body.refresh_token, { scope: "read" });
    expect(late.body.error).toBe("invalid_grant");
  });

  test("OI-29 removed in the dashboard → the refresh is refused; the same at a code that waits", async () => {
    const { body, key, agent, person } = await tokensFor(allowed);
    const callback = await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), person.username);
    const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
    expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
    const refused = await refresh(server, app, body.refresh_token);
    expect(refused.body.error).toBe("invalid_grant");
    const { condition, explanation } = await storedRefusal(server, refused);
    expect([condition, explanation]).toEqual(["offline_access_ended", expect.stringContaining("took that permission")]);
    const { body: second } = await redeem(server, app, callback);
    expect([second.scope, second.refresh_token]).toEqual(["openid read", undefined]);
  });

  test("OI-29 the client can't refresh, or asks for a token without a code → no effect", async () => {
    const online = await anApp({ grantTypes: ["authorization_code"] });
    const { body } = await tokensFor({}, online);
    expect([body.scope, body.refresh_token]).toEqual(["openid read", undefined]);
    const alone = await new Agent(server.issuer).get(authorizeUrl(server, online, { scope: "offline_access" }));
    expect(alone.location?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("OI-29 not registered for the client → invalid_scope", async () => {
    const other = await anApp({ scopes: ["openid", "read"] });
    const { location } = await new Agent(server.issuer).get(authorizeUrl(server, other, { scope: ASKED }));
    expect(location?.searchParams.get("error")).toBe("invalid_scope");
  });

  test("OI-29 a device's owner declines it → no refresh token", async () => {
    const tv = await aDeviceClient(server, { scopes: SCOPES });
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: ASKED });
    const { username } = await server.addPerson();
    await decide(new Agent(server.issuer), userCode, username, { scope: [] });
    const { body } = await poll(server, tv, deviceCode);
    expect([body.scope, body.refresh_token]).toEqual(["openid read", undefined]);
  });

  describe("the same app asks without it →", () => {
    const WITHOUT = "openid read";

    async function again(agent: Agent, username: string, more: Record<string, string> = { prompt: "none" }, of = app) {
      const callback = await authorize(agent, authorizeUrl(server, of, { scope: WITHOUT, ...more }), username);
      const { status, body } = await redeem(server, of, callback);
      return [status, body.scope, body.refresh_token === undefined ? "none" : "refresh token"];
    }
    const NONE = [200, WITHOUT, "none"];

    test("declined on a page → no refresh token without a page, and none by a page that doesn't offer it", async () => {
      const { agent, person } = await tokensFor({ ...declined, duration: "2592000" });
      expect(await again(agent, person.username)).toEqual(NONE);
      expect(await again(agent, person.username, {})).toEqual(NONE);
      const page = await agent.get(authorizeUrl(server, app, { scope: WITHOUT, prompt: "consent" }));
      expect(page.text).not.toContain("without you");
      expect(await again(agent, person.username, { prompt: "consent" })).toEqual(NONE);
    });

    test("removed in the dashboard → none, and an older refresh token ends", async () => {
      const { agent, person, key } = await tokensFor({}, app, WITHOUT);
      const older = await redeem(
        server,
        app,
        await authorize(agent, authorizeUrl(server, app, { scope: WITHOUT }), person.username),
      );
      const now = await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), person.username, allowed);
      expect((await redeem(server, app, now)).body.refresh_token).toBeDefined();
      const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
      expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
      expect((await refresh(server, app, older.body.refresh_token)).body.error).toBe("invalid_grant");
      expect(await again(agent, person.username)).toEqual(NONE);
    });

    test("an older refresh token, then the page declines it → the older one ends", async () => {
      const { agent, person, body } = await tokensFor({ duration: "forever" }, app, WITHOUT);
      const later = await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), person.username, declined);
      expect((await redeem(server, app, later)).body.refresh_token).toBeUndefined();
      expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
    });

    test("an older refresh token, then the page lets it end → the older one ends with it", async () => {
      const { agent, person, body } = await tokensFor({ duration: "forever" }, app, WITHOUT);
      const answer = { ...allowed, duration: "3600" };
      await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), person.username, answer);
      const early = await refresh(server, app, body.refresh_token);
      expect(early.status).toBe(200);
      server.tick(HOUR);
      expect((await refresh(server, app, early.body.refresh_token)).body.error).toBe("invalid_grant");
    });

    describe("an older refresh token, then it is asked for →", () => {
      const NEW = "https://new.test/cb";

      /** The page of the second request, and the newest entry of the history after its answer. */
      async function asked(answer: Record<string, string | readonly string[]>, more: Record<string, string> = {}) {
        const of = await anApp({ redirectUris: [app.redirectUris[0] ?? "", NEW] });
        const first = await tokensFor({ duration: "2592000" }, of, WITHOUT);
        const page = await first.agent.get(authorizeUrl(server, of, { scope: ASKED, ...more }));
        await first.agent.submit(consentForm(page), { decision: "allow", ...answer });
        const history = await first.agent.get("/account/history");
        const entries = history.text.split('<div class="event">').map(textIn);
        const used = await refresh(server, of, first.body.refresh_token);
        return { page: textIn(page.text), entry: entries[1] ?? "", used, of };
      }
      const textIn = (text: string) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
      const NOW = /Keep access while you’re away .*The app has this now; that ends .*Your choice here replaces it/;

      test("the page says until when the app has it; refused → it stays, and page and history say so", async () => {
        const { page, entry, used } = await asked({ decision: "deny" });
        expect(page).toMatch(NOW);
        expect(page).toContain("the app keeps the access that it has, also while you’re away.");
        expect(used.status).toBe(200);
        expect(entry).toMatch(/You refused .*It can still .*Keep access while you’re away .*It asked to/);
      });

      test("left out → the refresh token ends, and the history says that it was removed", async () => {
        const { page, entry, used } = await asked(declined);
        expect(page).toMatch(NOW);
        expect(used.body.error).toBe("invalid_grant");
        expect(entry).toMatch(/You allowed .*Removed: Keep access while you’re away/);
      });

      test.each([
        ["left out", declined],
        ["for an hour", { ...allowed, duration: "3600" }],
      ])("at a new address, %s → the older access stays as it is, as the page says", async (_, answer) => {
        const { page, entry, used, of } = await asked(answer, { redirect_uri: NEW });
        expect(page).toContain("The app has this already, whatever you choose here; that ends");
        expect(page).not.toMatch(NOW);
        expect(page).toContain("also while you’re away.");
        expect(used.status).toBe(200);
        expect(entry).not.toContain("Removed");
        server.tick(2 * HOUR);
        expect((await refresh(server, of, used.body.refresh_token)).status).toBe(200);
      });

      test("at a new address, for longer than the earlier access → the history gives the end of that, not the new one", async () => {
        const { entry } = await asked({ ...allowed, duration: "7776000" }, { redirect_uri: NEW });
        const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });
        expect(entry).toContain(`Earlier access: until ${day.format(server.now() + 30 * 24 * HOUR)}`);
      });

      test("at an address whose time is over → the row says that the older access stays, and it does", async () => {
        const of = await anApp({ redirectUris: [app.redirectUris[0] ?? "", NEW] });
        const first = await tokensFor({ duration: "2592000" }, of, WITHOUT);
        const at = (scope: string) => authorizeUrl(server, of, { scope, redirect_uri: NEW });
        const short = await first.agent.get(at(WITHOUT));
        await first.agent.submit(consentForm(short), { decision: "allow", duration: "3600" });
        server.tick(2 * HOUR);
        const page = await first.agent.get(at(ASKED));
        expect(textIn(page.text)).toContain("What you allowed here has ended.");
        expect(textIn(page.text)).not.toMatch(NOW);
        await first.agent.submit(consentForm(page), { decision: "allow", ...declined });
        expect((await refresh(server, of, first.body.refresh_token)).status).toBe(200);
      });

      test("no older refresh token → the page says nothing of the kind", async () => {
        const { agent } = await tokensFor({ duration: "once" }, app, WITHOUT);
        const page = await agent.get(authorizeUrl(server, app, { scope: ASKED }));
        expect(page.text).toContain("Keep access while you’re away");
        expect(textIn(page.text)).not.toMatch(NOW);
        expect(page.text).not.toContain("also while you’re away");
      });

      test("for a company → the row says it, and the company’s history of leaving it out", async () => {
        const company = await addCompany(server, { defaultRule: "members" });
        const { username } = company.member;
        const agent = await signedIn(username);
        const own = { owner: company.companyId, duration: "2592000" };
        const first = await authorize(agent, authorizeUrl(server, app, { scope: WITHOUT }), username, own);
        const { body } = await redeem(server, app, first);
        const page = await agent.get(authorizeUrl(server, app, { scope: ASKED }));
        expect(textIn(page.text)).toMatch(NOW);
        await agent.submit(consentForm(page), { decision: "allow", ...declined });
        expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
        const { partition, companyId: ownerId } = company;
        const page1 = await server.assent.storage.history.list({ partition, ownerId, limit: 10, before: null });
        expect(page1.map(({ record }) => record.removed)).toContainEqual(["offline_access"]);
      });

      test("for a company whose approval has it no more → the admin’s row says that the app has it, and leaving it out ends it", async () => {
        const company = await addCompany(server, { defaultRule: "members" });
        const { username } = company.admin;
        const agent = await signedIn(username);
        const own = { owner: company.companyId, duration: "2592000" };
        const first = await authorize(agent, authorizeUrl(server, app, { scope: "read offline_access" }), username, {
          ...own,
          ...allowed,
        });
        const { body } = await redeem(server, app, first);
        await decideRule(server, company, app, { scopes: ["read", "offline_access"] });
        await decideRule(server, company, app, { scopes: ["read"] });
        const page = await agent.get(authorizeUrl(server, app, { scope: "read offline_access" }));
        expect(textIn(page.text)).toMatch(NOW);
        await agent.submit(consentForm(page), { decision: "allow", ...declined });
        expect((await refresh(server, app, body.refresh_token)).body.error).toBe("invalid_grant");
      });
    });

    test("it ends before the rest, or was for once → none, before and after the end", async () => {
      const hour = { ...allowed, duration: "7776000", "duration:offline_access": "3600" };
      const ended = await tokensFor(hour);
      expect(await again(ended.agent, ended.person.username)).toEqual(NONE);
      server.tick(HOUR);
      const back = await signedIn(ended.person.username);
      expect(await again(back, ended.person.username)).toEqual(NONE);
      // The page of another permission leaves the ended one out of the record.
      const more = authorizeUrl(server, app, { scope: "openid read email", prompt: "consent" });
      await authorize(back, more, ended.person.username, { scope: [] });
      expect(await again(back, ended.person.username)).toEqual(NONE);
      const once = await tokensFor({ ...allowed, duration: "7776000", "duration:offline_access": "once" });
      expect(await again(once.agent, once.person.username)).toEqual(NONE);
    });

    test("allowed until revoked → only a grant with it has refresh tokens; after a revocation, as at first", async () => {
      const { agent, person, key } = await tokensFor({ ...allowed, duration: "forever" });
      expect(await again(agent, person.username)).toEqual(NONE);
      await server.assent.storage.consents.revoke({ ...key, revokedBy: key.ownerId, now: server.now() });
      const anew = await authorize(agent, authorizeUrl(server, app, { scope: WITHOUT }), person.username, {});
      expect((await redeem(server, app, anew)).body.refresh_token).toBeDefined();
    });

    test("a device → none", async () => {
      const tv = await aDeviceClient(server, { scopes: SCOPES });
      const { username } = await server.addPerson();
      const agent = new Agent(server.issuer);
      const first = await aDevice(server, tv, { scope: ASKED });
      await decide(agent, first.userCode, username, { scope: [] });
      const second = await aDevice(server, tv, { scope: WITHOUT });
      await decide(agent, second.userCode, username);
      const { body } = await poll(server, tv, second.deviceCode);
      expect([body.scope, body.refresh_token]).toEqual([WITHOUT, undefined]);
    });

    test("a device whose owner removes it before the poll → none", async () => {
      const tv = await aDeviceClient(server, { scopes: SCOPES });
      const person = await server.addPerson();
      const { deviceCode, userCode } = await aDevice(server, tv, { scope: ASKED });
      await decide(new Agent(server.issuer), userCode, person.username, allowed);
      const key = { ...person, ownerId: person.personId, clientId: tv.clientId };
      const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
      expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
      const { body } = await poll(server, tv, deviceCode);
      expect([body.scope, body.refresh_token]).toEqual([WITHOUT, undefined]);
    });

    test("a client that the operator vouches for → none after the owner removed it", async () => {
      const own = await anApp({ firstParty: true });
      const { agent, person, key, body } = await tokensFor({}, own);
      expect(body.refresh_token).toBeDefined();
      const removal = { ...key, remove: ["offline_access"], by: key.ownerId, now: server.now() };
      expect((await server.assent.storage.consents.narrow(removal)).kind).toBe("narrowed");
      expect(await again(agent, person.username, { prompt: "none" }, own)).toEqual(NONE);
    });

    test("a password → none, also if it asks for the removed permission", async () => {
      const old = await anApp({ grantTypes: ["authorization_code", "password", "refresh_token"] });
      const before = await server.addPerson();
      const first = { grant_type: "password", username: before.username, password: PASSWORD, scope: "read" };
      expect((await postForm(server, "/token", old, first)).body.refresh_token).toBeDefined();
      const { person } = await tokensFor(declined, old);
      const fields = { grant_type: "password", username: person.username, password: PASSWORD };
      for (const scope of ["read", "read offline_access"]) {
        const { status, body } = await postForm(server, "/token", old, { ...fields, scope });
        expect([status, body.scope, body.refresh_token], scope).toEqual([200, "read", undefined]);
      }
    });

    test("a member of a company → none", async () => {
      const company = await addCompany(server, { defaultRule: "members" });
      const { username } = company.member;
      const agent = await signedIn(username);
      const answer = { ...declined, owner: company.companyId };
      const first = await authorize(agent, authorizeUrl(server, app, { scope: ASKED }), username, answer);
      expect((await redeem(server, app, first)).body.refresh_token).toBeUndefined();
      expect(await again(agent, username)).toEqual(NONE);
    });
  });
});
