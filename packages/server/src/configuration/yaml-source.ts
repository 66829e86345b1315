/** Reads the text of a configuration: YAML 1.2 with plain data alone, bounded, each value with its place. */

import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser, parseDocument } from "yaml";
import { ConfigurationError, type Place, type Problem } from "./problems.ts";

/** In bytes. */
export const MAX_FILE = 1_048_576;
const MAX_DEPTH = 20;

/** The value of a node. An object here has no key `__proto__`. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export interface Source {
  readonly value: Value;
  /** The place of the value that these keys lead to, or of the nearest one around it. */
  positionOf(path: readonly string[]): Place | undefined;
  /** The text of a scalar as the file has it. */
  textOf(path: readonly string[]): string | undefined;
}

/** Throws a `ConfigurationError`. */
export function readSource(text: string): Source {
  if (Buffer.byteLength(text) > MAX_FILE) refuse(`the file is larger than ${MAX_FILE / 1024} KiB`);
  const lines = new LineCounter();
  refuseDepth(text);
  const document = parseDocument(text, {
    ...{ version: "1.2", schema: "core", merge: false, uniqueKeys: true, stringKeys: true, strict: true },
    ...{ prettyErrors: false, logLevel: "error", lineCounter: lines },
  });
  const { yaml } = document.directives ?? {};
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos: [at] }) => ({
    field: null,
    problem: WORDS[code] ?? plain(message),
    place: placeAt(at, lines),
  }));
  if (faults.length > 0) throw new ConfigurationError(faults.slice(0, 10));
  if (yaml?.explicit && yaml.version !== "1.2") refuse("only YAML 1.2 is read: remove the line %YAML");
  return new Walk(lines).read(document.contents);
}

/** Sentences for faults that operators often make. */
const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is there twice",
  MULTIPLE_DOCS: "the file has a second document (---): one file describes one configuration",
  TAG_RESOLVE_FAILED: "tags (!…) can't be used",
  BAD_ALIAS: "anchors (&) and aliases (*) can't be used: repeat the value",
};

/** The first sentence of a message, which never quotes more than a sign of the text. */
function plain(message: string): string {
  return message.split("\n", 1)[0]?.slice(0, 200) ?? "is not YAML";
}

function refuse(problem: string, place?: Place): never {
  throw new ConfigurationError([{ field: null, problem, place }]);
}

function placeAt(offset: number, lines: LineCounter): Place | undefined {
  const { line, col } = lines.linePos(offset);
  return line === 0 ? undefined : { line, column: col };
}

/** The parser itself doesn't recurse. What reads its result does, so the depth is checked before. */
function refuseDepth(text: string): void {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH + 2)
      refuse(`the file is nested more than ${MAX_DEPTH} levels deep`, placeAt(parser.offset, lines));
  }
}

const SEPARATOR = "\0";

class Walk {
  readonly #lines: LineCounter;
  readonly #places = new Map<string, Place | undefined>();
  readonly #texts = new Map<string, string>();
  readonly #problems: Problem[] = [];

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(contents: Node | null): Source {
    const value = this.#value(contents, []);
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems.slice(0, 10));
    return {
      value,
      positionOf: (path) => {
        for (let length = path.length; length > 0; length -= 1) {
          const found = this.#places.get(path.slice(0, length).join(SEPARATOR));
          if (found !== undefined) return found;
        }
        return undefined;
      },
      textOf: (path) => this.#texts.get(path.join(SEPARATOR)),
    };
  }

  #wrong(node: Node | null, path: readonly string[], problem: string): null {
    const at = node?.range?.[0];
    const place = at === undefined ? undefined : placeAt(at, this.#lines);
    this.#problems.push({ field: path.length === 0 ? null : path.join("."), problem, place });
    return null;
  }

  #value(node: Node | null, path: readonly string[]): Value {
    if (node === null) return null;
    if (isAlias(node)) return this.#wrong(node, path, WORDS["BAD_ALIAS"] ?? "");
    if ("anchor" in node && node.anchor !== undefined) return this.#wrong(node, path, WORDS["BAD_ALIAS"] ?? "");
    if (node.tag !== undefined) return this.#wrong(node, path, WORDS["TAG_RESOLVE_FAILED"] ?? "");
    if (isMap(node)) {
      const entries: [string, Value][] = [];
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? (typeof key.value === "string" ? key.value : (key.source ?? "")) : undefined;
        if (name === undefined || name === "__proto__" || name.length > 2_100) {
          this.#wrong((key ?? null) as Node | null, path, "this can't be a key");
          continue;
        }
        const below = [...path, name];
        const at = (key as Node).range?.[0];
        if (at !== undefined) this.#places.set(below.join(SEPARATOR), placeAt(at, this.#lines));
        entries.push([name, this.#value((value ?? null) as Node | null, below)]);
      }
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const below = [...path, String(index)];
        const at = (item as Node | null)?.range?.[0];
        if (at !== undefined) this.#places.set(below.join(SEPARATOR), placeAt(at, this.#lines));
        return this.#value(item as Node | null, below);
      });
    }
    if (!isScalar(node)) return this.#wrong(node, path, "can't be read");
    if (node.source !== undefined) this.#texts.set(path.join(SEPARATOR), node.source);
    const { value } = node;
    if (typeof value === "string") {
      // PostgreSQL stores no U+0000, and an unpaired surrogate has no UTF-8.
      if (!value.isWellFormed() || value.includes("\0"))
        return this.#wrong(node, path, "has a character that no text can have");
      return value;
    }
    if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
    return this.#wrong(node, path, "can't be read");
  }
}
