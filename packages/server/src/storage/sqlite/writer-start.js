/**
 * The first file of the writer's thread: it shares the process's cache of compiled code, then starts the thread. It is
 * plain JavaScript, so that no types have to be removed first.
 */

import { enableCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

if (workerData.compiled !== undefined) enableCompileCache(workerData.compiled);
await import(workerData.program);
