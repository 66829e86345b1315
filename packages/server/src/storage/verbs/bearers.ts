/** What owners' records say of names: a name is theirs who bear it, whatever became of its reservation. */

import { partitionOf } from "../partition.ts";
import type { Call } from "../sql.ts";
import { getCompany } from "./companies.ts";
import { claimName, forgetName, type NameArgs } from "./names.ts";
import { hasPasskeyId } from "./passkeys.ts";
import { getPerson, namesOf } from "./people.ts";
import { linkedPerson } from "./subject-links.ts";

/** What the owner's own record says of a name. */
export async function isBorne(call: Call, { kind, value, ownerId }: Omit<NameArgs, "now">): Promise<boolean> {
  const partition = partitionOf(ownerId);
  if (kind === "slug") return (await call(getCompany, { partition, companyId: ownerId }))?.slug === value;
  const place = { partition, personId: ownerId };
  if (kind === "subject") return (await call(linkedPerson, { ...place, link: value })) !== undefined;
  if (kind === "passkey") return call(hasPasskeyId, { ...place, credentialId: value });
  const person = await call(getPerson, place);
  return person !== undefined && namesOf(person).includes(value);
}

/**
 * After an owner's record was written, or was not: the name becomes theirs for good if they bear it, else free. Several who change one owner at
 * once may come here in any order: each looks again after it acted, so that the last to act saw the record as it stays. False: they bear it, and another
 * has it.
 */
export async function settleName(call: Call, name: NameArgs): Promise<boolean> {
  for (let borne = await isBorne(call, name); ; ) {
    const done = await call(borne ? claimName : forgetName, name);
    const acted = borne;
    borne = await isBorne(call, name);
    if (borne === acted) return done || !borne;
  }
}
