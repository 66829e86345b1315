/** The time at which a group of statements is sent. */

import { expect, test } from "vitest";
import { Groups } from "../../../src/storage/postgres/call-batches.ts";

/** The groups in the order in which they are sent. Each is under way until `end` is called. */
function aServer(lanes: number) {
  const sent: { readonly jobs: readonly number[]; end(): void }[] = [];
  const groups = new Groups<number, number>(
    (group) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = () => {
        for (const member of group) member.resolve(member.job);
        resolve();
      };
      sent.push({ jobs: group.map(({ job }) => job), end });
      return promise;
    },
    { lanes },
  );
  return { groups, sent, jobs: () => sent.map(({ jobs }) => jobs) };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
/** Waits longer than a group waits for further calls. */
async function turns(): Promise<void> {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("a few in one turn → together, behind the turn", async () => {
  const { groups, jobs } = aServer(2);
  for (const job of numbers(0, 3)) void groups.submit(job);
  expect(jobs()).toEqual([]);
  await turns();
  expect(jobs()).toEqual([[0, 1, 2]]);
});

test("many in one turn → as many groups as there are lanes have set out before it ends", async () => {
  const { groups, jobs } = aServer(2);
  for (const job of numbers(0, 20)) void groups.submit(job);
  expect(jobs()).toEqual([numbers(0, 8), numbers(8, 8)]);
  await turns();
  expect(jobs()).toHaveLength(2);
});

test("all lanes busy → whoever waits goes together when one is free, and each gets its own answer", async () => {
  const { groups, sent, jobs } = aServer(1);
  const answers = numbers(0, 40).map((job) => groups.submit(job));
  expect(jobs()).toEqual([numbers(0, 8)]);
  sent[0]?.end();
  await turns();
  expect(jobs()).toEqual([numbers(0, 8), numbers(8, 32)]);
  sent[1]?.end();
  expect(await Promise.all(answers)).toEqual(numbers(0, 40));
});
