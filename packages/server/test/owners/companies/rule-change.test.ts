import { describe, expect, test } from "vitest";
import type { Millis } from "../../../src/oauth/model.ts";
import { beginsWith, hasText } from "../../../src/owners/companies/app-search.ts";
import { keptUntil, latestEnds, type RuleNow, ruleChange } from "../../../src/owners/companies/rule-change.ts";
import type { DefaultRule, HeldScope, ListedRule, NewRule } from "../../../src/owners/company-storage.ts";
import { anAppRule } from "../../storage/support/company-builders.ts";
import { DAY, HOUR, NOW } from "../../storage/support/record-builders.ts";

const before = (change: Partial<ListedRule> = {}): ListedRule => ({
  ...{ clientId: "c", decidedBy: "operator", decidedAt: NOW, selected: [], ...anAppRule() },
  ...change,
});
const holds = (name: string, endsAt: Millis | null, by: Partial<HeldScope> = {}): HeldScope => ({
  ...{ personId: "m", admin: false, name, endsAt },
  ...by,
});
/** The app acts for members "m", "a" and "b", and for an admin. */
const now = (rule: ListedRule | undefined, defaultRule: DefaultRule = "ask", keepsOut = false): RuleNow => {
  const allowed = rule?.rule === "allow" ? rule : { scopes: ["read"], endsAt: NOW + 365 * DAY };
  const people = [{}, { personId: "a" }, { personId: "b" }, { personId: "boss", admin: true }];
  const held = people.flatMap((by) => allowed.scopes.map((name) => holds(name, allowed.endsAt, by)));
  return { rule, defaultRule, keepsOut, held };
};
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
    ["members decided → some", now(undefined, "members"), only("a"), ["withdraws m b"]],
    ["members decided → on request", now(undefined, "members"), allow({ rule: "ask" }), ["withdraws m a b"]],
    ["a rule for some has ended → on request", now(undefined, "members", true), allow({ rule: "ask" }), []],
    ["all → some", now(before()), only("a"), ["withdraws m b"]],
    ["all → on request", now(before()), allow({ rule: "ask" }), ["withdraws m a b"]],
    ["all → no rule, where members decide", now(before(), "members"), null, ["opens"]],
    ["some → no rule, where members decide", now(named("a"), "members"), null, ["opens"]],
    ["on request → no rule, where members decide", now(before({ rule: "ask" }), "members"), null, ["opens"]],
    ["blocked → no rule, where members decide", now(before({ rule: "block" }), "members"), null, ["opens"]],
    ["a rule for some has ended → no rule, where members decide", now(undefined, "members", true), null, ["opens"]],
    ["some → fewer", now(named("a", "b")), only("a"), ["withdraws b"]],
    ["some → others", now(named("a")), only("b"), ["withdraws a"]],
    ["some → more", now(named("a")), only("a", "b"), []],
    ["some → none", now(named("a")), null, ["withdraws a"]],
    ["on request → none", now(before({ rule: "ask" })), null, []],
    ["all → blocked", now(before()), allow({ rule: "block" }), ["blocks"]],
    ["for fewer scopes", now(before({ scopes: ["read", "write"] })), allow(), ["lost write"]],
    ["for a day", now(before()), allow({ endsAt: NOW + DAY }), ["sooner"]],
    ["for a year, which had no end", now(before({ endsAt: null })), allow(), ["sooner"]],
    ["for longer", now(before({ endsAt: NOW + HOUR })), allow(), []],
    ["for ever", now(before()), allow({ endsAt: null }), []],
  ])("%s", (_, present, next, effects) => {
    const { opens, blocks, withdraws, lost, shortens } = ruleChange(present, next);
    expect([
      ...(opens ? ["opens"] : []),
      ...(blocks ? ["blocks"] : []),
      ...(withdraws.length > 0 ? [`withdraws ${withdraws.map(({ personId }) => personId).join(" ")}`] : []),
      ...(lost.length > 0 ? [`lost ${lost}`] : []),
      ...(shortens === undefined ? [] : ["sooner"]),
    ]).toEqual(effects);
  });
});

describe("access that an approval changes", () => {
  const held = [
    holds("read", null),
    holds("read", NOW + HOUR, { personId: "n" }),
    holds("read", null, { personId: "boss", admin: true }),
    holds("write", null),
    holds("write", NOW + DAY, { personId: "boss", admin: true }),
  ];
  const present = { rule: undefined, defaultRule: "members", held } as const;
  const day = allow({ endsAt: NOW + DAY });

  test("for a day → access to its scopes ends with it, also that of admins; access to others stays", () => {
    const change = ruleChange(present, day);
    expect(change.shortens?.to).toBe(NOW + DAY);
    expect(change.shortens?.held.map(({ personId }) => personId)).toEqual(["m", "boss"]);
    expect(latestEnds(change.stays)).toEqual([{ name: "write", expiresAt: null }]);
    const some = { ...day, selected: ["m"] };
    expect(keptUntil(ruleChange(present, some), some)).toBe(NOW + HOUR);
    const others = { ...day, selected: ["n"] };
    expect(keptUntil(ruleChange(present, others), others)).toBeNull();
  });

  test("without a scope that the earlier approval had → members lose it, admins' access to it stays", () => {
    const change = ruleChange({ ...present, rule: before({ scopes: ["read", "write"] }) }, day);
    expect(change.lost).toEqual(["write"]);
    expect(change.stays).toEqual([holds("write", NOW + DAY, { personId: "boss", admin: true })]);
    const others = { ...day, selected: [] };
    expect(keptUntil(ruleChange({ ...present, rule: before({ scopes: ["read", "write"] }) }, others), others)).toBe(
      NOW + DAY,
    );
  });

  test("for some, where members decided → access of the others is left to the choice, so it isn't said to stay", () => {
    const next = { ...day, selected: ["n"] };
    const change = ruleChange(present, next);
    expect(change.leftOut).toEqual([holds("read", null), holds("write", null)]);
    expect(change.stays).toEqual([holds("write", NOW + DAY, { personId: "boss", admin: true })]);
    // No choice is asked where they were not allowed before either: their access goes on.
    expect(ruleChange({ ...present, defaultRule: "ask" }, next).stays).toHaveLength(2);
  });

  test("blocked or on request → nothing is said to stay, and the earlier ends hold", () => {
    const ask = allow({ rule: "ask" });
    expect(ruleChange(present, allow({ rule: "block" })).stays).toEqual([]);
    expect(ruleChange(present, ask)).toMatchObject({ shortens: undefined, stays: [] });
    expect(keptUntil(ruleChange(present, ask), ask)).toBeNull();
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
