/** Clients that only a document describes: forgotten when nobody uses them, refused when an operator deleted them. */

import { describe, expect, test } from "vitest";
import { adminOf } from "../../../src/admin/context.ts";
import { listEvents, sealWaiting } from "../../../src/admin/events.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import type { Client } from "../../../src/oauth/model.ts";
import { backends, type Opened } from "../support/backends.ts";
import { byHand } from "../support/raw-statements.ts";
import { aClient, aGrant, anApproval, aStoredPerson, DAY, NOW } from "../support/record-builders.ts";

const described = (number: number, changes: Partial<Client> = {}) => {
  const document = { checkedAt: NOW, appearance: "a", logoUri: null, scope: null };
  return aClient({ clientId: `https://tool.test/${number}.json`, reviewed: false, document, ...changes });
};

const collect = ({ storage }: Opened, now: number) =>
  storage.housekeeping.collect({ what: "unused_clients", now, limit: 10 });

async function kindsOf({ storage }: Opened) {
  const secrets = new Secrets([Buffer.alloc(32, 1)]);
  const context = adminOf(
    storage,
    "https://login.test",
    () => NOW + 40 * DAY,
    () => secrets,
  );
  await sealWaiting({ ...context, secrets: () => secrets });
  return (await listEvents({ limit: 100 }, context)).map(({ kind, details }) => [kind, details["cause"]]);
}

describe.each(backends)("unused clients: $name", ({ create }) => {
  test("CM-20 30 days without a use → gone, its consents revoked, with its event; a day before, or with a grant → it stays", async () => {
    const opened = await create();
    const { storage, url } = opened;
    const [unused, granted] = [described(1), described(2)];
    for (const client of [unused, granted]) await storage.clients.put({ client, expect: 0 });
    const person = await aStoredPerson(storage);
    const grants = [unused, granted].map(({ clientId }) => aGrant(person, { clientId }));
    for (const grant of grants) await storage.grants.approve(anApproval(grant));
    await byHand(url, [
      "UPDATE grants SET status = 'given_up', ended_at = $1 WHERE client_id = $2",
      ...[NOW + 1, unused.clientId],
    ]);
    expect(await collect(opened, NOW + 29 * DAY)).toEqual({ seen: 0, removed: 0 });
    expect(await storage.clients.countDescribed({ most: 10 })).toBe(2);
    expect(await collect(opened, NOW + 30 * DAY)).toEqual({ seen: 2, removed: 1 });
    expect((await storage.clients.list({ limit: 10, after: null })).map(({ clientId }) => clientId)).toEqual([
      granted.clientId,
    ]);
    expect(await storage.clients.countDescribed({ most: 10 })).toBe(1);
    const consents = await byHand(url, ["SELECT client_id, status FROM consents ORDER BY client_id"]);
    expect(consents.map(({ status }) => status)).toEqual(["revoked", "active"]);
    // Once a day is often enough for a client that has grants.
    expect(await collect(opened, NOW + 30 * DAY)).toEqual({ seen: 0, removed: 0 });
    expect(await collect(opened, NOW + 31 * DAY)).toEqual({ seen: 1, removed: 0 });
    expect(await kindsOf(opened)).toContainEqual(["client.deleted", "unused"]);
    // It is as new when it comes back.
    expect(await storage.clients.put({ client: unused, expect: 0 })).toMatchObject({ kind: "stored" });
    await opened.remove();
  });

  test("an operator judged it or refuses it, or an operator registered it → it is never forgotten", async () => {
    const opened = await create();
    const { storage } = opened;
    const kept = [
      described(1, { verified: true }),
      described(2, { reviewed: true }),
      described(3, { firstParty: true }),
      described(4, { status: "disabled" }),
      aClient(),
    ];
    for (const client of kept) await storage.clients.put({ client, expect: 0 });
    expect(await collect(opened, NOW + 10_000 * DAY)).toEqual({ seen: 0, removed: 0 });
    expect(await storage.clients.list({ limit: 10, after: null })).toHaveLength(5);
    await opened.remove();
  });

  test("CM-19 deleted by an operator → disabled in the same transaction, so that no request brings it back; enabled → it works", async () => {
    const opened = await create();
    const { storage } = opened;
    const client = described(1);
    await storage.clients.put({ client, expect: 0 });
    expect(await storage.clients.delete({ clientId: client.clientId, now: NOW + 1 })).toBe(true);
    expect(await storage.clients.put({ client, expect: 0 })).toEqual({ kind: "conflict" });
    expect((await storage.clients.get({ clientId: client.clientId }))?.record.status).toBe("disabled");
    expect(await kindsOf(opened)).toEqual([
      ["client.deleted", undefined],
      ["client.created", undefined],
    ]);
    await storage.clients.put({ client, expect: null });
    expect((await storage.clients.get({ clientId: client.clientId }))?.record.status).toBe("active");
    await opened.remove();
  });
});
