/** The registered names of verbs, for tests that select verbs by name. */

import type { Storage } from "../../../src/storage/open.ts";
import type { Ports } from "../../../src/storage/verb-registry.ts";

/** For example "grants.redeem". */
export type VerbName = { [Aggregate in keyof Ports]: `${Aggregate}.${keyof Ports[Aggregate] & string}` }[keyof Ports];

export type Outcome = { readonly kind: string } | boolean | undefined;

export function callOf(storage: Storage, verb: VerbName): (args: unknown) => Promise<Outcome> {
  const [aggregate = "", name = ""] = verb.split(".");
  return Reflect.get(Reflect.get(storage, aggregate), name);
}
