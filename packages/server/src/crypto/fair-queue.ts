/** A queue in which groups take turns: a group that sends much delays only itself. */

/** The waiting items at one node of the tree: in groups, or, at a leaf, in the order of arrival. */
interface Branch<T> {
  size: number;
  /** In the order of their turns. */
  readonly groups: Map<string, Branch<T>>;
  readonly items: T[];
}

/**
 * Each item has a path: the widest group first, then the groups in it. On each level, the groups take turns. All paths
 * of a queue have the same length.
 */
export class FairQueue<T> {
  readonly #root: Branch<T> = branch();

  get size(): number {
    return this.#root.size;
  }

  add(way: readonly string[], item: T): void {
    let at = this.#root;
    at.size += 1;
    for (const name of way) {
      let next = at.groups.get(name);
      if (next === undefined) {
        next = branch();
        at.groups.set(name, next);
      }
      next.size += 1;
      at = next;
    }
    at.items.push(item);
  }

  /** The next item. Undefined: nothing waits. */
  next(): T | undefined {
    if (this.#root.size === 0) return undefined;
    let at = this.#root;
    at.size -= 1;
    for (;;) {
      const [first] = at.groups;
      if (first === undefined) return at.items.shift();
      const [name, group] = first;
      group.size -= 1;
      // Move it to the end, for its next turn.
      at.groups.delete(name);
      if (group.size > 0) at.groups.set(name, group);
      at = group;
    }
  }

  /**
   * True: no group has more waiting items than the one of this newcomer, so the newcomer has no better claim than those
   * who wait.
   */
  isCrowding(way: readonly string[]): boolean {
    return this.#crowd(way) === undefined;
  }

  /**
   * Removes the newest item of the largest group, to make room for a newcomer. Undefined: that would be the newcomer
   * itself.
   */
  makeRoom(way: readonly string[]): T | undefined {
    const crowd = this.#crowd(way);
    if (crowd === undefined) return undefined;
    let at = this.#root;
    at.size -= 1;
    for (let depth = 0; ; depth += 1) {
      const name = crowd[depth] ?? largest(at)?.[0];
      const group = name === undefined ? undefined : at.groups.get(name);
      if (name === undefined || group === undefined) return at.items.pop();
      group.size -= 1;
      if (group.size === 0) at.groups.delete(name);
      at = group;
    }
  }

  /** The path to the widest group that has more items than the newcomer's own group would have. */
  #crowd(way: readonly string[]): readonly string[] | undefined {
    let at: Branch<T> | undefined = this.#root;
    for (const [depth, name] of way.entries()) {
      const own: Branch<T> | undefined = at?.groups.get(name);
      const most = at === undefined ? undefined : largest(at);
      if (most !== undefined && most[1].size > (own?.size ?? 0) + 1) return [...way.slice(0, depth), most[0]];
      at = own;
    }
    return undefined;
  }
}

function branch<T>(): Branch<T> {
  return { size: 0, groups: new Map(), items: [] };
}

function largest<T>({ groups }: Branch<T>): readonly [string, Branch<T>] | undefined {
  let most: readonly [string, Branch<T>] | undefined;
  for (const each of groups) if (most === undefined || each[1].size > most[1].size) most = each;
  return most;
}
