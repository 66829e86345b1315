import { expect, test } from "vitest";
import { onEveryBackend } from "../support/backends.ts";
import {
  aDirectGrant,
  aGrant,
  aHash,
  anApproval,
  aPerson,
  aRefresh,
  DAY,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("a grant without a code", (storage) => {
  const somebody = async () => {
    const person = aPerson();
    await storage().people.create({ person, now: NOW });
    return person;
  };
  const consentOf = ({ grant: { partition, ownerId, clientId } }: ReturnType<typeof aDirectGrant>) => ({
    partition,
    ownerId,
    clientId,
  });

  /** How the app got access, and which permissions, the latest first. */
  const told = async (direct: ReturnType<typeof aDirectGrant>) => {
    const { partition, ownerId } = consentOf(direct);
    const entries = await storage().history.list({ partition, ownerId, before: null, limit: 50 });
    return entries
      .filter(({ kind }) => kind === "allowed")
      .map(({ record: { via, scopes } }) => [via, scopes.map(({ name }) => name).join(" ")]);
  };

  test("for nobody, or for somebody who is disabled → no_owner, nothing written", async () => {
    const stranger = aDirectGrant(aPerson());
    expect(await storage().grants.issueWithoutCode(stranger)).toEqual({ kind: "no_owner" });
    const person = await somebody();
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    const direct = aDirectGrant(person);
    expect(await storage().grants.issueWithoutCode(direct)).toEqual({ kind: "no_owner" });
    expect(await storage().consents.find(consentOf(direct))).toBeUndefined();
  });

  test("by a password that isn't theirs any more → no_owner, nothing written; by the one that they have → issued", async () => {
    const person = await somebody();
    const { partition, personId } = person;
    const ends = { mustChange: false, endGrants: true, keepSessionId: null };
    await storage().people.setPassword({ partition, personId, passwordHash: "new", ...ends, now: NOW + 1 });
    const late = aDirectGrant(person, { trustedFrom: NOW });
    expect(await storage().grants.issueWithoutCode(late)).toEqual({ kind: "no_owner" });
    expect(await storage().consents.find(consentOf(late))).toBeUndefined();
    expect((await storage().grants.issueWithoutCode({ ...late, trustedFrom: NOW + 1 })).kind).toBe("issued");
  });

  test("after the owner took the consent back → blocked, and the record stays revoked", async () => {
    const person = await somebody();
    const direct = aDirectGrant(person);
    await storage().grants.issueWithoutCode(direct);
    await storage().consents.revoke({ ...consentOf(direct), revokedBy: person.personId, now: NOW });
    const again = aDirectGrant(person, {}, { clientId: direct.grant.clientId });
    expect(await storage().grants.issueWithoutCode(again)).toEqual({ kind: "blocked", by: "owner" });
    expect((await storage().consents.find(consentOf(direct)))?.status).toBe("revoked");
  });

  test("an operator revoked before the client was registered again → by their policy, issued without the scopes of a page; else blocked", async () => {
    const person = await somebody();
    const first = aDirectGrant(person, { via: "operator policy" });
    const { clientId } = first.grant;
    await storage().grants.approve(anApproval(aGrant(person, { clientId, scopes: ["read"] })));
    await storage().consents.revoke({ ...consentOf(first), revokedBy: "operator", now: NOW + HOUR });
    const stop = { kind: "blocked", by: "operator" };
    const again = (more: Partial<ReturnType<typeof aDirectGrant>>) =>
      storage().grants.issueWithoutCode(aDirectGrant(person, { now: NOW + DAY, ...more }, { clientId }));
    expect(await again({ via: "operator policy" })).toEqual(stop);
    expect(await again({ via: "operator policy", registeredAt: NOW })).toEqual(stop);
    expect(await again({ via: "password", registeredAt: NOW + 2 * HOUR })).toEqual(stop);
    expect(await again({ via: "operator policy", registeredAt: NOW + 2 * HOUR })).toMatchObject({ kind: "issued" });
    const { status, via, scopes, revokedBy } = (await storage().consents.find(consentOf(first))) ?? {};
    expect({ status, via, scopes, revokedBy }).toEqual({
      ...{ status: "active", via: "operator policy", scopes: [], revokedBy: null },
    });
  });

  test("with an id that is there → exists", async () => {
    const direct = aDirectGrant(await somebody());
    expect((await storage().grants.issueWithoutCode(direct)).kind).toBe("issued");
    expect(await storage().grants.issueWithoutCode(direct)).toEqual({ kind: "exists" });
  });

  test("refreshable → generation 1 refreshes; no code leads to it", async () => {
    const refreshSaltHash = aHash();
    const direct = aDirectGrant(await somebody(), { refreshSaltHash }, { refreshable: true });
    expect(await storage().grants.issueWithoutCode(direct)).toMatchObject({
      kind: "issued",
      grant: { generation: 1, status: "active" },
    });
    const { partition, grantId, clientId } = direct.grant;
    const refresh = aRefresh({ ...direct.grant } as never, {
      partition,
      grantId,
      clientId,
      refreshSaltHash,
      generation: 1,
    });
    expect((await storage().grants.refresh(refresh)).kind).toMatch(/kept|rotated/);
  });

  test("not refreshable → the row ends with its access token", async () => {
    const direct = aDirectGrant(await somebody(), { refreshSaltHash: null }, { refreshable: false });
    const outcome = await storage().grants.issueWithoutCode(direct);
    expect(outcome).toMatchObject({ kind: "issued", grant: { refreshable: false, absoluteUntil: NOW + 10 * MINUTE } });
  });

  test.each(["operator policy", "password"] as const)(
    "by %s beside a decision on a page → the record's scopes and ends stay as decided",
    async (via) => {
      const person = await somebody();
      const page = aGrant(person, { scopes: ["read"] });
      await storage().grants.approve(anApproval(page, { duration: 3600 }));
      const { clientId } = page;
      const direct = aDirectGrant(
        person,
        { via },
        { clientId, scopes: ["read", "unseen"], refreshable: via === "password" },
      );
      const outcome = await storage().grants.issueWithoutCode(direct);
      const key = consentOf(direct);
      const record = await storage().consents.find(key);
      expect(record).toMatchObject({ via: "browser", status: "active" });
      expect(record?.scopes.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([["read", NOW + 3_600_000]]);
      // A scope that was never on the page doesn't let a later request skip the page.
      const both = aGrant(person, { clientId, scopes: ["read", "unseen"] });
      expect(await storage().grants.issue({ grant: both, now: NOW })).toEqual({ kind: "no_consent" });
      if (via === "password") {
        expect(outcome).toMatchObject({
          grant: {
            scopes: [
              { name: "read", expiresAt: NOW + 3_600_000 },
              { name: "unseen", expiresAt: NOW + 10 * MINUTE },
            ],
          },
        });
      }
    },
  );

  test.each(["operator policy", "password"] as const)(
    "by %s after the owner took a scope back → without it; with nothing left → blocked; allowed on a page → again",
    async (via) => {
      const person = await somebody();
      const direct = aDirectGrant(person, { via }, { scopes: ["read", "write"] });
      const { clientId } = direct.grant;
      const namesOf = async (scopes: readonly string[]) => {
        const outcome = await storage().grants.issueWithoutCode(aDirectGrant(person, { via }, { clientId, scopes }));
        return outcome.kind === "issued" ? outcome.grant.scopes.map(({ name }) => name) : outcome.kind;
      };
      await storage().grants.issueWithoutCode(direct);
      const key = consentOf(direct);
      await storage().consents.narrow({ ...key, remove: ["write"], by: person.personId, now: NOW });
      expect(await namesOf(["read", "write"])).toEqual(["read"]);
      expect(await namesOf(["write"])).toBe("blocked");
      expect((await storage().consents.find(key))?.scopes.some(({ name }) => name === "write")).toBe(false);
      await storage().grants.approve(anApproval(aGrant(person, { clientId, scopes: ["write"] }), { duration: 3600 }));
      expect(await namesOf(["read", "write"])).toEqual(["read", "write"]);
    },
  );

  test("by operator policy, with a permission more → an entry that names it; the same ones again → none", async () => {
    const person = await somebody();
    const first = aDirectGrant(person, { via: "operator policy" }, { scopes: ["read"] });
    const again = async (names: string[], at: number) => {
      const of = { clientId: first.grant.clientId, scopes: names };
      const outcome = await storage().grants.issueWithoutCode(
        aDirectGrant(person, { via: "operator policy", now: NOW + at, accessUntil: NOW + at + MINUTE }, of),
      );
      expect(outcome.kind).toBe("issued");
    };
    await storage().grants.issueWithoutCode(first);
    await again(["read"], 1);
    expect(await told(first)).toEqual([["operator policy", "read"]]);
    await again(["read", "write"], 2);
    for (const at of [3, 4, DAY]) await again(["write", "read"], at);
    await again(["read"], DAY + 1);
    expect(await told(first)).toEqual([
      ["operator policy", "read write"],
      ["operator policy", "read"],
    ]);
    await again(["read", "delete"], DAY + 2);
    await again(["share"], DAY + 3);
    expect((await told(first)).slice(0, 2)).toEqual([
      ["operator policy", "share"],
      ["operator policy", "read delete"],
    ]);
  });

  test("by operator policy, with what a page allowed → an entry, because it no longer ends with the page's answer", async () => {
    const person = await somebody();
    const grant = aGrant(person, { scopes: ["read"] });
    await storage().grants.approve(anApproval(grant, { duration: 3600 }));
    const of = { clientId: grant.clientId, scopes: ["read"] };
    const direct = aDirectGrant(person, { via: "operator policy", now: NOW + 1 }, of);
    await storage().grants.issueWithoutCode(direct);
    await storage().grants.issueWithoutCode(aDirectGrant(person, { via: "operator policy", now: NOW + 2 }, of));
    expect(await told(direct)).toEqual([
      ["operator policy", "read"],
      ["browser", "read"],
    ]);
  });

  test("by a password, with more than a page allowed → an entry once a day", async () => {
    const person = await somebody();
    const grant = aGrant(person, { scopes: ["read"] });
    await storage().grants.approve(anApproval(grant));
    const direct = (at: number) =>
      aDirectGrant(person, { now: NOW + at, accessUntil: NOW + at + MINUTE }, { clientId: grant.clientId });
    for (const at of [1, 2, DAY, DAY + 1]) {
      await storage().grants.issueWithoutCode({
        ...direct(at),
        grant: { ...direct(at).grant, scopes: ["read", "write"] },
      });
    }
    expect(await told(direct(1))).toEqual([
      ["password", "read write"],
      ["password", "read write"],
      ["browser", "read"],
    ]);
  });

  test("by operator policy, then a page for something else → the page's scopes alone stand", async () => {
    const person = await somebody();
    const direct = aDirectGrant(person, { via: "operator policy" }, { scopes: ["unseen"], refreshable: false });
    await storage().grants.issueWithoutCode(direct);
    expect(await storage().consents.find(consentOf(direct))).toMatchObject({
      scopes: [],
      grantedBy: "operator",
      expiresAt: null,
    });
    const { clientId } = direct.grant;
    await storage().grants.approve(anApproval(aGrant(person, { clientId, scopes: ["read"] }), { duration: 3600 }));
    const record = await storage().consents.find(consentOf(direct));
    expect(record?.scopes.map(({ name }) => name)).toEqual(["read"]);
  });

  test("its consent is recorded once for all, and no end comes nearer", async () => {
    const person = await somebody();
    const long = aDirectGrant(person, { consentUntil: NOW + 30 * DAY });
    await storage().grants.issueWithoutCode(long);
    const { clientId, scopes } = long.grant;
    await storage().grants.issueWithoutCode(
      aDirectGrant(person, { consentUntil: NOW + DAY }, { clientId, scopes: [...scopes, "extra"] }),
    );
    const record = await storage().consents.find(consentOf(long));
    expect(record?.scopes.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
      ...scopes.map((name) => [name, NOW + 30 * DAY]),
      ["extra", NOW + DAY],
    ]);
    expect(record).toMatchObject({ status: "active", via: "password", uses: 2, expiresAt: NOW + 30 * DAY });
  });
});

onEveryBackend("what is accepted once", (storage) => {
  test("twenty at once → one; again before its time → no; after it → yes", async () => {
    const one = { kind: "client jti", key: "a", until: NOW + MINUTE, now: NOW };
    const answers = await Promise.all(Array.from({ length: 20 }, () => storage().replayCache.useOnce(one)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await storage().replayCache.useOnce({ ...one, now: NOW + MINUTE - 1, until: NOW + 2 * MINUTE })).toBe(false);
    expect(await storage().replayCache.useOnce({ ...one, now: NOW + MINUTE, until: NOW + 2 * MINUTE })).toBe(true);
  });

  test("the same id of another kind → its own", async () => {
    const one = { key: "b", until: NOW + MINUTE, now: NOW };
    expect(await storage().replayCache.useOnce({ ...one, kind: "client jti" })).toBe(true);
    expect(await storage().replayCache.useOnce({ ...one, kind: "saml id" })).toBe(true);
  });

  /** The tables of the ring change every 15 minutes. These times are close to a change. */
  const QUARTER = 15 * MINUTE;
  const start = Math.ceil(NOW / QUARTER) * QUARTER;
  const ends = [1, QUARTER - 1, QUARTER, QUARTER + 1, 2 * QUARTER, 6 * QUARTER - 1, 6 * QUARTER, 24 * HOUR];

  test("the same id with another end → no, whatever the two ends, until the first one is over", async () => {
    const wrong: string[] = [];
    for (const begin of [start, start + QUARTER - 1]) {
      for (const first of ends) {
        for (const second of ends) {
          const key = `${begin} ${first} ${second}`;
          const until = begin + first;
          const again = (now: number) =>
            storage().replayCache.useOnce({ kind: "saml id", key, until: now + second, now });
          if (!(await storage().replayCache.useOnce({ kind: "saml id", key, until, now: begin })))
            wrong.push(`${key}: first`);
          for (const now of [begin, begin + Math.floor(first / 2), until - 1])
            if (await again(now)) wrong.push(`${key}: at ${now - begin}`);
          if (second === 1 && !(await again(until))) wrong.push(`${key}: after its end`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("fifty at once, each with another end, across the ring's seams → one", async () => {
    for (const [round, begin] of [start - 1, start, start + QUARTER - 1, start + 5 * QUARTER].entries()) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          storage().replayCache.useOnce({
            kind: "issuer jti",
            key: `race ${round}`,
            until: begin + 3 + (ends[at % ends.length] ?? 0),
            // The clocks of nodes differ by a few milliseconds.
            now: begin + (at % 3),
          }),
        ),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
    }
  });

  test("emptied by a node that looked at its clock in the quarter before → what was accepted since is remembered to its end", async () => {
    const begin = start + 96 * HOUR;
    const kept = ends.map((end) => ({ kind: "saml id", key: `late ${end}`, until: begin + end, now: begin }));
    for (const one of kept) expect(await storage().replayCache.useOnce(one)).toBe(true);
    await storage().housekeeping.collect({ what: "ring", now: begin - 1, limit: 1 });
    const again = kept.map((one) => storage().replayCache.useOnce({ ...one, now: one.until - 1 }));
    expect(await Promise.all(again)).toEqual(kept.map(() => false));
  });

  test("housekeeping in every minute of a day → what counts is remembered to its end; nothing stays in the ring", async () => {
    const begin = start + 48 * HOUR;
    const kept = ends.map((end) => ({ kind: "client jti", key: `kept ${end}`, until: begin + end, now: begin }));
    for (const one of kept) expect(await storage().replayCache.useOnce(one)).toBe(true);
    for (let now = begin; now < begin + 25 * HOUR; now += 7 * MINUTE) {
      await storage().housekeeping.collectGarbage({ now, limit: 1000 });
      for (const one of kept.filter(({ until }) => until > now && until - now < 8 * MINUTE)) {
        expect(await storage().replayCache.useOnce({ ...one, now }), one.key).toBe(false);
      }
    }
    expect(await storage().housekeeping.collect({ what: "accepted", now: begin + 25 * HOUR, limit: 1000 })).toEqual({
      seen: 0,
      removed: 0,
    });
  });
});
