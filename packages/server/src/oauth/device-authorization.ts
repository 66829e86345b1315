/** Device authorization: a device without a browser asks for a code to show (RFC 8628 §§3.1, 3.2). */

import { authenticateClient } from "./client-authentication/index.ts";
import { defaultScopeOf } from "./default-scopes.ts";
import { refuse } from "./errors.ts";
import { deviceCode } from "./grants/device-code.ts";
import { mayUse } from "./grants/registry.ts";
import type { Client, Scope } from "./model.ts";
import { type ParsedParameters, parseOrRefuse } from "./parameters.ts";
import type { OAuthContext } from "./ports.ts";
import { audienceOf } from "./resource-indicator.ts";
import { scopesForClient } from "./scope.ts";
import type { TokenRequest } from "./token-endpoint/endpoint.ts";
import { showUserCode } from "./user-code.ts";

/** The page where the owner types the code, relative to the issuer. */
export const VERIFICATION_PATH = "/device";

/**
 * Maximum number of draws of a user code. With a million pending devices, about one draw in ten thousand hits a code in
 * use.
 */
const DRAWS = 5;

/** The body of a successful response (§3.2). Times are in seconds. */
export interface DeviceAuthorizationResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** A device's request as it came over HTTP. */
export interface DeviceAuthorizationRequest extends TokenRequest {
  /** The address of the device; the page shows it to the owner. */
  readonly address: string;
  /** The network, as limits count it. */
  readonly network: string;
  readonly provider: string;
}

/**
 * Answers a device authorization request, or refuses it. The client authenticates as at the token endpoint. Then its
 * right to the grant type, scope and resource are checked, and last its number of pending requests.
 */
export async function authorizeDevice(
  request: DeviceAuthorizationRequest,
  context: OAuthContext,
): Promise<DeviceAuthorizationResponse> {
  const parameters = parseOrRefuse(request.body);
  const client = await authenticateClient({ ...request, parameters: parameters.single }, context);
  if (!mayUse(client, deviceCode.grantType, context)) refuse("grant_type_not_registered", deviceCode.grantType);
  const scopes = await wantedScopes(parameters, client, context);
  const { network, provider } = request;
  if (!(await context.admitDevice({ clientId: client.clientId, network, provider }))) {
    return refuse("device_requests_throttled", client.clientId);
  }
  return answer(await begin(client, scopes, request.address, context), context);
}

async function wantedScopes(asked: ParsedParameters, client: Client, context: OAuthContext): Promise<readonly Scope[]> {
  const scope = asked.single.get("scope") ?? (await defaultScopeOf(client, asked.resource, context));
  const refreshes = mayUse(client, "refresh_token", context);
  const scopes = scopesForClient(scope, client, await context.catalog.scopes(), refreshes);
  audienceOf(scopes, asked.resource, await context.catalog.resources(), context.issuer);
  return scopes;
}

interface Begun {
  readonly deviceCode: string;
  readonly userCode: string;
}

async function begin(
  { clientId }: Client,
  scopes: readonly Scope[],
  address: string,
  { storage, credentials, userCodes, policy, now }: OAuthContext,
): Promise<Begun> {
  const { salt, hash } = credentials.newSalt();
  for (let draws = 0; draws < DRAWS; draws += 1) {
    const { userCode, ...requestKey } = userCodes.draw();
    const at = now();
    const created = await storage.deviceRequests.create({
      ...requestKey,
      saltHash: hash,
      clientId,
      scopes: scopes.map(({ name }) => name),
      address,
      interval: policy.deviceInterval,
      expiresAt: at + policy.deviceTtl,
      now: at,
    });
    if (created) return { deviceCode: credentials.make("device_code", requestKey.requestId, 0, salt), userCode };
  }
  return refuse("temporarily_unavailable", "every user code that was drawn is in use");
}

function answer(begun: Begun, { issuer, policy }: OAuthContext): DeviceAuthorizationResponse {
  const userCode = showUserCode(begun.userCode);
  const uri = issuer + VERIFICATION_PATH;
  return {
    device_code: begun.deviceCode,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: `${uri}?user_code=${userCode}`,
    expires_in: Math.floor(policy.deviceTtl / 1000),
    interval: Math.ceil(policy.deviceInterval / 1000),
  };
}
