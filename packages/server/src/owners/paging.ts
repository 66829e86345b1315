/** One page of a list that may go on. */

export interface PageOf<T> {
  readonly items: readonly T[];
  /** The last item of this page if another page follows, otherwise undefined. */
  readonly last: T | undefined;
}

/** `list`: reads so many items of the list, from where the page begins. It is asked for one more, to see whether another page follows. */
export async function pageOf<T>(shown: number, list: (limit: number) => Promise<readonly T[]>): Promise<PageOf<T>> {
  const found = await list(shown + 1);
  const items = found.slice(0, shown);
  return { items, last: found.length > shown ? items.at(-1) : undefined };
}
