/** The second step of a sign-in: the page that asks for it, and the page that says that no factor is strong enough. */

import { relyingPartyOf } from "../../crypto/passkeys.ts";
import { BY_PROVIDER, isAsSure, signInPolicy } from "../../oauth/authentication-context.ts";
import type { Acr, Client } from "../../oauth/model.ts";
import type { SignedIn } from "../../owners/authorization/context.ts";
import { providersOf } from "../../owners/identities/sign-in-elsewhere.ts";
import type { Person } from "../../owners/person.ts";
import { type Ways, waysOf } from "../../owners/second-step.ts";
import { authenticationOf } from "../../owners/session-lifetime-and-level.ts";
import type { SecondStepView } from "../../pages/factor-views.ts";
import { secondStepPage, strongerPage } from "../../pages/index.ts";
import type { NotSignedInElsewhere, ProviderButton } from "../../pages/views.ts";
import {
  type Arrival,
  type FlowArrival,
  formSecrets,
  onward,
  pageContextOf,
} from "../authorization/continuation-in-forms.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { addressOfPage, goingFrom } from "../external/go.ts";
import { type Answer, page, redirect } from "../http-message.ts";
import { type Partial, sealPartial } from "../partial-sign-in.ts";
import { passkeyOffer } from "../passkey-forms.ts";
import { clientCard, deviceCard, signedInAs } from "./client-and-person-views.ts";

/** The person's ways that reach `wanted`. */
export function waysFor(
  { person }: Pick<Partial, "person">,
  wanted: Acr,
  tools: Pick<FlowTools, "issuer" | "secondStep">,
): Promise<Ways> {
  return waysOf(person, wanted, relyingPartyOf(tools.issuer) !== undefined, tools.secondStep);
}

export function secondStepAnswer(
  arrival: Arrival,
  { codes, passkeys }: Ways,
  partial: Partial,
  tools: FlowTools,
  problem: SecondStepView["problem"] = null,
  providers: readonly ProviderButton[] = [],
): Answer {
  const { visitor, flow, continuation, http } = arrival;
  const here = onward(continuation, visitor, tools);
  const chrome = tools.chrome(http, flow === undefined ? { here } : pageContextOf({ flow, visitor }, tools));
  const view: SecondStepView = {
    form: formSecrets(continuation, visitor, tools),
    partial: sealPartial(partial, visitor, tools),
    client: flow === undefined ? null : clientCard(flow.request, chrome.words.language),
    person: signedInAs(partial.person),
    codes,
    passkey: passkeys ? passkeyOffer(visitor, tools) : null,
    providers,
    over: partial.sessionId === null ? overAgain(arrival, tools) : null,
    problem,
  };
  const status = problem?.kind === "throttled" ? 429 : problem?.kind === "stale" ? 403 : 200;
  // A button of a provider leads to the provider.
  const leads = flow === undefined && providers.length === 0 ? "here" : "to a client";
  return page(status, secondStepPage(view, chrome), leads, visitor.cookies);
}

/** The page once more, after a step that failed. What the person could choose, they still can. */
export async function secondStepAgain(
  arrival: Arrival,
  partial: Partial,
  problem: SecondStepView["problem"],
  tools: FlowTools,
): Promise<Answer> {
  // Somebody who isn't signed in yet proves a second factor here, whatever waits. They begin again to take another way.
  const stepsUp = partial.sessionId !== null;
  const wanted = stepsUp && needsPasskey(arrival) ? "phr" : "mfa";
  const there = stepsUp ? await secondFactorsElsewhere(partial.person, wanted, tools) : [];
  return secondStepAnswer(arrival, await waysFor(partial, wanted, tools), partial, tools, problem, there);
}

function needsPasskey({ flow }: Pick<Arrival, "flow">): boolean {
  return flow !== undefined && signInPolicy([...flow.request.scopes, flow.request]).acr === "phr";
}

/** Back to the first step, with the continuation. */
function overAgain({ continuation, visitor }: Arrival, tools: FlowTools): string {
  const behind = continuation?.kind === "account_page" ? continuation.behind : continuation;
  return behind === undefined ? "/login" : onward(behind, visitor, tools);
}

/**
 * The missing step of a sign-in that is too weak: the step alone, or the way to set one up. The time of the sign-in
 * does not change. `failed`: why the step at a provider led to nothing.
 */
export async function stepUpAnswer(
  arrival: FlowArrival,
  signedIn: SignedIn,
  wanted: Exclude<Acr, "1fa">,
  tools: FlowTools,
  failed: NotSignedInElsewhere | null = null,
): Promise<Answer> {
  const partial = partialOf(signedIn);
  const ways = await waysFor(partial, wanted, tools);
  const providers = await secondFactorsElsewhere(signedIn.person, wanted, tools);
  const problem = failed ?? (await toldInVain(arrival, signedIn, providers, tools));
  if (ways.codes || ways.passkeys) return secondStepAnswer(arrival, ways, partial, tools, problem, providers);
  const { flow, visitor, http } = arrival;
  const there = failed === null ? await strongerAtPage(arrival, signedIn, wanted, tools) : undefined;
  if (there !== undefined) return redirect(303, there, visitor.cookies);
  const chrome = tools.chrome(http, pageContextOf(arrival, tools));
  const form = formSecrets(flow.continuation, visitor, tools);
  const client = clientCard(flow.request, chrome.words.language);
  const passkeys = relyingPartyOf(tools.issuer) !== undefined;

  const elsewhere = providers.length === 0 ? {} : { elsewhere: { providers, form } };
  const view = { form, client, wanted, passkeys, request: form.request, problem, ...elsewhere };
  return page(200, strongerPage(view, chrome), "to a client", visitor.cookies);
}

/**
 * The sign-in for this request was at a provider that was told that a second step is needed, and it asked for none. Null
 * also if the person has accounts at several providers: a session doesn't say at which of them it began.
 */
async function toldInVain(
  { flow: { request, continuation } }: FlowArrival,
  { person, session }: SignedIn,
  counting: readonly ProviderButton[],
  { elsewhere }: FlowTools,
): Promise<NotSignedInElsewhere | null> {
  const [only] = counting;
  const told = signInPolicy([...request.scopes, request]).acr === "mfa";
  const began =
    session.createdAt >= continuation.startedAt && BY_PROVIDER.amr.every((one) => session.amr.includes(one));
  if (only === undefined || !told || !began) return null;
  const theirs = await providersOf(person, elsewhere);
  if (theirs.length > 1 || theirs.some(({ ownPage }) => ownPage !== undefined)) return null;
  return { kind: "elsewhere", why: "no_second_step", provider: only.name };
}

/**
 * The address of the operator's own page, if it can reach that level, and the person uses it. Undefined: it can't, or it
 * was asked for this request already and did not reach the level.
 */
async function strongerAtPage(
  arrival: FlowArrival,
  { person, session }: SignedIn,
  wanted: Acr,
  tools: FlowTools,
): Promise<string | undefined> {
  const page = tools.config.externalSignIn;
  if (page === null || !reaches(page, wanted)) return undefined;
  if (session.createdAt >= arrival.flow.continuation.startedAt) return undefined;
  const theirs = await providersOf(person, tools.elsewhere);
  return theirs.some(({ ownPage }) => ownPage !== undefined)
    ? addressOfPage(page, goingFrom(arrival), arrival, tools)
    : undefined;
}

function reaches(page: FlowTools["config"]["externalSignIn"], wanted: Acr): boolean {
  return page?.acrValues?.some((acr) => isAsSure(acr, wanted)) === true;
}

/** The person's providers whose second factor counts as this server's own, the operator's own page among them. */
async function secondFactorsElsewhere(
  person: Person,
  wanted: Acr,
  { elsewhere, config }: FlowTools,
): Promise<readonly ProviderButton[]> {
  if (wanted !== "mfa") return [];
  const known = await providersOf(person, elsewhere);
  const counts = known.filter(({ ownPage, mfaAcr = [], mfaAmr = [] }) =>
    ownPage === undefined ? mfaAcr.length + mfaAmr.length > 0 : reaches(config.externalSignIn, wanted),
  );
  return counts.map(({ id, name }) => ({ id, name }));
}

/** The same on the way to a device. */
export async function deviceStepUpAnswer(
  arrival: Arrival,
  wanted: { readonly signedIn: SignedIn; readonly client: Client; readonly acr: Exclude<Acr, "1fa"> },
  tools: FlowTools,
  problem: NotSignedInElsewhere | null = null,
): Promise<Answer> {
  const partial = partialOf(wanted.signedIn);
  const ways = await waysFor(partial, wanted.acr, tools);
  const providers = await secondFactorsElsewhere(wanted.signedIn.person, wanted.acr, tools);
  if (ways.codes || ways.passkeys) return secondStepAnswer(arrival, ways, partial, tools, problem, providers);
  const { visitor, http, continuation } = arrival;
  const chrome = tools.chrome(http, { here: onward(continuation, visitor, tools) });
  const passkeys = relyingPartyOf(tools.issuer) !== undefined;
  const client = deviceCard(wanted.client, chrome.words.language);
  const elsewhere =
    providers.length === 0 ? {} : { elsewhere: { providers, form: formSecrets(continuation, visitor, tools) } };
  const view = { form: null, client, wanted: wanted.acr, passkeys, request: null, problem, ...elsewhere };
  return page(200, strongerPage(view, chrome), providers.length === 0 ? "here" : "to a client", visitor.cookies);
}

function partialOf({ person, session }: SignedIn): Partial {
  const { authTime, sessionId } = session;
  return { person, authTime, sessionId, amr: authenticationOf(session).amr };
}
