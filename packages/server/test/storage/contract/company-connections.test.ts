import { expect, test } from "vitest";
import type { Connection } from "../../../src/oauth/model.ts";
import type { CompanyConnection } from "../../../src/owners/company-connection-storage.ts";
import { MAX_CONNECTIONS } from "../../../src/storage/companies/company-connections.ts";
import { removeClient } from "../../../src/storage/operator/clients.ts";
import { endGrantsOfClient } from "../../../src/storage/operator/end-grants-of-client.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { aLiveCompanyGrant, anAppRule, aStaffedCompany } from "../support/company-builders.ts";
import { aClient, anId, DAY, NOW } from "../support/record-builders.ts";

const AUDIENCE = "https://as.chat.test";
const record: CompanyConnection["record"] = {
  ...{ clientIdThere: "wiki-at-chat", scopes: ["chat:read"], resources: [], clientName: "Wiki", serverName: "Chat" },
  texts: { "chat:read": "Read chats" },
};

onEveryBackend("apps that a company's admins connected with other servers", (storage, opened) => {
  const made = async () => {
    const staffed = await aStaffedCompany(storage(), { defaultRule: "members" });
    const { company, admin, member } = staffed;
    const key = { partition: company.partition, companyId: company.companyId };
    const clientId = anId();
    const pair = { ...key, clientId, audience: AUDIENCE };
    type Put = Parameters<ReturnType<typeof storage>["companyConnections"]["put"]>[0];
    const put = (changes: Partial<Put> = {}) =>
      storage().companyConnections.put({
        ...{ ...pair, record, endsAt: NOW + DAY, seen: null, by: admin.personId, now: NOW },
        ...changes,
      });
    const remove = (changes: Partial<Parameters<ReturnType<typeof storage>["companyConnections"]["remove"]>[0]> = {}) =>
      storage().companyConnections.remove({ ...pair, seen: NOW, by: admin.personId, now: NOW, ...changes });
    const history = async (owner = { partition: key.partition, ownerId: key.companyId }, kind = "connection") =>
      (await storage().history.list({ ...owner, before: null, limit: 50 })).filter((one) => one.kind === kind);
    /** The member lets the app know who they are, in the company's name. */
    const allowed = async () => {
      await aLiveCompanyGrant(storage(), company, member, { clientId, scopes: ["openid"] });
      const own = { connectedAt: NOW, endsAt: NOW + DAY, company: { companyId: key.companyId, name: company.name } };
      const use = {
        ...{ partition: key.partition, ownerId: key.companyId, personId: member.personId, clientId, now: NOW },
        ...{ clientName: "Wiki", audience: AUDIENCE, audienceName: "Chat", needs: "openid", own },
      };
      return (changes: Partial<typeof use> = {}) => storage().delegations.vouch({ ...use, ...changes });
    };
    return { ...staffed, key, clientId, pair, put, remove, history, allowed };
  };

  test("companies that connected an app with a server → listed with the number of members, of all or of one; not an ended one", async () => {
    const [one, other] = [await made(), await made()];
    const { clientId, key } = one;
    type Asked = Parameters<ReturnType<typeof storage>["companyConnections"]["listOfServer"]>[0];
    const list = (changes: Partial<Asked> = {}) =>
      storage().companyConnections.listOfServer({
        ...{ clientId, audience: AUDIENCE, companyId: null, now: NOW, limit: 10, after: null },
        ...changes,
      });
    expect(await list()).toEqual([]);
    expect(await one.put()).toBe("stored");
    expect(await other.put({ clientId, endsAt: NOW + 2 * DAY })).toBe("stored");
    const both = await list();
    expect(both.map(({ companyId }) => companyId).sort()).toEqual([key.companyId, other.key.companyId].sort());
    expect(both).toMatchObject([
      { record, members: 2 },
      { record, members: 2 },
    ]);
    expect(await list({ companyId: key.companyId })).toMatchObject([{ ...key, record, members: 2 }]);
    expect(await list({ now: NOW + DAY })).toMatchObject([other.key]);
    const [first, second] = both;
    expect(await list({ limit: 1 })).toEqual([first]);
    expect(await list({ limit: 1, after: first ?? null })).toEqual([second]);
  });

  test("by a member, by a session that ended, over a change that was not seen, for a blocked app → not stored", async () => {
    const { put, member, admin, key, pair, clientId, history } = await made();
    expect(await put({ by: member.personId })).toBe("not_admin");
    expect(await put({ trustedFrom: 1 })).toBe("not_admin");
    expect(await put({ seen: NOW })).toBe("changed");
    expect(await put({ companyId: anId(key.partition) })).toBe("unknown");
    await storage().companyApps.setRule({
      ...{ ...key, clientId, by: null, now: NOW, rule: anAppRule({ rule: "block" }) },
      shown: { locale: "en", clientName: "Wiki", logo: null },
    });
    expect(await put()).toBe("blocked");
    expect(await storage().companyConnections.find(pair)).toBeUndefined();
    expect(await history()).toEqual([]);
    expect(admin.personId).not.toBe(member.personId);
  });

  test("connected, changed, removed → each with its history entry; of two admins, the second sees the first one's change", async () => {
    const { put, remove, admin, pair, key, history } = await made();
    expect(await put()).toBe("stored");
    expect(await put()).toBe("changed");
    const first = await storage().companyConnections.find(pair);
    expect(first).toEqual({ ...pair, record, endsAt: NOW + DAY, connectedBy: admin.personId, connectedAt: NOW });
    const fewer = { ...record, scopes: ["chat:write"] };
    expect(await put({ record: fewer, seen: NOW })).toBe("stored");
    expect(await storage().companyConnections.list(key)).toMatchObject([{ record: fewer, connectedAt: NOW + 1 }]);
    expect(await remove()).toBe("changed");
    expect(await remove({ seen: NOW + 1, by: anId() })).toBe("not_admin");
    expect(await remove({ seen: NOW + 1 })).toBe("removed");
    expect(await remove({ seen: NOW + 1 })).toBe("unknown");
    const entries = await history();
    expect(entries.map(({ record: { connection } }) => connection).sort()).toEqual(["changed", "connected", "removed"]);
    const through = { clientId: AUDIENCE, clientName: "Chat" };
    for (const entry of entries) expect(entry.record).toMatchObject({ by: admin.personId, through });
    const removed = entries.find(({ record: { connection } }) => connection === "removed");
    expect(removed?.record).toMatchObject({ scopes: [], removed: ["chat:write"], expiresAt: null });
  });

  test("20 admins' forms at once → one is stored", async () => {
    const { put, history } = await made();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => put()));
    expect(outcomes.filter((one) => one === "stored")).toHaveLength(1);
    expect(await history()).toHaveLength(1);
  });

  test("more than the maximum → full; another one may be changed", async () => {
    const { put } = await made();
    for (let at = 0; at < MAX_CONNECTIONS; at++) await put({ audience: `https://as.test/${at}` });
    expect(await put()).toBe("full");
    expect(await put({ audience: "https://as.test/0", seen: NOW })).toBe("stored");
  });

  test("an app acts by it → an entry in the company's history and in the member's, once a day", async () => {
    const { put, allowed, member, company, history } = await made();
    const vouch = await allowed();
    await put();
    expect(await vouch()).toBe(true);
    expect(await vouch({ now: NOW + 1 })).toBe(true);
    expect(await history(undefined, "vouched")).toMatchObject([{ record: { personId: member.personId } }]);
    const own = await history({ partition: member.partition, ownerId: member.personId }, "vouched");
    const told = { companyId: company.companyId, name: company.name };
    expect(own).toMatchObject([{ record: { company: told, through: { clientId: AUDIENCE, clientName: "Chat" } } }]);
  });

  test.each<[string, (at: Awaited<ReturnType<typeof made>>) => Promise<unknown>]>([
    ["another admin changed it", ({ put }) => put({ seen: NOW })],
    ["an admin removed it", ({ remove }) => remove()],
    ["the member left", ({ key, member }) => storage().members.remove({ ...key, person: member, by: null, now: NOW })],
    ["the company is disabled", ({ key }) => storage().companies.setStatus({ ...key, status: "disabled", now: NOW })],
    ["the company is deleted", ({ key }) => storage().companies.delete({ ...key, now: NOW })],
  ])("%s after the connection was read → no ID-JAG, and nothing is noted", async (_, happens) => {
    const at = await made();
    const vouch = await at.allowed();
    await at.put();
    await happens(at);
    expect(await vouch({ now: NOW + 1 })).toBe(false);
    const { member, history } = at;
    expect(await history({ partition: member.partition, ownerId: member.personId }, "vouched")).toEqual([]);
  });

  test("its time is over, another app, another server, another company → no ID-JAG", async () => {
    const at = await made();
    const vouch = await at.allowed();
    await at.put();
    const other = await made();
    await (await other.allowed())();
    expect(await vouch({ now: NOW + DAY })).toBe(false);
    expect(await vouch({ audience: "https://as.other.test" })).toBe(false);
    expect(await vouch({ clientId: other.clientId })).toBe(false);
    expect(await vouch({ personId: other.member.personId })).toBe(false);
    expect(await vouch()).toBe(true);
  });

  test("the company is deleted → its connections, too; another company's stay", async () => {
    const [one, other] = [await made(), await made()];
    await one.put();
    await other.put();
    await storage().companies.delete({ ...one.key, now: NOW });
    expect(await storage().companyConnections.list(one.key)).toEqual([]);
    expect(await storage().companyConnections.list(other.key)).toHaveLength(1);
  });

  test("the client is deleted → companies' connections end, also of a withdrawn offer; the histories say so", async () => {
    const [one, other] = [await made(), await made()];
    const { clientId } = one;
    await storage().clients.put({ client: aClient({ clientId }), expect: null });
    expect(await one.put()).toBe("stored");
    expect(await one.put({ audience: "https://as.other.test" })).toBe("stored");
    expect(await other.put({ clientId })).toBe("stored");
    expect(await other.put()).toBe("stored");
    const count = () => storage().consents.countOfClient({ clientId, now: NOW, most: 10 });
    expect(await count()).toMatchObject({ connections: 3 });
    await storage().clients.delete({ clientId, now: NOW + 1 });
    expect(await count()).toMatchObject({ connections: 0 });
    expect(await storage().companyConnections.list(one.key)).toEqual([]);
    expect(await storage().companyConnections.list(other.key)).toMatchObject([{ clientId: other.clientId }]);
    const removed = (await one.history()).filter(({ record: { connection } }) => connection === "removed");
    expect(removed.map(({ at, record: { by } }) => [at, by])).toEqual([
      [NOW + 1, "operator"],
      [NOW + 1, "operator"],
    ]);
    expect(removed.map(({ record: { through } }) => through?.clientId).sort()).toEqual([
      AUDIENCE,
      "https://as.other.test",
    ]);
    for (const { record: entry } of removed)
      expect(entry).toMatchObject({ clientName: "Wiki", removed: ["chat:read"] });
    expect((await other.history()).map(({ record: { connection } }) => connection).sort()).toEqual(
      ["connected", "connected", "removed"].sort(),
    );
    // A client with this id that comes back gets nothing that admins chose before.
    await storage().clients.put({ client: aClient({ clientId }), expect: null });
    expect(await storage().companyConnections.list(one.key)).toEqual([]);
  });

  test("a client that is disabled keeps its companies' connections; more of them than one batch → all end with it", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, made));
    const clientId = anId();
    const client = aClient({ clientId });
    await storage().clients.put({ client, expect: null });
    for (const one of all) expect(await one.put({ clientId })).toBe("stored");
    await storage().clients.put({ client: { ...client, status: "disabled" }, expect: null });
    const count = async () => (await storage().consents.countOfClient({ clientId, now: NOW, most: 10 })).connections;
    expect(await count()).toBe(5);
    const engine = await engineAt(opened().url);
    await engine.call(removeClient, { clientId, now: NOW + 1 });
    const left: number[] = [];
    while (await engine.call(endGrantsOfClient, { clientId, limit: 2 })) left.push(await count());
    expect(left).toEqual([3, 1, 0]);
    await engine.close();
  });

  test("for a client that was deleted or disabled meanwhile → not stored", async () => {
    const { put, clientId, pair } = await made();
    const client = aClient({ clientId });
    await storage().clients.put({ client, expect: null });
    await storage().clients.put({ client: { ...client, status: "disabled" }, expect: null });
    expect(await put()).toBe("gone");
    await storage().clients.delete({ clientId, now: NOW + 1 });
    expect(await put()).toBe("gone");
    expect(await storage().companyConnections.find(pair)).toBeUndefined();
  });

  test("clients with connections or offers → found in the order of their ids; others → not, whatever their names are", async () => {
    const connection: Connection = {
      ...{ audience: AUDIENCE, company: null, clientId: "x", scopes: ["a"], resources: [], status: "offered" },
    };
    const exchange = { subjects: [], sources: [], audiences: [], scopes: [], actors: [], impersonation: false };
    const [found, none, named] = [
      aClient({ tokenExchange: { ...exchange, connections: [connection] } }),
      aClient({ tokenExchange: { ...exchange, connections: [] } }),
      aClient({ name: '"connections":[{' }),
    ];
    for (const client of [found, none, named]) await storage().clients.put({ client, expect: null });
    const ids = (await storage().companyConnections.listClients({ limit: 10_000, after: null })).map(
      (one) => one.clientId,
    );
    expect(ids).toContain(found.clientId);
    expect(ids).not.toContain(none.clientId);
    expect(ids).not.toContain(named.clientId);
    expect(ids).toEqual([...ids].sort());
  });
});
