/** The states of the pages about one's own account. */

import {
  askPage,
  type Chrome,
  changePasswordPage,
  confirmPage,
  createAccountPage,
  deletePage,
  donePage,
  exportPage,
  profilePage,
  removeIdentityPage,
  securityPage,
  sentPage,
} from "../../src/pages/index.ts";
import type {
  ChangePasswordView,
  CreateAccountView,
  DeleteView,
  PasswordFault,
  ProfileView,
  SecurityView,
} from "../../src/pages/security/views.ts";
import { aSession } from "./factor-states.ts";

const NOW = Date.UTC(2026, 6, 14, 9, 30);
const ada = { name: "Ada Lovelace", username: "ada" };

export function aSecurityView(changes: Partial<SecurityView> = {}): SecurityView {
  return {
    csrf: "csrf-value",
    person: ada,
    now: NOW,
    notice: null,
    password: { set: true, changedAt: NOW - 40 * 86_400_000 },
    passkeys: { available: true, entries: [] },
    authenticator: null,
    sessions: [aSession({ here: true })],
    identities: [],
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
    fault: null,
    endSessions: true,
    endApps: true,
    ...changes,
  };
}

const LONG_ADDRESS =
  "a-very-long-name-that-goes-on-and-on-until-it-is-64-letters-long@departments.of.a.long.example.com";
const aLink = { csrf: "csrf-value", link: "ml_value", person: "ada", email: "ada@example.com", stale: false };

function aCreation(changes: Partial<CreateAccountView> = {}): CreateAccountView {
  return {
    csrf: "csrf-value",
    link: "ml_value",
    email: "ada@example.com",
    username: "",
    name: "",
    fault: null,
    ...changes,
  };
}

function aProfile(changes: Partial<ProfileView> = {}): ProfileView {
  return {
    ...{ csrf: "csrf-value", person: ada, now: NOW, name: "Ada Lovelace", nameWrong: false, email: "ada@example.com" },
    ...{ verified: true, mail: true, hasPassword: true, typed: "", fault: null, notice: null },
    ...changes,
  };
}

function aDeletion(changes: Partial<DeleteView> = {}): DeleteView {
  return { csrf: "csrf-value", at: NOW + 14 * 86_400_000, hasPassword: true, fault: null, soleAdminOf: [], ...changes };
}

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
  "security-no-password": (c) => securityPage(aSecurityView({ password: { set: false, changedAt: null } }), c),
  "security-identities": (c) => securityPage(aSecurityView({ identities }), c),
  "remove-identity": (c) => removeIdentityPage({ csrf: "csrf-value", id: "id-1", issuer: identities[0].issuer }, c),
  "remove-identity-long": (c) =>
    removeIdentityPage({ csrf: "csrf-value", id: "id-2", issuer: identities[1].issuer }, c),
  "change-password": (c) => changePasswordPage(aPasswordChange(), c),
  "change-password-must": (c) => changePasswordPage(aPasswordChange({ must: true, request: "sealed" }), c),
  "change-password-first": (c) => changePasswordPage(aPasswordChange({ has: false }), c),
  "change-password-throttled": (c) =>
    changePasswordPage(aPasswordChange({ fault: { kind: "throttled", minutes: 12 } }), c),
  recover: (c) => askPage({ what: "recover", csrf: "csrf-value", typed: "", fault: null }, c),
  "recover-missing": (c) => askPage({ what: "recover", csrf: "csrf-value", typed: "", fault: { kind: "missing" } }, c),
  "recover-throttled": (c) =>
    askPage({ what: "recover", csrf: "csrf-value", typed: "ada", fault: { kind: "throttled", minutes: 9 } }, c),
  "recover-full": (c) => askPage({ what: "recover", csrf: "csrf-value", typed: "ada", fault: { kind: "full" } }, c),
  "recover-sent": (c) => sentPage({ email: null }, c),
  "link-gone": (c) => donePage({ what: "gone", again: "/recover" }, c),
  "link-another-browser": (c) => donePage({ what: "anotherBrowser" }, c),
  "link-taken": (c) => donePage({ what: "taken" }, c),
  "sign-up": (c) => askPage({ what: "signUp", csrf: "csrf-value", typed: "", fault: null }, c),
  "sign-up-wrong": (c) => askPage({ what: "signUp", csrf: "csrf-value", typed: "ada", fault: { kind: "missing" } }, c),
  "sign-up-sent": (c) => sentPage({ email: LONG_ADDRESS }, c),
  "sign-up-account": (c) => createAccountPage(aCreation(), c),
  "sign-up-taken": (c) =>
    createAccountPage(aCreation({ username: "ada", name: "Ada", fault: { username: "taken" } }), c),
  "sign-up-stale": (c) => createAccountPage(aCreation({ username: "ada", fault: { stale: true } }), c),
  "confirm-verify": (c) => confirmPage({ ...aLink, what: "verify" }, c),
  "confirm-change": (c) => confirmPage({ ...aLink, what: "change", email: LONG_ADDRESS, stale: true }, c),
  confirmed: (c) => donePage({ what: "confirmed", email: "ada@example.com", person: "ada" }, c),
  profile: (c) => profilePage(aProfile(), c),
  "profile-unverified": (c) => profilePage(aProfile({ verified: false, email: LONG_ADDRESS, name: "" }), c),
  "profile-change-sent": (c) => profilePage(aProfile({ notice: { kind: "change", email: "ada@new.example" } }), c),
  "profile-fault": (c) => profilePage(aProfile({ typed: "ada@new.example", fault: { kind: "current" } }), c),
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
        changePasswordPage(aPasswordChange({ fault: { kind } as PasswordFault, has: kind !== "stale" }), c),
    ]),
  ),
};
