/** A process that runs many verbs at once on a database of its parent, on request. */

import { StorageUnavailable } from "../../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { callOf, type VerbName } from "./verb-name.ts";

export interface Race {
  readonly url: string;
  /** Calls that run at once. */
  readonly calls: readonly { readonly verb: VerbName; readonly args: unknown }[];
}

let storage: Storage | undefined;

process.on("message", (message: Race | "close") => {
  void (message === "close" ? close() : run(message));
});

async function run({ url, calls }: Race): Promise<void> {
  storage ??= await openStorage({ url });
  const opened = storage;
  const kinds = await Promise.all(
    calls.map(async ({ verb, args }) => {
      const outcome = await untilTaken(() => callOf(opened, verb)(args));
      return typeof outcome === "boolean" ? String(outcome) : (outcome?.kind ?? "none");
    }),
  );
  process.send?.(kinds);
}

/**
 * If the database refuses work after waiting too long for a lock, callers are asked to try again. These callers do so.
 */
async function untilTaken<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || error.uncertain || tries === 10) throw error;
    }
  }
}

async function close(): Promise<void> {
  await storage?.close();
  process.disconnect?.();
}

process.send?.("ready");
