/** Code blocks of Markdown pages, and the files that they are copied from. */

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The path of `<!-- from PATH -->` in the line before the block. */
  readonly from: string | undefined;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const found = page.matchAll(/(?:^<!-- from (\S+) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...found].map(([, from, language = "", text = ""]) => ({ language, text, from }));
}

/** A line with only this text, as a comment of the language, stands for omitted lines. */
const OMISSION = /^(?:\/\/|#) …\n/m;

/** Whether a text contains the pieces of a block in this order, as whole lines with any indentation. */
export function isExcerpt(block: string, source: string): boolean {
  const lines = source.split("\n");
  let at = 0;
  return piecesOf(block).every((piece) => {
    const places = lines
      .keys()
      .filter((start) => start >= at && stands(piece, lines.slice(start, start + piece.length)));
    const [start] = places.take(1);
    if (start === undefined) return false;
    at = start + piece.length;
    return true;
  });
}

function piecesOf(block: string): readonly (readonly string[])[] {
  return block.split(OMISSION).map((piece) => piece.trimEnd().split("\n"));
}

function stands(piece: readonly string[], lines: readonly string[]): boolean {
  const indent = Math.min(...lines.filter((line) => line !== "").map((line) => line.length - line.trimStart().length));
  return lines.length === piece.length && lines.every((line, at) => line.slice(indent) === piece[at]);
}
