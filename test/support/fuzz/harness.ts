/** Fuzzing of parsers: first a corpus, then inputs derived from it. Also measures the slowest inputs. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";

export const CORPUS = join(import.meta.dirname, "..", "..", "fuzz-corpus");

/** A parser, and the property that must hold for every input. */
export interface Parser {
  /** The folder of its corpus. */
  readonly name: string;
  /** The maximum length of its input, in characters. */
  readonly longest: number;
  /** Parts of its grammar, and similar texts. */
  readonly pieces: readonly string[];
  /** Throws if the property doesn't hold. If the parser reads bytes, each is a character below U+0100. */
  check(input: string): void | Promise<void>;
}

/**
 * Maximum processor time in milliseconds for the longest input, on a busy machine. Inputs that make a parser slow take
 * seconds.
 */
const MOST = 300;

/** The corpus of a parser: name and input of each file, which holds one JSON string. */
export function corpusOf({ name }: Parser): readonly (readonly [file: string, input: string])[] {
  const folder = join(CORPUS, name);
  return readdirSync(folder)
    .sort()
    .map((file) => [file, String(JSON.parse(readFileSync(join(folder, file), "utf8")))] as const);
}

/** Inputs for the parser: pieces in any order, corpus files with faults, and any text. */
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

/** A start, a few repeated pieces, and an end. Such inputs make backtracking and quadratic loops slow. */
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
  /** Number of inputs in one round. */
  readonly runs: number;
  /** Milliseconds in which rounds are repeated. 0: one round. */
  readonly during: number;
}

/** Returns the number of inputs tried. A failure names the seed and the smallest input that fast-check found. */
export async function tryInputs(parser: Parser, inputs: fc.Arbitrary<string>, extent: Extent): Promise<number> {
  let tried = 0;
  const endsAt = performance.now() + extent.during;
  const property = fc.asyncProperty(inputs, async (input) => {
    tried += 1;
    await parser.check(input);
  });
  // The short form tries the same inputs in each run. Inputs that the long form finds are added to the corpus.
  const seed = extent.during === 0 ? { seed: SEED } : {};
  do await fc.assert(property, { numRuns: extent.runs, ...seed });
  while (performance.now() < endsAt);
  return tried;
}

/** The same with long inputs. Each must take at most `MOST` in one of three tries. */
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
