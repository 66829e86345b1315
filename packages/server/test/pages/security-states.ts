/** The states of the pages about one's own account. */

import { type Chrome, changePasswordPage, securityPage } from "../../src/pages/index.ts";
import type { ChangePasswordView, PasswordFault, SecurityView } from "../../src/pages/security/views.ts";
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

const faults: readonly PasswordFault["kind"][] = ["current", "common", "differ", "stale"];

export const securityStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  security: (c) => securityPage(aSecurityView(), c),
  "security-password-changed": (c) =>
    securityPage(aSecurityView({ notice: "password", password: { set: true, changedAt: NOW } }), c),
  "security-no-password": (c) => securityPage(aSecurityView({ password: { set: false, changedAt: null } }), c),
  "change-password": (c) => changePasswordPage(aPasswordChange(), c),
  "change-password-must": (c) => changePasswordPage(aPasswordChange({ must: true, request: "sealed" }), c),
  "change-password-first": (c) => changePasswordPage(aPasswordChange({ has: false }), c),
  "change-password-throttled": (c) =>
    changePasswordPage(aPasswordChange({ fault: { kind: "throttled", minutes: 12 } }), c),
  ...Object.fromEntries(
    faults.map((kind) => [
      `change-password-${kind}`,
      (c: Chrome) =>
        changePasswordPage(aPasswordChange({ fault: { kind } as PasswordFault, has: kind !== "stale" }), c),
    ]),
  ),
};
