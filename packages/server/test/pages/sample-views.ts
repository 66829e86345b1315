/** Valid views of the pages, which tests and states can change. */
import type { HeldPermission } from "../../src/pages/parts/access-ends.ts";
import type {
  AppEntry,
  AppsView,
  ClientCard,
  ConditionView,
  ConsentView,
  DeviceCodeView,
  DeviceFacts,
  DurationChoice,
  HeldErrorView,
  HistoryEntryView,
  HistoryView,
  ProblemView,
  ReceiptView,
  ScopeChoice,
  SignInView,
} from "../../src/pages/views.ts";

/** 14 July 2026, 09:30 UTC: the current time in the gallery. */
export const NOW = Date.UTC(2026, 6, 14, 9, 30);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const ada = { name: "Ada Lovelace", username: "ada" };
export const grace = { username: "grace", name: "Grace Hopper" };
export const longPerson = {
  name: "Wolfeschlegelsteinhausenbergerdorff the Elder of Philadelphia",
  username: "wolfeschlegelsteinhausenbergerdorff.the.elder@mail.example.com",
};

/** 64 characters in words, and 65 characters without a place to break. */
export const LONG_NAME = "The Wonderful Photo Printing and Calendar Company of Northampton";
export const UNBREAKABLE = "Photo".repeat(13);
/** Reverses text, hides letters, stacks accents, and contains markup. */
export const HOSTILE_NAME = `\u202Eretnirp\u202C Ass\u200Bent<script>alert(1)</script>&amp;"'${"\u0301".repeat(40)}\n{{7*7}}`;

export function aClient(change: Partial<ClientCard> = {}): ClientCard {
  return {
    name: "Photo Printer",
    logo: "/logos/photo-printer",
    host: "print.example.com",
    policyUri: "https://print.example.com/privacy",
    tosUri: "https://print.example.com/terms",
    verified: true,
    publisher: "Print House Ltd",
    since: NOW - 400 * DAY,
    people: 100,
    ...change,
  };
}

export function aScope(change: Partial<ScopeChoice> = {}): ScopeChoice {
  return {
    name: "photos:read",
    description: "See your photos and albums",
    api: "Photos",
    required: true,
    sensitive: false,
    checked: true,
    granted: false,
    access: "read",
    duration: null,
    ...change,
  };
}

/** The scope as the owner allowed it before, or not. */
export function grantedBefore(scope: ScopeChoice, granted = true): ScopeChoice {
  if (!granted) return scope;
  return { ...scope, granted, endsAt: scope.name === "profile" ? null : NOW + 7 * DAY };
}

export const form = { csrf: "csrf-value", request: "sealed-request-value" };
export const noRequest = { csrf: "csrf-value", request: null };

export const durations: readonly DurationChoice[] = [
  "once",
  "3600",
  "86400",
  "604800",
  "2592000",
  "7776000",
  "31536000",
  "forever",
].map((value) => ({ value, selected: value === "7776000" }));

export const scopes: readonly ScopeChoice[] = [
  aScope(),
  aScope({ name: "photos:write", description: "Add photos to your albums", required: false, access: "write" }),
  aScope({
    name: "photos:delete",
    description: "Delete photos for good",
    required: false,
    sensitive: true,
    checked: false,
    access: "delete",
  }),
  aScope({ name: "profile", description: "See your name and your picture", api: null, access: null }),
];

/** What the app has beside the scopes above. */
export const notAsked: readonly HeldPermission[] = [
  { text: "See your albums", endsAt: NOW + 40 * DAY },
  { text: "Share your photos", endsAt: NOW + 3 * DAY },
  { text: "See your contacts", endsAt: null },
];

export function aSignIn(change: Partial<SignInView> = {}): SignInView {
  return { form, client: aClient(), username: "", problem: null, again: null, stays: null, passkey: null, ...change };
}

export function aConsent(change: Partial<ConsentView> = {}): ConsentView {
  return {
    ...{ form, client: aClient(), person: ada, scopes, durations, now: NOW, allGranted: false, problem: null },
    onceSeconds: 600,
    ...change,
  };
}

export function aHeldError(change: Partial<HeldErrorView> = {}): HeldErrorView {
  return {
    ...{ csrf: "csrf-value", held: "sealed-error-value", client: aClient({ verified: false, publisher: null }) },
    ...{ denied: false, condition: "scope_unknown", description: "A scope of the request is unknown here." },
    requestId: "Qm9vdHN0cmFw",
    ...change,
  };
}

export const deviceForm = { csrf: "csrf-value", request: null, device: "sealed-device-value" };
export const television = aClient({ name: "Photo TV", logo: null, host: null });

export function deviceFacts(change: Partial<DeviceFacts> = {}): DeviceFacts {
  return {
    userCode: "WDJB-MJHT",
    address: "203.0.113.7",
    sameNetwork: true,
    askedAt: NOW - MINUTE,
    now: NOW,
    ...change,
  };
}

export function aDeviceCode(change: Partial<DeviceCodeView> = {}): DeviceCodeView {
  return { form: noRequest, userCode: "", linked: false, problem: null, ...change };
}

/** The consent page of a device. */
export function aDeviceConsent(change: Partial<ConsentView> = {}): ConsentView {
  return aConsent({ form: deviceForm, client: television, device: deviceFacts(), ...change });
}

export function anElsewhere(change: Partial<DeviceFacts> = {}) {
  return { form: deviceForm, client: television, device: deviceFacts({ sameNetwork: false, ...change }) };
}

export function manyScopes(): readonly ScopeChoice[] {
  const apis = ["Photos", "Calendar", "Contacts", "Company directory and address book of the northern region", null];
  const verbs = ["See", "Change", "Delete", "Share with others", "Export"];
  return Array.from({ length: 40 }, (_, index) =>
    aScope({
      name: `scope:${index}`,
      description: `${verbs[index % 5]} ${index % 7 === 0 ? "everything that you and people whom you invited have put into folder" : "folder"} ${index + 1}`,
      api: apis[Math.floor(index / 8)] ?? null,
      required: index % 3 === 0,
      access: (["read", "write", "delete", "write", "read"] as const)[index % 5] ?? null,
      sensitive: index % 5 === 2,
    }),
  );
}

export function anApp(change: Partial<AppEntry> = {}): AppEntry {
  return {
    clientId: "photo-printer",
    name: "Photo Printer",
    logo: "/logos/photo-printer",
    hosts: ["print.example.com"],
    scopes: [
      { name: "photos:read", description: "See your photos and albums", expiresAt: NOW + 80 * DAY, removable: false },
      { name: "photos:write", description: "Add photos to your albums", expiresAt: NOW + 80 * DAY, removable: true },
      { name: "profile", description: "See your name and your picture", expiresAt: NOW + 5 * DAY, removable: true },
    ],
    pausedAt: null,
    grantedAt: NOW - 10 * DAY,
    lastUsedAt: NOW - 2 * HOUR,
    usedFrom: "203.0.113.x",
    usedSince: false,
    through: [],
    stopsIn: 10,
    byRules: false,
    formerName: null,
    openUntil: null,
    removedUntil: null,
    idleScopes: false,
    expiresAt: NOW + 80 * DAY,
    durations: ["86400", "7776000", "forever"],
    theftAt: null,
    declined: [],
    next: null,
    off: false,
    ...change,
  };
}

export function anAppsView(change: Partial<AppsView> = {}): AppsView {
  return {
    csrf: "csrf-value",
    person: ada,
    apps: fewApps,
    forCompanies: [],
    ended: [],
    holds: true,
    total: (change.apps ?? fewApps).length,
    halted: 0,
    query: "",
    now: NOW,
    notice: null,
    ...change,
  };
}

export const fewDeclined: AppEntry["declined"] = [
  { description: "Delete photos for good", hosts: [] },
  { description: "Change your photos", hosts: ["printer.example.org"] },
];

export const fewApps: readonly AppEntry[] = [
  anApp(),
  anApp({
    clientId: "calendar",
    name: "Calendar Sync",
    logo: null,
    hosts: ["127.0.0.1"],
    scopes: [{ name: "calendar", description: "See your calendar", expiresAt: null, removable: true }],
    grantedAt: NOW - 400 * DAY,
    lastUsedAt: null,
    usedFrom: null,
    stopsIn: 0,
    expiresAt: null,
  }),
  anApp({
    clientId: "backup",
    name: "Backup for Teams",
    logo: null,
    hosts: ["backup.example.net"],
    scopes: Array.from({ length: 12 }, (_, index) => ({
      name: `folder:${index}`,
      description: `Read folder ${index + 1}`,
      expiresAt: null,
      removable: index > 0,
      usedAt: index < 3 ? NOW - DAY : null,
    })),
    idleScopes: true,
    grantedAt: NOW - 3 * MINUTE,
    lastUsedAt: NOW - 5_000,
    usedSince: true,
    through: [
      { name: "Calendar agent", lastUsedAt: NOW - 5 * MINUTE },
      { name: LONG_NAME, lastUsedAt: NOW - 3 * DAY },
    ],
    expiresAt: null,
    theftAt: NOW - DAY,
  }),
];

/** A member of two companies: some apps connect without a question, and one asks. */
export const appsForWhom: AppsView = anAppsView({
  notice: { kind: "asks_for_whom", app: "Calendar Sync" },
  apps: [
    anApp({ next: { kind: "self" } }),
    anApp({ ...fewApps[1], next: { kind: "several", self: true, companies: ["Analytical Engines", LONG_NAME] } }),
    anApp({ ...fewApps[2], next: { kind: "company", company: "Analytical Engines" } }),
  ],
  forCompanies: [
    {
      ...{ clientId: "ledger", name: LONG_NAME, logo: null, next: { kind: "company", company: LONG_NAME } },
      companies: [{ name: LONG_NAME, slug: "long" }],
    },
    {
      ...{ clientId: "rota", name: "Rota", logo: null, next: { kind: "asks" } },
      companies: [
        { name: "Analytical Engines", slug: "engines" },
        { name: "Print House Ltd", slug: "print" },
      ],
    },
  ],
});

export function manyApps(count: number): readonly AppEntry[] {
  return Array.from({ length: count }, (_, index) =>
    anApp({
      clientId: `app-${index}`,
      name: index % 6 === 5 ? LONG_NAME : `${["Photo", "Mail", "Task", "Music", "Map"][index % 5]} app ${index + 1}`,
      logo: index % 3 === 0 ? "/logos/photo-printer" : null,
      hosts: index % 4 === 3 ? [] : [`app${index + 1}.example.com`],
      lastUsedAt: NOW - (index > 25 ? 100 * DAY : index * 7 * HOUR),
    }),
  );
}

export function aProblem(change: Partial<ProblemView> = {}): ProblemView {
  return {
    status: 400,
    title: "This app’s link isn’t safe",
    text: "The app asked to send you to an address that it hasn’t registered, so we stopped. Nothing was shared. Tell the app’s developer.",
    condition: "redirect_uri_mismatch",
    requestId: "01K0MZ3V5Q9W8R7T6Y5U4I3O2P",
    door: { href: "/account/apps", label: "Go to your apps" },
    ...change,
  };
}

export function aCondition(change: Partial<ConditionView> = {}): ConditionView {
  return {
    name: "redirect_uri_mismatch",
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1.2.4",
    description: "redirect_uri is missing or not registered for the client.",
    help: [
      "The server compares the address character by character: scheme, host, port, path, trailing slash and query must be those of the registration.",
      "Register it with: assent client update CLIENT_ID --add-redirect-uri URI.",
    ],
    others: ["client_id_unknown", "code_challenge_missing", "code_challenge_method_unsupported", "parameter_repeated"],
    ...change,
  };
}

export function anEntry(change: Partial<HistoryEntryView> = {}): HistoryEntryView {
  return {
    entryId: "AAAAAAAAAAAAAAAAAAAAAA",
    at: NOW - 3 * DAY,
    what: "allowed",
    app: "Photo Printer",
    can: [
      { text: "See your photos and albums", end: NOW + 87 * DAY },
      { text: "Add photos to your albums", end: NOW + 87 * DAY },
    ],
    takenAway: [],
    ...change,
  };
}

export const events: readonly HistoryEntryView[] = [
  anEntry({
    what: "revoked",
    at: NOW - MINUTE,
    can: [],
    takenAway: ["See your calendar"],
    app: "Calendar Sync",
  }),
  anEntry({ what: "alarm", at: NOW - HOUR, can: [], app: "Backup for Teams" }),
  anEntry({
    what: "narrowed",
    at: NOW - DAY,
    can: [{ text: "See your photos and albums", end: NOW + 86 * DAY }],
    takenAway: ["Add photos to your albums"],
  }),
  anEntry({ what: "endChanged", at: NOW - 2 * DAY, can: [{ text: "See your photos and albums", end: null }] }),
  anEntry({
    can: [
      { text: "See your photos and albums", end: NOW + 87 * DAY },
      { text: "Add photos to your albums", end: NOW + 4 * DAY },
      { text: "See your name and your picture", end: NOW + 87 * DAY },
      { text: "See your calendar", end: null },
    ],
  }),
  anEntry({ what: "refused", at: NOW - 4 * DAY, can: [], refused: ["See your contacts"], app: "Quiz Time" }),
  anEntry({ what: "refused", at: NOW - 4.5 * DAY, paused: true, refused: ["See your contacts"] }),
  anEntry({ what: "reconnected", at: NOW - 5 * DAY }),
  anEntry({ what: "vouched", at: NOW - 5 * DAY, can: [], app: "Wiki", through: "https://as.chat.example" }),
  anEntry({ what: "delegated", at: NOW - 6 * DAY, can: [], app: "Calendar agent", through: "Assistant" }),
  anEntry({ what: { account: "enabled" }, at: NOW - 20 * DAY, can: [], app: "Acme Directory" }),
  anEntry({ what: { account: "disabled" }, at: NOW - 22 * DAY, can: [], app: "Acme Directory" }),
  anEntry({ what: "allowedByDevice", at: NOW - 40 * DAY, app: "Photo TV" }),
  anEntry({ what: "allowedByPassword", at: NOW - 50 * DAY, app: "Old Mail" }),
  anEntry({ what: "allowedByPolicy", at: NOW - 60 * DAY, app: "Payroll" }),
  anEntry({ what: "givenUp", at: NOW - 70 * DAY, can: [], app: "Old Mail" }),
  anEntry({ what: "revokedByOther", at: NOW - 400 * DAY, can: [], app: LONG_NAME }),
];

const causes = [
  "password",
  "account",
  "leaving",
  "app",
  "company",
  "member",
  "member_left",
  "member_password",
  "member_leaving",
  "member_recent",
  "stopped",
  "crowded",
  "recent",
  "upstream",
  "restore",
] as const;
/** The other causes for the end of an app's access, and what other systems and the operator did to the account. */
export const endings: readonly HistoryEntryView[] = [
  ...causes.map((endedBy, at) => anEntry({ what: { endedBy }, at: NOW - at * HOUR, can: [] })),
  ...(["signedOut", "enabledByOperator"] as const).map((account) =>
    anEntry({ what: { account }, at: NOW - 20 * HOUR, can: [], app: LONG_NAME }),
  ),
];

export function aHistory(change: Partial<HistoryView> = {}): HistoryView {
  return {
    csrf: "csrf-value",
    person: ada,
    entries: events,
    now: NOW,
    older: null,
    first: true,
    inCompany: true,
    ...change,
  };
}

export function aReceipt(change: Partial<ReceiptView> = {}): ReceiptView {
  return {
    ...{
      what: "allowed",
      app: { clientId: "photo-printer", name: "Photo Printer" },
      system: null,
      account: "AbCdEfGhIjKlMnOpQrStUv",
    },
    ...{ by: "owner", member: null, via: "browser", takenAway: [], refused: [] },
    can: [
      { text: "See your photos and albums", end: NOW + 90 * DAY },
      { text: "Add photos to your albums", end: NOW + 90 * DAY },
      { text: "See your name and e-mail address", end: null },
    ],
    ...{ hosts: ["print.example.com"], at: NOW - 3 * DAY, made: NOW - HOUR },
    ...change,
  };
}

export const hostile = { name: HOSTILE_NAME, username: HOSTILE_NAME };
