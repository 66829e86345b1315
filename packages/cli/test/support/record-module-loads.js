/**
 * Preloaded into a process (`node --import`): writes the URL of each module that its main thread loads to the file that
 * LOADS_FILE names. Modules whose URL ends in LOADS_BROKEN fail to load. `undici` stands for the fetch client inside
 * Node.
 */

import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";

const { LOADS_FILE: file, LOADS_BROKEN: broken } = process.env;

registerHooks({
  load(url, context, nextLoad) {
    const undici = process.moduleLoadList.includes("NativeModule internal/deps/undici/undici");
    if (file !== undefined && isMainThread) appendFileSync(file, `${undici ? "undici " : ""}${url}\n`);
    if (broken !== undefined && url.endsWith(broken)) throw new Error(`${broken} can't be read`);
    return nextLoad(url, context);
  },
});
