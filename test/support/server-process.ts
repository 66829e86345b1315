/** A server as a process of its own, for tests that kill it or run several on one database: says its port, stops on SIGTERM. */

import { createAssent, listen, loadConfig } from "../../packages/server/src/index.ts";

const assent = await createAssent(await loadConfig());
const listening = await listen(assent);

process.on("SIGTERM", () => {
  void listening.stop().then(() => process.disconnect?.());
});
// Whoever started us is gone: nobody would ever stop us.
process.on("disconnect", () => process.exit());
process.send?.({ port: listening.port });
