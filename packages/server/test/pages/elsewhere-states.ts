/**
 * The states of the pages with which people sign in at other providers.
 *
 * Nobody may ever: lose the request that they came with; act as somebody else by accident; connect an account that they
 * didn't mean; be locked out by disconnecting one; read something untrue when a provider is down; or be asked for a
 * password that they don't have.
 */

import {
  type Chrome,
  connectIdentityPage,
  disconnectIdentityPage,
  securityPage,
  signedOutPage,
  signInPage,
} from "../../src/pages/index.ts";
import type { ProviderEntry, SECURITY_NOTICES } from "../../src/pages/security/views.ts";
import type { ElsewhereProblem, NoWayIn, SignInView } from "../../src/pages/views.ts";
import { anOffer } from "./factor-states.ts";
import { ada, aSignIn, DAY, HOSTILE_NAME, LONG_NAME, longPerson, NOW, noRequest, UNBREAKABLE } from "./sample-views.ts";
import { aSecurityView } from "./security-states.ts";

const RTL_NAME = "بوابة الجامعة الوطنية";

const one = [{ id: "p-1", name: "Example ID" }];
const five = ["Acme", "Example ID", RTL_NAME, LONG_NAME, UNBREAKABLE].map((name, at) => ({ id: `p-${at}`, name }));

const wellKnown = ["Acme Staff", "Google", "Apple", "GitHub", "Microsoft"].map((name, at) => ({ id: `w-${at}`, name }));
const odd = [HOSTILE_NAME, "例え", "🙂", "1&1", "ä"].map((name, at) => ({ id: `o-${at}`, name }));

function aProviderSignIn(change: Partial<SignInView> = {}): SignInView {
  return aSignIn({ providers: one, ...change });
}

const alone = { form: noRequest, client: null, passkey: anOffer, ways: { recover: true, signUp: true } };
const confirming = { form: { ...noRequest, to: "security" }, client: null, again: ada };

function anEntry(name: string, change: Partial<ProviderEntry> = {}): ProviderEntry {
  return { provider: `p-${name}`, name, identity: null, offered: true, ...change };
}

function stuck(noWay: NoWayIn): SignInView {
  const nothing = { asksPassword: false, noPassword: true, providers: [], passkey: null };
  return aProviderSignIn({ ...confirming, ...nothing, ways: { recover: false, signUp: false }, noWay });
}

function ownPage(change: Partial<SignInView> = {}): SignInView {
  const only = { asksPassword: false, noPassword: true, passkey: null, ways: { recover: false, signUp: false } };
  return aProviderSignIn({ ...alone, ...only, ...change });
}

const since = NOW - 40 * DAY;
const entries = [
  anEntry("Acme", { identity: { id: "id-1", since } }),
  anEntry("Example ID"),
  anEntry("Former ID", { identity: { id: "id-2", since: NOW - 400 * DAY }, offered: false }),
];
const long = [RTL_NAME, LONG_NAME, UNBREAKABLE, HOSTILE_NAME].map((name, at) =>
  anEntry(name, at % 2 === 0 ? { identity: { id: `id-${at}`, since } } : {}),
);

const problems: readonly ElsewhereProblem[] = [
  ...(["denied", "unreachable", "unverified", "stale", "closed", "gone", "too_long"] as const),
  ...(["stranger", "refused", "domain", "address_taken", "another"] as const),
  ...(["other_person", "unexpected", "not_fresh", "no_second_step"] as const),
  // Of a company's own provider.
  ...(["no_group", "other_company", "too_many", "not_member", "company_address", "company_closed"] as const),
];
const notices: readonly (keyof typeof SECURITY_NOTICES)[] = [
  ...(["account-connected", "account-known", "account-taken", "account-other"] as const),
  ...(["account-failed", "account-closed", "account-disconnected", "account-last", "account-held"] as const),
];

export const elsewhereStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "sign-in-providers-one": (c) => signInPage(aProviderSignIn({ passkey: anOffer }), c),
  "sign-in-providers-one-alone": (c) => signInPage(aProviderSignIn({ ...alone, passkey: null }), c),
  "sign-in-providers": (c) => signInPage(aProviderSignIn({ ...alone, providers: five }), c),
  "sign-in-providers-five": (c) => signInPage(aProviderSignIn({ ...alone, providers: wellKnown }), c),
  "sign-in-providers-odd": (c) => signInPage(aProviderSignIn({ ...alone, providers: odd }), c),
  "sign-in-other-person": (c) =>
    signInPage(
      aProviderSignIn({
        ...{ again: ada, other: noRequest, providers: wellKnown },
        problem: { kind: "elsewhere", why: "other_person", provider: "Google" },
      }),
      c,
    ),
  "sign-in-work-address": (c) => signInPage(aProviderSignIn({ ...alone, workAddress: true }), c),
  "sign-in-work-address-alone": (c) => signInPage(aSignIn({ ...alone, workAddress: true }), c),
  "sign-in-providers-app": (c) => signInPage(aProviderSignIn({ providers: five, passkey: anOffer }), c),
  "sign-in-providers-again": (c) => signInPage(aProviderSignIn({ again: ada, noPassword: true }), c),
  "sign-in-providers-choose": (c) =>
    signInPage(aProviderSignIn({ again: ada, noPassword: true, choose: aSignIn().form }), c),
  "confirm-at-provider": (c) =>
    signInPage(aProviderSignIn({ ...confirming, asksPassword: false, noPassword: true }), c),
  "confirm-at-providers": (c) =>
    signInPage(
      aProviderSignIn({ ...confirming, providers: five, passkey: anOffer, asksPassword: false, noPassword: true }),
      c,
    ),
  "confirm-at-provider-or-password": (c) => signInPage(aProviderSignIn({ ...confirming, username: "ada" }), c),
  "confirm-at-provider-another": (c) =>
    signInPage(
      aProviderSignIn({
        ...{ ...confirming, again: longPerson, asksPassword: false, noPassword: true },
        problem: { kind: "elsewhere", why: "another", provider: LONG_NAME },
      }),
      c,
    ),
  ...Object.fromEntries(
    problems.map((why) => [
      `sign-in-elsewhere-${why.replaceAll("_", "-")}`,
      (c: Chrome) =>
        signInPage(
          aProviderSignIn({
            problem: { kind: "elsewhere", why, provider: why === "stale" || why === "gone" ? "" : "Example ID" },
          }),
          c,
        ),
    ]),
  ),
  "sign-in-elsewhere-long": (c) =>
    signInPage(
      aProviderSignIn({ ...alone, problem: { kind: "elsewhere", why: "unreachable", provider: HOSTILE_NAME } }),
      c,
    ),
  // The operator's own sign-in page is the only way in.
  "sign-in-own-page": (c) => signInPage(ownPage(), c),
  "sign-in-own-page-app": (c) =>
    signInPage(aProviderSignIn({ asksPassword: false, noPassword: true, passkey: null }), c),
  ...Object.fromEntries(
    (["denied", "another", "stranger", "refused", "address_taken"] as const).map((why) => [
      `sign-in-own-page-${why.replaceAll("_", "-")}`,
      (c: Chrome) =>
        signInPage(ownPage({ problem: { kind: "elsewhere", why, provider: "Example ID", only: true } }), c),
    ]),
  ),
  // Their only provider is disabled or deleted.
  "confirm-no-way": (c) => signInPage(stuck({ password: "none", providers: ["Example ID"], how: "ask" }), c),
  "confirm-no-way-mail": (c) =>
    signInPage(stuck({ password: "none", providers: [LONG_NAME, RTL_NAME], how: "by mail" }), c),
  "sign-in-no-way-app": (c) =>
    signInPage(
      aProviderSignIn({
        ...{ again: ada, asksPassword: false, noPassword: true, providers: [], passkey: null, other: noRequest },
        noWay: { password: "unknown", providers: [], how: "ask" },
      }),
      c,
    ),
  "security-no-way": (c) =>
    securityPage(
      aSecurityView({
        ...{ providers: [{ ...anEntry("Former ID", { offered: false }), identity: { id: "id-2", since } }] },
        ...{ password: { set: false, changedAt: null } },
        noWay: { password: "none", providers: ["Former ID"], how: "ask" },
      }),
      c,
    ),
  "security-no-way-now": (c) =>
    securityPage(
      aSecurityView({
        password: { set: false, changedAt: null },
        noWay: { password: "none", providers: [], how: "now" },
      }),
      c,
    ),
  "security-own-page": (c) =>
    securityPage(
      aSecurityView({ providers: [anEntry("Acme", { identity: { id: "id-1", since }, fixed: true })], password: null }),
      c,
    ),
  "security-providers": (c) => securityPage(aSecurityView({ providers: entries }), c),
  "security-providers-long": (c) =>
    securityPage(aSecurityView({ providers: long, password: { set: false, changedAt: null } }), c),
  ...Object.fromEntries(
    notices.map((notice) => [
      `security-${notice}`,
      (c: Chrome) => securityPage(aSecurityView({ providers: entries, notice }), c),
    ]),
  ),
  "connect-account": (c) =>
    connectIdentityPage(
      {
        csrf: "csrf-value",
        identity: "sealed",
        provider: "Example ID",
        account: "ada@example.net",
        company: null,
        person: ada,
      },
      c,
    ),
  "connect-account-company": (c) =>
    connectIdentityPage(
      {
        ...{ csrf: "csrf-value", identity: "sealed", provider: "Acme ID", account: "ada@acme.example", person: ada },
        company: "Acme Corp",
      },
      c,
    ),
  "sign-in-company": (c) => signInPage(aProviderSignIn({ company: "Acme Corp" }), c),
  "sign-in-company-stranger": (c) =>
    signInPage(aProviderSignIn({ company: LONG_NAME, stays: { person: ada, back: "/account/apps" } }), c),
  "connect-account-long": (c) =>
    connectIdentityPage(
      {
        csrf: "csrf-value",
        identity: "sealed",
        provider: LONG_NAME,
        account: longPerson.username,
        company: HOSTILE_NAME,
        person: longPerson,
      },
      c,
    ),
  "connect-account-nameless": (c) =>
    connectIdentityPage(
      { csrf: "csrf-value", identity: "sealed", provider: RTL_NAME, account: null, company: null, person: ada },
      c,
    ),
  "disconnect-account": (c) =>
    disconnectIdentityPage(
      { csrf: "csrf-value", id: "id-1", provider: "Example ID", reconnects: false, creates: false },
      c,
    ),
  "disconnect-account-long": (c) =>
    disconnectIdentityPage(
      { csrf: "csrf-value", id: "id-1", provider: UNBREAKABLE, reconnects: true, creates: true },
      c,
    ),
  "signed-out-provider": (c) => signedOutPage({ signIn: "/login", providers: ["Example ID"] }, c),
  "signed-out-providers": (c) => signedOutPage({ signIn: "/login", providers: [UNBREAKABLE, "جامعة الملك"] }, c),
};
