/** Where a verb's row is. Groups are sorted by it, so that groups of several processes lock rows in one order. */

export interface Place {
  readonly partition: number;
  readonly id: string;
}

/** What names a row within its partition, in the verbs' arguments. */
const IDS = ["grantId", "sessionId", "requestId", "userCodeHash", "personId", "value", "key"];

/** The partition and row that a verb's arguments name, if they do. */
export function placeOf(args: unknown): Place | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const fields = args as Readonly<Record<string, unknown>>;
  const { partition, grant } = fields;
  if (grant !== undefined) return placeOf(grant);
  if (typeof partition !== "number") return undefined;
  for (const name of IDS) {
    const id = fields[name];
    if (typeof id === "string") return { partition, id };
  }
  return { partition, id: "" };
}

/** Partition by partition, row by row; what names no row comes first. */
export function byPlace(
  { place: a }: { readonly place: Place | undefined },
  { place: b }: { readonly place: Place | undefined },
): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a.partition - b.partition || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
