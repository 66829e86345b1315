/** Sealing, ES256, signing keys: what must not open, what must verify elsewhere, when a key signs. */

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { compactVerify, exportJWK, importJWK } from "jose";
import { describe, expect, test } from "vitest";
import type { StoredKey } from "../../src/admin/storage.ts";
import { signEs256, verifyEs256 } from "../../src/crypto/es256.ts";
import { seal, unseal } from "../../src/crypto/seal.ts";
import { Secrets } from "../../src/crypto/secrets.ts";
import {
  addSigningKey,
  ensureKeys,
  KEEP_AFTER,
  keySet,
  PUBLISH_BEFORE_USE,
  ROTATE_AFTER,
} from "../../src/crypto/signing-keys.ts";

const secrets = new Secrets([randomBytes(32)]);
const plain = Buffer.from("what nobody else reads");

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
  /** The port's two verbs on an array: what is tested is when which key is made and signs. */
  function keyStore() {
    const keys: StoredKey[] = [];
    return {
      keys,
      listKeys: async () => keys,
      addKey: async ({ key }: { key: StoredKey }) => {
        if (keys.some(({ alg, serial }) => alg === key.alg && serial === key.serial)) return false;
        keys.push(key);
        return true;
      },
    };
  }

  test("none there → one that signs at once; not yet old → none added", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    await ensureKeys(store, secrets, ROTATE_AFTER - PUBLISH_BEFORE_USE - 1);
    expect(store.keys).toHaveLength(1);
    expect(keySet(store.keys, secrets, 0).active.get("ES256")?.kid).toBe(store.keys[0]?.kid);
  });

  test("30 days old → the next one has been published for a day before it signs; the old one stays until its tokens have ended", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    const announced = ROTATE_AFTER - PUBLISH_BEFORE_USE;
    await ensureKeys(store, secrets, announced);
    const [first, second] = store.keys.map(({ kid }) => kid);
    const at = (now: number) => {
      const { active, published } = keySet(store.keys, secrets, now);
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
    expect(store.keys).toHaveLength(1);
  });

  test("another secret → a message that names ASSENT_SECRET, and no key", async () => {
    const store = keyStore();
    await ensureKeys(store, new Secrets([randomBytes(32)]), 0);
    expect(() => keySet(store.keys, secrets, 0)).toThrow(/ASSENT_SECRET/);
  });

  test("the JWK set has public members only", async () => {
    const store = keyStore();
    await ensureKeys(store, secrets, 0);
    const { keys } = JSON.parse(keySet(store.keys, secrets, 0).jwks) as { keys: object[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "crv", "kid", "kty", "use", "x", "y"]]);
  });
});
