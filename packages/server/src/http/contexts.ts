/** The parts of a server that groups of endpoints are given: each names what it uses, and no more. */

import type { Config } from "../config.ts";
import type { Secrets } from "../crypto/secrets.ts";
import type { Millis } from "../oauth/model.ts";
import type { AuthorizationContext } from "../owners/authorization/context.ts";
import type { Postbox } from "../owners/mail/mail.ts";
import type { Popularity } from "../owners/popularity.ts";
import type { SecondStepContext } from "../owners/second-step.ts";
import type { Chrome } from "../pages/index.ts";
import type { PageContext } from "./chromes.ts";
import type { HttpRequest } from "./message.ts";
import type { refusalOf } from "./refusal.ts";
import type { VisitorContext } from "./visitor.ts";

/** What any page is made with. */
export interface PageTools {
  readonly issuer: string;
  /** The frame of a page, in its reader's language. `about`: the authorization request that it belongs to. */
  chrome(request: HttpRequest, about?: PageContext): Chrome;
}

/** A page with a form of its own. */
export interface FormTools extends PageTools {
  readonly secrets: Secrets;
  now(): Millis;
}

/** What happened is told to the log. */
export interface EventTools {
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

/** The pages and endpoints on the way from a request to its answer. */
export interface FlowTools extends FormTools, VisitorContext, EventTools {
  readonly authorization: AuthorizationContext;
  readonly secondStep: SecondStepContext;
  readonly popularity: Popularity;
  readonly mail: Pick<Postbox, "enabled">;
  readonly config: Pick<Config, "signUp">;
  /** Logs why a request was refused, or what fault it met. */
  refused(refusal: ReturnType<typeof refusalOf>, http: HttpRequest, error?: unknown): void;
}
