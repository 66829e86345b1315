import { describe, expect, test } from "vitest";
import { reachOf } from "../../../src/oauth/consent-reach.ts";
import type { Client, Consent, Scope } from "../../../src/oauth/model.ts";
import {
  type AnswerForm,
  answeredEnds,
  type Question,
  readAnswer,
} from "../../../src/owners/authorization/consent-answer.ts";
import type { OwnerChoice } from "../../../src/owners/authorization/person-or-company.ts";

const NOW = 1_000_000;
const read = { name: "read", optional: false, ownerRole: null } as Scope;
const write = { name: "write", optional: true, ownerRole: null } as Scope;
const reach = reachOf({}, "https://app.test/cb", null);

const acting = (rule: string | undefined, scopes: readonly string[] = []) =>
  ({
    company: { status: "active", defaultRule: "ask" },
    member: { accountStatus: "active", role: "member" },
    rule: rule === undefined ? undefined : { rule, scopes, hosts: ["https://app.test"], endsAt: null, decidedAt: 0 },
    optedOut: false,
    chosenEnds: {},
    declined: [],
    chosen: false,
  }) as unknown as NonNullable<OwnerChoice["acting"]>;
const me: OwnerChoice = {
  ...{ partition: 0, ownerId: "me", acting: undefined, scopes: [read, write], reach },
  ...{ verdict: "decides", consent: undefined, overtaken: false },
};
const blocked: OwnerChoice = { ...me, ownerId: "blocked", acting: acting("block"), verdict: "blocked" };
const company: OwnerChoice = { ...me, ownerId: "company", acting: acting("allow", ["read"]), verdict: "ask" };

const question: Question = {
  client: { grantTypes: ["authorization_code"] } as Partial<Client> as Client,
  owners: [me, blocked, company],
  durations: ["once", 3600, 86_400, "forever"],
  today: true,
  onceByScope: true,
  approvals: { company: "0." },
};
const form = (
  more: Partial<Omit<AnswerForm, "durationOf">> & { durations?: Readonly<Record<string, string>> } = {},
): AnswerForm => ({
  ...{ decision: "allow", owner: null, shownOwner: null, resume: null, todayUntil: null },
  ...{ scopes: new Set(["read", "write"]), duration: "86400" },
  durationOf: (scope) => more.durations?.[scope] ?? null,
  ...more,
});

describe("what is no answer → asked again", () => {
  test.each([undefined, {}, { company: "0.9" }, { other: "0." }])(
    "a page that showed other approvals: %j",
    (approvals) => {
      const within = form({ owner: "company", scopes: new Set() });
      expect(readAnswer(within, { ...question, approvals }, NOW)).toMatchObject({
        kind: "unclear",
        problem: "changed",
      });
      expect(readAnswer(within, { ...question, approvals, repeated: true }, NOW)).toMatchObject({ kind: "allowed" });
    },
  );

  test.each([
    ["no decision", form({ decision: null }), "stale"],
    ["a decision of the browser's own", form({ decision: "ALLOW" }), "stale"],
    ["an owner whom nobody knows", form({ owner: "nobody" }), "bad_owner"],
    ["a company that blocks the app", form({ owner: "blocked" }), "bad_owner"],
    ["no duration", form({ duration: null }), "bad_duration"],
    ["a duration that isn't offered", form({ duration: "7200" }), "bad_duration"],
    ["a duration of one scope that isn't offered", form({ durations: { read: "1" } }), "bad_duration"],
  ])("%s", (_, given, problem) => {
    expect(readAnswer(given, question, NOW)).toMatchObject({ kind: "unclear", problem });
  });

  const MORNING = 1_800_000_000_000;
  test.each([
    ["without an end", null],
    ["an end that has passed", String(MORNING)],
    ["an end beyond the longest day", String(MORNING + 25 * 3_600_000 + 1)],
    ["an end in another notation", "1.8000000001e12"],
    ["a negative end", `-${MORNING + 1000}`],
    ["an end with a part of a millisecond", `${MORNING + 1000}.5`],
  ])("today, %s → bad_duration", (_, todayUntil) => {
    const given = form({ duration: "today", todayUntil });
    expect(readAnswer(given, question, MORNING)).toMatchObject({ kind: "unclear", problem: "bad_duration" });
  });

  test("today, where it isn't offered; for a single scope → bad_duration", () => {
    const todayUntil = String(MORNING + 1000);
    const given = form({ duration: "today", todayUntil });
    expect(readAnswer(given, { ...question, today: false }, MORNING)).toMatchObject({ problem: "bad_duration" });
    const single = form({ todayUntil, durations: { read: "today" } });
    expect(readAnswer(single, question, MORNING)).toMatchObject({ problem: "bad_duration" });
    // As a control: the same end, where it is offered, for all.
    expect(readAnswer(given, question, MORNING)).toMatchObject({ duration: { until: MORNING + 1000 } });
  });

  test("only optional scopes, and none ticked", () => {
    const owners = [{ ...me, scopes: [write] }];
    const given = form({ scopes: new Set() });
    expect(readAnswer(given, { ...question, owners }, NOW)).toMatchObject({ kind: "unclear", problem: "nothing" });
  });

  test("one scope for once, where that can't be", () => {
    const given = form({ durations: { write: "once" } });
    const outcome = readAnswer(given, { ...question, onceByScope: false }, NOW);
    expect(outcome).toMatchObject({ kind: "unclear", problem: "bad_duration" });
  });
});

describe("an answer", () => {
  test("no → denied, whatever else the form says", () => {
    expect(readAnswer(form({ decision: "deny", owner: "nobody", duration: null }), question, NOW)).toEqual({
      kind: "denied",
      owner: me,
    });
  });

  test("yes, with a scope that wasn't asked for and without an optional one → what was asked for, less that one", () => {
    const given = form({ scopes: new Set(["admin"]), durations: { read: "3600" } });
    expect(readAnswer(given, question, NOW)).toEqual({
      ...{ kind: "allowed", owner: me, scopes: [read], declined: ["write"], unapproved: [], lost: [] },
      ...{ duration: 86_400, durations: { read: 3600 }, kept: [], keptEnds: {}, moved: [] },
    });
  });

  test("all for once, a longer time in one row, where no single scope can be for once → that time, and the rest for once", () => {
    const given = form({ duration: "once", durations: { read: "3600" } });
    const outcome = readAnswer(given, { ...question, onceByScope: false }, NOW);
    expect(outcome).toMatchObject({ kind: "allowed", duration: "once", durations: { read: 3600 } });
  });

  test("for a company: more than it approved for all → its admins are asked; within that → allowed", () => {
    const more = readAnswer(form({ owner: "company" }), question, NOW);
    expect(more).toMatchObject({ kind: "ask_admin", owner: { ownerId: "company" }, scopes: [read, write] });
    const within = readAnswer(form({ owner: "company", scopes: new Set() }), question, NOW);
    expect(within).toMatchObject({ kind: "allowed", owner: { verdict: "approved" }, scopes: [read] });
  });
});

describe("what stands already", () => {
  const scopes = [{ name: "read", expiresAt: NOW + 3_600_000, grantedAt: 0, hosts: ["https://app.test"] }];
  const consent = {
    status: "active",
    via: "browser",
    scopes,
    ...{ removed: [], declined: [], createdAt: 0 },
    updatedAt: 0,
    expiresAt: null,
    pausedAt: null,
  } as unknown as Consent;
  const owner: OwnerChoice = { ...me, consent };
  const mine: Question = { ...question, owners: [owner, company] };
  const only = { scopes: new Set<string>() };

  test("a time for all → for what is new; the rest keeps its end", () => {
    expect(readAnswer(form({ duration: "forever" }), mine, NOW)).toMatchObject({
      ...{ kind: "allowed", duration: "forever", durations: {}, kept: ["read"] },
    });
  });

  test("a time in its own row → that one; the row as it came → none", () => {
    const named = form({ durations: { read: "86400" } });
    expect(readAnswer(named, mine, NOW)).toMatchObject({ durations: { read: 86_400 }, kept: [] });
    const left = form({ durations: { read: "keep" } });
    expect(readAnswer(left, mine, NOW)).toMatchObject({ durations: {}, kept: ["read"] });
  });

  test("nothing is new → no time for all is needed; a wrong one is wrong nevertheless", () => {
    for (const duration of [null, ""])
      expect(readAnswer(form({ ...only, duration }), mine, NOW)).toMatchObject({ kind: "allowed", kept: ["read"] });
    const wrong = form({ ...only, duration: "7200" });
    expect(readAnswer(wrong, mine, NOW)).toMatchObject({ kind: "unclear", problem: "bad_duration" });
    const fresh = form({ duration: null });
    expect(readAnswer(fresh, mine, NOW)).toMatchObject({ kind: "unclear", problem: "bad_duration" });
  });

  test("it ended behind the page → asked again, not granted anew", () => {
    const given = form({ ...only, durations: { read: "keep" } });
    const outcome = readAnswer(given, mine, NOW + 3_600_000);
    expect(outcome).toMatchObject({ kind: "unclear", problem: "meanwhile" });
  });

  test("it was allowed behind the page → asked again; a second press of the same button, or its own time → as chosen", () => {
    const given = form({ ...only, durations: { read: "" } });
    expect(readAnswer(given, mine, NOW)).toMatchObject({ kind: "unclear", problem: "meanwhile" });
    expect(readAnswer(given, { ...mine, repeated: true }, NOW)).toMatchObject({ kind: "allowed", kept: ["read"] });
    const named = form({ ...only, durations: { read: "3600" } });
    expect(readAnswer(named, mine, NOW)).toMatchObject({ kind: "allowed", durations: { read: 3600 } });
    const alone = { ...mine, owners: mine.owners.map((owner) => ({ ...owner, scopes: [read] })) };
    expect(readAnswer(form({ ...only }), alone, NOW)).toMatchObject({ kind: "unclear", problem: "meanwhile" });
    expect(readAnswer(form({ ...only, duration: null }), alone, NOW)).toMatchObject({ kind: "allowed" });
  });

  test("the page showed another owner's → asked again; a second press of the same button → as it stands", () => {
    const given = form({ ...only, shownOwner: "company", duration: "86400" });
    expect(readAnswer(given, mine, NOW)).toMatchObject({ kind: "unclear", problem: "other_owner" });
    expect(readAnswer(given, { ...mine, repeated: true }, NOW)).toMatchObject({ kind: "allowed", kept: ["read"] });
    const gone = { ...mine, owners: mine.owners.filter(({ ownerId }) => ownerId === "me") };
    expect(readAnswer(given, gone, NOW)).toMatchObject({ kind: "unclear", problem: "other_owner" });
    const same = form({ ...only, shownOwner: "me", duration: "86400" });
    expect(readAnswer(same, mine, NOW)).toMatchObject({ kind: "allowed", kept: ["read"] });
  });

  test("the member's earlier choice has ended → nothing stands for them; as long as chosen now, whatever the record says", () => {
    const earlier = { ...acting("allow", ["read"]), chosen: true, chosenUntil: NOW, chosenEnds: { read: NOW } };
    const theirs = { ...company, consent, acting: earlier };
    const given = form({ ...only, owner: "company", shownOwner: "company", duration: "60" });
    const asked = { ...mine, owners: [theirs], durations: [60] };
    const outcome = { kind: "allowed", duration: 60, durations: { read: 60 }, kept: [] };
    expect(readAnswer(given, asked, NOW)).toMatchObject(outcome);
    expect(readAnswer(given, asked, NOW - 60_000)).toMatchObject({ kept: ["read"] });
  });

  test("unticked: what the page showed as given is lost in older access, and what it showed as new is not", () => {
    const both = [...scopes, { name: "write", expiresAt: null, grantedAt: 0, hosts: ["https://app.test"] }];
    const owners = [{ ...owner, consent: { ...consent, scopes: both } }];
    const outcome = { scopes: [read], declined: ["write"], lost: ["write"] };
    expect(readAnswer(form({ ...only }), { ...question, owners }, NOW)).toMatchObject(outcome);
    expect(readAnswer(form({ ...only }), mine, NOW)).toMatchObject({ declined: ["write"], lost: [] });
  });

  test("a device, all for once, an end in each row → that end, for what stands and for what is new", () => {
    const given = form({ duration: "once", durations: { read: "86400", write: "86400" } });
    const outcome = readAnswer(given, { ...mine, onceByScope: false }, NOW);
    expect(outcome).toMatchObject({ duration: "once", durations: { read: 86_400, write: 86_400 }, kept: [] });
  });
});

describe("the end of an answer under what an admin approved", () => {
  test.each([
    ["all until revoked", "forever", {}, { read: null, write: null }],
    ["all for an hour", 3600, {}, { read: NOW + 3_600_000, write: NOW + 3_600_000 }],
    ["one scope for less than the rest", "forever", { write: 60 }, { read: null, write: NOW + 60_000 }],
    ["one scope for once", 86_400, { read: "once" }, { read: NOW + 5, write: NOW + 86_400_000 }],
  ] as const)("%s", (_, duration, durations, ends) => {
    const allowed = {
      owner: company,
      scopes: [read, write],
      declined: [],
      unapproved: [],
      lost: [],
      duration,
      durations,
      kept: [],
      keptEnds: {},
      moved: [],
    };
    expect(answeredEnds(allowed, NOW, NOW + 5)).toEqual(ends);
  });

  test("what stands and keeps its end → as approved", () => {
    const lengths = { durations: {}, kept: ["read", "write"], keptEnds: {}, moved: [] };
    const all = { owner: company, scopes: [read, write], declined: [], unapproved: [], lost: [], ...lengths };
    expect(answeredEnds({ ...all, duration: 60 }, NOW, NOW + 5)).toEqual({ read: null, write: null });
  });

  test("the approval ends → no later than it, whatever was chosen", () => {
    const { acting: theirs } = company;
    if (theirs?.rule === undefined) throw new Error("no rule");
    const ending = { ...company, acting: { ...theirs, rule: { ...theirs.rule, endsAt: NOW + 60_000 } } };
    const chosen = { duration: "forever", durations: { write: 30 }, kept: [], keptEnds: {}, moved: [] } as const;
    const all = { owner: ending, scopes: [read, write], declined: [], unapproved: [], lost: [], ...chosen };
    expect(answeredEnds(all, NOW, NOW + 5)).toEqual({ read: NOW + 60_000, write: NOW + 30_000 });
  });
});
