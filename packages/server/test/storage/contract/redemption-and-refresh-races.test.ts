import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cyclesOf } from "../../../../../test/support/reliability-cycles-and-figures.ts";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { onAllBackends } from "../support/backends.ts";
import { aDeviceRedemption, anApprovedDevice } from "../support/device-builders.ts";
import type { Race } from "../support/race-process.ts";
import { type Racers, startRacers } from "../support/racing-processes.ts";
import {
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aRedemption,
  aRefresh,
  aStoredPerson,
  NOW,
  SECOND,
  statusOf,
} from "../support/record-builders.ts";
import { callOf } from "../support/verb-name.ts";

type Call = Race["calls"][number];

function tally(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function isLive(grant: Awaited<ReturnType<typeof statusOf>>): boolean {
  return grant?.status === "active";
}

onAllBackends("races", (storage, opened) => {
  let racers: Racers | undefined;
  beforeAll(async () => {
    racers = await startRacers(3);
  });
  afterAll(async () => {
    await racers?.close();
  });

  /** From one process, then from three processes with a third of the calls each. */
  const places: [string, (calls: readonly Call[]) => Promise<readonly string[]>][] = [
    [
      "one process",
      (calls) =>
        Promise.all(
          calls.map(async ({ verb, args }) => {
            const outcome = await callOf(storage(), verb)(args);
            return typeof outcome === "boolean" ? String(outcome) : (outcome?.kind ?? "none");
          }),
        ),
    ],
    [
      "three processes",
      (calls) => {
        const shares = [0, 1, 2].map((share) => calls.filter((_, at) => at % 3 === share));
        if (racers === undefined) throw new Error("no processes");
        return racers.race(shares, opened().url);
      },
    ],
  ];

  test.each(places)("20 redemptions of one code in %s → one succeeds, the next ends the grant", async (_, run) => {
    const { grant } = await anApprovedGrant(storage());
    const kinds = await run(Array.from({ length: 20 }, () => ({ verb: "grants.redeem", args: aRedemption(grant) })));
    expect(tally(kinds)).toEqual({ redeemed: 1, replayed: 1, unknown: 18 });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "replayed" });
  });

  test.each(places)("20 redemptions with wrong verifiers, one right, in %s → at most one succeeds", async (_, run) => {
    const { grant } = await anApprovedGrant(storage());
    const calls = Array.from({ length: 20 }, (__, at) => ({
      verb: "grants.redeem" as const,
      args: aRedemption(grant, at === 10 ? {} : { s256: "wrong" }),
    }));
    const counts = tally(await run(calls));
    expect((counts.redeemed ?? 0) + (counts.burned ?? 0)).toBe(1);
    expect((counts.replayed ?? 0) + (counts.needs_resource ?? 0)).toBe(0);
  });

  test.each(places)(
    "20 rotations of one token in %s → one rotates, three retry, the fifth is a theft",
    async (_, run) => {
      const { grant } = await aLiveGrant(storage());
      const kinds = await run(Array.from({ length: 20 }, () => ({ verb: "grants.refresh", args: aRefresh(grant) })));
      expect(tally(kinds)).toEqual({ rotated: 1, retried: 3, theft: 1, ended: 15 });
    },
  );

  const LONG = 120_000;
  const ROUNDS = cyclesOf(200, 20);

  test.each(places)(
    `50 assertions with one id in %s, ${ROUNDS} rounds → one is accepted each time`,
    async (_, run) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const kind = round % 2 === 0 ? "issuer jti" : "saml id";
        const args = { kind, key: randomBytes(32).toString("base64url"), until: NOW + SECOND, now: NOW };
        const answers = await run(Array.from({ length: 50 }, () => ({ verb: "replayCache.useOnce", args })));
        expect(tally(answers), `round ${round}`).toEqual({ true: 1, false: 49 });
      }
    },
    LONG,
  );

  // The test of devices covers the case of one process.
  test.each(places.slice(1))(
    `20 polls of an approved device in %s, ${ROUNDS} rounds → one gets the grant`,
    async (_, run) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { device, answer } = await anApprovedDevice(storage());
        const args = aDeviceRedemption(device, answer.approval);
        const kinds = await run(Array.from({ length: 20 }, () => ({ verb: "deviceRequests.redeem", args })));
        expect(tally(kinds), `round ${round}`).toEqual({ issued: 1, taken: 19 });
      }
    },
    LONG,
  );

  test.each(places)("20 decisions of one form in %s → one grant, one use", async (_, run) => {
    const { grant, person } = await anApprovedGrant(storage());
    const twin = aGrant(person);
    const calls = Array.from({ length: 20 }, (__, at) =>
      at % 2 === 0
        ? ({ verb: "grants.approve", args: anApproval(twin) } as const)
        : ({ verb: "grants.issue", args: { grant: twin, now: NOW } } as const),
    );
    expect(tally(await run(calls))).toEqual({ issued: 1, repeated: 19 });
    expect(await storage().consents.find({ ...grant })).toMatchObject({ uses: 2 });
  });

  test.each(places)(
    "20 first decisions about one app in %s → the record holds what each of them allowed",
    async (_, run) => {
      const person = await aStoredPerson(storage());
      const names = Array.from({ length: 20 }, (__, at) => `scope-${String(at).padStart(2, "0")}`);
      const made = names.map((name) => aGrant(person, { scopes: [name] }));
      const kinds = await run(made.map((each) => ({ verb: "grants.approve", args: anApproval(each) })));
      expect(tally(kinds)).toEqual({ issued: 20 });
      const [first] = made;
      const consent = first && (await storage().consents.find({ ...first }));
      expect(consent?.uses).toBe(20);
      expect(consent?.scopes.map(({ name }) => name).sort()).toEqual(names);
    },
  );

  test.each(places)(
    "an owner's 10 grants refreshed together while the consent is revoked in %s → none lives, and nobody waits for a deadlock",
    async (_, run) => {
      const { grant, person } = await aLiveGrant(storage());
      const others = Array.from({ length: 9 }, () => aGrant(person));
      for (const each of others) {
        await storage().grants.approve(anApproval(each));
        await storage().grants.redeem(aRedemption(each));
      }
      const all = [grant, ...others];
      const began = performance.now();
      for (let round = 1; round <= 5; round += 1) {
        const calls: Call[] = all.map((each) => ({
          verb: "grants.refresh",
          args: aRefresh(each, { generation: round }),
        }));
        if (round === 5) calls.splice(5, 0, revocation(grant));
        await run(calls);
      }
      expect((await Promise.all(all.map((each) => statusOf(storage(), each)))).filter(isLive)).toEqual([]);
      // PostgreSQL checks for a deadlock after one second, so a deadlock would take longer.
      expect(performance.now() - began).toBeLessThan(5000);
    },
  );

  test.each(places)("a consent revoked amid codes and refreshes in %s → no live grant is left", async (_, run) => {
    for (let round = 0; round < 5; round += 1) {
      const { grant, person } = await aLiveGrant(storage());
      const born = Array.from({ length: 20 }, () => aGrant(person));
      const calls: Call[] = born.map((each) => ({
        verb: "grants.issue",
        args: { grant: each, now: NOW },
      }));
      for (let at = 1; at <= 19; at += 1)
        calls.push({ verb: "grants.refresh", args: aRefresh(grant, { generation: at, rotate: at % 2 === 0 }) });
      calls.splice(7 + round * 5, 0, revocation(grant));
      await run(calls);
      const left = await Promise.all([grant, ...born].map((each) => statusOf(storage(), each)));
      expect(left.filter(isLive)).toEqual([]);
    }
  });

  test.each(places)(
    "a consent revoked amid approvals in %s → only what was approved after it lives",
    async (_, run) => {
      for (let round = 0; round < 5; round += 1) {
        const { grant, person } = await aLiveGrant(storage());
        const born = Array.from({ length: 20 }, () => aGrant(person));
        const calls: Call[] = born.map((each) => ({ verb: "grants.approve", args: anApproval(each) }));
        calls.splice(round * 5, 0, revocation(grant));
        await run(calls);
        await expectConsistent(storage(), [grant, ...born]);
      }
    },
  );

  test.each(places)("an owner disabled amid everything in %s → no live grant is left", async (_, run) => {
    for (let round = 0; round < 5; round += 1) {
      const { grant, person } = await aLiveGrant(storage());
      const born = Array.from({ length: 20 }, () => aGrant(person));
      const calls: Call[] = born.map((each, at) =>
        at % 2 === 0
          ? { verb: "grants.approve", args: anApproval(each) }
          : { verb: "grants.issue", args: { grant: each, now: NOW } },
      );
      const { partition, personId } = person;
      calls.splice(round * 5, 0, {
        verb: "people.setStatus",
        args: { partition, personId, status: "disabled", now: NOW },
      });
      await run(calls);
      const left = await Promise.all([grant, ...born].map((each) => statusOf(storage(), each)));
      expect(left.filter(isLive)).toEqual([]);
    }
  });
});

function revocation({ partition, ownerId, clientId }: NewGrant): Call {
  return { verb: "consents.revoke", args: { partition, ownerId, clientId, revokedBy: ownerId, now: NOW + SECOND } };
}

/** Active grants need an active consent that counts exactly them: the consent started again after the revocation. */
async function expectConsistent(storage: Storage, grants: readonly NewGrant[]): Promise<void> {
  const [first] = grants;
  if (first === undefined) return;
  const rows = await Promise.all(grants.map((each) => statusOf(storage, each)));
  const consent = await storage.consents.find({ ...first });
  const live = rows.filter(isLive).length;
  if (consent?.status === "active") expect(live).toBe(consent.uses);
  else expect(live).toBe(0);
  expect(rows[0]).toMatchObject({ status: "revoked" });
}
