/** Reads lists of any length page by page. */

const PAGE = 200;

/** Every item, in the storage's order. `keyOf`: the key after which the next page begins. */
export async function* pagesOf<T>(
  page: (limit: number, after: string | null) => Promise<readonly T[]>,
  keyOf: (item: T) => string,
): AsyncGenerator<T> {
  let after: string | null = null;
  for (;;) {
    const items: readonly T[] = await page(PAGE, after);
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < PAGE) return;
    after = keyOf(last);
  }
}
