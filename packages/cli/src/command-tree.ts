/** The command tree, and the error about a wrong command line. */

import { Command, CommanderError, Help, type Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { tell } from "./command-errors.ts";
import type { TargetOptions } from "./remote/target.ts";
import { begin } from "./shared-options.ts";

interface Noun {
  readonly summary: string;
  load(): Promise<{ register(program: Command): void }>;
}

const nouns: Readonly<Record<string, Noun>> = {
  serve: { summary: "run the authorization server", load: () => import("./commands/serve.ts") },
  demo: { summary: "run the server with a demo client and a demo API", load: () => import("./commands/demo.ts") },
  doctor: { summary: "check the configuration, files, database and keys", load: () => import("./commands/doctor.ts") },
  client: { summary: "apps that request access", load: () => import("./commands/client.ts") },
  user: { summary: "people who sign in", load: () => import("./commands/user.ts") },
  company: { summary: "companies that people act for", load: () => import("./commands/company.ts") },
  scope: { summary: "permissions that clients can request", load: () => import("./commands/scope.ts") },
  resource: { summary: "APIs that accept access tokens", load: () => import("./commands/resource.ts") },
  issuer: { summary: "issuers whose assertions the server trusts", load: () => import("./commands/issuer.ts") },
  provider: {
    summary: "providers at which people sign in",
    load: () => import("./commands/provider.ts"),
  },
  consent: { summary: "what people and companies granted to clients", load: () => import("./commands/consent.ts") },
  receipt: { summary: "signed copies of what owners decided", load: () => import("./commands/receipt.ts") },
  session: { summary: "signed-in browsers", load: () => import("./commands/session.ts") },
  events: { summary: "what happened on this server", load: () => import("./commands/events.ts") },
  webhook: { summary: "servers that are told of events", load: () => import("./commands/webhook.ts") },
  refusal: { summary: "why requests were refused", load: () => import("./commands/refusal.ts") },
  admin: { summary: "access tokens for the admin API", load: () => import("./commands/admin.ts") },
  registration: {
    summary: "initial access tokens, with which clients register themselves",
    load: () => import("./commands/registration.ts"),
  },
  setting: { summary: "the settings that this configuration gives", load: () => import("./commands/setting.ts") },
  policy: {
    summary: "your rules about tokens, sign-ins and claims",
    load: () => import("./commands/policy.ts"),
  },
  key: { summary: "keys that sign tokens", load: () => import("./commands/key.ts") },
  db: { summary: "the database: schema, housekeeping, backup", load: () => import("./commands/db.ts") },
  apply: { summary: "make records like a YAML file says", load: () => import("./commands/apply.ts") },
  export: { summary: "write all data to a file", load: () => import("./commands/export.ts") },
  import: {
    summary: "load the data of an exported file into the database",
    load: () => import("./commands/import.ts"),
  },
  login: {
    summary: "work on a server over the network",
    load: async () => ({ register: (await import("./commands/login.ts")).registerLogin }),
  },
  logout: {
    summary: "work on this machine's database again",
    load: async () => ({ register: (await import("./commands/login.ts")).registerLogout }),
  },
  whoami: {
    summary: "tell where commands work, and as whom",
    load: async () => ({ register: (await import("./commands/login.ts")).registerWhoami }),
  },
  completion: { summary: "print a script for completion in a shell", load: () => import("./commands/completion.ts") },
};

/** The program. It loads the nouns in `wanted`, and knows only name and summary of the others. */
export async function buildProgram(wanted: readonly string[] = Object.keys(nouns)): Promise<Command> {
  const program = new Command("assent")
    .description("Runs the Assent authorization server and administers it.")
    .version(manifest.version, "-V, --version", "print the version")
    .option("--config <file>", "use this configuration file instead of ASSENT_CONFIG and ./assent.config.*")
    .option("--server <url>", "work on this server through its admin API (assent login, or ASSENT_TOKEN)")
    .option("--local", "work on the database of this machine, also after assent login")
    .helpOption("-h, --help", "show help for the command")
    .helpCommand("help [command]", "show help for a command")
    .configureHelp({ showGlobalOptions: false, optionDescription })
    .addHelpText(
      "after",
      "\nCommands use the database in the configuration (ASSENT_* variables, assent.config.*). A server may run on it at the\nsame time. Only serve, demo and db migrate create a database. Exit codes: 0 success, 1 failure, 2 wrong usage;\nassent apply --plan, policy try: 3 there are changes.",
    );
  settle(program);
  for (const [name, { summary, load }] of Object.entries(nouns)) {
    if (wanted.includes(name)) (await load()).register(program);
    else program.command(name).description(summary);
  }
  return program;
}

function optionDescription(option: Option): string {
  const text = new Help().optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}

/** `run` reports every error, so the parser must not end the process. A usage error has one line. */
function settle(command: Command): void {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(`${usageLine(text)}\n`) });
}

/**
 * The error on one line, with the suggestion at its end. It doesn't repeat a word in a wrong place, because that word
 * may be a secret.
 */
function usageLine(text: string): string {
  const suggestion = /\n(\(Did you mean [^\n]*\))\s*$/.exec(text)?.[1];
  const message = text
    .trim()
    .replace(/\n\(Did you mean [^\n]*$/, "")
    .replace(/^(error: unknown option '--[^=]+)=.*$/s, "$1'")
    .replace(/^(error: unknown option '-[^-'][^']{14,}')$/, "$1: if this is an ID, put two dashes before it (-- -abc)")
    .replace(/^(error: too many arguments .* but got \d+).*$/s, "$1")
    .replaceAll("\n", " ");
  return suggestion === undefined ? message : `${message} ${suggestion}`;
}

/** The words that can be a noun: `assent [--config FILE] [--server URL] [--local] [help] NOUN`. */
function nounsOf(args: readonly string[]): readonly string[] | undefined {
  let from = 0;
  while (args[from]?.startsWith("--")) from += args[from] === "--config" || args[from] === "--server" ? 2 : 1;
  // Its script has all of them.
  return args[from] === "completion" ? undefined : args.slice(from, from + 2);
}

/** Makes the command work on the server that the command line, the environment or an earlier `assent login` names. */
async function connect(command: Command, options: TargetOptions): Promise<void> {
  const { targetOf } = await import("./remote/target.ts");
  const target = targetOf(options);
  if (target !== undefined) (await import("./remote/attach.ts")).attach(command, wordsOf(command), target);
}

/** True: it is the server itself, or a part of the demo. It asks nobody where to work. */
function isServer(words: string): boolean {
  return ["serve", "demo"].includes(words.split(" ")[0] ?? "");
}

/** `client create`: the words of a command without the program. */
function wordsOf(command: Command): string {
  return command.parent === null ? "" : `${wordsOf(command.parent)} ${command.name()}`.trim();
}

/** Names of the options that the command line sets. Their values can be secrets. */
function fieldsOf(command: Command): readonly string[] {
  return Object.keys(command.opts()).filter(
    (name) => name !== "json" && name !== "yes" && command.getOptionValueSource(name) === "cli",
  );
}

/** Runs one command line and returns its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function run(args: readonly string[]): Promise<number> {
  // The reader closed the pipe, as in `assent client list | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const program = await buildProgram(nounsOf(args));
  let current = program;
  program.hook("preAction", async (_program, command) => {
    current = command;
    const { config, ...target } = program.opts<TargetOptions & { readonly config?: string }>();
    // Workers that a server starts read the same file.
    if (config !== undefined) process.env["ASSENT_CONFIG"] = config;
    begin({ words: wordsOf(command), fields: fieldsOf(command) });
    if (target.server !== undefined || !isServer(wordsOf(command))) await connect(command, target);
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return tell(error, current);
  }
}
