/**
 * When the owner is asked, and for what: standing consents, new scopes, redirects that can't be verified (RFC 6749
 * §4.1, RFC 8252 §8.6).
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { expectRedirectError } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  pkce,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const asksPassword = ({ forms }: Page) => forms.some(({ fields }) => fields.has("password"));
const asksConsent = ({ forms }: Page) => forms.some(({ action }) => action === "/consent");
const answered = ({ status, location }: Page) => status === 302 && location?.searchParams.has("code") === true;

const someone = () => signedInPerson(server);

const allow = async (agent: Agent, url: string, answer: Record<string, string | string[]> = {}) => {
  const page = await agent.submit(consentForm(await agent.get(url)), { decision: "allow", ...answer });
  if (!answered(page)) throw new Error(`no code: ${page.status} ${page.text.slice(0, 200)}`);
  return page.location ?? new URL("about:blank");
};

describe("a session, no consent", () => {
  test("→ only the consent page, for the signed-in person", async () => {
    const { agent, username } = await someone();
    const page = await agent.get(authorizeUrl(server, client));
    expect([asksConsent(page), asksPassword(page)]).toEqual([true, false]);
    expect(page.text).toContain(username);
    expect(page.text).toContain("app.test");
    expect(page.text).toContain("See your photos");
  });
});

describe("a consent that covers it", () => {
  test("a session → the code without a page; no session → only the sign-in page", async () => {
    const { agent, username } = await someone();
    await allow(agent, authorizeUrl(server, client));
    expect(answered(await agent.get(authorizeUrl(server, client)))).toBe(true);
    const elsewhere = new Agent(server.issuer);
    const page = await elsewhere.get(authorizeUrl(server, client));
    expect(asksPassword(page)).toBe(true);
    expect(answered(await signIn(elsewhere, username, page))).toBe(true);
  });

  test("asked for less → the code, for less", async () => {
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client, { scope: "read write" }), { scope: ["write"] });
    const page = await agent.get(authorizeUrl(server, client, { scope: "read" }));
    expect((await redeem(server, client, page.location ?? "")).body.scope).toBe("read");
  });

  test("another client, or another person in the same browser → the consent page", async () => {
    const other = await server.addClient();
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client));
    expect(asksConsent(await agent.get(authorizeUrl(server, other)))).toBe(true);
    const { username } = await server.addPerson();
    await signIn(agent, username, await agent.get(authorizeUrl(server, client, { prompt: "login" })));
    expect(asksConsent(await agent.get(authorizeUrl(server, client)))).toBe(true);
  });

  test("form_post → the posting page without a consent page", async () => {
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client));
    const page = await agent.get(authorizeUrl(server, client, { response_mode: "form_post" }));
    expect([page.forms[0]?.action, page.forms[0]?.fields.get("code")]).toEqual([
      "https://app.test/cb",
      expect.stringMatching(/^ac_/),
    ]);
  });
});

describe("a public client", () => {
  const S256 = { code_challenge: pkce().challenge, code_challenge_method: "S256" };

  test("https → the second request needs no page", async () => {
    const spa = await server.addClient({ type: "public" });
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, spa, S256));
    expect(answered(await agent.get(authorizeUrl(server, spa, S256)))).toBe(true);
  });

  test.each(["http://127.0.0.1/cb", "http://[::1]/cb", "http://localhost/cb", "com.example.app:/cb"])(
    "%s, which any app on the device may use → the page each time, which says that access was allowed before",
    async (uri) => {
      const native = await server.addClient({ type: "public", redirectUris: ["https://app.test/cb", uri] });
      const { agent } = await someone();
      const url = authorizeUrl(server, native, { ...S256, redirect_uri: uri });
      await allow(agent, url);
      for (let time = 0; time < 2; time += 1) {
        const page = await agent.get(url);
        expect([asksConsent(page), answered(page)]).toEqual([true, false]);
        expect(page.text).not.toContain("<details");
      }
      // The verified redirect URI is asked for once, because its host is another redirect host.
      await allow(agent, authorizeUrl(server, native, S256));
      expect(answered(await agent.get(authorizeUrl(server, native, S256)))).toBe(true);
    },
  );

  test("a confidential client at a loopback redirect → no page, because its secret identifies it", async () => {
    const local = await server.addClient({ redirectUris: ["http://127.0.0.1/cb"] });
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, local));
    expect(answered(await agent.get(authorizeUrl(server, local)))).toBe(true);
  });
});

describe("more than was allowed", () => {
  test("→ the page shows new scopes first and folds the old ones; earlier tokens stay the same; then both scopes need no page", async () => {
    const { agent } = await someone();
    const first = await redeem(server, client, await allow(agent, authorizeUrl(server, client)));
    const page = await agent.get(authorizeUrl(server, client, { scope: "read profile" }));
    expect(asksConsent(page)).toBe(true);
    const [fresh = "", folded = ""] = page.text.split("<details");
    expect([fresh.includes("See your name"), fresh.includes("See your photos")]).toEqual([true, false]);
    expect(folded).toContain("See your photos");
    await agent.submit(consentForm(page), { decision: "allow" });
    expect((await refresh(server, client, first.body.refresh_token)).body.scope).toBe("read");
    expect(answered(await agent.get(authorizeUrl(server, client, { scope: "profile read" })))).toBe(true);
  });

  test("denied → the old consent is unchanged", async () => {
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client));
    const page = await agent.get(authorizeUrl(server, client, { scope: "read write" }));
    expectRedirectError(await agent.submit(consentForm(page), { decision: "deny" }), server, "access_denied");
    expect(answered(await agent.get(authorizeUrl(server, client)))).toBe(true);
    expect(asksConsent(await agent.get(authorizeUrl(server, client, { scope: "read write" })))).toBe(true);
  });

  test("an optional scope was declined → not asked for again, not granted", async () => {
    const { agent } = await someone();
    const callback = await allow(agent, authorizeUrl(server, client, { scope: "read write" }), { scope: [] });
    expect((await redeem(server, client, callback)).body.scope).toBe("read");
    expect(answered(await agent.get(authorizeUrl(server, client, { scope: "read" })))).toBe(true);
    const again = await agent.get(authorizeUrl(server, client, { scope: "read write" }));
    expect((await redeem(server, client, again.location ?? "")).body.scope).toBe("read");
  });
});

describe("a consent that has ended", () => {
  test("revoked on the page of apps → asked again", async () => {
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client));
    const apps = await agent.get("/account/apps");
    const form = apps.forms.find(({ action }) => action.endsWith("/revoke"));
    if (form === undefined) throw new Error("no revoke");
    expect((await agent.submit(form)).status).toBe(303);
    expect(asksConsent(await agent.get(authorizeUrl(server, client)))).toBe(true);
  });

  test("for an hour: an hour later and within its last 30 seconds → the page; before → no page", async () => {
    const { agent } = await someone();
    await allow(agent, authorizeUrl(server, client), { duration: "3600" });
    const start = server.now();
    server.tick(3_560_000);
    expect(answered(await agent.get(authorizeUrl(server, client)))).toBe(true);
    server.tick(15_000);
    expect(asksConsent(await agent.get(authorizeUrl(server, client)))).toBe(true);
    server.tick(60_000);
    expect(asksConsent(await agent.get(authorizeUrl(server, client)))).toBe(true);
    server.tick(start - server.now());
  });

  test("once → the page next time, and no refresh token", async () => {
    const { agent } = await someone();
    const tokens = await redeem(server, client, await allow(agent, authorizeUrl(server, client), { duration: "once" }));
    expect(tokens.body).not.toHaveProperty("refresh_token");
    expect(asksConsent(await agent.get(authorizeUrl(server, client)))).toBe(true);
  });
});

describe("requests without a choice", () => {
  test("a first-party client → no page, and it is in the list of apps", async () => {
    const own = await server.addClient({ firstParty: true } satisfies Partial<Client>);
    const { agent } = await someone();
    expect(answered(await agent.get(authorizeUrl(server, own)))).toBe(true);
    expect((await agent.get("/account/apps")).text).toContain(`data-client-id="${own.clientId}"`);
  });

  test("a first-party client with prompt=consent, or a public one whose redirect any app could use → the page", async () => {
    const own = await server.addClient({ firstParty: true } satisfies Partial<Client>);
    const { agent } = await someone();
    expect(asksConsent(await agent.get(authorizeUrl(server, own, { prompt: "consent" })))).toBe(true);
    const local = await server.addClient({ firstParty: true, type: "public", redirectUris: ["http://127.0.0.1/cb"] });
    const { challenge } = pkce();
    const stolen = {
      redirect_uri: "http://127.0.0.1:31337/cb",
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    expect(asksConsent(await agent.get(authorizeUrl(server, local, stolen)))).toBe(true);
  });

  test("scopes for operators only, asked of another person → access_denied; among other scopes → left out; an operator → the page", async () => {
    await server.addScope({ name: "admin:test", description: "Run this service", ownerRole: "operator" });
    const console_ = await server.addClient({ scopes: ["read", "admin:test"] });
    const { agent } = await someone();
    expectRedirectError(
      await agent.get(authorizeUrl(server, console_, { scope: "admin:test" })),
      server,
      "access_denied",
    );
    const callback = await allow(agent, authorizeUrl(server, console_, { scope: "read admin:test" }), {
      scope: ["admin:test"],
    });
    expect((await redeem(server, console_, callback)).body.scope).toBe("read");
    const operator = await server.addPerson({ operator: ["admin"] });
    const granted = await authorize(
      new Agent(server.issuer),
      authorizeUrl(server, console_, { scope: "admin:test" }),
      operator.username,
    );
    expect((await redeem(server, console_, granted)).body.scope).toBe("admin:test");
  });
});
