/** `assent admin …`: access tokens for the admin API. */

import type { Command } from "commander";
import { confirmOnTerminal, type YesOption, yesOption } from "../confirm.ts";
import { TOKEN_COLUMNS } from "../list-columns.ts";
import { type JsonOption, listOption, noun, secondsOption, verb, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  const admin = noun(program, "admin", "access tokens for the admin API");
  verb(
    admin,
    "allow-login",
    "let operators sign in with assent login; makes the client assent-cli, for which the server knows no secret",
  ).action(allow);
  verb(admin, "create-token", "make a bearer token for the admin API; it is printed once")
    .addOption(
      listOption("--scope <scopes>", 'admin, or narrower ones such as "admin:clients:read admin:users:write"', {
        words: true,
      }).makeOptionMandatory(),
    )
    .addOption(secondsOption("--expires <seconds>", "lifetime; default 3600, at most 31536000 (a year)"))
    .action(createToken);
  verb(admin, "list-tokens", "list the tokens that commands and the API made, newest first").action(listTokens);
  verb(admin, "revoke-token <id>", "end a token; its next request is refused")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(revokeToken);
}

async function allow(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { allowLogin, clientRecord } = await import("@assent/server/admin");
    out.record(clientRecord(await allowLogin(admin), admin.issuer));
    out.note(`Next: assent login ${admin.issuer}. To forbid it again: assent client disable assent-cli`);
  });
}

async function createToken(options: JsonOption & { readonly scope: readonly string[]; readonly expires?: number }) {
  await withAdmin(options, async (admin, out) => {
    const { adminTokenRecord, createAdminToken } = await import("@assent/server/admin");
    const { scope: scopes, expires } = options;
    const lifetime = expires === undefined ? {} : { lifetime: expires };
    const { token, accessToken } = await createAdminToken({ scopes, ...lifetime }, admin);
    out.record(adminTokenRecord(token, accessToken), ["access_token"]);
  });
}

async function listTokens(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { adminTokenRecord, adminTokens } = await import("@assent/server/admin");
    out.list(
      (await adminTokens(admin)).map((token) => adminTokenRecord(token)),
      TOKEN_COLUMNS,
      "There are no tokens: assent admin create-token",
    );
  });
}

async function revokeToken(id: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { revokeAdminToken } = await import("@assent/server/admin");
    await confirmOnTerminal(`Revoking the token ${id} ends the access of the program that has it.`, options);
    await revokeAdminToken(id, admin);
    out.done({ id, revoked: true }, "Revoked the token.");
  });
}
