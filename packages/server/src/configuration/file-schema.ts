/** The JSON Schema of a configuration, for editors and for the check of a file. */

import type { Kind, Schema } from "./kind.ts";
import { kinds } from "./kinds/index.ts";

export const VERSION = 1;
/** Of a configuration. It stands in the database with each record that the file describes. */
export const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

const secret: Schema = {
  description: "a secret is never in the file: {env: NAME}, or {file: path}",
  oneOf: [
    {
      ...{ type: "object", additionalProperties: false, required: ["env"] },
      properties: { env: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$" } },
    },
    {
      ...{ type: "object", additionalProperties: false, required: ["file"] },
      properties: { file: { type: "string", minLength: 1, maxLength: 4096 } },
    },
  ],
};

/** An entry as a file has it: secrets are references, and long texts can be. */
function entryOf({ schema, secrets, documents }: Kind): Schema {
  const { properties = {} } = schema;
  const references = secrets.map((name) => [name, { $ref: "#/$defs/secret" }]);
  const changed = Object.entries(properties).map(([name, one]) => {
    const file = { ...(secret["oneOf"] as readonly Schema[])[1] };
    return [name, documents.includes(name) ? { anyOf: [one, file] } : one];
  });
  return { ...schema, properties: Object.fromEntries([...changed, ...references]) };
}

function sectionOf(kind: Kind): Schema {
  const entries: Schema = { type: "object", additionalProperties: entryOf(kind) };
  const section = kind.nested ? { type: "object", additionalProperties: entries } : entries;
  return { ...section, description: `the key of each ${kind.noun}: ${kind.keyed}` };
}

export function configurationSchema(): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Assent configuration",
    description: "What `assent apply` reads",
    type: "object",
    additionalProperties: false,
    required: ["version", "name"],
    properties: {
      version: { const: VERSION, description: "of this format" },
      name: { type: "string", pattern: NAME.source, description: "of this configuration; records remember it" },
      ...Object.fromEntries(kinds.map((kind) => [kind.section, sectionOf(kind)])),
    },
    $defs: { secret },
  };
}
