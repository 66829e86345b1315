import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import { aClient, aGrant, anApproval, aStoredPerson, NOW } from "../support/record-builders.ts";

const DAY = 86_400_000;

onEveryBackend("clients that register themselves", (storage) => {
  const aToken = async (uses: number, expiresAt = NOW + DAY) => {
    const tokenHash = randomUUID();
    const token = {
      tokenId: randomUUID(),
      uses,
      used: 0,
      policy: null,
      createdBy: "operator",
      createdAt: NOW,
      expiresAt,
    };
    expect(await storage().registrations.addToken({ token, tokenHash, most: 1000, now: NOW })).toBe(true);
    return { tokenHash, tokenId: token.tokenId };
  };
  const registering = (tokenHash: string | null, changes: { now?: number; mostUnused?: number } = {}) => ({
    client: aClient({ reviewed: false }),
    tokenHash,
    ...{ forgetAfter: NOW + 30 * DAY, mostUnused: 10_000, network: "192.0.2.0/24", now: NOW, ...changes },
  });
  const usesOf = async (tokenId: string) =>
    (await storage().registrations.listTokens()).find((one) => one.tokenId === tokenId)?.used;
  const isThere = async (clientId: string) => (await storage().clients.get({ clientId })) !== undefined;

  test("an unknown, revoked or expired token → token_spent, and no client", async () => {
    const { tokenHash, tokenId } = await aToken(5);
    const late = registering(tokenHash, { now: NOW + DAY });
    expect(await storage().registrations.register(late)).toBe("token_spent");
    expect(await storage().registrations.revokeToken({ tokenId })).toBe(true);
    expect(await storage().registrations.revokeToken({ tokenId })).toBe(false);
    for (const hash of [tokenHash, "nothing"]) {
      const asked = registering(hash);
      expect(await storage().registrations.register(asked)).toBe("token_spent");
      expect(await isThere(asked.client.clientId)).toBe(false);
    }
  });

  test("20 at once with a token for 3 → 3 clients, counted once each", async () => {
    const { tokenHash, tokenId } = await aToken(3);
    const all = Array.from({ length: 20 }, () => registering(tokenHash));
    const outcomes = await Promise.all(all.map((one) => storage().registrations.register(one)));
    expect(outcomes.filter((one) => one === "registered")).toHaveLength(3);
    expect(outcomes.filter((one) => one === "token_spent")).toHaveLength(17);
    const there = await Promise.all(all.map(({ client }) => isThere(client.clientId)));
    expect(there).toEqual(outcomes.map((one) => one === "registered"));
    expect(await usesOf(tokenId)).toBe(3);
    expect(await storage().registrations.findToken({ tokenHash })).toMatchObject({ uses: 3, used: 3, policy: null });
  });

  test("without a token, where too many clients are unused → full", async () => {
    expect(await storage().registrations.register(registering(null))).toBe("registered");
    const asked = registering(null, { mostUnused: 1 });
    expect(await storage().registrations.register(asked)).toBe("full");
    expect(await isThere(asked.client.clientId)).toBe(false);
  });

  test("more tokens than the most → none is added", async () => {
    const token = {
      tokenId: "x",
      uses: 1,
      used: 0,
      policy: null,
      createdBy: "o",
      createdAt: NOW,
      expiresAt: NOW + DAY,
    };
    expect(await storage().registrations.addToken({ token, tokenHash: randomUUID(), most: 1, now: NOW })).toBe(false);
  });

  test("unused after its time → deleted; before, with a consent, reviewed, or created by an operator → kept, and not looked at again", async () => {
    const [unused, used, reviewed] = [registering(null), registering(null), registering(null)];
    for (const one of [unused, used, reviewed]) await storage().registrations.register(one);
    const operators = aClient();
    await storage().clients.put({ client: operators, expect: 0 });
    const person = await aStoredPerson(storage());
    const grant = aGrant(person, { clientId: used.client.clientId });
    expect(await storage().grants.approve(anApproval(grant))).toMatchObject({ kind: "issued" });
    await storage().clients.put({ client: { ...reviewed.client, reviewed: true }, expect: null });
    const collect = (now: number) => storage().housekeeping.collect({ what: "unused_clients", now, limit: 1000 });
    expect((await collect(NOW + 29 * DAY)).removed).toBe(0);
    expect((await collect(NOW + 30 * DAY)).removed).toBeGreaterThan(0);
    expect(await isThere(unused.client.clientId)).toBe(false);
    for (const { clientId } of [used.client, reviewed.client, operators]) expect(await isThere(clientId)).toBe(true);
    expect(await collect(NOW + 31 * DAY)).toEqual({ seen: 0, removed: 0 });
  });

  test("allowed at the moment when it is forgotten → either it is gone and the grant refused, or both stay", async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = registering(null);
      await storage().registrations.register(asked);
      const { clientId } = asked.client;
      const person = await aStoredPerson(storage());
      const [outcome] = await Promise.all([
        storage().grants.approve(anApproval(aGrant(person, { clientId }))),
        storage().housekeeping.collect({ what: "unused_clients", now: NOW + 30 * DAY, limit: 1000 }),
      ]);
      expect(outcome.kind === "issued").toBe(await isThere(clientId));
    }
  });

  test("tokens that ended 30 days ago → deleted", async () => {
    const { tokenId } = await aToken(1, NOW + 1);
    const collect = (now: number) => storage().housekeeping.collect({ what: "registration_tokens", now, limit: 1000 });
    await collect(NOW + 29 * DAY);
    expect(await usesOf(tokenId)).toBe(0);
    await collect(NOW + 32 * DAY);
    expect(await usesOf(tokenId)).toBeUndefined();
  });
});
