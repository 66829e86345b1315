/**
 * Loaded into a server that the benchmark profiles (`--import`). It takes a profile of the main thread when the
 * benchmark asks.
 */

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

export type ToProfiler = { readonly profiler: "start" } | { readonly profiler: "save"; readonly file: string };

let session: Session | undefined;
process.on("message", async (message: ToProfiler) => {
  if (message.profiler === "start") {
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 250 });
    await session.post("Profiler.start");
  } else if (message.profiler === "save") {
    writeFileSync(message.file, JSON.stringify((await session?.post("Profiler.stop"))?.profile));
    session?.disconnect();
  } else return;
  process.send?.({ profiler: "done" });
});
