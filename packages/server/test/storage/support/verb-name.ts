/** Verbs by the name under which they are registered, for tests that choose them by name. */

import type { Ports } from "../../../src/storage/aggregates.ts";
import type { Storage } from "../../../src/storage/open.ts";

/** "grants.redeem" and the like. */
export type VerbName = { [Aggregate in keyof Ports]: `${Aggregate}.${keyof Ports[Aggregate] & string}` }[keyof Ports];

export type Outcome = { readonly kind: string } | boolean | undefined;

export function callOf(storage: Storage, verb: VerbName): (args: unknown) => Promise<Outcome> {
  const [aggregate = "", name = ""] = verb.split(".");
  return Reflect.get(Reflect.get(storage, aggregate), name);
}
