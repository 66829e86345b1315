/** `assent resource …`: APIs that accept the tokens (RFC 8707). */

import type { ResourceImpactRecord } from "@assent/server/admin";
import { type Command, Option } from "commander";
import { confirm, TOKENS, type Told, type YesOption, yesOption } from "../confirm.ts";
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

interface ResourceOptions extends JsonOption {
  readonly name?: string;
  readonly tokenFormat?: string;
  readonly alg?: string;
  readonly tokenLifetime?: number | false;
  readonly grantBound?: boolean;
  readonly userinfo?: boolean;
  readonly defaultScope?: readonly string[] | false;
}

interface CreateOptions extends ResourceOptions {
  readonly identifier: string;
  readonly name: string;
}

const LIFETIME = "lifetime of its access tokens, 1 to 86400; default: ASSENT_ACCESS_TTL";
const FORMAT = "the format of its access tokens: jwt, or opaque for an API that introspects each token";
const ALG = "the algorithm that signs its JWTs: ES256, ES384, EdDSA, PS256 or RS256";
const GRANT_BOUND = "introspection reports a token as inactive as soon as its grant ends";

const NO_USERINFO = "its tokens never work at the UserInfo endpoint, so the API can't read the owner's claims there";

const DEFAULT_SCOPE = "what a request asks for that names this API and no scope";
const defaultScopeOption = () => listOption("--default-scope <scopes>", DEFAULT_SCOPE, { words: true });

export function register(program: Command): void {
  const resource = noun(program, "resource", "APIs that accept access tokens");
  verb(resource, "create", "register an API; its introspection secret is printed once")
    .requiredOption("--identifier <uri>", "absolute URI of the API; its tokens have it as aud")
    .requiredOption("--name <text>", "the name that owners see")
    .addOption(new Option("--token-format <format>", FORMAT).default("jwt"))
    .addOption(secondsOption("--token-lifetime <seconds>", LIFETIME))
    .addOption(new Option("--alg <alg>", ALG).default("ES256"))
    .option("--grant-bound", GRANT_BOUND)
    .option("--no-userinfo", NO_USERINFO)
    .addOption(defaultScopeOption())
    .action(create_);
  verb(resource, "list", "list all APIs").action(list);
  verb(resource, "update <identifier>", "change an API; settings that you omit stay the same")
    .option("--name <text>", "the name that owners see")
    .option("--token-format <format>", FORMAT)
    .option("--alg <alg>", ALG)
    .addOption(secondsOption("--token-lifetime <seconds>", LIFETIME))
    .option("--no-token-lifetime", "use the lifetime in the configuration (ASSENT_ACCESS_TTL)")
    .option("--grant-bound", GRANT_BOUND)
    .option("--no-grant-bound", "introspection reports a new token as active until it expires")
    .option("--userinfo", "its tokens with the scope openid also work at the UserInfo endpoint")
    .option("--no-userinfo", NO_USERINFO)
    .addOption(defaultScopeOption())
    .option("--no-default-scope", "refuse requests without scope, unless the client has a default")
    .option("--new-secret", "create a new introspection secret and print it once; the old one stops working")
    .action(change);
  verb(resource, "delete <identifier>", "delete an API that has no scopes").addOption(yesOption()).action(remove);
}

async function create_(options: CreateOptions) {
  await withAdmin(options, async (admin, out) => {
    const { createResource, resourceRecord } = await import("@assent/server/admin");
    const { identifier, name, tokenFormat, alg, grantBound, userinfo, tokenLifetime, defaultScope } = options;
    const optional = given({
      tokenFormat,
      alg,
      grantBound,
      userInfo: userinfo,
      tokenLifetime: tokenLifetime === false ? null : tokenLifetime,
      defaultScopes: defaultScope === false ? undefined : defaultScope,
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
        { field: "userinfo" },
        { field: "introspection_client_id" },
      ],
      "There are no APIs: assent resource create",
    );
  });
}

async function change(identifier: string, options: ResourceOptions & { readonly newSecret?: true }) {
  const { name, tokenFormat, alg, tokenLifetime, grantBound, userinfo, defaultScope, newSecret } = options;
  const lifetime = tokenLifetime === false ? null : tokenLifetime;
  const defaultScopes = defaultScope === false ? [] : defaultScope;
  const more = { userInfo: userinfo, newSecret, tokenLifetime: lifetime, defaultScopes };
  const changes = given({ name, tokenFormat, alg, grantBound, ...more });
  requireChanges(changes, "resource");
  await withAdmin(options, async (admin, out) => {
    const { changeResource, resourceRecord } = await import("@assent/server/admin");
    const { resource, secret, notes } = await changeResource(identifier, changes, admin);
    out.record(resourceRecord(resource, secret), ["introspection_client_secret"]);
    for (const note of notes) out.note(note);
  });
}

async function remove(identifier: string, options: JsonOption & YesOption) {
  await withAdmin(options, async (admin, out) => {
    const { deleteResource, impactOfResource, resourceImpactRecord } = await import("@assent/server/admin");
    const { question, done } = await resourceDeletionTold(
      resourceImpactRecord(await impactOfResource(identifier, admin)),
    );
    await confirm(question, options);
    await deleteResource(identifier, admin);
    out.done({ identifier, deleted: true }, done);
  });
}

/** Throws `in_use` while scopes belong to the API: then there is nothing to ask. */
export async function resourceDeletionTold({
  identifier,
  name,
  introspection_client_id: introspection,
  scopes,
}: ResourceImpactRecord): Promise<Told> {
  const { refuseWithScopes } = await import("@assent/server/admin");
  refuseWithScopes(scopes);
  return {
    question: `Deleting ${name} (${identifier}) ends its introspection (${introspection}). The server issues no new access tokens for it. ${TOKENS} You can't undo this.`,
    done: `Deleted ${identifier}. The server issues no new access tokens for it. ${TOKENS}`,
  };
}
