/**
 * The operator's use-cases for access tokens of the admin API that a command makes: scoped, expiring, revocable. The
 * server stores only their hashes.
 */

import { hashes } from "../../crypto/node-hashes.ts";
import { base64url } from "../../crypto/random.ts";
import type { Millis } from "../../oauth/model.ts";
import { refuse, refuseAny } from "../admin-error.ts";
import type { AdminContext } from "../context.ts";
import type { AdminToken } from "../storage.ts";
import { isAdminScope } from "./admin-scopes.ts";

/** Scanners for leaked secrets recognize the token by this prefix. */
export const ADMIN_TOKEN_PREFIX = "aat_";
/** The maker of a token that a command made. */
export const BY_COMMAND = "operator";
/** In seconds. */
export const DEFAULT_TOKEN_TTL = 3600;
export const MAX_TOKEN_TTL = 365 * 86_400;
/** Maximum number of tokens that have not expired. */
const MOST_TOKENS = 1000;

export interface NewAdminToken {
  readonly scopes: readonly string[];
  /** Seconds until the token ends. */
  readonly lifetime?: number;
  /** Who asks for it. Absent: an operator's command. */
  readonly createdBy?: string;
}

/** Throws `invalid` with all problems, or `conflict` if there are too many. */
export async function createAdminToken(
  { scopes, lifetime = DEFAULT_TOKEN_TTL, createdBy = BY_COMMAND }: NewAdminToken,
  context: AdminContext,
): Promise<{ readonly token: AdminToken; readonly accessToken: string }> {
  const unknown = scopes.filter((name) => !isAdminScope(name));
  refuseAny([
    ...(scopes.length === 0 ? [{ field: "scope", problem: "name at least one scope" }] : []),
    ...(unknown.length === 0
      ? []
      : [
          {
            field: "scope",
            problem: `${unknown.slice(0, 10).join(", ")}: not a scope of the admin API; use admin, or for example admin:clients:read`,
          },
        ]),
    ...(Number.isSafeInteger(lifetime) && lifetime >= 1 && lifetime <= MAX_TOKEN_TTL
      ? []
      : [{ field: "expires_in", problem: `must be 1 to ${MAX_TOKEN_TTL} seconds` }]),
  ]);
  const now = context.now();
  const token: AdminToken = {
    tokenId: newTokenId(context),
    scopes: [...new Set(scopes)],
    createdBy,
    createdAt: now,
    expiresAt: now + lifetime * 1000,
  };
  const accessToken = ADMIN_TOKEN_PREFIX + base64url(context.randomBytes(32));
  const added = await context.storage.adminTokens.add({
    ...{ token, tokenHash: hashes.sha256(accessToken), most: MOST_TOKENS, now },
  });
  if (!added) refuse("conflict", null, `there are ${MOST_TOKENS} tokens already, which is the most: revoke some`);
  return { token, accessToken };
}

/** A random id that command lines don't take for an option. */
export function newTokenId({ randomBytes }: Pick<AdminContext, "randomBytes">): string {
  for (;;) {
    const id = base64url(randomBytes(16));
    if (/^[A-Za-z0-9]/.test(id)) return id;
  }
}

/** Newest first, with those that expired within the last 30 days. */
export function adminTokens({ storage }: AdminContext): Promise<readonly AdminToken[]> {
  return storage.adminTokens.list();
}

/** The token's requests are refused from now on. Throws `unknown`. */
export async function revokeAdminToken(tokenId: string, { storage }: AdminContext): Promise<void> {
  if (!(await storage.adminTokens.revoke({ tokenId })))
    refuse("unknown", "id", `there is no token ${JSON.stringify(tokenId.slice(0, 100))}`);
}

/** Undefined: it is none, was revoked, or has expired. */
export async function adminTokenOf(text: string, { storage, now }: AdminContext): Promise<AdminToken | undefined> {
  if (text.length > 100) return undefined;
  const token = await storage.adminTokens.find({ tokenHash: hashes.sha256(text) });
  return token !== undefined && token.expiresAt > now() ? token : undefined;
}

/** As operators see it. `accessToken`: only where it was just made. */
export function adminTokenRecord(
  { tokenId, scopes, createdBy, createdAt, expiresAt }: AdminToken,
  accessToken: string | null = null,
) {
  const time = (at: Millis) => new Date(at).toISOString();
  return {
    id: tokenId,
    ...(accessToken === null ? {} : { access_token: accessToken, token_type: "Bearer" }),
    scope: scopes.join(" "),
    created_by: createdBy,
    created_at: time(createdAt),
    expires_at: time(expiresAt),
  };
}
