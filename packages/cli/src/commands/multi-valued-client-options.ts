/** The options for the lists of a client: `--scope`, and in an update also `--add-scope` and `--remove-scope`. */

import type { ClientList, ListChanges } from "@assent/server/admin";
import type { Command } from "commander";
import { addChangeOptions, changesOf, type ListFlag, dropRemarks as remarksOf } from "../list-changes.ts";
import { listOption } from "../shared-options.ts";

const FLAGS: readonly (ListFlag<ClientList> & { readonly description: string })[] = [
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
  return addChangeOptions(command, FLAGS);
}

/** The changes of single values. Throws if the same command replaces the list, or adds and removes the same value. */
export function listChangesOf(options: object): ListChanges {
  return changesOf(options, FLAGS, (field, values) => (field === "grant_types" ? values.map(grantTypeOf) : values));
}

/** One sentence for each replaced list: which values it lost. */
export function dropRemarks(
  options: object,
  dropped: Partial<Readonly<Record<ClientList, readonly string[]>>>,
): readonly string[] {
  return remarksOf(options, dropped, FLAGS);
}

const URN = "urn:ietf:params:oauth:grant-type:";
/** Short names of grant types that RFCs name by a long URN. */
const SHORT: ReadonlySet<string> = new Set(["device_code", "jwt-bearer", "saml2-bearer", "token-exchange"]);

/** The name of a grant type in requests, for its short name. */
export function grantTypeOf(name: string): string {
  return SHORT.has(name) ? `${URN}${name}` : name;
}
