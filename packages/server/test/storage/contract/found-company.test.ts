import { expect, test } from "vitest";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aCompany, aStoredCompany } from "../support/company-builders.ts";
import { anId, aStoredPerson, HOUR, NOW } from "../support/record-builders.ts";

onEveryBackend("a company that a person creates", (storage) => {
  const found = (person: Person, company = aCompany(), most = 5) =>
    storage().companies.found({ company, person, link: anId(), most, now: NOW });
  const companiesOf = ({ partition, personId }: Person) =>
    storage().members.companiesOf({ partition, personId, clientId: null, now: NOW });

  test("with a slug that is taken, or by a disabled person → refused, and nothing is left", async () => {
    const [person, disabled] = [await aStoredPerson(storage()), await aStoredPerson(storage(), { status: "disabled" })];
    const { slug } = await aStoredCompany(storage());
    expect(await found(person, aCompany({ slug }))).toEqual({ kind: "taken" });
    const company = aCompany();
    expect(await found(disabled, company)).toEqual({ kind: "no_person" });
    expect(await storage().companies.find({ slug: company.slug })).toBeUndefined();
    expect(await companiesOf(person)).toEqual([]);
    // The slug can be used again.
    expect(await found(person, aCompany({ slug: company.slug }))).toEqual({ kind: "founded" });
  });

  test("→ the person is its admin at once; the history says so", async () => {
    const person = await aStoredPerson(storage());
    const company = aCompany();
    expect(await found(person, company)).toEqual({ kind: "founded" });
    expect(await storage().companies.find({ slug: company.slug })).toEqual(company);
    const { personId } = person;
    expect(await companiesOf(person)).toMatchObject([
      { company: { companyId: company.companyId }, member: { role: "admin", addedBy: personId } },
    ]);
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 9 });
    expect(told).toMatchObject([{ kind: "member_joined", record: { by: personId, role: "admin" } }]);
  });

  test("twenty at once by one person who may have five → five; an operator's membership doesn't count", async () => {
    const person = await aStoredPerson(storage());
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => found(person)));
    expect(outcomes.filter(({ kind }) => kind === "founded")).toHaveLength(5);
    expect(outcomes.filter(({ kind }) => kind === "too_many")).toHaveLength(15);
    expect(await companiesOf(person)).toHaveLength(5);
  });

  test("twenty at once hold one name → one does; after its release another one; the name of a crashed process → in an hour", async () => {
    const keys = ["zebrabank", "k".repeat(5_000)];
    const hold = (now = NOW, some: readonly string[] = keys) => {
      const held = { keys: some, companyId: anId(), now };
      return storage()
        .companies.holdName(held)
        .then((got) => ({ held, got }));
    };
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => hold()));
    const [winner] = outcomes.filter(({ got }) => got);
    expect(outcomes.filter(({ got }) => got)).toHaveLength(1);
    // Failed attempts hold no name, and their release doesn't release the winner's names.
    for (const { held } of outcomes.filter(({ got }) => !got)) await storage().companies.releaseName(held);
    for (const key of keys) expect((await hold(NOW, [key])).got).toBe(false);
    expect((await hold(NOW, ["other", ...keys])).got).toBe(false);
    expect((await hold(NOW, ["other"])).got).toBe(true);
    if (winner !== undefined) await storage().companies.releaseName(winner.held);
    expect((await hold(NOW)).got).toBe(true);
    expect((await hold(NOW + HOUR)).got).toBe(false);
    expect((await hold(NOW + HOUR + 1)).got).toBe(true);
  });

  test("twenty people at once with one slug → one has it", async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => aStoredPerson(storage())));
    const { slug } = aCompany();
    const outcomes = await Promise.all(people.map((person) => found(person, aCompany({ slug }))));
    expect(outcomes.filter(({ kind }) => kind === "founded")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "taken")).toHaveLength(19);
  });
});
