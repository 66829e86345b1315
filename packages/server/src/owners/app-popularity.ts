/** How many owners use an app, for the consent page. */

import { LRUCache } from "lru-cache";
import type { Uses } from "../storage-subset.ts";
import type { OwnerStorage } from "./storage.ts";

/**
 * The number of a client's owners as an order of magnitude. It tells a new app from a popular one, and gives nobody's
 * exact number of customers away.
 */
const MAGNITUDES = [10_000, 1000, 100, 10];
const COUNTED_AGAIN = 3_600_000;

export class Popularity {
  readonly #storage: Uses<OwnerStorage, "consents.countOwners">;
  readonly #counted = new LRUCache<string, { readonly people: number | null }>({ max: 2000, ttl: COUNTED_AGAIN });

  constructor(storage: Uses<OwnerStorage, "consents.countOwners">) {
    this.#storage = storage;
  }

  /**
   * 0: fewer than ten; n: more than n; null: in between. It is counted at most once an hour, and never beyond ten
   * thousand.
   */
  async of(clientId: string): Promise<number | null> {
    const known = this.#counted.get(clientId);
    if (known !== undefined) return known.people;
    const owners = await this.#storage.consents.countOwners({ clientId, most: (MAGNITUDES[0] ?? 0) + 1 });
    const over = MAGNITUDES.find((magnitude) => owners > magnitude);
    const people = over ?? (owners < 10 ? 0 : null);
    this.#counted.set(clientId, { people });
    return people;
  }
}
