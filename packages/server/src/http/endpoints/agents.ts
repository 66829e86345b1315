/** `/account/agents`, `/company/{slug}/agents`: the apps that act while their owner is away, and their pause. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { type Agent, agentsOfCompany, agentsOfPerson, heldAppsOfCompany } from "../../owners/apps/agents.ts";
import { allowedApps, endedApps } from "../../owners/apps/allowed-apps.ts";
import { recentChange, setAppPaused } from "../../owners/apps/change-app.ts";
import type { AppsContext } from "../../owners/apps/context.ts";
import { minutesLeft, outstanding } from "../../owners/apps/remaining-token-lifetime.ts";
import { setAppPausedForAll } from "../../owners/companies/company-apps.ts";
import { companiesOf } from "../../owners/companies/company-members.ts";
import type { CompanyContext } from "../../owners/companies/context.ts";
import type { Person } from "../../owners/person.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { AgentEntry, AgentsView } from "../../pages/agents-view.ts";
import type { CompanyFrame } from "../../pages/company/views.ts";
import { agentsPage, companyAgentsPage } from "../../pages/index.ts";
import { formToken } from "../form-token.ts";
import { formOf, page, redirect } from "../http-message.ts";
import { endBeforeDeletion, endedAccess, endedEntry, hostsWithEnds, type OwnerNow } from "./allowed-apps.ts";
import { formerNameOf, logoPath, nameOf, signedInAs } from "./client-and-person-views.ts";
import { backTo, type CompanyTools, forAdmins, type InCompany, idIn, noLongerAdmin } from "./require-membership.ts";
import { type Account, type AccountTools, signedIn } from "./require-sign-in.ts";

interface AgentsTools extends AccountTools {
  readonly apps: AppsContext;
  readonly companies: CompanyContext;
}

export const showAgents = signedIn(async ({ person, session, http, visitor }, tools: AgentsTools) => {
  const chrome = tools.chrome(http);
  const [agents, allowed, companies] = await Promise.all([
    agentsOfPerson(person, tools.apps),
    allowedApps(person, tools.apps),
    companiesOf(person, tools.companies),
  ]);
  const ended = await endedApps(person, allowed, tools.apps);
  const now = tools.now();
  const view: AgentsView = {
    csrf: formToken(session, tools),
    person: signedInAs(person),
    agents: agents.map((agent) => entryOf(agent, chrome.words.language, now, person)),
    ...(await endedAccess(ended, chrome.words.language, tools)),
    companies: companies.map(({ company: { name, slug } }) => ({ name, slug })),
    now,
    notice: await noticeOf(new URLSearchParams(http.query).get("done"), person, tools),
  };
  return page(200, agentsPage(view, chrome), "here", visitor.cookies);
});

/** Told from the history, so that no link can make it up. */
async function noticeOf(done: string | null, person: Person, { apps }: AgentsTools): Promise<AgentsView["notice"]> {
  if (done === null) return null;
  if (done === "gone") return { kind: "gone" };
  const change = await recentChange(person, done, apps);
  if (change === undefined) return null;
  const { entry, app, heldUntil: openUntil } = change;
  if (entry.kind === "resumed" && entry.record.scopes.length === 0) return { kind: "resumedOver", app };
  return entry.kind === "paused" || entry.kind === "resumed" ? { kind: entry.kind, app, openUntil } : null;
}

export const pauseAgent = signedIn((account, tools: AgentsTools) => changed(account, true, tools));

export const resumeAgent = signedIn((account, tools: AgentsTools) => changed(account, false, tools));

/** Redirects to the page, which shows the result: if it is loaded again, nothing is repeated. */
async function changed(account: Account, paused: boolean, { issuer, apps }: AgentsTools) {
  const outcome = await setAppPaused(account, formOf(account.http).get("client_id") ?? "", paused, apps);
  const path = `${issuer}/account/agents`;
  if (outcome.kind === "unchanged") return redirect(303, path);
  const done = outcome.kind === "changed" ? outcome.entryId : "gone";
  return redirect(303, `${path}?${new URLSearchParams({ done })}`);
}

export const showCompanyAgents = forAdmins(async (at, tools: CompanyTools) => {
  const { key, frame, http, visitor } = at;
  const chrome = tools.chrome(http);
  const [agents, held] = await Promise.all([agentsOfCompany(key, tools.apps), heldAppsOfCompany(key, tools.apps)]);
  const now = tools.now();
  const view = {
    ...frame,
    ...(await heldNotice(at, tools)),
    now,
    agents: agents.map((agent) => entryOf(agent, chrome.words.language, now)),
    ...(await endedAccess(held.ended, chrome.words.language, tools)),
    unused: held.unused.map((app) => endedEntry(app, chrome.words.language)),
  };
  return page(200, companyAgentsPage(view, chrome), "here", visitor.cookies);
});

/** For an app that was just paused: how long its tokens still work. */
async function heldNotice({ key, frame, http }: InCompany, tools: CompanyTools): Promise<Pick<CompanyFrame, "held">> {
  if (frame.notice !== "appPaused") return {};
  const client = await tools.apps.oauth.catalog.client(idIn(new URLSearchParams(http.query), "app"));
  if (client === undefined) return {};
  const owner = { partition: key.partition, ownerId: key.companyId };
  const until = (await outstanding(owner, tools.now(), "ended", tools.apps)).get(client.clientId);
  return until === undefined ? {} : { held: { app: nameOf(client, tools.chrome(http).words.language), until } };
}

export const pauseCompanyAgent = forAdmins((at, tools: CompanyTools) => changedForAll(at, true, tools));

export const resumeCompanyAgent = forAdmins((at, tools: CompanyTools) => changedForAll(at, false, tools));

async function changedForAll(at: InCompany, paused: boolean, tools: CompanyTools) {
  const clientId = idIn(formOf(at.http), "client_id");
  const { catalog, policy } = tools.apps.oauth;
  const client = await catalog.client(clientId);
  const change = { clientId, paused, ceiling: client && ceilingOf(client, policy) };
  const outcome = await setAppPausedForAll(at, change, tools.companies);
  if (outcome === "not_admin") return noLongerAdmin(at, tools);
  if (outcome === "unknown") return backTo(at, "/agents", "gone", tools);
  return backTo(at, "/agents", paused ? "appPaused" : "appResumed", tools, clientId);
}

/** A client that describes itself is known by the host of its ID. Where one of its hosts ends sooner, the others are named, too. */
function agentHosts({ consent, client }: Agent, at: OwnerNow): Pick<AgentEntry, "hosts" | "hostEnds"> {
  const all = hostsWithEnds(consent, client, at);
  if (client?.document === undefined) return all;
  const others = Object.keys(all.hostEnds).length > 0 ? all.hosts : [];
  return { ...all, hosts: [...new Set([redirectHost(client.clientId), ...others])] };
}

/** `owner`: of a person's apps. A company's have none. */
function entryOf(agent: Agent, language: string, now: number, owner: Pick<Person, "deleteAt"> = {}): AgentEntry {
  const { consent, client, heldUntil, awayUntil } = agent;
  return {
    clientId: consent.clientId,
    name: client === undefined ? consent.shown.clientName : nameOf(client, language),
    formerName: formerNameOf(consent, client),
    logo: client === undefined ? null : logoPath(client),
    ...agentHosts(agent, { now, owner }),
    scopes: agent.scopes.map(({ name, scope, gone, expiresAt }) => ({
      description: scope === undefined ? name : descriptionOf(scope, language),
      expiresAt: endBeforeDeletion(expiresAt, owner),
      gone,
    })),
    expiresAt: endBeforeDeletion(consent.expiresAt, owner),
    awayUntil: awayUntil === undefined ? undefined : endBeforeDeletion(awayUntil, owner),
    pausedAt: consent.pausedAt,
    lastUsedAt: consent.lastUsedAt,
    uses: agent.uses.map(({ api, lastUsedAt }) => ({ api: api.name, lastUsedAt })),
    through: agent.through.map(({ actorName, lastUsedAt }) => ({ name: actorName, lastUsedAt })),
    stopsIn: minutesLeft(heldUntil, now),
    off: client?.status !== "active",
    stands: agent.stands,
  };
}
