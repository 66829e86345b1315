/** `/account/apps`: what an owner allowed, what became of it, and taking it back. */

import { neverAsks, sooner } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Millis } from "../../oauth/model.ts";
import { consentHosts, redirectHost } from "../../oauth/redirect-uri.ts";
import {
  type AllowedApp,
  type AllowedScope,
  allowedApps,
  type EndedApp,
  endedApps,
} from "../../owners/apps/allowed-apps.ts";
import {
  type AppChanged,
  changeAppEnd,
  letAppAskAgain,
  narrowApp as narrowAllowed,
  recentChange,
  revokeApp as revokeAllowed,
} from "../../owners/apps/change-app.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { lostTokensUntil, minutesLeft } from "../../owners/apps/remaining-token-lifetime.ts";
import {
  askForWhom,
  hasForgottenChoice,
  type NextOwners,
  type OwnerChoices,
  ownConsent,
  ownerChoicesOf,
} from "../../owners/apps/remembered-owner-choice.ts";
import type { Person } from "../../owners/person.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import { appsPage } from "../../pages/index.ts";
import type { AppEntry, AppsView, CompanyAppEntry, NextOwner } from "../../pages/views.ts";
import { coarse } from "../connections/client-address.ts";
import { formToken } from "../form-token.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { formerNameOf, logoPath, nameOf, signedInAs } from "./client-and-person-views.ts";
import { type AccountTools, signedIn } from "./require-sign-in.ts";

const MAX_QUERY = 100;

interface AppsTools extends AccountTools {
  readonly apps: AppsContext;
}

export const showApps = signedIn(async ({ person, session, http, visitor }, tools: AppsTools) => {
  const asked = new URLSearchParams(http.query);
  const query = (asked.get("q") ?? "").trim().slice(0, MAX_QUERY);
  const chrome = tools.chrome(http);
  const { language } = chrome.words;
  const [allowed, choices] = await Promise.all([allowedApps(person, tools.apps), ownerChoicesOf(person, tools.apps)]);
  const access = await endedAccess(await endedApps(person, allowed, tools.apps), language, tools);
  // After the ends of tokens were computed: an earlier time would add a minute to them.
  const now = tools.now();
  const all = allowed.map((app) =>
    entryOf(app, choices?.of(app.consent.clientId, app.consent, app.client), language, { now, person }),
  );
  const forCompanies = await companyEntries(choices, { person, all }, language, tools);
  const view: AppsView = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    apps: query === "" ? all : all.filter((app) => fits(app, query)),
    forCompanies: query === "" ? forCompanies : [],
    ...access,
    holds: access.ended.length > 0 || access.restored !== undefined || all.some(({ stopsIn }) => stopsIn > 0),
    total: all.length,
    halted: all.filter(({ pausedAt, off }) => pausedAt !== null || off).length,
    query,
    now,
    notice:
      (await noticeOf(asked.get("done"), person, tools)) ??
      (await stateNotice(asked, [...all, ...forCompanies], person, tools)),
  };
  return page(200, appsPage(view, chrome), "here", visitor.cookies);
});

/** Finds by name or host, without differences of case and of the spelling of accents. */
function fits({ name, hosts }: AppEntry, query: string): boolean {
  const plain = (text: string) => text.normalize("NFKC").toLocaleLowerCase();
  return [name, ...hosts].some((text) => plain(text).includes(plain(query)));
}

async function noticeOf(done: string | null, person: Person, { apps }: AppsTools): Promise<AppsView["notice"]> {
  if (done === null) return null;
  if (done === "gone") return { kind: "gone" };
  const change = await recentChange(person, done, apps);
  if (change === undefined) return null;
  const { app, heldUntil } = change;
  const { kind, record, entryId } = change.entry;
  if (kind === "end_changed") {
    return {
      kind,
      app,
      endsAt: endBeforeDeletion(record.expiresAt, person),
      openUntil: heldUntil,
      paused: record.paused === true,
      entryId,
    };
  }
  if (kind === "narrowed") return { kind, app, openUntil: heldUntil, entryId };
  if (kind !== "revoked") return null;
  const client = await apps.oauth.catalog.client(change.entry.clientId);
  return { kind, app, openUntil: heldUntil, entryId, neverAsks: neverAsks(client) };
}

/** Says what the present state of an app shows to be true, so that no link can make it up. */
async function stateNotice(
  asked: URLSearchParams,
  apps: readonly (AppEntry | CompanyAppEntry)[],
  person: Person,
  tools: AppsTools,
): Promise<AppsView["notice"]> {
  const named = asked.get("app") ?? "";
  const app = apps.find(({ clientId }) => clientId === named);
  const done = asked.get("done");
  if (done === "asks_for_whom") {
    // An app without access of its own, and without any for a company, is not on the page any more.
    const asks = app === undefined ? await hasForgottenChoice(person, named, tools.apps) : app.next?.kind === "asks";
    return asks ? { kind: done, app: app?.name ?? null } : null;
  }
  if (done !== "asks_again" || app === undefined || !("declined" in app) || app.declined.length > 0) return null;
  return { kind: done, app: app.name };
}

/** The apps that the person allowed for companies alone. */
async function companyEntries(
  choices: OwnerChoices | undefined,
  { person, all }: { readonly person: Person; readonly all: readonly AppEntry[] },
  language: string,
  { apps }: AppsTools,
): Promise<readonly CompanyAppEntry[]> {
  const others = [...(choices?.forCompanies ?? [])].filter(([id]) => !all.some(({ clientId }) => clientId === id));
  const found = await Promise.all(
    others.map(async ([clientId, companies]) => {
      const client = await apps.oauth.catalog.client(clientId);
      if (client === undefined) return [];
      // The person's own answer can be the last one, although its time is over.
      const consent = await ownConsent(person, clientId, apps);
      const next = nextOf(choices?.of(clientId, consent, client) ?? { self: false, companies, asks: false });
      const entry = { clientId, name: nameOf(client, language), logo: logoPath(client) };
      return [{ ...entry, companies: companies.map(linked), next: neverAsks(client) ? null : next }];
    }),
  );
  return found.flat().sort((a, b) => a.name.localeCompare(b.name, language));
}

function linked({ name, slug }: { readonly name: string; readonly slug: string }) {
  return { name, slug };
}

/** For whom an app acts next time. With several owners, it asks if the answers of more than one cover the request. */
function nextOf({ self, companies, asks }: NextOwners): NextOwner {
  const [company] = companies;
  const count = companies.length + (self ? 1 : 0);
  if (count === 0 || asks) return { kind: "asks" };
  if (count > 1) return { kind: "several", self, companies: companies.map(({ name }) => name) };
  return company === undefined ? { kind: "self" } : { kind: "company", company: company.name };
}

/** As `AppEntry.next`. An app that can't ask acts for the person alone, unless they pause it. */
function nextOfApp({ consent, client }: AllowedApp, next: NextOwners | undefined): NextOwner | null {
  if (next === undefined || client?.status !== "active") return null;
  if (!neverAsks(client)) return nextOf(next);
  return consent.via === "operator policy" && consent.pausedAt === null ? { kind: "self" } : null;
}

/** Redirects to the page, which shows the result: if it is loaded again, nothing is repeated. */
function told(changed: AppChanged, { issuer }: AppsTools): Answer {
  const path = `${issuer}/account/apps`;
  const to = (query: Record<string, string>) => redirect(303, `${path}?${new URLSearchParams(query)}`);
  switch (changed.kind) {
    case "unchanged":
      return redirect(303, path);
    case "gone":
      return to({ done: "gone" });
    case "changed":
      return to({ done: changed.entryId });
    default:
      return to({ done: changed.kind, app: changed.clientId });
  }
}

export const revokeApp = signedIn(async (account, tools: AppsTools) => {
  const clientId = formOf(account.http).get("client_id") ?? "";
  return told(await revokeAllowed(account, clientId, tools.apps), tools);
});

export const narrowApp = signedIn(async (account, tools: AppsTools) => {
  const form = formOf(account.http);
  const keep = new Set(form.getAll("keep"));
  return told(await narrowAllowed(account, form.get("client_id") ?? "", keep, tools.apps), tools);
});

export const endApp = signedIn(async (account, tools: AppsTools) => {
  const form = formOf(account.http);
  return told(await changeAppEnd(account, form.get("client_id") ?? "", form.get("duration"), tools.apps), tools);
});

export const askAgain = signedIn(async (account, tools: AppsTools) => {
  const clientId = formOf(account.http).get("client_id") ?? "";
  return told(await letAppAskAgain(account, clientId, tools.apps), tools);
});

export const askNextTime = signedIn(async (account, tools: AppsTools) => {
  const clientId = formOf(account.http).get("client_id") ?? "";
  return told(await askForWhom(account, clientId, tools.apps), tools);
});

/** The end of access to a person's account. A deletion of the account that is pending ends all access. */
export function endBeforeDeletion(end: Millis | null, { deleteAt = null }: Pick<Person, "deleteAt">): Millis | null {
  return sooner(end, deleteAt);
}

function entryOf(
  app: AllowedApp,
  next: NextOwners | undefined,
  language: string,
  { now, person }: { readonly now: Millis; readonly person: Person },
): AppEntry {
  const { consent, client, lastUsedAt, usedFrom, usedSince, idleScopes, theftAt } = app;
  return {
    clientId: consent.clientId,
    name: client === undefined ? consent.shown.clientName : nameOf(client, language),
    logo: client === undefined ? null : logoPath(client),
    ...hostsWithEnds(consent, client, { now, owner: person }),
    scopes: app.scopes.map((scope) => ({
      ...scopeEntry(scope, language),
      expiresAt: endBeforeDeletion(scope.expiresAt, person),
    })),
    pausedAt: consent.pausedAt,
    grantedAt: consent.createdAt,
    byRules: consent.via === "operator policy",
    formerName: formerNameOf(consent, client),
    lastUsedAt,
    usedFrom: coarse(usedFrom?.replace(/\/\d+$/, "") ?? null),
    usedSince,
    through: app.through.map(({ actorName, lastUsedAt: at }) => ({ name: actorName, lastUsedAt: at })),
    stopsIn: minutesLeft(app.heldUntil, now),
    idleScopes,
    expiresAt: endBeforeDeletion(app.expiresAt, person),
    openUntil: app.openUntil ?? null,
    removedUntil: app.removedUntil ?? null,
    durations: app.durations.map(String),
    declined: app.declined.map(({ name, scope, hosts }) => ({
      description: scope === undefined ? name : descriptionOf(scope, language),
      hosts: [...new Set(hosts.map(redirectHost))],
    })),
    next: nextOfApp(app, next),
    neverAsks: neverAsks(client),
    off: client?.status !== "active",
    theftAt,
  };
}

/** What a page says about access that has ended, with the restore that made the database forget some. */
export async function endedAccess(
  ended: readonly EndedApp[],
  language: string,
  { apps }: Pick<AppsTools, "apps">,
): Promise<Pick<AppsView, "ended" | "restored">> {
  const until = await lostTokensUntil(apps);
  return {
    ended: ended.map((app) => endedEntry(app, language)),
    ...(until === undefined ? {} : { restored: { at: apps.oauth.restoredAt, until } }),
  };
}

export function endedEntry({ consent, client, heldUntil }: EndedApp, language: string): AppsView["ended"][number] {
  return { name: client === undefined ? consent.shown.clientName : nameOf(client, language), until: heldUntil };
}

function scopeEntry(
  { name, scope, gone, endStays, usedAt }: AllowedScope,
  language: string,
): Omit<AppEntry["scopes"][number], "expiresAt"> {
  const description = scope === undefined ? name : descriptionOf(scope, language);
  return { name, description, removable: true, usedAt, gone, endStays };
}

/** `owner`: a company's apps have no account that can be deleted. */
export interface OwnerNow {
  readonly now: Millis;
  readonly owner: Pick<Person, "deleteAt">;
}

/**
 * The hosts that can still get something by the consent, in plain text, and the ends of those that end sooner than others, or
 * than the owner's account.
 */
export function hostsWithEnds(
  consent: Consent,
  client: Client | undefined,
  { now, owner }: OwnerNow,
): Required<Pick<AppEntry, "hosts" | "hostEnds">> {
  const ends = endsByHost(consent, client, now);
  const last = Math.min(owner.deleteAt ?? Number.POSITIVE_INFINITY, Math.max(...ends.values()));
  return { hosts: [...ends.keys()], hostEnds: Object.fromEntries([...ends].filter(([, end]) => end < last)) };
}

/** The latest end of access at each host. Infinity: until revoked. */
function endsByHost({ scopes }: Consent, client: Client | undefined, now: number): ReadonlyMap<string, number> {
  const earlier = consentHosts(client?.earlierRedirectUris ?? []);
  const ends = new Map<string, number>();
  for (const { hosts, hostEnds, expiresAt } of scopes)
    for (const host of hosts ?? earlier) {
      const end = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, hostEnds?.[host] ?? Number.POSITIVE_INFINITY);
      const name = redirectHost(host);
      if (end > now) ends.set(name, Math.max(end, ends.get(name) ?? 0));
    }
  return ends;
}
