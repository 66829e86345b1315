/** Old tabs, duplicated tabs and double clicks during an authorization request (RFC 6749 §4.1). */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { expectPage400, rowCounts } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let other: TestClient;

const MINUTE = 60_000;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
  other = await server.addClient({ name: "Other", redirectUris: ["https://other.test/cb"] });
});
afterAll(() => server.stop());

const signInForm = (page: Page) => {
  const form = page.forms.find(({ fields }) => fields.has("password"));
  if (form === undefined) throw new Error(`no sign-in form: ${page.status} ${page.location}`);
  return form;
};

describe("two tabs", () => {
  test("two requests, signed in and finished in reverse order → both get their own answer", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const first = await agent.get(authorizeUrl(server, client, { state: "one" }));
    const second = await agent.get(authorizeUrl(server, other, { state: "two" }));
    const secondConsent = await signIn(agent, username, second);
    // The first tab's form was made before the sign-in, and is still valid.
    const firstConsent = await signIn(agent, username, first);
    const one = (await agent.submit(consentForm(firstConsent), { decision: "allow" })).location;
    // The second sign-in started a new session, so the older page is shown once more and then works.
    const renewed = await agent.submit(consentForm(secondConsent), { decision: "allow" });
    expect(renewed.status).toBe(403);
    const two = (await agent.submit(consentForm(renewed), { decision: "allow" })).location;
    expect([one?.origin, one?.searchParams.get("state")]).toEqual(["https://app.test", "one"]);
    expect([two?.origin, two?.searchParams.get("state")]).toEqual(["https://other.test", "two"]);
    expect((await redeem(server, client, one ?? "")).status).toBe(200);
    expect((await redeem(server, other, two ?? "")).status).toBe(200);
  });

  test("signed in in another tab, then this one loaded again → no password asked, both go on", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const waiting = await agent.get(authorizeUrl(server, client));
    await signIn(agent, username);
    const request = signInForm(waiting).fields.get("request") ?? "";
    const page = await agent.get(`/login?${new URLSearchParams({ request })}`);
    expect((await agent.submit(consentForm(page), { decision: "allow" })).location?.searchParams.has("code")).toBe(
      true,
    );
    expect((await agent.get("/account/apps")).text).toContain(`data-client-id="${client.clientId}"`);
  });

  test("signed out in another tab → the answer asks for the password, then for consent again, then goes out", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const page = await agent.get(authorizeUrl(server, client));
    await agent.submit((await agent.get("/account/sign-out")).forms.at(-1) ?? consentForm(page));
    const asked = await agent.submit(consentForm(page), { decision: "allow" });
    expect([asked.status, asked.location]).toEqual([200, undefined]);
    const again = await signIn(agent, username, asked);
    expect((await agent.submit(consentForm(again), { decision: "allow" })).location?.searchParams.has("code")).toBe(
      true,
    );
  });

  test("the app was allowed in another tab, this one is loaded again → its answer, without a page", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const page = await agent.get(authorizeUrl(server, client, { state: "one" }));
    await agent.submit(consentForm(await agent.get(authorizeUrl(server, client))), { decision: "allow" });
    const request = consentForm(page).fields.get("request") ?? "";
    const reloaded = await agent.get(`/consent?${new URLSearchParams({ request })}`);
    expect([reloaded.status, reloaded.location?.searchParams.get("state")]).toEqual([302, "one"]);
  });
});

describe("an old tab", () => {
  test.each([1, 30, 59, 60])("%d minutes → goes on", async (minutes) => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    onTestFinished(server.stand());
    const page = await agent.get(authorizeUrl(server, client));
    const before = server.now();
    server.tick(minutes * MINUTE - 1000);
    const consent = await signIn(agent, username, page);
    expect((await agent.submit(consentForm(consent), { decision: "allow" })).location?.searchParams.has("code")).toBe(
      true,
    );
    server.tick(before - server.now());
  });

  test.each([61, 24 * 60, 7 * 24 * 60])(
    "%d minutes → 400 page with a door that starts the same request again",
    async (minutes) => {
      const { username } = await server.addPerson();
      const agent = new Agent(server.issuer);
      const extra = { state: `a "strange" \\ st\u00e4te&x=y`, scope: "read profile" };
      const page = await agent.get(authorizeUrl(server, client, extra));
      const before = server.now();
      server.tick(minutes * MINUTE);
      const late = await agent.submit(signInForm(page), { username, password: PASSWORD });
      expectPage400(late, "interaction_expired");
      // The password wasn't checked.
      expect(agent.cookies.has("assent_session")).toBe(false);
      const door = /<a class="button primary" href="([^"]+)">/.exec(late.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
      expect(door).toMatch(/^\/authorize\?/);
      const consent = await signIn(agent, username, await agent.get(door));
      const answer = await agent.submit(consentForm(consent), { decision: "allow" });
      expect(answer.location?.searchParams.get("state")).toBe(extra.state);
      server.tick(before - server.now());
    },
  );

  test("a consent page of yesterday → the same door", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const page = await agent.get(authorizeUrl(server, client));
    const before = server.now();
    server.tick(61 * MINUTE);
    const late = await agent.submit(consentForm(page), { decision: "allow" });
    expectPage400(late, "interaction_expired");
    expect(late.text).toContain('href="/authorize?');
    server.tick(before - server.now());
  });
});

describe("a double click on Allow", () => {
  test("twice at once, or ten times → one code, one grant; it redeems once", async () => {
    const { username, partition, personId } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    const before = (await rowCounts(server.dataDir))["grants"] ?? 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => agent.submit(form, { decision: "allow" })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(302));
    const codes = new Set(answers.map(({ location }) => location?.searchParams.get("code")));
    expect(codes.size).toBe(1);
    expect((await rowCounts(server.dataDir))["grants"]).toBe(before + 1);
    const [held] = await server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() });
    expect([held?.consent.uses, held?.grants.length]).toEqual([1, 1]);
    const [code] = codes;
    expect((await redeem(server, client, code ?? "")).status).toBe(200);
  });

  test("twice on a form that skips nothing, the second after redemption → 400 page, the tokens live on", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    const answer = await agent.submit(form, { decision: "allow" });
    const tokens = await redeem(server, client, answer.location ?? "");
    const late = await agent.submit(form, { decision: "allow" });
    expectPage400(late, "interaction_finished");
    expect(late.text).toContain('href="/account/apps"');
    const again = await agent.submit(form, { decision: "allow", duration: "forever" });
    expectPage400(again, "interaction_finished");
    const fields = { grant_type: "refresh_token", refresh_token: String(tokens.body.refresh_token) };
    const body = new URLSearchParams({ ...fields, client_id: client.clientId, client_secret: client.secret });
    expect((await fetch(`${server.issuer}/token`, { method: "POST", body })).status).toBe(200);
  });

  test("Allow and Don't allow at once → whatever the app hears, at most one grant and no error of ours", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    const answers = await Promise.all([
      agent.submit(form, { decision: "allow" }),
      agent.submit(form, { decision: "deny" }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([302, 302]);
    expect(answers[1]?.location?.searchParams.get("error")).toBe("access_denied");
  });

  test("the same link opened twice → two requests, two codes, each redeems", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    await agent.submit(consentForm(await agent.get(authorizeUrl(server, client))), { decision: "allow" });
    const callbacks = [await agent.get(authorizeUrl(server, client)), await agent.get(authorizeUrl(server, client))];
    for (const { location } of callbacks) expect((await redeem(server, client, location ?? "")).status).toBe(200);
  });
});
