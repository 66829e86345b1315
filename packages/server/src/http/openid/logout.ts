/** The page to which apps send people to sign out (OpenID Connect RP-Initiated Logout §2). */

import { endpoints } from "../../oauth/endpoints.ts";
import { afterLogout, type LogoutRequest, readLogoutRequest } from "../../oauth/openid/rp-initiated-logout.ts";
import { type ParsedParameters, parseParameters } from "../../oauth/parameters.ts";
import { redirectHost } from "../../oauth/redirect-uri.ts";
import { mayStillSignIn } from "../../owners/identities/sign-in-elsewhere.ts";
import { endSession } from "../../owners/sessions.ts";
import { logoutPage, signedOutPage } from "../../pages/index.ts";
import { forVisitor, type Visitor, visitorOf } from "../browser-of-request.ts";
import type { FlowTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { isForm } from "../form-body.ts";
import { formToken, isFormToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest, page, queryOf, redirect } from "../http-message.ts";

/** Longest request that is repeated as a link, in characters as encoded. */
const MAX_REQUEST = 8192;

export async function logout(http: HttpRequest, tools: FlowTools): Promise<Answer> {
  if (http.method === "POST" && !isForm(http)) return problemAnswer("content_type_not_form", http, tools);
  const asked = withoutLongHint(parseParameters(http.method === "POST" ? http.body : http.query));
  if (asked.problem !== null) return problemAnswer(asked.problem.condition, http, tools);
  // A form on another site posts without this server's SameSite=Lax cookies. As a GET, it has them.
  if (http.method === "POST" && tools.cookies.read(http, "browser") === undefined) {
    return redirect(303, `${tools.issuer}${endpoints.endSession}?${queryOf(asked.single, [])}`);
  }
  const request = await readLogoutRequest(asked.single, tools.authorization.oauth);
  const visitor = await visitorOf(http, tools);
  const locales = asked.single.get("ui_locales") ?? null;
  const { signedIn } = visitor;
  const may = request.hint !== undefined;
  if (signedIn === undefined) return goodbye({ ...request, may, locales }, visitor, http, tools);
  if (request.hint?.personId !== signedIn.person.personId || !isNavigation(http))
    return question(request, locales, visitor, http, tools);
  return signOut({ ...request, may, locales }, visitor, http, tools);
}

/** The person's answer to the question. Only their yes comes here. */
export const confirmLogout = forVisitor(async (visitor: Visitor, http: HttpRequest, tools: FlowTools) => {
  const form = formOf(http);
  const { signedIn } = visitor;
  const given = new Map(FIELDS.flatMap((name) => (form.get(name) ? [[name, form.get(name) ?? ""]] : [])));
  const request = await readLogoutRequest(given, tools.authorization.oauth);
  const locales = form.get("ui_locales");
  if (signedIn === undefined) return goodbye({ ...request, may: false, locales }, visitor, http, tools);
  if (!isFormToken(form, signedIn.session, tools)) return problemAnswer("form_token_invalid", http, tools);
  return signOut({ ...request, may: true, locales }, visitor, http, tools);
});

/** What the question's form repeats. The ID token is not among it, so no page holds one. */
const FIELDS = ["client_id", "post_logout_redirect_uri", "state"] as const;

/** A longer text than any ID token of this server is none. */
function withoutLongHint(asked: ParsedParameters): ParsedParameters {
  const { problem, single } = asked;
  if (problem?.condition === "parameter_too_long" && problem.name === "id_token_hint")
    return { ...asked, problem: null };
  if (queryOf(single, []).length <= MAX_REQUEST) return asked;
  return { ...asked, single: new Map([...single].filter(([name]) => name !== "id_token_hint")) };
}

/**
 * False: the browser does not show the answer as a page of its own (`<img>`, a frame, a prefetch), or the request is a
 * HEAD. Such a request signs nobody out. Browsers without these headers are old, and other programs have no session.
 */
function isNavigation(http: HttpRequest): boolean {
  const inPlace = http.header("sec-fetch-dest") ?? "document";
  return http.method !== "HEAD" && inPlace === "document" && http.header("sec-purpose") === undefined;
}

interface Ending extends Pick<LogoutRequest, "client" | "redirectUri" | "state"> {
  /** The app has proved that it asks, or the person has said yes: so the browser may go on to the app. */
  readonly may: boolean;
  readonly locales: string | null;
}

async function signOut(ending: Ending, visitor: Visitor, http: HttpRequest, tools: FlowTools): Promise<Answer> {
  const { signedIn } = visitor;
  const providers = signedIn === undefined ? [] : await mayStillSignIn(signedIn, tools.elsewhere);
  if (signedIn !== undefined) {
    await endSession(signedIn.session, tools.sessions);
    tools.event("signed_out", { owner: signedIn.person.personId, client_id: ending.client?.clientId ?? null });
  }
  const cookies = [...visitor.cookies, tools.cookies.clear("session")];
  return goodbye(ending, { ...visitor, cookies }, http, tools, providers);
}

function goodbye(
  { redirectUri, state, may, locales }: Ending,
  { cookies }: Visitor,
  http: HttpRequest,
  tools: FlowTools,
  providers: readonly string[] = [],
): Answer {
  if (may && redirectUri !== null)
    return redirect(http.method === "POST" ? 303 : 302, afterLogout(redirectUri, state), cookies);
  const chrome = tools.chrome(http, { uiLocales: locales, startedAt: tools.now() });
  return page(200, signedOutPage({ signIn: "/login", providers }, chrome), "here", cookies);
}

/** Doesn't say who is signed in: the one who asks may be somebody else. */
function question(
  { client, redirectUri, state, hint }: LogoutRequest,
  locales: string | null,
  { signedIn, cookies }: Visitor,
  http: HttpRequest,
  tools: FlowTools,
): Answer {
  const carried = { client_id: client?.clientId ?? null, post_logout_redirect_uri: redirectUri, state };
  const again = new URLSearchParams(Object.entries(carried).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const chrome = tools.chrome(http, {
    uiLocales: locales,
    startedAt: tools.now(),
    here: `${endpoints.endSession}?${again}`,
  });
  const csrf = signedIn === undefined ? "" : formToken(signedIn.session, tools);
  const byApp = client !== undefined || redirectUri !== null || hint !== undefined;
  const host = redirectUri === null ? null : redirectHost(redirectUri);
  const html = logoutPage({ fields: { csrf, ...carried, ui_locales: locales }, byApp, host }, chrome);
  return page(200, html, redirectUri === null ? "here" : "to a client", cookies);
}
