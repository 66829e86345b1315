/** `assent resource …`: APIs that accept the tokens (RFC 8707). */

import { type Command, Option } from "commander";
import { given, type JsonOption, noun, requireChanges, secondsOption, verb, withAdmin } from "../command.ts";

interface ResourceOptions extends JsonOption {
  readonly name?: string;
  readonly tokenFormat?: string;
  readonly alg?: string;
  readonly tokenLifetime?: number | false;
  readonly grantBound?: boolean;
}

interface CreateOptions extends ResourceOptions {
  readonly identifier: string;
  readonly name: string;
}

const LIFETIME = "how long its access tokens live, 1 to 86400; without it, as the configuration says";
const FORMAT = "what its access tokens are: jwt, or opaque for an API that asks about each (introspection)";
const ALG = "what signs its JWTs: ES256, ES384, EdDSA, PS256 or RS256";
const GRANT_BOUND = "introspection calls a token inactive as soon as its grant ends, not only when it expires";

export function register(program: Command): void {
  const resource = noun(program, "resource", "APIs that accept the tokens");
  verb(resource, "create", "register an API; its introspection secret is printed once")
    .requiredOption("--identifier <uri>", "absolute URI of the API: the aud of its tokens")
    .requiredOption("--name <text>", "what owners know it by")
    .addOption(new Option("--token-format <format>", FORMAT).default("jwt"))
    .addOption(secondsOption("--token-lifetime <seconds>", LIFETIME))
    .addOption(new Option("--alg <alg>", ALG).default("ES256"))
    .option("--grant-bound", GRANT_BOUND)
    .action(create_);
  verb(resource, "list", "list all APIs").action(list);
  verb(resource, "update <identifier>", "change an API: what isn't named stays")
    .option("--name <text>", "what owners know it by")
    .option("--token-format <format>", FORMAT)
    .option("--alg <alg>", ALG)
    .addOption(secondsOption("--token-lifetime <seconds>", LIFETIME))
    .option("--no-token-lifetime", "as the configuration says")
    .option("--grant-bound", GRANT_BOUND)
    .option("--no-grant-bound", "introspection calls a token active until it expires")
    .option("--new-secret", "make a new introspection secret and print it once; the old one is refused from then on")
    .action(change);
  verb(resource, "delete <identifier>", "forget an API that no scope belongs to any more").action(remove);
}

async function create_(options: CreateOptions) {
  await withAdmin(options, async (admin, out) => {
    const { createResource, resourceRecord } = await import("@assent/server/admin");
    const { identifier, name, tokenFormat, alg, grantBound, tokenLifetime } = options;
    const optional = given({
      tokenFormat,
      alg,
      grantBound,
      tokenLifetime: tokenLifetime === false ? null : tokenLifetime,
    });
    const { resource, secret } = await createResource({ identifier, name, ...optional }, admin);
    out.record(resourceRecord(resource, secret), ["introspection_client_secret"]);
  });
}

async function list(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { resourceRecord } = await import("@assent/server/admin");
    const resources = await admin.storage.resources.list();
    out.list(
      resources.map((resource) => resourceRecord(resource)),
      [
        { field: "identifier" },
        { field: "name" },
        { field: "token_format" },
        { field: "alg" },
        { field: "token_lifetime", show: (value) => (value === null ? "default" : `${value} s`) },
        { field: "grant_bound" },
        { field: "introspection_client_id" },
      ],
      "There are no APIs: assent resource create",
    );
  });
}

async function change(identifier: string, options: ResourceOptions & { readonly newSecret?: true }) {
  const { name, tokenFormat, alg, tokenLifetime, grantBound, newSecret } = options;
  const lifetime = tokenLifetime === false ? null : tokenLifetime;
  const changes = given({ name, tokenFormat, alg, grantBound, newSecret, tokenLifetime: lifetime });
  requireChanges(changes, "resource");
  await withAdmin(options, async (admin, out) => {
    const { resourceRecord, updateResource } = await import("@assent/server/admin");
    const { resource, secret } = await updateResource(identifier, changes, admin);
    out.record(resourceRecord(resource, secret), ["introspection_client_secret"]);
  });
}

async function remove(identifier: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteResource } = await import("@assent/server/admin");
    await deleteResource(identifier, admin);
    out.done({ identifier, deleted: true }, `Deleted ${identifier}.`);
  });
}
