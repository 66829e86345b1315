/** The consent page: who asks, for what, for how long, as whom. */

import type { Assent } from "../../assent.ts";
import { defaultDuration, standingScopes } from "../../owners/consent.ts";
import type { OwnerChoice } from "../../owners/owner-choice.ts";
import type { Person } from "../../owners/storage.ts";
import { consentPage } from "../../pages/index.ts";
import type { ConsentView, OwnerOption, ScopeChoice } from "../../pages/views.ts";
import { formToken, sealInteraction } from "../forms.ts";
import { contextOf, type Underway } from "../interaction.ts";
import { type Answer, page } from "../message.ts";
import { clientCard, signedInAs } from "./cards.ts";
import { signInAnswer } from "./sign-in-page.ts";

export interface Asking {
  readonly underway: Underway;
  /** For whom this person may answer. */
  readonly choices: readonly OwnerChoice[];
  /** Whom the page selects; what it says of scopes is said for this owner. */
  readonly choice: OwnerChoice;
  readonly allGranted: boolean;
}

/** `again`: what was wrong with the last answer; null: the first time. */
export async function consentAnswer(
  asking: Asking,
  assent: Assent,
  again: { readonly problem: NonNullable<ConsentView["problem"]>; readonly status: number } | null,
): Promise<Answer> {
  const { underway, choices, choice, allGranted } = asking;
  const { request, interaction, visitor, http } = underway;
  const { signedIn } = visitor;
  if (signedIn === undefined) return signInAnswer(underway, assent, null);
  const selected = defaultDuration(assent.config.consentDurations);
  const view: ConsentView = {
    form: {
      csrf: formToken(assent.secrets, `session:${signedIn.session.sessionId}`),
      request: sealInteraction(assent.secrets, visitor.nonce, interaction),
    },
    client: clientCard(request),
    person: signedInAs(signedIn.person),
    owners: ownerOptions(choices, choice, signedIn.person),
    scopes: await scopeChoices(choice, assent),
    durations: assent.config.consentDurations.map((one) => ({ value: String(one), selected: one === selected })),
    allGranted,
    problem: again?.problem ?? null,
  };
  return page(
    again?.status ?? 200,
    consentPage(view, assent.chrome(http, contextOf(underway, assent))),
    "to a client",
    visitor.cookies,
  );
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

/** The scopes as the page offers them. */
export async function scopeChoices(
  { scopes, consent }: Pick<OwnerChoice, "scopes" | "consent">,
  assent: Assent,
): Promise<ScopeChoice[]> {
  const resources = await assent.oauth.catalog.resources();
  const standing = standingScopes(consent, assent.now());
  return scopes.map(({ name, description, resource, optional, sensitive }) => ({
    name,
    description,
    api: resource === null ? null : (resources.get(resource)?.name ?? resource),
    required: !optional,
    sensitive,
    checked: true,
    granted: standing.has(name),
  }));
}
