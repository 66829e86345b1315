/** The history after a recovery tells what the person chose from what the server ended for them. */

import { beforeAll, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { setPassword } from "../../packages/server/src/admin/people.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, authorize, authorizeUrl } from "../support/http-browser.ts";
import {
  aConnection,
  aPasskeyOf,
  DAY,
  decide,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

/** The headlines of the person's history, newest first. */
async function headlines(person: Person): Promise<readonly string[]> {
  const agent = new Agent(server.issuer);
  const login = formWith(await agent.get("/login"), "username");
  await agent.submit(login, { username: person.username, password: NEW_PASSWORD });
  const { text } = await agent.get("/account/history");
  return [...text.matchAll(/<h2>([\s\S]*?)<\/h2>/g)].map(([, said = ""]) => said.replaceAll(/<[^>]*>/g, ""));
}

async function pause(agent: Agent, what: "pause" | "resume", clientId: string) {
  const form = (await agent.get("/account/agents")).forms.find(
    ({ action, fields }) => action.endsWith(`/account/agents/${what}`) && fields.get("client_id") === clientId,
  );
  if (form === undefined) throw new Error(`no form to ${what}`);
  await agent.submit(form);
}

/** What the intruder does: another app, another permission of an app, and a paused app that goes on. */
async function misused(agent: Agent, person: Person, { wide, paused }: Record<"wide" | "paused", string>) {
  await aConnection(agent, person, server, { name: "Mail Export" });
  const client = { ...(await server.assent.storage.clients.get({ clientId: wide }))?.record, secret: "" };
  const more = authorizeUrl(server, client as Parameters<typeof authorizeUrl>[1], {
    scope: "read write",
    prompt: "consent",
  });
  await authorize(agent, more, person.username, { scope: ["read", "write"] });
  await pause(agent, "resume", paused);
}

const RECOVERED = [
  "Mail Export’s access ended because the account was recovered",
  "Slide Show lost permissions because the account was recovered",
];

test("recovered: apps that came after the page → ended by the recovery; those that the person chose → revoked by them", async () => {
  const { person, owner } = await anOwner();
  const wide = await aConnection(owner, person, server, { name: "Slide Show", scopes: ["read", "write"] });
  const resumed = await aConnection(owner, person, server, { name: "Night Backup" });
  await pause(owner, "pause", resumed.client.clientId);
  const intruder = await anIntruder(person);
  await aPasskeyOf(intruder, server, "Theirs");
  // The page preselects it.
  await aConnection(intruder, person, server, { name: "Photo TV" });
  const { reader, page } = await opened(person);
  server.tick(60_000);
  await misused(intruder, person, { wide: wide.client.clientId, paused: resumed.client.clientId });
  server.tick(60_000);
  await decide(reader, page);
  const all = await headlines(person);
  expect(all).toEqual(
    expect.arrayContaining([
      ...RECOVERED,
      "Night Backup’s access ended because the account was recovered",
      "You revoked Photo TV’s access",
    ]),
  );
  expect(all.filter((one) => /^You (revoked|removed)/.test(one))).toHaveLength(1);
});

test("ways to sign in restored → apps since the removal ended, lost permissions or are paused by the recovery", async () => {
  const { person, owner } = await anOwner();
  const wide = await aConnection(owner, person, server, { name: "Slide Show", scopes: ["read", "write"] });
  const resumed = await aConnection(owner, person, server, { name: "Night Backup" });
  await pause(owner, "pause", resumed.client.clientId);
  server.tick(10 * DAY);
  await aPasskeyOf(await signedInWith(OWNERS_BROWSER, person, server), server, "New laptop");
  const { reader, page } = await opened(person);
  await decide(reader, page);
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  server.tick(HOUR);
  const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
  await thief.submit(formWith(await thief.get("/login"), "username"), {
    ...{ username: person.username, password: NEW_PASSWORD },
  });
  await misused(thief, person, { wide: wide.client.clientId, paused: resumed.client.clientId });
  server.tick(60_000);
  await owner.submit(formWith(await owner.get(link), "link"));
  const admin = adminOf(server.assent.storage, server.issuer, server.now);
  await setPassword(person.username, { password: NEW_PASSWORD }, { keepGrants: true }, admin);
  const all = await headlines(person);
  const paused = "Night Backup was paused again because the account was recovered";
  expect(all).toEqual(expect.arrayContaining([...RECOVERED, paused]));
  expect(all.join("\n")).not.toMatch(/You (revoked|removed)/);
  expect(all.filter((one) => one.includes("Night Backup") && one.includes("paused"))).toEqual([
    paused,
    "You paused Night Backup",
  ]);
});
