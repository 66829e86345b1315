/** Writes the whole content of a database into a file that another database can import. */

import { createHash } from "node:crypto";
import { link, open, rm } from "node:fs/promises";
import type { Millis } from "../../oauth/model.ts";
import { readState, STATES, type StoredEpoch } from "../database-state.ts";
import { migrationStatus } from "../migrations/migrate.ts";
import type { SchemaHost } from "../migrations/migration.ts";
import { TABLES } from "../tables.ts";
import { Digest, type Line, rowLine, VERSION } from "./export-format.ts";
import { columnsOf, pagesOf } from "./table-pages.ts";

export interface Exported {
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** Size of the text that is collected before it is written to the disk. */
const CHUNK = 1 << 20;

/**
 * Writes an export into a new file (mode 0600), with the database as it is at one moment; others may write meanwhile.
 * The file gets its name only when it is complete and on the disk. After an interruption, an export starts again.
 * Throws `EEXIST` if a file of that name exists.
 */
export async function exportDatabase(host: SchemaHost, file: string, now: Millis): Promise<Exported> {
  const draft = `${file}.part`;
  const migrations = (await migrationStatus(host)).filter(({ appliedAt }) => appliedAt !== null);
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let waiting = "";
    let bytes = 0;
    const flush = async () => {
      const data = Buffer.from(waiting, "utf8");
      waiting = "";
      hash.update(data);
      bytes += data.length;
      await handle.writeFile(data);
    };
    const write = async (line: string) => {
      waiting += `${line}\n`;
      if (waiting.length >= CHUNK) await flush();
    };
    const rows = await host.reading(async (tx) => {
      const tell = (line: Line) => write(JSON.stringify(line));
      await tell({
        assent_export: VERSION,
        made_at: now,
        migrations: migrations.map(({ name }) => name),
        tables: TABLES.map(({ name }) => name),
        epoch: (await readState<StoredEpoch>(tx, STATES.epoch)) ?? null,
      });
      const counts: Record<string, number> = {};
      for (const table of TABLES) {
        const digest = new Digest();
        let columns: readonly string[] | undefined;
        for await (const page of pagesOf(tx, table)) {
          for (const row of page) {
            if (columns === undefined) {
              columns = columnsOf(row);
              await tell({ table: table.name, columns });
            }
            const line = rowLine(row, columns);
            digest.add(line);
            await write(line);
          }
        }
        if (columns === undefined) await tell({ table: table.name, columns: [] });
        await tell({ end: table.name, rows: digest.rows, digest: digest.hex });
        counts[table.name] = digest.rows;
      }
      return counts;
    });
    await flush();
    const sha256 = hash.digest("hex");
    const last = `${JSON.stringify({ done: true, sha256 })}\n`;
    await handle.writeFile(last);
    await handle.sync();
    await link(draft, file);
    return { bytes: bytes + last.length, sha256, rows };
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}
