import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Company } from "../../src/owners/company-storage.ts";
import type { Person } from "../../src/owners/storage.ts";
import { confirmCompanyLink, insertMember, writeCompanyLink } from "../../src/storage/companies/members.ts";
import { applyOutboxEntry } from "../../src/storage/companies/membership-outbox.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { writePersonStatus } from "../../src/storage/people/person-status.ts";
import { openSqlite, type SqliteEngine } from "../../src/storage/sqlite/engine.ts";
import { aCompanyGrant, aLiveCompanyGrant, aStaffedCompany, aStoredCompany, join } from "./support/company-builders.ts";
import { anApproval, anId, aStoredPerson, HOUR, NOW, statusOf } from "./support/record-builders.ts";

/** Simulates a process that stops between two steps of a verb: the test runs only the first steps. */
let directory: string;
let storage: Storage;
let engine: SqliteEngine;

beforeAll(async () => {
  directory = await mkdtemp(path(tmpdir(), "assent-standings-"));
  const file = path(directory, "assent.db");
  storage = await openStorage({ url: `sqlite:${file}`, writer: "main" });
  await storage.migrate({ now: NOW });
  engine = await openSqlite({ path: file, writer: "main", readonly: false });
});
afterAll(async () => {
  await engine.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });
const half = (person: Person, status: "active" | "disabled") =>
  engine.call(writePersonStatus, { ...person, status, now: NOW });
const tell = () => storage.membershipOutbox.deliver({ now: NOW, limit: 100 });

test("disabled, and the process died before it told the companies → known as such; told later, once", async () => {
  const { company, admin } = await aStaffedCompany(storage);
  const elsewhere = await aStoredCompany(storage);
  await join(storage, elsewhere, admin, "admin");
  const grants = [await aLiveCompanyGrant(storage, company, admin), await aLiveCompanyGrant(storage, elsewhere, admin)];
  await half(admin, "disabled");
  expect(await statusOf(storage, grants[0] ?? aCompanyGrant(company, admin))).toMatchObject({ status: "active" });
  expect(await storage.membershipOutbox.undelivered({ limit: 10 })).toContain(admin.personId);
  expect(await storage.membershipOutbox.undelivered({ limit: 1 })).toBeNull();
  expect(await tell()).toBe(2);
  for (const grant of grants) expect(await statusOf(storage, grant)).toMatchObject({ status: "owner_ended" });
  expect(await tell()).toBe(0);
  expect(await storage.membershipOutbox.undelivered({ limit: 10 })).toEqual([]);
});

test("disabled and back before anybody was told → the grants end all the same, and the membership holds", async () => {
  const { company, admin } = await aStaffedCompany(storage);
  const grant = await aLiveCompanyGrant(storage, company, admin);
  await half(admin, "disabled");
  await half(admin, "active");
  expect(await storage.membershipOutbox.undelivered({ limit: 10 })).toEqual([]);
  expect(await tell()).toBe(1);
  expect(await statusOf(storage, grant)).toMatchObject({ status: "owner_ended" });
  expect((await storage.grants.approve(anApproval(aCompanyGrant(company, admin)))).kind).toBe("issued");
});

test("old news told after newer → changes nothing; the same news twice → heard once", async () => {
  const { company, admin } = await aStaffedCompany(storage);
  await storage.people.setStatus({ ...admin, status: "disabled", now: NOW });
  await storage.people.setStatus({ ...admin, status: "active", now: NOW });
  const grant = await aLiveCompanyGrant(storage, company, admin);
  const news = { ...keyOf(company), personId: admin.personId, standing: "disabled", cutAt: NOW, now: NOW };
  expect(await engine.call(applyOutboxEntry, { ...news, version: 1 })).toBe(false);
  expect(await statusOf(storage, grant)).toMatchObject({ status: "active" });
  expect(await engine.call(applyOutboxEntry, { ...news, version: 3 })).toBe(true);
  expect(await engine.call(applyOutboxEntry, { ...news, version: 3 })).toBe(false);
  expect(await statusOf(storage, grant)).toMatchObject({ status: "owner_ended" });
});

test("a member half added: the link alone → leads nowhere, and is collected an hour later", async () => {
  const company = await aStoredCompany(storage);
  const person = await aStoredPerson(storage);
  await engine.call(writeCompanyLink, { ...person, companyId: company.companyId, link: anId(), now: NOW });
  expect(await storage.members.companiesOf({ ...person, clientId: null, now: NOW })).toEqual([]);
  await storage.housekeeping.collectGarbage({ now: NOW + HOUR + 1, limit: 100 });
  await half(person, "disabled");
  expect(await tell()).toBe(0);
});

test("a member half added: link and membership → a member, confirmed an hour later", async () => {
  const { company, person } = await aHalfMember();
  expect(await storage.members.companiesOf({ ...person, clientId: null, now: NOW })).toHaveLength(1);
  await storage.housekeeping.collectGarbage({ now: NOW + HOUR + 1, limit: 100 });
  expect(await storage.members.companiesOf({ ...person, clientId: null, now: NOW })).toHaveLength(1);
  expect((await storage.grants.approve(anApproval(aCompanyGrant(company, person)))).kind).toBe("issued");
});

test("disabled and told between the two halves → the confirmation sees to it that the company is told again", async () => {
  const company = await aStoredCompany(storage);
  const person = await aStoredPerson(storage);
  const link = { ...person, companyId: company.companyId, link: anId(), now: NOW };
  const version = (await engine.call(writeCompanyLink, link)) ?? -1;
  await storage.people.setStatus({ ...person, status: "disabled", now: NOW });
  expect(await tell()).toBe(0);
  const member = {
    ...keyOf(company),
    ...person,
    partition: company.partition,
    role: "admin",
    link: link.link,
  } as const;
  await engine.call(insertMember, { ...member, addedBy: "operator", version, now: NOW });
  await engine.call(confirmCompanyLink, { ...link, version });
  expect(await storage.membershipOutbox.undelivered({ limit: 10 })).toEqual([person.personId]);
  expect(await tell()).toBe(1);
  expect(await storage.grants.approve(anApproval(aCompanyGrant(company, person)))).toEqual({ kind: "no_consent" });
});

async function aHalfMember() {
  const company = await aStoredCompany(storage);
  const person = await aStoredPerson(storage);
  const link = { ...person, companyId: company.companyId, link: anId(), now: NOW };
  const version = (await engine.call(writeCompanyLink, link)) ?? -1;
  const member = { ...keyOf(company), personId: person.personId, username: person.username, role: "admin" } as const;
  await engine.call(insertMember, { ...member, link: link.link, addedBy: "operator", version, now: NOW });
  return { company, person };
}
