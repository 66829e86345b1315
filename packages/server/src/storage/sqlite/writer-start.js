/** The first file of the writer's thread: shares the process's cache of compiled code, then begins. Plain JavaScript, so that nothing is stripped before. */

import { enableCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

if (workerData.compiled !== undefined) enableCompileCache(workerData.compiled);
await import(workerData.program);
