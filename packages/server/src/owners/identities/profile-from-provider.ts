/** What a provider says of a person, as a profile of this server. */

import type { DetailName, Millis, PersonDetails } from "../../oauth/model.ts";
import { displayTextProblem } from "../../oauth/names/display-name.ts";
import type { Uses } from "../../storage-subset.ts";
import { readDetail } from "../account/check-details.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { UpstreamIdentity } from "./upstream-identity.ts";

/** Maximum number of characters of a name, as on the profile page. */
const MAX_NAME = 120;

export interface Profile {
  /** Null: none that can be stored. */
  readonly name: string | null;
  readonly details: PersonDetails;
}

/** What can't be stored is left out: a value that is wrong must not keep anybody out. */
export function profileOf({ name, details }: Pick<UpstreamIdentity, "name" | "details">, now: Millis): Profile {
  const read = (Object.entries(details) as [DetailName, string][]).flatMap(([detail, text]) => {
    const value = readDetail(detail, text, null, now);
    return value == null ? [] : [[detail, value] as const];
  });
  const called = name !== null && displayTextProblem(name, MAX_NAME) === undefined ? name.normalize("NFC") : null;
  return { name: called, details: Object.fromEntries(read) };
}

/**
 * Renews the profile of somebody whose provider the operator lets it follow. What the provider does not say stays. The
 * name to sign in with and the address never follow: they decide who somebody is.
 */
export async function followProvider(
  person: Person,
  identity: UpstreamIdentity,
  { storage, now }: { readonly storage: Uses<OwnerStorage, "people.update">; now(): Millis },
): Promise<void> {
  const { name, details } = profileOf(identity, now());
  const stands: Readonly<Record<string, unknown>> = { ...person.details };
  const changed = Object.fromEntries(Object.entries(details).filter(([detail, value]) => stands[detail] !== value));
  const changes = {
    ...(name !== null && name !== person.name ? { name } : {}),
    ...(Object.keys(changed).length > 0 ? { details: changed } : {}),
  };
  if (Object.keys(changes).length === 0) return;
  const { partition, personId } = person;
  await storage.people.update({ partition, personId, changes, now: now() });
}
