/** The owner's own pages: who may see them, and signing out (`/account/sign-out`). */

import type { KeepingApplication, PasswordKeeper } from "../../owners/identities/password-keeper.ts";
import { type Elsewhere, mayStillSignIn } from "../../owners/identities/sign-in-elsewhere.ts";
import { endSession } from "../../owners/sessions.ts";
import type { Person, Session } from "../../owners/storage.ts";
import { type Messages, signedOutPage, signOutPage } from "../../pages/index.ts";
import { pageAt } from "../authorization/continuation-in-forms.ts";
import { type Visitor, type VisitorContext, visitorOf } from "../browser-of-request.ts";
import type { EventTools, FormTools } from "../endpoint-contexts.ts";
import { type CloserProblem, problemAnswer } from "../error-page.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../http-message.ts";
import { signedInAs } from "./client-and-person-views.ts";

/** The data of every page here: somebody is signed in. */
export interface Account {
  readonly visitor: Visitor;
  readonly person: Person;
  readonly session: Session;
  readonly http: HttpRequest;
  /** The application that keeps the person's password, so that they have none here. Undefined: none does. */
  readonly keptBy: KeepingApplication | undefined;
}

/** The tools of every page of the account. */
export interface AccountTools extends FormTools, VisitorContext {
  readonly keeper: PasswordKeeper | null;
}

/** `Tools`: only the parts that this page uses. */
export type Page<Tools> = (http: HttpRequest, tools: Tools) => Promise<Answer>;

export type AccountEndpoint<Tools> = (account: Account, tools: Tools) => Promise<Answer>;

/**
 * Other visitors must sign in first. A person who must choose a new password does so first, unless the page is
 * `allowed` before that. A form's token belongs to the session.
 */
export function signedIn<Tools extends AccountTools>(
  show: AccountEndpoint<Tools>,
  ...allowed: readonly "before a new password"[]
): Page<Tools> {
  return async (http, tools) => {
    const visitor = await visitorOf(http, tools);
    if (visitor.signedIn === undefined) {
      const to = http.method !== "POST" ? pageAt(http.path) : undefined;
      return redirect(303, `${tools.issuer}/login${to === undefined ? "" : `?to=${to}`}`, visitor.cookies);
    }
    const { session } = visitor.signedIn;
    const { person, keptBy } = await withKeptPassword(visitor.signedIn.person, tools);
    if (person.mustChangePassword && !allowed.includes("before a new password")) {
      return redirect(303, `${tools.issuer}/account/security/password`, visitor.cookies);
    }
    if (http.method === "POST" && !isFormToken(formOf(http), session, tools)) {
      return problemAnswer("form_token_invalid", http, tools, null, (words) => staleForm(words, http));
    }
    return show({ visitor, person, session, http, keptBy }, tools);
  };
}

/**
 * The page for a form that was sent before, or is too old. The page that shows recovery codes is the response to a form,
 * so a browser that loads it again sends that form, whose session has ended by then.
 */
function staleForm({ problems, security, secondStep }: Messages, http: HttpRequest): CloserProblem {
  const { title, text, codes } = problems.form;
  if (!http.path.includes(SECURITY)) return { title, text };
  const toSecurity = { href: SECURITY, label: security.back };
  if (!http.path.endsWith(`${SECURITY}/authenticator`)) return { title, text, door: toSecurity };
  const request = formOf(http).get("request");
  const waits = request !== null && { href: `/consent?${new URLSearchParams({ request })}`, label: secondStep.submit };
  return { title, text: codes, door: waits || toSecurity };
}

const SECURITY = "/account/security";

/** For the pages, somebody whose password an application keeps has none, also if one is left from before. */
export async function withKeptPassword(
  person: Person,
  { keeper }: Pick<AccountTools, "keeper">,
): Promise<Pick<Account, "person" | "keptBy">> {
  if (keeper === null || !(await keeper.keeps(person))) return { person, keptBy: undefined };
  return { person: { ...person, passwordHash: null, mustChangePassword: false }, keptBy: keeper.application };
}

export const showSignOut = signedIn(async ({ person, session, http, visitor }, tools: AccountTools) => {
  const view = { csrf: formToken(session, tools), person: signedInAs(person) };
  return page(200, signOutPage(view, tools.chrome(http)), "here", visitor.cookies);
}, "before a new password");

interface SignOutTools extends AccountTools, EventTools {
  readonly elsewhere: Pick<Elsewhere, "providers" | "people">;
}

export const submitSignOut = signedIn(async ({ session, http, person, visitor }, tools: SignOutTools) => {
  const providers = await mayStillSignIn({ person, session }, tools.elsewhere);
  await endSession(session, tools.sessions);
  tools.event("signed_out", { owner: person.personId });
  const cookies = [...visitor.cookies, tools.cookies.clear("session")];
  return page(200, signedOutPage({ signIn: "/login", providers }, tools.chrome(http)), "here", cookies);
}, "before a new password");
