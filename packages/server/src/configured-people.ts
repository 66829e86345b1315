/** People whom an application of the operator's knows already, which code in the configuration finds. */

import { callCode, isPlain } from "./configured-code.ts";
import { isKnownHash, verifyForeignPassword } from "./crypto/foreign-password-hashes.ts";
import type { Millis } from "./oauth/model.ts";
import { displayTextProblem } from "./oauth/names/display-name.ts";
import type { ExistingPeopleSource, FoundPerson } from "./owners/identities/existing-people.ts";
import type { KeepingApplication } from "./owners/identities/password-keeper.ts";
import type { ApplicationChanges } from "./owners/identities/upstream-change.ts";
import type { HashRequester } from "./owners/password-hash-requester.ts";

/** One of them. Leave out what is unknown. */
export interface ExistingPerson {
  /** Names them for ever: never give it to somebody else. 1 to 255 characters. */
  readonly id: string;
  readonly username?: string | null;
  readonly email?: string | null;
  /** True: you have made sure that the address is theirs. */
  readonly emailVerified?: boolean;
  readonly name?: string | null;
  /** Their language (BCP 47). */
  readonly locale?: string | null;
  /** argon2, bcrypt, scrypt or PBKDF2. Needed if there is no `verifyPassword`. */
  readonly passwordHash?: string | null;
  /** True: they can't sign in. */
  readonly disabled?: boolean;
}

/** What your application says of somebody whose `id` this server knows. */
export type ExistingClaims = Pick<ExistingPerson, "email" | "emailVerified" | "name" | "locale" | "disabled">;

/** When somebody signs in whom this server doesn't know, it asks this code. With the right password they get an account. */
export interface ExistingPeople {
  /** The person whose username or address this is. Null: nobody. */
  find(login: string, asked: { readonly signal: AbortSignal }): ExistingPerson | null | Promise<ExistingPerson | null>;
  /** Absent: this server verifies their `passwordHash`. */
  verifyPassword?(
    person: ExistingPerson,
    password: string,
    asked: { readonly signal: AbortSignal },
  ): boolean | Promise<boolean>;
  /** Returns the present facts about the person with that `id`. Null: they don't exist any more. Only with `passwords: "keep"`. */
  claims?(id: string, asked: { readonly signal: AbortSignal }): ExistingClaims | null | Promise<ExistingClaims | null>;
  /**
   * `import`: the password is stored here as argon2id with the first sign-in, and from then on this server alone decides
   * about their sign-in. `keep`: the password stays in your application, which is asked at every sign-in. Absent:
   * `import`.
   */
  readonly passwords?: "import" | "keep";
  /** Where people change the password that your application keeps. Needed with `passwords: "keep"`. */
  readonly application?: KeepingApplication;
  /**
   * The clients of this server that may tell it about these people: who was disabled, enabled, deleted or signed out in
   * your application. Absent: nobody tells.
   */
  readonly changes?: ApplicationChanges;
  /** The longest time that a sign-in waits for each of them, from 10 to 10,000 milliseconds. Absent: 3,000. */
  readonly timeout?: Millis;
}

const TIMEOUT: Millis = 3_000;
const TIMEOUTS = { least: 10, most: 10_000 } as const;
const MAX_TEXT = 500;
const MAX_ADDRESS = 2_000;
/** Characters of the application's name, as of a provider's. */
const MAX_NAME = 60;

/** All problems with the people of a configuration, one line each. */
export function existingPeopleProblems(people: unknown): readonly string[] {
  const given = (people ?? {}) as Record<string, unknown>;
  const { find, verifyPassword, claims, passwords = "import", application, timeout, changes, ...others } = given;
  const { least, most } = TIMEOUTS;
  const problems: string[] = [];
  if (typeof find !== "function") problems.push("find: wanted a function");
  if (verifyPassword !== undefined && typeof verifyPassword !== "function")
    problems.push("verifyPassword: wanted a function, or nothing");
  if (claims !== undefined && typeof claims !== "function") problems.push("claims: wanted a function, or nothing");
  if (passwords !== "import" && passwords !== "keep") problems.push('passwords: wanted "import" or "keep"');
  if (passwords === "keep") problems.push(...applicationProblems(application));
  else if (application !== undefined || claims !== undefined)
    problems.push('application, claims: wanted nothing without passwords: "keep"');
  if (timeout !== undefined && !(Number.isInteger(timeout) && Number(timeout) >= least && Number(timeout) <= most))
    problems.push(`timeout: wanted whole milliseconds from ${least} to ${most}`);
  if (changes !== undefined) problems.push(...changesProblems(changes));
  for (const key of Object.keys(others)) problems.push(`${key}: there is no such key`);
  return problems.map((problem) => `people.${problem}`);
}

function applicationProblems(application: unknown): readonly string[] {
  if (!isPlain(application)) return ["application: wanted an object with name and changePassword"];
  const { name, changePassword, forgotPassword, signUp, ...others } = application;
  const wrong = (value: unknown, needed: boolean) => (value === undefined ? needed : !isWebAddress(value));
  return [
    ...(isName(name) ? [] : [`application.name: wanted 1 to ${MAX_NAME} characters`]),
    ...(wrong(changePassword, true) ? ["application.changePassword: wanted an https address"] : []),
    ...(wrong(forgotPassword, false) ? ["application.forgotPassword: wanted an https address, or nothing"] : []),
    ...(wrong(signUp, false) ? ["application.signUp: wanted an https address, or nothing"] : []),
    ...Object.keys(others).map((key) => `application.${key}: there is no such key`),
  ];
}

function isName(name: unknown): boolean {
  return typeof name === "string" && displayTextProblem(name, MAX_NAME) === undefined;
}

/** People are sent there. Plain http only on this machine, for tries. */
function isWebAddress(value: unknown): boolean {
  if (typeof value !== "string" || value.length > MAX_ADDRESS || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const local = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
  return username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && local));
}

function changesProblems(changes: unknown): readonly string[] {
  if (!isPlain(changes)) return ["changes: wanted an object with clients"];
  const { name, clients, whenDisabled, ...others } = changes;
  const isList = Array.isArray(clients) && clients.length > 0 && clients.every((one) => typeof one === "string");
  return [
    ...(typeof name === "string" && name !== "" && name.length <= MAX_NAME
      ? []
      : [`changes.name: wanted 1 to ${MAX_NAME} characters`]),
    ...(isList ? [] : ["changes.clients: wanted a list of client IDs"]),
    ...(whenDisabled === undefined || whenDisabled === "pause" || whenDisabled === "end"
      ? []
      : ['changes.whenDisabled: wanted "pause" or "end"']),
    ...Object.keys(others).map((key) => `changes.${key}: there is no such key`),
  ];
}

/** Asks the code. Whatever it does, the outcome is one of the port's. */
export function existingPeopleSource(people: ExistingPeople): ExistingPeopleSource {
  const timeout = people.timeout ?? TIMEOUT;
  return {
    async find(login) {
      const called = await callCode((signal) => people.find(login, { signal }), timeout);
      if (called.kind === "failed") return { kind: "failed", why: `people.find: ${called.why}` };
      if (called.value === null) return { kind: "nobody" };
      const read = readPerson(called.value);
      if (read === undefined) return { kind: "failed", why: "people.find: the answer is no person and not null" };
      const { person, given } = read;
      const original = called.value as ExistingPerson;
      return {
        kind: "found",
        person,
        isRight: (password, whose) => isRight(people, { ...given, original }, password, whose, timeout),
      };
    },
    async about(id) {
      if (people.claims === undefined) return { kind: "unasked" };
      const called = await callCode((signal) => people.claims?.(id, { signal }), timeout);
      if (called.kind === "failed") return { kind: "failed", why: `people.claims: ${called.why}` };
      if (called.value === null) return { kind: "nobody" };
      // It may repeat the ID, but not name somebody else.
      const read = readPerson(called.value, id);
      if (read === undefined || read.person.id !== id)
        return { kind: "failed", why: "people.claims: the answer is nothing about this person and not null" };
      return { kind: "found", person: read.person };
    },
  };
}

async function isRight(
  people: ExistingPeople,
  { original: person, passwordHash }: Pick<ExistingPerson, "passwordHash"> & { readonly original: ExistingPerson },
  password: string,
  whose: HashRequester,
  timeout: Millis,
): Promise<boolean | { readonly why: string }> {
  if (people.verifyPassword !== undefined) {
    const called = await callCode((signal) => people.verifyPassword?.(person, password, { signal }), timeout);
    if (called.kind === "failed") return { why: `people.verifyPassword: ${called.why}` };
    if (typeof called.value === "boolean") return called.value;
    return { why: "people.verifyPassword: the answer is neither true nor false" };
  }
  if (passwordHash == null) return false;
  if (!isKnownHash(passwordHash))
    return { why: "people.find: the passwordHash has an unknown form, or costs too much" };
  return verifyForeignPassword(password, passwordHash, whose);
}

interface Read {
  readonly person: FoundPerson;
  readonly given: ExistingPerson;
}

/**
 * Undefined: the value is something else. Each property is read once: it may be code, which throws, or says something else
 * the second time. `known`: the id, unless the value has one.
 */
function readPerson(value: unknown, known?: string): Read | undefined {
  try {
    if (!isPlain(value)) return undefined;
    return readFields(known === undefined ? { ...value } : { id: known, ...value });
  } catch {
    return undefined;
  }
}

function readFields(fields: Readonly<Record<string, unknown>>): Read | undefined {
  const { id, username, email, emailVerified, name, locale, passwordHash, disabled } = fields;
  const texts = [username, email, name, locale, passwordHash];
  const flags = [emailVerified, disabled];
  const fit =
    typeof id === "string" &&
    texts.every((one) => one == null || (typeof one === "string" && one.length <= MAX_TEXT)) &&
    flags.every((one) => one === undefined || typeof one === "boolean");
  if (!fit) return undefined;
  const given = fields as unknown as ExistingPerson;
  return {
    given,
    person: {
      id,
      username: given.username ?? null,
      email: given.email ?? null,
      emailVerified: given.emailVerified === true,
      name: given.name ?? null,
      locale: given.locale ?? null,
      disabled: given.disabled === true,
    },
  };
}
