/**
 * The client that a client ID metadata document describes, by members of RFC 7591 §2
 * (draft-ietf-oauth-client-id-metadata-document-02 §4).
 */

import type { GrantRegistry } from "../grants/registry.ts";
import { type ClientMetadata, type RegisteredFields, readRegistration } from "./metadata.ts";

/** Grant types of a client that nobody registered. A document may list others; they have no effect. */
const GRANTS: readonly string[] = ["authorization_code", "refresh_token"];

/** The client as its document describes it. */
export interface DescribedClient {
  readonly fields: RegisteredFields;
  /** The scopes that it names. Null: it names none, so the client may ask for all that such clients may ask for. */
  readonly scope: readonly string[] | null;
  readonly logoUri: string | null;
}

export type ReadDocument =
  | { readonly kind: "client"; readonly client: DescribedClient }
  /** For the developer of the client and the log. */
  | { readonly kind: "invalid"; readonly problem: string };

/**
 * Reads a document that was fetched from `address`, the `client_id` of a request. A client that nobody registered shares
 * no secret with this server, so its methods are `none` and `private_key_jwt` (§4, §8.2).
 */
export function readClientDocument(address: string, document: ClientMetadata, grants: GrantRegistry): ReadDocument {
  const invalid = (problem: string): ReadDocument => ({ kind: "invalid", problem });
  // Compared as strings (RFC 3986 §6.2.1): two spellings of one address are two clients.
  if (document["client_id"] !== address) return invalid("client_id: must be the address of the document");
  const secret = ["client_secret", "client_secret_expires_at"].find((field) => Object.hasOwn(document, field));
  if (secret !== undefined) return invalid(`${secret}: a published document can't have a secret`);
  const { token_endpoint_auth_method: method, jwks, jwks_uri, grant_types: types, response_types: answers } = document;
  if (method === undefined && (jwks !== undefined || jwks_uri !== undefined))
    return invalid("token_endpoint_auth_method: missing, although the document has keys");
  if (method !== undefined && method !== "none" && method !== "private_key_jwt")
    return invalid("token_endpoint_auth_method: must be none or private_key_jwt");
  const listed = types ?? ["authorization_code"];
  if (!isList(listed) || !listed.includes("authorization_code"))
    return invalid("grant_types: must be a list with authorization_code");
  if (answers !== undefined && !(isList(answers) && answers.includes("code")))
    return invalid("response_types: must be a list with code");
  const { scope = null, logo_uri: logoUri = null } = document;
  if (scope !== null && typeof scope !== "string") return invalid("scope: must be a string");
  if (logoUri !== null && typeof logoUri !== "string") return invalid("logo_uri: must be a string");
  const names = Object.entries(document).filter(([field]) => field.startsWith("client_name#"));
  const registration = readRegistration(
    {
      ...Object.fromEntries(names),
      client_name: document["client_name"] ?? hostOf(address),
      redirect_uris: document["redirect_uris"],
      grant_types: GRANTS.filter((one) => listed.includes(one)),
      response_types: ["code"],
      token_endpoint_auth_method: method ?? "none",
      ...{ jwks, jwks_uri },
      client_uri: document["client_uri"],
      policy_uri: document["policy_uri"],
      tos_uri: document["tos_uri"],
    },
    { token_endpoint_auth_method: "none", grant_types: GRANTS },
    { grants, had: [] },
  );
  if (registration.kind === "invalid")
    return invalid(registration.problems.map(({ field, problem }) => `${field}: ${problem}`).join("; "));
  const words = scope === null ? null : [...new Set(scope.split(" ").filter((word) => word !== ""))];
  return { kind: "client", client: { fields: registration.fields, scope: words, logoUri } };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function hostOf(address: string): string {
  return /^https?:\/\/([^/]+)/.exec(address)?.[1] ?? address;
}
