import { describe, expect, test } from "vitest";
import { Counter, exposition, Histogram, merged, plain } from "../../src/metrics/prometheus-text.ts";

describe("a counter", () => {
  test("counts under each combination of its labels", () => {
    const counter = new Counter("assent_x_total", "Things.", ["endpoint", "status"]);
    counter.count("/token", "200");
    counter.count("/token", "200");
    counter.count("/token", "400");
    expect(exposition([counter.family()])).toBe(
      [
        "# HELP assent_x_total Things.",
        "# TYPE assent_x_total counter",
        'assent_x_total{endpoint="/token",status="200"} 2',
        'assent_x_total{endpoint="/token",status="400"} 1',
        "",
      ].join("\n"),
    );
  });

  test("10,000 different values → at most 501 series: the rest is counted together", () => {
    const counter = new Counter("assent_x_total", "Things.", ["what"]);
    for (let at = 0; at < 10_000; at += 1) counter.count(`value ${at}`);
    const { samples } = counter.family();
    expect(samples).toHaveLength(501);
    expect(samples.at(-1)).toEqual({ labels: { what: "other" }, value: 9_500 });
  });

  test("quotes, backslashes and line breaks in a value → escaped", () => {
    const counter = new Counter("assent_x_total", "One\nline.", ["what"]);
    counter.count('a"b\\c\nd');
    expect(exposition([counter.family()])).toBe(
      '# HELP assent_x_total One\\nline.\n# TYPE assent_x_total counter\nassent_x_total{what="a\\"b\\\\c\\nd"} 1\n',
    );
  });
});

describe("a histogram", () => {
  test("buckets are added up; a bound belongs to its bucket; what is beyond counts in +Inf alone", () => {
    const histogram = new Histogram("assent_t_seconds", "Times.", [], [0.1, 1]);
    for (const value of [0.1, 0.5, 2, 4]) histogram.observe(value);
    expect(exposition([histogram.family()]).split("\n").slice(2)).toEqual([
      'assent_t_seconds_bucket{le="0.1"} 1',
      'assent_t_seconds_bucket{le="1"} 2',
      'assent_t_seconds_bucket{le="+Inf"} 4',
      "assent_t_seconds_sum 6.6",
      "assent_t_seconds_count 4",
      "",
    ]);
  });
});

describe("figures of two processes", () => {
  test("what adds up is added, what doesn't is told apart by worker", () => {
    const histogram = (value: number) => {
      const one = new Histogram("assent_t_seconds", "Times.", [], [1]);
      one.observe(value);
      return one.family();
    };
    const memory = (value: number) => ({ ...plain("gauge", "assent_m", "Memory.", value), each: true as const });
    const whole = merged([
      { worker: "1", snapshot: [plain("counter", "assent_c", "Count.", 1), histogram(0.5), memory(10)] },
      { worker: "2", snapshot: [plain("counter", "assent_c", "Count.", 2), histogram(2), memory(20)] },
    ]);
    const lines = exposition(whole).split("\n");
    expect(lines).toContain("assent_c 3");
    expect(lines).toContain('assent_t_seconds_bucket{le="1"} 1');
    expect(lines).toContain('assent_t_seconds_bucket{le="+Inf"} 2');
    expect(lines).toContain('assent_m{worker="1"} 10');
    expect(lines).toContain('assent_m{worker="2"} 20');
    expect(lines.filter((line) => line.startsWith("# TYPE assent_m"))).toHaveLength(1);
  });
});
