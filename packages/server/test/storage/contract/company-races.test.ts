import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Company } from "../../../src/owners/company-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { eraseMember, insertMember, MAX_COMPANIES, writeCompanyLink } from "../../../src/storage/companies/members.ts";
import { engineAt, onAllBackends } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  anInvitation,
  aStaffedCompany,
  aStoredCompany,
  join,
  SHOWN,
} from "../support/company-builders.ts";
import type { Race } from "../support/race-process.ts";
import { type Racers, startRacers } from "../support/racing-processes.ts";
import {
  aHash,
  anApproval,
  anId,
  aRefresh,
  aStoredPerson,
  expectIssued,
  HOUR,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

type Call = Race["calls"][number];
const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });

onAllBackends("races in a company", (storage, opened) => {
  let racers: Racers | undefined;
  beforeAll(async () => {
    racers = await startRacers(3);
  });
  afterAll(async () => {
    await racers?.close();
  });

  async function race(calls: readonly Call[]): Promise<readonly string[]> {
    const shares = [0, 1, 2].map((share) => calls.filter((_, at) => at % 3 === share));
    if (racers === undefined) throw new Error("no processes");
    return racers.race(shares, opened().url);
  }

  /** Every way to a grant in the company's name: with a consent page, without one, and by a refresh. */
  function grantsOf(company: Company, person: Person, live: NewGrant): { born: NewGrant[]; calls: Call[] } {
    const born = Array.from({ length: 20 }, () => aCompanyGrant(company, person));
    const calls: Call[] = born.map((grant, at) =>
      at % 2 === 0
        ? { verb: "grants.approve", args: anApproval(grant) }
        : { verb: "grants.issue", args: { grant, now: NOW } },
    );
    calls.push({ verb: "grants.refresh", args: aRefresh(live) });
    return { born, calls };
  }

  const ends: readonly (readonly [string, (company: Company, person: Person) => Call])[] = [
    [
      "a member removed",
      (company, person) => ({ verb: "members.remove", args: { ...keyOf(company), person, by: null, now: NOW } }),
    ],
    [
      "a person disabled",
      (_, person) => ({ verb: "people.setStatus", args: { ...person, status: "disabled", now: NOW } }),
    ],
    ["a person deleted", (_, person) => ({ verb: "people.delete", args: { ...person, now: NOW } })],
    [
      "the company disabled",
      (company) => ({ verb: "companies.setStatus", args: { ...keyOf(company), status: "disabled", now: NOW } }),
    ],
    ["the company deleted", (company) => ({ verb: "companies.delete", args: { ...keyOf(company), now: NOW } })],
    [
      "the app blocked",
      (company) => ({
        verb: "companyApps.setRule",
        args: {
          ...keyOf(company),
          clientId: "client-1",
          rule: anAppRule({ rule: "block" }),
          shown: SHOWN,
          by: null,
          now: NOW,
        },
      }),
    ],
  ];

  test.each(ends)("%s amid approvals, page-less codes and refreshes → no live grant is left", async (_, end) => {
    for (let round = 0; round < 3; round += 1) {
      const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      const live = await aLiveCompanyGrant(storage(), company, member);
      const { born, calls } = grantsOf(company, member, live);
      calls.splice(round * 7, 0, end(company, member));
      await race(calls);
      const left = await Promise.all([live, ...born].map((grant) => statusOf(storage(), grant)));
      expect(left.filter((grant) => grant?.status === "active")).toEqual([]);
    }
  });

  test("revoked for all amid page-less codes → none of the codes is live", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { company, member } = await aStaffedCompany(storage());
      const app = { ...keyOf(company), clientId: "client-1", by: null, now: NOW };
      await storage().companyApps.setRule({ ...app, rule: anAppRule(), shown: SHOWN });
      const first = aCompanyGrant(company, member);
      expectIssued(await storage().grants.issue({ grant: first, answer: anAnswerOfMember(), now: NOW }));
      const born = Array.from({ length: 20 }, () => aCompanyGrant(company, member));
      const calls: Call[] = born.map((grant) => ({ verb: "grants.issue", args: { grant, now: NOW } }));
      calls.splice(round * 7, 0, { verb: "companyApps.revokeForAll", args: app });
      await race(calls);
      const left = await Promise.all(born.map((grant) => statusOf(storage(), grant)));
      expect(left.filter((grant) => grant?.status === "active")).toEqual([]);
    }
  });

  test("stopped by the member amid page-less codes → none of the codes is live", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { company, member } = await aStaffedCompany(storage());
      const app = { ...keyOf(company), clientId: "client-1", by: null, now: NOW };
      await storage().companyApps.setRule({ ...app, rule: anAppRule(), shown: SHOWN });
      const first = aCompanyGrant(company, member);
      expectIssued(await storage().grants.issue({ grant: first, answer: anAnswerOfMember(), now: NOW }));
      const born = Array.from({ length: 20 }, () => aCompanyGrant(company, member));
      const calls: Call[] = born.map((grant) => ({ verb: "grants.issue", args: { grant, now: NOW } }));
      const out = { ...keyOf(company), clientId: "client-1", personId: member.personId, out: true, now: NOW };
      calls.splice(round * 7, 0, { verb: "companyApps.setOptOut", args: out });
      await race(calls);
      const left = await Promise.all([first, ...born].map((grant) => statusOf(storage(), grant)));
      expect(left.filter((grant) => grant?.status === "active")).toEqual([]);
    }
  });

  test.each(["an approval", "members decide"])(
    "answers of one member at once, with and without a permission: %s → if the last one left it out, no live grant has it",
    async (how) => {
      for (let round = 0; round < 4; round += 1) {
        const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
        const app = { ...keyOf(company), clientId: "client-1", by: null, now: NOW };
        const both = ["read", "write"];
        if (how === "an approval")
          await storage().companyApps.setRule({ ...app, rule: anAppRule({ scopes: both }), shown: SHOWN });
        const calls = Array.from({ length: 20 }, (_, at): Call => {
          const declined = (at + round) % 2 === 0 ? ["write"] : [];
          const scopes = both.filter((name) => !declined.includes(name));
          const grant = aCompanyGrant(company, member, { scopes });
          return how === "an approval"
            ? { verb: "grants.issue", args: { grant, answer: anAnswerOfMember(declined), now: NOW } }
            : { verb: "grants.approve", args: anApproval(grant, { declined }) };
        });
        expect(new Set(await race(calls))).toEqual(new Set(["issued"]));
        const { personId } = member;
        const key = { ...keyOf(company), personId };
        const acting = await storage().members.findActing({ ...key, clientId: "client-1" });
        const live = await storage().companyApps.grantsOfMember({ ...key, now: NOW });
        const having = live.filter(({ scopes }) => scopes.some(({ name }) => name === "write"));
        expect(live).toHaveLength(20);
        if (acting?.declined.includes("write")) expect(having).toEqual([]);
        else expect(having.length).toBeGreaterThan(0);
      }
    },
  );

  test("an approval that loses a permission amid answers within it → no member's grant and no consent has it", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { company, member } = await aStaffedCompany(storage());
      const app = { ...keyOf(company), clientId: "client-1", by: null, now: NOW };
      const key = { partition: company.partition, ownerId: company.companyId, clientId: "client-1" };
      const scopes = ["read", "write"];
      await storage().companyApps.setRule({ ...app, rule: anAppRule({ scopes }), shown: SHOWN });
      await storage().consents.narrow({ ...key, remove: ["write"], by: "somebody", now: NOW });
      const calls = Array.from({ length: 20 }, (): Call => {
        const grant = aCompanyGrant(company, member, { scopes });
        return { verb: "grants.issue", args: { grant, answer: anAnswerOfMember(), now: NOW } };
      });
      const less = { ...app, rule: anAppRule({ scopes: ["read"] }), shown: SHOWN };
      calls.splice(round * 7, 0, { verb: "companyApps.setRule", args: less });
      await race(calls);
      const live = await storage().companyApps.grantsOfMember({ ...app, personId: member.personId });
      const names = [await storage().consents.find(key), ...live].flatMap((one) => one?.scopes.map(({ name }) => name));
      expect(names).not.toContain("write");
    }
  });

  test("two admins remove, or demote, one another → one is left", async () => {
    for (const verb of ["members.remove", "members.setRole"] as const) {
      for (let round = 0; round < 5; round += 1) {
        const company = await aStoredCompany(storage());
        const pair = [await aStoredPerson(storage()), await aStoredPerson(storage())] as const;
        for (const person of pair) await join(storage(), company, person, "admin");
        const [a, b] = pair;
        const against = (person: Person, by: Person): Call => ({
          verb,
          args: { ...keyOf(company), person, personId: person.personId, role: "member", by: by.personId, now: NOW },
        });
        await race([against(a, b), against(b, a)]);
        const members = await storage().members.list({ ...keyOf(company), limit: 10, after: null });
        expect(members.filter(({ role }) => role === "admin")).toHaveLength(1);
      }
    }
  });

  test("added and removed at once, many times → a member on both sides, or on neither", async () => {
    const company = await aStoredCompany(storage());
    for (let round = 0; round < 5; round += 1) {
      const person = await aStoredPerson(storage());
      const calls: Call[] = Array.from({ length: 12 }, (_, at) =>
        at % 2 === 0
          ? {
              verb: "members.add",
              args: { ...keyOf(company), person, role: "admin", addedBy: "operator", link: anId(), now: NOW },
            }
          : { verb: "members.remove", args: { ...keyOf(company), person, by: null, now: NOW } },
      );
      await race(calls);
      const acting = await storage().members.findActing({
        ...keyOf(company),
        personId: person.personId,
        clientId: null,
      });
      const companies = await storage().members.companiesOf({ ...person, clientId: null, now: NOW });
      expect(companies).toHaveLength(acting === undefined ? 0 : 1);
      // Disabling the person must end the membership, too.
      await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
      expect((await storage().grants.approve(anApproval(aCompanyGrant(company, person)))).kind).toBe("no_consent");
    }
  });

  test("removed between another adder's link and membership → the membership is the person's, at once and for good", async () => {
    const company = await aStoredCompany(storage());
    const person = await aStoredPerson(storage());
    const engine = await engineAt(opened().url);
    const key = { ...keyOf(company), personId: person.personId };
    const member = { ...key, username: person.username, role: "admin", addedBy: "operator", version: 0 } as const;
    const later = { ...person, companyId: company.companyId, link: anId(), now: NOW };
    const sooner = { ...later, link: anId() };
    // Two processes add the person at once: the second writes its link last and its membership first, and the member is
    // removed in between.
    await engine.call(writeCompanyLink, later);
    await engine.call(writeCompanyLink, sooner);
    await engine.call(insertMember, { ...member, link: sooner.link, now: NOW });
    const removed = await storage().members.remove({ ...keyOf(company), person, by: null, now: NOW });
    expect(removed.kind).toBe("done");
    await engine.call(insertMember, { ...member, link: later.link, now: NOW });
    await engine.close();
    const companies = () => storage().members.companiesOf({ ...person, clientId: null, now: NOW });
    expect(await companies()).toHaveLength(1);
    await storage().housekeeping.collectGarbage({ now: NOW + HOUR + 1, limit: 100 });
    expect(await companies()).toHaveLength(1);
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect((await storage().grants.approve(anApproval(aCompanyGrant(company, person)))).kind).toBe("no_consent");
  });

  test("looked at between a removal's two halves, and added again meanwhile → the same", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const engine = await engineAt(opened().url);
    const adding = { ...member, companyId: company.companyId, link: anId(), now: NOW };
    const row = { ...keyOf(company), personId: member.personId, username: member.username, link: adding.link } as const;
    await engine.call(eraseMember, { ...row, by: null, now: NOW });
    const companies = () => storage().members.companiesOf({ ...member, clientId: null, now: NOW });
    expect(await companies()).toEqual([]);
    await engine.call(insertMember, { ...row, role: "admin", addedBy: "operator", version: 0, now: NOW });
    await engine.close();
    expect(await companies()).toHaveLength(1);
    await storage().housekeeping.collectGarbage({ now: NOW + HOUR + 1, limit: 100 });
    expect(await companies()).toHaveLength(1);
  });

  test("20 companies add one person at once who may belong to 10 more → 10 of them do", async () => {
    const person = await aStoredPerson(storage());
    const add = async () => {
      const company = keyOf(await aStoredCompany(storage()));
      const args = { ...company, person, role: "member" as const, addedBy: "operator", link: anId(), now: NOW };
      return { verb: "members.add", args } as const;
    };
    await Promise.all(
      Array.from({ length: MAX_COMPANIES - 10 }, async () => storage().members.add((await add()).args)),
    );
    const kinds = await race(await Promise.all(Array.from({ length: 20 }, add)));
    expect(kinds.filter((kind) => kind === "added")).toHaveLength(10);
    expect(kinds.filter((kind) => kind === "no_person")).toHaveLength(10);
    expect(await storage().members.companiesOf({ ...person, clientId: null, now: NOW })).toHaveLength(MAX_COMPANIES);
  });

  test("20 follow one invitation at once → one joins by it", async () => {
    const company = await aStoredCompany(storage());
    const person = await aStoredPerson(storage());
    const invitation = anInvitation(company, { addressee: person.email });
    const saltHash = aHash();
    await storage().invitations.create({ invitation, saltHash, by: null, now: NOW });
    const calls: Call[] = Array.from({ length: 20 }, () => ({
      verb: "invitations.accept",
      args: { ...invitation, saltHash, person, link: anId(), now: NOW },
    }));
    const kinds = await race(calls);
    expect(kinds.filter((kind) => kind === "joined")).toHaveLength(1);
    expect(await storage().members.companiesOf({ ...person, clientId: null, now: NOW })).toHaveLength(1);
  });
});
