/** What an operator does with the identities of a person at other systems: list them, and take one away. */

import { OWN_PAGE } from "../owners/identities/external-sign-in.ts";
import { EXISTING_PEOPLE } from "../owners/identities/password-keeper.ts";
import type { Person } from "../owners/storage.ts";
import type { SubjectLink } from "../owners/subject-link-storage.ts";
import { refuse } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import type { WireRecord } from "./output-records.ts";
import { type UserRef, userOf } from "./people.ts";
import { type Precondition, untilStored } from "./precondition.ts";

/** `application`: the operator's own, from the configuration. `deleted`: the system was removed from this server. */
type System = "issuer" | "provider" | "company provider" | "application" | "deleted";

export interface PersonIdentity {
  readonly link: SubjectLink;
  readonly system: System;
  /** The issuer's identifier, or the provider's name. Null: the system has none. */
  readonly name: string | null;
}

/** Oldest first. Throws `unknown`. */
export async function identitiesOf(
  login: UserRef,
  context: AdminContext,
): Promise<{ readonly person: Person; readonly identities: readonly PersonIdentity[] }> {
  const person = await userOf(login, context);
  const { partition, personId } = person;
  const { storage } = context;
  const [links, issuers, providers, companies] = await Promise.all([
    storage.subjectLinks.ofPerson({ partition, personId }),
    storage.issuers.list(),
    storage.signInProviders.list(),
    storage.companySignIn.list(),
  ]);
  const systems = new Map<string, Pick<PersonIdentity, "system" | "name">>([
    ...[EXISTING_PEOPLE, OWN_PAGE].map((id) => [id, { system: "application", name: null }] as const),
    ...issuers.map(({ id, issuer }) => [id, { system: "issuer", name: issuer }] as const),
    ...providers.map(({ id, name }) => [id, { system: "provider", name }] as const),
    ...companies.flatMap(({ provider }) =>
      provider === null ? [] : [[provider.id, { system: "company provider", name: provider.name }] as const],
    ),
  ]);
  const unknown = { system: "deleted", name: null } as const;
  return { person, identities: links.map((link) => ({ link, ...(systems.get(link.issuerId) ?? unknown) })) };
}

/** The person signs in with it no more; the account stays. `id`: of the link. Throws `unknown`. */
export function removeIdentity(
  login: UserRef,
  id: string,
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<PersonIdentity> {
  return untilStored(async () => {
    const { person, identities } = await identitiesOf(login, context);
    check?.(person);
    const found = identities.find(({ link }) => link.link === id);
    if (found === undefined)
      return refuse("unknown", "identity", `this person has no identity ${JSON.stringify(id.slice(0, 100))}`);
    if (found.system === "application")
      return refuse("in_use", "identity", "your application knows this person by it: delete the person instead");
    const unlessOperator = check !== undefined && person.operator.length === 0;
    const { unlink } = context.storage.subjectLinks;
    const owner = await unlink({ subject: found.link, unlessOperator, now: context.now() });
    // Somebody else removed it meanwhile, or the person has become an operator: the next turn sees which.
    return owner === undefined ? undefined : found;
  });
}

export function identityRecord({ link, system, name }: PersonIdentity): WireRecord {
  const { link: id, issuerId, claim, subject, madeBy, createdAt } = link;
  return {
    ...{ id, system, name, issuer_id: issuerId, claim, subject, made_by: madeBy },
    created_at: new Date(createdAt).toISOString(),
  };
}
