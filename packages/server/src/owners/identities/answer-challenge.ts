/** The calls of the operator's own back end about a challenge: read it, accept it, reject it. */

import { signInPolicy } from "../../oauth/authentication-context.ts";
import { authenticateClient } from "../../oauth/client-authentication/index.ts";
import { refuse } from "../../oauth/errors.ts";
import type { Acr, Client } from "../../oauth/model.ts";
import { type Parameters, parseOrRefuse, parseParameters } from "../../oauth/parameters.ts";
import type { OAuthContext } from "../../oauth/ports.ts";
import type { TokenRequest } from "../../oauth/token-endpoint/endpoint.ts";
import { type AuthorizationFlow, resumeFlow } from "../authorization/browser-flow.ts";
import { type Continuation, requestOf } from "../authorization/continuation.ts";
import {
  answerEnds,
  challengeEnds,
  type ExternalAnswer,
  type ExternalChallenge,
  type ExternalSignIn,
  OWN_PAGE,
} from "./external-sign-in.ts";
import { readAccept, readReject } from "./read-external-answer.ts";
import type { ElsewhereContext } from "./sign-in-elsewhere.ts";

export interface AnswerChallengeContext {
  /** Null: there is no page. */
  readonly page: ExternalSignIn | null;
  readonly issuer: string;
  readonly oauth: OAuthContext;
  readonly people: ElsewhereContext;
  /** Undefined: it is not from this server, or was changed. */
  open(sealed: string): ExternalChallenge | undefined;
  /** Seals an answer for its challenge. */
  seal(answer: ExternalAnswer, challengeId: string): Uint8Array;
  /** With each secret of the server, the present one first: the same answer to the same challenge has the same verifier. */
  verifiersOf(answer: ExternalAnswer, challengeId: string): readonly string[];
}

interface Asked {
  readonly client: Client;
  readonly page: ExternalSignIn;
  readonly single: Parameters;
  readonly sealed: string;
  readonly challenge: ExternalChallenge;
}

/** The client is authenticated first, so that nobody else learns anything about a challenge. */
async function asked(request: TokenRequest, context: AnswerChallengeContext): Promise<Asked> {
  const { single } = parseOrRefuse(request.body);
  const { page, oauth } = context;
  const client = await authenticateClient({ ...request, parameters: single }, oauth);
  if (client.type === "public") refuse("client_has_no_secret", "a public client may not answer for people");
  if (page === null || !page.clients.includes(client.clientId)) return refuse("external_sign_in_not_allowed");
  const sealed = single.get("challenge") ?? refuse("external_challenge_unknown", "there is no challenge");
  const challenge = context.open(sealed) ?? refuse("external_challenge_unknown");
  if (oauth.now() >= challengeEnds(challenge)) refuse("external_challenge_expired");
  return { client, page, single, sealed, challenge };
}

/** What the challenge is about. */
export async function readChallenge(request: TokenRequest, context: AnswerChallengeContext): Promise<unknown> {
  const { challenge } = await asked(request, context);
  const { continuation, connects, person, choose, provedSince, typed, lacks } = challenge;
  const flow = await flowBehind(continuation, context);
  const prompt = flow?.request.prompt ?? [];
  return {
    purpose: connects === null ? purposeOf(continuation, person !== null) : "connect",
    client: flow === undefined ? null : clientOf(flow, context),
    ...wishesOf(flow, lacks ?? null),
    login_hint: typed ?? flow?.request.loginHint ?? null,
    choose_account: choose || prompt.includes("select_account"),
    auth_time_min: Math.ceil(provedSince / 1000),
    signed_in: person === null ? null : { subject: await subjectOf(person, context) },
    expires_at: Math.floor(challengeEnds(challenge) / 1000),
  };
}

/** The request that waits, checked again: the app may be gone by now. */
async function flowBehind(
  continuation: Continuation | undefined,
  { oauth }: AnswerChallengeContext,
): Promise<AuthorizationFlow | undefined> {
  const waits = requestOf(continuation);
  if (waits === undefined) return undefined;
  const resumed = await resumeFlow(waits, { oauth, now: () => oauth.now() });
  return resumed.kind === "resumed" ? resumed.flow : refuse("external_challenge_expired", `request ${resumed.kind}`);
}

function purposeOf(continuation: Continuation | undefined, signedIn: boolean) {
  switch (continuation?.kind) {
    case "request":
      return "app";
    case "account_page":
      return signedIn ? "confirm" : "account";
    case "device":
    case "invitation":
      return continuation.kind;
    case undefined:
      return "account";
  }
}

function clientOf({ request: { client } }: AuthorizationFlow, { issuer }: AnswerChallengeContext) {
  return {
    client_id: client.clientId,
    client_name: client.name,
    logo_uri: client.logo === null ? null : `${issuer}/logos/${client.logo}`,
    policy_uri: client.policyUri,
    tos_uri: client.tosUri,
    first_party: client.firstParty,
  };
}

function wishesOf(flow: AuthorizationFlow | undefined, acr: Acr | null) {
  if (flow === undefined) return { scopes: [], prompt: [], max_age: null, acr_values: null, acr, ui_locales: null };
  const { request, continuation } = flow;
  return {
    scopes: request.scopes.map(({ name, description }) => ({ name, description })),
    prompt: request.prompt,
    max_age: request.maxAge,
    acr_values: parseParameters(continuation.query).single.get("acr_values") ?? null,
    acr: signInPolicy([...request.scopes, request]).acr,
    ui_locales: request.uiLocales,
  };
}

/** The person as the page knows them. Null: they have not used it. */
async function subjectOf(
  person: NonNullable<ExternalChallenge["person"]>,
  { people }: AnswerChallengeContext,
): Promise<string | null> {
  const links = await people.storage.subjectLinks.ofPerson(person);
  return links.find(({ issuerId }) => issuerId === OWN_PAGE)?.subject ?? null;
}

export async function acceptChallenge(request: TokenRequest, context: AnswerChallengeContext): Promise<unknown> {
  const one = await asked(request, context);
  return given(readAccept(one.single, one.page, one.challenge, context.oauth.now()), one, context);
}

export async function rejectChallenge(request: TokenRequest, context: AnswerChallengeContext): Promise<unknown> {
  const one = await asked(request, context);
  return given(readReject(one.single), one, context);
}

/** The first answer counts. The same answer again gets the same address, so that a lost response can be asked for again. */
async function given(answer: ExternalAnswer, { challenge, sealed, client }: Asked, context: AnswerChallengeContext) {
  const { people, oauth, issuer } = context;
  const { id: challengeId } = challenge;
  const hashed = context
    .verifiersOf(answer, challengeId)
    .map((verifier) => ({ verifier, hash: oauth.hashes.sha256(verifier) }));
  const [present] = hashed;
  if (present === undefined) throw new Error("the list of secrets is empty");
  const outcome = await people.storage.externalAnswers.give({
    ...{ partition: people.partitionOf(challengeId), challengeId, verifierHash: present.hash },
    ...{ sealed: context.seal(answer, challengeId), until: answerEnds(challenge) },
  });
  const same =
    outcome.kind === "first" ? present : hashed.find(({ hash }) => oauth.hashes.equal(hash, outcome.verifierHash));
  if (same === undefined || (outcome.kind === "before" && outcome.used)) return refuse("external_challenge_answered");
  if (outcome.kind === "first")
    people.event("external_sign_in_answered", { client_id: client.clientId, answer: answer.kind });
  return { redirect_to: `${issuer}/login/external?challenge=${sealed}&verifier=${same.verifier}` };
}
