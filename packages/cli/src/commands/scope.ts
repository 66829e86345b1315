/** `assent scope …`: permissions that clients can ask for. */

import type { NewScope, ScopeImpactRecord } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { UsageError } from "../command-errors.ts";
import { confirm, counted, TOKENS, type YesOption, yesOption } from "../confirm.ts";
import type { Output } from "../print-records.ts";
import {
  given,
  type JsonOption,
  listOption,
  noun,
  requireChanges,
  secondsOption,
  verb,
  withAdmin,
} from "../shared-options.ts";

export interface ScopeOptions extends JsonOption {
  readonly description?: string;
  readonly resource?: string | false;
  readonly optional?: boolean;
  readonly sensitive?: boolean;
  readonly ownerRole?: string | false;
  readonly acr?: NonNullable<NewScope["acr"]> | false;
  readonly maxAge?: number | false;
  readonly access?: NonNullable<NewScope["access"]> | false;
  readonly descriptionLang?: readonly string[];
  readonly reuse?: boolean;
}

export function register(program: Command): void {
  const scope = noun(program, "scope", "permissions that clients can request");
  const create = verb(scope, "create <name>", "create a scope").requiredOption(
    "--description <text>",
    "the text that owners read on the consent page, such as 'See your photos'",
  );
  settings(create)
    .option(
      "--reuse",
      "it means the same as a deleted scope of this name: consents and approvals that name it hold again",
    )
    .action(create_);
  verb(scope, "list", "list all scopes with their APIs").action(list);
  const update = verb(scope, "update <name>", "change a scope; settings that you omit stay the same").option(
    "--description <text>",
    "the text that owners read on the consent page",
  );
  settings(update)
    .option("--no-resource", "make it a scope of the authorization server itself")
    .option("--no-optional", "owners can't leave it out")
    .option("--no-sensitive", "don't warn owners about it")
    .option("--no-acr", "accept any sign-in method")
    .option("--no-max-age", "accept a sign-in of any age")
    .option("--no-access", "remove the type of access")
    .option("--no-owner-role", "any owner may grant it")
    .action(change);
  verb(scope, "delete <name>", "delete a scope; new tokens don't contain it").addOption(yesOption()).action(remove);
}

function settings(command: Command): Command {
  return command
    .option("--resource <uri>", "the API that the scope belongs to; by default, the authorization server itself")
    .addOption(
      listOption(
        "--description-lang <tag=text>",
        "the description in another language: de='Ihre Fotos ansehen'; de= removes it",
      ),
    )
    .addOption(
      new Option(
        "--acr <level>",
        "the sign-in that it requires: with a second factor (mfa) or a passkey (phr)",
      ).choices(["mfa", "phr"]),
    )
    .addOption(secondsOption("--max-age <seconds>", "maximum age of the owner's sign-in when they grant it"))
    .addOption(
      new Option(
        "--access <kind>",
        "what an app can do with it; the consent page lists read access separately",
      ).choices(["read", "write", "delete"]),
    )
    .option("--optional", "owners may leave it out and grant the rest")
    .option("--sensitive", "show it to owners separately, with a warning")
    .option(
      "--owner-role <role>",
      "only operators with this role may grant it: admin, read, clients or users; operator: any role",
    );
}

/** Reads the values of a flag that can be given several times, each `LANGUAGE=TEXT`. */
export function translations(words: readonly string[] | undefined, flag: string): Record<string, string> | undefined {
  if (words === undefined) return undefined;
  return Object.fromEntries(
    words.map((word) => {
      const [, tag, text] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (tag === undefined || text === undefined)
        throw new UsageError(`${flag} must be LANGUAGE=TEXT, for example de=Fotos`);
      return [tag.toLowerCase(), text];
    }),
  );
}

export function settingsOf({
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
    const { makeScope, scopeRecord } = await import("@assent/server/admin");
    const { description, reuse = false } = options;
    const { scope, notes } = await makeScope({ ...settingsOf(options), name, description }, admin, { reuse });
    out.record(scopeRecord(scope));
    for (const note of notes) out.note(note);
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { listScopes, scopeRecord } = await import("@assent/server/admin");
    const scopes = await listScopes(admin);
    out.list(
      scopes.map(({ scope, builtIn }) => ({ ...scopeRecord(scope), built_in: builtIn })),
      [
        { field: "name" },
        { field: "resource", show: (value) => (value === null ? "(this server)" : String(value)) },
        { field: "access", show: (value) => (value === null ? "-" : String(value)) },
        { field: "optional", show: (value) => (value === true ? "optional" : "required") },
        { field: "sensitive", show: (value) => (value === true ? "yes" : "-") },
        { field: "built_in", show: (value) => (value === true ? "yes" : "-") },
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
    const { changeScope, scopeRecord } = await import("@assent/server/admin");
    const { scope, notes } = await changeScope(name, changes, admin);
    out.record(scopeRecord(scope));
    for (const note of notes) out.note(note);
  });
}

async function remove(name: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteScope, impactOfScope, scopeImpactRecord } = await import("@assent/server/admin");
    await confirm(await scopeQuestion(scopeImpactRecord(name, await impactOfScope(name, admin))), options);
    await tellDeletedScope(name, await deleteScope(name, admin), out);
  });
}

export async function scopeQuestion({ name, clients, ...names }: ScopeImpactRecord): Promise<string> {
  const { isBuiltInScope, namedBy } = await import("@assent/server/admin");
  if (isBuiltInScope(name))
    return `Deleting the scope ${name} removes your texts and settings of it. The server's own scope of this name replaces it, and clients and tokens keep it.`;
  const kept = namedBy(names) === "" ? "" : ` The scope stays in ${namedBy(names)}, without effect.`;
  return `Deleting the scope ${name} takes it out of new tokens, also those of existing grants. Issued access tokens contain it until they expire.${await registeredFor(clients)}${kept}`;
}

/** The clients that keep the name of a deleted scope. */
async function registeredFor(clients: readonly string[]): Promise<string> {
  if (clients.length === 0) return "";
  const { firstNames } = await import("@assent/server/admin");
  const [stay, they, their] = clients.length === 1 ? ["stays", "it", "its"] : ["stay", "they", "their"];
  return ` ${counted(clients.length, "client")} (${firstNames(clients)}) ${stay} registered for it: the server refuses ${their} requests for it. If you create a scope of this name again, ${they} may ask for it at once.`;
}

/** `clients`: those that stay registered for it. */
export async function tellDeletedScope(name: string, clients: readonly string[], out: Output): Promise<void> {
  const { isBuiltInScope } = await import("@assent/server/admin");
  const isReplaced = isBuiltInScope(name);
  if (clients.length > 0 && !isReplaced) {
    out.warn(
      `${(await registeredFor(clients)).trim()} To take the scope from a client, run: assent client update CLIENT_ID --remove-scope ${name} (or --remove-own-scope ${name})`,
    );
  }
  out.done(
    { name, deleted: true, client_ids: clients },
    isReplaced
      ? `Deleted ${name}. The server's own scope of this name replaces it.`
      : `Deleted ${name}. New tokens don't contain it. ${TOKENS}`,
  );
}
