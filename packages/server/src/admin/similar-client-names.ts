/** Clients whose names an owner would take for one another (RFC 7591 §5): the same, or alike to the eye. */

import type { Client } from "../oauth/model.ts";
import { nameKeys } from "../oauth/names/look-alikes.ts";
import { allClients } from "./clients.ts";
import type { AdminContext } from "./context.ts";

type Named = Pick<Client, "clientId" | "name" | "names">;

/** Another client, and the name of it that is like one of ours. */
export interface SimilarClient {
  readonly clientId: string;
  readonly name: string;
}

/** Of many alike, the first few are told. */
export const MOST_SIMILAR = 10;

/** Other clients with a name like one of this one's, in any language of either; at most ten. `client` may be one that is not registered yet. */
export async function similarClients(
  client: Omit<Named, "clientId"> & { readonly clientId: string | null },
  context: AdminContext,
): Promise<readonly SimilarClient[]> {
  const keys = new Set(allNames(client).flatMap(nameKeys));
  const similar: SimilarClient[] = [];
  for await (const other of allClients(context)) {
    if (other.clientId === client.clientId) continue;
    const name = allNames(other).find((one) => nameKeys(one).some((key) => keys.has(key)));
    if (name !== undefined) similar.push({ clientId: other.clientId, name });
    if (similar.length === MOST_SIMILAR) break;
  }
  return similar;
}

/** Pairs of clients of all that there are, each told once, with the first that it is like. */
export class NamesSeen {
  readonly #seen = new Map<string, Named>();

  /** The client of before that this one is like; undefined: none. */
  add(client: Named): Named | undefined {
    const keys = allNames(client).flatMap(nameKeys);
    const like = keys.map((key) => this.#seen.get(key)).find((one) => one !== undefined);
    for (const key of keys) if (!this.#seen.has(key)) this.#seen.set(key, client);
    return like;
  }
}

function allNames({ name, names = {} }: Omit<Named, "clientId">): readonly string[] {
  return [name, ...Object.values(names)];
}
