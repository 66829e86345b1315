/**
 * Derived credentials: the same input gives the same credential, old ones are still recognized, and nobody can forge
 * one.
 */

import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { DerivedCredentials } from "../../src/crypto/derived-credentials.ts";
import { newId } from "../../src/crypto/ids.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";

const secret = randomBytes(32);
const credentials = new DerivedCredentials(new Secrets([secret]));
const id = newId(731);
const { salt, hash } = credentials.newSalt();
const token = credentials.make("refresh_token", id, 7, salt);

describe("what isn't ours is refused without a look at the database", () => {
  test("every single character changed → undefined, 256 bits apart", () => {
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ["A", "B", "-", "_", "=", " ", "ü"]) {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        if (changed !== token) expect(credentials.read("refresh_token", changed), `at ${at}`).toBeUndefined();
      }
    }
  });

  test.each([
    ["nothing", ""],
    ["its prefix alone", "rt_"],
    ["without its prefix", token.slice(3)],
    ["cut off", token.slice(0, -1)],
    ["with a tail", `${token}A`],
    ["with padding", `${token}=`],
    ["of another kind", credentials.make("code", id, 7, salt)],
    ["of another kind, with this one's prefix", `rt_${credentials.make("code", id, 7, salt).slice(3)}`],
    [
      "made with another secret",
      new DerivedCredentials(new Secrets([randomBytes(32)])).make("refresh_token", id, 7, salt),
    ],
  ])("%s → undefined", (_what, text) => {
    expect(credentials.read("refresh_token", text)).toBeUndefined();
  });
});

test("ours → all that it says, and the salt's hash alone is what is stored", () => {
  expect(credentials.read("refresh_token", token)).toEqual({
    partition: 731,
    id,
    generation: 7,
    salt: Buffer.from(salt),
    saltHash: hash,
  });
  expect(credentials.partitionOf(id)).toBe(731);
});

test("a cookie that was verified before → the same; changed, or sent as another cookie → undefined", () => {
  for (const kind of ["session", "device"] as const) {
    const cookie = credentials.make(kind, id, 3, salt);
    const first = credentials.read(kind, cookie);
    expect(first).toMatchObject({ id, generation: 3, saltHash: hash });
    expect(credentials.read(kind, cookie)).toEqual(first);
    const other = cookie.endsWith("A") ? "B" : "A";
    expect(credentials.read(kind, cookie.slice(0, -1) + other)).toBeUndefined();
    expect(credentials.read(kind === "session" ? "device" : "session", cookie)).toBeUndefined();
  }
});

test("the same successor is made again from the same salt", () => {
  const successor = credentials.make("refresh_token", id, 8, salt);
  expect(
    credentials.make("refresh_token", id, 8, credentials.read("refresh_token", token)?.salt ?? new Uint8Array()),
  ).toBe(successor);
  expect(successor).not.toBe(token);
});

test("a second secret is put first → old credentials still are ours, new ones come of the new; taken out → they are nobody's", () => {
  const newer = randomBytes(32);
  const both = new DerivedCredentials(new Secrets([newer, secret]));
  expect(both.read("refresh_token", token)?.generation).toBe(7);
  const made = both.make("refresh_token", id, 7, salt);
  expect(made).not.toBe(token);
  expect(new DerivedCredentials(new Secrets([newer])).read("refresh_token", made)?.generation).toBe(7);
  expect(new DerivedCredentials(new Secrets([newer])).read("refresh_token", token)).toBeUndefined();
});

test("prefixes let secret scanners know them", () => {
  expect(token.startsWith("rt_")).toBe(true);
  expect(credentials.make("code", id, 0, salt).startsWith("ac_")).toBe(true);
});
