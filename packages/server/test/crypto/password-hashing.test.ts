/** The cost of password hashes (RFC 9106 §4; OWASP Password Storage Cheat Sheet). */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  dangerouslyHashAtNoCost,
  hashPassword,
  hashUnknownPassword,
  needsRehash,
  verifyPassword,
} from "../../src/crypto/password-hashing.ts";
import { knowsPassword } from "../../src/owners/person.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const CHEAP = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaA";

test("in a process of the program → 19 MiB, two passes; whatever cost less is made anew", () => {
  const module = JSON.stringify(join(root, "packages/server/src/crypto/password-hashing.ts"));
  const script = `const { hashPassword, needsRehash } = await import(${module});
    console.log(await hashPassword("a password"), needsRehash(${JSON.stringify(CHEAP)}));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(said).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43} true\n$/);
});

test("no part of the program makes hashes cost less", () => {
  const calling = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
    .filter((path) => /^[^/]+\/(?:src|bin)\/.*\.[jt]s$/.test(path))
    .filter((path) => readFileSync(join(root, "packages", path), "utf8").includes("dangerouslyHashAtNoCost"));
  expect(calling).toEqual(["server/src/crypto/password-hashing.ts"]);
});

test("as tests have it, and back → each finds the other's hashes wanting, and checks them all the same", async () => {
  const cheap = await hashPassword("a password");
  expect(cheap).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  expect(needsRehash(cheap)).toBe(false);
  dangerouslyHashAtNoCost(false);
  expect(needsRehash(cheap)).toBe(true);
  const usual = await hashPassword("a password");
  expect([await verifyPassword("a password", cheap), await verifyPassword("another", cheap)]).toEqual([true, false]);
  dangerouslyHashAtNoCost(true);
  expect(needsRehash(usual)).toBe(true);
  expect([await verifyPassword("a password", usual), await verifyPassword("another", usual)]).toEqual([true, false]);
});

test("a password that nobody knows → a hash of the usual form and cost, never twice the same, told apart from all others", async () => {
  const whose = { allocation: "a", provider: "p", network: "n", account: "alice", known: true };
  const [one = "", other = ""] = await Promise.all([hashUnknownPassword(whose), hashUnknownPassword(whose)]);
  expect([needsRehash(one), one === other, await verifyPassword("", one)]).toEqual([false, false, false]);
  const known = (passwordHash: string | null) => knowsPassword({ passwordHash });
  expect([known(one), known(other), known(await hashPassword("a password")), known(null)]).toEqual([
    ...[false, false, true, false],
  ]);
});

test("the line of known devices is full, and nobody has signed in before → an unknown name is looked at like a known one", async () => {
  const stored = await hashPassword("a password");
  // Makes the program forget its hash for unknown names.
  dangerouslyHashAtNoCost(true);
  const elsewhere = (at: number) => ({ allocation: `a${at}`, provider: `p${at}`, network: `n${at}` });
  const flood = Promise.allSettled(
    Array.from({ length: 150 }, (_, at) =>
      hashPassword("y", { ...elsewhere(at), account: `person ${at}`, known: true }),
    ),
  );
  const stranger = { ...elsewhere(999), known: false };
  const looked = [
    verifyPassword("another", stored, { ...stranger, account: "alice" }),
    verifyPassword("another", null, { ...stranger, account: "nobody" }),
  ];
  expect(await Promise.all(looked)).toEqual([false, false]);
  const made = await flood;
  expect(made.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
});
