/**
 * The part of XML that an assertion needs, read strictly. The parser refuses everything that two parsers could
 * understand differently: comments, CDATA, processing instructions, document types, entities, undeclared or relative
 * namespaces.
 */

export interface XmlElement {
  readonly prefix: string;
  readonly name: string;
  readonly namespace: string;
  /** Attributes by their names as written, without namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All character data directly in the element, joined. */
  readonly text: string;
}

/** The reason why a text is refused. */
export class XmlRefused extends Error {
  override readonly name = "XmlRefused";
}

const MAX_DEPTH = 50;
const MAX_ELEMENTS = 2000;
const MAX_ATTRIBUTES = 50;

const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

const DECLARATION = /^<\?xml version="1\.0"( encoding="[Uu][Tt][Ff]-8")?( standalone="(?:yes|no)")? ?\?>/;
const NAME = "[A-Za-z_][A-Za-z0-9_.-]{0,99}(?::[A-Za-z_][A-Za-z0-9_.-]{0,99})?";
const OPENING = new RegExp(`<(${NAME})`, "y");
const ATTRIBUTE = new RegExp(`[ \\t\\r\\n]+(${NAME})="([^<"\\t\\r\\n]*)"`, "y");
const OPENED = /[ \t\r\n]*(\/?)>/y;
const CLOSING = new RegExp(`</(${NAME})[ \\t\\r\\n]*>`, "y");
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g;
/** Characters that XML 1.0 §2.2 doesn't allow. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufeff\ufffe\uffff]/;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** RFC 3986 §4.3: programs can resolve a relative namespace against different bases. */
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/;

interface Open {
  readonly tag: string;
  readonly prefix: string;
  readonly name: string;
  readonly namespace: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  readonly scope: ReadonlyMap<string, string>;
  text: string;
}

/** The root element of a document. Throws `XmlRefused`. The time is linear in the text's length. */
export function readXml(text: string): XmlElement {
  if (!text.isWellFormed() || FORBIDDEN.test(text)) throw new XmlRefused("a character that XML does not have");
  return new Reader(text).document();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #elements = 0;
  readonly #ids = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  document(): XmlElement {
    this.#at = DECLARATION.exec(this.#text)?.[0].length ?? 0;
    this.#skipSpace();
    const stack: Open[] = [];
    for (;;) {
      const open = stack.at(-1);
      const closing = this.#take(CLOSING);
      let ended: XmlElement | undefined;
      if (closing !== undefined) {
        if (open === undefined || closing[1] !== open.tag) throw new XmlRefused("an end tag without its start");
        stack.pop();
        ended = open;
      } else {
        const [child, empty] = this.#start(open?.scope ?? new Map([["xml", XML_NAMESPACE]]), stack.length);
        if (empty) ended = child;
        else stack.push(child);
      }
      const parent = stack.at(-1);
      if (ended !== undefined) {
        if (parent === undefined) return this.#last(ended);
        parent.children.push(ended);
      }
      if (parent !== undefined) parent.text += this.#characters();
    }
  }

  #last(root: XmlElement): XmlElement {
    this.#skipSpace();
    if (this.#at !== this.#text.length) throw new XmlRefused("something after the root element");
    return root;
  }

  #start(outer: ReadonlyMap<string, string>, depth: number): [Open, boolean] {
    const tag = this.#take(OPENING)?.[1];
    if (tag === undefined) throw new XmlRefused(`neither a tag nor text at ${this.#at}`);
    this.#elements += 1;
    if (depth >= MAX_DEPTH || this.#elements > MAX_ELEMENTS) throw new XmlRefused("too deep, or too many elements");
    const all = new Map<string, string>();
    for (let found = this.#take(ATTRIBUTE); found !== undefined; found = this.#take(ATTRIBUTE)) {
      const [, name = "", value = ""] = found;
      if (all.has(name) || all.size === MAX_ATTRIBUTES) throw new XmlRefused("an attribute twice, or too many");
      all.set(name, unescaped(value));
    }
    const end = this.#take(OPENED);
    if (end === undefined) throw new XmlRefused(`a tag is not well-formed at ${this.#at}`);
    const scope = declared(all, outer);
    const [prefix, name] = split(tag);
    const attributes = new Map([...all].filter(([key]) => key !== "xmlns" && !key.startsWith("xmlns:")));
    this.#checkAttributes(attributes, scope);
    const namespace = scope.get(prefix) ?? (prefix === "" ? "" : undefined);
    if (namespace === undefined) throw new XmlRefused("a prefix that is not declared");
    return [{ tag, prefix, name, namespace, attributes, children: [], scope, text: "" }, end[1] === "/"];
  }

  /** Refuses two attributes with one expanded name, and an id that occurs twice: programs would find different ones. */
  #checkAttributes(attributes: ReadonlyMap<string, string>, scope: ReadonlyMap<string, string>): void {
    const expanded = new Set<string>();
    let ids = 0;
    for (const [key, value] of attributes) {
      const [prefix, name] = split(key);
      const namespace = prefix === "" ? "" : scope.get(prefix);
      if (namespace === undefined) throw new XmlRefused("a prefix that is not declared");
      const whole = `${namespace} ${name}`;
      if (expanded.has(whole)) throw new XmlRefused("an attribute twice, under two prefixes");
      expanded.add(whole);
      if (name.toLowerCase() !== "id") continue;
      ids += 1;
      if (ids > 1 || this.#ids.has(value)) throw new XmlRefused("two ids on an element, or an id twice");
      this.#ids.add(value);
    }
  }

  #characters(): string {
    const end = this.#text.indexOf("<", this.#at);
    if (end === -1) throw new XmlRefused("the root element does not end");
    const raw = this.#text.slice(this.#at, end);
    if (raw.includes("]]>")) throw new XmlRefused("]]> in text");
    this.#at = end;
    return unescaped(raw.replace(/\r\n?/g, "\n"));
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

function split(tag: string): [string, string] {
  const colon = tag.indexOf(":");
  return colon === -1 ? ["", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
}

function declared(
  attributes: ReadonlyMap<string, string>,
  outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  let scope: Map<string, string> | undefined;
  for (const [key, value] of attributes) {
    if (key !== "xmlns" && !key.startsWith("xmlns:")) continue;
    const prefix = key === "xmlns" ? "" : key.slice(6);
    if (/^xml/i.test(prefix) || value === XML_NAMESPACE || value === XMLNS_NAMESPACE) {
      throw new XmlRefused("a reserved prefix or namespace is declared");
    }
    if (!ABSOLUTE.test(value)) throw new XmlRefused("a namespace is not an absolute URI");
    scope ??= new Map(outer);
    scope.set(prefix, value);
  }
  return scope ?? outer;
}

function unescaped(raw: string): string {
  if (!raw.includes("&")) return raw;
  return raw.replace(REFERENCE, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex ?? "", 16);
    const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    const character = isCharacter ? String.fromCodePoint(code) : "\0";
    if (FORBIDDEN.test(character)) throw new XmlRefused("a reference to an entity, or to no character");
    return character;
  });
}

/** The children with one expanded name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The only child with that name; undefined: there is none. Refuses two. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  const found = childrenOf(element, namespace, name);
  if (found.length > 1) throw new XmlRefused(`more than one ${name}`);
  return found[0];
}

/** The text of an element that contains nothing else, without white space around it. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw new XmlRefused(`${element.name} holds more than text`);
  const { text } = element;
  let from = 0;
  let to = text.length;
  // A loop, because a pattern that looks for the end would start again at each of many spaces.
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** An element and all elements in it, in document order. */
export function* descendants(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* descendants(child);
}
