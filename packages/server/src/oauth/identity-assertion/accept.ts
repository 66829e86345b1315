/**
 * Identity assertion JWT authorization grants (ID-JAG) of trusted issuers, accepted by the grant of RFC 7523
 * (draft-ietf-oauth-identity-assertion-authz-grant-03 §4.4).
 */

import { type Assertion, assertionEntitlement } from "../assertion.ts";
import { refuse } from "../errors.ts";
import type { GrantRequest, OwnerEntitlement } from "../grants/grant-type.ts";
import type { ForeignJwt, OAuthContext } from "../ports.ts";
import { parseScope } from "../scope.ts";

type Claims = ForeignJwt["claims"];

/**
 * Claims that limit the grant in a way that this server does not check: a key that the client must prove to have (§9.5.1),
 * and structured permissions (RFC 9396). Without them, the token would allow more than the issuer meant.
 */
const UNSUPPORTED = ["cnf", "authorization_details"];

/** The most APIs that the claim `resource` may name. */
const MAX_RESOURCES = 20;

/** The checks beyond those of any JWT assertion. The endpoint has authenticated the client. */
export function identityAssertion(
  assertion: Assertion,
  claims: Claims,
  request: GrantRequest,
  context: OAuthContext,
): OwnerEntitlement {
  const { client } = request;
  // §9.1: a public client asks the owner. Anybody could present an ID-JAG that was stolen from it.
  if (client.type !== "confidential") refuse("assertion_client_not_allowed", "a public client");
  if (claimOf(claims, "client_id") !== client.clientId) refuse("assertion_of_another_client");
  if (assertion.issuedAt === null) refuse("assertion_malformed", "no iat");
  // A name of this server that the issuer and the operator made up is for plain assertions.
  if ([claims["aud"]].flat().some((one) => one !== context.issuer)) refuse("assertion_audience_wrong");
  const strange = UNSUPPORTED.find((name) => Object.hasOwn(claims, name));
  if (strange !== undefined) refuse("assertion_claim_unsupported", strange);
  // §6.1: at such an issuer, a subject is unique only together with its tenant.
  if (claimOf(claims, "tenant") !== (assertion.record.tenant ?? undefined)) refuse("assertion_tenant_wrong");
  const most = scopesOf(claims);
  const resources = resourcesOf(claims);
  const { record } = assertion;
  const limited = { ...record, scopes: record.scopes.filter((name) => most?.includes(name) ?? true) };
  const resource = oneOf(resources, request.resource);
  const found = assertionEntitlement({ ...assertion, record: limited }, { ...request, resource }, context);
  return {
    ...found,
    namesResource: true,
    async within() {
      const within = await found.within();
      if (resources?.includes(within.audience) === false) refuse("resource_exceeds_grant");
      return within;
    },
  };
}

const claimOf = (claims: Claims, name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);

/** Undefined: the issuer does not limit the scopes, so the record does. */
function scopesOf(claims: Claims): readonly string[] | undefined {
  const scope = claimOf(claims, "scope");
  if (scope === undefined) return undefined;
  if (typeof scope !== "string") return refuse("assertion_malformed", "scope is not a text");
  return scope === "" ? [] : parseScope(scope);
}

/** Undefined: the issuer does not limit the APIs. */
function resourcesOf(claims: Claims): readonly string[] | undefined {
  const resource = claimOf(claims, "resource");
  if (resource === undefined) return undefined;
  const all: readonly unknown[] = Array.isArray(resource) ? resource : [resource];
  const texts = all.filter((one) => typeof one === "string");
  const isRight = texts.length === all.length && texts.length > 0 && texts.length <= MAX_RESOURCES;
  return isRight ? texts : refuse("assertion_malformed", "resource is not a list of texts");
}

/** The API of the token. Undefined: the scopes decide. */
function oneOf(resources: readonly string[] | undefined, asked: string | undefined): string | undefined {
  if (resources === undefined) return asked;
  if (asked !== undefined) return resources.includes(asked) ? asked : refuse("resource_exceeds_grant");
  return resources.length === 1 ? resources[0] : undefined;
}
