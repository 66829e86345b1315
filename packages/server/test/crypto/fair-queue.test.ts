import fc from "fast-check";
import { expect, test } from "vitest";
import { FairQueue } from "../../src/crypto/fair-queue.ts";

function all<T>(line: FairQueue<T>): T[] {
  const items: T[] = [];
  for (let item = line.next(); item !== undefined; item = line.next()) items.push(item);
  return items;
}

test("groups, and the groups in them → a turn each; within a group the order in which they came", () => {
  const line = new FairQueue<string>();
  for (const item of ["aa1", "aa2", "ab1", "ba1", "ba2", "aa3"]) line.add([item.slice(0, 1), item.slice(0, 2)], item);
  expect(all(line)).toEqual(["aa1", "ba1", "ab1", "ba2", "aa2", "aa3"]);
});

test("room is made → the largest group loses its newest, and in it the largest group", () => {
  const line = new FairQueue<string>();
  for (const item of ["aa1", "aa2", "ab1", "ba1"]) line.add([item.slice(0, 1), item.slice(0, 2)], item);
  expect(line.makeRoom(["c", "cc"])).toBe("aa2");
  expect(line.makeRoom(["b", "bb"])).toBeUndefined();
  expect(line.size).toBe(3);
});

test("whatever comes and goes → nothing is lost, nothing twice; whoever loses a place was in a larger group than the newcomer", () => {
  const way = fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y", "z"));
  const step = fc.oneof(
    way.map((at) => ({ at })),
    fc.constant("next" as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const line = new FairQueue<{ readonly at: readonly [string, string]; readonly serial: number }>();
      const waiting = new Map<number, readonly [string, string]>();
      const countOf = (test: (at: readonly [string, string]) => boolean) => [...waiting.values()].filter(test).length;
      for (const [serial, each] of steps.entries()) {
        if (each === "next") {
          const item = line.next();
          expect(item === undefined ? waiting.size === 0 : waiting.delete(item.serial)).toBe(true);
          continue;
        }
        const { at } = each;
        if (line.size === 10) {
          const crowding = line.isCrowding(at);
          const lost = line.makeRoom(at);
          expect(lost === undefined).toBe(crowding);
          if (lost === undefined) continue;
          const wide = ([first]: readonly [string, string]) => countOf(([other]) => other === first);
          const narrow = (own: readonly [string, string]) => countOf((other) => `${other}` === `${own}`);
          const larger = lost.at[0] === at[0] ? narrow(lost.at) > narrow(at) : wide(lost.at) > wide(at);
          expect(larger).toBe(true);
          expect(waiting.delete(lost.serial)).toBe(true);
        }
        line.add(at, { at, serial });
        waiting.set(serial, at);
        expect(line.size).toBe(waiting.size);
      }
      expect(all(line)).toHaveLength(waiting.size);
    }),
  );
});
