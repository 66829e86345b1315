import { expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, aLiveCompanyGrant, aStaffedCompany } from "../support/company-builders.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anId,
  aRedemption,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

const MIDNIGHT = NOW - (NOW % DAY) + DAY;
const at = (minute: number) => MIDNIGHT + minute * MINUTE;

onEveryBackend("the history of an app that gets access again after its access ended", (storage) => {
  /** Kind and minute of each entry since midnight, the oldest first. */
  const told = async (partition: number, ownerId: string) => {
    const entries = await storage().history.list({ partition, ownerId, before: null, limit: 100 });
    return entries
      .filter((entry) => entry.at >= MIDNIGHT && entry.clientId !== "")
      .map((entry) => `${entry.kind} ${(entry.at - MIDNIGHT) / MINUTE}`)
      .toReversed();
  };
  const toldTo = ({ partition, personId }: Person) => told(partition, personId);
  const setStatus = (person: Person, status: "active" | "disabled", minute: number) =>
    storage().people.setStatus({ ...person, status, now: at(minute) });
  const restore = (minute: number) => storage().endAllBefore({ now: at(minute), keepConsents: true });

  test("without a page, after a restore that keeps consents → told once, for a person and for each member of a company", async () => {
    const { person } = await aLiveGrant(storage(), { scopes: ["read"] });
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    for (const one of [admin, member]) await aLiveCompanyGrant(storage(), company, one, { scopes: ["read"] });
    const visit = async (minute: number) => {
      const changes = { scopes: ["read"], codeUntil: at(minute + 1) };
      for (const grant of [
        aGrant(person, changes),
        aCompanyGrant(company, admin, changes),
        aCompanyGrant(company, member, changes),
      ])
        expect((await storage().grants.issue({ grant, now: at(minute) })).kind).toBe("issued");
    };
    await visit(1);
    await restore(2);
    await visit(3);
    await visit(4);
    expect(await toldTo(person)).toEqual(["reconnected 1", "ended 2", "reconnected 3"]);
    expect(await told(company.partition, company.companyId)).toEqual([
      ...["reconnected 1", "reconnected 1", "ended 2", "reconnected 3", "reconnected 3"],
    ]);
  });

  test("without a page, after the app gave up its access or an old key was used → told once", async () => {
    const { person } = await aLiveGrant(storage(), { scopes: ["read"] });
    const visit = async (minute: number) => {
      const grant = aGrant(person, { scopes: ["read"], codeUntil: at(minute + 1) });
      expect((await storage().grants.issue({ grant, now: at(minute) })).kind).toBe("issued");
      expect((await storage().grants.redeem(aRedemption(grant, { now: at(minute) }))).kind).toBe("redeemed");
      return grant;
    };
    const givenUp = await visit(1);
    const saltHash = aHash(`refresh ${givenUp.grantId}`);
    expect((await storage().grants.end({ ...givenUp, saltHash, now: at(2) })).kind).toBe("ended");
    const stolen = await visit(3);
    const again = aRedemption(stolen, { now: at(3) + MINUTE / 2, refreshSaltHash: aHash() });
    expect((await storage().grants.redeem(again)).kind).toBe("replayed");
    for (const minute of [4, 5]) await visit(minute);
    expect(await toldTo(person)).toEqual([
      ...["reconnected 1", "given_up 2", "reconnected 3", "alarm 3.5"],
      "reconnected 4",
    ]);
  });

  test("without a page, after the app gave up its access 30 times on one day → told each time, with new permissions, and no gap", async () => {
    const { person } = await aLiveGrant(storage(), { scopes: ["read", "write"] });
    for (let minute = 1; minute <= 30; minute += 1) {
      const grant = aGrant(person, { scopes: minute < 30 ? ["read"] : ["write"], codeUntil: at(minute + 1) });
      expect((await storage().grants.issue({ grant, now: at(minute) })).kind).toBe("issued");
      expect((await storage().grants.redeem(aRedemption(grant, { now: at(minute) }))).kind).toBe("redeemed");
      const saltHash = aHash(`refresh ${grant.grantId}`);
      expect((await storage().grants.end({ ...grant, saltHash, now: at(minute) + 1 })).kind).toBe("ended");
    }
    const { partition, personId: ownerId } = person;
    const entries = await storage().history.list({ partition, ownerId, before: null, limit: 100 });
    const told = entries.filter(({ kind }) => kind === "reconnected").toReversed();
    expect(told.map((entry) => (entry.at - MIDNIGHT) / MINUTE)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    expect(told.at(-1)?.record.scopes.map(({ name }) => name)).toEqual(["write"]);
  });

  /** A person whose app gets tokens without a page. `token` gets one more. */
  async function aProgram(via: "operator policy" | "password", clientId: string = anId()) {
    const person = await aStoredPerson(storage());
    const token = async (minute: number, scopes: readonly string[] = ["read"]) => {
      const refreshable = via === "password";
      const now = at(minute);
      const ends = { accessUntil: now + 10 * MINUTE, idleUntil: now + DAY };
      const direct = aDirectGrant(
        person,
        { via, ...ends, now, ...(refreshable ? {} : { refreshSaltHash: null }) },
        { clientId, scopes, refreshable },
      );
      const outcome = await storage().grants.issueWithoutCode(direct);
      expect(outcome.kind).toBe("issued");
      return direct;
    };
    return { person, token, clientId };
  }

  test.each(["operator policy", "password"] as const)(
    "by %s, after a person was disabled, or after a restore that keeps consents → told once each time, with the permissions",
    async (via) => {
      const { person, token } = await aProgram(via);
      await token(0);
      await token(1);
      await setStatus(person, "disabled", 2);
      await setStatus(person, "active", 3);
      for (const minute of [4, 5, 6]) await token(minute);
      await restore(7);
      for (const minute of [8, 9]) await token(minute);
      expect(await toldTo(person)).toEqual(["allowed 0", "ended 2", "reconnected 4", "ended 7", "reconnected 8"]);
      const [entry] = await storage().history.list({ ...person, ownerId: person.personId, before: null, limit: 1 });
      expect(entry?.record).toMatchObject({ clientName: "Photo Printer", scopes: [{ name: "read", expiresAt: null }] });
    },
  );

  test("by operator policy, for the first time weeks after access ended → told once", async () => {
    const { person, token } = await aProgram("operator policy");
    await token(0);
    await setStatus(person, "disabled", 1);
    await setStatus(person, "active", 2);
    await storage().housekeeping.collectGarbage({ now: at(2) + 10 * DAY, limit: 100 });
    const weeks = 20 * 24 * 60;
    await token(weeks);
    await token(weeks + 1);
    expect(await toldTo(person)).toEqual(["allowed 0", "ended 1", `reconnected ${weeks}`]);
  });

  test("by operator policy, after the client was disabled → told once; another app → not told", async () => {
    const client = aClient({ clientId: anId(), updatedAt: at(0) - 1 });
    await storage().clients.put({ client, expect: null });
    const { person, token } = await aProgram("operator policy", client.clientId);
    const put = (status: "active" | "disabled", minute: number) =>
      storage().clients.put({ client: { ...client, status, updatedAt: at(minute) }, expect: null });
    await token(0);
    await put("disabled", 1);
    await put("active", 2);
    const other = aDirectGrant(person, { via: "operator policy", now: at(2) }, { clientId: anId(), scopes: ["read"] });
    expect((await storage().grants.issueWithoutCode(other)).kind).toBe("issued");
    const next = aDirectGrant(
      person,
      { via: "operator policy", now: at(3) },
      { ...other.grant, grantId: anId(person.partition) },
    );
    expect((await storage().grants.issueWithoutCode(next)).kind).toBe("issued");
    for (const minute of [4, 5]) await token(minute);
    expect(await toldTo(person)).toEqual(["allowed 0", "ended 1", "allowed 2", "reconnected 4"]);
  });

  test("by operator policy, with one more permission after access ended → one entry, which names both", async () => {
    const { person, token } = await aProgram("operator policy");
    await token(0);
    await setStatus(person, "disabled", 1);
    await setStatus(person, "active", 2);
    await token(3, ["read", "write"]);
    await token(4, ["read"]);
    expect(await toldTo(person)).toEqual(["allowed 0", "ended 1", "allowed 3"]);
  });

  test("by a password with more than a page allowed, after access ended on the same day → told again, once", async () => {
    const { person, token, clientId } = await aProgram("password");
    const page = aGrant(person, { clientId, scopes: ["read"] });
    await storage().grants.approve(anApproval(page, { now: MIDNIGHT - HOUR }));
    await token(0, ["read", "write"]);
    await setStatus(person, "disabled", 1);
    await setStatus(person, "active", 2);
    for (const minute of [3, 4]) await token(minute, ["read", "write"]);
    expect(await toldTo(person)).toEqual(["allowed 0", "ended 1", "allowed 3"]);
  });

  test("by a password, after the app gave up its access → told once", async () => {
    const { person, token } = await aProgram("password");
    const { grant, refreshSaltHash: saltHash } = await token(0);
    expect((await storage().grants.end({ ...grant, saltHash, now: at(1) } as never)).kind).toBe("ended");
    for (const minute of [2, 3]) await token(minute);
    expect(await toldTo(person)).toEqual(["allowed 0", "given_up 1", "reconnected 2"]);
  });
});
