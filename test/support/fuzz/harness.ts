/** Parsers under random input: a corpus first, then what grows from it; and how long the worst inputs take. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";

export const CORPUS = join(import.meta.dirname, "..", "..", "fuzz-corpus");

/** One parser, and what must hold whatever it reads. */
export interface Parser {
  /** The folder of its corpus. */
  readonly name: string;
  /** The longest input that reaches it, in characters. */
  readonly longest: number;
  /** What its grammar is made of, and what comes close. */
  readonly pieces: readonly string[];
  /** Throws where something doesn't hold. Bytes come as characters below U+0100 where the parser reads bytes. */
  check(input: string): void | Promise<void>;
}

/** Milliseconds of processor time for the longest input, on a machine that is busy. Inputs that make a parser slow take seconds. */
const MOST = 300;

/** The corpus of a parser: name and input of each file, which holds one JSON string. */
export function corpusOf({ name }: Parser): readonly (readonly [file: string, input: string])[] {
  const folder = join(CORPUS, name);
  return readdirSync(folder)
    .sort()
    .map((file) => [file, String(JSON.parse(readFileSync(join(folder, file), "utf8")))] as const);
}

/** Inputs that may reach the parser: pieces in any order, corpus with faults in it, and any text. */
export function inputsOf(parser: Parser): fc.Arbitrary<string> {
  const seeds = corpusOf(parser).map(([, input]) => input);
  const piece = fc.constantFrom(...parser.pieces);
  const soup = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(""));
  const noise = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 40 }));
  const fault = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.nat({ max: 8 }),
    add: fc.oneof(piece, noise, fc.constant("")),
    again: fc.nat({ max: 2 }),
  });
  const bent = fc
    .tuple(fc.constantFrom(...seeds), fc.array(fault, { minLength: 1, maxLength: 4 }))
    .map(([seed, faults]) =>
      faults.reduce((text, { at, drop, add, again }) => {
        const place = Math.floor(at * text.length);
        const cut = text.slice(place, place + drop);
        return text.slice(0, place) + add + cut.repeat(again) + text.slice(place + drop);
      }, seed),
    );
  return fc
    .oneof({ weight: 4, arbitrary: bent }, { weight: 3, arbitrary: soup }, { weight: 1, arbitrary: noise })
    .map((text) => text.slice(0, parser.longest));
}

/** A beginning, a few pieces again and again, and an end: what makes backtracking and quadratic loops slow. */
export function longInputsOf({ pieces, longest }: Parser): fc.Arbitrary<string> {
  const some = (minLength: number, maxLength: number) =>
    fc.array(fc.constantFrom(...pieces), { minLength, maxLength }).map((parts) => parts.join(""));
  return fc
    .tuple(some(0, 2), some(1, 3), some(0, 2))
    .filter(([, unit]) => unit !== "")
    .map(([start, unit, end]) => {
      const times = Math.max(1, Math.floor((longest - start.length - end.length) / unit.length));
      return start + unit.repeat(times) + end;
    });
}

const SEED = 24;

export interface Extent {
  /** Inputs of one round. */
  readonly runs: number;
  /** Rounds follow one another for so many milliseconds; 0: there is one. */
  readonly during: number;
}

/** How many inputs were tried. A failure names the seed and the smallest input that fast-check found. */
export async function tryInputs(parser: Parser, inputs: fc.Arbitrary<string>, extent: Extent): Promise<number> {
  let tried = 0;
  const endsAt = performance.now() + extent.during;
  const property = fc.asyncProperty(inputs, async (input) => {
    tried += 1;
    await parser.check(input);
  });
  // The short form tries the same inputs each time; what the long form finds goes into the corpus.
  const seed = extent.during === 0 ? { seed: SEED } : {};
  do await fc.assert(property, { numRuns: extent.runs, ...seed });
  while (performance.now() < endsAt);
  return tried;
}

/** The same with long inputs, none of which may take longer than `MOST`, at the third time of asking. */
export function tryLongInputs(parser: Parser, extent: Extent): Promise<number> {
  const timed: Parser = {
    ...parser,
    async check(input) {
      let least = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 3 && least > MOST; turn += 1) {
        const before = process.cpuUsage();
        await parser.check(input);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1000);
      }
      if (least > MOST) throw new Error(`${input.length} characters take ${least} ms`);
    },
  };
  return tryInputs(timed, longInputsOf(parser), extent);
}
