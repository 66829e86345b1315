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

/** One of the clients whose names are compared. `clientId` null: it is not registered yet. */
type Compared = Omit<Named, "clientId"> & { readonly clientId: string | null };

/** Other clients with a name like one of this one's, in any language of either; at most ten. */
export async function similarClients(client: Compared, context: AdminContext): Promise<readonly SimilarClient[]> {
  const [similar = []] = await similarToEach([client], context);
  return similar;
}

/**
 * The same for each of these clients. The stored clients are read once. Those of `clients` may have other names there, or be
 * absent.
 */
async function similarToEach(
  clients: readonly Compared[],
  context: AdminContext,
): Promise<readonly (readonly SimilarClient[])[]> {
  const ofKey = new Map<string, Set<Compared>>();
  for (const client of clients)
    for (const key of allNames(client).flatMap(nameKeys)) ofKey.set(key, (ofKey.get(key) ?? new Set()).add(client));
  const found = new Map<Compared, SimilarClient[]>(clients.map((client) => [client, []]));
  const open = new Set(clients);
  const compare = ({ clientId, ...names }: Compared) => {
    if (clientId === null) return;
    for (const name of allNames(names))
      for (const client of new Set(nameKeys(name).flatMap((key) => [...(ofKey.get(key) ?? [])]))) {
        const similar = found.get(client) ?? [];
        const isKnown = client.clientId === clientId || similar.some((one) => one.clientId === clientId);
        if (!isKnown && open.has(client)) similar.push({ clientId, name });
        if (similar.length === MOST_SIMILAR) open.delete(client);
      }
  };
  const own = new Set(clients.map(({ clientId }) => clientId));
  clients.forEach(compare);
  for await (const other of allClients(context)) {
    if (open.size === 0) break;
    if (!own.has(other.clientId)) compare(other);
  }
  return clients.map((client) => found.get(client) ?? []);
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

/** Remarks about each of the clients that has a name like another one's. */
export async function similarRemarks(
  clients: readonly Named[],
  context: AdminContext,
): Promise<readonly (readonly Remark[])[]> {
  if (clients.length === 0) return [];
  return (await similarToEach(clients, context)).map((similar) =>
    similar.length === 0 ? [] : [{ field: "client_name", problem: similarText(similar) }],
  );
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
