/** Every refusal of the protocol, named once (RFC 6749 §§4.1.2.1, 5.2; RFC 6750 §3.1; RFC 7009 §2.2.1). */

/** What a condition is on the wire, and what its page says. */
export interface Condition {
  /** The `error` of the RFC. */
  readonly error: string;
  readonly status: number;
  /** Where the rule stands. */
  readonly section: string;
  /** `error_description`: fixed text of %x20-21 / %x23-5B / %x5D-7E, never made from input. */
  readonly description: string;
  /** What its page tells the developer to do. */
  readonly help: string;
  /** The public condition whose name and text the client gets, where it must not learn this one. */
  readonly public?: string;
}

/**
 * Order is precedence: what stands above is found first. A condition with `public` is for the log alone:
 * the client gets the text, the `error_uri` and the answer of the one that it names.
 */
export const conditions = {
  // -- the request as a whole (RFC 6749 §3.2)
  method_not_allowed: {
    error: "invalid_request",
    status: 405,
    section: "RFC 6749 §3.2",
    description: "This endpoint takes another HTTP method; the Allow header names it.",
    help: "Send the request with the method that the Allow header names. The token endpoint takes POST alone, so that codes and secrets never stand in a URL.",
  },
  content_type_not_form: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The body must be application/x-www-form-urlencoded in UTF-8.",
    help: "Set Content-Type to application/x-www-form-urlencoded and send the parameters form-encoded: not as JSON, not as multipart, not in the query string.",
  },
  content_encoding_refused: {
    error: "invalid_request",
    status: 415,
    section: "RFC 9110 §8.4",
    description: "A compressed body is not taken.",
    help: "Send the body without Content-Encoding.",
  },
  body_too_large: {
    error: "invalid_request",
    status: 413,
    section: "RFC 9110 §15.5.14",
    description: "The body is larger than 64 KiB.",
    help: "No request of this protocol needs 64 KiB. Look for a value that was sent by mistake.",
  },
  too_many_parameters: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.2",
    description: "The request has more than 100 parameters.",
    help: "Send the parameters that the endpoint knows; leave out all others.",
  },
  parameter_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 Appendix B",
    description: "A parameter is not well-formed: it must be percent-encoded UTF-8 without control characters.",
    help: "Encode each name and value as application/x-www-form-urlencoded does (URLSearchParams in JavaScript). Bytes that are not UTF-8, a percent sign without two hex digits and NUL are refused.",
  },
  parameter_repeated: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1",
    description: "A parameter was sent more than once.",
    help: "Send each parameter once. Only resource may repeat. A common cause is a URL that already has the parameter in its query.",
  },
  parameter_too_long: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1",
    description: "A parameter is longer than this server takes.",
    help: "Shorten the value. state may have 4,096 characters; keep what it stands for in your session and send a random key to it.",
  },
  grant_type_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The parameter grant_type is missing.",
    help: "Send grant_type, for example authorization_code or refresh_token.",
  },
  two_credentials: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §2.3",
    description: "The client authenticated in more than one way; use exactly one.",
    help: "Send the secret either in the Authorization header or as client_secret in the body. Some libraries do both: choose one in their options. client_id in the body must be the one of the header.",
  },
  // -- the client (RFC 6749 §2.3)
  invalid_client: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "The client is unknown or did not authenticate as it is registered to.",
    help: "Check client_id and client_secret, and that the client authenticates in the way that it is registered for: with its secret (client_secret_basic or client_secret_post), or, for a public client, with client_id alone. A new secret is made with: assent client rotate-secret CLIENT_ID. What exactly was wrong stands in the server's log.",
  },
  client_id_missing: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_unknown: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_disabled: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_secret_missing: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §2.3.1",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_secret_wrong: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §2.3.1",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_secret_expired: {
    error: "invalid_client",
    status: 401,
    section: "RFC 7591 §3.2.1",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_has_no_secret: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §2.1",
    description: "",
    help: "",
    public: "invalid_client",
  },
  basic_malformed: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §2.3.1",
    description: "",
    help: "",
    public: "invalid_client",
  },
  authorization_scheme_unknown: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_client",
  },
  client_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 6585 §4",
    description: "Too many failed authentications of this client from this address; wait as Retry-After says.",
    help: "The client sent a wrong secret too often from one address. Other addresses are not affected. Correct the secret and wait as long as Retry-After says.",
  },
  // -- the authorization request (RFC 6749 §4.1.1): these two never travel by redirect
  authorization_client_unknown: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.2.4",
    description: "client_id is missing or no client has it.",
    help: "Check client_id against the registration (assent client list). The person was not sent back to the app: without a known client there is no address that could be trusted.",
  },
  redirect_uri_mismatch: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1.2.4",
    description: "redirect_uri is missing or is not one that the client registered.",
    help: "redirect_uri is required and is compared as a string, character by character: scheme, host, port, path, trailing slash and query must be those of the registration. Only the port of http://127.0.0.1 and http://[::1] may vary. Register it with: assent client update CLIENT_ID --redirect-uri URI.",
  },
  response_type_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.2.1",
    description: "The parameter response_type is missing.",
    help: "Send response_type=code.",
  },
  unsupported_response_type: {
    error: "unsupported_response_type",
    status: 400,
    section: "RFC 6749 §4.1.2.1",
    description: "This server does not know that response_type.",
    help: "Use response_type=code, alone. The metadata lists what is supported under response_types_supported.",
  },
  response_type_not_registered: {
    error: "unauthorized_client",
    status: 400,
    section: "RFC 6749 §4.1.2.1",
    description: "The client is not registered for that response_type.",
    help: "Register the client for the response type and for the authorization_code grant.",
  },
  response_mode_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "OAuth 2.0 Multiple Response Types §2.1",
    description: "That response_mode is not supported for this response_type.",
    help: "Leave response_mode out, or use query or form_post.",
  },
  request_object_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "RFC 9101 §5",
    description: "The parameters request and request_uri are not supported.",
    help: "Send the parameters of the authorization request in the query. This server fetches nothing that a request names.",
  },
  // -- PKCE (RFC 7636)
  code_challenge_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7636 §4.4.1",
    description: "This client must use PKCE: code_challenge is missing.",
    help: "Make a code_verifier of 43 to 128 random characters, send code_challenge = BASE64URL(SHA256(code_verifier)) and code_challenge_method=S256, and the verifier with the token request. Public clients must; confidential ones where they are registered so.",
  },
  code_challenge_method_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7636 §4.3",
    description: "code_challenge_method must be S256.",
    help: "Send code_challenge_method=S256. Left out it means plain, which protects nothing and is refused.",
  },
  code_challenge_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7636 §4.2",
    description: "code_challenge must be the 43 base64url characters of a SHA-256 hash.",
    help: "Encode the 32 bytes of the hash as base64url without padding: 43 characters of A-Z a-z 0-9 - and _.",
  },
  // -- prompt, max_age (OpenID Connect Core §3.1.2.1)
  prompt_invalid: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "prompt takes none, login, consent or select_account; none stands alone.",
    help: "Use one or several of login, consent and select_account, separated by spaces, or none alone.",
  },
  max_age_invalid: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "max_age must be a whole number of seconds.",
    help: "Send max_age as digits, for example 300.",
  },
  // -- scope, resource (RFC 6749 §3.3, RFC 8707)
  scope_missing: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "The parameter scope is missing; this server has no default scope.",
    help: "Name the scopes that the app needs, separated by spaces. scopes_supported in the metadata lists them.",
  },
  scope_malformed: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "scope is not a list of scope names separated by single spaces.",
    help: "Separate the names by one space each, without quotes or commas; scope names are case-sensitive.",
  },
  scope_not_allowed: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "A scope is unknown, or the client may not ask for it.",
    help: "Compare the request with scopes_supported in the metadata and with the scopes that the client is registered for (assent client show CLIENT_ID).",
  },
  scope_exceeds_grant: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §6",
    description: "scope asks for more than was granted.",
    help: "A refresh may ask for fewer scopes than the grant has, never for more. For more, send the owner to the authorization endpoint again.",
  },
  resource_not_allowed: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2",
    description: "A resource is unknown, or the scopes asked for do not belong to it.",
    help: "Send the identifier of the API exactly as the operator registered it, and scopes that belong to it.",
  },
  resource_needed: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2.2",
    description: "The scopes belong to several APIs: name one with resource; each access token is for one.",
    help: "Send resource with the identifier of the API that this access token is for, and repeat the request for the others.",
  },
  resource_exceeds_grant: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2.2",
    description: "The grant does not cover that resource.",
    help: "Ask for the API at the authorization endpoint first.",
  },
  // -- the owner's answer
  access_denied: {
    error: "access_denied",
    status: 403,
    section: "RFC 6749 §4.1.2.1",
    description: "The owner, or this server for them, did not allow it.",
    help: "The owner chose not to allow the app. Offer to go on without, or to try again when they want to.",
  },
  nothing_grantable: {
    error: "access_denied",
    status: 403,
    section: "RFC 6749 §4.1.2.1",
    description: "The owner may not grant any of these scopes.",
    help: "The scopes need a role that the person does not have. Ask for others, or let somebody with the role sign in.",
  },
  login_required: {
    error: "login_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "The owner is not signed in, and prompt=none forbids to ask.",
    help: "Repeat the request without prompt=none, in the foreground.",
  },
  consent_required: {
    error: "consent_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "The owner has not consented yet, and prompt=none forbids to ask.",
    help: "Repeat the request without prompt=none, in the foreground.",
  },
  // -- the token request (RFC 6749 §5.2)
  unsupported_grant_type: {
    error: "unsupported_grant_type",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "This server does not know that grant_type.",
    help: "grant_types_supported in the metadata lists what there is. Grant types are case-sensitive.",
  },
  grant_type_not_registered: {
    error: "unauthorized_client",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The client is not registered for that grant_type.",
    help: "Register it: assent client update CLIENT_ID --grant-type GRANT_TYPE. Public clients get refresh tokens only when registered for refresh_token.",
  },
  code_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The parameter code is missing.",
    help: "Send the code that came to redirect_uri.",
  },
  redirect_uri_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The parameter redirect_uri is missing.",
    help: "Send the same redirect_uri as in the authorization request, character by character.",
  },
  refresh_token_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §6",
    description: "The parameter refresh_token is missing.",
    help: "Send the refresh token of the last answer.",
  },
  token_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7009 §2.1",
    description: "The parameter token is missing.",
    help: "Send the token as the form parameter token.",
  },
  code_verifier_unexpected: {
    error: "invalid_request",
    status: 400,
    section: "RFC 9700 §4.8.2",
    description: "code_verifier was sent, but the authorization request had no code_challenge.",
    help: "Send code_challenge with the authorization request. If your app did send it, somebody took it out on the way; the code has been made invalid.",
  },
  invalid_grant: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description:
      "The code or refresh token is invalid, expired, used, revoked or was issued to another client; or redirect_uri or code_verifier is not the right one.",
    help: "A code lives 60 seconds and works once, with the redirect_uri of the authorization request and the verifier of its challenge. If it was used twice, everything that came of it has ended: look for a callback that runs twice (React's StrictMode, a reloaded page, two servers behind one address). A refresh token ends with its consent, after a time without use, and, where tokens rotate, once its successor has been used. Send the owner to the authorization endpoint again.",
  },
  code_unknown: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  code_replayed: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §4.1.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  code_redirect_uri_differs: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  code_verifier_wrong: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 7636 §4.6",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  code_verifier_missing: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 7636 §4.6",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  refresh_token_unknown: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  refresh_token_ended: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  refresh_token_of_other_client: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §10.4",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  refresh_token_replayed: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 9700 §4.14.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  refresh_state_lost: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  scopes_all_ended: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §6",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  token_of_other_client: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 7009 §2.1",
    description: "",
    help: "",
    public: "invalid_grant",
  },
  unsupported_token_type: {
    error: "unsupported_token_type",
    status: 400,
    section: "RFC 7009 §2.2.1",
    description: "Access tokens cannot be revoked: they time out. Revoke the refresh token.",
    help: "An access token lives for minutes and is verified by APIs without asking this server. Revoke the refresh token, which ends the grant: no new access token comes of it.",
  },
  // -- pages and paths
  not_found: {
    error: "not_found",
    status: 404,
    section: "RFC 9110 §15.5.5",
    description: "There is nothing at this address.",
    help: "The metadata at /.well-known/oauth-authorization-server names every endpoint.",
  },
  form_token_invalid: {
    error: "forbidden",
    status: 403,
    section: "RFC 6749 §10.12",
    description: "The form was not one that this browser got from this server, or it had been open for too long.",
    help: "Load the page again and repeat. The form carries a token that belongs to the browser's session; it is missing, of another session, or cookies are off.",
  },
  interaction_unknown: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §10.12",
    description: "This sign-in was started in another browser, or was changed on the way.",
    help: "A page of an authorization request works only in the browser that started it. Start again from the app.",
  },
  interaction_expired: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §10.12",
    description: "This sign-in was started more than an hour ago.",
    help: "Start again from the app.",
  },
  interaction_finished: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.2",
    description: "This request has been answered already.",
    help: "Go back to the app: it has the answer. To change what was allowed, use the page of your apps.",
  },
  too_early: {
    error: "invalid_request",
    status: 425,
    section: "RFC 8470 §5.2",
    description: "Send the request again, not as early data.",
    help: "The request came as TLS early data, which can be replayed. Send it again when the handshake is done.",
  },
  insecure_transport: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.2",
    description: "The request came over http; this server takes https alone.",
    help: "Use the https URL of the metadata. The proxy in front said that the request came without TLS: nothing of it was looked at.",
  },
  // -- the server itself
  temporarily_unavailable: {
    error: "temporarily_unavailable",
    status: 503,
    section: "RFC 6749 §4.1.2.1",
    description: "The server cannot answer at the moment; try again as Retry-After says.",
    help: "The database did not answer, or the server is overloaded or stopping. Repeat the request after the time in Retry-After: a refresh may be repeated without harm.",
  },
  server_error: {
    error: "server_error",
    status: 500,
    section: "RFC 6749 §4.1.2.1",
    description: "The server met a fault of its own.",
    help: "The log has the cause, under the request id of the answer's X-Request-Id header.",
  },
} as const satisfies Record<string, Condition>;

export type ConditionName = keyof typeof conditions;

/** A named refusal. `detail` is for the log alone and never reaches a client. */
export class OAuthError extends Error {
  readonly condition: ConditionName;
  readonly detail: string | undefined;

  constructor(condition: ConditionName, detail?: string) {
    super(condition);
    this.name = "OAuthError";
    this.condition = condition;
    this.detail = detail;
  }
}

/** Refuses the request under way. */
export function refuse(condition: ConditionName, detail?: string): never {
  throw new OAuthError(condition, detail);
}

/** The condition that a client may learn of. */
export function publicCondition(name: ConditionName): ConditionName {
  const condition: Condition = conditions[name];
  return (condition.public as ConditionName | undefined) ?? name;
}

/** What a client reads (RFC 6749 §5.2): the members of the JSON body or of the redirect's query. */
export function errorParameters(
  name: ConditionName,
  issuer: string,
): { error: string; error_description: string; error_uri: string } {
  const shown = publicCondition(name);
  const { error, description } = conditions[shown];
  return { error, error_description: description, error_uri: `${issuer}/errors/${shown}` };
}

/** The conditions that have a page at `/errors/{condition}`. */
export function publicConditions(): readonly ConditionName[] {
  return (Object.keys(conditions) as ConditionName[]).filter((name) => publicCondition(name) === name);
}
