/** Many invalid tokens and headers: none is accepted, and none causes another error than a refusal. */

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResourceServer, type ResourceServer, ResourceServerError } from "../src/index.ts";
import { AUDIENCE, aKey, aToken, type SigningKey, startIssuer, type TestIssuer } from "./support/issuer.ts";

let key: SigningKey;
let issuer: TestIssuer;
let api: ResourceServer;

beforeAll(async () => {
  key = await aKey();
  issuer = await startIssuer([key.jwk]);
  api = createResourceServer({ issuer: issuer.issuer, audience: AUDIENCE });
  await api.ready();
});

afterAll(() => issuer.close());

async function outcome(authorization: string): Promise<"accepted" | number> {
  try {
    await api.protect({ rawHeaders: ["Authorization", authorization], url: "/" });
    return "accepted";
  } catch (error) {
    if (error instanceof ResourceServerError) return error.status;
    throw error;
  }
}

test("each byte of a valid token changed, dropped, doubled → refused", { timeout: 60_000 }, async () => {
  const token = aToken(issuer.issuer, key);
  expect(await outcome(`Bearer ${token}`)).toBe("accepted");
  let tried = 0;
  for (let i = 0; i < token.length; i++) {
    const now = token.charCodeAt(i);
    const others = [now ^ 1, now ^ 2, now ^ 4, now ^ 8, now ^ 16, now ^ 32, now ^ 64, now ^ 128, 0, 0x2e, 0x41, 0x3d];
    const bent = others
      .filter((code) => code !== now)
      .map((code) => token.slice(0, i) + String.fromCharCode(code) + token.slice(i + 1));
    const dropped = token.slice(0, i) + token.slice(i + 1);
    const doubled = token.slice(0, i) + token.charAt(i) + token.slice(i);
    for (const other of [...bent, dropped, doubled]) {
      tried++;
      expect(await outcome(`Bearer ${other}`), `byte ${i}: ${other}`).not.toBe("accepted");
    }
  }
  expect(tried).toBeGreaterThan(13 * token.length - 20);
  expect(await outcome(`Bearer ${token}`)).toBe("accepted");
});

test("any header text → refused with 400 or 401", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((it) => `Bearer ${it}`),
    fc.base64String().map((it) => `Bearer ${it}.${it}.${it}`),
  );
  await fc.assert(
    fc.asyncProperty(text, async (header) => {
      expect([400, 401]).toContain(await outcome(header));
    }),
    { numRuns: 2000 },
  );
});

test("any JSON as header and claims, rightly signed → refused", async () => {
  const members = fc.dictionary(
    fc.constantFrom("alg", "typ", "kid", "crit", "b64", "iss", "aud", "exp", "sub", "__proto__"),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(members, members, fc.boolean(), async (header, claims, keepHeader) => {
      const parts = {
        claimsText: JSON.stringify(claims),
        ...(keepHeader ? {} : { headerText: JSON.stringify(header) }),
      };
      expect(await outcome(`Bearer ${aToken(issuer.issuer, key, parts)}`)).toBe(401);
    }),
    { numRuns: 1000 },
  );
});

test("any bytes as claims, rightly signed → refused", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (claimsText) => {
      expect(await outcome(`Bearer ${aToken(issuer.issuer, key, { claimsText })}`)).toBe(401);
    }),
    { numRuns: 500 },
  );
});
