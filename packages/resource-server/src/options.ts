/** The settings of a protected resource: checked at once, filled with defaults, frozen. */

import type { ProtectableRequest } from "./bearer-token.ts";
import { connectionCertificate } from "./client-certificate.ts";
import type { ResourceServerError, SignInRequirement } from "./errors.ts";

/** What createResourceServer takes. Times are seconds. */
export interface ResourceServerOptions {
  /** The authorization server, exactly as it names itself: an https URL (http on loopback), without query or fragment. */
  readonly issuer: string;
  /** The identifier of this API, exactly as it is registered: what `aud` must contain. */
  readonly audience: string;
  /** Scope that every request needs: names in an array or separated by spaces. */
  readonly scope?: string | readonly string[] | undefined;
  /** The signature algorithms accepted, all of them asymmetric. */
  readonly algorithms?: readonly Algorithm[] | undefined;
  /** How far the clocks of issuer and API may differ: 0 to 60. */
  readonly clockTolerance?: number | undefined;
  /** Where the keys are, for an issuer without RFC 8414 metadata. */
  readonly jwksUri?: string | undefined;
  /** The realm of the challenge. */
  readonly realm?: string | undefined;
  /** URL of this API's RFC 9728 document, to name in the challenge. */
  readonly resourceMetadata?: string | undefined;
  /**
   * The DER of the caller's certificate, for tokens that are bound to one, where TLS ends before this process. Absent: of the request's own TLS
   * connection. A header is to be believed only if the proxy sets or deletes it on every request.
   */
  readonly clientCertificate?: ((request: ProtectableRequest) => Uint8Array | undefined) | undefined;
  /** Called with each refusal, for the log: `error.condition`, `error.detail`. */
  readonly onRefusal?: ((error: ResourceServerError) => void) | undefined;
  /** Called when the issuer's metadata or keys could not be fetched, also where older keys serve on. */
  readonly onIssuerError?: ((error: Error) => void) | undefined;
  /** The time in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

export type Algorithm = (typeof ALGORITHMS)[number];

/** What a verifier may be told to accept. HMAC and `none` are not in it, so no configuration can let them in. */
export const ALGORITHMS = [
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
] as const;

const DEFAULT_ALGORITHMS: readonly Algorithm[] = ["ES256", "EdDSA", "Ed25519", "PS256", "RS256"];
const DEFAULT_CLOCK_TOLERANCE = 10;

export interface Settings {
  readonly issuer: string;
  readonly audience: string;
  readonly scope: readonly string[];
  readonly algorithms: ReadonlySet<string>;
  readonly clockTolerance: number;
  readonly jwksUri: string | null;
  readonly realm: string;
  readonly resourceMetadata: string | null;
  readonly clientCertificate: (request: ProtectableRequest) => Uint8Array | undefined;
  readonly onRefusal: (error: ResourceServerError) => void;
  readonly onIssuerError: (error: Error) => void;
  readonly now: () => number;
}

/** @throws {TypeError} naming all that is wrong with the options, not only the first. */
export function readOptions(options: ResourceServerOptions): Settings {
  const problems: string[] = [];
  const { issuer, audience, algorithms = DEFAULT_ALGORITHMS, clockTolerance = DEFAULT_CLOCK_TOLERANCE } = options;
  const { jwksUri, resourceMetadata, realm = audience } = options;

  const issuerProblem = urlProblem(issuer) ?? (/[?#]/.test(issuer) ? "has a query or fragment" : null);
  if (issuerProblem !== null) problems.push(`issuer ${issuerProblem}`);
  if (typeof audience !== "string" || audience === "") problems.push("audience must be this API's identifier");
  if (!Array.isArray(algorithms) || algorithms.length === 0 || !algorithms.every((a) => ALGORITHMS.includes(a))) {
    problems.push(`algorithms must be some of ${ALGORITHMS.join(", ")}`);
  }
  if (!Number.isFinite(clockTolerance) || clockTolerance < 0 || clockTolerance > 60) {
    problems.push("clockTolerance must be 0 to 60 seconds");
  }
  const jwksProblem = jwksUri === undefined ? null : urlProblem(jwksUri);
  if (jwksProblem !== null) problems.push(`jwksUri ${jwksProblem}`);
  if (!isQuotable(realm)) problems.push("realm must be printable ASCII without quotes and backslashes");
  if (resourceMetadata !== undefined && !(URL.canParse(resourceMetadata) && isQuotable(resourceMetadata))) {
    problems.push("resourceMetadata must be an absolute URL");
  }
  const scope = collect(problems, () => scopeNames(options.scope));
  if (problems.length > 0) throw new TypeError(`createResourceServer: ${problems.join("; ")}`);

  return Object.freeze({
    issuer,
    audience,
    scope: scope ?? [],
    algorithms: new Set<string>(algorithms),
    clockTolerance,
    jwksUri: jwksUri ?? null,
    realm,
    resourceMetadata: resourceMetadata ?? null,
    clientCertificate: options.clientCertificate ?? connectionCertificate,
    onRefusal: harmless(options.onRefusal),
    onIssuerError: harmless(options.onIssuerError),
    now: options.now ?? Date.now,
  });
}

/**
 * The scope names of a requirement (RFC 6749 §3.3), each once. Undefined: none.
 * @throws {TypeError} a name has characters that no scope has, or a requirement is there but empty: an unset variable must
 *   not quietly switch the check off.
 */
export function scopeNames(scope: string | readonly string[] | undefined): readonly string[] {
  if (scope === undefined) return [];
  const names = typeof scope === "string" ? scope.split(" ") : scope;
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => isScopeName(name))) {
    throw new TypeError("scope must be one or more scope names, separated by single spaces or in an array");
  }
  return [...new Set(names)];
}

/**
 * What a requirement asks of the sign-in (RFC 9470 §3).
 * @throws {TypeError} as `scopeNames`; or `maxAge` is no whole number of seconds.
 */
export function signInRequirement({
  acr,
  maxAge,
}: {
  readonly acr?: string | readonly string[] | undefined;
  readonly maxAge?: number | undefined;
}): SignInRequirement {
  const values = acr === undefined ? [] : typeof acr === "string" ? acr.split(" ") : acr;
  const named = acr === undefined || (Array.isArray(values) && values.length > 0);
  // What may stand in a scope's name may stand in a challenge.
  if (!named || !values.every(isScopeName)) {
    throw new TypeError("acr must be one or more values, separated by single spaces or in an array");
  }
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    throw new TypeError("maxAge must be a whole number of seconds");
  }
  return { acr: [...new Set(values)], maxAge: maxAge ?? null };
}

function isScopeName(name: unknown): boolean {
  return typeof name === "string" && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(name);
}

/** Null: a URL from which keys may be fetched. Plain http only on this very machine, where nobody listens in. */
export function urlProblem(text: unknown): string | null {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null) return "must be an absolute URL";
  if (url.username !== "" || url.password !== "") return "must not hold a password";
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return null;
  return "must be https (http only on localhost)";
}

/** True for localhost, 127.0.0.0/8 and ::1. WHATWG parsing has normalised the spellings of addresses before. */
export function isLoopback(url: URL): boolean {
  return url.hostname === "localhost" || url.hostname === "[::1]" || /^127(\.\d+){3}$/.test(url.hostname);
}

function isQuotable(text: unknown): boolean {
  return typeof text === "string" && /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

function collect<T>(problems: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** A log that throws must not turn a refusal into a crash, which anybody could then cause. */
function harmless<T>(listener: ((value: T) => void) | undefined): (value: T) => void {
  return (value) => {
    try {
      listener?.(value);
    } catch {
      // There is nobody left to tell.
    }
  };
}
