/** A process that calls verbs on a database of its parent's, many at once, when told to. */

import { openStorage, type Storage } from "../../../src/storage/open.ts";
import type { Ports } from "../../../src/storage/verbs/index.ts";

export interface Race {
  readonly url: string;
  /** All of these at once. */
  readonly calls: readonly { readonly verb: keyof Ports; readonly args: unknown }[];
}

type Outcome = { readonly kind: string } | boolean | undefined;

let storage: Storage | undefined;

process.on("message", (message: Race | "close") => {
  void (message === "close" ? close() : run(message));
});

async function run({ url, calls }: Race): Promise<void> {
  storage ??= await openStorage({ url });
  const opened = storage;
  const kinds = await Promise.all(
    calls.map(async ({ verb, args }) => {
      const outcome = await (opened[verb] as (args: unknown) => Promise<Outcome>)(args);
      return typeof outcome === "boolean" ? String(outcome) : (outcome?.kind ?? "none");
    }),
  );
  process.send?.(kinds);
}

async function close(): Promise<void> {
  await storage?.close();
  process.disconnect?.();
}

process.send?.("ready");
