import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqlite } from "../../src/storage/dialect.ts";
import { openStorage } from "../../src/storage/open.ts";
import { partitionOf } from "../../src/storage/partition.ts";
import type { Params, Row, Sql, Tx } from "../../src/storage/sql.ts";
import { Connection } from "../../src/storage/sqlite/connection.ts";
import { verbs } from "../../src/storage/verbs/index.ts";
import {
  aClient,
  aDirectGrant,
  aGrant,
  aHash,
  aKey,
  anApproval,
  anId,
  aPerson,
  aRefresh,
  aResource,
  aScope,
  aSession,
  aTrustedIssuer,
  NOW,
} from "./support/builders.ts";
import { aCompany, anAppRule, anInvitation } from "./support/companies.ts";
import { aDevice, aDeviceRedemption, anAnswer } from "./support/device.ts";

let directory: string;
let path: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-plans-"));
  path = join(directory, "assent.db");
  const storage = await openStorage({ url: `sqlite:${path}`, writer: "main" });
  await storage.migrate({ now: NOW });
  await storage.createPerson({ person, now: NOW });
  await storage.createCompany({ company, now: NOW });
  await storage.close();
});
afterAll(() => rm(directory, { recursive: true }));

const personId = anId();
const person = aPerson({ personId, partition: partitionOf(personId) });
const grant = aGrant(person, { scopes: ["read", "write"] });
const consent = { partition: person.partition, ownerId: personId, clientId: grant.clientId, now: NOW };
const sweep = { now: NOW + 9_000_000_000, limit: 10 };
const deviceRequest = aDevice({ clientId: grant.clientId });
const deviceAnswer = anAnswer(deviceRequest, person);
const aLink = {
  ...{ partition: person.partition, personId, link: "l", now: NOW, madeBy: "operator" },
  subject: { issuerId: "i", claim: null, subject: "s" },
};
const client = aClient({ clientId: grant.clientId });

const company = aCompany();
const membership = {
  ...{ partition: company.partition, companyId: company.companyId, personId, username: person.username },
  ...{ role: "member", addedBy: "operator", link: "link", version: 0 },
};
const inCompany = { partition: company.partition, ownerId: company.companyId, grantId: anId(company.partition) };
const companyApp = { partition: company.partition, companyId: company.companyId, clientId: grant.clientId };
const invitation = anInvitation(company, { addressee: person.username });
const saltHash = aHash();

/** What each transaction is called with, in an order in which each does something. */
const calls: readonly (readonly [string, unknown])[] = [
  ["approve", anApproval(grant)],
  ["approve", anApproval(grant)],
  ["approve", anApproval(aGrant(person), { declined: ["write"] })],
  ["issueGrant", { grant: aGrant(person), address: null, now: NOW }],
  ["narrowConsent", { ...consent, remove: ["read"], by: "x" }],
  ["approve", anApproval(aGrant(person))],
  ["changeEnd", { ...consent, end: NOW + 1000, by: "x" }],
  ["endGrant", { ...aRefresh(grant), saltHash: aRefresh(grant).refreshSaltHash }],
  ["issueDirect", aDirectGrant(person)],
  ["revokeConsent", { ...consent, revokedBy: "x" }],
  ["writeLink", { ...membership, partition: person.partition, now: NOW }],
  ["insertMember", { ...membership, now: NOW }],
  ["confirmLink", { ...membership, partition: person.partition, version: 0, now: NOW }],
  [
    "setRule",
    { ...companyApp, rule: anAppRule(), shown: { locale: "en", clientName: "A", logo: null }, by: null, now: NOW },
  ],
  ["issueGrant", { grant: aGrant(person, inCompany), address: null, now: NOW }],
  ["setOptOut", { ...companyApp, personId, out: true, now: NOW }],
  ["revokeForAll", { ...companyApp, by: null, now: NOW }],
  ["askApproval", { ...companyApp, personId, scopes: ["read"], reason: "", now: NOW }],
  ["refuseRequest", { ...companyApp, personId, by: null, now: NOW }],
  ["setMemberRole", { ...membership, role: "admin", by: personId, now: NOW }],
  ["createInvitation", { invitation, saltHash, by: null, now: NOW }],
  ["joinCompany", { ...invitation, saltHash, person, link: "another", version: 0, now: NOW }],
  ["withdrawInvitation", { ...invitation, by: null, now: NOW }],
  ["writeCompany", { ...company, changes: {}, slugBefore: company.slug, by: null, now: NOW }],
  ["applyStanding", { ...membership, version: 1, standing: "gone", cutAt: NOW, now: NOW }],
  ["eraseMember", { ...membership, by: null, now: NOW }],
  ["setCompanyStatus", { ...company, status: "disabled", now: NOW }],
  ["eraseCompany", { ...company, now: NOW }],
  ["putIssuer", { issuer: aTrustedIssuer(), create: true }],
  ["removeIssuer", { issuer: "https://idp.example" }],
  ["insertLinkedPerson", { ...aLink, person: aPerson({ personId: anId(person.partition) }) }],
  ["insertLink", { ...aLink, sole: true }],
  ["insertLink", { ...aLink, sole: false }],
  ["recordDevice", deviceAnswer],
  ["grantDevice", aDeviceRedemption(deviceRequest, deviceAnswer.approval)],
  ["collectDevices", { now: NOW, limit: 10 }],
  ["onceAcross", { kind: "saml id", key: "a", until: NOW + 90_000_000, now: NOW }],
  ["emptyRing", { now: NOW + 2 * 15 * 60_000 }],
  ["collectAccepted", { now: NOW, limit: 10 }],
  ["createSession", aSession(person, { replaces: { partition: 1, sessionId: "x" } })],
  [
    "writePassword",
    { ...person, passwordHash: "x", mustChange: false, endGrants: true, keepSessionId: null, now: NOW },
  ],
  ["endSessionsOf", person],
  ["putClient", { client, expect: 0 }],
  ["deleteClient", { clientId: grant.clientId, now: NOW }],
  ["putResource", { resource: aResource(), create: true }],
  ["putScope", { scope: aScope({ resource: "https://api.example" }), create: true }],
  ["deleteResource", { identifier: "https://api.example" }],
  ["deleteScope", { name: "read", now: NOW }],
  ["addKey", { key: aKey({ kid: "k" }) }],
  ["retireKey", { kid: "k", now: NOW }],
  ["removeKey", { kid: "k" }],
  ["collectGrants", { now: NOW + 100_000_000, limit: 10 }],
  ["collectGrants", sweep],
  ["collectSessions", sweep],
  ["collectInvitations", sweep],
  ["collectRequests", sweep],
  ["collectAttempts", sweep],
  ["collectClients", sweep],
  ["collectHistory", sweep],
  ["writePersonStatus", { ...person, status: "disabled", now: NOW }],
  ["erasePerson", { ...person, now: NOW }],
];

/** Walks that are meant: a whole small table, or an index in its own order up to a limit. */
const MEANT = [
  /^SCAN (catalog|signing_keys|receipt_keys|scopes|resources|trusted_issuers)\b/,
  /^SEARCH people USING INDEX people_by_age \((\(created_at,person_id\)|created_at)>\(?\?(,\?\))?\)$/,
  /^SEARCH (grants|sessions|attempts|accepted|device_requests|names|history|invitations|company_requests|member_links) USING (?:COVERING )?INDEX (\w+_to_collect|names_reserved|member_links_pending) \(\w+<\?\)$/,
  /^SEARCH companies USING INDEX companies_by_age \((\(created_at,company_id\)|created_at)>\(?\?(,\?\))?\)$/,
  /^SEARCH standings USING INDEX standings_untold \(written_at>\?\)$/,
  /^SEARCH members USING INDEX members_by_name \(partition=\? AND company_id=\? AND username>\?\)$/,
  /^SEARCH clients USING (COVERING )?INDEX clients_(by_version|deleted) \(\w+[<>]\?\)$/,
  /^SEARCH clients USING INDEX sqlite_autoindex_clients_1 \(client_id>\?\)$/,
  /^SEARCH subject_links USING INDEX subject_links_of_issuer \(issuer_id=\? AND \(created_at,link\)>\(\?,\?\)\)$/,
  /^SEARCH history USING INDEX history_of_owner \(partition=\? AND owner_id=\? AND \(at,entry_id\)<\(\?,\?\)\)$/,
  // The one table of the ring that is emptied whole.
  /^SCAN accepted_\d( USING COVERING INDEX sqlite_autoindex_accepted_\d_1)?$/,
  // Each kind's backlog, counted into one answer.
  /^SCAN (\(subquery-\d+\)|few|CONSTANT ROW)$/,
  /^SCAN consents USING INDEX sqlite_autoindex_consents_1$/,
];

/** Of owners' tables: everything else goes by partition and id or owner, or by client. */
const DIRECT =
  /^SEARCH \w+ (EXISTS )?USING (COVERING )?INDEX \w+ \((?!partition=\?\))(partition=\? AND \w+=\?( AND \w+=\?)*|[a-z_]+=\?( AND [a-z_]+=\?)?)\)( LEFT-JOIN)?$/;

test("every statement of every verb finds its rows by an index, none walks a partition", async () => {
  const used = new Map<Sql, string>();
  const connection = new Connection(path, { readOnly: false });
  const recording: Tx = {
    one: (statement: Sql, params?: Params): Promise<Row | undefined> => connection.one(note(statement), params),
    all: (statement: Sql, params?: Params) => connection.all(note(statement), params),
    run: (statement: Sql, params?: Params) => connection.run(note(statement), params),
  };
  let running = "";
  function note(statement: Sql): Sql {
    used.set(statement, running);
    return statement;
  }
  for (const [name, args] of calls) {
    const verb = verbs.get(name);
    if (verb?.kind !== "transaction") throw new Error(`${name} is no transaction`);
    running = name;
    await verb.body(recording, args as never);
  }
  for (const [name, verb] of verbs) {
    running = name;
    if (verb.kind === "transaction")
      expect(
        calls.some(([called]) => called === name),
        `${name} was not called`,
      ).toBe(true);
    if (verb.kind === "statement") for (const each of [verb.sql, verb.why, verb.look?.sql]) each && note(each);
    if (verb.kind === "read") for (const each of [verb.sql, verb.also]) each && note(each);
  }
  connection.close();

  const database = new DatabaseSync(path);
  for (const [statement, name] of used) {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${statement.text(sqlite)}`).all();
    for (const { detail } of steps) {
      const step = String(detail);
      if (!/^(SCAN|SEARCH) /.test(step)) continue;
      expect(
        [...MEANT, DIRECT].some((allowed) => allowed.test(step)),
        `${name}: ${step}\n${statement.text(sqlite)}`,
      ).toBe(true);
    }
  }
  database.close();
  expect(used.size).toBeGreaterThan(80);
});
