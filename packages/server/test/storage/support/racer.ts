/** A process that calls verbs on a database of its parent's, many at once, when told to. */

import { StorageUnavailable } from "../../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { callOf, type VerbName } from "./verb-name.ts";

export interface Race {
  readonly url: string;
  /** All of these at once. */
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

/** Callers whose work the database did not take, having waited too long for a lock, are told to come again; so do these. */
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
