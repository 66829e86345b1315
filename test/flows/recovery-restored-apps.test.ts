/** Somebody undoes a removal of factors: apps that were resumed since are paused again, and companies keep what was changed. */

import { beforeAll, describe, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import { Agent } from "../support/http-browser.ts";
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
import type { TestClient, TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const RESTORED = "Your ways to sign in were restored";
const COMPANIES = "What was changed at your companies since the removal stays";

async function pause(agent: Agent, what: "pause" | "resume", { clientId }: TestClient) {
  const { forms } = await agent.get("/account/agents");
  const form = forms.find(
    ({ action, fields }) => action.endsWith(`/account/agents/${what}`) && fields.get("client_id") === clientId,
  );
  if (form === undefined) throw new Error(`no form to ${what}`);
  expect((await agent.submit(form)).status).toBe(303);
}

/** The owner added a passkey in a new browser. A thief of the mailbox removes it, and signs in. */
async function robbed() {
  const { person, owner } = await anOwner();
  const connections = await Promise.all(
    ["Slide Show", "Night Backup", "Mail Export"].map((name) => aConnection(owner, person, server, { name })),
  );
  const [resumed, paused, switched] = connections;
  if (resumed === undefined || paused === undefined || switched === undefined) throw new Error("no app");
  for (const { client } of [resumed, paused]) await pause(owner, "pause", client);
  server.tick(10 * DAY);
  const laptop = await signedInWith(OWNERS_BROWSER, person, server);
  await aPasskeyOf(laptop, server, "New laptop");
  const { reader, page } = await opened(person);
  await decide(reader, page);
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  server.tick(HOUR);
  const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
  const login = formWith(await thief.get("/login"), "username");
  await thief.submit(login, { username: person.username, password: NEW_PASSWORD });
  return { person, owner, thief, link, resumed, paused, switched };
}

describe("a removal that is undone", () => {
  test("apps were resumed since → those that were paused at the removal are paused again, and page and message name them", async () => {
    const { person, owner, thief, link, resumed, paused, switched } = await robbed();
    await pause(thief, "resume", resumed.client);
    await pause(thief, "pause", switched.client);
    server.tick(60_000);
    await pause(thief, "resume", switched.client);
    expect([await resumed.works(), await switched.works()]).toEqual([true, true]);
    const page = await owner.get(link);
    expect(page.text).toContain("Apps that were resumed since then are paused again.");
    expect(page.text).not.toContain("everything added since");
    expect(page.text).not.toContain(COMPANIES);
    const done = await owner.submit(formWith(page, "link"));
    expect(done.text).toContain("Paused again: <bdi>Slide Show</bdi>.");
    expect(done.text).not.toContain(COMPANIES);
    const told = await messageTo(person.email, RESTORED, mailbox);
    expect(told.text).toContain("Paused again: Slide Show.");
    expect(told.text).not.toContain(COMPANIES);
    expect([await resumed.works(), await paused.works(), await switched.works()]).toEqual([false, false, true]);
  });

  test("the person belongs to a company → pages and message say that its rules, connections and members stay", async () => {
    const { person, owner, link } = await robbed();
    const company = await addCompany(server);
    await addMember(server, company, person, "member");
    const page = await owner.get(link);
    const done = await owner.submit(formWith(page, "link"));
    const told = await messageTo(person.email, RESTORED, mailbox);
    for (const text of [page.text, done.text, told.text]) expect(text).toContain(COMPANIES);
    expect(done.text).not.toContain("Paused again");
  });
});
