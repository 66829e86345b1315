/** `assent registration …`: initial access tokens for dynamic registration (RFC 7591 §3). */

import { type Command, InvalidArgumentError, Option } from "commander";
import { confirmOnTerminal, type YesOption, yesOption } from "../confirm.ts";
import { given, type JsonOption, listOption, noun, secondsOption, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const registration = noun(program, "registration", "initial access tokens, with which clients register themselves");
  verb(registration, "create-token", "make an initial access token; it is printed once")
    .addOption(usesOption())
    .addOption(secondsOption("--expires <seconds>", "lifetime; default 86400 (a day), at most 31536000 (a year)"))
    .addOption(listOption("--grant-type <type>", "grant type for which its clients may register"))
    .addOption(listOption("--scope <scopes>", 'scopes for which they may register: "read write"', { words: true }))
    .addOption(listOption("--redirect-host <host>", "host that their redirect URIs may have; default: any"))
    .addOption(listOption("--default-scope <scopes>", "scopes of their requests that name none", { words: true }))
    .option("--reviewed", "owners are asked as for clients that you reviewed, until the name or the host changes")
    .option("--no-require-pkce", "its confidential clients may leave out PKCE")
    .option("--token-endpoint-audience", "its clients' assertions may name the token endpoint as audience")
    .addHelpText(
      "after",
      "\nWithout the options about grant types, scopes and hosts, the server's ASSENT_REGISTRATION_* settings apply.",
    )
    .action(createToken);
  verb(registration, "list", "list the initial access tokens, newest first").action(list);
  verb(registration, "revoke <id>", "end an initial access token; clients that it registered stay")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(revoke);
}

function usesOption(): Option {
  return new Option("--uses <n>", "maximum number of clients; default 1, at most 1000").argParser((value) => {
    if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError("Use a whole number, 1 or more.");
    return Number(value);
  });
}

interface TokenOptions extends JsonOption {
  readonly uses?: number;
  readonly expires?: number;
  readonly grantType?: readonly string[];
  readonly scope?: readonly string[];
  readonly redirectHost?: readonly string[];
  readonly defaultScope?: readonly string[];
  readonly reviewed?: true;
  /** Absent on the command line: true. */
  readonly requirePkce: boolean;
  readonly tokenEndpointAudience?: true;
}

async function createToken(options: TokenOptions) {
  await withAdmin(options, async (admin, out) => {
    const { createRegistrationToken, registrationTokenRecord } = await import("@assent/server/admin");
    const { uses, expires: lifetime, grantType, scope, redirectHost, defaultScope } = options;
    const { reviewed, requirePkce, tokenEndpointAudience } = options;
    const policy = given({
      ...{ grantTypes: grantType, scopes: scope, redirectHosts: redirectHost, defaultScopes: defaultScope },
      ...{ reviewed, requirePkce, tokenEndpointAudience },
    });
    const made = await createRegistrationToken({ policy, ...given({ uses, lifetime }) }, admin);
    out.record(registrationTokenRecord(made.token, made.initialAccessToken), ["initial_access_token"]);
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { registrationTokenRecord, registrationTokens } = await import("@assent/server/admin");
    out.list(
      (await registrationTokens(admin)).map((token) => registrationTokenRecord(token)),
      [{ field: "id" }, { field: "used" }, { field: "uses" }, { field: "created_by" }, { field: "expires_at" }],
      "There are no initial access tokens: assent registration create-token",
    );
  });
}

async function revoke(id: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { revokeRegistrationToken } = await import("@assent/server/admin");
    await confirmOnTerminal(revokingQuestion(id), options);
    await revokeRegistrationToken(id, admin);
    out.done({ id, revoked: true }, "Revoked the token.");
  });
}

export function revokingQuestion(id: string): string {
  return `Revoking the token ${id} ends the registrations of the program that has it.`;
}
