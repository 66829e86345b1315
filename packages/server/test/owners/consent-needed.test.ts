/** Whether the owner is asked, and what their answer grants. */

import { describe, expect, test } from "vitest";
import { wantedAcr } from "../../src/oauth/authentication-context.ts";
import { hostsBefore, type Reach, reachOf } from "../../src/oauth/consent-reach.ts";
import type { Acr, Client, Consent, Scope } from "../../src/oauth/model.ts";
import { unexpired } from "../../src/owners/consent-after-decision.ts";
import {
  answeredScopes,
  decideConsent,
  defaultDuration,
  grantableScopes,
  readDuration,
} from "../../src/owners/consent-needed.ts";
import { signInNeeded } from "../../src/owners/session-lifetime-and-level.ts";
import type { Person } from "../../src/owners/storage.ts";

const scope = (name: string, more: Partial<Scope> = {}): Scope => ({
  name,
  description: name,
  resource: null,
  optional: false,
  sensitive: false,
  ownerRole: null,
  ...more,
});
const read = scope("read");
const write = scope("write", { optional: true });
const admin = scope("admin:users", { ownerRole: "users" });

const consent = (scopes: Consent["scopes"], status: Consent["status"] = "active") =>
  ({ status, scopes, pausedAt: null }) as Consent;
const client = (type: Client["type"]) => ({ type }) as Client;
const request = { client: client("confidential"), redirectUri: "https://app.test/cb", prompt: [] };
const old = { grantedAt: 0, expiresAt: null };
const HERE = ["https://app.test", "http://127.0.0.1", "com.example.app:"];
const held = (name: string, expiresAt: number | null = null, hosts = HERE) => ({
  ...{ name, grantedAt: 0, expiresAt, hosts },
});

/** The decision about a request for `read`. */
const decide = (asked: Parameters<typeof decideConsent>[0] & { client: Client }, record: Consent | undefined) =>
  decideConsent(asked, [read], record, reachOf(asked.client, asked.redirectUri, null), 1000);

describe("the page is shown", () => {
  test.each([
    ["no consent", request, undefined, "ask"],
    ["a revoked consent", request, consent([held("read")], "revoked"), "ask"],
    ["a scope that it doesn't hold", request, consent([held("write")]), "ask"],
    ["a scope that has ended", request, consent([held("read", 999)]), "ask"],
    ["a scope given for another host", request, consent([held("read", null, ["https://other.test"])]), "elsewhere"],
    ["a scope given for no host, as by a device", request, consent([held("read", null, [])]), "elsewhere"],
    [
      "one scope given here, one elsewhere",
      request,
      consent([held("read", null, ["https://other.test"]), held("write")]),
      "elsewhere",
    ],
    ["a scope given before hosts were noted", request, consent([{ name: "read", ...old }]), "elsewhere"],
    [
      "a scope given for another host, and prompt=consent",
      { ...request, prompt: ["consent" as const] },
      consent([held("read", null, ["https://other.test"])]),
      "elsewhere",
    ],
    ["a scope with under 30 s left", request, consent([held("read", 1000 + 29_999)]), "ask"],
    ["prompt=consent", { ...request, prompt: ["consent" as const] }, consent([held("read")]), "asked_again"],
    [
      "a public client on a loopback redirect",
      { ...request, client: client("public"), redirectUri: "http://127.0.0.1/cb" },
      consent([held("read")]),
      "asked_again",
    ],
    [
      "a public client on a custom scheme",
      { ...request, client: client("public"), redirectUri: "com.example.app:/cb" },
      consent([held("read")]),
      "asked_again",
    ],
  ])("%s → %4$s", (_what, asked, record, decision) => {
    expect(decide(asked, record)).toBe(decision);
  });
});

test.each([
  ["a confidential client", request],
  ["a confidential client on a loopback redirect", { ...request, redirectUri: "http://127.0.0.1/cb" }],
  ["a public client with an https redirect", { ...request, client: client("public") }],
])("%s and a standing consent → no page", (_what, asked) => {
  expect(decide(asked, consent([held("read", 1000 + 30_000)]))).toBe("skip");
});

test("CM-12 CM-17 a client that a document describes → no page only on https on the document's own host, with the look that was allowed", () => {
  const document = { checkedAt: 0, appearance: "look", logoUri: null, scope: null };
  const described = { ...client("public"), clientId: "https://app.test/client.json", document, verified: true };
  const held1 = (host: string, look = "look") => consent([held("read", null, [`${host}#${look}`])]);
  const at = (redirectUri: string, record: Consent) => decide({ ...request, client: described, redirectUri }, record);
  expect(at("https://app.test/cb", held1("https://app.test"))).toBe("skip");
  expect(at("https://app.test/cb", held1("https://app.test", "other"))).toBe("elsewhere");
  expect(at("https://app.test:8443/cb", held1("https://app.test:8443"))).toBe("asked_again");
  expect(at("https://a.app.test/cb", held1("https://a.app.test"))).toBe("asked_again");
  expect(at("http://127.0.0.1/cb", held1("http://127.0.0.1"))).toBe("asked_again");
  expect(at("com.example.app:/cb", held1("com.example.app:"))).toBe("asked_again");
});

test("given before hosts were noted, to a client that had this host then → no page", () => {
  const earlierRedirectUris = ["https://app.test/old"];
  const asked = { ...request, client: { ...client("confidential"), earlierRedirectUris } };
  expect(decide(asked, consent([{ name: "read", ...old }]))).toBe("skip");
  const elsewhere = { ...asked, redirectUri: "https://new.test/cb" };
  expect(decide(elsewhere, consent([{ name: "read", ...old }]))).toBe("elsewhere");
});

test("the hosts before: where this one is new, those that anything standing was given for; else none", () => {
  const reach = { host: "https://app.test", earlierHosts: ["https://old.test"], ceiling: null };
  const other = held("read", null, ["https://other.test"]);
  const before = (record: Consent | undefined, where: Reach, now: number) =>
    hostsBefore(unexpired(record, where, now), where);
  expect(before(undefined, reach, 1000)).toBeUndefined();
  expect(before(consent([other], "revoked"), reach, 1000)).toBeUndefined();
  expect(before(consent([{ ...other, expiresAt: 999 }]), reach, 1000)).toBeUndefined();
  expect(before(consent([other, held("write")]), reach, 1000)).toBeUndefined();
  expect(before(consent([other]), { ...reach, host: null }, 1000)).toBeUndefined();
  expect(before(consent([other, { name: "x", ...old }]), reach, 1000)).toEqual([
    "https://other.test",
    "https://old.test",
  ]);
  expect(before(consent([held("read", null, [])]), reach, 1000)).toEqual([]);
});

test("a scope with an owner role → only people who have it may grant it", () => {
  const person = (operator: string[]) => ({ operator }) as unknown as Person;
  expect(grantableScopes([read, admin], person([]))).toEqual([read]);
  expect(grantableScopes([read, admin], person(["clients"]))).toEqual([read]);
  expect(grantableScopes([read, admin], person(["users"]))).toEqual([read, admin]);
  expect(grantableScopes([read, admin], person(["admin"]))).toEqual([read, admin]);
  expect(grantableScopes([scope("x", { ownerRole: "operator" })], person(["read"]))).toHaveLength(1);
});

test("required scopes are granted whatever the form says; names that weren't asked for count for nothing", () => {
  expect(answeredScopes([read, write], new Set())).toEqual({ granted: ["read"], declined: ["write"] });
  expect(answeredScopes([read, write], new Set(["write", "admin:users"]))).toEqual({
    granted: ["read", "write"],
    declined: [],
  });
});

test("a duration that the operator doesn't offer → undefined", () => {
  expect([
    readDuration("60", [3600, "once"]),
    readDuration(undefined, ["forever"]),
    readDuration("forever", ["once"]),
  ]).toEqual([undefined, undefined, undefined]);
  expect([readDuration("3600", [3600, "once"]), readDuration("once", [3600, "once"])]).toEqual([3600, "once"]);
});

test("the default is 90 days, else the longest below, else the shortest above, else what there is", () => {
  expect(defaultDuration(["once", 3600, 7_776_000, "forever"])).toBe(7_776_000);
  expect(defaultDuration(["once", 3600, 60, "forever"])).toBe(3600);
  expect(defaultDuration([31_536_000, 63_072_000])).toBe(31_536_000);
  expect(defaultDuration(["once", "forever"])).toBe("once");
});

describe("sign-in is asked again", () => {
  const none = { prompt: [], maxAge: null };
  test.each([
    ["prompt=login and an older sign-in", { ...none, prompt: ["login" as const] }, 999, true],
    ["prompt=login and a sign-in since", { ...none, prompt: ["login" as const] }, 1000, false],
    ["prompt=select_account and an older sign-in", { ...none, prompt: ["select_account" as const] }, 999, true],
    ["max_age passed", { ...none, maxAge: 5 }, -4001, true],
    ["max_age not passed", { ...none, maxAge: 5 }, -4000, false],
    ["max_age=0 and an older sign-in", { ...none, maxAge: 0 }, 999, true],
    ["max_age=0 and a sign-in since", { ...none, maxAge: 0 }, 1000, false],
    ["nothing of the kind", none, -1_000_000, false],
  ])("%s → %3$s", (_what, asked, authTime, needed) => {
    const session = { authTime, acr: "1fa", amr: ["pwd"] };
    const outcome = signInNeeded({ acr: null, ...asked }, [], session, 1000, 1000);
    expect(outcome.kind).toBe(needed ? "sign_in" : "none");
  });

  const asks = (acr: Acr | null = null, maxAge: number | null = null) => ({ prompt: [], acr, maxAge });
  const by = (acr: string | null, authTime = 500) => ({ authTime, acr, amr: [] });
  test.each([
    ["mfa asked for, by password", asks("mfa"), [read], by("1fa"), { kind: "step", acr: "mfa" }],
    [
      "mfa asked for, a session from before levels were noted",
      asks("mfa"),
      [read],
      by(null),
      { kind: "step", acr: "mfa" },
    ],
    [
      "a scope that wants mfa, by password",
      asks(),
      [read, scope("pay", { acr: "mfa" })],
      by("1fa"),
      { kind: "step", acr: "mfa" },
    ],
    [
      "a scope that wants less than the request",
      asks("phr"),
      [scope("pay", { acr: "mfa" })],
      by("mfa"),
      { kind: "step", acr: "phr" },
    ],
    [
      "two scopes, the stricter counts",
      asks(),
      [scope("a", { acr: "mfa" }), scope("b", { acr: "phr" })],
      by("mfa"),
      { kind: "step", acr: "phr" },
    ],
    ["mfa asked for, by passkey", asks("mfa"), [read], by("phr"), { kind: "none" }],
    ["1fa asked for, by password", asks("1fa"), [read], by("1fa"), { kind: "none" }],
    [
      "a scope that wants a fresh sign-in, one that isn't",
      asks(),
      [scope("pay", { maxAge: 60 })],
      by("1fa", 1000 - 60_001),
      { kind: "sign_in" },
    ],
    [
      "a scope that wants a fresh sign-in, one that is",
      asks(),
      [scope("pay", { maxAge: 60 })],
      by("1fa", 1000 - 60_000),
      { kind: "none" },
    ],
    ["both, a sign-in that is neither", asks("mfa"), [scope("pay", { maxAge: 0 })], by("1fa", 0), { kind: "sign_in" }],
  ] as const)("%s → %4$o", (_what, asked, scopes, session, outcome) => {
    expect(signInNeeded(asked, scopes, session, 1000, 1000)).toEqual(outcome);
  });

  test.each([
    [undefined, null],
    ["", null],
    ["urn:other:gold toString", null],
    ["MFA", null],
    ["phr mfa", "mfa"],
    ["urn:other:gold phr", "phr"],
    ["1fa phr", "1fa"],
  ])("acr_values=%j → %j", (given, wanted) => {
    expect(wantedAcr(given)).toBe(wanted);
  });
});
