/**
 * Chooses the states that together show every structure that pages have. A structure is an element inside two others,
 * each with its classes, the names of its attributes, and the values that change its meaning.
 */

import { chrome } from "../../src/pages/index.ts";
import { states } from "./page-states.ts";

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z:-]+(?:="[^"]*")?)*)\s*\/?>/gi;
const ATTRIBUTE = /\s([a-z:-]+)(?:="([^"]*)")?/gi;
/** Attributes whose values count, not only their names. */
const WITH_VALUE = new Set(["class", "role", "type", "dir", "autocomplete", "aria-live", "aria-current"]);

const VOID = new Set(["br", "hr", "img", "input", "link", "meta", "path", "circle", "rect", "line"]);

/** What counts as a structure: in how many others an element stands, and what describes each of them. */
interface Sight {
  readonly inside: number;
  readonly describe: (attributes: string) => string;
}

/** The fewest states, nearly, with every structure of all states. */
export function coveringStates(): readonly string[] {
  return covering(Object.keys(states), { inside: 2, describe });
}

/** Of these states the fewest, nearly, with every class inside each other class: what colours depend on. */
export function coveringClasses(names: readonly string[]): readonly string[] {
  return covering(names, { inside: 1, describe: (attributes) => / class="([^"]*)"/.exec(attributes)?.[1] ?? "" });
}

function covering(names: readonly string[], sight: Sight): readonly string[] {
  const all = names.map((name) => {
    const html = (states[name] ?? unknown(name))(
      chrome({ issuer: "http://127.0.0.1", here: `/${name}`, locale: "en" }),
    );
    return { name, structures: structuresOf(html, sight) };
  });
  const missing = new Set(all.flatMap(({ structures }) => [...structures]));
  const chosen: string[] = [];
  while (missing.size > 0) {
    const [best] = all
      .map(({ name, structures }) => ({ name, structures, adds: structures.intersection(missing).size }))
      .toSorted((a, b) => b.adds - a.adds);
    if (best === undefined) break;
    for (const structure of best.structures) missing.delete(structure);
    chosen.push(best.name);
  }
  return chosen;
}

function unknown(name: string): never {
  throw new Error(`no state ${name}`);
}

function structuresOf(html: string, { inside, describe }: Sight): ReadonlySet<string> {
  const open: { tag: string; described: string }[] = [];
  const found = new Set<string>();
  for (const [, slash, tag = "", attributes = ""] of html.matchAll(TAG)) {
    if (slash === "/") {
      const at = open.findLastIndex((one) => one.tag === tag);
      if (at >= 0) open.length = at;
      continue;
    }
    const described = `${tag} ${describe(attributes)}`;
    found.add([...open.slice(-inside).map((one) => one.described), described].join(" > "));
    if (!VOID.has(tag)) open.push({ tag, described });
  }
  return found;
}

function describe(attributes: string): string {
  return [...attributes.matchAll(ATTRIBUTE)]
    .map(([, name = "", value]) => (WITH_VALUE.has(name) ? `${name}=${value}` : name))
    .sort()
    .join(" ");
}
