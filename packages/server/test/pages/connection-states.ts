/** The states of the pages about apps that a company connected with other services. */
import {
  CONNECTION_NOTICES,
  type CompanyConnectionsView,
  type ConnectedPair,
  type ConnectionFormView,
  type ConnectionRow,
} from "../../src/pages/company/connection-views.ts";
import {
  type Chrome,
  companyConnectionsPage,
  connectionFormPage,
  consentPage,
  findConnectionPage,
  removeConnectionPage,
} from "../../src/pages/index.ts";
import type { OwnerOption } from "../../src/pages/views.ts";
import { frame } from "./company-states.ts";
import { aConsent, ada, HOSTILE_NAME, LONG_NAME, NOW } from "./sample-views.ts";

const DAY = 86_400_000;
const inCompany = (change = {}) => frame({ connections: true, ownSignIn: true, ...change });

const wiki: ConnectedPair = {
  ...{ clientId: "c-1", audience: "https://as.chat.example", name: "Wiki", logo: "/logos/photo-printer" },
  ...{ host: "wiki.example.com", verified: true, server: "Chat", serverHost: "as.chat.example" },
};
const long = (): ConnectedPair => ({
  ...{ clientId: "c-2", audience: `https://${"tenant.".repeat(8)}example/realms/acme`, name: LONG_NAME, logo: null },
  ...{ host: "print.example.com", verified: false, server: LONG_NAME },
  serverHost: `${"tenant.".repeat(8)}example/realms/acme`,
});
const hostile = (): ConnectedPair => ({ ...wiki, name: HOSTILE_NAME, server: HOSTILE_NAME, verified: false });

const can = ["Read your chats", "Write in your chats"];
const made = { at: NOW - 40 * DAY, by: "ada" };

function aRow(change: Partial<ConnectionRow> = {}): ConnectionRow {
  return { ...wiki, state: "on", can, endsAt: NOW + 300 * DAY, made, ...change };
}

function aList(change: Partial<CompanyConnectionsView> = {}): CompanyConnectionsView {
  const rows = [
    aRow(),
    aRow({ ...long(), state: "operator", endsAt: null, made: null, can: ["chat:read"] }),
    aRow({ name: "Calendar", server: "Mail", serverHost: "login.mail.example", state: "ended", endsAt: NOW - DAY }),
    aRow({ name: "Notes", state: "altered" }),
    aRow({ name: "Old Wiki", state: "withdrawn", made: { ...made, by: null } }),
    aRow({ name: "Spy", state: "blocked" }),
    aRow({ name: "Scanner", state: "paused" }),
  ];
  return { ...inCompany(), said: null, rows, offered: true, page: 1, more: false, ...change };
}

function aForm(change: Partial<ConnectionFormView> = {}): ConnectionFormView {
  return {
    ...{ ...inCompany(), ...wiki, apis: [], endsNow: null, seen: null, offer: "mark", blocked: false, problem: null },
    scopes: can.map((text, at) => ({ name: `chat:${at}`, text, checked: false })),
    durations: ["2592000", "7776000", "31536000"].map((value) => ({ value, selected: value === "31536000" })),
    ...change,
  };
}

/** The person, and a company that is selected. */
function ownersOf(company: Partial<OwnerOption>): readonly OwnerOption[] {
  return [
    { value: "person-id", name: ada.name, kind: "self", selected: false, last: false },
    { value: "company-1", name: "Acme Corp", kind: "company", selected: true, last: true, ...company },
  ];
}

export const connectionStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "consent-owner-connected": (c) =>
    consentPage(aConsent({ owners: ownersOf({ services: [{ name: "Chat", can }] }) }), c),
  "consent-later": (c) => {
    const photos = { text: "See where your photos were taken", sensitive: true };
    const prints = { text: "Order prints", sensitive: false };
    return consentPage(aConsent({ owners: ownersOf({ later: [photos, prints] }) }), c);
  },
  "company-connections": (c) => companyConnectionsPage(aList(), c),
  "company-connections-none": (c) => companyConnectionsPage(aList({ rows: [] }), c),
  "company-connections-nothing": (c) => companyConnectionsPage(aList({ rows: [aRow()], offered: false }), c),
  "company-connections-more": (c) => companyConnectionsPage(aList({ rows: [aRow(hostile())], page: 2, more: true }), c),
  ...Object.fromEntries(
    CONNECTION_NOTICES.map((said) => [
      `company-connections-said-${said}`,
      (c: Chrome) => companyConnectionsPage(aList({ said, rows: [aRow()] }), c),
    ]),
  ),
  "company-connect": (c) => connectionFormPage(aForm(), c),
  "company-connect-change": (c) =>
    connectionFormPage(
      aForm({
        ...{ ...long(), apis: ["https://chat.example/mcp"], endsNow: NOW + 90 * DAY, seen: NOW },
        scopes: can.map((text, at) => ({ name: `chat:${at}`, text, checked: at === 0 })),
        durations: ["same", "2592000", "31536000"].map((value) => ({ value, selected: value === "same" })),
      }),
      c,
    ),
  "company-connect-wrong": (c) => connectionFormPage(aForm({ problem: "scopes" }), c),
  "company-connect-duration": (c) => connectionFormPage(aForm({ problem: "duration" }), c),
  "company-connect-blocked": (c) => connectionFormPage(aForm({ ...hostile(), blocked: true }), c),
  "company-connect-find": (c) =>
    findConnectionPage(
      {
        ...{ ...inCompany(), query: "", page: 1, more: true },
        offers: [
          { ...wiki, connected: true },
          { ...long(), connected: false },
          { ...wiki, name: "Calendar", logo: null, server: "Mail", serverHost: "login.mail.example", connected: false },
        ],
      },
      c,
    ),
  "company-connect-find-none": (c) =>
    findConnectionPage({ ...inCompany(), query: "wiki", offers: [], page: 1, more: false }, c),
  "company-connect-find-nothing": (c) =>
    findConnectionPage({ ...inCompany(), query: "", offers: [], page: 1, more: false }, c),
  "company-connection-remove": (c) => removeConnectionPage({ ...inCompany(), ...wiki, seen: NOW }, c),
  "company-connection-remove-long": (c) => removeConnectionPage({ ...inCompany(), ...long(), seen: NOW }, c),
};
