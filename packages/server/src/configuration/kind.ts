/** The form of a section of the file: how its records are found, compared and changed. */

import type { Remark } from "../admin/admin-error.ts";
import type { Authority } from "../admin/api-access/authority.ts";
import type { AdminContext } from "../admin/context.ts";
import type { ConfiguredRecord } from "../admin/storage.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import { canonicalDomain } from "../owners/canonical-login.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type Context = AdminContext & { secrets(): Secrets };

/** A record as the file describes it. */
export interface Entry {
  /** Its key in the file. */
  readonly label: string;
  readonly fields: Fields;
  /** The values of the references, by field. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A record as it is. */
export interface Present {
  readonly label: string;
  /** Its id in the database, under which a mark says whose it is. */
  readonly recordId: string;
  /** In the file's form, with every default. */
  readonly fields: Fields;
  /** The stored record: a change of it means that somebody wrote it. */
  readonly record: unknown;
  /** What the kind read beside the record, for its other functions. Two states are not compared by it. */
  readonly readToo?: unknown;
}

/** A record that was made or changed. */
export interface Changed {
  /** Undefined: it was made. */
  readonly before: Present | undefined;
  readonly after: Present;
  /** What the file says of it. */
  readonly entry: Entry;
}

/** Remarks about each of the records. */
export type Remarks = readonly (readonly Remark[])[];

/** Things that end with a change. */
export type Ended = Readonly<Partial<Record<(typeof ENDING)[number], number>>>;
export const ENDING = [
  ...(["grants", "consents", "approvals", "memberships", "uses_in_clients", "subject_links", "connections"] as const),
  ...([
    "only_ways_to_sign_in",
    "members_of_app",
    "permissions_of_members",
    "app_connections",
    "connected_companies",
  ] as const),
  ...(["connection_permissions", "connection_apis", "unlimited_connections"] as const),
] as const;

/** Records that a file describes, or has described. */
export interface Wanted {
  readonly labels: readonly string[];
  readonly entries: readonly Entry[];
}

/** Does operations of the admin API, each with its schema, its check of the caller's authority, and its use-case. */
export interface Operator {
  readonly context: Context;
  readonly authority: Authority;
  /** Returns the record of the answer. */
  run(operation: string, params: Readonly<Record<string, string>>, body?: Fields): Promise<Fields>;
}

/** A part of a JSON Schema. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

export interface Kind {
  /** The key in the file. Also the kind of the marks in the database. */
  readonly section: string;
  /** One record of it, in messages. */
  readonly noun: string;
  /** What the key of an entry is. */
  readonly keyed: string;
  /** Of an entry, made from the operation's body. */
  readonly schema: Schema;
  /** True: an entry's key has two parts, each a level of the file. */
  readonly nested?: true;
  /** Fields that are references to secrets. */
  readonly secrets: readonly string[];
  /** Fields that can be a reference to a file instead. */
  readonly documents: readonly string[];
  /** Fields that can't be changed later. */
  readonly fixed: readonly string[];
  /** The value of each field that an entry leaves out. */
  defaults(fields: Fields): Fields;
  /** An entry's fields in the form in which the record has them. */
  canonical?(fields: Fields): Fields;
  /** A record's fields in the form in which a file has them. */
  exported?(fields: Fields): Fields;
  /** The records that are wanted; null: all. `marks`: those of this kind. */
  find(wanted: Wanted | null, marks: readonly ConfiguredRecord[], context: Context): Promise<readonly Present[]>;
  /** True: the record has this secret now. */
  hasSecret?(present: Present, field: string, secret: string, context: Context): boolean;
  /** Fields whose secrets exist, for the export. */
  secretsOf?(present: Present): readonly string[];
  /** What an entry says that doesn't count for the record now, although the two are the same otherwise. */
  remark?(entry: Entry, present: Present, context: Context): Promise<string | undefined>;
  /** Returns the id of the new record. */
  create(entry: Entry, operator: Operator): Promise<string>;
  /** Completes a new record once all new records of its section exist. */
  settle?(entry: Entry, operator: Operator): Promise<void>;
  /** `changes`: the new values of the fields that differ; secrets are in the entry. */
  update(present: Present, changes: Fields, entry: Entry, operator: Operator): Promise<void>;
  remove(present: Present, operator: Operator): Promise<void>;
  /** What ends when a record is deleted, or changed by changes that can end access: things with their numbers. Undefined: the changes end none. */
  ends?(present: Present, how: "delete" | "change", context: Context, changes: Fields): Promise<Ended | undefined>;
  /** What changes mean for access that exists, beside the notes of the operations. Asked before the change. */
  notes?(present: Present, changes: Fields, context: Context): Promise<readonly string[]>;
  /** What ends when a record is created. Undefined: nothing. */
  endsByCreation?(entry: Entry, context: Context): Promise<Ended | undefined>;
  /** What the operator should look at again. Absent: the warnings of the operations, of which one makes the whole change. */
  remarks?(changed: readonly Changed[], context: Context): Promise<Remarks>;
  /** The same. It reads many records, so it comes after the transaction of the trial. */
  advice?(changed: readonly Changed[], context: Context): Promise<Remarks>;
  /** The fields that the plan of a new record leaves out if they have these values. Absent: `defaults`. */
  defaultsWhenNew?(fields: Fields): Fields;
  /** Notes about the access that a new or changed record gives. The operations say more. */
  told?(changed: Changed, context: Context): Promise<readonly string[]>;
  /** What the operator must confirm although nothing ends: `allows the app for all members`. */
  question?(changed: Changed): string | undefined;
  /** The same for a record that is deleted, beside what ends: `lifts the block of the app`. */
  deletionQuestion?(present: Present, context: Context): Promise<string | undefined>;
  /** More for the export: fields that are not compared, and comments. */
  exportedToo?(present: Present, context: Context): { readonly fields: Fields; readonly comments: readonly string[] };
  /** What is wrong with a key. */
  keyProblem?(label: string): string | undefined;
  /** True: these changes can end access. */
  isEnding?(changes: Fields): boolean;
}

/** The fields that a record has, with the defaults for those that it lacks. */
export function present(record: Fields, defaults: Fields, also: (name: string) => boolean = () => false): Fields {
  const own = Object.entries(record).filter(([name, value]) => value !== undefined && (name in defaults || also(name)));
  return { ...defaults, ...Object.fromEntries(own.map(([name, value]) => [name, value ?? defaults[name] ?? null])) };
}

/** Domains of addresses as the server stores them. */
export function withDomains(fields: Fields): Fields {
  const { email_domains: domains } = fields;
  if (!Array.isArray(domains)) return fields;
  return { ...fields, email_domains: domains.map((one) => canonicalDomain(String(one)) ?? one) };
}

/** An operation's body without the fields that the key or another part of the file gives. */
export function entrySchema(
  body: Schema,
  without: readonly string[],
  more: Readonly<Record<string, Schema>> = {},
): Schema {
  const { properties = {}, required = [] } = body as Schema & { readonly required?: readonly string[] };
  const kept = Object.entries(properties).filter(([name]) => !without.includes(name));
  return {
    type: "object",
    additionalProperties: false,
    properties: { ...Object.fromEntries(kept), ...more },
    ...("patternProperties" in body ? { patternProperties: body["patternProperties"] } : {}),
    required: required.filter((name) => !without.includes(name)),
  };
}

const PLAIN: Schema = { type: "string", enum: ["active", "disabled"] };
export const status = PLAIN;
