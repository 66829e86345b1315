import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FAILURES } from "../src/event-reporting.ts";
import { LogSampler } from "../src/log-sampling.ts";

type Line = Readonly<Record<string, unknown>>;

function aSampler(window?: number) {
  const lines: Line[] = [];
  const sampler = new LogSampler((fields) => void lines.push(fields), window);
  const line = (network: string, cause = "a", more: Line = {}) =>
    sampler.line({
      cause: { event: cause },
      source: { network },
      fields: { event: cause, network, ...more },
      text: cause,
    });
  return { sampler, lines, line, summed: () => lines.filter((one) => "repeated" in one) };
}

function times(count: number, work: (at: number) => void): void {
  for (let at = 0; at < count; at += 1) work(at);
}

test("nothing came → a flush writes nothing; five came → five lines and no count", () => {
  const { sampler, lines, line } = aSampler();
  sampler.flush();
  times(5, () => line("x"));
  sampler.flush();
  expect(lines).toHaveLength(5);
});

test("more came → the first five whole, one line with what they have in common and the count; then it begins anew", () => {
  const { sampler, lines, line } = aSampler();
  times(3440, (at) => line("x", "a", { detail: `of ${at}` }));
  sampler.flush();
  expect(lines).toHaveLength(6);
  expect(lines[5]).toEqual({ event: "a", network: "x", repeated: 3435 });
  line("x");
  expect(lines).toHaveLength(7);
});

test("each source and each cause → its own five", () => {
  const { lines, line } = aSampler();
  for (const [network, cause] of [
    ["x", "a"],
    ["y", "a"],
    ["x", "b"],
  ] as const)
    times(9, () => line(network, cause));
  expect(lines).toHaveLength(15);
});

test("1,000 sources → a hundred whole lines; the twenty that repeated most by name, the others in one line", () => {
  const { sampler, lines, line, summed } = aSampler();
  times(1000, (at) => times(at < 500 ? 1 : 2, () => line(`net-${at}`)));
  expect(lines).toHaveLength(100);
  sampler.flush();
  const sums = summed();
  expect(sums).toHaveLength(21);
  expect(sums.slice(0, 20).every(({ repeated }) => repeated === 2)).toBe(true);
  expect(sums[20]).toEqual({ event: "a", sources: 880, repeated: 1500 - 100 - 40 });
});

test("100,000 sources → memory for 10,000; every line is counted", () => {
  const { sampler, lines, line, summed } = aSampler();
  times(100_000, (at) => line(`net-${at}`));
  sampler.flush();
  const repeated = summed().reduce((sum, one) => sum + Number(one["repeated"]), 0);
  expect(lines.length - summed().length + repeated).toBe(100_000);
  expect(summed().at(-1)?.["sources"]).toBe(10_000 - 100 - 20);
});

test("one cause that floods → another's lines are written all the same, also when no more sources are counted", () => {
  const { lines, line } = aSampler();
  times(20_000, (at) => line(`net-${at}`));
  const before = lines.length;
  times(3, () => line("elsewhere", "b"));
  expect(lines.length - before).toBe(3);
});

test("one cause that has taken all places → 100 sources of another are still counted by themselves", () => {
  const { sampler, lines, line, summed } = aSampler();
  times(10_000, (at) => line(`net-${at}`));
  lines.length = 0;
  times(9, () => line("elsewhere", "b"));
  expect(lines).toHaveLength(5);
  times(299, (at) => line(`other-${at}`, "b"));
  sampler.flush();
  const sums = summed().filter((one) => one["event"] === "b");
  expect(sums[0]).toEqual({ event: "b", network: "elsewhere", repeated: 4 });
  expect(lines.filter((one) => one["event"] === "b" && !("repeated" in one))).toHaveLength(100);
  expect(sums.reduce((sum, one) => sum + Number(one["repeated"]), 0)).toBe(9 + 299 - 100);
});

describe("the end of a window", () => {
  test("comes by itself → the count is written, and the next line is whole", async () => {
    const { lines, line, summed } = aSampler(20);
    times(7, () => line("x"));
    await expect.poll(summed).toEqual([{ event: "a", network: "x", repeated: 2 }]);
    line("x");
    expect(lines.at(-1)).toEqual({ event: "a", network: "x" });
  });
});

test("events that are sampled → the operators' page names each", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operate/run.md"), "utf8");
  expect([...FAILURES].filter((event) => !page.includes(`\`${event}\``))).toEqual([]);
});
