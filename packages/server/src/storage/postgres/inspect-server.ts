/** Describes a PostgreSQL server and the role that the server signs in as, for operators. */

import { sql } from "../define-verbs.ts";
import { postgres } from "../dialect.ts";
import { text, whole } from "../row-conversion.ts";
import { told } from "./classify-errors.ts";
import { Connector } from "./connect-to-writable-host.ts";
import { parseAddress } from "./database-url.ts";

export interface ServerFacts {
  /** `host:port` of the server that would be used. */
  readonly address: string;
  /** Major version. */
  readonly version: number;
  readonly readOnly: boolean;
  readonly standby: boolean;
  readonly encrypted: boolean;
  readonly encoding: string;
  /** The value without the settings of our own sessions. */
  readonly synchronousCommit: string;
  readonly fsync: boolean;
  /** How far this machine's clock is ahead of the server's clock, in milliseconds. */
  readonly localAhead: number;
  readonly superuser: boolean;
  /** True: the role may create tables. */
  readonly mayCreate: boolean;
  readonly maxConnections: number;
  /** Maximum number of connections that one process opens. */
  readonly ownConnections: number;
}

/**
 * Inspects the first server that takes writes, or else the first that answers. Throws `StorageUnavailable`, and a
 * `TypeError` for a malformed URL.
 */
export async function inspectPostgres(url: string): Promise<ServerFacts> {
  const address = parseAddress(url);
  const options = { dialect: postgres, greeted: () => undefined };
  const writable = new Connector(address, { ...options, readonly: false });
  const any = new Connector(address, { ...options, readonly: true });
  const connection = await writable.open().catch(() => any.open());
  try {
    const received = performance.now();
    const [result] = await connection.run([
      {
        sql: sql`SELECT CAST(current_setting('server_version_num') AS INTEGER) / 10000 AS version,
            pg_encoding_to_char(d.encoding) AS encoding,
            (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit,
            current_setting('fsync') AS fsync,
            CASE WHEN r.rolsuper THEN 1 ELSE 0 END AS superuser,
            CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 1 ELSE 0 END AS may_create,
            CASE WHEN EXISTS (SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) THEN 1 ELSE 0 END AS encrypted,
            CAST(current_setting('max_connections') AS INTEGER) AS max_connections
          FROM pg_database AS d, pg_roles AS r WHERE d.datname = current_database() AND r.rolname = current_user`,
        params: {},
      },
    ]);
    const row = result?.rows[0] ?? {};
    const { clock, tookMs, readOnly, standby } = connection.greeting;
    return {
      address: `${connection.host.host}:${connection.host.port}`,
      version: whole(row, "version"),
      readOnly,
      standby,
      encrypted: whole(row, "encrypted") === 1,
      encoding: text(row, "encoding"),
      synchronousCommit: text(row, "synchronous_commit"),
      fsync: text(row, "fsync") === "on",
      localAhead: Math.round(Date.now() - (performance.now() - received) - tookMs / 2 - clock),
      superuser: whole(row, "superuser") === 1,
      mayCreate: whole(row, "may_create") === 1,
      maxConnections: whole(row, "max_connections"),
      ownConnections: address.maxConnections,
    };
  } catch (error) {
    throw told(error);
  } finally {
    await connection.close();
  }
}
