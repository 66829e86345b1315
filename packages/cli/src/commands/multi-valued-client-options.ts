/** The options for the lists of a client: `--scope`, and in an update also `--add-scope` and `--remove-scope`. */

import type { ClientList, ListChange, ListChanges } from "@assent/server/admin";
import type { Command } from "commander";
import { UsageError } from "../command-errors.ts";
import { listOption } from "../shared-options.ts";

interface ListFlag {
  readonly field: ClientList;
  readonly flag: string;
  readonly value: string;
  readonly description: string;
  /** The name of one value. */
  readonly one: string;
  /** One option may hold several values, separated by spaces. */
  readonly words: boolean;
}

const FLAGS: readonly ListFlag[] = [
  {
    ...{ field: "redirect_uris", flag: "redirect-uri", value: "<uri>", one: "a redirect URI", words: false },
    description: "where the server sends responses; compared as a string, except for the port of a loopback IP",
  },
  {
    ...{ field: "post_logout_redirect_uris", flag: "post-logout-redirect-uri", value: "<uri>", words: false },
    one: "a URI for after sign-out",
    description: "where the server may send people after sign-out; compared as a string",
  },
  {
    ...{ field: "grant_types", flag: "grant-type", value: "<type>", one: "a grant type", words: true },
    description:
      "authorization_code, refresh_token, client_credentials, implicit, password, device_code, jwt-bearer, saml2-bearer, token-exchange, or one of your own (customGrants in assent.config.ts)",
  },
  {
    ...{ field: "response_types", flag: "response-type", value: "<type>", one: "a response type", words: true },
    description: "code, or token with implicit",
  },
  {
    ...{ field: "scope", flag: "scope", value: "<scopes>", one: "scopes that it may request", words: true },
    description: "scopes that the client may request, separated by spaces",
  },
  {
    ...{ field: "optional_scope", flag: "optional-scope", value: "<scopes>", words: true },
    one: "scopes that owners may leave out",
    description: "its scopes that owners may leave out",
  },
  {
    ...{ field: "own_scope", flag: "own-scope", value: "<scopes>", one: "scopes of its own", words: true },
    description: "scopes that it gets in its own name (client_credentials)",
  },
  {
    ...{ field: "default_scope", flag: "default-scope", value: "<scopes>", words: true },
    one: "scopes for requests that name none",
    description: "what a request without scope asks for; without this option, it is refused",
  },
];

/** `--scope` and similar options. In `create` they give the whole list; in `update` they replace it. */
export function addListOptions(command: Command): Command {
  for (const { flag, value, description, words } of FLAGS) {
    command.addOption(listOption(`--${flag} ${value}`, description, { words }));
  }
  return command;
}

/** `--add-scope`, `--remove-scope` and similar options. */
export function addListChangeOptions(command: Command): Command {
  for (const { flag, value, one, words } of FLAGS) {
    command
      .addOption(listOption(`--add-${flag} ${value}`, `add ${one}; the others stay`, { words }))
      .addOption(listOption(`--remove-${flag} ${value}`, `remove ${one}; the others stay`, { words }));
  }
  return command;
}

type Options = Readonly<Record<string, unknown>>;

/** The values of an option, under the name that the parser makes from its flag. */
function valuesOf(options: object, flag: string, field: ClientList): readonly string[] | undefined {
  const name = flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const values = (options as Options)[name] as readonly string[] | undefined;
  return field === "grant_types" ? values?.map(grantTypeOf) : values;
}

/** The changes of single values. Throws if the same command replaces the list, or adds and removes the same value. */
export function listChangesOf(options: object): ListChanges {
  const changes: Partial<Record<ClientList, ListChange>> = {};
  for (const { field, flag } of FLAGS) {
    const add = valuesOf(options, `add-${flag}`, field);
    const remove = valuesOf(options, `remove-${flag}`, field);
    if (add === undefined && remove === undefined) continue;
    if (valuesOf(options, flag, field) !== undefined) {
      throw new UsageError(`--${flag} replaces the whole list: use it without --add-${flag} and --remove-${flag}`);
    }
    const both = add?.find((value) => remove?.includes(value));
    if (both !== undefined) throw new UsageError(`--add-${flag} and --remove-${flag} both name ${both}`);
    changes[field] = { ...(add === undefined ? {} : { add }), ...(remove === undefined ? {} : { remove }) };
  }
  return changes;
}

/** One sentence for each replaced list: which values it lost. */
export function dropRemarks(
  options: object,
  dropped: Partial<Readonly<Record<ClientList, readonly string[]>>>,
): readonly string[] {
  return FLAGS.flatMap(({ field, flag }) => {
    const lost = dropped[field] ?? [];
    if (lost.length === 0 || valuesOf(options, flag, field) === undefined) return [];
    return [`--${flag}: the new list no longer has ${lost.join(", ")}; to add to the list instead, use --add-${flag}`];
  });
}

const URN = "urn:ietf:params:oauth:grant-type:";
/** Short names of grant types that RFCs name by a long URN. */
const SHORT: ReadonlySet<string> = new Set(["device_code", "jwt-bearer", "saml2-bearer", "token-exchange"]);

/** The name of a grant type in requests, for its short name. */
export function grantTypeOf(name: string): string {
  return SHORT.has(name) ? `${URN}${name}` : name;
}
