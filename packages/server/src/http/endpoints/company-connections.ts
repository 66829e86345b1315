/** `/company/{slug}/connections`: an admin connects apps with other services for the company's members. */

import { hashes } from "../../crypto/node-hashes.ts";
import { reachOf, receiversOf } from "../../oauth/consent-reach.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { OPENID } from "../../oauth/openid/scopes.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { hasText } from "../../owners/companies/app-search.ts";
import { memberOf } from "../../owners/companies/company-members.ts";
import {
  connectApp,
  connectionsOf,
  disconnectApp,
  isLive,
  type ListedConnection,
  type Offer,
  offerDetails,
  offerOf,
  offersBeside,
  offersTo,
  offerText,
  ownConnection,
  type Pair,
  stands,
} from "../../owners/companies/connections.ts";
import { scopeWords, serverName } from "../../owners/company-connections.ts";
import { verdictOn } from "../../owners/company-rules.ts";
import type { Acting } from "../../owners/company-storage.ts";
import {
  CONNECTION_NOTICES,
  type ConnectedPair,
  type ConnectionFormView,
  type ConnectionNotice,
  type ConnectionRow,
  type PartOfList,
} from "../../pages/company/connection-views.ts";
import type { AppAtService, ConnectedService } from "../../pages/company/views.ts";
import {
  companyConnectionsPage,
  connectionFormPage,
  findConnectionPage,
  removeConnectionPage,
} from "../../pages/index.ts";
import { type Answer, formOf, page, redirect } from "../http-message.ts";
import { logoPath, nameOf } from "./client-and-person-views.ts";
import { SAME_END } from "./read-rule-form.ts";
import {
  type CompanyTools,
  forAdmins,
  type InCompany,
  idIn,
  noLongerAdmin,
  searchIn,
  timeIn,
  unproved,
} from "./require-membership.ts";

const SHOWN = 20;
/** Seconds: 30 and 90 days, and a year. */
const DURATIONS = [2_592_000, 7_776_000, 31_536_000] as const;
const USUAL = 31_536_000;

function partOf<T>(all: readonly T[], query: string): PartOfList & { readonly items: readonly T[] } {
  const asked = Number(new URLSearchParams(query).get("page") ?? "1");
  const last = Math.max(1, Math.ceil(all.length / SHOWN));
  const number = Number.isInteger(asked) && asked >= 1 ? Math.min(asked, last) : 1;
  return { page: number, more: number < last, items: all.slice((number - 1) * SHOWN, number * SHOWN) };
}

/** The address of the service without its scheme. */
function hostOf(audience: string): string {
  return audience.replace(/^[a-z]+:\/\//, "").replace(/\/$/, "");
}

function looks(
  { clientId, audience }: Pair,
  client: Client | undefined,
  names: { readonly app: string; readonly server: string },
  language: string,
): ConnectedPair {
  const host = client === undefined ? undefined : receiversOf(client)[0];
  return {
    ...{ clientId, audience, server: names.server, serverHost: hostOf(audience) },
    name: client === undefined ? names.app : nameOf(client, language),
    logo: client === undefined ? null : logoPath(client),
    host: host === undefined ? null : redirectHost(host),
    verified: client?.verified ?? false,
  };
}

function looksOf({ client, connection, ...pair }: Offer, language: string): ConnectedPair {
  return looks(pair, client, { app: client.name, server: serverName(connection) }, language);
}

export const showConnections = forAdmins(async (at, tools: CompanyTools) => {
  const { frame, http, visitor, key } = at;
  const done = new URLSearchParams(http.query).get("done");
  const [all, offers] = await Promise.all([connectionsOf(key, tools.companies), offersTo(key, tools.companies)]);
  const { items, ...part } = partOf(all, http.query);
  const view = {
    ...{ ...frame, ...part, notice: null, offered: offers.length > 0 },
    said: CONNECTION_NOTICES.find((one) => one === done) ?? null,
    rows: await Promise.all(items.map((one) => rowOf(one, at, tools))),
  };
  return page(200, companyConnectionsPage(view, tools.chrome(http)), "here", visitor.cookies);
});

async function rowOf(one: ListedConnection, at: InCompany, tools: CompanyTools): Promise<ConnectionRow> {
  const { client, clientName: app, serverName: server, state, scopes, texts, endsAt, made } = one;
  const by = made === undefined ? undefined : await memberOf(at, made.connectedBy, tools.companies);
  return {
    ...looks(one, client, { app, server }, tools.chrome(at.http).words.language),
    ...{ state, endsAt, can: scopeWords(scopes, texts) },
    made: made === undefined ? null : { at: made.connectedAt, by: by?.username ?? null },
  };
}

export const findConnection = forAdmins(async (at, tools: CompanyTools) => {
  const { frame, http, visitor } = at;
  const { language } = tools.chrome(http).words;
  const query = searchIn(http.query);
  const found = (await offersBeside(at, tools.companies))
    .map((offer) => ({ ...looksOf(offer, language), connected: offer.connected }))
    .filter((offer) => hasText(offer.name, query) || hasText(offer.server, query));
  const { items, ...part } = partOf(found, http.query);
  const view = { ...frame, ...part, query, offers: items };
  return page(200, findConnectionPage(view, tools.chrome(http)), "here", visitor.cookies);
});

function pairIn(fields: URLSearchParams): Pair {
  const audience = fields.get("at") ?? "";
  return { clientId: idIn(fields, "app"), audience: audience.length > 1024 ? "" : audience };
}

interface Typed {
  /** Undefined: the form was not sent yet. */
  readonly scopes: readonly string[] | undefined;
  readonly duration: string;
  readonly problem: ConnectionFormView["problem"];
}

export const showConnection = forAdmins(async (at, tools: CompanyTools) => {
  const offer = await offerOf(at, pairIn(new URLSearchParams(at.http.query)), tools.companies);
  if (offer === undefined) return back(at, "gone", tools);
  return formAnswer(at, offer, { scopes: undefined, duration: "", problem: null }, tools);
});

async function formAnswer(at: InCompany, offer: Offer, typed: Typed, tools: CompanyTools): Promise<Answer> {
  const { frame, http, visitor } = at;
  const { connection } = offer;
  const { made, stands, blocked } = await offerDetails(at, offer, tools.companies);
  const scopes = typed.scopes ?? stands?.scopes ?? [];
  const endsNow = stands === undefined || made === undefined ? null : made.endsAt;
  const offered = [...(endsNow === null ? [] : [SAME_END]), ...DURATIONS.map(String)];
  const usual = endsNow === null ? String(USUAL) : SAME_END;
  const chosen = offered.includes(typed.duration) ? typed.duration : usual;
  const texts = scopeWords(connection.scopes, connection.texts);
  const view: ConnectionFormView = {
    ...{ ...frame, ...looksOf(offer, tools.chrome(http).words.language), apis: connection.resources, endsNow },
    scopes: connection.scopes.map((name, index) => ({
      ...{ name, text: texts[index] ?? name },
      checked: scopes.includes(name),
    })),
    durations: offered.map((value) => ({ value, selected: value === chosen })),
    ...{ seen: made?.connectedAt ?? null, offer: markOf(offer), problem: typed.problem },
    blocked,
  };
  const here = { here: `/company/${frame.company.slug}/connections` };
  const status = typed.problem === null ? 200 : 400;
  return page(status, connectionFormPage(view, tools.chrome(http, here)), "here", visitor.cookies);
}

/** Stands for all that the form says about the offer. */
function markOf(offer: Offer): string {
  return Buffer.from(hashes.sha256(offerText(offer))).toString("base64url");
}

export const saveConnection = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const offer = await offerOf(at, pairIn(form), tools.companies);
  if (offer === undefined) return back(at, "gone", tools);
  const seen = timeIn(form, "seen");
  const { connection } = offer;
  const { made, stands } = await offerDetails(at, offer, tools.companies);
  // The admin must have read this offer, and this state of the connection.
  if (form.get("offer") !== markOf(offer) || seen !== (made?.connectedAt ?? null)) return back(at, "changed", tools);
  const asked = form.getAll("scope");
  const scopes = connection.scopes.filter((name) => asked.includes(name));
  const duration = form.get("duration") ?? "";
  const typed = { scopes, duration };
  if (scopes.length === 0) return formAnswer(at, offer, { ...typed, problem: "scopes" }, tools);
  const endsAt = endIn(duration, stands === undefined ? null : (made?.endsAt ?? null), tools.now());
  if (endsAt === undefined) return formAnswer(at, offer, { ...typed, problem: "duration" }, tools);
  const unsure = await unproved(at, "/connections/app", tools);
  if (unsure !== undefined) return unsure;
  const outcome = await connectApp(at, offer, { scopes, endsAt, seen }, tools.companies);
  if (outcome === "not_admin") return noLongerAdmin(at, tools);
  return back(at, outcome === "done" ? (seen === null ? "connected" : "saved") : outcome, tools);
});

/** Undefined: the form names no duration that is offered. */
function endIn(duration: string, present: Millis | null, now: Millis): Millis | undefined {
  if (duration === SAME_END) return present ?? undefined;
  const seconds = DURATIONS.find((one) => String(one) === duration);
  return seconds === undefined ? undefined : now + seconds * 1000;
}

export const confirmRemoveConnection = forAdmins(async (at, tools: CompanyTools) => {
  const { frame, http, visitor } = at;
  const pair = pairIn(new URLSearchParams(http.query));
  const made = await ownConnection(at, pair, tools.companies);
  if (made === undefined) return back(at, "gone", tools);
  const client = await tools.apps.oauth.catalog.client(pair.clientId);
  const { clientName: app, serverName: server } = made.record;
  const shown = looks(pair, client, { app, server }, tools.chrome(http).words.language);
  const view = { ...frame, ...shown, seen: made.connectedAt };
  return page(200, removeConnectionPage(view, tools.chrome(http)), "here", visitor.cookies);
});

export const removeConnection = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const seen = timeIn(form, "seen");
  if (seen === null) return back(at, "gone", tools);
  const outcome = await disconnectApp(at, pairIn(form), seen, tools.companies);
  if (outcome === "not_admin") return noLongerAdmin(at, tools);
  return back(at, outcome === "done" ? "removed" : outcome, tools);
});

function back({ frame, visitor }: InCompany, done: ConnectionNotice, { issuer }: CompanyTools): Answer {
  return redirect(303, `${issuer}/company/${frame.company.slug}/connections?done=${done}`, visitor.cookies);
}

/** The other services in which each app may act for members now, by client id. */
export async function servicesByApp(
  { key }: InCompany,
  tools: CompanyTools,
): Promise<ReadonlyMap<string, readonly ConnectedService[]>> {
  const all = await connectionsOf(key, tools.companies);
  return new Map(
    [...Map.groupBy(all.filter(isLive), ({ clientId }) => clientId)].map(([clientId, some]) => [
      clientId,
      some.map(serviceOf),
    ]),
  );
}

function serviceOf({ audience, serverName: service, scopes, texts, endsAt, made }: ListedConnection): ConnectedService {
  const can = scopeWords(scopes, texts);
  return { name: service, host: hostOf(audience), can, endsAt, byAdmins: made !== undefined };
}

/** The same connections, with those that give this member nothing new because of the company's rule. */
export function coveredServices(
  services: readonly ConnectedService[],
  acting: Acting,
  { client, ceiling, now }: { readonly client: Client; readonly ceiling: Millis | null; readonly now: Millis },
): readonly ConnectedService[] {
  const verdict = verdictOn(acting, [OPENID], reachOf(client, null, ceiling), now);
  if (verdict === "decides" || verdict === "approved") return services;
  return services.map((one) => (one.byAdmins ? { ...one, uncovered: true } : one));
}

/** The services where these apps keep the access that they have there, whatever ends here. */
export async function lastingOf(
  at: InCompany,
  apps: readonly { readonly clientId: string; readonly name: string }[],
  tools: CompanyTools,
): Promise<readonly AppAtService[]> {
  const all = (await connectionsOf(at.key, tools.companies)).filter(stands);
  return apps.flatMap(({ clientId, name }) =>
    all.filter((one) => one.clientId === clientId).map(({ serverName: server }) => ({ app: name, server })),
  );
}
