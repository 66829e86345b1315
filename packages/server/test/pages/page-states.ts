/** Every page in each of its designed states. The gallery shows them, and the tests check them. */
import {
  appsPage,
  type Chrome,
  conditionPage,
  consentPage,
  deviceCodePage,
  deviceDonePage,
  deviceElsewherePage,
  errorRedirectPage,
  formPostPage,
  genuineReceiptPage,
  historyPage,
  languagePage,
  logoutPage,
  problemPage,
  signedOutPage,
  signInPage,
  signOutPage,
  verifyReceiptPage,
} from "../../src/pages/index.ts";
import type { ReceiptProblem, SignInView } from "../../src/pages/views.ts";
import { agentsStates } from "./agents-states.ts";
import { companyPageStates, companyStates } from "./company-states.ts";
import { connectionStates } from "./connection-states.ts";
import { consentStates } from "./consent-states.ts";
import { elsewhereStates } from "./elsewhere-states.ts";
import { anOffer, factorStates } from "./factor-states.ts";
import { keptStates } from "./kept-states.ts";
import { ownSignInStates } from "./own-sign-in-states.ts";
import { recoveryStates } from "./recovery-states.ts";
import { reviewStates } from "./review-states.ts";
import {
  aClient,
  aCondition,
  aConsent,
  aDeviceCode,
  aDeviceConsent,
  ada,
  aHeldError,
  aHistory,
  anApp,
  anAppsView,
  anElsewhere,
  anEntry,
  aProblem,
  appsForWhom,
  aReceipt,
  aScope,
  aSignIn,
  deviceFacts,
  deviceForm,
  endings,
  events,
  fewApps,
  fewDeclined,
  grace,
  grantedBefore,
  HOSTILE_NAME,
  HOUR,
  hostile,
  LONG_NAME,
  longPerson,
  MINUTE,
  manyApps,
  manyScopes,
  NOW,
  noRequest,
  notAsked,
  scopes,
  television,
  UNBREAKABLE,
} from "./sample-views.ts";
import { securityStates, waitingStates } from "./security-states.ts";

export * from "./sample-views.ts";

function anInvitedSignIn(role: "member" | "admin", change: Partial<SignInView> = {}): SignInView {
  const invited = { company: role === "admin" ? LONG_NAME : "Acme Corp", role, by: grace };
  return aSignIn({ client: null, invited, ways: { recover: true, signUp: true }, ...change });
}

const receiptProblems: readonly ReceiptProblem[] = [
  ...(["missing", "too_long", "malformed", "other_type", "other_issuer", "unknown_key", "altered", "stale"] as const),
];

const outlived = { openUntil: NOW + 2 * HOUR, paused: false, entryId: null };
const aCommand = { name: "Assent command line", isCommand: true, verified: false, publisher: null, logo: null };
const operatorsScope = aScope({
  ...{ name: "admin", description: "Administer this server: everything that an operator can do", sensitive: true },
  ...{ api: "Assent", access: null },
});

const aDocumentClient = aClient({
  ...{ name: "Code Tool", logo: null, host: "127.0.0.1:51004", document: "tool.example.com" },
  ...{ verified: false, publisher: null, since: null, people: 0 },
});

/** The states by name. Each name begins with the name of its page. */
export const states: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "sign-in": (c) => signInPage(aSignIn(), c),
  "sign-in-passkey": (c) => signInPage(aSignIn({ passkey: anOffer }), c),
  "sign-in-alone": (c) => signInPage(aSignIn({ form: noRequest, client: null }), c),
  "sign-in-hint": (c) => signInPage(aSignIn({ username: "ada" }), c),
  "sign-in-ways": (c) => signInPage(aSignIn({ client: null, ways: { recover: true, signUp: true } }), c),
  "sign-in-invited": (c) => signInPage(anInvitedSignIn("member"), c),
  "sign-in-invited-admin": (c) => signInPage(anInvitedSignIn("admin", { problem: { kind: "wrong" } }), c),
  ...waitingStates("sign-in", ["appElsewhere"], (waiting, c) => signInPage(aSignIn({ client: null, waiting }), c)),
  "sign-in-wrong": (c) => signInPage(aSignIn({ username: "ada", problem: { kind: "wrong" } }), c),
  "sign-in-missing": (c) => signInPage(aSignIn({ problem: { kind: "missing" } }), c),
  "sign-in-throttled": (c) => signInPage(aSignIn({ username: "ada", problem: { kind: "throttled", minutes: 5 } }), c),
  "sign-in-stale": (c) => signInPage(aSignIn({ problem: { kind: "stale" } }), c),
  "sign-in-again": (c) => signInPage(aSignIn({ username: "ada", again: ada }), c),
  "sign-in-unexpected": (c) => signInPage(aSignIn({ again: ada, unexpected: true }), c),
  "sign-in-switch": (c) => signInPage(aSignIn({ stays: { person: ada, back: "/consent?request=sealed" } }), c),
  "sign-in-choose": (c) => signInPage(aSignIn({ username: "ada", again: ada, choose: aSignIn().form }), c),
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
  "consent-declined": (c) =>
    consentPage(
      aConsent({
        scopes: scopes.map((scope, at) => (at === 1 ? { ...scope, checked: false, declined: true } : scope)),
      }),
      c,
    ),
  "consent-required-only": (c) =>
    consentPage(aConsent({ scopes: [aScope()], client: aClient({ logo: null, policyUri: null, tosUri: null }) }), c),
  "consent-sign-in": (c) =>
    consentPage(
      aConsent({
        scopes: [aScope({ name: "openid", description: "Sign you in", api: null, access: null, signIn: true })],
      }),
      c,
    ),
  "consent-leaving": (c) => consentPage(aConsent({ leavesAt: NOW + 14 * 24 * 3_600_000 }), c),
  "consent-newcomer": (c) => consentPage(aConsent({ isNewcomer: true }), c),
  "consent-more": (c) =>
    consentPage(aConsent({ notAsked, scopes: scopes.map((scope, index) => grantedBefore(scope, index !== 2)) }), c),
  "consent-again": (c) =>
    consentPage(
      aConsent({
        allGranted: true,
        otherHosts: ["printer-new.example"],
        scopes: scopes.map((scope) => ({ ...grantedBefore(scope), checked: true })),
      }),
      c,
    ),
  "consent-unverified": (c) =>
    consentPage(aConsent({ client: aClient({ verified: false, publisher: null, people: 0, since: NOW - HOUR }) }), c),
  "consent-lookalike": (c) => consentPage(aConsent({ client: aClient({ name: "P\u0430yPal", verified: false }) }), c),
  "consent-loopback": (c) =>
    consentPage(aConsent({ client: aClient({ name: "Photo CLI", logo: null, host: "127.0.0.1" }) }), c),
  "consent-document": (c) => consentPage(aConsent({ client: aDocumentClient }), c),
  "consent-document-changed": (c) =>
    consentPage(aConsent({ client: aDocumentClient, formerName: "Code Toll", keepsAccess: true }), c),
  "consent-document-elsewhere": (c) =>
    consentPage(
      aConsent({
        client: {
          ...aDocumentClient,
          host: "app.test",
          document: `${"very-long-subdomain.".repeat(6)}xn--ggle-55da.test`,
        },
      }),
      c,
    ),
  "consent-registered-itself": (c) =>
    consentPage(
      aConsent({ client: { ...aDocumentClient, document: null, registeredItself: true, since: aClient().since } }),
      c,
    ),
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
  ...consentStates,
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
  "device-consent-command": (c) =>
    consentPage(aDeviceConsent({ client: { ...television, ...aCommand }, scopes: [operatorsScope] }), c),
  "device-consent-again": (c) =>
    consentPage(
      aDeviceConsent({ allGranted: true, scopes: scopes.map((scope) => ({ ...grantedBefore(scope), checked: true })) }),
      c,
    ),
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
  "device-denied-keeps": (c) => deviceDonePage({ client: television, outcome: "denied_keeps" }, c),
  "device-denied-keeps-for": (c) =>
    deviceDonePage({ client: television, outcome: "denied_keeps", company: "Acme Corp" }, c),
  "device-denied": (c) => deviceDonePage({ client: television, outcome: "denied" }, c),
  "device-nothing": (c) => deviceDonePage({ client: television, outcome: "nothing" }, c),
  apps: (c) => appsPage(anAppsView(), c),
  "apps-off": (c) =>
    appsPage(anAppsView({ apps: fewApps.map((app) => ({ ...app, off: true })), halted: fewApps.length }), c),
  "apps-declined": (c) => appsPage(anAppsView({ apps: fewApps.map((app) => ({ ...app, declined: fewDeclined })) }), c),
  "apps-two-addresses": (c) => {
    const [old, other] = ["print.example.com", "printer.example.org"];
    return appsPage(anAppsView({ apps: [anApp({ hosts: [old, other], hostEnds: { [other]: NOW + 120 * HOUR } })] }), c);
  },
  "apps-for-whom": (c) => appsPage(appsForWhom, c),
  "apps-none": (c) => appsPage(anAppsView({ apps: [] }), c),
  "apps-30": (c) => appsPage(anAppsView({ apps: manyApps(30) }), c),
  "apps-revoked": (c) =>
    appsPage(
      anAppsView({
        apps: fewApps.slice(1),
        notice: {
          kind: "revoked",
          app: "Photo Printer",
          openUntil: NOW + 10 * MINUTE,
          entryId: "AAAAAAAAAAAAAAAAAAAAAA",
        },
      }),
      c,
    ),
  "apps-revoked-last": (c) =>
    appsPage(
      anAppsView({ apps: [], notice: { kind: "revoked", app: "Photo Printer", openUntil: null, entryId: null } }),
      c,
    ),
  "apps-narrowed": (c) =>
    appsPage(
      anAppsView({ notice: { kind: "narrowed", app: "Photo Printer", openUntil: NOW + 10 * MINUTE, entryId: null } }),
      c,
    ),
  "apps-end-changed": (c) =>
    appsPage(
      anAppsView({
        notice: { kind: "end_changed", app: "Slow", endsAt: NOW + HOUR, ...outlived },
      }),
      c,
    ),
  "apps-search": (c) => appsPage(anAppsView({ apps: manyApps(30).slice(0, 2), total: 30, query: "app" }), c),
  "apps-search-none": (c) => appsPage(anAppsView({ apps: [], total: 30, query: "nothing of mine" }), c),
  "apps-gone": (c) => appsPage(anAppsView({ notice: { kind: "gone" } }), c),
  "apps-hostile": (c) =>
    appsPage(
      anAppsView({
        person: hostile,
        apps: [
          anApp({ name: HOSTILE_NAME, logo: "//evil.example/logo.png" }),
          anApp({ clientId: "long", name: UNBREAKABLE, logo: null }),
        ],
        query: HOSTILE_NAME,
        notice: { kind: "revoked", app: HOSTILE_NAME, openUntil: NOW + MINUTE, entryId: null },
      }),
      c,
    ),
  history: (c) => historyPage(aHistory({ older: "AAAAAAAAAAAAAAAAAAAAAA" }), c),
  "history-none": (c) => historyPage(aHistory({ entries: [] }), c),
  "history-ended": (c) => historyPage(aHistory({ entries: endings }), c),
  "history-older": (c) => historyPage(aHistory({ entries: events.slice(4, 6), first: false }), c),
  "history-hostile": (c) =>
    historyPage(
      aHistory({
        person: hostile,
        entries: [
          anEntry({
            app: HOSTILE_NAME,
            can: [HOSTILE_NAME, UNBREAKABLE.repeat(3)].map((text) => ({ text, end: null })),
            ...{ takenAway: [UNBREAKABLE], newHosts: ["new.example"], earlierUntil: NOW + 700 * HOUR },
          }),
        ],
      }),
      c,
    ),
  "verify-receipt": (c) => verifyReceiptPage({ csrf: "csrf-value", typed: "", fault: null }, c),
  ...Object.fromEntries(
    receiptProblems.map((kind): [string, (c: Chrome) => string] => [
      `verify-receipt-${kind.replace("_", "-")}`,
      (c) => {
        const fault = kind === "other_issuer" ? { kind, issuer: `https://${UNBREAKABLE}.example` } : { kind };
        const typed = kind === "missing" ? "" : UNBREAKABLE.repeat(9);
        return verifyReceiptPage({ csrf: "csrf-value", typed, fault }, c);
      },
    ]),
  ),
  receipt: (c) => genuineReceiptPage(aReceipt(), c),
  "receipt-member": (c) =>
    genuineReceiptPage(
      aReceipt({
        ...{ what: { member: "removed" }, app: null, via: null, can: [], hosts: [] },
        ...{ by: { personId: "BcDeFgHiJkLmNoPqRsTuVw" }, member: "CdEfGhIjKlMnOpQrStUvWx" },
      }),
      c,
    ),
  "receipt-ended": (c) =>
    genuineReceiptPage(
      aReceipt({
        ...{ what: { endedBy: "password" }, by: "server", via: null, hosts: [] },
        ...{ can: [], takenAway: ["See your photos and albums", "Add photos to your albums"] },
      }),
      c,
    ),
  "receipt-account": (c) =>
    genuineReceiptPage(
      aReceipt({
        ...{ what: { account: "disabled" }, app: null, system: "Acme Directory" },
        ...{ by: "server", via: null, can: [], hosts: [] },
      }),
      c,
    ),
  "receipt-hostile": (c) =>
    genuineReceiptPage(
      aReceipt({
        app: { clientId: HOSTILE_NAME, name: HOSTILE_NAME },
        can: [HOSTILE_NAME, UNBREAKABLE.repeat(3)].map((text) => ({ text, end: null })),
        ...{ takenAway: [HOSTILE_NAME], hosts: [HOSTILE_NAME, UNBREAKABLE], earlierUntil: null, account: UNBREAKABLE },
      }),
      c,
    ),
  ...securityStates,
  ...elsewhereStates,
  ...connectionStates,
  ...reviewStates,
  ...ownSignInStates,
  ...keptStates,
  ...agentsStates,
  ...recoveryStates,
  ...factorStates,
  "sign-out": (c) => signOutPage({ csrf: "csrf-value", person: ada }, c),
  logout: (c) => logoutPage({ fields: { csrf: "csrf-value" }, byApp: true, host: "photos.example" }, c),
  "logout-stay": (c) => logoutPage({ fields: { csrf: "csrf-value" }, byApp: true, host: null }, c),
  "logout-plain": (c) => logoutPage({ fields: { csrf: "csrf-value" }, byApp: false, host: null }, c),
  "logout-long": (c) =>
    logoutPage({ fields: { csrf: "csrf-value" }, byApp: true, host: `${"a".repeat(63)}.photos.example` }, c),
  "signed-out": (c) => signedOutPage({ signIn: "/login", providers: [] }, c),
  "problem-400": (c) =>
    problemPage(
      aProblem({
        ...c.words.problems.redirectUri,
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  "problem-403": (c) =>
    problemPage(
      aProblem({
        status: 403,
        ...c.words.problems.form,
        condition: null,
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  "problem-403-foreign": (c) =>
    problemPage(
      aProblem({
        status: 403,
        ...c.words.problems.foreignForm,
        condition: "form_cross_site",
        description: null,
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  "problem-403-sign-in-policy": (c) =>
    problemPage(
      aProblem({
        status: 403,
        ...c.words.problems.signInTooWeak,
        condition: "sign_in_policy_too_weak",
        description: null,
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  "problem-404": (c) =>
    problemPage(
      aProblem({
        status: 404,
        ...c.words.problems.notFound,
        condition: null,
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  "problem-500": (c) =>
    problemPage(
      aProblem({
        status: 500,
        ...c.words.problems.fault,
        condition: "server_error",
        door: { href: "/account/apps", label: c.words.problems.apps },
      }),
      c,
    ),
  language: (c) => languagePage({ back: "/account/apps" }, c),
  "held-error": (c) => errorRedirectPage(aHeldError(), c),
  "held-error-denied": (c) => errorRedirectPage(aHeldError({ denied: true, condition: "nothing_grantable" }), c),
  "held-error-device": (c) =>
    errorRedirectPage(aHeldError({ client: aClient({ verified: false, logo: null, host: "127.0.0.1:8000" }) }), c),
  "held-error-long": (c) =>
    errorRedirectPage(
      aHeldError({
        client: aClient({
          name: LONG_NAME,
          verified: false,
          logo: null,
          host: `${"very-long-subdomain.".repeat(4)}example.com`,
        }),
      }),
      c,
    ),
  "held-error-hostile": (c) =>
    errorRedirectPage(aHeldError({ client: aClient({ name: HOSTILE_NAME, verified: false, logo: null }) }), c),
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
