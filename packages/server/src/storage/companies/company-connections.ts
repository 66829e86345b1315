/** Verbs of connections that a company's admins made. They are in the company's partition, and change under its lock. */

import type { Client, Millis } from "../../oauth/model.ts";
import type {
  CompanyConnection,
  CompanyConnectionStorage,
  ConnectionKey,
  ConnectionStep,
} from "../../owners/company-connection-storage.ts";
import type { CompanyKey } from "../../owners/company-storage.ts";
import { note } from "../consents/history.ts";
import { query, type Row, sql, type Tx, transaction, words } from "../define-verbs.ts";
import { statusOfClient } from "../operator/client-advisory-lock.ts";
import { json, text, whole } from "../row-conversion.ts";
import { isAdmin, lockCompany, thisCompany } from "./lock-company-row.ts";

/** Maximum number of connections of a company. */
export const MAX_CONNECTIONS = 100;

type Port = CompanyConnectionStorage["companyConnections"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];
type Outcome<Name extends keyof Port> = Awaited<ReturnType<Port[Name]>>;

const columns = sql`partition, company_id, client_id, audience, record, ends_at, connected_by, connected_at`;
const thisConnection = sql`${thisCompany} AND client_id = :clientId AND audience = :audience`;

function connectionOf(row: Row): CompanyConnection {
  return {
    partition: whole(row, "partition"),
    companyId: text(row, "company_id"),
    clientId: text(row, "client_id"),
    audience: text(row, "audience"),
    record: json<CompanyConnection["record"]>(row, "record"),
    endsAt: whole(row, "ends_at"),
    connectedBy: text(row, "connected_by"),
    connectedAt: whole(row, "connected_at"),
  };
}

export const listCompanyConnections = query<CompanyKey, readonly CompanyConnection[]>({
  sql: sql`SELECT ${columns} FROM company_connections WHERE ${thisCompany} ORDER BY client_id, audience`,
  bind: ({ partition, companyId }) => ({ partition, companyId }),
  outcome: (rows) => rows.map(connectionOf),
});

export const findCompanyConnection = query<ConnectionKey, CompanyConnection | undefined>({
  sql: sql`SELECT ${columns} FROM company_connections WHERE ${thisConnection}`,
  bind: ({ partition, companyId, clientId, audience }) => ({ partition, companyId, clientId, audience }),
  outcome: ([row]) => row && connectionOf(row),
});

/** Only an operator who is about to change an offer or a connection may ask. */
export const listConnectionsOfServer = query<Args<"listOfServer">, Outcome<"listOfServer">>({
  sql: sql`SELECT ${columns}, (SELECT COUNT(*) FROM members m
      WHERE m.partition = k.partition AND m.company_id = k.company_id) AS members
    FROM company_connections k
    WHERE client_id = :clientId AND audience = :audience AND ends_at > :now AND (company_id = :companyId OR :companyId IS NULL)
      AND (partition, company_id) > (:afterPartition, :afterCompany)
    ORDER BY partition, company_id LIMIT :limit`,
  bind: ({ after, ...args }) => ({
    ...args,
    ...{ afterPartition: after?.partition ?? -1, afterCompany: after?.companyId ?? "" },
  }),
  outcome: (rows) => rows.map((row) => ({ ...connectionOf(row), members: whole(row, "members") })),
});

export const putCompanyConnection = transaction<Args<"put">, Outcome<"put">>(
  async (tx, { partition, companyId, clientId, audience, record, endsAt, seen, by, now, ...asked }) => {
    const company = await lockCompany(tx, { partition, companyId });
    if (company === undefined) return "unknown";
    if (!(await isAdmin(tx, company, { by, ...asked }))) return "not_admin";
    // A deletion leaves a client that a document describes as disabled.
    const status = await statusOfClient(tx, clientId);
    if (status === "deleted" || status === "disabled") return "gone";
    const key = { partition, companyId, clientId, audience };
    const before = await present(tx, key);
    if ((before?.connectedAt ?? null) !== seen) return "changed";
    const rule = await tx.one(
      sql`SELECT rule FROM company_rules WHERE ${thisCompany} AND client_id = :clientId AND rule = 'block'`,
      { partition, companyId, clientId },
    );
    if (rule !== undefined) return "blocked";
    if (before === undefined) {
      const all = await tx.all(sql`SELECT audience FROM company_connections WHERE ${thisCompany}`, {
        partition,
        companyId,
      });
      if (all.length >= MAX_CONNECTIONS) return "full";
    }
    // Two connections of one millisecond must not look like one to a page.
    const connectedAt = Math.max(now, (before?.connectedAt ?? 0) + 1);
    const made: CompanyConnection = { ...key, record, endsAt, connectedBy: by ?? "operator", connectedAt };
    await tx.run(
      sql`INSERT INTO company_connections (${columns})
        VALUES (:partition, :companyId, :clientId, :audience, :record, :endsAt, :connectedBy, :connectedAt)
        ON CONFLICT (partition, company_id, client_id, audience) DO UPDATE SET record = excluded.record,
          ends_at = excluded.ends_at, connected_by = excluded.connected_by, connected_at = excluded.connected_at`,
      { ...key, record: JSON.stringify(record), endsAt, connectedBy: made.connectedBy, connectedAt },
    );
    await noteConnection(tx, made, { step: before === undefined ? "connected" : "changed", by: made.connectedBy, now });
    return "stored";
  },
);

export const removeCompanyConnection = transaction<Args<"remove">, Outcome<"remove">>(
  async (tx, { partition, companyId, clientId, audience, seen, by, now, ...asked }) => {
    const company = await lockCompany(tx, { partition, companyId });
    if (company === undefined) return "unknown";
    if (!(await isAdmin(tx, company, { by, ...asked }))) return "not_admin";
    const key = { partition, companyId, clientId, audience };
    const before = await present(tx, key);
    if (before === undefined) return "unknown";
    if (before.connectedAt !== seen) return "changed";
    await tx.run(sql`DELETE FROM company_connections WHERE ${thisConnection}`, key);
    await noteConnection(tx, before, { step: "removed", by: by ?? "operator", now });
    return "removed";
  },
);

/** The next connections of a client that has been deleted, in the order in which a company's deletion locks them. */
const someOfClient = sql`SELECT partition, company_id, client_id, audience FROM company_connections
  WHERE client_id = :clientId ORDER BY partition, company_id, audience LIMIT :limit`;

/**
 * Without this, an app that gets the client's id and the same offer later would act for members of companies whose admins
 * never saw it. Removes at most `limit` connections, each with a history entry, and returns their number.
 */
export async function removeConnectionsOfClient(
  tx: Tx,
  { clientId, limit }: { readonly clientId: string; readonly limit: number },
  { by, at }: { readonly by: string; readonly at: Millis },
): Promise<number> {
  await tx.all(sql`${someOfClient} ${words.forUpdateAcross}`, { clientId, limit });
  const removed = await tx.all(
    sql`DELETE FROM company_connections WHERE (partition, company_id, client_id, audience) IN (${someOfClient}) RETURNING ${columns}`,
    { clientId, limit },
  );
  for (const row of removed) await noteConnection(tx, connectionOf(row), { step: "removed", by, now: at });
  return removed.length;
}

async function present(tx: Tx, key: ConnectionKey): Promise<CompanyConnection | undefined> {
  const { partition, companyId, clientId, audience } = key;
  const row = await tx.one(findCompanyConnection.sql, { partition, companyId, clientId, audience });
  return row && connectionOf(row);
}

function noteConnection(
  tx: Tx,
  { partition, companyId: ownerId, clientId, audience, record: made, endsAt }: CompanyConnection,
  { step, by, now }: { readonly step: ConnectionStep; readonly by: string; readonly now: Millis },
): Promise<string> {
  const { scopes, clientName, serverName, texts } = made;
  const isRemoved = step === "removed";
  return note(tx, {
    ...{ partition, ownerId, clientId, at: now, kind: "connection" },
    record: {
      ...{ clientName, by, via: null, connection: step, through: { clientId: audience, clientName: serverName } },
      scopes: isRemoved ? [] : scopes.map((name) => ({ name, expiresAt: endsAt })),
      removed: isRemoved ? scopes : [],
      expiresAt: isRemoved ? null : endsAt,
      shown: { locale: "en", texts },
    },
  });
}

/** Clients that have connections or offers, sorted by client_id. An index over the text of the record finds them. */
export const listConnectedClients = query<{ readonly limit: number; readonly after: string | null }, readonly Client[]>(
  {
    sql: sql`SELECT record FROM clients WHERE record LIKE '%"connections":[{%' AND client_id > :after ORDER BY client_id LIMIT :limit`,
    bind: ({ limit, after }) => ({ limit, after: after ?? "" }),
    outcome: (rows) => rows.map((row) => json<Client>(row, "record")),
  },
);
