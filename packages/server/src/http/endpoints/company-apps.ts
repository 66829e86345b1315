/** `/company/{slug}`: the apps of a company, and what its admins and members decide about them. */

import { cappedEnd, ceilingOf, reaches, reachOf } from "../../oauth/consent-reach.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { consentHosts, redirectHost } from "../../oauth/redirect-uri.ts";
import { isInForce } from "../../owners/company.ts";
import type { AppRequest, AppRule, CompanyApp } from "../../owners/company-storage.ts";
import { defaultDuration, offeredDurations, readDuration } from "../../owners/consent.ts";
import { consentUnder, endOf } from "../../owners/consent-record.ts";
import type { Notice } from "../../owners/notices.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import type { CompanyAppsView, CompanyAppView, CompanyRequestView, CompanyScope } from "../../pages/company-views.ts";
import { companyAppsPage } from "../../pages/index.ts";
import type { DurationChoice } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { type Answer, formOf, page } from "../message.ts";
import { logoPath, nameOf } from "./cards.ts";
import { backTo, forAdmins, forMembers, type InCompany, idIn, isPersonId, noLongerAdmin, unproved } from "./company.ts";
import { confirmDecision } from "./company-confirm.ts";
import { outstanding } from "./outstanding.ts";

/** How many requests a page shows; the rest comes when these are answered. */
const REQUESTS_SHOWN = 50;
const YEAR = 31_536_000;

export const showCompanyApps = forMembers(async (at, assent) => {
  const { frame, acting, http, visitor } = at;
  const view: CompanyAppsView = {
    ...frame,
    ...(await heldNotice(at, assent)),
    apps: await appsOf(at, assent),
    requests: frame.admin ? await requestsOf(at, assent) : [],
    defaultRule: acting.company.defaultRule,
  };
  return page(200, companyAppsPage(view, assent.chrome(http)), "here", visitor.cookies);
});

/** Of an app that was just revoked or blocked: for how long what it holds still works. */
async function heldNotice({ key, frame, http }: InCompany, assent: Assent): Promise<Pick<CompanyAppsView, "held">> {
  if (!frame.admin || (frame.notice !== "revoked" && frame.notice !== "blocked")) return {};
  const client = await assent.oauth.catalog.client(idIn(new URLSearchParams(http.query), "app"));
  if (client === undefined) return {};
  const owner = { partition: key.partition, ownerId: key.companyId };
  const until = (await outstanding(owner, assent.now(), "ended", assent)).get(client.clientId);
  return until === undefined ? {} : { held: { app: nameOf(client, assent.chrome(http).words.language), until } };
}

/** An approval for all is never for once. */
function longDurations(client: Client, { config, oauth }: Assent): readonly ConsentDuration[] {
  const durations = config.consentDurations.filter((one) => one !== "once");
  const most: readonly ConsentDuration[] = durations.length > 0 ? durations : ["forever"];
  return offeredDurations(most, ceilingOf(client, oauth.policy));
}

/** The lengths of time that an admin may choose for an app; a year is the usual one. */
function durationChoices(client: Client | undefined, assent: Assent): readonly DurationChoice[] {
  if (client === undefined) return [];
  const durations = longDurations(client, assent);
  const selected = durations.includes(YEAR) ? YEAR : defaultDuration(durations);
  return durations.map((one) => ({ value: String(one), selected: one === selected }));
}

async function appsOf({ key, person, frame, http }: InCompany, assent: Assent): Promise<readonly CompanyAppView[]> {
  const now = assent.now();
  const { language } = assent.chrome(http).words;
  const { storage } = assent;
  const [apps, rules, own] = await Promise.all([
    storage.companyApps.list({ ...key, now }),
    storage.companyApps.listRules(key),
    storage.companyApps.grantsOfMember({ ...key, personId: person.personId, now }),
  ]);
  const granted = new Map(apps.map((app) => [app.consent.clientId, app]));
  const ruled = new Map(rules.map((rule) => [rule.clientId, rule]));
  const mine = new Set(own.map(({ clientId }) => clientId));
  const views = await Promise.all(
    [...new Set([...granted.keys(), ...ruled.keys()])].map(async (clientId) => {
      const acting = await storage.members.findActing({ ...key, personId: person.personId, clientId });
      const state = acting?.optedOut === true ? "stopped" : mine.has(clientId) ? "acts" : null;
      return appView(
        { clientId, app: granted.get(clientId), rule: ruled.get(clientId), mine: state, language },
        assent,
      );
    }),
  );
  return frame.admin ? views : views.filter((view) => view.mine !== null || view.rule === "allow");
}

interface Known {
  readonly clientId: string;
  readonly app: CompanyApp | undefined;
  readonly rule: AppRule | undefined;
  readonly mine: CompanyAppView["mine"];
  /** Of the page. */
  readonly language: string;
}

async function appView({ clientId, app, rule, mine, language }: Known, assent: Assent): Promise<CompanyAppView> {
  const client = await assent.oauth.catalog.client(clientId);
  const known = await assent.oauth.catalog.scopes();
  const most = rule?.rule === "allow" ? rule.scopes : (app?.consent.scopes ?? []).map(({ name }) => name);
  const ceiling = client === undefined ? null : ceilingOf(client, assent.oauth.policy);
  const uses = [app?.consent.lastUsedAt ?? null, app?.lastUsedAt ?? null].filter((at) => at !== null);
  return {
    clientId,
    name: client === undefined ? (app?.consent.shown.clientName ?? clientId) : nameOf(client, language),
    ...looks(client, assent),
    newHosts: hostsSince(rule, client, ceiling, assent.now()),
    scopes: (app?.consent.scopes ?? []).map(({ name }) => described(name, known, language)),
    grantedAt: app?.consent.createdAt ?? null,
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
    expiresAt: app === undefined ? null : consentUnder(app.consent, ceiling).expiresAt,
    people: app?.people ?? 0,
    rule:
      rule === undefined || (rule.rule === "allow" && !isInForce(rule, { ceiling }, assent.now())) ? null : rule.rule,
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
  assent: Assent,
): Pick<CompanyAppView, "logo" | "host" | "hosts" | "durations"> {
  const hosts = consentHosts(client?.redirectUris ?? []).map((value) => ({ value, text: redirectHost(value) }));
  const logo = client === undefined ? null : logoPath(client);
  return { logo, host: hosts[0]?.text ?? null, hosts, durations: durationChoices(client, assent) };
}

/** What an approval for all does not hold for: the client has it since. */
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

async function requestsOf({ key, http }: InCompany, assent: Assent): Promise<readonly CompanyRequestView[]> {
  const [requests, rules] = await Promise.all([
    assent.storage.companyApps.listRequests({ ...key, limit: REQUESTS_SHOWN }),
    assent.storage.companyApps.listRules(key),
  ]);
  const { language } = assent.chrome(http).words;
  const approved = new Map(rules.filter(({ rule }) => rule === "allow").map((rule) => [rule.clientId, rule.scopes]));
  return Promise.all(
    requests.map((request) => requestView(request, approved.get(request.clientId) ?? [], language, assent)),
  );
}

async function requestView(
  request: AppRequest,
  approved: readonly string[],
  language: string,
  assent: Assent,
): Promise<CompanyRequestView> {
  const { clientId, personId, username, scopes, reason, askedAt } = request;
  const client = await assent.oauth.catalog.client(clientId);
  const known = await assent.oauth.catalog.scopes();
  return {
    ...{ clientId, personId, username, reason, askedAt },
    app: client === undefined ? clientId : nameOf(client, language),
    ...looks(client, assent),
    scopes: scopes.map((name) => described(name, known, language)),
    ceiling: [...new Set([...approved, ...scopes])],
  };
}

const RULES = ["allow", "ask", "block"] as const;

/** A decision about an app for all members: from a request, about an app of the list, or about one named by its id. */
export const decideApp = forAdmins(async (at, assent) => {
  const form = formOf(at.http);
  const named = form.get("rule");
  const rule = RULES.find((one) => one === named);
  const clientId = idIn(form, "client_id");
  const client = await assent.oauth.catalog.client(clientId);
  if (client === undefined) return backTo(at, "", "unknownApp", assent);
  if (rule === undefined && named !== "default") return backTo(at, "", "nothing", assent);
  const known = await assent.oauth.catalog.scopes();
  const ticked = form.getAll("scope");
  const shown = form.getAll("host");
  // What the form adds counts for nothing: no more than the app may ask for, and nothing that is for operators.
  const scopes = client.scopes.filter((name) => ticked.includes(name) && known.get(name)?.ownerRole === null);
  const duration = readDuration(form.get("duration") ?? undefined, longDurations(client, assent));
  if (rule === "allow" && (scopes.length === 0 || duration === undefined)) return backTo(at, "", "nothing", assent);
  const { key, person, http } = at;
  const members = (["keep", "end"] as const).find((one) => one === form.get("members"));
  const answered = form.get("confirmed") === "yes" && (rule === "block" || members !== undefined);
  const question = await confirmDecision(at, { client, rule: rule ?? "default", answered }, assent);
  if (question !== undefined) return question;
  const unsure = rule === "allow" ? await unproved(at, "/rule", assent) : undefined;
  if (unsure !== undefined) return unsure;
  const now = assent.now();
  const allowed = rule === "allow" && duration !== undefined;
  const waiting = await openRequests(at, clientId, assent);
  const outcome = await assent.storage.companyApps.setRule({
    ...{ ...key, clientId, by: person.personId, now },
    ...(members === undefined ? {} : { members }),
    news: await Promise.all(
      waiting.map(async (personId) => ({
        personId,
        mails: await assent.noticeLetters(decisionNotice(at, client, personId, allowed)),
      })),
    ),
    rule:
      rule === undefined
        ? null
        : {
            rule,
            scopes: allowed ? scopes : [],
            // One that was registered since the page was made, the admin has not seen.
            hosts: allowed ? consentHosts(client.redirectUris).filter((host) => shown.includes(host)) : [],
            endsAt: allowed ? cappedEnd(endOf(duration, now, now), now, ceilingOf(client, assent.oauth.policy)) : null,
            optOut: allowed && form.get("opt_out") === "yes",
          },
    shown: { locale: assent.chrome(http).words.language, clientName: client.name, logo: client.logo },
  });
  if (outcome.kind !== "done") return noLongerAdmin(at, assent);
  assent.event("company_app_decided", {
    ...{ company: key.companyId, client_id: clientId, by: person.personId },
    ...{ rule: rule ?? "default", grants_ended: outcome.grantsEnded },
  });
  const left = new Set(await openRequests(at, clientId, assent));
  for (const personId of waiting.filter((one) => !left.has(one)))
    assent.notify(decisionNotice(at, client, personId, allowed));
  return backTo(at, "", rule === "block" ? "blocked" : "decided", assent, rule === "block" ? clientId : undefined);
});

/** As many as the queue shows. */
const MOST_REQUESTS = 200;

/** Who waits for an answer about an app. */
async function openRequests({ key }: InCompany, clientId: string, assent: Assent): Promise<readonly string[]> {
  const requests = await assent.storage.companyApps.listRequests({ ...key, limit: MOST_REQUESTS });
  return requests.filter((request) => request.clientId === clientId).map(({ personId }) => personId);
}

function decisionNotice(
  { acting: { company }, person }: InCompany,
  { clientId, name }: { readonly clientId: string; readonly name: string },
  askedBy: string,
  approved: boolean,
): Notice {
  const { companyId, slug, name: companyName } = company;
  return {
    kind: "company_decision",
    company: { companyId, slug, name: companyName },
    client: { clientId, name },
    by: { personId: person.personId, username: person.username },
    askedBy,
    approved,
  };
}

export const revokeCompanyApp = forAdmins(async (at, assent) => {
  const { key, person, http } = at;
  const clientId = idIn(formOf(http), "client_id");
  const outcome = await assent.storage.companyApps.revokeForAll({
    ...key,
    clientId,
    by: person.personId,
    now: assent.now(),
  });
  if (outcome.kind !== "done") {
    return outcome.kind === "not_admin" ? noLongerAdmin(at, assent) : backTo(at, "", "gone", assent);
  }
  assent.event("consent_revoked", {
    ...{ owner: key.companyId, by: person.personId, client_id: clientId, grants_ended: outcome.grantsEnded },
  });
  return backTo(at, "", "revoked", assent, clientId);
});

export const refuseRequest = forAdmins(async (at, assent) => {
  const { key, person, http } = at;
  const form = formOf(http);
  const clientId = idIn(form, "client_id");
  const personId = idIn(form, "person_id");
  const now = assent.now();
  const name = (await assent.oauth.catalog.client(clientId))?.name ?? clientId;
  const notice = decisionNotice(at, { clientId, name }, personId, false);
  const mails = isPersonId(personId) ? await assent.noticeLetters(notice) : [];
  const outcome = await assent.storage.companyApps.refuseRequest({
    ...key,
    clientId,
    personId,
    mails,
    by: person.personId,
    now,
  });
  if (outcome.kind === "not_admin") return noLongerAdmin(at, assent);
  if (outcome.kind === "unknown") return backTo(at, "", "gone", assent);
  assent.event("company_request_refused", {
    ...{ company: key.companyId, client_id: clientId, person: personId, by: person.personId },
  });
  assent.notify(notice);
  return backTo(at, "", "refused", assent);
});

export const setDefaultRule = forAdmins(async (at, assent) => {
  const { key, person, http } = at;
  const named = formOf(http).get("rule");
  const defaultRule = (["members", "ask", "block"] as const).find((one) => one === named);
  if (defaultRule === undefined) return backTo(at, "", "nothing", assent);
  const unsure = await unproved(at, "/default", assent);
  if (unsure !== undefined) return unsure;
  const outcome = await assent.storage.companies.update({
    ...{ ...key, changes: { defaultRule }, by: person.personId, now: assent.now() },
  });
  if (outcome.kind !== "updated") return noLongerAdmin(at, assent);
  assent.event("company_default_changed", { company: key.companyId, rule: defaultRule, by: person.personId });
  return backTo(at, "", "defaults", assent);
});

/** A member keeps an app from acting for them, or lets it again. */
export const setOptOut = forMembers(async (at, assent): Promise<Answer> => {
  const { key, person, http } = at;
  const form = formOf(http);
  const clientId = idIn(form, "client_id");
  const out = form.get("out") === "yes";
  const outcome = await assent.storage.companyApps.setOptOut({
    ...key,
    clientId,
    personId: person.personId,
    out,
    now: assent.now(),
  });
  if (outcome.kind === "unknown") return backTo(at, "", "gone", assent);
  assent.event(out ? "company_app_stopped" : "company_app_resumed", {
    ...{ company: key.companyId, client_id: clientId, person: person.personId, grants_ended: outcome.grantsEnded },
  });
  return backTo(at, "", out ? "stopped" : "resumed", assent);
});
