/**
 * The catalogue of all refusals of the protocol. It names each one once (RFC 6749 §§4.1.2.1, 5.2; RFC 6750 §3.1; RFC
 * 7009 §2.2.1).
 */

/** The texts for people that a page can show instead of the developer's text. The pages have them in each language. */
export type ConditionPage =
  | ("clientUnknown" | "redirectUri" | "notFound" | "invitation" | "method" | "form" | "foreignForm")
  | ("cutOff" | "expired" | "finished" | "tooMuch" | "unavailable" | "fault")
  | ("signInRefused" | "signInTooWeak" | "signInUnchecked");

/** What the client, the log and people read about a condition. */
export interface Condition {
  /** The `error` of the RFC. */
  readonly error: string;
  readonly status: number;
  /** The section with the rule. */
  readonly section: string;
  /** `error_description`: fixed text of %x20-21 / %x23-5B / %x5D-7E, never made from input. */
  readonly description: string;
  /** The text of its page: what the developer must do. */
  readonly help: string;
  /** The condition that the client gets instead, if it must not learn this one. */
  readonly public?: string;
  /** A failed client authentication that may be a guess. The server counts it. */
  readonly countsAsGuess?: true;
  /** The text that people read. Absent: the condition is for developers. */
  readonly page?: ConditionPage;
  /** True: the condition can end without a change, so the page offers to try the same address again. */
  readonly passes?: true;
}

/** A condition that only the log names. The client gets error, status, text and page of the public one. */
interface HiddenCondition {
  readonly public: string;
  readonly section: string;
  readonly countsAsGuess?: true;
}

/** Names the public condition, the section that holds the rule, and whether the failure counts as a guess. */
function hidden(shown: string, section: string, marks: { readonly countsAsGuess?: true } = {}): HiddenCondition {
  return { public: shown, section, ...marks };
}

/**
 * The order is the order of precedence: conditions are checked from top to bottom. The server logs the name of a hidden condition;
 * the client gets the public one.
 */
const catalogue = {
  // -- the request as a whole (RFC 6749 §3.2)
  method_not_allowed: {
    error: "invalid_request",
    status: 405,
    section: "RFC 6749 §3.2",
    description: "This endpoint does not support this HTTP method; the Allow header lists the supported ones.",
    help: "Use a method from the Allow header. The token endpoint accepts only POST, so that no URL contains codes or secrets.",
    page: "method",
  },
  content_type_not_form: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The body must be application/x-www-form-urlencoded in UTF-8.",
    help: "Set Content-Type to application/x-www-form-urlencoded and send the parameters form-encoded in the body. Do not use JSON, multipart or the query string.",
  },
  content_encoding_refused: {
    error: "invalid_request",
    status: 415,
    section: "RFC 9110 §8.4",
    description: "The server does not accept compressed bodies.",
    help: "Send the body without Content-Encoding.",
  },
  body_too_large: {
    error: "invalid_request",
    status: 413,
    section: "RFC 9110 §15.5.14",
    description: "The body is larger than 64 KiB.",
    help: "No valid request needs 64 KiB. Check whether the client sends a wrong value.",
    page: "tooMuch",
  },
  body_too_slow: {
    error: "invalid_request",
    status: 408,
    section: "RFC 9110 §15.5.9",
    description: "The body arrived too slowly.",
    help: "Send the whole request at once. A body must arrive within 5 seconds, plus one second for every 4 KiB. A common cause is a Content-Length that is larger than the body.",
  },
  too_many_parameters: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.2",
    description: "The request has more than 100 parameters.",
    help: "Send only the parameters of this endpoint.",
  },
  parameter_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 Appendix B",
    description: "A parameter is malformed: it must be percent-encoded UTF-8 without control characters.",
    help: "Encode each name and value as application/x-www-form-urlencoded does (URLSearchParams in JavaScript). The server refuses bytes that are not UTF-8, a percent sign without two hex digits, and NUL.",
  },
  parameter_repeated: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1",
    description: "A parameter was sent more than once.",
    help: "Send each parameter once. Only resource may be repeated. A common cause is a URL that already has the parameter in its query.",
  },
  parameter_too_long: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1",
    description: "A parameter is longer than this server accepts.",
    help: "Shorten the value. state may have at most 4,096 characters. Store long data in your session, and send a random key to it as state.",
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
    description: "The client used more than one authentication method; use exactly one.",
    help: "Send the secret either in the Authorization header or as client_secret in the body. Some libraries do both: select one method in their options. client_id in the body must equal client_id in the header.",
  },
  // -- the client (RFC 6749 §2.3)
  invalid_client: {
    error: "invalid_client",
    status: 401,
    section: "RFC 6749 §5.2",
    description: "The client is unknown, or its authentication failed.",
    help: "Check client_id and client_secret. The client must use its registered authentication method: its secret (client_secret_basic or client_secret_post), a JWT that it signed (client_secret_jwt or private_key_jwt), the certificate of its connection (tls_client_auth or self_signed_tls_client_auth), or, for a public client, only client_id. The JWT needs the client as iss and sub, this server's issuer as its only aud, an exp within 5 minutes, and a new jti. If a library sends the URL of the token endpoint as aud, configure the issuer instead. To create a new secret, run: assent client rotate-secret CLIENT_ID. The server's log names the exact cause.",
  },
  client_id_missing: hidden("invalid_client", "RFC 6749 §5.2"),
  client_unknown: hidden("invalid_client", "RFC 6749 §5.2", { countsAsGuess: true }),
  client_disabled: hidden("invalid_client", "RFC 6749 §5.2"),
  client_secret_missing: hidden("invalid_client", "RFC 6749 §2.3.1"),
  client_secret_wrong: hidden("invalid_client", "RFC 6749 §2.3.1", { countsAsGuess: true }),
  client_secret_expired: hidden("invalid_client", "RFC 7591 §3.2.1", { countsAsGuess: true }),
  client_has_no_secret: hidden("invalid_client", "RFC 6749 §2.1"),
  client_method_not_registered: hidden("invalid_client", "RFC 6749 §2.3"),
  client_assertion_incomplete: hidden("invalid_client", "RFC 7521 §4.2"),
  client_assertion_malformed: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_typ_refused: hidden("invalid_client", "RFC 8725 §3.11"),
  client_assertion_subject_wrong: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_audience_wrong: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_out_of_time: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_id_missing: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_alg_refused: hidden("invalid_client", "RFC 8725 §3.1"),
  client_assertion_key_unknown: hidden("invalid_client", "RFC 7523 §3"),
  client_assertion_keys_unavailable: hidden("invalid_client", "RFC 7591 §2"),
  client_assertion_signature_wrong: hidden("invalid_client", "RFC 7523 §3", { countsAsGuess: true }),
  client_assertion_replayed: hidden("invalid_client", "RFC 7523 §3"),
  client_workload_issuer_wrong: hidden("invalid_client", "RFC 7523 §3"),
  client_workload_audience_wrong: hidden("invalid_client", "RFC 7523 §3"),
  client_workload_subject_wrong: hidden("invalid_client", "RFC 7523 §3"),
  client_workload_out_of_time: hidden("invalid_client", "RFC 7523 §3"),
  client_secret_sealed: hidden("invalid_client", "RFC 7518 §3.2"),
  client_certificate_missing: hidden("invalid_client", "RFC 8705 §2"),
  client_certificate_untrusted: hidden("invalid_client", "RFC 8705 §2.1"),
  client_certificate_subject_wrong: hidden("invalid_client", "RFC 8705 §2.1.2"),
  client_certificate_key_unknown: hidden("invalid_client", "RFC 8705 §2.2"),
  basic_malformed: hidden("invalid_client", "RFC 6749 §2.3.1"),
  authorization_scheme_unknown: hidden("invalid_client", "RFC 6749 §5.2"),
  client_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 6585 §4",
    description:
      "Too many authentications of this client from this address have failed; retry after the time in Retry-After.",
    help: "Somebody sent too many wrong secrets for this client from one address. The server still accepts the right secret. Correct the secret, and wait for the time in Retry-After.",
  },
  certificate_needed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8705 §3",
    description: "The tokens of this client are bound to its certificate, and the connection has none.",
    help: "Open the connection with the client's certificate, both to the token endpoint and to the API. A proxy must pass the certificate in the header that the operator configured (RFC 9440).",
  },
  // -- the authorization request (RFC 6749 §4.1.1): these two never go to the client by redirect
  authorization_client_unknown: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.2.4",
    description: "client_id is missing or unknown.",
    help: "Check client_id against the registration (assent client list). The server did not redirect the person, because it trusts only the redirect URIs of known clients.",
    page: "clientUnknown",
  },
  client_document_unusable: {
    error: "invalid_request",
    status: 400,
    section: "draft-ietf-oauth-client-id-metadata-document-02 §5.1",
    description: "The document at the address in client_id can not be used.",
    help: "client_id must be an https address in canonical form that the server accepts (ASSENT_CLIENT_ID_METADATA). It must answer 200 with application/json of at most 10 KiB, without a redirect. The document must name the same client_id, redirect_uris, and none or private_key_jwt as token_endpoint_auth_method. The operator finds the exact cause with assent refusal show and the number of the request.",
    page: "clientUnknown",
  },
  client_documents_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 6585 §4",
    description: "Too many new clients were named; retry after a minute.",
    help: "In one minute, the server fetches at most 30 new client ID metadata documents for one network, and 60 from one host. Clients that the server knows are not affected.",
    page: "tooMuch",
    passes: true,
  },
  redirect_uri_mismatch: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.1.2.4",
    description: "redirect_uri is missing or not registered for the client.",
    help: "redirect_uri is required. The server compares it character by character with the registration: scheme, host, port, path, trailing slash and query must be equal. Only the port of http://127.0.0.1 and http://[::1] may differ. To register it, run: assent client update CLIENT_ID --add-redirect-uri URI.",
    page: "redirectUri",
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
    description: "This server does not support that response_type.",
    help: "Use response_type=code. response_types_supported in the metadata lists the supported values. The operator may have switched off others (ASSENT_GRANT_TYPES).",
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
  request_unsupported: {
    error: "request_not_supported",
    status: 400,
    section: "OpenID Connect Core §6.1",
    description: "The parameter request is not supported.",
    help: "Send the parameters of the authorization request in the query, not in a request object.",
  },
  request_uri_unsupported: {
    error: "request_uri_not_supported",
    status: 400,
    section: "OpenID Connect Core §6.2",
    description: "The parameter request_uri is not supported.",
    help: "Send the parameters of the authorization request in the query. The server fetches no document that a request names.",
  },
  registration_unsupported: {
    error: "registration_not_supported",
    status: 400,
    section: "OpenID Connect Core §7.2.1",
    description: "The parameter registration is not supported.",
    help: "The operator registers each client before its first request. Leave the parameter registration out.",
  },
  // -- PKCE (RFC 7636)
  code_challenge_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7636 §4.4.1",
    description: "code_challenge is missing; this client must use PKCE.",
    help: "Create a code_verifier of 43 to 128 random characters, send code_challenge = BASE64URL(SHA256(code_verifier)) and code_challenge_method=S256, and send the verifier with the token request. Public clients must use PKCE. Confidential clients must use it if their registration says so.",
  },
  code_challenge_method_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7636 §4.3",
    description: "code_challenge_method must be S256.",
    help: "Send code_challenge_method=S256. Without this parameter the method is plain, which gives no protection, so the server refuses it.",
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
    description: "prompt accepts none, login, consent or select_account; none must be the only value.",
    help: "Use one or more of login, consent and select_account, separated by spaces, or none alone.",
  },
  claims_invalid: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §5.5",
    description: "The claims parameter is not a JSON object of the expected form.",
    help: 'Send a JSON object with the members userinfo and id_token. Each has claims by name, and each claim is null or an object with essential, value or values. For example: {"id_token":{"email":null}}',
  },
  nonce_too_long: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "nonce has more than 2,048 characters.",
    help: "Send a random value of 16 to 64 characters, and compare it with the nonce of the ID token.",
  },
  // -- UserInfo (OpenID Connect Core §5.3, RFC 6750 §3.1)
  access_token_invalid: {
    error: "invalid_token",
    status: 401,
    section: "RFC 6750 §3.1",
    description: "The access token is not valid for this endpoint, or has expired.",
    help: "Send an access token of this server as Authorization: Bearer TOKEN. It must not have expired, and its aud must contain the userinfo_endpoint of the metadata: ask for the scope openid. An ID token or a refresh token is no access token.",
  },
  access_token_sent_twice: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6750 §2",
    description: "The access token was sent in more than one way; use exactly one.",
    help: "Send the token only in the Authorization header. Some libraries also add access_token to the body: turn that off.",
  },
  user_info_scope_missing: {
    error: "insufficient_scope",
    status: 403,
    section: "OpenID Connect Core §5.3.1",
    description: "The access token does not have the scope openid.",
    help: "Ask for the scope openid in the authorization request. A token that a client got for itself (client_credentials) is about nobody, so UserInfo has no answer for it.",
  },
  max_age_invalid: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "max_age must be a whole number of seconds.",
    help: "Send max_age as digits, for example 300.",
  },
  // -- acr_values (RFC 9470)
  authentication_unmet: {
    error: "unmet_authentication_requirements",
    status: 400,
    section: "RFC 9470 §5",
    description: "The owner has no sign-in method that is as strong as the request requires.",
    help: "The request's acr_values or the policy of a scope requires more than a password. The owner can set up an authenticator app or a passkey under /account/security. Then send the request again, or require less.",
  },
  // -- scope, resource (RFC 6749 §3.3, RFC 8707)
  scope_missing: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "The parameter scope is missing, and no default scope is set for this client or API.",
    help: 'Name the scopes that the app needs, separated by spaces. scopes_supported in the metadata lists them. An operator can set scopes for requests that name none: assent client update CLIENT_ID --default-scope "SCOPES".',
  },
  scope_malformed: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "scope is not a list of scope names separated by single spaces.",
    help: "Separate the names with single spaces, without quotes or commas. Scope names are case-sensitive.",
  },
  scope_not_allowed: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §3.3",
    description: "A scope is unknown, or the client may not request it.",
    help: "Compare the request with scopes_supported in the metadata and with the scopes that the client is registered for (assent client show CLIENT_ID). To add a scope, run: assent client update CLIENT_ID --add-scope SCOPE.",
  },
  scope_exceeds_grant: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §6",
    description: "scope exceeds the grant.",
    help: "A refresh can request fewer scopes than the grant has, but not more. For more scopes, send the owner to the authorization endpoint again.",
  },
  resource_not_allowed: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2",
    description: "A resource is unknown, or the requested scopes do not belong to it.",
    help: "Send the identifier of the API exactly as the operator registered it, and scopes that belong to it.",
  },
  scopes_of_several_apis: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 6749 §4.2.2.1",
    description: "The scopes belong to several APIs, but response_type=token returns one token for one API.",
    help: "Request the scopes of one API at a time, or use response_type=code and name an API in each token request.",
  },
  resource_needed: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2.2",
    description: "The scopes belong to several APIs; name one of them with resource.",
    help: "An access token is for one API. Send resource with the identifier of that API, and send another request for each other API.",
  },
  resource_exceeds_grant: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8707 §2.2",
    description: "The grant does not cover that resource.",
    help: "Request access to the API at the authorization endpoint first.",
  },
  // -- the owner's answer
  access_denied: {
    error: "access_denied",
    status: 403,
    section: "RFC 6749 §4.1.2.1",
    description: "The owner or this server denied the request.",
    help: "The owner did not allow the app. Let the owner continue without it, or try again later.",
  },
  nothing_grantable: {
    error: "access_denied",
    status: 403,
    section: "RFC 6749 §4.1.2.1",
    description: "The owner may not grant any of these scopes.",
    help: "The scopes need a role that the person does not have. Request other scopes, or let somebody with the role sign in.",
  },
  login_required: {
    error: "login_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "Nobody is signed in, and prompt=none forbids the sign-in page.",
    help: "Repeat the request without prompt=none, in the foreground.",
  },
  sign_in_too_old: {
    error: "login_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "The sign-in is older than max_age or a scope allows, and prompt=none forbids the sign-in page.",
    help: "Repeat the request without prompt=none, in the foreground. The person signs in again.",
  },
  sign_in_too_weak: {
    error: "login_required",
    status: 400,
    section: "RFC 9470 §5",
    description: "The request needs a stronger sign-in, and prompt=none forbids the page for it.",
    help: "Repeat the request without prompt=none, in the foreground. The person uses another factor. acr_values, the parameter claims or a scope asks for it.",
  },
  new_password_needed: {
    error: "login_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "The person must choose a new password first, and prompt=none forbids the page for that.",
    help: "Repeat the request without prompt=none, in the foreground.",
  },
  acr_unreachable: {
    error: "access_denied",
    status: 403,
    section: "OpenID Connect Core §5.5.1.1",
    description: "No sign-in at this server reaches the acr that the parameter claims insists on.",
    help: "acr_values_supported in the metadata lists the levels. Ask for one of them, or without essential.",
  },
  other_person_signed_in: {
    error: "login_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "The person who is signed in is not the one that id_token_hint or the claim sub names.",
    help: "Repeat the request without id_token_hint, and without a value of the claim sub, if anybody may sign in. Without prompt=none, the person gets the sign-in page.",
  },
  consent_required: {
    error: "consent_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "The owner has not consented yet, and prompt=none forbids the consent page.",
    help: "Repeat the request without prompt=none, in the foreground.",
  },
  owner_ambiguous: {
    error: "account_selection_required",
    status: 400,
    section: "OpenID Connect Core §3.1.2.6",
    description: "The person must choose between several owners, and prompt=none forbids the page for that.",
    help: "The person has allowed this client for themselves and for a company, or for several companies. Repeat the request without prompt=none, in the foreground. The person then chooses an owner on the page.",
  },
  // -- the token request (RFC 6749 §5.2)
  unsupported_grant_type: {
    error: "unsupported_grant_type",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "This server does not support that grant_type.",
    help: "grant_types_supported in the metadata lists the grant types of this server. The operator may have switched off others (ASSENT_GRANT_TYPES). Grant types are case-sensitive.",
  },
  grant_type_not_registered: {
    error: "unauthorized_client",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The client is not registered for that grant_type.",
    help: "To register it, run: assent client update CLIENT_ID --add-grant-type GRANT_TYPE. Public clients get refresh tokens only if they are registered for refresh_token.",
  },
  grant_needs_confidential_client: {
    error: "unauthorized_client",
    status: 400,
    section: "RFC 6749 §4.4",
    description: "Only a confidential client may use this grant type.",
    help: "A public client can't authenticate, so it can't get tokens for itself. For an app on a server, register a confidential client. For an app on a person's device, let the person grant access (authorization_code).",
  },
  code_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.3",
    description: "The parameter code is missing.",
    help: "Send the code that the server sent to redirect_uri.",
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
    help: "Send the refresh token of the last token response.",
  },
  username_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.3.2",
    description: "The parameter username is missing.",
    help: "Send the owner's username or e-mail address as the form parameter username.",
  },
  password_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.3.2",
    description: "The parameter password is missing.",
    help: "Send the owner's password as the form parameter password, and don't store it.",
  },
  owner_password_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 6749 §4.3.2",
    description: "Too many sign-ins have failed; retry after the time in Retry-After.",
    help: "The server counts failed sign-ins for the account and for the network address, on the sign-in page and at this endpoint together. Until the time in Retry-After has passed, it refuses even the right password.",
  },
  owner_password_refused: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The username or password is wrong, or this client may not sign in for the owner.",
    help: "Ask the owner to enter both again. If both are right, the owner must change the password, the account is disabled, or the owner revoked their consent. The answer is the same in all cases. The owner can sign in with a browser to see the cause. An owner can renew a revoked consent only with response_type=code.",
  },
  owner_password_wrong: hidden("owner_password_refused", "RFC 6749 §4.3.2"),
  owner_must_change_password: hidden("owner_password_refused", "RFC 6749 §4.3.2"),
  owner_consent_revoked: hidden("owner_password_refused", "RFC 6749 §5.2"),
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
    help: "Send code_challenge with the authorization request. If your app sent it, somebody removed it from the request. The server has invalidated the code.",
  },
  invalid_grant: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §5.2",
    description:
      "The code or refresh token is invalid, expired, used, revoked or issued to another client, or redirect_uri or code_verifier is wrong.",
    help: "A code is valid for 60 seconds and works once, with the redirect_uri of the authorization request and the verifier of its challenge. If a code was used twice, the server ended its grant: look for a callback that runs twice (React's StrictMode, a reloaded page, two servers behind one address). A refresh token ends with its consent, and after a time without use. If tokens rotate, it also ends when its successor is used. Send the owner to the authorization endpoint again. A device code gives tokens once. If the response was lost, the device must request a new code.",
  },
  code_unknown: hidden("invalid_grant", "RFC 6749 §5.2"),
  code_replayed: hidden("invalid_grant", "RFC 6749 §4.1.2"),
  code_redirect_uri_differs: hidden("invalid_grant", "RFC 6749 §4.1.3"),
  code_verifier_wrong: hidden("invalid_grant", "RFC 7636 §4.6"),
  code_verifier_missing: hidden("invalid_grant", "RFC 7636 §4.6"),
  refresh_token_unknown: hidden("invalid_grant", "RFC 6749 §5.2"),
  refresh_token_ended: hidden("invalid_grant", "RFC 6749 §5.2"),
  refresh_token_of_other_client: hidden("invalid_grant", "RFC 6749 §10.4"),
  refresh_token_replayed: hidden("invalid_grant", "RFC 9700 §4.14.2"),
  refresh_state_lost: hidden("invalid_grant", "RFC 6749 §5.2"),
  offline_access_ended: hidden("invalid_grant", "OpenID Connect Core §11"),
  scopes_all_ended: hidden("invalid_grant", "RFC 6749 §6"),
  token_of_other_client: hidden("invalid_grant", "RFC 7009 §2.1"),
  // -- the device flow (RFC 8628 §3.5)
  device_requests_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 8628 §5.1",
    description: "Too many devices are waiting for their owners; retry after the time in Retry-After.",
    help: "A client may have 1,000 pending requests from one network, and 20,000 in all. Request a code when somebody wants to connect the device, not at each start. Request another one only when the last one has expired.",
  },
  device_code_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8628 §3.4",
    description: "The parameter device_code is missing.",
    help: "Send the device_code of the device authorization response. The user_code is only for the person.",
  },
  authorization_pending: {
    error: "authorization_pending",
    status: 400,
    section: "RFC 8628 §3.5",
    description: "The owner has not answered yet; poll again after the interval.",
    help: "This is not a failure. Wait as many seconds as interval says, then poll again. Repeat this until you get another answer.",
  },
  slow_down: {
    error: "slow_down",
    status: 400,
    section: "RFC 8628 §3.5",
    description: "The owner has not answered yet, and the poll was too early; add 5 seconds to the interval.",
    help: "Add 5 seconds to the interval for this and all later polls. The server now expects the longer interval. Each further poll that comes too early adds 5 more seconds.",
  },
  device_denied: {
    error: "access_denied",
    status: 400,
    section: "RFC 8628 §3.5",
    description: "The owner or this server denied the request.",
    help: "The owner did not allow the device, or may not grant these scopes. Stop polling, and offer to start again.",
  },
  device_code_expired: {
    error: "expired_token",
    status: 400,
    section: "RFC 8628 §3.5",
    description: "The device_code has expired before the owner allowed the device.",
    help: "Stop polling. Request a new code when the person wants to try again.",
  },
  device_code_unknown: hidden("invalid_grant", "RFC 8628 §3.5"),
  device_code_spent: hidden("invalid_grant", "RFC 8628 §3.5"),
  device_approval_ended: hidden("invalid_grant", "RFC 8628 §3.5"),
  // -- grant types of an embedder's own (RFC 6749 §4.5)
  custom_parameter_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.5",
    description: "A required parameter of this grant type is missing.",
    help: "The operator of the server added this grant type. The operator's documentation says which parameters it needs. The server's log names the missing one.",
  },
  custom_grant_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.5",
    description: "The server can't read a parameter of this grant type.",
    help: "The operator of the server added this grant type. The operator's documentation says what its parameters contain. The server's log may say more.",
  },
  custom_grant_refused: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 6749 §4.5",
    description: "The server does not accept the parameters of this grant type.",
    help: "The operator of the server added this grant type. Possible causes: a parameter is wrong, expired or already used; the owner does not exist; or the owner revoked their consent to the app. The server's log names the cause.",
  },
  // -- claims of a configuration (OpenID Connect Core §5.1.2)
  custom_claims_failed: {
    error: "server_error",
    status: 500,
    section: "OpenID Connect Core §5.1.2",
    description: "The server could not get the claims of a scope that the operator added.",
    help: "The operator of the server added claims to a scope, and the code that gives them failed. The server's log names the scope and the kind of failure. The request used up no code, so you can repeat it.",
  },
  // -- the operator's policy about tokens
  issue_policy_denied: {
    error: "access_denied",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "A policy of this server refuses this token.",
    help: "The operator of the server has rules about tokens. The server's log has the reason that they give. The request used up no code and no refresh token, so you can repeat it when the rule allows it.",
  },
  issue_policy_failed: {
    error: "server_error",
    status: 500,
    section: "RFC 6749 §5.2",
    description: "The server could not ask its policy about this token.",
    help: "The operator of the server added a policy about tokens, and its code failed. The server's log names the kind of failure. The request used up no code and no refresh token, so you can repeat it.",
  },
  sign_in_policy_denied: {
    error: "access_denied",
    status: 403,
    section: "RFC 6749 §4.1.2.1",
    description: "A policy of this server refuses this sign-in.",
    help: "The operator of the server has rules about sign-ins. The server's log has the reason that they give. Let the person ask whoever runs the server.",
    page: "signInRefused",
  },
  sign_in_policy_too_weak: {
    error: "access_denied",
    status: 403,
    section: "RFC 9470 §5",
    description: "A policy of this server requires a stronger sign-in, and the person has no factor for it.",
    help: "The operator of the server has rules about sign-ins. The person needs an authenticator app or a passkey, and has set up none that is strong enough. Let the person ask whoever runs the server.",
    page: "signInTooWeak",
  },
  sign_in_policy_failed: {
    error: "server_error",
    status: 500,
    section: "RFC 6749 §4.1.2.1",
    description: "The server could not ask its policy about this sign-in.",
    help: "The operator of the server added a policy about sign-ins, and its code failed. The server's log names the kind of failure. Nobody was signed in.",
    page: "signInUnchecked",
    passes: true,
  },
  // -- assertions as grants (RFC 7521 §4.1): the client learns only that the assertion was refused; the log has the
  // reason
  assertion_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 7521 §4.1",
    description: "The parameter assertion is missing.",
    help: "Send the issuer's assertion as the form parameter assertion: a signed JWT for jwt-bearer, the base64url of a SAML assertion for saml2-bearer.",
  },
  assertion_refused: {
    error: "invalid_grant",
    status: 400,
    section: "RFC 7521 §4.1.1",
    description: "The assertion is not accepted.",
    help: "The assertion must come from an issuer that the operator trusts (assent issuer list), and its registered key must sign it. It must name this server as audience, and an owner that the issuer may name. Its lifetime must be within the issuer's limit, and it works once. A JWT needs iss, aud (this server's issuer), sub, exp and jti. A SAML assertion needs Issuer, AudienceRestriction, a bearer SubjectConfirmation with this token endpoint as its Recipient and a NotOnOrAfter, and ID. An owner who revoked their consent to the app can renew it only at the authorization endpoint. The server's log names the cause.",
  },
  assertion_malformed: hidden("assertion_refused", "RFC 7521 §4.1"),
  assertion_type_refused: hidden("assertion_refused", "RFC 8725 §3.11"),
  assertion_issuer_unknown: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_client_not_allowed: hidden("assertion_refused", "RFC 7521 §4.1"),
  assertion_algorithm_refused: hidden("assertion_refused", "RFC 8725 §3.1"),
  assertion_key_unknown: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_keys_unavailable: hidden("assertion_refused", "RFC 7517 §5"),
  assertion_signature_wrong: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_audience_wrong: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_condition_unknown: hidden("assertion_refused", "RFC 7522 §3"),
  assertion_confirmation_wrong: hidden("assertion_refused", "RFC 7522 §3"),
  assertion_expired: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_not_yet_valid: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_lifetime_too_long: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_id_missing: hidden("assertion_refused", "RFC 7523 §3"),
  assertion_subject_missing: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_subject_not_allowed: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_subject_unknown: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_email_unverified: hidden("assertion_refused", "RFC 7521 §5.2"),
  assertion_owner_disabled: hidden("assertion_refused", "RFC 7521 §4.1"),
  assertion_replayed: hidden("assertion_refused", "RFC 7521 §8.2"),
  assertion_of_another_client: hidden("assertion_refused", "ID-JAG §4.4.1"),
  assertion_claim_unsupported: hidden("assertion_refused", "ID-JAG §4.4.1"),
  assertion_tenant_wrong: hidden("assertion_refused", "ID-JAG §6.1"),
  assertion_owner_outside_company: hidden("assertion_refused", "ID-JAG §4.4.1"),
  assertion_app_not_approved: hidden("assertion_refused", "ID-JAG §4.4.1"),
  assertion_consent_revoked: hidden("assertion_refused", "RFC 7521 §4.1"),
  // -- token exchange (RFC 8693 §2.2.2): the client learns only that a token was refused; the log has the reason
  subject_token_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "The parameter subject_token is missing.",
    help: "Send the token of the person or company for whom the new token is, in the parameter subject_token.",
  },
  subject_token_type_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "The parameter subject_token_type is missing.",
    help: "Say what kind of token subject_token is, for example urn:ietf:params:oauth:token-type:access_token.",
  },
  exchange_not_allowed: {
    error: "unauthorized_client",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "The operator has not said which tokens this client may exchange.",
    help: "An operator says which kinds of tokens the client may present, and the APIs and scopes for which it gets tokens: assent client exchange CLIENT_ID --help.",
  },
  subject_token_type_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §3",
    description: "This server does not exchange tokens of that subject_token_type.",
    help: "Send urn:ietf:params:oauth:token-type: and access_token, refresh_token, id_token (all of this server) or jwt (of a trusted issuer). It must be the kind that the token really is.",
  },
  subject_token_type_not_allowed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "This client may not exchange tokens of that subject_token_type.",
    help: "An operator allows a kind of token with: assent client exchange CLIENT_ID --add-subject KIND.",
  },
  requested_token_type_unsupported: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "This server does not issue that requested_token_type for this API.",
    help: "Leave requested_token_type out, or send urn:ietf:params:oauth:token-type:access_token. The type jwt works for APIs whose tokens are JWTs. An exchange gives no refresh token and no ID token.",
  },
  subject_token_refused: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "The subject token is not accepted.",
    help: "The token must be of the kind that subject_token_type says, valid for some seconds more, and still in force: a token whose access was removed or paused can't be exchanged. An access token must be about a person or company, and for an API that the operator named as a source (assent client show CLIENT_ID). A refresh token must be the newest one of this client, an ID token must be for this client, and its owner must still allow the client. A JWT must come from an issuer that the operator trusts for token exchange (assent issuer update ISSUER --token-exchange), and works once. The server's log names the cause.",
  },
  actor_token_incomplete: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "actor_token and actor_token_type must be sent together.",
    help: "Send both, or neither. Without an actor token, the client itself is the actor.",
  },
  actor_token_refused: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "The actor token is not accepted.",
    help: "Send an access token that the client got for itself (client_credentials), with actor_token_type urn:ietf:params:oauth:token-type:access_token. For the token of another client, an operator must have named that client: assent client exchange CLIENT_ID --add-actor OTHER_CLIENT_ID. The server's log names the cause.",
  },
  exchange_actor_not_named: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §4.4",
    description: "The claim may_act of the subject token does not name this actor.",
    help: "may_act limits who may act for the subject. Its sub must be the client_id of the actor, and its iss, if there is one, the issuer of this server.",
  },
  exchange_proof_missing: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8705 §3",
    description: "A presented token is bound to a certificate that the connection does not have.",
    help: "Only the holder of the key can exchange a bound token. Open the connection with the certificate that the claim cnf of the token names.",
  },
  exchange_chain_too_long: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8693 §4.1",
    description: "Too many clients act one through the other; at most five may.",
    help: "Each exchange adds the actor to the claim act. Exchange a token that is nearer to the owner.",
  },
  exchange_one_audience: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "An access token is for one API; name only one with audience or resource.",
    help: "Send one request for each API.",
  },
  exchange_audience_not_allowed: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "This client may not exchange tokens for tokens of that API.",
    help: "An operator allows an API with: assent client exchange CLIENT_ID --add-audience API.",
  },
  cross_app_not_connected: {
    error: "invalid_target",
    status: 400,
    section: "RFC 8693 §2.2.2",
    description: "This client is not connected with that server for this person.",
    help: "The parameter audience names the issuer of the other authorization server, once. An operator connects the app with: assent client connect CLIENT_ID --audience ISSUER --client-id-there ID --scope SCOPES. A connection for a company is for its members.",
  },
  exchange_scope_not_allowed: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "A scope is unknown, or this client may not get it by token exchange.",
    help: 'An operator allows scopes with: assent client exchange CLIENT_ID --add-scope "SCOPES". Scopes about a sign-in, such as openid, and scopes that need a role can never be exchanged.',
  },
  exchange_scope_exceeds_grant: {
    error: "invalid_scope",
    status: 400,
    section: "RFC 8693 §2.1",
    description: "The owner did not grant that scope to the app of the subject token, nor to this client.",
    help: "The new token can have the scopes that the owner granted to the app whose token was presented. For the API of that token, it can have only the scopes of the token. For more, this client needs the owner's own consent: send the owner to the authorization endpoint with the client_id of this client and the scope, then repeat the exchange.",
  },
  unsupported_token_type: {
    error: "unsupported_token_type",
    status: 400,
    section: "RFC 7009 §2.2.1",
    description: "Access tokens cannot be revoked; they expire. Revoke the refresh token instead.",
    help: "An access token works for some minutes, and APIs verify it without this server. If you revoke the refresh token, the grant ends and the client gets no new access tokens.",
  },
  logout_token_invalid: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Back-Channel Logout §2.8",
    description: "The logout token is not valid here, or cannot be verified now.",
    help: "This is for a provider at which people sign in to this server. Send logout_token to the address that this server gave you, signed by a key of the jwks_uri in your metadata with ES256, ES384, PS256, PS384, RS256 or EdDSA. It needs iss, aud (only this server's client ID at the provider), iat of the last 10 minutes, exp, jti, events, and sub or sid, and no nonce. Each jti works once. The log of this server has the reason.",
  },
  upstream_change_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The parameter change or subject is missing or not valid.",
    help: "Send change with disabled, enabled, deleted or signed_out, and subject with the ID that the person has in your system: 1 to 255 characters. For people of a sign-in provider, send its ID as provider.",
  },
  upstream_change_not_allowed: {
    error: "unauthorized_client",
    status: 403,
    section: "RFC 6749 §5.2",
    description: "The client may not tell of changes to these people.",
    help: "For people of a sign-in provider, run: assent provider update PROVIDER_ID --change-client CLIENT_ID. For people of your application, name the client in people.changes of assent.config.ts.",
  },
  external_sign_in_not_allowed: {
    error: "unauthorized_client",
    status: 403,
    section: "RFC 6749 §5.2",
    description: "The client may not read or answer sign-in challenges.",
    help: "Name the client in externalSignIn.clients of assent.config.ts, and restart the server.",
  },
  external_challenge_unknown: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The challenge is missing, was changed, or is not from this server.",
    help: "Send the parameter challenge exactly as your page got it. URLSearchParams in JavaScript encodes it.",
  },
  external_challenge_expired: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "The challenge is more than ten minutes old, or the app's request can't go on.",
    help: "Let the person begin again: link to the app, or to /login of this server.",
  },
  external_challenge_answered: {
    error: "invalid_request",
    status: 409,
    section: "RFC 6749 §5.2",
    description: "The challenge has another answer already, or its answer was used.",
    help: "The first answer counts. The same answer can be sent again until the browser comes back with it. Let the person begin again.",
  },
  external_answer_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §5.2",
    description: "A parameter of the answer is missing, unknown or not valid.",
    help: "To accept, send subject (1 to 255 characters) and auth_time (whole seconds since 1970), and if you like acr, amr, name, preferred_username, email (254 characters each) and email_verified (true or false, beside email). To reject, send error with access_denied or cancelled. The server's log names the parameter.",
  },
  external_auth_time_not_accepted: {
    error: "invalid_request",
    status: 400,
    section: "OpenID Connect Core §3.1.2.1",
    description: "auth_time is in the future, or before auth_time_min of the challenge.",
    help: "If the person signed in at your page before auth_time_min, ask them to sign in again before you accept. If the time is right, compare the clocks of both servers: 60 seconds are tolerated.",
  },
  external_level_not_allowed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 9470 §3",
    description: "Your page may not say this acr or amr.",
    help: "Send a level of externalSignIn.acrValues and proofs of externalSignIn.amrValues in assent.config.ts: by default the level 1fa, and the values of RFC 8176.",
  },
  unknown_tokens_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 7662 §4",
    description:
      "The client sent too many unknown tokens; retry after the time in Retry-After. Valid tokens still work.",
    help: "A client can introspect and revoke only its own tokens. In one minute, it sent more than 300 tokens that were unknown, had ended, or belonged to another client. The server still introspects and revokes valid tokens. It refuses others until the minute is over.",
  },
  // -- pages and paths
  not_found: {
    error: "not_found",
    status: 404,
    section: "RFC 9110 §15.5.5",
    description: "There is nothing at this address.",
    help: "The metadata at /.well-known/oauth-authorization-server lists every endpoint.",
    page: "notFound",
  },
  invitation_unknown: {
    error: "not_found",
    status: 404,
    section: "RFC 9110 §15.5.5",
    description: "The invitation does not exist or has expired.",
    help: "An invitation to a company works once, within seven days, and only for the invited person. Ask an admin of the company for a new one.",
    page: "invitation",
  },
  form_cross_site: {
    error: "forbidden",
    status: 403,
    section: "RFC 6749 §10.12",
    description: "The form came from a page of another site.",
    help: "The server accepts these forms only from its own pages. The browser proves this with Sec-Fetch-Site: same-origin, or with Origin. Send people to the page with a link, and let them submit its form. To begin an authorization, use the authorization endpoint.",
    page: "foreignForm",
  },
  form_token_invalid: {
    error: "forbidden",
    status: 403,
    section: "RFC 6749 §10.12",
    description: "The form does not belong to this browser session: it was sent before, or it was open for too long.",
    help: "Check whether the change is already made. If not, open the page again and send its form. The form contains a token for the browser's session. The token is missing or belongs to another session, or cookies are switched off.",
    page: "form",
  },
  interaction_unknown: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §10.12",
    description: "This sign-in was started in another browser, or the request was changed.",
    help: "A page of an authorization request works only in the browser that started it. Start again from the app.",
    page: "cutOff",
  },
  interaction_expired: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §10.12",
    description: "This sign-in was started more than an hour ago.",
    help: "Start again from the app.",
    page: "expired",
  },
  interaction_finished: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §4.1.2",
    description: "This request has already been answered.",
    help: "Go back to the app, which has the answer. To change what you allowed, open the page of your apps.",
    page: "finished",
  },
  too_early: {
    error: "invalid_request",
    status: 425,
    section: "RFC 8470 §5.2",
    description: "Send the request again, not as early data.",
    help: "The request came as TLS early data, which can be replayed. Send it again after the handshake.",
  },
  insecure_transport: {
    error: "invalid_request",
    status: 400,
    section: "RFC 6749 §3.2",
    description: "The request came over http; this server accepts only https.",
    help: "Use the https URL of the metadata. The proxy in front of the server reported a request without TLS, so the server did not process it.",
  },
  // -- the admin API (RFC 6750 §3.1, RFC 9110, RFC 9457)
  // -- clients that register themselves (RFC 7591 §3.2.2, RFC 7592 §2)
  initial_access_token_missing: {
    error: "invalid_token",
    status: 401,
    section: "RFC 7591 §3",
    description: "Clients need an initial access token to register here.",
    help: "Ask the operator of the server for an initial access token, and send it as Authorization: Bearer TOKEN. assent registration create-token makes one.",
  },
  initial_access_token_invalid: {
    error: "invalid_token",
    status: 401,
    section: "RFC 7591 §3",
    description: "The initial access token is unknown, has expired, is used up or was revoked.",
    help: "An initial access token registers a limited number of clients (--uses) until it expires (--expires). assent registration list shows how often each one was used. An access token or a registration access token is no initial access token.",
  },
  registration_access_token_missing: {
    error: "invalid_token",
    status: 401,
    section: "RFC 7592 §2",
    description: "The request has no registration access token.",
    help: "Send the registration_access_token that the client got when it registered, as Authorization: Bearer TOKEN.",
  },
  registration_access_token_invalid: {
    error: "invalid_token",
    status: 401,
    section: "RFC 7592 §2.1",
    description:
      "The registration access token does not belong to this client, or the client can not change itself any more.",
    help: "Use registration_client_uri and registration_access_token from one registration. The client may have been deleted because no owner answered it for 30 days, or an operator may have disabled it. Then register again.",
  },
  registration_redirect_uri_invalid: {
    error: "invalid_redirect_uri",
    status: 400,
    section: "RFC 7591 §3.2.2",
    description: "One of the redirect URIs can not be registered; the member errors says why.",
    help: "redirect_uris is a list of 1 to 20 absolute URIs without a fragment or a wildcard. Use https. A native application (application_type) may also use http://127.0.0.1, http://[::1], http://localhost, and schemes such as com.example.app:. The operator can limit the hosts (ASSENT_REGISTRATION_REDIRECT_HOSTS).",
  },
  registration_metadata_invalid: {
    error: "invalid_client_metadata",
    status: 400,
    section: "RFC 7591 §3.2.2",
    description: "The client metadata is not valid here; the member errors names each problem.",
    help: "Send one JSON object as application/json in UTF-8, of at most 64 KiB, without a member twice. The member errors of the response names each member and its problem. grant_types and response_types must fit together, and the operator decides which grant types and scopes are allowed. An update must have the client_id, and can't change between a public and a confidential client.",
  },
  software_statement_invalid: {
    error: "invalid_software_statement",
    status: 400,
    section: "RFC 7591 §3.2.2",
    description: "The software statement is not valid.",
    help: "software_statement is a JWT of at most 8,000 characters, signed with a public key algorithm (never none or HMAC) by a key of its iss. Its exp must not have passed. It must have a software_id, and a software_id in the request must be the same. Its aud, if any, must name this server. The operator finds the exact cause with assent refusal show and the number of the request.",
  },
  software_statement_unapproved: {
    error: "unapproved_software_statement",
    status: 400,
    section: "RFC 7591 §3.2.2",
    description: "The issuer of the software statement is not approved here.",
    help: "The operator names the issuers whose statements count in ASSENT_REGISTRATION_STATEMENT_ISSUERS. Each must be a trusted issuer of the type jwt that is active (assent issuer list).",
  },
  registrations_throttled: {
    error: "temporarily_unavailable",
    status: 429,
    section: "RFC 6585 §4",
    description: "Too many clients registered, or one changed too often; retry later.",
    help: "In one hour, 10 clients can register from one network, and 1,000 in all, and a client can change itself 60 times. Register once and keep the client_id. For more clients, ask the operator for an initial access token.",
  },
  access_token_missing: {
    error: "invalid_request",
    status: 401,
    section: "RFC 6750 §3.1",
    description: "The request has no access token.",
    help: "Send an access token for the admin API as Authorization: Bearer TOKEN. assent admin create-token makes one; apps get one for the resource ISSUER/admin/api/v1.",
  },
  admin_token_invalid: {
    error: "invalid_token",
    status: 401,
    section: "RFC 6750 §3.1",
    description: "The access token is not valid for the admin API, was revoked, or has expired.",
    help: "The token's aud must be exactly ISSUER/admin/api/v1: send resource=ISSUER/admin/api/v1 in the token request. A token also ends when its client is disabled, its person is disabled or deleted, or its grant has ended.",
  },
  admin_scope_missing: {
    error: "insufficient_scope",
    status: 403,
    section: "RFC 6750 §3.1",
    description: "The access token does not have the scope that this operation needs.",
    help: "The WWW-Authenticate header names the scope. A person's token has it only while the person has a role that may grant it, and a client's token only while the client has it as own_scope.",
  },
  admin_authority_exceeded: {
    error: "access_denied",
    status: 403,
    section: "RFC 9110 §15.5.4",
    description: "Only an operator with the scope admin may do this.",
    help: "A narrower token can't change operators, give roles, mark clients as first-party, verified or reviewed, or give a client scopes of the admin API that the token does not have. Use a token with the scope admin.",
  },
  record_unknown: {
    error: "not_found",
    status: 404,
    section: "RFC 9110 §15.5.5",
    description: "There is no such record, or no such operation.",
    help: "Check the address, and the id in it: identifiers with reserved characters must be percent-encoded. The operations are in ISSUER/admin/api/v1/openapi.json.",
  },
  content_type_not_json: {
    error: "invalid_request",
    status: 415,
    section: "RFC 9110 §15.5.16",
    description: "The body must be application/json in UTF-8, or the type that the operation names.",
    help: "Set Content-Type to application/json. For a PATCH, application/merge-patch+json is accepted, too; an import takes application/x-ndjson.",
  },
  json_malformed: {
    error: "invalid_request",
    status: 400,
    section: "RFC 8259 §4",
    description:
      "The body is not one JSON object, is nested too deeply, has a name twice, or has a character that can't be stored.",
    help: "Send one JSON object in UTF-8. No object may have the same name twice, objects may be 16 levels deep, and texts must not contain U+0000 or unpaired surrogates.",
  },
  field_invalid: {
    error: "invalid_request",
    status: 400,
    section: "RFC 9110 §15.5.1",
    description: "A field or a parameter is invalid; the member errors names each one.",
    help: "Read the member errors of the response: each entry has a field and a problem. Unknown fields are refused, and so are fields that only the server sets, such as id and created_at.",
  },
  cursor_invalid: {
    error: "invalid_request",
    status: 400,
    section: "RFC 9110 §15.5.1",
    description: "The value of after is not a cursor of this list.",
    help: "Send next of the previous page unchanged, with the same filters and sort. If the server's secret was replaced, begin again without after.",
  },
  precondition_missing: {
    error: "precondition_required",
    status: 428,
    section: "RFC 6585 §3",
    description: "This operation needs If-Match with the ETag of the record.",
    help: "Read the record first, and send its ETag as If-Match. So nobody overwrites a change that they have not seen.",
  },
  record_changed: {
    error: "precondition_failed",
    status: 412,
    section: "RFC 9110 §13.1.1",
    description: "The record is not the one that If-Match names: somebody has changed it.",
    help: "Read the record again, repeat your change on it, and send the new ETag.",
  },
  record_exists: {
    error: "conflict",
    status: 409,
    section: "RFC 9110 §15.5.10",
    description: "There is such a record already; the member errors names the field.",
    help: "Use another value, or change the existing record.",
  },
  record_in_use: {
    error: "conflict",
    status: 409,
    section: "RFC 9110 §15.5.10",
    description: "Other records belong to this one; the member errors names them.",
    help: "Delete or move the other records first.",
  },
  record_conflict: {
    error: "conflict",
    status: 409,
    section: "RFC 9110 §15.5.10",
    description: "The state of the record does not allow this now; the member errors says why.",
    help: "Read the record again. If several programs change it at the same time, repeat the request.",
  },
  idempotency_key_invalid: {
    error: "invalid_request",
    status: 400,
    section: "draft-ietf-httpapi-idempotency-key-header-07 §2.1",
    description: "The Idempotency-Key must have 1 to 200 printable ASCII characters.",
    help: "Send a random value, for example a UUID, as Idempotency-Key. The header works with POST.",
  },
  idempotency_key_reused: {
    error: "invalid_request",
    status: 422,
    section: "draft-ietf-httpapi-idempotency-key-header-07 §2.7",
    description: "This Idempotency-Key was used for another request.",
    help: "Use a new key for each request. A repetition must have the same method, address and body.",
  },
  idempotency_key_unfinished: {
    error: "conflict",
    status: 409,
    section: "draft-ietf-httpapi-idempotency-key-header-07 §2.7",
    description: "A request with this Idempotency-Key is under way, or ended without a known result.",
    help: "Wait, and repeat the request. If this response stays, the server stopped meanwhile: look whether the record exists, and use a new key.",
  },
  idempotency_keys_full: {
    error: "invalid_request",
    status: 429,
    section: "RFC 6585 §4",
    description: "Too many requests of the last 24 hours had an Idempotency-Key.",
    help: "The server keeps 10,000 keys of each caller for 24 hours. Send fewer requests with a key.",
  },
  // -- the server itself
  temporarily_unavailable: {
    error: "temporarily_unavailable",
    status: 503,
    section: "RFC 6749 §4.1.2.1",
    description: "The server is temporarily unavailable; retry after the time in Retry-After.",
    help: "The database does not respond, or the server is overloaded or stopping. Repeat the request after the time in Retry-After. You can safely repeat a refresh.",
    page: "unavailable",
    passes: true,
  },
  server_error: {
    error: "server_error",
    status: 500,
    section: "RFC 6749 §4.1.2.1",
    description: "The server had an internal error.",
    help: "The server's log has the cause. Search it for the value of the response's X-Request-Id header.",
    page: "fault",
    passes: true,
  },
} satisfies Record<string, Condition | HiddenCondition>;

export type ConditionName = keyof typeof catalogue;

/** Every condition in full: a hidden one gets everything except its section from its public one. */
export const conditions = complete(catalogue);

function complete(
  all: Readonly<Record<string, Condition | HiddenCondition>>,
): Readonly<Record<ConditionName, Condition>> {
  const entries = Object.entries(all).map(([name, condition]) => {
    const shown = condition.public === undefined ? undefined : all[condition.public];
    return [name, Object.freeze({ ...shown, ...condition })];
  });
  return Object.freeze(Object.fromEntries(entries) as Record<ConditionName, Condition>);
}

/** A named refusal. `detail` is for the log only and never reaches a client. */
export class OAuthError extends Error {
  readonly condition: ConditionName;
  readonly detail: string | undefined;
  /** Seconds after which another try makes sense. Undefined: unknown. */
  readonly retryAfter: number | undefined;
  /** What the operator's policy says to the person, on the page alone. Undefined: the server's own text. */
  readonly told: string | undefined;

  constructor(condition: ConditionName, detail?: string, retryAfter?: number, told?: string) {
    super(condition);
    this.told = told;
    this.name = "OAuthError";
    this.condition = condition;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

/** Refuses the current request. `retryAfter`: in seconds. */
export function refuse(condition: ConditionName, detail?: string, retryAfter?: number): never {
  throw new OAuthError(condition, detail, retryAfter);
}

/** The condition that a client may learn of. */
export function publicCondition(name: ConditionName): ConditionName {
  return (conditions[name].public as ConditionName | undefined) ?? name;
}

/**
 * What a client reads (RFC 6749 §5.2): the members of the JSON body or of the redirect's query. `requestId`: the number
 * with which an operator finds this refusal; null for a response that many requests share.
 */
export function errorParameters(
  name: ConditionName,
  issuer: string,
  requestId: string | null,
): { error: string; error_description: string; error_uri: string } {
  const shown = publicCondition(name);
  const { error, description } = conditions[shown];
  return { error, error_description: description, error_uri: errorUri(shown, issuer, requestId) };
}

/** The page of a public condition. The number says nothing but which request it was. */
export function errorUri(shown: ConditionName, issuer: string, requestId: string | null): string {
  return `${issuer}/errors/${shown}${requestId === null ? "" : `?id=${requestId}`}`;
}

/** The conditions that have a page at `/errors/{condition}`. */
export function publicConditions(): readonly ConditionName[] {
  return (Object.keys(conditions) as ConditionName[]).filter((name) => publicCondition(name) === name);
}
