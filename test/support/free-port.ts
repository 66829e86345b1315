/** A free port for a server that must know its address before it starts. */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the range for automatic ports (32768 and above on Linux), so that no other program gets this port between the
 * check and its use.
 */
const OURS = { from: 15_000, to: 30_000 } as const;

/** A port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OURS.from, OURS.to);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
