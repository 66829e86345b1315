/** An owner's history, page by page. */

import type { Uses } from "../../storage-subset.ts";
import { pageOf } from "../paging.ts";
import type { HistoryEntry, OwnerStorage } from "../storage.ts";

export interface HistoryContext {
  readonly storage: Uses<OwnerStorage, "history.get" | "history.list">;
}

/** Undefined: the entry does not exist, or belongs to another owner. */
export function historyEntryOf(ownerId: string, entryId: string, { storage }: HistoryContext) {
  return storage.history.get({ ownerId, entryId });
}

/** Entries that are no decision, which a day has once or for further permissions, have no receipt. */
export function isDecision({ kind }: Pick<HistoryEntry, "kind">): boolean {
  return kind !== "reconnected" && kind !== "delegated" && kind !== "vouched";
}

const ENTRIES_SHOWN = 25;

export interface HistoryShown {
  readonly entries: readonly HistoryEntry[];
  /** The last entry of this page if older ones follow, otherwise null. */
  readonly older: string | null;
}

/** Undefined: this owner has no entry `before`. */
export async function historyPage(
  { partition, ownerId }: { readonly partition: number; readonly ownerId: string },
  before: string | null,
  { storage }: HistoryContext,
): Promise<HistoryShown | undefined> {
  const from = before === null ? null : await storage.history.get({ ownerId, entryId: before });
  if (from === undefined) return undefined;
  const { items, last } = await pageOf(ENTRIES_SHOWN, (limit) =>
    storage.history.list({ partition, ownerId, before: from, limit }),
  );
  return { entries: items, older: last?.entryId ?? null };
}
