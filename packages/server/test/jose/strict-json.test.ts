/** Parsing JWTs of others: every input gets an answer, and the result is the one that every parser gives. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byTheClock } from "../../../../test/support/timing-test-retries.ts";
import { readJsonObject } from "../../src/jose/strict-json.ts";
import { readJwt } from "../../src/jose/verify-jwt.ts";

const read = (text: string) => readJsonObject(Buffer.from(text));
const part = (text: string) => Buffer.from(text).toString("base64url");

describe("readJsonObject", () => {
  test.each([
    ["a name twice", '{"a":1,"a":1}'],
    ["a name twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["a name twice, in a list", '[{"a":1,"a":2}]'],
    ["a name twice, deep", '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'],
    ["a name with a quote twice", '{"a\\"":1,"a\\"":2}'],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}'],
    ["a list", "[]"],
    ["null", "null"],
    ["a text", '"{}"'],
    ["nothing", ""],
    ["two objects", "{}{}"],
    ["a comma too many", '{"a":1,}'],
    ["a byte order mark", "\ufeff{}"],
    ["17 levels", `{"a":${"[".repeat(16)}${"]".repeat(16)}}`],
    ["10,000 levels", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
  ])("%s → refused", (_, text) => expect(read(text)).toBeUndefined());

  test("bytes that are not UTF-8 → refused", () => {
    expect(readJsonObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBeUndefined();
  });

  test.each([
    '{"a":{"a":1},"b":[{"a":2},{"a":3}]}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a\\\\":1,"a":2}',
    '{ "a" : "b" , "b" : "a" }',
    '{"":1}',
  ])("%s → as it is", (text) => expect(read(text)).toEqual(JSON.parse(text)));

  test("any object that JSON writes → read back", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("readJwt", () => {
  test("any text, any parts → an answer", () => {
    const pieces = fc.oneof(fc.string(), fc.json().map(part), fc.base64String(), fc.constant(part('{"alg":"ES256"}')));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 5 }), (parts) => {
        const jwt = readJwt(parts.join("."));
        if (jwt !== undefined) expect(typeof jwt.alg).toBe("string");
      }),
      { numRuns: 1000 },
    );
  });

  test("long texts made to be slow → at once", byTheClock, () => {
    const start = performance.now();
    for (const text of [
      '"'.repeat(6000),
      '{"a":"'.concat("\\".repeat(6000)),
      `{"${"\\\\".repeat(2900)}":1}`,
      "{".repeat(6000),
    ]) {
      readJwt(`${part(text)}.${part(text)}.AA`);
    }
    expect(performance.now() - start).toBeLessThan(200);
  });
});
