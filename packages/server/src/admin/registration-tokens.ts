/**
 * The operator's use-cases for initial access tokens, with which programs register clients (RFC 7591 §3). The server
 * stores only their hashes.
 */

import { hashes } from "../crypto/node-hashes.ts";
import { base64url } from "../crypto/random.ts";
import type { ClientTerms, OwnPolicy } from "../oauth/client-registration/registration-policy.ts";
import type { Millis } from "../oauth/model.ts";
import { withOpenIdScopes } from "../oauth/openid/scopes.ts";
import { isRedirectHost } from "../setting-kinds.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import { BY_COMMAND, newTokenId } from "./api-access/tokens.ts";
import type { AdminContext } from "./context.ts";
import type { RegistrationToken } from "./storage.ts";

/** Scanners for leaked secrets recognize the token by this prefix. */
export const INITIAL_ACCESS_TOKEN_PREFIX = "iat_";
export const DEFAULT_TOKEN_USES = 1;
export const MAX_TOKEN_USES = 1000;
/** In seconds. */
export const DEFAULT_INITIAL_TOKEN_TTL = 86_400;
export const MAX_INITIAL_TOKEN_TTL = 365 * 86_400;
/** Maximum number of tokens that have not expired. */
const MOST_TOKENS = 1000;
const MAX_LIST = 100;

export interface NewRegistrationToken {
  /** Maximum number of clients. */
  readonly uses?: number;
  /** Seconds until the token ends. */
  readonly lifetime?: number;
  /** Parts of the server's policy that it replaces. */
  readonly policy?: Partial<OwnPolicy>;
  /** Who asks for it. Absent: an operator's command. */
  readonly createdBy?: string;
}

/** Throws `invalid` with all problems, or `conflict` if there are too many. */
export async function createRegistrationToken(
  {
    uses = DEFAULT_TOKEN_USES,
    lifetime = DEFAULT_INITIAL_TOKEN_TTL,
    policy = {},
    createdBy = BY_COMMAND,
  }: NewRegistrationToken,
  context: AdminContext,
): Promise<{ readonly token: RegistrationToken; readonly initialAccessToken: string }> {
  const isWithin = (value: number, most: number) => Number.isSafeInteger(value) && value >= 1 && value <= most;
  refuseAny([
    ...(isWithin(uses, MAX_TOKEN_USES) ? [] : [{ field: "uses", problem: `must be 1 to ${MAX_TOKEN_USES}` }]),
    ...(isWithin(lifetime, MAX_INITIAL_TOKEN_TTL)
      ? []
      : [{ field: "expires_in", problem: `must be 1 to ${MAX_INITIAL_TOKEN_TTL} seconds` }]),
    ...(await policyProblems(policy, context)),
  ]);
  const now = context.now();
  const { grantTypes = null, scopes = null, redirectHosts = null, defaultScopes = null } = policy;
  const parts = [grantTypes, scopes, redirectHosts, defaultScopes];
  const terms = termsOf(policy);
  const isServers = parts.every((part) => part === null) && Object.keys(terms).length === 0;
  const token: RegistrationToken = {
    tokenId: newTokenId(context),
    uses,
    used: 0,
    policy: isServers ? null : { grantTypes, scopes, redirectHosts, defaultScopes, ...terms },
    createdBy,
    createdAt: now,
    expiresAt: now + lifetime * 1000,
  };
  const initialAccessToken = INITIAL_ACCESS_TOKEN_PREFIX + base64url(context.randomBytes(32));
  const added = await context.storage.registrations.addToken({
    ...{ token, tokenHash: hashes.sha256(initialAccessToken), most: MOST_TOKENS, now },
  });
  if (!added) refuse("conflict", null, `there are ${MOST_TOKENS} tokens already, which is the most: revoke some`);
  return { token, initialAccessToken };
}

/** Those that are not as for every client. */
function termsOf({ reviewed, requirePkce, tokenEndpointAudience }: Partial<OwnPolicy>): Partial<ClientTerms> {
  return {
    ...(reviewed === true ? { reviewed } : {}),
    ...(requirePkce === false ? { requirePkce } : {}),
    ...(tokenEndpointAudience === true ? { tokenEndpointAudience } : {}),
  };
}

async function policyProblems(
  { grantTypes, scopes, redirectHosts, defaultScopes }: Partial<OwnPolicy>,
  { grants, storage }: AdminContext,
): Promise<readonly Remark[]> {
  const open = withOpenIdScopes(await storage.scopes.list()).filter(({ ownerRole }) => ownerRole === null);
  const known = new Set(open.map(({ name }) => name));
  const none = (field: string, names: readonly string[], problem: string) =>
    names.length === 0 ? [] : [{ field, problem: `${names.slice(0, 10).map(shown).join(", ")}: ${problem}` }];
  const strangers = (names: readonly string[] | null | undefined) => (names ?? []).filter((name) => !known.has(name));
  const noScope = "there is no such scope that every owner may grant";
  const tooLong = Object.entries({ grantTypes, scopes, redirectHosts, defaultScopes })
    .filter(([, part]) => (part?.length ?? 0) > MAX_LIST * (part === scopes ? 2 : 1))
    .map(() => ({ field: null, problem: `a list has at most ${MAX_LIST} entries, a list of scopes 200` }));
  return [
    ...none(
      "grant_types",
      (grantTypes ?? []).filter((one) => !grants.offers(one)),
      `this server offers ${grants.offered.join(", ")}`,
    ),
    ...none("scope", strangers(scopes), noScope),
    ...none("default_scope", strangers(defaultScopes), noScope),
    ...none(
      "redirect_hosts",
      (redirectHosts ?? []).filter((one) => !isRedirectHost(one)),
      "must be a host (app.example, with its port unless it is 443), 127.0.0.1, or a scheme (com.example.app:)",
    ),
    ...tooLong.slice(0, 1),
  ];
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Newest first, with those that expired within the last 30 days. */
export function registrationTokens({ storage }: AdminContext): Promise<readonly RegistrationToken[]> {
  return storage.registrations.listTokens();
}

/** It registers no more clients; those that it registered stay. Throws `unknown`. */
export async function revokeRegistrationToken(tokenId: string, { storage }: AdminContext): Promise<void> {
  if (!(await storage.registrations.revokeToken({ tokenId })))
    refuse("unknown", "id", `there is no token ${shown(tokenId)}`);
}

/** As operators see it. `initialAccessToken`: only where it was just made. */
export function registrationTokenRecord(
  { tokenId, uses, used, policy, createdBy, createdAt, expiresAt }: RegistrationToken,
  initialAccessToken: string | null = null,
) {
  const time = (at: Millis) => new Date(at).toISOString();
  const { grantTypes = null, scopes = null, redirectHosts = null, defaultScopes = null } = policy ?? {};
  return {
    id: tokenId,
    ...(initialAccessToken === null ? {} : { initial_access_token: initialAccessToken }),
    uses,
    used,
    ...(grantTypes === null ? {} : { grant_types: grantTypes }),
    ...(scopes === null ? {} : { scope: scopes.join(" ") }),
    ...(redirectHosts === null ? {} : { redirect_hosts: redirectHosts }),
    ...(defaultScopes === null ? {} : { default_scope: defaultScopes.join(" ") }),
    ...(policy?.reviewed === true ? { reviewed: true } : {}),
    ...(policy?.requirePkce === false ? { require_pkce: false } : {}),
    ...(policy?.tokenEndpointAudience === true ? { token_endpoint_audience: true } : {}),
    created_by: createdBy,
    created_at: time(createdAt),
    expires_at: time(expiresAt),
  };
}
