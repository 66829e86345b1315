import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { HistoryEntry, Person, Refuse } from "../../../src/owners/storage.ts";
import { HISTORY_KEPT } from "../../../src/storage/consents/history.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, aLiveCompanyGrant, aStaffedCompany } from "../support/company-builders.ts";
import {
  aDirectGrant,
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  anId,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

const historyOf = (storage: Storage, { partition, personId }: Person, limit = 50) =>
  storage.history.list({ partition, ownerId: personId, before: null, limit });
const kinds = (entries: readonly HistoryEntry[]) => entries.map(({ kind }) => kind);

onEveryBackend("history", (storage) => {
  const key = ({ partition, personId }: Person) => ({ partition, ownerId: personId, clientId: "client-1" });

  test("an app gives its grants up while the owner is deleted, 10 rounds → no entry is left", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { company, admin } = await aStaffedCompany(storage());
      const lives = await Promise.all([
        ...Array.from({ length: 5 }, async () => (await aLiveGrant(storage())).grant),
        aLiveCompanyGrant(storage(), company, admin),
      ]);
      await Promise.all(
        lives.flatMap((grant) => {
          const { partition, grantId, ownerId, personId, clientId } = grant;
          const saltHash = aRefresh(grant).refreshSaltHash;
          const erased =
            ownerId === personId
              ? storage().people.delete({ partition, personId, now: NOW })
              : storage().companies.delete({ partition, companyId: ownerId, now: NOW });
          return [storage().grants.end({ partition, grantId, saltHash, clientId, now: NOW }), erased];
        }),
      );
      const left = lives.map(({ partition, ownerId }) =>
        storage().history.list({ partition, ownerId, before: null, limit: 9 }),
      );
      expect((await Promise.all(left)).flat()).toEqual([]);
    }
  });

  test("nothing happened → nothing; what changed nothing is not told", async () => {
    const person = await aStoredPerson(storage());
    expect(await historyOf(storage(), person)).toEqual([]);
    const at = { ...key(person), now: NOW };
    expect((await storage().consents.revoke({ ...at, revokedBy: person.personId })).kind).toBe("unknown");
    expect((await storage().consents.narrow({ ...at, remove: ["read"], by: person.personId })).kind).toBe("unknown");
    expect((await storage().consents.changeEnd({ ceiling: null, ...at, end: null, by: person.personId })).kind).toBe(
      "unknown",
    );
    expect((await storage().grants.issue({ grant: aGrant(person), now: NOW })).kind).toBe("no_consent");
    expect(await historyOf(storage(), person)).toEqual([]);
  });

  test("a yes → who, what with its ends, how, and what they had read; a double click is told once", async () => {
    const person = await aStoredPerson(storage());
    const grant = aGrant(person, { scopes: ["read", "write"] });
    const approval = anApproval(grant, { duration: 3600, durations: { write: "once" }, texts: { read: "See it" } });
    for (let press = 0; press < 3; press++) await storage().grants.approve(approval);
    expect(await historyOf(storage(), person)).toEqual([
      {
        ...{ partition: person.partition, entryId: grant.grantId, ownerId: person.personId, at: NOW },
        ...{ kind: "allowed", clientId: "client-1" },
        record: {
          ...{ clientName: "Photo Printer", by: person.personId, via: "browser", removed: [] },
          scopes: [
            { name: "read", expiresAt: NOW + HOUR },
            { name: "write", expiresAt: NOW + 11 * MINUTE },
          ],
          expiresAt: NOW + HOUR,
          hosts: ["https://app.example"],
          shown: { locale: "en", texts: { read: "See it" } },
        },
      },
    ]);
  });

  test("allowed, again without a page, less, another end, given up, revoked → newest first, each once", async () => {
    const { person, grant } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    const { personId: by } = person;
    const second = aGrant(person);
    for (let press = 0; press < 2; press++) await storage().grants.issue({ grant: second, now: NOW + MINUTE });
    const narrowed = await storage().consents.narrow({ ...key(person), remove: ["write"], by, now: NOW + 2 * MINUTE });
    const end = NOW + DAY;
    const changed = await storage().consents.changeEnd({
      ceiling: null,
      ...key(person),
      end,
      by,
      now: NOW + 3 * MINUTE,
    });
    const { refreshSaltHash: saltHash } = aRefresh(grant);
    for (let press = 0; press < 2; press++) await storage().grants.end({ ...grant, saltHash, now: NOW + 4 * MINUTE });
    const revoked = await storage().consents.revoke({ ...key(person), revokedBy: "operator", now: NOW + 5 * MINUTE });
    const entries = await historyOf(storage(), person);
    expect(kinds(entries)).toEqual(["revoked", "given_up", "end_changed", "narrowed", "reconnected", "allowed"]);
    const ids = [revoked, changed, narrowed].map((outcome) => ("entryId" in outcome ? outcome.entryId : null));
    expect([entries[0], entries[2], entries[3]].map((entry) => entry?.entryId)).toEqual(ids);
    expect(entries[0]?.record).toMatchObject({ by: "operator", scopes: [], removed: ["read"] });
    expect(entries[1]?.record).toMatchObject({ by: "client", grantId: grant.grantId });
    expect(entries[2]?.record).toMatchObject({ scopes: [{ name: "read", expiresAt: end }], expiresAt: end });
    expect(entries[3]?.record).toMatchObject({ removed: ["write"] });
  });

  test("again and again without a page → told once for each app and day, and what comes between is told each time", async () => {
    const { person } = await aLiveGrant(storage());
    const midnight = NOW - (NOW % DAY) + DAY;
    const again = (at: number) => storage().grants.issue({ grant: aGrant(person), now: at });
    for (const at of [midnight - 1, midnight, midnight + 1, midnight + HOUR, midnight + DAY - 1, midnight + DAY])
      expect((await again(at)).kind).toBe("issued");
    const by = person.personId;
    await storage().consents.narrow({ ...key(person), remove: ["write"], by, now: midnight + DAY + 1 });
    const entries = await historyOf(storage(), person);
    const told = entries.filter(({ kind }) => kind === "reconnected");
    expect(told.map(({ at }) => at)).toEqual([midnight + DAY, midnight, midnight - 1]);
    expect(told[0]?.record).toMatchObject({ clientName: "Photo Printer", by, removed: [] });
  });

  test("again with more permissions on the same day → told each time, with the permissions; with no others → not told", async () => {
    const { person } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    const midnight = NOW - (NOW % DAY) + DAY;
    const again = async (scopes: readonly string[], at: number) => {
      const outcome = await storage().grants.issue({ grant: aGrant(person, { scopes }), now: at });
      expect(outcome.kind).toBe("issued");
    };
    const visits = [["read"], ["read"], ["write"], ["read", "write"], ["read"]];
    for (const [minute, scopes] of visits.entries()) await again(scopes, midnight + minute * MINUTE);
    await again(["read", "write"], midnight + DAY);
    const told = (await historyOf(storage(), person)).filter(({ kind }) => kind === "reconnected").toReversed();
    expect(told.map(({ at, record }) => [at - midnight, record.scopes.map(({ name }) => name)])).toEqual([
      [0, ["read"]],
      [2 * MINUTE, ["write"]],
      [DAY, ["read", "write"]],
    ]);
    const [, second] = told;
    expect(second?.record.expiresAt).toBe(second?.record.scopes[0]?.expiresAt);
  });

  test("two members on one day → each of them is told", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    for (const person of [admin, member]) {
      await storage().grants.approve(anApproval(aCompanyGrant(company, person, { scopes: ["read"] })));
      await storage().grants.issue({ grant: aCompanyGrant(company, person, { scopes: ["read"] }), now: NOW });
    }
    const { partition, companyId: ownerId } = company;
    const entries = await storage().history.list({ partition, ownerId, before: null, limit: 50 });
    const told = entries.filter(({ kind }) => kind === "reconnected");
    expect(told.map(({ record }) => record.by).toSorted()).toEqual(
      [admin, member].map(({ personId }) => personId).toSorted(),
    );
  });

  test("access ended between two visits of a day, of one member or of all → the next visit is told, and later ones are not", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const { partition, companyId } = company;
    for (const person of [admin, member]) await aLiveCompanyGrant(storage(), company, person, { scopes: ["read"] });
    const midnight = NOW - (NOW % DAY) + DAY;
    const visit = async (person: Person, minute: number) => {
      const now = midnight + minute * MINUTE;
      const outcome = await storage().grants.issue({
        grant: aCompanyGrant(company, person, { scopes: ["read"], codeUntil: now + MINUTE }),
        now,
      });
      expect(outcome.kind).toBe("issued");
    };
    const bothVisit = async (minute: number) => {
      for (const person of [admin, member]) await visit(person, minute);
    };
    await bothVisit(1);
    for (const [status, minute] of [["disabled", 2] as const, ["active", 3] as const]) {
      await storage().people.setStatus({ ...member, status, now: midnight + minute * MINUTE });
      await storage().membershipOutbox.deliver({ now: midnight + minute * MINUTE, limit: 10 });
    }
    await bothVisit(4);
    await bothVisit(5);
    await storage().companies.setStatus({ partition, companyId, status: "disabled", now: midnight + 6 * MINUTE });
    await storage().companies.setStatus({ partition, companyId, status: "active", now: midnight + 7 * MINUTE });
    await bothVisit(8);
    await bothVisit(9);
    const entries = await storage().history.list({ partition, ownerId: companyId, before: null, limit: 50 });
    const told = entries.filter(({ kind }) => kind === "reconnected").toReversed();
    const minutesOf = ({ personId }: Person) =>
      told.filter(({ record }) => record.by === personId).map(({ at }) => (at - midnight) / MINUTE);
    expect([minutesOf(member), minutesOf(admin)]).toEqual([
      [1, 4, 8],
      [1, 8],
    ]);
  });

  describe('"Don\'t allow"', () => {
    const aRefusal = (person: Person, changes: Partial<Refuse> = {}): Refuse => ({
      ...{ ...key(person), personId: person.personId, clientName: "Photo Printer", via: "browser", scopes: ["read"] },
      ceiling: null,
      shown: { locale: "en", texts: { read: "See your photos" } },
      trustedFrom: person.passwordChangedAt ?? 0,
      now: NOW,
      ...changes,
    });

    test("somebody disabled, with a new password since, deleted, or no member of the company → nothing is written", async () => {
      const [disabled, renewed, deleted, stranger] = [
        await aStoredPerson(storage()),
        await aStoredPerson(storage()),
        await aStoredPerson(storage()),
        await aStoredPerson(storage()),
      ];
      const { company } = await aStaffedCompany(storage());
      await storage().people.setStatus({ ...disabled, status: "disabled", now: NOW });
      await storage().people.delete({ ...deleted, now: NOW });
      const forCompany = { partition: company.partition, ownerId: company.companyId };
      for (const refusal of [
        aRefusal(disabled),
        aRefusal(renewed, { trustedFrom: NOW - 1 }),
        aRefusal(deleted),
        aRefusal(stranger, forCompany),
      ]) {
        expect(await storage().grants.refuse(refusal)).toEqual({ kind: "unknown" });
        const { partition, ownerId } = refusal;
        const entries = await storage().history.list({ partition, ownerId, before: null, limit: 9 });
        expect(entries.filter(({ kind }) => kind === "refused")).toEqual([]);
      }
    });

    test("→ told with what was asked and read, and nothing else changes; a hundred different ones on one day → ten; equal ones → once", async () => {
      const { person, grant } = await aLiveGrant(storage());
      const consent = await storage().consents.find(key(person));
      const midnight = NOW - (NOW % DAY) + DAY;
      const refuse = (at: number) =>
        storage().grants.refuse(aRefusal(person, { now: midnight + at, scopes: ["read", `more-${at}`] }));
      // Ten at once: a hundred wait for a connection longer than the storage lets them.
      for (let from = 0; from < 100; from += 10)
        await Promise.all(Array.from({ length: 10 }, (_, at) => refuse(from + at)));
      await storage().grants.refuse(aRefusal(person, { now: midnight + DAY, via: "device" }));
      await storage().grants.refuse(aRefusal(person, { now: midnight + DAY, clientId: "client-2" }));
      const told = (await historyOf(storage(), person)).filter(({ kind }) => kind === "refused");
      expect(told.filter(({ clientId }) => clientId === "client-2")).toHaveLength(1);
      const first = told.filter(({ at }) => at < midnight + DAY);
      expect(new Set(first.map(({ record }) => record.asked?.join()))).toHaveProperty("size", 10);
      for (let again = 0; again < 3; again++)
        await storage().grants.refuse(aRefusal(person, { now: midnight + 2 * DAY + again }));
      const later = (await historyOf(storage(), person)).filter(({ at }) => at >= midnight + 2 * DAY);
      expect(later.map(({ at }) => at)).toEqual([midnight + 2 * DAY]);
      expect(told.find(({ record }) => record.via === "device")).toMatchObject({
        at: midnight + DAY,
        record: {
          ...{ clientName: "Photo Printer", by: person.personId, removed: [] },
          // What the owner had allowed, and the refusal left as it was.
          ...{ scopes: consent?.scopes.map(({ name, expiresAt }) => ({ name, expiresAt })) },
          ...{ asked: ["read"], shown: { locale: "en", texts: { read: "See your photos" } } },
        },
      });
      expect((await storage().grants.find({ ...grant, saltHash: null }))?.status).toBe("active");
    });

    test("scopes for this once → told with their end, while they hold; an app that is paused → told as paused, each time", async () => {
      const { person } = await anApprovedGrant(storage(), {}, { duration: "once" });
      const refuse = async (at: number) => {
        expect(await storage().grants.refuse(aRefusal(person, { now: at }))).toEqual({ kind: "noted" });
        const [newest] = await historyOf(storage(), person);
        return newest?.record;
      };
      const held = await refuse(NOW + 1000);
      expect(held?.scopes.map(({ name }) => name)).toContain("read");
      expect(held?.scopes.every(({ expiresAt }) => expiresAt !== null && expiresAt < NOW + DAY)).toBe(true);
      expect((await refuse(NOW + 2 * DAY))?.scopes).toEqual([]);
      const lasting = await aLiveGrant(storage());
      const pause = (paused: boolean, at: number) =>
        storage().consents.setPaused({ ...key(lasting.person), paused, by: lasting.person.personId, now: at });
      await pause(true, NOW + 1000);
      await storage().grants.refuse(aRefusal(lasting.person, { now: NOW + 2000 }));
      await pause(false, NOW + 3000);
      await storage().grants.refuse(aRefusal(lasting.person, { now: NOW + 4000 }));
      const told = (await historyOf(storage(), lasting.person)).filter(({ kind }) => kind === "refused");
      expect(told.map(({ record }) => record.paused)).toEqual([undefined, true]);
      expect(told[0]?.record.scopes).toEqual(told[1]?.record.scopes);
    });

    test("two members for their company → in its history, once for each of them; nothing in their own", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      const forCompany = { partition: company.partition, ownerId: company.companyId, trustedFrom: 0 };
      const trusted = (person: Person) => ({ ...forCompany, trustedFrom: person.passwordChangedAt ?? 0 });
      for (const person of [admin, member, member])
        expect(await storage().grants.refuse(aRefusal(person, trusted(person)))).toEqual({ kind: "noted" });
      const entries = await storage().history.list({ ...forCompany, before: null, limit: 50 });
      const told = entries.filter(({ kind }) => kind === "refused").map(({ record }) => record.by);
      expect(told.sort()).toEqual([admin.personId, member.personId].sort());
      expect(await historyOf(storage(), member)).toEqual([]);
    });
  });

  test("an end that is past, or of nothing that stands → unknown; forever and shorter move every live grant", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const at = { ...key(person), by: "x", now: NOW + MINUTE };
    expect((await storage().consents.changeEnd({ ceiling: null, ...at, end: NOW + MINUTE })).kind).toBe("unknown");
    expect((await storage().consents.changeEnd({ ceiling: null, ...at, end: NOW + HOUR })).kind).toBe("changed");
    expect(await storage().grants.find({ ...grant, saltHash: null })).toMatchObject({ absoluteUntil: NOW + HOUR });
    expect((await storage().consents.changeEnd({ ceiling: null, ...at, end: null })).kind).toBe("changed");
    expect((await storage().grants.find({ ...grant, saltHash: null }))?.absoluteUntil).toBeGreaterThan(NOW + 9 * DAY);
    const once = await anApprovedGrant(storage(), {}, { duration: "once" });
    expect((await storage().consents.changeEnd({ ceiling: null, ...at, ...key(once.person), end: null })).kind).toBe(
      "unknown",
    );
  });

  test("a password twice, an assertion with more → told when it changes what the app may do", async () => {
    const person = await aStoredPerson(storage());
    for (const scopes of [["read"], ["read"], ["read", "write"]]) {
      const direct = aDirectGrant(person);
      await storage().grants.issueWithoutCode({ ...direct, grant: { ...direct.grant, scopes } });
    }
    expect(kinds(await historyOf(storage(), person))).toEqual(["allowed", "allowed"]);
  });

  test("a spent code comes back → an alarm, told of until its row is collected and for good after that", async () => {
    const { person, grant } = await aLiveGrant(storage());
    const again = aRedemption(grant, { now: NOW + HOUR, refreshSaltHash: aHash() });
    expect((await storage().grants.redeem(again)).kind).toBe("replayed");
    const before = await historyOf(storage(), person);
    expect(kinds(before)).toEqual(["alarm", "allowed"]);
    const [alarm] = before;
    expect(alarm).toMatchObject({ at: NOW + HOUR, record: { by: "server", scopes: [{ name: "read" }] } });
    expect(await storage().history.get({ ownerId: person.personId, entryId: alarm?.entryId ?? "" })).toEqual(alarm);
    await storage().housekeeping.collectGarbage({ now: NOW + 40 * DAY, limit: 100_000 });
    expect(await storage().grants.find({ ...grant, saltHash: null })).toBeUndefined();
    expect(await historyOf(storage(), person)).toEqual(before);
  });

  test("pages of it → every entry once, in order, also where many came in one millisecond", async () => {
    const person = await aStoredPerson(storage());
    for (let at = 0; at < 9; at++)
      await storage().grants.approve(anApproval(aGrant(person), { now: NOW + Math.floor(at / 4) }));
    const all = await historyOf(storage(), person);
    const paged: HistoryEntry[] = [];
    for (let last: HistoryEntry | undefined; ; last = paged.at(-1)) {
      const { partition, personId: ownerId } = person;
      const page = await storage().history.list({ partition, ownerId, before: last ?? null, limit: 2 });
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
    expect(new Set(paged.map(({ entryId }) => entryId)).size).toBe(9);
  });

  test("another owner's entry, an unknown one, no id at all → nothing", async () => {
    const { person, grant } = await anApprovedGrant(storage());
    const other = await aStoredPerson(storage(), { personId: anId(person.partition) });
    expect((await storage().history.get({ ownerId: person.personId, entryId: grant.grantId }))?.kind).toBe("allowed");
    for (const [ownerId, entryId] of [
      [other.personId, grant.grantId],
      [person.personId, anId(person.partition)],
      ["", grant.grantId],
      [person.personId, "' OR 1=1 --"],
    ] as const)
      expect(await storage().history.get({ ownerId, entryId })).toBeUndefined();
    expect(await historyOf(storage(), other)).toEqual([]);
  });

  test("twenty presses of revoke at once → one entry", async () => {
    const { person } = await aLiveGrant(storage());
    const presses = Array.from({ length: 20 }, (_, at) =>
      storage().consents.revoke({ ...key(person), revokedBy: person.personId, now: NOW + 1 + at }),
    );
    const outcomes = (await Promise.all(presses)).map(({ kind }) => kind);
    expect(outcomes.filter((kind) => kind === "revoked")).toHaveLength(1);
    expect(kinds(await historyOf(storage(), person))).toEqual(["revoked", "allowed"]);
  });

  test("older than five years, or its owner deleted → gone", async () => {
    const { person } = await anApprovedGrant(storage());
    const old = await anApprovedGrant(storage(), {}, { now: NOW - HISTORY_KEPT });
    await storage().housekeeping.collectGarbage({ now: NOW + 1, limit: 100_000 });
    expect([kinds(await historyOf(storage(), person)), await historyOf(storage(), old.person)]).toEqual([
      ["allowed"],
      [],
    ]);
    await storage().people.delete({ ...person, now: NOW });
    expect(await historyOf(storage(), person)).toEqual([]);
  });

  test("a receipt's key → kept once, listed for good", async () => {
    const key = { kid: anId(), publicJwk: '{"kty":"EC"}', now: NOW };
    expect([await storage().history.keepReceiptKey(key), await storage().history.keepReceiptKey(key)]).toEqual([
      true,
      false,
    ]);
    expect(await storage().history.listReceiptKeys()).toContain('{"kty":"EC"}');
  });
});

describe("append-only", () => {
  test("no statement changes an entry; only age and a deleted owner remove one", () => {
    const folder = new URL("../../../src/storage/", import.meta.url);
    const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("migrations"))
      .map((file) => [file, readFileSync(new URL(file, folder), "utf8")] as const);
    const touching = source.flatMap(([file, text]) =>
      [...text.matchAll(/\b(UPDATE|DELETE FROM|INSERT INTO|REPLACE INTO) history\b/g)].map(
        ([, verb]) => `${file}: ${verb}`,
      ),
    );
    expect(touching.sort()).toEqual([
      "consents/history.ts: DELETE FROM",
      "consents/history.ts: INSERT INTO",
      "consents/history.ts: INSERT INTO",
      "operator/housekeeping.ts: DELETE FROM",
    ]);
  });
});
