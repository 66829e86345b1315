/** A port for a server that must know its address before it starts. */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below those that systems give to whoever asks for any (32768 and above on Linux): between our look and our use, nobody is given one of these. */
const OURS = { from: 15_000, to: 30_000 } as const;

/** On 127.0.0.1. */
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
