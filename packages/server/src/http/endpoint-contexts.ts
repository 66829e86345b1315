/** The dependencies of groups of endpoints: each group gets only the parts of the server that it uses. */

import type { Config } from "../config.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { ConditionName } from "../oauth/errors.ts";
import type { Millis } from "../oauth/model.ts";
import type { Popularity } from "../owners/app-popularity.ts";
import type { AuthorizationContext } from "../owners/authorization/context.ts";
import type { PasswordKeeper } from "../owners/identities/password-keeper.ts";
import type { Elsewhere } from "../owners/identities/sign-in-elsewhere.ts";
import type { Postbox } from "../owners/mail/mail-content.ts";
import type { SecondStepContext } from "../owners/second-step.ts";
import type { Chrome } from "../pages/index.ts";
import type { VisitorContext } from "./browser-of-request.ts";
import type { HttpRequest } from "./http-message.ts";
import type { PageContext } from "./page-chromes.ts";
import type { Refusal } from "./refusal.ts";

/** The tools that every page needs. */
export interface PageTools {
  readonly issuer: string;
  /** The frame of a page in its reader's language. `about`: the authorization request of the page. */
  chrome(request: HttpRequest, about?: PageContext): Chrome;
  /** A page says that the request was refused: an operator can find it by its number. */
  refusalShown(condition: ConditionName, request: HttpRequest): void;
}

/** The tools of a page with a form. */
export interface FormTools extends PageTools {
  readonly secrets: Secrets;
  now(): Millis;
}

/** The tools of an endpoint that logs events. */
export interface EventTools {
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** The tools of pages and endpoints between a request and its response. */
export interface FlowTools extends FormTools, VisitorContext, EventTools {
  readonly authorization: AuthorizationContext;
  readonly secondStep: SecondStepContext;
  readonly popularity: Popularity;
  readonly mail: Pick<Postbox, "enabled">;
  readonly config: Pick<Config, "signUp" | "externalSignIn">;
  readonly elsewhere: Elsewhere;
  readonly keeper: PasswordKeeper | null;
  /** Logs why a request was refused, or the fault that it caused. */
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}
