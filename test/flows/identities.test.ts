/** Identities of trusted issuers on the security page: the list, and their removal by the person. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import { messageTo } from "../support/recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SECURITY = "/account/security";
const REMOVE = `${SECURITY}/identities/remove`;
const jwt = aJwtIssuer("https://login.test");
let server: TestServer;
let mailbox: TestMailbox;
let client: TestClient;
let issuer: TrustedIssuer;

beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox) } });
  client = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
  issuer = await trust(server, { issuer: jwt.issuer, type: "jwt", jwks: jwt.jwks, mapSubject: "link" });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

async function linked(): Promise<{ person: Person; agent: Agent; subject: string }> {
  const person = await server.addPerson();
  const { partition, personId, username: subject } = person;
  const key = { issuerId: issuer.id, claim: null, subject };
  const at = { partition, personId, sole: false, madeBy: "operator", now: server.now() } as const;
  expect(await server.assent.storage.subjectLinks.link({ ...at, subject: key })).toEqual({ kind: "linked" });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent, subject };
}

const linksOf = ({ partition, personId }: Person) =>
  server.assent.storage.subjectLinks.ofPerson({ partition, personId });
const idOf = async (person: Person) => (await linksOf(person))[0]?.link ?? "";
const askedFor = (id: string) => `${REMOVE}?${new URLSearchParams({ id })}`;
const asserted = async (subject: string) =>
  (await present(server, client, JWT_BEARER, jwtOf(jwt, claimsFor(server, { issuer: jwt.issuer }, subject)))).status;

/** Simulates an account that only a passkey signed in, and that lost the passkey. */
const withoutPassword = ({ personId }: Person) =>
  byHand(server.assent.config.databaseUrl, [`UPDATE people SET password_hash = NULL WHERE person_id = '${personId}'`]);

function formOfRemoval(page: Page) {
  const form = page.forms.find(({ action }) => action.endsWith(REMOVE));
  if (form === undefined) throw new Error(`no form: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

describe("an identity of the account", () => {
  test("none → no section", async () => {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    expect((await agent.get(SECURITY)).text).not.toContain("identities-title");
  });

  test("another person's, or none → nothing is asked, nothing is removed", async () => {
    const [one, other] = [await linked(), await linked()];
    const id = await idOf(other.person);
    for (const not of [id, "", "x".repeat(5000), "' OR 1=1 --"]) {
      const asked = await one.agent.get(askedFor(not));
      expect([asked.status, asked.location?.pathname]).toEqual([303, SECURITY]);
      const form = formOfRemoval(await one.agent.get(askedFor(await idOf(one.person))));
      const answer = await one.agent.submit(form, { id: not });
      expect([answer.status, answer.location?.search]).toEqual([303, ""]);
    }
    expect([(await linksOf(one.person)).length, (await linksOf(other.person)).length]).toEqual([1, 1]);
    expect(server.log.filter((line) => line.includes('"subject_unlinked"'))).toEqual([]);
  });

  test("signed in eleven minutes ago → a sign-in first, for the question and for the removal", async () => {
    const { person, agent } = await linked();
    const asked = askedFor(await idOf(person));
    const form = formOfRemoval(await agent.get(asked));
    server.tick(11 * 60_000);
    for (const page of [await agent.get(asked), await agent.submit(form)])
      expect([page.status, page.location?.pathname]).toEqual([303, "/account/confirm"]);
    expect(await linksOf(person)).toHaveLength(1);
  });

  test("the session has ended meanwhile → nothing is removed", async () => {
    const { person, agent } = await linked();
    const form = formOfRemoval(await agent.get(askedFor(await idOf(person))));
    const { partition, personId } = person;
    await server.assent.storage.sessions.endAll({ partition, personId, now: server.now() });
    await agent.submit(form);
    expect(await linksOf(person)).toHaveLength(1);
  });

  test("no password and no passkey → refused, and told what to do", async () => {
    const { person, agent } = await linked();
    const form = formOfRemoval(await agent.get(askedFor(await idOf(person))));
    await withoutPassword(person);
    const page = await agent.follow(await agent.submit(form));
    expect(page.text).toContain("Choose a password or add a passkey first.");
    expect(await linksOf(person)).toHaveLength(1);
  });

  test("listed with its issuer → asked, cancelled: stays; removed: the issuer can't speak for the person any more, and a message says so", async () => {
    const { person, agent, subject } = await linked();
    await settle();
    expect(await asserted(subject)).toBe(200);
    const listed = await agent.get(SECURITY);
    expect(listed.text).toMatch(/identities-title[\s\S]*https:\/\/login\.test[\s\S]*Linked/);
    const href = askedFor(await idOf(person));
    expect(listed.text).toContain(`href="${href}"`);
    const asked = await agent.get(href);
    expect([asked.status, asked.text.includes("https://login.test")]).toEqual([200, true]);
    expect(await linksOf(person)).toHaveLength(1);
    const done = await agent.follow(await agent.submit(formOfRemoval(asked)));
    expect(done.text).toContain("The identity was removed.");
    expect(done.text).not.toContain("identities-title");
    expect([await linksOf(person), await asserted(subject)]).toEqual([[], 400]);
    const told = await messageTo(person.email, "An identity was removed from your account", mailbox);
    expect(told.text).toContain("https://login.test");
    expect(told.text).toContain(person.username);
    expect(server.log.some((line) => line.includes('"subject_unlinked"') && line.includes(person.personId))).toBe(true);
    const again = { ...person, subject: { issuerId: issuer.id, claim: null, subject }, sole: false } as const;
    const link = { ...again, madeBy: "operator", now: server.now() } as const;
    expect(await server.assent.storage.subjectLinks.link(link)).toEqual({ kind: "linked" });
  });
});
