/** The resource owner password grant (RFC 6749 §4.3): for old clients that can show no page. RFC 9700 §2.4 advises against it. */

import { BY_PASSWORD } from "../authentication-context.ts";
import { refuse } from "../errors.ts";
import { NEVER, type Scope } from "../model.ts";
import type { OAuthContext, PasswordOwner } from "../ports.ts";
import { audienceOf } from "../resource-indicator.ts";
import { scopesForClient } from "../scope.ts";
import { type GrantRequest, type GrantType, required } from "./grant-type.ts";

/** The recorded consent is active until the owner revokes it. After that, only a page can give consent again. */
export const password: GrantType = {
  grantType: "password",
  parameters: { username: "username_missing", password: "password_missing", scope: "scope_missing" },
  refreshable: true,
  startsAt: null,

  async entitle(request, context) {
    const { client, address, resource } = request;
    const { catalog, issuer, policy } = context;
    const scopes = scopesForClient(required(request, "scope"), client, await catalog.scopes());
    return {
      kind: "owner",

      async within() {
        const named = resource === undefined ? [] : [resource];
        const audience = audienceOf(scopes, named, await catalog.resources(), issuer) ?? refuse("resource_needed");
        return { audience, scopes: scopes.map(({ name }) => name) };
      },

      // §4.3.2: the password is checked here for the first time, and every refusal from here on is the same.
      async owner() {
        const { mayGrant, ...owner } = await ownerOf(request, scopes, context);
        const granted = scopes.filter((scope) => mayGrant(scope)).map(({ name }) => name);
        if (granted.length === 0) refuse("scope_not_allowed", "the owner may grant none of them");
        return { ...owner, scopes: granted, authTime: context.now(), ...BY_PASSWORD };
      },

      under: { record: "password" },
      refreshable: policy.passwordRefresh,
      until: NEVER,
      address,
      refusals: { blocked: "owner_consent_revoked", noOwner: "owner_password_wrong" },
    };
  },
};

async function ownerOf(request: GrantRequest, scopes: readonly Scope[], context: OAuthContext): Promise<PasswordOwner> {
  const {
    client: { clientId },
    address,
  } = request;
  const [username, given] = [required(request, "username"), required(request, "password")];
  const outcome = await context.ownerPassword({ username, password: given, address, clientId, scopes });
  switch (outcome.kind) {
    case "owner":
      return outcome.owner;
    case "refused":
      context.event("sign_in_failed", { client_id: clientId, reason: outcome.reason, address });
      return refuse(outcome.condition, outcome.reason);
    case "throttled":
      context.event("sign_in_throttled", { client_id: clientId, address });
      return refuse("owner_password_throttled", undefined, Math.ceil((outcome.until - context.now()) / 1000));
  }
}
