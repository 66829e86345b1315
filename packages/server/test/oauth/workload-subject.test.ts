import { expect, test } from "vitest";
import { matchesSubject, subjectPatternProblem } from "../../src/oauth/client-authentication/workload-subject.ts";

test.each([
  ["*", "must begin"],
  ["*:x", "must begin"],
  ["re*:x", "must begin"],
  ["job*", "must begin"],
  ["repo:**", "at most one"],
  ["repo:*a*", "at most one"],
  ["a/*/*/*/*/*/*", "at most 5"],
  ["", "1 to 1024"],
  ["a b", "printable"],
  ["a".repeat(1025), "1 to 1024"],
])("the pattern %s → refused", (pattern, problem) => {
  expect(subjectPatternProblem(pattern)).toContain(problem);
});

test.each([
  ["job", "job", true],
  ["job", "job2", false],
  ["repo:octo/*:ref:refs/heads/main", "repo:octo/app:ref:refs/heads/main", true],
  ["repo:octo/*:ref:refs/heads/main", "repo:octo/a/b:ref:refs/heads/main", false],
  ["repo:octo/app-*:x", "repo:octo/app-1:x", true],
  ["repo:octo/app-*:x", "repo:octo/app-:x", false],
  ["repo:octo/a*a:x", "repo:octo/a:x", false],
  ["spiffe://d/*", "spiffe://d/a", true],
  ["spiffe://d/*", "spiffe:/d/a", false],
  ["spiffe://d/*", "spiffe://d:a", false],
])("%s against %s → %s", (pattern, subject, matches) => {
  expect(subjectPatternProblem(pattern)).toBeUndefined();
  expect(matchesSubject(pattern, subject)).toBe(matches);
});

test("a pattern with all its wildcards against a hostile subject → decided at once", () => {
  const [pattern, subject] = ["a:*/*/*/*/*", `a:${"/".repeat(1000)}`];
  const start = performance.now();
  for (let at = 0; at < 1000; at += 1) expect(matchesSubject(pattern, subject)).toBe(false);
  expect(performance.now() - start).toBeLessThan(5000);
});
