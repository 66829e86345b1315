/** The lists of a client. An update can replace them, or add and remove single values. */

import type { ClientMetadata } from "../oauth/client-registration/metadata.ts";
import type { Client } from "../oauth/model.ts";
import { type Remark, refuseAny } from "./admin-error.ts";

/** By the name of the field in the client's record. */
const LISTS = {
  redirect_uris: (client: Client) => client.redirectUris,
  post_logout_redirect_uris: (client: Client) => client.postLogoutRedirectUris ?? [],
  grant_types: (client: Client) => client.grantTypes,
  response_types: (client: Client) => client.responseTypes,
  scope: (client: Client) => client.scopes,
  optional_scope: (client: Client) => client.optionalScopes ?? [],
  own_scope: (client: Client) => client.ownScopes,
  default_scope: (client: Client) => client.defaultScopes ?? [],
} as const;
export type ClientList = keyof typeof LISTS;

/** The values that a list gains and loses; the others stay. */
export interface ListChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}
export type ListChanges = Partial<Readonly<Record<ClientList, ListChange>>>;

const names = Object.keys(LISTS) as readonly ClientList[];
const ONE: Readonly<Record<ClientList, string>> = {
  ...{ redirect_uris: "redirect_uri", grant_types: "grant_type", response_types: "response_type" },
  post_logout_redirect_uris: "post_logout_redirect_uri",
  ...{ scope: "scope", optional_scope: "optional_scope", own_scope: "own_scope", default_scope: "default_scope" },
};

/** Lists that no registration has, only an operator's settings. */
const OWN: Partial<Readonly<Record<ClientList, "ownScopes" | "defaultScopes">>> = {
  ...{ own_scope: "ownScopes", default_scope: "defaultScopes" },
};

/**
 * The changed lists. A value that is there already is not added again. Throws `invalid` for a value that should be
 * removed and is not there, because this is usually a typing error.
 */
export function changedLists(
  client: Client,
  changes: ListChanges,
): { readonly metadata: ClientMetadata; readonly own: Partial<Pick<Client, "ownScopes" | "defaultScopes">> } {
  const problems: Remark[] = [];
  const metadata: Record<string, unknown> = {};
  const own: Partial<Record<"ownScopes" | "defaultScopes", readonly string[]>> = {};
  for (const name of names) {
    const change = changes[name];
    if (change === undefined) continue;
    const { add = [], remove = [] } = change;
    const before = LISTS[name](client);
    problems.push(...absent(name, remove, before));
    const after = [...new Set([...before.filter((value) => !remove.includes(value)), ...add])];
    const setting = OWN[name];
    if (setting !== undefined) own[setting] = after;
    else metadata[name] = name.endsWith("scope") ? after.join(" ") : after;
  }
  refuseAny(problems);
  return { metadata, own };
}

function absent(name: ClientList, remove: readonly string[], before: readonly string[]): readonly Remark[] {
  const has = before.length === 0 ? "its list is empty" : `it has ${before.join(", ")}`;
  return remove
    .filter((value) => !before.includes(value))
    .map((value) => ({
      field: `remove_${ONE[name]}`,
      problem: `the client has no ${JSON.stringify(value.slice(0, 200))}: ${has}`,
    }));
}

/** The values that each list lost between two states of a client. */
export function droppedValues(before: Client, after: Client): Partial<Readonly<Record<ClientList, readonly string[]>>> {
  const lost = names.map((name) => {
    const left = LISTS[name](after);
    return [name, LISTS[name](before).filter((value) => !left.includes(value))] as const;
  });
  return Object.fromEntries(lost.filter(([, values]) => values.length > 0));
}

/** In characters. The default goes into links with the rest of the request. */
export const LONGEST_DEFAULT = 2_000;

export function defaultScopeProblems(
  { defaultScopes = [], ownScopes = [] }: Partial<Pick<Client, "ownScopes" | "defaultScopes">>,
  scopes: readonly string[],
): readonly Remark[] {
  const field = "default_scope";
  const strangers = defaultScopes.filter((name) => !scopes.includes(name) && !ownScopes.includes(name)).slice(0, 10);
  const list = strangers.map((name) => JSON.stringify(name.slice(0, 150))).join(", ");
  return [
    ...(strangers.length === 0 ? [] : [{ field, problem: `${list}: the client has no such scope; add it first` }]),
    ...(defaultScopes.join(" ").length <= LONGEST_DEFAULT
      ? []
      : [{ field, problem: `at most ${LONGEST_DEFAULT} characters are allowed` }]),
  ];
}
