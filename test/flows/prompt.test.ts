/** `prompt`, `max_age`, `login_hint` for plain OAuth requests (OpenID Connect Core §3.1.2.1). */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formWith } from "../support/device-actor.ts";
import { expectRedirectError, inputValue } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
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

/** A signed-in person who has allowed `read`. */
async function allowed(): Promise<{ agent: Agent; username: string }> {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  await authorize(agent, authorizeUrl(server, client), username);
  server.tick(5);
  return { agent, username };
}

async function authTimeOf(callback: URL | undefined): Promise<number> {
  const { body } = await redeem(server, client, callback ?? "");
  return Number(decodeJwt(body.access_token ?? "")["auth_time"]);
}

describe("prompt", () => {
  test("login → the password again, for whom is said; then straight on, with a new auth_time", async () => {
    const { agent, username } = await allowed();
    const before = await authTimeOf((await agent.get(authorizeUrl(server, client))).location);
    server.tick(10_000);
    const page = await agent.get(authorizeUrl(server, client, { prompt: "login" }));
    expect(asksPassword(page)).toBe(true);
    expect(page.text).toContain("Alice Example");
    const done = await signIn(agent, username, page);
    expect(await authTimeOf(done.location)).toBeGreaterThanOrEqual(before + 10);
  });

  test("consent → the page although all is allowed; the answer counts anew", async () => {
    const { agent } = await allowed();
    const page = await agent.get(authorizeUrl(server, client, { prompt: "consent" }));
    expect([asksConsent(page), asksPassword(page)]).toEqual([true, false]);
    const answer = await agent.submit(consentForm(page), { decision: "deny" });
    expectRedirectError(answer, server, "access_denied");
    // Denying this request doesn't revoke the earlier consent.
    expect((await agent.get(authorizeUrl(server, client))).location?.searchParams.has("code")).toBe(true);
  });

  test("login consent → first one, then the other", async () => {
    const { agent, username } = await allowed();
    const page = await agent.get(authorizeUrl(server, client, { prompt: "login consent" }));
    expect(asksPassword(page)).toBe(true);
    const next = await signIn(agent, username, page);
    expect(asksConsent(next)).toBe(true);
    expect((await agent.submit(consentForm(next), { decision: "allow" })).location?.searchParams.has("code")).toBe(
      true,
    );
  });

  test("select_account → says who is signed in and asks which account; another one → a plain sign-in of the same request", async () => {
    const { agent, username } = await allowed();
    const page = await agent.get(authorizeUrl(server, client, { prompt: "select_account" }));
    expect(page.text).toContain("Choose an account for");
    expect(page.text).toMatch(/signed in as .*Alice Example/);
    expect(page.text).not.toContain("to confirm that it’s you");
    expect(inputValue(page, "username")).toBe(username);
    const chooser = page.forms.find(({ action }) => action === "/login/switch");
    if (chooser === undefined) throw new Error("no way to another account");
    const plain = await agent.submit(chooser);
    const asked = (page: Page) => [asksPassword(page), page.text.includes("to confirm that it’s you")];
    expect(asked(plain)).toEqual([true, false]);
    expect(inputValue(plain, "username") ?? "").toBe("");
    // Nobody has signed in with another account yet, so the session is unchanged, and the page says so.
    expect(plain.text).toMatch(/You stay signed in as .*Alice Example/);
    expect((await agent.get("/account/apps")).status).toBe(200);
    const back = /href="(\/consent\?request=[^"]*)">Go back</.exec(plain.text)?.[1] ?? "";
    expect((await agent.get(back)).text).toContain(username);
    const other = await server.addPerson();
    // A wrong password doesn't change that.
    const wrong = await agent.submit(formWith(plain, "username"), { username: other.username, password: "wrong" });
    expect(wrong.text).toMatch(/You stay signed in as .*Alice Example/);
    expect(asked(wrong)).toEqual([true, false]);
    expect((await agent.get("/account/apps")).text).toContain(username);
    const consent = await signIn(agent, other.username, plain);
    expect(asksConsent(consent)).toBe(true);
  });

  test("select_account → the way to be somebody else; the answer is theirs", async () => {
    const { agent } = await allowed();
    const other = await server.addPerson();
    const page = await agent.get(authorizeUrl(server, client, { prompt: "select_account" }));
    expect(asksPassword(page)).toBe(true);
    const consent = await signIn(agent, other.username, page);
    expect(consent.text).toContain(other.username);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answer.location ?? "");
    expect(decodeJwt(body.access_token ?? "").sub).toBe(other.personId);
  });

  test("none → the code at once for what is allowed, else an error, never a page", async () => {
    const { agent } = await allowed();
    const none = authorizeUrl(server, client, { prompt: "none" });
    expect((await agent.get(none)).location?.searchParams.has("code")).toBe(true);
    expectRedirectError(
      await agent.get(authorizeUrl(server, client, { prompt: "none", scope: "write" })),
      server,
      "consent_required",
    );
    expectRedirectError(await new Agent(server.issuer).get(none), server, "login_required");
  });
});

describe("max_age", () => {
  test("older than that → the password; younger, or none asked → straight on", async () => {
    const { agent, username } = await allowed();
    server.tick(100_000);
    expect((await agent.get(authorizeUrl(server, client, { max_age: "200" }))).status).toBe(302);
    const page = await agent.get(authorizeUrl(server, client, { max_age: "60" }));
    expect(asksPassword(page)).toBe(true);
    expect((await signIn(agent, username, page)).location?.searchParams.has("code")).toBe(true);
    expect((await agent.get(authorizeUrl(server, client, { max_age: "60" }))).status).toBe(302);
    expect((await agent.get(authorizeUrl(server, client))).status).toBe(302);
  });

  test("0 → the password each time, and once it is given, on", async () => {
    const { agent, username } = await allowed();
    for (let time = 0; time < 2; time += 1) {
      server.tick(5);
      const page = await agent.get(authorizeUrl(server, client, { max_age: "0" }));
      expect(asksPassword(page)).toBe(true);
      expect((await signIn(agent, username, page)).location?.searchParams.has("code")).toBe(true);
    }
  });

  test.each(["-1", "1.5", "1e3", "x", " 5", "99999999999"])("%j → invalid_request", async (max_age) => {
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { max_age }));
    expectRedirectError(page, server, "invalid_request");
  });
});

describe("login_hint", () => {
  test("no session → stands in the field; a session → asks nothing", async () => {
    const page = await new Agent(server.issuer).get(authorizeUrl(server, client, { login_hint: "ann@example.test" }));
    expect(inputValue(page, "username")).toBe("ann@example.test");
    const { agent } = await allowed();
    expect((await agent.get(authorizeUrl(server, client, { login_hint: "ann" }))).status).toBe(302);
  });

  test.each([{ prompt: "login" }, { max_age: "1" }])(
    "of another account, while somebody is signed in, with %o → the page asks for that account, and names nobody else",
    async (asks) => {
      const { agent, username } = await allowed();
      server.tick(10_000);
      const names = (page: Page) => [inputValue(page, "username"), page.text.includes("You’re signed in as")];
      const at = async (login_hint: string) =>
        names(await agent.get(authorizeUrl(server, client, { ...asks, login_hint })));
      expect(await at("somebody.else")).toEqual(["somebody.else", false]);
      expect(await at("nobody at all")).toEqual(["nobody at all", false]);
      // The same account, however it is named.
      expect(await at(` ${username.toUpperCase()}`)).toEqual([` ${username.toUpperCase()}`, true]);
      expect(await at(`${username}@example.test`)).toEqual([`${username}@example.test`, true]);
      // Another name that somebody typed.
      const page = await agent.get(authorizeUrl(server, client, asks));
      expect(names(page)[1]).toBe(true);
      const wrong = await agent.submit(page.forms[0] ?? noForm(), { username: "ann", password: "x" });
      expect(names(wrong)).toEqual(["ann", false]);
      const other = await server.addPerson();
      const hinted = await agent.get(authorizeUrl(server, client, { ...asks, login_hint: other.username }));
      expect((await signIn(agent, other.username, hinted)).text).toContain(other.username);
    },
  );

  test("a wrong password → the field holds what was typed, not the hint", async () => {
    const agent = new Agent(server.issuer);
    const page = await agent.get(authorizeUrl(server, client, { login_hint: "ann" }));
    const again = await agent.submit(page.forms[0] ?? noForm(), { username: "bob", password: "x" });
    expect([again.status, inputValue(again, "username")]).toEqual([200, "bob"]);
  });
});

function noForm(): never {
  throw new Error("no form");
}
