/** Latency at half of the capacity, with requests at a constant rate (open loop). */

import { type LatencyReport, spread } from "../report-as-json.ts";
import { RIVAL } from "../rows/peer-rows.ts";
import type { Site } from "../start-measured-servers.ts";
import type { Windows } from "../take-turns.ts";
import { quantile } from "./closed-loop.ts";
import { runOpen, SETTLE } from "./open-loop.ts";

const ROWS = [
  ...["inline", "client-credentials-post", "redeem", "refresh-rotated", "introspect-jwt"],
  ...[`${RIVAL}-client-credentials`, `${RIVAL}-redeem`],
];
/** Number of connections. A connection that waits for a response takes no other request. */
const CONNECTIONS = 128;
const ROUNDS = 3;

/** The rows take turns again. Half of the capacity is half of the median rate of `windows`. */
export async function measureLatency(site: Site, windows: Windows, seconds: number): Promise<LatencyReport[]> {
  const rows = site.rows.filter(({ name }) => ROWS.includes(name));
  const found = rows.map((row) => ({
    row,
    rate: Math.round(spread((windows.get(row.name) ?? []).map(({ rate }) => rate)).median / 2),
    took: [] as Float64Array[],
    refused: [] as number[],
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { row, rate, took, refused } of found) {
      const port = site.servers.get(row.server)?.port ?? 0;
      await row.prepare?.(seconds + SETTLE);
      const measured = await runOpen({ port, connections: CONNECTIONS, seconds, rate, next: row.next });
      took.push(measured.took);
      refused.push(measured.refused / (measured.refused + measured.count));
    }
  }
  return found.map(({ row, rate, took, refused }) => {
    const at = (share: number) => spread(took.map((sorted) => quantile(sorted, share)));
    return {
      name: row.name,
      label: row.label,
      server: row.server,
      rate,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      refused: spread(refused),
    };
  });
}
