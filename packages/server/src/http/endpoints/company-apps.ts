/** `/company/{slug}`: the apps of a company, the search for them, members' requests, and the rule for other apps. */

import { ceilingOrNone, reaches, reachOf, receiversOf } from "../../oauth/consent-reach.ts";
import type { Millis } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { outstanding } from "../../owners/apps/remaining-token-lifetime.ts";
import { askForWhom, nextTimeFor } from "../../owners/apps/remembered-owner-choice.ts";
import { findVerified, hasText } from "../../owners/companies/app-search.ts";
import {
  type AppInCompany,
  changeDefaultRule,
  appsOf as companyApps,
  requestsOf as membersRequests,
  optOut,
  ownAccess,
  ownRequests,
  refuseMembersRequest,
  revokeApp,
} from "../../owners/companies/company-apps.ts";
import { approvedScopes } from "../../owners/company-rules.ts";
import { unexpired } from "../../owners/consent-after-decision.ts";
import type {
  CompanyAppsView,
  CompanyAppView,
  CompanyRequestView,
  ConnectedService,
} from "../../pages/company/views.ts";
import { companyAppsPage } from "../../pages/index.ts";
import { type Answer, formOf, page } from "../http-message.ts";
import { logoPath, nameOf } from "./client-and-person-views.ts";
import { described, isGone, requestView, stateOf, withApproved } from "./company-app.ts";
import { coveredServices, servicesByApp } from "./company-connections.ts";
import {
  backTo,
  type CompanyTools,
  forAdmins,
  forMembers,
  type InCompany,
  idIn,
  noLongerAdmin,
  searchIn,
  timeIn,
  unproved,
} from "./require-membership.ts";

export const showCompanyApps = forMembers(async (at, tools: CompanyTools) => {
  const { frame, acting, http, visitor } = at;
  const query = frame.admin ? searchIn(http.query) : "";
  const requests = await requestsOf(at, tools);
  const all = await appsOf(at, requests, tools);
  const view: CompanyAppsView = {
    ...frame,
    ...(await heldNotice(at, tools)),
    ...(await foundBeside(all, query, at, tools)),
    apps: all.filter(({ name }) => hasText(name, query)),
    requests: query === "" ? requests : [],
    query,
    defaultRule: acting.company.defaultRule,
  };
  return page(200, companyAppsPage(view, tools.chrome(http)), "here", visitor.cookies);
});

/** The verified apps that a search finds beside the apps of the company. */
async function foundBeside(
  known: readonly CompanyAppView[],
  query: string,
  { http }: InCompany,
  tools: CompanyTools,
): Promise<Pick<CompanyAppsView, "found" | "more">> {
  if (query === "") return { found: [], more: false };
  const { language } = tools.chrome(http).words;
  const { clients, more } = await findVerified(query, tools.companies);
  const others = clients.filter(({ clientId }) => !known.some((app) => app.clientId === clientId));
  const found = others.map((client) => {
    const [host] = receiversOf(client);
    const { clientId } = client;
    const looks = { logo: logoPath(client), host: host === undefined ? null : redirectHost(host) };
    return { clientId, name: nameOf(client, language), ...looks };
  });
  return { found, more };
}

/** For an app that was just revoked, blocked or stopped: how long its tokens still work. */
async function heldNotice(
  { key, frame, http, person }: InCompany,
  tools: CompanyTools,
): Promise<Pick<CompanyAppsView, "held">> {
  const forAll = frame.admin && (frame.notice === "revoked" || frame.notice === "blocked");
  if (!forAll && frame.notice !== "stopped") return {};
  const client = await tools.apps.oauth.catalog.client(idIn(new URLSearchParams(http.query), "app"));
  if (client === undefined) return {};
  const whose = forAll ? {} : { personId: person.personId };
  const owner = { partition: key.partition, ownerId: key.companyId, ...whose };
  const until = (await outstanding(owner, tools.now(), "ended", tools.apps)).get(client.clientId);
  return until === undefined ? {} : { held: { app: nameOf(client, tools.chrome(http).words.language), until } };
}

async function appsOf(
  at: InCompany,
  requests: readonly CompanyRequestView[],
  tools: CompanyTools,
): Promise<readonly CompanyAppView[]> {
  const { frame } = at;
  const { catalog, policy } = tools.apps.oauth;
  const limit = async (clientId: string) => {
    const client = await catalog.client(clientId);
    return ceilingOrNone(client, policy);
  };
  const connectionsFor = async ({ clientId, rule }: AppInCompany, all: readonly ConnectedService[]) => {
    const client = await catalog.client(clientId);
    if (client === undefined) return all;
    const selected = rule?.selected.includes(at.person.personId) === true;
    const acting = { ...at.acting, rule, selected };
    return coveredServices(all, acting, { client, ceiling: await limit(clientId), now: tools.now() });
  };
  const [apps, services] = await Promise.all([companyApps(at, limit, tools.companies), servicesByApp(at, tools)]);
  // Of an app that was deleted, nothing is left to stop.
  const isThere = await Promise.all(
    apps.map(async ({ clientId, app, rule }) => (app ?? rule ?? (await catalog.client(clientId))) !== undefined),
  );
  const { companyId } = at.acting.company;
  const nextTime = apps.some(({ chosen }) => chosen) ? await nextTimeFor(companyId, at.person, tools.apps) : undefined;
  const views = await Promise.all(
    apps
      .filter((_, at) => isThere[at] === true)
      .map(async (app) => {
        const connections = services.get(app.clientId);
        return {
          ...(await appView(app, requests, at, tools)),
          ...(app.chosen && nextTime ? { nextTime: await nextTime(app.clientId) } : {}),
          ...(connections === undefined ? {} : { connections: await connectionsFor(app, connections) }),
        };
      }),
  );
  return frame.admin
    ? views
    : views.filter(({ mine, chosen, state }) => mine !== null || chosen || state === "allow" || state === "block");
}

async function appView(
  inCompany: AppInCompany,
  requests: readonly CompanyRequestView[],
  { acting, http, person }: InCompany,
  tools: CompanyTools,
): Promise<CompanyAppView> {
  const { language } = tools.chrome(http).words;
  const { clientId, app, rule, mine, chosen } = inCompany;
  const client = await tools.apps.oauth.catalog.client(clientId);
  const known = await tools.apps.oauth.catalog.scopes();
  const ceiling = ceilingOrNone(client, tools.apps.oauth.policy);
  const hosts = client === undefined ? [] : receiversOf(client);
  const { scopes, ...access } = accessOf(inCompany, person.personId, ceiling, tools.now());
  const state = stateOf(rule, acting.company, ceiling, tools.now());
  const allowed = state === "allow" || state === "selected";
  const isNew = (host: string) => client !== undefined && !reaches(rule?.hosts ?? null, reachOf(client, host, ceiling));
  return {
    off: client?.status !== "active",
    ...{ clientId, state, mine, chosen, people: app?.people ?? 0, pausedAt: app?.consent.pausedAt ?? null },
    name: client === undefined ? (app?.consent.shown.clientName ?? clientId) : nameOf(client, language),
    logo: client === undefined ? null : logoPath(client),
    host: hosts[0] === undefined ? null : redirectHost(hosts[0]),
    requests: requests.filter((one) => one.clientId === clientId).length,
    hasNewHosts: allowed && hosts.some(isNew),
    scopes: [...scopes].map(([name, expiresAt]) => ({
      ...described(name, known, language),
      gone: isGone(name, client, known),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })),
    ...access,
  };
}

/**
 * What the app can do for the reader under their own grants, with the times of these. Or else, without times, what they
 * can let it do: under an approval, or under the company's consent what they answered before. Nothing if they stopped it.
 */
function accessOf(
  { app, rule, mine, own, answered }: AppInCompany,
  personId: string,
  ceiling: Millis | null,
  now: Millis,
): Pick<CompanyAppView, "grantedAt" | "lastUsedAt" | "expiresAt"> & {
  /** With the end of each, for the reader's own grants. */
  readonly scopes: ReadonlyMap<string, Millis | null | undefined>;
} {
  const withoutEnds = (names: readonly string[]) => new Map(names.map((name) => [name, undefined]));
  const none = { scopes: withoutEnds([]), grantedAt: null, lastUsedAt: null, expiresAt: null };
  if (mine === "stopped") return none;
  const held = ownAccess(own, ceiling, now);
  if (held !== undefined) {
    const { scopes, since, lastUsedAt, endsAt } = held;
    return { scopes, grantedAt: since, lastUsedAt, expiresAt: endsAt };
  }
  const scopes = approvedScopes(rule, personId, { ceiling }, now);
  if (scopes.length > 0) return { ...none, scopes: withoutEnds(scopes) };
  if (app === undefined) return none;
  const again = unexpired(app.consent, { ceiling }, now).filter(({ name }) => answered.includes(name));
  return { ...none, scopes: withoutEnds(again.map(({ name }) => name)) };
}

async function requestsOf(at: InCompany, tools: CompanyTools): Promise<readonly CompanyRequestView[]> {
  const { language } = tools.chrome(at.http).words;
  const { catalog } = tools.apps.oauth;
  const known = await catalog.scopes();
  if (at.frame.admin) {
    const requests = await membersRequests(at, tools.companies);
    return Promise.all(
      requests.map(async (one) => {
        const client = await catalog.client(one.clientId);
        return withApproved(requestView(one, client, known, language), { ...one, client }, at, tools);
      }),
    );
  }
  const personName = at.person.name;
  const own = await ownRequests(at, tools.companies);
  return Promise.all(
    own.map(async (one) => {
      const client = await catalog.client(one.clientId);
      const view = requestView({ ...one, personName }, client, known, language);
      // A later rule does not change what was refused.
      if (one.status === "refused") return { ...view, refusedAt: one.decidedAt ?? one.askedAt };
      return withApproved(view, { ...one, client }, at, tools);
    }),
  );
}

/** The response to a decision that came too late. */
function overtaken(outcome: "not_admin" | "unknown", at: InCompany, tools: CompanyTools): Answer {
  return outcome === "not_admin" ? noLongerAdmin(at, tools) : backTo(at, "", "gone", tools);
}

export const revokeCompanyApp = forAdmins(async (at, tools: CompanyTools) => {
  const clientId = idIn(formOf(at.http), "client_id");
  const outcome = await revokeApp(at, clientId, tools.companies);
  return outcome === "done" ? backTo(at, "", "revoked", tools, clientId) : overtaken(outcome, at, tools);
});

export const refuseRequest = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const clientId = idIn(form, "client_id");
  const client = await tools.apps.oauth.catalog.client(clientId);
  const ceiling = ceilingOrNone(client, tools.apps.oauth.policy);
  const seen = { clientId, personId: idIn(form, "person_id"), askedAt: timeIn(form, "asked_at"), ceiling };
  const outcome = await refuseMembersRequest(at, seen, tools.companies);
  if (outcome === "changed") return backTo(at, "", "requestChanged", tools);
  return outcome === "done" ? backTo(at, "", "refused", tools) : overtaken(outcome, at, tools);
});

export const setDefaultRule = forAdmins(async (at, tools: CompanyTools) => {
  const named = formOf(at.http).get("rule");
  const defaultRule = (["members", "ask", "block"] as const).find((one) => one === named);
  if (defaultRule === undefined) return backTo(at, "", "nothing", tools);
  const unsure = await unproved(at, "/default", tools);
  if (unsure !== undefined) return unsure;
  const outcome = await changeDefaultRule(at, defaultRule, tools.companies);
  if (outcome === "not_admin") return noLongerAdmin(at, tools);
  return backTo(at, "", "defaults", tools);
});

/** A member keeps an app from acting for them, allows it again, or wants to be asked for whom it acts next time. */
export const setOptOut = forMembers(async (at, tools: CompanyTools): Promise<Answer> => {
  const form = formOf(at.http);
  if (form.get("out") === "ask") {
    const { kind } = await askForWhom(at, idIn(form, "client_id"), tools.apps);
    return backTo(at, "", kind === "asks_for_whom" ? "asksNext" : "gone", tools);
  }
  const out = form.get("out") === "yes";
  const clientId = idIn(form, "client_id");
  const outcome = await optOut(at, clientId, out, tools.companies);
  if (outcome === "unknown") return backTo(at, "", "gone", tools);
  return out ? backTo(at, "", "stopped", tools, clientId) : backTo(at, "", "resumed", tools);
});
