/** An owner's answer to an app: what it says, and what becomes of it. The same for a browser and for a device. */

import { ceilingOf } from "../../oauth/consent-reach.ts";
import { type GrantTerms, newGrant } from "../../oauth/grants/new-grant.ts";
import type { Client, Millis, Scope } from "../../oauth/model.ts";
import { audienceOf } from "../../oauth/resource-indicator.ts";
import { answeredScopes, offeredDurations, readDuration, readDurations } from "../consent.ts";
import { durationOf, endOf } from "../consent-record.ts";
import { chosenOwner, judgedFor, type OwnerChoice, trustedFrom } from "../owner-choice.ts";
import { textsOf } from "../scope-texts.ts";
import type { Approve, ConsentDuration } from "../storage.ts";
import type { AuthorizationContext, SignedIn } from "./context.ts";

/** A form as it was sent: nothing of it is believed yet. */
export interface AnswerForm {
  readonly decision: string | null;
  /** The id of the owner to answer for; null: the person themselves. */
  readonly owner: string | null;
  /** Names of the scopes that were left ticked. */
  readonly scopes: ReadonlySet<string>;
  readonly duration: string | null;
  /** The time of a single scope, by its name. */
  durationOf(scope: string): string | null;
}

/** What an answer is held against. */
export interface Question {
  readonly client: Client;
  /** For whom the person may answer. */
  readonly owners: readonly OwnerChoice[];
  /** The lengths of time that may be chosen. */
  readonly durations: readonly ConsentDuration[];
  /** False: no single scope can be for once, since what is granted is fetched later. */
  readonly onceByScope: boolean;
}

/** What is granted, for whom, for how long. */
export interface Allowed {
  readonly owner: OwnerChoice;
  readonly scopes: readonly Scope[];
  /** Names of what was offered as a choice and left out. */
  readonly declined: readonly string[];
  readonly duration: ConsentDuration;
  /** Of single scopes. */
  readonly durations: Readonly<Record<string, ConsentDuration>>;
}

/** What is wrong with an answer. `stale`: it is none. `nothing`: no scope is left. */
export type AnswerProblem = "stale" | "bad_owner" | "bad_duration" | "nothing";

export type Decision =
  | { readonly kind: "denied" }
  /** `owner`: whom the page selects again; undefined: nobody that the form may name. */
  | { readonly kind: "unclear"; readonly problem: AnswerProblem; readonly owner: OwnerChoice | undefined }
  /** The company's admins have to be asked. */
  | { readonly kind: "ask_admin"; readonly owner: OwnerChoice; readonly scopes: readonly Scope[] }
  | ({ readonly kind: "allowed" } & Allowed);

/** What a form says. What it adds or renames counts for nothing: the request that was checked is what is granted from. */
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
  const owner = judgedFor(chosen, granted, now);
  if (owner.verdict === "ask") return { kind: "ask_admin", owner, scopes };
  return { kind: "allowed", owner, scopes, declined, duration, durations: own };
}

/** Writes down what a flow does with an answer. */
export interface AnswerWriter<Denied, Written> {
  denied(): Promise<Denied>;
  allowed(allowed: Allowed): Promise<Written>;
}

/** Reads the answer, and writes what it says. */
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

/** The lengths of time that a client's owners may choose. */
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

/** The grant of an answer. Its id derives from what was asked, so that an answer given twice makes one grant. */
export function grantTerms(
  client: Client,
  { owner, scopes, duration, durations }: Allowed,
  { person, session }: SignedIn,
  grantId: string,
  { oauth }: Pick<AuthorizationContext, "oauth">,
): GrantTerms {
  const { partition, ownerId } = owner;
  // Of several APIs one may be left by what the owner may, or wanted to, grant.
  const audience = audienceOf(scopes, [], new Map(), oauth.issuer);
  const lasting = scopes.some(({ name }) => durationOf(name, { duration, durations }) !== "once");
  const names = scopes.map(({ name }) => name);
  const whose = { partition, grantId, ownerId, personId: person.personId };
  return newGrant({ client, ...whose, scopes: names, audience, refreshable: lasting, signIn: session }, oauth);
}

/** What of an answer every flow writes into the record. `via` a page: the texts that were read go with it. */
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

/** When an answer under what an admin approved for all ends: with its shortest scope. It changes nothing of the approval. */
export function endsBy({ scopes, duration, durations }: Allowed, now: Millis, onceUntil: Millis): Millis | null {
  const ends = scopes.map(({ name }) => endOf(durationOf(name, { duration, durations }), now, onceUntil));
  return ends.reduce((least, end) => (end === null || (least !== null && least < end) ? least : end), null);
}
