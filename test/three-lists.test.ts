/** What an operator can do is the same by command, by API and as a use-case; each exception has its reason here. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { buildProgram } from "../packages/cli/src/command-tree.ts";
import { remoteCommands } from "../packages/cli/src/remote/attach.ts";
import { operations } from "../packages/server/src/http/admin-api/operations/index.ts";

const root = join(import.meta.dirname, "..", "packages");

/** Commands that no operation does. */
const ONLY_COMMANDS: Readonly<Record<string, string>> = {
  serve: "it is the server itself",
  "demo device": "it plays a device for the demo",
  "demo worker": "a process that the demo starts",
  doctor: "it looks at files and settings of its machine, also while no server starts",
  "db migrate": "a server can't wait for itself to have a database",
  "db status": "as doctor: it must answer while no server starts",
  "db backup": "it writes a file on the machine of the operator",
  "db restore": "no server may run meanwhile",
  "db epoch": "no server may run meanwhile",
  "db gc": "a running server does this by itself",
  import: "it replaces all data, also the token of the caller",
  "policy try": "it runs the code of a file of the operator, which a server must never take over the network",
  login: "it asks a server for its own access to that server",
  logout: "as login",
  completion: "it is about the shell of the operator",
  "admin allow-login": "nobody who is not on the machine may open this door",
  "receipt verify": "anybody can do it: the server has a page for it, and the keys are public",
};

/** Commands with an operation that work only on the machine. */
const ONLY_LOCAL: readonly string[] = [];

/** Operations that no command does. */
const ONLY_OPERATIONS: Readonly<Record<string, string>> = { "events.show": "the command's list has the whole record" };

/** Use-cases that do the same for both: one reads a list to its end, the other one page of it. */
const LIKE: Readonly<Record<string, string>> = {
  companyMembers: "membersPage",
  listConsents: "consentsPage",
  listEvents: "eventsPage",
  listRefusals: "refusalsPage",
  subjectLinksOf: "linkPage",
};

const QUESTION = "the command tells what ends before it asks for a yes; a program does not ask";
const LISTED = "the command's list has the whole record";

/** Use-cases that only commands have. */
const ONLY_BY_COMMAND: Readonly<Record<string, string>> = {
  refuseRetiring: QUESTION,
  lastEvent: "the command `events tail` begins at the end; a program names the event",
  recentlyLeft: "a note of the command for people",
  allowLogin: "nobody who is not on the machine may open this door",
  receiptOf: "anybody can verify a receipt",
};

/** Use-cases that only the API has. */
const ONLY_BY_API: Readonly<Record<string, string>> = {
  eventOf: LISTED,
  scopeOf: LISTED,
  resourceOf: LISTED,
  allResources: "the command reads the same list from the storage",
  trustedClients: "a command has the authority of its machine",
  authorityOf: "a command has the authority of its machine",
  forgetKeyed: "only a request can be lost on its way",
};

function commandsBelow(command: Command, path: readonly string[] = []): readonly string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((one) => commandsBelow(one, [...path, one.name()]));
}

const textOf = (pattern: string) =>
  globSync(join(root, pattern))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");

/** Exported functions of admin/ that need the operator's context. */
function useCases(): readonly string[] {
  const functions = textOf("server/src/admin/**/*.ts").matchAll(
    /^export (?:async )?function\*? ?(\w+)(?:<[^>]*>)?\(([\s\S]*?)\)(?::| \{)/gm,
  );
  return [...functions]
    .filter(([, , args]) => /\w*(?:Admin|Key)Context\b/.test(args ?? ""))
    .map(([, name = ""]) => name);
}

test("every command but the exceptions has an operation; every operation has a command that exists", async () => {
  const commands = new Set(commandsBelow(await buildProgram()));
  const done = new Set(operations.flatMap(({ command, alsoBy = [] }) => [command, ...alsoBy]));
  expect([...commands].filter((one) => !done.has(one)).sort()).toEqual(Object.keys(ONLY_COMMANDS).sort());
  expect(operations.filter(({ command }) => command === null || !commands.has(command)).map(({ id }) => id)).toEqual(
    Object.keys(ONLY_OPERATIONS),
  );
});

test("the names that remote commands use are those of the operations; each command with an operation works remotely", () => {
  const named = Object.fromEntries(operations.map(({ id, method, path }) => [id, `${method} ${path}`]));
  const file = join(root, "cli/src/remote/operations.json");
  expect(JSON.parse(readFileSync(file, "utf8")), "run node scripts/docs.ts").toEqual(named);
  const done = new Set(
    operations.flatMap(({ command, alsoBy = [] }) => [command, ...alsoBy]).filter((one) => one !== null),
  );
  expect([...done].filter((one) => !Object.hasOwn(remoteCommands, one)).sort()).toEqual(ONLY_LOCAL);
  expect(Object.keys(remoteCommands).filter((one) => !done.has(one))).toEqual([]);
});

test("every use-case that a command or an operation has, the other one has, too, but the exceptions", () => {
  const [api, cli] = [textOf("server/src/http/admin-api/**/*.ts"), textOf("cli/src/**/*.ts")];
  const uses = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text);
  const all = useCases();
  expect(all.length).toBeGreaterThan(80);
  const [byCommand, byApi] = [all.filter((name) => uses(cli, name)), all.filter((name) => uses(api, name))];
  const missing = (these: readonly string[], those: readonly string[]) => these.filter((one) => !those.includes(one));
  expect(missing(byCommand, byApi).sort()).toEqual([...Object.keys(LIKE), ...Object.keys(ONLY_BY_COMMAND)].sort());
  expect(missing(byApi, byCommand).sort()).toEqual([...Object.values(LIKE), ...Object.keys(ONLY_BY_API)].sort());
});
