/** An owner's answer to an app: how it is read, and what it changes. The browser and the device flow share it. */

import { ceilingOf, isOfflineAsked, sooner } from "../../oauth/consent-reach.ts";
import { type GrantTerms, newGrant } from "../../oauth/grants/new-grant.ts";
import type { Client, Consent, Millis, Scope } from "../../oauth/model.ts";
import { allowsOffline, OFFLINE_ACCESS } from "../../oauth/openid/scopes.ts";
import { audienceOf } from "../../oauth/resource-indicator.ts";
import type { Uses } from "../../storage-subset.ts";
import { approvalFor, approvalMark, endOfRule } from "../company-rules.ts";
import type { ChosenEnds, RememberedAnswer } from "../company-storage.ts";
import { durationOf, endOf, isPaused } from "../consent-after-decision.ts";
import {
  answeredScopes,
  fixedDurations,
  KEEP_END,
  offeredDurations,
  presentEnds,
  readDuration,
  readDurations,
  TODAY,
} from "../consent-needed.ts";
import { textsOf } from "../scope-texts.ts";
import type { Approve, ChosenDuration, ConsentDuration, OwnerStorage, Person } from "../storage.ts";
import type { AuthorizationContext, SignedIn } from "./context.ts";
import type { ShownApprovals } from "./continuation.ts";
import {
  chosenOwner,
  declinedFor,
  givenEndOf,
  heldScopes,
  mustAskFor,
  type OwnerChoice,
  trustedFrom,
  withLive,
  withVerdictOn,
} from "./person-or-company.ts";

/** A form as it was sent, not checked yet. */
export interface AnswerForm {
  readonly decision: string | null;
  /** The id of the owner of the answer. Null: the person. */
  readonly owner: string | null;
  /** The id of the owner whose active scopes the page showed. Null: there was nobody to choose. */
  readonly shownOwner: string | null;
  /** The mark of the pause that the page showed (`pauseMark`). Null: it showed none. */
  readonly resume: string | null;
  /** Names of the ticked scopes. */
  readonly scopes: ReadonlySet<string>;
  readonly duration: string | null;
  /** With the duration `today`: the end that the page showed, in epoch milliseconds. */
  readonly todayUntil: string | null;
  /** The duration of a single scope, by its name. `keep`: its end does not change. */
  durationOf(scope: string): string | null;
}

/** The question that an answer is checked against. */
export interface Question {
  readonly client: Client;
  /** The owners for whom the person may answer. */
  readonly owners: readonly OwnerChoice[];
  /** The durations that can be chosen. */
  readonly durations: readonly ConsentDuration[];
  /** True: the end of the day can be chosen, too. */
  readonly today: boolean;
  /** False: a single scope can't be for once, because the grant is fetched later. */
  readonly onceByScope: boolean;
  /** The approvals that the page showed. Absent: it showed none. */
  readonly approvals?: ShownApprovals | undefined;
  /** True: this request was answered for this owner already. What has changed since is that answer. Absent: false. */
  readonly repeated?: boolean;
}

/** What is granted, for whom, and for how long. */
export interface Allowed {
  readonly owner: OwnerChoice;
  readonly scopes: readonly Scope[];
  /** Names of optional scopes that were not ticked. */
  readonly declined: readonly string[];
  /** Those of them that an admin has to approve first. The person may still want them. */
  readonly unapproved: readonly string[];
  /** Those of them that the page showed as given. Older grants of a company's member lose them. */
  readonly lost: readonly string[];
  /** Of new scopes. */
  readonly duration: ChosenDuration;
  /** Durations of single scopes. */
  readonly durations: Readonly<Record<string, ChosenDuration>>;
  /** Names of active scopes whose ends the owner changed on the page. */
  readonly moved: readonly string[];
  /** Names of active scopes whose ends do not change. */
  readonly kept: readonly string[];
  /** For a company: the ends that these have for the member. */
  readonly keptEnds: Readonly<Record<string, Millis>>;
  /** True: the owner had paused the app, and the page said that this answer lets it go on. */
  readonly resumes?: true;
}

/**
 * Why an answer is not taken. `stale`: the form is not an answer. `meanwhile`: the page showed a permission as new that the
 * owner has allowed since, or the other way round, so they did not choose its end. `other_owner`: the page showed the
 * permissions of one owner, the form names another owner, and one of the two gives some of them already, or only one of
 * them lets the app keep access while the person is away without a permission for it. `paused`: the owner has paused the app, and the page did not show it. `changed`: the person's rights changed at that moment, or an admin changed the approval after the page was made. `needless`: no admin has to be asked any more. `nothing`:
 * no scope is left.
 */
export type AnswerProblem =
  | "stale"
  | "meanwhile"
  | "bad_owner"
  | "other_owner"
  | "paused"
  | "changed"
  | "needless"
  | "bad_duration"
  | "nothing";

export type Decision =
  /** `owner`: whom the person refused it for. Undefined: they only went back to the app. */
  | { readonly kind: "denied"; readonly owner: OwnerChoice | undefined }
  /** `owner`: the owner that the page selects again. Undefined: none that the form may name. */
  | { readonly kind: "unclear"; readonly problem: AnswerProblem; readonly owner: OwnerChoice | undefined }
  /** The person has to ask the company's admins. */
  | { readonly kind: "ask_admin"; readonly owner: OwnerChoice; readonly scopes: readonly Scope[] }
  | ({ readonly kind: "allowed" } & Allowed);

/** Names this pause of this owner: a page that showed it resumes no later one. Undefined: the app is not paused. */
export function pauseMark(
  consent: Pick<Consent, "status" | "pausedAt"> | undefined,
  ownerId: string,
): string | undefined {
  return consent !== undefined && isPaused(consent) ? `${ownerId}.${consent.pausedAt}` : undefined;
}

/** Reads a form. Fields that were added or renamed have no effect: the scopes come from the checked request. */
export function readAnswer(form: AnswerForm, question: Question, now: Millis): Decision {
  const { owners, durations: offered, today, onceByScope, approvals = {}, repeated = false } = question;
  const chosen = chosenOwner(owners, form.owner);
  if (form.decision === "deny") return { kind: "denied", owner: chosen ?? chosenOwner(owners, null) };
  if (form.decision === "back") return { kind: "denied", owner: undefined };
  const unclear = (problem: AnswerProblem): Decision => ({ kind: "unclear", problem, owner: chosen });
  if (form.decision !== "allow") return unclear("stale");
  if (chosen === undefined) return unclear("bad_owner");
  const paused = pauseMark(chosen.consent, chosen.ownerId);
  const resumes = paused !== undefined;
  // The owner paused the app after the page was made, or the page showed another owner. Such a page lets nothing go on.
  if (resumes && form.resume !== paused) return unclear("paused");
  const asked = form.duration === "" ? null : form.duration;
  const duration =
    today && asked === TODAY ? endOfDay(form.todayUntil, now) : readDuration(asked ?? undefined, offered);
  const lasting = onceByScope ? offered : offered.filter((one) => one !== "once");
  const present = heldScopes(chosen, now);
  const names = chosen.scopes.map(({ name }) => name);
  const durations = readDurations((name) => form.durationOf(name), names, lasting);
  if (durations === undefined || (asked !== null && duration === undefined)) return unclear("bad_duration");
  const { granted, declined } = answeredScopes(chosen.scopes, form.scopes);
  if (granted.length === 0) return unclear("nothing");
  const others = granted.filter((name) => !Object.hasOwn(durations, name));
  const kept = others.filter((name) => present.has(name));
  const fresh = others.filter((name) => !present.has(name));
  const elsewhere = form.shownOwner !== null && form.shownOwner !== chosen.ownerId;
  const shown = elsewhere ? owners.find(({ ownerId }) => ownerId === form.shownOwner) : undefined;
  const already = shown === undefined ? new Set<string>() : heldScopes(shown, now);
  // The page did not show what this owner allows already, so the person can't have changed it.
  const { client } = question;
  const hidesAway =
    shown === undefined ? form.shownOwner !== ANOTHER_OWNER : keepsAway(shown, client) !== keepsAway(chosen, client);
  const unseen = elsewhere && !repeated && (hidesAway || names.some((name) => present.has(name)));
  if (unseen || fresh.some((name) => already.has(name))) return unclear("other_owner");
  const scopes = chosen.scopes.filter(({ name }) => granted.includes(name));
  const owner = withVerdictOn(chosen, granted, now);
  if (owner.verdict === "ask") return { kind: "ask_admin", owner, scopes };
  if (!repeated && approvals[owner.ownerId] !== approvalMark(owner.acting, owner.reach, now)) return unclear("changed");
  // The scope expired while the page was open, or it was allowed in another tab: the owner chose no end of it, or another.
  const declinedBefore = declinedFor(chosen, now);
  const shownNew = kept.filter((name) => !declinedBefore.has(name) && wasShownNew(form, name, names));
  const changed = fresh.some((name) => form.durationOf(name) === KEEP_END) || (!repeated && shownNew.length > 0);
  if (!elsewhere && changed) return unclear("meanwhile");
  if (duration === undefined && fresh.length > 0) return unclear("bad_duration");
  const unapproved = declined.filter((name) => !declinedBefore.has(name) && mustAskFor(chosen, name, now));
  const lost = declined.filter((name) => present.has(name) || name === OFFLINE_ACCESS);
  // What a company allows, but not this member: they choose its end, also a later one than others did.
  const byOthers = chosen.acting === undefined ? new Map() : presentEnds(chosen.consent, chosen.reach, now);
  const added = fresh.filter((name) => byOthers.has(name)).map((name) => [name, duration ?? "once"] as const);
  const moved = Object.keys(durations).filter((name) => granted.includes(name) && present.has(name));
  // Nothing is new. If the consent is revoked before this is written, the answer holds for as short as possible.
  const keptEnds = keptEndsOf(chosen, kept, now);
  const lengths = {
    ...{ duration: duration ?? ("once" as const), kept, keptEnds, moved },
    durations: { ...durations, ...Object.fromEntries(added) },
    ...(resumes ? { resumes } : {}),
  };
  return { kind: "allowed", owner, scopes, declined, unapproved, lost, ...lengths };
}

/** As the shown owner, in a form that goes on from the page of a request to an admin: another one than the chosen one. */
export const ANOTHER_OWNER = "other";

/** True: the app gets refresh tokens without `offline_access`, and the page says so. */
export function keepsAway({ scopes, consent, acting }: OwnerChoice, { grantTypes }: Client): boolean {
  const isAsked = scopes.some(({ name }) => name === OFFLINE_ACCESS);
  return grantTypes.includes("refresh_token") && !isAsked && !isOfflineAsked(consent, acting);
}

/** True: the page offered no "Don't change" for this scope. If a new scope is the only one, the page has one menu for all. */
function wasShownNew(form: AnswerForm, name: string, asked: readonly string[]): boolean {
  const own = form.durationOf(name);
  if (own !== null) return own !== KEEP_END;
  return asked.length === 1 && form.duration !== null && form.shownOwner === null;
}

/** The parts of a flow that store an answer. */
export interface AnswerWriter<Denied, Written> {
  denied(owner: OwnerChoice | undefined): Promise<Denied>;
  allowed(allowed: Allowed): Promise<Written>;
}

/**
 * Reads the answer and stores it. First it reads what the app has now for a company that the page showed or the form names.
 * An app gets nothing without an answer before the member has chosen the company for it.
 */
export async function decide<Denied, Written>(
  form: AnswerForm,
  question: Question & { readonly person: Pick<Person, "partition" | "personId"> },
  writer: AnswerWriter<Denied, Written>,
  context: Pick<AuthorizationContext, "now" | "storage">,
): Promise<
  | { readonly kind: "denied"; readonly written: Denied }
  | Extract<Decision, { kind: "unclear" | "ask_admin" }>
  | { readonly kind: "allowed"; readonly written: Written }
> {
  const { client } = question;
  const known = (choice: OwnerChoice) => {
    const isNamed = [form.owner, form.shownOwner].includes(choice.ownerId);
    return isNamed && choice.acting != null && choice.acting.chosenAt !== null
      ? withLive(choice, client, context)
      : choice;
  };
  const owners = form.decision === "allow" ? await Promise.all(question.owners.map(known)) : question.owners;
  const decision = readAnswer(form, { ...question, owners }, context.now());
  if (decision.kind === "denied") return { kind: "denied", written: await writer.denied(decision.owner) };
  if (decision.kind !== "allowed") return decision;
  await noteCompany(decision, question, context);
  return { kind: "allowed", written: await writer.allowed(decision) };
}

/**
 * Notes the company of an answer, also of one for once: an app that comes back does not act for another owner unseen.
 * Before the answer is stored: if that fails, the app only asks again.
 */
async function noteCompany(
  allowed: Allowed,
  { client, person }: Parameters<typeof decide>[1],
  { storage, now }: Pick<AuthorizationContext, "now" | "storage">,
): Promise<void> {
  const { ownerId: companyId, acting } = allowed.owner;
  if (acting === undefined) return;
  const { partition, personId } = person;
  await storage.lastCompanies.note({ partition, personId, clientId: client.clientId, companyId, chosenAt: now() });
}

/** The longest day of a year: on it, clocks are set back by an hour. */
const LONGEST_DAY: Millis = 25 * 3_600_000;

/** The end of the owner's day as the page showed it. Undefined: it has passed, or no day ends then. */
function endOfDay(text: string | null, now: Millis): ChosenDuration | undefined {
  const until = /^\d{13}$/.test(text ?? "") ? Number(text) : 0;
  return until > now && until <= now + LONGEST_DAY ? { until } : undefined;
}

/** True: the owner can choose the end of the day. It must not be later than the ceiling lets a consent last. */
export function offersToday(client: Client, { consentDurations, oauth }: Parameters<typeof durationsFor>[1]): boolean {
  const ceiling = ceilingOf(client, oauth.policy);
  return consentDurations.includes(TODAY) && (ceiling === null || ceiling >= LONGEST_DAY);
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
  return offeredDurations(fixedDurations(consentDurations), ceilingOf(client, oauth.policy));
}

/** How long the grant of an answer has one of its scopes. `kept`: as long as before. */
export function lengthOf(
  name: string,
  allowed: Pick<Allowed, "duration" | "durations" | "kept">,
): ChosenDuration | "kept" {
  return allowed.kept.includes(name) ? "kept" : durationOf(name, allowed);
}

/** The scopes that are for this once alone. */
export function onceOnly(allowed: Allowed): readonly string[] {
  return allowed.scopes.map(({ name }) => name).filter((name) => lengthOf(name, allowed) === "once");
}

/** True: the answer is not for this once alone, so it also chooses the owner for later. */
export function isLasting(allowed: Allowed): boolean {
  return onceOnly(allowed).length < allowed.scopes.length;
}

/** The grant of an answer. Its id derives from the question, so that an answer that is sent twice makes one grant. */
export function grantTerms(
  client: Client,
  allowed: Allowed,
  { person, session }: SignedIn,
  grantId: string,
  { oauth }: Pick<AuthorizationContext, "oauth">,
): GrantTerms {
  const { owner, scopes } = allowed;
  const { partition, ownerId } = owner;
  // The request may name several APIs, and the owner may grant scopes of only one.
  const audience = audienceOf(scopes, [], new Map(), oauth.issuer);
  const names = scopes.map(({ name }) => name);
  const asked = owner.scopes.map(({ name }) => name);
  const refreshable = isLasting(allowed) && allowsOffline(asked, names);
  const whose = { partition, grantId, ownerId, personId: person.personId };
  return newGrant({ client, ...whose, scopes: names, audience, refreshable, signIn: session }, oauth);
}

/**
 * The parts of an answer that every flow writes into the record. If `via` is a page, the texts that the owner read go
 * with it.
 */
export function recordTerms(
  client: Client,
  { owner, scopes, declined, duration, durations, keptEnds, resumes }: Allowed,
  { person }: SignedIn,
  via: "browser" | "device" | "first party",
  language: string,
): Omit<Approve, "grant" | "onceUntil" | "now"> {
  return {
    grantedBy: person.personId,
    ...{ via, declined, duration, durations, keptEnds },
    ...(resumes ? { resumes } : {}),
    ...(via === "first party" ? {} : { texts: textsOf(scopes, language) }),
    shown: { locale: language, clientName: client.name, logo: client.logo },
    trustedFrom: trustedFrom(owner, person),
  };
}

/** Records that the person refused the app for this owner. */
export async function noteRefusal(
  client: Pick<Client, "clientId" | "name">,
  { owner, person, via }: { readonly owner: OwnerChoice; readonly person: Person; readonly via: "browser" | "device" },
  language: string,
  { storage, now }: Pick<AuthorizationContext, "now"> & { readonly storage: Uses<OwnerStorage, "grants.refuse"> },
): Promise<void> {
  const { partition, ownerId, scopes } = owner;
  const { clientId, name: clientName } = client;
  await storage.grants.refuse({
    ...{ partition, ownerId, clientId, clientName, via, personId: person.personId },
    scopes: scopes.map(({ name }) => name),
    shown: { locale: language, texts: textsOf(scopes, language) },
    ceiling: owner.reach.ceiling,
    trustedFrom: trustedFrom(owner, person),
    now: now(),
  });
}

/** The ends that these scopes have for the member of a company. */
function keptEndsOf(owner: OwnerChoice, kept: readonly string[], now: Millis): Readonly<Record<string, Millis>> {
  const ends = kept.map((name) => [name, givenEndOf(owner, name, now)] as const);
  return Object.fromEntries(ends.flatMap(([name, end]) => (end === null ? [] : [[name, end]])));
}

/**
 * When an answer in a company's name ends, by scope: as chosen now or before, and no later than the approval that the page
 * named. It does not change the company's consent, which may last longer.
 */
export function answeredEnds(allowed: Allowed, now: Millis, onceUntil: Millis): ChosenEnds {
  const { acting, reach } = allowed.owner;
  const approval = approvalFor(acting, reach, now);
  const last = approval === undefined ? null : endOfRule(approval, reach);
  const endFor = (name: string) => sooner(chosenEnd(name, allowed, now, onceUntil), last);
  return Object.fromEntries(allowed.scopes.map(({ name }) => [name, endFor(name)]));
}

/** What a member's answer for a company changes for them: in later connections, and in older grants. */
export function rememberedAnswer(allowed: Allowed, now: Millis, onceUntil: Millis): Required<RememberedAnswer> {
  const { unapproved, lost, moved, scopes } = allowed;
  const declined = allowed.declined.filter((name) => !unapproved.includes(name));
  // Older grants can have refresh tokens without this scope. Its end is theirs, too.
  const away = scopes.some(({ name }) => name === OFFLINE_ACCESS) && lengthOf(OFFLINE_ACCESS, allowed) !== "kept";
  const newEnds = [...new Set([...moved, ...(away ? [OFFLINE_ACCESS] : [])])];
  const ends = answeredEnds(allowed, now, onceUntil);
  return { declined, unapproved, lost, ends, once: onceOnly(allowed), newEnds, moved };
}

/** The ends that were chosen for single scopes, without those for this once. The owner's consent may last longer. */
export function chosenEnds(allowed: Allowed, now: Millis, onceUntil: Millis): Readonly<Record<string, Millis>> {
  const once = onceOnly(allowed);
  const lasting = allowed.scopes.map(({ name }) => name).filter((name) => !once.includes(name));
  const ends = lasting.map((name) => [name, chosenEnd(name, allowed, now, onceUntil)] as const);
  return Object.fromEntries(ends.flatMap(([name, end]) => (end === null ? [] : [[name, end]])));
}

/** Null: nothing ends this scope before the owner's consent does. */
function chosenEnd(name: string, allowed: Allowed, now: Millis, onceUntil: Millis): Millis | null {
  const length = lengthOf(name, allowed);
  return length === "kept" ? (allowed.keptEnds[name] ?? null) : endOf(length, now, onceUntil);
}
