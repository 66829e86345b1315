/**
 * The steps of an authorization request: from sign-in and consent to the response for the client (RFC 6749 §§4.1, 4.2).
 */

import { grantedResponse, implicitUntil } from "../../oauth/authorization-endpoint/implicit.ts";
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  type RefusedRequest,
} from "../../oauth/authorization-endpoint/request.ts";
import {
  type AuthorizationResponse,
  errorResponse,
  travelsAtOnce,
} from "../../oauth/authorization-endpoint/response.ts";
import { ceilingOf, ownAppearance } from "../../oauth/consent-reach.ts";
import type { ConditionName } from "../../oauth/errors.ts";
import { isOpenIdRequest } from "../../oauth/openid/scopes.ts";
import { parseParameters } from "../../oauth/parameters.ts";
import type { IssueOutcome, NewGrant } from "../../oauth/storage.ts";
import { type AdminForm, type AdminProblem, type AskedAdmins, askAdmins, readAdminRequest } from "./ask-admin.ts";
import {
  type Allowed,
  type AnswerForm,
  type AnswerProblem,
  type AnswerWriter,
  decide,
  durationsFor,
  grantTerms,
  isLasting,
  noteRefusal,
  offersToday,
  recordTerms,
  rememberedAnswer,
} from "./consent-answer.ts";
import type { AuthorizationContext, Reader, SignedIn } from "./context.ts";
import { openRequest, REQUEST_TTL, type RequestContinuation } from "./continuation.ts";
import { type Asked, type AskStep, type NextStep, nextStep, type RefuseStep } from "./next-step.ts";
import {
  chosenOwner,
  holdsAll,
  type OwnerChoice,
  ownerChoices,
  preferredOwner,
  scopesWithoutPage,
  trustedFrom,
} from "./person-or-company.ts";
import { stepForApp } from "./policy-step.ts";
import { noteChallenge } from "./reused-challenges.ts";

/** A checked authorization request that has not been answered yet. */
export interface AuthorizationFlow {
  readonly continuation: RequestContinuation;
  readonly request: AuthorizationRequest;
}

/** A question to the owner. */
export interface Asking extends AskStep {
  /** The owners for whom the person may answer. */
  readonly owners: readonly OwnerChoice[];
}

/** What the browser must show or receive. */
export type FlowStep =
  | Extract<NextStep, { kind: "sign_in" | "step_up" | "change_password" }>
  | Asking
  | { readonly kind: "unclear"; readonly problem: AnswerProblem; readonly asking: Asking }
  | ({ readonly kind: "ask_admin" } & AskedAdmins)
  /** The admins have been asked, or something is wrong with the request to them. */
  | ({ readonly kind: "asked_admin"; readonly problem: AdminProblem } & AskedAdmins)
  /** A response for the client. */
  | { readonly kind: "respond"; readonly response: AuthorizationResponse }
  /** An error for a client that nobody has reviewed: it waits until the person has seen a page (RFC 9700 §4.11.2). */
  | { readonly kind: "hold"; readonly condition: ConditionName }
  /** The form does not belong to this session. */
  | { readonly kind: "forged" }
  /** The request was answered before, and its code is spent. */
  | { readonly kind: "finished" };

/** Begins a new, checked request. `query`: its parameters in the form of a link. */
export async function begin(
  request: AuthorizationRequest,
  query: string,
  reader: Reader,
  context: AuthorizationContext,
): Promise<FlowOutcome> {
  const { randomText, now } = context;
  const ids = { nonce: randomText(16), codeSalt: randomText(32) };
  const flow: AuthorizationFlow = { request, continuation: { kind: "request", query, startedAt: now(), ...ids } };
  return { kind: "flow", flow, step: await advance(flow, reader, context) };
}

/** Why a request can't continue. */
export type NotResumed =
  | { readonly kind: "unknown" }
  /** `query`: the parameters with which the request can begin again. */
  | { readonly kind: "expired"; readonly query: string }
  | ({ readonly kind: "refused" } & RefusedRequest);

export type Resumed = { readonly kind: "resumed"; readonly flow: AuthorizationFlow } | NotResumed;

/** A step and its request. */
export interface FlowOutcome {
  readonly kind: "flow";
  readonly flow: AuthorizationFlow;
  readonly step: FlowStep;
}

/** Continues the request that a form or link carries. */
async function resumed(
  sealed: string | null,
  reader: Reader,
  context: AuthorizationContext,
  work: (flow: AuthorizationFlow) => Promise<FlowStep>,
): Promise<FlowOutcome | NotResumed> {
  const continuation = sealed === null ? undefined : openRequest(sealed, reader.browser, context.sealer);
  if (continuation === undefined) return { kind: "unknown" };
  const found = await resumeFlow(continuation, context);
  if (found.kind !== "resumed") return found;
  return { kind: "flow", flow: found.flow, step: await work(found.flow) };
}

/** Continues after a sign-in. */
export function goOn(sealed: string | null, reader: Reader, context: AuthorizationContext) {
  return resumed(sealed, reader, context, (flow) => advance(flow, reader, context));
}

/** The owner's answer. */
export function answer(
  form: OwnForm<AnswerForm>,
  sealed: string | null,
  reader: Reader,
  context: AuthorizationContext,
) {
  return resumed(sealed, reader, context, (flow) => answered(form, flow, reader, context));
}

/** A member's request to the admins of their company to approve the app. */
export function answerToAdmins(
  form: OwnForm<AdminForm>,
  sealed: string | null,
  reader: Reader,
  context: AuthorizationContext,
) {
  return resumed(sealed, reader, context, (flow) => wished(form, flow, reader, context));
}

/** `genuine`: the form belongs to this session. */
type OwnForm<Form> = Form & { readonly genuine: boolean };

/** Client, redirect_uri and scopes may have changed since, so they are checked again each time. */
export async function resumeFlow(
  continuation: RequestContinuation,
  { oauth, now }: Pick<AuthorizationContext, "oauth" | "now">,
): Promise<Resumed> {
  const { query, startedAt } = continuation;
  if (now() - startedAt > REQUEST_TTL) return { kind: "expired", query };
  const outcome = await checkAuthorizationRequest(parseParameters(query), oauth);
  if (outcome.kind === "refused") return outcome;
  return { kind: "resumed", flow: { continuation, request: outcome.request } };
}

/** Continues as far as possible without the person. */
async function advance(flow: AuthorizationFlow, reader: Reader, context: AuthorizationContext): Promise<FlowStep> {
  const { signedIn } = reader;
  const owners = signedIn === undefined ? [] : await ownersFor(flow, signedIn, context);
  const step = nextStep({ asked: askedBy(flow), signedIn, owners, now: context.now() });
  if (step.kind === "issue" || step.kind === "ask") {
    const more = await stepForApp(flow.request, reader, context);
    if (more !== undefined) return shown(more, owners, flow, reader, context);
  }
  if (step.kind !== "issue") return shown(step, owners, flow, reader, context);
  if (signedIn === undefined) return { kind: "sign_in" };
  const { owner, by, otherwise } = step;
  const allowed: Allowed = {
    ...{ owner, scopes: scopesWithoutPage(owner, context.now()), duration: "forever" },
    ...{ declined: [], unapproved: [], lost: [] },
    ...{ durations: {}, kept: [], keptEnds: {}, moved: [] },
  };
  if (by === "first party")
    return written(await record(flow, allowed, signedIn, reader, by, context), flow, reader, context);
  const grant = grantOf(flow, allowed, signedIn, context);
  const from = trustedFrom(owner, signedIn.person);
  const outcome = await context.storage.grants.issue({ grant, trustedFrom: from, now: context.now() });
  // The consent ended between the check and the lock.
  if (outcome.kind === "no_consent") return shown(otherwise, owners, flow, reader, context);
  return written({ grant, outcome }, flow, reader, context);
}

async function answered(
  form: OwnForm<AnswerForm>,
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<FlowStep> {
  const { signedIn } = reader;
  if (signedIn === undefined) return { kind: "sign_in" };
  const { client } = flow.request;
  const owners = await ownersFor(flow, signedIn, context);
  const again = (problem: AnswerProblem, chosen: OwnerChoice | undefined) =>
    askedAgain(problem, chosen, owners, flow, reader, context);
  const isAnswer = form.genuine && (form.decision !== "allow" || showsPresent(flow));
  if (!isAnswer) return again("stale", chosenOwner(owners, form.owner));
  const step = nextStep({ asked: askedBy(flow), signedIn, owners, now: context.now() });
  if (step.kind !== "ask" && step.kind !== "issue") return shown(step, owners, flow, reader, context);
  const more = await stepForApp(flow.request, reader, context);
  if (more !== undefined) return shown(more, owners, flow, reader, context);
  const offered = { durations: durationsFor(client, context), today: offersToday(client, context) };
  const { approvals } = flow.continuation;
  const question = { client, person: signedIn.person, owners, ...offered, onceByScope: true, approvals };
  const writer: AnswerWriter<FlowStep, FlowStep> = {
    denied: async (owner) => {
      const said = { person: signedIn.person, via: "browser" } as const;
      if (owner !== undefined) await noteRefusal(client, { ...said, owner }, languageOf(flow, reader), context);
      return refused(flow, "access_denied", reader, context, "person");
    },
    allowed: async (allowed) => {
      const made = await record(flow, allowed, signedIn, reader, "browser", context);
      if (made.outcome.kind === "no_consent") return changed(allowed.owner.ownerId, flow, reader, context);
      return written(made, flow, reader, context);
    },
  };
  let decision = await decide(form, question, writer, context);
  // A double click: the first one gave what the page showed as new, or did not show.
  const byFirst: readonly (AnswerProblem | undefined)[] = ["meanwhile", "other_owner", "changed"];
  if (decision.kind === "unclear" && byFirst.includes(decision.problem) && decision.owner !== undefined) {
    const repeated = await wasAnswered(flow, decision.owner, signedIn, context);
    if (repeated) decision = await decide(form, { ...question, repeated }, writer, context);
  }
  switch (decision.kind) {
    case "unclear":
      return again(decision.problem, decision.owner);
    case "ask_admin":
      return { ...decision, reason: "" };
    default:
      return decision.written;
  }
}

/** What the person may allow changed at the moment of their answer. Nothing was given; the page says what is true now. */
async function changed(
  ownerId: string,
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<FlowStep> {
  const { signedIn } = reader;
  if (signedIn === undefined) return { kind: "sign_in" };
  const owners = await ownersFor(flow, signedIn, context);
  return askedAgain("changed", chosenOwner(owners, ownerId), owners, flow, reader, context);
}

/** The page once more, with what was wrong with the answer. `chosen`: the owner that it named, if they can be chosen. */
function askedAgain(
  problem: AnswerProblem,
  chosen: OwnerChoice | undefined,
  owners: readonly OwnerChoice[],
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): FlowStep {
  const owner = chosen ?? preferredOwner(owners);
  if (owner === undefined) return refused(flow, "nothing_grantable", reader, context);
  const allGranted = holdsAll(owner, context.now());
  return { kind: "unclear", problem, asking: { kind: "ask", owner, owners, allGranted } };
}

async function wished(
  form: OwnForm<AdminForm>,
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<FlowStep> {
  const { signedIn } = reader;
  if (signedIn === undefined) return advance(flow, reader, context);
  if (!form.genuine) return { kind: "forged" };
  const owners = await ownersFor(flow, signedIn, context);
  const asked = readAdminRequest(form, owners, context.now());
  const more = await stepForApp(flow.request, reader, context);
  if (more !== undefined) return shown(more, [], flow, reader, context);
  if ("problem" in asked || !showsPresent(flow)) {
    const step = nextStep({ asked: askedBy(flow), signedIn, owners, now: context.now() });
    const isDone = step.kind === "issue" && step.owner.ownerId === asked.owner?.ownerId;
    if (isDone || (step.kind !== "issue" && step.kind !== "ask")) return advance(flow, reader, context);
    const problem = "problem" in asked ? asked.problem : "stale";
    return askedAgain(problem, asked.owner, owners, flow, reader, context);
  }
  const { client, redirectUri } = flow.request;
  if (client.document !== undefined) await context.oauth.documents?.keep(client);
  const problem = await askAdmins(asked, { client, redirectUri }, signedIn.person, context);
  return { kind: "asked_admin", problem, ...asked };
}

/** The continuation that goes into a page that asks: the answer then holds only for what the page shows. */
export function askedOnPage({ request, continuation }: AuthorizationFlow): RequestContinuation {
  const seen = ownAppearance(request.client);
  return seen === undefined ? continuation : { ...continuation, seen };
}

/** False: a client that describes itself has changed its name or logo since the page was made. */
function showsPresent({ request: { client }, continuation }: AuthorizationFlow): boolean {
  const appearance = ownAppearance(client);
  return appearance === undefined || appearance === continuation.seen;
}

/**
 * An error for the client. `by`: who caused it. If the person answered on a page of this server, no other page is
 * needed.
 */
export function refused(
  { request }: AuthorizationFlow,
  condition: ConditionName,
  { address, requestId }: Pick<Reader, "address" | "requestId">,
  { oauth, event }: Pick<AuthorizationContext, "oauth" | "event">,
  by: "server" | "person" = "server",
): Extract<FlowStep, { kind: "hold" | "respond" }> {
  const { client, prompt } = request;
  event("authorization_denied", { client_id: client.clientId, condition, address, request_id: requestId });
  if (by === "server" && !travelsAtOnce(client, prompt.includes("none"))) return { kind: "hold", condition };
  return { kind: "respond", response: errorResponse(request, condition, oauth.issuer, requestId) };
}

function askedBy({ request, continuation }: AuthorizationFlow): Asked {
  return { ...request, startedAt: continuation.startedAt };
}

/** At least the person, unless all requested scopes need a role that the person does not have. */
function ownersFor(
  { request }: AuthorizationFlow,
  { person }: SignedIn,
  { storage, oauth, now }: AuthorizationContext,
): Promise<readonly OwnerChoice[]> {
  const ceiling = ceilingOf(request.client, oauth.policy);
  return ownerChoices(person, { ...request, ceiling }, storage, now());
}

/** A step that the person sees, or an error. */
function shown(
  step: Exclude<NextStep, { kind: "issue" }> | AskStep | RefuseStep,
  owners: readonly OwnerChoice[],
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): FlowStep {
  if (step.kind === "ask") return { ...step, owners };
  return step.kind === "refuse" ? refused(flow, step.condition, reader, context) : step;
}

/** The id of the grant of this request for this owner, however often it is answered. */
function grantIdOf(
  { continuation }: AuthorizationFlow,
  { partition, ownerId }: OwnerChoice,
  { person: { personId } }: SignedIn,
  { derivedId }: Pick<AuthorizationContext, "derivedId">,
): string {
  const whose = ownerId === personId ? [ownerId] : [ownerId, personId];
  return derivedId(partition, "grant", continuation.nonce, ...whose);
}

async function wasAnswered(
  flow: AuthorizationFlow,
  owner: OwnerChoice,
  signedIn: SignedIn,
  context: AuthorizationContext,
): Promise<boolean> {
  const grantId = grantIdOf(flow, owner, signedIn, context);
  return (await context.storage.grants.find({ partition: owner.partition, grantId, saltHash: null })) !== undefined;
}

function grantOf(
  flow: AuthorizationFlow,
  allowed: Allowed,
  signedIn: SignedIn,
  context: AuthorizationContext,
): NewGrant {
  const { request, continuation } = flow;
  const { client, redirectUri, codeChallenge, codeChallengeMethod } = request;
  const grantId = grantIdOf(flow, allowed.owner, signedIn, context);
  const terms = grantTerms(client, allowed, signedIn, grantId, context);
  const codeUntil = context.now() + context.oauth.policy.codeTtl;
  const claims = request.claims?.idToken ?? [];
  const toldOfLogout = request.responseType !== "token" && client.backchannelLogoutUri != null;
  const ofSignIn = { nonce: request.nonce, sid: signedIn.session.sessionId, toldOfLogout };
  const openId = isOpenIdRequest(allowed.scopes) ? { ...ofSignIn, claims: claims.length === 0 ? null : claims } : {};
  const common = { redirectUri, codeChallenge, codeChallengeMethod, codeUntil, ...openId };
  if (request.responseType === "token") {
    const accessUntil = implicitUntil(context.oauth);
    return { ...terms, ...common, refreshable: false, codeSaltHash: new Uint8Array(), accessUntil };
  }
  return { ...terms, ...common, codeSaltHash: context.saltOf(continuation.codeSalt).hash, accessUntil: null };
}

/** The language of the pages of this request. */
function languageOf({ request, continuation }: AuthorizationFlow, reader: Reader): string {
  return reader.language({ uiLocales: request.uiLocales, startedAt: continuation.startedAt });
}

interface Made {
  readonly grant: NewGrant;
  readonly outcome: IssueOutcome;
}

/**
 * Stores the consent with its grant. `via`: an owner's answer, or the operator who vouches for a first-party client.
 */
async function record(
  flow: AuthorizationFlow,
  allowed: Allowed,
  signedIn: SignedIn,
  reader: Reader,
  via: "browser" | "first party",
  context: AuthorizationContext,
): Promise<Made> {
  const { storage, oauth } = context;
  const now = context.now();
  const onceUntil = now + oauth.policy.codeTtl + oauth.policy.accessTtl;
  const grant = grantOf(flow, allowed, signedIn, context);
  const language = languageOf(flow, reader);
  const { client } = flow.request;
  const terms = recordTerms(client, allowed, signedIn, via, language);
  if (client.document !== undefined) await oauth.documents?.keep(client);
  const remembered = rememberedAnswer(allowed, now, onceUntil);
  const { ends, ...own } = remembered;
  if (allowed.owner.verdict !== "approved") {
    return { grant, outcome: await storage.grants.approve({ ...terms, remembered, grant, onceUntil, now }) };
  }
  const outcome = await storage.grants.issue({
    grant,
    ends,
    answer: { chosen: isLasting(allowed), ...own, read: { locale: language, texts: terms.texts ?? {} } },
    trustedFrom: terms.trustedFrom ?? 0,
    now,
  });
  return { grant, outcome };
}

/**
 * The code or the token. If the same request is answered again, it gets the same code while the code is unspent, or
 * another token for as long.
 */
async function written(
  { grant, outcome }: Made,
  flow: AuthorizationFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<FlowStep> {
  const { request, continuation } = flow;
  const { oauth } = context;
  if (outcome.kind === "spent") return { kind: "finished" };
  if (outcome.kind === "no_consent") return refused(flow, "access_denied", reader, context);
  if (outcome.kind === "issued") {
    context.event("grant_issued", {
      client_id: request.client.clientId,
      owner: grant.ownerId,
      person: grant.personId,
      scope: outcome.scopes.map(({ name }) => name).join(" "),
    });
    noteChallenge({ ...grant, state: request.state }, context);
  }
  const { salt } = context.saltOf(continuation.codeSalt);
  const makeCode = () => oauth.credentials.make("code", grant.grantId, 0, salt);
  return { kind: "respond", response: await grantedResponse(request, grant, outcome.scopes, makeCode, oauth) };
}
