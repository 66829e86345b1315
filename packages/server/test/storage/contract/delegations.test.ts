import { expect, test } from "vitest";
import type { RecordDelegation } from "../../../src/oauth/token-exchange/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aLiveCompanyGrant, anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
import { aGrant, aLiveGrant, anApproval, DAY, MINUTE, NOW } from "../support/record-builders.ts";

onEveryBackend("who acts through which app (RFC 8693)", (storage: () => Storage) => {
  const made = async () => {
    const { person, grant } = await aLiveGrant(storage());
    const { partition, ownerId, personId, grantId, clientId } = grant;
    const key = { partition, ownerId, personId, grantId, clientId };
    const names = { clientName: "Assistant", actorName: "Agent" };
    const use = {
      ...{ ...key, ...names, actorId: "agent", askerId: "agent", scopes: [{ name: "read", expiresAt: null }] },
      ...{ byConsent: [], impersonation: false, usedFrom: null, now: NOW },
    };
    const record = (changes: Partial<RecordDelegation> = {}) => storage().delegations.record({ ...use, ...changes });
    const list = () => storage().delegations.list({ partition, ownerId });
    const history = async () =>
      (await storage().history.list({ partition, ownerId, before: null, limit: 50 })).filter(
        ({ kind }) => kind === "delegated",
      );
    /** The owner allows the client, and revokes it. */
    const agentConsent = async (scopes: string[], revoke = false) => {
      await storage().grants.approve(anApproval(aGrant(person, { clientId: "agent", scopes })));
      if (revoke)
        await storage().consents.revoke({ partition, ownerId, clientId: "agent", revokedBy: ownerId, now: NOW });
    };
    return { person, grant, record, list, history, agentConsent };
  };

  test("a first use → a row and an entry; again → one row, written once a minute, and one entry a day", async () => {
    const { record, list, history, grant } = await made();
    expect(await record()).toBe("recorded");
    expect(await record({ now: NOW + 1000 })).toBe("recorded");
    const row = { clientId: grant.clientId, actorId: "agent", actorName: "Agent", stopped: false };
    expect(await list()).toEqual([{ ...row, lastUsedAt: NOW }]);
    expect(await record({ now: NOW + MINUTE, actorName: "Agent 2" })).toBe("recorded");
    expect(await list()).toEqual([{ ...row, actorName: "Agent 2", lastUsedAt: NOW + MINUTE }]);
    expect(await history()).toHaveLength(1);
    expect((await history())[0]).toMatchObject({
      ...{ clientId: "agent", at: NOW },
      record: { clientName: "Agent", by: "client", through: { clientId: grant.clientId, clientName: "Assistant" } },
    });
    await record({ now: NOW + DAY });
    expect(await history()).toHaveLength(2);
  });

  test("more permissions on the same day → another entry, which names them", async () => {
    const { record, history } = await made();
    const named = (...names: string[]) => ({ scopes: names.map((name) => ({ name, expiresAt: null })) });
    const uses = [named("read"), named("read", "write"), named("write"), named("read")];
    for (const [at, use] of uses.entries()) await record({ ...use, now: NOW + at });
    const told = (await history()).map(({ record: { scopes } }) => scopes.map(({ name }) => name));
    expect(told).toEqual([["read", "write"], ["read"]]);
  });

  test("the app's own use → no row, and the grant was used; not again within a minute", async () => {
    const { record, list, grant } = await made();
    const own = { actorId: grant.clientId, askerId: grant.clientId, usedFrom: "203.0.113.0/24", now: NOW + 2 * MINUTE };
    expect(await record(own)).toBe("recorded");
    expect(await record({ ...own, now: own.now + 1000 })).toBe("recorded");
    expect(await list()).toEqual([]);
    const { partition, grantId } = grant;
    const found = await storage().grants.find({ partition, grantId, saltHash: null });
    expect(found).toMatchObject({ lastUsedAt: own.now, usedFrom: own.usedFrom });
  });

  test("the grant has ended, is another owner's, or has expired → ended, and nothing is written", async () => {
    const { record, list, history, grant } = await made();
    const { partition, ownerId, clientId, absoluteUntil = NOW } = { ...grant, absoluteUntil: NOW + 400 * 365 * DAY };
    expect(await record({ grantId: "x" })).toBe("ended");
    expect(await record({ ownerId: "x" })).toBe("ended");
    expect(await record({ now: absoluteUntil })).toBe("ended");
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    expect(await record()).toBe("ended");
    expect([await list(), await history()]).toEqual([[], []]);
  });

  test("the owner revoked the agent, as asker or as actor → blocked", async () => {
    const { record, agentConsent, list } = await made();
    await agentConsent(["read"], true);
    expect(await record()).toBe("blocked");
    expect(await record({ askerId: "other" })).toBe("blocked");
    expect(await record({ actorId: "other" })).toBe("blocked");
    expect(await list()).toEqual([]);
    expect(await record({ actorId: "other", askerId: "other" })).toBe("recorded");
  });

  test("a company blocked the agent, as asker or as actor → blocked, stopped, and marked so; another rule → not", async () => {
    const { record: recordOf } = await made();
    const { company, admin } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const { ownerId, personId, grantId, clientId } = await aLiveCompanyGrant(storage(), company, admin);
    const record = (changes: Partial<RecordDelegation> = {}) =>
      recordOf({ partition, ownerId, personId, grantId, clientId, ...changes });
    const decide = (rule: "allow" | "ask" | "block" | null) =>
      storage().companyApps.setRule({
        ...{ partition, companyId, clientId: "agent", shown: SHOWN, by: admin.personId, now: NOW },
        rule: rule === null ? null : anAppRule({ rule }),
      });
    const isStopped = () => storage().delegations.isStopped({ partition, ownerId, personId, clientId: "agent" });
    const stopped = async () =>
      (await storage().delegations.list({ partition, ownerId })).map((one) => [one.actorId, one.stopped]);
    expect([await record(), await isStopped(), await stopped()]).toEqual(["recorded", false, [["agent", false]]]);
    await decide("block");
    expect([await record(), await isStopped(), await stopped()]).toEqual(["blocked", true, [["agent", true]]]);
    expect(await record({ askerId: "other" })).toBe("blocked");
    expect(await record({ actorId: "other" })).toBe("blocked");
    expect(await record({ actorId: "other", askerId: "other" })).toBe("recorded");
    for (const rule of ["ask", null, "allow"] as const) {
      await decide(rule);
      expect([rule, await record(), await isStopped()]).toEqual([rule, "recorded", false]);
    }
    const stop = (out: boolean) =>
      storage().companyApps.setOptOut({ partition, companyId, clientId: "agent", personId, out, now: NOW });
    await stop(true);
    const forAnother = storage().delegations.isStopped({ partition, ownerId, personId: "other", clientId: "agent" });
    expect([await record(), await isStopped(), await forAnother]).toEqual(["blocked", true, false]);
    await stop(false);
    expect([await record(), await isStopped()]).toEqual(["recorded", false]);
  });

  test("the owner paused the agent, or ended its access → stopped, but not for another owner", async () => {
    const { record, grant, agentConsent, list } = await made();
    const { partition, ownerId } = grant;
    const isStopped = (owner = ownerId) =>
      storage().delegations.isStopped({ partition, ownerId: owner, personId: ownerId, clientId: "agent" });
    await record();
    await agentConsent(["read"]);
    expect([await isStopped(), (await list())[0]?.stopped]).toEqual([false, false]);
    await storage().consents.setPaused({
      ...{ partition, ownerId, clientId: "agent", paused: true, by: ownerId, now: NOW },
    });
    expect([await isStopped(), (await list())[0]?.stopped]).toEqual([true, false]);
    await agentConsent(["read"], true);
    expect([await isStopped(), (await list())[0]?.stopped, await isStopped("x")]).toEqual([true, true, false]);
  });

  test("scopes by the owner's consent to the asker → only while it has them", async () => {
    const { record, agentConsent } = await made();
    expect(await record({ byConsent: ["write"] })).toBe("blocked");
    await agentConsent(["write"]);
    expect(await record({ byConsent: ["write"] })).toBe("recorded");
    expect(await record({ byConsent: ["read", "write"] })).toBe("blocked");
  });

  test("the consent to the app is revoked, or the owner is deleted → the rows are gone", async () => {
    const { record, list, grant, person } = await made();
    const { partition, ownerId, clientId } = grant;
    await record();
    await storage().consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: NOW });
    expect(await list()).toEqual([]);
    const other = await made();
    await other.record();
    await storage().people.delete({ ...other.person, now: NOW });
    expect(await other.list()).toEqual([]);
    expect(person.personId).not.toBe(other.person.personId);
  });
});
