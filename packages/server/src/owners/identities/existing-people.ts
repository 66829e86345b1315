/**
 * Sign-in by people whom an application of the operator's knows: with the right password, they get an account. The
 * application may keep the password.
 */

import { refuse } from "../../oauth/errors.ts";
import type { Uses } from "../../storage-subset.ts";
import { readDetail } from "../account/check-details.ts";
import { foreignSubject } from "../canonical-login.ts";
import type { HashRequester } from "../password-hash-requester.ts";
import type { Person } from "../person.ts";
import type { OwnerStorage } from "../storage.ts";
import type { ForeignSubject } from "../subject-link-storage.ts";
import {
  type CreateLinkedContext,
  createLinkedPerson,
  nameIn,
  namesOfNewcomer,
  newEmail,
} from "./create-linked-person.ts";
import type { LikeTimes } from "./like-times.ts";
import { EXISTING_PEOPLE, type KeepingApplication } from "./password-keeper.ts";
import {
  type ApplicationChanges,
  applicationSource,
  type ChangeSource,
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
  readonly locale: string | null;
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
  /** `unasked`: the code has no function for it. */
  about(
    id: string,
  ): Promise<
    | { readonly kind: "nobody" | "unasked" }
    | { readonly kind: "failed"; readonly why: string }
    | { readonly kind: "found"; readonly person: FoundPerson }
  >;
}

export interface ExistingPeopleContext extends CreateLinkedContext {
  readonly source: ExistingPeopleSource;
  readonly storage: CreateLinkedContext["storage"] &
    UpstreamChangeContext["storage"] &
    Uses<OwnerStorage, "people.rehashPassword" | "people.update" | "subjectLinks.ofPerson">;
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  /** Null: passwords are imported. */
  readonly keeper: KeepingApplication | null;
  /** How the application tells of changes. Absent: it doesn't. */
  readonly changes?: ApplicationChanges | undefined;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}

export type ExistingSignIn =
  | { readonly kind: "wrong"; readonly reason: "password" | "names taken" }
  | { readonly kind: "right"; readonly person: Person };

export type ExistingFound =
  | { readonly kind: "nobody" }
  | { readonly kind: "refused"; readonly reason: "disabled" }
  /** Their password here counts. */
  | { readonly kind: "ours"; readonly person: Person }
  /** The application checks their password. `person` undefined: they have no account here. `account`: names them. */
  | {
      readonly kind: "theirs";
      readonly person: Person | undefined;
      readonly account: string;
      signIn(password: string, whose: HashRequester): Promise<ExistingSignIn>;
    };

/** What a sign-in asks. `times`: of all checks of this process. */
export interface ExistingSignIns {
  readonly times: LikeTimes;
  /** False: the password that the person has here counts. */
  asks(person: Person | undefined): Promise<boolean>;
  /** `local`: the person here with that name. */
  find(login: string, local: Person | undefined): Promise<ExistingFound>;
  /** Whether somebody who has signed in another way still may. */
  stillThere(person: Person): Promise<boolean>;
}

export function existingSignIns(times: LikeTimes, context: ExistingPeopleContext): ExistingSignIns {
  return {
    times,
    asks: (person) => asksFor(person, context),
    find: (login, local) => findExisting(login, local, context),
    stillThere: (person) => stillThere(person, context),
  };
}

async function asksFor(person: Person | undefined, context: ExistingPeopleContext): Promise<boolean> {
  if (person === undefined) return true;
  const kept = context.keeper !== null;
  if (person.passwordHash === null && kept) return true;
  if (person.passwordHash !== null && !kept) return false;
  // Import: from before the operator chose it, the application has kept their password. Keep: it has been imported.
  return (await linkOf(person, context)) !== undefined;
}

/**
 * Throws `temporarily_unavailable` if the application can't be asked: for every login alike.
 */
async function findExisting(
  login: string,
  local: Person | undefined,
  context: ExistingPeopleContext,
): Promise<ExistingFound> {
  const { source, storage } = context;
  const found = await source.find(login);
  if (found.kind === "failed") return unavailable(found.why, context);
  if (found.kind === "nobody") {
    // They may have another name there by now.
    if (local !== undefined) await stillThere(local, context);
    return found;
  }
  const about = found.person;
  const text = foreignSubject(about.id);
  if (text === undefined) return unavailable("people.find: the id has no text, or more than 255 characters", context);
  const subject = { issuerId: EXISTING_PEOPLE, claim: null, subject: text };
  const linked = await storage.subjectLinks.findPerson({ subject });
  if (linked !== undefined && about.disabled) {
    await believeDisabled(subject, context);
    return { kind: "refused", reason: "disabled" };
  }
  // The old password must not become a second one beside the password that they have here by now.
  if (linked !== undefined && linked.passwordHash !== null && context.keeper === null)
    return { kind: "ours", person: linked };
  return {
    kind: "theirs",
    person: linked,
    account: `${EXISTING_PEOPLE} ${text}`,
    async signIn(password, whose) {
      const right = await found.isRight(password, whose);
      if (typeof right === "object") return unavailable(right.why, context);
      if (!right || about.disabled) return { kind: "wrong", reason: "password" };
      const passwordHash = context.keeper === null ? await context.hashPassword(password, whose) : null;
      if (linked === undefined) return firstSignIn(subject, about, passwordHash, context);
      // Where the application keeps the password, none stays here.
      const { passwordHash: from } = linked;
      if (from !== null || passwordHash !== null) {
        const { partition, personId } = linked;
        await storage.people.rehashPassword({ partition, personId, from, to: passwordHash });
      }
      if (context.keeper !== null) {
        const { partition, personId, mustChangePassword } = linked;
        const changes = { mustChangePassword: false };
        if (mustChangePassword) await storage.people.update({ partition, personId, changes, now: context.now() });
        await renew(linked, about, context);
      }
      return {
        kind: "right",
        person: { ...linked, passwordHash, mustChangePassword: linked.mustChangePassword && context.keeper === null },
      };
    },
  };
}

async function firstSignIn(
  subject: ForeignSubject,
  about: FoundPerson,
  passwordHash: string | null,
  context: ExistingPeopleContext,
): Promise<ExistingSignIn> {
  const { username, email, emailVerified, name } = about;
  const newcomer = { username, address: email, verified: emailVerified ? email : null, name };
  const created = await createLinkedPerson(subject, (id) => namesOfNewcomer(newcomer, id), context, passwordHash);
  if (created === undefined) {
    context.event("person_not_imported", { reason: "another account has the address or the names" });
    return { kind: "wrong", reason: "names taken" };
  }
  const { person, made } = created;
  if (made) {
    context.event("person_imported", { owner: person.personId });
    await renew(person, { ...about, email: null }, context);
  }
  return { kind: "right", person };
}

/** The account gets what the application says now. What it leaves out, or what can't be, stays. */
async function renew(person: Person, about: FoundPerson, context: ExistingPeopleContext): Promise<void> {
  const { storage, now, event } = context;
  const { partition, personId } = person;
  const update = (changes: Parameters<typeof storage.people.update>[0]["changes"]) =>
    storage.people.update({ partition, personId, changes, now: now() });
  const email = about.emailVerified && about.email !== null ? newEmail(about.email) : undefined;
  if (email !== undefined && (email !== person.email || person.emailVerifiedAt === null)) {
    const { kind } = await update({ email, emailVerifiedAt: now() });
    if (kind === "taken") event("person_not_renewed", { owner: personId, reason: "another account has the address" });
  }
  const name = nameIn(about.name);
  const locale = readDetail("locale", about.locale ?? "", null, now());
  const changes = {
    ...(name !== null && name !== person.name ? { name } : {}),
    ...(locale != null && locale !== person.details?.locale ? { details: { locale } } : {}),
  };
  if (Object.keys(changes).length > 0) await update(changes);
}

/**
 * Whether the application still knows somebody, as far as it can be asked: others must not wait for it. If it says that
 * they are gone or disabled, their sessions end.
 */
async function stillThere(person: Person, context: ExistingPeopleContext): Promise<boolean> {
  if (context.keeper === null) return true;
  const subject = await linkOf(person, context);
  if (subject === undefined) return true;
  const about = await context.source.about(subject.subject);
  switch (about.kind) {
    case "unasked":
      return true;
    case "failed":
      context.event("existing_people_failed", { why: about.why });
      return true;
    case "found":
      if (!about.person.disabled) {
        await renew(person, about.person, context);
        return true;
      }
      break;
    case "nobody":
      break;
  }
  await believeDisabled(subject, context);
  return false;
}

async function linkOf(
  { partition, personId }: Person,
  { storage }: ExistingPeopleContext,
): Promise<ForeignSubject | undefined> {
  const links = await storage.subjectLinks.ofPerson({ partition, personId });
  const link = links.find(({ issuerId }) => issuerId === EXISTING_PEOPLE);
  return link && { issuerId: EXISTING_PEOPLE, claim: null, subject: link.subject };
}

/** Somebody whom the application doesn't know any more counts as disabled: it may know them again. */
async function believeDisabled(subject: ForeignSubject, context: ExistingPeopleContext): Promise<void> {
  const { changes, keeper } = context;
  if (changes !== undefined) await upstreamChanged(subject, "disabled", applicationSource(changes), context);
  else if (keeper !== null) await upstreamChanged(subject, "signed_out", signingOut(keeper), context);
}

function signingOut({ name }: KeepingApplication): ChangeSource {
  return { name, whenDisabled: "keep", wholePerson: true };
}

function unavailable(why: string, { event }: ExistingPeopleContext): never {
  event("existing_people_failed", { why });
  return refuse("temporarily_unavailable", why);
}
