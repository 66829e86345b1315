/** The dependencies of the admin API. */

import type { AdminContext } from "../../admin/context.ts";
import type { Config } from "../../config.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { Millis } from "../../oauth/model.ts";
import type { AccessTokens } from "../../oauth/ports.ts";
import type { EventTools } from "../endpoint-contexts.ts";
import type { HttpRequest } from "../http-message.ts";
import type { Refusal } from "../refusal.ts";

export interface AdminApiTools extends EventTools {
  readonly issuer: string;
  /** Path of the issuer, without its final slash. */
  readonly basePath: string;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly accessTokens: Pick<AccessTokens, "verify">;
  readonly admin: AdminContext & { secrets(): Secrets };
  /** Something was changed: this process sees it at once. */
  changed(): void;
  now(): Millis;
  /** Logs why a request was refused, or the fault that it caused. */
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}
