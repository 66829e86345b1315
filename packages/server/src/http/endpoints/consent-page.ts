/** The consent page: who asks, for what, for how long, as whom. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import type { Client } from "../../oauth/model.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import {
  defaultDuration,
  durationField,
  offeredDurations,
  readDuration,
  standingScopes,
} from "../../owners/consent.ts";
import { hostsBefore } from "../../owners/consent-record.ts";
import type { OwnerChoice } from "../../owners/owner-choice.ts";
import type { ConsentDuration, Person } from "../../owners/storage.ts";
import { consentPage } from "../../pages/index.ts";
import type { ClientCard, ConsentView, DurationChoice, OwnerOption, ScopeChoice } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken, sealInteraction } from "../forms.ts";
import { contextOf, type Underway } from "../interaction.ts";
import { type Answer, page } from "../message.ts";
import { clientCard, descriptionOf, signedInAs } from "./cards.ts";
import { signInAnswer } from "./sign-in-page.ts";

export interface Asking {
  readonly underway: Underway;
  /** For whom this person may answer. */
  readonly choices: readonly OwnerChoice[];
  /** Whom the page selects; what it says of scopes is said for this owner. */
  readonly choice: OwnerChoice;
  readonly allGranted: boolean;
}

/** What was wrong with an answer, and what it was: it stays as it was chosen. */
export interface Again {
  readonly problem: NonNullable<ConsentView["problem"]>;
  readonly status: number;
  readonly form: URLSearchParams;
}

/** `again`: what was wrong with the last answer; null: the first time. */
export async function consentAnswer(asking: Asking, assent: Assent, again: Again | null): Promise<Answer> {
  const { underway, choices, choice, allGranted } = asking;
  const { request, interaction, visitor, http } = underway;
  const { signedIn } = visitor;
  if (signedIn === undefined) return signInAnswer(underway, assent, null);
  const chrome = assent.chrome(http, contextOf(underway, assent));
  const { language } = chrome.words;
  const view: ConsentView = {
    form: {
      csrf: formToken(assent.secrets, `session:${signedIn.session.sessionId}`),
      request: sealInteraction(assent.secrets, visitor.nonce, interaction),
    },
    client: await inPublic(clientCard(request, language), request.client, assent),
    person: signedInAs(signedIn.person),
    owners: ownerOptions(choices, choice, signedIn.person),
    scopes: await scopeChoices(choice, request.client, language, again, assent),
    durations: durationChoices(durationsFor(request.client, assent), again),
    ...newHost(choice, request.redirectUri, assent),
    allGranted,
    problem: again?.problem ?? null,
  };
  return page(again?.status ?? 200, consentPage(view, chrome), "to a client", visitor.cookies);
}

/** The host of the request, where the owner allowed the client for other hosts alone. */
function newHost({ consent, reach }: OwnerChoice, redirectUri: string, assent: Assent): Pick<ConsentView, "newHost"> {
  const before = hostsBefore(consent, reach, assent.now());
  return before === undefined ? {} : { newHost: { host: redirectHost(redirectUri), before: before.map(redirectHost) } };
}

/** The owners as the page offers them; none where there is nothing to choose. */
export function ownerOptions(
  choices: readonly OwnerChoice[],
  selected: OwnerChoice,
  person: Person,
): readonly OwnerOption[] {
  if (choices.length < 2) return [];
  const { name } = signedInAs(person);
  return choices.map(({ ownerId, acting, verdict }) => ({
    value: ownerId,
    name: acting?.company.name ?? name,
    kind: acting === undefined ? "self" : verdict === "ask" ? "ask" : verdict === "blocked" ? "blocked" : "company",
    selected: ownerId === selected.ownerId,
  }));
}

/** The card with how many use the app: a question to the database, that only this page needs. */
export async function inPublic(card: ClientCard, { clientId }: Client, assent: Assent): Promise<ClientCard> {
  return { ...card, people: await assent.popularity.of(clientId, assent) };
}

/** The lengths of time that owners may choose for a client. */
export function durationsFor(client: Client, { config, oauth }: Assent): readonly ConsentDuration[] {
  return offeredDurations(config.consentDurations, ceilingOf(client, oauth.policy));
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
  { scopes, consent, reach }: Pick<OwnerChoice, "scopes" | "consent" | "reach">,
  client: Client,
  language: string,
  again: Pick<Again, "form"> | null,
  assent: Assent,
): Promise<ScopeChoice[]> {
  const resources = await assent.oauth.catalog.resources();
  const standing = standingScopes(consent, reach, assent.now());
  const ticked = again === null ? null : new Set(again.form.getAll("scope"));
  const chosen = (name: string) => again?.form.get(durationField(name)) ?? "";
  return scopes.map((scope) => ({
    name: scope.name,
    description: descriptionOf(scope, language),
    api: scope.resource === null ? null : (resources.get(scope.resource)?.name ?? scope.resource),
    required: !scope.optional,
    sensitive: scope.sensitive,
    access: scope.access ?? null,
    checked: ticked?.has(scope.name) ?? true,
    granted: standing.has(scope.name),
    duration: readDuration(chosen(scope.name), durationsFor(client, assent)) === undefined ? null : chosen(scope.name),
  }));
}
