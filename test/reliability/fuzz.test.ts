/** REL-24: every parser with random input: first the corpus, then inputs derived from it, then the longest inputs. */

import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { documentParsers } from "../support/fuzz/foreign-documents.ts";
import { CORPUS, corpusOf, type Extent, inputsOf, tryInputs, tryLongInputs } from "../support/fuzz/harness.ts";
import { httpParsers } from "../support/fuzz/http-input.ts";
import { ownParsers } from "../support/fuzz/own-formats.ts";
import { asked, figure, inFull } from "../support/reliability-cycles-and-figures.ts";

const parsers = [...httpParsers, ...documentParsers, ...ownParsers];

/** Minutes for all parsers. 0: a few hundred inputs each. */
const minutes = asked("minutes", inFull ? 10 : 0);
/** Most of a parser's time is for many short inputs. */
const share = (part: number) => (minutes * 60_000 * part) / parsers.length;
const extent = (runs: number, part: number): Extent => ({ runs, during: share(part) });

test("each folder of the corpus is a parser's, and each parser has one", () => {
  // Raw HTTP has its own suite: test/attacks/raw-http-properties.test.ts.
  expect(readdirSync(CORPUS).sort()).toEqual([...parsers.map(({ name }) => name), "raw-http"].sort());
});

describe.each(parsers)("$name", (parser) => {
  test("the corpus → read or refused, as its rules say", async () => {
    for (const [file, input] of corpusOf(parser)) {
      try {
        await parser.check(input);
      } catch (error) {
        throw new Error(`${parser.name}/${file}`, { cause: error });
      }
    }
  });

  test("random inputs, and long ones → read or refused, as its rules say, none slowly", {
    timeout: 120_000 + share(2),
  }, async () => {
    const short = await tryInputs(parser, inputsOf(parser), extent(120, 0.8));
    const long = await tryLongInputs(parser, extent(4, 0.2));
    if (minutes > 0) figure("REL-24", parser.name, { inputs: short, "long inputs": long });
  });
});
