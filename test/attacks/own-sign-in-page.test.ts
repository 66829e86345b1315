/** LD-18, LD-22, LD-23, UP-13, UP-17, UP-20: challenges of the operator's own sign-in page in the wrong hands, and answers that can't be. */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AUTHENTICATOR, appOf, formWith } from "../support/authenticator-app.ts";
import { rowCounts } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm } from "../support/http-browser.ts";
import {
  accepted,
  anAccept,
  callAs,
  challengeOf,
  type Fields,
  pressOwnPage,
  signInAtPage,
  startWithPage,
  type WithPage,
} from "../support/own-sign-in-page.ts";
import { isSignedIn } from "../support/sign-in-providers.ts";
import type { TestClient } from "../support/test-server.ts";

let at: WithPage;
let app: TestClient;

beforeAll(async () => {
  at = await startWithPage({ emailDomains: ["acme.test"], clients: ["acme", "without-secret"] });
  app = await at.server.addClient();
});
afterAll(() => at.server.stop());

const begin = (agent: Agent) => agent.get(authorizeUrl(at.server, app));
const aBrowser = async () => {
  const agent = new Agent(at.server.issuer);
  const begun = await begin(agent);
  return { agent, begun, challenge: challengeOf(begun) };
};

describe("LD-18 a challenge in the wrong hands", () => {
  test("seen in a log, opened in another browser → the request's state is not given away, and nobody signs in", async () => {
    const { begun, challenge } = await aBrowser();
    const thief = new Agent(at.server.issuer);
    for (const verifier of ["", randomBytes(32).toString("base64url")]) {
      const page = await thief.get(`/login/external?challenge=${challenge}&verifier=${verifier}`);
      expect([page.status, page.location]).toEqual([400, undefined]);
      for (const secret of ["a state", "app.test", app.clientId]) expect(page.text).not.toContain(secret);
    }
    const stolen = await accepted(at, begun);
    const page = await thief.get(stolen);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("began in another browser")]);
    expect(await isSignedIn(thief)).toBe(false);
  });

  test("the victim's page accepts the attacker's challenge → the attacker's browser lacks the verifier, the victim's the cookie", async () => {
    const attacker = await aBrowser();
    const toVictim = await accepted(at, attacker.begun);
    const victim = new Agent(at.server.issuer);
    expect((await victim.get(toVictim)).status).toBe(400);
    expect(await isSignedIn(victim)).toBe(false);
    for (const guess of ["", "A".repeat(43), new URL(toVictim).searchParams.get("challenge") ?? ""]) {
      await attacker.agent.get(`/login/external?challenge=${attacker.challenge}&verifier=${guess}`);
      expect(await isSignedIn(attacker.agent)).toBe(false);
    }
  });

  test("login CSRF: the attacker's own finished challenge in the victim's browser → the victim stays who they were", async () => {
    const victim = new Agent(at.server.issuer);
    await signInAtPage(
      at,
      victim,
      await victim.get("/login"),
      anAccept(at.server, { preferred_username: "the-victim" }),
    );
    const attacker = await aBrowser();
    const trap = await accepted(at, attacker.begun);
    expect((await victim.get(trap)).status).toBe(400);
    expect((await victim.get("/account/profile")).text).toContain("the-victim");
    // The attacker's own browser can still use it: the trap has not spent it.
    await attacker.agent.get(trap);
    expect(await isSignedIn(attacker.agent)).toBe(true);
  });

  test("altered, cut, empty, of another server, twice in one address → refused everywhere", async () => {
    const { agent, begun, challenge } = await aBrowser();
    const other = await startWithPage();
    const foreign = challengeOf(await new Agent(other.server.issuer).get("/login"));
    await other.server.stop();
    const middle = Math.floor(challenge.length / 2);
    const flipped = challenge.slice(0, middle) + (challenge[middle] === "A" ? "B" : "A") + challenge.slice(middle + 1);
    for (const wrong of [flipped, challenge.slice(0, -4), foreign, "x", "x".repeat(7000), `${challenge}=`]) {
      for (const what of ["challenge", "accept"] as const) {
        const fields = { challenge: wrong, ...(what === "accept" ? anAccept(at.server) : {}) };
        expect((await callAs(at, what, fields)).status, wrong.slice(0, 20)).toBe(400);
      }
    }
    const to = new URL(await accepted(at, begun));
    const verifier = to.searchParams.get("verifier") ?? "";
    for (const query of [
      `challenge=${flipped}&verifier=${verifier}`,
      `challenge=${challenge}&challenge=${challenge}&verifier=${verifier}`,
      `challenge=${challenge}&verifier=${verifier}&verifier=${verifier}`,
      `challenge=${challenge}&verifier=${verifier.slice(0, -1)}${verifier.endsWith("A") ? "B" : "A"}x`,
      `verifier=${verifier}`,
    ]) {
      expect((await agent.get(`/login/external?${query}`)).status, query.slice(0, 30)).toBe(400);
      expect(await isSignedIn(agent)).toBe(false);
    }
  });

  test("UP-20 replayed: the back button → onward without a second session; after a sign-out → begin again", async () => {
    const { agent, begun } = await aBrowser();
    const to = await accepted(at, begun);
    await agent.follow(await agent.get(to));
    const session = agent.cookies.get("assent_session");
    const again = await agent.get(to);
    expect(again.location?.pathname).toBe("/consent");
    expect(agent.cookies.get("assent_session")).toBe(session);
    agent.cookies.delete("assent_session");
    const page = await agent.get(to);
    expect([page.status, await isSignedIn(agent)]).toEqual([400, false]);
    // The app's request is not lost.
    expect(consentForm(await signInAtPage(at, agent, await pressOwnPage(agent, page)))).toBeDefined();
  });

  test("UP-20 twenty at once → one session, and twenty accepts at once → one answer", async () => {
    const { agent, challenge } = await aBrowser();
    const fields = { challenge, ...anAccept(at.server) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => callAs(at, "accept", fields)));
    expect(new Set(answers.map(({ body }) => body["redirect_to"])).size).toBe(1);
    const to = String(answers[0]?.body["redirect_to"]);
    const cookies = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => fetch(to, { redirect: "manual", headers: { cookie: cookies } })),
    );
    const made = sessions.filter(({ headers }) =>
      headers.getSetCookie().some((line) => line.startsWith("assent_session=")),
    );
    expect(made).toHaveLength(1);
  });

  test("expired: at the back end after ten minutes, in the browser one minute later; then the request goes on", async () => {
    const { agent, begun, challenge } = await aBrowser();
    const to = await accepted(at, begun);
    at.server.tick(10 * 60_000);
    expect(await callAs(at, "challenge", { challenge })).toMatchObject({ status: 400 });
    expect((await callAs(at, "accept", { challenge, ...anAccept(at.server) })).body["error_uri"]).toContain(
      "external_challenge_expired",
    );
    at.server.tick(61_000);
    const late = await agent.get(to);
    expect([late.status, late.text]).toEqual([400, expect.stringContaining("took too long")]);
    expect(consentForm(await signInAtPage(at, agent, await pressOwnPage(agent, late)))).toBeDefined();
  });

  test("nothing is stored for visitors; an answer is one row, sealed, and housekeeping deletes it", async () => {
    // Refusals of the tests before are stored a moment after their answers.
    const rows = async () => ({ ...(await rowCounts(at.server.dataDir)), refusals: 0 });
    const before: Record<string, number> = await rows();
    const { begun } = await aBrowser();
    await callAs(at, "challenge", { challenge: challengeOf(begun) });
    expect(await rows()).toEqual(before);
    await accepted(at, begun);
    expect((await rowCounts(at.server.dataDir))["external_answers"]).toBe((before["external_answers"] ?? 0) + 1);
    at.server.tick(12 * 60_000);
    await at.server.assent.storage.housekeeping.collect({
      what: "external_answers",
      now: at.server.now(),
      limit: 1000,
    });
    expect((await rowCounts(at.server.dataDir))["external_answers"]).toBe(0);
  });
});

describe("LD-22 a client that may not answer", () => {
  test.each(["challenge", "accept", "reject"] as const)(
    "%s → 401 or 403, and the challenge can still be answered",
    async (what) => {
      const { agent, begun, challenge } = await aBrowser();
      const fields = {
        challenge,
        ...(what === "accept" ? anAccept(at.server) : what === "reject" ? { error: "cancelled" } : {}),
      };
      const other = await at.server.addClient();
      expect((await callAs(at, what, fields, other)).status).toBe(403);
      expect((await callAs(at, what, fields, { ...at.backEnd, secret: "wrong" })).status).toBe(401);
      expect((await callAs(at, what, fields, { ...other, clientId: at.backEnd.clientId })).status).toBe(401);
      const open = await at.server.addClient({ type: "public", authMethod: "none" });
      expect(
        (await callAs(at, what, { ...fields, client_id: open.clientId }, { clientId: open.clientId, secret: "" }))
          .status,
      ).toBeGreaterThanOrEqual(400);
      const anonymous = await fetch(`${at.server.issuer}/external-sign-in/${what}`, {
        method: "POST",
        body: new URLSearchParams({ challenge }),
      });
      expect(anonymous.status).toBe(401);
      await signInAtPage(at, agent, begun);
      expect(await isSignedIn(agent)).toBe(true);
    },
  );

  test("a client without a secret, although the configuration names it → refused: anybody could be it", async () => {
    const { challenge } = await aBrowser();
    await at.server.addClient({ clientId: "without-secret", type: "public", authMethod: "none" });
    const fields = { client_id: "without-secret", challenge, ...anAccept(at.server) };
    const answer = await fetch(`${at.server.issuer}/external-sign-in/accept`, {
      method: "POST",
      body: new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, value ?? ""])),
    });
    expect([answer.status, (await answer.json())["redirect_to"]]).toEqual([401, undefined]);
  });

  test("no page is configured → 403, and there is no way back", async () => {
    const off = await startWithPage({}, { config: { externalSignIn: null } });
    expect((await callAs(off, "challenge", { challenge: "x" })).status).toBe(403);
    expect((await new Agent(off.server.issuer).get("/login/external?challenge=x&verifier=x")).status).toBe(400);
    await off.server.stop();
  });
});

const now = () => Math.floor(at.server.now() / 1000);

describe("LD-23 an answer that can't be", () => {
  let challenge: string;
  beforeAll(async () => {
    ({ challenge } = await aBrowser());
  });
  test.each<[string, () => Fields]>([
    ["no subject", () => ({ subject: undefined })],
    ["an empty subject", () => ({ subject: "" })],
    ["a subject of spaces", () => ({ subject: "  " })],
    ["a subject with a space at its end", () => ({ subject: "u1 " })],
    ["a subject of 256 characters", () => ({ subject: "x".repeat(256) })],
    ["a subject with a line feed", () => ({ subject: "a\nb" })],
    ["no auth_time", () => ({ auth_time: undefined })],
    ["auth_time as a date", () => ({ auth_time: "2026-11-26T10:00:00Z" })],
    ["auth_time in milliseconds", () => ({ auth_time: String(at.server.now()) })],
    ["auth_time with a sign", () => ({ auth_time: `+${now()}` })],
    ["auth_time in the future", () => ({ auth_time: String(now() + 120) })],
    ["auth_time eight days ago", () => ({ auth_time: String(now() - 8 * 86_400) })],
    ["a level that the operator doesn't allow", () => ({ acr: "mfa" })],
    ["an unknown level", () => ({ acr: "gold" })],
    ["a level in capitals", () => ({ acr: "1FA" })],
    ["an unknown proof", () => ({ amr: "pwd telepathy" })],
    ["fed, which is not the page's to say", () => ({ amr: "fed" })],
    ["email_verified: yes", () => ({ email: "a@acme.test", email_verified: "yes" })],
    ["email_verified: True", () => ({ email: "a@acme.test", email_verified: "True" })],
    ["email_verified without an address", () => ({ email_verified: "true" })],
    ["a name of 255 characters", () => ({ name: "x".repeat(255) })],
    ["a name of 10 kB", () => ({ name: "x".repeat(10_240) })],
    ["a misspelt parameter", () => ({ emailVerified: "true" })],
    ["a role", () => ({ operator: "admin" })],
    ["a body of 100 kB", () => ({ subject: "x".repeat(102_400) })],
  ])("%s → refused, and the challenge is still open", async (_, changes) => {
    const answer = await callAs(at, "accept", { challenge, ...anAccept(at.server), ...changes() });
    expect([400, 413]).toContain(answer.status);
    expect(answer.body["redirect_to"]).toBeUndefined();
  });

  test.each<[string, (fields: URLSearchParams) => void]>([
    ["two subjects", (fields) => fields.append("subject", "another")],
    ["two challenges", (fields) => fields.append("challenge", "x")],
  ])("%s → refused", async (_, change) => {
    const fields = new URLSearchParams({ challenge, subject: "u-1", auth_time: String(now()) });
    change(fields);
    expect((await callAs(at, "accept", fields)).status).toBe(400);
  });

  test.each([undefined, "", "server_error", "<script>alert(1)</script>"])(
    "rejected with %j → refused",
    async (error) => {
      expect((await callAs(at, "reject", { challenge, error })).status).toBe(400);
    },
  );

  test("the same answer twice → the same address; another → 409; after its use → 409", async () => {
    const { agent, challenge: own } = await aBrowser();
    const fields = { challenge: own, ...anAccept(at.server, { auth_time: String(now() + 30) }) };
    const first = await callAs(at, "accept", fields);
    at.server.tick(1000);
    expect(await callAs(at, "accept", fields)).toEqual(first);
    expect((await callAs(at, "accept", { ...fields, subject: "another" })).status).toBe(409);
    expect((await callAs(at, "reject", { challenge: own, error: "access_denied" })).status).toBe(409);
    await agent.get(String(first.body["redirect_to"]));
    expect(await isSignedIn(agent)).toBe(true);
    expect((await callAs(at, "accept", fields)).status).toBe(409);
  });
});

describe("an account that is somebody's", () => {
  const asks = async (fields: Fields) => {
    const { agent, begun } = await aBrowser();
    return { agent, page: await signInAtPage(at, agent, begun, anAccept(at.server, fields)) };
  };

  test("UP-13 disabled here → refused, and stays disabled", async () => {
    const fields = anAccept(at.server);
    await signInAtPage(at, new Agent(at.server.issuer), (await aBrowser()).begun, fields).catch(() => undefined);
    const { agent, begun } = await aBrowser();
    await signInAtPage(at, agent, begun, fields);
    const person = await at.server.assent.storage.people.findByName({ name: fields["preferred_username"] ?? "" });
    if (person === undefined) throw new Error("no account");
    await at.server.assent.storage.people.setStatus({ ...person, status: "disabled", now: at.server.now() });
    const again = await aBrowser();
    const page = await signInAtPage(at, again.agent, again.begun, fields);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("You can’t sign in here")]);
    expect(await isSignedIn(again.agent)).toBe(false);
  });

  test.each<[string, Fields, Fields]>([
    ["unverified by the page", { emailVerifiedAt: "1" }, { email_verified: "false" }],
    ["unverified here", {}, { email_verified: "true" }],
  ])("an address of a trusted domain, %s → another account, or refused", async (_, here, said) => {
    const email = `${randomBytes(4).toString("hex")}@acme.test`;
    const holder = await at.server.addPerson({
      email,
      emailVerifiedAt: here["emailVerifiedAt"] === undefined ? null : 1,
    });
    const { agent } = await asks({ email, ...said });
    const profile = await agent.get("/account/profile");
    expect(profile.text).not.toContain(holder.username);
    expect(await at.server.assent.storage.subjectLinks.ofPerson(holder)).toEqual([]);
  });

  test("UP-17 addresses that only look like the domain → nobody's account", async () => {
    const holder = await at.server.addPerson({ email: "boss@acme.test", emailVerifiedAt: 1 });
    for (const email of [
      "boss@acme.test@evil.test",
      '"boss@acme.test"@evil.test',
      "boss@acme.test.evil.test",
      "boss@evil.test",
      "boss@аcme.test",
      "ｂoss@acme.test",
    ]) {
      await asks({ email, email_verified: "true" });
      expect(await at.server.assent.storage.subjectLinks.ofPerson(holder), email).toEqual([]);
    }
    await asks({ email: "Boss@Acme.test", email_verified: "true" });
    expect(await at.server.assent.storage.subjectLinks.ofPerson(holder)).toHaveLength(1);
  });

  test("an operator has the address → refused", async () => {
    const holder = await at.server.addPerson({ email: "root@acme.test", emailVerifiedAt: 1, operator: ["admin"] });
    const { agent, page } = await asks({ email: "root@acme.test", email_verified: "true" });
    expect([page.status, await isSignedIn(agent)]).toEqual([403, false]);
    expect(await at.server.assent.storage.subjectLinks.ofPerson(holder)).toEqual([]);
  });

  test("a second step of the person's here → still asked for, because the page says 1fa", async () => {
    const fields = anAccept(at.server);
    const first = await aBrowser();
    await signInAtPage(at, first.agent, first.begun, fields);
    const setUp = await first.agent.get(AUTHENTICATOR);
    const own = appOf(setUp, at.server);
    await first.agent.submit(formWith(setUp, "code"), { code: own.code() });
    at.server.tick(60_000);
    const again = { ...fields, auth_time: String(now()) };
    const { agent, begun } = await aBrowser();
    const page = await signInAtPage(at, agent, begun, again);
    expect(await isSignedIn(agent)).toBe(false);
    await agent.submit(formWith(page, "code"), { code: own.code() });
    expect(await isSignedIn(agent)).toBe(true);
  });
});
