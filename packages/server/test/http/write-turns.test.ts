import { expect, test } from "vitest";
import { MAX_WAITING, WriteTurns } from "../../src/http/admin-api/write-turns.ts";

/** Begins changes that last until `finish`. */
function changes(turns: WriteTurns) {
  const begun: string[] = [];
  const finishing = new Map<string, () => void>();
  const ask = (caller: string, name: string) =>
    turns
      .inTurn(caller, () => {
        begun.push(name);
        return new Promise<void>((done) => finishing.set(name, done));
      })
      .then(
        () => "done",
        (error: { readonly condition: string }) => error.condition,
      );
  const finish = (name: string) => finishing.get(name)?.();
  return { begun, ask, finish };
}

const settled = () => new Promise((done) => setImmediate(done));
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

test("one caller's ninth change → waits; another caller's begins at once", async () => {
  const { begun, ask, finish } = changes(new WriteTurns());
  const asked = numbered("a", 9).map((name) => ask("a", name));
  const other = ask("b", "b0");
  await settled();
  expect(begun).toEqual([...numbered("a", 8), "b0"]);
  finish("a3");
  expect(await asked[3]).toBe("done");
  await settled();
  expect(begun.at(-1)).toBe("a8");
  finish("b0");
  expect(await other).toBe("done");
});

test("two callers wait → they take turns", async () => {
  const { begun, ask, finish } = changes(new WriteTurns());
  for (const caller of ["x", "y"]) for (const name of numbered(caller, 6)) void ask(caller, name);
  for (const name of numbered("a", 3)) void ask("a", name);
  for (const name of numbered("b", 3)) void ask("b", name);
  await settled();
  expect(begun).toHaveLength(12);
  for (const name of numbered("x", 6)) finish(name);
  await settled();
  expect(begun.slice(12)).toEqual(["a0", "b0", "a1", "b1", "a2", "b2"]);
});

test("more than may wait → refused at once; a caller with fewer changes takes the place of the newest of the largest", async () => {
  const { begun, ask, finish } = changes(new WriteTurns());
  const crowd = numbered("a", 8 + MAX_WAITING).map((name) => ask("a", name));
  expect(await ask("a", "one more")).toBe("temporarily_unavailable");
  for (const name of numbered("b", 4)) void ask("b", name);
  const late = ask("b", "late");
  expect(await crowd.at(-1)).toBe("temporarily_unavailable");
  finish("a0");
  finish("a1");
  await settled();
  expect(begun.slice(12)).toEqual(["a8", "late"]);
  finish("late");
  expect(await late).toBe("done");
});

test("a change that fails → its place is free again", async () => {
  const turns = new WriteTurns();
  const fails = () => turns.inTurn("a", () => Promise.reject(new Error("no")));
  for (let turn = 0; turn < 20; turn++) await expect(fails()).rejects.toThrow("no");
  expect(await turns.inTurn("a", async () => "done")).toBe("done");
});

test("nothing becomes free for as long as a change may wait → refused", async () => {
  const { begun, ask } = changes(new WriteTurns(20));
  for (const name of numbered("a", 8)) void ask("a", name);
  expect(await ask("a", "a8")).toBe("temporarily_unavailable");
  expect(begun).toHaveLength(8);
});
