/** The content of a SAML assertion, and its reader (SAML Core §§2.3–2.5; RFC 7522 §3). */

import type { ConditionName } from "./errors.ts";
import type { Millis } from "./model.ts";

/** A bearer or other confirmation of a SAML subject (SAML Core §2.4.1). */
export interface SamlConfirmation {
  readonly method: string;
  readonly recipient: string | null;
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
}

/**
 * SAML Core §2.5.1. `audiences`: one list for each restriction. `unknown`: names of conditions that this server does
 * not know.
 */
export interface SamlConditions {
  readonly notBefore: Millis | null;
  readonly notOnOrAfter: Millis | null;
  readonly audiences: readonly (readonly string[])[];
  readonly unknown: readonly string[];
}

/** The signed content of a SAML assertion. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  readonly issuedAt: Millis | null;
  readonly nameId: string | null;
  /** `Format` of the NameID. Null: absent. */
  readonly nameIdFormat: string | null;
  readonly email: string | null;
  /** Values by the attribute's name. Null: a value that is not only text. */
  readonly attributes: ReadonlyMap<string, readonly (string | null)[]>;
  readonly confirmations: readonly SamlConfirmation[];
  readonly conditions: SamlConditions | null;
  readonly authenticatedAt: Millis | null;
  readonly sessionEnds: readonly Millis[];
}

export type SamlReading =
  | { readonly kind: "verified"; readonly assertion: SamlAssertion }
  | { readonly kind: "refused"; readonly condition: ConditionName; readonly detail: string };

/** Reads a SAML assertion in base64url and verifies it with one of its issuer's certificates (PEM). */
export interface SamlReader {
  read(encoded: string, certificatesOf: ReadonlyMap<string, readonly string[]>): Promise<SamlReading>;
}
