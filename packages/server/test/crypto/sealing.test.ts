/** Sealing, ES256 and signing keys: what must not decrypt, what other programs must verify, and when a key signs. */

import { createCipheriv, createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { compactVerify, exportJWK, importJWK } from "jose";
import { describe, expect, test } from "vitest";
import type { StoredKey } from "../../src/admin/storage.ts";
import { signEs256, verifyEs256 } from "../../src/crypto/es256.ts";
import { seal, unseal } from "../../src/crypto/seal.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import {
  addSigningKey,
  ensureKeys,
  KEEP_AFTER,
  keySet,
  PUBLISH_BEFORE_USE,
  ROTATE_AFTER,
} from "../../src/crypto/signing-keys.ts";
import { Xaes256Gcm } from "../../src/crypto/xaes-256-gcm.ts";

const secrets = new Secrets([randomBytes(32)]);
const plain = Buffer.from("what nobody else reads");

describe("XAES-256-GCM", () => {
  const nonce = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWX");

  test.each([
    [0x01, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"],
    [0x03, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"],
  ])("the vector of its specification with keys of 0x%s → its ciphertext, and back", (byte, aad, sealed) => {
    const aead = new Xaes256Gcm(Buffer.alloc(32, byte));
    const pieces = aead.seal(nonce, Buffer.from(aad), Buffer.from("XAES-256-GCM"));
    expect(Buffer.concat(pieces).toString("hex")).toBe(sealed);
    expect(aead.open(nonce, Buffer.from(aad), Buffer.from(sealed, "hex"))?.toString()).toBe("XAES-256-GCM");
  });

  test("10,000 random inputs of its specification → the hash of all ciphertexts that it gives", () => {
    const stream = createHash("shake128", { outputLength: 16 << 20 }).digest();
    const all = createHash("shake128", { outputLength: 32 });
    let at = 0;
    const next = (size: number) => {
      at += size;
      return stream.subarray(at - size, at);
    };
    for (let round = 0; round < 10_000; round += 1) {
      const [key, random] = [next(32), next(24)];
      const plain = next(next(1)[0] ?? 0);
      const aad = next(next(1)[0] ?? 0);
      const aead = new Xaes256Gcm(key);
      const sealed = Buffer.concat(aead.seal(random, aad, plain));
      all.update(sealed);
      expect(aead.open(random, aad, sealed)?.equals(plain)).toBe(true);
    }
    expect(all.digest("hex")).toBe("e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939");
  });

  test("a nonce of another length → an error: none is filled up or cut", () => {
    const aead = new Xaes256Gcm(Buffer.alloc(32));
    for (const size of [0, 12, 23, 25]) expect(() => aead.seal(Buffer.alloc(size), plain, plain)).toThrow(RangeError);
    expect(() => aead.open(Buffer.alloc(12), plain, Buffer.alloc(32))).toThrow(RangeError);
  });
});

describe("sealing", () => {
  const sealed = seal(secrets, "authorization request", "browser 1", plain);

  test("any byte changed, other purpose, other context, other secret, cut off → undefined", () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unseal(secrets, "authorization request", "browser 1", changed), `byte ${at}`).toBeUndefined();
    }
    expect(unseal(secrets, "signing key", "browser 1", sealed)).toBeUndefined();
    expect(unseal(secrets, "authorization request", "browser 2", sealed)).toBeUndefined();
    expect(unseal(new Secrets([randomBytes(32)]), "authorization request", "browser 1", sealed)).toBeUndefined();
    expect(unseal(secrets, "authorization request", "browser 1", sealed.subarray(0, 20))).toBeUndefined();
    expect(unseal(secrets, "authorization request", "browser 1", new Uint8Array())).toBeUndefined();
  });

  test("the right purpose and context → what was sealed, and never the same bytes twice", () => {
    expect(unseal(secrets, "authorization request", "browser 1", sealed)).toEqual(plain);
    expect(seal(secrets, "authorization request", "browser 1", plain)).not.toEqual(sealed);
  });

  const known = new Secrets([Buffer.alloc(32, 7), Buffer.alloc(32, 9)]);
  /** Both were sealed with the second of these secrets. An older program, which knew only version 1, made the first. */
  const VERSION_1 = "01d3feb4190b0e75cfc0564cef8307b5ff72b2159bb234c4f14aa6f3c1dff6fb8f3a182cb2c9fa23a5231555de4a";
  const VERSION_2 =
    "02d3feb419d22cadee9786991bf7a64228a191515f57574a26536d282fc6908a48c5e3faa780943970c91775fd066554e023a60175e4d7aa6fae";

  describe.each([
    [1, Buffer.from(VERSION_1, "hex"), 17],
    [2, Buffer.from(VERSION_2, "hex"), 29],
  ])("a stored text of version %d", (version, stored, body) => {
    const opened = (text: Uint8Array, context = "client 1", purpose: "client secret" | "mail" = "client secret") =>
      unseal(known, purpose, context, text);

    test("→ opened under the secret that it names, wherever that stands in the list", () => {
      expect(opened(stored)?.toString()).toBe("sealed before");
      const alone = new Secrets([Buffer.alloc(32, 9)]);
      expect(unseal(alone, "client secret", "client 1", stored)?.toString()).toBe("sealed before");
    });

    test("for another client or purpose, without its secret → undefined", () => {
      expect(opened(stored, "client 2")).toBeUndefined();
      expect(opened(stored, "")).toBeUndefined();
      expect(opened(stored, "client 1", "mail")).toBeUndefined();
      const others = new Secrets([Buffer.alloc(32, 7)]);
      expect(unseal(others, "client secret", "client 1", stored)).toBeUndefined();
    });

    test("any bit changed, cut anywhere → undefined", () => {
      for (let at = 0; at < stored.length * 8; at += 1) {
        const changed = Uint8Array.from(stored);
        changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
        expect(opened(changed), `bit ${at}`).toBeUndefined();
      }
      for (let length = 0; length < stored.length; length += 1)
        expect(opened(stored.subarray(0, length))).toBeUndefined();
    });

    test("called another version, as it is or with a nonce of that length → undefined", () => {
      for (const other of [0, 1, 2, 3, 255].filter((one) => one !== version)) {
        const called = Uint8Array.from(stored);
        called[0] = other;
        expect(opened(called)).toBeUndefined();
        const header = called.subarray(0, 5);
        const [nonce, rest] = [stored.subarray(5, body), stored.subarray(body)];
        const fitting = other === 1 ? nonce.subarray(-12) : Buffer.concat([Buffer.alloc(12), nonce]);
        expect(opened(Buffer.concat([header, fitting, rest]))).toBeUndefined();
        expect(opened(Buffer.concat([header, nonce.subarray(0, 12), rest]))).toBeUndefined();
      }
    });
  });

  test("two texts with their nonces swapped → neither opens", () => {
    const [a, b] = [seal(known, "mail", "m", plain), seal(known, "mail", "m", plain)].map((one) => Buffer.from(one));
    if (a === undefined || b === undefined) throw new Error("nothing sealed");
    const swapped = (head: Buffer, nonce: Buffer) =>
      Buffer.concat([head.subarray(0, 5), nonce.subarray(5, 29), head.subarray(29)]);
    expect(unseal(known, "mail", "m", a)).toEqual(plain);
    expect(unseal(known, "mail", "m", swapped(a, b))).toBeUndefined();
    expect(unseal(known, "mail", "m", swapped(b, a))).toBeUndefined();
    const half = Buffer.concat([a.subarray(0, 17), b.subarray(17, 29), a.subarray(29)]);
    expect(unseal(known, "mail", "m", half)).toBeUndefined();
  });

  test("what version 1 would have made under the key of version 2 → undefined: no key serves both", () => {
    const { id, key } = known.first("mail");
    const cipher = createCipheriv("aes-256-gcm", key, Buffer.alloc(12), { authTagLength: 16 });
    cipher.setAAD(Buffer.from("m"));
    const forged = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    expect(unseal(known, "mail", "m", Buffer.concat([Buffer.of(1), id, Buffer.alloc(12), forged]))).toEqual(plain);
    expect(unseal(known, "mail", "m", Buffer.concat([Buffer.of(2), id, Buffer.alloc(24), forged]))).toBeUndefined();
  });

  test("1,000 texts of the same → no nonce twice, nor half of one", () => {
    const nonces = Array.from({ length: 1000 }, () => Buffer.from(seal(secrets, "mail", "m", plain)).subarray(5, 29));
    expect(new Set(nonces.map((one) => one.toString("hex"))).size).toBe(1000);
    // Two parts are random: the salt of the derived key, and the nonce of GCM.
    expect(new Set(nonces.map((one) => one.toString("hex", 0, 12))).size).toBe(1000);
    expect(new Set(nonces.map((one) => one.toString("hex", 12))).size).toBe(1000);
  });

  test("every length that it is cut to, and more behind it → undefined", () => {
    for (let length = 0; length < sealed.length; length += 1)
      expect(unseal(secrets, "authorization request", "browser 1", sealed.subarray(0, length))).toBeUndefined();
    for (const tail of [Buffer.alloc(1), Buffer.alloc(16), sealed])
      expect(unseal(secrets, "authorization request", "browser 1", Buffer.concat([sealed, tail]))).toBeUndefined();
  });
});

test("1,000 ES256 signatures, short integers among them → jose verifies each", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = await importJWK(await exportJWK(publicKey), "ES256");
  const header = Buffer.from(JSON.stringify({ alg: "ES256" })).toString("base64url");
  for (let round = 0; round < 1000; round += 1) {
    const input = `${header}.${Buffer.from(String(round)).toString("base64url")}`;
    const signature = signEs256(input, privateKey);
    expect(verifyEs256(input, signature, publicKey)).toBe(true);
    await compactVerify(`${input}.${signature.toString("base64url")}`, key);
  }
});

describe("signing keys", () => {
  /** The two storage verbs on an array. The tests check when keys are made and when they sign. */
  function keyStore() {
    const keys: StoredKey[] = [];
    return {
      made: keys,
      keys: {
        list: async () => keys,
        add: async ({ key }: { key: StoredKey }) => {
          if (keys.some(({ alg, serial }) => alg === key.alg && serial === key.serial)) return false;
          keys.push(key);
          return true;
        },
      },
    };
  }

  test("none there → one that signs at once; not yet old → none added", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    await ensureKeys(store, secrets, ROTATE_AFTER - PUBLISH_BEFORE_USE - 1);
    expect(store.made).toHaveLength(1);
    expect(keySet(store.made, secrets, 0).active.get("ES256")?.kid).toBe(store.made[0]?.kid);
  });

  test("30 days old → the next one has been published for a day before it signs; the old one stays until its tokens have ended", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    const announced = ROTATE_AFTER - PUBLISH_BEFORE_USE;
    await ensureKeys(store, secrets, announced);
    const [first, second] = store.made.map(({ kid }) => kid);
    const at = (now: number) => {
      const { active, published } = keySet(store.made, secrets, now);
      return [active.get("ES256")?.kid, published.map(({ kid }) => kid)];
    };
    expect(at(announced)).toEqual([first, [first, second]]);
    expect(at(ROTATE_AFTER - 1)).toEqual([first, [first, second]]);
    expect(at(ROTATE_AFTER)).toEqual([second, [first, second]]);
    expect(at(ROTATE_AFTER + KEEP_AFTER - 1)).toEqual([second, [first, second]]);
    expect(at(ROTATE_AFTER + KEEP_AFTER)).toEqual([second, [second]]);
  });

  test("two processes make the same serial → one key", async () => {
    const store = keyStore();
    const made = await Promise.all([addSigningKey(store, secrets, [], 0, 0), addSigningKey(store, secrets, [], 0, 0)]);
    expect(made.toSorted()).toEqual([false, true]);
    expect(store.made).toHaveLength(1);
  });

  test("another secret → a message that names ASSENT_SECRET, and no key", async () => {
    const store = keyStore();
    await ensureKeys(store, new Secrets([randomBytes(32)]), 0);
    expect(() => keySet(store.made, secrets, 0)).toThrow(/ASSENT_SECRET/);
  });

  test("the JWK set has public members only", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    const { keys } = JSON.parse(keySet(store.made, secrets, 0).jwks) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "crv", "kid", "kty", "use", "x", "y"]]);
  });
});
