/** Somebody on their way to something: who they are, what waits behind their sign-in, and where that leads. */

import type { AuthorizationFlow, NotResumed } from "../../owners/authorization/browser-flow.ts";
import { resumeFlow } from "../../owners/authorization/browser-flow.ts";
import type { Reader } from "../../owners/authorization/context.ts";
import {
  type ACCOUNT_PAGES,
  type AccountPage,
  accountPage,
  type Continuation,
  carried,
  opened,
  requestOf,
} from "../../owners/authorization/continuation.ts";
import { type InvitationFacts, invitationFacts } from "../../owners/companies/invitation-facts.ts";
import type { Company } from "../../owners/company-storage.ts";
import type { FormSecrets } from "../../pages/views.ts";
import { type Visitor, visitorOf } from "../browser-of-request.ts";
import { deviceCookie } from "../device-cookie.ts";
import type { FlowTools, FormTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type FormBearer, formToken } from "../form-token.ts";
import { type Answer, formOf, type HttpRequest } from "../http-message.ts";
import type { PageContext } from "../page-chromes.ts";
import { refusedRequest } from "./authorization-response.ts";

export interface Arrival {
  readonly visitor: Visitor;
  readonly http: HttpRequest;
  /** What waits; undefined: nothing, and a sign-in leads to the person's apps. */
  readonly continuation: Continuation | undefined;
  /** The authorization request in it, checked again. */
  readonly flow: AuthorizationFlow | undefined;
  /** The invitation in it. Undefined: there is none, or it is not valid any more. */
  readonly invited?: InvitationFacts | undefined;
  /** The company at whose own address the person signs in. Absent: none. */
  readonly atCompany?: Pick<Company, "companyId" | "name">;
}

export interface FormArrival extends Arrival {
  readonly form: URLSearchParams;
}

/** Opens the continuation of a form and checks its request again. Returns an answer if the request can't go on. */
export async function arrivalOf(
  http: HttpRequest,
  tools: FlowTools,
  form: URLSearchParams = formOf(http),
): Promise<FormArrival | Answer> {
  const visitor = await visitorOf(http, tools);
  const continuation = opened((field) => form.get(field), visitor.nonce, tools.authorization);
  if (continuation === "unknown") return problemAnswer("interaction_unknown", http, tools);
  const arrival = await arrivalBehind(continuation, visitor, http, tools);
  return isAnswer(arrival) ? arrival : { ...arrival, form };
}

/** Checks the request of a continuation again. Returns an answer if the request can't go on. */
export async function arrivalBehind(
  continuation: Continuation | undefined,
  visitor: Visitor,
  http: HttpRequest,
  tools: FlowTools,
): Promise<Arrival | Answer> {
  const request = requestOf(continuation);
  if (request === undefined) {
    const invited = await invitedBy(continuation, tools);
    return { visitor, http, continuation, flow: undefined, invited };
  }
  const resumed = await resumeFlow(request, tools.authorization);
  if (resumed.kind !== "resumed") return notResumed(resumed, http, tools);
  return { visitor, http, continuation, flow: resumed.flow };
}

async function invitedBy(
  continuation: Continuation | undefined,
  { authorization }: FlowTools,
): Promise<InvitationFacts | undefined> {
  return continuation?.kind === "invitation" ? invitationFacts(continuation.token, authorization) : undefined;
}

export function isAnswer<T extends object>(value: T | Answer): value is Answer {
  return "status" in value;
}

/** Why a request can't go on. */
export function notResumed(resumed: NotResumed, http: HttpRequest, tools: FlowTools): Answer | Promise<Answer> {
  switch (resumed.kind) {
    case "unknown":
      return problemAnswer("interaction_unknown", http, tools);
    case "expired":
      return problemAnswer("interaction_expired", http, tools, `/authorize?${resumed.query}`);
    case "refused":
      return refusedRequest(resumed, http, tools);
  }
}

/** The browser, as the use-cases see it. */
export function readerOf({ visitor, http }: Pick<Arrival, "visitor" | "http">, tools: FlowTools): Reader {
  return {
    signedIn: visitor.signedIn,
    browser: visitor.nonce,
    address: http.address,
    requestId: http.id,
    device: deviceCookie(http, tools),
    language: (request) => tools.chrome(http, request).words.language,
  };
}

/** An arrival with an authorization request. */
export interface FlowArrival extends Arrival {
  readonly flow: AuthorizationFlow;
}

/** Language and place of the pages of a request: at `/consent` it goes on from where it is. */
export function pageContextOf({ flow, visitor }: Pick<FlowArrival, "flow" | "visitor">, tools: FlowTools): PageContext {
  const { request, continuation } = flow;
  const { accent = null } = request.client;
  const here = onward(continuation, visitor, tools);
  return { uiLocales: request.uiLocales, startedAt: continuation.startedAt, accent, here };
}

/** The hidden fields of a form. `bearer`: whom its token is bound to; absent: the browser, where nobody need be signed in. */
export function formSecrets(
  continuation: Continuation | undefined,
  visitor: Visitor,
  tools: FormTools & Pick<FlowTools, "authorization">,
  bearer: FormBearer = visitor,
): FormSecrets {
  const csrf = formToken(bearer, tools);
  return { request: null, csrf, ...carried(continuation, visitor.nonce, tools.authorization) };
}

/** The same, bound to the session. */
export function sessionSecrets(continuation: Continuation, visitor: Visitor, tools: FlowTools): FormSecrets {
  return formSecrets(continuation, visitor, tools, visitor.signedIn?.session ?? { sessionId: "" });
}

const PAGES: Readonly<Record<(typeof ACCOUNT_PAGES)[number], string>> = {
  security: "/account/security",
  password: "/account/security/password",
  passkeys: "/account/security/passkeys",
  authenticator: "/account/security/authenticator",
  profile: "/account/profile",
  export: "/account/profile/export",
  delete: "/account/profile/delete",
  "new-company": "/account/companies/new",
  companies: "/account/companies",
  history: "/account/history",
};

/** The name of the page at that path, for a visitor who has to sign in first. Undefined: the sign-in leads to their apps. */
export function pageAt(path: string): AccountPage | undefined {
  const own = Object.entries(PAGES).find(([, place]) => place === path)?.[0];
  if (own !== undefined) return accountPage(own);
  const [, slug, place] = /^\/company\/([^/]+)(\/members)?(?:\/|$)/.exec(path) ?? [];
  return slug === undefined ? undefined : accountPage(`${place === undefined ? "company-apps" : "company"}/${slug}`);
}

function pathOf(page: AccountPage): string {
  if (page in PAGES) return PAGES[page as keyof typeof PAGES];
  if (page.startsWith("company-connections/"))
    return `${page.replace("company-connections/", "/company/")}/connections`;
  if (page.startsWith("company-provider/")) return `${page.replace("company-provider/", "/company/")}/provider`;
  return page.startsWith("company-apps/") ? page.replace("company-apps/", "/company/") : `/${page}/members`;
}

/** The next path after a sign-in, below the issuer's path. That page opens what waits and checks it again. */
export function onward(
  continuation: Continuation | undefined,
  { nonce }: Pick<Visitor, "nonce">,
  { authorization }: Pick<FlowTools, "authorization">,
): string {
  const { request, device, invitation } = carried(continuation, nonce, authorization);
  if (continuation?.kind === "account_page") {
    return pathOf(continuation.page) + (request === undefined ? "" : `?request=${request}`);
  }
  if (request !== undefined) return `/consent?request=${request}`;
  if (device !== undefined) return `/device/consent?device=${device}`;
  return invitation === undefined ? "/account/apps" : `/invitation?token=${invitation}`;
}
