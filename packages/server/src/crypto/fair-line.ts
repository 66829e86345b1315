/** A line in which groups take turns: whoever sends much waits behind their own, and nobody else does. */

/** What waits at one place of the tree: in groups, or, at the end of a way, in the order in which it came. */
interface Branch<T> {
  size: number;
  /** In the order of their turns. */
  readonly groups: Map<string, Branch<T>>;
  readonly items: T[];
}

/**
 * Items wait under a way: the widest group first, then the groups in it. On each level the groups have a turn each. All ways of a line are equally
 * long.
 */
export class FairLine<T> {
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

  /** The item whose turn it is; undefined: nothing waits. */
  next(): T | undefined {
    if (this.#root.size === 0) return undefined;
    let at = this.#root;
    at.size -= 1;
    for (;;) {
      const [first] = at.groups;
      if (first === undefined) return at.items.shift();
      const [name, group] = first;
      group.size -= 1;
      // To the end, for its next turn.
      at.groups.delete(name);
      if (group.size > 0) at.groups.set(name, group);
      at = group;
    }
  }

  /** True: no group has more waiting than the one that this way's newcomer would be in. It has no better claim than those who wait. */
  isCrowding(way: readonly string[]): boolean {
    return this.#crowd(way) === undefined;
  }

  /** Takes out the newest item of the largest group, to make room for a newcomer; undefined: that would be the newcomer itself. */
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

  /** The way to the widest group that has more than the newcomer's own group beside it would have. */
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
