/** The states of the pages about one's own account. */

import {
  accountReadyPage,
  askPage,
  type Chrome,
  changePasswordPage,
  confirmPage,
  createAccountPage,
  deletePage,
  donePage,
  exportPage,
  goneLinkPage,
  profilePage,
  removeIdentityPage,
  securityPage,
  sentPage,
} from "../../src/pages/index.ts";
import type {
  ChangePasswordView,
  CreateAccountView,
  DeleteView,
  GoneLinkView,
  PasswordFault,
  ProfileView,
  SecurityView,
} from "../../src/pages/security/views.ts";
import type { Waiting } from "../../src/pages/waiting-view.ts";
import { aSession } from "./factor-states.ts";

const NOW = Date.UTC(2026, 6, 14, 9, 30);
const ada = { name: "Ada Lovelace", username: "ada" };
const grace = { name: "Grace Hopper", username: "grace" };

export function aSecurityView(changes: Partial<SecurityView> = {}): SecurityView {
  return {
    csrf: "csrf-value",
    person: ada,
    now: NOW,
    notice: null,
    appsEndIn: 0,
    password: { set: true, changedAt: NOW - 40 * 86_400_000 },
    passkeys: { available: true, entries: [] },
    authenticator: null,
    sessions: [aSession({ here: true })],
    identities: [],
    providers: [],
    others: (changes.sessions ?? []).length > 1,
    ...changes,
  };
}

function aPasswordChange(changes: Partial<ChangePasswordView> = {}): ChangePasswordView {
  return {
    csrf: "csrf-value",
    person: ada,
    has: true,
    must: false,
    request: null,
    device: null,
    invitation: null,
    fault: null,
    endSessions: true,
    endApps: true,
    ...changes,
  };
}

const LONG_COMPANY = "The Company with a Name That Goes on Longer Than Anybody Would Want to Read It";
const LONG_ADDRESS =
  "a-very-long-name-that-goes-on-and-on-until-it-is-64-letters-long@departments.of.a.long.example.com";
const aLink = { csrf: "csrf-value", link: "ml_value", person: "ada", email: "ada@example.com", stale: false };

const noForm = { csrf: "csrf-value", request: null };
const aSent = { waiting: null, back: "/login" };
const anAsk = { ...aSent, form: noForm };

/** The kinds of flow that continue after a sign-up or a new password. */
export const somethingWaits = {
  app: { state: "here", what: { kind: "app", app: "Photo Printer" } },
  device: { state: "here", what: { kind: "device" } },
  invitation: { state: "here", what: { kind: "invitation", company: "Acme Corp", role: "member", by: grace } },
  unnamed: { state: "here", what: { kind: "invitation", company: LONG_COMPANY, role: "admin", by: null } },
  appElsewhere: { state: "elsewhere", what: { kind: "app", app: "Photo Printer" } },
  deviceElsewhere: { state: "elsewhere", what: { kind: "device" } },
  invitationElsewhere: {
    state: "elsewhere",
    what: { kind: "invitation", company: "Acme Corp", role: "member", by: grace },
  },
  withdrawn: { state: "withdrawn", company: "Acme Corp" },
  expired: { state: "expired", app: "Photo Printer", startAgain: "/authorize?client_id=printer" },
} satisfies Record<string, Waiting>;

/** One state for each kind of continued flow: `NAME-KIND`. */
export function waitingStates(
  name: string,
  kinds: readonly (keyof typeof somethingWaits)[],
  show: (waiting: Waiting, chrome: Chrome) => string,
): Record<string, (chrome: Chrome) => string> {
  return Object.fromEntries(
    kinds.map((kind) => [
      `${name}-${kind.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`,
      (chrome: Chrome) => show(somethingWaits[kind], chrome),
    ]),
  );
}

function aCreation(changes: Partial<CreateAccountView> = {}): CreateAccountView {
  return {
    form: noForm,
    waiting: null,
    link: "ml_value",
    email: "ada@example.com",
    username: "",
    name: "",
    fault: null,
    ...changes,
  };
}

function aGone(changes: Partial<GoneLinkView> = {}): GoneLinkView {
  const end = { kind: "ended" } as const;
  const view = { what: "signUp", end, now: NOW, waiting: null, signIn: "/login" } as const;
  return { ...view, switch: null, signedIn: null, carried: {}, ...changes };
}

export function aProfile(changes: Partial<ProfileView> = {}): ProfileView {
  return {
    ...{
      csrf: "csrf-value",
      person: ada,
      now: NOW,
      name: "Ada Lovelace",
      nameWrong: false,
      pictureWrong: null,
      email: "ada@example.com",
    },
    ...{ verified: true, mail: true, hasPassword: true, typed: "", fault: null, notice: null },
    ...{ details: {}, detailsWrong: [], phoneVerified: false },
    ...changes,
  };
}

function aDeletion(changes: Partial<DeleteView> = {}): DeleteView {
  return {
    csrf: "csrf-value",
    at: NOW + 14 * 86_400_000,
    hasPassword: true,
    stopsIn: 10,
    fault: null,
    soleAdminOf: [],
    ...changes,
  };
}

const someDetails = {
  givenName: "Ada",
  birthdate: "1815-12-10",
  website: "https://ada.example/",
  zoneinfo: "Europe/London",
  phoneNumber: "+442079460000",
  street: "12 St James’s Square",
  country: "United Kingdom",
};

const leaving = { ...ada, deleteAt: NOW + 9 * 86_400_000 };

const identities = [
  { id: "id-1", issuer: "https://login.example.com", since: NOW - 200 * 86_400_000 },
  {
    ...{ id: "id-2", since: NOW - 3_600_000 },
    issuer:
      "https://identity.departments.of.a.very.long.name.example.com/tenants/0f8fad5b-d9cb-469f-a165-70867728950e/v2.0",
  },
] as const;

const faults: readonly PasswordFault["kind"][] = ["current", "common", "differ", "stale"];

export const securityStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  security: (c) => securityPage(aSecurityView(), c),
  "security-password-changed": (c) =>
    securityPage(aSecurityView({ notice: "password", password: { set: true, changedAt: NOW } }), c),
  ...Object.fromEntries(
    (["by mail", "ask"] as const).map((unknown) => [
      `security-password-unknown-${unknown.replace(" ", "-")}`,
      (c: Chrome) => securityPage(aSecurityView({ password: { set: true, unknown, changedAt: NOW } }), c),
    ]),
  ),
  "security-password-unknown": (c) =>
    securityPage(aSecurityView({ password: { set: true, changedAt: NOW, unknown: "by mail", movedAt: NOW } }), c),
  "security-no-password": (c) => securityPage(aSecurityView({ password: { set: false, changedAt: null } }), c),
  "security-identities": (c) => securityPage(aSecurityView({ identities }), c),
  "remove-identity": (c) => removeIdentityPage({ csrf: "csrf-value", id: "id-1", issuer: identities[0].issuer }, c),
  "remove-identity-long": (c) =>
    removeIdentityPage({ csrf: "csrf-value", id: "id-2", issuer: identities[1].issuer }, c),
  "change-password": (c) => changePasswordPage(aPasswordChange(), c),
  "change-password-must": (c) =>
    changePasswordPage(aPasswordChange({ must: true, request: "sealed", endApps: false }), c),
  "change-password-first": (c) => changePasswordPage(aPasswordChange({ has: false, endApps: false }), c),
  "change-password-throttled": (c) =>
    changePasswordPage(aPasswordChange({ fault: { kind: "throttled", minutes: 12 } }), c),
  recover: (c) => askPage({ what: "recover", ...anAsk, typed: "", fault: null }, c),
  "recover-missing": (c) => askPage({ what: "recover", ...anAsk, typed: "", fault: { kind: "missing" } }, c),
  "recover-throttled": (c) =>
    askPage({ what: "recover", ...anAsk, typed: "ada", fault: { kind: "throttled", minutes: 9 } }, c),
  "recover-full": (c) => askPage({ what: "recover", ...anAsk, typed: "ada", fault: { kind: "full" } }, c),
  "recover-sent": (c) => sentPage({ email: null, ...aSent }, c),
  "link-gone": (c) => donePage({ what: "gone", again: "/recover", end: { kind: "overtaken" }, now: NOW }, c),
  "link-incomplete": (c) => donePage({ what: "gone", again: null, end: { kind: "incomplete" }, now: NOW }, c),
  "link-expired": (c) =>
    donePage({ what: "gone", again: "/recover", end: { kind: "expired", at: NOW - 7_200_000 }, now: NOW }, c),
  "link-expired-restore": (c) =>
    donePage(
      { what: "gone", again: "/recover", restores: true, end: { kind: "expired", at: NOW - 7_200_000 }, now: NOW },
      c,
    ),
  "link-used": (c) => donePage({ what: "gone", again: "/recover", end: { kind: "used" }, now: NOW }, c),
  "sign-up-gone": (c) => goneLinkPage(aGone(), c),
  "link-used-signed-in": (c) =>
    donePage({ what: "gone", again: "/recover", end: { kind: "used" }, signedIn: true, now: NOW }, c),
  "sign-up-used": (c) => goneLinkPage(aGone({ end: { kind: "used" } }), c),
  "sign-up-used-by-owner": (c) =>
    goneLinkPage(aGone({ end: { kind: "used" }, signedIn: { person: "ada", own: true } }), c),
  "sign-up-used-by-other": (c) =>
    goneLinkPage(aGone({ end: { kind: "used" }, signedIn: { person: "grace", own: false } }), c),
  ...waitingStates("sign-up-used-by-owner", ["app"], (waiting, c) =>
    goneLinkPage(
      aGone({
        ...{ end: { kind: "used" }, waiting },
        signedIn: { person: "ada", own: true },
        carried: { request: "x" },
      }),
      c,
    ),
  ),
  ...waitingStates("sign-up-used-by-other", ["app"], (waiting, c) =>
    goneLinkPage(
      aGone({ ...{ end: { kind: "used" }, waiting, switch: noForm }, signedIn: { person: "ada", own: false } }),
      c,
    ),
  ),
  ...waitingStates("sign-up-gone", ["invitation"], (waiting, c) =>
    goneLinkPage(aGone({ waiting, carried: { invitation: "sealed" } }), c),
  ),
  ...waitingStates("sign-up-used", ["app", "expired"], (waiting, c) =>
    goneLinkPage(aGone({ end: { kind: "used" }, waiting }), c),
  ),
  ...waitingStates("link-expired", ["app", "appElsewhere", "expired", "withdrawn"], (waiting, c) =>
    goneLinkPage(
      aGone({
        what: "recover",
        end: { kind: "expired", at: NOW - 7_200_000 },
        waiting,
        carried: { request: "sealed" },
      }),
      c,
    ),
  ),
  ...waitingStates("link-used", ["app"], (waiting, c) =>
    goneLinkPage(aGone({ what: "recover", end: { kind: "used" }, waiting, carried: { request: "sealed" } }), c),
  ),
  ...waitingStates("link-used-signed-in", ["app"], (waiting, c) =>
    goneLinkPage(
      aGone({
        ...{ what: "recover", end: { kind: "used" }, waiting, carried: { request: "sealed" } },
        signedIn: { person: "ada", own: true },
      }),
      c,
    ),
  ),
  ...waitingStates("link-used-by-other", ["app"], (waiting, c) =>
    goneLinkPage(
      aGone({
        ...{ what: "recover", end: { kind: "used" }, waiting, switch: noForm },
        signedIn: { person: "grace", own: false },
      }),
      c,
    ),
  ),
  "link-another-browser": (c) => donePage({ what: "anotherBrowser" }, c),
  "link-taken": (c) => donePage({ what: "taken" }, c),
  "sign-up": (c) => askPage({ what: "signUp", ...anAsk, typed: "", fault: null }, c),
  "sign-up-wrong": (c) => askPage({ what: "signUp", ...anAsk, typed: "ada", fault: { kind: "missing" } }, c),
  "sign-up-sent": (c) => sentPage({ email: LONG_ADDRESS, ...aSent }, c),
  "sign-up-account": (c) => createAccountPage(aCreation(), c),
  "sign-up-taken": (c) =>
    createAccountPage(aCreation({ username: "ada", name: "Ada", fault: { username: "taken" } }), c),
  "sign-up-stale": (c) => createAccountPage(aCreation({ username: "ada", fault: { stale: true } }), c),
  ...waitingStates("recover", ["app", "invitation"], (waiting, c) =>
    askPage({ what: "recover", ...anAsk, waiting, typed: "", fault: null }, c),
  ),
  ...waitingStates("recover-sent", ["app"], (waiting, c) => sentPage({ email: null, ...aSent, waiting }, c)),
  ...waitingStates("sign-up", ["device", "unnamed"], (waiting, c) =>
    askPage({ what: "signUp", ...anAsk, waiting, typed: "", fault: null }, c),
  ),
  ...waitingStates("sign-up-sent", ["app", "device", "invitation"], (waiting, c) =>
    sentPage({ email: "ada@example.com", ...aSent, waiting }, c),
  ),
  ...waitingStates("sign-up-account", ["app", "invitation", "appElsewhere", "expired", "withdrawn"], (waiting, c) =>
    createAccountPage(aCreation({ waiting }), c),
  ),
  ...waitingStates("sign-up-ready", ["appElsewhere", "invitationElsewhere", "expired", "withdrawn"], (waiting, c) =>
    accountReadyPage({ person: "ada", waiting }, c),
  ),
  "confirm-verify": (c) => confirmPage({ ...aLink, what: "verify" }, c),
  "confirm-change": (c) => confirmPage({ ...aLink, what: "change", email: LONG_ADDRESS, stale: true }, c),
  confirmed: (c) => donePage({ what: "confirmed", email: "ada@example.com", person: "ada" }, c),
  profile: (c) => profilePage(aProfile(), c),
  "profile-unverified": (c) => profilePage(aProfile({ verified: false, email: LONG_ADDRESS, name: "" }), c),
  "profile-moved": (c) =>
    profilePage(
      aProfile({ email: LONG_ADDRESS, movedAt: NOW, typed: "ada@new.example", fault: { kind: "unknown" } }),
      c,
    ),
  "profile-no-email": (c) => profilePage(aProfile({ email: null, verified: false, hasPassword: false, name: "" }), c),
  "profile-change-sent": (c) => profilePage(aProfile({ notice: { kind: "change", email: "ada@new.example" } }), c),
  "profile-fault": (c) => profilePage(aProfile({ typed: "ada@new.example", fault: { kind: "current" } }), c),
  "profile-details": (c) => profilePage(aProfile({ details: someDetails, notice: { kind: "details" } }), c),
  "profile-details-wrong": (c) =>
    profilePage(
      aProfile({
        details: { ...someDetails, birthdate: "1715-12-10", zoneinfo: "London", website: "ada.example" },
        detailsWrong: ["nickname", "birthdate", "zoneinfo", "website", "profileUrl"],
      }),
      c,
    ),
  "profile-picture": (c) =>
    profilePage(aProfile({ person: { ...ada, picture: "/pictures/ada.webp" }, notice: { kind: "picture" } }), c),
  "profile-picture-removed": (c) => profilePage(aProfile({ notice: { kind: "no_picture" } }), c),
  "profile-picture-wrong": (c) => profilePage(aProfile({ pictureWrong: "unreadable" }), c),
  "profile-going": (c) => profilePage(aProfile({ person: leaving, mail: false }), c),
  "security-going": (c) => securityPage(aSecurityView({ person: leaving }), c),
  "data-export": (c) => exportPage({ csrf: "csrf-value" }, c),
  delete: (c) => deletePage(aDeletion(), c),
  "delete-wrong": (c) => deletePage(aDeletion({ fault: { kind: "current" } }), c),
  "delete-sole-admin": (c) => deletePage(aDeletion({ soleAdminOf: ["Acme", "Acme Labs"] }), c),
  ...Object.fromEntries(
    faults.map((kind) => [
      `change-password-${kind}`,
      (c: Chrome) =>
        changePasswordPage(
          aPasswordChange({
            fault: { kind } as PasswordFault,
            ...(kind === "stale" && { has: false, endApps: false }),
          }),
          c,
        ),
    ]),
  ),
};
