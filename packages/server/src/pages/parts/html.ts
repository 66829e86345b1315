/** Markup without a build step: `htm` parses tagged templates into preact nodes, which are rendered to a string. */
import htm from "htm";
import { h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** One element, ready to be placed into another or rendered. */
export type Markup = VNode;

/** What may stand between tags. Strings are text: they are escaped when the document is rendered. */
export type Child = string | number | false | null | undefined | Markup | readonly Child[];

/** What may be spread into a tag by `...${}`. No objects as values, hence no `dangerouslySetInnerHTML` and no `style`. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * `htm` keeps elements without holes and gives the same object to every page; `this[0] = 3` is its switch against that,
 * so that two renderings share nothing.
 */
function element(this: unknown[], type: string, props: Record<string, unknown> | null, ...children: Child[]): VNode {
  this[0] = 3;
  return h(type, props, ...(children as VNode[]));
}

// htm's types speak of its CommonJS file, where the function is `default`; Node loads its ES module, where it is the import itself.
const { bind } = htm as unknown as typeof htm.default;
const parse = bind.call(htm, element as (...input: unknown[]) => VNode);

/**
 * Template tag: HTML with exactly one root. Void elements are closed (`<br />`); entities are not decoded, so write the character itself.
 *
 * @throws TypeError where the template has no root, or several.
 */
export function html(strings: TemplateStringsArray, ...holes: readonly (Child | boolean | Attributes)[]): Markup {
  const root = parse(strings, ...holes);
  if (!isElement(root)) throw new TypeError("A template has exactly one root element.");
  return root;
}

function isElement(parsed: unknown): parsed is Markup {
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
}

/** Renders a whole document, doctype included. */
export function renderDocument(root: Markup): string {
  return `<!doctype html>\n${renderToString(root)}\n`;
}
