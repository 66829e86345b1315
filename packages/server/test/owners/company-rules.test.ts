import { describe, expect, test } from "vitest";
import { canonicalSlug, cappedEnds, verdictOn } from "../../src/owners/company-rules.ts";
import type { Acting, AppRule, Member } from "../../src/owners/company-storage.ts";
import { aCompany, anAppRule } from "../storage/support/company-builders.ts";
import { anId, DAY, HOUR, NOW, SECOND } from "../storage/support/record-builders.ts";

const company = aCompany();
/** The redirect host of every answer in these tests. */
const HERE = { host: "https://app.example", earlierHosts: [], ceiling: null };

function acting(role: "member" | "admin" = "member", changes: Partial<Acting> = {}): Acting {
  const member: Member = {
    ...{ companyId: company.companyId, personId: anId(), username: "ada", role, since: NOW, addedBy: "operator" },
    ...{ accountStatus: "active", trustedFrom: NOW },
  };
  return {
    company,
    member,
    rule: undefined,
    optedOut: false,
    chosen: false,
    chosenAt: null,
    chosenUntil: null,
    chosenEnds: {},
    declined: [],
    ...changes,
  };
}

const rule = (changes: Partial<AppRule> = {}): AppRule => ({
  ...{ clientId: "c", decidedBy: "operator", decidedAt: NOW, ...anAppRule() },
  ...changes,
});

describe("a slug", () => {
  test.each(["", "-a", "a-", "a--b", "a b", "a/b", "ä", "a.b", "%2e", "a".repeat(41), "\0"])("%j → none", (text) => {
    expect(canonicalSlug(text)).toBeUndefined();
  });

  test.each([
    ["acme", "acme"],
    ["ACME-2", "acme-2"],
    ["a", "a"],
    ["a".repeat(40), "a".repeat(40)],
  ])("%j → %j", (text, slug) => {
    expect(canonicalSlug(text)).toBe(slug);
  });
});

describe("what a person may do in a company's name", () => {
  const blocked = rule({ rule: "block" });
  test.each<[string, Acting | undefined, string]>([
    ["nobody of it", undefined, "stranger"],
    ["an admin of a disabled company", acting("admin", { company: { ...company, status: "disabled" } }), "stranger"],
    [
      "a disabled admin",
      acting("admin", { member: { ...acting("admin").member, accountStatus: "disabled" } }),
      "stranger",
    ],
    ["an admin, the app blocked", acting("admin", { rule: blocked }), "blocked"],
    ["a member, the app blocked", acting("member", { rule: blocked }), "blocked"],
    ["an admin, no rule", acting("admin"), "decides"],
    [
      "an admin, where others are kept out",
      acting("admin", { company: { ...company, defaultRule: "block" } }),
      "decides",
    ],
    ["a member, members ask", acting("member", { rule: rule({ rule: "ask" }) }), "ask"],
    ["a member, no rule, members ask", acting(), "ask"],
    ["a member, no rule, kept out", acting("member", { company: { ...company, defaultRule: "block" } }), "blocked"],
    [
      "a member, no rule, members decide",
      acting("member", { company: { ...company, defaultRule: "members" } }),
      "decides",
    ],
    ["a member, approved", acting("member", { rule: rule() }), "approved"],
    [
      "a member, approved for other hosts",
      acting("member", { rule: rule({ hosts: ["https://other.example"] }) }),
      "ask",
    ],
    ["a member, approved for no host", acting("member", { rule: rule({ hosts: [] }) }), "ask"],
    ["a member, approved before hosts were noted", acting("member", { rule: rule({ hosts: null }) }), "ask"],
    [
      "an admin, approved for other hosts",
      acting("admin", { rule: rule({ hosts: ["https://other.example"] }) }),
      "decides",
    ],
    ["a member, approved, forever", acting("member", { rule: rule({ endsAt: null }) }), "approved"],
    ["a member, approved for less", acting("member", { rule: rule({ scopes: ["write"] }) }), "ask"],
    ["a member, approved until now", acting("member", { rule: rule({ endsAt: NOW + 29 * SECOND }) }), "ask"],
    ["a named member", acting("member", { rule: rule({ forSelected: true }), selected: true }), "approved"],
    ["a member who is not named", acting("member", { rule: rule({ forSelected: true }) }), "ask"],
    [
      "a member who is not named, where members decide",
      acting("member", { rule: rule({ forSelected: true }), company: { ...company, defaultRule: "members" } }),
      "ask",
    ],
    [
      "a named member, for more than that",
      acting("member", { rule: rule({ forSelected: true, scopes: ["write"] }), selected: true }),
      "ask",
    ],
    [
      "a named member, after the end",
      acting("member", { rule: rule({ forSelected: true, endsAt: NOW }), selected: true }),
      "ask",
    ],
    ...(["members", "ask", "block"] as const).map((defaultRule): [string, Acting, string] => [
      `a named member, after the end, default ${defaultRule}`,
      acting("member", {
        ...{ rule: rule({ forSelected: true, endsAt: NOW }), selected: true, company: { ...company, defaultRule } },
      }),
      defaultRule === "block" ? "blocked" : "ask",
    ]),
    [
      "a member, after the end of a rule for all, where members decide",
      acting("member", { rule: rule({ endsAt: NOW }), company: { ...company, defaultRule: "members" } }),
      "decides",
    ],
    ["an admin who is not named", acting("admin", { rule: rule({ forSelected: true }) }), "decides"],
    ["an admin, approved for less", acting("admin", { rule: rule({ scopes: ["write"] }) }), "decides"],
  ])("%s → %s", (_, who, verdict) => {
    expect(verdictOn(who, ["read"], HERE, NOW)).toBe(verdict);
  });
});

test("ends under a cap → the sooner of both, scope by scope", () => {
  const scopes = [
    { name: "read", expiresAt: null },
    { name: "write", expiresAt: NOW + HOUR },
  ];
  const ends = (endsBy: number | null, approval?: AppRule, ceiling: number | null = null) =>
    cappedEnds(scopes, () => endsBy, approval, { ceiling }).map(({ expiresAt }) => expiresAt);
  expect(ends(null)).toEqual([null, NOW + HOUR]);
  expect(ends(NOW + DAY)).toEqual([NOW + DAY, NOW + HOUR]);
  expect(ends(null, rule({ endsAt: NOW + DAY }))).toEqual([NOW + DAY, NOW + HOUR]);
  expect(ends(NOW + 2 * DAY, rule({ endsAt: NOW + DAY }))).toEqual([NOW + DAY, NOW + HOUR]);
  expect(ends(NOW + 2 * HOUR, rule({ endsAt: null }))).toEqual([NOW + 2 * HOUR, NOW + HOUR]);
  expect(ends(null, rule({ endsAt: null }), DAY)).toEqual([NOW + DAY, NOW + HOUR]);
});
