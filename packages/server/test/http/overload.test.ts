import { beforeEach, describe, expect, test } from "vitest";
import { Gate } from "../../src/http/connections/overload.ts";

let time: number;
let gate: Gate;
beforeEach(() => {
  time = 1_000;
  gate = new Gate(() => time);
});

/** One turn of the event loop in which so many requests come, each of which takes so long to be taken up; what each was told. */
async function turn(requests: number, milliseconds: number): Promise<(string | undefined)[]> {
  const told: (string | undefined)[] = [];
  for (let request = 0; request < requests; request += 1) {
    const reason = gate.refuses();
    told.push(reason);
    if (reason !== undefined) continue;
    gate.enter();
    time += milliseconds;
  }
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

function answerAll(): void {
  while (gate.underWay > 0) gate.leave();
}

const refusedOf = (told: readonly (string | undefined)[]) => told.filter((reason) => reason !== undefined);

describe("the event loop", () => {
  test("one long burst → nobody is refused", async () => {
    expect(refusedOf(await turn(800, 0.5))).toEqual([]);
  });

  test("every turn too long for half a second → what comes late in a turn is refused, what comes early is not", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    const told = await turn(200, 0.5);
    // Two a millisecond: those of the first 20 ms, and no more of those that the 50 under way let in.
    expect(told.slice(0, 41)).toEqual(Array(41).fill(undefined));
    expect(told.slice(50)).toEqual(Array(150).fill("event_loop"));
  });

  test("one short turn → it begins anew", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    await turn(10, 0.5);
    answerAll();
    expect(refusedOf(await turn(200, 0.5))).toEqual([]);
  });

  test("a pause of a second → it begins anew", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    time += 1_001;
    expect(refusedOf(await turn(200, 0.5))).toEqual([]);
  });

  test("few requests, each of which takes long → nobody is refused", async () => {
    for (let at = 0; at < 10; at += 1) {
      expect(refusedOf(await turn(20, 20))).toEqual([]);
      answerAll();
    }
  });
});

describe("requests under way", () => {
  test("1,024 → the next is refused until one is answered", async () => {
    await turn(1_024, 0);
    expect(await turn(1, 0)).toEqual(["under_way"]);
    gate.leave();
    expect(await turn(1, 0)).toEqual([undefined]);
  });
});
