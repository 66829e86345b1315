/** The resource owner password grant (RFC 6749 §4.3): for old clients that can show no page. RFC 9700 §2.4 advises against it. */

import { accessTokenTtl, type TokenResponse, tokenResponse } from "../access-token.ts";
import { BY_PASSWORD } from "../authentication-context.ts";
import { refuse } from "../errors.ts";
import type { Client, Grant, Scope } from "../model.ts";
import type { OAuthContext, PasswordOwner } from "../ports.ts";
import { audienceOf } from "../resource-indicator.ts";
import { scopesForClient } from "../scope.ts";
import type { GrantRequest, GrantType } from "./index.ts";
import { judgeGrant, mayUse } from "./judge.ts";

export const password: GrantType = {
  grantType: "password",

  async redeem(request, context): Promise<TokenResponse> {
    const { client, single, resource } = request;
    const username = single.get("username") ?? refuse("username_missing");
    const given = single.get("password") ?? refuse("password_missing");
    const { catalog, issuer } = context;
    const scopes = scopesForClient(single.get("scope") ?? refuse("scope_missing"), client, await catalog.scopes());
    const audience = audienceOf(scopes, resource, await catalog.resources(), issuer) ?? refuse("resource_needed");

    // §4.3.2: nothing above looks at the password, and whatever is wrong from here on sounds the same.
    const owner = await ownerOf(username, given, request, context);
    const granted = scopes.filter((scope) => owner.mayGrant(scope)).map(({ name }) => name);
    if (granted.length === 0) refuse("scope_not_allowed", "the owner may grant none of them");

    const salt = context.credentials.newSalt();
    const grant = await issue({ owner, client, scopes: granted, audience }, salt.hash, request, context);
    const judged = await judgeGrant(grant, client, { scope: undefined, resource: undefined }, context);
    return tokenResponse(grant, judged, client, context, () =>
      context.credentials.make("refresh_token", grant.grantId, 1, salt.salt),
    );
  },
};

async function ownerOf(
  username: string,
  given: string,
  { client, address }: GrantRequest,
  context: OAuthContext,
): Promise<PasswordOwner> {
  const outcome = await context.ownerPassword(username, given, address);
  switch (outcome.kind) {
    case "owner":
      if (outcome.owner.mustChangePassword) refuse("owner_must_change_password");
      return outcome.owner;
    case "wrong":
      context.event("sign_in_failed", { client_id: client.clientId, reason: outcome.reason, address });
      return refuse("owner_password_wrong", outcome.reason);
    case "throttled":
      context.event("sign_in_throttled", { client_id: client.clientId, address });
      return refuse("owner_password_throttled", undefined, Math.ceil((outcome.until - context.now()) / 1000));
  }
}

interface Issuing {
  readonly owner: PasswordOwner;
  readonly client: Client;
  readonly scopes: readonly Scope["name"][];
  readonly audience: string;
}

/** The consent stands until the owner takes it back; from then on only a page gives it again. */
async function issue(
  { owner: { partition, ownerId, trustedFrom }, client, scopes, audience }: Issuing,
  refreshSaltHash: Uint8Array,
  { address }: GrantRequest,
  context: OAuthContext,
): Promise<Grant> {
  const { policy } = context;
  const now = context.now();
  const refreshable = policy.passwordRefresh && mayUse(client, "refresh_token", context);
  const idle = client.type === "public" ? policy.refreshIdlePublic : policy.refreshIdleConfidential;
  const outcome = await context.storage.issueDirect({
    grant: {
      partition,
      grantId: context.newGrantId(partition),
      clientId: client.clientId,
      ownerId,
      personId: ownerId,
      refreshable,
      scopes,
      audience,
      authTime: now,
      ...BY_PASSWORD,
    },
    via: "password",
    trustedFrom,
    refreshSaltHash: refreshable ? refreshSaltHash : null,
    accessUntil: now + accessTokenTtl((await context.catalog.resources()).get(audience), policy.accessTtl),
    idleUntil: now + idle,
    consentUntil: null,
    shown: { locale: "en", clientName: client.name, logo: client.logo },
    address,
    now,
  });
  switch (outcome.kind) {
    case "issued":
      context.event("grant_issued", { client_id: client.clientId, owner: ownerId, scope: scopes.join(" ") });
      return outcome.grant;
    case "blocked":
      return refuse("owner_consent_revoked");
    case "no_owner":
      return refuse("owner_password_wrong", "disabled, removed or given another password meanwhile");
    case "exists":
      throw new Error("a random grant id came up twice");
  }
}
