/** Every page in every state that it is designed for: the gallery shows them, the tests walk through them. */
import {
  appsPage,
  type Chrome,
  conditionPage,
  consentPage,
  deviceCodePage,
  deviceDonePage,
  deviceElsewherePage,
  formPostPage,
  historyPage,
  languagePage,
  problemPage,
  signedOutPage,
  signInPage,
  signOutPage,
} from "../../src/pages/index.ts";
import type {
  AppEntry,
  AppsView,
  ClientCard,
  ConditionView,
  ConsentView,
  DeviceCodeView,
  DeviceFacts,
  DurationChoice,
  HistoryEntryView,
  HistoryView,
  ProblemView,
  ScopeChoice,
  SignInView,
} from "../../src/pages/views.ts";
import { companyPageStates, companyStates } from "./company-states.ts";
import { securityStates } from "./security-states.ts";

/** 14 July 2026, 09:30 UTC: the gallery's now. */
export const NOW = Date.UTC(2026, 6, 14, 9, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const ada = { name: "Ada Lovelace", username: "ada" };
export const longPerson = {
  name: "Wolfeschlegelsteinhausenbergerdorff the Elder of Philadelphia",
  username: "wolfeschlegelsteinhausenbergerdorff.the.elder@mail.example.com",
};

/** 64 characters, in words, and 64 without a place to break. */
export const LONG_NAME = "The Wonderful Photo Printing and Calendar Company of Northampton";
const UNBREAKABLE = "Photo".repeat(13);
/** Reverses what follows it, hides letters, piles up marks, and carries markup. */
export const HOSTILE_NAME = `\u202Eretnirp\u202C Ass\u200Bent<script>alert(1)</script>&amp;"'${"\u0301".repeat(40)}\n{{7*7}}`;

export function aClient(change: Partial<ClientCard> = {}): ClientCard {
  return {
    name: "Photo Printer",
    logo: "/logos/photo-printer",
    host: "print.example.com",
    policyUri: "https://print.example.com/privacy",
    tosUri: "https://print.example.com/terms",
    verified: true,
    publisher: "Print House Ltd",
    since: NOW - 400 * DAY,
    people: 100,
    ...change,
  };
}

export function aScope(change: Partial<ScopeChoice> = {}): ScopeChoice {
  return {
    name: "photos:read",
    description: "See your photos and albums",
    api: "Photos",
    required: true,
    sensitive: false,
    checked: true,
    granted: false,
    access: "read",
    duration: null,
    ...change,
  };
}

export const form = { csrf: "csrf-value", request: "sealed-request-value" };
const noRequest = { csrf: "csrf-value", request: null };

export const durations: readonly DurationChoice[] = [
  "once",
  "3600",
  "86400",
  "604800",
  "2592000",
  "7776000",
  "31536000",
  "forever",
].map((value) => ({ value, selected: value === "7776000" }));

export const scopes: readonly ScopeChoice[] = [
  aScope(),
  aScope({ name: "photos:write", description: "Add photos to your albums", required: false, access: "write" }),
  aScope({
    name: "photos:delete",
    description: "Delete photos for good",
    required: false,
    sensitive: true,
    checked: false,
    access: "delete",
  }),
  aScope({ name: "profile", description: "See your name and your picture", api: null, access: null }),
];

export function aSignIn(change: Partial<SignInView> = {}): SignInView {
  return { form, client: aClient(), username: "", problem: null, again: null, ...change };
}

export function aConsent(change: Partial<ConsentView> = {}): ConsentView {
  return { form, client: aClient(), person: ada, scopes, durations, allGranted: false, problem: null, ...change };
}

export const deviceForm = { csrf: "csrf-value", request: null, device: "sealed-device-value" };
export const television = aClient({ name: "Photo TV", logo: null, host: null });

export function deviceFacts(change: Partial<DeviceFacts> = {}): DeviceFacts {
  return {
    userCode: "WDJB-MJHT",
    address: "203.0.113.7",
    sameNetwork: true,
    askedAt: NOW - MINUTE,
    now: NOW,
    ...change,
  };
}

export function aDeviceCode(change: Partial<DeviceCodeView> = {}): DeviceCodeView {
  return { form: noRequest, userCode: "", linked: false, problem: null, ...change };
}

/** The consent page of a device. */
export function aDeviceConsent(change: Partial<ConsentView> = {}): ConsentView {
  return aConsent({ form: deviceForm, client: television, device: deviceFacts(), ...change });
}

export function anElsewhere(change: Partial<DeviceFacts> = {}) {
  return { form: deviceForm, client: television, device: deviceFacts({ sameNetwork: false, ...change }) };
}

function manyScopes(): readonly ScopeChoice[] {
  const apis = ["Photos", "Calendar", "Contacts", "Company directory and address book of the northern region", null];
  const verbs = ["See", "Change", "Delete", "Share with others", "Export"];
  return Array.from({ length: 40 }, (_, index) =>
    aScope({
      name: `scope:${index}`,
      description: `${verbs[index % 5]} ${index % 7 === 0 ? "everything that you and people whom you invited have put into folder" : "folder"} ${index + 1}`,
      api: apis[Math.floor(index / 8)] ?? null,
      required: index % 3 === 0,
      access: (["read", "write", "delete", "write", "read"] as const)[index % 5] ?? null,
      sensitive: index % 5 === 2,
    }),
  );
}

export function anApp(change: Partial<AppEntry> = {}): AppEntry {
  return {
    clientId: "photo-printer",
    name: "Photo Printer",
    logo: "/logos/photo-printer",
    host: "print.example.com",
    scopes: [
      { name: "photos:read", description: "See your photos and albums", expiresAt: NOW + 80 * DAY, removable: false },
      { name: "photos:write", description: "Add photos to your albums", expiresAt: NOW + 80 * DAY, removable: true },
      { name: "profile", description: "See your name and your picture", expiresAt: NOW + 5 * DAY, removable: true },
    ],
    grantedAt: NOW - 10 * DAY,
    lastUsedAt: NOW - 2 * HOUR,
    expiresAt: NOW + 80 * DAY,
    theftAt: null,
    ...change,
  };
}

export function anAppsView(change: Partial<AppsView> = {}): AppsView {
  return { csrf: "csrf-value", person: ada, apps: fewApps, now: NOW, notice: null, ...change };
}

const fewApps: readonly AppEntry[] = [
  anApp(),
  anApp({
    clientId: "calendar",
    name: "Calendar Sync",
    logo: null,
    host: "127.0.0.1",
    scopes: [{ name: "calendar", description: "See your calendar", expiresAt: null, removable: true }],
    grantedAt: NOW - 400 * DAY,
    lastUsedAt: null,
    expiresAt: null,
  }),
  anApp({
    clientId: "backup",
    name: "Backup for Teams",
    logo: null,
    host: "backup.example.net",
    scopes: Array.from({ length: 12 }, (_, index) => ({
      name: `folder:${index}`,
      description: `Read folder ${index + 1}`,
      expiresAt: null,
      removable: index > 0,
    })),
    grantedAt: NOW - 3 * MINUTE,
    lastUsedAt: NOW - 5_000,
    expiresAt: null,
    theftAt: NOW - DAY,
  }),
];

function manyApps(count: number): readonly AppEntry[] {
  return Array.from({ length: count }, (_, index) =>
    anApp({
      clientId: `app-${index}`,
      name: index % 6 === 5 ? LONG_NAME : `${["Photo", "Mail", "Task", "Music", "Map"][index % 5]} app ${index + 1}`,
      logo: index % 3 === 0 ? "/logos/photo-printer" : null,
      host: index % 4 === 3 ? null : `app${index + 1}.example.com`,
      lastUsedAt: NOW - index * 7 * HOUR,
    }),
  );
}

function aProblem(change: Partial<ProblemView> = {}): ProblemView {
  return {
    status: 400,
    title: "This link doesn’t work",
    text: "The app sent you here with an address that it has not registered, so we can’t send you back to it. Tell the people who make the app.",
    condition: "redirect_uri_mismatch",
    requestId: "01K0MZ3V5Q9W8R7T6Y5U4I3O2P",
    door: { href: "/account/apps", label: "Go to your apps" },
    ...change,
  };
}

export function aCondition(change: Partial<ConditionView> = {}): ConditionView {
  return {
    name: "redirect_uri_mismatch",
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1.2.4",
    description: "redirect_uri is missing or is not one that the client registered.",
    help: [
      "The address is compared character by character: scheme, host, port, path, trailing slash and query must be those of the registration.",
      "Register it with: assent client update CLIENT_ID --redirect-uri URI.",
    ],
    others: ["client_id_unknown", "code_challenge_missing", "code_challenge_method_unsupported", "parameter_repeated"],
    ...change,
  };
}

export function anEntry(change: Partial<HistoryEntryView> = {}): HistoryEntryView {
  return {
    entryId: "AAAAAAAAAAAAAAAAAAAAAA",
    at: NOW - 3 * DAY,
    what: "allowed",
    app: "Photo Printer",
    can: ["See your photos and albums", "Add photos to your albums"],
    takenAway: [],
    expiresAt: NOW + 87 * DAY,
    ...change,
  };
}

const events: readonly HistoryEntryView[] = [
  anEntry({
    what: "revoked",
    at: NOW - MINUTE,
    can: [],
    takenAway: ["See your calendar"],
    app: "Calendar Sync",
    expiresAt: undefined,
  }),
  anEntry({ what: "alarm", at: NOW - HOUR, can: [], app: "Backup for Teams", expiresAt: undefined }),
  anEntry({
    what: "narrowed",
    at: NOW - DAY,
    can: ["See your photos and albums"],
    takenAway: ["Add photos to your albums"],
    expiresAt: undefined,
  }),
  anEntry({ what: "endChanged", at: NOW - 2 * DAY, expiresAt: null }),
  anEntry(),
  anEntry({ what: "reconnected", at: NOW - 5 * DAY, can: ["See your photos and albums"], expiresAt: undefined }),
  anEntry({ what: "allowedByDevice", at: NOW - 40 * DAY, app: "Photo TV" }),
  anEntry({ what: "allowedByPassword", at: NOW - 50 * DAY, app: "Old Mail" }),
  anEntry({ what: "allowedByPolicy", at: NOW - 60 * DAY, app: "Payroll" }),
  anEntry({ what: "givenUp", at: NOW - 70 * DAY, can: [], app: "Old Mail", expiresAt: undefined }),
  anEntry({ what: "revokedByOther", at: NOW - 400 * DAY, can: [], app: LONG_NAME, expiresAt: undefined }),
];

export function aHistory(change: Partial<HistoryView> = {}): HistoryView {
  return { csrf: "csrf-value", person: ada, entries: events, now: NOW, older: null, first: true, ...change };
}

const hostile = { name: HOSTILE_NAME, username: HOSTILE_NAME };

/** The states, by name. A name begins with its page's. */
export const states: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "sign-in": (c) => signInPage(aSignIn(), c),
  "sign-in-alone": (c) => signInPage(aSignIn({ form: noRequest, client: null }), c),
  "sign-in-hint": (c) => signInPage(aSignIn({ username: "ada" }), c),
  "sign-in-wrong": (c) => signInPage(aSignIn({ username: "ada", problem: { kind: "wrong" } }), c),
  "sign-in-missing": (c) => signInPage(aSignIn({ problem: { kind: "missing" } }), c),
  "sign-in-throttled": (c) => signInPage(aSignIn({ username: "ada", problem: { kind: "throttled", minutes: 5 } }), c),
  "sign-in-stale": (c) => signInPage(aSignIn({ problem: { kind: "stale" } }), c),
  "sign-in-again": (c) => signInPage(aSignIn({ username: "ada", again: ada }), c),
  "sign-in-long": (c) =>
    signInPage(
      aSignIn({
        client: aClient({ name: LONG_NAME, logo: null, host: `${"very-long-subdomain.".repeat(4)}example.com` }),
        username: longPerson.username,
        again: longPerson,
      }),
      c,
    ),
  consent: (c) => consentPage(aConsent(), c),
  "consent-required-only": (c) =>
    consentPage(aConsent({ scopes: [aScope()], client: aClient({ logo: null, policyUri: null, tosUri: null }) }), c),
  "consent-more": (c) =>
    consentPage(aConsent({ scopes: scopes.map((scope, index) => ({ ...scope, granted: index !== 2 })) }), c),
  "consent-again": (c) =>
    consentPage(aConsent({ allGranted: true, scopes: scopes.map((scope) => ({ ...scope, granted: true })) }), c),
  "consent-unverified": (c) =>
    consentPage(aConsent({ client: aClient({ verified: false, publisher: null, people: 0, since: NOW - HOUR }) }), c),
  "consent-lookalike": (c) => consentPage(aConsent({ client: aClient({ name: "P\u0430yPal", verified: false }) }), c),
  "consent-own-times": (c) =>
    consentPage(aConsent({ scopes: scopes.map((scope, at) => ({ ...scope, duration: at === 1 ? "once" : null })) }), c),
  "consent-loopback": (c) =>
    consentPage(aConsent({ client: aClient({ name: "Photo CLI", logo: null, host: "127.0.0.1" }) }), c),
  "consent-scheme": (c) =>
    consentPage(aConsent({ client: aClient({ name: "Photo Mobile", logo: null, host: "com.example.app:" }) }), c),
  "consent-stale": (c) => consentPage(aConsent({ problem: { kind: "stale" } }), c),
  "consent-bad-duration": (c) => consentPage(aConsent({ problem: { kind: "bad_duration" } }), c),
  "consent-nothing": (c) =>
    consentPage(
      aConsent({
        problem: { kind: "nothing" },
        scopes: scopes.map((scope) => ({ ...scope, required: false, checked: false })),
      }),
      c,
    ),
  ...companyStates,
  ...companyPageStates,
  "consent-40-scopes": (c) => consentPage(aConsent({ scopes: manyScopes() }), c),
  "consent-long": (c) =>
    consentPage(
      aConsent({
        client: aClient({ name: LONG_NAME, logo: null, host: `${"very-long-subdomain.".repeat(4)}example.com` }),
        person: longPerson,
      }),
      c,
    ),
  "consent-unbreakable": (c) =>
    consentPage(
      aConsent({
        client: aClient({ name: UNBREAKABLE, logo: null }),
        scopes: [aScope({ description: UNBREAKABLE.repeat(3), api: UNBREAKABLE, sensitive: true })],
      }),
      c,
    ),
  "consent-hostile": (c) =>
    consentPage(
      aConsent({
        client: aClient({
          name: HOSTILE_NAME,
          logo: "https://evil.example/logo.png",
          policyUri: "javascript:alert(1)",
        }),
        person: hostile,
        scopes: [aScope({ description: HOSTILE_NAME, api: HOSTILE_NAME })],
      }),
      c,
    ),
  "consent-rtl-name": (c) =>
    consentPage(
      aConsent({ client: aClient({ name: "طابعة الصور", logo: null }), person: { name: "ليلى", username: "layla" } }),
      c,
    ),
  device: (c) => deviceCodePage(aDeviceCode(), c),
  "device-linked": (c) => deviceCodePage(aDeviceCode({ userCode: "WDJB-MJHT", linked: true }), c),
  "device-unknown": (c) => deviceCodePage(aDeviceCode({ userCode: "WDJB-MJHT", problem: { kind: "unknown" } }), c),
  "device-missing": (c) => deviceCodePage(aDeviceCode({ problem: { kind: "missing" } }), c),
  "device-throttled": (c) =>
    deviceCodePage(aDeviceCode({ userCode: "WDJB-MJHT", problem: { kind: "throttled", minutes: 12 } }), c),
  "device-stale": (c) => deviceCodePage(aDeviceCode({ problem: { kind: "stale" } }), c),
  "device-hostile": (c) => deviceCodePage(aDeviceCode({ userCode: HOSTILE_NAME, linked: true }), c),
  "device-sign-in": (c) => signInPage(aSignIn({ form: deviceForm, client: null, device: true }), c),
  "device-consent": (c) => consentPage(aDeviceConsent(), c),
  "device-consent-again": (c) =>
    consentPage(aDeviceConsent({ allGranted: true, scopes: scopes.map((scope) => ({ ...scope, granted: true })) }), c),
  "device-consent-long": (c) =>
    consentPage(
      aDeviceConsent({
        client: aClient({ name: LONG_NAME, logo: null, host: null }),
        device: deviceFacts({ address: "2001:db8:1234:5678:9abc:def0:1234:5678", sameNetwork: false }),
        person: longPerson,
      }),
      c,
    ),
  "device-elsewhere": (c) => deviceElsewherePage(anElsewhere(), c),
  "device-elsewhere-unknown": (c) => deviceElsewherePage(anElsewhere({ address: null }), c),
  "device-elsewhere-hostile": (c) =>
    deviceElsewherePage({ ...anElsewhere(), client: aClient({ name: HOSTILE_NAME, host: null }) }, c),
  "device-allowed": (c) => deviceDonePage({ client: television, outcome: "allowed" }, c),
  "device-denied": (c) => deviceDonePage({ client: television, outcome: "denied" }, c),
  "device-nothing": (c) => deviceDonePage({ client: television, outcome: "nothing" }, c),
  apps: (c) => appsPage(anAppsView(), c),
  "apps-none": (c) => appsPage(anAppsView({ apps: [] }), c),
  "apps-30": (c) => appsPage(anAppsView({ apps: manyApps(30) }), c),
  "apps-revoked": (c) =>
    appsPage(anAppsView({ apps: fewApps.slice(1), notice: { kind: "revoked", app: "Photo Printer", minutes: 10 } }), c),
  "apps-revoked-last": (c) =>
    appsPage(anAppsView({ apps: [], notice: { kind: "revoked", app: "Photo Printer", minutes: 0 } }), c),
  "apps-narrowed": (c) => appsPage(anAppsView({ notice: { kind: "narrowed", app: "Photo Printer", minutes: 10 } }), c),
  "apps-gone": (c) => appsPage(anAppsView({ notice: { kind: "gone" } }), c),
  "apps-hostile": (c) =>
    appsPage(
      anAppsView({
        person: hostile,
        apps: [
          anApp({ name: HOSTILE_NAME, logo: "//evil.example/logo.png" }),
          anApp({ clientId: "long", name: UNBREAKABLE, logo: null }),
        ],
        notice: { kind: "revoked", app: HOSTILE_NAME, minutes: 1 },
      }),
      c,
    ),
  history: (c) => historyPage(aHistory({ older: "AAAAAAAAAAAAAAAAAAAAAA" }), c),
  "history-none": (c) => historyPage(aHistory({ entries: [] }), c),
  "history-older": (c) => historyPage(aHistory({ entries: events.slice(4, 6), first: false }), c),
  "history-hostile": (c) =>
    historyPage(
      aHistory({
        person: hostile,
        entries: [anEntry({ app: HOSTILE_NAME, can: [HOSTILE_NAME, UNBREAKABLE.repeat(3)], takenAway: [UNBREAKABLE] })],
      }),
      c,
    ),
  ...securityStates,
  "sign-out": (c) => signOutPage({ csrf: "csrf-value", person: ada }, c),
  "signed-out": (c) => signedOutPage({ signIn: "/login" }, c),
  "problem-400": (c) => problemPage(aProblem(), c),
  "problem-403": (c) =>
    problemPage(
      aProblem({
        status: 403,
        title: "Please try that again",
        text: "We couldn’t be sure that this came from you. Go back, load the page once more and repeat what you did.",
        condition: null,
      }),
      c,
    ),
  "problem-404": (c) =>
    problemPage(
      aProblem({
        status: 404,
        title: "There is no such page",
        text: "The address may be mistyped, or old.",
        condition: null,
      }),
      c,
    ),
  "problem-500": (c) =>
    problemPage(
      aProblem({
        status: 500,
        title: "Something broke on our side",
        text: "It is not your fault, and nothing was changed. Please try again in a minute.",
        condition: "server_error",
        door: null,
      }),
      c,
    ),
  language: (c) => languagePage({ back: "/account/apps" }, c),
  "form-post": (c) =>
    formPostPage(
      {
        action: "https://print.example.com/callback",
        fields: { code: "ac_value", state: "s", iss: "http://127.0.0.1" },
      },
      c,
    ),
  condition: (c) => conditionPage(aCondition(), c),
  "condition-long": (c) =>
    conditionPage(
      aCondition({
        name: "authorization_scheme_unknown_and_other_things_that_are_long",
        section: "OAuth 2.0 Multiple Response Types §2.1",
        others: Array.from({ length: 30 }, (_, index) => `condition_number_${index}_with_a_long_name`),
      }),
      c,
    ),
};
