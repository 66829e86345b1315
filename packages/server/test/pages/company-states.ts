/** The states of pages about companies. What they share with others is read when a page is rendered: the two files import each other. */
import type {
  CompanyAppsView,
  CompanyAppView,
  CompanyConfirmView,
  CompanyFrame,
  CompanyMembersView,
  CompanyProofView,
} from "../../src/pages/company/views.ts";
import {
  askAdminPage,
  askedAdminPage,
  type Chrome,
  companiesPage,
  companyAppsPage,
  companyConfirmPage,
  companyHistoryPage,
  companyMembersPage,
  companyProofPage,
  consentPage,
  invitationPage,
} from "../../src/pages/index.ts";
import type { AskAdminView, OwnerOption } from "../../src/pages/views.ts";
import {
  aClient,
  aConsent,
  ada,
  deviceForm,
  durations,
  form,
  LONG_NAME,
  longPerson,
  NOW,
  scopes,
  television,
} from "./states.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const owners = (): readonly OwnerOption[] => [
  { value: "person-id", name: ada.name, kind: "self", selected: true },
  { value: "company-1", name: "Acme Corp", kind: "company", selected: false },
  { value: "company-2", name: LONG_NAME, kind: "ask", selected: false },
  { value: "company-3", name: "Globex", kind: "blocked", selected: false },
];

function anAskAdmin(change: Partial<AskAdminView> = {}): AskAdminView {
  return {
    ...{ form, client: aClient(), company: "Acme Corp", owner: "company-1", scopes, reason: "", longest: 500 },
    problem: null,
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
  return { ...frame(), action: "/rule", fields, fault: null, ...change };
}

export const companyStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-proof": (c) => companyProofPage(aProof(), c),
  "company-proof-wrong": (c) =>
    companyProofPage(aProof({ action: "/members/remove", fields: [], fault: { kind: "current" } }), c),
  "company-proof-throttled": (c) => companyProofPage(aProof({ fault: { kind: "throttled", minutes: 9 } }), c),
  "consent-owners": (c) => consentPage(aConsent({ owners: owners() }), c),
  "consent-bad-owner": (c) => consentPage(aConsent({ owners: owners(), problem: { kind: "bad_owner" } }), c),
  "ask-admin": (c) => askAdminPage(anAskAdmin(), c),
  "ask-admin-wrong": (c) => askAdminPage(anAskAdmin({ problem: "reason" }), c),
  "ask-admin-many": (c) =>
    askAdminPage(anAskAdmin({ problem: "too_many", company: LONG_NAME, reason: "For the fair." }), c),
  "asked-admin": (c) => askedAdminPage({ form, client: aClient(), company: "Acme Corp" }, c),
  "asked-admin-device": (c) => askedAdminPage({ form: deviceForm, client: television, company: "Acme Corp" }, c),
};

const frame = (change: Partial<CompanyFrame> = {}): CompanyFrame => ({
  ...{ csrf: "csrf-value", person: ada, company: { name: "Acme Corp", slug: "acme" }, admin: true, now: NOW },
  notice: null,
  ...change,
});

const see = { name: "photos:read", description: "See your photos and albums" };
const add = { name: "photos:write", description: "Add photos to your albums" };

function aCompanyApp(change: Partial<CompanyAppView> = {}): CompanyAppView {
  return {
    ...{ clientId: "c-1", name: "Photo Printer", logo: "/logos/photo-printer", host: "print.example.com" },
    ...{ scopes: [see, add], grantedAt: NOW - 40 * DAY, lastUsedAt: NOW - DAY, expiresAt: NOW + 300 * DAY },
    ...{ people: 12, rule: "allow", optOut: true, mine: "acts" },
    ...{ hosts: [{ value: "https://print.example.com", text: "print.example.com" }], newHosts: [] },
    durations: durations.filter(({ value }) => value !== "once"),
    choices: [
      { ...see, checked: true },
      { ...add, checked: false },
    ],
    ...change,
  };
}

function companyApps(change: Partial<CompanyAppsView> = {}): CompanyAppsView {
  return {
    ...frame(),
    apps: [
      aCompanyApp(),
      aCompanyApp({
        clientId: "c-2",
        name: LONG_NAME,
        logo: null,
        rule: "ask",
        people: 0,
        mine: null,
        lastUsedAt: null,
      }),
      aCompanyApp({
        ...{ clientId: "c-5", name: "Photo Wall", logo: null, mine: null },
        hosts: [
          { value: "https://wall.example.com", text: "wall.example.com" },
          { value: "https://wall.example.net", text: "wall.example.net" },
        ],
        newHosts: ["wall.example.net"],
      }),
      aCompanyApp({ clientId: "c-3", name: "Spy", logo: null, rule: "block", scopes: [], grantedAt: null, mine: null }),
    ],
    requests: [
      {
        ...{ clientId: "c-4", app: "Photo TV", logo: null, host: null, hosts: [], personId: "p-2", username: "grace" },
        durations: durations.filter(({ value }) => value !== "once"),
        ...{ scopes: [see], ceiling: [see.name], askedAt: NOW - HOUR },
        reason: "For the screen in the lobby.\nIt shows the photos of the fair.",
      },
    ],
    defaultRule: "ask",
    ...change,
  };
}

const aMember = () =>
  ({ personId: "p-1", username: "ada", role: "admin", since: NOW - 90 * DAY, disabled: false, self: true }) as const;

function companyMembers(change: Partial<CompanyMembersView> = {}): CompanyMembersView {
  return {
    ...frame(),
    members: [
      aMember(),
      { ...aMember(), personId: "p-2", username: "grace", role: "member", self: false },
      { ...aMember(), personId: "p-3", username: longPerson.username, role: "member", self: false, disabled: true },
    ],
    ...{ next: "grace", first: false, invited: null, addressee: "", problem: null, lastAdmin: true },
    invitations: [{ invitationId: "i-1", addressee: "linus@example.com", role: "member", expiresAt: NOW + 5 * DAY }],
    ...change,
  };
}

function aQuestion(what: CompanyConfirmView["what"], change: Partial<CompanyConfirmView> = {}): CompanyConfirmView {
  const [action, fields] =
    what === "remove" ? ["/members/remove", { person_id: "p-2" }] : ["/rule", { client_id: "c-1" }];
  const about = { subject: "Photo Printer", people: 12, apps: [], stopsIn: 10, endsAt: null };
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

const anInvitation = () => ({ csrf: "csrf-value", token: "iv_token", person: ada, company: "Acme Corp" }) as const;

export const companyPageStates: Readonly<Record<string, (chrome: Chrome) => string>> = {
  "company-apps": (c) => companyAppsPage(companyApps(), c),
  "company-apps-done": (c) =>
    companyAppsPage(
      companyApps({ notice: "revoked", requests: [], held: { app: "Photo Printer", until: NOW + HOUR / 6 } }),
      c,
    ),
  "company-revoke": (c) => companyConfirmPage(aQuestion("revoke", { subject: LONG_NAME }), c),
  "company-block": (c) => companyConfirmPage(aQuestion("block", { people: 1, stopsIn: 0 }), c),
  "company-unapprove": (c) => companyConfirmPage(aQuestion("unapprove", { endsAt: NOW + 90 * DAY }), c),
  "company-remove": (c) =>
    companyConfirmPage(aQuestion("remove", { subject: longPerson.username, apps: ["Photo Printer", LONG_NAME] }), c),
  "company-leave": (c) => companyConfirmPage(aQuestion("leave", { subject: "Acme Corp", admin: false, stopsIn: 0 }), c),
  "company-apps-empty": (c) => companyAppsPage(companyApps({ apps: [], requests: [], notice: "nothing" }), c),
  "company-apps-member": (c) =>
    companyAppsPage(
      companyApps({ admin: false, requests: [], apps: [aCompanyApp(), aCompanyApp({ mine: "stopped" })] }),
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
        },
      }),
      c,
    ),
  "company-members-wrong": (c) =>
    companyMembersPage(companyMembers({ addressee: "not an address", problem: "addressee", notice: "lastAdmin" }), c),
  "company-members-many": (c) =>
    companyMembersPage(companyMembers({ problem: "tooMany", first: true, members: aFullPage() }), c),
  "company-history": (c) =>
    companyHistoryPage(
      {
        ...frame(),
        entries: (["allowed", "allowedByPolicy", "revoked", "alarm"] as const).map((what, at) => ({
          ...{
            entryId: `e-${at}`,
            at: NOW - at * DAY,
            what,
            app: "Photo Printer",
            by: "ada",
            expiresAt: what === "allowed" ? "once" : undefined,
          },
          ...{ can: what === "allowed" ? [see.description, add.description] : [], takenAway: [] },
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
            { endedBy: "member" },
            { endedBy: "stopped" },
            { endedBy: "approval" },
            "reconnected",
            { member: "joined" },
            { member: "addedAsAdmin" },
            { member: "madeAdmin" },
            { member: "invited" },
            { member: "withdrawn" },
            { rule: "blocked" },
            { rule: "unblocked" },
            { rule: "ask" },
            { rule: "none" },
          ] as const
        ).map((what, at) => ({
          ...{ entryId: `e-${at}`, at: NOW - at * DAY, what, app: "Photo Printer", by: "ada", expiresAt: undefined },
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
        ...{ csrf: "csrf-value", person: ada },
        companies: [
          { name: "Acme Corp", slug: "acme", role: "admin" },
          { name: LONG_NAME, slug: "long", role: "member" },
        ],
      },
      c,
    ),
  "companies-none": (c) => companiesPage({ csrf: "csrf-value", person: ada, companies: [] }, c),
  invitation: (c) => invitationPage({ ...anInvitation(), role: "member", wrongPerson: false }, c),
  "invitation-admin": (c) => invitationPage({ ...anInvitation(), role: "admin", wrongPerson: false }, c),
  "invitation-other": (c) => invitationPage({ ...anInvitation(), role: "member", wrongPerson: true }, c),
};
