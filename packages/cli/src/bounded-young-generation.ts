/**
 * Bounds the young generation of V8's heap, where new objects are made. V8 doubles it under load, up to 48 MiB, and
 * hardly ever shrinks it. Requests are short, so a larger one saves little work.
 */

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const MIB = 2 ** 20;
/** Size of the young generation, in bytes, from which it doesn't grow any more. */
const ENOUGH = 4 * MIB;
const EVERY_MS = 250;

/**
 * Watches the young generation until it is large enough, then keeps V8 from doubling it again. At the start it must
 * grow: while it is small, objects of requests under way would move to the old generation, which costs more.
 */
export function boundYoungGeneration(): void {
  const watch = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < ENOUGH) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(watch);
  }, EVERY_MS);
  watch.unref();
}
