/** Reads lists of any length page by page. */

const PAGE = 200;

/** Every item, in the storage's order. `keyOf`: the key after which the next page begins. */
export async function* pagesOf<T, Key = string>(
  page: (limit: number, after: Key | null) => Promise<readonly T[]>,
  keyOf: (item: T) => Key,
): AsyncGenerator<T> {
  let after: Key | null = null;
  for (;;) {
    const items: readonly T[] = await page(PAGE, after);
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE) return;
    after = keyOf(last);
  }
}
