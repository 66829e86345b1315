/**
 * Writes docs/reference from the code: `node scripts/docs.ts`. `test/docs.test.ts` fails if a page differs from the
 * output.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingKeys, settingOf } from "../packages/server/src/config-settings.ts";
import { configurationSchema } from "../packages/server/src/configuration/index.ts";
import { eventKinds, OPERATORS_DETAILS } from "../packages/server/src/events/kinds.ts";
import { scopeOf } from "../packages/server/src/http/admin-api/openapi.ts";
import type { Operation } from "../packages/server/src/http/admin-api/operation.ts";
import { operations } from "../packages/server/src/http/admin-api/operations/index.ts";
import { metadataRoute, routes } from "../packages/server/src/http/endpoint-table.ts";
import { checks } from "../packages/server/src/oauth/authorization-endpoint/request.ts";
import { type Condition, conditions, publicCondition, publicConditions } from "../packages/server/src/oauth/errors.ts";
import { type GrantEndpoint, grantTypes } from "../packages/server/src/oauth/grants/registry.ts";
import { securityTests } from "./docs-security-tests.ts";

const root = join(import.meta.dirname, "..");
const MADE = "<!-- Made by scripts/docs.ts from the code; change it there. -->";

/** Name of the file in docs/reference → its text. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["configuration.md", configuration()],
    ["assent.schema.json", `${JSON.stringify(configurationSchema(), null, 2)}\n`],
    ["errors.md", errors()],
    ["endpoints.md", endpoints()],
    ["events.md", events()],
    ["admin-api.md", adminApi()],
    ["rfcs.md", rfcs()],
    ["security-tests.md", securityTests(MADE)],
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function adminApi(): string {
  const groups = Map.groupBy(operations, ({ id }) => id.split(".")[0] ?? "");
  const section = ([name, all]: [string, readonly Operation[]]) => {
    const rows = all.map((one) => [
      `\`${one.method} ${one.path}\``,
      `${one.summary}.${one.notes === undefined ? "" : ` ${one.notes}`}`,
      one.anyToken ? "any" : `\`${scopeOf(one)}\``,
      fieldsOf(one),
      [one.command, ...(one.alsoBy ?? [])].flatMap((each) => (each == null ? [] : [`\`${each}\``])).join(", "),
    ]);
    return `## ${name}\n\n${table(["operation", "what it does", "scope", "fields", "command"], rows)}`;
  };
  return `# Operations of the admin API
${MADE}

Paths are below \`/admin/api/v1\`. [The admin API](../operate/admin-api.md) tells how to call it. The scope \`admin\` is enough for every
operation. Fields in bold are required; \`?\` marks parameters of the query.

${[...groups].map(section).join("\n\n")}
`;
}

function events(): string {
  const rows = Object.entries(eventKinds).map(([kind, { summary, details = {}, personal = [] }]) => [
    `\`${kind}\``,
    `${summary}.`,
    Object.entries(details)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join("; "),
    personal.map((name) => `\`${name}\``).join(", "),
  ]);
  const operators = Object.entries(OPERATORS_DETAILS).map(([name, meaning]) => [`\`${name}\``, meaning]);
  return `# Events
${MADE}

[Events](../operate/events.md) tells how to read them. A kind is never renamed. Every value in \`details\` can be absent, and new
values can come. \`personal\` is sealed with a key of the person.

${table(["kind", "what happened", "details", "personal"], rows)}

If an operator caused the event, its details also have:

${table(["value", "meaning"], operators)}
`;
}

function fieldsOf({ query, body, takes, fields }: Operation): string {
  if (takes !== undefined) return fields === undefined ? `the body: ${takes}` : `of each line: ${fields.join(", ")}`;
  const { properties = {}, required = [] } = (body ?? query ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const mark = body === undefined ? "?" : "";
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `**${mark}${name}**` : `${mark}${name}`))
    .join(", ");
}

function configuration(): string {
  const rows = settingKeys.map((key) => {
    const { variable, shown, meaning, wanted } = settingOf[key];
    return [`\`${variable}\``, `\`${key}\``, shown, `${meaning} Value: ${wanted}.`];
  });
  return `# Configuration
${MADE}

The server reads each setting from the first of these places that has it:

1. the environment variable
2. \`assent.config.ts\`, \`.js\` or \`.json\` in the working directory (\`ASSENT_CONFIG\` names another file)
3. the default

A file is one object: \`export default { issuer: "https://login.example.com", accessTtl: 300 }\`. The keys
\`customGrants\`, a list of [grant types of your own](../integrate/custom-grant.md), \`customClaims\`, a list of [claims of
your own](../integrate/claims.md#claims-of-your-own), \`policies\`, [rules about tokens](../operate/policies.md), and \`people\`, [people of an application that you
have](../integrate/existing-people.md), have no variable, because their values are code. Nor has \`externalSignIn\`, [your own
sign-in page](../integrate/own-sign-in-page.md), because it is an object.

The server does not read a file that everybody may change. It warns if the file's group may change the file. It does not
read a file in the working directory that belongs to another user, unless \`ASSENT_CONFIG\` names the file.
An unknown key or a wrong value stops the start. The server reports all problems at once, one line each.

${table(["variable", "key in the file", "default", "meaning"], rows)}
`;
}

function errors(): string {
  const sections = publicConditions().map((name) => {
    const { error, status, section, description, help }: Condition = conditions[name];
    const inside = Object.keys(conditions).filter((one) => one !== name && publicCondition(one as never) === name);
    const logged =
      inside.length === 0
        ? ""
        : `\n\nThe log names the exact condition: ${inside.map((one) => `\`${one}\``).join(", ")}.`;
    return `## ${name}\n\n\`${error}\` · HTTP ${status} · ${section}\n\n${description}\n\n**What to do:** ${help}${logged}`;
  });
  return `# Errors
${MADE}

Every refusal has a name. A client gets \`error\`, \`error_description\` and \`error_uri\`. The address in \`error_uri\` is the
page of that name on the server (\`/errors/<name>\`). If a caller must not learn more, several conditions share one name,
text and page. The server's log has the exact condition in \`condition\`. The server checks in the order below.

${sections.join("\n\n")}
`;
}

/** The grant types that need this endpoint. */
function neededBy(endpoint: GrantEndpoint): string {
  if (endpoint === "token") return "a grant type other than `implicit`";
  const names = grantTypes.filter(({ startsAt }) => startsAt === endpoint).map(({ grantType }) => grantType);
  return names.map((name) => `\`${name.replace(/^urn:.*:/, "…:")}\``).join(", ");
}

function endpoints(): string {
  const all = [metadataRoute(""), ...routes];
  const rows = all.map(({ path, GET, POST, all: every, for: who, cors, part }) => [
    `\`${path.replace(/:(\w+)/g, "{$1}")}\`${every ? " and below" : ""}`,
    every ? "[those of its operations](admin-api.md)" : [...(GET ? ["GET"] : []), ...(POST ? ["POST"] : [])].join(", "),
    who,
    cors ? "any origin, without credentials" : "none",
    part === undefined ? "" : neededBy(part),
  ]);
  const order = checks.map(([name, section, refusedBy], at) => [String(at + 1), name, section, refusedBy]);
  return `# Endpoints
${MADE}

Paths are relative to the issuer. If the issuer has a path, the metadata is at the host's root (RFC 8414 §3.1). The server
answers 405 with \`Allow\` to another method, and 404 to another path. It also answers 404 if the grant types of an
endpoint are switched off (\`ASSENT_GRANT_TYPES\`). Clients find the protocol's endpoints in the metadata.

${table(["path", "methods", "for", "CORS", "only while this is offered"], rows)}

## The checks of the authorization endpoint

The checks run in this order. Until \`redirect_uri\` has matched, a refusal is a page of this server. After that, a refusal
goes back to the client.

${table(["", "parameter", "rule", "refused by"], order)}
`;
}

function rfcs(): string {
  const files = globSync("packages/server/src/oauth/**/*.ts", { cwd: root }).toSorted();
  const rows = files.map((path) => {
    const title =
      /^\/\*\*\s*\*?\s*([\s\S]*?)(?:\*\/|\n \*\s*\n)/.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? "";
    return [
      `[\`${path.slice("packages/server/src/oauth/".length)}\`](../../${path})`,
      title.replace(/\s*\n \*\s*/g, " ").trim(),
    ];
  });
  return `# Where each standard is
${MADE}

This table lists the files of the protocol. The second column is the title of each file.

${table(["file", "what it does"], rows)}
`;
}

if (import.meta.main) {
  for (const [name, text] of referencePages()) writeFileSync(join(root, "docs", "reference", name), text);
  // The names by which commands call a server over the network.
  const named = Object.fromEntries(operations.map(({ id, method, path }) => [id, `${method} ${path}`]));
  writeFileSync(join(root, "packages/cli/src/remote/operations.json"), `${JSON.stringify(named, null, 2)}\n`);
}
