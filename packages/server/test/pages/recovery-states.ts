/** The states of the pages of account recovery. */

import {
  type Chrome,
  provePage,
  restoredPage,
  restorePage,
  takeBackPage,
  takenBackPage,
} from "../../src/pages/index.ts";
import type {
  AppEntry,
  CompanyEntry,
  ProveView,
  RestoredView,
  RestoreView,
  TakeBackView,
  TakenBackView,
  WayEntry,
} from "../../src/pages/security/recover-account-views.ts";
import { anOffer, inNewBrowser } from "./factor-states.ts";
import { somethingWaits, waitingStates } from "./security-states.ts";

const NOW = Date.UTC(2026, 6, 14, 9, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LONG = "A name that somebody chose to be as long as a name may be, with many words";

function aWay(changes: Partial<WayEntry> = {}): WayEntry {
  return {
    ...{ kind: "passkey", name: "Work laptop", value: "way-1", addedAt: NOW - 90 * DAY, lastUsedAt: NOW - 2 * HOUR },
    ...{ browser: "Firefox", system: "Linux", place: "192.0.2.x", doubtful: false, chosen: false, bringsBack: false },
    ...changes,
  };
}

function anApp(changes: Partial<AppEntry> = {}): AppEntry {
  return {
    ...{ value: "app-1", name: "Photo Printer", byDevice: false, connectedAt: NOW - 200 * DAY },
    ...{ latestAt: NOW - 200 * DAY, changedAt: null, resumedAt: null, paused: false },
    ...{ lastUsedAt: NOW - 5 * HOUR, chosen: false },
    ...changes,
  };
}

function aCompany(apps: CompanyEntry["apps"], hidden = 0): CompanyEntry {
  return { value: "company-1", name: "Acme", apps, hidden, paused: false, chosen: false };
}

function aTakeBack(changes: Partial<TakeBackView> = {}): TakeBackView {
  return {
    ...{ what: "recover", csrf: "csrf-value", link: "ml_value", proof: null, shown: "1.marks" },
    ...{ person: "ada", email: "ada@example.com", now: NOW, since: null, ways: [], apps: [], hidden: 0 },
    ...{ endsIn: 0, waiting: null, leavesAt: null },
    ...{ companies: [], browsers: [], fault: null, problem: null },
    ...changes,
  };
}

const strange = { browser: "Chrome", system: "Windows", place: "203.0.113.x", doubtful: true, chosen: true };
const ways = [
  aWay({ ...strange, value: "way-2", name: "Key", addedAt: NOW - 3 * HOUR, lastUsedAt: null }),
  aWay({ ...strange, value: "way-3", kind: "authenticator", name: null, addedAt: NOW - 2 * HOUR, bringsBack: true }),
  aWay(),
];
const intruded = aTakeBack({
  ...{ proof: "sealed", since: NOW - 4 * HOUR, ways },
  apps: [
    anApp({
      value: "app-2",
      name: "Mail Export",
      connectedAt: NOW - HOUR,
      latestAt: NOW - HOUR,
      lastUsedAt: NOW - HOUR / 2,
      chosen: true,
    }),
    anApp({ value: "app-3", name: "TV", byDevice: true, latestAt: NOW - 2 * HOUR, lastUsedAt: null, chosen: true }),
    anApp({ value: "app-4", name: "Slide Show", changedAt: NOW - 3 * HOUR, resumedAt: NOW - 2 * HOUR, chosen: true }),
    anApp({ value: "app-5", name: "Night Backup", paused: true }),
    anApp(),
  ],
  companies: [
    aCompany([
      { name: "Mail Export", connectedAt: NOW - 200 * DAY, latestAt: NOW - 30 * DAY },
      { name: "Photo Printer", connectedAt: NOW - 90 * DAY, latestAt: NOW - 90 * DAY },
    ]),
  ],
  browsers: [
    { browser: "Chrome", system: "Windows", place: "203.0.113.x", since: NOW - 4 * HOUR },
    { browser: null, system: null, place: null, since: NOW - 3 * HOUR },
  ],
});

function aProof(changes: Partial<ProveView> = {}): ProveView {
  const form = { csrf: "csrf-value", link: "ml_value", person: "ada" };
  return { what: "recover", ...form, codes: true, passkey: null, problem: null, ...changes };
}

function aRestore(changes: Partial<RestoreView> = {}): RestoreView {
  return {
    ...{
      csrf: "csrf-value",
      link: "ml_value",
      person: "ada",
      at: NOW - HOUR,
      now: NOW,
      ways,
      stale: false,
      leavesAt: null,
      moved: null,
      member: false,
    },
    ...changes,
  };
}

function aRestored(changes: Partial<RestoredView> = {}): RestoredView {
  return {
    ...{ csrf: "csrf-value", stays: false, proving: null, ended: [], narrowed: [], paused: [], endsIn: 0 },
    ...{ moved: null, member: false },
    ...changes,
  };
}

const moved = { email: "ada@example.com", at: NOW - HOUR / 2, owed: true };

const many = Array.from({ length: 40 }, (_, at) =>
  anApp({ value: `app-${at}`, name: `${LONG} ${at}`, chosen: at < 12 }),
);

function aRecovery(changes: Partial<TakenBackView> = {}): TakenBackView {
  return {
    ...{ what: "recover", email: "", removed: [], back: [], kept: [], ended: [], endedFor: [], endsIn: 0 },
    ...{ apps: [], paused: [], keptFor: [], pausedFor: [], stays: false },
    ...{ waiting: null, signIn: "/login", switch: null },
    ...changes,
  };
}

export const recoveryStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "recover-new": (c) => takeBackPage(aTakeBack(), c),
  "recover-new-revoked": (c) => takeBackPage(aTakeBack({ endsIn: 10 }), c),
  ...waitingStates("recover-new", ["app", "deviceElsewhere"], (waiting, c) => takeBackPage(aTakeBack({ waiting }), c)),
  "recover-new-short": (c) => takeBackPage({ ...intruded, fault: { kind: "short" } }, c),
  "recover-new-intruded": (c) => takeBackPage(intruded, c),
  "recover-new-changed": (c) => takeBackPage({ ...intruded, problem: "changed" }, c),
  "recover-new-leaving": (c) => takeBackPage({ ...intruded, leavesAt: NOW + 12 * DAY }, c),
  "recover-new-stale": (c) => takeBackPage({ ...intruded, problem: "stale" }, c),
  "recover-new-kept": (c) =>
    takeBackPage(aTakeBack({ ways: [aWay(), aWay({ kind: "codes", name: null })], apps: [anApp()] }), c),
  "recover-new-long": (c) =>
    takeBackPage(
      {
        ...intruded,
        apps: many,
        hidden: 17,
        companies: [aCompany(many.slice(0, 8), 3)],
        ways: [aWay({ ...strange, name: LONG.repeat(3) })],
      },
      c,
    ),
  undo: (c) => takeBackPage({ ...intruded, what: "undo" }, c),
  "recover-prove": (c) => provePage(aProof(), c),
  "recover-prove-passkey": (c) => provePage(aProof({ codes: false, passkey: anOffer }), c),
  "recover-prove-both": (c) => provePage(aProof({ what: "undo", passkey: anOffer }), c),
  ...Object.fromEntries(
    (["wrong", "wrongRecovery", "untrustedRecovery", "missing", "stale"] as const).map((kind) => [
      `recover-prove-problem-${kind}`,
      (c: Chrome) => provePage(aProof({ problem: { kind } }), c),
    ]),
  ),
  ...Object.fromEntries(
    (["passkey", "untrustedPasskey"] as const).map((kind) => [
      `recover-prove-problem-${kind}`,
      (c: Chrome) => provePage(aProof({ codes: false, problem: { kind }, passkey: anOffer }), c),
    ]),
  ),
  "recover-prove-throttled": (c) =>
    provePage(aProof({ problem: { kind: "throttled", minutes: 9, expires: false } }), c),
  "recover-prove-throttled-expires": (c) =>
    provePage(aProof({ problem: { kind: "throttled", minutes: 15, expires: true } }), c),
  "recover-done": (c) => takenBackPage(aRecovery(), c),
  ...waitingStates("recover-done", ["app", "invitation", "deviceElsewhere", "expired"], (waiting, c) =>
    takenBackPage(aRecovery({ waiting }), c),
  ),
  "recover-done-switch": (c) =>
    takenBackPage(aRecovery({ waiting: somethingWaits.app, switch: { csrf: "csrf-value", request: "sealed" } }), c),
  "recover-done-stays": (c) => takenBackPage(aRecovery({ stays: true, apps: ["TV"] }), c),
  "recover-done-removed": (c) =>
    takenBackPage(
      aRecovery({
        ...{ removed: ways.slice(0, 2), back: ["authenticator", "codes"], kept: ways.slice(2) },
        ...{ ended: ["Mail Export", "TV"], apps: many.map(({ name }) => name), paused: ["Slide Show"] },
      }),
      c,
    ),
  undone: (c) =>
    takenBackPage(
      aRecovery({ what: "undo", email: "ada@example.com", removed: ways, apps: ["TV"], keptFor: ["Acme"] }),
      c,
    ),
  restore: (c) => restorePage(aRestore(), c),
  "restore-leaving": (c) => restorePage(aRestore({ leavesAt: NOW + 12 * DAY }), c),
  "restore-stale": (c) => restorePage(aRestore({ stale: true }), c),
  "restore-moved": (c) => restorePage(aRestore({ moved, member: true }), c),
  restored: (c) => restoredPage(aRestored(), c),
  "restored-codes": (c) =>
    restoredPage(
      aRestored({
        stays: true,
        member: true,
        paused: ["Night Backup"],
        proving: inNewBrowser,
        ended: many.map(({ name }) => name),
        narrowed: ["TV"],
        endsIn: 10,
      }),
      c,
    ),
  "restored-moved": (c) => restoredPage(aRestored({ moved }), c),
  "restored-moved-late": (c) => restoredPage(aRestored({ moved: { ...moved, owed: false } }), c),
};
