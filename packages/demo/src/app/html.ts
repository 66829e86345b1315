/** Pages as tagged templates: htm reads them, preact renders them to a string; text is escaped on the way. */

import htm from "htm";
import { h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

export type Markup = VNode;

/** What may stand between tags, or be an attribute's value. */
export type Child = string | number | boolean | null | undefined | Markup | readonly Child[];

/**
 * Without this, htm makes elements without values once and shares them between all pages. `this[0] = 3` turns that off.
 */
function element(this: unknown[], type: string, props: Record<string, unknown> | null, ...children: Child[]): VNode {
  this[0] = 3;
  return h(type, props, ...(children as VNode[]));
}

// Typed as the CommonJS build, where the function is `default`; the module that Node loads is the function itself.
const { bind } = htm as unknown as typeof htm.default;
const parse = bind.call(htm, element as (...input: unknown[]) => VNode);

/** Template tag: one element. Void elements are closed (`<br />`). Throws where there is no root, or several. */
export function html(strings: TemplateStringsArray, ...holes: readonly Child[]): Markup {
  const root: unknown = parse(strings, ...holes);
  if (typeof root !== "object" || root === null || Array.isArray(root)) throw new TypeError("a template has one root");
  return root as Markup;
}

/** The whole document. */
export function renderDocument(root: Markup): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
