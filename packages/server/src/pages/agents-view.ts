/** The data of the pages about apps that act while their owner is away. */

import type { EndedAccess } from "./parts/access-ends.ts";
import type { SignedInAs } from "./views.ts";

/** An app that can act while its owner is away. */
export interface AgentEntry {
  readonly clientId: string;
  readonly name: string;
  readonly logo: string | null;
  /** Its name when it was allowed. Null: the same. */
  readonly formerName: string | null;
  readonly hosts: readonly string[];
  /** The ends of hosts whose access ends sooner than that of others. Epoch milliseconds. */
  readonly hostEnds?: Readonly<Record<string, number>>;
  /** What it may do, each with its end: epoch milliseconds, or null: until revoked. */
  readonly scopes: readonly {
    readonly description: string;
    readonly expiresAt: number | null;
    /** True: the operator no longer offers it. Absent: false. */
    readonly gone?: boolean;
  }[];
  /** Epoch milliseconds. Null: until revoked. */
  readonly expiresAt: number | null;
  /** Until when it can get access while its owner is away. Null: until revoked. Undefined: it can't. */
  readonly awayUntil: number | null | undefined;
  /** Null: it is not paused. */
  readonly pausedAt: number | null;
  /** True: nobody uses it now, but the company still allows it. Absent: false. */
  readonly stands?: boolean;
  readonly lastUsedAt: number | null;
  /** The APIs that it used, the latest first. */
  readonly uses: readonly { readonly api: string; readonly lastUsedAt: number }[];
  /** Other apps that get access through it, the latest use first. */
  readonly through: readonly { readonly name: string; readonly lastUsedAt: number }[];
  /** Minutes for which the app's tokens still work if it is paused now, or was paused before. 0 if it has no valid token. */
  readonly stopsIn: number;
  /** True if the operator has turned the app off. */
  readonly off: boolean;
}

export interface AgentsView extends EndedAccess {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly agents: readonly AgentEntry[];
  /** The reader's companies. Their pages list the apps that act for the reader there. */
  readonly companies: readonly { readonly name: string; readonly slug: string }[];
  readonly now: number;
  readonly notice:
    | null
    | { readonly kind: "gone" }
    /** What was allowed had ended before the app was resumed. */
    | { readonly kind: "resumedOver"; readonly app: string }
    /** `openUntil`: when the app's last token expires. Null: it has no valid token. */
    | { readonly kind: "paused" | "resumed"; readonly app: string; readonly openUntil: number | null };
}
