/** The operator's application, where it keeps the passwords of its people. */

import type { Uses } from "../../storage-subset.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { WayIn } from "../subject-link-storage.ts";

/** The place of a trusted issuer's id in the links of these people. No random id looks like it. */
export const EXISTING_PEOPLE = "existing people";

/** A sign-in with the password that the application keeps. */
export const KEPT_PASSWORD: WayIn = { issuerId: EXISTING_PEOPLE, claim: null };

/** What people read about it. */
export interface KeepingApplication {
  /** What people call it. */
  readonly name: string;
  /** The address where they change their password. */
  readonly changePassword: string;
  /** Where they get a new one if they forgot it. Absent: `changePassword`. */
  readonly forgotPassword?: string;
  /** Where they make an account. Absent: `ASSENT_SIGN_UP` decides. */
  readonly signUp?: string;
}

/** Also what the pages ask. */
export interface PasswordKeeper {
  readonly application: KeepingApplication;
  /** True: this person's password is there. One that may be stored here does not count. */
  keeps(person: Pick<Person, "partition" | "personId">): Promise<boolean>;
}

/** Whether that person is one of the application's. */
export async function isOfApplication(
  { partition, personId }: Pick<Person, "partition" | "personId">,
  storage: Uses<OwnerStorage, "subjectLinks.ofPerson">,
): Promise<boolean> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  return links.some(({ issuerId }) => issuerId === EXISTING_PEOPLE);
}
