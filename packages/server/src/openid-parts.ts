/** Connects the parts of OpenID Connect: keys, people, the protocol. */

import { ConfiguredClaims, type CustomClaims } from "./configured-claims.ts";
import { type IdTokenSources, OwnIdTokens } from "./crypto/id-tokens.ts";
import { readClaims } from "./oauth/openid/claims-parameter.ts";
import { idToken, ownClaimsOf, personOf, readHint } from "./oauth/openid/id-token.ts";
import { logoutToken } from "./oauth/openid/logout-token.ts";
import { idTokenAlgOf } from "./oauth/openid/metadata.ts";
import { userInfo } from "./oauth/openid/user-info.ts";
import type { OAuthContext, OpenId } from "./oauth/ports.ts";
import { personFacts } from "./owners/account/person-facts.ts";

/** How people are found. */
export type OpenIdPeople = Parameters<typeof personFacts>[1];

export function openIdParts(
  sources: IdTokenSources,
  people: OpenIdPeople,
  customClaims: readonly CustomClaims[],
  context: OAuthContext,
): Omit<OpenId, "claimScopes"> {
  const ownClaims = new ConfiguredClaims(customClaims);
  const idTokens = new OwnIdTokens(sources);
  const { now } = context;
  const factsOf = (personId: string) => personFacts(personId, people);
  return {
    prepare: (client) => idTokens.prepare(idTokenAlgOf(client)),
    personOf: (token, client) => personOf(token, client, idTokens),
    claimsOf: (token) => idTokens.verify(token),
    readHint: (token) => readHint(token, idTokens),
    readClaims: async (text) => readClaims(text, (claim) => ownClaims.scopeOf(claim)),
    ownClaims: (parts) => ownClaimsOf(parts, ownClaims),
    identityAssertion: (claims) => idTokens.signIdentityAssertion(claims),
    logoutToken: (ended, client) => logoutToken(ended, client, { idTokens, now }),
    idToken: (parts, accessToken) => idToken(parts, accessToken, { idTokens, ownClaims, now, personFacts: factsOf }),
    userInfo: (token, thumbprint) => userInfo(token, thumbprint, { ...context, ownClaims, personFacts: factsOf }),
  };
}
