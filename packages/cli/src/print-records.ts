/** The output of commands: one JSON document, or text for people. Warnings and notes go to stderr. */

import { styleText } from "node:util";

export type WireRecord = Readonly<Record<string, unknown>>;

/** A column of a list: the field of the record, and how to show its value. */
export interface Column {
  readonly field: string;
  readonly title?: string;
  readonly show?: (value: unknown, record: WireRecord) => string;
  /** The column can be cut if the table is wider than the terminal: a list of words after a word, a text anywhere. */
  readonly cut?: "words" | "text";
}

/**
 * Matches control characters. Text from clients or browsers may hold escape sequences, which must not reach the
 * terminal.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const segments = new Intl.Segmenter("en");

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "�");
}

/** A JSON document for programs that is safe on a terminal: JSON.stringify leaves some control characters as they are. */
export function jsonText(document: unknown): string {
  return JSON.stringify(document, null, 2).replace(UNPRINTABLE, (char) =>
    char === "\n" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The number of columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segments.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Fewest columns of a cell that is cut. */
const SHORTEST = 16;

/** The part of a text that takes this number of columns, with a mark that something is left out. */
export function cutTo(text: string, width: number, how: "words" | "text"): string {
  if (widthOf(text) <= width) return text;
  if (how === "words") {
    const words = text.split(" ");
    for (let count = words.length - 1; count > 0; count -= 1) {
      const some = `${words.slice(0, count).join(" ")} +${words.length - count}`;
      if (widthOf(some) <= width) return some;
    }
    const [first = "", ...others] = words;
    const rest = ` +${others.length}`;
    if (others.length > 0 && width > rest.length) return `${cutTo(first, width - rest.length, "text")}${rest}`;
  }
  let kept = "";
  for (const { segment } of segments.segment(text)) {
    if (widthOf(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The widths of columns in a table that should fit the terminal. The last column that can be cut is cut first. */
function fitting(widths: readonly number[], columns: readonly Column[], most: number): readonly number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width, 2 * (fitted.length - 1)) - most;
  for (let at = columns.length - 1; at >= 0 && over > 0; at -= 1) {
    const width = fitted[at] ?? 0;
    if (columns[at]?.cut === undefined || width <= SHORTEST) continue;
    const left = Math.max(SHORTEST, width - over);
    fitted[at] = left;
    over -= width - left;
  }
  return fitted;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** A value in a form for people. */
export function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(shown).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([name, one]) => `${name} ${shown(one)}`)
      .join(" ");
  }
  return printable(String(value));
}

/** Shows the times of RFC 7591 as dates: they are seconds since the epoch, and 0 means never. */
function dateOf(name: string, value: unknown): unknown {
  if (typeof value !== "number" || !name.endsWith("_at")) return value;
  return value === 0 ? "never" : new Date(value * 1000).toISOString();
}

function bold(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}

function dim(text: string): string {
  return styleText("dim", text, { stream: process.stdout });
}

/** Columns. A longer list is shown with one line for each item. */
const LINE = 72;

export class Output {
  readonly #json: boolean;

  constructor(json: boolean) {
    this.#json = json;
  }

  /** One record, field by field. The fields in `once` are secrets that the command can't show again. */
  record(record: WireRecord, once: readonly string[] = []): void {
    if (this.#json) this.#document(record);
    else this.#fields(record, once);
  }

  #fields(record: WireRecord, once: readonly string[]): void {
    const width = Math.max(...Object.keys(record).map((name) => name.length));
    for (const [name, value] of Object.entries(record)) {
      const whole = shown(dateOf(name, value));
      const lines = Array.isArray(value) && widthOf(whole) > LINE ? value.map(shown) : [whole];
      const label = padded(name, width);
      lines.forEach((line, at) => {
        const text = once.includes(name) ? bold(line) : line;
        process.stdout.write(`${at === 0 ? dim(label) : " ".repeat(width)}  ${text}\n`);
      });
    }
    const secrets = once.filter((name) => record[name] !== undefined);
    if (secrets.length > 0) this.note(`${secrets.join(", ")}: shown only once, because the server stores only a hash`);
  }

  /** A list, as a table with these columns, or as a JSON array of whole records. */
  list(records: readonly WireRecord[], columns: readonly Column[], none: string): void {
    if (this.#json) this.#document(records);
    else if (records.length === 0) this.note(none);
    else this.#table(records, columns);
  }

  #table(records: readonly WireRecord[], columns: readonly Column[]): void {
    const titles = columns.map(({ field, title = field }) => title);
    const rows = records.map((record) =>
      columns.map(({ field, show = shown }) => printable(show(record[field], record))),
    );
    const whole = titles.map((title, at) => Math.max(...[title, ...rows.map((row) => row[at] ?? "")].map(widthOf)));
    // A program that reads the output gets all of it.
    const { isTTY, columns: most } = process.stdout;
    const widths = isTTY && most > 0 ? fitting(whole, columns, most) : whole;
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, at) => padded(cutTo(cell, widths[at] ?? 0, columns[at]?.cut ?? "text"), widths[at] ?? 0))
        .join("  ")
        .trimEnd();
    process.stdout.write(`${dim(line(titles))}\n${rows.map((row) => `${line(row)}\n`).join("")}`);
  }

  /** Says that the command is done, if there is no record to show. */
  done(record: WireRecord, text: string): void {
    if (this.#json) this.#document(record);
    else process.stdout.write(`${text}\n`);
  }

  /** A risk or a possible mistake. */
  warn(text: string): void {
    process.stderr.write(`warning: ${printable(text)}\n`);
  }

  /** A note for people. With `--json` it is left out. */
  note(text: string): void {
    if (!this.#json) process.stderr.write(`${printable(text)}\n`);
  }

  /** Other output, neither a record nor a list. `text` writes it for people. */
  report(document: unknown, text: (out: Output) => void): void {
    if (this.#json) this.#document(document);
    else text(this);
  }

  #document(document: unknown): void {
    process.stdout.write(`${jsonText(document)}\n`);
  }
}
