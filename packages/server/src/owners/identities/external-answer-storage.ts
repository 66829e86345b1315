/** The storage port of answers of the operator's own sign-in page. Each verb is one transaction. */

import type { Millis } from "../../oauth/model.ts";

export interface ExternalAnswerKey {
  readonly partition: number;
  /** The challenge that is answered. */
  readonly challengeId: string;
}

export type GivenAnswer =
  /** This is the first answer. */
  | { readonly kind: "first" }
  /** There was an answer before, with that hash of its verifier. `used`: a browser has come back with it. */
  | { readonly kind: "before"; readonly verifierHash: string; readonly used: boolean };

export type UsedAnswer =
  | { readonly kind: "used"; readonly sealed: Uint8Array }
  /** `unknown`: nobody answered, or the verifier belongs to another answer. `over`: it was used before, or is too old. */
  | { readonly kind: "unknown" | "over" };

export interface ExternalAnswerStorage {
  readonly externalAnswers: {
    /** The first answer to a challenge counts. The row is deleted after `until`. */
    give(
      args: ExternalAnswerKey & {
        /** SHA-256 of the verifier, base64url. */
        readonly verifierHash: string;
        readonly sealed: Uint8Array;
        readonly until: Millis;
      },
    ): Promise<GivenAnswer>;
    /** Of simultaneous callers, one gets the answer. */
    use(args: ExternalAnswerKey & { readonly verifierHash: string; readonly now: Millis }): Promise<UsedAnswer>;
  };
}
