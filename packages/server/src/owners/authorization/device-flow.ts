/** The steps of a device that waits for its owner's answer: code, sign-in, question, answer (RFC 8628 §3.3). */

import { ceilingOf, type Reach } from "../../oauth/consent-reach.ts";
import { deviceCode } from "../../oauth/grants/device-code.ts";
import { mayUse } from "../../oauth/grants/registry.ts";
import type { Client, Consent, Millis, Scope } from "../../oauth/model.ts";
import { offeredTo } from "../../oauth/scope.ts";
import type { DeviceRequest, UserCodeKey } from "../../oauth/storage.ts";
import { isPaused, unexpired } from "../consent-after-decision.ts";
import { answerOf, type ClaimContext, type CodeOutcome, claimUserCode, enterUserCode } from "../enter-user-code.ts";
import { boundDevice } from "../recognize-known-device.ts";
import type { DecideDeviceOutcome, Person } from "../storage.ts";
import { type AdminForm, type AdminProblem, type AskedAdmins, askAdmins, readAdminRequest } from "./ask-admin.ts";
import {
  type Allowed,
  type AnswerForm,
  type AnswerProblem,
  chosenEnds,
  decide,
  durationsFor,
  grantTerms,
  noteRefusal,
  offersToday,
  onceOnly,
  recordTerms,
  rememberedAnswer,
} from "./consent-answer.ts";
import type { AuthorizationContext, Reader, SignedIn } from "./context.ts";
import type { DeviceContinuation } from "./continuation.ts";
import { type AskStep, type NextStep, nextStep } from "./next-step.ts";
import { chosenOwner, heldScopes, type OwnerChoice, ownerChoices } from "./person-or-company.ts";
import { levelForApp } from "./policy-step.ts";

/** A device whose code was right, and the person who answers it. */
export interface DeviceFlow extends SignedIn {
  readonly continuation: DeviceContinuation;
  readonly request: DeviceRequest;
  readonly client: Client;
  readonly userCodeKey: UserCodeKey;
  /** The owners for whom the person may answer. */
  readonly owners: readonly OwnerChoice[];
  /** The owner that the page selects, and whether everything is granted already. */
  readonly ask: AskStep;
  /** True: the device asked from the network that the person is on now. */
  readonly near: boolean;
}

/** What the browser must show. */
export type DeviceStep =
  /** `username`: the value for the form. Undefined: no person is known. */
  | { readonly kind: "sign_in"; readonly continuation: DeviceContinuation; readonly username?: string }
  | { readonly kind: "change_password"; readonly continuation: DeviceContinuation }
  | (Extract<NextStep, { kind: "step_up" }> & {
      readonly continuation: DeviceContinuation;
      readonly client: Client;
      readonly signedIn: SignedIn;
    })
  /** The code is unknown, expired, answered or somebody else's. All four are one step, so that nobody learns which. */
  | { readonly kind: "code_unknown"; readonly continuation: DeviceContinuation }
  | { readonly kind: "code_throttled"; readonly continuation: DeviceContinuation; readonly until: number }
  /**
   * `allowed_before`: without anything new. `denied_keeps`: the app keeps the access that it had. `nothing`: the person
   * may grant none of the requested scopes.
   */
  | {
      readonly kind: "done";
      readonly client: Client;
      readonly outcome: "allowed" | "allowed_before" | "denied" | "denied_keeps" | "nothing";
      /** With `denied_keeps`, a company for which the app keeps access. Absent: it keeps some for the person. */
      readonly company?: string;
    }
  /** The device asked from another network: the page asks whether it is the person's. */
  | { readonly kind: "elsewhere"; readonly flow: DeviceFlow }
  | { readonly kind: "ask"; readonly flow: DeviceFlow }
  | {
      readonly kind: "unclear";
      readonly flow: DeviceFlow;
      readonly problem: AnswerProblem;
      readonly owner: OwnerChoice;
    }
  | ({ readonly kind: "ask_admin"; readonly flow: DeviceFlow; readonly problem: AdminProblem } & AskedAdmins)
  /** The admins have been asked. The device goes on waiting, because an admin may answer in time. */
  | ({ readonly kind: "asked_admin"; readonly flow: DeviceFlow } & AskedAdmins);

/** Nobody learns whether a code is right before they have signed in, because guesses are counted by person. */
export function advanceDevice(
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  return withDevice(continuation, reader, context, async (flow) => shown(flow));
}

/** The person says whether the device is theirs. */
export function answerWhose(
  decision: string | null,
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  return withDevice(continuation, reader, context, async (flow) => {
    // Nobody was asked for whom: the person refuses it for themselves, if they could allow it for themselves.
    if (decision === "deny") return deny(flow, chosenOwner(flow.owners, null), reader, context);
    if (decision !== "go_on") return { kind: "elsewhere", flow };
    return { kind: "ask", flow: { ...flow, continuation: { ...flow.continuation, confirmed: true } } };
  });
}

/** The owner's answer. */
export function answerDevice(
  form: AnswerForm,
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  return withDevice(continuation, reader, context, (flow) => answered(form, flow, reader, context));
}

async function answered(
  form: AnswerForm,
  flow: DeviceFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  const { client, person, owners } = flow;
  if (form.decision !== "deny" && shown(flow).kind === "elsewhere") return { kind: "elsewhere", flow };
  // A single scope can't be for once, because the next poll reads the active scopes.
  const offered = { durations: durationsFor(client, context), today: offersToday(client, context) };
  const { approvals } = flow.continuation;
  const question = { client, person, owners, ...offered, onceByScope: false, approvals };
  const writer = {
    denied: (owner: OwnerChoice | undefined) => deny(flow, owner, reader, context),
    allowed: (allowed: Allowed) => allow(flow, allowed, reader, context),
  };
  const decision = await decide(form, question, writer, context);
  switch (decision.kind) {
    case "unclear":
      return { kind: "unclear", flow, problem: decision.problem, owner: decision.owner ?? flow.ask.owner };
    case "ask_admin":
      return { ...decision, flow, problem: null, reason: "" };
    default:
      return decision.written;
  }
}

/** A member's request to the admins of their company to approve the device. */
export function answerDeviceToAdmins(
  form: AdminForm,
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  return withDevice(continuation, reader, context, async (flow) => {
    const asked = readAdminRequest(form, flow.owners, context.now());
    if ("problem" in asked)
      return { kind: "unclear", flow, problem: asked.problem, owner: asked.owner ?? flow.ask.owner };
    const problem = await askAdmins(asked, { client: flow.client }, flow.person, context);
    if (problem !== null) return { kind: "ask_admin", flow, problem, ...asked };
    return { kind: "asked_admin", flow, ...asked };
  });
}

/** Continues with the device of a code, if this reader may answer it. */
async function withDevice(
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
  work: (flow: DeviceFlow) => Promise<DeviceStep>,
): Promise<DeviceStep> {
  const found = await findDevice(continuation, reader, context);
  return found.kind === "found" ? work(found.flow) : found;
}

function shown(flow: DeviceFlow): Extract<DeviceStep, { kind: "ask" | "elsewhere" }> {
  return { kind: flow.near || flow.continuation.confirmed ? "ask" : "elsewhere", flow };
}

type Found = { readonly kind: "found"; readonly flow: DeviceFlow };

/** The device of a code, for a signed-in person who may grant some of its scopes. */
async function findDevice(
  continuation: DeviceContinuation,
  reader: Reader,
  context: AuthorizationContext,
): Promise<Found | DeviceStep> {
  const { signedIn } = reader;
  if (signedIn === undefined) return { kind: "sign_in", continuation };
  const { person, session } = signedIn;
  if (person.mustChangePassword) return { kind: "change_password", continuation };
  const outcome = await lookUp(continuation, signedIn, reader, context);
  if (outcome.kind !== "found") return notFound(outcome, continuation, reader, context);
  const { request, key: userCodeKey } = outcome;
  const client = await context.oauth.catalog.client(request.clientId);
  // The client may also have lost the grant type meanwhile: then an answer would lead to no token.
  if (client?.status !== "active" || !mayUse(client, deviceCode.grantType, context.oauth)) {
    return notFound({ kind: "unknown" }, continuation, reader, context);
  }
  const scopes = await scopesOf(client, request.scopes, context);
  const asked = { client, scopes, redirectUri: null, prompt: [], maxAge: null, acr: null };
  const ceiling = ceilingOf(client, context.oauth.policy);
  const now = context.now();
  const owners = await ownerChoices(person, { ...asked, ceiling }, context.storage, now);
  // The request begins when the code is typed, so no earlier sign-in counts as recent because of it.
  const step = nextStep({ asked: { ...asked, startedAt: now }, signedIn, owners, now });
  // This session has claimed the device. A session after a new sign-in takes the claim over.
  const claimed = { ...continuation, claimedBy: session.sessionId, clientId: client.clientId };
  switch (step.kind) {
    case "ask": {
      const acr = await levelForApp(client.clientId, signedIn, reader, context);
      if (acr !== undefined) return { kind: "step_up", acr, continuation: claimed, client, signedIn };
      const network = (address: string) => context.originOf(address).network;
      const near = request.address !== null && network(request.address) === network(reader.address);
      const flow = { person, session, continuation: claimed, request, client, userCodeKey, owners, ask: step, near };
      return { kind: "found", flow };
    }
    case "sign_in":
      return { kind: "sign_in", continuation: claimed, username: person.username };
    case "step_up":
      return { ...step, continuation: claimed, client, signedIn };
    case "change_password":
      return { kind: "change_password", continuation: claimed };
    case "refuse":
    case "issue":
      await context.storage.deviceRequests.deny({ ...userCodeKey, sessionId: session.sessionId, now: context.now() });
      context.event("authorization_denied", { client_id: client.clientId, condition: "nothing_grantable" });
      return { kind: "done", client, outcome: "nothing" };
  }
}

/** Those of the scopes that still exist and that the client may still ask for. */
async function scopesOf(
  client: Client,
  names: readonly string[],
  { oauth }: AuthorizationContext,
): Promise<readonly Scope[]> {
  const known = await oauth.catalog.scopes();
  return names
    .map((name) => known.get(name))
    .filter((scope) => scope !== undefined)
    .map((scope) => offeredTo(client, scope))
    .filter(({ name }) => client.scopes.includes(name));
}

function claimContext({ storage, oauth, now }: AuthorizationContext): ClaimContext {
  return { storage, userCodes: oauth.userCodes, now };
}

/** A code that this browser has entered successfully before is no guess. */
async function lookUp(
  { userCode, claimedBy: before }: DeviceContinuation,
  { person: { personId }, session: { sessionId } }: SignedIn,
  { address, device: presented }: Reader,
  context: AuthorizationContext,
): Promise<CodeOutcome> {
  const claim = claimContext(context);
  if (before !== null) return claimUserCode(userCode, { sessionId, before }, claim);
  const device = await boundDevice(presented, context.storage);
  const reader = { personId, sessionId, before, ...context.originOf(address), device };
  return enterUserCode(userCode, reader, { ...claim, attemptKey: context.attemptKey });
}

/** Only the person who answered the request learns that it was answered. */
async function notFound(
  outcome: Exclude<CodeOutcome, { kind: "found" }>,
  continuation: DeviceContinuation,
  { signedIn, address }: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  if (outcome.kind === "throttled") {
    context.event("user_code_throttled", { address });
    return { kind: "code_throttled", continuation, until: outcome.until };
  }
  const answered = signedIn && (await answeredBefore(continuation, signedIn, context));
  if (answered !== undefined) return answered;
  context.event("user_code_unknown", { address });
  return { kind: "code_unknown", continuation };
}

/**
 * A second press of a button shows the result of the first one, because the browser follows the second and the device
 * gets the first.
 */
async function answeredBefore(
  { userCode, claimedBy, clientId }: DeviceContinuation,
  { session, person }: SignedIn,
  context: AuthorizationContext,
): Promise<DeviceStep | undefined> {
  if (claimedBy === null || clientId === null) return undefined;
  const outcome = await answerOf(userCode, session.sessionId, claimContext(context));
  const client = outcome === undefined ? undefined : await context.oauth.catalog.client(clientId);
  if (client === undefined || outcome === undefined) return undefined;
  return outcome === "denied" ? denied(client, person, context) : { kind: "done", client, outcome };
}

/** After "Don't allow": whether the app keeps access from before, for the person or else for a company. */
async function denied(client: Client, person: Person, context: AuthorizationContext): Promise<DeviceStep> {
  const now = context.now();
  const scopes = await scopesOf(client, client.scopes, context);
  const asked = { client, scopes, redirectUri: null, ceiling: ceilingOf(client, context.oauth.policy) };
  const owners = await ownerChoices(person, asked, context.storage, now);
  const keeps = owners.find((one) => (one.acting?.chosen ?? true) && hasAccess(one, now));
  if (keeps === undefined) return { kind: "done", client, outcome: "denied" };
  const company = keeps.acting?.company.name;
  return { kind: "done", client, outcome: "denied_keeps", ...(company === undefined ? {} : { company }) };
}

/** True: the app uses what this owner allowed before. */
function hasAccess(
  { consent, reach }: { readonly consent: Consent | undefined; readonly reach: Pick<Reach, "ceiling"> },
  now: Millis,
): boolean {
  return !isPaused(consent) && unexpired(consent, reach, now).length > 0;
}

async function allow(
  flow: DeviceFlow,
  allowed: Allowed,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  const { client, request, userCodeKey, person, session } = flow;
  const { owner } = allowed;
  const once = onceOnly(allowed);
  const now = context.now();
  const onceUntil = request.expiresAt + context.oauth.policy.accessTtl;
  // However often the device polls, it gets one grant.
  const grantId = context.derivedId(owner.partition, "device", request.requestId, person.personId);
  const { clientId, ceiling, ...grant } = grantTerms(client, allowed, flow, grantId, context);
  const approval = {
    ...grant,
    authTime: session.authTime,
    onceUntil: once.length > 0 ? onceUntil : null,
    ...(once.length === 0 || once.length === grant.scopes.length ? {} : { once }),
    // The owner's consent may last longer than this answer.
    ends: chosenEnds(allowed, now, onceUntil),
    approvedAt: now,
  };
  const terms = recordTerms(client, allowed, flow, "device", reader.language());
  const claim = { ...userCodeKey, sessionId: session.sessionId };
  const outcome = await context.storage.deviceRequests.approve({
    ...terms,
    ...claim,
    remembered: rememberedAnswer(allowed, now, onceUntil),
    clientId,
    ceiling,
    approval,
    onceUntil,
    now,
  });
  if (outcome === "no_consent")
    return withDevice(flow.continuation, reader, context, async (now) => ({
      ...{ kind: "unclear", flow: now, problem: "changed" },
      owner: chosenOwner(now.owners, owner.ownerId) ?? now.ask.owner,
    }));
  if (outcome !== "decided") return notDecided(outcome, flow, reader, context);
  const who = { client_id: clientId, owner: owner.ownerId, person: person.personId };
  context.event("device_allowed", { ...who, scope: grant.scopes.join(" ") });
  const held = heldScopes(owner, now);
  // The person left out all that was new.
  const isBefore = allowed.declined.length > 0 && grant.scopes.every((name) => held.has(name));
  return { kind: "done", client, outcome: isBefore ? "allowed_before" : "allowed" };
}

/**
 * The history first, because it is in another partition: interrupted between the two, the page tells of a fault, and
 * pressing again does the same once more.
 */
async function deny(
  flow: DeviceFlow,
  owner: OwnerChoice | undefined,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  const { client, userCodeKey, session, person } = flow;
  const claim = { ...userCodeKey, sessionId: session.sessionId, now: context.now() };
  const before = await context.storage.deviceRequests.previewAnswer(claim);
  if (before !== "decided") return notDecided(before, flow, reader, context);
  if (owner !== undefined) await noteRefusal(client, { owner, person, via: "device" }, reader.language(), context);
  const outcome = await context.storage.deviceRequests.deny(claim);
  if (outcome !== "decided") return notDecided(outcome, flow, reader, context);
  context.event("authorization_denied", { client_id: client.clientId, condition: "device_denied" });
  return denied(client, person, context);
}

/** The request was answered in another tab, or expired, between the check and the answer. */
async function notDecided(
  outcome: Exclude<DecideDeviceOutcome, "decided">,
  { continuation, client }: DeviceFlow,
  reader: Reader,
  context: AuthorizationContext,
): Promise<DeviceStep> {
  if (outcome === "unknown") return notFound({ kind: "unknown" }, continuation, reader, context);
  return { kind: "done", client, outcome };
}
