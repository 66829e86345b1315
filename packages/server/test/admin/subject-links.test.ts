import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createIssuer,
  createUser,
  deleteIssuer,
  linkSubject,
  type NewIssuer,
  subjectLinksOf,
  unlinkSubject,
  updateIssuer,
} from "../../src/admin/index.ts";
import { collected, openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

let admin: TestAdmin;
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keys = { jwks: { keys: [publicKey.export({ format: "jwk" })] } };
const IDP = "https://idp.test";
const trust = (issuer: string, changes: Partial<NewIssuer> = {}) =>
  createIssuer({ issuer, type: "jwt", keys, mapSubject: "link", ...changes }, admin);

beforeAll(async () => {
  admin = await openTestAdmin();
  await trust(IDP);
  await trust("https://names.test", { mapSubject: "username" });
  await trust("https://ids.test", { mapSubject: "id" });
  for (const username of ["alice", "bob"])
    await createUser({ username, email: `${username}@x.test`, password: { generate: true } }, admin);
  const root = { username: "root", email: "root@x.test", operator: ["admin"], password: { generate: true } } as const;
  await createUser(root, admin);
});
afterAll(() => admin.close());

const all = async (issuer = IDP) =>
  (await collected(subjectLinksOf(issuer, admin))).map(({ link, person }) => [
    link.subject,
    link.claim,
    person?.username,
  ]);

describe("what can't be linked → refused", () => {
  test.each([
    ["of nobody's issuer", "https://other.test", "x", "alice", "unknown", "issuer"],
    ["nobody here", IDP, "x", "nobody", "unknown", "username"],
    ["an operator", IDP, "x", "root", "invalid", "user"],
    ["an id of ours", "https://ids.test", "x", "alice", "invalid", "issuer"],
    ["an empty one", IDP, "", "alice", "invalid", "subject"],
    ["one with a space after it", IDP, "x ", "alice", "invalid", "subject"],
    ["one with NUL", IDP, "x\0", "alice", "invalid", "subject"],
    ["one of 256 characters", IDP, "x".repeat(256), "alice", "invalid", "subject"],
  ])("%s", async (_, issuer, subject, user, kind, field) => {
    const told = await refusal(linkSubject(issuer, subject, user, admin));
    expect(told.kind).toBe(kind);
    expect(told.problems).toEqual([expect.stringMatching(`^${field}: `)]);
    expect(await all()).toEqual([]);
  });
});

test("linked, again, to another → taken; unlinked, again → unknown", async () => {
  const { person } = await linkSubject(IDP, "00u1", "alice", admin);
  expect(person.username).toBe("alice");
  await linkSubject(IDP, "00u1", "alice@x.test", admin);
  expect((await refusal(linkSubject(IDP, "00u1", "bob", admin))).kind).toBe("taken");
  // Links are listed by age. Links of the same millisecond have no defined order.
  admin.tick(1);
  await linkSubject(IDP, "00U1", "bob", admin);
  expect(await all()).toEqual([
    ["00u1", null, "alice"],
    ["00U1", null, "bob"],
  ]);
  await unlinkSubject(IDP, "00U1", {}, admin);
  expect((await refusal(unlinkSubject(IDP, "00U1", {}, admin))).kind).toBe("unknown");
  await unlinkSubject(IDP, "00u1", {}, admin);
  expect(await all()).toEqual([]);
});

test("where subjects are usernames → one link for all spellings", async () => {
  const names = "https://names.test";
  const { subject } = await linkSubject(names, "AlSmith", "alice", admin);
  expect(subject.subject).toBe("alsmith");
  expect((await refusal(linkSubject(names, "ALSMITH", "bob", admin))).kind).toBe("taken");
});

test("the claim changes → links of the old one lead nowhere, are listed with it, and can be taken away", async () => {
  await linkSubject(IDP, "7", "alice", admin);
  await updateIssuer(IDP, { subjectClaim: "oid" }, admin);
  admin.tick(1);
  await linkSubject(IDP, "7", "bob", admin);
  expect(await all()).toEqual([
    ["7", null, "alice"],
    ["7", "oid", "bob"],
  ]);
  await unlinkSubject(IDP, "7", { claim: null }, admin);
  expect(await all()).toEqual([["7", "oid", "bob"]]);
  await unlinkSubject(IDP, "7", { claim: "oid" }, admin);
});

test("300 links → listed in pages; the issuer deleted and trusted again → none", async () => {
  const many = "https://many.test";
  await trust(many);
  await Promise.all(Array.from({ length: 300 }, (_, at) => linkSubject(many, `s${at}`, "alice", admin)));
  expect(new Set((await all(many)).map(([subject]) => subject)).size).toBe(300);
  await deleteIssuer(many, admin);
  expect((await refusal(all(many))).kind).toBe("unknown");
  await trust(many);
  expect(await all(many)).toEqual([]);
  await linkSubject(many, "s1", "bob", admin);
});
