/** Verbs of the admin API: tokens that operators make, and answers to requests that may be repeated. */

import type { AdminToken, BegunRequest, KeyedRequest } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { query, type Row, sql, statement, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { bytes, json, text, whole } from "../row-conversion.ts";

const tokenColumns = sql`token_id, scopes, created_by, created_at, expires_at`;

function tokenOf(row: Row): AdminToken {
  return {
    tokenId: text(row, "token_id"),
    scopes: json<readonly string[]>(row, "scopes"),
    createdBy: text(row, "created_by"),
    createdAt: whole(row, "created_at"),
    expiresAt: whole(row, "expires_at"),
  };
}

export const addToken = transaction<
  { readonly token: AdminToken; readonly tokenHash: string; readonly most: number; readonly now: Millis },
  boolean
>(async (tx, { token, tokenHash, most, now }) => {
  const live = await tx.all(sql`SELECT token_id FROM admin_tokens WHERE expires_at > :now LIMIT :most`, { now, most });
  if (live.length >= most) return false;
  await tx.run(
    sql`INSERT INTO admin_tokens (token_hash, ${tokenColumns})
      VALUES (:tokenHash, :tokenId, :scopes, :createdBy, :createdAt, :expiresAt)`,
    { ...token, tokenHash, scopes: JSON.stringify(token.scopes) },
  );
  await tell(tx, {
    ...{ kind: "admin_token.created", at: now, by: token.createdBy },
    details: {
      ...{ token_id: token.tokenId, scope: token.scopes.join(" ") },
      expires_at: new Date(token.expiresAt).toISOString(),
    },
  });
  return true;
});

export const findToken = query<{ readonly tokenHash: string }, AdminToken | undefined>({
  sql: sql`SELECT ${tokenColumns} FROM admin_tokens WHERE token_hash = :tokenHash`,
  bind: ({ tokenHash }) => ({ tokenHash }),
  outcome: ([row]) => row && tokenOf(row),
});

export const listTokens = query<void, readonly AdminToken[]>({
  sql: sql`SELECT ${tokenColumns} FROM admin_tokens ORDER BY created_at DESC, token_id LIMIT 10000`,
  bind: () => ({}),
  outcome: (rows) => rows.map(tokenOf),
});

export const revokeToken = transaction<{ readonly tokenId: string }, boolean>(async (tx, { tokenId }) => {
  if ((await tx.run(sql`DELETE FROM admin_tokens WHERE token_id = :tokenId`, { tokenId })) === 0) return false;
  await tell(tx, { kind: "admin_token.revoked", by: "operator", details: { token_id: tokenId } });
  return true;
});

/** Of simultaneous callers with one key, one gets `begun`. */
export const beginRequest = transaction<
  KeyedRequest & { readonly requestHash: string; readonly most: number; readonly now: Millis },
  BegunRequest
>(async (tx, { actor, key, requestHash, most, now }) => {
  const inserted = await tx.one(
    sql`INSERT INTO admin_requests (actor, request_key, request_hash, answer, created_at)
      VALUES (:actor, :key, :requestHash, NULL, :now) ON CONFLICT (actor, request_key) DO NOTHING RETURNING actor`,
    { actor, key, requestHash, now },
  );
  if (inserted !== undefined) {
    const all = await tx.all(sql`SELECT request_key FROM admin_requests WHERE actor = :actor LIMIT :most`, {
      ...{ actor, most: most + 1 },
    });
    if (all.length <= most) return { kind: "begun" };
    await tx.run(sql`DELETE FROM admin_requests WHERE actor = :actor AND request_key = :key`, { actor, key });
    return { kind: "full" };
  }
  const row = await tx.one(
    sql`SELECT request_hash, answer FROM admin_requests WHERE actor = :actor AND request_key = :key`,
    { actor, key },
  );
  // Housekeeping, or a refusal, has just removed it: the caller repeats the request.
  if (row === undefined) return { kind: "unfinished", requestHash };
  const known = text(row, "request_hash");
  if (row["answer"] === null) return { kind: "unfinished", requestHash: known };
  return { kind: "answered", requestHash: known, answer: bytes(row, "answer") };
});

export const finishRequest = statement<KeyedRequest & { readonly answer: Uint8Array }, void>({
  lock: null,
  sql: sql`UPDATE admin_requests SET answer = :answer WHERE actor = :actor AND request_key = :key RETURNING actor`,
  bind: (args) => ({ ...args }),
  outcome: () => undefined,
});

export const forgetRequest = statement<KeyedRequest, void>({
  lock: null,
  sql: sql`DELETE FROM admin_requests WHERE actor = :actor AND request_key = :key AND answer IS NULL RETURNING actor`,
  bind: (args) => ({ ...args }),
  outcome: () => undefined,
});
