import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createResource, keyRecord, listKeys, retireKey, rotateKey } from "../../src/admin/index.ts";
import { ensureKeys, keySet } from "../../src/crypto/signing-keys.ts";
import { openTestAdmin, refusal, type TestAdmin } from "./support/open-test-admin.ts";

const HOUR = 3_600_000;

let admin: TestAdmin;
beforeEach(async () => {
  admin = await openTestAdmin();
});
afterEach(() => admin.close());

const statuses = async () => (await listKeys(admin)).map(({ status }) => status);

/** The keys that a server signs with and publishes. */
async function inUse() {
  const { active, published } = keySet(await admin.storage.keys.list(), admin.secrets(), admin.now());
  return { signs: active.get("ES256")?.kid ?? "", published: published.map(({ kid }) => kid) };
}

async function firstKey(): Promise<string> {
  await ensureKeys(admin.storage, admin.secrets(), admin.now());
  return (await inUse()).signs;
}

describe("rotate", () => {
  test("without any key → the first, which signs at once", async () => {
    const { kid } = await rotateKey({ immediately: false }, admin);
    expect(await inUse()).toEqual({ signs: kid, published: [kid] });
  });

  test("→ published now, signs 24 hours later, the old one stays 25 hours more", async () => {
    const old = await firstKey();
    const { kid } = await rotateKey({ immediately: false }, admin);
    expect(await statuses()).toEqual(["signing", "next"]);
    expect(await inUse()).toEqual({ signs: old, published: [old, kid] });
    admin.tick(24 * HOUR);
    expect(await statuses()).toEqual(["verifying", "signing"]);
    expect(await inUse()).toEqual({ signs: kid, published: [old, kid] });
    admin.tick(25 * HOUR);
    expect(await statuses()).toEqual(["past", "signing"]);
    expect((await inUse()).published).toEqual([kid]);
  });

  test("while a next one waits → conflict that names it", async () => {
    await firstKey();
    const { kid } = await rotateKey({ immediately: false }, admin);
    const { kind, problems } = await refusal(rotateKey({ immediately: false }, admin));
    expect(kind).toBe("conflict");
    expect(problems[0]).toContain(kid);
  });

  test("now → signs at once, and a next one that waited never does", async () => {
    const old = await firstKey();
    await rotateKey({ immediately: false }, admin);
    const { kid } = await rotateKey({ immediately: true }, admin);
    expect(await statuses()).toEqual(["verifying", "verifying", "signing"]);
    expect((await inUse()).signs).toBe(kid);
    expect((await inUse()).published).toContain(old);
    admin.tick(25 * HOUR);
    expect((await inUse()).signs).toBe(kid);
  });
});

describe("of another alg", () => {
  test("one that there isn't → invalid", async () => {
    expect((await refusal(rotateKey({ immediately: true, alg: "none" }, admin))).kind).toBe("invalid");
  });

  test("each alg has its own next key, and its own last one", async () => {
    const first = await firstKey();
    const { kid } = await rotateKey({ immediately: false, alg: "EdDSA" }, admin);
    expect(await statuses()).toEqual(["signing", "signing"]);
    await rotateKey({ immediately: false, alg: "ES256" }, admin);
    await rotateKey({ immediately: false, alg: "EdDSA" }, admin);
    expect((await statuses()).toSorted()).toEqual(["next", "next", "signing", "signing"]);
    expect((await refusal(retireKey(first, { immediately: false }, admin))).kind).toBe("conflict");
    // No API uses this key.
    await retireKey(kid, { immediately: true }, admin);
  });

  test("the only one that an API's tokens are signed with → conflict that says how to go on", async () => {
    await createResource({ identifier: "https://api.test", name: "Photos", alg: "ES384" }, admin);
    const [key] = await admin.storage.keys.list();
    const { kind, problems } = await refusal(retireKey(key?.kid ?? "", { immediately: true }, admin));
    expect([kind, problems.join()]).toEqual(["conflict", expect.stringContaining("key rotate --now --alg ES384")]);
  });
});

describe("retire", () => {
  test("an unknown key → unknown; the only one → conflict, and it goes on", async () => {
    const kid = await firstKey();
    expect((await refusal(retireKey("nothing", { immediately: false }, admin))).kind).toBe("unknown");
    for (const immediately of [false, true]) {
      expect((await refusal(retireKey(kid, { immediately }, admin))).kind).toBe("conflict");
    }
    // A key that is only published doesn't sign yet.
    await rotateKey({ immediately: false }, admin);
    expect((await refusal(retireKey(kid, { immediately: false }, admin))).kind).toBe("conflict");
    expect((await inUse()).signs).toBe(kid);
  });

  test("→ published for 25 hours more; again → conflict", async () => {
    const old = await firstKey();
    await rotateKey({ immediately: true }, admin);
    await retireKey(old, { immediately: false }, admin);
    expect((await inUse()).published).toContain(old);
    expect((await refusal(retireKey(old, { immediately: false }, admin))).kind).toBe("conflict");
    admin.tick(25 * HOUR);
    expect((await inUse()).published).not.toContain(old);
  });

  test("now → gone", async () => {
    const old = await firstKey();
    await rotateKey({ immediately: true }, admin);
    await retireKey(old, { immediately: true }, admin);
    expect((await inUse()).published).not.toContain(old);
  });
});

test("records → no sealed byte", async () => {
  await firstKey();
  const [state] = await listKeys(admin);
  const record = state === undefined ? {} : keyRecord(state);
  expect(Object.keys(record)).toEqual([
    "kid",
    "alg",
    "status",
    "created_at",
    "signs_from",
    "published_until",
    "retired_at",
  ]);
});
