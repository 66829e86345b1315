/**
 * A change of the password: by choice, with the sessions and grants that end; and required, because somebody else chose
 * the old one.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../packages/server/src/crypto/password-hashing.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { signedInPerson } from "../support/back-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

const PATH = "/account/security/password";
const NEW = "seven green umbrellas";
const form = (page: Page) => {
  const found = page.forms.find(({ fields }) => fields.has("password"));
  if (found === undefined) throw new Error(`no password form: ${page.status} ${page.text.slice(0, 300)}`);
  return found;
};

const signedIn = (person?: Person) => signedInPerson(server, person);

async function change(agent: Agent, fields: Record<string, string | readonly string[]> = {}): Promise<Page> {
  return agent.submit(form(await agent.get(PATH)), {
    ...{ current_password: PASSWORD, password: NEW, again: NEW },
    ...fields,
  });
}

async function signsIn(username: string, password: string): Promise<boolean> {
  const agent = new Agent(server.issuer);
  const [login] = (await agent.get("/login")).forms;
  if (login === undefined) throw new Error("no sign-in form");
  return (await agent.submit(login, { username, password })).status === 303;
}

describe("a change of password", () => {
  test("the form is sent again after it → the page doesn't deny the first time, and leads to Security", async () => {
    const { agent, person } = await signedIn();
    const sent = form(await agent.get(PATH));
    const fields = { current_password: PASSWORD, password: NEW, again: NEW };
    expect((await agent.submit(sent, fields)).status).toBe(303);
    const again = await agent.submit(sent, fields);
    expect(again.status).toBe(403);
    expect(again.text).toContain("It was sent before, was open too long, or came from another browser.");
    expect(again.text).toContain("This time, nothing was changed. Check whether it is already done.");
    expect(again.text).toContain('href="/account/security"');
    expect(await signsIn(person.username, NEW)).toBe(true);
  });

  test.each([
    ["without the current one", { current_password: "" }, "Enter your current password"],
    ["with a wrong current one", { current_password: "not it at all" }, "isn’t your current password"],
    ["too short", { password: "Wq7-kd2", again: "Wq7-kd2" }, "Too short"],
    ["to one that many have", { password: "Password1!", again: "Password1!" }, "Too common"],
    ["to nothing", { password: "", again: "" }, "Enter a new password"],
    ["to the same", { password: PASSWORD, again: PASSWORD }, "already your password"],
    ["typed differently", { again: "seven green umbrella" }, "doesn’t match the password above"],
  ])("%s → the form says so, and the old one still signs in", async (_, fields, said) => {
    const { person, agent } = await signedIn();
    const page = await change(agent, fields);
    expect(page.status).toBe(200);
    expect(page.text).toContain(said);
    expect(page.text).not.toContain(NEW);
    expect(await signsIn(person.username, PASSWORD)).toBe(true);
  });

  test("to one's own name with digits → the form says so", async () => {
    const { person, agent } = await signedIn();
    const own = `${person.username}99`;
    expect((await change(agent, { password: own, again: own })).text).toContain("Too common");
  });

  test.each([
    ["missing", (page: Page) => ({ ...page, csrf: "" })],
    ["forged", () => ({ csrf: "AAAA" })],
  ])("with a %s form token → 403, nothing changed", async (_, bend) => {
    const { person, agent } = await signedIn();
    const { csrf } = bend(await agent.get(PATH));
    expect((await change(agent, { csrf })).status).toBe(403);
    expect(await signsIn(person.username, PASSWORD)).toBe(true);
  });

  test("with another session's form token, or its own a second time → 403", async () => {
    const one = await signedIn();
    const other = await signedIn();
    const stolen = form(await other.agent.get(PATH)).fields.get("csrf") ?? "";
    expect((await change(one.agent, { csrf: stolen })).status).toBe(403);
    const sent = form(await one.agent.get(PATH));
    const fields = { current_password: PASSWORD, password: NEW, again: NEW };
    expect((await one.agent.submit(sent, fields)).status).toBe(303);
    // There is a new session, so the old form's token is invalid.
    expect((await one.agent.submit(sent, fields)).status).toBe(403);
  });

  test("SS-07, SS-15: both ticks left → this browser has a new session, all others and all refresh tokens end", async () => {
    const { person, agent } = await signedIn();
    const elsewhere = (await signedIn(person)).agent;
    const answer = await redeem(
      server,
      client,
      await authorize(elsewhere, authorizeUrl(server, client), person.username),
    );
    const before = agent.cookies.get("assent_session") ?? "";
    const page = await change(agent);
    expect([page.status, page.location?.pathname]).toEqual([303, "/account/security"]);
    expect(agent.cookies.get("assent_session")).not.toBe(before);
    const old = new Agent(server.issuer);
    old.cookies.set("assent_session", before);
    for (const ended of [old, elsewhere]) expect((await ended.get("/account/apps")).location?.pathname).toBe("/login");
    const told = (await agent.follow(page)).text;
    expect(told).toContain(
      "Your new password was saved. The access of all apps was revoked. Access ends within 10 minutes.",
    );
    // The consent is over, too: the app comes back only by a page.
    expect((await agent.follow(await agent.get(authorizeUrl(server, client)))).text).toContain(
      "wants access to your account",
    );
    expect((await refresh(server, client, answer.body.refresh_token)).body.error).toBe("invalid_grant");
    expect(await signsIn(person.username, PASSWORD)).toBe(false);
    expect(await signsIn(person.username, NEW)).toBe(true);
  });

  test("both ticks taken away → other sessions and apps stay", async () => {
    const { person, agent } = await signedIn();
    const elsewhere = (await signedIn(person)).agent;
    const answer = await redeem(
      server,
      client,
      await authorize(elsewhere, authorizeUrl(server, client), person.username),
    );
    const page = await change(agent, { end_sessions: [], end_apps: [] });
    expect(page.status).toBe(303);
    expect((await agent.follow(page)).text).not.toContain("The access of all apps");
    expect((await agent.get(authorizeUrl(server, client))).location?.searchParams.has("code")).toBe(true);
    expect((await elsewhere.get("/account/apps")).status).toBe(200);
    expect((await refresh(server, client, answer.body.refresh_token)).status).toBe(200);
  });

  test("EN-05: guesses at the current one through a stolen session run out", async () => {
    const { agent } = await signedIn();
    for (let tries = 0; tries < 10; tries += 1) await change(agent, { current_password: `guess ${tries}` });
    expect((await change(agent, { current_password: PASSWORD })).status).toBe(429);
  });
});

describe("a password that an operator changes while the one before is looked at", () => {
  const OPERATORS = "nine purple teapots";
  const changed = async ({ partition, personId }: Person, hash: string, after: number) => {
    await sleep(after);
    const ends = { mustChange: false, endGrants: true, keepSessionId: null };
    await server.assent.storage.people.setPassword({
      partition,
      personId,
      passwordHash: hash,
      ...ends,
      now: server.now(),
    });
  };
  const moments = Array.from({ length: 12 }, (_, at) => at * 6);

  test("at a sign-in → it leads to no session, whichever was first", async () => {
    const hash = await hashPassword(OPERATORS);
    for (const after of moments) {
      const person = await server.addPerson();
      await Promise.all([signsIn(person.username, PASSWORD), changed(person, hash, after)]);
      expect(await server.assent.storage.sessions.list({ ...person, now: server.now() }), `${after} ms`).toEqual([]);
    }
  });

  test("at an answer to an app → no grant of it lives on, whichever was first", async () => {
    const hash = await hashPassword(OPERATORS);
    for (let round = 0; round < 24; round += 1) {
      const { person, agent } = await signedIn();
      const asked = consentForm(await agent.follow(await agent.get(authorizeUrl(server, client))));
      const answered = async () => {
        await agent.submit(asked, { decision: "allow" }).catch(() => undefined);
      };
      await Promise.all([answered(), changed(person, hash, round / 2)]);
      const key = { partition: person.partition, ownerId: person.personId, now: server.now() };
      const grants = (await server.assent.storage.consents.list(key)).flatMap((one) => one.grants);
      expect(grants, `${round / 2} ms`).toEqual([]);
    }
  });

  test("at a change by somebody who knows it → the operator's holds, whichever was first", async () => {
    const hash = await hashPassword(OPERATORS);
    for (const after of moments) {
      const { person, agent } = await signedIn();
      const sent = form(await agent.get(PATH));
      const fields = { current_password: PASSWORD, password: NEW, again: NEW };
      await Promise.all([agent.submit(sent, fields), changed(person, hash, after)]);
      expect(await signsIn(person.username, NEW), `${after} ms`).toBe(false);
    }
  });
});

describe("a person who must choose another password", () => {
  const mustChange = () => server.addPerson({ mustChangePassword: true });

  test("signs in → every page leads to the form, but for the way out", async () => {
    const { agent } = await signedIn(await mustChange());
    for (const path of ["/account/apps", "/account/security", "/account/history"])
      expect((await agent.get(path)).location?.pathname, path).toBe(PATH);
    expect((await agent.get("/account/sign-out")).status).toBe(200);
    const page = await change(agent);
    expect(page.location?.pathname).toBe("/account/security");
    expect((await agent.get("/account/apps")).status).toBe(200);
  });

  test("on the way to an app → the form first, then the question of the app", async () => {
    const person = await mustChange();
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, person.username, await agent.get(authorizeUrl(server, client)));
    expect(page.text).toContain("Choose a new password");
    const next = await agent.submit(form(page), { current_password: PASSWORD, password: NEW, again: NEW });
    const asked = await agent.follow(next);
    const answer = await agent.submit(consentForm(asked), { decision: "allow" });
    expect(answer.location?.searchParams.get("code")).toMatch(/^ac_/);
  });

  test("prompt=none → login_required, for nobody sees a page", async () => {
    const { agent } = await signedIn(await mustChange());
    const page = await agent.get(authorizeUrl(server, client, { prompt: "none" }));
    expect(page.location?.searchParams.get("error")).toBe("login_required");
  });
});
