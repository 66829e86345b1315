/** The sign-in page of a request under way, or of nobody's. */

import type { Assent } from "../../assent.ts";
import { signInPage } from "../../pages/index.ts";
import type { SignInView } from "../../pages/views.ts";
import { type DeviceEntry, formToken, sealDeviceEntry, sealInteraction } from "../forms.ts";
import { contextOf, type Underway } from "../interaction.ts";
import { type Answer, type HttpRequest, page } from "../message.ts";
import type { Visitor } from "../visitor.ts";
import { clientCard, signedInAs } from "./cards.ts";

interface Shown {
  readonly problem: SignInView["problem"];
  /** What was typed, on a second try. */
  readonly username: string;
  readonly status: number;
}

/** What is shown before anything was typed. */
export const FIRST: Shown = { problem: null, username: "", status: 200 };

/** Sign-in on the way to a client. `again`: what the last try showed; null: the first. */
export function signInAnswer(underway: Underway, assent: Assent, again: Shown | null): Answer {
  const { request, interaction, visitor, http } = underway;
  const shown = again ?? { ...FIRST, username: request.loginHint?.slice(0, 254) ?? "" };
  const chrome = assent.chrome(http, contextOf(underway, assent));
  const view: SignInView = {
    form: {
      csrf: formToken(assent.secrets, `browser:${visitor.nonce}`),
      request: sealInteraction(assent.secrets, visitor.nonce, interaction),
    },
    client: clientCard(request, chrome.words.language),
    username: shown.username,
    problem: shown.problem,
    again: visitor.signedIn === undefined ? null : signedInAs(visitor.signedIn.person),
  };
  return page(shown.status, signInPage(view, chrome), "to a client", visitor.cookies);
}

/**
 * Sign-in without a request: it leads to the owner's apps. `device`: to the device whose code has been entered. `invitation`: back to the one whose
 * link was followed.
 */
export function plainSignInAnswer(
  visitor: Visitor,
  http: HttpRequest,
  assent: Assent,
  {
    device,
    invitation,
    ...shown
  }: Shown & { readonly device?: DeviceEntry | undefined; readonly invitation?: string | undefined } = FIRST,
): Answer {
  const sealed = device === undefined ? {} : { device: sealDeviceEntry(assent.secrets, visitor.nonce, device) };
  const plain = invitation === undefined ? "/login" : `/invitation?token=${invitation}`;
  const here = sealed.device === undefined ? plain : `/device/consent?device=${sealed.device}`;
  const view: SignInView = {
    form: {
      csrf: formToken(assent.secrets, `browser:${visitor.nonce}`),
      request: null,
      ...sealed,
      ...(invitation && { invitation }),
    },
    device: device !== undefined,
    client: null,
    username: shown.username,
    problem: shown.problem,
    again: null,
  };
  return page(shown.status, signInPage(view, assent.chrome(http, { here })), "here", visitor.cookies);
}
