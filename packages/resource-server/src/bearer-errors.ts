/**
 * The refusals of a protected resource (RFC 6750 §3, RFC 9470 §3): each condition once, with its status, code and text
 * for the client.
 */

interface Condition {
  readonly status: 400 | 401 | 403 | 503;
  /** Null: RFC 6750 §3.1 wants no error code if the request had no credentials. */
  readonly error:
    | "invalid_request"
    | "invalid_token"
    | "insufficient_scope"
    | "insufficient_user_authentication"
    | "temporarily_unavailable"
    | null;
  /** For the client's developer. The text is fixed, so that the response repeats nothing of a request. */
  readonly description: string;
}

/** All reasons for a refusal, in the order of the checks. */
export const conditions = {
  token_missing: { status: 401, error: null, description: "This request carries no bearer token." },
  credentials_repeated: {
    status: 400,
    error: "invalid_request",
    description: "Send one Authorization header and nothing more: this request has several.",
  },
  credentials_malformed: {
    status: 400,
    error: "invalid_request",
    description: "The Authorization header must read: Bearer, a space, one access token.",
  },
  token_sent_twice: {
    status: 400,
    error: "invalid_request",
    description: "Send the access token in the Authorization header alone, not in the query as well.",
  },
  token_too_long: { status: 401, error: "invalid_token", description: "The access token is longer than 8 KiB." },
  token_malformed: {
    status: 401,
    error: "invalid_token",
    description: "The access token is not a well-formed signed JWT.",
  },
  token_type_wrong: {
    status: 401,
    error: "invalid_token",
    description: "This JWT is not an access token: its typ must be at+jwt.",
  },
  algorithm_refused: {
    status: 401,
    error: "invalid_token",
    description: "The access token is signed with an algorithm that this API does not accept.",
  },
  header_extension: {
    status: 401,
    error: "invalid_token",
    description: "The access token demands a header extension (crit) that this API does not support.",
  },
  keys_unavailable: {
    status: 503,
    error: "temporarily_unavailable",
    description: "Access tokens cannot be checked at the moment. Try again soon.",
  },
  key_unknown: {
    status: 401,
    error: "invalid_token",
    description: "The access token is signed with a key that its issuer does not publish.",
  },
  signature_invalid: {
    status: 401,
    error: "invalid_token",
    description: "The signature of the access token is wrong.",
  },
  issuer_wrong: {
    status: 401,
    error: "invalid_token",
    description: "The access token comes from another authorization server.",
  },
  audience_wrong: { status: 401, error: "invalid_token", description: "The access token is meant for another API." },
  claim_invalid: {
    status: 401,
    error: "invalid_token",
    description: "The access token lacks a required claim, or a claim has the wrong form.",
  },
  token_expired: { status: 401, error: "invalid_token", description: "The access token has expired." },
  token_not_yet_valid: { status: 401, error: "invalid_token", description: "The access token is not valid yet." },
  token_bound: {
    status: 401,
    error: "invalid_token",
    description: "The access token is bound to a key, and this request does not prove that key.",
  },
  scope_insufficient: {
    status: 403,
    error: "insufficient_scope",
    description: "The access token does not have the scope that this request needs.",
  },
  authentication_insufficient: {
    status: 401,
    error: "insufficient_user_authentication",
    description: "This request needs a stronger or more recent sign-in than the one behind the access token.",
  },
} as const satisfies Record<string, Condition>;

/** The name of a refusal, for logs and metrics. */
export type RefusalCondition = keyof typeof conditions;

/** The other parameters of the challenge, all from the API's own configuration. */
export interface ChallengeParts {
  readonly realm: string;
  /** URL of the RFC 9728 document; null: the API has none. */
  readonly resourceMetadata: string | null;
}

/** The sign-in that an operation needs behind a token. */
export interface SignInRequirement {
  /** Any of these `acr` values; empty: every value is accepted. */
  readonly acr: readonly string[];
  /** Maximum age of the sign-in in seconds; null: any age. */
  readonly maxAge: number | null;
}

/** Makes the error of a condition. `detail` is for the log only. */
export type Refuse = (condition: RefusalCondition, detail: string, more?: RefusalExtras) => ResourceServerError;

export interface RefusalExtras {
  /** The needed scope, space-separated. */
  readonly scope?: string;
  /** The needed sign-in (RFC 9470 §3). */
  readonly authentication?: SignInRequirement;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/**
 * A refused request, with everything that is needed to answer it. `message` and `description` are safe to show to
 * anybody. `detail` says what was wrong with this token and belongs in the log. No field ever contains the token.
 */
export class ResourceServerError extends Error {
  override readonly name = "ResourceServerError";
  readonly condition: RefusalCondition;
  /** HTTP status: 400, 401, 403 or 503. */
  readonly status: number;
  /** The code of RFC 6750 §3.1; undefined if the request had no credentials. */
  readonly error: string | undefined;
  /** Value of the WWW-Authenticate header; undefined for status 503. */
  readonly wwwAuthenticate: string | undefined;
  readonly description: string;
  readonly detail: string;

  /** Response headers in lower case. Generic error handlers, for example Express', read this name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body; empty if the request had no credentials. */
  readonly body: Readonly<{ error?: string; error_description?: string }>;

  constructor(condition: RefusalCondition, parts: ChallengeParts, detail: string, more: RefusalExtras = {}) {
    const { status, error, description }: Condition = conditions[condition];
    super(description, more.cause === undefined ? undefined : { cause: more.cause });
    this.condition = condition;
    this.status = status;
    this.error = error ?? undefined;
    this.description = description;
    this.detail = detail;
    this.wwwAuthenticate = status === 503 ? undefined : challenge(parts, error, description, more);
    this.headers = Object.freeze({
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(this.wwwAuthenticate === undefined ? {} : { "www-authenticate": this.wwwAuthenticate }),
      ...(more.retryAfter === undefined ? {} : { "retry-after": String(more.retryAfter) }),
    });
    this.body = Object.freeze(error === null ? {} : { error, error_description: description });
  }

  /** The same as `status`, under the name that the error handlers of Fastify and Express read. */
  get statusCode(): number {
    return this.status;
  }
}

/**
 * RFC 6750 §3; `resource_metadata` is RFC 9728 §5.1. No value can contain a quote: all are fixed, or checked at the
 * start.
 */
function challenge(
  parts: ChallengeParts,
  error: string | null,
  description: string,
  { scope, authentication }: RefusalExtras,
): string {
  const attributes = [`realm="${parts.realm}"`];
  if (error !== null) attributes.push(`error="${error}"`, `error_description="${description}"`);
  if (scope !== undefined) attributes.push(`scope="${scope}"`);
  if (authentication !== undefined) {
    const { acr, maxAge } = authentication;
    if (acr.length > 0) attributes.push(`acr_values="${acr.join(" ")}"`);
    if (maxAge !== null) attributes.push(`max_age="${maxAge}"`);
  }
  if (parts.resourceMetadata !== null) attributes.push(`resource_metadata="${parts.resourceMetadata}"`);
  return `Bearer ${attributes.join(", ")}`;
}

/** Shortens and escapes an untrusted value for a log line. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
