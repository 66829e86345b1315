import { describe, expect, test } from "vitest";
import { type Consent, type GrantedScope, NEVER } from "../../src/oauth/model.ts";
import { absoluteUntilOf, approve, endOf, type LiveGrant, latestOf, narrow } from "../../src/owners/consent-record.ts";

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
    scopes: [{ name: "read", expiresAt: NOW + HOUR, grantedAt: NOW - HOUR }],
    removed: [],
    createdAt: NOW - HOUR,
    updatedAt: NOW - HOUR,
    expiresAt: NOW + HOUR,
    lastUsedAt: null,
    lastUsedAddress: null,
    uses: 4,
    revokedAt: null,
    revokedBy: null,
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
  test("a scope that was there → keeps its beginning, gets the new end", () => {
    const { consent } = approve(aConsent(), aDecision(), []);
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
    const { changes } = approve(aConsent(), aDecision({}, ["read", "write"]), [live]);
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
    expect(approve(aConsent(), aDecision(), [live]).changes).toEqual([]);
    expect(approve(aConsent(), aDecision({ duration: 60 }), [live]).changes).toMatchObject([
      { absoluteUntil: NOW + 60_000 },
    ]);
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
    const before = aConsent({ scopes: [{ name: "write", expiresAt: null, grantedAt: 1 }] });
    const { consent, changes } = approve(before, aDecision({ declined: ["write"] }), [live]);
    expect(consent.scopes.map(({ name }) => name)).toEqual(["read"]);
    expect(changes).toMatchObject([{ grantId: "g", scopes: [] }]);
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
