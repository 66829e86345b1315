/** `/company/{slug}/apps/{client}`: one app in a company: who uses it, what it may do, and the rule about it. */

import { ceilingOrNone, reaches, reachOf, receiversOf, sooner } from "../../oauth/consent-reach.ts";
import type { Client, GrantedScope, Millis, Scope } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { isOffered, offeredTo } from "../../oauth/scope.ts";
import type { Delegation } from "../../oauth/token-exchange/storage.ts";
import { heldThrough, longestLifetime, minutesLeft, outstanding } from "../../owners/apps/remaining-token-lifetime.ts";
import { nextTimeFor } from "../../owners/apps/remembered-owner-choice.ts";
import {
  type CompanyAppDetails,
  companyApp,
  effectsOf,
  offeredMembers,
  type RuleEffects,
} from "../../owners/companies/app-details.ts";
import { decideRule, type NamedRequest, reachOfRequest } from "../../owners/companies/company-apps.ts";
import { latestEnds } from "../../owners/companies/rule-change.ts";
import { approvedScopes, endOfRule, isInForce, standingRule } from "../../owners/company-rules.ts";
import type { AppRule, DefaultRule, HeldScope, ListedRule, NewRule } from "../../owners/company-storage.ts";
import { unexpired } from "../../owners/consent-after-decision.ts";
import { defaultDuration } from "../../owners/consent-needed.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type {
  CompanyAppPageView,
  CompanyRequestView,
  CompanyReviewView,
  CompanyRuleForm,
  CompanyScope,
} from "../../pages/company/views.ts";
import { companyAppPage, companyReviewPage } from "../../pages/index.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, formOf, page } from "../http-message.ts";
import { logoPath, nameOf } from "./client-and-person-views.ts";
import { lastingOf, servicesByApp } from "./company-connections.ts";
import { longDurations, ruleIn, SAME_END, type TypedRule, typedRule } from "./read-rule-form.ts";
import {
  backTo,
  type CompanyTools,
  forAdmins,
  type InCompany,
  noLongerAdmin,
  timeIn,
  unproved,
} from "./require-membership.ts";

const YEAR = 31_536_000;

/** An app that the company's admins may see. */
interface Seen {
  readonly clientId: string;
  /** Undefined: it was deleted. */
  readonly client: Client | undefined;
  /** The longest time for which an answer to the client can hold. Null: no limit. */
  readonly ceiling: Millis | null;
  readonly details: CompanyAppDetails;
  /** Undefined: there is no rule, or it has ended. */
  readonly standing: ListedRule | undefined;
  readonly state: CompanyAppPageView["state"];
}

async function seenApp(at: InCompany, tools: CompanyTools): Promise<Seen | undefined> {
  const clientId = at.http.params["client"] ?? "";
  const { catalog, policy } = tools.apps.oauth;
  const client = await catalog.client(clientId);
  const ceiling = ceilingOrNone(client, policy);
  const ceilingOfApp = async (id: string) => ceilingOrNone(await catalog.client(id), policy);
  const details = await companyApp(at, { clientId, ceilingOf: ceilingOfApp }, tools.companies);
  if (details === undefined) return undefined;
  const now = tools.now();
  const standing = standingRule(details.rule, { ceiling }, now);
  const state = stateOf(details.rule, at.acting.company, ceiling, now);
  return { clientId, client, ceiling, details, standing, state };
}

export const showCompanyApp = forAdmins(async (at, tools: CompanyTools) => {
  const seen = await seenApp(at, tools);
  if (seen === undefined) return problemAnswer("not_found", at.http, tools);
  const personId = new URLSearchParams(at.http.query).get("request");
  const request = seen.details.requests.find((one) => one.personId === personId);
  return appAnswer(at, seen, startOf(seen, request), null, tools);
});

/** The form as it stands before the admin changes it: with the present rule, or with what a request asks for. */
function startOf({ standing: rule, state }: Seen, request: NamedRequest | undefined): TypedRule {
  const allowed = rule?.rule === "allow" ? rule : undefined;
  const audience = allowed === undefined ? null : allowed.forSelected === true ? "selected" : "everybody";
  const start = { others: "", duration: allowed === undefined ? "" : SAME_END };
  if (request === undefined) {
    return {
      ...{ ...start, rule: rule?.rule ?? (state === "ask" ? "ask" : "default"), audience },
      ...{ members: rule?.selected ?? [], scopes: allowed?.scopes ?? [] },
    };
  }
  return {
    ...{ ...start, rule: "allow", audience: audience ?? "selected" },
    members: [...new Set([...(rule?.selected ?? []), request.personId])],
    scopes: [...new Set([...(allowed?.scopes ?? []), ...request.scopes])],
  };
}

async function appAnswer(
  at: InCompany,
  seen: Seen,
  typed: TypedRule,
  problem: CompanyRuleForm["problem"],
  tools: CompanyTools,
): Promise<Answer> {
  const { frame, http, visitor } = at;
  const { clientId, client, ceiling, details } = seen;
  const { language } = tools.chrome(http).words;
  const known = await tools.apps.oauth.catalog.scopes();
  const { consent, rule, people, acting } = details;
  const isOver = frame.notice === "revoked" || frame.notice === "blocked";
  const until = isOver || details.isPaused || people === 0 ? await heldInAll(at, seen, tools) : undefined;
  const name = client === undefined ? (consent?.shown.clientName ?? clientId) : nameOf(client, language);
  const uses = [consent?.lastUsedAt ?? null, ...acting.map(({ lastUsedAt }) => lastUsedAt)].filter(
    (one) => one !== null,
  );
  const host = client === undefined ? undefined : receiversOf(client)[0];
  const view: CompanyAppPageView = {
    ...frame,
    ...(isOver && until !== undefined ? { held: { app: name, until } } : {}),
    ...{ clientId, name, logo: client === undefined ? null : logoPath(client) },
    host: host === undefined ? null : redirectHost(host),
    verified: client?.verified ?? false,
    publisher: client?.publisher ?? null,
    off: client?.status === "disabled",
    state: seen.state,
    decided: rule === undefined ? null : { at: rule.decidedAt, by: details.decidedBy ?? null },
    ...(seen.standing === undefined ? {} : { endsAt: endOfStanding(seen) ?? null }),
    // No rule lets an app in during its last seconds, so it has ended for members already.
    endedAt: rule !== undefined && seen.standing === undefined ? sooner(endOfRule(rule, { ceiling }), frame.now) : null,
    newHosts: hostsSince(rule, client, ceiling, tools.now()),
    services: (await servicesByApp(at, tools)).get(clientId) ?? [],
    access:
      consent === undefined
        ? null
        : {
            scopes: latestEnds(details.access).map((one) => endingScope(one, client, known, language)),
            standing: unexpired(consent, { ceiling }, tools.now()).map((one) =>
              endingScope(one, client, known, language),
            ),
            grantedAt: consent.createdAt,
            lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
            pausedAt: consent.pausedAt,
            people,
            shown: acting.map(({ username, personName, since, lastUsedAt, paused }) => ({
              ...{ username, personName, since, lastUsedAt, paused },
            })),
            through: details.through.map(({ actorId, actorName, lastUsedAt }) => ({
              ...{ name: actorName, clientId: actorId, lastUsedAt },
            })),
          },
    // After the end was computed: an earlier time would add a minute to it.
    stopsIn: isOver ? 0 : minutesLeft(until, tools.now()),
    actsThrough: await namedApps(details.actsThrough, language, tools),
    ...(await vouchedView(seen, tools)),
    requests: details.requests.map((one) =>
      withApproved(requestView(one, client, known, language), { ...one, client }, at, tools),
    ),
    form: client === undefined ? null : await formView(at, seen, client, typed, problem, tools),
    ...{ mine: details.mine, chosen: details.chosen },
    ...(details.chosen
      ? { nextTime: await (await nextTimeFor(at.acting.company.companyId, at.person, tools.apps))(clientId) }
      : {}),
    defaultRule: at.acting.company.defaultRule,
  };
  return page(problem === null ? 200 : 400, companyAppPage(view, tools.chrome(http)), "here", visitor.cookies);
}

/** When the rule that applies now ends. Null: when an admin changes it. Undefined: there is no such rule. */
function endOfStanding({ standing, ceiling }: Seen): Millis | null | undefined {
  return standing?.rule === "allow" ? endOfRule(standing, { ceiling }) : standing && null;
}

function endingScope(
  { name, expiresAt }: GrantedScope,
  client: Client | undefined,
  known: ReadonlyMap<string, Scope>,
  language: string,
) {
  return { ...described(name, known, language), expiresAt, gone: isGone(name, client, known) };
}

/** True: the operator no longer offers the scope to the client. */
export function isGone(name: string, client: Client | undefined, known: ReadonlyMap<string, Scope>): boolean {
  return client !== undefined && !isOffered(name, client, known);
}

/** The state of a rule, as pages name it. Null: the company's default applies, because there is none or it has ended. */
export function stateOf(
  rule: AppRule | undefined,
  { defaultRule }: { readonly defaultRule: DefaultRule },
  ceiling: Millis | null,
  now: Millis,
): CompanyAppPageView["state"] {
  const standing = standingRule(rule, { ceiling }, now);
  if (standing !== undefined) return standing.forSelected === true ? "selected" : standing.rule;
  return rule?.forSelected === true && defaultRule === "members" ? "ask" : null;
}

async function heldUntil({ key }: InCompany, clientId: string, tools: CompanyTools): Promise<Millis | undefined> {
  const owner = { partition: key.partition, ownerId: key.companyId };
  return (await outstanding(owner, tools.now(), "ended", tools.apps)).get(clientId);
}

/** The same, together with what it got through other apps. */
async function heldInAll(
  at: InCompany,
  { clientId, details }: Pick<Seen, "clientId" | "details">,
  tools: CompanyTools,
): Promise<Millis | undefined> {
  const through = await heldThrough(details.asActor, tools.apps);
  const ends = [await heldUntil(at, clientId, tools), through].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** The company's identity providers that let the app in, and what stops that. */
async function vouchedView(
  { state, details: { vouching, consent, isPaused } }: Seen,
  { apps: { oauth }, now }: CompanyTools,
): Promise<Pick<CompanyAppPageView, "vouched">> {
  if (vouching.length === 0) return {};
  const stopped = state === "block" || isPaused;
  const minutes = Math.ceil((await longestLifetime(now(), oauth)) / 60_000);
  const hosts = [...new Set(vouching.map(redirectHost))].sort();
  return { vouched: { hosts, minutes, stopped, pausable: !stopped && consent !== undefined } };
}

/** The apps through which another one acts. */
function namedApps(
  delegations: readonly Delegation[],
  language: string,
  { apps }: CompanyTools,
): Promise<readonly { readonly name: string; readonly lastUsedAt: Millis }[]> {
  return Promise.all(
    delegations.map(async ({ clientId, lastUsedAt }) => {
      const client = await apps.oauth.catalog.client(clientId);
      return { name: client === undefined ? clientId : nameOf(client, language), lastUsedAt };
    }),
  );
}

export function described(name: string, known: ReadonlyMap<string, Scope>, language: string): CompanyScope {
  const scope = known.get(name);
  return { name, description: scope === undefined ? name : descriptionOf(scope, language) };
}

export function requestView(
  { clientId, personId, username, personName, scopes, reason, askedAt, host: asked }: NamedRequest,
  client: Client | undefined,
  known: ReadonlyMap<string, Scope>,
  language: string,
): CompanyRequestView {
  const host = asked ?? (client === undefined ? undefined : receiversOf(client)[0]);
  return {
    ...{ clientId, personId, username, personName, reason, askedAt },
    app: client === undefined ? clientId : nameOf(client, language),
    logo: client === undefined ? null : logoPath(client),
    host: host === undefined ? null : redirectHost(host),
    scopes: scopes.map((name) => described(name, known, language)),
  };
}

/**
 * Splits what a member asked for: what the rule allows them already, and what still waits for an answer. After a change of the
 * company's default, nothing may have to wait.
 */
export function withApproved(
  view: CompanyRequestView,
  { client, rule, host }: Pick<NamedRequest, "rule" | "host"> & { readonly client: Client | undefined },
  { acting: { company } }: Pick<InCompany, "acting">,
  tools: CompanyTools,
): CompanyRequestView {
  const ceiling = ceilingOrNone(client, tools.apps.oauth.policy);
  const reach = reachOfRequest({ host }, client, ceiling);
  const approved = new Set(approvedScopes(rule, view.personId, reach, tools.now()));
  const isNewHost = rule !== undefined && isInForce(rule, reach, tools.now()) && !reaches(rule.hosts, reach);
  const mayDecide = company.defaultRule === "members" && stateOf(rule, company, ceiling, tools.now()) === null;
  return {
    ...view,
    isNewHost,
    ...(mayDecide ? { mayDecide } : {}),
    scopes: view.scopes.filter(({ name }) => !approved.has(name)),
    approved: view.scopes.filter(({ name }) => approved.has(name)),
  };
}

/** The hosts of the client that the approval does not cover, because they were registered later. */
function hostsSince(
  rule: AppRule | undefined,
  client: Client | undefined,
  ceiling: Millis | null,
  now: Millis,
): readonly string[] {
  if (client === undefined || rule === undefined || !isInForce(rule, { ceiling }, now)) return [];
  return receiversOf(client)
    .filter((host) => !reaches(rule.hosts, reachOf(client, host, ceiling)))
    .map(redirectHost);
}

async function formView(
  at: InCompany,
  seen: Seen,
  client: Client,
  typed: TypedRule,
  problem: CompanyRuleForm["problem"],
  tools: CompanyTools,
): Promise<CompanyRuleForm> {
  const { standing } = seen;
  const { rule, requests } = seen.details;
  const { language } = tools.chrome(at.http).words;
  const known = await tools.apps.oauth.catalog.scopes();
  const { members, more } = await offeredMembers(at, typed.members, tools.companies);
  const asked = new Set(requests.flatMap(({ scopes }) => scopes));
  const durations = longDurations(client, tools);
  const usual = durations.includes(YEAR) ? YEAR : defaultDuration(durations);
  const offered = durations.map(String);
  const chosen = [SAME_END, ...offered].includes(typed.duration) ? typed.duration : String(usual);
  const same = standing?.rule === "allow" ? [SAME_END] : [];
  return {
    ...{ rule: typed.rule, audience: typed.audience, others: typed.others, more, problem },
    seen: rule?.decidedAt ?? null,
    members: members.map(({ personId, username, personName }) => ({
      ...{ personId, username, personName, checked: typed.members.includes(personId) },
    })),
    scopes: client.scopes.flatMap((name) => {
      const scope = known.get(name);
      if (scope?.ownerRole !== null) return [];
      const { optional, sensitive } = offeredTo(client, scope);
      const marks = { asked: asked.has(name), sensitive, required: !optional };
      return [{ ...described(name, known, language), checked: typed.scopes.includes(name), ...marks }];
    }),
    hosts: receiversOf(client).map((value) => ({ value, text: redirectHost(value) })),
    durations: [...same, ...offered].map((value) => ({ value, selected: value === chosen })),
    endsNow: endOfStanding(seen) ?? null,
  };
}

/** An admin's rule about an app. If it takes access from somebody, or lets everybody in, a page asks first. */
export const decideApp = forAdmins(async (at, tools: CompanyTools) => {
  const { http } = at;
  const seen = await seenApp(at, tools);
  if (seen?.client === undefined) return problemAnswer("not_found", http, tools);
  const { clientId, client, ceiling, details } = seen;
  const form = formOf(http);
  const typed = typedRule(form);
  const read = await ruleIn(at, typed, { client, before: seen.standing, form }, tools);
  if (read.kind === "wrong") return appAnswer(at, seen, typed, read.problem, tools);
  const place = `/apps/${encodeURIComponent(clientId)}`;
  const seenAt = timeIn(form, "seen");
  if (seenAt !== (details.rule?.decidedAt ?? null)) return backTo(at, place, "changed", tools);
  const effects = await effectsOf(at, { clientId, ceiling, details }, read.rule, tools.companies);
  const members = (["keep", "end"] as const).find((one) => one === form.get("members"));
  const asksWho = effects !== undefined && effects.withdrawn > 0;
  const answered = form.get("confirmed") === "yes" && (!asksWho || members !== undefined);
  if (effects !== undefined && !answered) return reviewAnswer(at, seen, read.rule, effects, tools);
  // Blocking an app is urgent. Any other rule can give it more access, so it needs proof.
  const blocks = read.rule?.rule === "block";
  const unsure = blocks ? undefined : await unproved(at, place, tools);
  if (unsure !== undefined) return unsure;
  const { language } = tools.chrome(http).words;
  const decided = {
    client,
    ceiling,
    rule: read.rule,
    seen: seenAt,
    language,
    ...(members === undefined ? {} : { members }),
  };
  const outcome = await decideRule(at, decided, tools.companies);
  if (outcome === "not_admin") return noLongerAdmin(at, tools);
  return backTo(at, place, outcome === "changed" ? "changed" : blocks ? "blocked" : "decided", tools);
});

async function reviewAnswer(
  at: InCompany,
  { clientId, client, details }: Seen,
  rule: NewRule | null,
  { change, people, withdrawn, losing, shortened, endsAt }: RuleEffects,
  tools: CompanyTools,
): Promise<Answer> {
  const { frame, http, visitor } = at;
  const { language } = tools.chrome(http).words;
  const known = await tools.apps.oauth.catalog.scopes();
  const say = (names: readonly string[]) => names.map((name) => described(name, known, language).description);
  const ends = (held: readonly HeldScope[]) => latestEnds(held).map((one) => endingScope(one, client, known, language));
  const { shortens } = change;
  const until = change.blocks
    ? await heldInAll(at, { clientId, details }, tools)
    : await heldUntil(at, clientId, tools);
  const stopsIn = minutesLeft(until, tools.now());
  const name = client === undefined ? clientId : nameOf(client, language);
  const view: CompanyReviewView = {
    ...frame,
    app: name,
    action: `/apps/${encodeURIComponent(clientId)}`,
    defaultRule: at.acting.company.defaultRule,
    paused: details.isPaused,
    allows: rule?.rule === "allow" ? await allowedBy(at, rule, say(rule.scopes), tools) : null,
    fields: [...formOf(http)].filter(([name]) => !["csrf", "confirmed", "members", "current_password"].includes(name)),
    opens: change.opens ? say(rule?.scopes ?? []) : null,
    blocks: change.blocks
      ? {
          ...{ people, scopes: say(latestEnds(details.access).map(({ name }) => name)) },
          through: await namedApps(details.actsThrough, language, tools),
        }
      : null,
    withdraws: withdrawn > 0 ? { people: withdrawn, endsAt } : null,
    loses: losing > 0 ? { people: losing, scopes: say(change.lost) } : null,
    shortens: shortens === undefined ? null : { people: shortened, to: shortens.to, scopes: ends(shortens.held) },
    stays: ends(change.stays),
    stopsIn,
    lasting: await lastingOf(at, [{ clientId, name }], tools),
    onlyCovered: ((await servicesByApp(at, tools)).get(clientId) ?? []).flatMap((one) =>
      one.byAdmins ? [{ app: name, server: one.name }] : [],
    ),
  };
  return page(200, companyReviewPage(view, tools.chrome(http)), "here", visitor.cookies);
}

/** Who may use the app under an approval, what for, and until when. */
async function allowedBy(
  at: InCompany,
  { selected, endsAt }: NewRule,
  scopes: readonly string[],
  tools: CompanyTools,
): Promise<CompanyReviewView["allows"]> {
  if (selected === undefined) return { members: null, scopes, endsAt };
  const { members } = await offeredMembers(at, selected, tools.companies);
  return { members: members.filter(({ personId }) => selected.includes(personId)), scopes, endsAt };
}
