/** Finds the address of the issuer's keys in the authorization server metadata (RFC 8414 §3). */

import { fetchJson } from "./fetch-json.ts";
import { urlProblem } from "./option-values.ts";

/** RFC 8414 §3.1: the well-known part is between the host and the issuer's own path, without the path's final slash. */
export function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
}

export interface JwksLocation {
  readonly jwksUri: string;
  /** Seconds from the response's headers; null: they don't say. */
  readonly maxAge: number | null;
}

/**
 * Asks the issuer for its `jwks_uri`.
 * @throws {Error} unreachable; metadata of another issuer (§3.3); no usable `jwks_uri`.
 */
export async function findJwks(issuer: string, signal: AbortSignal): Promise<JwksLocation> {
  const url = metadataUrl(issuer);
  const { value, maxAge } = await fetchJson(url, signal);
  if (value.issuer !== issuer) {
    const found = typeof value.issuer === "string" ? JSON.stringify(value.issuer.slice(0, 200)) : "missing";
    throw new Error(`${url}: its issuer (${found}) is not identical to ${issuer}`);
  }
  const jwksUri = value.jwks_uri;
  const problem = urlProblem(jwksUri);
  if (typeof jwksUri !== "string" || problem !== null) throw new Error(`${url}: jwks_uri ${problem}`);
  // An issuer on the network must not make this API send requests to services on its own machine.
  if (new URL(issuer).protocol === "https:" && new URL(jwksUri).protocol !== "https:") {
    throw new Error(`${url}: jwks_uri must be https`);
  }
  return { jwksUri, maxAge };
}
