/** The stored data of a person: the download has all of it, and nothing is left after the account is deleted. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { changeClient } from "../support/back-channel.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, type Page, redeem, refresh, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ host: "localhost", config: { smtpUrl: smtpTo(mailbox) } });
  client = await server.addClient({ name: "Photo Printer" });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const DAY = 86_400_000;

/** A person with a row in every table that can have rows of people. */
async function somebody() {
  const { person, agent, recoveryCodes } = await withSecondStep(server);
  const { partition, personId, username } = person;
  const page = await agent.get("/account/security/passkeys");
  const options = JSON.parse(/data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll("&quot;", '"') ?? "{}");
  const key = new SoftAuthenticator(server.issuer);
  const keyName = `Desk key of ${username}`;
  await agent.submit(formWith(page, "credential"), { name: keyName, credential: key.create(options) });
  const nickname = `Known as ${username}`;
  await agent.submit(formTo(await agent.get("/account/profile"), "/details"), {
    ...{ nickname, postal_code: "10115", middle_name: "Augusta", gender: "female" },
    ...{ website: "https://ada.example/", profile_url: "https://social.example/ada" },
  });
  const [passkey] = await server.assent.storage.passkeys.list(person);
  const { body } = await redeem(server, client, await authorize(agent, authorizeUrl(server, client), ""));
  await refresh(server, client, body.refresh_token);
  const subject = { issuerId: "idp-1", claim: null, subject: `known-elsewhere-${personId.slice(0, 6)}` };
  await server.assent.storage.subjectLinks.link({
    ...{ partition, personId, subject, sole: false, madeBy: "operator", now: server.now() },
  });
  return { person, agent, recoveryCodes, keyName, passkey, subject, refreshToken: body.refresh_token ?? "" };
}

async function inCompany(person: Person, agent: Agent) {
  const acme = await addCompany(server);
  const { partition, companyId } = acme;
  await server.assent.storage.members.add({
    ...{ partition, companyId, person, role: "member", addedBy: "operator", link: "l", now: server.now() },
  });
  await decide(server, acme, client, {});
  // The person has already chosen for this app, so only `prompt=consent` shows the choice again.
  const url = authorizeUrl(server, client, { prompt: "consent" });
  await redeem(server, client, await authorize(agent, url, "", { owner: companyId }));
  return acme;
}

const formTo = (page: Page, end: string) => {
  const form = page.forms.find(({ action }) => action.endsWith(end));
  if (form === undefined) throw new Error(`no form to ${end}: ${page.status}`);
  return form;
};

/** Everything in the database, as text. */
async function dump(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "assent-dump-"));
  try {
    const file = join(folder, "all");
    await server.assent.storage.exportTo({ file, now: server.now() });
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** ISO 8601, in UTC. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("the download → each thing that is kept, with receipts that verify, and nothing that proves who they are", async () => {
  const { person, agent, recoveryCodes, keyName, passkey, subject, refreshToken } = await somebody();
  const acme = await inCompany(person, agent);
  const { partition, personId: ownerId } = person;
  await server.assent.storage.consents.forgetChoice({ partition, ownerId, clientId: client.clientId });
  const page = await agent.submit(formTo(await agent.get("/account/profile/export"), "/export"));
  const data = JSON.parse(page.text);
  expect(data).toMatchObject({
    made_at: expect.stringMatching(TIME),
    account: {
      ...{ person_id: person.personId, username: person.username, email: person.email, has_password: true },
      created_at: expect.stringMatching(TIME),
      details: {
        ...{ nickname: `Known as ${person.username}`, postal_code: "10115", middle_name: "Augusta", gender: "female" },
        ...{ website: "https://ada.example/", profile_url: "https://social.example/ada" },
      },
    },
    passkeys: [{ name: keyName, synced: false }],
    authenticator: { since: expect.stringMatching(TIME) },
    recovery_codes_left: 10,
    devices: [
      { user_agent: expect.anything(), address: expect.any(String), first_seen_at: expect.stringMatching(TIME) },
    ],
    sessions: [{ user_agent: expect.anything(), address: expect.any(String) }],
    identities: [{ issuer_id: subject.issuerId, claim: null, subject: subject.subject }],
    apps: [
      {
        ...{ client_id: client.clientId, scopes: [{ name: "read" }], connections: [{ status: "active" }] },
        ...{ chosen_at: expect.stringMatching(/^20/), asks_for_whom: true },
      },
    ],
    history: [{ kind: "allowed", at: expect.stringMatching(TIME), receipt: expect.any(String) }],
    companies: [{ slug: acme.slug, role: "member", connections: [{ client_id: client.clientId }] }],
  });
  // The file has no field names in camelCase and no times as numbers.
  expect(page.text).not.toMatch(/^ *"[a-z]+[A-Z]\w*":/m);
  expect(page.text).not.toMatch(/: \d{12,}/);
  const keys = (await (await fetch(`${server.issuer}/receipts/keys`)).json()) as JSONWebKeySet;
  const { payload } = await jwtVerify(data.history[0].receipt, createLocalJWKSet(keys), {
    currentDate: new Date(server.now()),
  });
  expect(payload).toMatchObject({ event: "allowed", sub: person.personId });
  const factor = await server.assent.storage.secondFactors.get(person);
  const proofs = [
    ...[passkey?.credentialId ?? "?", Buffer.from(passkey?.publicKey ?? []).toString("base64url")],
    ...[Buffer.from(factor?.sealedSecret ?? []).toString("base64url"), refreshToken],
    ...[...recoveryCodes, agent.cookies.get("assent_session") ?? "?", person.passwordHash ?? "?"],
  ];
  for (const proof of proofs) expect(page.text).not.toContain(proof);
  // The check uses names of members, because receipts and ids can contain any four letters by chance.
  expect(page.text).not.toMatch(/argon2|"[^"]*(?:hash|salt|secret|codeChallenge)[^"]*":/i);
});

test("an app with a shorter time at one of its addresses, and a longest time that was lowered since → the ends that hold", async () => {
  const [home, branch] = ["https://home.example/cb", "https://branch.example/cb"];
  const app = await server.addClient({ redirectUris: [home, branch] });
  const agent = new Agent(server.issuer);
  const { username } = await server.addPerson();
  await signIn(agent, username);
  const now = server.now();
  await authorize(agent, authorizeUrl(server, app, { redirect_uri: home }), "", { duration: "31536000" });
  await authorize(agent, authorizeUrl(server, app, { redirect_uri: branch }), "", { duration: "3600" });
  await changeClient(server, app, { consentCeiling: 30 * 86_400 });
  const page = await agent.submit(formTo(await agent.get("/account/profile/export"), "/export"));
  const [{ scopes, expires_at: end, connections }] = JSON.parse(page.text).apps;
  const last = now + 30 * DAY;
  for (const one of [end, scopes[0].expires_at, ...connections.map(({ absolute_until: at }: never) => at)])
    expect(Date.parse(one)).toBeLessThan(last + 60_000);
  expect(scopes[0].host_ends).toEqual({ "https://branch.example": expect.stringMatching(TIME) });
  expect(Date.parse(scopes[0].host_ends["https://branch.example"])).toBeLessThan(now + DAY);
});

/** Rows of the log of events hold a record with an actor. */
const isEvent = (line: string) => line.includes('\\"actor\\"');

test("the account has gone → nowhere in the database is there a word of it beside its id in events, once what ended has been collected", async () => {
  const { person, keyName, passkey, subject } = await somebody();
  const { storage } = server.assent;
  const { partition, personId, username, email } = person;
  await storage.invitations.create({
    invitation: {
      ...{ ...(await addCompany(server)), invitationId: "i".repeat(22), addressee: email, role: "member" },
      ...{ invitedBy: "operator", createdAt: server.now(), expiresAt: server.now() + DAY, status: "open" },
    },
    ...{ saltHash: new Uint8Array(32), by: null, now: server.now() },
  });
  const traces = [
    personId,
    username,
    email,
    keyName,
    `Known as ${username}`,
    passkey?.credentialId ?? "?",
    subject.subject,
  ];
  const before = await dump();
  for (const trace of traces) expect([trace, before.includes(trace)]).toEqual([trace, true]);
  await storage.people.setDeletion({
    partition,
    personId,
    at: server.now(),
    keepSessionId: null,
    mails: [],
    now: server.now(),
  });
  server.tick(1000);
  await storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
  const soon = await dump();
  // Ended grants keep only their id, as long as a spent token of theirs can still be presented. An invitation keeps the
  // address that an admin typed.
  const left = soon.split("\n").filter((line) => traces.some((trace) => line.includes(trace)));
  // Events keep the id, which names nobody any more, and nothing else of the person that can be read.
  const [, ...facts] = traces;
  for (const fact of facts) expect(soon.split("\n").filter(isEvent).join()).not.toContain(fact);
  expect(
    left.filter((line) => !isEvent(line) && !/"(client_ended|owner_ended|revoked)"|invitations|i{22}/.test(line)),
  ).toEqual([]);
  for (const trace of [keyName, subject.subject]) expect(soon).not.toContain(trace);
  server.tick(31 * DAY);
  for (let round = 0; round < 3; round++)
    await storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
  const after = await dump();
  const others = after.split("\n").filter((line) => !isEvent(line));
  for (const trace of traces) expect([trace, others.some((line) => line.includes(trace))]).toEqual([trace, false]);
  for (const fact of facts) expect([fact, after.includes(fact)]).toEqual([fact, false]);
});

test("of a company they acted for → what it allowed stays the company's, under an id that names nobody", async () => {
  const { person, agent, keyName } = await somebody();
  const acme = await inCompany(person, agent);
  const { storage } = server.assent;
  await storage.people.delete({ ...person, now: server.now() });
  await storage.membershipOutbox.deliver({ now: server.now(), limit: 100 });
  server.tick(31 * DAY);
  for (let round = 0; round < 3; round++)
    await storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
  const after = await dump();
  for (const trace of [person.username, person.email, keyName]) expect(after).not.toContain(trace);
  const lines = after.split("\n").filter((line) => line.includes(person.personId) && !isEvent(line));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => line.includes(acme.companyId))).toBe(true);
});

test("IN-09 a name that a spreadsheet would run → the file is JSON, saved and not opened, and the name stands in it as a string", async () => {
  const name = '=HYPERLINK("https://evil.test","Open")';
  const person = await server.addPerson({ name });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const page = await agent.submit(formTo(await agent.get("/account/profile/export"), "/export"));
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toMatch(/^application\/json\b/);
  expect(page.headers.get("content-disposition")).toBe('attachment; filename="my-data.json"');
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(JSON.parse(page.text).account.name).toBe(name);
  // If somebody opens the file as CSV, no line begins with a formula.
  expect(page.text.split("\n").filter((line) => /^[=+\-@\t\r]/.test(line))).toEqual([]);
});
