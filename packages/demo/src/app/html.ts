/** Pages as tagged templates. htm parses them, and preact renders them to a string and escapes all text. */

import htm from "htm";
import { h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

export type Markup = VNode;

/** Allowed content between tags, and allowed values of attributes. */
export type Child = string | number | boolean | null | undefined | Markup | readonly Child[];

/**
 * Without this, htm makes elements without values once and shares them between all pages. `this[0] = 3` turns that off.
 */
function element(this: unknown[], type: string, props: Record<string, unknown> | null, ...children: Child[]): VNode {
  this[0] = 3;
  return h(type, props, ...(children as VNode[]));
}

// htm's types describe its CommonJS build, in which the function is `default`. In the module that Node loads, the import is the function.
const { bind } = htm as unknown as typeof htm.default;
const parse = bind.call(htm, element as (...input: unknown[]) => VNode);

/** Template tag: one element. Void elements are closed (`<br />`). Throws if the template has no root or several. */
export function html(strings: TemplateStringsArray, ...holes: readonly Child[]): Markup {
  const root: unknown = parse(strings, ...holes);
  if (typeof root !== "object" || root === null || Array.isArray(root)) throw new TypeError("a template has one root");
  return root as Markup;
}

/** Renders the whole document with its doctype. */
export function renderDocument(root: Markup): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
