import { describe, expect, test } from "vitest";
import { reachOf } from "../../../src/oauth/consent-reach.ts";
import type { Consent, Scope } from "../../../src/oauth/model.ts";
import { type Asked, nextStep, type Situation } from "../../../src/owners/authorization/next-step.ts";
import type { OwnerChoice } from "../../../src/owners/authorization/person-or-company.ts";

const NOW = 1_000_000;
const REDIRECT = "https://app.test/cb";
const client = { type: "confidential", firstParty: false } as const;
const read = { name: "read", resource: null, optional: false, ownerRole: null } as Scope;
const risky = { ...read, acr: "mfa" } as Scope;
const recent = { ...read, maxAge: 60 } as Scope;

const request: Asked = {
  client,
  scopes: [read],
  redirectUri: REDIRECT,
  prompt: [],
  maxAge: null,
  acr: null,
  startedAt: NOW - 1000,
};
const session = { authTime: NOW - 100_000, acr: "1fa", amr: ["pwd"] };
const signedIn = { person: { personId: "me", mustChangePassword: false }, session };

/** An owner with a consent for these scopes and the host `app.test`. */
function owner(ownerId: string, names: readonly string[] = [], more: Partial<OwnerChoice> = {}): OwnerChoice {
  const scopes = names.map((name) => ({ name, grantedAt: 0, expiresAt: null, hosts: ["https://app.test"] }));
  const consent =
    names.length === 0
      ? undefined
      : ({ status: "active", scopes, chosenAt: 1, lastUsedAt: 1, pausedAt: null } as unknown as Consent);
  const reach = reachOf({}, REDIRECT, null);
  return {
    partition: 0,
    ownerId,
    acting: undefined,
    scopes: [read],
    reach,
    verdict: "decides",
    consent,
    overtaken: false,
    ...more,
  };
}
const me = owner("me");
const remembered = owner("me", ["read"]);
const company = owner("company", ["read"], {
  acting: {
    company: { status: "active", defaultRule: "members" },
    member: { accountStatus: "active", role: "admin" },
    rule: undefined,
    optedOut: false,
    chosenEnds: { read: null },
    declined: [],
    chosen: true,
  } as unknown as NonNullable<OwnerChoice["acting"]>,
});
/** The same, with another last answer of the person. */
const answered = (answer: Partial<NonNullable<OwnerChoice["acting"]>>): OwnerChoice =>
  ({ ...company, acting: { ...company.acting, ...answer } }) as OwnerChoice;

const situation: Situation = { asked: request, signedIn, owners: [me], now: NOW };
const asking = (more: Partial<Asked>, rest: Partial<Situation> = {}) => ({
  ...situation,
  ...rest,
  asked: { ...request, ...more },
});

/** The step as a short text. */
function stepOf(at: Situation): string {
  const step = nextStep(at);
  switch (step.kind) {
    case "step_up":
      return `step_up ${step.acr}`;
    case "refuse":
      return `refuse ${step.condition}`;
    case "ask":
      return `ask ${step.owner.ownerId}${step.allGranted ? ", all granted" : ""}`;
    case "issue":
      return `issue ${step.owner.ownerId} by ${step.by}`;
    default:
      return step.kind;
  }
}

describe("the next step", () => {
  test.each([
    ["nobody is signed in", { ...situation, signedIn: undefined, owners: [] }, "sign_in"],
    ["prompt=login, and the sign-in is older than the request", asking({ prompt: ["login"] }), "sign_in"],
    ["prompt=select_account, likewise", asking({ prompt: ["select_account"] }), "sign_in"],
    ["max_age is over", asking({ maxAge: 99 }), "sign_in"],
    ["max_age is not over", asking({ maxAge: 100 }), "ask me"],
    ["a scope wants a sign-in of the last minute", asking({ scopes: [recent] }), "sign_in"],
    [
      "a sign-in since the request began → fresh enough for all of it",
      asking({ prompt: ["login"], maxAge: 0 }, { signedIn: { ...signedIn, session: { ...session, authTime: NOW } } }),
      "ask me",
    ],
    ["id_token_hint names the person", asking({ expectedPeople: ["me"] }), "ask me"],
    ["id_token_hint names somebody else", asking({ expectedPeople: ["other"] }), "sign_in"],
    [
      "id_token_hint names somebody else, and a person signed in since the request began",
      asking({ expectedPeople: ["other"] }, { signedIn: { ...signedIn, session: { ...session, authTime: NOW } } }),
      "refuse other_person_signed_in",
    ],
    ["acr_values wants two factors", asking({ acr: "mfa" }), "step_up mfa"],
    ["a scope wants two factors", asking({ scopes: [risky] }), "step_up mfa"],
    ["acr_values wants more than a scope", asking({ acr: "phr", scopes: [risky] }), "step_up phr"],
    [
      "two factors were given",
      asking({ acr: "mfa" }, { signedIn: { ...signedIn, session: { ...session, acr: "mfa" } } }),
      "ask me",
    ],
    ["too old and too weak → the sign-in first", asking({ maxAge: 0, acr: "mfa" }), "sign_in"],
    [
      "another password must be chosen",
      {
        ...situation,
        signedIn: { ...signedIn, person: { ...signedIn.person, mustChangePassword: true } },
        owners: [remembered],
      },
      "change_password",
    ],
    [
      "too old, and another password must be chosen → the sign-in first",
      asking({ maxAge: 0 }, { signedIn: { ...signedIn, person: { ...signedIn.person, mustChangePassword: true } } }),
      "sign_in",
    ],
    ["the person may grant nothing of it", { ...situation, owners: [] }, "refuse nothing_grantable"],
    ["nothing was answered before", situation, "ask me"],
    ["an answer stands", { ...situation, owners: [remembered] }, "issue me by standing consent"],
    [
      "an answer stands, prompt=consent",
      asking({ prompt: ["consent"] }, { owners: [remembered] }),
      "ask me, all granted",
    ],
    [
      "an answer stands, for another redirect host",
      { ...situation, owners: [{ ...remembered, reach: reachOf({}, "https://other.test/cb", null) }] },
      "ask me",
    ],
    ["a first-party app", asking({ client: { ...client, firstParty: true } }), "issue me by first party"],
    ["the company's answer stands", { ...situation, owners: [me, company] }, "issue company by standing consent"],
    [
      "the company's answer stands, but the member answered before scopes were remembered",
      { ...situation, owners: [me, answered({ chosenEnds: {} })] },
      "ask company",
    ],
    [
      "likewise, and they left the scope out before the app required it",
      { ...situation, owners: [me, answered({ declined: ["read"] })] },
      "ask company",
    ],
    ["two owners' answers stand", { ...situation, owners: [remembered, company] }, "ask me, all granted"],
    ["a device, an answer stands", asking({ redirectUri: null }, { owners: [remembered] }), "ask me, all granted"],
    ["a device of a first-party app", asking({ redirectUri: null, client: { ...client, firstParty: true } }), "ask me"],
    ["a device, nothing to grant", asking({ redirectUri: null }, { owners: [] }), "refuse nothing_grantable"],
  ] as const)("%s", (_, at, expected) => {
    expect(stepOf(at)).toBe(expected);
  });

  test.each([
    ["nobody is signed in", { signedIn: undefined, owners: [] }, {}, "refuse login_required"],
    ["max_age is over", {}, { maxAge: 0 }, "refuse sign_in_too_old"],
    ["id_token_hint names somebody else", {}, { expectedPeople: ["other"] }, "refuse other_person_signed_in"],
    ["more factors are wanted", {}, { acr: "mfa" }, "refuse sign_in_too_weak"],
    [
      "another password must be chosen",
      { signedIn: { ...signedIn, person: { ...signedIn.person, mustChangePassword: true } } },
      {},
      "refuse new_password_needed",
    ],
    ["nothing to grant", { owners: [] }, {}, "refuse nothing_grantable"],
    ["nothing was answered before", {}, {}, "refuse consent_required"],
    ["two owners' answers stand", { owners: [remembered, company] }, {}, "refuse owner_ambiguous"],
    ["an answer stands", { owners: [remembered] }, {}, "issue me by standing consent"],
  ] as const)("prompt=none, %s → no page", (_, rest, more, expected) => {
    expect(stepOf(asking({ prompt: ["none"], ...more }, rest))).toBe(expected);
  });

  test.each([
    ["with pages", [] as const, { kind: "ask", owner: remembered, allGranted: false }],
    ["prompt=none", ["none"] as const, { kind: "refuse", condition: "consent_required" }],
  ] as const)("a standing answer that ends meanwhile, %s → what a page would ask", (_, prompt, otherwise) => {
    expect(nextStep(asking({ prompt }, { owners: [remembered] }))).toMatchObject({ kind: "issue", otherwise });
  });
});
