/** PostgreSQL whose owners' tables are spread by hash of the partition column, as a distributed one would spread them. */

import { Client } from "pg";
import { type Dialect, postgres } from "../../packages/server/src/storage/dialect.ts";

/** Parts of each table: enough that a statement that forgot the partition would meet several. */
const PARTS = 4;

/** A table that is spread has no storage settings of its own; its parts do. */
export const sharded: Dialect = {
  ...postgres,
  words: {
    ...postgres.words,
    spread: " PARTITION BY HASH (partition)",
    spreadRoomy: " PARTITION BY HASH (partition)",
  },
};

/** Makes the parts of every table that is to be spread. */
export async function spreadTables(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ relname: string }>("SELECT relname FROM pg_class WHERE relkind = 'p'");
  for (const { relname } of rows) {
    for (let part = 0; part < PARTS; part += 1) {
      await client.query(
        `CREATE TABLE ${relname}_part_${part} PARTITION OF ${relname} FOR VALUES WITH (MODULUS ${PARTS}, REMAINDER ${part})
          WITH (fillfactor = 80)`,
      );
    }
  }
  await client.end();
}
