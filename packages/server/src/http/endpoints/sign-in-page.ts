/** The sign-in page of a request under way, or of nobody's. */

import { canonicalSlug } from "../../owners/company.ts";
import { signInPage } from "../../pages/index.ts";
import type { FormSecrets, SignInView } from "../../pages/views.ts";
import type { Assent } from "../../server-parts.ts";
import { type DeviceEntry, formToken, openDeviceEntry, sealDeviceEntry, sealInteraction } from "../forms.ts";
import { contextOf, isAnswer, resume, type Underway } from "../interaction.ts";
import { type Answer, formOf, type HttpRequest, page } from "../message.ts";
import { passkeyOffer } from "../passkeys.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { clientCard, signedInAs } from "./cards.ts";

interface Shown {
  readonly problem: SignInView["problem"];
  /** What was typed, on a second try. */
  readonly username: string;
  readonly status: number;
}

/** What is shown before anything was typed. */
export const FIRST: Shown = { problem: null, username: "", status: 200 };

/** Pages that ask for a sign-in of their own, by what a form calls them. */
const PLACES = {
  security: "/account/security",
  passkeys: "/account/security/passkeys",
  authenticator: "/account/security/authenticator",
  profile: "/account/profile",
  export: "/account/profile/export",
  delete: "/account/profile/delete",
} as const;

/** The members of the company with that slug are a place, too. */
export type Place = keyof typeof PLACES | `company/${string}`;

/** Somebody who sends a form of a sign-in, and what waits behind it. */
export interface Arrival {
  readonly visitor: Visitor;
  readonly http: HttpRequest;
  readonly form: URLSearchParams;
  /** An app's request; undefined: none. */
  readonly underway: Underway | undefined;
  /** A device whose code has been entered; undefined: none. */
  readonly device: DeviceEntry | undefined;
  /** The token of an invitation to answer; undefined: none. */
  readonly invitation: string | undefined;
  readonly to: Place | undefined;
}

/** A form of nobody's request. */
type Bare = Pick<Arrival, "device" | "invitation" | "to">;

/** What a form carries is opened and checked anew; an answer, where that can't go on. */
export async function arrivalOf(
  http: HttpRequest,
  assent: Assent,
  form: URLSearchParams = formOf(http),
): Promise<Arrival | Answer> {
  const visitor = await visitorOf(http, assent);
  const sealed = form.get("request");
  const underway = sealed === null ? undefined : await resume(sealed, visitor, http, assent);
  if (underway !== undefined && isAnswer(underway)) return underway;
  const entry = form.get("device");
  const device = entry === null ? undefined : openDeviceEntry(assent.secrets, visitor.nonce, entry);
  if (entry !== null && device === undefined) return problemAnswer("interaction_unknown", http, assent);
  return { visitor, http, form, underway, device, invitation: invitationOf(form, assent), to: placeOf(form.get("to")) };
}

/** The invitation that the sign-in is for, by its token; undefined: for none of ours. */
function invitationOf(form: URLSearchParams, assent: Assent): string | undefined {
  const token = form.get("invitation") ?? "";
  return assent.credentials.read("invitation", token) === undefined ? undefined : token;
}

function placeOf(name: string | null): Place | undefined {
  const slug = name?.startsWith("company/") ? name.slice("company/".length) : undefined;
  if (slug !== undefined) return canonicalSlug(slug) === slug ? `company/${slug}` : undefined;
  return (Object.keys(PLACES) as (keyof typeof PLACES)[]).find((place) => place === name);
}

/** Where a place is, below the issuer's path. */
function pathOf(place: Place): string {
  return place in PLACES ? PLACES[place as keyof typeof PLACES] : `/${place}/members`;
}

export function isAnswered(value: Arrival | Answer): value is Answer {
  return "status" in value;
}

/** What the forms of a sign-in send back. */
export function formSecrets(
  { visitor, underway, device, invitation, to }: Omit<Arrival, "form">,
  assent: Assent,
): FormSecrets {
  const { secrets } = assent;
  const { nonce } = visitor;
  return {
    csrf: formToken(secrets, `browser:${nonce}`),
    request: underway === undefined ? null : sealInteraction(secrets, nonce, underway.interaction),
    ...(device === undefined ? {} : { device: sealDeviceEntry(secrets, nonce, device) }),
    ...(invitation === undefined ? {} : { invitation }),
    ...(to === undefined ? {} : { to }),
  };
}

/** Where a sign-in leads, below the issuer's path: all of it is opened and checked anew there. */
export function onward(arrival: Omit<Arrival, "form">, { secrets }: Assent): string {
  const { underway, device, invitation, to, visitor } = arrival;
  const request = underway && sealInteraction(secrets, visitor.nonce, underway.interaction);
  if (to !== undefined) return pathOf(to) + (request === undefined ? "" : `?request=${request}`);
  if (request !== undefined) return `/consent?request=${request}`;
  if (device !== undefined) return `/device/consent?device=${sealDeviceEntry(secrets, visitor.nonce, device)}`;
  return invitation === undefined ? "/account/apps" : `/invitation?token=${invitation}`;
}

/** The sign-in page once more, or for the first time. */
export function signInFor(arrival: Omit<Arrival, "form">, assent: Assent, shown: Shown | null): Answer {
  const { underway, visitor, http, device, invitation, to } = arrival;
  if (underway !== undefined) return signInAnswer({ ...underway, visitor }, assent, shown, to);
  return plainSignInAnswer(visitor, http, assent, { ...(shown ?? FIRST), device, invitation, to });
}

/** Sign-in on the way to a client. `again`: what the last try showed; null: the first. */
export function signInAnswer(underway: Underway, assent: Assent, again: Shown | null, to?: Place): Answer {
  const { request, visitor, http } = underway;
  const { signedIn } = visitor;
  const chooser = to === undefined && request.prompt.includes("select_account") ? signedIn : undefined;
  const hint = request.loginHint?.slice(0, 254) ?? chooser?.person.username ?? "";
  const shown = again ?? { ...FIRST, username: hint };
  const chrome = assent.chrome(http, contextOf(underway, assent));
  const form = formSecrets({ visitor, http, underway, device: undefined, invitation: undefined, to }, assent);
  const view: SignInView = {
    form,
    ways: waysOf(assent),
    client: clientCard(request, chrome.words.language),
    username: shown.username,
    problem: shown.problem,
    again: signedIn === undefined ? null : signedInAs(signedIn.person),
    ...(chooser === undefined
      ? {}
      : { choose: { ...form, csrf: formToken(assent.secrets, `session:${chooser.session.sessionId}`) } }),
    passkey: passkeyOffer(visitor, assent),
  };
  return page(shown.status, signInPage(view, chrome), "to a client", visitor.cookies);
}

/** Sign-in without a request: it leads to the owner's apps, or to what it says. */
export function plainSignInAnswer(
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
  { device, invitation, to, ...shown }: Shown & { readonly [K in keyof Bare]?: Bare[K] } = FIRST,
): Answer {
  const form = formSecrets({ visitor, http, underway: undefined, device, invitation, to }, assent);
  const here = hereOf(form);
  const { signedIn } = visitor;
  const view: SignInView = {
    form,
    device: device !== undefined,
    ways: waysOf(assent),
    client: null,
    username: shown.username,
    problem: shown.problem,
    again: to === undefined || signedIn === undefined ? null : signedInAs(signedIn.person),
    passkey: passkeyOffer(visitor, assent),
  };
  return page(shown.status, signInPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}

/** Where that page is had again. */
function hereOf({ device, invitation, to }: FormSecrets): string {
  if (device !== undefined) return `/device/consent?device=${device}`;
  if (invitation !== undefined) return `/invitation?token=${invitation}`;
  return to === undefined ? "/login" : `/account/confirm?to=${to}`;
}

function waysOf(assent: Assent): { readonly recover: boolean; readonly signUp: boolean } {
  return { recover: assent.mail.enabled, signUp: assent.config.signUp && assent.mail.enabled };
}
