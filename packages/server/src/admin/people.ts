/** The operator's use-cases for people: accounts, passwords, sessions. */

import { isCommonPassword } from "../crypto/common-passwords.ts";
import { newOwnerId } from "../crypto/ids.ts";
import type { DetailName, PersonDetails } from "../oauth/model.ts";
import { displayTextProblem } from "../oauth/names/display-name.ts";
import { readDetail } from "../owners/account/check-details.ts";
import { canonicalLogin } from "../owners/canonical-login.ts";
import { MAX_PASSWORD_BYTES, MIN_PASSWORD, type PasswordProblem, passwordProblem } from "../owners/new-password.ts";
import { newEmail, newUsername, usernameProblem } from "../owners/new-username-and-email.ts";
import { DETAIL_NAMES, wireName } from "../owners/person-details.ts";
import { UNDO_TTL } from "../owners/recovery/storage.ts";
import type { DetailChanges, Person, PersonChanges, Session } from "../owners/storage.ts";
import { partitionOf } from "../storage/partition.ts";
import { changedDetails } from "../storage/people/person-row.ts";
import { type Remark, refuse, refuseAny } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import { endCompanySessions } from "./end-company-sessions.ts";
import { newPassword } from "./generated-secrets.ts";
import { type Precondition, untilStored } from "./precondition.ts";
import { pagesOf } from "./read-whole-list.ts";

/** The roles of operators: everything, read only, clients only, people only. */
export const OPERATOR_ROLES = ["admin", "read", "clients", "users"] as const;

const MAX_PERSON_NAME = 120;

/** A password that the operator chose, or one that is generated and shown once. */
export type PasswordChoice = { readonly password: string } | { readonly generate: true };

/** Details as an operator types them; empty text removes one. */
export type TypedDetails = Readonly<Partial<Record<DetailName, string>>> & {
  /** Whether the operator vouches for the phone number. Absent: unchanged; another number is unverified. */
  readonly phoneVerified?: boolean;
};

export interface NewUser {
  readonly username: string;
  readonly email: string;
  /** Whether the operator vouches for the address. Default: true. */
  readonly emailVerified?: boolean;
  readonly name?: string | null;
  readonly operator?: readonly string[];
  /** What else is known about the person, as it is typed. */
  readonly details?: TypedDetails;
  readonly password: PasswordChoice;
  /** True: after the next sign-in, the person must choose another password first. Default: false. */
  readonly mustChange?: boolean;
}

export interface UserWithPassword {
  readonly person: Person;
  /** The generated password. Null: the operator chose it. */
  readonly generated: string | null;
}

/** Creates an account. Throws `invalid` with all problems, or `taken`. */
export async function createUser(input: NewUser, context: AdminContext): Promise<UserWithPassword> {
  const password = "password" in input.password ? input.password.password : newPassword(context);
  const { draft, problems } = draftOf(input, context);
  refuseAny([...problems, ...passwordProblems(password, [input.username, input.email])]);
  const person = { ...draft, passwordHash: await hash(password), passwordChangedAt: draft.createdAt };
  await storePerson(person, context);
  return { person, generated: "generate" in input.password ? password : null };
}

/** A person without a password, as an operator describes them, and what is wrong with the description. */
export function draftOf(
  input: Omit<NewUser, "password">,
  context: AdminContext,
): { readonly draft: Person; readonly problems: readonly Remark[] } {
  const names = newUsername(input.username);
  const email = newEmail(input.email);
  const details = readDetails(input.details, null, context);
  const now = context.now();
  const personId = newOwnerId();
  const draft: Person = {
    partition: partitionOf(personId),
    personId,
    username: names?.username ?? "",
    lookAlike: names?.lookAlike ?? null,
    email: email ?? "",
    emailVerifiedAt: (input.emailVerified ?? true) ? now : null,
    name: input.name?.normalize("NFC") ?? null,
    details: changedDetails(null, details.changes),
    status: "active",
    passwordHash: null,
    passwordChangedAt: null,
    mustChangePassword: input.mustChange ?? false,
    operator: [...new Set(input.operator ?? [])],
    createdAt: now,
    updatedAt: now,
  };
  const problems = [
    ...(names === undefined ? [usernameRemark(input.username)] : []),
    ...(email === undefined ? [emailProblem(input.email)] : []),
    ...nameProblems(input.name),
    ...detailProblems(details),
    ...roleProblems(input.operator ?? []),
  ];
  return { draft, problems };
}

/** Throws `taken`. */
export async function storePerson(person: Person, { storage, now }: AdminContext): Promise<void> {
  const outcome = await storage.people.create({ person, byOperator: true, now: now() });
  if (outcome.kind === "taken")
    refuse("taken", outcome.what, `${JSON.stringify(person[outcome.what])} is already in use`);
}

/** A person by username or e-mail address, or by id. */
export type UserRef = string | { readonly id: string };

/** Throws `unknown`. */
export async function userOf(login: UserRef, { storage }: AdminContext): Promise<Person> {
  if (typeof login !== "string") {
    const partition = partitionOf(login.id);
    const found = partition === -1 ? undefined : await storage.people.get({ partition, personId: login.id });
    return found ?? unknownUser(login);
  }
  const name = canonicalLogin(login);
  const person = name === undefined ? undefined : await storage.people.findByName({ name });
  return person ?? unknownUser(login);
}

/** All people, oldest first, page by page. */
export function allUsers({ storage }: AdminContext): AsyncGenerator<Person> {
  return pagesOf(
    (limit, after) => storage.people.list({ limit, after }),
    ({ personId }) => personId,
  );
}

export interface UserChanges extends Pick<PersonChanges, "email" | "name" | "operator"> {
  /**
   * Whether the operator vouches for the address. Absent: true if `email` is there, otherwise unchanged.
   */
  readonly emailVerified?: boolean;
  readonly details?: TypedDetails;
}

/**
 * Changes fields that are not secret. An address, also the present one, ends all links in messages of the person, and no
 * former address can take it back. Throws `unknown`, `invalid`, `taken`.
 */
export function updateUser(
  login: UserRef,
  changes: UserChanges,
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<Person> {
  return untilStored(async () => {
    const before = await userOf(login, context);
    check?.(before);
    return changedUser(before, changes, check !== undefined, context);
  });
}

/** Undefined: `exact`, and the person is not `before` any more. */
async function changedUser(
  before: Person,
  { emailVerified, details: typed, ...changes }: UserChanges,
  exact: boolean,
  context: AdminContext,
): Promise<Person | undefined> {
  const { partition, personId } = before;
  const email = changes.email === undefined ? undefined : newEmail(changes.email, before.email);
  const details = readDetails(typed, before.details ?? null, context);
  refuseAny([
    ...(changes.email !== undefined && email === undefined ? [emailProblem(changes.email)] : []),
    ...nameProblems(changes.name, before.name),
    ...detailProblems(details),
    ...roleProblems(changes.operator ?? []),
  ]);
  const now = context.now();
  const vouched = emailVerified ?? (email === undefined ? undefined : true);
  const outcome = await context.storage.people.update({
    partition,
    personId,
    changes: {
      ...changes,
      ...(typeof changes.name === "string" ? { name: changes.name.normalize("NFC") } : {}),
      ...(typed === undefined ? {} : { details: details.changes }),
      ...(email === undefined ? {} : { email }),
      ...(vouched === undefined ? {} : { emailVerifiedAt: vouched ? now : null }),
    },
    ...(exact ? { expected: before } : {}),
    now,
  });
  if (outcome.kind === "changed") return undefined;
  if (outcome.kind === "taken") refuse("taken", "email", `${JSON.stringify(email)} is already in use`);
  if (outcome.kind === "unknown") return unknownUser(before.username);
  // A company whose provider signed them in must not act as an operator.
  if ((changes.operator ?? []).length > 0) await endCompanySessions(before, null, context);
  return (await context.storage.people.get({ partition, personId })) ?? unknownUser(before.username);
}

/**
 * Gives a person another password. All sessions end. All apps must ask again, too, unless `keepGrants`: an operator
 * usually changes a password because somebody else may know it. Links that undo a change of the address or a removal of
 * factors end, too. `mustChange`: the person chooses another one at the next sign-in. Throws `unknown`, `invalid`.
 */
export async function setPassword(
  login: UserRef,
  choice: PasswordChoice,
  { keepGrants, mustChange = false }: { readonly keepGrants: boolean; readonly mustChange?: boolean },
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<UserWithPassword> {
  const password = "password" in choice ? choice.password : newPassword(context);
  let passwordHash: string | undefined;
  const { partition, personId } = await whileAllowed(login, context, check, async (person, unlessOperator) => {
    refuseAny(passwordProblems(password, [person.username, person.email]));
    passwordHash ??= await hash(password);
    return context.storage.people.setPassword({
      ...{ partition: person.partition, personId: person.personId, passwordHash, mustChange, unlessOperator },
      ...{ endGrants: !keepGrants, endWaysBack: true, keepSessionId: null, now: context.now() },
    });
  });
  // The links ended with the password; now the removed factors that they would have brought back are deleted.
  await context.storage.recovery.endWaysBack({ partition, personId, now: context.now() });
  return { person: await userOf(login, context), generated: "generate" in choice ? password : null };
}

/** The address that the account left last within the last days. Null: none. */
export async function recentlyLeft(
  { partition, personId, email }: Person,
  { storage, now }: AdminContext,
): Promise<{ readonly address: string; readonly until: number } | null> {
  const addresses = await storage.people.addresses({ partition, personId, now: now() });
  const present = addresses.find(({ until }) => until === null);
  // The operator gave the present address.
  if ((present?.since ?? 0) < 0) return null;
  const left = addresses.flatMap(({ address, until }) =>
    until !== null && until > now() - UNDO_TTL && address !== email ? [{ address, until }] : [],
  );
  return left.reduce<(typeof left)[number] | null>((last, one) => (last && last.until >= one.until ? last : one), null);
}

/**
 * Repeats a change while the transaction refuses it: somebody who was no operator when `check` saw them had become one.
 * Throws `unknown`, and what `check` throws.
 */
export function whileAllowed(
  login: UserRef,
  context: AdminContext,
  check: Precondition<Person> | undefined,
  change: (person: Person, unlessOperator: boolean) => Promise<boolean>,
): Promise<Person> {
  return untilStored(async () => {
    const person = await userOf(login, context);
    check?.(person);
    const unlessOperator = check !== undefined && person.operator.length === 0;
    return (await change(person, unlessOperator)) ? person : undefined;
  });
}

/** A disabled person can't sign in. All sessions and grants end; issued access tokens work until they expire. Throws `unknown`. */
export async function setUserStatus(
  login: UserRef,
  status: Person["status"],
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<Person> {
  await whileAllowed(login, context, check, ({ partition, personId }, unlessOperator) =>
    context.storage.people.setStatus({ partition, personId, status, unlessOperator, now: context.now() }),
  );
  return userOf(login, context);
}

/** Deletes the person with sessions and consents, for good. Throws `unknown`. */
export function deleteUser(login: UserRef, context: AdminContext, check?: Precondition<Person>): Promise<Person> {
  return whileAllowed(login, context, check, ({ partition, personId }, unlessOperator) =>
    context.storage.people.delete({ partition, personId, unlessOperator, now: context.now() }),
  );
}

/** A person's live sessions, last seen first. Throws `unknown`. */
export async function sessionsOf(
  login: UserRef,
  context: AdminContext,
): Promise<{ readonly person: Person; readonly sessions: readonly Session[] }> {
  const person = await userOf(login, context);
  const { partition, personId } = person;
  return { person, sessions: await context.storage.sessions.list({ partition, personId, now: context.now() }) };
}

/** Throws `unknown`. */
export async function checkSession(sessionId: string, { storage }: AdminContext): Promise<void> {
  if (!(await storage.sessions.isOpen({ partition: partitionOf(sessionId), sessionId }))) unknownSession(sessionId);
}

function unknownSession(sessionId: string): never {
  return refuse("unknown", "session_id", `there is no active session ${JSON.stringify(sessionId)}`);
}

/** Signs one browser out, which is not a known one any more. Throws `unknown`. */
export async function revokeSession(sessionId: string, { storage, now }: AdminContext): Promise<void> {
  const ended = await storage.sessions.revoke({ partition: partitionOf(sessionId), sessionId, now: now() });
  if (!ended) unknownSession(sessionId);
}

/** Signs a person out everywhere; how many sessions ended. Throws `unknown`. */
export async function revokeSessionsOf(login: UserRef, context: AdminContext): Promise<number> {
  const { partition, personId } = await userOf(login, context);
  return context.storage.sessions.endAll({ partition, personId, now: context.now() });
}

/** What was taken from a person. */
export interface FactorsReset {
  readonly person: Person;
  /** They had an authenticator app. */
  readonly secondFactor: boolean;
  readonly passkeys: number;
  readonly sessionsEnded: number;
}

/**
 * Takes away the authenticator app with its recovery codes, for somebody who lost both, and all passkeys if it says so; signs them out everywhere. Links of
 * recovery and links to a new address end. With the passkeys go those that a recovery removed, and the links that take something back. A passkey
 * without which they could not sign in stays. Throws `unknown`.
 */
export async function resetSecondFactor(
  login: UserRef,
  { passkeys }: { readonly passkeys: boolean },
  context: AdminContext,
  check?: Precondition<Person>,
): Promise<FactorsReset> {
  const { storage } = context;
  const person = await userOf(login, context);
  check?.(person);
  const unlessOperator = check !== undefined && person.operator.length === 0;
  const key = { partition: person.partition, personId: person.personId, unlessOperator };
  const taken = await takeFactors(key, passkeys, context);
  // Only after something was taken away: what fails must not end the owner's links. What a link has brought back meanwhile goes, too.
  if (passkeys) await storage.recovery.endWaysBack({ ...key, now: context.now() });
  else await storage.recovery.endLinks(key);
  const late = passkeys ? await takeFactors(key, passkeys, context) : NOTHING_TAKEN;
  const sessionsEnded = await storage.sessions.endAll({ ...key, now: context.now() });
  // Each transaction leaves out somebody who has become an operator meanwhile.
  check?.(await userOf(login, context));
  return {
    person,
    secondFactor: taken.secondFactor || late.secondFactor,
    passkeys: taken.passkeys + late.passkeys,
    sessionsEnded,
  };
}

type Taken = Pick<FactorsReset, "secondFactor" | "passkeys">;
const NOTHING_TAKEN: Taken = { secondFactor: false, passkeys: 0 };

async function takeFactors(
  key: { readonly partition: number; readonly personId: string; readonly unlessOperator: boolean },
  passkeys: boolean,
  { storage, now }: AdminContext,
): Promise<Taken> {
  const secondFactor = await storage.secondFactors.remove({ ...key, now: now() });
  let removed = 0;
  for (const { credentialId } of passkeys ? await storage.passkeys.list(key) : []) {
    if ((await storage.passkeys.remove({ ...key, credentialId, now: now() })) === "removed") removed += 1;
  }
  return { secondFactor, passkeys: removed };
}

function unknownUser(login: UserRef): never {
  if (typeof login !== "string")
    return refuse("unknown", "id", `there is no user with the ID ${JSON.stringify(login.id)}`);
  return refuse("unknown", "username", `there is no user ${JSON.stringify(login)}`);
}

/** Hashing needs a native library, which most use-cases do without. */
async function hash(password: string): Promise<string> {
  const { hashPassword } = await import("../crypto/password-hashing.ts");
  return hashPassword(password);
}

function usernameRemark(username: string): Remark {
  const shown = JSON.stringify(username.slice(0, 100));
  const problem = `${shown} is not a valid username: ${usernameProblem(username) ?? "use another name"}`;
  return { field: "username", problem };
}

function emailProblem(email: string): Remark {
  return { field: "email", problem: `${JSON.stringify(email.slice(0, 100))} is not an e-mail address` };
}

function nameProblems(name: string | null | undefined, stands: string | null = null): readonly Remark[] {
  const problem = typeof name === "string" ? displayTextProblem(name, MAX_PERSON_NAME, stands) : undefined;
  return problem === undefined ? [] : [{ field: "name", problem }];
}

interface ReadDetails {
  readonly changes: DetailChanges;
  /** The details that can't be stored, as they were typed. */
  readonly wrong: readonly (readonly [DetailName, string])[];
  /** True: the operator vouches for a phone number that is not there. */
  readonly unproved: boolean;
}

function readDetails(
  { phoneVerified, ...typed }: TypedDetails = {},
  stands: PersonDetails | null,
  { now }: AdminContext,
): ReadDetails {
  const texts = DETAIL_NAMES.flatMap((name) => {
    const text = typed[name];
    return text === undefined ? [] : [[name, text, readDetail(name, text, stands, now())] as const];
  });
  return {
    changes: {
      ...Object.fromEntries(texts.map(([name, , value]) => [name, value ?? null])),
      ...(phoneVerified === undefined ? {} : { phoneVerified }),
    },
    unproved: phoneVerified === true && (typed.phoneNumber ?? stands?.phoneNumber ?? "") === "",
    wrong: texts.flatMap(([name, text, value]) => (value === undefined ? [[name, text] as const] : [])),
  };
}

function detailProblems({ wrong, unproved }: ReadDetails): readonly Remark[] {
  const form = (field: DetailName) => DETAIL_FORMS[field] ?? "is too long, or has characters that a page can't show";
  return [
    ...wrong.map(([field, text]) => ({
      field: wireName(field),
      problem: `${JSON.stringify(text.slice(0, 100))} ${form(field)}`,
    })),
    ...(unproved ? [{ field: "phone_verified", problem: "there is no phone number" }] : []),
  ];
}

const WEB_ADDRESS =
  "is not a URL such as https://ada.example/, with at most 500 characters and nothing before the host";

const DETAIL_FORMS: Readonly<Partial<Record<DetailName, string>>> = {
  birthdate: "is not a day in the past, as YYYY-MM-DD",
  zoneinfo: "is not the name of a time zone, such as Europe/Berlin",
  locale: "is not a language tag, such as de-CH",
  website: WEB_ADDRESS,
  profileUrl: WEB_ADDRESS,
  phoneNumber: "is not a phone number with its country code, such as +49 30 123456",
};

function roleProblems(roles: readonly string[]): readonly Remark[] {
  const unknown = roles.filter((role) => !OPERATOR_ROLES.some((known) => known === role));
  if (unknown.length === 0) return [];
  return [{ field: "operator", problem: `${unknown.join(", ")}: the roles are ${OPERATOR_ROLES.join(", ")}` }];
}

const wrongPasswords: Readonly<Record<PasswordProblem, string>> = {
  malformed: "must be UTF-8 text",
  short: `must have at least ${MIN_PASSWORD} characters`,
  long: `must have at most ${MAX_PASSWORD_BYTES} bytes`,
  name: "must differ from the username and the e-mail address",
  common: "is a common password that attackers try first; choose another",
};

function passwordProblems(password: string, names: readonly string[]): readonly Remark[] {
  const problem = passwordProblem(password, { names, isCommon: isCommonPassword });
  return problem === undefined ? [] : [{ field: "password", problem: wrongPasswords[problem] }];
}

/** What a person can sign in with besides the password: `authenticator`, `passkey`. */
export async function secondFactorsOf(
  { partition, personId }: Person,
  { storage }: AdminContext,
): Promise<readonly ("authenticator" | "passkey")[]> {
  const key = { partition, personId };
  const [factor, passkeys] = await Promise.all([storage.secondFactors.get(key), storage.passkeys.list(key)]);
  return [
    ...(factor === undefined ? [] : ["authenticator" as const]),
    ...(passkeys.length > 0 ? ["passkey" as const] : []),
  ];
}

/** The systems that have disabled a person, as `user show` prints them. Null: none has. */
export async function disabledElsewhere(
  { partition, personId }: Person,
  { storage }: AdminContext,
): Promise<readonly string[] | null> {
  const by = await storage.people.disabledBy({ partition, personId });
  if (by.length === 0) return null;
  return by.map(
    ({ source, name, change, grants, at }) =>
      `${name} (${source}): ${change} at ${new Date(at).toISOString()}, grants ${grants}`,
  );
}
