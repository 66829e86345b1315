/** The states of the pages about apps that act while their owner is away. */

import type { AgentEntry, AgentsView } from "../../src/pages/agents-view.ts";
import {
  agentsPage,
  appsPage,
  type Chrome,
  companyAgentsPage,
  companyAppPage,
  consentPage,
} from "../../src/pages/index.ts";
import type { OwnerOption } from "../../src/pages/views.ts";
import { anAppPage, frame } from "./company-states.ts";
import {
  aClient,
  aConsent,
  ada,
  anApp,
  anAppsView,
  aScope,
  DAY,
  deviceFacts,
  HOSTILE_NAME,
  HOUR,
  hostile,
  MINUTE,
  NOW,
  notAsked,
  UNBREAKABLE,
} from "./sample-views.ts";

const may = (...descriptions: readonly string[]) =>
  descriptions.map((description) => ({ description, expiresAt: NOW + 80 * DAY }));

function anAgent(change: Partial<AgentEntry> = {}): AgentEntry {
  return {
    ...{
      clientId: "assistant",
      name: "Calendar Assistant",
      formerName: null,
      logo: null,
      hosts: ["assistant.example.com"],
    },
    scopes: may("See your calendar", "See your contacts", "Keep access while you’re away"),
    ...{
      expiresAt: NOW + 80 * DAY,
      awayUntil: NOW + 80 * DAY,
      pausedAt: null,
      lastUsedAt: NOW - 5 * MINUTE,
      stopsIn: 5,
      off: false,
    },
    uses: [
      { api: "Calendar", lastUsedAt: NOW - 5 * MINUTE },
      { api: "Contacts", lastUsedAt: NOW - 3 * DAY },
    ],
    through: [{ name: "Travel Planner", lastUsedAt: NOW - 2 * HOUR }],
    ...change,
  };
}

const plain = anAgent({
  ...{ clientId: "tool", name: "Command Line Tool", hosts: ["127.0.0.1"], lastUsedAt: null, formerName: "Bot Three" },
  ...{ expiresAt: null, awayUntil: NOW + 2 * DAY },
  scopes: [
    { description: "See your photos and albums", expiresAt: null },
    { description: "Add photos", expiresAt: NOW + HOUR },
  ],
  ...{ uses: [], through: [], stopsIn: 0 },
});
const paused = anAgent({
  ...{ clientId: "paused", name: "Mail Sorter", pausedAt: NOW - 2 * DAY, stopsIn: 0, through: [] },
  lastUsedAt: NOW - 3 * DAY,
  ...{ scopes: may("Read your mail", "Move your mail to folders"), uses: [{ api: "Mail", lastUsedAt: NOW - 3 * DAY }] },
});
const pausedNow = { ...paused, pausedAt: NOW - MINUTE, stopsIn: 8 };
const many = anAgent({
  ...{ clientId: "many", name: UNBREAKABLE, off: true, hosts: [UNBREAKABLE.toLowerCase(), "b.example", "c.example"] },
  scopes: may(...Array.from({ length: 9 }, (_, at) => `See folder ${at + 1} and everything in it`)),
});

const restoredNow = { at: NOW - 2 * MINUTE, until: NOW + 8 * MINUTE };

function aView(change: Partial<AgentsView> = {}): AgentsView {
  return {
    csrf: "csrf-value",
    person: ada,
    agents: [anAgent(), plain, paused],
    ended: [],
    companies: [],
    now: NOW,
    notice: null,
    ...change,
  };
}

const owners: readonly OwnerOption[] = [
  { value: "person-id", name: ada.name, kind: "self", selected: false, last: false },
  { value: "company-1", name: "Acme Corp", kind: "company", selected: true, last: false },
  { value: "company-2", name: "Globex", kind: "paused", selected: false, last: false },
];
const offline = aScope({
  ...{ name: "offline_access", description: "Keep access while you’re away", api: null, access: null },
  ...{ required: false, checked: true },
});
const asked = aConsent().scopes;

export const agentsStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "apps-paused": (c) =>
    appsPage(
      anAppsView({
        apps: [anApp({ pausedAt: NOW - DAY, stopsIn: 0 }), ...anAppsView().apps.slice(1)],
        halted: 1,
        notice: {
          kind: "end_changed",
          paused: true,
          app: "Photo Printer",
          endsAt: NOW + 7 * DAY,
          openUntil: null,
          entryId: null,
        },
      }),
      c,
    ),
  agents: (c) => agentsPage(aView(), c),
  "agents-two-addresses": (c) => {
    const [old, other] = ["assistant.example.com", "assistant.example.org"];
    const agent = anAgent({ hosts: [old, other], hostEnds: { [other]: NOW + 120 * HOUR } });
    return agentsPage(aView({ agents: [agent] }), c);
  },
  "agents-none": (c) => agentsPage(aView({ agents: [] }), c),
  "apps-removed": (c) => appsPage(anAppsView({ apps: [anApp({ removedUntil: NOW + 9 * MINUTE })] }), c),
  "agents-ended": (c) => agentsPage(aView({ agents: [], ended: [{ name: HOSTILE_NAME, until: NOW + 5 * MINUTE }] }), c),
  "apps-ended": (c) =>
    appsPage(
      anAppsView({
        apps: [],
        ended: [
          { name: "Photo Printer", until: NOW + 8 * MINUTE },
          { name: UNBREAKABLE, until: NOW + 2 * HOUR },
        ],
      }),
      c,
    ),
  "agents-restored": (c) => agentsPage(aView({ agents: [], restored: restoredNow }), c),
  "apps-restored": (c) =>
    appsPage(
      anAppsView({ apps: [], ended: [{ name: HOSTILE_NAME, until: NOW + 8 * MINUTE }], restored: restoredNow }),
      c,
    ),
  "agents-none-member": (c) =>
    agentsPage(
      aView({
        agents: [],
        companies: [
          { name: "Acme Corp", slug: "acme" },
          { name: HOSTILE_NAME, slug: "hostile" },
        ],
      }),
      c,
    ),
  "agents-paused": (c) =>
    agentsPage(
      aView({
        agents: [pausedNow, anAgent()],
        notice: { kind: "paused", app: pausedNow.name, openUntil: NOW + 8 * MINUTE },
      }),
      c,
    ),
  "agents-paused-ends-differ": (c) =>
    agentsPage(
      aView({
        agents: [
          { ...plain, pausedAt: NOW - DAY },
          { ...plain, clientId: "off", off: true },
        ],
      }),
      c,
    ),
  "agents-paused-at-once": (c) =>
    agentsPage(aView({ agents: [paused], notice: { kind: "paused", app: paused.name, openUntil: null } }), c),
  "agents-paused-over": (c) => agentsPage(aView({ agents: [{ ...paused, expiresAt: NOW - DAY }] }), c),
  "agents-resumed": (c) =>
    agentsPage(aView({ notice: { kind: "resumed", app: "Calendar Assistant", openUntil: null } }), c),
  "agents-no-longer-offered": (c) => {
    const scopes = anAgent().scopes.map((scope, at) => ({ ...scope, gone: at === 1 }));
    return agentsPage(aView({ agents: [anAgent({ scopes })] }), c);
  },
  "apps-no-longer-offered": (c) => {
    const scopes = anApp().scopes.map((scope, at) => ({ ...scope, gone: at === 1 }));
    return appsPage(anAppsView({ apps: [anApp({ scopes })] }), c);
  },
  "agents-gone": (c) => agentsPage(aView({ notice: { kind: "gone" } }), c),
  "agents-hostile": (c) =>
    agentsPage(
      aView({
        person: hostile,
        agents: [
          anAgent({ name: HOSTILE_NAME, scopes: may(HOSTILE_NAME), uses: [{ api: HOSTILE_NAME, lastUsedAt: NOW }] }),
          many,
        ],
        notice: { kind: "paused", app: HOSTILE_NAME, openUntil: NOW + MINUTE },
      }),
      c,
    ),
  "company-agents": (c) => companyAgentsPage({ ...frame(), agents: [anAgent(), paused], ended: [], unused: [] }, c),
  "company-agents-paused": (c) =>
    companyAgentsPage(
      {
        ...frame({ notice: "appPaused", held: { app: "Mail Sorter", until: NOW + 8 * MINUTE } }),
        ...{ agents: [pausedNow], ended: [], unused: [] },
      },
      c,
    ),
  "agents-resumed-over": (c) => agentsPage(aView({ notice: { kind: "resumedOver", app: "Calendar Assistant" } }), c),
  "company-agents-resumed": (c) =>
    companyAgentsPage({ ...frame({ notice: "appResumed" }), agents: [anAgent()], ended: [], unused: [] }, c),
  "company-agents-unused": (c) =>
    companyAgentsPage(
      {
        ...{ ...frame(), agents: [], ended: [{ name: "Photo Printer", until: NOW + 8 * MINUTE }] },
        unused: [{ name: HOSTILE_NAME, until: NOW + 9 * MINUTE }],
      },
      c,
    ),
  "company-app-paused": (c) => {
    const { access } = anAppPage();
    return companyAppPage(
      anAppPage({ access: access && { ...access, pausedAt: NOW - 2 * MINUTE, people: 0, shown: [] }, stopsIn: 8 }),
      c,
    );
  },
  "company-app-revoked": (c) => companyAppPage(anAppPage({ access: null, stopsIn: 8 }), c),
  "company-agents-none": (c) => companyAgentsPage({ ...frame(), agents: [], ended: [], unused: [] }, c),
  "consent-paused": (c) =>
    consentPage(
      aConsent({
        ...{ pausedAt: NOW - 2 * DAY, resume: "person-id", allGranted: true, notAsked },
        scopes: asked.map((scope) => ({ ...scope, granted: true, checked: true, endsAt: NOW + 40 * DAY })),
      }),
      c,
    ),
  "consent-paused-more": (c) =>
    consentPage(
      aConsent({
        ...{ pausedAt: NOW - 2 * DAY, resume: "person-id" },
        scopes: asked.map((scope, at) =>
          at === 0 ? { ...scope, granted: true, checked: true, endsAt: NOW + 40 * DAY } : { ...scope, required: false },
        ),
      }),
      c,
    ),
  "consent-paused-over": (c) => consentPage(aConsent({ pausedAt: NOW - 2 * DAY, resume: "person-id" }), c),
  "consent-paused-company-over": (c) =>
    consentPage(aConsent({ pausedAt: NOW - 2 * DAY, resume: "company-1", owners, away: "always" }), c),
  "consent-paused-company": (c) =>
    consentPage(
      aConsent({ pausedAt: NOW - 2 * DAY, resume: "company-1", owners, away: "always", backForAll: notAsked }),
      c,
    ),
  "consent-today": (c) =>
    consentPage(
      aConsent({
        durations: [
          { value: "3600", selected: false },
          { value: "today", selected: true },
          { value: "604800", selected: false },
        ],
        todayUntil: NOW - (NOW % DAY) + DAY,
      }),
      c,
    ),
  "consent-away": (c) => consentPage(aConsent({ away: "scope", scopes: [...asked, offline] }), c),
  "consent-away-now": (c) =>
    consentPage(
      aConsent({ away: "scope", keepsAccess: true, scopes: [...asked, { ...offline, awayUntil: NOW + 30 * DAY }] }),
      c,
    ),
  "consent-away-always": (c) => consentPage(aConsent({ away: "always" }), c),
  "device-consent-paused": (c) =>
    consentPage(
      aConsent({
        client: aClient({ host: null }),
        device: deviceFacts(),
        pausedAt: NOW - HOUR,
        resume: "person-id",
        away: "always",
      }),
      c,
    ),
};
