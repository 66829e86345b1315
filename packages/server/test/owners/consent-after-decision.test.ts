import { describe, expect, test } from "vitest";
import { type Consent, type GrantedScope, NEVER } from "../../src/oauth/model.ts";
import {
  absoluteUntilOf,
  activeAt,
  approve,
  decidedScopes,
  endOf,
  type LiveGrant,
  latestOf,
  moveEnd,
  narrow,
  refusedScopes,
} from "../../src/owners/consent-after-decision.ts";
import type { Approve } from "../../src/owners/storage.ts";

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const HOSTS = ["https://app.test"];

function aConsent(changes: Partial<Consent> = {}): Consent {
  return {
    partition: 7,
    ownerId: "owner",
    clientId: "client",
    status: "active",
    grantedBy: "owner",
    via: "browser",
    scopes: [{ name: "read", hosts: HOSTS, expiresAt: NOW + HOUR, grantedAt: NOW - HOUR }],
    removed: [],
    declined: [],
    chosenAt: null,
    createdAt: NOW - HOUR,
    updatedAt: NOW - HOUR,
    expiresAt: NOW + HOUR,
    lastUsedAt: null,
    lastUsedAddress: null,
    uses: 4,
    revokedAt: null,
    revokedBy: null,
    pausedAt: null,
    shown: { locale: "en", clientName: "App", logo: null },
    ...changes,
  };
}

function aDecision(changes: Partial<Parameters<typeof approve>[1]> = {}, scopes: readonly string[] = ["read"]) {
  return {
    grant: { partition: 7, ownerId: "owner", clientId: "client", scopes, ceiling: null },
    grantedBy: "owner",
    via: "browser",
    declined: [],
    duration: 7200,
    onceUntil: NOW + 600_000,
    hosts: HOSTS,
    earlierHosts: [],
    shown: { locale: "de", clientName: "App 2", logo: null },
    address: null,
    now: NOW,
    ...changes,
  } as const;
}

function aLive(scopes: readonly GrantedScope[], changes: Partial<LiveGrant> = {}): LiveGrant {
  return {
    grantId: "g",
    personId: "owner",
    host: HOSTS[0] ?? null,
    refreshable: true,
    scopes,
    absoluteUntil: absoluteUntilOf(scopes),
    decidedAt: NOW - HOUR,
    ...changes,
  };
}

describe("ends", () => {
  test("of a duration: seconds from now, never, or the once's own", () => {
    expect(endOf(60, NOW, NOW + 5)).toBe(NOW + 60_000);
    expect(endOf("forever", NOW, NOW + 5)).toBeNull();
    expect(endOf("once", NOW, NOW + 5)).toBe(NOW + 5);
  });

  test("the latest: none → undefined; one without an end → null", () => {
    expect(latestOf([])).toBeUndefined();
    expect(latestOf([3, null, 5])).toBeNull();
    expect(latestOf([3, 5, 4])).toBe(5);
    expect(absoluteUntilOf([{ name: "read", expiresAt: null }])).toBe(NEVER);
  });
});

describe("approving", () => {
  test("a scope that was there → keeps its beginning and its end, whether the time for what is new is longer or shorter", () => {
    const stands = { name: "read", hosts: HOSTS, expiresAt: NOW + HOUR, grantedAt: NOW - HOUR, decidedAt: NOW - HOUR };
    const live = aLive([{ name: "read", expiresAt: NOW + HOUR }]);
    for (const duration of [60, 7200, "forever", "once"] as const) {
      const { consent, changes } = approve(aConsent(), aDecision({ duration }, ["read", "write"]), [live]);
      expect(consent.scopes[0]).toEqual(stands);
      expect(changes).toEqual([]);
    }
    const mine = decidedScopes(aConsent(), aDecision({}, ["read", "write"]));
    expect(mine.scopes.map(({ expiresAt }) => expiresAt)).toEqual([NOW + HOUR, NOW + 2 * HOUR]);
    expect(mine).toMatchObject({ left: new Map([["read", stands]]), decidedAt: NOW, lasting: true });
    expect(decidedScopes(aConsent(), aDecision()).decidedAt).toBe(NOW - HOUR);
  });

  test("what stands, and something new for this once → what stands is for longer, the rest is not", () => {
    const mixed = decidedScopes(aConsent(), aDecision({ duration: "once" }, ["read", "write"]));
    expect(mixed.scopes.map(({ expiresAt }) => expiresAt)).toEqual([NOW + HOUR, NOW + 600_000]);
    expect(mixed.lasting).toBe(true);
    expect(decidedScopes(undefined, aDecision({ duration: "once" })).lasting).toBe(false);
  });

  test("less than 30 s are left → it is new", () => {
    const scopes = [{ name: "read", expiresAt: NOW + 29_000, grantedAt: 1 }];
    const { consent } = approve(aConsent({ scopes }), aDecision(), []);
    expect(consent.scopes[0]).toMatchObject({ expiresAt: NOW + 2 * HOUR, decidedAt: NOW });
  });

  test("less than 30 s are left of it at another host → it ends there as it would have", () => {
    const scopes = [{ name: "read", hosts: HOSTS, expiresAt: NOW + 29_000, grantedAt: 1 }];
    const { consent } = approve(aConsent({ scopes }), aDecision({ hosts: ["https://other.test"] }), []);
    expect(consent.scopes).toMatchObject([{ hosts: ["https://other.test"], expiresAt: NOW + 2 * HOUR }]);
  });

  test("a later end, under a lower ceiling → a host whose own end is sooner gets no more than its own", () => {
    const [host = "", other = ""] = [...HOSTS, "https://other.test"];
    const own = NOW + 20 * HOUR;
    const scope = { name: "read", hosts: [host, other], expiresAt: NOW + 90 * HOUR, hostEnds: { [other]: own } };
    const before = aConsent({ scopes: [{ ...scope, grantedAt: 1, decidedAt: NOW - 20 * HOUR }] });
    const live = [
      aLive([{ name: "read", expiresAt: NOW + 10 * HOUR }], { grantId: "here" }),
      aLive([{ name: "read", expiresAt: own }], { grantId: "there", host: other }),
    ];
    const ceiling = 30 * HOUR;
    const decision = aDecision({ durations: { read: 30 * 3600 } });
    const { changes } = approve(before, { ...decision, grant: { ...decision.grant, ceiling } }, live);
    const ends = (some: typeof changes) => some.map(({ grantId, absoluteUntil }) => [grantId, absoluteUntil]);
    expect(ends(changes).sort()).toEqual([
      ["here", NOW + ceiling],
      ["there", own],
    ]);
    expect(ends(moveEnd(before, NOW + ceiling, live, NOW).changes).sort()).toEqual(ends(changes).sort());
  });

  test("a later end, and the record no longer has the scope for the host of a grant → the grant lasts no longer", () => {
    const other = "https://other.test";
    const live = aLive([{ name: "read", expiresAt: NOW + HOUR }], { host: other });
    const endAfter = (consent: Consent) => moveEnd(consent, null, [live], NOW).changes[0]?.absoluteUntil;
    expect(endAfter(aConsent())).toBe(NOW + HOUR);
    const [scope] = aConsent().scopes;
    const asked = { ...aDecision({ duration: 1800 }), grant: { ...aDecision().grant, ceiling: HOUR / 2 } };
    const both = aConsent({ scopes: scope === undefined ? [] : [{ ...scope, hosts: [...HOSTS, other] }] });
    const { consent } = approve(both, asked, []);
    expect(consent.scopes[0]?.hosts).toEqual(HOSTS);
    expect(endAfter(consent)).toBe(NOW + HOUR);
  });

  test("something new that an older grant holds for once → gains no time there", () => {
    const live = aLive([
      { name: "read", expiresAt: NOW + HOUR },
      { name: "write", expiresAt: NOW + 1000 },
    ]);
    expect(approve(aConsent(), aDecision({}, ["write"]), [live]).changes).toEqual([]);
  });

  test("on another host, for longer → that host too, but no longer than before; for shorter → that long there; once → for this grant alone", () => {
    const other = ["https://other.test"];
    const elsewhere = (duration: Approve["duration"]) => aDecision({ duration, hosts: other });
    const stands = { expiresAt: NOW + HOUR, decidedAt: NOW - HOUR };
    const at = (host: string) => ({ host, earlierHosts: [], ceiling: null });
    const longer = approve(aConsent(), elsewhere(7200), []).consent.scopes[0];
    expect(longer).toMatchObject({ ...stands, hosts: [...HOSTS, ...other] });
    expect(decidedScopes(aConsent(), elsewhere(7200)).scopes[0]?.expiresAt).toBe(NOW + HOUR);
    const { consent: short } = approve(aConsent(), elsewhere(60), []);
    const again = approve(short, elsewhere("forever"), []).consent;
    expect(activeAt(again, at("https://other.test"), NOW)).toMatchObject([{ expiresAt: NOW + 60_000 }]);
    const chosen = approve(short, { ...elsewhere(60), durations: { read: 7200 } }, []).consent;
    expect(activeAt(chosen, at("https://other.test"), NOW)).toMatchObject([{ expiresAt: NOW + 2 * HOUR }]);
    for (const [duration, end] of [
      [60, 60_000],
      ["once", 600_000],
    ] as const) {
      const { consent } = approve(aConsent(), elsewhere(duration), []);
      expect(consent.scopes[0]).toMatchObject(stands);
      expect(activeAt(consent, at("https://app.test"), NOW).map(({ expiresAt }) => expiresAt)).toEqual([NOW + HOUR]);
      const there = activeAt(consent, at("https://other.test"), NOW).map(({ expiresAt }) => expiresAt);
      expect(there).toEqual(duration === "once" ? [] : [NOW + 60_000]);
      expect(decidedScopes(aConsent(), elsewhere(duration)).scopes[0]?.expiresAt).toBe(NOW + end);
    }
    expect(decidedScopes(aConsent(), elsewhere("once")).lasting).toBe(false);
  });

  test("for shorter at more hosts than a record remembers → it keeps the latest, with their ends, and no others", () => {
    let consent = aConsent();
    for (let at = 1; at <= 120; at++) {
      consent = approve(consent, aDecision({ duration: 60, hosts: [`https://${at}.test`] }), []).consent;
    }
    const [scope] = consent.scopes;
    expect(scope?.hosts).toHaveLength(100);
    expect(Object.keys(scope?.hostEnds ?? {}).sort()).toEqual([...(scope?.hosts ?? [])].sort());
  });

  test("another end for a scope that was there → keeps its beginning, gets the new end", () => {
    const { consent } = approve(aConsent(), aDecision({ durations: { read: 7200 } }), []);
    const read = { name: "read", hosts: HOSTS, expiresAt: NOW + 2 * HOUR, grantedAt: NOW - HOUR, decidedAt: NOW };
    expect(consent.scopes).toEqual([read]);
    expect(consent).toMatchObject({ createdAt: NOW - HOUR, updatedAt: NOW, uses: 5, shown: { locale: "de" } });
  });

  test("an expired scope that isn't asked → dropped; an unexpired one → kept with its end", () => {
    const scopes = [
      { name: "old", expiresAt: NOW, grantedAt: 1 },
      { name: "still", expiresAt: NOW + 1, grantedAt: 1 },
    ];
    const { consent } = approve(aConsent({ scopes }), aDecision(), []);
    expect(consent.scopes.map(({ name }) => name)).toEqual(["still", "read"]);
    expect(consent.scopes[0]?.expiresAt).toBe(NOW + 1);
  });

  test("an expired scope that is asked → begins now", () => {
    const { consent } = approve(
      aConsent({ scopes: [{ name: "read", expiresAt: NOW, grantedAt: 1 }] }),
      aDecision(),
      [],
    );
    const read = { name: "read", hosts: HOSTS, expiresAt: NOW + 2 * HOUR, grantedAt: NOW, decidedAt: NOW };
    expect(consent.scopes).toEqual([read]);
  });

  test("a revoked record → anew", () => {
    const { consent } = approve(
      aConsent({ status: "revoked", revokedAt: NOW, revokedBy: "x" }),
      aDecision({}, ["write"]),
      [],
    );
    expect(consent.scopes.map(({ name }) => name)).toEqual(["write"]);
    expect(consent).toMatchObject({ status: "active", createdAt: NOW, uses: 1, revokedAt: null, revokedBy: null });
  });

  test("a live grant never gains a scope", () => {
    const live = aLive([{ name: "read", expiresAt: NOW + HOUR }]);
    const { changes } = approve(aConsent(), aDecision({ durations: { read: 7200 } }, ["read", "write"]), [live]);
    expect(changes).toEqual([
      {
        grantId: "g",
        scopes: [{ name: "read", expiresAt: NOW + 2 * HOUR }],
        absoluteUntil: NOW + 2 * HOUR,
        decidedAt: NOW,
      },
    ]);
  });

  test("a live grant with none of the scopes → unchanged", () => {
    const { changes } = approve(aConsent(), aDecision(), [aLive([{ name: "write", expiresAt: null }])]);
    expect(changes).toEqual([]);
  });

  test("a grant without refresh tokens → never longer, but shorter", () => {
    const live = aLive([{ name: "read", expiresAt: NOW + HOUR }], {
      refreshable: false,
      absoluteUntil: NOW + HOUR / 2,
    });
    const forRead = (seconds: number) => aDecision({ durations: { read: seconds } });
    expect(approve(aConsent(), forRead(7200), [live]).changes).toEqual([]);
    expect(approve(aConsent(), forRead(60), [live]).changes).toMatchObject([{ absoluteUntil: NOW + 60_000 }]);
  });

  test("a company's rule for longer → no grant lasts longer, not even the admin's own; for shorter → all end sooner", () => {
    const ends = (end: number) => [{ name: "read", expiresAt: end }];
    const live = [
      aLive(ends(NOW + HOUR), { grantId: "admin" }),
      aLive(ends(NOW + HOUR), { grantId: "g", personId: "b" }),
    ];
    const until = (end: number | null) => approve(aConsent(), aDecision({ endsAt: end, duration: "forever" }), live);
    for (const end of [NOW + 2 * HOUR, null]) {
      expect(until(end).changes).toEqual([]);
      expect(until(end).consent.scopes).toMatchObject([{ expiresAt: end }]);
    }
    const changed = { scopes: ends(NOW + 60_000), absoluteUntil: NOW + 60_000, decidedAt: NOW - HOUR };
    expect(until(NOW + 60_000).changes).toEqual([
      { grantId: "admin", ...changed },
      { grantId: "g", ...changed },
    ]);
  });

  test("somebody decides for a company → their own grant moves, another member's ends only sooner", () => {
    const ends = [{ name: "read", expiresAt: NOW + HOUR }];
    const live = [aLive(ends, { grantId: "own" }), aLive(ends, { grantId: "other", personId: "b" })];
    const moved = (seconds: number, only: object = {}) =>
      approve(aConsent(), aDecision({ durations: { read: seconds }, ...only }), live).changes;
    const own = (end: number) => ({ grantId: "own", absoluteUntil: end, decidedAt: NOW });
    expect(moved(7200)).toMatchObject([own(NOW + 7_200_000)]);
    expect(moved(7200)).toHaveLength(1);
    const other = { grantId: "other", absoluteUntil: NOW + 60_000, decidedAt: NOW - HOUR };
    expect(moved(60)).toMatchObject([own(NOW + 60_000), other]);
    // On a page, nobody shortens anything for others.
    const answer = { own: { declined: [], newEnds: ["read"], moved: ["read"] } };
    for (const seconds of [60, 7200]) {
      expect(moved(seconds, answer)).toMatchObject([own(NOW + seconds * 1000)]);
      expect(moved(seconds, answer)).toHaveLength(1);
    }
  });

  test("an answer for a company → the own grants lose what was left out, and end no later than chosen; the record only grows", () => {
    const scopes = ["read", "write"].map((name) => ({ name, hosts: HOSTS, expiresAt: NOW + HOUR, grantedAt: 1 }));
    const live = ["owner", "b"].map((personId) => aLive(scopes, { grantId: personId, personId }));
    const own = { declined: ["write"], newEnds: ["read"], moved: [] };
    const answered = (seconds: number) =>
      approve(aConsent({ scopes }), aDecision({ own, durations: { read: seconds } }), live);
    expect(answered(60)).toMatchObject({
      consent: { scopes: scopes.map(({ name, expiresAt }) => ({ name, expiresAt })), removed: [], declined: [] },
      changes: [{ grantId: "owner", scopes: [{ name: "read", expiresAt: NOW + 60_000 }] }],
    });
    const longer = answered(7200);
    expect(longer.consent.scopes[0]).toMatchObject({ name: "read", expiresAt: NOW + 2 * HOUR });
    expect(longer.changes).toMatchObject([{ grantId: "owner", scopes: [{ name: "read", expiresAt: NOW + HOUR }] }]);
  });

  test("for a new host, or one with a sooner end → longer there alone, and no sooner for the others", () => {
    const [host = "", other] = ["https://app.test", "https://other.test"];
    const hostEnds = { [host]: NOW + 60_000, [other ?? ""]: NOW + 30_000 };
    const scopes = [{ name: "read", hosts: [host, other ?? ""], expiresAt: NOW + HOUR, grantedAt: 1, hostEnds }];
    const own = { declined: [], newEnds: ["read"], moved: [] };
    const decision = aDecision({ own, durations: { read: 600 } });
    const [after] = approve(aConsent({ scopes }), decision, []).consent.scopes;
    expect(after).toMatchObject({ expiresAt: NOW + HOUR, hostEnds: { ...hostEnds, [host]: NOW + 600_000 } });
  });

  test("once → no standing scope, no other grant's end moves, and the record ends no sooner than it", () => {
    const live = aLive([{ name: "read", expiresAt: NOW + 1000 }]);
    const before = aConsent({ scopes: [{ name: "read", expiresAt: NOW + 1000, grantedAt: 1 }] });
    const { consent, changes } = approve(before, aDecision({ duration: "once" }), [live]);
    expect(changes).toEqual([]);
    expect(consent).toMatchObject({ scopes: before.scopes, expiresAt: NOW + 600_000 });
  });

  test("the record ends no sooner than an earlier once that still lives", () => {
    const once = aLive([{ name: "write", expiresAt: NOW + 5 * HOUR }], { refreshable: false });
    expect(approve(undefined, aDecision(), [once]).consent.expiresAt).toBe(NOW + 5 * HOUR);
  });

  test("declined → gone from record and grants; a grant left with nothing has no scopes", () => {
    const live = aLive([{ name: "write", expiresAt: null }]);
    const before = aConsent({ scopes: [{ name: "write", hosts: HOSTS, expiresAt: null, grantedAt: 1 }] });
    const { consent, changes } = approve(before, aDecision({ declined: ["write"] }), [live]);
    expect(consent.scopes.map(({ name }) => name)).toEqual(["read"]);
    expect(changes).toMatchObject([{ grantId: "g", scopes: [] }]);
  });

  test("declined at a host that does not have it → stays in the record and in grants, and is declined there alone", () => {
    const live = aLive([{ name: "write", expiresAt: null }]);
    const before = aConsent({ scopes: [{ name: "write", hosts: HOSTS, expiresAt: null, grantedAt: 1 }] });
    const { consent, changes } = approve(before, aDecision({ declined: ["write"], hosts: ["https://other.test"] }), [
      live,
    ]);
    expect(consent.scopes[0]).toMatchObject(before.scopes[0] ?? {});
    expect([consent.removed, changes]).toEqual([[], []]);
    const declinedAt = (host: string) => refusedScopes(consent, { host, ceiling: null }, NOW).declined;
    expect([declinedAt("https://other.test"), declinedAt(HOSTS[0] ?? "")]).toEqual([["write"], []]);
    expect(refusedScopes(consent, { ceiling: null }, NOW).declined).toEqual([]);
  });
});

describe("narrowing", () => {
  test("→ less in the record, less in the grants, and what is left is counted over both", () => {
    const before = aConsent({
      scopes: [
        { name: "read", expiresAt: null, grantedAt: 1 },
        { name: "write", expiresAt: null, grantedAt: 1 },
      ],
    });
    const once = aLive([{ name: "print", expiresAt: NOW + HOUR }]);
    const after = narrow(before, ["read"], [once, aLive([{ name: "read", expiresAt: null }], { grantId: "h" })], NOW);
    expect(after.left).toBe(2);
    expect(after.consent.scopes.map(({ name }) => name)).toEqual(["write"]);
    expect(after.changes).toMatchObject([{ grantId: "h", scopes: [] }]);
  });

  test("is remembered, by what there was, until a page allows it for more than once", () => {
    const after = narrow(aConsent({ removed: ["print"] }), ["read", "never held"], [], NOW).consent;
    expect(after.removed).toEqual(["print", "read"]);
    const page = (duration: "once" | number, declined: readonly string[] = []) =>
      approve(after, aDecision({ duration, declined }, ["read"]), []).consent.removed;
    expect(page(7200)).toEqual(["print"]);
    expect(page("once")).toEqual(["print", "read"]);
    expect(page(7200, ["delete"])).toEqual(["print", "delete"]);
  });

  test("of everything → nothing left", () => {
    expect(narrow(aConsent(), ["read"], [], NOW).left).toBe(0);
  });
});
