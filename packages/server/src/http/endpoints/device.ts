/** `/device`: the code, sign-in, and the owner's answer to a device that waits (RFC 8628 §3.3). */

import { derivedId } from "../../crypto/id.ts";
import { ceilingOf } from "../../oauth/consent-reach.ts";
import { deviceCode } from "../../oauth/grants/device-code.ts";
import { mayUse } from "../../oauth/grants/registry.ts";
import { audienceOf } from "../../oauth/resource-indicator.ts";
import { offeredTo } from "../../oauth/scope.ts";
import type { DeviceApproval, UserCodePlace } from "../../oauth/storage.ts";
import { answeredScopes, readDuration, readDurations } from "../../owners/consent.ts";
import { endOf } from "../../owners/consent-record.ts";
import { answerOf, type ClaimContext, type CodeOutcome, claimUserCode, enterUserCode } from "../../owners/device.ts";
import {
  chosenOwner,
  judgedFor,
  type OwnerChoice,
  ownerChoices,
  preferredOwner,
  trustedFrom,
} from "../../owners/owner-choice.ts";
import { signInNeeded } from "../../owners/session.ts";
import type { ConsentDuration, Person, Session } from "../../owners/storage.ts";
import type { ConsentView } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { networkOf } from "../client-address.ts";
import { type DeviceEntry, isFormToken, newDeviceEntry, openDeviceEntry, sealDeviceEntry } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { textsOf } from "./cards.ts";
import { durationsFor } from "./consent-page.ts";
import { deviceAskAnswer } from "./device-ask.ts";
import { codeAnswer, deviceConsentAnswer, doneAnswer, elsewhereAnswer, isNear, type Waiting } from "./device-page.ts";
import { deviceStepAnswer } from "./second-step-page.ts";
import { FIRST, plainSignInAnswer } from "./sign-in-page.ts";

/** A code that comes with the link still waits for a press: its reader compares it with the device (§5.4). */
export async function showDevice(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const { userCode } = newDeviceEntry(new URLSearchParams(http.query).get("user_code") ?? "");
  return codeAnswer({ typed: userCode, linked: userCode !== "", problem: null, status: 200 }, visitor, http, assent);
}

export async function submitDevice(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const entry = newDeviceEntry(form.get("user_code")?.trim() ?? "");
  const shown = { typed: entry.userCode, problem: null, status: 200 };
  if (!isFormToken(assent.secrets, `browser:${visitor.nonce}`, form.get("csrf"))) {
    return codeAnswer({ ...shown, problem: { kind: "stale" }, status: 403 }, visitor, http, assent);
  }
  if (entry.userCode === "") return codeAnswer({ ...shown, problem: { kind: "missing" } }, visitor, http, assent);
  return goOn(entry, visitor, http, assent);
}

/** Where a sign-in leads. */
export async function showDeviceConsent(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const entry = openDeviceEntry(assent.secrets, visitor.nonce, new URLSearchParams(http.query).get("device"));
  return entry === undefined ? problemAnswer("interaction_unknown", http, assent) : goOn(entry, visitor, http, assent);
}

/** Nobody learns whether a code is right before they have signed in: guesses are counted by person. */
async function goOn(entry: DeviceEntry, visitor: Visitor, http: HttpRequest, assent: Assent): Promise<Answer> {
  const found = await waitingOf(entry, visitor, http, assent);
  if ("status" in found) return found;
  if (!isNear(found) && !entry.confirmed) return elsewhereAnswer(found, assent);
  return deviceConsentAnswer(found, shownChoice(found), assent, null);
}

function claimContext(assent: Assent): ClaimContext {
  return { storage: assent.storage, userCodes: assent.oauth.userCodes, now: assent.now };
}

export type Found = Waiting & { readonly place: UserCodePlace };

/** The device of a code, for somebody who is signed in and may grant something of it; an answer, where it can't go on. */
export async function waitingOf(
  entry: DeviceEntry,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Found | Answer> {
  const { signedIn } = visitor;
  if (signedIn === undefined) return plainSignInAnswer(visitor, http, assent, { ...FIRST, device: entry });
  const { person, session } = signedIn;
  if (person.mustChangePassword) {
    const device = sealDeviceEntry(assent.secrets, visitor.nonce, entry);
    return redirect(303, `${assent.issuer}/account/security/password?device=${device}`, visitor.cookies);
  }
  const outcome = await lookedUp(entry, person, session, http, assent);
  if (outcome.kind !== "found") return notFound(outcome, entry, visitor, http, assent);
  const { request, place } = outcome;
  const client = await assent.oauth.catalog.client(request.clientId);
  // Nor one that has lost the grant meanwhile: a yes would lead to no token.
  if (client?.status !== "active" || !mayUse(client, deviceCode.grantType, assent.oauth)) {
    return notFound({ kind: "unknown" }, entry, visitor, http, assent);
  }
  const known = await assent.oauth.catalog.scopes();
  const allowed = request.scopes
    .map((name) => known.get(name))
    .filter((scope) => scope !== undefined)
    .map((scope) => offeredTo(client, scope))
    .filter(({ name }) => client.scopes.includes(name));
  const asked = { client, scopes: allowed, redirectUri: null, ceiling: ceilingOf(client, assent.oauth.policy) };
  const choices = await ownerChoices(person, asked, assent.storage, assent.now());
  if (choices.length === 0) {
    await assent.storage.denyDevice({ ...place, sessionId: session.sessionId, now: assent.now() });
    assent.event("authorization_denied", { client_id: client.clientId, condition: "nothing_grantable" });
    return doneAnswer(client, "nothing", http, assent);
  }
  const asks = { prompt: [], maxAge: null, acr: null };
  const now = assent.now();
  // Whoever typed the code began just now: no sign-in is fresh for that alone.
  const needed = signInNeeded(asks, allowed, session, now, now);
  if (needed.kind !== "none") {
    // This session has found the device: the one that comes of the sign-in takes it over.
    const claimed = { ...entry, claimedBy: session.sessionId, clientId: client.clientId };
    if (needed.kind === "sign_in") {
      return plainSignInAnswer(visitor, http, assent, { ...FIRST, username: person.username, device: claimed });
    }
    return deviceStepAnswer({ visitor, http, device: claimed }, signedIn, { client, wanted: needed.acr }, assent);
  }
  return { entry, request, place, client, choices, person, session, visitor, http };
}

/** A code that this browser had found before is no guess. */
function lookedUp(
  entry: DeviceEntry,
  { personId }: Person,
  { sessionId }: Session,
  http: HttpRequest,
  assent: Assent,
): Promise<CodeOutcome> {
  const before = entry.claimedBy;
  const context = claimContext(assent);
  if (before !== null) return claimUserCode(entry.userCode, { sessionId, before }, context);
  const reader = { personId, sessionId, before, network: networkOf(http.address) };
  return enterUserCode(entry.userCode, reader, { ...context, attemptKey: assent.signIn.attemptKey });
}

/** Unknown, expired, answered, somebody else's: one page. Only who has answered it themselves is told so. */
async function notFound(
  outcome: Exclude<CodeOutcome, { kind: "found" }>,
  entry: DeviceEntry,
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer> {
  const shown = { typed: entry.userCode, status: 200 };
  if (outcome.kind === "throttled") {
    assent.event("user_code_throttled", { address: http.address });
    const wait = Math.max(1, outcome.until - assent.now());
    const problem = { kind: "throttled", minutes: Math.ceil(wait / 60_000) } as const;
    const answer = codeAnswer({ ...shown, status: 429, problem }, visitor, http, assent);
    return { ...answer, headers: { ...answer.headers, "retry-after": String(Math.ceil(wait / 1000)) } };
  }
  const answered = await answeredBefore(entry, visitor, http, assent);
  if (answered !== undefined) return answered;
  assent.event("user_code_unknown", { address: http.address });
  return codeAnswer({ ...shown, problem: { kind: "unknown" } }, visitor, http, assent);
}

/** A second press of a button shows what the first one did: a browser follows the second, and the device goes by the first. */
async function answeredBefore(
  { userCode, claimedBy, clientId }: DeviceEntry,
  { signedIn }: Visitor,
  http: HttpRequest,
  assent: Assent,
): Promise<Answer | undefined> {
  if (signedIn === undefined || claimedBy === null || clientId === null) return undefined;
  const answer = await answerOf(userCode, signedIn.session.sessionId, claimContext(assent));
  const client = answer === undefined ? undefined : await assent.oauth.catalog.client(clientId);
  return client === undefined || answer === undefined ? undefined : doneAnswer(client, answer, http, assent);
}

/** Whom the page selects. */
export function shownChoice({ choices }: Waiting): OwnerChoice {
  const choice = preferredOwner(choices);
  if (choice === undefined) throw new TypeError("a device that nobody may answer has no page");
  return choice;
}

/** A form about a device: of this session and this browser, or it is refused before anything is looked up. */
export async function formAbout(
  http: HttpRequest,
  assent: Assent,
): Promise<{ form: URLSearchParams; found: Found } | Answer> {
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const entry = openDeviceEntry(assent.secrets, visitor.nonce, form.get("device"));
  const session = visitor.signedIn?.session;
  if (entry === undefined) return problemAnswer("form_token_invalid", http, assent);
  if (session !== undefined && !isFormToken(assent.secrets, `session:${session.sessionId}`, form.get("csrf"))) {
    return problemAnswer("form_token_invalid", http, assent);
  }
  const found = await waitingOf(entry, visitor, http, assent);
  return "status" in found ? found : { form, found };
}

/** The answer to "is this your device?". */
export async function answerElsewhere(http: HttpRequest, assent: Assent): Promise<Answer> {
  const about = await formAbout(http, assent);
  if ("status" in about) return about;
  const { form, found } = about;
  if (form.get("decision") === "deny") return deny(found, assent);
  if (form.get("decision") !== "go_on") return elsewhereAnswer(found, assent);
  const confirmed = { ...found, entry: { ...found.entry, confirmed: true } };
  return deviceConsentAnswer(confirmed, shownChoice(confirmed), assent, null);
}

export async function submitDeviceConsent(http: HttpRequest, assent: Assent): Promise<Answer> {
  const about = await formAbout(http, assent);
  if ("status" in about) return about;
  const { form, found } = about;
  const decision = form.get("decision");
  if (decision === "deny") return deny(found, assent);
  if (!isNear(found) && !found.entry.confirmed) return elsewhereAnswer(found, assent);
  const choice = chosenOwner(found.choices, form.get("owner"));
  const again = (kind: NonNullable<ConsentView["problem"]>["kind"]) =>
    deviceConsentAnswer(found, choice ?? shownChoice(found), assent, { problem: { kind }, status: 400, form });
  const offered = durationsFor(found.client, assent);
  const duration = readDuration(form.get("duration") ?? undefined, offered);
  if (decision !== "allow") return again("stale");
  if (choice === undefined) return again("bad_owner");
  // A single scope can't be for once: the next poll finds it among what stands.
  const lasting = offered.filter((one) => one !== "once");
  const names = choice.scopes.map(({ name }) => name);
  const durations = duration === "once" ? {} : readDurations((field) => form.get(field), names, lasting);
  if (duration === undefined || durations === undefined) return again("bad_duration");
  const { granted, declined } = answeredScopes(choice.scopes, new Set(form.getAll("scope")));
  if (granted.length === 0) return again("nothing");
  const judged = judgedFor(choice, granted, assent.now());
  if (judged.verdict === "ask") {
    const scopes = choice.scopes.filter(({ name }) => granted.includes(name));
    return deviceAskAnswer(found, { choice: judged, scopes, reason: "" }, null, assent);
  }
  return allow(found, { choice: judged, granted, declined, duration, durations }, assent);
}

interface Allowed {
  readonly choice: OwnerChoice;
  readonly granted: readonly string[];
  readonly declined: readonly string[];
  readonly duration: ConsentDuration;
  readonly durations: Readonly<Record<string, ConsentDuration>>;
}

async function allow(found: Found, allowed: Allowed, assent: Assent): Promise<Answer> {
  const { choice, granted, declined, duration, durations } = allowed;
  const { client, request, place, person, session, http } = found;
  const now = assent.now();
  const { language } = assent.chrome(http).words;
  const onceUntil = request.expiresAt + assent.oauth.policy.accessTtl;
  const outcome = await assent.storage.approveDevice({
    ...place,
    sessionId: session.sessionId,
    clientId: client.clientId,
    ceiling: ceilingOf(client, assent.oauth.policy),
    approval: approvalOf(found, allowed, { onceUntil, now }, assent),
    grantedBy: person.personId,
    via: "device",
    declined,
    duration,
    durations,
    texts: textsOf(
      choice.scopes.filter(({ name }) => granted.includes(name)),
      language,
    ),
    onceUntil,
    shown: { locale: language, clientName: client.name, logo: client.logo },
    address: http.address,
    trustedFrom: trustedFrom(choice, person),
    now,
  });
  if (outcome !== "decided") return notDecided(outcome, found, assent);
  const { ownerId: owner } = choice;
  assent.event("device_allowed", {
    client_id: client.clientId,
    owner,
    person: person.personId,
    scope: granted.join(" "),
  });
  return doneAnswer(client, "allowed", http, assent);
}

/** What the next poll makes the grant of. Its id derives from request and owner: however many poll, it is one grant. */
function approvalOf(
  { client, request, person, session }: Found,
  { choice, granted, duration }: Allowed,
  { onceUntil, now }: { onceUntil: number; now: number },
  { issuer, oauth }: Assent,
): DeviceApproval {
  const once = duration === "once";
  const { partition, ownerId, verdict } = choice;
  const scopes = choice.scopes.filter(({ name }) => granted.includes(name));
  return {
    partition,
    grantId: derivedId(partition, "device", request.requestId, person.personId),
    ownerId,
    personId: person.personId,
    refreshable: mayUse(client, "refresh_token", oauth) && !once,
    scopes: scopes.map(({ name }) => name),
    audience: audienceOf(scopes, [], new Map(), issuer),
    authTime: session.authTime,
    acr: session.acr,
    amr: session.amr,
    onceUntil: once ? onceUntil : null,
    // Under what an admin approved for all, the person's own choice may end sooner.
    endsBy: verdict === "approved" ? endOf(duration, now, onceUntil) : null,
    approvedAt: now,
  };
}

async function deny(found: Found, assent: Assent): Promise<Answer> {
  const { client, place, session, http } = found;
  const outcome = await assent.storage.denyDevice({ ...place, sessionId: session.sessionId, now: assent.now() });
  if (outcome !== "decided") return notDecided(outcome, found, assent);
  assent.event("authorization_denied", { client_id: client.clientId, condition: "device_denied" });
  return doneAnswer(client, "denied", http, assent);
}

/** Answered in another tab, or run out, between the look and the answer. */
function notDecided(outcome: "allowed" | "denied" | "unknown", found: Found, assent: Assent): Answer | Promise<Answer> {
  const { entry, client, visitor, http } = found;
  if (outcome === "unknown") return notFound({ kind: "unknown" }, entry, visitor, http, assent);
  return doneAnswer(client, outcome, http, assent);
}
