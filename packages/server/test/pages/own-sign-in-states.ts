/** The states of the pages of a company's own sign-in provider. */
import type { OwnProviderView, TriedProviderView } from "../../src/pages/company/own-sign-in-views.ts";
import { OWN_SIGN_IN_NOTICES } from "../../src/pages/company/own-sign-in-views.ts";
import { type Chrome, ownProviderPage, removeOwnProviderPage, triedProviderPage } from "../../src/pages/index.ts";
import { frame } from "./company-states.ts";
import { LONG_NAME, NOW } from "./page-states.ts";

const empty: OwnProviderView["form"] = {
  ...{ name: "", issuer: "", clientId: "", scopes: "openid profile email", byGroups: false, claim: "groups" },
  ...{ adminGroups: "", memberGroups: "", others: "refuse", claims: "", follow: false },
};
const filled: OwnProviderView["form"] = {
  ...{ ...empty, name: "Acme ID", issuer: "https://login.acme.example", clientId: "assent-1234", byGroups: true },
  ...{ adminGroups: "it-admins\ndirectors", memberGroups: "staff", claims: "email_verified=xms_edov", follow: true },
};
const id = "p7HOedITz7e8y2dJc36xow";
const connected = (
  change: Partial<NonNullable<OwnProviderView["connected"]>> = {},
): NonNullable<OwnProviderView["connected"]> => ({
  ...{ name: "Acme ID", on: false, hasSecret: true, triedAt: NOW - 3_600_000, waits: null },
  address: "https://id.example.com/company/acme/sign-in",
  redirectUri: `https://id.example.com/login/provider/${id}/callback`,
  logoutUri: `https://id.example.com/login/provider/${id}/backchannel-logout`,
  ...change,
});

function aView(change: Partial<OwnProviderView> = {}): OwnProviderView {
  return {
    ...{ ...frame({ ownSignIn: true }), said: null, allowed: true, domains: ["acme.example"], form: filled },
    ...{ faults: [], seen: NOW, connected: connected(), claimFields: "name, email, email_verified, picture, locale" },
    ...change,
  };
}

function aTry(change: Partial<NonNullable<TriedProviderView["result"]>> = {}): TriedProviderView {
  return {
    ...frame({ ownSignIn: true }),
    result: {
      ...{ subject: "00u1a2b3c4", email: "ada@acme.example", verified: true, counts: true },
      ...{ groups: ["staff", "it-admins"], role: "admin" },
      ...change,
    },
  };
}

const none: Partial<OwnProviderView> = { form: empty, seen: null, connected: null };

/** What the page shows below a notice. */
const after = (said: (typeof OWN_SIGN_IN_NOTICES)[number]): Partial<OwnProviderView> =>
  said === "removed" ? none : said === "on" ? { connected: connected({ on: true }) } : {};

export const ownSignInStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-provider-none": (c) => ownProviderPage(aView(none), c),
  "company-provider-no-domain": (c) => ownProviderPage(aView({ ...none, domains: [] }), c),
  "company-provider-wrong": (c) =>
    ownProviderPage(
      aView({
        ...{ ...none, form: { ...filled, issuer: "http://login", name: "" } },
        faults: ["name", "issuer", "clientId", "clientSecret", "scope", "claim", "claims", "groups"],
      }),
      c,
    ),
  "company-provider-untried": (c) =>
    ownProviderPage(aView({ connected: connected({ triedAt: null, waits: "try" }) }), c),
  "company-provider-way-in": (c) => ownProviderPage(aView({ connected: connected({ waits: "way_in" }) }), c),
  "company-provider-off": (c) => ownProviderPage(aView(), c),
  "company-provider-on": (c) => ownProviderPage(aView({ connected: connected({ on: true }) }), c),
  "company-provider-fixed": (c) => ownProviderPage(aView({ faults: ["fixed"], connected: connected({ on: true }) }), c),
  "company-provider-denied": (c) =>
    ownProviderPage(aView({ allowed: false, connected: connected({ on: true, name: LONG_NAME }) }), c),
  ...Object.fromEntries(
    OWN_SIGN_IN_NOTICES.map((said) => [
      `company-provider-said-${said}`,
      (c: Chrome) => ownProviderPage(aView({ said, ...after(said) }), c),
    ]),
  ),
  "company-provider-tried": (c) => triedProviderPage(aTry(), c),
  "company-provider-tried-nobody": (c) =>
    triedProviderPage(aTry({ email: "ada@home.example", counts: false, groups: [], role: null }), c),
  "company-provider-tried-unverified": (c) =>
    triedProviderPage(aTry({ verified: false, counts: false, groups: null }), c),
  "company-provider-failed": (c) => triedProviderPage({ ...frame({ ownSignIn: true }), result: null }, c),
  "company-provider-remove": (c) =>
    removeOwnProviderPage(
      { ...frame({ ownSignIn: true }), provider: "Acme ID", seen: NOW, people: 12, stranded: 3 },
      c,
    ),
  "company-provider-remove-unused": (c) =>
    removeOwnProviderPage({ ...frame({ ownSignIn: true }), provider: LONG_NAME, seen: NOW, people: 0, stranded: 0 }, c),
};
