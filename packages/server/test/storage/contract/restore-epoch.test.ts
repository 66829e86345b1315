import { describe, expect, test } from "vitest";
import { reachOf } from "../../../src/oauth/consent-reach.ts";
import { verdictOn } from "../../../src/owners/company-rules.ts";
import type { Company } from "../../../src/owners/company-storage.ts";
import { NOTHING_ENDED } from "../../../src/storage/end-all-after-restore.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  anInvitation,
  aStaffedCompany,
  aStoredCompany,
  SHOWN,
} from "../support/company-builders.ts";
import { aLink, aSentLink } from "../support/mail-builders.ts";
import {
  aDirectGrant,
  aGrant,
  aHash,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  anId,
  aRedemption,
  aRefresh,
  aSession,
  aStoredPerson,
  expectIssued,
  FROM_OWNER,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

onEveryBackend("a new epoch", (storage) => {
  const at = NOW + HOUR;

  test("no grant of before goes on, no session, no consent; what is made after it does", async () => {
    const live = await aLiveGrant(storage());
    const spentBefore = await aLiveGrant(storage());
    await storage().grants.refresh(aRefresh(spentBefore.grant));
    const unspent = await anApprovedGrant(storage());
    const session = aSession(live.person);
    await storage().sessions.create(session);
    expect((await storage().state()).epoch).toBeNull();

    const ended = await storage().endAllBefore({ now: at, keepConsents: false });
    expect(ended).toEqual({ ...NOTHING_ENDED, grants: 3, consents: 3, sessions: 1 });
    expect(await storage().state()).toEqual({
      epoch: { at, count: 1, done: true },
      inspection: false,
      importing: false,
    });

    expect(await storage().grants.refresh(aRefresh(live.grant, { now: at }))).toEqual({ kind: "ahead" });
    // No theft is reported, because the restored database can't know the later tokens.
    expect(await storage().grants.refresh(aRefresh(spentBefore.grant, { now: at }))).toEqual({ kind: "ahead" });
    expect(await storage().grants.redeem(aRedemption(unspent.grant, { now: NOW + MINUTE / 2 }))).toEqual({
      kind: "unknown",
    });
    expect(await storage().sessions.use({ ...session, now: at, idleUntil: at + HOUR })).toBeUndefined();
    expect(await storage().grants.issueWithoutCode(aDirectGrant(live.person))).toEqual({
      kind: "blocked",
      by: "restore",
    });
    expect(await storage().consents.list({ ...live.grant, now: at })).toEqual([]);
    expect((await storage().history.list({ ...live.grant, before: null, limit: 9 }))[0]).toMatchObject({
      kind: "revoked",
      at,
      record: { by: "server", cause: "restore", removed: ["read"] },
    });

    const again = aGrant(live.person, { codeUntil: at + MINUTE });
    expect((await storage().grants.approve(anApproval(again, { now: at }))).kind).toBe("issued");
    expect((await storage().grants.redeem(aRedemption(again, { now: at }))).kind).toBe("redeemed");
  });

  test("a second one, consents kept → ends what was made since, leaves the consent", async () => {
    const { grant } = await aLiveGrant(storage());
    const { grant: over } = await aLiveGrant(storage());
    await storage().grants.end({ ...over, saltHash: aHash(`refresh ${over.grantId}`), now: at });
    expect(await storage().endAllBefore({ now: at + HOUR, keepConsents: true })).toMatchObject({ consents: 0 });
    const told = (of: typeof grant) => storage().history.list({ ...of, before: null, limit: 9 });
    expect((await told(grant)).filter(({ kind }) => kind !== "allowed")).toMatchObject([
      { kind: "ended", at: at + HOUR, clientId: grant.clientId, record: { by: "server", cause: "restore" } },
    ]);
    expect((await told(over)).filter(({ kind }) => kind === "ended")).toEqual([]);
    expect((await storage().state()).epoch).toEqual({ at: at + HOUR, count: 2, done: true });
    expect(await storage().grants.refresh(aRefresh(grant, { now: at + HOUR }))).toEqual({ kind: "ahead" });
    expect((await storage().consents.find({ ...grant }))?.status).toBe("active");
  });

  test("invitations, links in messages and recovery codes → counted if they still worked, and none works any more", async () => {
    const person = await aStoredPerson(storage());
    const company = await aStoredCompany(storage());
    for (const expiresAt of [at - MINUTE, at + HOUR]) {
      const addressee = `${expiresAt}@example.com`;
      const invitation = anInvitation(company, { expiresAt, addressee });
      await storage().invitations.create({ invitation, saltHash: aHash(), by: null, now: NOW });
    }
    await aSentLink(storage(), aLink(person, "recover", { expiresAt: at - MINUTE }));
    const link = await aSentLink(storage(), aLink(person, "recover", { expiresAt: at + HOUR }));
    const used = await aSentLink(storage(), aLink(person, "verify", { expiresAt: at + HOUR }));
    await storage().mailLinks.take({ ...used, purpose: "verify" });
    const codes = { codes: ["x", "y"], added: FROM_OWNER };
    await storage().secondFactors.set({ ...person, sealedSecret: aHash(), step: 1, ...codes, now: NOW });
    expect(await storage().endAllBefore({ now: at, keepConsents: false })).toMatchObject({
      ...{ invitations: 1, links: 1, codes: 2 },
    });
    expect(await storage().mailLinks.find({ ...link, purpose: "recover", now: at })).toBeUndefined();
  });

  test.each([false, true])(
    "last issues after a restore, consents kept: %s → until the restore, for each consent that had not ended before",
    async (keepConsents) => {
      const { person, grant } = await aLiveGrant(storage());
      const { partition, ownerId, clientId } = grant;
      const allow = async () => {
        const next = aGrant(person, { clientId: anId() });
        expectIssued(await storage().grants.approve(anApproval(next)));
        return next;
      };
      const [another, revoked, over] = [await allow(), await allow(), await allow()];
      await storage().consents.revoke({ ...revoked, revokedBy: person.personId, now: NOW + MINUTE });
      const end = { end: at - MINUTE, ceiling: null, by: person.personId, now: NOW + MINUTE };
      expect((await storage().consents.changeEnd({ ...over, ...end })).kind).toBe("changed");
      await storage().endAllBefore({ now: at, keepConsents });
      const issues = (since: number, restoredAt: number) =>
        storage().consents.lastIssues({ partition, ownerId, personId: null, since, restoredAt });
      expect(await issues(at - MINUTE, 0)).toEqual([]);
      expect(await issues(at, at)).toEqual([]);
      const lost = { audience: null, refreshable: false, lastUsedAt: at, openUntil: at };
      const byId = (one: { readonly clientId: string }, other: { readonly clientId: string }) =>
        one.clientId < other.clientId ? -1 : 1;
      expect((await issues(at - MINUTE, at)).toSorted(byId)).toEqual(
        [clientId, another.clientId].map((id) => ({ clientId: id, ...lost })).sort(byId),
      );
    },
  );

  describe("apps of a company where members decide by themselves", () => {
    const reach = reachOf({}, "https://app.example", null);
    const clients = {
      forAll: anId(),
      selected: anId(),
      blocked: anId(),
      paused: anId(),
      stopped: anId(),
      free: anId(),
    };
    type App = keyof typeof clients;

    async function aCompanyWithApps() {
      const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      const key = { partition: company.partition, companyId: company.companyId };
      const set = (app: App, rule: "allow" | "block", selected?: readonly string[]) =>
        storage().companyApps.setRule({
          ...{ ...key, clientId: clients[app], shown: SHOWN, by: admin.personId, now: NOW },
          rule: { ...anAppRule({ rule }), ...(selected === undefined ? {} : { selected }) },
        });
      await set("forAll", "allow");
      await set("selected", "allow", [member.personId]);
      await set("blocked", "block");
      await set("stopped", "allow");
      await storage().companyApps.setOptOut({
        ...{ ...key, clientId: clients.stopped, personId: member.personId, out: true, now: NOW },
      });
      const answer = anAnswerOfMember();
      await storage().grants.issue({
        grant: aCompanyGrant(company, member, { clientId: clients.forAll }),
        answer,
        now: NOW,
      });
      for (const app of ["paused", "free"] as const)
        await aLiveCompanyGrant(storage(), company, member, { clientId: clients[app] });
      const pause = { ...key, clientId: clients.paused, paused: true, by: admin.personId, now: NOW };
      expect((await storage().companyApps.setPaused(pause)).kind).toBe("changed");
      await storage().companyConnections.put({
        ...{ ...key, clientId: clients.forAll, audience: "https://as.chat.test", endsAt: at + HOUR, seen: null },
        record: {
          ...{ clientIdThere: "w", scopes: ["chat"], resources: [], clientName: "Wiki", serverName: "Chat", texts: {} },
        },
        ...{ by: admin.personId, now: NOW },
      });
      const acting = (app: App) =>
        storage().members.findActing({ ...key, personId: member.personId, clientId: clients[app] });
      const verdicts = async () => {
        const apps = Object.keys(clients) as App[];
        return Promise.all(apps.map(async (app) => [app, verdictOn(await acting(app), ["read"], reach, at)] as const));
      };
      return { company, admin, key, acting, verdicts: async () => Object.fromEntries(await verdicts()) };
    }

    test("an approval, a pause → on request, told in the history, by nobody; a block, an opt-out stay; a choice and a connection end", async () => {
      const { company, key, acting, verdicts } = await aCompanyWithApps();
      expect(await verdicts()).toEqual({
        ...{ forAll: "approved", selected: "approved", blocked: "blocked", paused: "decides", stopped: "approved" },
        free: "decides",
      });
      expect(await acting("forAll")).toMatchObject({ chosen: true });

      const ended = await storage().endAllBefore({ now: at, keepConsents: false });
      expect(ended).toMatchObject({ approvals: 4, connections: 1 });
      expect(await verdicts()).toEqual({
        ...{ forAll: "ask", selected: "ask", blocked: "blocked", paused: "ask", stopped: "ask", free: "decides" },
      });
      expect(await acting("forAll")).toMatchObject({ chosen: false });
      expect(await acting("stopped")).toMatchObject({ optedOut: true });
      expect(await storage().companyConnections.list(key)).toEqual([]);
      const rules = await storage().companyApps.listRules(key);
      expect(rules.filter(({ clientId }) => clientId !== clients.blocked)).toEqual(
        [clients.forAll, clients.selected, clients.paused, clients.stopped].sort().map((clientId) => ({
          ...{ clientId, rule: "ask", scopes: [], hosts: [], endsAt: null, selected: [] },
          ...{ decidedBy: "restore", decidedAt: at },
        })),
      );
      expect(await changesOf(company)).toEqual(
        [clients.forAll, clients.selected, clients.paused, clients.stopped].sort().map((clientId) => [clientId, "ask"]),
      );
    });

    test("consents kept → approvals, pauses and choices stay, too", async () => {
      const { acting, verdicts, company } = await aCompanyWithApps();
      const before = await verdicts();
      expect(await storage().endAllBefore({ now: at, keepConsents: true })).toMatchObject({ approvals: 0 });
      expect(await verdicts()).toEqual(before);
      expect(await acting("forAll")).toMatchObject({ chosen: true });
      const key = { partition: company.partition, ownerId: company.companyId, clientId: clients.paused };
      expect(await storage().consents.find(key)).toMatchObject({ status: "active", pausedAt: NOW });
    });

    async function changesOf({ partition, companyId: ownerId }: Company) {
      const told = await storage().history.list({ partition, ownerId, before: null, limit: 50 });
      return told
        .filter((one) => one.kind === "rule_changed" && one.at === at && one.record.by === "server")
        .map(({ clientId, record }) => [clientId, record.rule])
        .sort();
    }
  });

  test("tokens of the admin API and for registration → those that still worked are counted, and none works", async () => {
    await storage().endAllBefore({ now: at, keepConsents: true });
    for (const expiresAt of [at - MINUTE, at + HOUR]) {
      const token = { ...{ tokenId: anId(), createdBy: "operator", createdAt: NOW, expiresAt }, scopes: ["admin"] };
      await storage().adminTokens.add({ token, tokenHash: anId(), most: 10, now: NOW });
      const initial = {
        tokenId: anId(),
        uses: 1,
        used: 0,
        policy: null,
        createdBy: "operator",
        createdAt: NOW,
        expiresAt,
      };
      await storage().registrations.addToken({ token: initial, tokenHash: anId(), most: 10, now: NOW });
    }
    expect(await storage().endAllBefore({ now: at, keepConsents: true })).toMatchObject({ tokens: 2 });
    expect(await storage().adminTokens.list()).toEqual([]);
  });
});
