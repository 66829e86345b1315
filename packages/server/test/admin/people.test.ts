import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newPassword } from "../../src/admin/generated-secrets.ts";
import {
  allUsers,
  createUser,
  deleteUser,
  disabledElsewhere,
  listConsents,
  type NewUser,
  recentlyLeft,
  revokeConsent,
  revokeSession,
  revokeSessionsOf,
  sessionsOf,
  setPassword,
  setUserStatus,
  updateUser,
  userOf,
  userRecord,
} from "../../src/admin/index.ts";
import { verifyPassword } from "../../src/crypto/password-hashing.ts";
import type { Person } from "../../src/owners/storage.ts";
import { aLink, aSentLink } from "../storage/support/mail-builders.ts";
import { aGrant, anApproval, aSession } from "../storage/support/record-builders.ts";
import { collected, openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
beforeAll(async () => {
  admin = await openTestAdmin();
});
afterAll(() => admin.close());

let count = 0;
function aNewUser(changes: Partial<NewUser> = {}): NewUser {
  count += 1;
  const username = `user-${count}`;
  return { username, email: `${username}@x.test`, password: { password: "a long passphrase" }, ...changes };
}

describe("create", () => {
  test.each([
    ["a username with an @", { username: "al@ice" }, "username"],
    ["a username of dots", { username: "..." }, "username"],
    ["an empty username", { username: "" }, "username"],
    ["a username of 65 characters", { username: "x".repeat(65) }, "username"],
    ["no e-mail address", { email: "alice" }, "email"],
    ["an e-mail address with a space at its end", { email: "alice@x.test " }, "email"],
    ["an e-mail address whose host ends with a dot", { email: "alice@x.test." }, "email"],
    ["a name with a line end", { name: "Al\nice" }, "name"],
    ["a role that doesn't exist", { operator: ["root"] }, "operator"],
    ["a password of 7 characters", { password: { password: "1234567" } }, "password"],
    ["a password of 1,025 bytes", { password: { password: `${"ä".repeat(512)}x` } }, "password"],
    ["a password with NUL", { password: { password: "12345678\0" } }, "password"],
    ["the e-mail address as password", { email: "Me@x.test", password: { password: "me@x.test" } }, "password"],
  ] as const)("%s → refused", async (_, changes, field) => {
    const { kind, problems } = await refusal(createUser(aNewUser(changes), admin));
    expect(kind).toBe("invalid");
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test("the password is never in the refusal", async () => {
    const { problems } = await refusal(createUser(aNewUser({ password: { password: "s3cr3t!" } }), admin));
    expect(problems.join()).not.toContain("s3cr3t");
  });

  test.each([
    ["the username in capitals and full-width", { username: "ＡＬＩＣＥ" }, "username"],
    ["the e-mail address in capitals", { email: "Alice@X.test" }, "email"],
    ["the e-mail address with a full-width ＠", { email: "alice＠x.test" }, "email"],
  ])("%s of another → taken", async (_, changes, field) => {
    await createUser(aNewUser({ username: "alice", email: "alice@x.test" }), admin).catch(() => undefined);
    const { kind, problems } = await refusal(createUser(aNewUser(changes), admin));
    expect(kind).toBe("taken");
    expect(problems).toEqual([expect.stringMatching(`^${field}: `)]);
  });

  test("a password of 8 characters or 1,024 bytes → signs in, and is in no file", async () => {
    for (const password of ["8 chars!", "äöüß".repeat(128)]) {
      const { person, generated } = await createUser(aNewUser({ password: { password } }), admin);
      expect(generated).toBeNull();
      expect(await verifyPassword(password, person.passwordHash)).toBe(true);
      const files = readdirSync(admin.dataDir).map((name) => readFileSync(join(admin.dataDir, name), "utf8"));
      expect(files.some((text) => text.includes(password))).toBe(false);
    }
  });

  test("a generated password → 100 readable bits, told once, and it signs in", async () => {
    const { person, generated } = await createUser(aNewUser({ password: { generate: true } }), admin);
    expect(generated).toMatch(/^([a-hj-kmnp-z02-9]{4}-){4}[a-hj-kmnp-z02-9]{4}$/);
    expect(await verifyPassword(generated ?? "", person.passwordHash)).toBe(true);
    expect(userRecord(person, admin.issuer, generated)).toHaveProperty("password", generated);
    expect(JSON.stringify(userRecord(person, admin.issuer))).not.toContain("argon2");
    expect(new Set(Array.from({ length: 100 }, () => newPassword(admin))).size).toBe(100);
  });

  test("names in any spelling → found by each", async () => {
    const { person } = await createUser(
      aNewUser({ username: "Bob", email: "Bob@X.test", operator: ["read", "read"] }),
      admin,
    );
    expect(person).toMatchObject({ username: "bob", email: "bob@x.test", operator: ["read"] });
    expect((await userOf("BOB", admin)).personId).toBe(person.personId);
    expect((await userOf(" bob@x.TEST ", admin)).personId).toBe(person.personId);
  });
});

describe("what a person has", () => {
  let person: Person;
  beforeEach(async () => {
    ({ person } = await createUser(aNewUser(), admin));
    const now = admin.now();
    const times = { now, idleUntil: now + 3_600_000, absoluteUntil: now + 3_600_000, authTime: now };
    for (let each = 0; each < 2; each += 1) await admin.storage.sessions.create(aSession(person, times));
    const grant = aGrant(person, { codeUntil: now + 60_000, authTime: now });
    expect(await admin.storage.grants.approve(anApproval(grant, { now }))).toMatchObject({ kind: "issued" });
  });

  async function left() {
    const { partition, personId: ownerId } = person;
    const [consent] = await admin.storage.consents.list({ partition, ownerId, now: admin.now() });
    const sessions = await admin.storage.sessions.list({ partition, personId: ownerId, now: admin.now() });
    return { sessions: sessions.length, grants: consent?.grants.length ?? 0, consents: consent === undefined ? 0 : 1 };
  }

  test("set-password for an unknown person, or too short → refused, nothing ends", async () => {
    expect((await refusal(setPassword("nobody", { generate: true }, { keepGrants: false }, admin))).kind).toBe(
      "unknown",
    );
    expect(
      (await refusal(setPassword(person.username, { password: "short" }, { keepGrants: false }, admin))).kind,
    ).toBe("invalid");
    expect(await left()).toEqual({ sessions: 2, grants: 1, consents: 1 });
  });

  test("set-password → the new one signs in; sessions and grants end", async () => {
    const { person: after, generated } = await setPassword(
      person.email,
      { generate: true },
      { keepGrants: false },
      admin,
    );
    expect(await verifyPassword(generated ?? "", after.passwordHash)).toBe(true);
    expect(await left()).toEqual({ sessions: 0, grants: 0, consents: 1 });
  });

  test("set-password that keeps grants → sessions alone end", async () => {
    await setPassword(person.username, { password: "another passphrase" }, { keepGrants: true }, admin);
    expect(await left()).toEqual({ sessions: 0, grants: 1, consents: 1 });
  });

  test("disable → sessions and grants end; enable → may sign in again", async () => {
    expect((await setUserStatus(person.username, "disabled", admin)).status).toBe("disabled");
    expect(await left()).toMatchObject({ sessions: 0, grants: 0 });
    expect((await setUserStatus(person.username, "active", admin)).status).toBe("active");
  });

  test("another system disables the person → shown with its name and time; the operator enables them → nothing is shown", async () => {
    const { partition, personId } = await userOf(person.username, admin);
    const subject = { issuerId: "provider-1", claim: "https://accounts.example", subject: "ada" };
    const key = { partition, personId, subject };
    await admin.storage.subjectLinks.link({ ...key, sole: false, madeBy: "operator", now: admin.now() });
    expect(await disabledElsewhere(person, admin)).toBeNull();
    const change = { ...key, change: "disabled", whenDisabled: "pause", name: "Acme", wholePerson: false } as const;
    await admin.storage.people.upstreamChanged({ ...change, now: admin.now() });
    expect(await disabledElsewhere(person, admin)).toEqual([
      expect.stringMatching(/^Acme \(provider-1\): disabled at \d{4}-.*Z, grants paused$/),
    ]);
    expect((await setUserStatus(person.username, "active", admin)).status).toBe("active");
    expect(await disabledElsewhere(person, admin)).toBeNull();
    await admin.storage.subjectLinks.unlink({ subject, now: admin.now() });
  });

  test("one session revoked → the other stays; an unknown one → unknown", async () => {
    const { sessions } = await sessionsOf(person.username, admin);
    await revokeSession(sessions[0]?.sessionId ?? "", admin);
    expect((await refusal(revokeSession(sessions[0]?.sessionId ?? "", admin))).kind).toBe("unknown");
    expect((await refusal(revokeSession("no id at all", admin))).kind).toBe("unknown");
    expect(await revokeSessionsOf(person.username, admin)).toBe(1);
  });

  test("consent revoked → its grant ends; again → unknown; the record stays in the list", async () => {
    const [consent] = await listConsents({ user: person.username, limit: 10 }, admin);
    const clientId = consent?.clientId ?? "";
    expect(await revokeConsent({ user: person.username }, clientId, admin)).toBe(1);
    expect((await refusal(revokeConsent({ user: person.username }, clientId, admin))).kind).toBe("unknown");
    const [after] = await listConsents({ user: person.username, clientId, limit: 10 }, admin);
    expect(after).toMatchObject({ status: "revoked", revokedBy: "operator" });
  });

  test("AD-19 delete → person, sessions and consents are gone, the names free", async () => {
    await deleteUser(person.username, admin);
    expect((await refusal(userOf(person.username, admin))).kind).toBe("unknown");
    expect(await left()).toEqual({ sessions: 0, grants: 0, consents: 0 });
    await createUser(aNewUser({ username: person.username, email: person.email }), admin);
  });
});

describe("update", () => {
  test("another's e-mail address, or none → refused", async () => {
    const { person: one } = await createUser(aNewUser(), admin);
    const { person: other } = await createUser(aNewUser(), admin);
    expect((await refusal(updateUser(one.username, { email: other.email.toUpperCase() }, admin))).kind).toBe("taken");
    expect((await refusal(updateUser(one.username, { email: "x", operator: ["root"] }, admin))).problems).toHaveLength(
      2,
    );
  });

  test("e-mail, name, roles → changed, and found by the new address", async () => {
    const { person } = await createUser(aNewUser(), admin);
    const changes = { email: `New-${person.email}`, name: "Ann", operator: ["admin"] };
    expect(await updateUser(person.username, changes, admin)).toMatchObject({
      ...changes,
      email: `new-${person.email}`,
    });
    expect((await userOf(`new-${person.email}`, admin)).personId).toBe(person.personId);
    expect((await updateUser(person.username, { name: null }, admin)).name).toBeNull();
  });
});

test("which address an account left last → of the last 7 days, unless the operator gave the present one", async () => {
  const { person } = await createUser(aNewUser(), admin);
  const { email } = person;
  expect(await recentlyLeft(person, admin)).toBeNull();
  const next = `next-${email}`;
  const at = admin.now();
  const key = await aSentLink(admin.storage, aLink(person, "change", { address: next, expiresAt: at + 1000 }));
  const change = { ...key, before: email, undo: null, mails: [], now: at };
  expect((await admin.storage.mailLinks.changeEmail(change)).kind).toBe("done");
  const moved = await userOf(next, admin);
  expect(await recentlyLeft(moved, admin)).toEqual({ address: email, until: at });
  expect(await recentlyLeft(moved, { ...admin, now: () => at + 8 * 86_400_000 })).toBeNull();
  await updateUser(next, { email: next }, admin);
  expect(await recentlyLeft(moved, admin)).toBeNull();
});

test("the list → everybody, oldest first", async () => {
  const people = await collected(allUsers(admin));
  expect(people.length).toBeGreaterThan(10);
  expect(people.map(({ createdAt }) => createdAt)).toEqual(
    people.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
  );
});
