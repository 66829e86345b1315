import { expect, test } from "vitest";
import { cyclesOf } from "../../../../../test/support/reliability-cycles-and-figures.ts";
import { allBackends, backends, onEveryBackend } from "../support/backends.ts";
import { aClaim, aDevice, aDeviceRedemption, anAnswer, anApprovedDevice, aPoll } from "../support/device-builders.ts";
import { aClient, aHash, aPerson, aStoredPerson, HOUR, MINUTE, NOW, SECOND } from "../support/record-builders.ts";

onEveryBackend("a device", (storage) => {
  const stored = async (changes: Parameters<typeof aDevice>[0] = {}) => {
    const device = aDevice(changes);
    expect(await storage().deviceRequests.create(device)).toBe(true);
    return device;
  };
  const claimed = async () => {
    const device = await stored();
    await storage().deviceRequests.claim({ ...aClaim(device), before: null });
    return device;
  };
  const recordOf = ({ clientId, approval: { partition, ownerId } }: ReturnType<typeof anAnswer>) => ({
    partition,
    ownerId,
    clientId,
  });

  test("a user code that is out → another must be drawn, and the first request stands", async () => {
    const { partition, userCodeHash, ...first } = await stored();
    expect(await storage().deviceRequests.create(aDevice({ partition, userCodeHash }))).toBe(false);
    expect(await storage().deviceRequests.poll(aPoll({ partition, userCodeHash, ...first }))).toMatchObject({
      kind: "pending",
    });
  });

  test("a poll with another salt, of another client, of nothing → unknown, and the row is untouched", async () => {
    const device = await stored();
    for (const wrong of [{ saltHash: aHash() }, { clientId: "client-2" }, { requestId: "x" }]) {
      expect(await storage().deviceRequests.poll(aPoll(device, wrong))).toEqual({ kind: "unknown" });
    }
    const { scopes } = device;
    expect(await storage().deviceRequests.poll(aPoll(device))).toEqual({ kind: "pending", scopes });
  });

  test("each poll that comes too early adds 5 s for good; waiting long enough is pending again", async () => {
    const device = await stored();
    const kinds: string[] = [];
    let now = NOW;
    for (const wait of [5, 3, 9, 14, 15, 5]) {
      now += wait * SECOND;
      kinds.push((await storage().deviceRequests.poll(aPoll(device, { now }))).kind);
    }
    expect(kinds).toEqual(["pending", "slow_down", "pending", "pending", "pending", "slow_down"]);
  });

  test("a tenth of the interval is the network's", async () => {
    const device = await stored();
    await storage().deviceRequests.poll(aPoll(device, { now: NOW }));
    expect(await storage().deviceRequests.poll(aPoll(device, { now: NOW + 4500 }))).toMatchObject({ kind: "pending" });
    expect(await storage().deviceRequests.poll(aPoll(device, { now: NOW + 4500 + 4499 }))).toEqual({
      kind: "slow_down",
    });
  });

  test("nobody answers in time → expired, whatever comes then; approved but never polled → expired, too", async () => {
    const device = await claimed();
    const { expiresAt: now } = device;
    const person = await aStoredPerson(storage());
    expect(await storage().deviceRequests.poll(aPoll(device, { now }))).toEqual({ kind: "expired" });
    expect(await storage().deviceRequests.claim({ ...aClaim(device, { now }), before: null })).toBeUndefined();
    expect(await storage().deviceRequests.approve(anAnswer(device, person, { now }))).toBe("unknown");
    expect(await storage().deviceRequests.deny(aClaim(device, { now }))).toBe("unknown");
    const { device: late } = await anApprovedDevice(storage());
    expect(await storage().deviceRequests.poll(aPoll(late, { now }))).toEqual({ kind: "expired" });
  });

  test("a session claims a code → no other session sees, allows or refuses it, unless it was its browser's", async () => {
    const device = await claimed();
    const person = await aStoredPerson(storage());
    const mallory = { sessionId: "session-2" };
    expect(await storage().deviceRequests.claim({ ...aClaim(device, mallory), before: null })).toBeUndefined();
    expect(await storage().deviceRequests.claim({ ...aClaim(device, mallory), before: "session-3" })).toBeUndefined();
    expect(await storage().deviceRequests.approve(anAnswer(device, person, mallory))).toBe("unknown");
    expect(await storage().deviceRequests.deny(aClaim(device, mallory))).toBe("unknown");
    expect(await storage().consents.find(recordOf(anAnswer(device, person)))).toBeUndefined();
    const { requestId, clientId, scopes, address, expiresAt } = device;
    expect(await storage().deviceRequests.claim({ ...aClaim(device, mallory), before: "session-1" })).toMatchObject({
      ...{ requestId, clientId, scopes, address, expiresAt },
      createdAt: NOW,
    });
    expect(await storage().deviceRequests.deny(aClaim(device))).toBe("unknown");
  });

  test("unclaimed → no answer is taken", async () => {
    const device = await stored();
    expect(await storage().deviceRequests.deny(aClaim(device))).toBe("unknown");
    expect(await storage().deviceRequests.approve(anAnswer(device, await aStoredPerson(storage())))).toBe("unknown");
  });

  test("denied → access_denied at every poll, however early; a later yes changes nothing", async () => {
    const device = await claimed();
    expect(await storage().deviceRequests.deny(aClaim(device))).toBe("decided");
    for (const now of [NOW + 2, NOW + 3, NOW + HOUR])
      expect(await storage().deviceRequests.poll(aPoll(device, { now }))).toEqual({ kind: "denied" });
    const answer = anAnswer(device, await aStoredPerson(storage()));
    expect(await storage().deviceRequests.approve(answer)).toBe("denied");
    expect(await storage().consents.find(recordOf(answer))).toBeUndefined();
    expect(await storage().deviceRequests.claim({ ...aClaim(device), before: null })).toBeUndefined();
  });

  test("approved by nobody, or by somebody who is disabled → no_consent", async () => {
    const device = await claimed();
    expect(await storage().deviceRequests.approve(anAnswer(device, aPerson()))).toBe("no_consent");
    const person = await aStoredPerson(storage());
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(await storage().deviceRequests.approve(anAnswer(device, person))).toBe("no_consent");
    expect(await storage().deviceRequests.poll(aPoll(device))).toMatchObject({ kind: "pending" });
  });

  test("approved in a session that a new password ended since it was seen → no_consent, and no record", async () => {
    const device = await claimed();
    const person = await aStoredPerson(storage());
    const answer = anAnswer(device, person);
    const ends = { passwordHash: "x", mustChange: false, endGrants: true, keepSessionId: null };
    await storage().people.setPassword({ ...person, ...ends, now: NOW + 1 });
    expect(await storage().deviceRequests.approve({ ...answer, trustedFrom: NOW })).toBe("no_consent");
    expect(await storage().consents.find(recordOf(answer))).toBeUndefined();
    expect(await storage().deviceRequests.approve({ ...answer, trustedFrom: NOW + 1 })).toBe("decided");
  });

  test("approved → the record stands at once, the next poll gets it, one redemption makes the grant, all others find it taken", async () => {
    const { device, answer } = await anApprovedDevice(storage());
    expect(await storage().consents.find(recordOf(answer))).toMatchObject({
      ...{ status: "active", via: "device", expiresAt: null, lastUsedAt: null, uses: 1 },
      scopes: [{ name: "read", expiresAt: null, grantedAt: answer.now }],
    });
    expect(await storage().deviceRequests.approve(answer)).toBe("allowed");
    expect(await storage().deviceRequests.previewAnswer(aClaim(device))).toBe("allowed");
    const polled = await storage().deviceRequests.poll(aPoll(device, { now: NOW + 2 }));
    expect(polled).toEqual({ kind: "approved", approval: answer.approval });
    const outcome = await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval));
    expect(outcome).toMatchObject({
      kind: "issued",
      grant: {
        ...{ grantId: answer.approval.grantId, status: "active", generation: 1, refreshable: true, uses: 1 },
        ...{
          scopes: [{ name: "read", expiresAt: null }],
          audience: "https://api.example",
          idleUntil: NOW + 2000 + HOUR,
        },
      },
    });
    expect(await storage().deviceRequests.poll(aPoll(device, { now: NOW + 3000 }))).toEqual({ kind: "spent" });
    expect(await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval))).toEqual({
      kind: "taken",
    });
    const { partition, grantId } = answer.approval;
    expect((await storage().grants.find({ partition, grantId, saltHash: null }))?.status).toBe("active");
  });

  test("interrupted between grant and mark → the next poll finds it taken", async () => {
    const { device, answer } = await anApprovedDevice(storage());
    const twice = [1, 2].map(() => storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval)));
    expect((await Promise.all(twice)).map(({ kind }) => kind).sort()).toEqual(["issued", "taken"]);
  });

  test("once → a grant that ends with it and never refreshes, and nothing stands", async () => {
    const onceUntil = NOW + 5 * MINUTE;
    const { device, answer } = await anApprovedDevice(storage(), {
      ...{ duration: "once", onceUntil },
      approval: { onceUntil, refreshable: false },
    });
    expect(await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval))).toMatchObject({
      grant: { refreshable: false, scopes: [{ name: "read", expiresAt: onceUntil }], absoluteUntil: onceUntil },
    });
    expect(await storage().consents.find(recordOf(answer))).toMatchObject({ scopes: [], expiresAt: onceUntil });
  });

  test("a consent that was taken back before → the page's yes makes it anew", async () => {
    const { answer, person } = await anApprovedDevice(storage());
    await storage().consents.revoke({ ...recordOf(answer), revokedBy: person.personId, now: NOW + 2000 });
    const device = await claimed();
    expect(await storage().deviceRequests.approve(anAnswer(device, person, { now: NOW + 3000 }))).toBe("decided");
    expect(await storage().consents.find(recordOf(answer))).toMatchObject({ status: "active", createdAt: NOW + 3000 });
  });

  test.each(["disabled", "deleted"])(
    "approved, then its client %s → no_owner, and no grant of it is born",
    async (what) => {
      const client = aClient();
      const { clientId } = client;
      await storage().clients.put({ client, expect: 0 });
      const { device, answer } = await anApprovedDevice(storage(), {}, { clientId });
      if (what === "disabled") await storage().clients.put({ client: { ...client, status: "disabled" }, expect: null });
      else await storage().clients.delete({ clientId, now: NOW + 1500 });
      const kind = what === "disabled" ? "no_owner" : expect.stringMatching(/^(no_owner|blocked)$/);
      expect(await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval))).toEqual({ kind });
      const { partition, grantId } = answer.approval;
      expect(await storage().grants.find({ partition, grantId, saltHash: null })).toBeUndefined();
      expect(await storage().deviceRequests.poll(aPoll(device, { now: NOW + 3000 }))).toEqual({ kind: "spent" });
    },
  );

  test.each([
    ["disabled", "no_owner"],
    ["deleted", "no_owner"],
    ["password set", "no_owner"],
    ["consent revoked", "blocked"],
    ["consent revoked and given again", "blocked"],
    ["its only scope narrowed away", "blocked"],
  ] as const)("approved, then %s → %s, and no later poll gets it", async (what, kind) => {
    const { device, person, answer } = await anApprovedDevice(storage());
    const now = NOW + 1500;
    const record = recordOf(answer);
    if (what === "disabled") await storage().people.setStatus({ ...person, status: "disabled", now });
    if (what === "deleted") await storage().people.delete({ ...person, now });
    if (what === "password set") {
      const set = { passwordHash: "x", mustChange: false, endGrants: true, keepSessionId: null, now };
      await storage().people.setPassword({ ...person, ...set });
    }
    if (what.startsWith("consent revoked")) await storage().consents.revoke({ ...record, revokedBy: "x", now });
    if (what.endsWith("given again")) {
      const again = await claimed();
      expect(await storage().deviceRequests.approve(anAnswer(again, person, { now: now + 1 }))).toBe("decided");
    }
    if (what.startsWith("its only")) await storage().consents.narrow({ ...record, remove: ["read"], by: "x", now });
    expect(await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval))).toEqual({ kind });
    expect(await storage().deviceRequests.poll(aPoll(device, { now: NOW + 3000 }))).toEqual({ kind: "spent" });
    const { partition, grantId } = answer.approval;
    expect(await storage().grants.find({ partition, grantId, saltHash: null })).toBeUndefined();
  });
});

/** Rounds of each race. */
const ROUNDS = cyclesOf(200, 20);

test.each(allBackends)(
  `20 polls at once, ${ROUNDS} times: each time one gets the grant: $name`,
  async (backend) => {
    const { storage, remove } = await backend.create();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { device, answer } = await anApprovedDevice(storage);
      const polls = Array.from({ length: 20 }, () =>
        storage.deviceRequests.redeem(aDeviceRedemption(device, answer.approval)),
      );
      const kinds = (await Promise.all(polls)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "issued")).toHaveLength(1);
      expect(kinds.filter((kind) => kind === "taken")).toHaveLength(19);
    }
    await remove();
  },
  60_000,
);

test.each(allBackends)(
  `disabling its client against polling, ${ROUNDS} times: no live grant of a disabled client: $name`,
  async (backend) => {
    const { storage, remove } = await backend.create();
    for (let round = 0; round < ROUNDS; round += 1) {
      const client = aClient();
      const { clientId } = client;
      await storage.clients.put({ client, expect: 0 });
      const { device, answer } = await anApprovedDevice(storage, {}, { clientId });
      const { partition, grantId } = answer.approval;
      const poll = () => storage.deviceRequests.redeem(aDeviceRedemption(device, answer.approval));
      const end = () => storage.clients.put({ client: { ...client, status: "disabled" }, expect: null });
      await Promise.all(round % 2 === 0 ? [poll(), end()] : [end(), poll()]);
      const grant = await storage.grants.find({ partition, grantId, saltHash: null });
      expect(grant?.status ?? "none").not.toBe("active");
    }
    await remove();
  },
  60_000,
);

test.each(allBackends)(
  `revoking against polling, ${ROUNDS} times: no live grant under an ended consent: $name`,
  async (backend) => {
    const { storage, remove } = await backend.create();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { device, answer, person } = await anApprovedDevice(storage);
      const { partition, ownerId, grantId } = answer.approval;
      const poll = () => storage.deviceRequests.redeem(aDeviceRedemption(device, answer.approval));
      const end = () =>
        round % 4 < 2
          ? storage.consents.revoke({ partition, ownerId, clientId: device.clientId, revokedBy: "x", now: NOW + 2000 })
          : storage.people.setStatus({ ...person, status: "disabled", now: NOW + 2000 });
      await Promise.all(round % 2 === 0 ? [poll(), end()] : [end(), poll()]);
      const grant = await storage.grants.find({ partition, grantId, saltHash: null });
      expect(grant?.status ?? "none").not.toBe("active");
    }
    await remove();
  },
  60_000,
);

test.each(allBackends)(
  `two sessions enter a code at once, ${ROUNDS} times: one has it: $name`,
  async (backend) => {
    const { storage, remove } = await backend.create();
    for (let round = 0; round < ROUNDS; round += 1) {
      const device = aDevice();
      await storage.deviceRequests.create(device);
      const claims = ["a", "b"].map((sessionId) =>
        storage.deviceRequests.claim({ ...aClaim(device, { sessionId }), before: null }),
      );
      expect((await Promise.all(claims)).filter((claim) => claim !== undefined)).toHaveLength(1);
    }
    await remove();
  },
  60_000,
);

test.each(backends)("housekeeping: a request goes an hour after its end, live ones stay: $name", async (backend) => {
  const { storage, remove } = await backend.create();
  const [old, live] = [aDevice(), aDevice({ expiresAt: NOW + 3 * HOUR })];
  for (const device of [old, live]) await storage.deviceRequests.create(device);
  const late = old.expiresAt + HOUR;
  expect(await storage.housekeeping.collectGarbage({ now: late - 1, limit: 10 })).toBe(0);
  expect(await storage.deviceRequests.poll(aPoll(old, { now: late - 1 }))).toEqual({ kind: "expired" });
  expect(await storage.housekeeping.collectGarbage({ now: late, limit: 10 })).toBe(1);
  expect(await storage.deviceRequests.poll(aPoll(old, { now: late }))).toEqual({ kind: "unknown" });
  expect(await storage.deviceRequests.poll(aPoll(live, { now: late }))).toMatchObject({ kind: "pending" });
  await remove();
});
