/**
 * Client metadata: the members of a registration, and the fields of the client's record that they set (RFC 7591 §2).
 */

import { authenticationMethods } from "../client-authentication/index.ts";
import { canonicalName } from "../distinguished-name.ts";
import { readRegisteredKeys } from "../foreign-jwk-set.ts";
import { type GrantRegistry, grantRegistry, grantTypes, RESPONSE_TYPES } from "../grants/registry.ts";
import type { Client, ClientAuthMethod, TlsSubject } from "../model.ts";
import { displayTextProblem } from "../names/display-name.ts";
import { ID_TOKEN_ALGS } from "../openid/metadata.ts";
import { redirectUriProblem, webUriProblem } from "../redirect-uri.ts";
import { isScopeName } from "../scope.ts";
import { tokenExchange } from "../token-exchange/index.ts";

export const MAX_REDIRECT_URIS = 20;
export const MAX_NAME = 120;
export const MAX_SCOPES = 200;
/** Maximum size of a JWK Set in JSON. */
export const MAX_JWKS_BYTES = 65_536;
/** Maximum length of every list in a registration, because each entry may cause a problem to report. */
const MAX_LIST = 100;

export const AUTH_METHODS: readonly ClientAuthMethod[] = authenticationMethods;

/** Grant types that give refresh tokens. Grant types of an embedder never do. */
const REFRESHABLE: ReadonlySet<string> = new Set(
  grantTypes.flatMap(({ grantType, refreshable }) => (refreshable ? [grantType] : [])),
);

/** What is wrong with `refresh_token` among the grant types of a client. Undefined: nothing, or it is not there. */
export function refreshProblem(registered: readonly string[]): string | undefined {
  if (!registered.includes("refresh_token") || registered.some((name) => REFRESHABLE.has(name))) return undefined;
  return "refresh_token has no effect, because no other grant type of this client gives refresh tokens: leave it out, or add one such as authorization_code";
}

/** Grant types for which a client must authenticate. */
const FOR_CONFIDENTIAL = [
  ["client_credentials", "RFC 6749 §4.4"],
  [tokenExchange.grantType, "RFC 8693 §2.1"],
] as const;

/** Response types with the grant type of each (§2.1). */
const GRANT_OF: ReadonlyMap<string, string> = new Map(Object.entries(RESPONSE_TYPES));

/** A registration as it was sent. Unknown members are ignored (§2). */
export type ClientMetadata = Readonly<Record<string, unknown>>;

/** The values of members that a registration leaves out. */
export interface RegistrationDefaults {
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly grant_types: readonly string[];
}

/** §2: `client_secret_basic` and `authorization_code`. */
export const RFC_DEFAULTS: RegistrationDefaults = {
  token_endpoint_auth_method: "client_secret_basic",
  grant_types: ["authorization_code"],
};

/** The grant types that can be registered. */
export interface Registrable {
  readonly grants: GrantRegistry;
  /** The present grant types of the client: if one is switched off or gone, other changes are still possible. */
  readonly had: readonly string[];
  /** The present names of the client: a name that stays is not judged by newer rules. */
  readonly called?: Pick<Client, "name" | "names">;
}

/** The part of a client's record that its registration sets. */
export type RegisteredFields = Pick<
  Client,
  | "name"
  | "type"
  | "redirectUris"
  | "grantTypes"
  | "responseTypes"
  | "scopes"
  | "authMethod"
  | "jwks"
  | "jwksUri"
  | "tlsSubject"
  | "certificateBound"
  | "idTokenAlg"
  | "postLogoutRedirectUris"
  | "backchannelLogoutUri"
  | "backchannelLogoutSessionRequired"
  | "clientUri"
  | "policyUri"
  | "tosUri"
  | "names"
  | "optionalScopes"
>;

/** A problem with one member. `error` is the code of §3.2.2. */
export interface MetadataProblem {
  readonly field: string;
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  /** A text for the person who registers: what is wrong, and what would be right. */
  readonly problem: string;
}

export type Registration =
  | { readonly kind: "valid"; readonly fields: RegisteredFields }
  | { readonly kind: "invalid"; readonly problems: readonly MetadataProblem[] };

/**
 * Reads a registration, and reports all problems at once. It checks only the form of scopes, because storage knows
 * which ones exist. The client is confidential or public by its way of authentication (RFC 6749 §2.1).
 */
export function readRegistration(
  metadata: ClientMetadata,
  defaults: RegistrationDefaults = RFC_DEFAULTS,
  registrable: Registrable = { grants: grantRegistry(), had: [] },
): Registration {
  const reader = new Reader(metadata, registrable);
  const authMethod = reader.authMethod(defaults.token_endpoint_auth_method);
  const grants = reader.grantTypes(defaults.grant_types, authMethod);
  const fields: RegisteredFields = {
    name: reader.name(),
    type: authMethod === "none" ? "public" : "confidential",
    redirectUris: reader.redirectUris(grants),
    grantTypes: grants,
    responseTypes: reader.responseTypes(grants),
    scopes: reader.scopes(),
    authMethod,
    ...reader.keys(authMethod),
    tlsSubject: reader.tlsSubject(authMethod),
    certificateBound: reader.certificateBound(authMethod, grants),
    ...reader.idTokenAlg(),
    postLogoutRedirectUris: reader.postLogoutRedirectUris(),
    ...reader.backchannelLogout(),
    clientUri: reader.page("client_uri"),
    policyUri: reader.page("policy_uri"),
    tosUri: reader.page("tos_uri"),
    names: reader.names(),
    optionalScopes: reader.optionalScopes(),
  };
  return reader.problems.length === 0 ? { kind: "valid", fields } : { kind: "invalid", problems: reader.problems };
}

/** Maximum number of translations of a text. */
export const MAX_TRANSLATIONS = 40;

/** A language tag as pages use it (the common part of BCP 47). */
export function isLanguageTag(tag: string): boolean {
  return /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/.test(tag);
}

/** The words of a space-separated list, each once. */
function wordsOf(text: string | undefined): readonly string[] {
  return [...new Set((text ?? "").split(" ").filter((word) => word !== ""))];
}

const TLS_SUBJECT_FIELDS = [
  "tls_client_auth_subject_dn",
  "tls_client_auth_san_dns",
  "tls_client_auth_san_uri",
  "tls_client_auth_san_ip",
  "tls_client_auth_san_email",
] as const satisfies readonly TlsSubject["field"][];

/** The form of each field. Whether a certificate has it is checked when one arrives. */
const TLS_SUBJECT_FORMS: Readonly<
  Record<TlsSubject["field"], { readonly what: string; readonly fits: (value: string) => boolean }>
> = {
  tls_client_auth_subject_dn: {
    what: "a distinguished name (RFC 4514), for example CN=import,O=Example,C=DE",
    fits: (value) => canonicalName(value) !== undefined,
  },
  tls_client_auth_san_dns: {
    what: "a host name without a wildcard",
    fits: (value) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i.test(value),
  },
  tls_client_auth_san_uri: {
    what: "an absolute URI",
    fits: (value) => /^[a-z][a-z0-9+.-]*:[\u0021-\u007e]+$/i.test(value),
  },
  tls_client_auth_san_ip: {
    what: "an IP address",
    fits: (value) => /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*:)[0-9a-f:.]{2,45})$/i.test(value),
  },
  tls_client_auth_san_email: { what: "an e-mail address", fits: (value) => /^[^@\s]+@[^@\s]+$/.test(value) },
};

/** Absolute https URL of printable ASCII, without user information. */
const HTTPS_PAGE = /^https:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?([/?#][\u0021-\u007e]*)?$/;

/** True: an absolute https URL, as pages of a client have. */
export function isHttpsPage(value: unknown): value is string {
  return typeof value === "string" && value.length <= 2048 && HTTPS_PAGE.test(value);
}

class Reader {
  readonly problems: MetadataProblem[] = [];
  readonly #metadata: ClientMetadata;
  readonly #registrable: Registrable;

  constructor(metadata: ClientMetadata, registrable: Registrable) {
    this.#metadata = metadata;
    this.#registrable = registrable;
  }

  name(): string {
    const name = this.#text("client_name");
    if (name === undefined) {
      this.#wrong("client_name", "missing: owners read it on the consent page");
      return "";
    }
    const problem = displayTextProblem(name, MAX_NAME, this.#registrable.called?.name);
    if (problem !== undefined) this.#wrong("client_name", problem);
    return name.normalize("NFC");
  }

  /** §2.2: `client_name#de`. */
  names(): Readonly<Record<string, string>> {
    const names: Record<string, string> = {};
    for (const field of Object.keys(this.#metadata)) {
      const tag = /^client_name#(.*)$/s.exec(field)?.[1];
      const value = tag === undefined ? undefined : this.#text(field);
      if (tag === undefined || value === undefined) continue;
      const problem = isLanguageTag(tag)
        ? displayTextProblem(value, MAX_NAME, this.#registrable.called?.names?.[tag.toLowerCase()])
        : "the language tag is missing (client_name#de)";
      if (problem !== undefined) this.#wrong(field, problem);
      names[tag.toLowerCase()] = value.normalize("NFC");
    }
    if (Object.keys(names).length > MAX_TRANSLATIONS)
      this.#wrong("client_name", `at most ${MAX_TRANSLATIONS} languages are allowed`);
    return names;
  }

  /** A member of our own: no RFC says which scopes are optional. */
  optionalScopes(): readonly string[] {
    const names = wordsOf(this.#text("optional_scope"));
    const strangers = names.filter((name) => !wordsOf(this.#text("scope")).includes(name));
    if (strangers.length > 0)
      this.#wrong("optional_scope", `${strangers.slice(0, 5).map(quoted).join(", ")}: these are not in scope`);
    return names;
  }

  authMethod(missing: ClientAuthMethod): ClientAuthMethod {
    const asked = this.#text("token_endpoint_auth_method");
    if (asked === undefined) return missing;
    const method = AUTH_METHODS.find((one) => one === asked);
    if (method === undefined) {
      this.#wrong("token_endpoint_auth_method", `${quoted(asked)} is not one of ${AUTH_METHODS.join(", ")}`);
    }
    return method ?? missing;
  }

  grantTypes(missing: readonly string[], authMethod: ClientAuthMethod): readonly string[] {
    const { grants, had } = this.#registrable;
    const sent = this.#list("grant_types");
    const asked = sent ?? missing.filter((one) => grants.offers(one));
    if (sent === undefined && !asked.some((name) => REFRESHABLE.has(name))) {
      const off = "missing, and this server has switched off the default (ASSENT_GRANT_TYPES)";
      this.#wrong("grant_types", `${off}: name one or more of ${grants.offered.join(", ")}`);
      return asked;
    }
    for (const one of asked) {
      if (grants.offers(one) || had.includes(one)) continue;
      const problem = grants.known.includes(one)
        ? "is switched off on this server (ASSENT_GRANT_TYPES)"
        : `is not one of ${grants.offered.join(", ")}`;
      this.#wrong("grant_types", `${quoted(one)} ${problem}`);
    }
    if (asked.length === 0)
      this.#wrong("grant_types", `the list is empty: name one or more of ${grants.offered.join(", ")}`);
    for (const [name, section] of FOR_CONFIDENTIAL) {
      if (authMethod === "none" && asked.includes(name))
        this.#wrong("grant_types", `only clients that authenticate can use ${name} (${section})`);
    }
    const aimless = refreshProblem(asked);
    // An existing client gets this problem only if it asks for a new grant type; other changes are possible.
    if (aimless !== undefined && asked.some((one) => !had.includes(one))) this.#wrong("grant_types", aimless);
    return asked;
  }

  /** §2.1: response types and grant types go together. */
  responseTypes(grants: readonly string[]): readonly string[] {
    const fitting = [...GRANT_OF].filter(([, grant]) => grants.includes(grant)).map(([type]) => type);
    const asked = this.#list("response_types") ?? fitting;
    for (const one of asked) {
      const grant = GRANT_OF.get(one);
      if (grant === undefined) {
        this.#wrong("response_types", `${quoted(one)} is not one of ${[...GRANT_OF.keys()].join(", ")}`);
      } else if (!grants.includes(grant)) {
        this.#wrong("response_types", `${one} needs the grant type ${grant}, which is not in grant_types`);
      }
    }
    if (asked.length === 0 && fitting.length > 0) {
      this.#wrong("response_types", `the list is empty, but grant_types need ${fitting.join(", ")}`);
    }
    return asked;
  }

  redirectUris(grants: readonly string[]): readonly string[] {
    const uris = this.#list("redirect_uris") ?? [];
    const wrong = (problem: string) => this.#wrong("redirect_uris", problem, "invalid_redirect_uri");
    if (uris.length > MAX_REDIRECT_URIS)
      wrong(`the list has ${uris.length} URIs; at most ${MAX_REDIRECT_URIS} are allowed`);
    for (const uri of uris.slice(0, MAX_REDIRECT_URIS)) {
      const problem = redirectUriProblem(uri);
      if (problem !== undefined) wrong(`${quoted(uri)}: ${problem}`);
    }
    const leading = [...GRANT_OF.values()].find((grant) => grants.includes(grant));
    if (uris.length === 0 && leading !== undefined) wrong(`missing: the grant type ${leading} needs a redirect URI`);
    return uris;
  }

  scopes(): readonly string[] {
    const names = wordsOf(this.#text("scope"));
    if (names.length > MAX_SCOPES)
      this.#wrong("scope", `the list has ${names.length} names; at most ${MAX_SCOPES} are allowed`);
    for (const name of names.slice(0, MAX_SCOPES)) {
      if (!isScopeName(name)) this.#wrong("scope", `${quoted(name)} is not a valid scope name (RFC 6749 §3.3)`);
    }
    return names;
  }

  /** §2: the keys themselves, or their address; never both. `private_key_jwt` needs one of them. */
  keys(authMethod: ClientAuthMethod): Pick<RegisteredFields, "jwks" | "jwksUri"> {
    const document = this.#metadata["jwks"] ?? undefined;
    const uri = this.page("jwks_uri");
    if (document !== undefined && uri !== null) this.#wrong("jwks", "use either jwks or jwks_uri");
    if (authMethod === "private_key_jwt" && document === undefined && uri === null) {
      this.#wrong("jwks", "missing: private_key_jwt needs the client's public keys (jwks or jwks_uri)");
    }
    if (authMethod === "self_signed_tls_client_auth" && document === undefined) {
      this.#wrong("jwks", "missing: it must contain the public key of the client's certificate (RFC 8705 §2.2.2)");
    }
    if (document === undefined) return { jwks: null, jwksUri: uri };
    const read = readRegisteredKeys(document);
    if (read.kind === "invalid") this.#wrong("jwks", read.problem);
    return { jwks: read.kind === "read" ? JSON.stringify({ keys: read.keys }) : null, jwksUri: uri };
  }

  /** RFC 8705 §2.1.2: exactly one field identifies the certificate. */
  tlsSubject(authMethod: ClientAuthMethod): TlsSubject | null {
    const named = TLS_SUBJECT_FIELDS.flatMap((field) => {
      const value = this.#text(field);
      return value === undefined ? [] : [{ field, value }];
    });
    const [subject, ...others] = named;
    if (authMethod !== "tls_client_auth") return null;
    if (subject === undefined || others.length > 0) {
      const found = subject === undefined ? "none is given" : `${named.length} are given`;
      this.#wrong("tls_client_auth_subject_dn", `${found}: use exactly one of ${TLS_SUBJECT_FIELDS.join(", ")}`);
      return null;
    }
    const { field, value } = subject;
    const wanted = TLS_SUBJECT_FORMS[field];
    if (value.length > 1024 || !wanted.fits(value)) this.#wrong(field, `${quoted(value)} is not ${wanted.what}`);
    return subject;
  }

  /** RFC 8705 §3.4. A client without a secret, or without connections of its own, has nothing to bind a token to. */
  certificateBound(authMethod: ClientAuthMethod, grants: readonly string[]): boolean {
    const field = "tls_client_certificate_bound_access_tokens";
    const asked = this.#metadata[field] ?? false;
    if (typeof asked !== "boolean") this.#wrong(field, "must be true or false");
    if (asked === true && authMethod === "none") this.#wrong(field, "only clients that authenticate can use it");
    if (asked === true && grants.includes("implicit")) {
      this.#wrong(field, "implicit gives tokens to browsers, which don't have the client's certificate");
    }
    return asked === true;
  }

  /** OpenID Connect Registration §2. Never `none`: nobody could tell who made such a token. */
  idTokenAlg(): Pick<RegisteredFields, "idTokenAlg"> {
    const asked = this.#text("id_token_signed_response_alg");
    if (asked === undefined) return {};
    const alg = ID_TOKEN_ALGS.find((one) => one === asked);
    if (alg === undefined)
      this.#wrong("id_token_signed_response_alg", `${quoted(asked)} is not one of ${ID_TOKEN_ALGS.join(", ")}`);
    return alg === undefined ? {} : { idTokenAlg: alg };
  }

  /** OpenID Connect RP-Initiated Logout §3.1. Only web addresses: a browser shows the page of one. */
  postLogoutRedirectUris(): readonly string[] {
    const field = "post_logout_redirect_uris";
    const uris = this.#list(field) ?? [];
    if (uris.length > MAX_REDIRECT_URIS)
      this.#wrong(field, `the list has ${uris.length} URIs; at most ${MAX_REDIRECT_URIS} are allowed`);
    for (const uri of uris.slice(0, MAX_REDIRECT_URIS)) {
      const problem = webUriProblem(uri);
      if (problem !== undefined) this.#wrong(field, `${quoted(uri)}: ${problem}`);
    }
    return uris;
  }

  /** OpenID Connect Back-Channel Logout §2.2. */
  backchannelLogout(): Pick<RegisteredFields, "backchannelLogoutUri" | "backchannelLogoutSessionRequired"> {
    const uri = this.#text("backchannel_logout_uri");
    const problem = uri === undefined ? undefined : webUriProblem(uri);
    if (problem !== undefined) this.#wrong("backchannel_logout_uri", `${quoted(uri ?? "")}: ${problem}`);
    const field = "backchannel_logout_session_required";
    const required = this.#metadata[field] ?? false;
    if (typeof required !== "boolean") this.#wrong(field, "must be true or false");
    if (required === true && uri === undefined) this.#wrong(field, "needs a backchannel_logout_uri");
    return { backchannelLogoutUri: uri ?? null, backchannelLogoutSessionRequired: required === true };
  }

  page(field: "client_uri" | "policy_uri" | "tos_uri" | "jwks_uri"): string | null {
    const uri = this.#text(field);
    if (uri === undefined) return null;
    if (!isHttpsPage(uri)) this.#wrong(field, `${quoted(uri)} is not an https URL`);
    return uri;
  }

  /** Absent and null mean the same. */
  #text(field: string): string | undefined {
    const value = this.#metadata[field] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    this.#wrong(field, "must be a string");
    return undefined;
  }

  #list(field: string): readonly string[] | undefined {
    const value = this.#metadata[field] ?? undefined;
    if (value === undefined) return undefined;
    const error = field === "redirect_uris" ? "invalid_redirect_uri" : undefined;
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (isList && value.length <= MAX_LIST) return [...new Set(value)];
    this.#wrong(field, isList ? `the list has more than ${MAX_LIST} entries` : "must be a list of strings", error);
    return undefined;
  }

  #wrong(field: string, problem: string, error: MetadataProblem["error"] = "invalid_client_metadata"): void {
    this.problems.push({ field, error, problem });
  }
}

/** The found value, shortened and in ASCII, because it goes to terminals and logs. */
function quoted(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "�");
}
