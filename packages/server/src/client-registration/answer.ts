/** The client information response (RFC 7591 §3.2.1, RFC 7592 §3): the client as registered, and nothing else. */

import { clientRecord } from "../admin/output-records.ts";
import type { Client } from "../oauth/model.ts";
import { idTokenAlgOf } from "../oauth/openid/metadata.ts";

/** Members of an operator's record that the client may see. The others are the operator's own. */
const SHOWN: ReadonlySet<string> = new Set([
  ...["client_id", "client_id_issued_at", "client_secret_expires_at", "client_name", "redirect_uris"],
  ...["grant_types", "response_types", "scope", "token_endpoint_auth_method", "jwks", "jwks_uri"],
  ...["tls_client_auth_subject_dn", "tls_client_auth_san_dns", "tls_client_auth_san_uri", "tls_client_auth_san_ip"],
  ...["tls_client_auth_san_email", "tls_client_certificate_bound_access_tokens", "post_logout_redirect_uris"],
  ...["backchannel_logout_uri", "backchannel_logout_session_required", "logo_uri", "client_uri", "policy_uri"],
  "tos_uri",
]);

/** What only the one who registers may see. */
export interface Credentials {
  /** Null: it has none, or got it before. */
  readonly secret: string | null;
  readonly accessToken: string;
}

export function registrationUri(issuer: string, clientId: string): string {
  return `${issuer}/register/${encodeURIComponent(clientId)}`;
}

export function clientInformation(client: Client, { secret, accessToken }: Credentials, issuer: string) {
  const record = Object.entries(clientRecord(client, issuer));
  const { registered } = client;
  const { softwareId = null, softwareVersion = null, contacts = [] } = registered ?? {};
  return {
    ...Object.fromEntries(record.filter(([name]) => SHOWN.has(name) || name.startsWith("client_name#"))),
    ...(secret === null ? {} : { client_secret: secret }),
    ...(registered?.logoUri === undefined ? {} : { logo_uri: registered.logoUri }),
    registration_access_token: accessToken,
    registration_client_uri: registrationUri(issuer, client.clientId),
    application_type: registered?.applicationType ?? "web",
    subject_type: "public",
    id_token_signed_response_alg: idTokenAlgOf(client),
    ...(contacts.length === 0 ? {} : { contacts }),
    ...(softwareId === null ? {} : { software_id: softwareId }),
    ...(softwareVersion === null ? {} : { software_version: softwareVersion }),
    ...(registered?.statement == null ? {} : { software_statement: registered.statement }),
    ...(client.defaultMaxAge == null ? {} : { default_max_age: client.defaultMaxAge }),
    ...(registered?.requireAuthTime ? { require_auth_time: true } : {}),
  };
}
