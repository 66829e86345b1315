/** Between the benchmark and a server's process: the port, what the process has used, a profile of its main thread. */

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

/** Microseconds of CPU since the start, bytes of memory. */
export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

export type ToServer = { readonly ask: "usage" } | { readonly ask: "profile" } | { readonly save: string };
export type FromServer = { readonly port: number } | { readonly usage: Usage } | { readonly done: true };

/** Says the port, then answers. The process ends with the one that started it. */
export function onMessages(port: number): void {
  let session: Session | undefined;
  const say = (message: FromServer) => void process.send?.(message);
  process.on("disconnect", () => process.exit());
  process.on("message", async (message: ToServer) => {
    if ("save" in message) {
      writeFileSync(message.save, JSON.stringify((await session?.post("Profiler.stop"))?.profile));
      session?.disconnect();
      say({ done: true });
    } else if (message.ask === "profile") {
      session = new Session();
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      say({ done: true });
    } else {
      const { user, system } = process.cpuUsage();
      say({ usage: { cpu: user + system, rss: process.memoryUsage.rss() } });
    }
  });
  say({ port });
}
