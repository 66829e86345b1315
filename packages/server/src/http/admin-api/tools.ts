/** The dependencies of the admin API. */

import type { Authority } from "../../admin/api-access/authority.ts";
import type { AdminContext } from "../../admin/context.ts";
import type { Config } from "../../config.ts";
import type { Secrets } from "../../crypto/server-secret.ts";
import type { Cause } from "../../events/event.ts";
import type { Millis } from "../../oauth/model.ts";
import type { AccessTokens } from "../../oauth/ports.ts";
import type { EventTools } from "../endpoint-contexts.ts";
import type { HttpRequest } from "../http-message.ts";
import type { Refusal } from "../refusal.ts";

export interface ConfigurationProblem {
  /** The keys that lead to it in the file; null: the file as a whole. */
  readonly field: string | null;
  readonly problem: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** What a configuration would change, without any secret. */
export interface ConfigurationPlan {
  readonly name: string;
  readonly changes: readonly { readonly ends?: Readonly<Record<string, number>> }[];
  readonly unchanged: number;
  readonly adopted: readonly string[];
  readonly left: readonly string[];
  readonly warnings: readonly string[];
  /** What the changes mean for access that exists, with numbers of it. */
  readonly notes: readonly string[];
  readonly problems: readonly ConfigurationProblem[];
}

/** Configuration as code, which is made of operations of this API and so can't be imported here. */
export interface ConfigurationTools {
  /** Changes nothing. `perform` makes the changes of the plan, or none: then it returns the problems. */
  plan(
    asked: { readonly text: string; readonly values: Readonly<Record<string, string>>; readonly prune: boolean },
    by: { readonly admin: AdminApiTools["admin"]; readonly authority: Authority; readonly cause: Cause | null },
  ): Promise<{ readonly plan: ConfigurationPlan; perform(): Promise<readonly ConfigurationProblem[]> }>;
  /** The file of what there is. */
  write(name: string | undefined, admin: AdminApiTools["admin"]): Promise<string>;
}

export interface AdminApiTools extends EventTools {
  readonly issuer: string;
  /** Path of the issuer, without its final slash. */
  readonly basePath: string;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly accessTokens: Pick<AccessTokens, "verify">;
  readonly admin: AdminContext & { secrets(): Secrets };
  configuration(): Promise<ConfigurationTools>;
  /** Something was changed: this process sees it at once. */
  changed(): void;
  now(): Millis;
  /** Logs why a request was refused, or the fault that it caused. */
  refused(refusal: Refusal, http: HttpRequest, error?: unknown): void;
}
