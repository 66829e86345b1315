/** OpenID Connect for the server. Its code is loaded when a request needs it for the first time. */

import type { CustomClaims } from "./configured-claims.ts";
import type { IdTokenSources } from "./crypto/id-tokens.ts";
import type { OAuthContext, OpenId } from "./oauth/ports.ts";
import type { OpenIdPeople } from "./openid-parts.ts";

export function openIdOf(
  sources: IdTokenSources,
  people: OpenIdPeople,
  customClaims: readonly CustomClaims[],
  context: () => OAuthContext,
): OpenId {
  let loading: Promise<Omit<OpenId, "claimScopes">> | undefined;
  const load = () => {
    loading ??= import("./openid-parts.ts").then(({ openIdParts }) =>
      openIdParts(sources, people, customClaims, context()),
    );
    // A file that is missing now may be there the next time, for example after an installation.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    claimScopes: new Set(customClaims.map(({ scope }) => scope)),
    ownClaims: async (...args) => (await load()).ownClaims(...args),
    prepare: (client) =>
      load().then(
        (parts) => parts.prepare(client),
        // The request for the ID token meets the same failure, and reports it.
        () => undefined,
      ),
    personOf: async (...args) => (await load()).personOf(...args),
    readClaims: async (...args) => (await load()).readClaims(...args),
    claimsOf: async (...args) => (await load()).claimsOf(...args),
    readHint: async (...args) => (await load()).readHint(...args),
    identityAssertion: async (...args) => (await load()).identityAssertion(...args),
    logoutToken: async (...args) => (await load()).logoutToken(...args),
    idToken: async (...args) => (await load()).idToken(...args),
    userInfo: async (...args) => (await load()).userInfo(...args),
  };
}
