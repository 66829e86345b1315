/** From nothing to the first token: a server's process is started on a database that is there, and redeems a code as soon as it listens. */

import { run } from "./load.ts";
import type { Prepared } from "./prepare.ts";
import { start } from "./processes.ts";
import { redemption } from "./rows.ts";

export interface Starts {
  /** Milliseconds, one for each start. */
  readonly firstToken: readonly number[];
  /** Bytes of memory, a second after the start. */
  readonly idle: number;
}

/** The first start of all, which compiles, is left out; each needs a code. */
export async function measureStarts(
  data: Prepared,
  codes: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Starts> {
  const firstToken: number[] = [];
  let idle = 0;
  for (const code of codes) {
    const startedAt = performance.now();
    const server = await start("assent-server.ts", { env });
    const one = [redemption(data, code)].values();
    await run({ port: server.port, connections: 1, seconds: 10, next: () => one.next().value });
    firstToken.push(performance.now() - startedAt);
    if (firstToken.length === codes.length) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      idle = (await server.usage()).rss;
    }
    await server.end();
  }
  return { firstToken: firstToken.slice(1), idle };
}
