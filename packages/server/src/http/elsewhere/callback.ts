/** `/login/provider/{id}/callback`: the way back from another provider (OpenID Connect Core §3.1.2.5). */

import { hashes } from "../../crypto/node-hashes.ts";
import { BY_PROVIDER, BY_PROVIDER_WITH_SECOND_FACTOR } from "../../oauth/authentication-context.ts";
import type { Millis } from "../../oauth/model.ts";
import type { ProfileContext } from "../../owners/account/profile.ts";
import { isIdentityOf, signInElsewhere, subjectAt } from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import type { UpstreamIdentity } from "../../owners/identities/upstream-identity.ts";
import type { Person } from "../../owners/person.ts";
import type { ElsewhereProblem } from "../../pages/views.ts";
import { type Arrival, arrivalBehind, isAnswer, onward } from "../authorization/continuation-in-forms.ts";
import { visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { finishTry, type OwnProviderTools } from "../endpoints/company-provider.ts";
import { isStillThere, type SignInTools, signedInAnswer } from "../endpoints/second-step.ts";
import { secondStepAnswer, waysFor } from "../endpoints/second-step-page.ts";
import { securityAfter } from "../endpoints/security.ts";
import { newsOf } from "../factor-change-input.ts";
import { type Answer, type HttpRequest, redirect } from "../http-message.ts";
import {
  activeProvider,
  attemptOf,
  begin,
  closedAnswer,
  needsSecondFactor,
  OLDEST_SIGN_IN,
  problemAt,
} from "./begin.ts";
import { toConnect } from "./connect.ts";
import { offerAddress } from "./offer-address.ts";
import { withPostedName } from "./posted-callback.ts";
import { type ElsewhereState, openState, STATE_TTL } from "./state.ts";

type CallbackTools = SignInTools & OwnProviderTools & { readonly account: ProfileContext };

/** How much the clocks of two servers may differ. */
const CLOCK_TOLERANCE = 60_000;

export async function finishSignIn(http: HttpRequest, tools: CallbackTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const nothing = { visitor, http, continuation: undefined, flow: undefined };
  const states = new URLSearchParams(http.query).getAll("state");
  const sealed = states.length === 1 ? (states[0] ?? null) : null;
  const state = openState(sealed, visitor.nonce, tools.secrets);
  // Each provider has its own callback, so that an answer of one is never taken for an answer of another (RFC 9700
  // §4.4.2).
  if (sealed === null || state === undefined || state.providerId !== http.params["provider"])
    return problemAt(undefined, "stale", nothing, tools);
  if (state.tries === true) return finishTry(state, sealed, visitor, http, tools);
  const arrival = await arrivalBehind(state.continuation, visitor, http, tools);
  if (isAnswer(arrival)) return arrival;
  // What waits behind a sign-in that took too long still waits.
  if (tools.now() - state.begunAt > STATE_TTL) return tooLate(state, arrival, tools);
  const used = { kind: "sign-in elsewhere", key: hashes.sha256(state.nonce), now: tools.now() };
  if (!(await tools.elsewhere.useOnce({ ...used, until: state.begunAt + STATE_TTL })))
    return spent(state, arrival, tools);
  const provider = await activeProvider(state.providerId, tools);
  if (provider === undefined) return tooLate(state, arrival, tools);
  if (refusesChooser(state, http)) return withoutChooser(provider, state, arrival, tools);
  const finished = await tools.elsewhere.finish(provider, attemptOf(state, sealed, tools), withoutUser(http.query));
  const failure = finished.kind === "failed" ? finished : unproved(provider, finished.identity, state);
  if (finished.kind === "failed" || failure !== undefined) {
    const { fault = "unverified", detail = "" } = failure ?? {};
    tools.event("sign_in_elsewhere_failed", { provider: provider.id, fault, detail, address: http.address });
    if (state.connects !== null) return securityAfter("account-failed", visitor.cookies, tools);
    return problemAt(provider, fault, arrival, tools, state.stepsUp);
  }
  const identity = withPostedName(finished.identity, new URLSearchParams(http.query), tools);
  if (state.connects !== null) return toConnect(state.connects, provider, identity, visitor, tools);
  if (tools.now() - (identity.authTime ?? tools.now()) > OLDEST_SIGN_IN && !state.fresh) {
    // A person who chose another account still means that one.
    const { choose, stepsUp = false } = state;
    const asked = { connects: null, fresh: true, choose, noChooser: true, stepsUp, loginHint: identity.email };
    return begin(provider, { ...asked, mfa: stepsUp || needsSecondFactor(arrival) }, arrival, tools);
  }
  return signedInThere({ provider, identity, state }, arrival, tools);
}

/**
 * The provider was asked to let the person choose an account, and refused the request as a whole. Providers that don't
 * know `prompt=select_account` answer that, and seldom say in their metadata which values they know.
 */
function refusesChooser({ choose, noChooser }: ElsewhereState, { query }: HttpRequest): boolean {
  return choose && noChooser !== true && new URLSearchParams(query).get("error") === "invalid_request";
}

/** Asks once more, for a new sign-in instead. The state remembers it, so there is no third time. */
async function withoutChooser(
  provider: SignInProvider,
  { connects, fresh }: ElsewhereState,
  arrival: Arrival,
  tools: CallbackTools,
): Promise<Answer> {
  const asked = { connects, fresh, choose: true, noChooser: true, mfa: needsSecondFactor(arrival), loginHint: null };
  const answer = await begin(provider, asked, arrival, tools);
  if (connects === null || answer.status === 303) return answer;
  return securityAfter("account-failed", arrival.visitor.cookies, tools);
}

/** Without the name that this server added. */
function withoutUser(query: string): string {
  const parameters = new URLSearchParams(query);
  if (!parameters.has("user")) return query;
  parameters.delete("user");
  return parameters.toString();
}

/** What came back from a provider. */
interface Back {
  readonly provider: SignInProvider;
  readonly identity: UpstreamIdentity;
  readonly state: ElsewhereState;
}

/**
 * When the person proved there who they are. `state`: they were asked to prove it since then, or were not asked. Somebody
 * whose provider does not say when counts as signed in as early as it may be, so that the sign-in is never recent enough
 * for what needs a recent one. `made`: the account is new, so it has nothing yet that a recent sign-in protects.
 */
function authTimeOf({ provider, identity, state }: Back, made: boolean, now: Millis): Millis {
  const { authTime } = identity;
  if (authTime === null) return state.fresh || provider.believeFresh === true || made ? now : now - OLDEST_SIGN_IN;
  // A proof that was asked for came after the question, whatever the provider's clock says.
  const earliest = state.fresh ? state.begunAt : 0;
  return Math.min(Math.max(authTime, earliest), now);
}

/**
 * The provider's subject can't be one (OpenID Connect Core §2). Or it was asked to make the person prove who they are,
 * and says that they did so before, or does not say when.
 */
function unproved(provider: SignInProvider, identity: UpstreamIdentity, { fresh, begunAt }: ElsewhereState) {
  if (subjectAt(provider, identity) === undefined)
    return { fault: "unverified", detail: "sub must be 1 to 255 printable characters" } as const;
  const { authTime } = identity;
  if (!fresh) return undefined;
  if (authTime === null)
    return provider.believeFresh === true ? undefined : ({ fault: "not_fresh", detail: "no auth_time" } as const);
  if (authTime >= begunAt - CLOCK_TOLERANCE) return undefined;
  return { fault: "unverified", detail: "auth_time is before the request" } as const;
}

/** The way back took too long, or the provider was disabled or deleted meanwhile: then nobody can start again. */
async function tooLate(
  { connects, providerId, stepsUp = false }: ElsewhereState,
  arrival: Arrival,
  tools: CallbackTools,
): Promise<Answer> {
  const provider = await activeProvider(providerId, tools);
  if (connects !== null) {
    return securityAfter(provider === undefined ? "account-closed" : "account-failed", arrival.visitor.cookies, tools);
  }
  return provider === undefined
    ? closedAnswer(providerId, arrival, tools, stepsUp)
    : problemAt(provider, "stale", arrival, tools, stepsUp);
}

/** The callback was opened a second time, for example with the browser's back button. */
function spent(state: ElsewhereState, arrival: Arrival, tools: CallbackTools): Answer | Promise<Answer> {
  const { visitor } = arrival;
  if (visitor.signedIn === undefined) return problemAt(undefined, "stale", arrival, tools);
  const to = state.connects === null ? onward(arrival.continuation, visitor, tools) : "/account/security";
  return redirect(303, tools.issuer + to, visitor.cookies);
}

/**
 * Why that identity must not be signed in here, although it is genuine: it would replace the person who is signed in, or
 * it is not the person whom the app expects. `another`: somebody confirms who they are, so only their own identities
 * count. Undefined: it may.
 */
export async function replaces(
  { provider, identity, choose }: Pick<Back, "provider" | "identity"> & { readonly choose: boolean },
  { visitor, continuation, flow }: Arrival,
  { elsewhere: { people } }: Pick<FlowTools, "elsewhere">,
): Promise<"another" | "other_person" | "unexpected" | undefined> {
  const is = (person: Pick<Person, "personId">) => isIdentityOf(person, provider, identity, people);
  const present = visitor.signedIn?.person;
  if (present !== undefined && continuation?.kind === "account_page")
    return (await is(present)) ? undefined : "another";
  const expected = flow?.request.expectedPeople ?? null;
  if (expected !== null) {
    const known = await Promise.all(expected.map((personId) => is({ personId })));
    if (!known.includes(true)) return "unexpected";
  }
  return present === undefined || choose || (await is(present)) ? undefined : "other_person";
}

async function signedInThere(back: Back, arrival: Arrival, tools: CallbackTools): Promise<Answer> {
  const { provider, identity } = back;
  const { http } = arrival;
  // Nobody becomes somebody else without having asked for it, and nobody gets a second account by accident.
  const { choose, stepsUp = false } = back.state;
  const replaced = await replaces({ ...back, choose }, arrival, tools);
  // Without the second step, the sign-in there would change nothing for the person who is signed in.
  const useless = stepsUp && !identity.mfa && arrival.visitor.signedIn !== undefined ? "no_second_step" : undefined;
  const refusal = replaced ?? useless;
  if (refusal !== undefined) {
    tools.event("sign_in_elsewhere_failed", { provider: provider.id, fault: refusal, address: http.address });
    return problemAt(provider, refusal, arrival, tools, stepsUp);
  }
  const signed = await signInElsewhere(provider, identity, newsOf(http, tools), tools.elsewhere.people);
  const gone = signed.kind === "signed_in" && !(await isStillThere(signed.person, tools));
  const outcome = gone ? ({ kind: "refused", reason: "disabled" } as const) : signed;
  if (outcome.kind === "refused") {
    const { reason } = outcome;
    tools.event("sign_in_elsewhere_failed", { provider: provider.id, fault: reason, address: http.address });
    return problemAt(provider, problemOf(reason, provider), arrival, tools, stepsUp);
  }
  const { person, made, follows } = outcome;
  const authTime = authTimeOf(back, made, tools.now());
  if (made) await offerAddress(person, identity, http, tools);
  const { picture } = identity;
  if (picture !== null && (made || follows)) tools.elsewhere.takePicture(person, picture, follows);
  const ways = await waysFor({ person }, "mfa", tools);
  const subject = subjectAt(provider, identity);
  // The provider may say later that this sign-in is over.
  const company = provider.company && {
    company: { partition: provider.company.partition, companyId: provider.company.companyId },
  };
  const upstream = subject && { upstream: { subject, sid: identity.sid, ...company } };
  // Only a second factor that the operator recognizes makes this server's own unnecessary.
  const proof = identity.mfa ? BY_PROVIDER_WITH_SECOND_FACTOR : BY_PROVIDER;
  if (identity.mfa || !ways.codes) return signedInAnswer(person, { ...proof, authTime, ...upstream }, arrival, tools);
  const partial = { person, authTime, sessionId: null, amr: BY_PROVIDER.amr, ...upstream };
  return secondStepAnswer(arrival, ways, partial, tools);
}

type Refused = Extract<Awaited<ReturnType<typeof signInElsewhere>>, { readonly kind: "refused" }>["reason"];

/** People of a company can do something else about it. */
function problemOf(reason: Refused, { company }: SignInProvider): ElsewhereProblem {
  if (reason === "disabled") return "refused";
  if (company === undefined) return reason;
  return reason === "stranger" ? "not_member" : reason === "address_taken" ? "company_address" : reason;
}
