/**
 * A protected resource: turns a request into the claims of its access token, or into a refusal (RFC 6750, RFC 9068 §4).
 */

import { type AccessTokenClaims, verifyAccessToken } from "./access-token.ts";
import { conditions, quoted, type Refuse, ResourceServerError, type SignInRequirement } from "./bearer-errors.ts";
import { bearerToken, type ProtectableRequest } from "./bearer-token.ts";
import { isProven } from "./client-certificate.ts";
import type { KeyHint } from "./jwk-set.ts";
import { scopeNames, signInRequirement } from "./option-values.ts";
import { type ResourceServerOptions, readOptions, type Settings } from "./options.ts";
import type { PublishedMetadata } from "./protected-resource-metadata.ts";
import { CACHE, IssuerKeys, KeysUnavailable } from "./remote-jwk-set.ts";

/** The requirements of one operation of the API. */
export interface Requirement {
  /** The token must have all of these scopes: names in an array or separated by spaces. */
  readonly scope?: string | readonly string[] | undefined;
  /** The owner must have signed in with one of these `acr` values (RFC 9470): `"mfa phr"` or an array. */
  readonly acr?: string | readonly string[] | undefined;
  /** The maximum age of the owner's sign-in in seconds (RFC 9470). */
  readonly maxAge?: number | undefined;
}

/** An API that accepts access tokens. */
export interface ResourceServer {
  readonly issuer: string;
  readonly audience: string;
  /** The RFC 9728 document that `serveMetadata` of the adapters serves. Null: the option `metadata` is absent. */
  readonly metadata: PublishedMetadata | null;
  /**
   * Accepts or refuses a request by its access token. It does not check revocation: an access token is valid until it
   * expires.
   * @returns the token's claims, frozen.
   * @throws {ResourceServerError} the refusal; it contains the response.
   * @throws {TypeError} a mistake in the program: not a request, or invalid scope names.
   */
  protect(request: ProtectableRequest, requirement?: Requirement): Promise<AccessTokenClaims>;
  /**
   * Fetches the issuer's keys before the first request. Use it for a readiness check.
   * @throws {Error} the keys are not available; `cause` says why.
   */
  ready(): Promise<void>;
}

/**
 * Describes an API that accepts access tokens of `issuer` for `audience`. Make one for the whole process, because it
 * caches the keys. It fetches nothing before the first token, or before a call of `ready()`.
 * @throws {TypeError} with all problems of the options.
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const settings = readOptions(options);
  const keys = new IssuerKeys(settings);

  async function protect(request: ProtectableRequest, requirement: Requirement = {}): Promise<AccessTokenClaims> {
    const needed = [...settings.scope, ...scopeNames(requirement.scope)];
    const authentication = signInRequirement(requirement);
    const refuse = refusing(settings, needed);
    try {
      const claims = await accept(request, needed, settings, keys, refuse);
      checkSignIn(claims, authentication, settings, refuse);
      return claims;
    } catch (error) {
      if (error instanceof ResourceServerError) settings.onRefusal(error);
      throw error;
    }
  }

  return Object.freeze({
    issuer: settings.issuer,
    audience: settings.audience,
    metadata: settings.metadata,
    protect,
    ready: () => keys.load(),
  });
}

/** A 401 names the scope that the client needs anyway (RFC 6750 §3), so that it asks for the right one at once. */
function refusing(settings: Settings, needed: readonly string[]): Refuse {
  const scope = [...new Set(needed)].join(" ");
  return (condition, detail, more) =>
    new ResourceServerError(condition, settings, detail, {
      ...(scope !== "" && conditions[condition].status === 401 ? { scope } : {}),
      ...more,
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
  // Without a proof of the bound key (RFC 8705 §3, RFC 9449 §7.2), the token could be stolen.
  if (claims["cnf"] !== undefined && !(await isProven(claims["cnf"], certificateOf(request, settings)))) {
    throw refuse("token_bound", `cnf ${quoted(claims["cnf"])}`);
  }

  if (!needed.every((name) => hasScope(claims, name))) {
    const scope = [...new Set(needed)].join(" ");
    throw refuse("scope_insufficient", `needed ${scope}, got ${claims.scope ?? "none"}`, { scope });
  }
  return claims;
}

/** A program that can't read what a caller sent has no certificate: the caller must not be able to crash it. */
function certificateOf(request: ProtectableRequest, { clientCertificate }: Settings): Uint8Array | undefined {
  try {
    return clientCertificate(request);
  } catch {
    return undefined;
  }
}

/**
 * RFC 9470 §3: tells the client what to ask the authorization server for. A token without an owner's sign-in is always
 * refused.
 */
function checkSignIn(
  claims: AccessTokenClaims,
  authentication: SignInRequirement,
  { now, clockTolerance }: Settings,
  refuse: Refuse,
): void {
  const { acr, maxAge } = authentication;
  const { acr: had, auth_time: at } = claims;
  const strong = acr.length === 0 || (typeof had === "string" && acr.includes(had));
  const recent = maxAge === null || (typeof at === "number" && now() / 1000 - at <= maxAge + clockTolerance);
  if (strong && recent) return;
  throw refuse("authentication_insufficient", `acr ${quoted(had)}, auth_time ${quoted(at)}`, { authentication });
}

/**
 * True if a token has the scope. Names are compared whole and case-sensitively (RFC 6749 §3.3): `photos` is not
 * `photos:read`.
 */
export function hasScope(claims: Pick<AccessTokenClaims, "scope">, name: string): boolean {
  return claims.scope?.split(" ").includes(name) ?? false;
}
