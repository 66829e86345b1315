/** `/company/{slug}`: the apps of a company, and the decisions of its admins and members about them. */

import { cappedEnd, ceilingOf, reaches, reachOf } from "../../oauth/consent-reach.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { consentHosts, redirectHost } from "../../oauth/redirect-uri.ts";
import { outstanding } from "../../owners/apps/token-expiry.ts";
import {
  type AppInCompany,
  changeDefaultRule,
  appsOf as companyApps,
  decideRule,
  requestsOf as membersRequests,
  optOut,
  refuseMembersRequest,
  revokeApp,
} from "../../owners/companies/apps.ts";
import { isInForce } from "../../owners/company.ts";
import type { AppRequest, AppRule } from "../../owners/company-storage.ts";
import { defaultDuration, offeredDurations, readDuration } from "../../owners/consent.ts";
import { consentUnder, endOf } from "../../owners/consent-record.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import type { CompanyAppsView, CompanyAppView, CompanyRequestView, CompanyScope } from "../../pages/company/views.ts";
import { companyAppsPage } from "../../pages/index.ts";
import type { DurationChoice } from "../../pages/views.ts";
import { type Answer, formOf, page } from "../message.ts";
import { logoPath, nameOf } from "./client-and-person-views.ts";
import {
  backTo,
  type CompanyTools,
  forAdmins,
  forMembers,
  type InCompany,
  idIn,
  noLongerAdmin,
  unproved,
} from "./company.ts";
import { confirmDecision } from "./company-confirm.ts";

const YEAR = 31_536_000;

export const showCompanyApps = forMembers(async (at, tools: CompanyTools) => {
  const { frame, acting, http, visitor } = at;
  const view: CompanyAppsView = {
    ...frame,
    ...(await heldNotice(at, tools)),
    apps: await appsOf(at, tools),
    requests: frame.admin ? await requestsOf(at, tools) : [],
    defaultRule: acting.company.defaultRule,
  };
  return page(200, companyAppsPage(view, tools.chrome(http)), "here", visitor.cookies);
});

/** For an app that was just revoked or blocked: how long its tokens still work. */
async function heldNotice(
  { key, frame, http }: InCompany,
  tools: CompanyTools,
): Promise<Pick<CompanyAppsView, "held">> {
  if (!frame.admin || (frame.notice !== "revoked" && frame.notice !== "blocked")) return {};
  const client = await tools.apps.oauth.catalog.client(idIn(new URLSearchParams(http.query), "app"));
  if (client === undefined) return {};
  const owner = { partition: key.partition, ownerId: key.companyId };
  const until = (await outstanding(owner, tools.now(), "ended", tools.apps)).get(client.clientId);
  return until === undefined ? {} : { held: { app: nameOf(client, tools.chrome(http).words.language), until } };
}

/** An approval for all members is never for once. */
function longDurations(
  client: Client,
  { apps: { consentDurations, oauth } }: CompanyTools,
): readonly ConsentDuration[] {
  const durations = consentDurations.filter((one) => one !== "once");
  const most: readonly ConsentDuration[] = durations.length > 0 ? durations : ["forever"];
  return offeredDurations(most, ceilingOf(client, oauth.policy));
}

/** The durations that an admin can choose for an app; a year is preselected. */
function durationChoices(client: Client | undefined, tools: CompanyTools): readonly DurationChoice[] {
  if (client === undefined) return [];
  const durations = longDurations(client, tools);
  const selected = durations.includes(YEAR) ? YEAR : defaultDuration(durations);
  return durations.map((one) => ({ value: String(one), selected: one === selected }));
}

async function appsOf(at: InCompany, tools: CompanyTools): Promise<readonly CompanyAppView[]> {
  const { frame, http } = at;
  const { language } = tools.chrome(http).words;
  const apps = await companyApps(at, tools.companies);
  const views = await Promise.all(apps.map((app) => appView({ ...app, language }, tools)));
  return frame.admin ? views : views.filter((view) => view.mine !== null || view.rule === "allow");
}

interface Known extends AppInCompany {
  /** The language of the page. */
  readonly language: string;
}

async function appView({ clientId, app, rule, mine, language }: Known, tools: CompanyTools): Promise<CompanyAppView> {
  const client = await tools.apps.oauth.catalog.client(clientId);
  const known = await tools.apps.oauth.catalog.scopes();
  const most = rule?.rule === "allow" ? rule.scopes : (app?.consent.scopes ?? []).map(({ name }) => name);
  const ceiling = client === undefined ? null : ceilingOf(client, tools.apps.oauth.policy);
  const uses = [app?.consent.lastUsedAt ?? null, app?.lastUsedAt ?? null].filter((at) => at !== null);
  return {
    clientId,
    name: client === undefined ? (app?.consent.shown.clientName ?? clientId) : nameOf(client, language),
    ...looks(client, tools),
    newHosts: hostsSince(rule, client, ceiling, tools.now()),
    scopes: (app?.consent.scopes ?? []).map(({ name }) => described(name, known, language)),
    grantedAt: app?.consent.createdAt ?? null,
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
    expiresAt: app === undefined ? null : consentUnder(app.consent, ceiling).expiresAt,
    people: app?.people ?? 0,
    rule:
      rule === undefined || (rule.rule === "allow" && !isInForce(rule, { ceiling }, tools.now())) ? null : rule.rule,
    optOut: rule?.optOut ?? false,
    choices: (client?.scopes ?? []).map((name) => ({
      ...described(name, known, language),
      checked: most.includes(name),
    })),
    mine,
  };
}

function looks(
  client: Client | undefined,
  tools: CompanyTools,
): Pick<CompanyAppView, "logo" | "host" | "hosts" | "durations"> {
  const hosts = consentHosts(client?.redirectUris ?? []).map((value) => ({ value, text: redirectHost(value) }));
  const logo = client === undefined ? null : logoPath(client);
  return { logo, host: hosts[0]?.text ?? null, hosts, durations: durationChoices(client, tools) };
}

/** The hosts of the client that an approval for all members does not cover, because they were registered later. */
function hostsSince(
  rule: AppRule | undefined,
  client: Client | undefined,
  ceiling: Millis | null,
  now: Millis,
): readonly string[] {
  if (client === undefined || rule === undefined || !isInForce(rule, { ceiling }, now)) return [];
  return consentHosts(client.redirectUris)
    .filter((host) => !reaches(rule.hosts, reachOf(client, host, ceiling)))
    .map(redirectHost);
}

function described(name: string, known: ReadonlyMap<string, Scope>, language: string): CompanyScope {
  const scope = known.get(name);
  return { name, description: scope === undefined ? name : descriptionOf(scope, language) };
}

async function requestsOf(at: InCompany, tools: CompanyTools): Promise<readonly CompanyRequestView[]> {
  const { language } = tools.chrome(at.http).words;
  const requests = await membersRequests(at, tools.companies);
  return Promise.all(requests.map((request) => requestView(request, request.approved, language, tools)));
}

async function requestView(
  request: AppRequest,
  approved: readonly string[],
  language: string,
  tools: CompanyTools,
): Promise<CompanyRequestView> {
  const { clientId, personId, username, scopes, reason, askedAt } = request;
  const client = await tools.apps.oauth.catalog.client(clientId);
  const known = await tools.apps.oauth.catalog.scopes();
  return {
    ...{ clientId, personId, username, reason, askedAt },
    app: client === undefined ? clientId : nameOf(client, language),
    ...looks(client, tools),
    scopes: scopes.map((name) => described(name, known, language)),
    ceiling: [...new Set([...approved, ...scopes])],
  };
}

const RULES = ["allow", "ask", "block"] as const;

/** A decision about an app for all members: from a request, for an app of the list, or for one named by its id. */
export const decideApp = forAdmins(async (at, tools: CompanyTools) => {
  const form = formOf(at.http);
  const named = form.get("rule");
  const rule = RULES.find((one) => one === named);
  const clientId = idIn(form, "client_id");
  const client = await tools.apps.oauth.catalog.client(clientId);
  if (client === undefined) return backTo(at, "", "unknownApp", tools);
  if (rule === undefined && named !== "default") return backTo(at, "", "nothing", tools);
  const known = await tools.apps.oauth.catalog.scopes();
  const ticked = form.getAll("scope");
  const shown = form.getAll("host");
  // Fields added to the form have no effect: the rule covers only scopes that the app may ask for, and none for
  // operators.
  const scopes = client.scopes.filter((name) => ticked.includes(name) && known.get(name)?.ownerRole === null);
  const duration = readDuration(form.get("duration") ?? undefined, longDurations(client, tools));
  if (rule === "allow" && (scopes.length === 0 || duration === undefined)) return backTo(at, "", "nothing", tools);
  const { http } = at;
  const members = (["keep", "end"] as const).find((one) => one === form.get("members"));
  const answered = form.get("confirmed") === "yes" && (rule === "block" || members !== undefined);
  const question = await confirmDecision(at, { client, rule: rule ?? "default", answered }, tools);
  if (question !== undefined) return question;
  // Blocking an app is urgent. Any other decision can give it more access, so it needs proof.
  const unsure = rule === "block" ? undefined : await unproved(at, "/rule", tools);
  if (unsure !== undefined) return unsure;
  const now = tools.now();
  const allowed = rule === "allow" && duration !== undefined;
  const decided = {
    client,
    ...(members === undefined ? {} : { members }),
    rule:
      rule === undefined
        ? null
        : {
            rule,
            scopes: allowed ? scopes : [],
            // The admin has not seen hosts that were registered after the page was made.
            hosts: allowed ? consentHosts(client.redirectUris).filter((host) => shown.includes(host)) : [],
            endsAt: allowed
              ? cappedEnd(endOf(duration, now, now), now, ceilingOf(client, tools.apps.oauth.policy))
              : null,
            optOut: allowed && form.get("opt_out") === "yes",
          },
    language: tools.chrome(http).words.language,
  };
  if ((await decideRule(at, decided, tools.companies)) === "not_admin") return noLongerAdmin(at, tools);
  return backTo(at, "", rule === "block" ? "blocked" : "decided", tools, rule === "block" ? clientId : undefined);
});

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
  const asked = { clientId: idIn(form, "client_id"), personId: idIn(form, "person_id") };
  const outcome = await refuseMembersRequest(at, asked, tools.companies);
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

/** A member keeps an app from acting for them, or allows it again. */
export const setOptOut = forMembers(async (at, tools: CompanyTools): Promise<Answer> => {
  const form = formOf(at.http);
  const out = form.get("out") === "yes";
  const outcome = await optOut(at, idIn(form, "client_id"), out, tools.companies);
  return backTo(at, "", outcome === "unknown" ? "gone" : out ? "stopped" : "resumed", tools);
});
