/** The consent page: who asks, for what, for how long, as whom. */

import { sooner } from "../../oauth/consent-reach.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { hostsBefore, refusedScopes } from "../../owners/apply-consent-decision.ts";
import type { Asking } from "../../owners/authorization/browser-flow.ts";
import { durationsFor } from "../../owners/authorization/consent-answer.ts";
import type { SignedIn } from "../../owners/authorization/context.ts";
import {
  declinedFor,
  lastChoice,
  type OwnerChoice,
  withVerdictOn,
} from "../../owners/authorization/person-or-company.ts";
import { approvalFor, endOfRule } from "../../owners/company-rules.ts";
import type { Company } from "../../owners/company-storage.ts";
import {
  defaultDuration,
  durationField,
  presentEnds,
  readDuration,
  standingScopes,
} from "../../owners/consent-needed.ts";
import type { Person } from "../../owners/person.ts";
import { descriptionOf } from "../../owners/scope-texts.ts";
import type { ConsentDuration } from "../../owners/storage.ts";
import { bothNamesText, consentPage } from "../../pages/index.ts";
import type { ClientCard, ConsentView, DurationChoice, OwnerOption, ScopeChoice } from "../../pages/views.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { clientCard, signedInAs } from "../endpoints/client-and-person-views.ts";
import { type Answer, page } from "../http-message.ts";
import { type FlowArrival, pageContextOf, sessionSecrets } from "./continue-after-sign-in.ts";

/** What was wrong with an answer, and what it was: it stays as it was chosen. */
export interface Again {
  readonly problem: NonNullable<ConsentView["problem"]>;
  readonly status: number;
  readonly form: URLSearchParams;
}

/** `again`: what was wrong with the last answer; null: the first time. */
export async function consentAnswer(
  { owners, owner, allGranted }: Asking,
  arrival: FlowArrival,
  { person }: SignedIn,
  tools: FlowTools,
  again: Again | null,
): Promise<Answer> {
  const { flow, visitor, http } = arrival;
  const { client, redirectUri } = flow.request;
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const { language } = chrome.words;
  const view: ConsentView = {
    form: sessionSecrets(flow.continuation, visitor, tools),
    client: await inPublic(clientCard(flow.request, language), client, tools),
    person: signedInAs(person),
    owners: ownerOptions(owners, owner, person, tools.now()),
    scopes: await scopeChoices(owner, client, language, again, tools),
    durations: durationChoices(durationsFor(client, tools.authorization), again),
    now: tools.now(),
    ...newHost(owner, redirectUri, tools),
    allGranted,
    problem: again?.problem ?? null,
  };
  return page(again?.status ?? 200, consentPage(view, chrome), "to a client", visitor.cookies);
}

/** The host of the request, where the owner allowed the client for other hosts alone. */
function newHost({ consent, reach }: OwnerChoice, redirectUri: string, tools: FlowTools): Pick<ConsentView, "newHost"> {
  const before = hostsBefore(consent, reach, tools.now());
  return before === undefined ? {} : { newHost: { host: redirectHost(redirectUri), before: before.map(redirectHost) } };
}

/** The owners as the page offers them; none where there is nothing to choose. */
export function ownerOptions(
  choices: readonly OwnerChoice[],
  selected: OwnerChoice,
  person: Person,
  now: Millis,
): readonly OwnerOption[] {
  if (choices.length < 2) return [];
  const last = lastChoice(choices);
  const names = choices.map(({ acting }) => acting?.company.name);
  return choices.map(({ ownerId, acting, ...choice }) => ({
    value: ownerId,
    name: acting === undefined ? bothNamesText(signedInAs(person)) : companyName(acting.company, names),
    kind: kindOf({ ownerId, acting, ...choice }, now),
    selected: ownerId === selected.ownerId,
    last: ownerId === last?.ownerId,
  }));
}

/** By the scopes that the app requires: the person may leave out the others, and then needs no admin. */
function kindOf(choice: OwnerChoice, now: Millis): OwnerOption["kind"] {
  if (choice.acting === undefined) return "self";
  const required = choice.scopes.filter(({ optional }) => !optional).map(({ name }) => name);
  const { verdict } = withVerdictOn(choice, required, now);
  return verdict === "ask" || verdict === "blocked" ? verdict : "company";
}

/** Two companies can have the same name, but not the same slug. */
function companyName({ name, slug }: Company, names: readonly (string | undefined)[]): string {
  return names.filter((one) => one === name).length > 1 ? `${name}, ${slug}` : name;
}

/** The card with how many use the app: a question to the database, that only this page needs. */
export async function inPublic(card: ClientCard, { clientId }: Client, tools: FlowTools): Promise<ClientCard> {
  return { ...card, people: await tools.popularity.of(clientId) };
}

/** The lengths of time that the operator allows; selected is what was chosen, or the usual one. */
export function durationChoices(
  allowed: readonly ConsentDuration[],
  again: Pick<Again, "form"> | null,
): readonly DurationChoice[] {
  const chosen = readDuration(again?.form.get("duration") ?? undefined, allowed) ?? defaultDuration(allowed);
  return allowed.map((one) => ({ value: String(one), selected: one === chosen }));
}

/** The scopes as the page offers them, in its language; after a wrong answer with what was ticked and chosen. */
export async function scopeChoices(
  owner: OwnerChoice,
  client: Client,
  language: string,
  again: Pick<Again, "form"> | null,
  tools: FlowTools,
): Promise<ScopeChoice[]> {
  const { scopes, consent, reach } = owner;
  const resources = await tools.authorization.oauth.catalog.resources();
  const now = tools.now();
  const standing = standingScopes(consent, reach, now);
  const approval = approvalFor(owner.acting, reach, now);
  const last = approval === undefined ? null : endOfRule(approval, reach);
  const ends = presentEnds(consent, reach, now);
  const declined = declinedFor(owner, now);
  const { removed } = refusedScopes(consent, reach, now);
  // A sensitive scope, and one that the owner declined or removed, is granted only if the owner ticks it.
  const isOffered = ({ name, sensitive }: Scope) => {
    if (declined.has(name)) return false;
    return standing.has(name) || (!sensitive && !removed.includes(name));
  };
  const ticked = again === null ? null : new Set(again.form.getAll("scope"));
  const chosen = (name: string) => again?.form.get(durationField(name)) ?? "";
  return scopes.map((scope) => ({
    name: scope.name,
    description: descriptionOf(scope, language),
    api: scope.resource === null ? null : (resources.get(scope.resource)?.name ?? scope.resource),
    required: !scope.optional,
    sensitive: scope.sensitive,
    access: scope.access ?? null,
    checked: ticked?.has(scope.name) ?? (!scope.optional || isOffered(scope)),
    granted: standing.has(scope.name) && !(scope.optional && declined.has(scope.name)),
    declined: scope.optional && declined.has(scope.name),
    ...endOf(ends.get(scope.name), last),
    duration:
      readDuration(chosen(scope.name), durationsFor(client, tools.authorization)) === undefined
        ? null
        : chosen(scope.name),
  }));
}

/** `last`: the end of the approval under which a member acts. */
function endOf(endsAt: number | null | undefined, last: number | null): Pick<ScopeChoice, "endsAt"> {
  return endsAt === undefined ? {} : { endsAt: sooner(endsAt, last) };
}
