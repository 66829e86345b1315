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

/** The fewest states, nearly, with every structure of all states. */
export function coveringStates(): readonly string[] {
  const all = Object.entries(states).map(([name, state]) => {
    const html = state(chrome({ issuer: "http://127.0.0.1", here: `/${name}`, locale: "en" }));
    return { name, structures: structuresOf(html) };
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

function structuresOf(html: string): ReadonlySet<string> {
  const open: { tag: string; described: string }[] = [];
  const found = new Set<string>();
  for (const [, slash, tag = "", attributes = ""] of html.matchAll(TAG)) {
    if (slash === "/") {
      const at = open.findLastIndex((one) => one.tag === tag);
      if (at >= 0) open.length = at;
      continue;
    }
    const described = `${tag} ${describe(attributes)}`;
    found.add([...open.slice(-2).map((one) => one.described), described].join(" > "));
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
