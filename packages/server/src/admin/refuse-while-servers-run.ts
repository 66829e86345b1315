/** Which servers run on the database, as they say themselves, for what must not be done beside them. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { refuse } from "./admin-error.ts";
import type { AdminStorage, RunningServer } from "./storage.ts";

const LOOKED_EVERY: Millis = 500;

export interface Waiting {
  /** Told once, where there is something to wait for. */
  readonly waits?: (text: string) => void;
  /** Which of them are in the way; default: all. */
  readonly matters?: (server: RunningServer) => boolean;
  /** What the operator is to do about them. */
  readonly remedy: string;
}

/**
 * Resolves when no such server runs. One that was killed can't say that it is gone: its word is waited out, half a minute at the most. Throws `in_use` as
 * soon as one has given another sign of life, or came since.
 */
export async function refuseBesideServers(
  storage: Uses<AdminStorage, "leases.runningServers"> & { now(): Millis },
  { waits, matters = () => true, remedy }: Waiting,
): Promise<void> {
  const running = async () => (await storage.leases.runningServers({ now: storage.now() })).filter(matters);
  const first = await running();
  if (first.length > 0) {
    waits?.(`${described(first)} may still run. Waiting for up to 30 seconds to find out.`);
  }
  for (let left = first; left.length > 0; left = await running()) {
    const alive = left.filter(({ id, until }) => !first.some((one) => one.id === id && one.until === until));
    if (alive.length > 0) {
      refuse("in_use", null, `nothing was changed: ${described(alive)} uses this database; ${remedy}`);
    }
    await sleep(LOOKED_EVERY);
  }
}

function described(servers: readonly RunningServer[]): string {
  const names = servers.slice(0, 5).map(({ host, pid }) => `process ${pid} on ${host}`);
  return `${names.join(", ")}${servers.length > 5 ? ` and ${servers.length - 5} more` : ""}`;
}
