/** `/login/external`: the way back from the operator's own sign-in page. */

import { hashes } from "../../crypto/node-hashes.ts";
import { BY_PROVIDER, isAsSure } from "../../oauth/authentication-context.ts";
import type { ProfileContext } from "../../owners/account/profile.ts";
import { refused } from "../../owners/authorization/browser-flow.ts";
import { type Accepted, type ExternalChallenge, OWN_PAGE } from "../../owners/identities/external-sign-in.ts";
import { signInElsewhere, subjectAt } from "../../owners/identities/sign-in-elsewhere.ts";
import type { SignInProvider } from "../../owners/identities/sign-in-provider.ts";
import type { UpstreamIdentity } from "../../owners/identities/upstream-identity.ts";
import { useExternalAnswer } from "../../owners/identities/use-external-answer.ts";
import type { ElsewhereProblem } from "../../pages/views.ts";
import { type Arrival, arrivalBehind, isAnswer, onward } from "../authorization/continuation-in-forms.ts";
import { flowAnswer } from "../authorization/show-browser-step.ts";
import { visitorOf } from "../browser-of-request.ts";
import { activeProvider, problemAt } from "../elsewhere/begin.ts";
import { replaces } from "../elsewhere/callback.ts";
import { toConnect } from "../elsewhere/connect.ts";
import { offerAddress } from "../elsewhere/offer-address.ts";
import { type SignInTools, signedInAnswer } from "../endpoints/second-step.ts";
import { secondStepAnswer, waysFor } from "../endpoints/second-step-page.ts";
import { securityAfter } from "../endpoints/security.ts";
import { newsOf } from "../factor-change-input.ts";
import { type Answer, type HttpRequest, redirect } from "../http-message.ts";
import { beganIn, openChallenge, unsealAnswer } from "./challenge.ts";

interface ReturnTools extends SignInTools {
  readonly account: ProfileContext;
}

/** base64url of an HMAC-SHA256. */
const VERIFIER = /^[A-Za-z0-9_-]{43}$/;

export async function finishAtOwnPage(http: HttpRequest, tools: ReturnTools): Promise<Answer> {
  const visitor = await visitorOf(http, tools);
  const nothing = { visitor, http, continuation: undefined, flow: undefined };
  const query = new URLSearchParams(http.query);
  const only = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : null);
  const challenge = openChallenge(only("challenge"), tools.secrets);
  const verifier = only("verifier") ?? "";
  const provider = await activeProvider(OWN_PAGE, tools);
  // In another browser, nothing is said of the request that waits: its values are that browser's.
  if (challenge === undefined || provider === undefined || !beganIn(visitor.nonce, challenge))
    return problemAt(provider, "stale", nothing, tools);
  const arrival = await arrivalBehind(challenge.continuation, visitor, http, tools);
  if (isAnswer(arrival)) return arrival;
  const used = VERIFIER.test(verifier)
    ? await useExternalAnswer(challenge, verifier, {
        ...{ people: tools.elsewhere.people, hashes },
        unseal: (sealed, challengeId) => unsealAnswer(sealed, challengeId, tools.secrets),
      })
    : ({ kind: "unknown" } as const);
  if (used.kind !== "used") return notUsed(used.kind, challenge, provider, arrival, tools);
  const { answer } = used;
  if (answer.kind === "rejected") {
    const { error } = answer;
    tools.event("sign_in_elsewhere_failed", {
      provider: OWN_PAGE,
      fault: "denied",
      detail: error,
      address: http.address,
    });
    if (challenge.connects !== null) return securityAfter("account-failed", visitor.cookies, tools);
    const { flow, continuation } = arrival;
    if (error !== "access_denied" || flow === undefined || continuation?.kind !== "request")
      return problemAt(provider, "denied", arrival, tools);
    const step = refused(
      flow,
      "access_denied",
      { address: http.address, requestId: http.id },
      tools.authorization,
      "person",
    );
    return flowAnswer({ kind: "flow", flow, step }, visitor, http, tools);
  }
  if (challenge.connects !== null)
    return toConnect(challenge.connects, provider, identityOf(answer, provider), visitor, tools);
  return signedInThere(answer, challenge, provider, arrival, tools);
}

/** Late, the browser's back button, or an address that somebody else made. What waits still waits. */
function notUsed(
  why: "unknown" | "over",
  { connects }: ExternalChallenge,
  provider: SignInProvider,
  arrival: Arrival,
  tools: ReturnTools,
): Answer | Promise<Answer> {
  const { visitor, continuation } = arrival;
  if (connects !== null) return securityAfter("account-failed", visitor.cookies, tools);
  if (why === "unknown" || visitor.signedIn === undefined) return problemAt(provider, "stale", arrival, tools);
  return redirect(303, tools.issuer + onward(continuation, visitor, tools), visitor.cookies);
}

function identityOf(
  { subject, email, emailVerified, username, name }: Accepted,
  { issuer }: SignInProvider,
): UpstreamIdentity {
  const said = { issuer, subject, email, emailVerified, username, name, details: {}, picture: null };
  return { ...said, authTime: null, mfa: false, sid: null, groups: [] };
}

async function signedInThere(
  answer: Accepted,
  { provedSince, choose }: ExternalChallenge,
  provider: SignInProvider,
  arrival: Arrival,
  tools: ReturnTools,
): Promise<Answer> {
  const { http } = arrival;
  const { people } = tools.elsewhere;
  const identity = identityOf(answer, provider);
  const failed = (fault: ElsewhereProblem | "disabled") => {
    tools.event("sign_in_elsewhere_failed", { provider: OWN_PAGE, fault, address: http.address });
    return problemAt(provider, fault === "disabled" ? "refused" : fault, arrival, tools);
  };
  // Nobody becomes somebody else without having asked for it, and nobody gets a second account by accident.
  const refusal = await replaces({ provider, identity, choose }, arrival, tools);
  if (refusal !== undefined) return failed(refusal);
  const outcome = await signInElsewhere(provider, identity, newsOf(http, tools), people);
  if (outcome.kind === "refused") return failed(outcome.reason);
  const { person, made } = outcome;
  if (made) await offerAddress(person, identity, http, tools);
  // A proof that was asked for came after the question, whatever the page's clock says.
  const authTime = Math.min(Math.max(answer.authTime, provedSince), tools.now());
  const subject = subjectAt(provider, identity);
  const upstream = subject && { upstream: { subject, sid: null } };
  const amr = [...BY_PROVIDER.amr, ...answer.amr];
  const by = { acr: answer.acr, amr, authTime, ...upstream };
  if (isAsSure(answer.acr, "mfa")) return signedInAnswer(person, by, arrival, tools);
  const ways = await waysFor({ person }, "mfa", tools);
  if (!ways.codes) return signedInAnswer(person, by, arrival, tools);
  return secondStepAnswer(arrival, ways, { person, authTime, sessionId: null, amr, ...upstream }, tools);
}
