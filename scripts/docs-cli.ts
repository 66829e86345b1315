/**
 * Writes docs/operate/cli.md from the commands: `node scripts/docs-cli.ts`. A test fails if the page differs from the
 * output.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { buildProgram } from "../packages/cli/src/command-tree.ts";

const HEAD = `# The assent command
<!-- Made by scripts/docs-cli.ts from the commands; change it there. -->

Run \`npx assent <noun> <verb>\`. Commands use the database that the [configuration](../reference/configuration.md)
names (\`--config FILE\` names another configuration file). Servers may run on it at the same time. A running server sees a
change within a second. Only \`serve\`, \`demo\` and \`db migrate\` create a database. If there is none, any other command
says where it looked, and stops. \`db restore\` puts a backup there.

- After \`assent login\`, or with \`--server URL\`, commands work on [a server over the network](remote.md) instead of the database
  of this machine. \`--local\` means this machine.
- \`--json\` prints exactly one JSON document on stdout: the whole record, or an array for a list. Fields of clients have
  the names of RFC 7591. Times are RFC 3339, except the times of RFC 7591, which are seconds since the epoch. Without
  \`--json\`, the command prints text for people, in colour on a terminal unless \`NO_COLOR\` is set. Warnings and errors go
  to stderr.
- Exit codes: **0** done, **1** failed (\`error: what is wrong and what to do\`), **2** wrong usage. \`apply --plan\` exits with
  **3** if there are changes: [configuration as code](configuration-as-code.md).
- A command that ends something for good says what ends with it (grants, consents, members, sessions, with numbers). On a
  terminal it asks, and only \`y\` or \`yes\` is a yes. Elsewhere it needs \`--yes\` and exits with 2 without it. These
  ask only on a terminal, so that a script can lock somebody out at once: \`user disable\`, \`session revoke\`, \`consent
  revoke\`, \`company update --status disabled\`, \`company remove-member\`, \`company add-member\` if it makes the last admin a
  member, \`company revoke\`, \`company policy --rule block\`, \`client connect --off\`, \`client exchange --off\` and \`db epoch\`.
- \`user update --operator\` and \`--no-operator\` ask if you lose your own role \`admin\`, or if the last active person with
  this role loses it. In a script, they then need \`--yes\`, too.
- After a change, a command says what ended, what stays, and what still works: access tokens work until they expire (ten
  minutes, if you didn't change \`ASSENT_ACCESS_TTL\`). These sentences go to stderr where stdout has a record.
- Never write a secret on the command line, where other users and the shell's history would see it. A password comes from
  a prompt or from standard input (\`--password-stdin\`), or the command generates it and prints it once
  (\`--generate-password\`). The command always generates client secrets, prints them once, and stores only a hash.
  The secret that a sign-in provider gave this server comes from standard input (\`--client-secret-stdin\`).
- Repeat an option to give several values, if it says "may repeat". An option for scopes also accepts several scopes in one
  value, separated by spaces. In \`update\`, settings that you don't name stay. \`client update\`, \`client exchange\` and
  \`issuer update\` change a list by single values (\`--add-scope\`, \`--remove-scope\`); a plain list option replaces the
  whole list (\`--scope ""\`: none), and the command says what the list lost.

First steps:

\`\`\`sh
npx assent resource create --identifier https://api.example.com --name "Photos"
npx assent scope create photos:read --description "See your photos" --resource https://api.example.com
npx assent client create --name "Photo Printer" --type confidential --redirect-uri https://printer.example/callback --scope photos:read
npx assent user create --username alice --email alice@example.com --generate-password
\`\`\`
`;

/** The page for the whole command tree. */
export async function cliPage(): Promise<string> {
  const program = await buildProgram();
  return `${[HEAD, ...program.commands.map(section)].join("\n")}\n`;
}

function section(noun: Command): string {
  const words = noun.registeredArguments.map((one) => ` <${one.name()}>`).join("");
  const title = words === "" ? [] : [`### \`assent ${noun.name()}${words}\``];
  const parts = [
    `## ${noun.name()}`,
    ...title,
    sentence(noun.description()),
    ...options(noun),
    ...shown(noun).flatMap(entry),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The commands without the hidden ones, which a command starts for itself. */
function shown(noun: Command): Command[] {
  const visible = noun.createHelp().visibleCommands(noun);
  return noun.commands.filter((command) => visible.includes(command));
}

function entry(verb: Command): string[] {
  const words = verb.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const title = `### \`${["assent", verb.parent?.name(), verb.name(), ...words].join(" ")}\``;
  return [title, sentence(verb.description()), ...options(verb)];
}

function options(command: Command): string[] {
  const lines = command.options
    .filter(({ hidden, long }) => !hidden && long !== "--json")
    .map(({ flags, description, mandatory, argChoices, defaultValue }) => {
      const choices = argChoices === undefined ? "" : ` (${argChoices.join(", ")})`;
      const byDefault = defaultValue === undefined ? "" : `; default ${defaultValue}`;
      return `- \`${flags}\`${mandatory ? " (required)" : ""}: ${description}${choices}${byDefault}`;
    });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, "..", "docs", "operate", "cli.md"), await cliPage());
}
