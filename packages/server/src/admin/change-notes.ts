/**
 * Changes with what they mean for access that exists: sentences for the operator. Commands, the admin API and the plan of a
 * configuration give the same sentences.
 */

import type { Scope } from "../oauth/model.ts";
import { allClients } from "./clients.ts";
import type { AdminContext } from "./context.ts";
import { counted } from "./counted.ts";
import type { Precondition } from "./precondition.ts";
import { namedBy, namesOfScope, updateScope } from "./scopes-and-resources.ts";

/** Throws as `updateScope`. */
export async function changeScope(
  name: string,
  changes: Partial<Omit<Scope, "name">>,
  context: AdminContext,
  check?: Precondition<Scope>,
): Promise<{ readonly scope: Scope; readonly notes: readonly string[] }> {
  const seen: Scope[] = [];
  const scope = await updateScope(name, changes, context, (present) => {
    check?.(present);
    seen.push(present);
  });
  return { scope, notes: await scopeNotes(seen.at(-1) ?? scope, scope, context) };
}

async function scopeNotes(before: Scope, after: Scope, context: AdminContext): Promise<readonly string[]> {
  const isNew = (field: keyof Scope) => (before[field] ?? null) !== (after[field] ?? null);
  const isStricter = (["ownerRole", "acr", "maxAge"] as const).some((field) => isNew(field) && after[field] != null);
  const isShown = (["access", "sensitive", "optional"] as const).some(isNew);
  if (!isStricter && !isShown && !isNew("description") && !isNew("resource")) return [];
  const named = namedBy(await namesOfScope(after.name, context));
  const notes: string[] = [];
  if (isNew("resource")) notes.push(...(await resourceNotes(before, after, named, context)));
  if (named === "") return notes;
  if (isNew("description"))
    notes.push(
      `The scope is in ${named}, given for the earlier description. There it now means what the new one says, and nobody is asked again.`,
    );
  if (isStricter)
    notes.push(
      `The new requirement is for new sign-ins and consents. Apps keep the access of grants that they have: the scope is in ${named}. To end that access, revoke the consents.`,
    );
  if (isShown)
    notes.push(
      `The consent page shows the change to owners who are asked from now on. The scope is in ${named}, and nobody is asked again.`,
    );
  return notes;
}

/** The scope now belongs to another API, and so does the access that owners gave. */
async function resourceNotes(
  { name, resource: old }: Scope,
  { resource: next }: Scope,
  named: string,
  context: AdminContext,
): Promise<readonly string[]> {
  let own = 0;
  for await (const { ownScopes } of allClients(context)) if (ownScopes.includes(name)) own += 1;
  const naming = [named, own === 0 ? "" : `the own scopes of ${counted(own, "client")}`].filter((one) => one !== "");
  if (naming.length === 0) return [];
  const api = (identifier: string | null) => identifier ?? "this server itself";
  const mixed =
    named === ""
      ? ""
      : " If an app now has scopes of several APIs, it gets a token only if it names one of these APIs (resource).";
  return [
    `The scope is in ${naming.join(" and ")}. From now on, apps use it to get tokens for ${api(next)}, without asking anybody, and none for ${api(old)}.${mixed} Issued access tokens work until they expire.`,
  ];
}
