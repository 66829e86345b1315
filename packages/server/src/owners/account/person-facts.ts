/** What UserInfo may say about a person (OpenID Connect Core §5.1). */

import type { PersonFacts } from "../../oauth/ports.ts";
import type { Uses } from "../../storage-subset.ts";
import { isAddressOfNobody } from "../canonical-login.ts";
import type { OwnerStorage } from "../storage.ts";
import { picturePath } from "./picture-address.ts";

interface PersonSource {
  readonly issuer: string;
  readonly storage: Uses<OwnerStorage, "people.get">;
  /** The partition that an id begins with. */
  partitionOf(id: string): number;
}

/** Undefined: there is no such person, or an operator has disabled them. */
export async function personFacts(
  personId: string,
  { issuer, storage, partitionOf }: PersonSource,
): Promise<PersonFacts | undefined> {
  const person = await storage.people.get({ partition: partitionOf(personId), personId });
  if (person?.status !== "active") return undefined;
  const { username, name, email, emailVerifiedAt, language = null, details, pictureId, updatedAt } = person;
  const emailVerified = emailVerifiedAt !== null;
  const picture = pictureId == null ? null : issuer + picturePath(pictureId);
  const known = isAddressOfNobody(email) ? null : email;
  return {
    personId,
    username,
    name,
    email: known,
    emailVerified,
    language,
    picture,
    details: details ?? {},
    updatedAt,
  };
}
