/** Lists of the admin API: `limit`, sealed cursors, and pages of lists that are short. */

import { type Static, type TProperties, Type } from "typebox";
import type { Place } from "../../admin/directory.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import { ApiRefusal } from "./problem.ts";
import type { AdminApiTools } from "./tools.ts";

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

/** The parameters of a list: its filters, and those of every list. */
export function listQuery<P extends TProperties>(filters: P) {
  return Type.Object(
    {
      ...filters,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `entries of a page; default ${DEFAULT_LIMIT}` }),
      ),
      after: Type.Optional(Type.String({ maxLength: 2000, description: "`next` of the previous page" })),
    },
    { additionalProperties: false },
  );
}
export type ListQuery = Static<ReturnType<typeof listQuery<Record<never, never>>>>;

/** The answer of a list. */
export function pageOf(record: Parameters<typeof Type.Array>[0]) {
  return Type.Object({
    items: Type.Array(record),
    next: Type.Union([Type.String(), Type.Null()], {
      description: "send it as `after` to get the next page; null: this is the last one",
    }),
  });
}

/**
 * A cursor is sealed, and bound to its list, filters and sort: nobody can make one, and the one of another list is none
 * here.
 */
export class Cursors {
  readonly #tools: Pick<AdminApiTools, "secrets">;
  readonly #context: string;

  constructor(list: string, { limit: _, after: __, ...filters }: ListQuery, tools: Pick<AdminApiTools, "secrets">) {
    this.#tools = tools;
    this.#context = JSON.stringify([list, Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1))]);
  }

  seal(place: Place | null): string | null {
    if (place === null) return null;
    const plain = Buffer.from(JSON.stringify([place.key, place.id]));
    return Buffer.from(seal(this.#tools.secrets, "admin list", this.#context, plain)).toString("base64url");
  }

  open(after: string | undefined): Place | null {
    if (after === undefined) return null;
    const bytes = Buffer.from(after, "base64url");
    const isCanonical = bytes.toString("base64url") === after;
    const plain = isCanonical ? unseal(this.#tools.secrets, "admin list", this.#context, bytes) : undefined;
    if (plain === undefined) throw new ApiRefusal("cursor_invalid");
    const [key, id] = JSON.parse(plain.toString()) as [string | number, string];
    return { key, id };
  }
}

/** A page of a short list that is in memory. `keyOf`: unique, and the order of the list. */
export function pageInMemory<T>(
  all: readonly T[],
  keyOf: (one: T) => string,
  { limit, after }: { readonly limit: number; readonly after: Place | null },
): { readonly items: readonly T[]; readonly next: Place | null } {
  const sorted = [...all].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const rest = after === null ? sorted : sorted.filter((one) => keyOf(one) > String(after.key));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rest.length > limit && last !== undefined ? { key: keyOf(last), id: "" } : null };
}
