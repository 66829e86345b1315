/** What is told when a command fails: on stderr, what is wrong and what to do; and the exit code that goes with it. */

import type { Command } from "commander";

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {}

/** It was understood and could not be done: exit code 1. */
export class Failure extends Error {}

/** Flags whose names aren't the field's with dashes. */
const FLAGS: Readonly<Record<string, string>> = {
  client_name: "--name",
  redirect_uris: "--redirect-uri",
  grant_types: "--grant-type",
  response_types: "--response-type",
  token_endpoint_auth_method: "--auth-method",
  tls_client_auth_subject_dn: "--tls-subject",
  tls_client_auth_san_dns: "--tls-subject",
  tls_client_auth_san_uri: "--tls-subject",
  tls_client_auth_san_ip: "--tls-subject",
  tls_client_auth_san_email: "--tls-subject",
  tls_client_certificate_bound_access_tokens: "--certificate-bound",
};

/** How the operator gave a field in this command: its flag, or the field's own name. */
export function flagOf(field: string, command: Command): string {
  const flag = FLAGS[field] ?? `--${field.replaceAll("_", "-")}`;
  return command.options.some(({ long }) => long === flag) ? flag : field;
}

interface Problem {
  readonly field: string | null;
  readonly problem: string;
}

/** One line for a problem. */
export function lineOf({ field, problem }: Problem, command: Command): string {
  return field === null ? problem : `${flagOf(field, command)}: ${problem}`;
}

/** Writes what went wrong to stderr; the exit code. */
export function tell(error: unknown, command: Command): number {
  for (const line of linesOf(error, command)) process.stderr.write(`error: ${line}\n`);
  return error instanceof UsageError ? 2 : 1;
}

const EXPECTED = ["UnsafeFileMode", "StorageUnavailable", "SchemaMismatch", "DatabaseNotReady"];

/** What the operator can mend: the storage says so, the system refused (no permission, disk full), or a setting is named. */
function isOperators(error: Error): boolean {
  return EXPECTED.includes(error.name) || "syscall" in error || /\bASSENT_[A-Z]/.test(error.message);
}

/** Errors are known by name: their classes are the server's, which isn't loaded for all commands. */
function linesOf(error: unknown, command: Command): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { problems } = error as { readonly problems?: readonly (Problem | string)[] };
  if (problems !== undefined) {
    return problems.map((problem) => (typeof problem === "string" ? problem : lineOf(problem, command)));
  }
  if (error instanceof UsageError || error instanceof Failure || isOperators(error)) return [error.message];
  // A fault of this program: where it happened helps whoever mends it.
  return [error.stack ?? error.message];
}
