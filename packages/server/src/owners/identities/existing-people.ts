/** Sign-in by somebody whom only an application of the operator's knows: with the right password, they get an account. */

import { refuse } from "../../oauth/errors.ts";
import { foreignSubject } from "../canonical-login.ts";
import type { HashRequester } from "../password-hash-requester.ts";
import type { Person } from "../person.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import { type CreateLinkedContext, createLinkedPerson, namesOfNewcomer } from "./create-linked-person.ts";
import {
  type ApplicationChanges,
  applicationSource,
  type UpstreamChangeContext,
  upstreamChanged,
} from "./upstream-change.ts";

/** What the application says of a person. */
export interface FoundPerson {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly disabled: boolean;
}

/** The operator's code, whatever it does. */
export interface ExistingPeopleSource {
  find(login: string): Promise<
    | { readonly kind: "nobody" }
    | { readonly kind: "failed"; readonly why: string }
    | {
        readonly kind: "found";
        readonly person: FoundPerson;
        /** An object: the answer can't be had. */
        isRight(password: string, whose: HashRequester): Promise<boolean | { readonly why: string }>;
      }
  >;
}

export interface ExistingPeopleContext extends CreateLinkedContext {
  readonly source: ExistingPeopleSource;
  readonly storage: CreateLinkedContext["storage"] & UpstreamChangeContext["storage"];
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  /** How the application tells of changes. Absent: it doesn't. */
  readonly changes?: ApplicationChanges | undefined;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

export type ExistingSignIn =
  | { readonly kind: "nobody" }
  | { readonly kind: "wrong"; readonly reason: "password" | "disabled" | "names taken" }
  /** `imported`: just now. Otherwise they were imported before, and only their password here counts. */
  | { readonly kind: "known"; readonly person: Person; readonly imported: boolean };

/** The place of a trusted issuer's id in the links of these people. No random id looks like it. */
export const EXISTING_PEOPLE = "existing people";

/**
 * `login` belongs to nobody here. Throws `temporarily_unavailable` if the application can't be asked: for every login
 * alike.
 */
export async function signInExisting(
  login: string,
  password: string,
  whose: HashRequester,
  context: ExistingPeopleContext,
): Promise<ExistingSignIn> {
  const { source, storage, event } = context;
  const found = await source.find(login);
  if (found.kind === "failed") return unavailable(found.why, context);
  if (found.kind === "nobody") return found;
  const subject = subjectOf(found.person);
  if (subject === undefined)
    return unavailable("people.find: the id has no text, or more than 255 characters", context);
  const linked = await storage.subjectLinks.findPerson({ subject });
  // The old password must not become a second one beside the password that they have here by now.
  if (linked !== undefined) {
    if (!found.person.disabled) return { kind: "known", person: linked, imported: false };
    const { changes } = context;
    if (changes !== undefined) await upstreamChanged(subject, "disabled", applicationSource(changes), context);
    return { kind: "wrong", reason: "disabled" };
  }
  const right = await found.isRight(password, whose);
  if (typeof right === "object") return unavailable(right.why, context);
  if (!right) return { kind: "wrong", reason: "password" };
  if (found.person.disabled) return { kind: "wrong", reason: "disabled" };
  const { username, email, emailVerified, name } = found.person;
  const about = { username, address: email, verified: emailVerified ? email : null, name };
  const passwordHash = await context.hashPassword(password, whose);
  const created = await createLinkedPerson(subject, (id) => namesOfNewcomer(about, id), context, passwordHash);
  if (created === undefined) {
    event("person_not_imported", { reason: "another account has the address or the names" });
    return { kind: "wrong", reason: "names taken" };
  }
  if (created.made) event("person_imported", { owner: created.person.personId });
  return { kind: "known", person: created.person, imported: true };
}

function subjectOf({ id }: FoundPerson): ForeignSubject | undefined {
  const subject = foreignSubject(id);
  return subject === undefined ? undefined : { issuerId: EXISTING_PEOPLE, claim: null, subject };
}

function unavailable(why: string, { event }: ExistingPeopleContext): never {
  event("existing_people_failed", { why });
  return refuse("temporarily_unavailable", why);
}
