/**
 * Reads a password from a prompt or from standard input, or says that the command must generate one. It never reads a
 * password from the command line.
 */

import type { PasswordChoice } from "@assent/server/admin";
import { Option } from "commander";
import { Failure, UsageError } from "./command-errors.ts";

export interface PasswordOptions {
  readonly passwordStdin?: true;
  readonly generatePassword?: true;
}

export function passwordOptions(): readonly Option[] {
  return [
    new Option("--password-stdin", "read the password from standard input").conflicts("generatePassword"),
    new Option("--generate-password", "generate a password and print it once"),
  ];
}

/** Maximum number of bytes to read: more than any password may have. */
const MOST = 8192;

export async function passwordChoice(options: PasswordOptions): Promise<PasswordChoice> {
  if (options.generatePassword) return { generate: true };
  if (options.passwordStdin) return { password: await secretFromStdin("--password-stdin") };
  if (!process.stdin.isTTY) {
    throw new UsageError("no terminal to ask for the password: use --password-stdin or --generate-password");
  }
  return { password: await fromTerminal() };
}

/** `flag`: the option that asks for it. The shell adds one line end, which doesn't belong to the secret. */
export async function secretFromStdin(flag: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > MOST) break;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return text.replace(/\r?\n$/, "");
  } catch {
    throw new Failure(`${flag}: the input is not UTF-8 text`);
  }
}

async function fromTerminal(): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts");
  const ask = async (message: string) => {
    // Programs read the answer on stdout, so the prompt goes to stderr.
    const answer = await password({ message, output: process.stderr });
    if (isCancel(answer)) throw new Failure("cancelled: nothing was changed");
    return answer ?? "";
  };
  const first = await ask("Password");
  if ((await ask("Repeat the password")) !== first) throw new Failure("the passwords don't match: nothing was changed");
  return first;
}
