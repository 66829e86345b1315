/** The device's polls at the token endpoint (RFC 8628 §§3.4, 3.5). */

import { ceilingOf } from "../consent-reach.ts";
import { refuse } from "../errors.ts";
import type { Client } from "../model.ts";
import type { Credential, OAuthContext } from "../ports.ts";
import { audienceOf } from "../resource-indicator.ts";
import type { DeviceApproval, PollDeviceOutcome, RedeemDeviceOutcome } from "../storage.ts";
import { type GrantType, type Redemption, required } from "./grant-type.ts";

export const deviceCode: GrantType = {
  grantType: "urn:ietf:params:oauth:grant-type:device_code",
  parameters: { device_code: "device_code_missing" },
  refreshable: true,
  startsAt: "deviceAuthorization",

  async entitle(request, context) {
    const { client } = request;
    const credential =
      context.credentials.read("device_code", required(request, "device_code")) ??
      refuse("device_code_unknown", "not one of ours");
    const requestKey = { partition: credential.partition, requestId: credential.id, clientId: client.clientId };
    const poll = { ...requestKey, saltHash: credential.saltHash, now: context.now() };
    const outcome = await context.storage.deviceRequests.poll(poll);
    if (outcome.kind === "pending" && request.resource === undefined) await requireOneApi(outcome.scopes, context);
    const approval = approved(outcome);
    const ceiling = ceilingOf(client, context.policy);
    return {
      kind: "grant",
      // A poll that is refused because of its resource uses nothing up: the next one may name the right resource.
      checkScopesFirst: true,
      read: async () => ({ scopes: approval.scopes.map((name) => ({ name, expiresAt: approval.onceUntil })) }),

      async redeem({ scopesChecked: _, ...terms }) {
        const outcome = await context.storage.deviceRequests.redeem({ ...requestKey, approval, ceiling, ...terms });
        return redeemed(outcome, client, credential, context);
      },
    };
  },
};

/**
 * Refuses a poll that could lead to no token (RFC 8707 §2.2). A device learns it before its owner has answered: otherwise the owner's page
 * would say that the device is connected, and the device would get nothing.
 */
async function requireOneApi(names: readonly string[], { catalog, issuer }: OAuthContext): Promise<void> {
  const known = await catalog.scopes();
  const scopes = names.map((name) => known.get(name)).filter((scope) => scope !== undefined);
  if (scopes.length > 0 && audienceOf(scopes, [], new Map(), issuer) === null) refuse("resource_needed");
}

/** The owner's consent. Every other outcome of a poll has its own refusal (§3.5). */
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

/**
 * The grant, if this poll made it. A device that polls again after a lost response is no thief, so nothing is revoked.
 */
function redeemed(
  outcome: RedeemDeviceOutcome,
  client: Client,
  credential: Credential,
  context: OAuthContext,
): Redemption {
  switch (outcome.kind) {
    case "issued": {
      const { grant } = outcome;
      const scope = grant.scopes.map(({ name }) => name).join(" ");
      context.event("device_connected", { client_id: client.clientId, owner: grant.ownerId, scope });
      return { kind: "redeemed", grant };
    }
    case "taken":
      return refuse("device_code_spent");
    case "blocked":
    case "no_owner":
      return refuse("device_approval_ended", `${outcome.kind}, request ${credential.id}`);
  }
}
