/** Verbs of clients that register themselves (RFC 7591): the tokens for it, new clients, and those that nobody uses. */

import { type RegisterOutcome, type RegistrationToken, type Swept, searchName } from "../../admin/storage.ts";
import type { Client, Millis } from "../../oauth/model.ts";
import { type Call, query, type Row, sql, type Tx, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { DAY, json, text, whole } from "../row-conversion.ts";
import { hold, raise } from "./catalog-versions.ts";
import { closeClientGate } from "./client-advisory-lock.ts";
import { dropClient } from "./clients.ts";
import { finishEnding } from "./end-grants-of-client.ts";

const tokenColumns = sql`token_id, uses, used, policy, created_by, created_at, expires_at`;

function tokenOf(row: Row): RegistrationToken {
  return {
    tokenId: text(row, "token_id"),
    uses: whole(row, "uses"),
    used: whole(row, "used"),
    policy: row["policy"] === null ? null : json<NonNullable<RegistrationToken["policy"]>>(row, "policy"),
    createdBy: text(row, "created_by"),
    createdAt: whole(row, "created_at"),
    expiresAt: whole(row, "expires_at"),
  };
}

export const addRegistrationToken = transaction<
  { readonly token: RegistrationToken; readonly tokenHash: string; readonly most: number; readonly now: Millis },
  boolean
>(async (tx, { token, tokenHash, most, now }) => {
  const live = await tx.all(sql`SELECT token_id FROM initial_access_tokens WHERE expires_at > :now LIMIT :most`, {
    ...{ now, most },
  });
  if (live.length >= most) return false;
  const policy = token.policy === null ? null : JSON.stringify(token.policy);
  await tx.run(
    sql`INSERT INTO initial_access_tokens (token_hash, ${tokenColumns})
      VALUES (:tokenHash, :tokenId, :uses, :used, :policy, :createdBy, :createdAt, :expiresAt)`,
    { ...token, tokenHash, policy },
  );
  await tell(tx, {
    ...{ kind: "registration_token.created", at: now, by: token.createdBy },
    details: { token_id: token.tokenId, uses: token.uses, expires_at: new Date(token.expiresAt).toISOString() },
  });
  return true;
});

export const findRegistrationToken = query<{ readonly tokenHash: string }, RegistrationToken | undefined>({
  sql: sql`SELECT ${tokenColumns} FROM initial_access_tokens WHERE token_hash = :tokenHash`,
  bind: ({ tokenHash }) => ({ tokenHash }),
  outcome: ([row]) => row && tokenOf(row),
});

export const listRegistrationTokens = query<void, readonly RegistrationToken[]>({
  sql: sql`SELECT ${tokenColumns} FROM initial_access_tokens ORDER BY created_at DESC, token_id LIMIT 10000`,
  bind: () => ({}),
  outcome: (rows) => rows.map(tokenOf),
});

export const revokeRegistrationToken = transaction<{ readonly tokenId: string }, boolean>(async (tx, { tokenId }) => {
  const gone = await tx.run(sql`DELETE FROM initial_access_tokens WHERE token_id = :tokenId`, { tokenId });
  if (gone === 0) return false;
  await tell(tx, { kind: "registration_token.revoked", by: "operator", details: { token_id: tokenId } });
  return true;
});

export interface Registering {
  readonly client: Client;
  /** Null: none is needed. */
  readonly tokenHash: string | null;
  readonly forgetAfter: Millis | null;
  /** Maximum number of clients that no owner has answered, where none is needed. */
  readonly mostUnused: number;
  readonly network: string;
  readonly now: Millis;
}

/** The client and the count of its token are one transaction, so a token never registers more clients than it may. */
export const registerClient = transaction<Registering, RegisterOutcome>(async (tx, asked) => {
  const { client, tokenHash, forgetAfter, mostUnused, network, now } = asked;
  const { clientId } = client;
  await hold(tx);
  if (tokenHash === null) {
    const unused = await tx.all(
      sql`SELECT client_id FROM clients WHERE forget_after > 0 AND client_id NOT LIKE 'http%://%' LIMIT :mostUnused`,
      {
        mostUnused,
      },
    );
    if (unused.length >= mostUnused) return "full";
  } else {
    const counted = await tx.run(
      sql`UPDATE initial_access_tokens SET used = used + 1
        WHERE token_hash = :tokenHash AND used < uses AND expires_at > :now`,
      { tokenHash, now },
    );
    if (counted === 0) return "token_spent";
  }
  const version = await raise(tx, "clients");
  await tx.run(
    sql`INSERT INTO clients (client_id, record, version, deleted_at, search_name, created_at, forget_after)
      VALUES (:clientId, :record, :version, NULL, :searchName, :now, :forgetAfter)`,
    { clientId, record: JSON.stringify(client), version, searchName: searchName(client.name), now, forgetAfter },
  );
  await tell(tx, {
    ...{ kind: "client.registered", at: now, by: `client:${clientId}`, clientId },
    details: { type: client.type, token_id: client.registered?.initialTokenId ?? undefined, network },
  });
  return "registered";
});

export const clientsToForget = query<{ readonly now: Millis; readonly limit: number }, readonly string[]>({
  sql: sql`SELECT client_id FROM clients WHERE forget_after <= :now ORDER BY forget_after LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) => rows.map((row) => text(row, "client_id")),
});

/**
 * True: it is deleted. A client that an owner has answered, or an operator has reviewed, stays: it is not looked at
 * again. Every grant has its consent record. A client that a document describes stays while it has a grant.
 */
export const collectIfUnused = transaction<{ readonly clientId: string; readonly now: Millis }, boolean>(
  async (tx, { clientId, now }) => {
    await hold(tx);
    // Nobody allows the client meanwhile.
    await closeClientGate(tx, clientId);
    const row = await tx.one(
      sql`SELECT record FROM clients WHERE client_id = :clientId AND record IS NOT NULL AND forget_after <= :now`,
      { clientId, now },
    );
    if (row === undefined) return settled(tx, clientId);
    const client = json<Client>(row, "record");
    if (client.document !== undefined && (await hasGrant(tx, clientId))) {
      await tx.run(sql`UPDATE clients SET forget_after = :later WHERE client_id = :clientId`, {
        ...{ clientId, later: now + DAY },
      });
      return false;
    }
    const isAnswered = client.document === undefined && (await hasConsent(tx, clientId));
    const isJudged = client.reviewed !== false || client.verified === true;
    if (isAnswered || isJudged) return settled(tx, clientId);
    await dropClient(tx, client, { at: now, by: "server", details: { cause: "unused" } });
    return true;
  },
);

async function hasConsent(tx: Tx, clientId: string): Promise<boolean> {
  const some = await tx.one(sql`SELECT partition FROM consents WHERE client_id = :clientId LIMIT 1`, { clientId });
  return some !== undefined;
}

async function hasGrant(tx: Tx, clientId: string): Promise<boolean> {
  const some = await tx.one(
    sql`SELECT g.grant_id FROM consents c JOIN grants g
        ON g.partition = c.partition AND g.owner_id = c.owner_id AND g.client_id = c.client_id
      WHERE c.client_id = :clientId AND g.ended_at IS NULL AND g.status = 'active' LIMIT 1`,
    { clientId },
  );
  return some !== undefined;
}

async function settled(tx: Tx, clientId: string): Promise<false> {
  await tx.run(sql`UPDATE clients SET forget_after = NULL WHERE client_id = :clientId`, { clientId });
  return false;
}

/** Each client is a transaction of its own. */
export async function collectUnusedClients(
  call: Call,
  { now, limit }: { readonly now: Millis; readonly limit: number },
): Promise<Swept> {
  const due = await call(clientsToForget, { now, limit });
  let removed = 0;
  for (const clientId of due) {
    if (!(await call(collectIfUnused, { clientId, now }))) continue;
    await finishEnding(call, clientId);
    removed += 1;
  }
  return { seen: due.length, removed };
}
