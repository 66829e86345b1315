/** Fields that a form doesn't have change no record (AD-06, CN-15); strangers can't register clients (DR-01). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { send } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Form, type Page, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

/** Fields of a person's record that no page of theirs changes, in both spellings and in nested forms. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  ...{ operator: "admin", "operator[]": "admin", "person[operator]": "admin", roles: "admin", role: "admin" },
  ...{ status: "disabled", email_verified: "true", email_verified_at: "1", emailVerifiedAt: "1" },
  ...{ person_id: "AAAA", personId: "AAAA", id: "AAAA", partition: "7", created_at: "1", createdAt: "1" },
  ...{ password_hash: "x", passwordHash: "x", must_change_password: "1", delete_at: "1", deleteAt: "1" },
  ...{ __proto__x: "1", "constructor[prototype][operator]": "admin", username: "root", first_party: "true" },
};

async function formAt(agent: Agent, path: string, action = path): Promise<Form> {
  const form = (await agent.get(path)).forms.find((one) => one.action === action);
  if (form === undefined) throw new Error(`${path} has no form to ${action}`);
  return form;
}

/** A person's record without the values that differ between two people. */
function comparable(person: Person | undefined) {
  if (person === undefined) throw new Error("nobody");
  const { partition, personId, username, email, passwordHash, passwordChangedAt, createdAt, updatedAt, ...rest } =
    person;
  return {
    ...rest,
    own: [email === `${username}@example.test` || email === `new-${username}@example.test`, partition >= 0],
  };
}

const stateOf = ({ partition, personId }: Person) => server.assent.storage.people.get({ partition, personId });

describe("AD-06 a person's own pages", () => {
  test.each<[path: string, from: string, fields: Record<string, string>]>([
    ["/account/profile/name", "/account/profile", { name: "Alice" }],
    ["/account/profile/details", "/account/profile", { nickname: "Al", phone_number: "+4930123456" }],
    ["/account/profile/verify", "/account/profile", {}],
    [
      "/account/security/password",
      "/account/security/password",
      { current_password: PASSWORD, password: "seven green umbrellas", again: "seven green umbrellas" },
    ],
  ])("%s with fields that it doesn't have → as without them", async (path, from, fields) => {
    const results = [];
    for (const more of [{}, FORBIDDEN]) {
      const person = await server.addPerson({ emailVerifiedAt: null });
      const agent = new Agent(server.issuer);
      await signIn(agent, person.username);
      const page = await agent.submit(await formAt(agent, from, path), { ...more, ...fields });
      expect(page.status, page.text.slice(0, 300)).toBeLessThan(400);
      results.push(comparable(await stateOf(person)));
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[1]).toMatchObject({ operator: [], status: "active", emailVerifiedAt: null, deleteAt: null });
  });

  test("an account that somebody creates with them → no operator, nobody else's id", async () => {
    const agent = new Agent(server.issuer);
    const { username: _, ...more } = FORBIDDEN;
    const email = "new@example.test";
    await agent.submit(await formAt(agent, "/sign-up"), { ...more, email });
    const { link } = await mailbox.next(email);
    const page = await agent.get(link);
    const form = page.forms.find(({ fields }) => fields.has("username"));
    if (form === undefined) throw new Error("no form");
    const password = "seven green umbrellas";
    const created = await agent.submit(form, { ...more, username: "newcomer", password, again: password });
    expect(created.status, created.text.slice(0, 500)).toBe(303);
    const person = await server.assent.storage.people.findByName({ name: "newcomer" });
    expect(person).toMatchObject({ operator: [], status: "active", email, mustChangePassword: false, deleteAt: null });
    expect(person?.personId).not.toBe("AAAA");
  });
});

describe("CN-15 who is the operator's own app", () => {
  const asks = (page: Page) => page.forms.some(({ action }) => action === "/consent");
  const CLAIMS = { first_party: "true", firstParty: "1", skip_consent: "true", trusted: "1", verified: "true" };

  test("an app that says it of itself, in the request or in the form → the page is shown, the record stays", async () => {
    const client = await server.addClient();
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const page = await agent.get(authorizeUrl(server, client, CLAIMS));
    expect(asks(page)).toBe(true);
    await agent.submit(consentForm(page), { decision: "nothing", ...CLAIMS });
    expect(asks(await agent.get(authorizeUrl(server, client, { prompt: "consent", ...CLAIMS })))).toBe(true);
    const stored = (await server.assent.storage.clients.list({ limit: 100, after: null })).find(
      ({ clientId }) => clientId === client.clientId,
    );
    expect(stored).toMatchObject({ firstParty: false });
  });

  test("an app that the operator registered as one → no page", async () => {
    const client = await server.addClient({ firstParty: true });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, username);
    const page = await agent.get(authorizeUrl(server, client));
    expect([page.status, page.location?.searchParams.has("code")]).toEqual([302, true]);
  });
});

describe("DR-01 registration by strangers", () => {
  const METADATA = JSON.stringify({ client_name: "Mallory's", redirect_uris: ["https://evil.test/cb"] });

  test.each(["POST", "GET", "PUT", "DELETE"])(
    "%s → 404, with a token and without; no client comes of it",
    async (method) => {
      const all = () => server.assent.storage.clients.list({ limit: 100, after: null });
      const before = await all();
      const [first] = before;
      for (const path of ["/register", "/register/", `/register/${first?.clientId ?? "x"}`]) {
        for (const authorization of [undefined, "Bearer iat_x", "Bearer rat_x", "Basic eDp5"]) {
          const headers = { "content-type": "application/json", ...(authorization ? { authorization } : {}) };
          const answer = await send(server.issuer, {
            method,
            path,
            headers,
            ...(method.startsWith("P") ? { body: METADATA } : {}),
          });
          expect([path, answer.status]).toEqual([path, 404]);
        }
      }
      expect(await all()).toEqual(before);
    },
  );

  test("the metadata → no registration endpoint", async () => {
    const answer = await fetch(`${server.issuer}/.well-known/oauth-authorization-server`);
    expect(await answer.json()).not.toHaveProperty("registration_endpoint");
  });
});
