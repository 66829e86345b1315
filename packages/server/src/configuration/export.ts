/** Writes what is there as a configuration that changes nothing when it is applied. Secrets are not in it. */

import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { VERSION } from "./file-schema.ts";
import type { Context, Fields, Kind, Present } from "./kind.ts";
import { kinds } from "./kinds/index.ts";

const HEADER = `# Configuration of an Assent server, written by assent export. To see what a change of this file does:
#   assent apply -f FILE --plan
# Secrets are not in it. Where a line with {env: …} is commented out, the record has a secret: put the secret into
# an environment variable or a file, and remove the #.
`;

/** `name`: of the configuration. Undefined: the one whose records there are, or \`assent\`. */
export async function exportConfiguration(context: Context, name?: string): Promise<string> {
  const marks = await context.storage.configuredRecords.list();
  const names = new Set(marks.map(({ configuration }) => configuration));
  const [only = "assent"] = names;
  const called = name ?? (names.size === 1 ? only : "assent");
  const sections: string[] = [];
  for (const kind of kinds) {
    const ofKind = marks.filter((mark) => mark.kind === kind.section);
    const found = [...(await kind.find(null, ofKind, context))].sort((one, other) =>
      one.label < other.label ? -1 : 1,
    );
    if (found.length > 0) sections.push(`${kind.section}:\n${entriesOf(kind, found, context)}`);
  }
  return [HEADER, `version: ${VERSION}\nname: ${called}\n`, ...sections].join("\n");
}

function entriesOf(kind: Kind, found: readonly Present[], context: Context): string {
  if (kind.nested !== true)
    return found.map((one) => entry(kind, one, { label: one.label, indent: "  " }, context)).join("");
  const groups = Map.groupBy(found, ({ label }) => label.split(" ")[0] ?? "");
  return [...groups]
    .map(([group, members]) => {
      const below = members.map((one) =>
        entry(kind, one, { label: one.label.split(" ")[1] ?? "", indent: "    " }, context),
      );
      return `  ${key(group)}:\n${below.join("")}`;
    })
    .join("");
}

function entry(
  kind: Kind,
  one: Present,
  { label, indent }: { readonly label: string; readonly indent: string },
  context: Context,
): string {
  const more = kind.exportedToo?.(one, context) ?? { fields: {}, comments: [] };
  const fields = { ...own(kind, one.fields), ...more.fields };
  const lines = Object.keys(fields).length === 0 ? [] : text(fields).trimEnd().split("\n");
  const secrets = (kind.secretsOf?.(one) ?? []).map((field) => `# ${field}: {env: ${variable(label, field)}}`);
  const comments = more.comments.map((line) => `# ${line}`);
  const body = [...lines, ...secrets, ...comments]
    .map((line) => (line === "" ? "\n" : `${indent}  ${line}\n`))
    .join("");
  return lines.length === 0 ? `${indent}${key(label)}: {}\n${body}` : `${indent}${key(label)}:\n${body}`;
}

/** Fields that say what a record is. */
const LEADING = ["client_name", "name", "type", "preset", "tenant", "host", "issuer", "rule", "status"];

/** The fields that are not the defaults, in the order of the schema. A default can depend on other fields. */
function own(kind: Kind, fields: Fields): Fields {
  const { required = [] } = kind.schema as { readonly required?: readonly string[] };
  const order = Object.keys(kind.schema.properties ?? {});
  const given = Object.entries(kind.exported?.(fields) ?? fields).filter(([name, value]) => {
    const { [name]: _, ...others } = fields;
    return required.includes(name) || !isDeepStrictEqual(value ?? null, kind.defaults(others)[name] ?? null);
  });
  const rank = (name: string) =>
    LEADING.includes(name)
      ? LEADING.indexOf(name) - LEADING.length
      : order.includes(name)
        ? order.indexOf(name)
        : order.length;
  return Object.fromEntries(given.sort(([one], [other]) => rank(one) - rank(other)));
}

/** With quotes where an older reader of YAML would take a word for something else. */
function text(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.2", compat: "yaml-1.1" });
}

function key(label: string): string {
  return text({ [label]: 1 }).replace(/: 1\n$/, "");
}

function variable(label: string, field: string): string {
  const name = label.replace(/^[a-z]+:\/\//, "");
  const words = `${name}_${field.replace(/^(?:introspection_)?client_/, "")}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_");
  return words.replace(/^_+|_+$/g, "").replace(/^(?=\d)/, "_");
}
