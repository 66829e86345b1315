/** Tells clients which authorization server an API trusts: protected resource metadata (RFC 9728 §§2, 3). */

import { scopeNames, urlProblem } from "./option-values.ts";

/** What the document says besides the API's identifier and its authorization server. */
export interface PublishedDetails {
  /** The scopes that clients may ask for: names in an array or separated by spaces. */
  readonly scopes?: string | readonly string[] | undefined;
  /** The API's name for people. */
  readonly name?: string | undefined;
  /** A page for developers. */
  readonly documentation?: string | undefined;
  /** A page about what clients may do with the data. */
  readonly policy?: string | undefined;
  /** The terms of service. */
  readonly terms?: string | undefined;
}

export interface ProtectedResourceOptions extends PublishedDetails {
  readonly issuer: string;
  /** The API's identifier: an https URL without fragment (§1.2). */
  readonly audience: string;
}

export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
  readonly scopes_supported?: readonly string[];
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
}

/** A document and its place. */
export interface PublishedMetadata {
  readonly document: ProtectedResourceMetadata;
  /** Where clients look for it (§3.1). */
  readonly url: string;
  /** Path and query of that URL. */
  readonly path: string;
}

/**
 * The document to serve as JSON at `protectedResourceMetadataUrl(audience)`.
 * @throws {TypeError} with all problems: clients send tokens where this document tells them to get some, so it names
 * https addresses alone (http on loopback).
 */
export function protectedResourceMetadata(options: ProtectedResourceOptions): ProtectedResourceMetadata {
  const { issuer, audience, scopes, name, documentation, policy, terms } = options;
  const problems = problemsOf(options);
  if (problems.length > 0) throw new TypeError(`protectedResourceMetadata: ${problems.join("; ")}`);
  return Object.freeze({
    resource: audience,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"] as const,
    ...(scopes === undefined ? {} : { scopes_supported: scopeNames(scopes) }),
    ...(name === undefined ? {} : { resource_name: name }),
    ...(documentation === undefined ? {} : { resource_documentation: documentation }),
    ...(policy === undefined ? {} : { resource_policy_uri: policy }),
    ...(terms === undefined ? {} : { resource_tos_uri: terms }),
  });
}

/** Describes the faults of the values of a document. */
export function problemsOf(options: ProtectedResourceOptions): readonly string[] {
  const { issuer, audience, scopes, name, documentation, policy, terms } = options;
  const problems: string[] = [];
  const judge = (what: string, problem: string | null) => {
    if (problem !== null) problems.push(`${what} ${problem}`);
  };
  judge("issuer", urlProblem(issuer) ?? (/[?#]/.test(issuer) ? "has a query or fragment" : null));
  judge("audience", urlProblem(audience) ?? (audience.includes("#") ? "has a fragment" : null));
  for (const [what, page] of Object.entries({ documentation, policy, terms })) {
    if (page !== undefined) judge(what, urlProblem(page));
  }
  if (name !== undefined && (typeof name !== "string" || name === "")) problems.push("name must be a text");
  try {
    scopeNames(scopes);
  } catch (error) {
    problems.push(`scopes: ${error instanceof Error ? error.message : String(error)}`);
  }
  return problems;
}

/**
 * The URL at which clients look for the document (§3.1): the well-known part is between host and path.
 * @throws {TypeError} `audience` is no URL.
 */
export function protectedResourceMetadataUrl(audience: string): string {
  const { origin, pathname, search } = new URL(audience);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`;
}

/** The document with its place, for the adapters. */
export function published(options: ProtectedResourceOptions): PublishedMetadata {
  const document = protectedResourceMetadata(options);
  const url = protectedResourceMetadataUrl(options.audience);
  return Object.freeze({ document, url, path: url.slice(new URL(url).origin.length) });
}
