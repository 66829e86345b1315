/** `/consent`: the owner's answer to a client (RFC 6749 §4.1.1 (B)). */

import { answeredScopes, readDuration, readDurations } from "../../owners/consent.ts";
import { chosenOwner, judgedFor, type OwnerChoice, preferredOwner } from "../../owners/owner-choice.ts";
import { signInNeeded } from "../../owners/session.ts";
import type { ConsentDuration, Person, Session } from "../../owners/storage.ts";
import type { ConsentView } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { isFormToken } from "../forms.ts";
import { advance, approveRequest, deny, isAnswer, ownersOf, resume, type Underway } from "../interaction.ts";
import { type Answer, formOf, type HttpRequest } from "../message.ts";
import { visitorOf } from "../visitor.ts";
import { askAdminAnswer } from "./ask-admin.ts";
import { consentAnswer, durationsFor } from "./consent-page.ts";

/** Where a sign-in leads: the page, or straight on. */
export async function showConsent(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const underway = await resume(new URLSearchParams(http.query).get("request"), visitor, http, assent);
  return isAnswer(underway) ? underway : advance(underway, assent);
}

export async function submitConsent(http: HttpRequest, assent: Assent): Promise<Answer> {
  const visitor = await visitorOf(http, assent);
  const form = formOf(http);
  const underway = await resume(form.get("request"), visitor, http, assent);
  if (isAnswer(underway)) return underway;
  const { signedIn } = visitor;
  if (signedIn === undefined) return advance(underway, assent);
  const { session, person } = signedIn;
  const { request, interaction } = underway;
  const choices = await ownersOf(underway, person, assent);
  const choice = chosenOwner(choices, form.get("owner"));
  const again = (kind: NonNullable<ConsentView["problem"]>["kind"], status: number) => {
    const shown = choice ?? preferredOwner(choices);
    if (shown === undefined) return deny(underway, "nothing_grantable", assent);
    const asking = { underway, choices, choice: shown, allGranted: false };
    return consentAnswer(asking, assent, { problem: { kind }, status, form });
  };

  if (!isFormToken(assent.secrets, `session:${session.sessionId}`, form.get("csrf"))) return again("stale", 403);
  const needed = signInNeeded(request, request.scopes, session, interaction.startedAt, assent.now());
  if (needed.kind !== "none" || person.mustChangePassword || choices.length === 0) return advance(underway, assent);
  const decision = form.get("decision");
  if (decision === "deny") return deny(underway, "access_denied", assent, "person");
  if (decision !== "allow") return again("stale", 400);
  if (choice === undefined) return again("bad_owner", 400);
  const allowed = durationsFor(request.client, assent);
  const duration = readDuration(form.get("duration") ?? undefined, allowed);
  const names = choice.scopes.map(({ name }) => name);
  const durations = readDurations((field) => form.get(field), names, allowed);
  if (duration === undefined || durations === undefined) return again("bad_duration", 400);
  const answered = { choice, duration, durations, person, session };
  return allow(underway, new Set(form.getAll("scope")), answered, again, assent);
}

interface Answered {
  readonly choice: OwnerChoice;
  readonly duration: ConsentDuration;
  /** Of single scopes. */
  readonly durations: Readonly<Record<string, ConsentDuration>>;
  readonly person: Person;
  readonly session: Session;
}

async function allow(
  underway: Underway,
  ticked: ReadonlySet<string>,
  answered: Answered,
  again: (kind: "nothing", status: number) => Answer | Promise<Answer>,
  assent: Assent,
): Promise<Answer> {
  const { scopes } = answered.choice;
  // What the form adds or renames counts for nothing: the request that was checked is what is granted from.
  const { granted, declined } = answeredScopes(scopes, ticked);
  if (granted.length === 0) return again("nothing", 400);
  const allowed = scopes.filter(({ name }) => granted.includes(name));
  const choice = judgedFor(answered.choice, granted, assent.now());
  if (choice.verdict === "ask")
    return askAdminAnswer({ underway, choice, scopes: allowed, reason: "", problem: null }, assent);
  return approveRequest(underway, { ...answered, choice, scopes: allowed, declined, via: "browser" }, assent);
}
