/** `assent scope …`: permissions that clients can ask for. */

import type { NewScope } from "@assent/server/admin";
import { type Command, Option } from "commander";
import {
  given,
  type JsonOption,
  listOption,
  noun,
  requireChanges,
  secondsOption,
  verb,
  withAdmin,
} from "../command.ts";
import { UsageError } from "../failure.ts";

interface ScopeOptions extends JsonOption {
  readonly description?: string;
  readonly resource?: string | false;
  readonly optional?: boolean;
  readonly sensitive?: boolean;
  readonly ownerRole?: string | false;
  readonly acr?: NonNullable<NewScope["acr"]> | false;
  readonly maxAge?: number | false;
  readonly access?: NonNullable<NewScope["access"]> | false;
  readonly descriptionLang?: readonly string[];
}

export function register(program: Command): void {
  const scope = noun(program, "scope", "permissions that clients can ask for");
  const create = verb(scope, "create <name>", "list a new permission").requiredOption(
    "--description <text>",
    "what owners read when they are asked, such as 'See your photos'",
  );
  settings(create).action(create_);
  verb(scope, "list", "list all scopes, and the API that each belongs to").action(list);
  const update = verb(scope, "update <name>", "change a scope: what isn't named stays").option(
    "--description <text>",
    "what owners read when they are asked",
  );
  settings(update)
    .option("--no-resource", "it belongs to the authorization server itself")
    .option("--no-optional", "owners grant it, or nothing")
    .option("--no-sensitive", "it stands with the ordinary ones")
    .option("--no-acr", "any sign-in is good enough")
    .option("--no-max-age", "a sign-in of any age is good enough")
    .option("--no-access", "leave open what it lets an app do")
    .option("--no-owner-role", "any owner may grant it")
    .action(change);
  verb(scope, "delete <name>", "take a permission away: no new token carries it").action(remove);
}

function settings(command: Command): Command {
  return command
    .option("--resource <uri>", "the API that it belongs to; without one, the authorization server itself")
    .addOption(
      listOption(
        "--description-lang <tag=text>",
        "the description in another language: de='Ihre Fotos ansehen'; de= takes it away",
      ),
    )
    .addOption(
      new Option(
        "--acr <level>",
        "how owners must have signed in to grant it: with a second factor, or with a passkey",
      ).choices(["mfa", "phr"]),
    )
    .addOption(secondsOption("--max-age <seconds>", "how old their sign-in may be when they grant it"))
    .addOption(
      new Option("--access <kind>", "what it lets an app do: owners see reading apart from the rest").choices([
        "read",
        "write",
        "delete",
      ]),
    )
    .option("--optional", "owners may grant the rest without it")
    .option("--sensitive", "owners see it apart, with a warning")
    .option(
      "--owner-role <role>",
      "only operators with this role may grant it: admin, read, clients, users, or operator for any",
    );
}

/** `de=TEXT`, several times. */
export function translations(words: readonly string[] | undefined, flag: string): Record<string, string> | undefined {
  if (words === undefined) return undefined;
  return Object.fromEntries(
    words.map((word) => {
      const [, tag, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (tag === undefined || text === undefined) throw new UsageError(`${flag} is LANGUAGE=TEXT, like de=Fotos`);
      return [tag.toLowerCase(), text];
    }),
  );
}

function settingsOf({
  description,
  resource,
  optional,
  sensitive,
  ownerRole,
  access,
  acr,
  maxAge,
  descriptionLang,
}: ScopeOptions) {
  return given({
    description,
    access: access === false ? null : access,
    acr: acr === false ? null : acr,
    maxAge: maxAge === false ? null : maxAge,
    descriptions: translations(descriptionLang, "--description-lang"),
    resource: resource === false ? null : resource,
    optional,
    sensitive,
    ownerRole: ownerRole === false ? null : ownerRole,
  });
}

async function create_(name: string, options: ScopeOptions & { readonly description: string }) {
  await withAdmin(options, async (admin, out) => {
    const { createScope, scopeRecord } = await import("@assent/server/admin");
    const { description } = options;
    out.record(scopeRecord(await createScope({ ...settingsOf(options), name, description }, admin)));
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { scopeRecord } = await import("@assent/server/admin");
    const scopes = await admin.storage.scopes.list();
    out.list(
      scopes.map(scopeRecord),
      [
        { field: "name" },
        { field: "resource", show: (value) => (value === null ? "(this server)" : String(value)) },
        { field: "access", show: (value) => (value === null ? "-" : String(value)) },
        { field: "optional", show: (value) => (value === true ? "optional" : "required") },
        { field: "sensitive", show: (value) => (value === true ? "yes" : "-") },
        { field: "description" },
      ],
      "There are no scopes: assent scope create",
    );
  });
}

async function change(name: string, options: ScopeOptions) {
  const changes = settingsOf(options);
  requireChanges(changes, "scope");
  await withAdmin(options, async (admin, out) => {
    const { scopeRecord, updateScope } = await import("@assent/server/admin");
    out.record(scopeRecord(await updateScope(name, changes, admin)));
  });
}

async function remove(name: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteScope } = await import("@assent/server/admin");
    const clients = await deleteScope(name, admin);
    if (clients.length > 0) {
      out.warn(
        `${clients.length} client(s) still name it (${clients.slice(0, 5).join(", ")}): their requests for it are refused`,
      );
    }
    out.done({ name, deleted: true, client_ids: clients }, `Deleted ${name}: no new token carries it.`);
  });
}
