import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NOTHING_ENDED } from "../../src/storage/end-all-after-restore.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import { OWN_TABLES, TABLES } from "../../src/storage/tables.ts";
import { backends, type Opened } from "./support/backends.ts";
import { aStoredCompany } from "./support/company-builders.ts";
import {
  aClient,
  aKey,
  aLiveGrant,
  anId,
  aRefresh,
  aResource,
  aScope,
  aSession,
  aSignInProvider,
  aStoredPerson,
  HOUR,
  NOW,
  statusOf,
} from "./support/record-builders.ts";

let folder: string;
const opened: Opened[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assent-move-"));
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.remove();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
const [first] = backends;
/** The file is the same for any writer and any distribution of tables, so two backends are enough. */
const places = backends.filter(({ name }) => name === "PostgreSQL" || name.includes("writer on thread"));

async function create(backend = first): Promise<Opened> {
  if (backend === undefined) throw new Error("there is no backend");
  const one = await backend.create();
  opened.push(one);
  return one;
}

/** Fills most tables, with names in many scripts and more rows than one batch. */
async function filled(storage: Storage): Promise<Awaited<ReturnType<typeof aLiveGrant>>> {
  await storage.clients.put({
    client: aClient({ clientId: "client-1", name: 'Żółć „🦊“ \u2028 \\ "quoted"' }),
    expect: null,
  });
  await storage.resources.put({ resource: aResource(), create: true });
  await storage.scopes.put({ scope: aScope(), create: true });
  await storage.scopes.put({ scope: aScope({ name: "Read" }), create: true });
  await storage.keys.add({ key: aKey() });
  await storage.signInProviders.put({ provider: aSignInProvider(), create: true, most: 50 });
  const company = await aStoredCompany(storage);
  await storage.companySignIn.set({
    ...company,
    ownProvider: true,
    addDomains: ["corp.test"],
    removeDomains: [],
    now: 1,
  });
  await storage.logos.put({ hash: "h", type: "image/png", bytes: new Uint8Array(70_000).fill(7), now: NOW });
  const live = await aLiveGrant(storage);
  await storage.sessions.create(aSession(live.person, { userAgent: null }));
  await storage.pictures.set({
    ...{ partition: live.person.partition, personId: live.person.personId },
    picture: { pictureId: anId(live.person.partition), type: "image/webp", bytes: new Uint8Array(70_000).fill(9) },
    now: NOW,
  });
  await storage.replayCache.useOnce({ kind: "saml id", key: "a", until: NOW + 20 * HOUR, now: NOW });
  await storage.attempts.count({ attempts: [{ key: "k", limit: 5, window: HOUR }], now: NOW });
  for (let n = 0; n < 20; n += 1) await Promise.all(Array.from({ length: 30 }, () => aStoredPerson(storage)));
  return live;
}

/** The rows of a table in the file. */
function exported(table: string): Record<string, unknown>[] {
  const lines = readFileSync(at("all"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const from = lines.findIndex((line) => line.table === table);
  const to = lines.findIndex((line) => line.end === table);
  const columns: readonly string[] = lines[from].columns;
  return lines
    .slice(from + 1, to)
    .map((row: readonly unknown[]) => Object.fromEntries(columns.map((name, place) => [name, row[place]])));
}

test("every table is in the list, with its key", async () => {
  const { url } = await create(first);
  const database = new DatabaseSync(url.slice("sqlite:".length));
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  expect(tables.map(({ name }) => String(name)).sort()).toEqual(
    [...TABLES.map(({ name }) => name), ...OWN_TABLES].sort(),
  );
  for (const { name, key } of TABLES) {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").all(name);
    expect(
      columns.map((column) => column["name"]),
      name,
    ).toEqual(key);
  }
  database.close();
});

describe.each(places.flatMap((from) => places.map((to) => ({ from, to, title: `${from.name} → ${to.name}` }))))(
  "$title",
  ({ from, to }) => {
    test("all of it arrives, equal to the bit; refresh tokens go on there", async () => {
      const source = await create(from);
      const { grant } = await filled(source.storage);
      const { rows, sha256 } = await source.storage.exportTo({ file: at("all"), now: NOW });
      expect(rows).toMatchObject({ people: 601, grants: 1, clients: 1, logos: 1, pictures: 1, scopes: 2 });
      expect(statSync(at("all")).mode & 0o777).toBe(0o600);
      const target = await create(to);
      expect(await target.storage.importFrom({ file: at("all") })).toEqual({ rows, resumed: false, unchanged: false });
      // An export of the imported database is the same, except for the time.
      await target.storage.exportTo({ file: at("again"), now: NOW });
      expect(readFileSync(at("again"), "utf8")).toBe(readFileSync(at("all"), "utf8"));
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect((await target.storage.grants.refresh(aRefresh(grant))).kind).toBe("rotated");
      expect((await target.storage.logos.get({ hash: "h" }))?.bytes).toEqual(new Uint8Array(70_000).fill(7));
    });
  },
);

/** The file with a wrong digest of `people` and a correct SHA-256 of the whole file. */
function withWrongDigest(name: string): string {
  const lines = readFileSync(at(name), "utf8").trimEnd().split("\n").slice(0, -1);
  const body = lines.map((line) => `${line.replace(/("end":"people".*"digest":")./, "$1x")}\n`).join("");
  const sha256 = createHash("sha256").update(body).digest("hex");
  writeFileSync(at("wrong"), `${body}${JSON.stringify({ done: true, sha256 })}\n`);
  return at("wrong");
}

describe.each(backends.map((one) => [one.name, one] as const))("import over data, %s", (_, backend) => {
  test("what stood there is gone; what the file brings gives no access; a server that still runs learns of it", async () => {
    const source = await create();
    const { grant: brought, person } = await filled(source.storage);
    const { rows } = await source.storage.exportTo({ file: at("all"), now: NOW });
    const target = await create(backend);
    const { storage } = target;
    const own = await aLiveGrant(storage);
    const session = aSession(own.person);
    await storage.sessions.create(session);
    await storage.endAllBefore({ now: NOW - HOUR, keepConsents: true });
    const live = await aLiveGrant(storage);
    await storage.markForInspection();
    expect(await storage.beforeImport({ file: at("all") })).toBe("filled");
    const before = await storage.catalog.databaseChanges();
    const seen: number[] = [];
    const setAside = async () => {
      seen.push((await storage.inventory()).people);
    };
    const imported = await storage.replaceFrom({ file: at("all"), now: NOW + HOUR, setAside });
    expect(imported).toEqual({
      ...{ rows, resumed: false, unchanged: false },
      ended: { ...NOTHING_ENDED, grants: 1, consents: 1, sessions: 1 },
    });
    expect(seen).toEqual([2]);
    expect(await storage.inventory()).toMatchObject({ people: 601, grants: 0, consents: 0, sessions: 0, clients: 1 });
    expect(await storage.state()).toEqual({
      epoch: { at: NOW + HOUR, count: before.epochs + 1, done: true },
      inspection: false,
      importing: false,
    });
    expect((await storage.catalog.databaseChanges()).epochs).toBe(2);
    for (const { grant } of [own, live]) {
      expect((await storage.grants.refresh(aRefresh(grant))).kind).not.toBe("rotated");
      expect(await statusOf(storage, grant)).toBeUndefined();
    }
    expect((await statusOf(storage, brought))?.status).toBe("state_lost");
    expect((await storage.grants.refresh(aRefresh(brought))).kind).not.toBe("rotated");
    expect(await storage.people.findByName({ name: person.username })).toMatchObject({ personId: person.personId });
    // Importing the same file again would end the grants that were made since.
    expect(await storage.beforeImport({ file: at("all") })).toBe("filled");
  });

  test("no copy could be made, or the rows differ from the file → all of the old data stands", async () => {
    const source = await create();
    await filled(source.storage);
    await source.storage.exportTo({ file: at("all"), now: NOW });
    const { storage } = await create(backend);
    const { grant } = await aLiveGrant(storage);
    const full = async () => {
      throw new Error("the disk is full");
    };
    await expect(storage.replaceFrom({ file: at("all"), now: NOW, setAside: full })).rejects.toThrow("disk is full");
    await expect(storage.replaceFrom({ file: withWrongDigest("all"), now: NOW })).rejects.toThrow(/people differs/);
    expect((await storage.grants.refresh(aRefresh(grant))).kind).toBe("rotated");
    expect(await storage.inventory()).toMatchObject({ people: 1, grants: 1, consents: 1 });
    expect(await storage.state()).toEqual({ epoch: null, inspection: false, importing: false });
  });
});

test("a file that is none, cut off, changed, or goes on behind its end → refused, nothing written", async () => {
  const source = await create();
  await filled(source.storage);
  await source.storage.exportTo({ file: at("all"), now: NOW });
  const text = readFileSync(at("all"), "utf8");
  const target = await create();
  const bad: readonly (readonly [string, string, RegExp])[] = [
    ["empty", "", /empty/],
    ["text", "hello\n", /no JSON/],
    ["json", '{"a":1}\n', /no export of Assent/],
    ["newer", text.replace('"assent_export":1', '"assent_export":2'), /version 2/],
    ["cut", text.slice(0, text.length / 2), /cut off/],
    ["without its end", `${text.trimEnd().split("\n").slice(0, -1).join("\n")}\n`, /last line is missing/],
    ["changed", text.replace("client_secret_basic", "client_secret_bosic"), /SHA-256 differs/],
    ["longer", `${text}[1]\n`, /behind its end/],
  ];
  for (const [name, content, problem] of bad) {
    writeFileSync(at(name), content);
    await expect(target.storage.importFrom({ file: at(name) }), name).rejects.toThrow(problem);
  }
  expect(await target.storage.people.list({ limit: 1, after: null })).toEqual([]);
  expect((await target.storage.state()).importing).toBe(false);
});

test("a schema of another version → refused, names the migrations", async () => {
  const source = await create();
  await source.storage.exportTo({ file: at("all"), now: NOW });
  const target = await create();
  const database = new DatabaseSync(target.url.slice("sqlite:".length));
  database
    .prepare("INSERT INTO migrations (id, name, checksum, applied_at, floor) VALUES (9999, 'of tomorrow', 'x', 1, 0)")
    .run();
  database.close();
  await expect(target.storage.importFrom({ file: at("all") })).rejects.toThrow(/another schema \(of tomorrow\)/);
  await expect(target.storage.beforeImport({ file: at("all") })).rejects.toThrow(/another schema \(of tomorrow\)/);
  await expect(target.storage.replaceFrom({ file: at("all"), now: NOW })).rejects.toThrow(/another schema/);
});

test("a database with anything in it → refused, and stands", async () => {
  const source = await create();
  await source.storage.exportTo({ file: at("all"), now: NOW });
  const target = await create();
  await target.storage.keys.add({ key: aKey() });
  await expect(target.storage.importFrom({ file: at("all") })).rejects.toThrow(/isn't empty \(signing_keys/);
  expect((await target.storage.state()).importing).toBe(false);
  expect(await target.storage.keys.list()).toHaveLength(1);
});

test("a file of that name → refused, left alone", async () => {
  const source = await create();
  writeFileSync(at("all"), "mine");
  await expect(source.storage.exportTo({ file: at("all"), now: NOW })).rejects.toThrow(/EEXIST/);
  expect(readFileSync(at("all"), "utf8")).toBe("mine");
  expect(existsSync(at("all.part"))).toBe(false);
});

test("others write meanwhile → the file is of one moment", async () => {
  const source = await create();
  await filled(source.storage);
  const other = await openStorage({ url: source.url });
  let made = 0;
  const make = async () => {
    await aStoredPerson(other);
    made += 1;
  };
  const writing = setInterval(() => void make().catch(() => undefined), 1);
  await expect.poll(() => made).toBeGreaterThan(5);
  await source.storage.exportTo({ file: at("all"), now: NOW });
  clearInterval(writing);
  await other.close();
  // Every person had two names. Some people whose creation isn't finished have theirs already.
  const names = exported("names").map((name) => name["owner_id"]);
  const people = exported("people");
  expect(people.length).toBeGreaterThan(605);
  expect(people.filter(({ person_id }) => names.filter((owner) => owner === person_id).length !== 2)).toEqual([]);
  const target = await create();
  await target.storage.importFrom({ file: at("all") });
});

test("an import that was interrupted → goes on with the same file, not with another; something written in between is found", async () => {
  const source = await create();
  await filled(source.storage);
  await source.storage.exportTo({ file: at("all"), now: NOW });
  await aStoredPerson(source.storage);
  await source.storage.exportTo({ file: at("other"), now: NOW });
  const target = await create();
  const database = new DatabaseSync(target.url.slice("sqlite:".length));
  // Simulates a loss of power at the first person after the first batch of names.
  database.exec("CREATE TRIGGER power BEFORE INSERT ON people BEGIN SELECT RAISE(ABORT, 'the power went'); END");
  await expect(target.storage.importFrom({ file: at("all") })).rejects.toThrow("the power went");
  database.exec("DROP TRIGGER power");
  expect((await target.storage.state()).importing).toBe(true);
  expect(database.prepare("SELECT COUNT(*) AS n FROM names").get()).toEqual({ n: 1203 });
  await expect(target.storage.importFrom({ file: at("other") })).rejects.toThrow(/another file/);
  expect(await target.storage.beforeImport({ file: at("other") })).toBe("unfinished");
  expect(await target.storage.beforeImport({ file: at("all") })).toBe("ready");
  database.exec("INSERT INTO leases VALUES ('x', 'y', 1); UPDATE names SET status = 'changed' WHERE rowid = 1");
  await expect(target.storage.importFrom({ file: at("all") })).rejects.toThrow(/names differs/);
  expect((await target.storage.state()).importing).toBe(true);
  database.exec("UPDATE names SET status = 'active' WHERE rowid = 1");
  expect(await target.storage.importFrom({ file: at("all") })).toMatchObject({ resumed: true, unchanged: false });
  expect((await target.storage.state()).importing).toBe(false);
  database.close();
});

test("a line of endless length → refused before memory runs out", async () => {
  const target = await create();
  writeFileSync(at("long"), '{"assent_export":1,"x":"');
  for (let part = 0; part < 18; part += 1) appendFileSync(at("long"), "a".repeat(1 << 20));
  await expect(target.storage.importFrom({ file: at("long") })).rejects.toThrow(/longer than any/);
  truncateSync(at("long"));
});
