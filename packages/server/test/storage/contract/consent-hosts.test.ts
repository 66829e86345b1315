import { describe, expect, test } from "vitest";
import type { Consent, ConsentedScope } from "../../../src/oauth/model.ts";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Approve, Person } from "../../../src/owners/storage.ts";
import { backends, onEveryBackend } from "../support/backends.ts";
import { aCompanyGrant, anAnswerOfMember, anAppRule, aStaffedCompany, SHOWN } from "../support/company-builders.ts";
import { aDeviceRedemption, anApprovedDevice } from "../support/device-builders.ts";
import { byHand } from "../support/raw-statements.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  anApproval,
  aStoredPerson,
  DAY,
  expectIssued,
  MINUTE,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const OLD = "https://app.example/callback";
const NEW = "https://new.example/callback";

onEveryBackend("the redirect hosts of a consent", (storage) => {
  const allow = async (
    person: Person,
    changes: Partial<NewGrant> = {},
    approval: Partial<Omit<Approve, "grant">> = {},
  ) => expectIssued(await storage().grants.approve(anApproval(aGrant(person, changes), approval)));
  const issue = async (person: Person, changes: Partial<NewGrant> = {}) =>
    (await storage().grants.issue({ grant: aGrant(person, changes), now: NOW })).kind;
  const recordOf = async ({ partition, personId }: Person, clientId = "client-1") =>
    (await storage().consents.find({ partition, ownerId: personId, clientId })) as Consent;
  const hostsOf = async (person: Person) =>
    Object.fromEntries((await recordOf(person)).scopes.map(({ name, hosts }) => [name, hosts]));

  test("another host → no code, no row; the same host by another path, or no redirect at all → a code", async () => {
    const person = await aStoredPerson(storage());
    await allow(person);
    const elsewhere = aGrant(person, { redirectUri: NEW });
    const outcome = await storage().grants.issue({ grant: elsewhere, now: NOW });
    expect(outcome).toEqual({ kind: "no_consent" });
    expect(await statusOf(storage(), elsewhere)).toBeUndefined();
    expect(await issue(person, { redirectUri: "https://app.example/other" })).toBe("issued");
    expect(await issue(person, { redirectUri: "" })).toBe("issued");
  });

  test("allowed there, too → both; each once, whatever the order", async () => {
    const person = await aStoredPerson(storage());
    for (const redirectUri of [OLD, NEW, OLD]) await allow(person, { redirectUri });
    expect(await hostsOf(person)).toEqual({ read: ["https://app.example", "https://new.example"] });
    expect([await issue(person), await issue(person, { redirectUri: NEW })]).toEqual(["issued", "issued"]);
  });

  test("at once by twenty, each from another host → all of them are remembered", async () => {
    const person = await aStoredPerson(storage());
    const uris = Array.from({ length: 20 }, (_, at) => `https://app${at}.example/cb`);
    await Promise.all(uris.map((redirectUri) => allow(person, { redirectUri })));
    expect((await hostsOf(person))["read"]?.toSorted()).toEqual(uris.map((uri) => uri.replace("/cb", "")).toSorted());
  });

  test("more than 100 hosts → the latest 100", async () => {
    const person = await aStoredPerson(storage());
    for (let at = 0; at <= 100; at += 1) await allow(person, { redirectUri: `https://app${at}.example/cb` });
    const hosts = (await hostsOf(person))["read"] ?? [];
    expect([hosts.length, hosts[0], hosts[99]]).toEqual([100, "https://app1.example", "https://app100.example"]);
  });

  test("allowed there for one scope → that scope alone; a request for both → no code", async () => {
    const person = await aStoredPerson(storage());
    await allow(person, { scopes: ["read", "write"] });
    await allow(person, { scopes: ["write"], redirectUri: NEW });
    expect(await issue(person, { scopes: ["write"], redirectUri: NEW })).toBe("issued");
    expect(await issue(person, { scopes: ["read", "write"], redirectUri: NEW })).toBe("no_consent");
  });

  test("allowed there once → nothing stands there", async () => {
    const person = await aStoredPerson(storage());
    await allow(person);
    await allow(person, { redirectUri: NEW }, { duration: "once" });
    expect(await issue(person, { redirectUri: NEW })).toBe("no_consent");
    expect(await issue(person)).toBe("issued");
  });

  test("what had ended, allowed at another host → for that one alone", async () => {
    const person = await aStoredPerson(storage());
    await allow(person, {}, { duration: 60 });
    await allow(person, { redirectUri: NEW, codeUntil: NOW + 5 * MINUTE }, { now: NOW + 2 * MINUTE });
    expect(await hostsOf(person)).toEqual({ read: ["https://new.example"] });
  });

  test("revoked and allowed at another host → for that one alone", async () => {
    const person = await aStoredPerson(storage());
    await allow(person);
    const key = { partition: person.partition, ownerId: person.personId, clientId: "client-1" };
    await storage().consents.revoke({ ...key, revokedBy: person.personId, now: NOW });
    await allow(person, { redirectUri: NEW });
    expect(await hostsOf(person)).toEqual({ read: ["https://new.example"] });
  });

  test("another end, or less of it → for the same hosts", async () => {
    const person = await aStoredPerson(storage());
    await allow(person, { scopes: ["read", "write"] });
    const key = { partition: person.partition, ownerId: person.personId, clientId: "client-1", now: NOW };
    await storage().consents.changeEnd({ ceiling: null, ...key, end: NOW + DAY, by: person.personId });
    await storage().consents.narrow({ ...key, remove: ["write"], by: person.personId });
    expect(await hostsOf(person)).toEqual({ read: ["https://app.example"] });
  });

  test("given to a device, or by a password → for no host; a host allowed before stays", async () => {
    const { device, person, answer } = await anApprovedDevice(storage());
    expect((await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval))).kind).toBe("issued");
    expect(await hostsOf(person)).toEqual({ read: [] });
    expect(await issue(person)).toBe("no_consent");
    const other = await aStoredPerson(storage());
    await storage().grants.issueWithoutCode(aDirectGrant(other));
    expect(await hostsOf(other)).toEqual({ read: [] });
    const both = await aStoredPerson(storage());
    await allow(both);
    await storage().grants.issueWithoutCode(aDirectGrant(both, {}, { scopes: ["read", "write"] }));
    expect((await recordOf(both)).scopes).toMatchObject([{ name: "read", hosts: ["https://app.example"] }]);
  });

  test("the history: the host of each yes, and which of them was new", async () => {
    const person = await aStoredPerson(storage());
    await allow(person);
    await allow(person, { redirectUri: NEW }, { now: NOW + 1 });
    await allow(person, { redirectUri: NEW }, { now: NOW + 2 });
    const key = { partition: person.partition, ownerId: person.personId, before: null, limit: 10 };
    const told = (await storage().history.list(key)).map(({ record: { hosts, newHosts } }) => [hosts, newHosts]);
    expect(told).toEqual([
      [["https://new.example"], undefined],
      [["https://new.example"], ["https://new.example"]],
      [["https://app.example"], undefined],
    ]);
  });

  test("the history: until when earlier access goes on, if the yes is for a new host or once", async () => {
    const person = await aStoredPerson(storage());
    await allow(person, {}, { duration: 2 * 3600 });
    await allow(person, { redirectUri: NEW }, { duration: 60, now: NOW + 1 });
    await allow(person, { redirectUri: NEW }, { duration: "once", now: NOW + 2 * MINUTE });
    await allow(person, { scopes: ["write"] }, { now: NOW + 3 * MINUTE });
    const key = { partition: person.partition, ownerId: person.personId, before: null, limit: 10 };
    const told = (await storage().history.list(key)).map(({ record }) => record.earlierUntil);
    expect(told).toEqual([undefined, NOW + 120 * MINUTE, NOW + 120 * MINUTE, undefined]);
    const other = await aStoredPerson(storage());
    await allow(other, {}, { duration: "forever" });
    await allow(other, { redirectUri: NEW }, { duration: 60, now: NOW + 1 });
    const [entry] = await storage().history.list({ ...key, partition: other.partition, ownerId: other.personId });
    expect(entry?.record).toMatchObject({ scopes: [{ expiresAt: NOW + 1 + MINUTE }], earlierUntil: null });
  });
});

onEveryBackend("a company's approval for all members", (storage) => {
  const set = async (hosts: readonly string[] | null) => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const rule = anAppRule({ hosts });
    const key = { partition, companyId, clientId: "client-1" };
    await storage().companyApps.setRule({ ...key, rule, shown: SHOWN, by: admin.personId, now: NOW });
    const issue = async (person: Person, redirectUri: string) => {
      const grant = aCompanyGrant(company, person, { redirectUri });
      return (await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind;
    };
    return { ...{ company, admin, member, key }, issue };
  };

  test("→ holds for its hosts alone; an admin's own yes elsewhere opens nothing for members", async () => {
    const { company, admin, member, issue } = await set(["https://app.example"]);
    expect(await issue(member, OLD)).toBe("issued");
    expect(await issue(member, NEW)).toBe("no_consent");
    expectIssued(await storage().grants.approve(anApproval(aCompanyGrant(company, admin, { redirectUri: NEW }))));
    expect(await issue(admin, NEW)).toBe("issued");
    expect(await issue(member, NEW)).toBe("no_consent");
  });

  test("a member asks for another host → the admins are asked; for one that is approved → needless", async () => {
    const { member, key } = await set(["https://app.example"]);
    const wish = { ...key, personId: member.personId, scopes: ["read"], reason: "It moved", now: NOW };
    expect(await storage().companyApps.askApproval({ ...wish, redirectUri: OLD })).toEqual({ kind: "needless" });
    expect(await storage().companyApps.askApproval({ ...wish, redirectUri: NEW })).toEqual({ kind: "asked" });
  });

  test("a request keeps its address; asked from another → asked again; a rule without that address leaves it open", async () => {
    const { admin, member, key } = await set(["https://app.example"]);
    const scopes = ["read", "write"];
    const ask = (redirectUri?: string) =>
      storage().companyApps.askApproval({
        ...{ ...key, personId: member.personId, scopes, reason: "It moved", now: NOW },
        ...(redirectUri === undefined ? {} : { redirectUri }),
      });
    const open = async () => (await storage().companyApps.listRequests({ ...key, limit: 9 })).map(({ host }) => host);
    const rule = async (hosts: readonly string[]) =>
      storage().companyApps.setRule({
        ...{ ...key, rule: { ...anAppRule({ hosts }), scopes }, shown: SHOWN, by: admin.personId, now: NOW },
      });
    expect([await ask(), await open()]).toEqual([{ kind: "asked" }, [null]]);
    expect([await ask(OLD), await open()]).toEqual([{ kind: "asked" }, ["https://app.example"]]);
    expect([await ask(NEW), await open()]).toEqual([{ kind: "asked" }, ["https://new.example"]]);
    expect(await ask(NEW)).toEqual({ kind: "repeated" });
    await rule(["https://app.example"]);
    expect(await open()).toEqual(["https://new.example"]);
    await rule(["https://app.example", "https://new.example"]);
    expect(await open()).toEqual([]);
  });

  test("for no host → members' devices alone", async () => {
    const { member, issue, key } = await set([]);
    expect(await issue(member, OLD)).toBe("no_consent");
    expect(await issue(member, "")).toBe("issued");
    expect(await storage().companyApps.listRules(key)).toMatchObject([{ hosts: [] }]);
  });

  test("made before hosts were noted → for what the client had then: here nothing", async () => {
    const { member, issue } = await set(null);
    expect(await issue(member, OLD)).toBe("no_consent");
  });
});

/** Scopes as an older version of the program wrote them, without hosts. */
const withoutHosts = (scopes: readonly ConsentedScope[]) => scopes.map(({ hosts: _, ...scope }) => scope);

describe.each(backends)("on $name", (backend) => {
  test("consents from before hosts were noted → for what the client had then; allowed elsewhere, for both", async () => {
    const { storage, url, remove } = await backend.create();
    const client = aClient({ clientId: "client-1", redirectUris: [OLD, NEW], earlierRedirectUris: [OLD] });
    await storage.clients.put({ client, expect: 0 });
    const person = await aStoredPerson(storage);
    expectIssued(await storage.grants.approve(anApproval(aGrant(person))));
    const key = { partition: person.partition, ownerId: person.personId, clientId: "client-1" };
    const scopes = withoutHosts((await storage.consents.find(key))?.scopes ?? []);
    await byHand(url, ["UPDATE consents SET scopes = $1 WHERE owner_id = $2", JSON.stringify(scopes), person.personId]);
    const issue = async (redirectUri: string) =>
      (await storage.grants.issue({ grant: aGrant(person, { redirectUri }), now: NOW })).kind;
    expect([await issue(OLD), await issue(NEW)]).toEqual(["issued", "no_consent"]);
    expectIssued(await storage.grants.approve(anApproval(aGrant(person, { redirectUri: NEW }))));
    expect([await issue(OLD), await issue(NEW)]).toEqual(["issued", "issued"]);
    await remove();
  });

  test("the migration notes what each client has; a client that is there since has no consents from before", async () => {
    const { storage, url, remove } = await backend.create();
    const old = aClient({ redirectUris: [OLD, NEW] });
    const gone = aClient();
    for (const client of [old, gone]) await storage.clients.put({ client, expect: 0 });
    await storage.clients.delete({ clientId: gone.clientId, now: NOW });
    await byHand(
      url,
      ["ALTER TABLE company_rules DROP COLUMN hosts"],
      ["DELETE FROM migrations WHERE name = $1", "consent hosts"],
    );
    expect(await storage.migrate({ now: NOW })).toEqual(["consent hosts"]);
    expect((await storage.clients.get(old))?.record).toEqual({ ...old, earlierRedirectUris: [OLD, NEW] });
    expect(await storage.clients.get(gone)).toBeUndefined();
    await remove();
  });
});
