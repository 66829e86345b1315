/** Errors of a command: the text on stderr says what is wrong and what to do, and the exit code matches. */

import type { Command } from "commander";

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The command line is right, but the command failed: exit code 1. */
export class Failure extends Error {}

/** Flags whose names differ from the field's name with dashes. */
const FLAGS: Readonly<Record<string, string>> = {
  client_name: "--name",
  kinds: "--kind",
  expires_in: "--expires",
  redirect_hosts: "--redirect-host",
  client_secret: "--client-secret-stdin",
  redirect_uris: "--redirect-uri",
  post_logout_redirect_uris: "--post-logout-redirect-uri",
  grant_types: "--grant-type",
  response_types: "--response-type",
  token_endpoint_auth_method: "--auth-method",
  tls_client_auth_subject_dn: "--tls-subject",
  tls_client_auth_san_dns: "--tls-subject",
  tls_client_auth_san_uri: "--tls-subject",
  tls_client_auth_san_ip: "--tls-subject",
  tls_client_auth_san_email: "--tls-subject",
  tls_client_certificate_bound_access_tokens: "--certificate-bound",
  "workload_identity.issuer": "--workload-issuer",
  "workload_identity.subject": "--workload-subject",
  "workload_identity.audience": "--workload-audience",
  "token_exchange.subjects": "--subject",
  "token_exchange.sources": "--source",
  "token_exchange.audiences": "--audience",
  "token_exchange.scope": "--scope",
  "token_exchange.actors": "--actor",
  "token_exchange.impersonation": "--impersonation",
  "token_exchange.connections.audience": "--audience",
  "token_exchange.connections.company": "--company",
  "token_exchange.connections.client_id": "--client-id-there",
  "token_exchange.connections.scope": "--scope",
  "token_exchange.connections.resources": "--resource",
  "token_exchange.connections.name": "--offer",
  "token_exchange.connections.scope_texts": "--scope-text",
};

/** The name of a field for the operator: the flag of this command, or the field's own name. */
export function flagOf(field: string, command: Command): string {
  const flag = FLAGS[field] ?? `--${field.replaceAll("_", "-")}`;
  return command.options.some(({ long }) => long === flag) ? flag : field;
}

export interface Problem {
  readonly field: string | null;
  readonly problem: string;
}

/** One line for a problem. */
export function lineOf({ field, problem }: Problem, command: Command): string {
  return field === null ? problem : `${flagOf(field, command)}: ${problem}`;
}

/** Writes the error to stderr and returns the exit code. */
export function tell(error: unknown, command: Command): number {
  for (const line of linesOf(error, command)) process.stderr.write(`error: ${line}\n`);
  return error instanceof UsageError ? 2 : 1;
}

const EXPECTED = ["UnsafeFileMode", "StorageUnavailable", "SchemaMismatch", "DatabaseNotReady"];

/**
 * True if the operator can fix the error: the storage reported it, the system refused (no permission, disk full), or a
 * setting is named.
 */
function isOperators(error: Error): boolean {
  return EXPECTED.includes(error.name) || "syscall" in error || /\bASSENT_[A-Z]/.test(error.message);
}

/** Compares errors by name, because not every command loads the server's classes. */
function linesOf(error: unknown, command: Command): readonly string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { problems } = error as { readonly problems?: readonly (Problem | string)[] };
  if (problems !== undefined) {
    return problems.map((problem) => (typeof problem === "string" ? problem : lineOf(problem, command)));
  }
  if (error instanceof UsageError || error instanceof Failure || isOperators(error)) return [error.message];
  // This is a fault of the program, so print where it happened.
  return [error.stack ?? error.message];
}
