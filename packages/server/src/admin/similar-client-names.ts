/** Clients whose names an owner would take for one another (RFC 7591 §5): the same, or alike to the eye. */

import type { Client } from "../oauth/model.ts";
import { nameKeys } from "../oauth/names/look-alikes.ts";
import type { Remark } from "./admin-error.ts";
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

/** True: these changes give a client another name, in any language. */
export function namesClient(metadata: object): boolean {
  return Object.keys(metadata).some((field) => field === "client_name" || field.startsWith("client_name#"));
}

/** A warning for the operator. `similar`: one or more. */
export function similarText(similar: readonly SimilarClient[]): string {
  const first = similar.slice(0, 3).map(({ clientId, name }) => `${clientId} (${name})`);
  const rest = similar.length > first.length ? " and more" : "";
  return `owners may confuse this client with another one that has the same or a similar name: ${first.join(", ")}${rest}`;
}

/**
 * Remarks about each of the clients that has a name like another one's. The stored clients are read once. Those of `clients` may
 * have other names there, or be absent.
 */
export async function similarRemarks(
  clients: readonly Named[],
  context: AdminContext,
): Promise<readonly (readonly Remark[])[]> {
  if (clients.length === 0) return [];
  const ofKey = new Map<string, Set<Named>>();
  for (const client of clients)
    for (const key of allNames(client).flatMap(nameKeys)) ofKey.set(key, (ofKey.get(key) ?? new Set()).add(client));
  const found = new Map<Named, SimilarClient[]>(clients.map((client) => [client, []]));
  const compare = (other: Named) => {
    for (const name of allNames(other))
      for (const client of new Set(nameKeys(name).flatMap((key) => [...(ofKey.get(key) ?? [])]))) {
        const similar = found.get(client) ?? [];
        const isKnown = client.clientId === other.clientId || similar.some((one) => one.clientId === other.clientId);
        if (!isKnown && similar.length < MOST_SIMILAR) similar.push({ clientId: other.clientId, name });
      }
  };
  const own = new Set(clients.map(({ clientId }) => clientId));
  clients.forEach(compare);
  for await (const other of allClients(context)) if (!own.has(other.clientId)) compare(other);
  return clients.map((client) => {
    const similar = found.get(client) ?? [];
    return similar.length === 0 ? [] : [{ field: "client_name", problem: similarText(similar) }];
  });
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
