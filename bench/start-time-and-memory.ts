/**
 * The time from a start to the first token, and the memory of a server before and under load. Its own launcher starts
 * it, with an existing database. It measures the published form, which runs in production. For a checkout, whose
 * sources Node reads one by one, it measures only the start.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endpoints } from "../packages/server/src/oauth/endpoints.ts";
import { installPackages } from "../test/support/published-packages.ts";
import { run } from "./load/closed-loop.ts";
import { redemption } from "./load/token-endpoint-requests.ts";
import { type Prepared, prepare } from "./prepare-database.ts";
import { type Figure, spread } from "./report-as-json.ts";
import { assentRows } from "./rows/assent-rows.ts";
import { launchAssent, type ServerProcess } from "./server-processes.ts";
import { CONNECTIONS } from "./take-turns.ts";

const MIB = 2 ** 20;

/**
 * `starts`: number of starts; one more, which compiles, doesn't count. `seconds`: time of load for the memory under
 * load.
 */
export async function measureStarts(
  folder: string,
  { starts, seconds }: { readonly starts: number; readonly seconds: number },
): Promise<Figure[]> {
  const data = await prepare({ dataDir: join(folder, "start") });
  try {
    const env = { ...data.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
    const launcher = await installPackages(folder);
    const firstToken: number[] = [];
    const ofCheckout: number[] = [];
    const idle: number[] = [];
    const loaded: number[] = [];
    for (const [at, code] of (await data.codes(data.keeping, starts + 1)).entries()) {
      const startedAt = performance.now();
      const server = await launchAssent({ env, launcher });
      await firstRedemption(server, data, code);
      if (at > 0) firstToken.push(performance.now() - startedAt);
      await sleep(1000);
      if (at > 0) idle.push(server.usage().rss / MIB);
      // Two runs are enough, because each takes long.
      if (at > 0 && at <= 2) loaded.push(await memoryUnderLoad(server, data, seconds));
      await server.end();
    }
    for (const [at, code] of (await data.codes(data.keeping, starts + 1)).entries()) {
      const startedAt = performance.now();
      const server = await launchAssent({ env });
      await firstRedemption(server, data, code);
      if (at > 0) ofCheckout.push(performance.now() - startedAt);
      await server.end();
    }
    return [
      { name: "start", label: "start to first token", value: spread(firstToken), unit: "ms", goal: { most: 150 } },
      {
        name: "start-checkout",
        label: "the same for a checkout of the sources",
        value: spread(ofCheckout),
        unit: "ms",
        goal: null,
      },
      { name: "memory-idle", label: "memory, a second after the start", value: spread(idle), unit: "MiB", goal: null },
      {
        name: "memory-loaded",
        label: "memory, maximum under token requests",
        value: spread(loaded),
        unit: "MiB",
        goal: { most: 110 },
      },
    ];
  } finally {
    await data.close();
  }
}

/** Resolves as soon as the server listens. */
async function firstRedemption(server: ServerProcess, data: Prepared, code: string): Promise<void> {
  for (;;) {
    const once = [redemption(endpoints.token, data.keeping, code)].values();
    try {
      await run({ port: server.port, connections: 1, seconds: 10, next: () => once.next().value });
      return;
    } catch (error) {
      // A connection that comes while the sockets are opened may be reset.
      if (!["ECONNREFUSED", "ECONNRESET"].includes((error as { code?: string }).code ?? "")) throw error;
      await sleep(1);
    }
  }
}

async function memoryUnderLoad(server: ServerProcess, data: Prepared, seconds: number): Promise<number> {
  const names = new Set(["client-credentials-post", "redeem", "refresh-rotated", "introspect-jwt"] as const);
  let most = 0;
  for (const row of await assentRows(data, "assent", server.port, names)) {
    await row.prepare?.(seconds);
    const watch = setInterval(() => {
      most = Math.max(most, server.usage().rss);
    }, 100);
    await run({ port: server.port, connections: CONNECTIONS, seconds, next: row.next });
    clearInterval(watch);
    most = Math.max(most, server.usage().rss);
  }
  return most / MIB;
}
