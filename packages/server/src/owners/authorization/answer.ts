/** An owner's answer to an app: how it is read, and what it changes. The browser and the device flow share it. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import { type GrantTerms, newGrant } from "../../oauth/grants/new-grant.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { audienceOf } from "../../oauth/resource-indicator.ts";
import { answeredScopes, offeredDurations, readDuration, readDurations } from "../consent.ts";
import { durationOf, endOf } from "../consent-record.ts";
import { textsOf } from "../scope-texts.ts";
import type { Approve, ConsentDuration } from "../storage.ts";
import type { AuthorizationContext, SignedIn } from "./context.ts";
import { chosenOwner, type OwnerChoice, trustedFrom, withVerdictOn } from "./owner-choice.ts";

/** A form as it was sent, not checked yet. */
export interface AnswerForm {
  readonly decision: string | null;
  /** The id of the owner of the answer. Null: the person. */
  readonly owner: string | null;
  /** Names of the ticked scopes. */
  readonly scopes: ReadonlySet<string>;
  readonly duration: string | null;
  /** The duration of a single scope, by its name. */
  durationOf(scope: string): string | null;
}

/** The question that an answer is checked against. */
export interface Question {
  readonly client: Client;
  /** The owners for whom the person may answer. */
  readonly owners: readonly OwnerChoice[];
  /** The durations that can be chosen. */
  readonly durations: readonly ConsentDuration[];
  /** False: a single scope can't be for once, because the grant is fetched later. */
  readonly onceByScope: boolean;
}

/** What is granted, for whom, and for how long. */
export interface Allowed {
  readonly owner: OwnerChoice;
  readonly scopes: readonly Scope[];
  /** Names of optional scopes that were not ticked. */
  readonly declined: readonly string[];
  readonly duration: ConsentDuration;
  /** Durations of single scopes. */
  readonly durations: Readonly<Record<string, ConsentDuration>>;
}

/** What is wrong with an answer. `stale`: the form is not an answer. `nothing`: no scope is left. */
export type AnswerProblem = "stale" | "bad_owner" | "bad_duration" | "nothing";

export type Decision =
  | { readonly kind: "denied" }
  /** `owner`: the owner that the page selects again. Undefined: none that the form may name. */
  | { readonly kind: "unclear"; readonly problem: AnswerProblem; readonly owner: OwnerChoice | undefined }
  /** The person has to ask the company's admins. */
  | { readonly kind: "ask_admin"; readonly owner: OwnerChoice; readonly scopes: readonly Scope[] }
  | ({ readonly kind: "allowed" } & Allowed);

/** Reads a form. Fields that were added or renamed have no effect: the scopes come from the checked request. */
export function readAnswer(form: AnswerForm, question: Question, now: Millis): Decision {
  if (form.decision === "deny") return { kind: "denied" };
  const { owners, durations: offered, onceByScope } = question;
  const chosen = chosenOwner(owners, form.owner);
  const unclear = (problem: AnswerProblem): Decision => ({ kind: "unclear", problem, owner: chosen });
  if (form.decision !== "allow") return unclear("stale");
  if (chosen === undefined) return unclear("bad_owner");
  const duration = readDuration(form.duration ?? undefined, offered);
  const lasting = onceByScope ? offered : offered.filter((one) => one !== "once");
  const names = chosen.scopes.map(({ name }) => name);
  const own = !onceByScope && duration === "once" ? {} : readDurations((name) => form.durationOf(name), names, lasting);
  if (duration === undefined || own === undefined) return unclear("bad_duration");
  const { granted, declined } = answeredScopes(chosen.scopes, form.scopes);
  if (granted.length === 0) return unclear("nothing");
  const scopes = chosen.scopes.filter(({ name }) => granted.includes(name));
  const owner = withVerdictOn(chosen, granted, now);
  if (owner.verdict === "ask") return { kind: "ask_admin", owner, scopes };
  return { kind: "allowed", owner, scopes, declined, duration, durations: own };
}

/** The parts of a flow that store an answer. */
export interface AnswerWriter<Denied, Written> {
  denied(): Promise<Denied>;
  allowed(allowed: Allowed): Promise<Written>;
}

/** Reads the answer and stores it. */
export async function decide<Denied, Written>(
  form: AnswerForm,
  question: Question,
  writer: AnswerWriter<Denied, Written>,
  { now }: Pick<AuthorizationContext, "now">,
): Promise<
  | { readonly kind: "denied"; readonly written: Denied }
  | Extract<Decision, { kind: "unclear" | "ask_admin" }>
  | { readonly kind: "allowed"; readonly written: Written }
> {
  const decision = readAnswer(form, question, now());
  if (decision.kind === "denied") return { kind: "denied", written: await writer.denied() };
  if (decision.kind === "allowed") return { kind: "allowed", written: await writer.allowed(decision) };
  return decision;
}

/** The durations that a client's owners can choose. */
export function durationsFor(
  client: Client,
  {
    consentDurations,
    oauth,
  }: Pick<AuthorizationContext, "consentDurations"> & {
    readonly oauth: Pick<AuthorizationContext["oauth"], "policy">;
  },
): readonly ConsentDuration[] {
  return offeredDurations(consentDurations, ceilingOf(client, oauth.policy));
}

/** The grant of an answer. Its id derives from the question, so that an answer that is sent twice makes one grant. */
export function grantTerms(
  client: Client,
  { owner, scopes, duration, durations }: Allowed,
  { person, session }: SignedIn,
  grantId: string,
  { oauth }: Pick<AuthorizationContext, "oauth">,
): GrantTerms {
  const { partition, ownerId } = owner;
  // The request may name several APIs, and the owner may grant scopes of only one.
  const audience = audienceOf(scopes, [], new Map(), oauth.issuer);
  const lasting = scopes.some(({ name }) => durationOf(name, { duration, durations }) !== "once");
  const names = scopes.map(({ name }) => name);
  const whose = { partition, grantId, ownerId, personId: person.personId };
  return newGrant({ client, ...whose, scopes: names, audience, refreshable: lasting, signIn: session }, oauth);
}

/**
 * The parts of an answer that every flow writes into the record. If `via` is a page, the texts that the owner read go
 * with it.
 */
export function recordTerms(
  client: Client,
  { owner, scopes, declined, duration, durations }: Allowed,
  { person }: SignedIn,
  via: "browser" | "device" | "first party",
  { address, language }: { readonly address: string; readonly language: string },
): Omit<Approve, "grant" | "onceUntil" | "now"> {
  return {
    grantedBy: person.personId,
    ...{ via, declined, duration, durations, address },
    ...(via === "first party" ? {} : { texts: textsOf(scopes, language) }),
    shown: { locale: language, clientName: client.name, logo: client.logo },
    trustedFrom: trustedFrom(owner, person),
  };
}

/**
 * When an answer under an admin's approval for all members ends: with its shortest scope. It does not change the
 * approval.
 */
export function endsBy({ scopes, duration, durations }: Allowed, now: Millis, onceUntil: Millis): Millis | null {
  const ends = scopes.map(({ name }) => endOf(durationOf(name, { duration, durations }), now, onceUntil));
  return ends.reduce((least, end) => (end === null || (least !== null && least < end) ? least : end), null);
}
