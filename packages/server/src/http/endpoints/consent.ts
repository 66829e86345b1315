/** `/consent`: the owner's answer to a client (RFC 6749 §4.1.1 (B)). */

import type { Assent } from "../../assent.ts";
import type { Scope } from "../../oauth/model.ts";
import { answeredScopes, grantableScopes, readDuration } from "../../owners/consent.ts";
import { needsSignIn } from "../../owners/session.ts";
import type { ConsentDuration, Person, Session } from "../../owners/storage.ts";
import type { ConsentView } from "../../pages/views.ts";
import { isFormToken } from "../forms.ts";
import { advance, approveRequest, deny, isAnswer, resume, type Underway } from "../interaction.ts";
import { type Answer, formOf, type HttpRequest } from "../message.ts";
import { visitorOf } from "../visitor.ts";
import { consentAnswer } from "./consent-page.ts";

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
  const scopes = grantableScopes(request.scopes, person);
  const again = (kind: NonNullable<ConsentView["problem"]>["kind"], status: number) =>
    askAgain(underway, scopes, person, { kind }, status, assent);

  if (!isFormToken(assent.secrets, `session:${session.sessionId}`, form.get("csrf"))) return again("stale", 403);
  if (needsSignIn(request, session.authTime, interaction.startedAt, assent.now()) || scopes.length === 0) {
    return advance(underway, assent);
  }
  const decision = form.get("decision");
  if (decision === "deny") return deny(underway, "access_denied", assent);
  const duration = readDuration(form.get("duration") ?? undefined, assent.config.consentDurations);
  if (decision !== "allow") return again("stale", 400);
  if (duration === undefined) return again("bad_duration", 400);
  return allow(underway, scopes, new Set(form.getAll("scope")), { duration, person, session }, again, assent);
}

interface Answered {
  readonly duration: ConsentDuration;
  readonly person: Person;
  readonly session: Session;
}

async function allow(
  underway: Underway,
  scopes: readonly Scope[],
  ticked: ReadonlySet<string>,
  { duration, person, session }: Answered,
  again: (kind: "nothing", status: number) => Promise<Answer>,
  assent: Assent,
): Promise<Answer> {
  // What the form adds or renames counts for nothing: the request that was checked is what is granted from.
  const { granted, declined } = answeredScopes(scopes, ticked);
  if (granted.length === 0) return again("nothing", 400);
  const allowed = scopes.filter(({ name }) => granted.includes(name));
  return approveRequest(underway, { scopes: allowed, declined, duration, via: "browser", person, session }, assent);
}

async function askAgain(
  underway: Underway,
  scopes: readonly Scope[],
  person: Person,
  problem: NonNullable<ConsentView["problem"]>,
  status: number,
  assent: Assent,
): Promise<Answer> {
  const key = { partition: person.partition, ownerId: person.personId, clientId: underway.request.client.clientId };
  const consent = await assent.storage.findConsent(key);
  return consentAnswer({ underway, scopes, consent, allGranted: false }, assent, { problem, status });
}
