/** UserInfo: the claims about the person whose access token is presented (OpenID Connect Core §5.3). */

import { refuse } from "../errors.ts";
import { accessIsLive } from "../introspection.ts";
import { isFor } from "../issue-access-token.ts";
import type { PersonDetails } from "../model.ts";
import type { OAuthContext, PersonFacts } from "../ports.ts";
import { ownAudience } from "../resource-indicator.ts";
import type { OwnClaims } from "./own-claims.ts";
import { CLAIMS_OF_SCOPE, OPENID } from "./scopes.ts";

interface UserInfoContext extends OAuthContext {
  readonly ownClaims: OwnClaims;
  /** Undefined: the person was deleted or is disabled. */
  personFacts(personId: string): Promise<PersonFacts | undefined>;
}

/** The claims of a person by name; what is unknown is undefined (§5.3.2: it is left out). */
const CLAIMS: Readonly<Record<string, (person: PersonFacts) => unknown>> = {
  name: ({ name }) => name ?? undefined,
  given_name: ({ details }) => details.givenName,
  family_name: ({ details }) => details.familyName,
  middle_name: ({ details }) => details.middleName,
  nickname: ({ details }) => details.nickname,
  preferred_username: ({ username }) => username,
  profile: ({ details }) => details.profileUrl,
  picture: ({ picture }) => picture ?? undefined,
  website: ({ details }) => details.website,
  gender: ({ details }) => details.gender,
  birthdate: ({ details }) => details.birthdate,
  zoneinfo: ({ details }) => details.zoneinfo,
  locale: ({ details, language }) => details.locale ?? language ?? undefined,
  updated_at: ({ updatedAt }) => Math.floor(updatedAt / 1000),
  email: ({ email }) => email ?? undefined,
  email_verified: ({ email, emailVerified }) => (email === null ? undefined : emailVerified),
  phone_number: ({ details }) => details.phoneNumber,
  phone_number_verified: ({ details: { phoneNumber, phoneVerified = false } }) =>
    phoneNumber === undefined ? undefined : phoneVerified,
  address: ({ details }) => addressOf(details),
};

/** §5.1.1. */
function addressOf({ street, postalCode, locality, region, country }: PersonDetails): unknown {
  const place = [postalCode, locality].filter((part) => part !== undefined).join(" ");
  const lines = [street, place === "" ? undefined : place, region, country].filter((line) => line !== undefined);
  if (lines.length === 0) return undefined;
  const parts = { street_address: street, locality, region, postal_code: postalCode, country };
  return { formatted: lines.join("\n"), ...parts };
}

/**
 * The claims for a token of this server that is for UserInfo. Refuses any other token. `thumbprint`: the certificate of
 * the connection (RFC 8705 §3). Undefined: it has none.
 */
export async function userInfo(
  token: string,
  thumbprint: string | undefined,
  context: UserInfoContext,
): Promise<Readonly<Record<string, unknown>>> {
  const verified = await context.accessTokens.verify(token, context.now());
  if (verified === undefined) return refuse("access_token_invalid");
  const { aud, scope, sub, act, cnf, client_id: clientId } = verified.claims;
  const scopes = scope.split(" ");
  // A token of a client itself has no grant, so it is about nobody.
  if (!scopes.includes(OPENID) || verified.grantId === null) return refuse("user_info_scope_missing");
  if (!isFor(aud, ownAudience(true, context.issuer))) return refuse("access_token_invalid", "for another audience");
  const bound = textOf(cnf, "x5t#S256");
  if (bound !== undefined && !context.hashes.equal(bound, thumbprint ?? ""))
    return refuse("access_token_invalid", "bound to another certificate than that of the connection");
  const actor = textOf(act, "sub");
  const [isLive, person] = await Promise.all([
    accessIsLive(verified.grantId, verified.claims, context),
    context.personFacts(actor ?? sub),
  ]);
  if (!isLive) return refuse("access_token_invalid", "its grant has ended or is paused, or its client is disabled");
  if (person === undefined) return refuse("access_token_invalid", "the person was deleted or disabled");
  const about = { sub: person.personId, organization: actor === undefined ? null : sub, clientId };
  return {
    ...(await context.ownClaims.ofScopes(scopes, about)),
    sub: person.personId,
    ...(actor === undefined ? {} : { organization: sub }),
    ...claimsOf(person, scopes),
  };
}

/** A text inside a claim that is an object. */
function textOf(claim: unknown, member: string): string | undefined {
  const value: unknown =
    typeof claim === "object" && claim !== null ? (claim as Readonly<Record<string, unknown>>)[member] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The claims that these scopes give, without empty ones (§5.3.2). */
function claimsOf(person: PersonFacts, scopes: readonly string[]): Readonly<Record<string, unknown>> {
  return claimsAbout(
    person,
    scopes.flatMap((scope) => CLAIMS_OF_SCOPE[scope] ?? []),
  );
}

/** The claims of these names, as far as they are known. */
export function claimsAbout(person: PersonFacts, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name) => [name, CLAIMS[name]?.(person)] as const).filter(([, value]) => value !== undefined),
  );
}
