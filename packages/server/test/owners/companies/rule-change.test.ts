import { describe, expect, test } from "vitest";
import { beginsWith, hasText } from "../../../src/owners/companies/app-search.ts";
import { type RuleNow, ruleChange } from "../../../src/owners/companies/rule-change.ts";
import type { DefaultRule, ListedRule, NewRule } from "../../../src/owners/company-storage.ts";
import { anAppRule } from "../../storage/support/company-builders.ts";
import { DAY, HOUR, NOW } from "../../storage/support/record-builders.ts";

const before = (change: Partial<ListedRule> = {}): ListedRule => ({
  ...{ clientId: "c", decidedBy: "operator", decidedAt: NOW, selected: [], ...anAppRule() },
  ...change,
});
const now = (rule: ListedRule | undefined, defaultRule: DefaultRule = "ask"): RuleNow => ({
  ...{ rule, defaultRule, accessEnds: rule?.rule === "allow" ? rule.endsAt : undefined },
});
const named = (...selected: string[]) => before({ forSelected: true, selected });
const allow = (change: Partial<NewRule> = {}): NewRule => ({ ...anAppRule(), ...change });
const only = (...selected: string[]) => allow({ selected });

describe("what a rule takes, and whom it lets in", () => {
  test.each<[string, RuleNow, NewRule | null, readonly string[]]>([
    ["nothing, still nothing", now(undefined, "members"), null, []],
    ["the same approval again", now(before()), allow(), []],
    ["the same people again", now(named("a", "b")), only("b", "a"), []],
    ["no rule → all members", now(undefined), allow(), ["opens"]],
    ["blocked → all members", now(before({ rule: "block" })), allow(), ["opens"]],
    ["some → all members", now(named("a")), allow(), ["opens"]],
    ["all members, for more", now(before()), allow({ scopes: ["read", "write"] }), ["opens"]],
    ["no rule → some", now(undefined), only("a"), []],
    ["members decided → some", now(undefined, "members"), only("a"), ["withdraws"]],
    ["members decided → on request", now(undefined, "members"), allow({ rule: "ask" }), ["withdraws"]],
    ["all → some", now(before()), only("a"), ["withdraws"]],
    ["all → on request", now(before()), allow({ rule: "ask" }), ["withdraws"]],
    ["all → no rule, where members decide", now(before(), "members"), null, ["withdraws"]],
    ["some → fewer", now(named("a", "b")), only("a"), ["withdraws", "unnamed b"]],
    ["some → others", now(named("a")), only("b"), ["withdraws", "unnamed a"]],
    ["some → none", now(named("a")), null, ["withdraws", "unnamed a"]],
    ["on request → none", now(before({ rule: "ask" })), null, []],
    ["all → blocked", now(before()), allow({ rule: "block" }), ["blocks"]],
    ["for fewer scopes", now(before({ scopes: ["read", "write"] })), allow(), ["lost write"]],
    ["for a day", now(before()), allow({ endsAt: NOW + DAY }), ["sooner"]],
    ["for a year, which had no end", now(before({ endsAt: null })), allow(), ["sooner"]],
    ["for longer", now(before({ endsAt: NOW + HOUR })), allow(), []],
    ["for ever", now(before()), allow({ endsAt: null }), []],
  ])("%s", (_, present, next, effects) => {
    const { opens, blocks, withdraws, unnamed, lost, shortens } = ruleChange(present, next);
    expect([
      ...(opens ? ["opens"] : []),
      ...(blocks ? ["blocks"] : []),
      ...(withdraws ? ["withdraws"] : []),
      ...(withdraws && unnamed.length > 0 ? [`unnamed ${unnamed}`] : []),
      ...(lost.length > 0 ? [`lost ${lost}`] : []),
      ...(shortens === undefined ? [] : ["sooner"]),
    ]).toEqual(effects);
  });
});

describe("a search", () => {
  test.each([
    ["Photo Printer", "photo", true],
    ["Photo Printer", "PRIN", true],
    ["Photo Printer", " photo p ", true],
    ["Éclair Photos", "éclair", true],
    ["写真プリンター", "写真", true],
    ["Photo Printer", "hoto", false],
    ["Photo Printer", "p", false],
    ["Photo Printer", "", false],
    ["Photo Printer", "  ", false],
    ["Photo Printer", "%", false],
    ["Photo Printer", "photo.*", false],
  ])("among apps that the company doesn't know: %j by %j → %s", (name, typed, found) => {
    expect(beginsWith(name, typed)).toBe(found);
  });

  test("among the company's apps → any part of the name", () => {
    expect([hasText("Photo Printer", "INT"), hasText("Photo Printer", ""), hasText("Photo Printer", "x")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
