/**
 * The registration that a client sends itself, under the operator's policy (RFC 7591 §2; OpenID Connect Dynamic Client
 * Registration §2). Members that are not named here are ignored.
 */

import type { GrantRegistry } from "../grants/registry.ts";
import type { Client, Scope, SelfRegistered } from "../model.ts";
import { redirectHost } from "../redirect-uri.ts";
import { isScopeName } from "../scope.ts";
import {
  type ClientMetadata,
  isHttpsPage,
  MAX_SCOPES,
  type MetadataProblem,
  type RegisteredFields,
  readRegistration,
} from "./metadata.ts";
import type { RegistrationPolicy } from "./registration-policy.ts";

/** Members that `readRegistration` reads, besides the names with a language. */
const READ = [
  ...["client_name", "redirect_uris", "grant_types", "response_types", "token_endpoint_auth_method"],
  ...["jwks", "jwks_uri", "tls_client_auth_subject_dn", "tls_client_auth_san_dns", "tls_client_auth_san_uri"],
  ...["tls_client_auth_san_ip", "tls_client_auth_san_email", "tls_client_certificate_bound_access_tokens"],
  ...["id_token_signed_response_alg", "post_logout_redirect_uris", "backchannel_logout_uri"],
  ...["backchannel_logout_session_required", "client_uri", "policy_uri", "tos_uri"],
];

/** Addresses that the server doesn't use. A bad one is refused all the same, before another program trusts it. */
const OTHER_ADDRESSES = ["logo_uri", "initiate_login_uri", "sector_identifier_uri"];

const MAX_CONTACTS = 10;
const MAX_REQUEST_URIS = 20;
const MAX_SOFTWARE = 200;
/** A year, in seconds. */
const MAX_AGE = 31_536_000;

/** The state in which a registration is read. */
export interface RegistrationRules {
  readonly policy: RegistrationPolicy;
  readonly grants: GrantRegistry;
  readonly scopes: readonly Scope[];
  /** The client as it is, if it changes its registration (RFC 7592 §2.2). */
  readonly before?: Client;
}

export interface ReadSelfRegistration {
  readonly fields: RegisteredFields;
  readonly own: Pick<
    SelfRegistered,
    "applicationType" | "contacts" | "softwareId" | "softwareVersion" | "requireAuthTime"
  >;
  readonly defaultMaxAge: number | null;
  readonly defaultScopes: readonly string[];
  readonly logoUri: string | null;
}

export type SelfRegistration =
  | ({ readonly kind: "valid" } & ReadSelfRegistration)
  | { readonly kind: "invalid"; readonly problems: readonly MetadataProblem[] };

export function readSelfRegistration(metadata: ClientMetadata, rules: RegistrationRules): SelfRegistration {
  const reader = new SelfReader(metadata);
  const { grants, before } = rules;
  const scope = reader.scope(scopesFor(rules));
  const read = readRegistration(
    { ...reader.members(), scope: scope.join(" ") },
    { token_endpoint_auth_method: "client_secret_basic", grant_types: ["authorization_code"] },
    { grants, had: [], ...(before === undefined ? {} : { called: before }) },
  );
  const own = {
    applicationType: reader.applicationType(),
    contacts: reader.contacts(),
    softwareId: reader.software("software_id"),
    softwareVersion: reader.software("software_version"),
    requireAuthTime: reader.flag("require_auth_time"),
  };
  const defaultMaxAge = reader.defaultMaxAge();
  reader.addresses();
  reader.subjectType();
  if (read.kind === "invalid") return { kind: "invalid", problems: [...read.problems, ...reader.problems] };
  const { fields } = read;
  reader.allowed(fields, rules);
  if (reader.problems.length > 0) return { kind: "invalid", problems: reader.problems };
  const defaultScopes = rules.policy.defaultScopes.filter((name) => fields.scopes.includes(name));
  return { kind: "valid", fields, own, defaultMaxAge, defaultScopes, logoUri: reader.logoUri() };
}

/** The scopes that the client may register for, which is never one that only some people may grant. */
function scopesFor({ policy, scopes, before }: RegistrationRules): readonly string[] {
  const open = scopes.filter(({ ownerRole }) => ownerRole === null).map(({ name }) => name);
  const limit = before?.registered?.ceiling?.scopes ?? policy.scopes;
  return (limit === null ? open : open.filter((name) => limit.includes(name))).slice(0, MAX_SCOPES);
}

/** The receiver of a redirect URI as an operator's list names it: `app.example`, `127.0.0.1` or `com.example.app:`. */
export function redirectHostOf(uri: string): string {
  const host = redirectHost(uri);
  return uri.startsWith("http:") ? host.replace(/:\d+$/, "") : host;
}

function isWebApp(uri: string): boolean {
  return uri.startsWith("https://") && !/^https:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/?]|$)/.test(uri);
}

class SelfReader {
  readonly problems: MetadataProblem[] = [];
  readonly #metadata: ClientMetadata;

  constructor(metadata: ClientMetadata) {
    this.#metadata = metadata;
  }

  /** Without a name, owners read the host that gets the answer. */
  members(): ClientMetadata {
    const named = Object.entries(this.#metadata).filter(
      ([field]) => READ.includes(field) || field.startsWith("client_name#"),
    );
    const [first] = this.#uris();
    const name = this.#value("client_name") ?? (first === undefined ? undefined : redirectHost(first).slice(0, 120));
    return { ...Object.fromEntries(named), client_name: name };
  }

  /** The names that are allowed. Without `scope`: all of them (§2). */
  scope(open: readonly string[]): readonly string[] {
    const asked = this.#value("scope");
    if (asked === undefined) return open;
    if (typeof asked !== "string") return this.#wrong("scope", "must be a string", []);
    const names = [...new Set(asked.split(" ").filter((word) => word !== ""))];
    if (names.length > MAX_SCOPES) return this.#wrong("scope", `at most ${MAX_SCOPES} names are allowed`, []);
    if (!names.every(isScopeName)) return this.#wrong("scope", "has a name that is not valid (RFC 6749 §3.3)", []);
    const left = names.filter((name) => open.includes(name));
    if (left.length === 0 && names.length > 0) this.#wrong("scope", "has no scope that this client may ask for", []);
    return left;
  }

  /** Absent: `native`, if a redirect URI leads to a device, else `web`. Claimed https addresses are both. */
  applicationType(): SelfRegistered["applicationType"] {
    const asked = this.#value("application_type");
    const uris = this.#uris();
    if (asked === undefined) return uris.every(isWebApp) ? "web" : "native";
    if (asked === "native") return asked;
    if (asked !== "web") return this.#wrong("application_type", "must be web or native", "web");
    if (!uris.every(isWebApp)) {
      const problem = "a web application needs https, and a host that is not this device; a native one may have others";
      this.#wrong("redirect_uris", problem, undefined, "invalid_redirect_uri");
    }
    return asked;
  }

  contacts(): readonly string[] {
    const field = "contacts";
    const value = this.#value(field) ?? [];
    const isAddress = (one: unknown) => typeof one === "string" && /^[\u0021-\u007e]{1,254}$/.test(one);
    if (!Array.isArray(value) || value.length > MAX_CONTACTS || !value.every(isAddress))
      return this.#wrong(field, `must be a list of at most ${MAX_CONTACTS} addresses`, []);
    return value as readonly string[];
  }

  software(field: "software_id" | "software_version"): string | null {
    const value = this.#value(field) ?? null;
    if (
      value === null ||
      (typeof value === "string" && /^[\u0020-\u007e]+$/.test(value) && value.length <= MAX_SOFTWARE)
    )
      return value;
    return this.#wrong(field, `must be 1 to ${MAX_SOFTWARE} printable ASCII characters`, null);
  }

  flag(field: "require_auth_time"): boolean {
    const value = this.#value(field) ?? false;
    return typeof value === "boolean" ? value : this.#wrong(field, "must be true or false", false);
  }

  defaultMaxAge(): number | null {
    const field = "default_max_age";
    const value = this.#value(field) ?? null;
    if (value === null) return null;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_AGE) return value;
    return this.#wrong(field, `must be a whole number of seconds, 0 to ${MAX_AGE}`, null);
  }

  /** The server has the same `sub` for all clients. */
  subjectType(): void {
    const value = this.#value("subject_type");
    if (value !== undefined && value !== "public") this.#wrong("subject_type", "must be public", undefined);
  }

  addresses(): void {
    for (const field of OTHER_ADDRESSES) {
      const value = this.#value(field);
      if (value !== undefined && !isHttpsPage(value)) this.#wrong(field, "is not an https URL", undefined);
    }
    const field = "request_uris";
    const uris = this.#value(field);
    if (uris === undefined) return;
    if (!Array.isArray(uris) || uris.length > MAX_REQUEST_URIS || !uris.every(isHttpsPage))
      this.#wrong(field, `must be a list of at most ${MAX_REQUEST_URIS} https URLs`, undefined);
  }

  logoUri(): string | null {
    const value = this.#value("logo_uri");
    return typeof value === "string" ? value : null;
  }

  /** The operator's policy. It holds for a change as for a new client. */
  allowed(fields: RegisteredFields, { policy, before }: RegistrationRules): void {
    const grantTypes = before?.registered?.ceiling?.grantTypes ?? policy.grantTypes;
    const beyond = fields.grantTypes.filter((one) => !grantTypes.includes(one));
    if (beyond.length > 0) {
      const problem = `${beyond.join(", ")}: not allowed for this client; allowed: ${grantTypes.join(", ")}`;
      this.#wrong("grant_types", problem, undefined);
    }
    if (fields.authMethod === "workload_jwt" && before?.authMethod !== "workload_jwt") {
      const problem = "workload_jwt: only an operator can say which platform and workload the client is";
      this.#wrong("token_endpoint_auth_method", problem, undefined);
    }
    const { redirectHosts } = policy;
    const elsewhere = fields.redirectUris.some((uri) => redirectHosts?.includes(redirectHostOf(uri)) === false);
    if (elsewhere)
      this.#wrong("redirect_uris", "has a host that this server does not allow", undefined, "invalid_redirect_uri");
    if (before !== undefined && before.type !== fields.type) {
      const problem = "a client can't change between none and other methods; register another client";
      this.#wrong("token_endpoint_auth_method", problem, undefined);
    }
  }

  #uris(): readonly string[] {
    const value = this.#value("redirect_uris");
    return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, 100) : [];
  }

  /** Null and absent mean the same (RFC 7592 §2.2). */
  #value(field: string): unknown {
    return Object.hasOwn(this.#metadata, field) ? (this.#metadata[field] ?? undefined) : undefined;
  }

  #wrong<T>(
    field: string,
    problem: string,
    instead: T,
    error: MetadataProblem["error"] = "invalid_client_metadata",
  ): T {
    this.problems.push({ field, error, problem });
    return instead;
  }
}
