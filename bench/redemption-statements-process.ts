/**
 * Runs only the SQL statements of a redemption: `redemption-statements-process.ts <url> <data directory>` sends them to
 * PostgreSQL in batches, without a server, from the server's core. It reports the rate of the database and its driver
 * as redemptions a second.
 */

import { Client } from "pg";
import { postgres } from "../packages/server/src/storage/dialect.ts";
import { redeemCode } from "../packages/server/src/storage/grants/grant-lifecycle.ts";
import { Pipeline, Preparations } from "../packages/server/src/storage/postgres/pipeline.ts";
import { prepare } from "./prepare-database.ts";

/** As many connections as the engine has. A batch has as many statements in progress as the load has connections. */
const CONNECTIONS = 2;
const IN_A_BATCH = 16;

export interface AskStatements {
  readonly statements: "prepare" | "run";
  readonly seconds: number;
}

export interface StatementsRun {
  readonly count: number;
  readonly seconds: number;
  /** The time of each batch in milliseconds. */
  readonly took: readonly number[];
}

const [url = "", dataDir = ""] = process.argv.slice(2);
const data = await prepare({ dataDir, databaseUrl: url });
const clients = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    // The same setting as the engine's sessions: PostgreSQL uses an index, even for a small table.
    await client.query("SET enable_seqscan = off");
    return { client, known: new Preparations(postgres) };
  }),
);
let redemptions: Awaited<ReturnType<typeof data.redemptions>> = [];
let at = 0;
let rate = 8000;

async function run(seconds: number): Promise<StatementsRun> {
  const took: number[] = [];
  let count = 0;
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async ({ client, known }) => {
      while (performance.now() - startedAt < seconds * 1000) {
        const batch = redemptions.slice(at, at + IN_A_BATCH);
        if (batch.length === 0) return;
        at += batch.length;
        const sentAt = performance.now();
        const asks = batch.map((args) => ({ sql: redeemCode.sql, params: redeemCode.bind(args) }));
        const results = await client.query(new Pipeline(asks, known)).answer;
        if (results.some((result) => result.count !== 1)) throw new Error("a redemption was refused");
        count += batch.length;
        took.push(performance.now() - sentAt);
      }
    }),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  rate = (count / elapsed) * 1.3;
  return { count, seconds: elapsed, took };
}

process.on("disconnect", () => process.exit());
process.on("message", async (message: AskStatements | object) => {
  if (!("statements" in message)) return;
  if (message.statements === "run") process.send?.({ answer: await run(message.seconds) });
  else {
    const left = redemptions.slice(at);
    const wanted = Math.max(0, Math.ceil(rate * message.seconds) - left.length);
    redemptions = [...left, ...(await data.redemptions(wanted))];
    at = 0;
    for (const { client } of clients) await client.query("DISCARD PLANS");
    process.send?.({ answer: "prepared" });
  }
});
process.send?.({ port: 0 });
