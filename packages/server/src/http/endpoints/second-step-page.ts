/** The second step of a sign-in: which ways this person has, and the page that asks for one. */

import { relyingPartyOf } from "../../crypto/passkeys.ts";
import type { Acr, Client } from "../../oauth/model.ts";
import type { SecondStepView } from "../../pages/factor-views.ts";
import { secondStepPage, strongerPage } from "../../pages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken, sealInteraction } from "../forms.ts";
import { contextOf, type Underway } from "../interaction.ts";
import { type Answer, page } from "../message.ts";
import { type Partial, sealPartial } from "../partial-sign-in.ts";
import { passkeyOffer } from "../passkeys.ts";
import type { Visitor } from "../visitor.ts";
import { clientCard, deviceCard, signedInAs } from "./cards.ts";
import { type Arrival, formSecrets, onward } from "./sign-in-page.ts";

/** Ways that are left for the second step. */
export interface Ways {
  readonly codes: boolean;
  readonly passkeys: boolean;
}

/** Which of them reach `wanted`. */
export async function waysOf({ person }: Pick<Partial, "person">, wanted: Acr, assent: Assent): Promise<Ways> {
  const key = { partition: person.partition, personId: person.personId };
  const possible = relyingPartyOf(assent.issuer) !== undefined;
  const [factor, passkeys] = await Promise.all([
    wanted === "phr" ? undefined : assent.storage.getSecondFactor(key),
    possible ? assent.storage.listPasskeys(key) : [],
  ]);
  return { codes: factor !== undefined, passkeys: passkeys.length > 0 };
}

export function secondStepAnswer(
  arrival: Omit<Arrival, "form">,
  { codes, passkeys }: Ways,
  partial: Partial,
  assent: Assent,
  problem: SecondStepView["problem"] = null,
): Answer {
  const { visitor, underway, http } = arrival;
  const chrome = assent.chrome(
    http,
    underway === undefined ? { here: onward(arrival, assent) } : contextOf(underway, assent),
  );
  const view: SecondStepView = {
    form: formSecrets(arrival, assent),
    partial: sealPartial(partial, visitor, assent),
    client: underway === undefined ? null : clientCard(underway.request, chrome.words.language),
    person: signedInAs(partial.person),
    codes,
    passkey: passkeys ? passkeyOffer(visitor, assent) : null,
    over: partial.sessionId === null ? overAgain(arrival, assent) : null,
    problem,
  };
  const status = problem?.kind === "throttled" ? 429 : problem?.kind === "stale" ? 403 : 200;
  return page(status, secondStepPage(view, chrome), underway === undefined ? "here" : "to a client", visitor.cookies);
}

/** Back to the first step. */
function overAgain(arrival: Omit<Arrival, "form">, assent: Assent): string {
  const { underway, device, invitation } = arrival;
  const nothing = underway === undefined && device === undefined && invitation === undefined;
  return nothing ? "/login" : onward({ ...arrival, to: undefined }, assent);
}

/** What is missing of a sign-in that was good for less: the step alone, or the way to set one up. The time of the sign-in stays what it was. */
export async function stepUpAnswer(
  underway: Underway,
  { person, session }: NonNullable<Visitor["signedIn"]>,
  wanted: Exclude<Acr, "1fa">,
  assent: Assent,
): Promise<Answer> {
  const partial = { person, authTime: session.authTime, sessionId: session.sessionId };
  const ways = await waysOf(partial, wanted, assent);
  if (!ways.codes && !ways.passkeys) return strongerAnswer(underway, wanted, assent);
  return secondStepAnswer(arrivalWith(underway), ways, partial, assent);
}

/** The same on the way to a device. */
export async function deviceStepAnswer(
  at: Pick<Arrival, "visitor" | "http" | "device">,
  { person, session }: NonNullable<Visitor["signedIn"]>,
  { client, wanted }: { readonly client: Client; readonly wanted: Exclude<Acr, "1fa"> },
  assent: Assent,
): Promise<Answer> {
  const partial = { person, authTime: session.authTime, sessionId: session.sessionId };
  const ways = await waysOf(partial, wanted, assent);
  const arrival = { ...at, underway: undefined, invitation: undefined, to: undefined };
  if (ways.codes || ways.passkeys) return secondStepAnswer(arrival, ways, partial, assent);
  const chrome = assent.chrome(at.http, { here: onward(arrival, assent) });
  const passkeys = relyingPartyOf(assent.issuer) !== undefined;
  const view = { form: null, client: deviceCard(client, chrome.words.language), wanted, passkeys, request: null };
  return page(200, strongerPage(view, chrome), "here", at.visitor.cookies);
}

function arrivalWith(underway: Underway): Omit<Arrival, "form"> {
  const { visitor, http } = underway;
  return { visitor, http, underway, device: undefined, invitation: undefined, to: undefined };
}

/** Nothing that this person has is strong enough. */
function strongerAnswer(underway: Underway, wanted: Exclude<Acr, "1fa">, assent: Assent): Answer {
  const { request, interaction, visitor, http } = underway;
  const chrome = assent.chrome(http, contextOf(underway, assent));
  const sealed = sealInteraction(assent.secrets, visitor.nonce, interaction);
  const view = {
    form: { csrf: formToken(assent.secrets, `browser:${visitor.nonce}`), request: sealed },
    client: clientCard(request, chrome.words.language),
    wanted,
    passkeys: relyingPartyOf(assent.issuer) !== undefined,
    request: sealed,
  };
  return page(200, strongerPage(view, chrome), "to a client", visitor.cookies);
}
