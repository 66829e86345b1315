/** Attacks on sessions and forms: forged cookies, forged posts, fixation, time-outs (RFC 6749 §10.12, RFC 6819 §4.4.1.9). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DerivedCredentials } from "../../packages/server/src/crypto/derived-credentials.ts";
import { newId } from "../../packages/server/src/crypto/ids.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { atConsent, logSince, type ProxiedServer, send, startBehindProxy } from "../support/front-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Form,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let proxied: ProxiedServer;
let client: TestClient;

beforeAll(async () => {
  [server, proxied] = await Promise.all([startServer(), startBehindProxy()]);
  client = await server.addClient();
});
afterAll(async () => {
  await Promise.all([server.stop(), proxied.stop()]);
});

const signedIn = (person?: Person) => signedInPerson(server, person);

const isSignedIn = async (agent: Agent) => (await agent.get("/account/apps")).status === 200;
const loginForm = async (agent: Agent, url = "/login"): Promise<Form> => {
  const form = (await agent.get(url)).forms.find(({ fields }) => fields.has("username"));
  if (form === undefined) throw new Error("no sign-in form");
  return form;
};
const consents = ({ partition, personId }: Person) =>
  server.assent.storage.consents.list({ partition, ownerId: personId, now: server.now() });

/** Invalid form tokens: none, empty, a guess, of another browser, of another session. */
async function wrongTokens(): Promise<readonly (string | undefined)[]> {
  const { agent } = await signedIn();
  const other = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
  const browser = (await loginForm(new Agent(server.issuer))).fields.get("csrf") ?? "";
  expect([other, browser]).toEqual([expect.stringMatching(/.{20}/), expect.stringMatching(/.{20}/)]);
  return [undefined, "", "AAAA", other, browser, `${other} `, other.slice(0, -1)];
}

const bend = (form: Form, csrf: string | undefined): Form => {
  const fields = new URLSearchParams(form.fields);
  fields.delete("csrf");
  if (csrf !== undefined) fields.append("csrf", csrf);
  return { ...form, fields };
};

describe("SS-05 a form with a wrong token", () => {
  test("sign-in → 403 with the form, no session; with its own → in", async () => {
    const person = await server.addPerson();
    for (const csrf of await wrongTokens()) {
      const agent = new Agent(server.issuer);
      const page = await agent.submit(bend(await loginForm(agent), csrf), {
        username: person.username,
        password: PASSWORD,
      });
      expect(page.status).toBe(403);
      expect(page.forms.some(({ fields }) => fields.has("username"))).toBe(true);
      expect(page.text).not.toContain(PASSWORD);
      expect(agent.cookies.has("assent_session")).toBe(false);
    }
    const agent = new Agent(server.issuer);
    expect((await agent.submit(await loginForm(agent), { username: person.username, password: PASSWORD })).status).toBe(
      303,
    );
  });

  test("sign-in by somebody else's form and cookies of one's own → 403 (sign-in as the attacker)", async () => {
    const attacker = await server.addPerson();
    const form = await loginForm(new Agent(server.issuer));
    const victim = new Agent(server.issuer);
    await victim.get("/login");
    expect((await victim.submit(form, { username: attacker.username, password: PASSWORD })).status).toBe(403);
    expect(victim.cookies.has("assent_session")).toBe(false);
  });

  test("consent, allow and deny → 403 with the form, no grant, nothing to the client; its own → the code", async () => {
    const { agent, person } = await signedIn();
    const form = consentForm(await agent.get(authorizeUrl(server, client)));
    for (const csrf of await wrongTokens()) {
      for (const decision of ["allow", "deny"]) {
        const page = await agent.submit(bend(form, csrf), { decision });
        expect([page.status, page.location]).toEqual([403, undefined]);
        expect(consentForm(page).fields.get("csrf")).toBe(form.fields.get("csrf"));
      }
    }
    expect(await consents(person)).toEqual([]);
    expect((await agent.submit(form, { decision: "allow" })).location?.searchParams.get("code")).toMatch(/^ac_/);
  });

  test("another account → 403, still signed in, no answer to an app that was allowed meanwhile; its own → still signed in", async () => {
    const { agent } = await signedIn();
    const page = await agent.get(authorizeUrl(server, client));
    const form = page.forms.find(({ action }) => action === "/login/switch");
    if (form === undefined) throw new Error("no way to another account");
    // The person allows the app in another tab, so that the first tab's request needs no page any more.
    const allowed = await agent.submit(consentForm(await agent.get(authorizeUrl(server, client))), {
      decision: "allow",
    });
    expect(allowed.status).toBe(302);
    for (const csrf of await wrongTokens()) {
      const refused = await agent.submit(bend(form, csrf));
      expect([refused.status, refused.location]).toEqual([403, undefined]);
      expect(await isSignedIn(agent)).toBe(true);
    }
    expect((await agent.submit(form)).status).toBe(200);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("taking away an app, a part of it, and signing out → 403 page, nothing done; its own → done", async () => {
    const { agent, person } = await signedIn();
    const page = await agent.get(authorizeUrl(server, client, { scope: "read write" }));
    await agent.submit(consentForm(page), { decision: "allow", scope: ["write"] });
    const csrf = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
    const posts: readonly (readonly [string, Record<string, string>])[] = [
      ["/account/apps/narrow", { client_id: client.clientId, keep: "read" }],
      ["/account/apps/revoke", { client_id: client.clientId }],
      ["/account/sign-out", { sign_out: "sign_out" }],
    ];
    const before = JSON.stringify(await consents(person));
    const wrong = await wrongTokens();
    for (const [path, fields] of posts) {
      for (const token of wrong) {
        const refused = await agent.post(path, { ...fields, ...(token === undefined ? {} : { csrf: token }) });
        expect([path, refused.status]).toEqual([path, 403]);
        expect(refused.text).toContain("/errors/form_token_invalid");
      }
      // A token in the query or in a body that isn't a form is ignored.
      expect((await agent.post(`${path}?csrf=${csrf}`, fields)).status).toBe(403);
      const body = JSON.stringify({ ...fields, csrf });
      const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
        const headers = { "content-type": type, cookie, accept: "text/html" };
        expect((await send(server.issuer, { method: "POST", path, headers, body })).status).toBe(403);
      }
    }
    expect(JSON.stringify(await consents(person))).toBe(before);
    for (const [path, fields] of posts)
      expect((await agent.follow(await agent.post(path, { ...fields, csrf }))).status).toBe(200);
    expect(await consents(person)).toEqual([]);
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("the token of a session that has ended → 403 in the next one", async () => {
    const { agent, person } = await signedIn();
    const form = (await agent.get("/account/apps")).forms[0];
    if (form === undefined) throw new Error("no form");
    expect((await agent.submit(form)).status).toBe(200);
    await signIn(agent, person.username);
    expect((await agent.submit(form)).status).toBe(403);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("another person's app, named in one's own form → nothing of theirs is touched", async () => {
    const victim = await signedIn();
    await authorize(victim.agent, authorizeUrl(server, client), victim.person.username);
    const { agent } = await signedIn();
    const csrf = (await agent.get("/account/apps")).forms[0]?.fields.get("csrf") ?? "";
    for (const extra of [
      {},
      { owner: victim.person.personId },
      { owner_id: victim.person.personId },
      { partition: "0" },
    ]) {
      await agent.post("/account/apps/revoke", { client_id: client.clientId, csrf, ...extra });
      await agent.post("/account/apps/narrow", { client_id: client.clientId, csrf, ...extra });
    }
    expect((await consents(victim.person)).map(({ consent }) => consent.status)).toEqual(["active"]);
  });
});

describe("SS-06 a link does nothing", () => {
  test("GET and HEAD on what a form does → 405, a question, or a page; nothing is done", async () => {
    const { agent, person } = await signedIn();
    await authorize(agent, authorizeUrl(server, client), person.username);
    const page = await agent.get(authorizeUrl(server, client, { prompt: "consent" }));
    const { fields } = consentForm(page);
    const csrf = fields.get("csrf") ?? "";
    const query = `csrf=${encodeURIComponent(csrf)}&client_id=${client.clientId}`;
    const answered = `${new URLSearchParams(fields)}&decision=allow`;
    for (const method of ["GET", "HEAD"]) {
      for (const path of [
        `/account/apps/revoke?${query}`,
        `/account/apps/narrow?${query}`,
        `/login/switch?${answered}`,
      ])
        expect((await agent.request(method, path)).status, path).toBe(405);
      expect((await agent.request(method, `/account/sign-out?${query}&sign_out=sign_out`)).status).toBe(200);
      const consent = await agent.request(method, `/consent?${answered}`);
      expect([consent.status, consent.location]).toEqual([200, undefined]);
      const login = await agent.request(method, `/login?username=${person.username}&password=${PASSWORD}&csrf=${csrf}`);
      expect(login.text).not.toContain(PASSWORD);
    }
    expect(await isSignedIn(agent)).toBe(true);
    expect((await consents(person)).map(({ consent }) => consent.uses)).toEqual([1]);
    expect(server.log.join("")).not.toContain(encodeURIComponent(PASSWORD));
  });
});

describe("SS-07 the session's id", () => {
  test("changes with each sign-in: first, again for prompt=login, as another person; the old one is dead", async () => {
    const { agent, person } = await signedIn();
    const ids = [agent.cookies.get("assent_session") ?? ""];
    const again = await agent.get(authorizeUrl(server, client, { prompt: "login" }));
    await signIn(agent, person.username, again);
    ids.push(agent.cookies.get("assent_session") ?? "");
    const other = await server.addPerson();
    await signIn(agent, other.username, await agent.get(authorizeUrl(server, client, { prompt: "select_account" })));
    ids.push(agent.cookies.get("assent_session") ?? "");
    expect(new Set(ids).size).toBe(3);
    for (const old of ids.slice(0, 2)) {
      const stale = new Agent(server.issuer);
      stale.cookies.set("assent_session", old);
      expect(await isSignedIn(stale)).toBe(false);
    }
    expect(await isSignedIn(agent)).toBe(true);
  });
});

describe("SS-08, SS-18 cookies that we didn't make", () => {
  test("SS-08 a made-up session, then a sign-in → a fresh one, never the one that was brought", async () => {
    for (const planted of ["x", "se_AAAA", "A".repeat(200)]) {
      const agent = new Agent(server.issuer);
      agent.cookies.set("assent_session", planted);
      const { username } = await server.addPerson();
      await signIn(agent, username);
      expect(agent.cookies.get("assent_session")).not.toBe(planted);
      expect(await isSignedIn(agent)).toBe(true);
    }
  });

  test("SS-08 the attacker's own session, planted → replaced by the sign-in, and dead for the attacker", async () => {
    const attacker = await signedIn();
    const planted = attacker.agent.cookies.get("assent_session") ?? "";
    const victim = new Agent(server.issuer);
    victim.cookies.set("assent_session", planted);
    const { username } = await server.addPerson();
    const page = await victim.get(authorizeUrl(server, client, { prompt: "login" }));
    await signIn(victim, username, page);
    expect(victim.cookies.get("assent_session")).not.toBe(planted);
    expect(await isSignedIn(attacker.agent)).toBe(false);
  });

  test("SS-18 every character changed, cut, lengthened, empty → no session, no fault", async () => {
    const { agent } = await signedIn();
    const good = agent.cookies.get("assent_session") ?? "";
    const bent = [...good].map((letter, at) => good.slice(0, at) + (letter === "A" ? "B" : "A") + good.slice(at + 1));
    const cut = [1, 2, 10, 43, good.length].map((count) => good.slice(0, good.length - count));
    const headers = { accept: "text/html" };
    for (const value of [
      ...bent,
      ...cut,
      `${good}A`,
      `${good}=`,
      `"${good}"`,
      good.toUpperCase(),
      `${good}.${good}`,
      "%00",
      "se_",
    ]) {
      const answer = await send(server.issuer, {
        path: "/account/apps",
        headers: { ...headers, cookie: `assent_session=${value}` },
      });
      expect([value, answer.status, answer.headers.location]).toEqual([value, 303, `${server.issuer}/login`]);
    }
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("SS-18 signed with another key, or with ours for another purpose → no session", async () => {
    const { agent, person } = await signedIn();
    const [session] = await server.assent.storage.sessions.list({ ...person, now: server.now() });
    const forged = new DerivedCredentials(new Secrets([Buffer.alloc(32, 7)]));
    const salt = Buffer.alloc(32, 1);
    const callback = await authorize(agent, authorizeUrl(server, client), person.username);
    const device = agent.cookies.get("assent_device") ?? "";
    const values = [
      forged.make("session", session?.sessionId ?? "", 0, salt),
      forged.make("session", newId(person.partition), 0, salt),
      session?.sessionId ?? "",
      callback.searchParams.get("code") ?? "",
      device,
      device.replace(/^[a-z]+_/, ""),
    ];
    for (const value of values) {
      const stranger = new Agent(server.issuer);
      stranger.cookies.set("assent_session", value);
      expect(await isSignedIn(stranger), value).toBe(false);
    }
  });

  test("SS-22 two cookies of one name → neither counts; one without the prefix → doesn't count on https", async () => {
    const { username } = await proxied.addPerson();
    const agent = new Agent(proxied.origin);
    const form = await loginForm(agent);
    expect((await agent.submit(form, { username, password: PASSWORD })).status).toBe(303);
    const good = agent.cookies.get("__Host-assent_session") ?? "";
    const with_ = (cookie: string) =>
      send(proxied.origin, { path: "/account/apps", headers: { accept: "text/html", cookie } });
    expect((await with_(`__Host-assent_session=${good}`)).status).toBe(200);
    for (const cookie of [
      `__Host-assent_session=${good}; __Host-assent_session=x`,
      `__Host-assent_session=x; __Host-assent_session=${good}`,
      `__Host-assent_session=${good}; __Host-assent_session=${good}`,
      `assent_session=${good}`,
      `__Secure-assent_session=${good}`,
      `__host-assent_session=${good}`,
      `=__Host-assent_session=${good}`,
    ])
      expect([cookie.slice(0, 60), (await with_(cookie)).status]).toEqual([cookie.slice(0, 60), 303]);
    // A planted cookie with another name changes nothing.
    expect((await with_(`assent_session=x; __Host-assent_session=${good}; session=y`)).status).toBe(200);
  });

  test("SS-22 a planted browser cookie → forms of the real one stop working, none of the planter's starts to", async () => {
    const planter = new Agent(server.issuer);
    const theirs = await loginForm(planter);
    const victim = new Agent(server.issuer);
    await victim.get("/login");
    const cookie = `assent_browser=${victim.cookies.get("assent_browser")}; assent_browser=${planter.cookies.get("assent_browser")}`;
    const { username } = await server.addPerson();
    const body = `${new URLSearchParams([...theirs.fields, ["username", username], ["password", PASSWORD]])}`;
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
    const answer = await send(server.issuer, { method: "POST", path: "/login", headers, body });
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer.headers["set-cookie"])).not.toContain("assent_session");
  });
});

describe("the end of a session", () => {
  test("SS-13 after signing out the old cookie, the page before and the form on it → sign-in; nothing is cached", async () => {
    const { agent } = await signedIn();
    const before = await agent.get("/account/apps");
    expect(before.headers.get("cache-control")).toBe("no-store");
    const old = agent.cookies.get("assent_session") ?? "";
    const form = before.forms.find(({ action }) => action === "/account/sign-out");
    if (form === undefined) throw new Error("no way out");
    const out = await agent.submit(form);
    expect(out.headers.getSetCookie().join()).toMatch(/assent_session=;.*Max-Age=0/);
    agent.cookies.set("assent_session", old);
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    const again = await agent.submit(form);
    expect([again.status, again.location?.pathname]).toEqual([303, "/login"]);
    const asked = await agent.get(authorizeUrl(server, client));
    expect(asked.forms[0]?.fields.has("username")).toBe(true);
  });

  test("SS-14 signing out from another site, by link or form → a question, or 403; still signed in", async () => {
    const { agent } = await signedIn();
    const headers = { origin: "https://evil.test", "sec-fetch-site": "cross-site", referer: "https://evil.test/" };
    const question = await agent.get("/account/sign-out?confirm=1", headers);
    expect(question.status).toBe(200);
    expect(question.forms[0]?.fields.has("csrf")).toBe(true);
    expect((await agent.post("/account/sign-out", { sign_out: "sign_out" }, headers)).status).toBe(403);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("SS-16 the operator disables the person → session and refresh token dead at once, the code too", async () => {
    const { agent, person } = await signedIn();
    const tokens = await redeem(server, client, await authorize(agent, authorizeUrl(server, client), person.username));
    const unspent = await authorize(agent, authorizeUrl(server, client), person.username);
    const open = await atConsent(agent, authorizeUrl(server, client, { prompt: "consent" }), person.username);
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    expect(await isSignedIn(agent)).toBe(false);
    expect((await refresh(server, client, tokens.body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await redeem(server, client, unspent)).body.error).toBe("invalid_grant");
    const late = await agent.submit(consentForm(open), { decision: "allow" });
    expect([late.status, late.location]).toEqual([200, undefined]);
    const mark = server.log.length;
    const refused = await agent.submit(await loginForm(agent), { username: person.username, password: PASSWORD });
    expect(refused.status).toBe(200);
    expect(logSince(server, mark)).not.toContain(PASSWORD);
  });

  test("SS-17 12 hours without use, or 14 days in all → sign-in; within both → still there", async () => {
    const own = await startServer();
    try {
      const { username } = await own.addPerson();
      const agent = new Agent(own.issuer);
      await signIn(agent, username);
      const hour = 3_600_000;
      // A session that is used every 11 hours lives for 14 days.
      for (let hours = 11; hours < 14 * 24; hours += 11) {
        own.tick(11 * hour);
        expect([hours, (await agent.get("/account/apps")).status]).toEqual([hours, 200]);
      }
      own.tick(7 * hour);
      expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
      own.stand();
      await signIn(agent, username);
      own.tick(12 * hour - 1000);
      expect((await agent.get("/account/apps")).status).toBe(200);
      own.tick(12 * hour + 1000);
      expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
    } finally {
      await own.stop();
    }
  });
});
