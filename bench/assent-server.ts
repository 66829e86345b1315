/** The server under measurement: as `assent start` runs it, configured by ASSENT_ variables, the log at its default level. */

import { createAssent, listen, loadConfig } from "../packages/server/src/index.ts";
import { onMessages } from "./server-control.ts";

const listening = await listen(await createAssent(await loadConfig()));
onMessages(listening.port);
