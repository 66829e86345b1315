/** The operator's use-case that imports people of another system, one line of NDJSON each, with the hashes of their passwords. */

import { IMPORTED, isKnownHash } from "../crypto/foreign-password-hashes.ts";
import { readJsonObject } from "../jose/strict-json.ts";
import { DETAIL_NAMES, wireName } from "../owners/person-details.ts";
import type { Person } from "../owners/storage.ts";
import { AdminError, type Remark } from "./admin-error.ts";
import type { AdminContext } from "./context.ts";
import type { WireRecord } from "./output-records.ts";
import { draftOf, type NewUser, storePerson, type TypedDetails, userOf } from "./people.ts";

/** Bytes of one line. */
export const MAX_IMPORT_LINE = 16_384;
/** Lines that are worked on at a time. */
const AT_ONCE = 8;
const MAX_TEXT = 500;

type ImportedUser = Omit<NewUser, "password" | "operator"> & { readonly passwordHash: string | null };

/** `exists`: somebody has this username and this address already, and nothing is changed. */
export type ImportedLine =
  | { readonly line: number; readonly kind: "created" | "exists"; readonly person: Person }
  | {
      readonly line: number;
      readonly kind: "refused";
      readonly code: "line_malformed" | AdminError["kind"];
      readonly problems: readonly Remark[];
    };

const DETAILS = new Map(DETAIL_NAMES.map((name) => [wireName(name), name]));
const TEXTS: ReadonlySet<string> = new Set(["username", "email", "name", "password_hash", ...DETAILS.keys()]);
const FLAGS: ReadonlySet<string> = new Set(["email_verified", "must_change_password", "phone_number_verified"]);

/** The fields that a line can have. */
export const IMPORT_FIELDS: readonly string[] = [...TEXTS, ...FLAGS];

/**
 * Creates a person for each line, in any order, and reports the lines in their order. A line that can't be imported does not stop
 * the others, and a repeated import changes nothing. An empty line is none.
 */
export async function* importUsers(
  lines: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  context: AdminContext,
): AsyncGenerator<ImportedLine> {
  const running: Promise<ImportedLine>[] = [];
  let line = 0;
  for await (const bytes of lines) {
    line += 1;
    if (isBlank(bytes)) continue;
    const work = importLine(bytes, line, context);
    // It is awaited later, and must not end the process before.
    work.catch(() => undefined);
    running.push(work);
    const [first] = running;
    if (running.length >= AT_ONCE && first !== undefined) {
      yield await first;
      running.shift();
    }
  }
  for (const one of running) yield await one;
}

/** The line as its report says it. */
export function importedRecord(result: ImportedLine): WireRecord {
  const { line, kind } = result;
  if (kind !== "refused") return { line, result: kind, id: result.person.personId, username: result.person.username };
  const errors = result.problems.map(({ field, problem }) => ({ field, problem }));
  return { line, result: kind, code: result.code, errors };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((one) => one === 0x20 || one === 0x0d || one === 0x09);
}

async function importLine(bytes: Uint8Array, line: number, context: AdminContext): Promise<ImportedLine> {
  const refused = (problems: readonly Remark[], code: "line_malformed" | AdminError["kind"]) =>
    ({ line, kind: "refused", code, problems }) as const;
  if (bytes.length > MAX_IMPORT_LINE)
    return refused([{ field: null, problem: `the line is longer than ${MAX_IMPORT_LINE} bytes` }], "line_malformed");
  const value = readJsonObject(bytes);
  if (value === undefined)
    return refused([{ field: null, problem: "the line is not one JSON object in UTF-8" }], "line_malformed");
  const read = readUser(value);
  if (read.problems.length > 0) return refused(read.problems, "invalid");
  try {
    return { line, kind: "created", person: await importUser(read.user, context) };
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    const present = error.kind === "taken" ? await same(read.user, context) : undefined;
    if (present !== undefined) return { line, kind: "exists", person: present };
    return refused(error.problems, error.kind);
  }
}

/** Throws `invalid`, `taken`. */
async function importUser({ passwordHash, ...input }: ImportedUser, context: AdminContext): Promise<Person> {
  const { draft, problems } = draftOf(input, context);
  const wrong = passwordHash !== null && !isKnownHash(passwordHash);
  // The hash is as good as a password for many people, so no message repeats it.
  const problem = "has an unknown form, or costs too much: argon2, bcrypt, scrypt and PBKDF2 can be imported";
  const all = [...problems, ...(wrong ? [{ field: "password_hash", problem }] : [])];
  if (all.length > 0) throw new AdminError("invalid", all);
  const password =
    passwordHash === null ? {} : { passwordHash: IMPORTED + passwordHash, passwordChangedAt: draft.createdAt };
  const person = { ...draft, ...password };
  await storePerson(person, context);
  return person;
}

/** The person who has this username and this address. */
async function same({ username, email }: ImportedUser, context: AdminContext): Promise<Person | undefined> {
  const { draft } = draftOf({ username, email }, context);
  const person = await userOf(draft.username, context).catch((error: unknown) => {
    if (error instanceof AdminError && error.kind === "unknown") return undefined;
    throw error;
  });
  return person?.username === draft.username && person.email === draft.email ? person : undefined;
}

/** A value with the wrong type is a problem. Null is the same as a field that is not there. */
function readUser(value: Readonly<Record<string, unknown>>): {
  readonly user: ImportedUser;
  readonly problems: readonly Remark[];
} {
  const problems: Remark[] = [];
  const found = new Map<string, unknown>();
  for (const [name, one] of Object.entries(value)) {
    const field = name.slice(0, 100);
    if (!TEXTS.has(name) && !FLAGS.has(name)) problems.push({ field, problem: "can't be set" });
    else if (one === null) continue;
    else if (FLAGS.has(name) && typeof one !== "boolean") problems.push({ field, problem: "must be true or false" });
    else if (TEXTS.has(name) && !isText(one))
      problems.push({ field, problem: `must be a text of at most ${MAX_TEXT} characters` });
    else found.set(name, one);
  }
  for (const field of ["username", "email"])
    if (!found.has(field) && !problems.some((one) => one.field === field))
      problems.push({ field, problem: "is missing" });
  const text = (name: string) => found.get(name) as string | undefined;
  const flag = (name: string) => found.get(name) === true;
  const details: TypedDetails = Object.fromEntries(
    [...DETAILS].flatMap(([wire, name]) => (found.has(wire) ? [[name, text(wire) ?? ""]] : [])),
  );
  return {
    problems,
    user: {
      username: text("username") ?? "",
      email: text("email") ?? "",
      // The other system may never have asked for a proof: only the operator knows.
      emailVerified: flag("email_verified"),
      name: text("name") ?? null,
      mustChange: flag("must_change_password"),
      details: {
        ...details,
        ...(found.has("phone_number_verified") ? { phoneVerified: flag("phone_number_verified") } : {}),
      },
      passwordHash: text("password_hash") ?? null,
    },
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_TEXT && value.isWellFormed() && !value.includes("\0");
}
