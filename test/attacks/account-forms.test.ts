/** SS-05, SS-06, AD-20: forms of one's account with a missing, forged, foreign or expired token. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { Agent, signIn } from "../support/http-browser.ts";
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

const NEW = "seven green umbrellas";
const current = { current_password: PASSWORD };
/** Each form with fields that would change something if the server accepted the token. */
const FORMS: readonly (readonly [string, Record<string, string>])[] = [
  ["/account/security/password", { ...current, password: NEW, again: NEW }],
  ["/account/profile/name", { name: "Mallory" }],
  ["/account/profile/verify", {}],
  ["/account/profile/email", { ...current, email: "mallory@example.test" }],
  ["/account/profile/export", {}],
  ["/account/profile/delete", current],
  ["/account/profile/keep", {}],
];

async function signedIn(): Promise<{ person: Person; agent: Agent; csrf: string }> {
  const { person, agent } = await signedInPerson(server, server.addPerson({ emailVerifiedAt: null }));
  const csrf = (await agent.get("/account/profile")).forms[0]?.fields.get("csrf") ?? "";
  return { person, agent, csrf };
}

const stateOf = async ({ partition, personId }: Person) => {
  const { updatedAt, ...person } = (await server.assent.storage.people.get({ partition, personId })) ?? {
    updatedAt: 0,
  };
  return person;
};

describe.each(FORMS)("POST %s", (path, fields) => {
  test("without a token, with a forged one, another session's, one of a session that is over → 403, nothing done, nothing sent", async () => {
    const [victim, other] = [await signedIn(), await signedIn()];
    const before = await stateOf(victim.person);
    for (const csrf of [undefined, "", "AAAA", other.csrf, `${victim.csrf}A`]) {
      const page = await victim.agent.post(path, { ...fields, ...(csrf === undefined ? {} : { csrf }) });
      expect(page.status, String(csrf)).toBe(403);
    }
    const old = victim.csrf;
    await victim.agent.post("/account/sign-out", { csrf: old, sign_out: "sign_out" });
    await signIn(victim.agent, victim.person.username);
    expect((await victim.agent.post(path, { ...fields, csrf: old })).status).toBe(403);
    expect(await stateOf(victim.person)).toEqual({ ...before, language: "en" });
    expect(mailbox.messages).toEqual([]);
  });

  test("nobody signed in → the sign-in page; by GET → 405, or a page that does nothing", async () => {
    expect((await new Agent(server.issuer).post(path, fields)).location?.pathname).toBe("/login");
    const { agent, person } = await signedIn();
    const before = await stateOf(person);
    expect([200, 405]).toContain((await agent.get(`${path}?${new URLSearchParams(fields)}`)).status);
    expect(await stateOf(person)).toEqual(before);
  });
});

describe("a link of one person in the hands of another who is signed in", () => {
  test("to change an address → it is the link's person who gets it, never the one who opens it", async () => {
    const [owner, other] = [await signedIn(), await signedIn()];
    const email = "link-of-the-owner@example.test";
    await owner.agent.post("/account/profile/email", { ...current, email, csrf: owner.csrf });
    const { link } = await mailbox.next(email);
    const page = await other.agent.get(link);
    const form = page.forms.find(({ fields }) => fields.has("link"));
    if (form === undefined) throw new Error("no form");
    expect((await other.agent.submit(form, { csrf: other.csrf })).status).toBe(403);
    expect((await other.agent.submit(form)).text).toContain(owner.person.username);
    expect(await stateOf(other.person)).toMatchObject({ email: other.person.email });
    expect(await stateOf(owner.person)).toMatchObject({ email });
  });
});
