/** The operator's application tells of changes to its people: disabled, enabled, deleted, signed out. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExistingPeople, existingPeopleProblems } from "../../packages/server/src/configured-people.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import { isSignedIn } from "../support/sign-in-providers.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const people = new Map<string, { readonly id: string; disabled: boolean }>();
let server: TestServer;
let application: TestClient;

beforeAll(async () => {
  const code: ExistingPeople = {
    find: (login) => {
      const known = people.get(login.replace(/-there$/, ""));
      return known === undefined ? null : { ...known, username: login.replace(/-there$/, "") };
    },
    verifyPassword: (_, password) => password === PASSWORD,
    changes: { name: "Acme", clients: ["the-application"] },
  };
  server = await startServer({ config: { people: code } });
  application = await server.addClient({ clientId: "the-application" });
});
afterAll(() => server.stop());

async function say(change: string, subject: string, client = application) {
  const answer = await fetch(`${server.issuer}/upstream/change`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      ...{ subject, change, client_id: client.clientId, client_secret: client.secret },
    }).toString(),
  });
  return { status: answer.status, ...((await answer.json()) as { readonly result?: string }) };
}

let made = 0;
/** Somebody of the application who signed in here. */
async function imported() {
  made += 1;
  const person = { id: `id-${made}`, username: `acme${made}`, disabled: false };
  people.set(person.username, person);
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  expect(await isSignedIn(agent)).toBe(true);
  return { ...person, agent };
}

const signsIn = async (username: string) => {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  return isSignedIn(agent);
};

describe("wrong settings", () => {
  const find = () => null;
  test.each([
    ["no object", "all"],
    ["no name", { clients: ["a"] }],
    ["a name of 61 characters", { name: "x".repeat(61), clients: ["a"] }],
    ["no clients", { name: "Acme", clients: [] }],
    ["keep, which would let the person sign in again", { name: "Acme", clients: ["a"], whenDisabled: "keep" }],
    ["an unknown key", { name: "Acme", clients: ["a"], on: true }],
  ])("%s → one problem", (_, changes) => {
    expect(existingPeopleProblems({ find, changes })).toHaveLength(1);
  });
});

test("another client → refused; nobody with that id → unknown", async () => {
  const { agent, id } = await imported();
  const stranger = await server.addClient();
  expect(await say("disabled", id, stranger)).toMatchObject({ status: 403, error: "unauthorized_client" });
  expect(await say("disabled", "nobody")).toMatchObject({ status: 200, result: "unknown" });
  expect(await isSignedIn(agent)).toBe(true);
});

test("disabled → signed out, and the right password signs nobody in; enabled → it does, and the history says both", async () => {
  const { agent, id, username } = await imported();
  expect(await say("disabled", id)).toMatchObject({ result: "changed", sessions_ended: 1 });
  expect(await isSignedIn(agent)).toBe(false);
  expect(await signsIn(username)).toBe(false);
  expect(await say("enabled", id)).toMatchObject({ result: "changed" });
  const again = new Agent(server.issuer);
  await signIn(again, username);
  const { text } = await again.get("/account/history");
  expect(text).toMatch(/disabled because it was disabled at <bdi[^>]*>Acme</);
  expect(text).toMatch(/enabled again because it was enabled at <bdi[^>]*>Acme</);
  const receipt = /href="([^"]*\/account\/history\/receipt\?entry=[^"]+)"/.exec(text)?.[1] ?? "";
  const { content } = JSON.parse((await again.get(receipt)).text);
  expect(content).toMatchObject({ event: "enabled", system: "Acme", app: null, by: "server" });
});

test("signed out → every session ends, and the person can sign in again", async () => {
  const { agent, id, username } = await imported();
  expect(await say("signed_out", id)).toMatchObject({ result: "changed", sessions_ended: 1 });
  expect(await isSignedIn(agent)).toBe(false);
  expect(await signsIn(username)).toBe(true);
});

test("deleted → signed out and disabled for good, the account stays for the operator", async () => {
  const { agent, id, username } = await imported();
  expect(await say("deleted", id)).toMatchObject({ result: "changed", sessions_ended: 1 });
  expect(await isSignedIn(agent)).toBe(false);
  expect(await signsIn(username)).toBe(false);
  expect(await server.assent.storage.people.findByName({ name: username })).toMatchObject({ status: "disabled" });
});

test("the application says so at a sign-in under a name of its own → refused, and the sessions end", async () => {
  const { agent, username } = await imported();
  const person = people.get(username);
  if (person !== undefined) person.disabled = true;
  expect(await signsIn(`${username}-there`)).toBe(false);
  expect(await isSignedIn(agent)).toBe(false);
  expect(await server.assent.storage.people.findByName({ name: username })).toMatchObject({ status: "disabled" });
});
