/** Apps that an intruder didn't connect, but gave a longer time, or resumed: a recovery shows them. */

import { beforeAll, expect, test } from "vitest";
import type { Agent, Page } from "../support/http-browser.ts";
import { aConnection, aPasskeyOf, decide, messageTo, ticksOf } from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { TestClient, TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

/** Submits the form of one app on a page about apps. */
async function change(agent: Agent, path: string, { clientId }: TestClient, fields: Record<string, string> = {}) {
  const page = await agent.get(path.startsWith("/account/agents") ? "/account/agents" : "/account/apps");
  const form = page.forms.find(({ action, fields: all }) => action.endsWith(path) && all.get("client_id") === clientId);
  if (form === undefined) throw new Error(`no form ${path}`);
  expect((await agent.submit(form, fields)).status).toBe(303);
}

/** The words of one app's row. */
function rowOf({ text }: Page, app: string): string {
  const rows = [...text.matchAll(/<label class="choice">([\s\S]*?)<\/label>/g)].map(([, row = ""]) =>
    row.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " "),
  );
  return rows.find((row) => row.includes(app)) ?? "";
}

test("somebody chose a later end for an app since a new browser signed in → the row says so, and the app loses access", async () => {
  const { person, owner } = await anOwner();
  const longer = await aConnection(owner, person, server, { name: "Photo Printer" });
  const same = await aConnection(owner, person, server, { name: "Slide Show" });
  await change(owner, "/account/apps/end", longer.client, { duration: "31536000" });
  const intruder = await anIntruder(person);
  await change(intruder, "/account/apps/end", longer.client, { duration: "forever" });
  server.tick(2 * HOUR);

  const { reader, page } = await opened(person);
  expect(ticksOf(page)).toEqual({ "Photo Printer": true, "Slide Show": false });
  expect(rowOf(page, "Photo Printer")).toContain("changed 2 hours ago");
  expect(rowOf(page, "Slide Show")).not.toContain("changed 2 hours ago");
  expect(page.text).toContain("Apps connected, changed or resumed since");
  await decide(reader, page);
  expect([await longer.works(), await same.works()]).toEqual([false, true]);
});

test("somebody resumed a paused app since a new browser signed in → the row says so; one that is still paused stays so", async () => {
  const { person, owner } = await anOwner();
  const resumed = await aConnection(owner, person, server, { name: "Slide Show" });
  const paused = await aConnection(owner, person, server, { name: "Night Backup" });
  const kept = await aConnection(owner, person, server, { name: "Photo Printer" });
  for (const { client } of [resumed, paused]) await change(owner, "/account/agents/pause", client);
  const intruder = await anIntruder(person);
  await aPasskeyOf(intruder, server, "Theirs");
  await change(intruder, "/account/agents/resume", resumed.client);
  server.tick(2 * HOUR);

  const { reader, page } = await opened(person);
  const ticks = { "Passkey “Theirs”": true, "Slide Show": true, "Night Backup": false, "Photo Printer": false };
  expect(ticksOf(page)).toEqual(ticks);
  expect(rowOf(page, "Slide Show")).toContain("resumed 2 hours ago");
  expect(rowOf(page, "Night Backup")).toContain("Stays paused");
  expect(rowOf(page, "Night Backup")).not.toContain("Keeps access");
  expect(rowOf(page, "Photo Printer")).toContain("Keeps access");
  const done = await decide(reader, page);
  expect(done.text).toContain("Access revoked: <bdi>Slide Show</bdi>.");
  expect(done.text).toContain("Still have access: <bdi>Photo Printer</bdi>.");
  expect(done.text).toContain("Still paused: <bdi>Night Backup</bdi>.");
  const told = await messageTo(person.email, REMOVED, mailbox);
  expect(told.text).toContain("Still have access: Photo Printer");
  expect(told.text).toContain("Still paused: Night Backup");
  expect([await resumed.works(), await paused.works(), await kept.works()]).toEqual([false, false, true]);
});

test("somebody resumes a paused app while the page is open → the app loses access, and the page says so", async () => {
  const { person, owner } = await anOwner();
  const resumed = await aConnection(owner, person, server, { name: "Slide Show" });
  await change(owner, "/account/agents/pause", resumed.client);
  const intruder = await anIntruder(person);
  const { reader, page } = await opened(person);
  expect(ticksOf(page)).toEqual({ "Slide Show": false });
  server.tick(60_000);
  await change(intruder, "/account/agents/resume", resumed.client);
  expect((await decide(reader, page)).text).toContain("Access revoked: <bdi>Slide Show</bdi>.");
  expect(await resumed.works()).toBe(false);
});

test("the owner changed an end and resumed an app before any new browser came → neither is ticked", async () => {
  const { person, owner } = await anOwner();
  const longer = await aConnection(owner, person, server, { name: "Photo Printer" });
  const resumed = await aConnection(owner, person, server, { name: "Slide Show" });
  await change(owner, "/account/agents/pause", resumed.client);
  server.tick(HOUR);
  await change(owner, "/account/apps/end", longer.client, { duration: "forever" });
  await change(owner, "/account/agents/resume", resumed.client);
  await anIntruder(person);
  expect(ticksOf((await opened(person)).page)).toEqual({ "Photo Printer": false, "Slide Show": false });
});
