/** An owner's history, page by page. */

import type { Uses } from "../../uses.ts";
import type { HistoryEntry, OwnerStorage } from "../storage.ts";

export interface HistoryContext {
  readonly storage: Uses<OwnerStorage, "history.get" | "history.list">;
}

/** Undefined: the entry does not exist, or belongs to another owner. */
export function historyEntryOf(ownerId: string, entryId: string, { storage }: HistoryContext) {
  return storage.history.get({ ownerId, entryId });
}

export interface HistoryShown {
  readonly entries: readonly HistoryEntry[];
  /** The last entry of this page if older ones follow, otherwise null. */
  readonly older: string | null;
}

/** Undefined: this owner has no entry `before`. */
export async function historyPage(
  { partition, ownerId }: { readonly partition: number; readonly ownerId: string },
  before: string | null,
  limit: number,
  { storage }: HistoryContext,
): Promise<HistoryShown | undefined> {
  const last = before === null ? null : await storage.history.get({ ownerId, entryId: before });
  if (last === undefined) return undefined;
  const found = await storage.history.list({ partition, ownerId, before: last, limit: limit + 1 });
  const entries = found.slice(0, limit);
  return { entries, older: found.length > limit ? (entries.at(-1)?.entryId ?? null) : null };
}
