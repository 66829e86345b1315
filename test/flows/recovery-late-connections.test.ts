/** Apps that are connected while the owner looks at the recovery page: what the page and the message say of them is true. */

import { beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { type Agent, authorize, authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import { aConnection, aPasskeyOf, decide, messageTo } from "../support/recovery-actors.ts";
import { REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { TestClient, TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

/** Connects an app for the company on a page. Returns its refresh token. */
async function connectedFor(agent: Agent, client: TestClient, person: Person, { companyId: owner }: TestCompany) {
  const url = authorizeUrl(server, client, { prompt: "consent" });
  const { body } = await redeem(server, client, await authorize(agent, url, person.username, { owner }));
  return body.refresh_token;
}

/** The sentences of the done page about apps. */
const saidOf = (text: string) =>
  [...text.matchAll(/(?:Access revoked|Still have access): [\s\S]*?\./g)].map(([said]) =>
    said.replaceAll(/<[^>]*>/g, ""),
  );

test("an app connected, another one widened, both also for companies → the connected ones are named as revoked, the others as kept", async () => {
  const { person, owner } = await anOwner();
  const [known, other] = [
    await addCompany(server, { name: "Known Ltd", defaultRule: "members" }),
    await addCompany(server, { name: "Other Ltd", defaultRule: "members" }),
  ];
  for (const company of [known, other]) await addMember(server, company, person);
  const backup = await aConnection(owner, person, server, { name: "Night Backup", scopes: ["read", "write"] });
  const forKnown = await connectedFor(owner, backup.client, person, known);
  const intruder = await anIntruder(person);
  await aPasskeyOf(intruder, server, "Theirs");
  const { reader, page } = await opened(person);
  expect(page.text).toContain("Night Backup");
  expect(page.text).not.toContain("Mail Export");
  server.tick(60_000);
  const late = await aConnection(intruder, person, server, { name: "Mail Export" });
  const wide = authorizeUrl(server, backup.client, { scope: "read write", prompt: "consent" });
  await authorize(intruder, wide, person.username, { owner: person.personId, scope: ["read", "write"] });
  const forOther = await connectedFor(intruder, late.client, person, other);
  await connectedFor(intruder, late.client, person, known);
  server.tick(60_000);
  const done = await decide(reader, page, { app: [], company: [] });
  const both = [
    "Mail Export and Apps you connected for Other Ltd",
    "Night Backup and Apps you connected for Known Ltd",
  ];
  expect(saidOf(done.text)).toEqual([`Access revoked: ${both[0]}.`, `Still have access: ${both[1]}.`]);
  const told = await messageTo(person.email, REMOVED, mailbox);
  expect(told.text).toContain(`Access revoked: ${both[0]}`);
  expect(told.text).toContain(`Still have access: ${both[1]}`);
  expect([await late.works(), await backup.works()]).toEqual([false, true]);
  expect((await refresh(server, late.client, forOther)).body.error).toBe("invalid_grant");
  expect((await refresh(server, backup.client, forKnown)).status).toBe(200);
});
