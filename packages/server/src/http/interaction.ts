/** An authorization request on its way through sign-in and consent to the client's answer. */

import { sha256 } from "../crypto/credential.ts";
import { derivedId } from "../crypto/id.ts";
import { grantedResponse, implicitUntil } from "../oauth/authorization-endpoint/implicit.ts";
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type RefusedRequest,
} from "../oauth/authorization-endpoint/request.ts";
import { type AuthorizationResponse, errorResponse, travelsAtOnce } from "../oauth/authorization-endpoint/response.ts";
import { ceilingOf } from "../oauth/consent-reach.ts";
import type { ConditionName } from "../oauth/errors.ts";
import { mayUse } from "../oauth/grants/registry.ts";
import type { Scope } from "../oauth/model.ts";
import { parseParameters } from "../oauth/parameters.ts";
import { audienceOf } from "../oauth/resource-indicator.ts";
import type { IssueOutcome, NewGrant } from "../oauth/storage.ts";
import { durationOf, endOf } from "../owners/consent-record.ts";
import { decideOwner, type OwnerChoice, ownerChoices, trustedFrom } from "../owners/owner-choice.ts";
import { signInNeeded } from "../owners/session.ts";
import type { ConsentDuration, Person, Session } from "../owners/storage.ts";
import { formPostPage } from "../pages/index.ts";
import type { Assent } from "../server-parts.ts";
import type { PageContext } from "./chromes.ts";
import { textsOf } from "./endpoints/cards.ts";
import { consentAnswer } from "./endpoints/consent-page.ts";
import { heldErrorAnswer } from "./endpoints/held-error-page.ts";
import { stepUpAnswer } from "./endpoints/second-step-page.ts";
import { signInAnswer } from "./endpoints/sign-in-page.ts";
import { INTERACTION_TTL, type Interaction, openInteraction, sealInteraction } from "./forms.ts";
import { type Answer, type HttpRequest, page, redirect } from "./message.ts";
import { problemAnswer } from "./problem.ts";
import { refusalOf } from "./refusal.ts";
import { noteChallenge } from "./reused-challenges.ts";
import { type Visitor, visitorOf } from "./visitor.ts";

/** All that is known of a request under way. */
export interface Underway {
  readonly request: AuthorizationRequest;
  readonly interaction: Interaction;
  readonly visitor: Visitor;
  readonly http: HttpRequest;
}

/** The request that a form or link carries, checked anew; an answer, where it can't go on. */
export async function resume(
  sealed: string | null,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Underway | Answer> {
  const interaction = sealed === null ? undefined : openInteraction(assent.secrets, visitor.nonce, sealed);
  if (interaction === undefined) return problemAnswer("interaction_unknown", http, assent);
  if (assent.now() - interaction.startedAt > INTERACTION_TTL) {
    return problemAnswer("interaction_expired", http, assent, `/authorize?${interaction.query}`);
  }
  // Client, redirect_uri and scopes may have changed since: they are checked again each time.
  const outcome = await checkAuthorizationRequest(parseParameters(interaction.query), assent.oauth);
  if (outcome.kind === "refused") return refusedRequest(outcome, http, assent);
  return { request: outcome.request, interaction, visitor, http };
}

export function isAnswer(value: Underway | Answer): value is Answer {
  return "status" in value;
}

/** A refused request: by redirect where the client and its redirect_uri are known, else by a page (RFC 6749 §4.1.2.1). */
export async function refusedRequest(
  { error, target }: RefusedRequest,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer> {
  assent.refused(refusalOf(error), http);
  if (target === undefined) return problemAnswer(error.condition, http, assent);
  const { client, silent } = target;
  if (travelsAtOnce(client, silent))
    return toClient(errorResponse(target, error.condition, assent.issuer), assent, http);
  // A form on another site posts without our cookies: nothing could bind the error to this browser, so it ends here.
  if (http.method === "POST" && assent.cookies.read(http, "browser") === undefined) {
    return problemAnswer(error.condition, http, assent);
  }
  const visitor = await visitorOf(http, assent);
  return heldErrorAnswer({ client, target, condition: error.condition }, visitor, http, assent);
}

/** A fault or an outage under prompt=none: nobody looks at a page, so the app is told (RFC 6749 §4.1.2.1). */
export function failedSilently(
  error: unknown,
  request: AuthorizationRequest,
  http: HttpRequest,
  assent: Assent,
): Answer {
  const refusal = refusalOf(error);
  assent.refused(refusal, http, error);
  return toClient(errorResponse(request, refusal.condition, assent.issuer), assent, http);
}

/** The next step of a request: sign in, consent, or the answer to the client. */
export async function advance(underway: Underway, assent: Assent): Promise<Answer> {
  const { request, interaction, visitor } = underway;
  const silent = request.prompt.includes("none");
  const { signedIn } = visitor;
  const now = assent.now();
  const needed = signedIn && signInNeeded(request, request.scopes, signedIn.session, interaction.startedAt, now);
  if (signedIn === undefined || needed === undefined || needed.kind === "sign_in") {
    return silent ? deny(underway, "login_required", assent) : signInAnswer(underway, assent, null);
  }
  if (needed.kind === "step") {
    return silent ? deny(underway, "login_required", assent) : stepUpAnswer(underway, signedIn, needed.acr, assent);
  }
  const { person, session } = signedIn;
  if (person.mustChangePassword) {
    return silent ? deny(underway, "login_required", assent) : newPasswordFirst(underway, assent);
  }
  const choices = await ownersOf(underway, person, assent);
  const decision = decideOwner(request, choices, now);
  if (decision === undefined) return deny(underway, "nothing_grantable", assent);
  const { choice, allGranted } = decision;
  const { scopes } = choice;
  if (decision.kind === "vouched") {
    const approval = {
      choice,
      scopes,
      declined: [],
      duration: "forever",
      via: "first party",
      person,
      session,
    } as const;
    return approveRequest(underway, approval, assent);
  }
  if (decision.kind === "skip") {
    const grant = newGrant(underway, { choice, scopes, person, session, duration: "forever" }, assent);
    const issued = await assent.storage.issueGrant({
      grant,
      address: underway.http.address,
      trustedFrom: trustedFrom(choice, person),
      now,
    });
    if (issued.kind !== "no_consent") return issuedAnswer(issued, grant, underway, assent);
    // It ended between the look and the lock: ask.
  }
  if (silent) return deny(underway, decision.kind === "ambiguous" ? "owner_ambiguous" : "consent_required", assent);
  return consentAnswer({ underway, choices, choice, allGranted }, assent, null);
}

/** The request goes along, and on once a password has been chosen. */
function newPasswordFirst({ interaction, visitor }: Underway, assent: Assent): Answer {
  const request = sealInteraction(assent.secrets, visitor.nonce, interaction);
  return redirect(303, `${assent.issuer}/account/security/password?request=${request}`, visitor.cookies);
}

/** For whom the person may answer this request: at least themselves, unless all that it asks for needs a role that they don't have. */
export function ownersOf({ request }: Underway, person: Person, assent: Assent): Promise<readonly OwnerChoice[]> {
  const ceiling = ceilingOf(request.client, assent.oauth.policy);
  return ownerChoices(person, { ...request, ceiling }, assent.storage, assent.now());
}

/** What is granted, to whom, for how long: by an owner's answer, or by the operator who vouches for a first-party client. */
export interface Approval {
  readonly choice: OwnerChoice;
  readonly scopes: readonly Scope[];
  readonly declined: readonly string[];
  readonly duration: ConsentDuration;
  /** Of single scopes. */
  readonly durations?: Readonly<Record<string, ConsentDuration>>;
  readonly via: "browser" | "first party";
  readonly person: Person;
  readonly session: Session;
}

/** Records the consent with its grant, and answers the client. */
export async function approveRequest(underway: Underway, approval: Approval, assent: Assent): Promise<Answer> {
  const { choice, scopes, declined, duration, durations = {}, via, person } = approval;
  const { language } = assent.chrome(underway.http, contextOf(underway, assent)).words;
  const { client } = underway.request;
  const now = assent.now();
  const onceUntil = now + assent.oauth.policy.codeTtl + assent.oauth.policy.accessTtl;
  const grant = newGrant(underway, approval, assent);
  const { address } = underway.http;
  const from = trustedFrom(choice, person);
  if (choice.verdict === "approved") {
    // Under what an admin approved for all: the answer may be narrower and shorter than that, and changes nothing of it. It ends with its shortest scope.
    const ends = scopes.map(({ name }) => endOf(durationOf(name, approval), now, onceUntil));
    const endsBy = ends.reduce((least, end) => (end === null || (least !== null && least < end) ? least : end), null);
    const chosen = scopes.some(({ name }) => durationOf(name, approval) !== "once");
    const issued = await assent.storage.issueGrant({ grant, address, endsBy, chosen, trustedFrom: from, now });
    return issuedAnswer(issued, grant, underway, assent);
  }
  const outcome = await assent.storage.approve({
    grant,
    grantedBy: person.personId,
    via,
    declined,
    duration,
    ...(via === "browser" ? { texts: textsOf(scopes, language) } : {}),
    durations,
    onceUntil,
    shown: {
      locale: language,
      clientName: client.name,
      logo: client.logo,
    },
    address,
    trustedFrom: from,
    now,
  });
  return issuedAnswer(outcome, grant, underway, assent);
}

/** The grant of an answer. Its id derives from the request and the owner: done twice, it is one grant with one code. For a token it has none. */
export function newGrant(
  { request, interaction }: Underway,
  approval: Pick<Approval, "choice" | "scopes" | "person" | "session" | "duration" | "durations">,
  assent: Assent,
): NewGrant {
  const { client } = request;
  const { choice, scopes, person, session } = approval;
  const lasting = scopes.some(({ name }) => durationOf(name, approval) !== "once");
  const implicit = request.responseType === "token";
  const { partition, ownerId } = choice;
  const whose = ownerId === person.personId ? [ownerId] : [ownerId, person.personId];
  return {
    partition,
    grantId: derivedId(partition, "grant", interaction.nonce, ...whose),
    clientId: client.clientId,
    ownerId,
    personId: person.personId,
    refreshable: mayUse(client, "refresh_token", assent.oauth) && lasting && !implicit,
    codeSaltHash: implicit ? new Uint8Array() : sha256(Buffer.from(interaction.codeSalt, "base64url")),
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    codeChallengeMethod: request.codeChallengeMethod,
    scopes: scopes.map(({ name }) => name),
    ceiling: ceilingOf(client, assent.oauth.policy),
    // Of several APIs one may be left by what the owner may, or wanted to, grant.
    audience: audienceOf(scopes, [], new Map(), assent.issuer),
    authTime: session.authTime,
    acr: session.acr,
    amr: session.amr,
    codeUntil: assent.now() + assent.oauth.policy.codeTtl,
    accessUntil: implicit ? implicitUntil(assent.oauth) : null,
  };
}

/** The code or the token, to the client. The same request answered again gets the same code, while it is unspent, or another token as long. */
async function issuedAnswer(
  outcome: IssueOutcome,
  grant: NewGrant,
  underway: Underway,
  assent: Assent,
): Promise<Answer> {
  const { request, interaction, http } = underway;
  switch (outcome.kind) {
    case "issued":
      assent.event("grant_issued", {
        client_id: request.client.clientId,
        owner: grant.ownerId,
        person: grant.personId,
        scope: outcome.scopes.map(({ name }) => name).join(" "),
      });
      noteChallenge({ ...grant, state: request.state }, assent);
      break;
    case "repeated":
      break;
    case "spent":
      return problemAnswer("interaction_finished", http, assent);
    case "no_consent":
      return deny(underway, "access_denied", assent);
  }
  const salt = Buffer.from(interaction.codeSalt, "base64url");
  const makeCode = () => assent.credentials.make("code", grant.grantId, 0, salt);
  const response = await grantedResponse(request, grant, outcome.scopes, makeCode, assent.oauth);
  return toClient(response, assent, http, underway.visitor.cookies);
}

/** Language and place of the pages of a request: at `/consent` it goes on from where it is. */
export function contextOf({ request, interaction, visitor }: Underway, assent: Assent): PageContext {
  const sealed = sealInteraction(assent.secrets, visitor.nonce, interaction);
  const { accent = null } = request.client;
  return { uiLocales: request.uiLocales, startedAt: interaction.startedAt, accent, here: `/consent?request=${sealed}` };
}

/** An error that the client learns of. `by`: whose doing it is; what the person answers on a page of ours needs no other page. */
export function deny(
  underway: Underway,
  condition: ConditionName,
  assent: Assent,
  by: "server" | "person" = "server",
): Answer {
  const { request, http, visitor } = underway;
  const { clientId: client_id } = request.client;
  assent.event("authorization_denied", { client_id, condition, address: http.address });
  const silent = request.prompt.includes("none");
  if (by === "server" && !travelsAtOnce(request.client, silent)) {
    return heldErrorAnswer({ client: request.client, target: request, condition }, visitor, http, assent);
  }
  return toClient(errorResponse(request, condition, assent.issuer), assent, http, visitor.cookies);
}

/** An answer on its way to the client: by redirect, or by a page that posts it. */
export function toClient(
  response: AuthorizationResponse,
  assent: Assent,
  http: HttpRequest,
  cookies: readonly string[] = [],
): Answer {
  if (response.kind === "location") return redirect(302, response.location, cookies);
  return page(200, formPostPage(response, { ...assent.chrome(http), here: null }), "to a client", cookies);
}
