/** `/login/provider`: the way to the sign-in at another provider. */

import { randomText } from "../../crypto/random.ts";
import { signInPolicy } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import { advanceDevice } from "../../owners/authorization/device-flow.ts";
import { isReplaced } from "../../owners/identities/external-sign-in.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import type { Attempt } from "../../owners/identities/upstream-identity.ts";
import type { ElsewhereProblem, NotSignedInElsewhere } from "../../pages/views.ts";
import {
  type Arrival,
  arrivalOf,
  type FormArrival,
  isAnswer,
  readerOf,
} from "../authorization/continuation-in-forms.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { deviceStepUpAnswer, stepUpAnswer } from "../endpoints/second-step-page.ts";
import { signInAnswer } from "../endpoints/sign-in-page.ts";
import { problemAnswer } from "../error-page.ts";
import { addressOfPage, type Going, goingFrom } from "../external/go.ts";
import { isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, redirect } from "../http-message.ts";
import { type ElsewhereState, MAX_STATE, sealState } from "./state.ts";

/** A button of the sign-in page. */
export async function submitProvider(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const arrival = await arrivalOf(http, tools);
  if (isAnswer(arrival)) return arrival;
  const { form, visitor } = arrival;
  if (!isFormToken(form, visitor, tools)) {
    return signInAnswer(arrival, tools, { problem: { kind: "stale" }, username: "", status: 403 });
  }
  const id = form.get("provider") ?? "";
  const provider = await activeProvider(id, tools);
  if (provider === undefined) return closedAnswer(id, arrival, tools, stepsUp(form));
  return beginSignIn(provider, null, arrival, tools);
}

/** The active provider with that id. */
export async function activeProvider(
  id: string,
  { elsewhere, config }: FlowTools,
): Promise<SignInProvider | undefined> {
  const provider = (await elsewhere.providers()).get(id);
  // Where the operator's own page has replaced the sign-in, the other providers are closed, too.
  if (provider?.status !== "active" || (isReplaced(config.externalSignIn) && provider.ownPage !== "only"))
    return undefined;
  return provider;
}

/** `typed`: the address that the person typed. Null: none. */
export function beginSignIn(
  provider: SignInProvider,
  typed: string | null,
  arrival: FormArrival,
  tools: FlowTools,
): Promise<Answer> {
  const { visitor, form, flow } = arrival;
  const onlyFactor = stepsUp(form);
  if (provider.ownPage !== undefined) {
    const lacks = onlyFactor && flow === undefined ? ({ lacks: "mfa" } as const) : {};
    return toOwnPage({ ...goingFrom(arrival), typed, ...lacks }, arrival, tools);
  }
  const prompt = flow?.request.prompt ?? [];
  const choose = form.get("switch") === "yes" || prompt.includes("select_account");
  // Somebody who is signed in, and is asked to sign in, has to prove again who they are. So has whoever an app asks.
  // Somebody who only lacks a second factor proves that one alone.
  const again = visitor.signedIn !== undefined && !choose && !onlyFactor;
  const fresh = again || prompt.includes("login") || flow?.request.maxAge != null;
  const loginHint = typed ?? flow?.request.loginHint ?? null;
  const mfa = onlyFactor || needsSecondFactor(arrival);
  return begin(provider, { connects: null, fresh, choose, mfa, loginHint, stepsUp: onlyFactor }, arrival, tools);
}

/** The button was on the page of the second step. */
function stepsUp(form: URLSearchParams): boolean {
  return form.get("only") === "second-factor";
}

/** An app's request waits that needs a second factor. */
export function needsSecondFactor({ flow }: Pick<Arrival, "flow">): boolean {
  return flow !== undefined && signInPolicy([...flow.request.scopes, flow.request]).acr === "mfa";
}

/** Redirects to the operator's own page. */
async function toOwnPage(going: Going, arrival: Arrival, tools: FlowTools): Promise<Answer> {
  const page = tools.config.externalSignIn;
  const address = page === null ? undefined : addressOfPage(page, going, arrival, tools);
  if (address === undefined) return problemAnswer("parameter_too_long", arrival.http, tools);
  return redirect(303, address, arrival.visitor.cookies);
}

export interface Beginning
  extends Pick<ElsewhereState, "connects" | "tries" | "fresh" | "choose" | "noChooser" | "stepsUp"> {
  readonly mfa: boolean;
  readonly loginHint: string | null;
}

/** Redirects to the provider. */
export async function begin(
  provider: SignInProvider,
  { connects, tries = false, fresh, choose, noChooser = false, stepsUp = false, mfa, loginHint }: Beginning,
  arrival: Arrival,
  tools: FlowTools,
): Promise<Answer> {
  const { visitor, continuation, http } = arrival;
  if (provider.ownPage !== undefined) return toOwnPage({ ...goingFrom(arrival), connects }, arrival, tools);
  const state: ElsewhereState = {
    ...{ providerId: provider.id, connects, nonce: randomText(32), codeVerifier: randomText(32) },
    ...{ begunAt: tools.now(), fresh, choose, noChooser, stepsUp, continuation, tries },
  };
  const sealed = sealState(state, visitor.nonce, tools.secrets);
  // Only a request of an unusual size is that long. The person can still sign in with another way.
  if (sealed.length > MAX_STATE) return problemAt(provider, "too_long", arrival, tools, stepsUp);
  const uiLocales = tools.chrome(http).words.language;
  const wishes = { fresh, choose, noChooser, mfa, loginHint: loginHint?.slice(0, 254) ?? null, uiLocales };
  const begun = await tools.elsewhere.begin(provider, attemptOf(state, sealed, tools), wishes);
  if (begun.kind === "begun") return redirect(303, begun.location, visitor.cookies);
  const { fault, detail } = begun;
  tools.event("sign_in_elsewhere_failed", { provider: provider.id, fault, detail, address: http.address });
  return problemAt(provider, fault, arrival, tools, stepsUp);
}

export function attemptOf(
  { providerId, nonce, codeVerifier, begunAt }: ElsewhereState,
  state: string,
  { issuer }: Pick<FlowTools, "issuer">,
): Attempt {
  return { redirectUri: `${issuer}/login/provider/${providerId}/callback`, state, nonce, codeVerifier, begunAt };
}

const STATUS: Readonly<Partial<Record<ElsewhereProblem, number>>> = { denied: 200, unreachable: 503 };
/** Seconds after which a provider that did not answer may be back. */
const AGAIN = 60;
const REFUSED: readonly ElsewhereProblem[] = [
  ...(["stranger", "refused", "domain", "address_taken"] as const),
  ...(["another", "other_person", "unexpected", "not_fresh", "no_second_step"] as const),
  ...(["no_group", "other_company", "too_many", "not_member", "company_address"] as const),
];

/**
 * The sign-in page, with what went wrong at the provider. What waits still waits. A company's provider has no button
 * there otherwise, so its people could not try again. `stepsUp`: the page of the second step instead, for the person who
 * is still signed in.
 */
export async function problemAt(
  provider: SignInProvider | undefined,
  why: ElsewhereProblem,
  arrival: Arrival,
  tools: FlowTools,
  stepsUp = false,
): Promise<Answer> {
  const status = STATUS[why] ?? (REFUSED.includes(why) ? 403 : 400);
  const problem = { kind: "elsewhere", why, provider: provider?.name ?? "" } as const;
  const step = stepsUp ? await secondStepAfter(problem, arrival, tools) : undefined;
  const answer =
    step === undefined
      ? await signInAnswer(arrival, tools, {
          problem: { ...problem, only: isReplaced(tools.config.externalSignIn) },
          ...{ username: usernameOf(arrival), status },
          ...(provider?.company && provider.status === "active" && { tried: provider }),
        })
      : { ...step, status };
  return why === "unreachable" ? { ...answer, headers: { ...answer.headers, "retry-after": String(AGAIN) } } : answer;
}

/** The page on which the button was. Undefined: nobody is signed in any more, or nothing waits that needs the step. */
async function secondStepAfter(
  problem: NotSignedInElsewhere,
  arrival: Arrival,
  tools: FlowTools,
): Promise<Answer | undefined> {
  const { flow, continuation, visitor } = arrival;
  if (visitor.signedIn === undefined) return undefined;
  // A provider is offered for this level alone.
  if (flow !== undefined) return stepUpAnswer({ ...arrival, flow }, visitor.signedIn, "mfa", tools, problem);
  if (continuation?.kind !== "device") return undefined;
  const step = await advanceDevice(continuation, readerOf(arrival, tools), tools.authorization);
  if (step.kind !== "step_up") return undefined;
  return deviceStepUpAnswer({ ...arrival, continuation: step.continuation }, step, tools, problem);
}

/** The sign-in page for somebody whose provider was disabled or deleted while the page was open. What waits still waits. */
export async function closedAnswer(id: string, arrival: Arrival, tools: FlowTools, stepsUp: boolean): Promise<Answer> {
  const known = (await tools.elsewhere.providers()).get(id);
  const why = known === undefined ? "gone" : known.company === undefined ? "closed" : "company_closed";
  return problemAt(known, why, arrival, tools, stepsUp);
}

/** What the form had, so that nobody has to type it again. */
function usernameOf({ http, continuation, visitor }: Arrival): string {
  const typed = http.method === "POST" ? formOf(http).get("username") : null;
  const confirms = continuation?.kind === "account_page" ? visitor.signedIn?.person.username : undefined;
  return typed?.slice(0, 254) ?? confirms ?? "";
}

/** An older sign-in at the provider does not begin a session here: it would end at once, or soon. */
export const OLDEST_SIGN_IN: Millis = 7 * 86_400_000;
