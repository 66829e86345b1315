/** A protected resource: from a request to the claims of its access token, or to a refusal (RFC 6750, RFC 9068 §4). */

import { type AccessTokenClaims, verifyAccessToken } from "./access-token.ts";
import { bearerToken, type ProtectableRequest } from "./bearer.ts";
import { isProven } from "./client-certificate.ts";
import { quoted, type Refuse, ResourceServerError } from "./errors.ts";
import { CACHE, IssuerKeys, KeysUnavailable } from "./issuer-keys.ts";
import type { KeyHint } from "./jwk-set.ts";
import { type ResourceServerOptions, readOptions, type Settings, scopeNames } from "./options.ts";

/** What one operation of the API asks of a token. */
export interface Requirement {
  /** All of these scopes: names in an array or separated by spaces. */
  readonly scope?: string | readonly string[] | undefined;
}

/** An API as its authorization server knows it. */
export interface ResourceServer {
  readonly issuer: string;
  readonly audience: string;
  /**
   * Accepts or refuses a request by its access token. Does not check revocation: an access token is good until it times out.
   * @returns the token's claims, frozen.
   * @throws {ResourceServerError} the answer to give instead.
   * @throws {TypeError} a mistake in the program: not a request, or no valid scope names.
   */
  protect(request: ProtectableRequest, requirement?: Requirement): Promise<AccessTokenClaims>;
  /**
   * Fetches the issuer's keys ahead of the first request; good for a readiness check.
   * @throws {Error} they can't be had; `cause` says why.
   */
  ready(): Promise<void>;
}

/**
 * Describes an API that accepts access tokens of `issuer` for `audience`. Make one for the whole process: it holds the keys.
 * Nothing is fetched before the first token comes, or `ready()` is called.
 * @throws {TypeError} naming everything that is wrong with the options.
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const settings = readOptions(options);
  const keys = new IssuerKeys(settings);
  const refuse: Refuse = (condition, detail, more) => new ResourceServerError(condition, settings, detail, more);

  async function protect(request: ProtectableRequest, requirement: Requirement = {}): Promise<AccessTokenClaims> {
    const needed = [...settings.scope, ...scopeNames(requirement.scope)];
    try {
      return await accept(request, needed, settings, keys, refuse);
    } catch (error) {
      if (error instanceof ResourceServerError) settings.onRefusal(error);
      throw error;
    }
  }

  return Object.freeze({
    issuer: settings.issuer,
    audience: settings.audience,
    protect,
    ready: () => keys.load(),
  });
}

async function accept(
  request: ProtectableRequest,
  needed: readonly string[],
  settings: Settings,
  keys: IssuerKeys,
  refuse: Refuse,
): Promise<AccessTokenClaims> {
  const token = bearerToken(request, refuse);
  if (token instanceof ResourceServerError) throw token;

  const findKey = (hint: KeyHint) =>
    keys.find(hint).catch((cause: unknown) => {
      if (!(cause instanceof KeysUnavailable)) throw cause;
      throw refuse("keys_unavailable", cause.message, { cause, retryAfter: CACHE.retryAfterFailure });
    });
  const claims = await verifyAccessToken(token, settings, findKey, refuse);
  // Without proof of the bound key (RFC 8705 §3, RFC 9449 §7.2), the token could be a stolen one.
  if (claims["cnf"] !== undefined && !(await isProven(claims["cnf"], settings.clientCertificate(request)))) {
    throw refuse("token_bound", `cnf ${quoted(claims["cnf"])}`);
  }

  if (!needed.every((name) => hasScope(claims, name))) {
    const scope = [...new Set(needed)].join(" ");
    throw refuse("scope_insufficient", `needed ${scope}, got ${claims.scope ?? "none"}`, { scope });
  }
  return claims;
}

/** Whether a token has one scope, compared whole and by case (RFC 6749 §3.3): `photos` is not `photos:read`. */
export function hasScope(claims: Pick<AccessTokenClaims, "scope">, name: string): boolean {
  return claims.scope?.split(" ").includes(name) ?? false;
}
