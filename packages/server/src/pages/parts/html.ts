/** Markup without a build step. `htm` parses tagged templates into preact nodes, and preact renders the nodes to a string. */
import htm from "htm";
import { h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** One element, ready to be placed in another one or rendered. */
export type Markup = VNode;

/** Allowed content between tags. Strings are text: they are escaped when the document is rendered. */
export type Child = string | number | false | null | undefined | Markup | readonly Child[];

/** Values for `...${}` in a tag. They can't be objects, so `dangerouslySetInnerHTML` and `style` are impossible. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * `htm` caches elements without values and gives the same object to every page. `this[0] = 3` turns this cache off,
 * so that two renderings share no objects.
 */
function element(this: unknown[], type: string, props: Record<string, unknown> | null, ...children: Child[]): VNode {
  this[0] = 3;
  return h(type, props, ...(children as VNode[]));
}

// htm's types describe its CommonJS file, in which the function is `default`. Node loads the ES module, in which the import is the function.
const { bind } = htm as unknown as typeof htm.default;
const parse = bind.call(htm, element as (...input: unknown[]) => VNode);

/**
 * Template tag: HTML with exactly one root. Void elements are closed (`<br />`). Entities are not decoded, so write the character itself.
 *
 * @throws TypeError if the template has no root or several.
 */
export function html(strings: TemplateStringsArray, ...holes: readonly (Child | boolean | Attributes)[]): Markup {
  const root = parse(strings, ...holes);
  if (!isElement(root)) throw new TypeError("A template has exactly one root element.");
  return root;
}

function isElement(parsed: unknown): parsed is Markup {
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
}

/** Renders a whole document with its doctype. */
export function renderDocument(root: Markup): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
