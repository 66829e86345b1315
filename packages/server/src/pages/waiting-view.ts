/** What waits for a person who signs up, or chooses a new password, on the way to it. */

import type { PersonNames } from "./parts/person-names.ts";

export interface InvitedTo {
  readonly company: string;
  readonly role: "member" | "admin";
  /** The person who invited. Null: the operator invited. */
  readonly by: PersonNames | null;
}

export type WaitingWhat =
  | { readonly kind: "app"; readonly app: string }
  | { readonly kind: "device" }
  | ({ readonly kind: "invitation" } & InvitedTo);

/** `elsewhere`: the person started in another browser, and goes on there. */
export type Waiting =
  | { readonly state: "here" | "elsewhere"; readonly what: WaitingWhat }
  /** The invitation doesn't hold any more. */
  | { readonly state: "withdrawn"; readonly company: string }
  /** `startAgain`: the path at which the app's request begins again. */
  | { readonly state: "expired"; readonly app: string; readonly startAgain: string };
