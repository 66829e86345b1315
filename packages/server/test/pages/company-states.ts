/** The states of pages about companies. What they share with others is read when a page is rendered: the two files import each other. */
import type {
  AskAdminView,
  CompanyAppPageView,
  CompanyAppsView,
  CompanyAppView,
  CompanyConfirmView,
  CompanyFrame,
  CompanyMembersView,
  CompanyProofView,
  CompanyRequestView,
  CompanyRuleForm,
} from "../../src/pages/company/views.ts";
import {
  askAdminPage,
  askedAdminPage,
  type Chrome,
  companiesPage,
  companyAppPage,
  companyAppsPage,
  companyConfirmPage,
  companyHistoryPage,
  companyMembersPage,
  companyProofPage,
  createCompanyPage,
  invitationPage,
} from "../../src/pages/index.ts";
import {
  aClient,
  ada,
  deviceForm,
  durations,
  form,
  LONG_NAME,
  longPerson,
  NOW,
  scopes,
  television,
} from "./page-states.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function anAskAdmin(change: Partial<AskAdminView> = {}): AskAdminView {
  return {
    ...{ form, client: aClient(), company: "Acme Corp", owner: "company-1", keeps: false, reason: "", longest: 500 },
    ...{ scopes: scopes.map((scope) => ({ ...scope, approved: false })), chosen: {}, problem: null },
    ...change,
  };
}

function aProof(change: Partial<CompanyProofView> = {}): CompanyProofView {
  const fields = [
    ["client_id", "printer"],
    ["rule", "allow"],
    ["scope", "read"],
    ["scope", "write"],
  ] as const;
  return { ...frame(), action: "/apps/printer", fields, fault: null, ...change };
}

export const companyStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-proof": (c) => companyProofPage(aProof(), c),
  "company-proof-wrong": (c) =>
    companyProofPage(aProof({ action: "/members/remove", fields: [], fault: { kind: "current" } }), c),
  "company-proof-throttled": (c) => companyProofPage(aProof({ fault: { kind: "throttled", minutes: 9 } }), c),
  "ask-admin": (c) => askAdminPage(anAskAdmin(), c),
  "ask-admin-keeps": (c) => askAdminPage(anAskAdmin({ keeps: true }), c),
  "ask-admin-replaces": (c) =>
    askAdminPage(anAskAdmin({ replaces: { lost: ["Delete photos for good"], host: "photos.example" } }), c),
  "ask-admin-wrong": (c) => askAdminPage(anAskAdmin({ problem: "reason" }), c),
  "ask-admin-more": (c) => {
    const asked = scopes.map((scope, index) => ({ ...scope, required: false, approved: index !== 1 }));
    const goOn = { scopes: asked.filter(({ approved }) => approved).map((scope) => scope.name) };
    return askAdminPage(anAskAdmin({ scopes: asked, goOn }), c);
  },
  "ask-admin-many": (c) =>
    askAdminPage(anAskAdmin({ problem: "too_many", company: LONG_NAME, reason: "For the fair." }), c),
  "asked-admin": (c) => askedAdminPage({ form, client: aClient(), company: "Acme Corp" }, c),
  "asked-admin-device": (c) => askedAdminPage({ form: deviceForm, client: television, company: "Acme Corp" }, c),
};

export const frame = (change: Partial<CompanyFrame> = {}): CompanyFrame => ({
  ...{ csrf: "csrf-value", person: ada, company: { name: "Acme Corp", slug: "acme" }, admin: true, now: NOW },
  notice: null,
  ...change,
});

const see = { name: "photos:read", description: "See your photos and albums" };
const add = { name: "photos:write", description: "Add photos to your albums" };

/** Another service in which an app may act for members. */
const chat = () => ({
  ...{ name: "Chat", host: "as.chat.example", can: ["Read your chats"], endsAt: NOW + 90 * DAY, byAdmins: true },
});

function aCompanyApp(change: Partial<CompanyAppView> = {}): CompanyAppView {
  return {
    ...{ clientId: "c-1", name: "Photo Printer", logo: "/logos/photo-printer", host: "print.example.com" },
    ...{ scopes: [see], grantedAt: NOW - 40 * DAY, lastUsedAt: NOW - DAY, expiresAt: NOW + 300 * DAY },
    ...{ people: 12, state: "allow", requests: 0, hasNewHosts: false, mine: "acts", chosen: false },
    ...change,
  };
}

const aRequest = (change: Partial<CompanyRequestView> = {}): CompanyRequestView => ({
  ...{ clientId: "c-4", app: "Photo TV", logo: null, host: null, personId: "p-2", username: "grace" },
  ...{ personName: "Grace Hopper", scopes: [see], askedAt: NOW - HOUR },
  reason: "For the screen in the lobby.\nIt shows the photos of the fair.",
  ...change,
});

function companyApps(change: Partial<CompanyAppsView> = {}): CompanyAppsView {
  const nothing = { people: 0, mine: null, lastUsedAt: null } as const;
  return {
    ...frame(),
    apps: [
      aCompanyApp(),
      aCompanyApp({ ...nothing, clientId: "c-2", name: LONG_NAME, logo: null, state: "ask" }),
      aCompanyApp({
        ...{ clientId: "c-5", name: "Photo Wall", logo: null, mine: null, host: "wall.example.com" },
        ...{ state: "selected", people: 1, hasNewHosts: true },
      }),
      aCompanyApp({ ...nothing, clientId: "c-6", name: "Calendar", logo: null, state: null, requests: 2 }),
      aCompanyApp({ ...nothing, clientId: "c-3", name: "Spy", logo: null, state: "block", off: true }),
    ],
    requests: [
      aRequest(),
      aRequest({
        personId: "p-3",
        username: longPerson.username,
        personName: null,
        app: LONG_NAME,
        host: "new.example.com",
        isNewHost: true,
      }),
    ],
    ...{ query: "", found: [], more: false, defaultRule: "ask" },
    ...change,
  };
}

function aRuleForm(change: Partial<CompanyRuleForm> = {}): CompanyRuleForm {
  const members = ["ada", "grace", "linus", longPerson.username];
  return {
    ...{ rule: "allow", audience: "everybody", more: false, others: "", seen: NOW - DAY, problem: null },
    members: members.map((username, at) => ({
      ...{ personId: `p-${at}`, username, personName: at === 1 ? "Grace Hopper" : null, checked: at === 1 },
    })),
    scopes: [
      { ...see, checked: true, asked: false, sensitive: false, required: true },
      { ...add, checked: false, asked: true, sensitive: true, required: false },
    ],
    hosts: [{ value: "https://print.example.com", text: "print.example.com" }],
    durations: [
      { value: "same", selected: true },
      ...durations.filter(({ value }) => value !== "once").map(({ value }) => ({ value, selected: false })),
    ],
    endsNow: NOW + 300 * DAY,
    ...change,
  };
}

/** Permissions that end at different times. */
export const endings = () => [
  { ...see, expiresAt: NOW + 300 * DAY },
  { ...add, expiresAt: null },
];

export function anAppPage(change: Partial<CompanyAppPageView> = {}): CompanyAppPageView {
  const shown = ["ada", "grace", "linus"].map((username, at) => ({
    ...{ username, personName: at === 0 ? ada.name : null, since: NOW - (40 + at) * DAY, lastUsedAt: NOW - DAY },
    paused: at === 1,
  }));
  return {
    ...frame(),
    ...{ clientId: "c-1", name: "Photo Printer", logo: "/logos/photo-printer", host: "print.example.com" },
    ...{
      verified: true,
      publisher: "Prints Ltd",
      state: "allow",
      endsAt: NOW + 300 * DAY,
      newHosts: [],
      services: [chat()],
      mine: "acts",
      chosen: true,
    },
    decided: { at: NOW - 40 * DAY, by: "ada" },
    access: {
      ...{
        scopes: endings(),
        standing: endings(),
        grantedAt: NOW - 40 * DAY,
        lastUsedAt: NOW - DAY,
        people: 12,
        shown,
      },
      through: [
        { name: "Calendar agent", clientId: "c-7", lastUsedAt: NOW - HOUR },
        { name: LONG_NAME, clientId: "c-8", lastUsedAt: NOW - 3 * DAY },
      ],
    },
    ...{ actsThrough: [], requests: [], form: aRuleForm(), defaultRule: "ask" },
    ...change,
  };
}

/** An app that nobody uses and nobody decided about. */
const aNewApp = (change: Partial<CompanyAppPageView> = {}, form: Partial<CompanyRuleForm> = {}) =>
  anAppPage({
    ...{ name: "Photo TV", logo: null, host: "tv.example.com", verified: false, state: null, decided: null },
    ...{ access: null, mine: null, chosen: false, endsAt: null },
    form: aRuleForm({
      ...{ rule: "default", audience: null, seen: null, endsNow: null },
      durations: durations.filter(({ value }) => value !== "once"),
      ...form,
    }),
    ...change,
  });

const aMember = () =>
  ({
    personId: "p-1",
    username: "ada",
    personName: "Ada Lovelace",
    role: "admin",
    since: NOW - 90 * DAY,
    disabled: false,
    self: true,
    roleFrom: null,
  }) as const;

function companyMembers(change: Partial<CompanyMembersView> = {}): CompanyMembersView {
  return {
    ...frame(),
    members: [
      aMember(),
      { ...aMember(), personId: "p-2", username: "grace", personName: null, role: "member", self: false },
      {
        ...aMember(),
        personId: "p-3",
        username: longPerson.username,
        personName: longPerson.name,
        role: "member",
        self: false,
        disabled: true,
        roleFrom: LONG_NAME,
      },
    ],
    ...{ next: "grace", first: false, invited: null, addressee: "", problem: null, lastAdmin: true },
    invitations: [{ invitationId: "i-1", addressee: "linus@example.com", role: "member", expiresAt: NOW + 5 * DAY }],
    ...change,
  };
}

function aQuestion(what: CompanyConfirmView["what"], change: Partial<CompanyConfirmView> = {}): CompanyConfirmView {
  const [action, fields] =
    what === "remove" ? ["/members/remove", { person_id: "p-2" }] : ["/revoke", { client_id: "c-1" }];
  const about = {
    subject: "Photo Printer",
    people: 12,
    ...{ apps: [], stopsIn: 10 },
    lasting: [{ app: "Photo Printer", server: "Chat" }],
    rule: what === "revoke" ? ("members" as const) : null,
    returnsBy: what === "revoke" ? null : "Acme ID",
  };
  return { ...frame(), what, action, fields, ...about, ...change };
}

/** Of five hundred members, the fifty of one page. */
const aFullPage = () =>
  Array.from({ length: 50 }, (_, at) => ({
    ...aMember(),
    personId: `p-${at}`,
    username: at % 9 === 8 ? longPerson.username : `member.number.${at}`,
    ...(at === 0 ? {} : ({ role: "member", self: false } as const)),
  }));

const anInvitation = () =>
  ({
    csrf: "csrf-value",
    token: "iv_token",
    person: ada,
    ...{ company: "Acme Corp", slug: "acme", before: null },
    by: { username: "grace", name: "Grace Hopper" },
  }) as const;

export const companyPageStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-apps": (c) => companyAppsPage(companyApps(), c),
  "company-apps-done": (c) =>
    companyAppsPage(
      companyApps({ notice: "revoked", requests: [], held: { app: "Photo Printer", until: NOW + HOUR / 6 } }),
      c,
    ),
  "company-revoke": (c) => companyConfirmPage(aQuestion("revoke", { subject: LONG_NAME }), c),
  "company-app": (c) => companyAppPage(anAppPage(), c),
  "company-app-selected": (c) =>
    companyAppPage(
      anAppPage({
        ...{ state: "selected", newHosts: ["wall.example.net", "wall.example.org"], notice: "decided" },
        form: aRuleForm({ audience: "selected", more: true }),
      }),
      c,
    ),
  "company-app-request": (c) =>
    companyAppPage(
      aNewApp(
        { requests: [aRequest()] },
        {
          rule: "allow",
          audience: "selected",
          scopes: [{ ...see, checked: true, asked: true, sensitive: true, required: true }],
        },
      ),
      c,
    ),
  "company-app-new": (c) => companyAppPage(aNewApp(), c),
  "company-app-acts-through": (c) =>
    companyAppPage(aNewApp({ actsThrough: [{ name: LONG_NAME, lastUsedAt: NOW - HOUR }] }), c),
  "company-app-vouched": (c) =>
    companyAppPage(
      anAppPage({ vouched: { hosts: ["acme.idp.example"], minutes: 10, stopped: false, pausable: true } }),
      c,
    ),
  "company-app-wrong": (c) =>
    companyAppPage(
      aNewApp(
        { name: LONG_NAME },
        {
          ...{ rule: "allow", audience: "selected", more: true, others: "nobody" },
          problem: { kind: "unknownMember", about: "nobody" },
        },
      ),
      c,
    ),
  "company-app-ended": (c) =>
    companyAppPage(anAppPage({ state: "ask", defaultRule: "members", endedAt: NOW - DAY }), c),
  "company-app-changed": (c) =>
    companyAppPage(anAppPage({ notice: "changed", state: "block", access: null, mine: "stopped" }), c),
  "company-app-gone": (c) => companyAppPage(anAppPage({ form: null, logo: null, host: null, verified: false }), c),
  "company-remove": (c) =>
    companyConfirmPage(aQuestion("remove", { subject: longPerson.username, apps: ["Photo Printer", LONG_NAME] }), c),
  "company-leave": (c) => companyConfirmPage(aQuestion("leave", { subject: "Acme Corp", admin: false, stopsIn: 0 }), c),
  "company-search": (c) =>
    companyAppsPage(
      companyApps({
        ...{ query: "photo", requests: [], more: true, apps: [aCompanyApp()] },
        found: [{ clientId: "c-9", name: "Photo Frame", logo: null, host: "frame.example.com" }],
      }),
      c,
    ),
  "company-search-none": (c) => companyAppsPage(companyApps({ query: "Nothing like it", requests: [], apps: [] }), c),
  "company-apps-empty": (c) => companyAppsPage(companyApps({ apps: [], requests: [], notice: "nothing" }), c),
  "company-apps-member": (c) =>
    companyAppsPage(
      companyApps({
        admin: false,
        requests: [
          aRequest(),
          aRequest({ clientId: "c-5", app: "Photo Wall", scopes: [add], approved: [see] }),
          aRequest({ clientId: "c-7", app: "Calendar", refusedAt: NOW - HOUR / 2 }),
        ],
        apps: [
          aCompanyApp({ chosen: true, nextTime: "several", connections: [chat()] }),
          aCompanyApp({ mine: "stopped", off: true, connections: [chat()] }),
          aCompanyApp({ mine: null, grantedAt: null, lastUsedAt: null, expiresAt: null, connections: [chat()] }),
          aCompanyApp({ state: "ask", connections: [{ ...chat(), uncovered: true }] }),
          aCompanyApp({ state: "block", mine: null }),
        ],
      }),
      c,
    ),
  "company-members": (c) => companyMembersPage(companyMembers(), c),
  "company-members-invited": (c) =>
    companyMembersPage(
      companyMembers({
        invited: {
          addressee: "linus@example.com",
          link: `https://id.example.com/invitation?token=iv_${"Ab3-".repeat(30)}`,
          expiresAt: NOW + 7 * DAY,
          mailed: true,
          username: null,
        },
      }),
      c,
    ),
  "company-members-invited-username": (c) =>
    companyMembersPage(
      companyMembers({
        invited: {
          ...{ addressee: "linus", link: `https://id.example.com/invitation?token=iv_${"Ab3-".repeat(30)}` },
          ...{ expiresAt: NOW + 7 * DAY, mailed: false, username: "mail" },
        },
      }),
      c,
    ),
  "company-members-wrong": (c) =>
    companyMembersPage(companyMembers({ addressee: "not an address", problem: "addressee", notice: "lastAdmin" }), c),
  "company-members-many": (c) =>
    companyMembersPage(companyMembers({ problem: "tooMany", first: true, members: aFullPage() }), c),
  "company-members-often": (c) =>
    companyMembersPage(companyMembers({ addressee: "somebody@example.com", problem: "tooOften" }), c),
  "company-history": (c) =>
    companyHistoryPage(
      {
        ...frame(),
        entries: (["allowed", "allowedByPolicy", "narrowed", "revoked", "alarm"] as const).map((what, at) => ({
          ...{
            entryId: `e-${at}`,
            at: NOW - at * DAY,
            what,
            app: "Photo Printer",
            by: "ada",
          },
          ...{
            can:
              what === "allowed"
                ? [see, add].map(({ description }) => ({ text: description, end: "once" as const }))
                : what === "narrowed"
                  ? [see, add].map(({ description }, index) => ({ text: description, end: NOW + (index + 7) * DAY }))
                  : [],
            ...(what === "narrowed"
              ? { takenAway: [add.description], takenFrom: "members" as const }
              : { takenAway: [] }),
          },
        })),
        ...{ older: "e-3", first: false },
      },
      c,
    ),
  "company-history-people": (c) =>
    companyHistoryPage(
      {
        ...frame(),
        entries: (
          [
            { member: "removed" },
            { member: "left" },
            { endedBy: "member_removed" },
            { endedBy: "member_disabled" },
            { endedBy: "member_deleted" },
            { endedBy: "stopped" },
            { endedBy: "approval" },
            "reconnected",
            "delegated",
            "vouched",
            "connected",
            "refused",
            "givenUpFor",
            { member: "joined" },
            { member: "addedAsAdmin" },
            { member: "acceptedAdmin" },
            { member: "invited" },
            { member: "withdrawn" },
            { rule: "blocked" },
            { rule: "unblocked" },
            { rule: "ask" },
            { rule: "none" },
            { rule: "default_members" },
            { rule: "default_ask" },
            { rule: "default_block" },
          ] as const
        ).map((what, at) => ({
          ...{ entryId: `e-${at}`, at: NOW - at * DAY, what, app: "Photo Printer", by: "ada" },
          ...{ person: "grace", can: [], takenAway: [] },
        })),
        ...{ older: null, first: true },
      },
      c,
    ),
  "company-history-empty": (c) => companyHistoryPage({ ...frame(), entries: [], older: null, first: true }, c),
  companies: (c) =>
    companiesPage(
      {
        ...{ csrf: "csrf-value", person: ada, mayCreate: true, hasLeft: false },
        companies: [
          { name: "Acme Corp", slug: "acme", role: "admin", off: false },
          { name: LONG_NAME, slug: "long", role: "member", off: false },
          { name: "Globex", slug: "globex", role: "admin", off: true },
        ],
      },
      c,
    ),
  "create-company": (c) => createCompanyPage({ csrf: "csrf-value", person: ada, name: "", slug: "", problem: null }, c),
  "create-company-similar": (c) =>
    createCompanyPage({ csrf: "csrf-value", person: ada, name: LONG_NAME, slug: "acme", problem: "similar" }, c),
  "create-company-taken": (c) =>
    createCompanyPage({ csrf: "csrf-value", person: ada, name: "Acme Corp", slug: "acme", problem: "taken" }, c),
  "create-company-many": (c) =>
    createCompanyPage({ csrf: "csrf-value", person: ada, name: "Acme Corp", slug: "acme", problem: "tooMany" }, c),
  "companies-none": (c) =>
    companiesPage({ csrf: "csrf-value", person: ada, mayCreate: false, hasLeft: true, companies: [] }, c),
  invitation: (c) => invitationPage({ ...anInvitation(), role: "member", wrongPerson: false }, c),
  "invitation-to-member": (c) =>
    invitationPage({ ...anInvitation(), role: "admin", before: "member", wrongPerson: false }, c),
  "invitation-needless": (c) =>
    invitationPage({ ...anInvitation(), role: "member", before: "admin", wrongPerson: false }, c),
  "invitation-admin": (c) => invitationPage({ ...anInvitation(), role: "admin", wrongPerson: false }, c),
  "invitation-other": (c) => invitationPage({ ...anInvitation(), role: "member", wrongPerson: true }, c),
};
