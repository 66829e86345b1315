/** The states of the pages about ways to sign in beside a password. */
import type {
  AddPasskeyView,
  AuthenticatorEntry,
  AuthenticatorView,
  PasskeyEntry,
  SecondStepView,
  SessionEntry,
  StrongerView,
} from "../../src/pages/factor-views.ts";
import {
  addPasskeyPage,
  authenticatorPage,
  type Chrome,
  recoveryCodesPage,
  removeAuthenticatorPage,
  removePasskeyPage,
  secondStepPage,
  securityPage,
  strongerPage,
} from "../../src/pages/index.ts";
import { SECURITY_NOTICES } from "../../src/pages/security/views.ts";
import type { PasskeyOffer } from "../../src/pages/views.ts";
import { aSecurityView } from "./security-states.ts";

const NOW = Date.UTC(2026, 6, 14, 9, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ada = { name: "Ada Lovelace", username: "ada" };
const client = {
  ...{ name: "Photo Printer", logo: null, host: "print.example.com", policyUri: null, tosUri: null },
  ...{ verified: false, publisher: null, since: NOW - 400 * DAY, people: null },
};

export const anOffer: PasskeyOffer = {
  challenge: "Y2hhbGxlbmdl",
  sealed: "sealed-challenge",
  rpId: "id.example.com",
};

export function aSession(changes: Partial<SessionEntry> = {}): SessionEntry {
  return {
    ...{ id: "session-1", here: false, browser: "Firefox", system: "Linux", place: "203.0.113.x" },
    ...{ since: NOW - 3 * DAY, seenAt: NOW - HOUR },
    ...changes,
  };
}

const from = { browser: "Firefox", system: "Linux", place: "203.0.113.x" };
const fromNowhere = { browser: null, system: null, place: null };

/** Recovery codes that were made in a browser that is new to the account. */
export const inNewBrowser = { codes: false, earlierCodes: true };

export function anAuthenticatorEntry(since: number, left: number): AuthenticatorEntry {
  return { ...from, since, earlier: false, codes: { ...fromNowhere, since, left, proving: null } };
}

function aPasskey(changes: Partial<PasskeyEntry> = {}): PasskeyEntry {
  return {
    ...{ id: "key-1", name: "Work laptop", synced: true, createdAt: NOW - 90 * DAY, lastUsedAt: NOW - 2 * HOUR },
    ...from,
    ...changes,
  };
}

export function aSecondStep(changes: Partial<SecondStepView> = {}): SecondStepView {
  return {
    form: { csrf: "csrf-value", request: "sealed-request-value" },
    ...{ partial: "sealed-partial", client, person: ada, codes: true, passkey: null, over: "/login", problem: null },
    ...changes,
  };
}

export function aStronger(changes: Partial<StrongerView> = {}): StrongerView {
  const request = "sealed-request-value";
  const usual = {
    form: { csrf: "csrf-value", request },
    client,
    wanted: "mfa",
    passkeys: true,
    problem: null,
  } as const;
  return { ...usual, request, ...changes };
}

export function anAddPasskey(changes: Partial<AddPasskeyView> = {}): AddPasskeyView {
  return { csrf: "csrf-value", options: "{}", challenge: "sealed", name: "", request: null, fault: null, ...changes };
}

export function anAuthenticator(changes: Partial<AuthenticatorView> = {}): AuthenticatorView {
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const uri = `otpauth://totp/id.example.com:ada?secret=${secret}&issuer=id.example.com`;
  return { csrf: "csrf-value", sealed: "sealed-secret", uri, secret, request: null, fault: null, ...changes };
}

const codes = Array.from({ length: 10 }, (_, at) => `${at}k3p-9xwz-a7m${at}-qrst`);
const sessions = [
  aSession({ id: "here", here: true, browser: "Chrome", system: "macOS" }),
  aSession(),
  aSession({ id: "phone", browser: "Safari", system: "iPhone", place: "2001:db8:1:…", seenAt: NOW - 5 * DAY }),
  aSession({ id: "other", browser: null, system: null, place: null }),
];
const everything = {
  passkeys: {
    available: true,
    entries: [
      aPasskey(),
      aPasskey({ id: "key-2", name: "Schlüssel am Bund", synced: false, lastUsedAt: null, ...fromNowhere }),
    ],
  },
  authenticator: anAuthenticatorEntry(NOW - 200 * DAY, 7),
  sessions,
};

/** Where the person can prove a second factor, too. */
const providers = [
  { id: "p-1", name: "Example ID" },
  { id: "p-2", name: "جامعة الملك" },
];

export const factorStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "remove-passkey": (c) =>
    removePasskeyPage(
      {
        ...{ csrf: "csrf-value", id: "key-1", name: "Work laptop" },
        left: [{ kind: "password" }, { kind: "passkey", name: "Phone" }, { kind: "account", name: "Example ID" }],
      },
      c,
    ),
  "remove-passkey-last": (c) =>
    removePasskeyPage({ csrf: "csrf-value", id: "key-1", name: "Work laptop", left: [] }, c),
  "remove-authenticator": (c) => removeAuthenticatorPage({ csrf: "csrf-value" }, c),
  "second-step": (c) => secondStepPage(aSecondStep(), c),
  "second-step-passkey": (c) => secondStepPage(aSecondStep({ passkey: anOffer, over: null }), c),
  "second-step-passkey-alone": (c) => secondStepPage(aSecondStep({ codes: false, passkey: anOffer }), c),
  ...Object.fromEntries(
    (["wrong", "wrongRecovery", "missing", "stale", "passkey"] as const).map((kind) => [
      `second-step-problem-${kind}`,
      (c: Chrome) =>
        secondStepPage(
          aSecondStep({ problem: { kind }, client: null, passkey: kind === "passkey" ? anOffer : null }),
          c,
        ),
    ]),
  ),
  "second-step-throttled": (c) => secondStepPage(aSecondStep({ problem: { kind: "throttled", minutes: 9 } }), c),
  "second-step-provider": (c) => secondStepPage(aSecondStep({ passkey: anOffer, over: null, providers }), c),
  stronger: (c) => strongerPage(aStronger(), c),
  "stronger-provider": (c) => strongerPage(aStronger({ elsewhere: { providers, form: aSecondStep().form } }), c),
  ...Object.fromEntries(
    (["denied", "no_second_step"] as const).flatMap((why) => {
      const problem = { kind: "elsewhere", why, provider: "Example ID" } as const;
      const elsewhere = { providers, form: aSecondStep().form };
      return [
        [`stronger-provider-${why}`, (c: Chrome) => strongerPage(aStronger({ elsewhere, problem }), c)],
        [
          `second-step-provider-${why}`,
          (c: Chrome) => secondStepPage(aSecondStep({ over: null, providers, problem }), c),
        ],
      ];
    }),
  ),
  "second-step-provider-wrong": (c) =>
    secondStepPage(aSecondStep({ over: null, providers, problem: { kind: "wrong" } }), c),
  "stronger-device-provider": (c) =>
    strongerPage(aStronger({ form: null, request: null, elsewhere: { providers, form: aSecondStep().form } }), c),
  "stronger-passkey": (c) => strongerPage(aStronger({ wanted: "phr" }), c),
  "stronger-device": (c) => strongerPage(aStronger({ passkeys: false, form: null, request: null }), c),
  "add-passkey": (c) => addPasskeyPage(anAddPasskey(), c),
  "add-passkey-nowhere": (c) => addPasskeyPage(anAddPasskey({ options: null }), c),
  ...Object.fromEntries(
    (["failed", "taken", "full", "name"] as const).map((fault) => [
      `add-passkey-${fault}`,
      (c: Chrome) => addPasskeyPage(anAddPasskey({ fault, name: "Work laptop" }), c),
    ]),
  ),
  authenticator: (c) => authenticatorPage(anAuthenticator(), c),
  "authenticator-wrong": (c) => authenticatorPage(anAuthenticator({ fault: "wrong" }), c),
  "authenticator-expired": (c) => authenticatorPage(anAuthenticator({ fault: "expired" }), c),
  "recovery-codes": (c) => recoveryCodesPage({ codes, renewed: false, proving: null, next: "/account/security" }, c),
  "recovery-codes-renewed": (c) =>
    recoveryCodesPage({ codes, renewed: true, proving: null, next: "/account/security" }, c),
  "recovery-codes-new-browser": (c) =>
    recoveryCodesPage({ codes, renewed: true, proving: inNewBrowser, next: "/account/security" }, c),
  "security-everything": (c) => securityPage(aSecurityView(everything), c),
  "security-earlier": (c) => {
    const entry = anAuthenticatorEntry(NOW - HOUR, 10);
    const authenticator = { ...entry, earlier: true, codes: { ...entry.codes, proving: inNewBrowser } };
    return securityPage(aSecurityView({ authenticator }), c);
  },
  "security-no-codes": (c) =>
    securityPage(
      aSecurityView({
        ...everything,
        authenticator: anAuthenticatorEntry(NOW, 0),
        passkeys: { available: false, entries: [] },
      }),
      c,
    ),
  ...Object.fromEntries(
    (Object.keys(SECURITY_NOTICES) as (keyof typeof SECURITY_NOTICES)[])
      // Those about accounts at providers are in `elsewhere-states.ts`, with these accounts.
      .filter((notice) => notice !== "password" && !notice.startsWith("account-"))
      .map((notice) => [`security-${notice}`, (c: Chrome) => securityPage(aSecurityView({ notice }), c)]),
  ),
};
