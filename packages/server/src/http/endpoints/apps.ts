/** `/account/apps`: what an owner allowed, what became of it, and taking it back. */

import { ceilingOf, underCeiling } from "../../oauth/consent-reach.ts";
import type { Client, Consent, Grant, GrantedScope, Millis } from "../../oauth/model.ts";
import { consentHosts, redirectHost } from "../../oauth/redirect-uri.ts";
import { durationsFor } from "../../owners/authorization/answer.ts";
import { readDuration } from "../../owners/consent.ts";
import { againByRules, consentUnder, endOf, latestOf } from "../../owners/consent-record.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentWithGrants, HistoryEntry, Person, ScopeUse } from "../../owners/storage.ts";
import { appsPage } from "../../pages/index.ts";
import type { AppEntry, AppsView, DoneNotice } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { coarse } from "../connections/client-address.ts";
import { formToken } from "../forms.ts";
import { type Answer, formOf, page, redirect } from "../message.ts";
import { type Account, signedIn } from "./account.ts";
import { logoPath, nameOf, signedInAs } from "./cards.ts";
import { minutesLeft, outstanding } from "./token-expiry.ts";

const DAY: Millis = 86_400_000;
/** An app has had the time to use what it may. */
const SETTLED: Millis = 7 * DAY;
/** For so long the page tells of what was done, should it be loaded again. */
const TOLD: Millis = DAY;
const MAX_QUERY = 100;

export const showApps = signedIn(async ({ person, session, http, visitor }, assent) => {
  const asked = new URLSearchParams(http.query);
  const query = (asked.get("q") ?? "").trim().slice(0, MAX_QUERY);
  const chrome = assent.chrome(http);
  const all = await entries(person, chrome.words.language, assent);
  const view: AppsView = {
    csrf: formToken(assent.secrets, `session:${session.sessionId}`),
    person: signedInAs(person),
    apps: query === "" ? all : all.filter((app) => fits(app, query)),
    total: all.length,
    query,
    now: assent.now(),
    notice: await noticeOf(asked.get("done"), person, assent),
  };
  return page(200, appsPage(view, chrome), "here", visitor.cookies);
});

/** By name or host, whatever the case and the way that accents are written. */
function fits({ name, hosts }: AppEntry, query: string): boolean {
  const plain = (text: string) => text.normalize("NFKC").toLocaleLowerCase();
  return [name, ...hosts].some((text) => plain(text).includes(plain(query)));
}

/** What was done, as it stands now: told from the history, so that no link can make it up. */
async function noticeOf(done: string | null, person: Person, assent: Assent): Promise<AppsView["notice"]> {
  if (done === null) return null;
  if (done === "gone") return { kind: "gone" };
  const entry = await assent.storage.history.get({ ownerId: person.personId, entryId: done });
  return entry === undefined || entry.at < assent.now() - TOLD ? null : toldOf(entry, assent);
}

async function toldOf(entry: HistoryEntry, assent: Assent): Promise<DoneNotice | null> {
  const { entryId, kind, at, record, clientId, partition, ownerId } = entry;
  const app = (await assent.oauth.catalog.client(clientId))?.name ?? record.clientName ?? clientId;
  if (kind === "end_changed") return { kind, app, endsAt: record.expiresAt, entryId };
  if (kind !== "revoked" && kind !== "narrowed") return null;
  const change = kind === "revoked" ? "ended" : "narrowed";
  const held = await outstanding({ partition, ownerId }, at, change, assent);
  return { kind, app, openUntil: held.get(clientId) ?? null, entryId };
}

/** Back to the page, which tells of it: loading that again repeats nothing. */
function told(assent: Assent, done: string): Answer {
  return redirect(303, `${assent.issuer}/account/apps?done=${encodeURIComponent(done)}`);
}

function keyOf({ person, session, http }: Account) {
  const clientId = formOf(http).get("client_id") ?? "";
  return { partition: person.partition, ownerId: person.personId, clientId, sessionId: session.sessionId };
}

export const revokeApp = signedIn(async (account, assent) => {
  const key = keyOf(account);
  const outcome = await assent.storage.consents.revoke({
    ...key,
    revokedBy: account.person.personId,
    now: assent.now(),
  });
  if (outcome.kind === "unknown") return told(assent, "gone");
  assent.event("consent_revoked", { owner: key.ownerId, client_id: key.clientId, grants_ended: outcome.grantsEnded });
  return told(assent, outcome.entryId);
});

export const narrowApp = signedIn(async (account, assent) => {
  const { person, http } = account;
  const key = keyOf(account);
  const keep = new Set(formOf(http).getAll("keep"));
  const entry = (await entries(person, "en", assent)).find(({ clientId }) => clientId === key.clientId);
  const remove = (entry?.scopes ?? []).map(({ name }) => name).filter((name) => !keep.has(name));
  if (entry === undefined) return told(assent, "gone");
  if (remove.length === 0) return redirect(303, `${assent.issuer}/account/apps`);
  const outcome = await assent.storage.consents.narrow({ ...key, remove, by: person.personId, now: assent.now() });
  if (outcome.kind === "unknown") return told(assent, "gone");
  assent.event("consent_narrowed", { owner: key.ownerId, client_id: key.clientId, removed: remove.join(" ") });
  return told(assent, outcome.entryId);
});

export const endApp = signedIn(async (account, assent) => {
  const key = keyOf(account);
  const now = assent.now();
  const client = await assent.oauth.catalog.client(key.clientId);
  if (client === undefined) return told(assent, "gone");
  const duration = readDuration(
    formOf(account.http).get("duration") ?? undefined,
    durationsFor(client, assent.authorization),
  );
  if (duration === undefined || duration === "once") return redirect(303, `${assent.issuer}/account/apps`);
  const end = endOf(duration, now, now);
  const ceiling = ceilingOf(client, assent.oauth.policy);
  const outcome = await assent.storage.consents.changeEnd({ ...key, end, ceiling, by: key.ownerId, now });
  if (outcome.kind === "unknown") return told(assent, "gone");
  assent.event("consent_end_changed", { owner: key.ownerId, client_id: key.clientId });
  return told(assent, outcome.entryId);
});

async function entries(person: Person, language: string, assent: Assent): Promise<AppEntry[]> {
  const place = { partition: person.partition, ownerId: person.personId };
  const now = assent.now();
  const [consents, uses, held] = await Promise.all([
    assent.storage.consents.list({ ...place, now }),
    assent.storage.scopeUses.list(place),
    outstanding(place, now, "ended", assent),
  ]);
  const usesOf = Map.groupBy(uses, ({ clientId }) => clientId);
  const all = await Promise.all(
    consents.map(async (one) => {
      const { clientId } = one.consent;
      const stopsIn = minutesLeft(held.get(clientId), now);
      return { ...(await entryOf(one, usesOf.get(clientId) ?? [], language, assent)), stopsIn };
    }),
  );
  // The database knows nothing of the ceiling: what is over by it alone is still among them.
  return all.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
}

async function entryOf(
  stored: ConsentWithGrants,
  uses: readonly ScopeUse[],
  language: string,
  assent: Assent,
): Promise<Omit<AppEntry, "stopsIn">> {
  const now = assent.now();
  const client = await assent.oauth.catalog.client(stored.consent.clientId);
  const ceiling = client === undefined ? null : ceilingOf(client, assent.oauth.policy);
  const consent = consentUnder(stored.consent, ceiling);
  const grants = stored.grants.map((grant) => underCeiling(grant, ceiling));
  const known = await assent.oauth.catalog.scopes();
  const live = grants.filter(({ status, absoluteUntil }) => status === "active" && absoluteUntil > now);
  const again = againByRules(consent).map((name) => ({ name, expiresAt: consent.expiresAt }));
  const ends = endsByScope([...again, ...live.flatMap(({ scopes }) => scopes), ...consent.scopes]);
  const lastUsed = newest(grants);
  const lastUsedAt = latest([consent.lastUsedAt, lastUsed?.lastUsedAt ?? null]);
  const thefts = grants.filter(({ status }) => status === "theft" || status === "replayed");
  const usedAt = usesByScope([...ends.keys()], live, uses);
  const settled = consent.createdAt < now - SETTLED;
  return {
    clientId: consent.clientId,
    name: client === undefined ? consent.shown.clientName : nameOf(client, language),
    logo: client === undefined ? null : logoPath(client),
    hosts: hostsOf(consent, client),
    scopes: [...ends].map(([name, expiresAt]) => {
      const scope = known.get(name);
      const description = scope === undefined ? name : descriptionOf(scope, language);
      return { name, description, expiresAt, removable: true, usedAt: settled ? usedAt?.get(name) : undefined };
    }),
    grantedAt: consent.createdAt,
    byRules: consent.via === "operator policy",
    lastUsedAt,
    usedFrom: coarse(lastUsed?.usedFrom?.replace(/\/\d+$/, "") ?? null),
    idleScopes: settled && usedAt !== undefined && [...usedAt.values()].includes(null),
    expiresAt: latestOf([consent.expiresAt, ...live.map(({ scopes }) => scopes).flatMap(endsOf)]) ?? null,
    durations: client === undefined ? [] : lastingDurations(client, assent),
    off: client?.status !== "active",
    theftAt: latest(thefts.map(({ endedAt }) => endedAt)),
  };
}

function endsOf(scopes: readonly GrantedScope[]): readonly (Millis | null)[] {
  return scopes.map(({ expiresAt }) => expiresAt);
}

/** The latest end of each scope, by its name. */
function endsByScope(scopes: readonly GrantedScope[]): ReadonlyMap<string, Millis | null> {
  const byName = Map.groupBy(scopes, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, latestOf(endsOf(all)) ?? null]));
}

/** Lengths of time that may be chosen anew. */
function lastingDurations(client: Client, assent: Assent): readonly string[] {
  return durationsFor(client, assent.authorization)
    .filter((one) => one !== "once")
    .map(String);
}

/** The hosts that the consent was given for, in plain text. */
function hostsOf({ scopes }: Consent, client: Client | undefined): readonly string[] {
  const earlier = consentHosts(client?.earlierRedirectUris ?? []);
  return [...new Set(scopes.flatMap(({ hosts }) => hosts ?? earlier).map(redirectHost))];
}

/** Undefined: nothing is known of what the app uses. The first token holds everything whatever the app wants, so only refreshes tell. */
function usesByScope(
  scopes: readonly string[],
  live: readonly Grant[],
  uses: readonly ScopeUse[],
): ReadonlyMap<string, Millis | null> | undefined {
  if (uses.length === 0 && live.every(({ wholeUsedAt }) => wholeUsedAt === null)) return undefined;
  const own = new Map(uses.map(({ scope, lastUsedAt }) => [scope, lastUsedAt]));
  return new Map(
    scopes.map((name) => {
      const whole = live.filter((grant) => grant.scopes.some((scope) => scope.name === name));
      return [name, latest([own.get(name) ?? null, ...whole.map(({ wholeUsedAt }) => wholeUsedAt)])];
    }),
  );
}

function newest(grants: readonly Grant[]): Grant | undefined {
  return grants.toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0))[0];
}

function latest(times: readonly (Millis | null)[]): Millis | null {
  return Math.max(0, ...times.map((at) => at ?? 0)) || null;
}
