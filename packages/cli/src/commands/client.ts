/** `assent client …`: apps that ask for access. */

import { readFile, stat } from "node:fs/promises";
import type { ClientChanges, OwnClientSettings } from "@assent/server/admin";
import { type Command, Option } from "commander";
import {
  firstOf,
  given,
  type JsonOption,
  limitOption,
  listOption,
  noun,
  secondsOption,
  verb,
  withAdmin,
} from "../command.ts";
import { Failure, lineOf, UsageError } from "../failure.ts";
import type { Output } from "../output.ts";

interface ClientOptions extends JsonOption {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly grantType?: readonly string[];
  readonly responseType?: readonly string[];
  readonly scope?: readonly string[];
  readonly ownScope?: readonly string[];
  readonly authMethod?: string;
  readonly requirePkce?: boolean;
  readonly allowPlainPkce?: boolean;
  readonly firstParty?: boolean;
  readonly refresh?: "rotate" | "keep";
  readonly clientUri?: string;
  readonly policyUri?: string;
  readonly tosUri?: string;
  readonly logo?: string | false;
}

export function register(program: Command): void {
  const client = noun(program, "client", "apps that ask for access");
  registerCreate(client);
  verb(client, "list", "list all clients").addOption(limitOption()).action(list);
  verb(client, "show <client-id>", "show a client").action(show);
  registerUpdate(client);
  verb(client, "delete <client-id>", "forget a client; all that was granted to it ends at once").action(remove);
  verb(client, "rotate-secret <client-id>", "give a confidential client a new secret")
    .addOption(
      secondsOption(
        "--overlap <seconds>",
        "how long the old secret still works: a day, so that there is time to deploy the new one; 0 where it has leaked",
      ).default(86_400),
    )
    .action(rotate);
  verb(client, "logo <client-id> [file]", "set the picture on the consent page (PNG, JPEG, WebP or GIF, up to 1 MiB)")
    .option("--remove", "take the present one away")
    .action(logo);
}

function registerCreate(client: Command): void {
  const create = verb(client, "create", "register a client; its secret is printed once")
    .requiredOption("--name <text>", "what owners know it by")
    .addOption(
      new Option(
        "--type <type>",
        "confidential: runs on a server and keeps a secret; public: runs in a browser or on a device",
      )
        .choices(["confidential", "public"])
        .makeOptionMandatory(),
    );
  settings(create)
    .option("--logo <file>", "picture on the consent page: PNG, JPEG, WebP or GIF, up to 1 MiB")
    .addHelpText(
      "after",
      `
A confidential client gets the grant types authorization_code and refresh_token, a public one authorization_code alone
(its refresh tokens, if asked for, always rotate).

Example:
  assent client create --name "Photo Printer" --type confidential --redirect-uri https://printer.example/callback \\
    --scope "photos:read profile"`,
    )
    .action(create_);
}

function registerUpdate(client: Command): void {
  const update = verb(
    client,
    "update <client-id>",
    "change a client: what isn't named stays, a list takes the place of the old one",
  ).option("--name <text>", "what owners know it by");
  settings(update)
    .option("--no-require-pkce", "leave PKCE to a confidential client")
    .option("--no-allow-plain-pkce", "accept S256 challenges alone")
    .option("--no-first-party", "ask owners again")
    .addOption(
      new Option("--status <status>", "a disabled client is refused everywhere").choices(["active", "disabled"]),
    )
    .action(change);
}

/** The flags that `create` and `update` share. */
function settings(command: Command): Command {
  return command
    .addOption(
      listOption("--redirect-uri <uri>", "where answers go; compared as a string, but for the port of a loopback IP"),
    )
    .addOption(listOption("--grant-type <type>", "authorization_code, refresh_token", { words: true }))
    .addOption(listOption("--response-type <type>", "code", { words: true }))
    .addOption(listOption("--scope <scopes>", "scopes that it may ask for, separated by spaces", { words: true }))
    .addOption(listOption("--own-scope <scopes>", "scopes that it holds for itself", { words: true }))
    .option("--auth-method <method>", "client_secret_basic, client_secret_post or none")
    .option("--require-pkce", "refuse its requests without a code challenge")
    .option("--allow-plain-pkce", "accept plain code challenges from it (RFC 7636 §4.2)")
    .option("--first-party", "record consent without asking the owner")
    .addOption(
      new Option("--refresh <how>", "whether a refresh token stays or is replaced by each refresh").choices([
        "rotate",
        "keep",
      ]),
    )
    .option("--client-uri <url>", "its home page")
    .option("--policy-uri <url>", "its privacy policy")
    .option("--tos-uri <url>", "its terms of service");
}

function metadataOf(options: ClientOptions) {
  return given({
    client_name: options.name,
    redirect_uris: options.redirectUri,
    grant_types: options.grantType,
    response_types: options.responseType,
    scope: options.scope?.join(" "),
    token_endpoint_auth_method: options.authMethod,
    client_uri: options.clientUri,
    policy_uri: options.policyUri,
    tos_uri: options.tosUri,
  });
}

function ownSettingsOf(options: ClientOptions): OwnClientSettings {
  return given({
    ownScopes: options.ownScope,
    requirePkce: options.requirePkce,
    allowPlainPkce: options.allowPlainPkce,
    firstParty: options.firstParty,
    refresh: options.refresh,
  });
}

async function create_(options: ClientOptions & { readonly type: "confidential" | "public" }, command: Command) {
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, createClient } = await import("@assent/server/admin");
    const picture = typeof options.logo === "string" ? await pictureOf(options.logo) : undefined;
    const { client, secret } = await createClient(
      { type: options.type, metadata: metadataOf(options), ...ownSettingsOf(options), ...given({ logo: picture }) },
      admin,
    );
    await warn(client, out, command);
    out.record(clientRecord(client, admin.issuer, secret), ["client_secret"]);
  });
}

async function list(options: JsonOption & { readonly limit?: number }) {
  await withAdmin(options, async (admin, out) => {
    const { allClients, clientRecord } = await import("@assent/server/admin");
    const clients = await firstOf(allClients(admin), options.limit);
    out.list(
      clients.map((client) => clientRecord(client, admin.issuer)),
      [{ field: "client_id" }, { field: "client_name" }, { field: "type" }, { field: "status" }, { field: "scope" }],
      "There are no clients: assent client create",
    );
  });
}

async function show(clientId: string, options: JsonOption, command: Command) {
  await withAdmin(options, async (admin, out) => {
    const { clientOf, clientRecord } = await import("@assent/server/admin");
    const client = await clientOf(clientId, admin);
    await warn(client, out, command);
    out.record(clientRecord(client, admin.issuer));
  });
}

async function change(
  clientId: string,
  options: ClientOptions & { readonly status?: "active" | "disabled" },
  command: Command,
) {
  const changes: ClientChanges = {
    metadata: metadataOf(options),
    ...ownSettingsOf(options),
    ...given({ status: options.status }),
  };
  if (Object.keys({ ...changes, ...changes.metadata }).length === 1) {
    throw new UsageError("nothing to change: name what should be different (assent client update --help)");
  }
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, updateClient } = await import("@assent/server/admin");
    const client = await updateClient(clientId, changes, admin);
    await warn(client, out, command);
    out.record(clientRecord(client, admin.issuer));
  });
}

async function remove(clientId: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteClient } = await import("@assent/server/admin");
    await deleteClient(clientId, admin);
    out.done({ client_id: clientId, deleted: true }, `Deleted ${clientId}; all that was granted to it has ended.`);
  });
}

async function rotate(clientId: string, options: JsonOption & { readonly overlap: number }) {
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, rotateSecret } = await import("@assent/server/admin");
    const { client, secret, oldUntil } = await rotateSecret(clientId, options.overlap * 1000, admin);
    out.record(clientRecord(client, admin.issuer, secret), ["client_secret"]);
    const until = new Date(oldUntil).toISOString();
    out.note(
      options.overlap === 0
        ? "The old secret is refused from now on."
        : `The old secret works until ${until} (--overlap 0 ends it at once).`,
    );
  });
}

async function logo(clientId: string, file: string | undefined, options: JsonOption & { readonly remove?: true }) {
  if ((file === undefined) === (options.remove === undefined)) {
    throw new UsageError("name the picture's file, or say --remove");
  }
  const picture = file === undefined ? null : await pictureOf(file);
  await withAdmin(options, async (admin, out) => {
    const { clientRecord, setLogo } = await import("@assent/server/admin");
    out.record(clientRecord(await setLogo(clientId, picture, admin), admin.issuer));
  });
}

async function warn(
  client: Parameters<typeof import("@assent/server/admin").clientRemarks>[0],
  out: Output,
  command: Command,
) {
  const { clientRemarks } = await import("@assent/server/admin");
  for (const remark of clientRemarks(client)) {
    out.warn(remark.field === "scope" ? `${remark.problem}: add --scope` : lineOf(remark, command));
  }
}

/** The bytes of a picture, if there aren't too many. */
async function pictureOf(file: string): Promise<Uint8Array> {
  const { MAX_LOGO_BYTES } = await import("@assent/server/admin");
  try {
    const { size } = await stat(file);
    if (size <= MAX_LOGO_BYTES) return await readFile(file);
  } catch (error) {
    throw new Failure(`${file}: it can't be read (${(error as Error).message})`);
  }
  throw new Failure(`${file}: it has more than ${MAX_LOGO_BYTES} bytes (1 MiB)`);
}
