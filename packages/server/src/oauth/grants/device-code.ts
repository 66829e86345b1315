/** The device's polls at the token endpoint (RFC 8628 §§3.4, 3.5). */

import { accessTokenTtl, type TokenResponse, tokenResponse } from "../access-token.ts";
import { refuse } from "../errors.ts";
import type { Client, Grant } from "../model.ts";
import type { Credential, OAuthContext } from "../ports.ts";
import type { DeviceApproval, PollDeviceOutcome, RedeemDeviceOutcome } from "../storage.ts";
import type { GrantType } from "./index.ts";
import { judgeGrant, oneResource } from "./judge.ts";

export const deviceCode: GrantType = {
  grantType: "urn:ietf:params:oauth:grant-type:device_code",

  async redeem(request, context): Promise<TokenResponse> {
    const { client, single } = request;
    const code = single.get("device_code") ?? refuse("device_code_missing");
    const resource = oneResource(request);
    const credential =
      context.credentials.read("device_code", code) ?? refuse("device_code_unknown", "not one of ours");
    const place = { partition: credential.partition, requestId: credential.grantId, clientId: client.clientId };

    const approval = approved(
      await context.storage.pollDevice({ ...place, saltHash: credential.saltHash, now: context.now() }),
    );
    const granted = approval.scopes.map((name) => ({ name, expiresAt: approval.onceUntil }));
    // Refused for its resource, a poll uses nothing up: the next one may name the right one.
    const { audience } = await judgeGrant({ scopes: granted }, client, { scope: undefined, resource }, context);

    const salt = context.credentials.newSalt();
    const outcome = await context.storage.redeemDevice({
      ...place,
      approval,
      refreshSaltHash: salt.hash,
      ...(await lifetimes(client, audience, context)),
    });
    const grant = redeemed(outcome, client, credential, context);
    const judged = await judgeGrant(grant, client, { scope: undefined, resource }, context);
    return tokenResponse(grant, judged, client, context, () =>
      context.credentials.make("refresh_token", grant.grantId, 1, salt.salt),
    );
  },
};

/** The owner's yes; everything else that a poll may meet is a refusal of its own (§3.5). */
function approved(outcome: PollDeviceOutcome): DeviceApproval {
  switch (outcome.kind) {
    case "approved":
      return outcome.approval;
    case "pending":
      return refuse("authorization_pending");
    case "slow_down":
      return refuse("slow_down");
    case "denied":
      return refuse("device_denied");
    case "expired":
      return refuse("device_code_expired");
    case "spent":
      return refuse("device_code_spent");
    case "unknown":
      return refuse("device_code_unknown");
  }
}

async function lifetimes(client: Client, audience: string, { catalog, policy, now }: OAuthContext) {
  const at = now();
  const idle = client.type === "public" ? policy.refreshIdlePublic : policy.refreshIdleConfidential;
  const ttl = accessTokenTtl((await catalog.resources()).get(audience), policy.accessTtl);
  return { now: at, idleUntil: at + idle, accessUntil: at + ttl };
}

/** The grant, if this poll made it. A device that polls again after a lost answer is no thief: nothing is revoked. */
function redeemed(outcome: RedeemDeviceOutcome, client: Client, credential: Credential, context: OAuthContext): Grant {
  switch (outcome.kind) {
    case "issued": {
      const { grant } = outcome;
      const scope = grant.scopes.map(({ name }) => name).join(" ");
      context.event("device_connected", { client_id: client.clientId, owner: grant.ownerId, scope });
      return grant;
    }
    case "taken":
      return refuse("device_code_spent");
    case "blocked":
    case "no_owner":
      return refuse("device_approval_ended", `${outcome.kind}, request ${credential.grantId}`);
  }
}
