import { describe, expect, test } from "vitest";
import { packAnswers, packJobs, unpackAnswers, unpackJobs } from "../../src/storage/sqlite/job-codec.ts";
import type { Answer, Job } from "../../src/storage/sqlite/run-batch.ts";

const pool = Buffer.alloc(65_536, 7);
const values = {
  nothing: null,
  zero: 0,
  greatest: Number.MAX_SAFE_INTEGER,
  below: -1,
  fraction: 0.25,
  empty: "",
  quoted: '["AA=="]\\\u0000\n',
  half: "a\ud800b",
  letters: "ж漢😀",
  bytes: new Uint8Array([0, 255, 127]),
  none: new Uint8Array(0),
};

describe("to the thread", () => {
  test("values of a statement → the same values", () => {
    const jobs: readonly Job[] = [
      { verb: "grants.redeem", input: values },
      { verb: "grants.refresh", input: {} },
    ];
    expect(unpackJobs(structuredClone(packJobs(jobs)))).toEqual(jobs);
  });

  test("more than values beside them, lists and objects → the values alone", () => {
    const more = { ...values, names: ["a"], none: [], inner: { a: 1 } } as unknown as Job["input"];
    const { none: _, ...rest } = values;
    expect(unpackJobs(structuredClone(packJobs([{ verb: "grants.redeem", input: more }])))).toEqual([
      { verb: "grants.redeem", input: rest },
    ]);
  });

  test("the same statement with other names, or a name without a value → each its own", () => {
    const jobs = [{ a: 1, b: 2 }, { b: 3, a: 4 }, { a: 5 }, { a: undefined, b: 6 }, { a: 7, b: 8 }].map((input) => ({
      verb: "grants.redeem",
      input,
    }));
    const got = unpackJobs(structuredClone(packJobs(jobs)));
    expect(got.map(({ input }) => input)).toEqual([{ a: 1, b: 2 }, { b: 3, a: 4 }, { a: 5 }, { b: 6 }, { a: 7, b: 8 }]);
    expect(Object.keys(got[3]?.input ?? {})).toEqual(["b"]);
  });

  test("transactions between statements → each its own arguments", () => {
    const jobs: readonly Job[] = [
      { verb: "keys.add", input: { key: { bytes: new Uint8Array([1]), gone: undefined } } },
      { verb: "grants.redeem", input: { bytes: new Uint8Array([2]) } },
      { verb: "emptyRing", input: undefined },
      { verb: "keys.add", input: [{ at: 3 }] },
    ];
    expect(unpackJobs(structuredClone(packJobs(jobs)))).toEqual(jobs);
  });

  test("bytes cut from a pool → they alone travel", () => {
    const input = { key: { bytes: pool.subarray(5, 8) } };
    const { apart } = packJobs([{ verb: "keys.add", input }]);
    const [{ key }] = apart as [typeof input];
    expect(key.bytes.buffer.byteLength).toBe(3);
    const [job] = unpackJobs(packJobs([{ verb: "grants.redeem", input: { bytes: pool.subarray(5, 8) } }]));
    expect(job?.input).toEqual({ bytes: new Uint8Array([7, 7, 7]) });
  });
});

test("answers: rows, reasons, misses, outcomes and failures → the same, in their order", () => {
  const jobs = ["grants.redeem", "keys.add", "grants.refresh", "grants.redeem", "grants.refresh"].map((verb) => ({
    verb,
    input: {},
  }));
  const answers: readonly Answer[] = [
    { ok: true, value: { row: values, why: undefined } },
    { ok: true, value: { kind: "added", at: new Uint8Array([9]) } },
    { ok: false, unavailable: true, message: "disk full", stack: undefined },
    { ok: true, value: { row: undefined, why: { status: "burned", hash: new Uint8Array([1, 2]) } } },
    { ok: true, value: { row: undefined, why: undefined } },
  ];
  expect(unpackAnswers(structuredClone(packAnswers(jobs, answers)))).toEqual(answers);
});
