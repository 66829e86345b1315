/** `assent login`, `logout` and `whoami`: commands that work on a server over the network. */

import type { Command } from "commander";
import { Failure } from "../command-errors.ts";
import { Output } from "../print-records.ts";
import { currentServer, forget, save, signInAt, signInsFile } from "../remote/saved-sign-ins.ts";
import { serverAddress } from "../remote/server-address.ts";
import { endAccess, signIn } from "../remote/sign-in.ts";
import { listOption } from "../shared-options.ts";

interface Flags {
  readonly json?: boolean;
}

const JSON_FLAG = ["--json", "print one JSON document"] as const;

export function registerLogin(program: Command): void {
  program
    .command("login <server>")
    .description("sign in to a server; from then on, commands work there instead of on the database of this machine")
    .addOption(
      listOption("--scope <scopes>", 'what commands may do there; default: admin. For example "admin:clients:read"', {
        words: true,
      }),
    )
    .option(...JSON_FLAG)
    .addHelpText(
      "after",
      "\nPrints an address and a code. Open the address in any browser, sign in as an operator, and type the code.",
    )
    .action(login);
}

export function registerLogout(program: Command): void {
  program
    .command("logout [server]")
    .description("end the sign-in of assent login; commands work on the database of this machine again")
    .option(...JSON_FLAG)
    .action(logout);
}

export function registerWhoami(program: Command): void {
  program
    .command("whoami")
    .description("tell on which server commands work, as whom, and what they may do there")
    .option(...JSON_FLAG)
    .action(whoami);
}

async function login(
  address: string,
  { scope = ["admin"], json = false }: Flags & { readonly scope?: readonly string[] },
) {
  const server = serverAddress(address);
  const out = new Output(json);
  const made = await signIn(server, scope.join(" "), (page, code, whole) => {
    process.stderr.write(`Open  ${page}  and type the code  ${code}\n(or open ${whole})\nWaiting …\n`);
  });
  save(server, made, true);
  out.done(
    { server, scope: made.scope, file: signInsFile() },
    `Signed in to ${server} with the scope ${made.scope}. Commands work there until you run assent logout; --local means this machine.`,
  );
}

async function logout(address: string | undefined, { json = false }: Flags) {
  const server = address === undefined ? currentServer() : serverAddress(address);
  const kept = server === null ? undefined : signInAt(server);
  if (server === null || kept === undefined) throw new Failure("you are not signed in to this server: assent whoami");
  const out = new Output(json);
  // The token is forgotten here also if the server is away.
  const ended = await endAccess(server, kept).then(
    () => true,
    () => false,
  );
  forget(server);
  if (!ended) out.warn(`${server} did not answer: the access ends there when its consent does`);
  out.done({ server, access_ended: ended }, `Signed out of ${server}.`);
}

/** On a server, `remote/trust-and-logs.ts` asks it. */
async function whoami({ json = false }: Flags) {
  const out = new Output(json);
  out.done({ server: null }, "Commands work on the database of this machine (assent login to change that).");
}
