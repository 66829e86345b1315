/** Makes a command work on a server instead of the database of this machine. */

import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";
import { Output } from "../print-records.ts";
import type { RemoteCommands } from "./call.ts";
import { clientsAndApis } from "./clients-and-apis.ts";
import { configuration } from "./configuration.ts";
import { peopleAndCompanies } from "./people-and-companies.ts";
import { apiAt, type Target } from "./target.ts";
import { trustAndLogs } from "./trust-and-logs.ts";

export const remoteCommands: RemoteCommands = {
  ...peopleAndCompanies,
  ...clientsAndApis,
  ...trustAndLogs,
  ...configuration,
};

/** Commands that are about a server without being operations of it. */
const OWN: ReadonlySet<string> = new Set(["login", "logout", "completion"]);

/** Forms of a command that are only about this machine. */
const LOCAL: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => boolean>> = {
  apply: ({ schema }) => schema === true,
  export: ({ format }) => format !== "yaml",
};

/** `words`: of the command, without the program. Throws if it works only on the machine of the database. */
export function attach(command: Command, words: string, { server, isNamed }: Target): void {
  if (OWN.has(words)) return;
  const isLocal = Object.hasOwn(LOCAL, words) && LOCAL[words]?.(command.opts()) === true;
  const remote = !isLocal && Object.hasOwn(remoteCommands, words) ? remoteCommands[words] : undefined;
  if (remote === undefined) {
    // After `assent login`, these commands still mean this machine: nothing else could be meant.
    if (!isNamed) return;
    throw new UsageError(
      `assent ${words} works only on the machine that has the database: leave out --server and ASSENT_SERVER`,
    );
  }
  command.action(async () => {
    const options = command.opts<{ readonly json?: true }>();
    const out = new Output(options.json ?? false);
    if (!isNamed) out.note(`On ${server}:`);
    await remote({ args: command.args, options, command, api: apiAt(server), out });
  });
}
