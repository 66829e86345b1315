/** The owner's own pages: who may see them, and the way out (`/account/sign-out`). */

import { endSession } from "../../owners/sessions.ts";
import type { Person, Session } from "../../owners/storage.ts";
import { signedOutPage, signOutPage } from "../../pages/index.ts";
import type { Assent } from "../../server-parts.ts";
import { formToken, isFormToken } from "../forms.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../message.ts";
import { problemAnswer } from "../problem.ts";
import { type Visitor, visitorOf } from "../visitor.ts";
import { signedInAs } from "./cards.ts";

/** What every page here needs: somebody who is signed in. */
export interface Account {
  readonly visitor: Visitor;
  readonly person: Person;
  readonly session: Session;
  readonly http: HttpRequest;
}

export type Page = (http: HttpRequest, assent: Assent) => Promise<Answer>;

export type AccountEndpoint = (account: Account, assent: Assent) => Promise<Answer>;

/**
 * Others are asked to sign in first, and those to choose a new password who must, unless the page is `allowed` before that. A form's token belongs to
 * the session.
 */
export function signedIn(show: AccountEndpoint, ...allowed: readonly "before a new password"[]): Page {
  return async (http, assent) => {
    const visitor = await visitorOf(http, assent);
    if (visitor.signedIn === undefined) return redirect(303, `${assent.issuer}/login`, visitor.cookies);
    const { person, session } = visitor.signedIn;
    if (person.mustChangePassword && !allowed.includes("before a new password")) {
      return redirect(303, `${assent.issuer}/account/security/password`, visitor.cookies);
    }
    if (
      http.method === "POST" &&
      !isFormToken(assent.secrets, `session:${session.sessionId}`, formOf(http).get("csrf"))
    ) {
      return problemAnswer("form_token_invalid", http, assent);
    }
    return show({ visitor, person, session, http }, assent);
  };
}

export const showSignOut = signedIn(async ({ person, session, http, visitor }, assent) => {
  const view = { csrf: formToken(assent.secrets, `session:${session.sessionId}`), person: signedInAs(person) };
  return page(200, signOutPage(view, assent.chrome(http)), "here", visitor.cookies);
}, "before a new password");

export const submitSignOut = signedIn(async ({ session, http, person, visitor }, assent) => {
  await endSession(session, assent.sessions);
  assent.event("signed_out", { owner: person.personId });
  const cookies = [...visitor.cookies, assent.cookies.clear("session")];
  return page(200, signedOutPage({ signIn: "/login" }, assent.chrome(http)), "here", cookies);
}, "before a new password");
