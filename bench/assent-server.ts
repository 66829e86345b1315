/** The server under measurement: as `assent serve` runs it, compiled code kept, configured by ASSENT_ variables, the log at its default level. */

import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onMessages } from "./server-control.ts";

enableCompileCache(join(tmpdir(), "assent-bench-compiled"));
const { createAssent, listen, loadConfig } = await import("../packages/server/src/index.ts");
const listening = await listen(await createAssent(await loadConfig()));
onMessages(listening.port);
