/** The settings of a protected resource: checked together, completed with defaults, frozen. */

import type { ResourceServerError } from "./bearer-errors.ts";
import type { ProtectableRequest } from "./bearer-token.ts";
import { connectionCertificate } from "./client-certificate.ts";
import { scopeNames, urlProblem } from "./option-values.ts";
import { type PublishedDetails, type PublishedMetadata, problemsOf, published } from "./protected-resource-metadata.ts";

/** The options of createResourceServer. Times are in seconds. */
export interface ResourceServerOptions {
  /**
   * The authorization server's own identifier, character by character: an https URL (http on loopback), without query
   * or fragment.
   */
  readonly issuer: string;
  /** The identifier of this API, exactly as registered. The claim `aud` must contain it. */
  readonly audience: string;
  /** The scopes that every request needs: names in an array or separated by spaces. */
  readonly scope?: string | readonly string[] | undefined;
  /** The accepted signature algorithms; all are asymmetric. */
  readonly algorithms?: readonly Algorithm[] | undefined;
  /** The allowed difference between the clocks of issuer and API: 0 to 60. */
  readonly clockTolerance?: number | undefined;
  /** The address of the keys, for an issuer without RFC 8414 metadata. */
  readonly jwksUri?: string | undefined;
  /** The realm of the challenge. */
  readonly realm?: string | undefined;
  /** URL of this API's RFC 9728 document. The challenge names it. Absent: where `metadata` is served, if it is set. */
  readonly resourceMetadata?: string | undefined;
  /** The contents of this API's RFC 9728 document, which `serveMetadata` serves. The audience must be an https URL then. */
  readonly metadata?: PublishedDetails | undefined;
  /**
   * The DER of the caller's certificate, for tokens that are bound to one, if TLS ends before this process. Absent: the
   * certificate of the request's own TLS connection. Read it from a header only if the proxy sets or deletes that
   * header on every request.
   */
  readonly clientCertificate?: ((request: ProtectableRequest) => Uint8Array | undefined) | undefined;
  /** Called with each refusal, for the log: `error.condition`, `error.detail`. */
  readonly onRefusal?: ((error: ResourceServerError) => void) | undefined;
  /** Called when the issuer's metadata or keys could not be fetched, even if older keys are still in use. */
  readonly onIssuerError?: ((error: Error) => void) | undefined;
  /** The time in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

export type Algorithm = (typeof ALGORITHMS)[number];

/** The algorithms that an option may name. HMAC and `none` are missing, so no configuration can accept them. */
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
  readonly metadata: PublishedMetadata | null;
  readonly clientCertificate: (request: ProtectableRequest) => Uint8Array | undefined;
  readonly onRefusal: (error: ResourceServerError) => void;
  readonly onIssuerError: (error: Error) => void;
  readonly now: () => number;
}

/** @throws {TypeError} with all problems of the options, not only the first. */
export function readOptions(options: ResourceServerOptions): Settings {
  const problems: string[] = [];
  const { issuer, audience, algorithms = DEFAULT_ALGORITHMS, clockTolerance = DEFAULT_CLOCK_TOLERANCE } = options;
  const { jwksUri, resourceMetadata, metadata, realm = audience } = options;

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
  const resource = metadata === undefined ? undefined : { ...metadata, issuer, audience };
  if (resource !== undefined && problems.length === 0) {
    problems.push(...problemsOf(resource).map((problem) => `metadata: ${problem}`));
  }
  if (problems.length > 0) throw new TypeError(`createResourceServer: ${problems.join("; ")}`);

  const document = resource === undefined ? null : published(resource);
  return Object.freeze({
    issuer,
    audience,
    scope: scope ?? [],
    algorithms: new Set<string>(algorithms),
    clockTolerance,
    jwksUri: jwksUri ?? null,
    realm,
    resourceMetadata: resourceMetadata ?? document?.url ?? null,
    metadata: document,
    clientCertificate: options.clientCertificate ?? connectionCertificate,
    onRefusal: harmless(options.onRefusal),
    onIssuerError: harmless(options.onIssuerError),
    now: options.now ?? Date.now,
  });
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

/** An error of the log function must not turn a refusal into a crash, because anybody could cause it. */
function harmless<T>(listener: ((value: T) => void) | undefined): (value: T) => void {
  return (value) => {
    try {
      listener?.(value);
    } catch {
      // No other function could report this error.
    }
  };
}
