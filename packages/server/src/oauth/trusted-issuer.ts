/** The record of an issuer whose assertions the server trusts (RFC 7521 §3). */

import type { Millis } from "./model.ts";

/** An identity provider whose assertions the server accepts (RFC 7521 §3). */
export interface TrustedIssuer {
  /** The id of this record. If it is deleted and the same issuer is registered again, the new record has another id. */
  readonly id: string;
  /** Its `iss`, or the entity id of its SAML assertions. */
  readonly issuer: string;
  /**
   * `jwt`, `saml`: its assertions are grants (RFC 7521). `id-jag`: a company's identity provider, whose identity assertion
   * JWT authorization grants this server accepts, and nothing else of it.
   */
  readonly type: "jwt" | "saml" | "id-jag";
  readonly status: "active" | "disabled";
  /** For JWTs: a JWK Set in JSON. Null: at `jwksUri`. */
  readonly jwks: string | null;
  readonly jwksUri: string | null;
  /** For SAML: its signing certificates in PEM; any of them may have signed. Never empty. */
  readonly certificates: readonly string[];
  /** The scopes that its assertions may ask for. */
  readonly scopes: readonly string[];
  /** True: clients may exchange its JWTs for tokens (RFC 8693). Absent: its JWTs are only for the grant of RFC 7523. */
  readonly exchange?: boolean;
  /** Clients that may present its assertions. Empty: all that are registered for the grant type. */
  readonly clients: readonly string[];
  /** An audience that its assertions may name instead of this server's issuer identifier. Null: none. */
  readonly audience: string | null;
  /** Maximum lifetime of an assertion, in seconds. */
  readonly maxLifetime: number;
  /** How its subject names an owner. `link`: only a link leads to the owner. */
  readonly mapSubject: "username" | "email" | "id" | "link";
  /** The claim (JWT) or attribute (SAML) whose value is the subject. Null: `sub`, or the NameID. */
  readonly subjectClaim: string | null;
  /**
   * Domains in lower case whose addresses the issuer gives out itself. Their addresses count as verified, and no others
   * do. Empty: the issuer says which addresses are verified.
   */
  readonly emailDomains: readonly string[];
  /**
   * The subjects for whom it may speak, or `@domain` for every address of a domain. Empty: all owners except operators.
   */
  readonly subjects: readonly string[];
  /** True: an unknown owner is created with the first assertion. */
  readonly createOwners: boolean;
  /**
   * For `id-jag`: the id of the company for whose members alone it speaks, and whose rules about apps count. Null or absent:
   * for everybody here.
   */
  readonly company?: string | null;
  /** For `id-jag`: the value that the claim `tenant` must have. Null or absent: there must be no such claim. */
  readonly tenant?: string | null;
  readonly createdAt: Millis;
}
