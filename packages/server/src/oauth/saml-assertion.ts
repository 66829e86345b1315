/** A SAML assertion as it was read, and its reader (SAML Core §§2.3–2.5; RFC 7522 §3). */

import type { ConditionName } from "./errors.ts";
import type { Millis } from "./model.ts";

/** A bearer or other confirmation of a SAML subject (SAML Core §2.4.1). */
export interface SamlConfirmation {
  readonly method: string;
  readonly recipient: string | null;
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
}

/** SAML Core §2.5.1. `audiences`: one list for each restriction; `unknown`: names of conditions that nobody here understands. */
export interface SamlConditions {
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
  readonly audiences: readonly (readonly string[])[];
  readonly unknown: readonly string[];
}

/** What of a SAML assertion was signed. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  readonly issuedAt: Millis | null;
  readonly nameId: string | null;
  /** `Format` of the NameID; null: not said. */
  readonly nameIdFormat: string | null;
  readonly email: string | null;
  /** Values by the attribute's name; null: one that is more than text. */
  readonly attributes: ReadonlyMap<string, readonly (string | null)[]>;
  readonly confirmations: readonly SamlConfirmation[];
  readonly conditions: SamlConditions | null;
  readonly authenticatedAt: Millis | null;
  readonly sessionEnds: readonly Millis[];
}

export type SamlReading =
  | { readonly kind: "verified"; readonly assertion: SamlAssertion }
  | { readonly kind: "refused"; readonly condition: ConditionName; readonly detail: string };

/** Reads base64url of a SAML assertion, verified by one of its issuer's certificates (PEM). */
export interface SamlReader {
  read(encoded: string, certificatesOf: ReadonlyMap<string, readonly string[]>): Promise<SamlReading>;
}
